"""Trees with gears, against Lagrange multipliers on geometry's equation of motion, energy, and one another."""

import copy
import dataclasses
import pickle
import warnings

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose

from rbdlib import Model, aba, load, rnea
from rbdlib.analysis.counting import count_operations
from rbdlib.book.ch02_spatial import mcI, plucker, rotz, xlt
from rbdlib.book.ch04_joints import Fixed, FreeMotion, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.methods import gears as gearing
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.geared_trees import Gear, GearedTree
from rbdlib.methods.gears import GearedDynamics, NonlinearGear, geared_forward_dynamics, quick_model
from rbdlib.methods.rotors import aba_with_rotors, by_crba_with_rotors, crba_with_rotors
from rbdlib.motion.simulate import simulate
from rbdlib.numbers.scalars import sin, sqrt
from tests.sources.ch06_systems import accelerated
from tests.sources.ch07_systems import Forced
from tests.sources.helpers import random_pose, slope
from tests.sources.joints import Mechanism

EXACT = ["explicit", "sparse", "embedded"]
#: A floating tree with a differential, a screw that drives a hinge and a slider that drives another; and a fixed one.
SYSTEMS = {
    "floating": ([FreeMotion(), Revolute("z"), Revolute("x"), Prismatic((1, 2, 3)), Universal("xy"),
                  Revolute((1, 0, 1)), Revolute("y"), Helical(0.2, "x"), Revolute("z")], [0, 1, 1, 2, 2, 1, 4, 4, 2],
                 [(3, {2: 7.0, 6: -2.0}), (8, {7: 1.4}), (9, {4: 3.0})]),
    "fixed": ([Revolute("z"), Spherical(), Revolute("y"), Fixed(), Planar(), Prismatic("x"), Revolute("x")],
              [0, 0, 0, 3, 1, 4, 4], [(3, {1: -5.0}), (7, {6: 2.5})])}


@pytest.fixture(scope="module", params=SYSTEMS)
def moving(request):
    """A mechanism of geometry whose velocities and accelerations fulfil the gears, and the geared tree of it.
    constraint: G, written down from the gear ratios."""
    joints, parent, gears = SYSTEMS[request.param]
    system = Forced(np.random.default_rng([1, 96]), joints, parent)
    model, q = system.model, system.q

    def offset(joint, ratios):
        return q[model.q_slice(joint)][0] - sum(ratio * q[model.q_slice(i)][0] for i, ratio in ratios.items())

    geared = GearedTree(model, [Gear(joint, ratios, offset(joint, ratios)) for joint, ratios in gears])
    free = [k for i in geared.independent for k in range(model.nv)[model.v_slice(i)]]
    G, rng = np.zeros((model.nv, len(free))), np.random.default_rng(1)
    G[free, range(len(free))] = 1
    for joint, ratios in gears:
        for i, ratio in ratios.items():
            G[model.v_slice(joint).start, free.index(model.v_slice(i).start)] = ratio
    yd, ydd = rng.normal(size=(2, geared.m))
    moved = accelerated(system, G @ yd, G @ ydd)
    moved.bias = moved.joint_forces(external=False) - moved.H @ moved.qdd
    moved.geared, moved.yd, moved.ydd, moved.y = geared, yd, ydd, gearing.independent_part(geared, q, moved.qd)[0]
    moved.constraint = G
    return moved


@pytest.mark.source("RBDA-S9.6-7")
def test_accelerations_and_gear_forces_are_those_of_lagrange_multipliers(moving):
    """The sparse product Gᵀ H G, by which they are found, is the dense one and cheaper: G consists of ones, and of one
    number for each gear, or two at a differential."""
    geared, tau = moving.geared, np.random.default_rng(5).normal(size=moving.model.nv)
    G, driven = moving.constraint, [geared.model.v_slice(gear.joint).start for gear in geared.gears]
    K = np.eye(moving.model.nv)[driven] - G[driven] @ np.linalg.pinv(G)
    right = tau + np.einsum("ijk,ij->k", moving.ways, moving.f_ext) - moving.bias
    composite = np.block([[moving.H, -K.T], [K, np.zeros((len(K), len(K)))]])
    qdd, lam = np.split(np.linalg.solve(composite, np.concatenate([right, np.zeros(len(K))])), [len(right)])
    for method in EXACT:
        ydd = geared_forward_dynamics(geared, moving.y, moving.yd, tau, moving.f_ext, method)
        assert_allclose(G @ ydd, qdd, atol=1e-7)
        assert_allclose(moving.H @ G @ ydd - right, K.T @ lam, atol=1e-6)
    assert_allclose(geared.G(moving.y), G)
    assert sorted(np.count_nonzero(geared.G(moving.y), axis=1))[:-1] == [1] * (len(G) - 1)
    H = crba(moving.model, moving.q)
    sparse, product = count_operations(lambda H: gearing.congruence(geared, H, moving.y), H)
    dense, _ = count_operations(lambda H: G.T @ H @ G, H)
    assert_allclose(product, G.T @ H @ G, atol=1e-10)
    assert sparse["m"] < dense["m"] / 10


def test_inverse_dynamics_projects_the_forces_of_geometry_and_motors_replace_them(moving):
    geared, G = moving.geared, moving.constraint
    args = (geared, moving.y, moving.yd, moving.ydd)
    assert_allclose(gearing.geared_inverse_dynamics(*args, f_ext=moving.f_ext), G.T @ moving.joint_forces(), atol=1e-6)
    driven = [gear.joint for gear in geared.gears]
    sources = [next(iter(gear.ratios)) for gear in geared.gears]
    actuated = [*driven, *(i for i in geared.independent if i not in sources)]
    tau = gearing.geared_inverse_dynamics(*args, actuated, moving.f_ext)
    assert all(np.all(tau[geared.model.v_slice(i)] == 0) for i in sources)
    for method in EXACT:
        assert_allclose(geared_forward_dynamics(*args[:3], tau, moving.f_ext, method), moving.ydd, atol=1e-7)


def test_positions_and_velocities_agree():
    """G and g are the first and second derivatives of γ along a motion."""
    joints = [Revolute("z"), Revolute("x"), Prismatic("y"), Revolute("y"), Revolute("x")]
    model = Mechanism(np.random.default_rng(3), joints, [0, 1, 1, 1, 0]).model()
    geared = GearedTree(model, [NonlinearGear(3, [1, 4], lambda a, b: a * sin(b) + b**3 / 3), Gear(2, {5: -30}, 0.4)])
    y, yd, ydd = np.random.default_rng(4).normal(size=(3, 3))

    def q(t):
        return geared.gamma(y + t * yd + t * t / 2 * ydd)

    def qd(t):
        return slope(lambda s: q(t + s))

    expected = slope(qd)
    assert_allclose(geared.gamma(y), [y[0], -30 * y[2] + 0.4, y[0] * np.sin(y[1]) + y[1] ** 3 / 3, y[1], y[2]])
    assert_allclose(geared.G(y) @ yd, qd(0.0), atol=1e-9)
    assert_allclose(geared.G(y) @ ydd + geared.g(y, yd), expected, atol=1e-7)
    felt = geared.G(y).T @ rnea(model, geared.gamma(y), geared.G(y) @ yd, expected)
    assert_allclose(gearing.geared_inverse_dynamics(geared, y, yd, ydd), felt, rtol=1e-6)


def arm(rng, ratios, nonlinear=False, axes="zzxy"):
    """Two links, each with a rotor beside it (Figure 9.2)."""
    def place():
        R, p = random_pose(rng)
        return plucker(R.T, 0.3 * p)

    rotors = [mcI(0.4, np.zeros(3), 1e-4 * np.diag([2.0, 1, 1])) for _ in ratios]
    links = [mcI(m, rng.normal(size=3), np.diag([0.3, 0.4, 0.5])) for m in (4.0, 3.0)]
    joints = [Revolute(axes[0]), Revolute("x"), Revolute(axes[2]), Revolute("x")]
    model = Model([0, 0, 1, 1], joints, [place() for _ in range(4)], [links[0], rotors[0], links[1], rotors[1]])
    second = NonlinearGear(4, [3], lambda x: ratios[1] * x + 2 * sin(x)) if nonlinear else Gear(4, {3: ratios[1]})
    return GearedTree(model, [Gear(2, {1: ratios[0]}), second])


def two_gears(nonlinear=False):
    return arm(np.random.default_rng(1), [2.0, 3.0], nonlinear)


@pytest.mark.slow
def test_symbols():
    geared = arm(np.random.default_rng(9), [30.0, -20.0])
    values = np.array([0.3, -0.7, 1.0, -2.0, 0.1, 0.2, 0.3, 0.4])
    expected = geared_forward_dynamics(geared, values[:2], values[2:4], values[4:])
    b = sp.Symbol("b")
    symbolic = geared_forward_dynamics(geared, [values[0], b], values[2:4], values[4:], method="explicit")
    assert all(e.has(b) for e in symbolic)
    assert_allclose([float(e.subs(b, values[1])) for e in symbolic], expected, rtol=1e-8)


def test_clusters_are_groups_of_joints_on_one_body_nearest_the_base_first():
    """A gear across bodies is not embedded but solved."""
    joints, parent, gears = SYSTEMS["floating"]
    geared = GearedTree(Mechanism(np.random.default_rng(1), joints, parent).model(),
                        [Gear(joint, ratios) for joint, ratios in gears])
    found = gearing.clusters(geared)
    assert {cluster.joints for cluster in found} == {(1,), (2, 3, 6), (4, 9), (5,), (7, 8)}
    assert sorted(k for cluster in found for k in cluster.columns) == list(range(geared.m))
    assert [cluster.parent for cluster in found] == sorted(cluster.parent for cluster in found)
    chain = Mechanism(np.random.default_rng(2), [Revolute("z")] * 3, [0, 1, 2]).model()
    given = GearedTree(chain, [Gear(3, {1: 4.0})]), [0.1, 0.2], [0.3, 0.4], np.zeros(3)
    with pytest.raises(ValueError, match="method='explicit'"):
        geared_forward_dynamics(*given, method="embedded")
    assert_allclose(geared_forward_dynamics(*given, method="sparse"), geared_forward_dynamics(*given), rtol=1e-10)


def test_rotors_give_the_same_by_matrix_and_propagation_and_the_quick_model_has_none():
    """In a tree with a joint that depends on time; the book's equation is tested in tests/sources."""
    driven = Custom(1, lambda q, t: rotz(q[0]) @ xlt([t * q[0], sin(t), q[0]]), name="driven")
    joints = [FreeMotion(), Revolute("y"), Prismatic("x"), driven, Fixed(), Universal("xy"), Revolute((1, 2, 3))]
    model = Mechanism(np.random.default_rng(1), joints, [0, 1, 1, 2, 4, 5, 4]).model()
    (q, qd), tau = model.random_state(np.random.default_rng(1)), np.ones(model.nv)
    assert_allclose(aba_with_rotors(model, q, qd, tau, {4: 0.5}, t=0.3),
                    by_crba_with_rotors(model, q, qd, tau, {4: 0.5}, t=0.3), atol=1e-9)
    assert_allclose(aba_with_rotors(model, q, qd, tau, {}, t=0.3), aba(model, q, qd, tau, t=0.3), atol=1e-10)

    geared = arm(np.random.default_rng(3), [50.0, 40.0])
    quick = quick_model(geared)
    assert quick.bodies == (1, 3) and quick.model.parent[1:] == (0, 1)
    assert quick.I_rot == pytest.approx({1: 50**2 * 2e-4, 2: 40**2 * 2e-4})
    assert quick.model.inertia[1][5, 5] == pytest.approx(4.4) and quick.model.inertia[2][5, 5] == 3
    assert quick_model(geared, "nothing").model.inertia[1][5, 5] == 4
    X = geared.model.X_tree[4]
    bare = quick_model(geared, "mass").model.inertia[1] - geared.model.inertia[1]
    assert_allclose(bare, X.T @ np.diag([0, 0, 0, 0.4, 0.4, 0.4]) @ X, atol=1e-14)


# Errors

Y, TAU = np.zeros(2), np.zeros(4)


def geared(*gears):
    """A model with a ball joint and the given gears."""
    joints = [Revolute("z"), Revolute("z"), Spherical(), Revolute("z")]
    return GearedTree(Mechanism(np.random.default_rng(1), joints).model(), gears)


def weightless_rotor():
    model = two_gears().model
    return model.replace(inertia=[model.inertia[1], np.zeros((6, 6)), *model.inertia[3:]])


@pytest.mark.filterwarnings("ignore:Joint 2 .* moves nothing that has mass")
@pytest.mark.parametrize(("call", "message"), [
    (lambda: geared(Gear(2, {3: 2})), "3 freedoms"), (lambda: geared(Gear(2, {1: 2}), Gear(2, {4: 2})), "one gear"),
    (lambda: geared(Gear(2, {1: 2}), Gear(4, {2: 2})), "product of the ratios"),
    (lambda: geared(Gear(2, {2: 2})), "itself geared"), (lambda: geared(Gear(9, {1: 2})), "no body 9"),
    (lambda: geared((2, {1: 2})), "Gear and NonlinearGear"),
    *((lambda method=method: geared_forward_dynamics(two_gears(), Y, Y, TAU, method=method), "choose 'explicit'")
      for method in ("fast", ["explicit"])),
    *((lambda method=method: GearedDynamics(two_gears(), method), "choose 'explicit'") for method in ("fast", None)),
    *((lambda x=x: gearing.geared_inverse_dynamics(two_gears(), Y, Y, Y, x), message) for x, message in (
        ([1, 2], "Choose motors"), ([1], "Choose motors"), (2, "actuated is 2; give the numbers"),
        ("x", "actuated is 'x'; give the numbers"))),
    (lambda: quick_model(two_gears(nonlinear=True)), "method='explicit'"),
    (lambda: quick_model(two_gears(), "weight"), "choose 'inertia'"),
    (lambda: GearedTree(load("four_bar"), []), "model.replace"),
    (lambda: GearedTree(two_gears().model, None), "gears is None; give a list"),
    (lambda: GearedTree(two_gears().model, 3), "gears is 3; give a list"),
    (lambda: NonlinearGear(2, [1], np.frexp), "cannot run on symbols"),
    *((lambda h=h: NonlinearGear(2, [1], h),
       f"h cannot run on symbols, or be differentiated .*{why}.*sqrt of rbdlib") for h, why in (
        (abs, "Abs"), (sp.exp, "exp"), (lambda x: x**x, "log"), (lambda x: [x], "number"), (lambda x: None, "number"),
        (lambda x: "x1", "number"), (lambda x: x if x > 0 else 0, "truth value"), (lambda x, y: x, "argument"),
        (lambda x: sp.Symbol("k") * x, "contains k"), (lambda x: x / (0 * x), "zoo"),
        (lambda x: sp.I * x, "contains I"))),
    (lambda: Gear(2, 100), "dict of joints"),
    (lambda: aba_with_rotors(two_gears().model, TAU, TAU, TAU, [0.1]), "dict of bodies"),
    (lambda: aba_with_rotors(two_gears().model, TAU, TAU, TAU, {1: 0.0, 3: -0.1}), r"I_rot\[3\] is -0.1; no rotor"),
    (lambda: crba_with_rotors(two_gears().model, TAU, {1: 0.0, 3: -0.1}), r"I_rot\[3\] is -0.1; no rotor"),
    (lambda: aba_with_rotors(weightless_rotor(), TAU, TAU, TAU, {1: 0.1}), "D of joint 2 .* is singular"),
    *((lambda function=function: function(load("arm_2r")), "^geared is <Model of 2 bodies.*; give a GearedTree")
      for function in (quick_model, gearing.clusters, GearedDynamics, lambda x: gearing.congruence(x, np.eye(4), Y))),
    (lambda: simulate(two_gears(), Y, np.zeros(1), (0, 1)), "^yd has shape"),
    (lambda: simulate(two_gears(), Y, Y, (0, 1), dynamics="aba"), "choose 'explicit'")])
def test_arguments_that_do_not_fit_are_refused(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_a_geared_tree_moves_as_its_equation_of_motion_says():
    geared = arm(np.random.default_rng(4), [3.0, 2.0])
    y, yd = np.array([0.3, 0.4]), np.array([1.0, -1.0])
    ydd, h = geared_forward_dynamics(geared, y, yd, np.zeros(geared.model.nv)), 1e-4
    found = simulate(geared, y, yd, (0, h), method="rk4", dt=h, compiled=False)
    assert_allclose(found.q[-1], geared.gamma(y + h * yd + h**2 / 2 * ydd), atol=1e-9)
    assert_allclose(found.qd[-1], geared.G(y) @ (yd + h * ydd), atol=1e-5)


@pytest.mark.parametrize(("h", "y", "gone"), [
    (lambda x: x**0.5, -0.1, "qGg"), (lambda x: 1 / x, 0.0, "qGg"), (lambda x: x**1.5, 0.0, "g"), (sqrt, -0.1, "qGg"),
    (lambda x: x**0.5, 0.0, "Gg"), (lambda x: x**400, 10.5, "qGg"), (lambda x: sin(x), 0.0, "")])
def test_gears_are_not_followed_to_where_they_are_not_finite(h, y, gone):
    geared = GearedTree(two_gears().model, [NonlinearGear(2, [1], h), Gear(4, {3: 2})])
    message = f"^The gear of joint 2 is not finite at y = {y} of joint 1: "
    for kind in [float, mpmath.mpf] if y == 0 else [float]:     # mpmath knows complex numbers, and no largest one
        at, yd = np.array([kind(y), kind(0.5)]), np.array([kind(1), kind(1)])
        for name, function in (("q", lambda at=at: geared.gamma(at)), ("G", lambda at=at: geared.G(at)),
                               ("g", lambda at=at, yd=yd: geared.g(at, yd))):
            if name in gone:
                with warnings.catch_warnings(), pytest.raises(ValueError, match=message):
                    warnings.simplefilter("error")
                    function()
            else:
                assert np.all(np.isfinite(function().astype(float)))


def test_gears_cannot_be_changed_and_say_what_they_are():
    gear, model = Gear(2, {1: np.float64(100.0), 3: 2}, 0.5), two_gears().model
    with pytest.raises(TypeError):
        gear.ratios[1] = 7
    assert repr(gear) == "Gear(2, {1: 100.0, 3: 2}, offset=0.5)" and repr(Gear(2, {1: 3})) == "Gear(2, {1: 3})"
    for same in (copy.deepcopy(gear), pickle.loads(pickle.dumps(gear)), dataclasses.replace(gear), eval(repr(gear))):
        assert repr(same) == repr(gear)
    pi = GearedTree(model, [NonlinearGear(2, [1], lambda x: sp.pi * sp.sin(x) / 2), Gear(4, {3: 2})])
    q = pi.gamma([0.3, 0.4])                            # functions and constants of SymPy become numbers
    assert q.dtype == float
    assert_allclose(q, [0.3, np.pi / 2 * np.sin(0.3), 0.4, 0.8], rtol=1e-15)
    assert_allclose(pi.G([0.3, 0.4])[1], [np.pi / 2 * np.cos(0.3), 0], rtol=1e-15)
    assert repr(GearedTree(model, gear)) == "GearedTree(4 bodies, [Gear(2, {1: 100.0, 3: 2}, offset=0.5)])"
    assert_allclose(GearedTree(model, gear).G(np.zeros(3)), GearedTree(model, [gear]).G(np.zeros(3)))
