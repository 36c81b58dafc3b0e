"""The right values of every quantity, in every frame, against formulas by hand and what must hold among them."""


import mpmath
import numpy as np
import pytest

from rbdlib import Model, load
from rbdlib.book.ch02_spatial import X_to_Er, mcI, rotx, rotz, xlt
from rbdlib.book.ch04_joints import Revolute
from rbdlib.loops.closing import LoopsNotClosed
from rbdlib.verification.decision import decide
from rbdlib.verification.decision.decide import verify_numbers as verify
from rbdlib.verification.meaning.aliases import Names
from rbdlib.verification.meaning.vocabulary import Vocabulary
from rbdlib.verification.mechanics import quantities, states
from rbdlib.verification.mechanics.basics import constraints, forces_at_points, multipliers, of_points
from rbdlib.verification.mechanics.bodies import alternatives, far_frame, parse
from rbdlib.verification.mechanics.declared import declared, read_declared
from rbdlib.verification.mechanics.quantities import SIMPLE, UnknownQuantity, find_quantity, in_coordinates
from rbdlib.verification.mechanics.states import DIGITS, Altered, NoState, System, draw, draw_pair, system_of
from tests.verify import TABLES

TREES = ["cart_pole", "furuta_pendulum", "spherical_pendulum", "falling_cat", "satellite_arm", "panda"]
MECHANISMS = ["four_bar", "crank_slider", "five_bar"]


def state_of(name, seed=5):
    state = draw(system_of(load(name, symbolic=True)), seed, 1)[0]
    with mpmath.workdps(15):                                # as a report does; the motion has all digits nevertheless
        assert state.qdd is not None
    return state


def near(first, second, error=1e-32):
    return np.all(abs(np.asarray(first) - np.asarray(second)) < error)


def values(name, *quantities, state=None):
    model = load(name, symbolic=True)
    return [find_quantity(model, quantity).value(state) for quantity in quantities]


@pytest.mark.parametrize("name", TREES + MECHANISMS)
def test_the_quantities_fit_together_and_bodies_move_by_their_jacobians(name):
    with mpmath.workdps(DIGITS):
        state = state_of(name)
        H, C, g, bias, tau, T, V, L, E, p = values(name, *"H C g bias tau T V L E p".split(), state=state)
        assert near(C + g, bias) and near(H @ state.qdd + bias, tau) and near(tau, state.tau, 1e-28) == (name in TREES)
        assert near(T, state.qd @ H @ state.qd / 2) and near(L, T - V) and near(E, T + V) and near(p, H @ state.qd)
        i = state.model.N_B
        J, Jdot, v, a = values(name, f"J[{i}]", f"Jdot[{state.model.names[i]}]", f"v[{i}]", f"a_{i}", state=state)
        assert near(J @ state.qd, v) and near(J @ state.qdd + Jdot @ state.qd, a)
        about_base, linear, com = values(name, "angular momentum", "linear momentum", "com", state=state)
        ((about_com, _),) = quantities.other_conventions(find_quantity(state.model, "angular momentum"))
        assert near(about_com(state), about_base - np.cross(com, linear))


@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms_stay_closed_and_are_held_by_forces_at_their_closing_points(name):
    with mpmath.workdps(DIGITS):
        state = state_of(name)
        K, k, lam, H, bias = values(name, "K", "k", "lambda", "H", "bias", state=state)
        assert near(K @ state.qd, 0) and near(K @ state.qdd, k)
        assert near(H @ state.qdd + bias, state.tau + K.T @ lam, 1e-30) and max(abs(x) for x in state.qd) > 0.01
        K_points, k_points = of_points(state)
        assert near(K_points @ state.qdd, k_points, 1e-30)
        assert near(K_points.T @ forces_at_points(state), constraints(state)[0].T @ multipliers(state), 1e-28)


def test_a_double_pendulum_by_hand():
    with mpmath.workdps(DIGITS):
        state = state_of("double_pendulum")
        m1, m2, l1, l2, g = (state.parameters[x] for x in "m1 m2 l1 l2 g".split())
        (q1, q2), (d1, d2) = state.q, state.qd
        H, C, weight, V = values("double_pendulum", "H", "C", "g", "V", state=state)
        h = m2 * l1 * l2 * mpmath.cos(q2)
        assert near(H, [[(m1 + m2) * l1**2 + m2 * l2**2 + 2 * h, m2 * l2**2 + h], [m2 * l2**2 + h, m2 * l2**2]])
        s = m2 * l1 * l2 * mpmath.sin(q2)
        assert near(C, [-s * (2 * d1 * d2 + d2**2), s * d1**2])
        assert near(V, -(m1 + m2) * g * l1 * mpmath.cos(q1) - m2 * g * l2 * mpmath.cos(q1 + q2))
        second = m2 * g * l2 * mpmath.sin(q1 + q2)
        assert near(weight, [(m1 + m2) * g * l1 * mpmath.sin(q1) + second, second])


@pytest.mark.parametrize("given", ["theta2 = q1 + q2", "a = q1 - q2; b = q1 + 2*q2", "order: q2, q1"])
def test_energy_and_power_do_not_depend_on_coordinates(given):
    model = load("double_pendulum", symbolic=True)
    with mpmath.workdps(DIGITS):
        state, vocabulary = state_of("double_pendulum"), Vocabulary(model, given)
        A, b = vocabulary.jacobian(vocabulary.coordinates(), state)
        yd, ydd = A @ state.qd, A @ state.qdd + b
        names = "H", "tau", "bias", "g", "C", "qdd", "Hdot", "H inverse", "det H", "J[2]"
        asked = [find_quantity(model, name) for name in names]
        H, tau, bias, g, C, qdd, Hdot, inverse, det, J = (in_coordinates(x, x.value(state), state, A, b) for x in asked)
        assert near(yd @ Hdot @ yd, state.qd @ asked[6].value(state) @ state.qd) and near(J @ yd, *values(
            "double_pendulum", "v[2]", state=state))
        assert near(inverse @ H, np.eye(2)) and near(det, mpmath.det(mpmath.matrix(H.tolist())))
        assert near(yd @ H @ yd / 2, *values("double_pendulum", "T", state=state))
        assert near(tau @ yd, state.tau @ state.qd)
        assert near(H @ ydd + bias, tau) and near(C + g, bias) and near(qdd, ydd)


def test_curved_coordinates_and_those_of_the_learner_count_and_parameters_are_compared_for_all_values():
    """For a particle, H = m I and C = 0 in x, y; polar coordinates give H = diag(m, m r²) and centrifugal terms."""
    model = load("particle", symbolic=True)
    with mpmath.workdps(DIGITS):
        state = state_of("particle")
        vocabulary = Vocabulary(model, "r = sqrt(q1^2 + q2^2); u = q2/q1")
        A, b = vocabulary.jacobian(vocabulary.coordinates(), state)
        asked = [find_quantity(model, letter) for letter in "HC"]
        H, C = (in_coordinates(quantity, quantity.value(state), state, A, b) for quantity in asked)
        r, m = mpmath.sqrt(state.q @ state.q), state.parameters["m"]
        angle = 1 / (1 + (state.q[1] / state.q[0])**2)                          # d phi / d u
        with pytest.raises(ValueError, match="sums of the model's"):
            in_coordinates(find_quantity(model, "Hdot"), H, state, A, b)
        assert near(H, [[m, 0], [0, m * r**2 * angle**2]]) and near(C[0], -m * r * (angle * (A @ state.qd)[1])**2)

        state = state_of("double_pendulum")
        vocabulary = Vocabulary(load("double_pendulum", symbolic=True), "theta2 = q1 + q2^2")
        A, b = vocabulary.jacobian(vocabulary.coordinates(), state)
        H, tau, bias = (in_coordinates(x, x.value(state), state, A, b) for x in (
            find_quantity(state.model, name) for name in ("H", "tau", "bias")))
        assert near(H @ (A @ state.qdd + b) + bias, tau)

    assert system_of(load("double_pendulum")).symbols == ["g", "l1", "l2", "m1", "m2"]
    changed = load("double_pendulum").replace(gravity=(0, -1.62, 0))
    assert System(changed).symbols == [] and System(changed).exact is False
    names = Names(load("four_bar", symbolic=True)).own
    assert {"q3", "qdd1", "lam5", "ground", "density", "t"} <= names and "lam6" not in names

    for answer, words in (("m2*l1*l2*cos(q1 - theta2)/2", "your coordinates q1, theta2"),
                          ("m2*l2^2/3 + m2*l1*l2*cos(q1 - theta2)/2", "the model's coordinates q1, q2")):
        decision = verify(ARM, "H[1,2]", answer, "theta2 = q1 + q2")
        assert decision.ok and words in " ".join(decision.notes)


def test_every_alias_asks_for_something_and_states_are_reproducible_and_within_bounds():
    model = load("four_bar", symbolic=True)
    assert [find_quantity(model, name).symbol for name in SIMPLE] == [*SIMPLE]
    assert find_quantity(model, "mass matrix").symbol == find_quantity(model, " M ").symbol == "H"
    assert find_quantity(model, "X[2, 1]").name == "X[2, 1]" and find_quantity(model, "EOM").compare == "equations"

    system = system_of(load("arm_2r", symbolic=True))
    with mpmath.workdps(DIGITS):
        first, again, other = draw(system, 1), draw(system, 1), draw(system, 2)
        assert [s.parameters for s in first] == [s.parameters for s in again]
        assert all((a.q == b.q).all() and (a.tau == b.tau).all() for a, b in zip(first, again, strict=True))
        assert first[0].parameters != first[1].parameters != other[0].parameters
        one, two = draw_pair(system, 1)
        assert one.parameters == two.parameters and (one.q != two.q).all()
        (short,) = draw(system, 1, 1, decimals=1)
        assert all(abs(10 * x - round(10 * x)) < 1e-30 for x in (*short.q, *short.qd, *short.parameters.values()))

    with mpmath.workdps(DIGITS):
        state = state_of("satellite_arm")
        assert all(0.5 < x < 2 for x in state.parameters.values())
        assert abs(sum(x**2 for x in state.q[:4]) - 1) < 1e-38
        altered = Altered(state, qdd=3)
        assert altered.qdd == 3 and altered.q is state.q and state.qdd[0] != 3, "the rest is kept"
        (v, J), (v_2, J_2) = (values("satellite_arm", "v[2]", "J[2]", state=x)
                              for x in (state, Altered(state, qd=2 * state.qd)))
        assert near(v_2, 2 * v) and near(J_2, J) and any(v)


@pytest.mark.parametrize(("quantity", "message"), TABLES["no_quantities"])
def test_what_cannot_be_verified_is_named_with_a_remedy(quantity, message):
    with pytest.raises(UnknownQuantity, match=message):
        find_quantity(load("double_pendulum", symbolic=True), quantity)
    with pytest.raises(TypeError, match="as text"):
        find_quantity(load("pendulum"), 3)


@pytest.mark.parametrize(("quantity", "message"), [("K[1,1]", "order, signs and scale"),
                                                   ("equations of motion[1]", "one equation alone says nothing")])
def test_of_loops_no_entry_is_asked_for_alone(quantity, message):
    with pytest.raises(UnknownQuantity, match=message):
        find_quantity(BAR, quantity)


# States

def test_an_impossible_system_is_refused(monkeypatch):
    def open_for_ever(model, q, **options):
        raise LoopsNotClosed("The loops cannot be closed.", q, 1.0)

    monkeypatch.setattr(states, "close_loops", open_for_ever)              # the real one searches for seconds
    with mpmath.workdps(DIGITS), pytest.raises(NoState, match="In 5 random choices .* possible: The loops cannot be"):
        draw(System(load("four_bar", symbolic=True)))
    monkeypatch.setattr(states, "_correction", lambda K, miss: 0 * K.sum(axis=0))
    with pytest.raises(LoopsNotClosed, match="could not be closed"):
        states._closed(load("four_bar"), np.array([0.1, 0.2, 0.3]))


def test_states_far_away_are_those_near_by_scaled_and_loops_are_drawn_near_their_own_sizes():
    cart, bar = (System(load(name, symbolic=True)) for name in ("cart_pole", "four_bar"))
    with mpmath.workdps(DIGITS):
        plain, long, turned = (draw(cart, 4, 1, far=far)[0] for far in ((), ("lengths",), ("angles",)))
        assert near(long.q, plain.q * [60, 1], 1e-12) and near(turned.q, plain.q * [1, 60], 1e-12)
        assert near(long.qd, 60 * plain.qd) and near(long.tau, 60 * plain.tau) and near(turned.qd, plain.qd)
        assert plain.t == plain.tau.sum() + 1
        drawn = [x for s in draw(cart, 4, 9, far=("parameters",)) for x in s.parameters.values()]
        assert 0.5 / 60 < min(drawn) < 0.4 and 3 < max(drawn) < 120
        for name, x in draw(bar, 4, 1)[0].parameters.items():
            assert name not in bar.nominal or 1 / 1.15 <= x / bar.nominal[name] <= 1.15
        assert draw(cart, 5)[0] is draw(cart, 5)[0]
        assert all(s.q[0] > 0 for s in draw(cart, 5, 4, where=lambda s: s.q[0] > 0))
        with pytest.raises(NoState, match="of the kind that is wanted"):
            draw(cart, 5, where=lambda s: False)
        for seed in range(101):
            draw(cart, seed, 1)
        assert 0 < len(cart.drawn) < 101


# Bodies and points

ARM = load("arm_2r", symbolic=True)
TIP = "[-l1*s1 - l2*s12, -l2*s12; l1*c1 + l2*c12, l2*c12]"
HYBRID = "[-l1*s1, 0; l1*c1, 0; 0, 0; 0, 0; 0, 0; 1, 1]"
SPATIAL = "[0, 0; 0, 0; 1, 1; 0, l1*s1; 0, -l1*c1; 0, 0]"
RIGHT = TABLES["right_about_bodies"]
WRONG = TABLES["wrong_about_bodies"]


@pytest.mark.parametrize(("quantity", "answer", "ok"), [*((*x, True) for x in RIGHT), *((*x, False) for x in WRONG)])
def test_answers_about_bodies(quantity, answer, ok):
    decision = verify(ARM, quantity, answer)
    assert decision.ok == ok, decision.problem


@pytest.mark.parametrize("answer", [HYBRID, SPATIAL])
def test_a_frame_may_be_stated_beforehand(answer):
    assert not verify(ARM, "J[2]", answer).ok and verify(ARM, "J[2]", answer, "world coordinates").ok
    assert verify(ARM, "J[2]", answer.replace("q1", "a"), "a = q1; in world coordinates").ok


def test_an_answer_in_another_frame_is_told_what_it_is():
    problem = verify(ARM, "J[2]", TIP).problem
    for elsewhere in (HYBRID, SPATIAL, "[-l1*s1, 0; l1*c1, 0; 1, 1]", "[l1*s2, 0; l1*c2, 0; 1, 1]"):
        assert "is right as" in verify(ARM, "J[2]", elsewhere).problem
    assert "2×2 matrix" in problem and "the tip of body 2" in problem and "'J[tip of body 2]'" in problem
    assert verify(ARM, "J[tip of body 2]", TIP).ok
    for _, _, remedy in alternatives(ARM, "J[2]"):
        assert parse(remedy), remedy


@pytest.mark.parametrize(("given", "found"), [
    ("world coordinates", ("world coordinates", "")), ("m = m1; hybrid", (" hybrid", "m = m1")),
    ("world = q1", ("", "world = q1")), ("frames = DH (classic); a = l1", ("frames = DH (classic)", "a = l1")),
    ("C without gravity, notation of Spong", ("C without gravity  notation of Spong", "")),
    ("Spong = q1; order: MR, x", ("", "Spong = q1; order: MR, x"))])
def test_what_is_declared_about_frames_and_conventions_is_taken_out_of_given(given, found):
    assert declared(given) == found


def test_of_what_is_declared_the_last_counts_and_a_text_has_its_conventions():
    assert read_declared("C  with\tgravity C without gravity").C == "without"
    assert read_declared("Spong frames = DH modified") == ("", "", "without", "holds", False)
    assert read_declared("after Tedrake, linear first") == ("", "linear", "without", "acts", False)


@pytest.mark.parametrize("tilt", [0, 0.5])
def test_a_classic_frame_lies_on_the_next_axis_where_that_comes_nearest_to_the_joints_own(tilt):
    X = rotx(tilt) @ rotz(0.3) @ xlt([0.3, -0.2, 0.7])
    model = Model([0, 1], [Revolute()] * 2, [np.eye(6), X], [np.eye(6)] * 2)
    (E, r), (E_next, r_next) = X_to_Er(far_frame(model, 1)[0](Altered(None, model=model))), X_to_Er(X)
    assert near(E, E_next, 1e-12) and near(np.cross(r - r_next, E[2]), 0, 1e-12)
    assert near(r[:2] @ E[2, :2] if tilt else r[2], 0, 1e-12)


#: Of robots the a_i and d_i that their makers, and P. Corke for the Puma, print for classic Denavit-Hartenberg frames.
PRINTED = {"ur5e": ([0, -0.425, -0.3922, 0, 0, 0], [0.1625, 0, 0, 0.1333, 0.0997, 0.0996]),
           "puma560": ([0, 0.4318, 0.0203, 0, 0, 0], [0, 0, 0.15, 0.4318, 0, 0]),
           "panda": ([0, 0, 0.0825, -0.0825, 0, 0.088], [0.333, 0, 0.316, 0, 0.384, 0])}


@pytest.mark.parametrize("name", PRINTED)
def test_classic_frames_have_the_printed_lengths(name):
    model = load(name)
    state = draw(system_of(model), 1, 1)[0]
    for i, (a, d) in enumerate(zip(*PRINTED[name], strict=True), start=1):
        T = np.array(find_quantity(model, f"T[{i - 1},{i}]", "frames = DH classic").value(state), dtype=float)
        x, o = T[:3, 0], T[:3, 3]
        np.testing.assert_allclose([x[2], o[2], (o - [0, 0, o[2]]) @ x], [0, d, a], atol=3e-4)
        np.testing.assert_allclose(o, o[2] * np.eye(3)[2] + ((o - [0, 0, o[2]]) @ x) * x, atol=1e-12)
    with pytest.raises(UnknownQuantity, match="are known for chains"):
        find_quantity(load("furuta_pendulum"), "T[0,1]", "Spong")


# Closed loops

BAR, SLIDER = load("four_bar", symbolic=True), load("crank_slider", symbolic=True)
K = (("-a*s1 - b*s12", "-b*s12", "c*s3"), ("a*c1 + b*c12", "b*c12", "-c*c3"))
k = ("a*c1*qd1^2 + b*c12*(qd1+qd2)^2 - c*c3*qd3^2", "a*s1*qd1^2 + b*s12*(qd1+qd2)^2 - c*s3*qd3^2")
VELOCITIES = "\n".join(f"({x})*qd1 + ({y})*qd2 + ({z})*qd3 = 0" for x, y, z in K)
ACCELERATIONS = "\n".join(f"({x})*qdd1 + ({y})*qdd2 + ({z})*qdd3 = {r}" for (x, y, z), r in zip(K, k, strict=True))
AUGMENTED = "[" + "; ".join(", ".join([*row, r]) for row, r in zip(K, k, strict=True)) + "]"


@pytest.mark.parametrize(("quantity", "answer"), [
    ("phidot", VELOCITIES), ("K qdd = k", ACCELERATIONS), ("k", f"[{k[0]}; {k[1]}]"), ("K", AUGMENTED)])
def test_loop_equations_of_every_order(quantity, answer):
    assert verify(BAR, quantity, answer).ok and not verify(BAR, quantity, answer.replace("c*s3", "2*c*s3")).ok
    assert "=" not in answer or not verify(BAR, quantity, answer.splitlines()[0]).ok


@pytest.fixture
def in_few_states(monkeypatch):
    """One more state, and not five, is looked at where a formula has roots, for each takes long."""
    monkeypatch.setattr(decide, "FURTHER_WITH_LOOPS", ((),))


def test_inverse_functions_of_loops_are_compared_but_for_whole_turns(in_few_states):
    assert verify(SLIDER, "q1 + sqrt(4*pi^2) == q1", None).ok


@pytest.mark.parametrize(("quantity", "answer", "wrong"), [
    pytest.param("position[3]", "[a*cos(q1) + sqrt(b^2 - a^2*sin(q1)^2); 0; 0]", ("+ sqrt", "- sqrt"),
                 marks=pytest.mark.long),
    ("q2 == -q1 - asin(a/b*sin(q1))", None, ("asin(", "asin(-"))])
def test_formulas_with_roots_are_those_of_the_models_own_way_of_assembly(in_few_states, quantity, answer, wrong):
    decision = verify(SLIDER, quantity, answer)
    assert decision.ok and "near q = 0" in decision.notes[-1], (decision.problem, decision.notes)
    decision = verify(SLIDER, quantity if answer else quantity.replace(*wrong), answer and answer.replace(*wrong))
    assert not decision.ok and (wrong[1] == "asin(-" or "another way of assembling" in decision.notes[-1])


@pytest.mark.long
def test_products_of_inertia_without_their_minus_are_another_convention():
    model = load("simple_pendulum", symbolic=True)
    tensor = np.array([[2, -1, 0], [-1, 3, 0], [0, 0, 4]])
    model = model.replace(inertia=[mcI(1, np.zeros(3), tensor)])
    found, wrong = (verify(model, "I[1]", [[2, p, 0], [p, 3, z], [0, z, 4]]) for p, z in ((1, 0), (-1, 1)))
    assert not found.ok and "is right as the matrix of the moments and products of inertia" in found.problem
    assert not wrong.ok and not wrong.problem and verify(model, "I[1]", tensor.tolist()).ok


@pytest.mark.parametrize("sign", ["+", pytest.param("-", marks=pytest.mark.long)])
def test_where_the_model_prefers_no_way_of_assembly_any_will_do(in_few_states, sign):
    """Freudenstein's formula for the rocker of a four-bar linkage: A cos q3 + B sin q3 + C = 0."""
    A, B = "(-2*c*(a*cos(q1) - ground))", "(-2*c*a*sin(q1))"
    C = "(ground^2 + a^2 + c^2 - b^2 - 2*a*ground*cos(q1))"
    decision = verify(BAR, f"q3 == 2*atan((-{B} {sign} sqrt({A}^2 + {B}^2 - {C}^2))/({C} - {A}))", None)
    assert decision.ok and "one of the ways" in decision.notes[-1], decision


@pytest.mark.slow
def test_forces_of_unknown_names():
    """Two weights on a rope: the tensions are what the motion determines."""
    from tests.verify.corpus.atwood import SYSTEM

    model, given = SYSTEM.model(), "x_1 = q1; x_2 = q2; theta = q3"
    text = "m_1*x_1'' = T_1 - m_1*g; m_2*x_2'' = T_2 - m_2*g; I*theta'' = R*(T_1 - T_2)".replace("; ", "\n")
    wrong = text.replace("R*(T_1 - T_2)", "R*T_1 - 2*R*T_2")
    assert verify(model, "equations of motion", text, given + "; unknown: T_1, T_2").ok
    assert not verify(model, "equations of motion", wrong, given + "; unknown: T_1, T_2").ok
    assert "unknown: T" in verify(model, "equations of motion", text, given).problem
