"""Lagrange's equations and the equations of motion in symbols: two routes to one answer, on every joint and scalar. The
rows of MBT are in tests/sources/test_mbt*.py. Here: all joint types, symbols, those of the reader's own, speed, the
normal form, errors."""

import time
from functools import cache

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose
from sympy.physics.mechanics import dynamicsymbols

from rbdlib import Model, equations_of_motion, load, rnea
from rbdlib.book import ch04_joints as joint
from rbdlib.book.ch02_spatial import mcI, rotx, rotz, xlt
from rbdlib.book.ch05_inverse_dynamics import bias_force
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.symbolic import EquationsOfMotion, simplified
from rbdlib.numbers import scalars
from rbdlib.texts.mbt import lagrange, maximal
from tests.sources.ch05_systems import JOINT_SETS
from tests.sources.joints import Mechanism


@cache
def menagerie():
    """A random tree with every kind of joint, its model, and a state q, qd, qdd of it; and more random numbers."""
    rng, joints = np.random.default_rng(81), sum(JOINT_SETS.values(), [])
    model = Mechanism(rng, [joints[i] for i in rng.permutation(len(joints))]).model()
    return model, *model.random_state(rng), *rng.normal(size=(2, model.nv))


# The systems of the texts, with symbols for their dimensions

@cache
def derived(name):
    """The equations of a system in symbols, and the CPU seconds that they took."""
    model, start = load(name, symbolic=True), time.process_time()
    return equations_of_motion(model), time.process_time() - start


@pytest.mark.slow
@pytest.mark.parametrize("name", ["double_pendulum", "cart_pole", "furuta_pendulum", "spherical_pendulum"])
def test_two_routes_to_the_symbolic_equations_agree_to_forty_digits_and_in_time(name):
    """And they have the values of the recursive algorithm. SymPy's `simplify` would take far longer."""
    (equations, seconds), model = derived(name), load(name)
    assert seconds < 20
    assert equations.disagreement(lagrange.lagrangian_equations(load(name, symbolic=True)), digits=40) < 1e-36
    q, qd, qdd = np.random.default_rng(83).normal(size=(3, model.nv))
    H, C, gravity = equations.at(q, qd, model.parameters)
    assert_allclose(H @ qdd + C + gravity, rnea(model, q, qd, qdd), rtol=1e-11, atol=1e-11)
    assert_allclose(gravity, bias_force(model, q, 0 * qd), rtol=1e-11, atol=1e-11)


def test_equations_of_the_double_pendulum_are_those_of_the_textbooks():
    """Written down by hand: point masses, q2 relative to the first rod."""
    H, C, gravity = equations = derived("double_pendulum")[0]
    p = {str(symbol): symbol for symbol in H.free_symbols | gravity.free_symbols}
    m1, m2, l1, l2, g = (p[name] for name in ("m1", "m2", "l1", "l2", "g"))
    (q1, q2), (u1, u2) = equations.q, equations.qd
    coupling = m2 * l1 * l2 * sp.cos(q2)
    expected = sp.Matrix([[m1 * l1**2 + m2 * (l1**2 + l2**2) + 2 * coupling, m2 * l2**2 + coupling],
                          [m2 * l2**2 + coupling, m2 * l2**2]])
    assert sp.expand(H - expected) == sp.zeros(2)
    assert sp.expand(C - m2 * l1 * l2 * sp.sin(q2) * sp.Matrix([-2 * u1 * u2 - u2**2, u1**2])) == sp.zeros(2, 1)
    expected = g * sp.Matrix([(m1 + m2) * l1 * sp.sin(q1) + m2 * l2 * sp.sin(q1 + q2), m2 * l2 * sp.sin(q1 + q2)])
    assert sp.expand(gravity - expected) == sp.zeros(2, 1)
    assert str(H[0, 1]) == "l1*l2*m2*cos(q2) + l2**2*m2"
    assert str(C[1]) == "l1*l2*m2*qd1**2*sin(q2)"


# Every joint

def test_jacobians_their_rates_and_conversions_serve_every_joint():
    model, q, qd, qdd, _ = menagerie()
    tau = rnea(model, q, qd, qdd)
    M, C = lagrange.mass_matrix_and_coriolis(model, q, qd)
    size = np.abs(tau).max()
    assert_allclose(M @ qdd + C - lagrange.gravity_force(model, q), tau, atol=1e-11 * size)
    assert_allclose(lagrange.recursive_inverse_dynamics(model, q, qd, qdd).Q, tau, atol=1e-11 * size)
    assert_allclose(lagrange.forward_dynamics(model, q, qd, tau), qdd, atol=1e-9)

    (model, q, qd, *_), h = menagerie(), 1e-5
    J_dot = lagrange.link_jacobian_rates(model, q, qd)
    before, after = (lagrange.link_jacobians(model, model.integrate(q, qd, s)) for s in (-h, h))
    for k in model.bodies:
        size = max(1, np.abs(J_dot[k]).max())
        assert_allclose((after[k] - before[k]) / (2 * h), J_dot[k], atol=1e-7 * size, err_msg=str(model.joints[k]))

    model, q, qd, _, Q = menagerie()
    state = lagrange.cartesian_state(model, q, qd)
    V = np.concatenate([*state.v[1:], *state.w[1:]])
    assert_allclose(maximal.cartesian_velocity(model, q, qd), V, atol=1e-10)
    for recover in (maximal.generalized_velocity, maximal.generalized_velocity_by_joint):
        found, residual = recover(model, q, V)
        assert_allclose(found, qd, atol=1e-7)
        assert_allclose(residual, 0, atol=1e-7)
    f, tau = maximal.cartesian_forces(model, q, Q)
    back = maximal.generalized_force(model, q, dict(enumerate(f, 1)), dict(enumerate(tau, 1)))
    assert_allclose(back, Q, atol=1e-7)


def simple_model(*joints):
    """The joints carry a body each, one on the other; sizes are fractions, so that formulas stay exact."""
    half, third = sp.Rational(1, 2), sp.Rational(1, 3)
    inertia = [mcI(2, [half, 0, third], np.diag([1, 2, 2 + half])), mcI(1, [0, third, half], np.diag([half, half, 1]))]
    return Model(range(len(joints)), joints, [xlt([0, half, 0]), xlt([1, 0, third])][: len(joints)],
                 inertia[: len(joints)], gravity=(1, -2, -9))


@pytest.mark.parametrize("joints", [
    [joint.Revolute("x")], [joint.Prismatic("y")], [joint.Helical(sp.Rational(1, 3), "x")], [joint.Cylindrical("z")],
    [joint.Planar()], [joint.Planar("F_s")], [joint.Universal()],
    pytest.param([joint.Euler("zyx")], marks=pytest.mark.slow),
    pytest.param([joint.Reversed(joint.RackAndPinion(sp.Rational(2, 5))), joint.Revolute("y")],
                 marks=pytest.mark.slow)], ids=str)
def test_energy_alone_leads_to_the_equations_of_every_joint(joints):
    """The last is a body on a body."""
    model = simple_model(*joints)
    assert equations_of_motion(model).disagreement(lagrange.lagrangian_equations(model), trials=1) < 1e-36


@pytest.mark.slow
def test_energy_alone_leads_to_the_equations_of_joints_with_euler_parameters():
    """q' = N qd: Lagrange's equations are multiplied by Nᵀ; compared with the recursion at unit Euler parameters."""
    model = Model([0], [joint.Spherical()], [xlt([0, 1, 0])], [mcI(2, [1, 0, 0], np.diag([2, 3, 4]))],
                  gravity=(1, -2, -9))
    first, second = equations_of_motion(model), lagrange.lagrangian_equations(model)
    assert first.disagreement(second, trials=1) < 1e-36
    rng = np.random.default_rng(84)
    q, qd = model.random_state(rng)
    H, C, gravity = second.at(q, qd)
    qdd = rng.normal(size=model.nv)
    assert_allclose(H @ qdd + C + gravity, rnea(model, q, qd, qdd), atol=1e-11)


@pytest.mark.slow
def test_a_joint_that_moves_with_time_is_served_by_the_energies_and_refused_by_the_jacobians():
    driven = Custom(1, lambda q, t: xlt([q[0] + scalars.sin(2 * t), t * q[0], 0]), name="driven")
    model = Model([0, 1], [driven, joint.Revolute("z")], [np.eye(6), xlt([1, 0, 0])],
                  [mcI(1, [0, 0, 0], np.eye(3)), mcI(2, [1, 0, 0], np.eye(3))], gravity=(0, -9, 0))
    first, second = equations_of_motion(model), lagrange.lagrangian_equations(model)
    assert first.t in second.C.free_symbols
    assert first.disagreement(second, trials=1) < 1e-36
    (q, qd, qdd), t = np.random.default_rng(85).normal(size=(3, 2)), 0.7
    H, C, gravity = second.at(q, qd, t=t)
    assert_allclose(H @ qdd + C + gravity, rnea(model, q, qd, qdd, t=t), atol=1e-11)
    Q = lagrange.recursive_inverse_dynamics(model, q, qd, qdd, t).Q
    assert_allclose(Q, rnea(model, q, qd, qdd, t=t), atol=1e-11)
    with pytest.raises(ValueError, match="Joint 1 .driven. moves by itself with time"):
        lagrange.mass_matrix_and_coriolis(model, q, qd)


# What EquationsOfMotion offers

def test_disagreement_sees_a_wrong_sign_and_a_missing_term():
    equations, _ = derived("cart_pole")
    H, C, gravity = equations
    for changed in ((H, -C, gravity), (H, C, 0 * gravity), (H + sp.eye(2) / 10**12, C, gravity)):
        for model in (equations.model, None):
            mine, other = (EquationsOfMotion(*these, equations.q, equations.qd, equations.t, model)
                           for these in (equations, changed))
            assert mine.disagreement(other) > 1e-14 and mine.disagreement(equations) == 0


def test_equations_can_be_unpacked_evaluated_and_asked_for_forces():
    equations = equations_of_motion(load("pendulum", symbolic=True))
    H, C, gravity = equations
    assert [str(symbol) for symbol in equations.parameters] == ["g", "l", "m"]
    assert (str(H[0]), C[0], str(gravity[0])) == ("l**2*m/3", 0, "g*l*m*sin(q1)/2")
    assert equations.bias == C + gravity
    (qdd,) = sp.symbols("qdd1:2")
    assert sp.expand(equations.tau([qdd])[0] - H[0] * qdd - gravity[0]) == 0
    values = {"m": 1.2, "l": 0.8, "g": 9.81}
    H, C, gravity = equations.at([0.3], [1.0], values)
    assert_allclose([H[0, 0], gravity[0]], [0.256, 1.2 * 9.81 * 0.4 * np.sin(0.3)])
    with mpmath.workdps(30):
        precise = equations.at([mpmath.mpf("0.3")], [1], values, digits=30)[2][0]
        assert abs(precise - mpmath.mpf(1.2) * mpmath.mpf(9.81) * mpmath.mpf(0.8) / 2 * mpmath.sin("0.3")) < 1e-25
    with pytest.raises(ValueError, match="parameters lacks g, l"):
        equations.at([0.3], [1.0], {"m": 1})


def test_numbers_give_formulas_with_numbers_rounding_leaves_no_terms_and_functions_are_parameters():
    H, C, gravity = equations_of_motion(load("double_pendulum"))
    assert [str(x) for x in H] == ["2*cos(q2) + 3", "cos(q2) + 1", "cos(q2) + 1", "1"]
    assert str(gravity[1]) == "9.81*sin(q1 + q2)"
    # cos(pi/2) is 6e-17 in floats; the formulas of a turned double pendulum are those of the plain one.
    places = [rotx(np.pi / 2), xlt([0, -1, 0])]
    turned = load("double_pendulum").replace(X_tree=places, gravity=(0, 0, -9.81))
    assert all(len(entry.free_symbols) <= 4 and len(sp.Add.make_args(entry)) <= 3
               for matrix in equations_of_motion(turned) for entry in matrix)

    m = sp.Function("m")(sp.Symbol("x"))
    equations = equations_of_motion(
        Model([0], [joint.Prismatic("x")], [np.eye(6)], [mcI(m, [0, 0, 0], np.zeros((3, 3)))]))
    assert equations.parameters == (m,)
    assert equations.at([0], [0], {m: 3})[0] == [[3]]


# Symbols of the reader's own

@pytest.mark.parametrize(("t", "rates_are_derivatives"),
                         [(dynamicsymbols._t, True), (sp.Symbol("t", real=True), False)],
                         ids=["dynamicsymbols and derivatives", "real time and functions"])
def test_functions_of_time_may_be_used_for_the_state(t, rates_are_derivatives):
    q = [sp.Function(name)(t) for name in ("q1", "q2")]
    qd = [x.diff(t) for x in q] if rates_are_derivatives else [sp.Function(name)(t) for name in ("u1", "u2")]
    model = load("cart_pole", symbolic=True)
    equations = equations_of_motion(model, q, qd)
    assert [str(symbol) for symbol in equations.parameters] == ["g", "l", "m_cart", "m_pole"]
    assert equations.C.has(qd[1]) and equations.gravity.has(sp.sin(q[1]))
    numbers = load("cart_pole")
    H, C, gravity = equations.at([0.3, -0.4], [1.5, 2.0], numbers.parameters)
    assert_allclose(H @ [0.7, -1] + C + gravity, rnea(numbers, [0.3, -0.4], [1.5, 2.0], [0.7, -1]), rtol=1e-13)
    if rates_are_derivatives:
        assert equations.disagreement(lagrange.lagrangian_equations(model, q, qd)) < 1e-36


def test_rounded_parameters_limit_the_agreement_of_derivations():
    """As the docstring of disagreement says: about 1e-15 with floats, as many digits as are asked for without."""
    model = load("cart_pole", symbolic=True)
    values = {"m_cart": 1.1, "m_pole": 0.7, "l": 0.9, "g": 9.81}

    def disagreement(number):
        def put_in(array):
            return np.array([sp.sympify(x).subs({s: number(values[str(s)]) for s in sp.sympify(x).free_symbols})
                             for x in np.ravel(array).tolist()]).reshape(np.shape(array))

        special = model.replace(X_tree=[put_in(X) for X in model.X_tree[1:]], gravity=put_in(model.gravity),
                                inertia=[put_in(I) for I in model.inertia[1:]])
        return equations_of_motion(special).disagreement(lagrange.lagrangian_equations(special))

    assert 1e-20 < disagreement(sp.Float) < 1e-13
    assert disagreement(lambda x: sp.Rational(str(x))) < 1e-36


# The normal form

@pytest.mark.slow
def test_the_normal_form_of_a_zero_is_zero_and_random_formulas_keep_their_value():
    a, b, m = sp.symbols("a b m", real=True)
    zeros = [sp.sin(a) ** 2 + sp.cos(a) ** 2 - 1, sp.sin(a + b) - sp.sin(a) * sp.cos(b) - sp.cos(a) * sp.sin(b),
             m * sp.cos(a) ** 4 - m * (3 + 4 * sp.cos(2 * a) + sp.cos(4 * a)) / 8,
             (a + b) ** 2 - a**2 - 2 * a * b - b**2, sp.Integer(0), 0.1 + 0.2 - sp.Float(0.3) * sp.cos(0)]
    assert [simplified(zero) for zero in zeros[:5]] == [0] * 5
    assert abs(simplified(zeros[5])) < 1e-15
    assert sp.expand(simplified(1.1 * a + 1e-9 * b)).coeff(b) == pytest.approx(1e-9), "small is not zero"
    assert not simplified(1.1 * a + 1e-16 * b).has(b), "as small as rounding is"

    rng = np.random.default_rng(81)
    a, b, c, x = sp.symbols("a b c x", real=True)
    pieces = [sp.sin(a), sp.cos(a), sp.sin(b), sp.cos(b), sp.cos(a + 2 * b), sp.sin(c / 2), x, sp.sqrt(x + 2), sp.pi]
    for _ in range(4):
        formula = sum(int(rng.integers(1, 4)) * sp.Mul(*rng.choice(pieces, 3)) for _ in range(3)) ** 2
        values = {symbol: sp.Float(float(rng.uniform(0.1, 1)), 40) for symbol in (a, b, c, x)}
        assert abs((simplified(formula) - formula).evalf(40, subs=values)) < 1e-30


def test_the_normal_form_knows_unit_vectors_and_long_formulas_are_not_compared(monkeypatch):
    a, b, x, m, *p = sp.symbols("a b x m p0:4", real=True)
    assert simplified(sp.sin(a) ** 2 + 1) == 2 - sp.cos(a) ** 2, "of two as short the first in the alphabet"
    assert simplified(sum(x**2 for x in p), [p]) == 1
    assert simplified(sum(x**2 for x in p)) != 1
    assert not simplified(m * p[0] ** 2 + p[1], [p]).has(p[0])
    for unit in (p, p[::-1]):
        assert not simplified(p[0] ** 2 + 3 * p[3] ** 2, [unit]).has(unit[0]), "the first is had from the others"
    assert simplified(p[0] ** 3 + p[0] * (p[1] ** 2 + p[2] ** 2 + p[3] ** 2), [p]) == p[0]

    for limit, most, formula, expected in (("COMPARE", 1, 2 * x * sp.sin(a) * sp.cos(a), x * sp.sin(2 * a)),
                                           ("FACTOR", 3, a**2 + 2 * a * b + b**2, (a + b) ** 2)):
        for less in (0, 1):
            monkeypatch.setattr(f"rbdlib.methods.symbolic.LONGEST_TO_{limit}", most - less)
            assert simplified(formula) == (formula if less else expected)


@pytest.mark.parametrize(("formula", "expected"), [
    ("sin(a)*cos(b) + cos(a)*sin(b)", "sin(a + b)"), ("cos(a)*cos(a + b) + sin(a)*sin(a + b)", "cos(b)"),
    ("m*sin(a)**2 + m*cos(a)**2", "m"), ("2*x*sin(a)*cos(a)", "x*sin(2*a)"), ("(x + y)**2 - 4*x*y", "(x - y)**2"),
    ("0.5*x + 0.25*x", "3*x/4"), ("sqrt(m)*sin(a)**2/k + sqrt(m)*cos(a)**2/k", "sqrt(m)/k")])
def test_formulas_in_short_form(formula, expected):
    names = {name: sp.Symbol(name, real=True) for name in "abxykm"}
    assert sp.expand(simplified(sp.sympify(formula, names)) - sp.sympify(expected, names)) == 0
    assert sp.count_ops(simplified(sp.sympify(formula, names))) <= sp.count_ops(sp.sympify(expected, names))


# Particles and mass matrices in symbols; other kinds of numbers

def test_particles_on_a_circle_give_a_pendulum_and_bodies_without_mass_are_allowed():
    m, l, g = sp.symbols("m l g", positive=True)
    def position(q):
        return [[l * scalars.sin(q[0]), -l * scalars.cos(q[0]), 0]]

    equations = lagrange.particle_equations(position, [m], 1, (0, -g, 0))
    (q1,) = equations.q
    assert equations.t == sp.Symbol("t", real=True)
    assert [x[0] for x in equations] == [m * l**2, 0, m * g * l * sp.sin(q1)]
    with pytest.raises(ValueError, match="r returns 1 positions, but there are 2 masses"):
        lagrange.particle_equations(lambda q: [[q[0], 0, 0]], [m, m], 1)

    model = load("particle")
    (q, qd, qdd) = np.random.default_rng(86).normal(size=(3, 2))
    tau = rnea(model, q, qd, qdd)
    M, C = lagrange.mass_matrix_and_coriolis(model, q, qd)
    assert_allclose(M @ qdd + C - lagrange.gravity_force(model, q), tau, atol=1e-12)
    assert_allclose(lagrange.recursive_inverse_dynamics(model, q, qd, qdd).Q, tau, atol=1e-12)
    H, C, gravity = lagrange.lagrangian_equations(load("particle", symbolic=True)).at(q, qd, {"m": 2.0, "g": 9.8})
    assert_allclose(H @ qdd + C + gravity, tau, atol=1e-12)


def test_jacobian_equations_run_on_symbols_and_on_many_digits():
    model, (equations, _) = load("double_pendulum", symbolic=True), derived("double_pendulum")
    M, C = lagrange.mass_matrix_and_coriolis(model, equations.q, equations.qd)
    assert simplified(sp.Matrix(M.tolist()) - equations.H) == sp.zeros(2)
    assert simplified(sp.Matrix(C.tolist()) - equations.C) == sp.zeros(2, 1)
    Q = lagrange.recursive_inverse_dynamics(model, equations.q, equations.qd, [0, 0]).Q
    assert simplified(sp.Matrix(Q.tolist()) - equations.bias) == sp.zeros(2, 1)
    numerical = load("double_pendulum")
    with mpmath.workdps(30):
        q, qd, qdd = ([mpmath.mpf(x) / 7 for x in row] for row in ((1, 2), (3, -1), (2, 5)))
        tau = rnea(numerical, q, qd, qdd)
        M, C = lagrange.mass_matrix_and_coriolis(numerical, q, qd)
        for ours in (lagrange.recursive_inverse_dynamics(numerical, q, qd, qdd).Q,
                     M @ qdd + C - lagrange.gravity_force(numerical, q)):
            assert max(abs(a - b) for a, b in zip(ours, tau, strict=True)) < 1e-28


@pytest.mark.parametrize("bodies", [0, 1])
def test_a_model_without_freedom_has_empty_equations(bodies):
    model = Model([0] * bodies, [joint.Fixed()] * bodies, [np.eye(6)] * bodies, [mcI(1, [0, 0, 0], np.eye(3))] * bodies)
    for equations in (equations_of_motion(model), lagrange.lagrangian_equations(model)):
        assert [part.shape for part in equations] == [(0, 0), (0, 1), (0, 1)]
    assert equations_of_motion(model).disagreement(lagrange.lagrangian_equations(model)) == 0
    assert lagrange.recursive_inverse_dynamics(model, [], [], []).Q.shape == (0,)
    assert lagrange.mass_matrix_and_coriolis(model, [], [])[0].shape == (0, 0)


# Errors

#: It moves with time, but has neither velocity nor acceleration at t = 0.
LATE = Custom(1, lambda q, t: rotz(q[0]) @ xlt([t * t * t, 0, 0]), name="late")


@pytest.mark.parametrize(("call", "complaint"), [
    (lambda model: lagrange.link_jacobians(model, [0.1]), "q has shape"),
    (lambda model: equations_of_motion(model, sp.symbols("a b c"), sp.symbols("u v")), "q has shape"),
    (lambda model: lagrange.mass_matrix_and_coriolis(model, [0.1, np.nan], [0, 0]), "q contains nan"),
    (lambda model: lagrange.cartesian_state(model.replace(joints=[joint.Revolute(), LATE]), [0, 0]), "2 .late. moves"),
    (lambda model: maximal.generalized_force(model, [0, 0], f={3: [0, 0, 1]}), "f names body 3; .* bodies 1 to 2"),
    (lambda model: maximal.generalized_force(model, [0, 0], f={1: [0, 1]}), r"f\[1\] has shape"),
    (lambda model: maximal.stacked_jacobians(model, [0, 0], {0: [0, 0, 0]}), "points names body 0"),
    (lambda model: maximal.generalized_velocity(model, [0, 0], np.zeros(6)), "V has shape"),
    (lambda model: equations_of_motion(model.replace(gravity=(sp.Symbol("q1"), 0, 0))), "parameter named q1"),
    (lambda model: lagrange.exponential_map([1, 2]), "q has shape"),
    (lambda model: lagrange.euler_angle_jacobian([1, 2, 3], "xxy"), "sequence is 'xxy'")])
def test_wrong_arguments_are_refused_by_name(call, complaint):
    with pytest.raises(ValueError, match=complaint):
        call(load("double_pendulum"))


@pytest.mark.parametrize("derive", [equations_of_motion, lagrange.lagrangian_equations])
@pytest.mark.parametrize("model", ["x", None, Model])
def test_what_is_not_a_model_is_refused(derive, model):
    with pytest.raises(TypeError, match="model is .*; give a Model"):
        derive(model)
