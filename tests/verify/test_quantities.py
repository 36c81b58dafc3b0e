"""The right values of every quantity, against formulas worked out by hand and against what must hold among them."""

import mpmath
import numpy as np
import pytest

from rbdlib import load
from rbdlib.verification.meaning.aliases import Names
from rbdlib.verification.meaning.vocabulary import Vocabulary
from rbdlib.verification.mechanics import states
from rbdlib.verification.mechanics.quantities import SIMPLE, UnknownQuantity, find_quantity, in_coordinates
from rbdlib.verification.mechanics.states import DIGITS, Altered, NoState, System, draw, draw_pair, system_of

TREES = ["cart_pole", "furuta_pendulum", "spherical_pendulum", "falling_cat", "satellite_arm", "panda"]
MECHANISMS = ["four_bar", "crank_slider", "five_bar"]


def state_of(name, seed=5):
    return draw(system_of(load(name, symbolic=True)), seed, 1)[0]


def near(first, second, error=1e-32):
    return np.all(abs(np.asarray(first) - np.asarray(second)) < error)


def values(name, *quantities, state=None):
    model = load(name, symbolic=True)
    return [find_quantity(model, quantity).value(state) for quantity in quantities]


@pytest.mark.parametrize("name", TREES + MECHANISMS)
def test_the_quantities_fit_together(name):
    with mpmath.workdps(DIGITS):
        state = state_of(name)
        H, C, g, bias, tau, T, V, L, E, p = values(name, *"H C g bias tau T V L E p".split(), state=state)
        assert near(C + g, bias) and near(H @ state.qdd + bias, tau)
        assert near(T, state.qd @ H @ state.qd / 2) and near(L, T - V) and near(E, T + V) and near(p, H @ state.qd)


@pytest.mark.parametrize("name", TREES + MECHANISMS)
def test_bodies_move_by_their_jacobians(name):
    with mpmath.workdps(DIGITS):
        state = state_of(name)
        i = state.model.N_B
        J, Jdot, v, a = values(name, f"J[{i}]", f"Jdot[{state.model.names[i]}]", f"v[{i}]", f"a_{i}", state=state)
        assert near(J @ state.qd, v) and near(J @ state.qdd + Jdot @ state.qd, a)


@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms_stay_closed_and_are_held_by_their_constraint_forces(name):
    with mpmath.workdps(DIGITS):
        state = state_of(name)
        K, k, lam, H, bias = values(name, "K", "k", "lambda", "H", "bias", state=state)
        assert near(K @ state.qd, 0) and near(K @ state.qdd, k)
        assert near(H @ state.qdd + bias, state.tau + K.T @ lam, 1e-30)
        assert max(abs(x) for x in state.qd) > 0.01


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
        H, tau, bias, g, C, qdd = (in_coordinates(find_quantity(model, x), find_quantity(model, x).value(state), state,
                                                  A, b) for x in "H tau bias g C qdd".split())
        assert near(yd @ H @ yd / 2, *values("double_pendulum", "T", state=state))
        assert near(tau @ yd, state.tau @ state.qd)
        assert near(H @ ydd + bias, tau) and near(C + g, bias) and near(qdd, ydd)


def test_curved_coordinates_bring_velocity_terms_of_their_own():
    """For a particle, H = m I and C = 0 in x, y; polar coordinates give H = diag(m, m r²) and centrifugal terms."""
    model = load("particle", symbolic=True)
    with mpmath.workdps(DIGITS):
        state = state_of("particle")
        vocabulary = Vocabulary(model, "r = sqrt(q1^2 + q2^2); u = q2/q1")
        A, b = vocabulary.jacobian(vocabulary.coordinates(), state)
        asked = [find_quantity(model, letter) for letter in "HC"]
        H, C = (in_coordinates(quantity, quantity.value(state), state, A, b) for quantity in asked)
        q, qd, m = state.q, state.qd, state.parameters["m"]
        r, slope = mpmath.sqrt(q @ q), q[1] / q[0]
        angle = 1 / (1 + slope**2)                                              # d phi / d u
        assert near(H, [[m, 0], [0, m * r**2 * angle**2]])
        yd = A @ qd
        phid = angle * yd[1]
        assert near(C[0], -m * r * phid**2)


@pytest.mark.slow
def test_every_name_and_alias_asks_for_something():
    for name in SIMPLE:
        model = load("four_bar", symbolic=True)
        assert find_quantity(model, name).symbol == name
    assert find_quantity(model, "mass matrix").symbol == find_quantity(model, " M ").symbol == "H"
    assert find_quantity(model, "Equations of Motion").compare == "equations"
    assert find_quantity(model, "X[2, 1]").name == "X[2, 1]"


@pytest.mark.parametrize(("quantity", "message"), [
    ("kinetic enrgy", "Did you mean 'kinetic energy'"),
    ("J[9]", "no body '9'"), ("X[1]", "write X\\[i,j\\]"), ("lambda", "has no loops"),
    ("J[0]", "fixed base"), ("banana", "Choose from H, C, g"), ("v[arm]", "1 \\(upper\\)")])
def test_what_cannot_be_verified_is_named_with_a_remedy(quantity, message):
    with pytest.raises(UnknownQuantity, match=message):
        find_quantity(load("double_pendulum", symbolic=True), quantity)


def test_a_quantity_is_asked_for_by_text():
    with pytest.raises(TypeError, match="as text"):
        find_quantity(load("pendulum"), 3)


# States


def test_states_are_reproducible_and_differ():
    system = system_of(load("arm_2r", symbolic=True))
    with mpmath.workdps(DIGITS):
        first, again, other = draw(system, 1), draw(system, 1), draw(system, 2)
        assert [s.parameters for s in first] == [s.parameters for s in again]
        assert all((a.q == b.q).all() and (a.tau == b.tau).all() for a, b in zip(first, again, strict=True))
        assert first[0].parameters != first[1].parameters != other[0].parameters
        one, two = draw_pair(system, 1)
        assert one.parameters == two.parameters and (one.q != two.q).all()


def test_parameters_lie_between_the_bounds_and_quaternions_have_length_one():
    with mpmath.workdps(DIGITS):
        state = state_of("satellite_arm")
        assert all(0.5 < x < 2 for x in state.parameters.values())
        assert abs(sum(x**2 for x in state.q[:4]) - 1) < 1e-38


def test_a_model_with_numbers_is_compared_for_all_values_of_its_parameters():
    assert system_of(load("double_pendulum")).symbols == ["g", "l1", "l2", "m1", "m2"]
    changed = load("double_pendulum").replace(gravity=(0, -1.62, 0))
    assert System(changed).symbols == [] and System(changed).exact is False


def test_rounded_states_are_short():
    with mpmath.workdps(DIGITS):
        state = draw(system_of(load("arm_2r", symbolic=True)), 1, 1, decimals=1)[0]
        assert all(abs(10 * x - round(10 * x)) < 1e-30 for x in (*state.q, *state.qd, *state.parameters.values()))


@pytest.mark.slow
def test_an_impossible_system_is_refused(monkeypatch):
    monkeypatch.setattr(states, "_TRIES_WITH_LOOPS", 1)
    system = system_of(load("four_bar", symbolic=True))
    with mpmath.workdps(DIGITS), pytest.raises(NoState, match="In 1 random choices .* mechanism that is possible"):
        draw(system, 1, 1, lambda drawn: {**drawn, "a": mpmath.mpf(50)})


def test_an_altered_state_keeps_the_rest():
    with mpmath.workdps(DIGITS):
        state = state_of("pendulum")
        altered = Altered(state, qdd=3)
        assert altered.qdd == 3 and altered.q is state.q and state.qdd[0] != 3


def test_names_of_the_model():
    names = Names(load("four_bar", symbolic=True))
    assert {"q3", "qdd1", "lam5", "ground", "density", "t"} <= names.own
    assert "lam6" not in names.own
