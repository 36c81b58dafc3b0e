"""Forward dynamics of closed loops: every loop joint, three methods, redundant constraints, other scalars, mistakes.
What the book says about them is tested in tests/sources/test_rbda_ch08*.py."""

import gc
import weakref
from functools import cache

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, forward_dynamics as tree_dynamics, load
from rbdlib.analysis.counting import count_operations
from rbdlib.book.ch02_spatial import X_to_Er, inverse_transform, mcI, rotx, rotz, xlt
from rbdlib.book.ch04_joints import Helical, Planar, RackAndPinion, Reversed, Revolute, Spherical, Universal
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.book.ch08_closed_loops import bias_with_loop_forces, loop_constraints
from rbdlib.book.ch08_elimination import constraint_solution, eliminate
from rbdlib.book.ch08_loop_joints import loop_jcalc, nearest_position
from rbdlib.loops import clusters, tolerances
from rbdlib.loops.closing import close_loops, project
from rbdlib.loops.dynamics import METHODS, by_loop_constraints, loop_forces
from rbdlib.loops.mobility import _listed, mobility
from rbdlib.loops.sparse_method import by_sparse_equation as sparse_dynamics
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.whole_system import solve_system
from rbdlib.motion.simulate import simulate
from tests.sources.ch03_systems import EVERY_JOINT, closed_loop, parallelogram, parallelogram_acceleration, random_loop

ANGLES = np.array([1, -1, 1])


@pytest.mark.parametrize("joint", EVERY_JOINT, ids=str)
def test_loops_of_every_joint_move_as_the_assembled_equation_says(joint):
    """K by differences of the poses, of which the errors' rates are another, and the motion by three methods."""
    rng = np.random.default_rng(3)
    model, q, qd, _, J = closed_loop(rng, joint)
    K, _, delta = loop_constraints(model, q, qd)
    size, loop, X = max(1, np.abs(K).max(initial=0)), model.loops[0], body_transforms(model, q)
    assert np.abs(delta).max(initial=0) < 1e-12
    X_J = loop.X_S @ X[loop.successor] @ np.linalg.inv(loop.X_P @ X[loop.predecessor])
    assert_allclose(K, loop_jcalc(loop.joint, X_J).T.T @ J, atol=1e-8 * size)
    h, way = 1e-4, rng.normal(size=model.nv)
    ahead, back = (loop_constraints(model, model.integrate(q, way, n * h), way)[2] for n in (1, -1))
    assert_allclose(K @ way, (ahead - back) / (2 * h), atol=1e-5 * size)
    tau, f_ext = rng.normal(size=model.nv), {2: rng.normal(size=6), 5: rng.normal(size=6)}
    whole = solve_system(model, q, qd, tau, f_ext)
    for method in METHODS:
        qdd, lam = by_loop_constraints(model, q, qd, tau, f_ext, method)
        assert_allclose(qdd, whole.qdd, atol=1e-9 * np.abs(whole.qdd).max())
        assert_allclose(loop_forces(model, q, lam), whole.f_c[6:], atol=1e-8 * np.abs(whole.f_c).max())


# Constraints that repeat others

@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("angle", [0.8, 1e-3, 1e-7])
def test_a_parallelogram_with_redundant_constraints_moves_as_its_energy_says(method, angle):
    """Down to the neighbourhood of the singular configuration, in which all bars lie on one line."""
    model, torque = parallelogram(), 2.5
    qdd, _ = by_loop_constraints(model, ANGLES * angle, ANGLES * 0.3, [torque, 0, 0], method=method)
    assert_allclose(qdd, ANGLES * parallelogram_acceleration(angle, torque), atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size, mass", [(1e-6, 1e-9), (1e-3, 1e-6), (1e3, 1e6)])
def test_the_units_do_not_matter(method, size, mass):
    crank = mcI(1.3 * mass, [0.35 * size, 0, 0], np.eye(3) * 0.1 * mass * size**2)
    model = Model([0, 1, 0], [Revolute()] * 3, [np.eye(6), xlt([0.7 * size, 0, 0]), xlt([size, 0, 0])], [crank] * 3,
                  (0, -9.81 * size, 0), loops=[LoopJoint(2, 3, Revolute(), xlt([size, 0, 0]), xlt([0.7 * size, 0, 0]))])
    qdd, _ = by_loop_constraints(model, 0.8 * ANGLES, 0.2 * ANGLES, [0, 0, 0], method=method)
    inertia = 2 * (0.1 + 1.3 * 0.35**2) + 1.3 * 0.7**2
    assert_allclose(qdd, -ANGLES * 9.81 * np.cos(0.8) * (1.3 * 0.7 + 1.3 * 0.7) / inertia, rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_of_two_hinges_in_one_place_each_gets_its_share(method):
    """The shortest lam: each takes half of what one alone takes. A second hinge that misses by e asks, with T_stab,
    for something else: the mean is taken."""
    model, e, state = parallelogram(), np.array([2e-6, -1e-6, 0]), (0.8 * ANGLES, 0.3 * ANGLES, [2.5, 0, 0])
    (hinge,) = model.loops
    twice = model.replace(loops=[hinge, hinge])
    qdd, lam = by_loop_constraints(model, *state, method=method)
    qdd_2, lam_2 = by_loop_constraints(twice, *state, method=method)
    assert_allclose(qdd_2, qdd, atol=1e-10)
    assert_allclose(lam_2, np.concatenate([lam, lam]) / 2, atol=1e-9)
    report = mobility(twice, state[0])
    assert (report.n_c, report.r, report.redundant, report.dependent_loops) == (10, 2, 8, (1, 2))
    assert report.clusters[0].ranks == (2, 2) and "2, 2" in repr(report)
    assert "2 each" in repr(mobility(model.replace(loops=[hinge] * 3), state[0]))
    missing, half = (LoopJoint(2, 3, Revolute(), xlt(x) @ hinge.X_P, hinge.X_S) for x in (e, e / 2))
    apart = [by_loop_constraints(model.replace(loops=loops), *state, method=method, T_stab=0.01)[0]
             for loops in ([hinge, missing], [half], [hinge])]
    assert_allclose(apart[0], apart[1], atol=1e-9)
    assert np.abs(apart[0] - apart[2]).max() > 1e-3


@pytest.mark.parametrize("method", METHODS)
def test_a_hinge_that_is_nearly_in_the_place_of_another_does_not_lock_the_loop(method):
    """It would, if the small opening were not taken into account when the rank of K is found."""
    model, state = parallelogram(), (0.8 * ANGLES, 0.3 * ANGLES, [2.5, 0, 0])
    (hinge,) = model.loops
    both = model.replace(loops=[hinge, LoopJoint(2, 3, Revolute(), hinge.X_P, xlt([0, 1e-8, 0]) @ hinge.X_S)])
    expected, _ = by_loop_constraints(model, *state)
    assert_allclose(by_loop_constraints(both, *state, method=method)[0], expected, atol=1e-6)
    locked, _ = by_loop_constraints(both, *state, method=method, tolerance=1e-12)
    K, k, _ = loop_constraints(both, *state[:2])
    assert_allclose(K @ locked, k, atol=1e-9)           # all of it, as far as rounding lets one tell
    assert np.abs(locked - expected).max() > 1e-2


def bennett(size=1.0):
    """Four bars in space that move because a/sin(alpha) = b/sin(beta): 3 variables, of 5 constraints rank 2."""
    def link(a, alpha):
        """From one hinge axis to the next: a along x, then a twist by alpha."""
        return rotx(alpha) @ xlt([a, 0, 0])

    alpha, beta, a = 0.7, 1.3, size
    b = a * np.sin(beta) / np.sin(alpha)
    bar = mcI(1, [0.5 * size, 0, 0], 0.1 * size**2 * np.eye(3))
    return Model([0, 1, 2], [Revolute()] * 3, [np.eye(6), link(a, alpha), link(b, beta)], [bar] * 3,
                 (0, 0, -9.81 * size),
                 loops=[LoopJoint(0, 3, Revolute(), inverse_transform(link(b, beta)), link(a, alpha))])


@cache
def moving_bennett():
    """model, q, qd."""
    model = bennett()
    return model, *project(model, close_loops(model, [0.8, 1.0, 0.5]), [1.0, 0, 0])


@pytest.mark.parametrize("gap", [0, 1e-7, 1e-3])
def test_an_open_loop_does_not_lock_a_mechanism_that_is_overconstrained(gap):
    """The pivot that appears when the loop opens is about as large as the opening, and counts as zero."""
    model, q, qd = moving_bennett()
    away = q + gap * np.array([1, -0.3, 0.5])
    assert mobility(model, away).r == 2 and mobility(model, away).clusters[0].ranks == (2,)
    closed, _ = by_loop_constraints(model, q, qd, np.zeros(3))
    for method in METHODS:
        qdd, _ = by_loop_constraints(model, away, qd, np.zeros(3), method=method)
        assert_allclose(qdd, closed, atol=1e-9 + 100 * gap * np.abs(closed).max())


@pytest.mark.parametrize("options, drift, gap", [
    ({}, 1e-7, 1e-12), ({"T_stab": 0.1}, 1e-7, 1e-8), ({"method": "rk4", "dt": 0.02}, 1e-4, 1e-12)])
def test_a_bennett_linkage_turns_and_keeps_its_energy(options, drift, gap):
    model, q, qd = moving_bennett()
    motion = simulate(model, q, qd, np.linspace(0, 0.6, 4), progress=False, **options)
    assert np.ptp(motion.energy) < drift and motion.loop_gaps.max() < gap
    assert np.ptp(motion.q[:, 0]) > 0.1


def test_a_small_gap_does_not_free_a_mechanism_near_a_singular_configuration():
    """The parallelogram, nearly flat: its second pivot is as small as the angle, and it is no second freedom."""
    for angle, gap in ((1e-3, 1e-5), (1e-4, 1e-6), (1e-6, 1e-8)):
        report = mobility(parallelogram(), ANGLES * angle + gap * np.array([0, 1, 0.5]))
        assert (report.mobility, report.r) == (1, 2)
    assert mobility(parallelogram(), 0 * ANGLES).mobility == 2
    assert _listed([1, 2, 4, 5, 6, 9]) == "1, 2, 4 to 6, 9"
    text = repr(mobility(parallelogram(), 0.8 * ANGLES))
    assert "mobility 1 = 3 variables of the tree - rank 2 of 5 constraints" in text
    assert "overconstrained: 3 of the constraints repeat others" in text and "4 - 6·1 = -2" in text
    assert text.splitlines()[-1].split() == ["1", "1", "to", "3", "3", "5", "2", "2", "3"]


def test_gaps_are_measured_in_rad_and_in_parts_of_the_mechanism():
    model, *_ = random_loop(np.random.default_rng(1), Revolute())
    X_0, loop = body_transforms(model, model.neutral()), model.loops[0]
    ends = loop.X_P @ X_0[loop.predecessor], loop.X_S @ X_0[loop.successor]
    joints = [X_to_Er(X)[1] for X in (*(X_0[i] for i in tolerances.loop_path(model, 1)), *ends)]
    assert_allclose(tolerances.loop_size(model), max(np.linalg.norm(a - b) for a in joints for b in joints))
    for size in (1e-6, 1.0, 1e6):
        model = bennett(size)
        assert_allclose(tolerances.loop_size(model), size * tolerances.loop_size(bennett()), rtol=1e-12)
        q = moving_bennett()[1] + 1e-6 * np.array([1, -0.3, 0.5])
        relative = loop_constraints(model, q, np.zeros(3))[2] / tolerances.error_units(model)
        expected = loop_constraints(bennett(), q, np.zeros(3))[2] / tolerances.error_units(bennett())
        assert_allclose(tolerances.rank_tolerance(relative), tolerances.rank_tolerance(expected), rtol=1e-6)
        assert mobility(model, q).r == 2
    assert tolerances.rank_tolerance([0, 0]) == 1e-9 and tolerances.rank_tolerance([1.0]) == 1e-2
    assert tolerances.rank_tolerance(np.array([sp.Symbol("x")])) == 1e-9
    assert tolerances.loop_size(load("furuta_pendulum")) == 1


@pytest.mark.parametrize(("size", "tolerance"), [(1e-3, 1e-4), (1e3, 1e-4), (1e-3, 1e-12), (1e6, 1e-12)])
def test_loops_of_any_size_are_closed_in_m_and_in_parts_of_their_size(size, tolerance, monkeypatch):
    """But for a length in m that rounding does not allow."""
    step = xlt([size, 0, 0])
    model = Model([0, 1, 2], [Revolute()] * 3, [np.eye(6), step, step], [mcI(1, [size, 0, 0], np.eye(3) * size**2)] * 3,
                  loops=[LoopJoint(0, 3, Spherical(), xlt([1.2 * size, 0, 0]), step)])
    monkeypatch.setattr("rbdlib.loops.closing.PROJECTED", tolerance)
    q, _ = project(model, np.array([0.9, -1.1, -0.9]), np.zeros(3))
    gap = np.abs(loop_constraints(model, q, np.zeros(3))[2]).max()
    assert gap <= tolerance * (size if size == 1e6 else min(size, 1))


def test_what_is_kept_for_a_model_is_right_for_every_other_one_and_not_spoilt_by_its_user():
    model = bennett()
    tolerances.error_units(model)[:] = 7
    clusters.loop_clusters(model)[0].rows.clear()
    longer = model.replace(loops=[LoopJoint(0, 3, Revolute(), xlt([9, 0, 0]), model.loops[0].X_S)])
    for fresh in (longer, model):
        assert_array_equal(tolerances.error_units(fresh), [1, 1, *[tolerances.loop_size(fresh)] * 3])
        assert clusters.loop_clusters(fresh) == [([1], [1, 2, 3], [0, 1, 2, 3, 4], [0, 1, 2])]
    assert tolerances.loop_size(longer) > 5 > tolerances.loop_size(model)


@pytest.mark.slow
def test_a_model_is_not_kept_alive_by_what_is_kept_for_it():
    model, answers = bennett(), tolerances.loop_size.__closure__[0].cell_contents
    tolerances.loop_size(model)
    gone, number = weakref.ref(model), id(model)
    assert number in answers
    del model
    gc.collect()
    assert gone() is None and number not in answers


@pytest.mark.parametrize("method", METHODS)
def test_a_structure_does_not_move(method):
    """Three bars in a triangle: r = n. What pushes it is taken up by the hinge."""
    bar = mcI(1, [0.5, 0, 0], np.eye(3) * 0.1)
    model = Model([0, 1], [Revolute()] * 2, [np.eye(6), xlt([1, 0, 0])], [bar] * 2,
                  loops=[LoopJoint(0, 2, Revolute(), xlt([1, 0, 0]), xlt([1, 0, 0]))])
    q = [np.pi / 3, -2 * np.pi / 3]
    qdd, lam = by_loop_constraints(model, q, [0, 0], [0, 2.0], method=method)
    assert_allclose(qdd, 0, atol=1e-12)
    assert mobility(model, q).mobility == 0
    f = loop_forces(model, q, lam)[0]                   # in the plane, through the hinge at (1, 0), against the motor
    assert_allclose([f[5], f[2] - f[4], f[4] / 2 + f[3] * np.sqrt(3) / 2 + 2], 0, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_without_loops_it_is_the_dynamics_of_the_tree(method):
    model = load("furuta_pendulum")
    q, qd = model.random_state(np.random.default_rng(1))
    qdd, lam = by_loop_constraints(model, q, qd, np.ones(model.nv), method=method)
    assert_allclose(qdd, tree_dynamics(model, q, qd, np.ones(model.nv)), rtol=1e-10)
    assert lam.shape == (0,) and loop_constraints(model, q, qd)[0].shape == (0, model.nv)
    report = mobility(model, q)
    assert report.mobility == model.nv and report.properly_constrained and "rank 0 of 0" in repr(report)


@pytest.mark.parametrize("method", METHODS)
def test_formulas_and_counted_numbers(method):
    a, w, tau = sp.symbols("a w tau", real=True)
    qdd, _ = by_loop_constraints(parallelogram(), ANGLES * a, ANGLES * w, [tau, 0, 0], method=method)
    for angle, torque in ((0.8, 2.5), (-1.1, 0.4)):
        values = [float(x.subs({a: angle, w: 0.3, tau: torque})) for x in qdd]
        assert_allclose(values, ANGLES * parallelogram_acceleration(angle, torque), atol=1e-9)
    model, q, qd = random_loop(np.random.default_rng(8), Reversed(Helical(0.3)))
    counts, (qdd, _) = count_operations(
        lambda q, qd: by_loop_constraints(model, q, qd, np.zeros(model.nv), method=method), q, qd)
    assert_allclose(qdd, by_loop_constraints(model, q, qd, np.zeros(model.nv), method=method)[0], atol=1e-8)
    assert counts["m"] > 1000


@pytest.mark.parametrize("joint", [Revolute((1, 2, 2)), Universal("zx"), Helical(0.3, "y"), RackAndPinion(0.2)],
                         ids=str)
def test_many_digits(joint):
    """The loop joint's position is found with them too; and the time constant may be a symbol."""
    model, q, qd = random_loop(np.random.default_rng(8), joint)
    with mpmath.workdps(40):
        exact = [np.array([mpmath.mpf(x) for x in array]) for array in (q, qd)]
        K, k, delta = loop_constraints(model, *exact)
        x, error = nearest_position(joint, joint.transform(np.array([mpmath.mpf(1) / 3] * joint.nq)))
        assert max(abs(y - mpmath.mpf(1) / 3) for y in x) < 1e-30 and max(map(abs, error)) < 1e-30
        qdd, _ = by_loop_constraints(model, *exact, np.zeros(model.nv))
        assert max(abs(x) for x in K @ qdd - k) < 1e-28
    for mine, theirs in zip((K, k, delta), loop_constraints(model, q, qd), strict=True):
        assert_allclose(mine.astype(float), theirs, atol=1e-11)
    T, q = sp.Symbol("T", positive=True), model.integrate(q, qd, 1e-2)
    values = [float(sp.sympify(x).subs(T, 0.1)) for x in loop_constraints(model, q, qd, T)[1]]
    assert_allclose(values, loop_constraints(model, q, qd, 0.1)[1], atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_loop_that_constrains_nothing_leaves_no_rounding_errors_as_constraints(method):
    """A plane that a hinge crosses at right angles: K consists of rounding errors, which have a rank of their own."""
    rng = np.random.default_rng(3)
    place = rotz(0.7) @ rotx(1.1) @ xlt(100 * rng.normal(size=3))
    tree = Model([0, 1], [Revolute(), Revolute()], [place, xlt([0, 0, 0])], [mcI(1.0, [0.2, 0, 0], np.eye(3))] * 2)
    X = body_transforms(tree, [0.3, 0.2])
    loop = LoopJoint(1, 0, Reversed(Planar()), xlt([1, 0, 0]), xlt([1, 0, 0]) @ X[1])
    state = [0.3, 0.2], [0.5, -0.4], [1.0, 2.0]
    qdd, lam = by_loop_constraints(tree.replace(loops=[loop]), *state, method=method)
    assert_allclose(qdd, tree_dynamics(tree, *state), rtol=1e-12)
    assert not lam.any()


# Mistakes and what they hear

MOVING = {"q": 0.8 * ANGLES, "qd": 0 * ANGLES, "tau": 0 * ANGLES}


@pytest.mark.filterwarnings("ignore:Joint .* moves nothing that has mass")
@pytest.mark.parametrize(("call", "message"), [
    *((lambda change=change: by_loop_constraints(parallelogram(), **MOVING | change), message) for change, message in (
        ({"method": "fast"}, "method is 'fast'; choose 'direct', 'multipliers', 'coordinates'"),
        ({"method": ["direct"]}, r"method is \['direct'\]; choose"),
        ({"T_stab": 0}, "T_stab is 0; give a time constant in s above 0"),
        ({"T_stab": float("nan")}, "T_stab contains nan"),
        ({"tau_loop": {3: 1.0}}, "tau_loop names joint 3; the loop joints of this model are \\[4\\]"),
        ({"tau_loop": {4: [1.0, 2.0]}}, "tau_loop\\[4\\] has shape"),
        ({"tau_loop": {4.0: 1.0}}, "tau_loop names joint 4.0"),
        ({"tolerance": -1}, "tolerance is -1; give a number above 0 and below 1"),
        ({"tolerance": 2.0}, "tolerance is 2.0"), ({"tolerance": "x"}, "tolerance contains the text 'x'"),
        ({"tolerance": float("nan")}, "tolerance contains nan"),
        ({"frame": True}, "frame is True; give the number of a body"),
        ({"frame": 4}, "frame is 4; give the number of a body, 0 to 3"))),
    *((lambda method=method: by_loop_constraints(parallelogram().replace(inertia=[np.zeros((6, 6))] * 3), **MOVING,
                                              method=method), "Give the bodies|use method 'direct'")
      for method in METHODS),
    (lambda: bias_with_loop_forces(parallelogram(), ANGLES, ANGLES, tau_loop=1.0), "tau_loop is 1.0; give a dict"),
    (lambda: sparse_dynamics(parallelogram(), ANGLES, ANGLES, ANGLES, tau_loop=1.0), "tau_loop is 1.0; give a dict"),
    (lambda: loop_constraints(parallelogram(), ANGLES, ANGLES, T_stab=True), "T_stab is True; give a time constant"),
    *((lambda places=places: constraint_solution(np.ones((1, 3)), [1], independent=places),
       "independent is .*; give places in the columns of K, whole") for places in ((5,), (1, 1), (-1, 0), (0.0,))),
    (lambda: eliminate([1, 2]), "K has shape .2,.; expected a matrix"),
    (lambda: loop_jcalc("revolute", np.eye(6)), "joint is 'revolute'; give a joint"),
    (lambda: loop_jcalc(Revolute(), 2 * np.eye(6)), "X is not a rotation"),
    (lambda: loop_jcalc(Helical(0.3), Helical(0.3).transform([sp.Symbol("x")])), "numbers only")])
def test_mistakes_are_named(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_loops_are_closed_through_joints_whose_axes_turn_in_time():
    tree = Model([0], [Custom(1, lambda q, t: rotx(t) @ rotz(q[0]))], [np.eye(6)], [mcI(1, [0.5, 0, 0], np.eye(3))])
    X, at_tip = body_transforms(tree, [0.7], 2.0)[1], xlt([1, 0.2, 0.3])
    held = tree.replace(loops=[LoopJoint(0, 1, Spherical(), at_tip @ X, at_tip)])
    assert_allclose(close_loops(held, [0.3], t=2.0), [0.7], atol=1e-10)
