"""Closing loops, projecting drifted states, independent coordinates, actuators, the sparse method: every joint, other
scalars, mistakes. What the book says about them is tested in tests/sources/test_rbda_ch08_coordinates.py."""

import mpmath
import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import null_space

from rbdlib import Model, compile_for, load, rnea
from rbdlib.analysis.counting import count_operations
from rbdlib.book.ch02_spatial import inverse_transform, mcI, rotx, rotz, xlt
from rbdlib.book.ch04_joints import Euler, Fixed, FreeMotion, Helical, Planar, Prismatic, Reversed, Revolute, Spherical
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.book.ch08_closed_loops import loop_constraints
from rbdlib.loops.closing import LoopsNotClosed, _approach, _slopes, close_loops, downhill, loop_errors, project
from rbdlib.loops.coordinates import actuation, atan2, by_closure_function, by_solving, inverse_dynamics, solve_closure
from rbdlib.loops.dynamics import by_loop_constraints
from rbdlib.loops.sparse_method import by_sparse_equation as sparse_dynamics
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.whole_system import multibody_system
from rbdlib.numbers.dual import jacobian
from rbdlib.numbers.scalars import cos, sin, sqrt
from tests.loops.test_sparse_method import loaded_cranks
from tests.sources.ch03_systems import parallelogram, random_loop
from tests.sources.helpers import slope

#: Loop joints of one to five constraints; all others are in test_dynamics.py.
SEVERAL = [Revolute((1, 2, 3)), Fixed(), Euler("zyx"), Helical(0.3), Reversed(Planar()), FreeMotion()]


def gaps(model, q, t=0.0):
    """How far the loop joints are open, as chapter 3's assembly finds it."""
    joints = multibody_system(model, q, np.zeros(model.nv), t=t).joints
    return np.array([joint.gap for joint in joints[model.N_B + 1 :]])


def four_bar(b=0.45, c=0.35):
    """Hinges at (0, 0) and (0.4, 0), a crank of 0.15, a coupler of length b, a rocker of length c."""
    return load("four_bar").replace(loops=[LoopJoint(2, 3, Revolute(), xlt([b, 0, 0]), xlt([c, 0, 0]))])


def hinge_distance(q, b=0.45, c=0.35):
    """How far apart the ends of coupler and rocker are, by plane geometry."""
    crank, coupler, rocker = np.exp(1j * np.array([q[0], q[0] + q[1], q[2]]))
    return abs(0.15 * crank + b * coupler - 0.4 - c * rocker)


@pytest.mark.parametrize("joint", SEVERAL, ids=str)
def test_loops_of_every_joint_are_closed_from_a_guess(joint):
    rng = np.random.default_rng(3)
    model, q, _ = random_loop(rng, joint)
    guess = model.integrate(q, rng.normal(size=model.nv) / 2, 1.0)
    kept = guess.copy()
    found = close_loops(model, guess)
    assert gaps(model, found).max(initial=0) < 1e-10
    assert_array_equal(guess, kept)
    assert_array_equal(found, close_loops(model, guess))
    assert_allclose(found, model.normalise(found), atol=1e-15)
    assert joint.nv == 6 or gaps(model, guess).max() > 1e-3


def test_a_four_bar_is_assembled_either_way_and_the_crank_stays_where_it_is():
    """Also one whose bars only just reach; and what its actuators can do is said in a sentence."""
    model = four_bar()
    up, down = (close_loops(model, [0.7, *guess], independent=[0]) for guess in ([0, 1], [-1.5, -1]))
    assert up[0] == down[0] == 0.7
    assert hinge_distance(up) < 1e-10 and hinge_distance(down) < 1e-10
    assert up[2] > 1 and down[2] < -1
    assert_allclose(close_loops(model, up), up, atol=1e-14)
    for guess in np.random.default_rng(0).uniform(-np.pi, np.pi, (4, 3)):
        assert hinge_distance(close_loops(model, guess)) < 1e-10, guess
    q = close_loops(four_bar(0.15, 0.1), [0.2, -0.3, 2.5], tolerance=1e-9)
    assert hinge_distance(q, 0.15, 0.1) < 1e-9
    assert_allclose(np.cos([q[0], q[0] + q[1], q[2]]), [1, 1, -1], atol=1e-6)
    assert str(actuation(model, up, [0])) == "properly actuated: 1 actuator controls 1 of 1 freedom"
    assert str(actuation(model, up)) == "redundantly actuated: 3 actuators control 1 of 1 freedom"
    assert str(actuation(model, up, [])) == "underactuated: 0 actuators control 0 of 1 freedom"
    assert actuation(model, up, 0).proper


@pytest.mark.slow
def test_a_mechanism_that_cannot_be_assembled_says_how_near_it_came():
    """Its bars are too short, or a variable is held; at a hinge upside down the error of Table 8.1 is zero."""
    with pytest.raises(LoopsNotClosed, match=r"loop joint 4 \(revolute z\) is open by 0.18 m") as caught:
        close_loops(four_bar(0.05, 0.02), [0.3, 0, 0])
    assert caught.value.gap == pytest.approx(0.4 - 0.15 - 0.05 - 0.02, abs=1e-6)
    assert hinge_distance(caught.value.q, 0.05, 0.02) == pytest.approx(caught.value.gap, abs=1e-6)
    with pytest.raises(LoopsNotClosed, match=r"let other variables change than all but \[0, 2\]"):
        close_loops(four_bar(), [0.7, 0, 3.0], independent=[0, 2])
    model = on_one_joint(Revolute(), LoopJoint(0, 1, Revolute(), np.eye(6), rotx(np.pi)))
    assert np.abs(loop_errors(model, [0.3], [0])[0]).max() < 1e-10
    with pytest.raises(LoopsNotClosed, match="No configuration"):
        close_loops(model, [0.3])


def on_one_joint(joint, loop):
    """One bar, tied to the base by its joint and by a loop joint."""
    return Model([0], [joint], [np.eye(6)], [mcI(1, [0.5, 0, 0], 0.1 * np.eye(3))], loops=[loop])


def test_how_far_a_loop_is_open_is_a_distance_and_an_angle_whatever_the_axes_of_its_frame():
    """Three links of 1 m that should reach 5 m, the last loop frame being turned by 45 degrees; a slide along x that
    should reach the point (3, 3, 4); and a weld to a bar that has turned."""
    bar, turn = mcI(1, [0.5, 0, 0], 0.1 * np.eye(3)), rotz(np.pi / 4)
    model = Model([0, 1, 2], [Revolute()] * 3, [np.eye(6), xlt([1, 0, 0]), xlt([1, 0, 0])], [bar] * 3,
                  loops=[LoopJoint(0, 3, Revolute(), turn @ xlt([5, 0, 0]), turn @ xlt([1, 0, 0]))])
    last = multibody_system(model, np.zeros(3), [1.0, 0.1, 0]).joints[-1]
    assert_allclose([last.gap, last.slip], [2, 3.2], rtol=1e-12)
    with pytest.raises(LoopsNotClosed, match=r"open by 5 m and 0 rad") as caught:
        close_loops(on_one_joint(Prismatic("x"), LoopJoint(0, 1, Spherical(), xlt([3, 3, 4]), np.eye(6))), [0.0])
    assert caught.value.gap == pytest.approx(5) and caught.value.q == pytest.approx([3])
    welded = on_one_joint(Revolute((1, 2, 2)), LoopJoint(0, 1, Fixed(), np.eye(6), np.eye(6)))
    for angle in (1e-9, 0.3, 3.0):
        assert_allclose(gaps(welded, [angle]), angle, rtol=1e-7)


def test_a_loop_joint_that_depends_on_time_carries_the_mechanism_along():
    """The last hinge of a four-bar is carried to and fro: with the crank at rest q still moves; its rates are the
    derivatives of the closed configurations."""
    joint, t = Custom(1, lambda q, t: rotz(q[0]) @ xlt([0.05 * sin(2 * t), 0, 0]), name="carried hinge"), 0.3
    model = load("four_bar").replace(loops=[LoopJoint(2, 3, joint, xlt([0.45, 0, 0]), xlt([0.35, 0, 0]))])
    start = close_loops(model, [0.7, 0, 1.3], independent=[0], t=t)
    found = by_solving(model, [0], [0.8], [0.5], start, t)
    assert gaps(model, found.q, t).max() < 1e-10

    def at(s):
        return by_solving(model, [0], [0.8 + 0.5 * s], [0.5], found.q, t + s)

    assert_allclose(found.qd, slope(lambda s: at(s).q), atol=1e-8)
    assert_allclose(found.g, slope(lambda s: at(s).qd), atol=1e-7)
    assert np.abs(found.qd - found.G @ [0.5]).max() > 1e-3
    q, qd = project(model, found.q + 1e-3, found.qd + 1e-2, t)
    assert np.abs(loop_errors(model, q, qd, t)).max() < 1e-12


@pytest.mark.parametrize("joint", [*SEVERAL, None], ids=str)
def test_a_drifted_state_is_brought_back_with_the_least_energy(joint):
    """Loops are closed by a correction of qd that is the least in H; also where constraints repeat one another, in the
    parallelogram. What projection made it leaves alone."""
    rng, model, q, drifted = np.random.default_rng(4), parallelogram(), [0.8 + 1e-3, -0.8, 0.8 - 2e-3], [1.0, -0.9, 1.1]
    if joint:
        model, q, qd = random_loop(rng, joint)
        q, drifted = model.integrate(q, 1e-3 * rng.normal(size=model.nv), 1.0), qd + 0.1 * rng.normal(size=model.nv)
    q_new, qd_new = project(model, q, drifted)
    delta, slip = loop_errors(model, q_new, qd_new)
    assert np.abs(delta).max(initial=0) < 1e-12 and np.abs(slip).max(initial=0) < 1e-12
    assert gaps(model, q_new).max(initial=0) < 1e-11
    H, free = crba(model, q_new), null_space(loop_constraints(model, q_new, qd_new)[0], rcond=1e-9)
    assert_allclose(free.T @ H @ (qd_new - drifted), 0, atol=1e-10)
    for again, once in zip(project(model, q_new, qd_new), (q_new, qd_new), strict=True):
        assert_allclose(again, once, atol=1e-11)
    tree = load("double_pendulum")
    assert_array_equal(close_loops(tree, [0.3, 0.4]), [0.3, 0.4])
    assert_array_equal(np.concatenate(project(tree, [0.3, 0.4], [1.0, 2])), [0.3, 0.4, 1, 2])


def test_closure_functions_may_give_euler_parameters():
    """A ball joint that is turned by two angles: its velocity variables come from the rates of its Euler parameters."""
    model = Model([0, 1], [Spherical(), Revolute("x")], [np.eye(6), xlt([1, 0, 0])], [mcI(1, [1, 2, 3], np.eye(3))] * 2)

    def gamma(y):
        a, b = y[0] / 2, y[1] / 2
        return [cos(a) * cos(b), sin(a) * cos(b), cos(a) * sin(b), sin(a) * sin(b), y[0] * y[1]]

    def at(t):
        return by_closure_function(model, gamma, y + t * yd, yd)

    y, yd = np.array([0.4, -1.1]), np.array([0.7, 2.0])
    q, qd, G, g = at(0)
    X_rate = slope(lambda t: body_transforms(model, at(t).q)[1])
    W = -X_rate @ np.linalg.inv(body_transforms(model, q)[1])   # the rate of X is -v × X
    assert_allclose(qd[:3], [W[2, 1], W[0, 2], W[1, 0]], atol=1e-9)
    assert_allclose(qd, G @ yd, atol=1e-15)
    assert_allclose(g, slope(lambda t: at(t).qd), atol=1e-9)


def test_a_branch_is_followed_around_and_ends_where_the_rocker_turns_back():
    model = four_bar()
    q = start = close_loops(model, [0.7, 0, 1.3], independent=[0])
    for y in 0.7 + np.pi, 0.7 + 2 * np.pi:
        q = solve_closure(model, [0], [y], q)
        assert hinge_distance(q) < 1e-10
    assert_allclose(q, start + np.array([2 * np.pi, -2 * np.pi, 0]), atol=1e-9)
    with pytest.raises(LoopsNotClosed, match="cannot be closed at y = .* on this branch"):
        solve_closure(model, [2], [0.2], start)


def test_slopes_are_those_of_the_misses_whatever_variable_changes():
    model, h = loaded_cranks(3), 1e-6
    at = downhill(model, np.array([0.8, -0.8, 0.8, 0.8]), [], 1e-11, 0.0)
    J = _slopes(model, at, 0.0)
    for k, e in enumerate(h * np.eye(6)):
        ends = [_approach(model, at.q + x[:4], np.split(np.ravel(at.q_loops) + x[4:], 2), 0.0, at.units).misses
                for x in (-e, e)]
        assert_allclose(J[:, k], np.ravel(ends[1] - ends[0]) / (2 * h), atol=1e-7)


def test_the_order_of_the_independent_variables_is_the_users():
    model, yd = load("figure_8_3"), np.array([0.7, -1.2])
    start = close_loops(model, model.neutral())
    y = start[[3, 0]]
    one, other = by_solving(model, [3, 0], y, yd, start), by_solving(model, [0, 3], y[::-1], yd[::-1], start)
    assert_allclose([one.qd, one.g, *one.G.T], [other.qd, other.g, *other.G.T[::-1]], atol=1e-12)
    assert_allclose(one.qd[[3, 0]], yd, atol=1e-15)
    assert actuation(model, start, [0, 3]).rank == 2


@pytest.mark.parametrize("joint", SEVERAL, ids=str)
def test_the_forces_give_the_accelerations_whatever_closes_the_loop(joint):
    rng = np.random.default_rng(5)
    model, q, qd = random_loop(rng, joint)
    f_ext, tau_loop = {2: rng.normal(size=6)}, {model.N_J: rng.normal(size=joint.nv)}
    qdd, _ = by_loop_constraints(model, q, qd, rng.normal(size=model.nv), f_ext, tau_loop=tau_loop)
    tau = inverse_dynamics(model, q, qd, qdd, None, f_ext, tau_loop=tau_loop)
    found, _ = by_loop_constraints(model, q, qd, tau, f_ext, tau_loop=tau_loop)
    assert_allclose(found, qdd, atol=1e-9 * np.abs(qdd).max())
    K = loop_constraints(model, q, qd)[0]
    assert_allclose(K @ tau, 0, atol=1e-9 * np.abs(tau).max())                      # the shortest: nothing for the loop


def test_accelerations_that_break_the_loop_are_refused_however_small():
    model, q = parallelogram(), 0.8 * np.array([1, -1, 1])
    for size in (1.0, 1e-7):
        with pytest.raises(ValueError, match="qdd breaks the loop constraints"):
            inverse_dynamics(model, q, np.zeros(3), [size, 0, 0])
    inverse_dynamics(model, q, np.zeros(3), 1e-16 * np.array([1, -1.1, 1]))       # that is rounding


@pytest.mark.filterwarnings("ignore:Joint .* H is singular")
def test_the_sparse_method_needs_no_mass_where_the_loop_holds_a_body():
    """The last hinge moved into the tree, to a body without mass that is welded to the rocker: H alone is singular."""
    model = four_bar()
    q, qd = project(model, close_loops(model, [0.7, 0, 1.3]), [2.0, 0, 0])
    tipped = Model([0, 1, 0, 2], [Revolute()] * 4, [*model.X_tree[1:], xlt([0.45, 0, 0])],
                   [*model.inertia[1:], np.zeros((6, 6))], model.gravity,
                   loops=[LoopJoint(3, 4, Fixed(), xlt([0.35, 0, 0]), np.eye(6))])

    def with_tip(x):
        return np.array([*x, x[2] - x[0] - x[1]])

    expected = with_tip(by_loop_constraints(model, q, qd, [1.0, 0, 0])[0])
    found = sparse_dynamics(tipped, with_tip(q), with_tip(qd), [1.0, 0, 0, 0]).qdd
    assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())


def on_mpmath(*arrays):
    return (np.array([mpmath.mpf(float(x)) for x in array]) for array in arrays)


def test_the_sparse_method_and_inverse_dynamics_run_on_other_scalars():
    """In a loop in space whose constraints are independent, and in the four-bar."""
    rng, bar = np.random.default_rng(8), four_bar()
    model, *state = random_loop(rng, Revolute("z"))
    q, qd = project(bar, close_loops(bar, [0.7, 0, 1.3]), [2.0, 0, 0])
    moving = q, qd, by_loop_constraints(bar, q, qd, [1.0, 2, 3])[0]
    for function, given in ((lambda *x: sparse_dynamics(model, *x).qdd, (*state, rng.normal(size=model.nv))),
                            (lambda *x: inverse_dynamics(bar, *x, [2]), moving)):
        expected = function(*given)
        assert_allclose(function(*on_mpmath(*given)).astype(float), expected, atol=1e-9)
        operations, counted = count_operations(function, *given)
        assert_allclose(counted, expected, atol=1e-9)
        assert operations["m"] > 100
    digits = ([sympy.Float(float(x), 30) for x in array] for array in moving)
    assert_allclose(inverse_dynamics(bar, *digits, [2]).astype(float), expected, atol=1e-9)


def slider(l=0.3):
    """A crank of length r on a slide: q = (crank, rod, piston) with the rod of length l held by a closure function."""
    r = 0.1
    model = Model([0, 1, 0], [Revolute(), Revolute(), Prismatic("x")], [np.eye(6), xlt([r, 0, 0]), np.eye(6)],
                  [mcI(1, [0.05, 0, 0], np.eye(3) / 100)] * 3, gravity=(0, -9.81, 0),
                  loops=[LoopJoint(2, 3, Revolute(), xlt([l, 0, 0]), np.eye(6))])

    def gamma(y):
        height = r * sin(y[0])
        reach = sqrt(l * l - height * height)
        return [y[0], -y[0] - atan2(height, reach), r * cos(y[0]) + reach]

    return model, gamma


def test_a_closure_function_runs_on_symbols_and_other_scalars():
    model, gamma = slider(sympy.Rational(3, 10))
    y, yd = sympy.symbols("y yd")
    exact, values = by_closure_function(model, gamma, [y], [yd]), {y: 0.7, yd: 1.5}
    model, gamma = slider()
    expected = by_closure_function(model, gamma, [0.7], [1.5])
    for symbolic, number in zip(exact, expected, strict=True):
        found = [float(sympy.sympify(x).subs(values)) for x in np.ravel(symbolic)]
        assert_allclose(found, np.ravel(number), atol=1e-12)
    precise = by_closure_function(model, gamma, *on_mpmath([0.7], [1.5]))
    assert_allclose(precise.g.astype(float), expected.g, atol=1e-12)


@pytest.mark.parametrize(("y", "x"), [(1.0, 2.0), (1.0, -2.0), (-1.0, -2.0), (-3.0, 0.5), (0.0, -1.0)])
def test_the_arctangent_knows_four_quadrants_and_its_derivative(y, x):
    for kind in (float, mpmath.mpf, sympy.Float):
        assert float(atan2(kind(y), kind(x))) == pytest.approx(np.arctan2(y, x), abs=1e-15)
    found = jacobian(lambda z: atan2(z[0], z[1]), [y, x])
    assert_allclose(found, np.array([x, -y]) / (x * x + y * y), atol=1e-9)


# Mistakes

@pytest.mark.parametrize(("call", "message"), [
    (lambda m: close_loops(m, [0.1, 0.2]), r"q_guess has shape \(2,\)"),
    (lambda m: close_loops(m, [0.1, 0.2, np.nan]), "q_guess contains nan"),
    (lambda m: close_loops(m, list(sympy.symbols("a b c"))), "q_guess contains symbols; loops are closed"),
    (lambda m: close_loops(m, np.zeros(3), tolerance=0), "tolerance is 0; give a number above 0"),
    (lambda m: close_loops(m, np.zeros(3), tolerance=2.0), "tolerance is 2.0; give a number above 0"),
    (lambda m: close_loops(m, np.zeros(3), tolerance=float("nan")), "tolerance contains nan"),
    (lambda m: close_loops(m, np.zeros(3), tolerance=True), "tolerance is True"),
    (lambda m: project(m, list(sympy.symbols("a b c")), np.zeros(3)), "symbols; it is projected for numbers only"),
    (lambda m: solve_closure(m, [0], [sympy.Symbol("y")], np.zeros(3)), "y contains symbols"),
    (lambda m: solve_closure(m, [0], [0.1], list(sympy.symbols("a b c"))), "q_start contains symbols"),
    (lambda m: by_closure_function(m, lambda y: [y[0], 0, 0], 0.3, [1]), r"y has shape \(\); give a list"),
    (lambda m: close_loops(m, np.zeros(3), independent=[5]), "independent is .* whole numbers 0 to 2"),
    (lambda m: solve_closure(m, [0], [0.1, 0.2], np.zeros(3)), r"y has shape \(2,\)"),
    (lambda m: by_solving(m, [0], [0.7], [1.0, 2], close_loops(m, [0.7, 0, 1.3])), r"yd has shape \(2,\)"),
    (lambda m: by_solving(m, [], [], [], close_loops(m, [0.7, 0, 1.3])), "independent names 0 variables"),
    (lambda m: sparse_dynamics(m, *np.zeros((3, 3)), tau_loop={2: [1.0]}), "tau_loop names joint 2; the loop"),
    (lambda m: sparse_dynamics(m, *np.zeros((3, 3)), T_stab=0), "T_stab is 0; give a time constant"),
    (lambda m: by_closure_function(m, "x", [0.3], [1.0]), "gamma is 'x'; give a function"),
    (lambda m: by_closure_function(m, lambda y: [y[0], 0 * y[0], y[0]], [0.3], [1.0]), r"gamma\(y\) leaves a loop"),
    (lambda m: by_closure_function(m, lambda y: [y[0], y[0]], [0.3], [1.0]), r"gamma\(y\) has shape \(2,\)"),
    (lambda m: project(four_bar(0.05, 0.02), [0.3, 0, 0], np.zeros(3)), "Find a closed configuration with close_loops"),
    *((lambda m, given=given: actuation(m, np.zeros(3), given), "actuated is .* whole numbers 0 to 2, each once")
      for given in ([3], [0, 0], [-1], ["crank"], [0.5], [True])),
    (lambda m: solve_closure(random_loop(np.random.default_rng(1), Revolute("z"))[0], [0], [0.1], np.ones(15)),
     "independent names place 0, the velocity of a joint whose q is not its")])
def test_mistakes_are_named(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call(four_bar())


# Units, and mechanisms that cannot be closed

@pytest.mark.parametrize("size", [1e-9, 1e6])
def test_the_unit_of_length_does_not_matter_when_loops_are_closed(size):
    """The same guess leads to the same angles, whether lengths are given in m, micrometres or kilometres."""
    def bars(size):
        bar = mcI(1, [0.5 * size, 0, 0], np.eye(3) * 0.1 * size**2)
        return Model([0, 1, 0], [Revolute()] * 3, [np.eye(6), xlt([0.15 * size, 0, 0]), xlt([0.4 * size, 0, 0])],
                     [bar] * 3, (0, -9.81, 0),
                     loops=[LoopJoint(2, 3, Revolute(), xlt([0.45 * size, 0, 0]), xlt([0.35 * size, 0, 0]))])

    guess = np.random.default_rng(1).uniform(-np.pi, np.pi, 3)
    q = close_loops(bars(size), guess)
    assert hinge_distance(q) < 1e-10
    for function in (lambda model: close_loops(model, guess),
                     lambda model: project(model, q + [1e-3, 0, 0], np.zeros(3))[0],
                     lambda model: solve_closure(model, [0], [q[0] + 0.2], q)):
        assert_allclose(function(bars(size)), function(bars(1.0)), atol=1e-8)
    with pytest.raises(ValueError, match="gamma.y. leaves a loop open"):
        by_closure_function(bars(size), lambda y: [y[0], q[1] + 1e-4, q[2]], q[:1], [1.0])


@pytest.mark.parametrize(("mass", "rate"), [(1e-9, 1.0), (1e9, 1.0), (1.0, 1e-5)])
def test_however_small_the_forces_actuators_that_cannot_give_them_are_refused(mass, rate):
    """Though all but a millionth can be given; but not where rounding alone is left over, as in an equilibrium."""
    model, force = load("figure_8_3"), mass * rate**2
    model = model.replace(inertia=[mass * I for I in model.inertia[1:]], gravity=rate**2 * model.gravity)
    q, qd = project(model, close_loops(model, model.neutral()), rate * np.random.default_rng(1).normal(size=4))
    qdd, _ = by_loop_constraints(model, q, qd, force * np.array([1.0, 2, 0, 1e-6]))
    with pytest.raises(ValueError, match="The actuators cannot give"):
        inverse_dynamics(model, q, qd, qdd, (0, 1))
    tau = inverse_dynamics(model, q, qd, qdd, (0, 3))
    assert_allclose(by_loop_constraints(model, q, qd, tau)[0], qdd, atol=1e-11 * rate**2)
    assert_allclose(inverse_dynamics(load("double_pendulum"), [np.pi, 0], *np.zeros((2, 2)), [1]), 0, atol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize(("joint", "size"), [(Fixed(), 1e4), (Revolute("z"), 1e-3), (Spherical(), 1e4)], ids=str)
def test_a_loop_between_bodies_that_are_welded_together_breaks_nothing(joint, size):
    """K is 0 and k what rounding leaves: no motion breaks the loop, for numbers and as recorded."""
    rng, body = np.random.default_rng(1), mcI(1.3, [0.2, 0.1, 0.3], np.diag([0.4, 0.5, 0.55]))
    place, X_P = (rotx(x) @ rotz(0.2) @ xlt(size * rng.normal(size=3)) for x in (0.3, -0.7))
    tree = Model([0, 1], [Revolute((1, 2, 2)), Fixed()], [place, place], [body, body])
    model = tree.replace(loops=[LoopJoint(1, 2, joint, X_P, X_P @ inverse_transform(place))])
    state = np.array([0.9]), np.array([1.3]), np.array([0.4])
    expected = rnea(tree, *state)
    assert_allclose(inverse_dynamics(model, *state), expected, rtol=1e-9)
    fast = compile_for(inverse_dynamics, model, backend="numpy", cache=False)
    assert_allclose(fast(*state), expected, rtol=1e-9)


def test_the_sparse_method_keeps_its_digits_far_from_the_base():
    """A parallelogram on a floating base: where it floats changes nothing."""
    bar, distance = mcI(1, [0.5, 0, 0], np.eye(3) * 0.1), 1e8
    model = Model([0, 1, 2, 1], [FreeMotion(), *[Revolute()] * 3],
                  [np.eye(6), np.eye(6), xlt([0.5, 0, 0]), xlt([1, 0, 0])], [bar] * 4, (0, 0, 0),
                  loops=[LoopJoint(3, 4, Revolute(), xlt([1.0, 0, 0]), xlt([0.5, 0, 0]))])
    q, qd = model.neutral(), np.array([0.1, 0.2, 0.3, 1, 2, 3, 0.3, -0.3, 0.3])
    q[7:] = 0.8, -0.8, 0.8
    f_ext = {3: np.array([0.3, 0.1, 0.2, 1.0, -2, 0.5])}
    near = sparse_dynamics(model, q, qd, np.arange(9.0), f_ext)
    q[4:7] = distance, 0, 0
    f_ext[3][:3] += np.cross([distance, 0, 0], f_ext[3][3:])
    far = sparse_dynamics(model, q, qd, np.arange(9.0), f_ext)
    assert_allclose(far.qdd, near.qdd, atol=1e-14 * distance)
    for i in model.bodies:                      # a is in base coordinates: that of the origin's place
        a = near.a[i][3:] + np.cross([distance, 0, 0], near.a[i][:3])
        assert_allclose(far.a[i], [*near.a[i][:3], *a], rtol=1e-7, atol=1e-14 * distance)
