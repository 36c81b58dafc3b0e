"""RBDA 8.1 to 8.10 row by row: loop constraints on a spanning tree, their forces, their errors, and forward dynamics; G
and g by elimination, loop clusters, mobility and overconstraint. K, k, H, C and the poses of the systems come from
geometry, in `tests.sources.ch08_systems`."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.linalg import block_diag, null_space

from rbdlib import Model
from rbdlib.analysis.counting import count_operations
from rbdlib.book.ch02_spatial import crm, inverse_transform, mcI, plucker, rotx, roty, rotz, xlt
from rbdlib.book.ch04_joints import Cylindrical, Fixed, FreeMotion, Helical, Planar, Prismatic, Revolute, Spherical
from rbdlib.book.ch04_kinematics import body_jacobian, body_transforms
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.book.ch06_factorisation import ltdl, ltl
from rbdlib.book.ch06_inertia_matrix import crba, expanded_parent
from rbdlib.book.ch08_closed_loops import bias_with_loop_forces, loop_constraints, spanning_tree
from rbdlib.book.ch08_elimination import constraint_solution, eliminate
from rbdlib.book.ch08_loop_joints import active_forces, loop_jcalc
from rbdlib.loops.clusters import join, loop_clusters, solution_by_clusters
from rbdlib.loops.coordinates import dependence
from rbdlib.loops.dynamics import METHODS, by_loop_constraints, loop_forces, seen_from
from rbdlib.loops.mobility import mobility
from rbdlib.loops.tolerances import loop_path
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.whole_system import solve_system
from rbdlib.numbers.scalars import zeros
from tests.sources import ch08_systems as systems, helpers
from tests.sources.ch03_systems import random_model, runge_kutta, shaken_joint, transforms
from tests.sources.ch06_systems import accelerated
from tests.sources.ch08_systems import Looped, figure_8_2, figure_8_3, four_bar, limbs
from tests.sources.helpers import close, far, motion_coordinates, random_pose, slope
from tests.sources.joints import compose, joint_pose, motion_of

SEED = [1, 8]
LOOPS = {
    "apart": ((3, 5, Revolute()), (0, 6, Cylindrical()), (7, 0, Spherical())),
    "on one path": ((6, 5, Spherical()), (1, 7, Fixed()), (4, 3, Prismatic("z")))}


@pytest.fixture(params=LOOPS, scope="module")
def system(request):
    """Loops in space: no constraint repeats another."""
    return limbs(np.random.default_rng([8, len(request.param)]), *LOOPS[request.param])


@pytest.fixture(params=[four_bar, figure_8_3], ids=["four-bar", "figure 8.3"], scope="module")
def planar(request):
    """Loops in the plane: three of the five constraints repeat others."""
    return request.param(np.random.default_rng(81))


def tau_for(system):
    return np.random.default_rng(7).normal(size=system.model.nv)


def dynamics(system, tau, method="direct", **more):
    return by_loop_constraints(system.model, system.q, system.qd, tau, system.f_ext, method, **more)


@pytest.mark.source("RBDA-A8.1", "RBDA-8.1", "RBDA-8.2", "RBDA-8.3", "RBDA-8.5", "RBDA-8.6", "RBDA-8.29", "RBDA-8.31",
                    "RBDA-8.32", "RBDA-8.34", "RBDA-8.36")
def test_the_composite_equation_has_as_many_unknowns_as_equations(system):
    """H and C are those of the tree alone. Constraint forces do no work and are sums over the loops."""
    tau, joints, tree = tau_for(system), [loop.joint for loop in system.model.loops], system.model.replace(loops=())
    n = sum(joint.nv for joint in system.model.joints[1:])
    n_c = sum(len(systems.RESISTS[type(joint)]) for joint in joints)
    assert (system.model.nv, system.model.N_L) == (n, system.model.N_J - system.model.N_B)
    close(crba(tree, system.q) @ system.qdd + bias_with_loop_forces(tree, system.q, system.qd, system.f_ext),
          system.joint_forces(), 1e-8)
    M, right = system.composite(), np.concatenate([tau - system.C, system.k])
    assert M.shape == (n + n_c, n + n_c)
    qdd, lam = dynamics(system, tau)
    close(M @ np.concatenate([qdd, -lam]), right, 1e-8)
    far(M @ np.concatenate([qdd, lam]), right)
    tau_c = system.H @ qdd + system.C - tau
    close(tau_c, system.K.T @ lam, 1e-8)
    close(tau_c, sum(system.J_L(l).T @ (system.T[l] @ part) for l, part in enumerate(system.by_loop(lam))), 1e-8)
    assert abs(tau_c @ system.qd) < 1e-8


@pytest.mark.source("RBDA-8.4", "RBDA-8.7", "RBDA-8.8", "RBDA-8.9", "RBDA-8.11", "RBDA-8.12", "RBDA-8.16", "RBDA-8.17",
                    "RBDA-8.18", "RBDA-8.19", "RBDA-8.20", "RBDA-T8.4", "RBDA-A8.4")
def test_the_accelerations_fulfil_the_constraint_that_geometry_gives(system):
    """K: the power of T along a joint's axes, + if it moves the successor alone, - if the predecessor alone, else 0."""
    model, X = system.model, body_transforms(system.model, system.q)
    for i in system.bodies:
        J = np.linalg.solve(X[i], body_jacobian(model, system.q, i))
        close(J, system.ways[i], 1e-9)
        close(J @ system.qd, system.v[i], 1e-9)
        for j in system.bodies:
            own = np.linalg.solve(X[j], model.joints[j].motion_subspace(system.q[model.q_slice(j)]))
            close(J[:, model.v_slice(j)], own * (j in system.ancestors(i)), 1e-9)
    K, k, delta = loop_constraints(system.model, system.q, system.qd)
    close(K, system.K, 1e-9)
    close(k, system.k, 1e-8)
    close(delta, 0 * delta, 1e-13)
    close(system.K @ dynamics(system, tau_for(system))[0], system.k, 1e-8)
    for l, rows in enumerate(system.by_loop(K)):
        p, s, *_ = system.loops[l]
        v_J = system.v[s] - system.v[p]
        close(system.J_L(l) @ system.qd, v_J, 1e-9)
        close(system.T[l].T @ v_J, np.zeros(len(rows)), 1e-9)
        for j in system.bodies:
            sign = int(j in system.ancestors(s)) - int(j in system.ancestors(p))
            close(rows[:, model.v_slice(j)], sign * system.T[l].T @ system.way(j), 1e-9)


@pytest.mark.source("RBDA-S8.1-1", "RBDA-S8.10-4", "RBDA-A8.5a", "RBDA-A8.5b", "RBDA-A8.5c", "RBDA-8.46")
def test_the_rank_of_the_composite_matrix_is_n_plus_that_of_K(system, planar):
    """What is indeterminate is in lam alone; three methods find qdd, and the shortest lam."""
    for of, r in ((system, len(system.K)), (planar, 2)):
        n, M = of.model.nv, of.composite()
        K = loop_constraints(of.model, of.q, of.qd)[0]
        assert np.linalg.matrix_rank(M, 1e-9) == n + np.linalg.matrix_rank(K, 1e-9) == n + r
        close(M, M.T, 1e-9)
        assert np.linalg.eigvalsh(M).min() < -1e-6 and np.linalg.eigvalsh(M).max() > 1e-6
        indeterminate = np.linalg.svd(M)[2][n + r :]
        assert np.abs(indeterminate[:, :n]).max(initial=0) < 1e-9
        expected = of.solved(tau_for(of))
        for method in METHODS:
            qdd, lam = dynamics(of, tau_for(of), method)
            close(qdd, expected[0], 1e-8)
            close(lam, expected[1], 1e-7)


@pytest.mark.source("RBDA-S8.2-1")
def test_a_loop_joint_that_depends_on_time_moves_the_loop(rng):
    """T^T v_J = T^T sigma. With it and K qdd = k the loop is still closed a little later, to third order."""
    model, t = random_model(rng, [Spherical(), FreeMotion(), Revolute("x"), FreeMotion()], parent=[0, 1, 0, 3]), 0.4
    q, joint = model.random_state(rng)[0], shaken_joint()
    X, X_P = transforms(model, q), plucker(*random_pose(rng))
    X_S = joint.transform(rng.normal(size=1), t) @ X_P @ X[2] @ np.linalg.inv(X[4])
    model = model.replace(loops=[LoopJoint(2, 4, joint, X_P, X_S)])
    K, *_ = loop_constraints(model, q, np.zeros(model.nv), t=t)
    state = loop_jcalc(joint, X_S @ X[4] @ np.linalg.inv(X_P @ X[2]), t=t)
    qd = np.linalg.lstsq(K, state.T.T @ state.sigma, rcond=None)[0]
    assert np.abs(state.T.T @ state.sigma).max() > 1e-2
    tau = rng.normal(size=model.nv)
    close(loop_constraints(model, q, qd, 0.1, t)[1], loop_constraints(model, q, qd, None, t)[1], 1e-9)      # no errors
    expected = solve_system(model, q, qd, tau, t=t).qdd
    for method in METHODS:
        qdd, _ = by_loop_constraints(model, q, qd, tau, method=method, t=t)
        close(qdd, expected, 1e-8)

    def opening(h, qdd):
        after = model.integrate(q, qd + h / 2 * qdd, h)
        return np.abs(loop_constraints(model, after, qd, t=t + h)[2]).max()

    assert opening(1e-2, qdd) < 1e-3 * 2**3 * 1e-2 and 6 < opening(1e-2, qdd) / opening(5e-3, qdd) < 10
    assert 3 < opening(1e-2, 0 * qdd) / opening(5e-3, 0 * qdd) < 5


@pytest.mark.source("RBDA-8.10", "RBDA-S8.2-2", "RBDA-8.13", "RBDA-8.14", "RBDA-8.15", "RBDA-8.47")
def test_the_accelerations_of_the_bodies_fulfil_the_differentiated_constraint(system):
    """By differences in time; and k from velocity-product accelerations a - J qdd, with the rate of T and without."""
    qdd, _ = dynamics(system, tau_for(system))
    moving, a_vp = accelerated(system, system.qd, qdd), system.a - system.ways @ system.qdd
    for l, k in enumerate(system.by_loop(loop_constraints(system.model, system.q, system.qd)[1])):
        p, s, *_ = system.loops[l]
        T, T_dot, v_s, v_p = system.T[l], system.T_dot(l), system.v[s], system.v[p]
        residual = T.T @ (moving.a[s] - moving.a[p]) + T_dot.T @ (moving.v[s] - moving.v[p])
        close(residual, 0 * residual, 1e-7)                                             # (8.10)
        close(T.T @ system.J_L(l) @ qdd, k, 1e-8)                                       # (8.14)
        past = T.T @ (a_vp[s] - a_vp[p])
        close(k, -past - T_dot.T @ (v_s - v_p), 1e-8)                                   # (8.15)
        close(k, -past - T.T @ crm(v_s) @ v_p, 1e-8)                                    # (8.47)


# Position errors and stabilisation (8.3)

@pytest.mark.source("RBDA-8.21", "RBDA-8.22", "RBDA-8.23", "RBDA-8.24", "RBDA-8.35", "RBDA-T8.4", "RBDA-A8.4")
def test_stabilisation_adds_terms_against_the_errors(system, rng):
    """Errors are those of Table 8.1 for the poses of F_p and F_s; k includes the stabilisation of Eq. 8.22."""
    model, T_stab, (step, qd) = system.model, 0.2, rng.normal(size=(2, system.model.nv))
    q = model.integrate(system.q, step, 1e-2)
    poses, errors = system.mechanism.world_poses(q), []
    for p, s, joint, place_P, place_S in system.loops:
        R, r = systems.undone(compose(poses[p], place_P), compose(poses[s], place_S))
        errors.append(printed_delta(joint, plucker(R.T, r)))
    K, k, delta = loop_constraints(model, q, qd)
    close(delta, np.concatenate(errors))
    assert np.abs(delta).max() > 1e-3
    K_2, k_2, delta_2 = loop_constraints(model, q, qd, T_stab)
    close(K_2, K)
    close(delta_2, delta)
    close(k_2 - k, -2 / T_stab * K @ qd - delta / T_stab**2, 1e-9)              # alpha = beta = 1/T_stab
    for method in METHODS:
        qdd, _ = by_loop_constraints(model, q, qd, tau_for(system), method=method, T_stab=T_stab)
        close(K @ qdd, k_2, 1e-7)


def across(joint, q, d=(0, 0, 0, 0, 0, 0), t=1.0):
    """The transform across a joint whose F_s has been displaced by t d (in F_s) from where it ought to be."""
    R, p = compose(joint_pose(joint, q), helpers.uniform_motion(np.array(d, dtype=float))(t))
    return plucker(R.T, p)


def printed_delta(joint, X):
    """Table 8.1, with the elements of X counted from 1."""
    X = {(i + 1, j + 1): X[i, j] for i in range(6) for j in range(6)}
    turned = [(X[2, 3] - X[3, 2]) / 2, (X[3, 1] - X[1, 3]) / 2, (X[1, 2] - X[2, 1]) / 2]
    return np.array({
        Fixed: [*turned, (X[5, 3] - X[6, 2]) / 2, (X[6, 1] - X[4, 3]) / 2, (X[4, 2] - X[5, 1]) / 2],
        Revolute: [X[2, 3], -X[1, 3], X[5, 3], -X[4, 3], X[4, 1] * X[2, 1] + X[4, 2] * X[2, 2]],
        Prismatic: [*turned, X[5, 3], -X[4, 3]], Cylindrical: [X[2, 3], -X[1, 3], X[5, 3], -X[4, 3]],
        Spherical: [X[5, 1] * X[3, 1] + X[5, 2] * X[3, 2] + X[5, 3] * X[3, 3],
                    X[6, 1] * X[1, 1] + X[6, 2] * X[1, 2] + X[6, 3] * X[1, 3],
                    X[4, 1] * X[2, 1] + X[4, 2] * X[2, 2] + X[4, 3] * X[2, 3]],
    }[type(joint)])


@pytest.mark.source("RBDA-T8.1", "RBDA-8.25", "RBDA-8.27", "RBDA-Q8.3-1")
@pytest.mark.parametrize("joint", [*systems.FIVE, Planar(), Planar("F_s"), Helical(0.3), Helical(-0.05)], ids=str)
def test_the_formulae_for_the_position_error(joint, rng):
    q, v, h = joint.random_position(rng), rng.normal(size=6), getattr(joint, "pitch", 0)
    T = np.eye(6)[:, [0, 1, 3, 4, 5]] - h * np.outer(np.eye(6)[2], np.eye(5)[4]) if h else \
        np.eye(6)[:, systems.RESISTS.get(type(joint), [0, 1, 5])]
    close(loop_jcalc(joint, across(joint, q)).delta, np.zeros(T.shape[1]), 1e-14)
    assert_array_equal(loop_jcalc(joint, across(joint, q)).T, T)
    close(slope(lambda t: loop_jcalc(joint, across(joint, q, v, t)).delta), T.T @ v, 1e-9)
    if type(joint) not in systems.RESISTS:
        return                                                          # no formulae are printed for them
    d, misses = T @ rng.normal(size=T.shape[1]), []
    for size in (1e-2, 1e-3):
        X = across(joint, q, d, size)
        delta = loop_jcalc(joint, X).delta
        close(delta, printed_delta(joint, X), 1e-15)
        misses.append(np.abs(delta - size * T.T @ d).max())
    assert misses[0] < 1e-2 * np.abs(d).max() ** 2 and misses[1] < misses[0] / 50 + 1e-15
    R, p = random_pose(rng)
    close(loop_jcalc(Spherical(), plucker(R.T, p)).delta, R.T @ p)


@pytest.mark.source("RBDA-8.26")
def test_a_small_displacement_is_nearly_a_cross_product(rng):
    def miss(size):
        R, p = helpers.uniform_motion(d)(size)
        return np.abs(plucker(R.T, p) - (np.eye(6) - size * crm(d))).max()

    d = rng.normal(size=6)
    assert 3.8 < miss(1e-3) / miss(5e-4) < 4.2


def openings(model, q, steps, h, T_stab):
    """The largest opening of the loops at the start, at rest, and after each step of a simulation."""
    def rate(x):
        return np.array([x[1], by_loop_constraints(model, *x, 0 * q, method="multipliers", T_stab=T_stab)[0]])

    states = runge_kutta(rate, np.array([q, 0 * q]), h, steps)
    return np.array([np.abs(loop_constraints(model, *x)[2]).max() for x in states])


@pytest.mark.source("RBDA-S8.3-1", "RBDA-S8.3-3")
@pytest.mark.slow
def test_errors_grow_without_stabilisation_and_are_bounded_with_it_whatever_its_time_constant():
    """A four-bar linkage that swings under gravity for 4 s, in steps of 0.05 s."""
    system, half = four_bar(np.random.default_rng(0)), 40
    model = system.model.replace(gravity=(0, -9.81, 0))
    free, slow, fast = (openings(model, system.q, 80, 0.05, T_stab)[1:] for T_stab in (None, 0.2, 0.1))
    assert free[:half].max() * 1.5 < free[half:].max()
    for stabilised in (slow, fast):
        assert stabilised[half:].max() < 1.2 * stabilised[:half].max()
        assert stabilised[half:].max() * 1.2 < free[half:].max()
    assert 1 / 5 < slow.max() / fast.max() < 5          # a factor of two is of little importance; smaller is not better


@pytest.mark.source("RBDA-S8.3-2", "RBDA-8.22")
def test_an_error_dies_away_as_critical_damping_says():
    """delta(t) = delta(0) (1 + t/T) exp(-t/T) if it starts at rest; without stabilisation it stays."""
    system, T_stab, h = four_bar(np.random.default_rng(3)), 0.1, 0.01
    error, free = (openings(system.model, system.q + [1e-3, 0, 0], 30, h, T) for T in (T_stab, None))
    t = h * np.arange(31)
    assert np.abs(error / error[0] - (1 + t / T_stab) * np.exp(-t / T_stab)).max() < 0.05
    assert np.abs(free / free[0] - 1).max() < 0.05


@pytest.mark.source("RBDA-S8.3-4")
@pytest.mark.filterwarnings("ignore:Joint")
def test_every_loop_joint_can_be_replaced_by_one_without_freedom(rng):
    """A hinge to a body without mass, which is then welded to the successor."""
    system = limbs(rng, (3, 5, Revolute()), (0, 6, Spherical()))
    tau, model, loop = tau_for(system), system.model, system.model.loops[0]
    other = Model([*model.parent[1:], loop.predecessor], [*model.joints[1:], loop.joint],
                  [*model.X_tree[1:], loop.X_P], [*model.inertia[1:], np.zeros((6, 6))], model.gravity,
                  loops=[LoopJoint(8, loop.successor, Fixed(), np.eye(6), loop.X_S), model.loops[1]])
    (R, _), (p, s, *_) = systems.undone(system.F_p(0), system.F_s(0)), system.loops[0]
    v_J = motion_coordinates(system.v[s] - system.v[p], system.F_s(0))
    q, qd = np.append(system.q, np.arctan2(R[1, 0], R[0, 0])), np.append(system.qd, v_J[2])
    given = other, q, qd, np.append(tau, 0), np.vstack([system.f_ext, np.zeros(6)])
    qdd, _ = by_loop_constraints(*given)
    close(qdd[:-1], dynamics(system, tau)[0], 1e-8)
    close(by_loop_constraints(*given, "coordinates")[0], qdd, 1e-8)
    with pytest.raises(ValueError, match="use method 'direct'"):
        by_loop_constraints(*given, "multipliers")


@pytest.mark.source("RBDA-8.28", "RBDA-T8.2", "RBDA-T8.3", "RBDA-A8.3")
def test_motors_at_loop_joints_act_on_both_bodies(system, rng):
    """Each pushes along the freedoms of its joint, by geometry: directions that the joint does not resist."""
    tau_loop, tau_a = {}, np.zeros(system.model.nv)
    for l, (_, _, joint, *_) in enumerate(system.loops):
        free = [i for i in range(6) if i not in systems.RESISTS[type(joint)]]
        tau_k = tau_loop[system.model.N_B + l + 1] = rng.normal(size=len(free))
        tau_a += system.J_L(l).T @ helpers.force_carried(np.eye(6)[:, free] @ tau_k, system.F_s(l))
    C_less = bias_with_loop_forces(system.model, system.q, system.qd, system.f_ext, tau_loop)
    close(C_less, system.C - tau_a, 1e-8)
    tau = tau_for(system)
    expected, _ = system.solved(tau + tau_a)
    for method in METHODS:
        close(dynamics(system, tau, method, tau_loop=tau_loop)[0], expected, 1e-8)


@pytest.mark.source("RBDA-8.30", "RBDA-8.33", "RBDA-S8.4-1", "RBDA-S8.0-1")
def test_the_force_in_a_loop_is_what_the_cut_tree_needs_there(system):
    """The loops move as the cut tree does under these forces, and as all bodies with all joint constraints do."""
    tau, model, state = tau_for(system), system.model, (system.q, system.qd)
    qdd, lam = dynamics(system, tau)
    f, on, at_joints = loop_forces(model, system.q, lam), system.f_ext.copy(), 0 * tau
    for l, (p, s, *_) in enumerate(system.loops):
        on[s] += f[l]
        on[p] -= f[l]
        at_joints += system.J_L(l).T @ f[l]
    tree = model.replace(loops=())
    close(by_loop_constraints(tree, *state, tau, on)[0], qdd, 1e-8)
    close(by_loop_constraints(tree, *state, tau + at_joints, system.f_ext)[0], qdd, 1e-8)
    whole = solve_system(model, *state, tau, system.f_ext)
    close(f, whole.f_c[model.N_B + 1 :], 1e-7)
    close(qdd, whole.qdd, 1e-8)
    parts = system.by_loop(lam)
    close(f, np.array([T @ part for T, part in zip(system.T, parts, strict=True)]), 1e-8)
    _, turned = by_loop_constraints(model.replace(loops=model.loops[::-1]), *state, tau, system.f_ext)
    close(turned, np.concatenate(parts[::-1]), 1e-8)            # (8.33)


@pytest.mark.source("RBDA-S8.5-1", "RBDA-8.41", "RBDA-S8.5-2")
def test_redundant_constraints_leave_qdd_alone(planar, rng):
    """Neither small contradictions among them matter, nor what is indeterminate in lam; two do what five do."""
    tau, (n, n_c) = tau_for(planar), (planar.model.nv, 5)
    qdd, _ = dynamics(planar, tau)
    M, right = planar.composite(), np.concatenate([tau - planar.C, planar.k])
    noise = np.concatenate([np.zeros(n), 1e-8 * rng.normal(size=n_c)])
    assert np.abs(np.linalg.lstsq(M, right + noise, rcond=1e-9)[0][:n] - qdd).max() < 1e-6
    for method in METHODS:
        again, _ = by_loop_constraints(planar.model, planar.q + 1e-9 * rng.normal(size=n), planar.qd, tau, planar.f_ext,
                                    method)
        close(again, qdd, 1e-6)
    two = [*range(n), n + 2, n + 3]                     # forces in the plane
    close(np.linalg.solve(M[np.ix_(two, two)], right[two])[:n], qdd, 1e-8)
    A = planar.K @ np.linalg.solve(planar.H, planar.K.T)
    b = planar.k - planar.K @ np.linalg.solve(planar.H, tau - planar.C)
    A_plus = np.linalg.pinv(A, rcond=1e-9)
    for z in (np.zeros(n_c), rng.normal(size=n_c)):
        lam = A_plus @ b + (np.eye(n_c) - A_plus @ A) @ z           # (8.41)
        close(A @ lam, b, 1e-8)
        close(np.linalg.solve(planar.H, tau - planar.C + planar.K.T @ lam), qdd, 1e-8)
    close(planar.K.T @ (np.eye(n_c) - A_plus @ A), np.zeros((n, n_c)), 1e-9)


@pytest.mark.source("RBDA-8.37", "RBDA-8.38", "RBDA-8.39", "RBDA-8.40", "RBDA-A8.5b", "RBDA-Q8.5-1")
def test_the_equation_for_the_multipliers(system):
    """A and b from geometry, and by the book's steps from LᵀL and from LᵀDL."""
    tau, K, k = tau_for(system), system.K, system.k
    A = K @ np.linalg.solve(system.H, K.T)
    b = k - K @ np.linalg.solve(system.H, tau - system.C)
    close(A, A.T, 1e-9)
    assert np.linalg.eigvalsh(A).min() > -1e-10 and np.linalg.matrix_rank(A) == np.linalg.matrix_rank(K)
    for method in METHODS:
        close(A @ dynamics(system, tau, method)[1], b, 1e-7)
    H, parent = crba(system.model, system.q), expanded_parent(system.model)
    f = tau - bias_with_loop_forces(system.model, system.q, system.qd, system.f_ext)
    for L, D in ((ltl(H, parent), np.ones(len(H))), ltdl(H, parent)):
        Y, z = np.linalg.solve(L.T, K.T), np.linalg.solve(L.T, f)
        close(Y.T @ (Y / D[:, None]), A, 1e-8)
        close(k - Y.T @ (z / D), b, 1e-7)


# Algorithms (8.6, 8.7)

@pytest.mark.source("RBDA-S8.6-1")
def test_a_motor_in_the_tree_or_at_the_loop_joint_moves_bodies_alike(rng):
    """A four-bar linkage with a motor between coupler and rocker, cut there, and cut at the rocker's ground hinge."""
    sizes = a, b, c, ground = 1.0, 2.0, 1.5, 2.2
    system, tau_k = four_bar(rng, sizes=sizes), rng.normal()
    bodies, (q1, q2, q3), (v1, v2, v3) = system.mechanism.bodies, system.q, system.qd
    m, com, I_C = bodies[2]
    other = Model([0, 1, 2], [Revolute()] * 3, [np.eye(6), xlt([a, 0, 0]), xlt([b, 0, 0])],
                  [mcI(*bodies[0]), mcI(*bodies[1]), mcI(m, com - [c, 0, 0], I_C)], system.model.gravity,
                  loops=[LoopJoint(0, 3, Revolute(), xlt([ground, 0, 0]), xlt([-c, 0, 0]))])
    for method in METHODS:
        at_loop, _ = by_loop_constraints(system.model, system.q, system.qd, np.zeros(3), None, method,
                                         tau_loop={4: tau_k})
        in_tree, _ = by_loop_constraints(other, [q1, q2, q3 - q1 - q2], [v1, v2, v3 - v1 - v2], [0, 0, tau_k],
                                         method=method)
        close(np.cumsum(in_tree), np.array([at_loop[0], at_loop[0] + at_loop[1], at_loop[2]]), 1e-8)


@pytest.mark.source("RBDA-S8.6-3")
@pytest.mark.parametrize("joint", [*systems.FIVE[1:], Helical(0.3), Planar(), FreeMotion()], ids=str)
def test_active_forces_give_the_power_of_the_motor(joint, rng):
    """T_a^T S = 1, in F_s coordinates and constant; the power is that of the force on the velocity of F_s."""
    q, qd, tau_k = joint.random_position(rng), rng.normal(size=joint.nv), rng.normal(size=joint.nv)
    T_a = active_forces(joint, across(joint, q))
    assert_array_equal(T_a, active_forces(joint, across(joint, joint.random_position(rng))))
    pose = joint_pose(joint, q)
    v_J = motion_of(lambda t: joint_pose(joint, joint.integrate(q, qd, t)))
    assert abs(helpers.force_carried(T_a @ tau_k, pose) @ v_J - tau_k @ qd) < 1e-9


@pytest.mark.source("RBDA-S8.7-0", "RBDA-S8.6-2")
def test_neither_gravity_nor_the_frame_in_which_loops_are_compared_matters(system, rng):
    model, (step, qd) = system.model, rng.normal(size=(2, system.model.nv))
    state = model.integrate(system.q, step, 1e-2), qd, 0.3
    trees = (seen_from(model, spanning_tree(model, *state[:2]), frame) for frame in system.bodies)
    for found in (loop_constraints(model.replace(gravity=(0, 0, 0)), *state),
                  *(loop_constraints(model, *state, tree=tree) for tree in trees)):
        for mine, theirs in zip(found, loop_constraints(model, *state), strict=True):
            close(mine, theirs, 1e-10)


@pytest.mark.source("RBDA-S8.7-1", "RBDA-S8.7-2")
def test_the_loop_in_the_algorithm_ends_at_the_root_of_the_loop(system):
    """The greater of i and j steps to its parent until they are equal; it passes the joints that the loop feels."""
    model, paths = system.model, []
    for l, (p, s, *_) in enumerate(system.loops):
        felt = [j for j in system.bodies if np.abs(system.J_L(l)[:, model.v_slice(j)]).max() > 1e-9]
        i, j, visited = p, s, set()
        while i != j:
            visited.add(max(i, j))
            i, j = (model.parent[i], j) if i > j else (i, model.parent[j])
        assert i == max(system.ancestors(p) & system.ancestors(s))
        assert sorted(visited) == felt == loop_path(model, l + 1)
        paths.append(felt)
    assert len(set().union(*paths)) < sum(map(len, paths))              # with stored axes fewer are transformed


@pytest.mark.source("RBDA-S8.7-3")
def test_far_from_the_base_the_loops_are_best_compared_on_the_floating_base():
    def K(distance, frame):
        q = [0.5, -0.5, 0.1, 0.7, distance, 0, 0, 0.7, 0.4, -0.9]
        tree = spanning_tree(system.model, q, np.zeros(9))
        return loop_constraints(system.model, q, np.zeros(9), tree=seen_from(system.model, tree, frame))[0]

    system = Looped(np.random.default_rng(9), [FreeMotion(), Revolute("x"), Revolute("y"), Revolute((1, 1, 0))],
                    [0, 1, 2, 1], [(3, 4, Spherical())])
    errors = [np.abs(K(distance, 0) - K(0.0, 1)).max() for distance in (1e4, 1e6, 1e8)]
    assert all(10 < after / before < 1e4 for before, after in zip(errors, errors[1:], strict=False))
    assert 1e-10 < errors[2] < 1e-5 and np.abs(K(1e8, 1) - K(0.0, 1)).max() < 1e-13


SHAPES = {"few": (3, 7, 3), "few, dependent": (4, 7, 2), "many, dependent": (9, 5, 3), "all fixed": (4, 4, 4),
          "more than all": (7, 4, 4), "none": (3, 4, 0)}


@pytest.fixture(params=list(SHAPES))
def equation(request, rng):
    """K (m x n) of rank r and a k for which K x = k has solutions."""
    m, n, r = SHAPES[request.param]
    K = rng.normal(size=(m, r)) @ rng.normal(size=(r, n))
    return K, K @ rng.normal(size=n), r


def projector(A):
    """Onto the space that the columns of A span."""
    return A @ np.linalg.pinv(A)


# G and g (8.5, 8.8)

@pytest.mark.source("RBDA-8.42", "RBDA-8.43", "RBDA-8.44", "RBDA-8.48", "RBDA-8.49", "RBDA-8.51", "RBDA-A8.8",
                    "RBDA-S8.5-3", "RBDA-S8.9-1", "RBDA-8.50", "RBDA-S8.8-1")
def test_G_and_g_describe_all_solutions(equation, rng):
    """And they follow from the permuted blocks of K; dependent rows are known by their combinations of the others."""
    K, k, r = equation
    n, m = K.shape[1], K.shape[1] - r
    G, g = constraint_solution(K, k)
    assert G.shape == (n, m) and (m == 0 or np.linalg.matrix_rank(G) == m)
    assert np.count_nonzero(G == 0) >= m * (m - 1)
    assert np.abs(K @ G).max(initial=0) < 1e-9
    close(K @ g, k, 1e-9)
    close(projector(G), projector(null_space(K, rcond=1e-9)), 1e-9)
    y = rng.normal(size=m)
    close(K @ (G @ y + g), k, 1e-8)
    x = np.linalg.pinv(K, rcond=1e-9) @ k
    if r == n:
        close(g, x, 1e-9)
    units = [i for i in range(n) if np.count_nonzero(G[i]) == 1 and G[i].max() == 1 and g[i] == 0]
    assert len(units) >= m                          # y is a part of x
    places = [next(i for i in units if G[i, j] == 1) for j in range(m)]
    close(G @ x[places] + g, x, 1e-8)               # and determines the rest
    assert places == sorted(places)
    C = null_space(K, rcond=1e-9) @ rng.normal(size=(m, m))                 # other C and d: their y for the same x
    close(C @ np.linalg.pinv(C) @ (G @ y + g - x) + x, G @ y + g, 1e-7)

    rows, columns, rank, L, U = elimination = eliminate(K)
    assert rank == r and sorted(rows) == list(range(len(K))) and sorted(columns) == list(range(K.shape[1]))
    Q_1, Q_2 = np.eye(len(K))[:, rows], np.eye(K.shape[1])[columns]
    blocks = K[rows][:, columns]
    close(Q_1 @ blocks @ Q_2, K, 0)
    close(L @ U, blocks, 1e-9)
    K_11, K_12, K_21, K_22 = blocks[:r, :r], blocks[:r, r:], blocks[r:, :r], blocks[r:, r:]
    if r == 0:
        return
    close(np.triu(U[:, :r]), U[:, :r])
    close(L[:r] @ U[:, :r], K_11, 1e-9)
    if r < len(K):
        Y = K_21 @ np.linalg.inv(K_11)
        close(dependence(elimination)[rows[r:]], Y, 1e-8)
        close(k[rows[r:]], Y @ k[rows[:r]], 1e-8)
    if r < K.shape[1]:
        close(np.linalg.solve(L[:r], K_12), U[:, r:], 1e-8)
        np.testing.assert_allclose(K_22, K_21 @ np.linalg.solve(K_11, K_12), atol=1e-8)
        stacked = Q_2.T @ np.vstack([-np.linalg.inv(K_11) @ K_12, np.eye(K.shape[1] - r)])
        close(G, stacked[:, np.argsort(columns[r:])], 1e-8)
    close(g, Q_2.T @ np.concatenate([np.linalg.inv(K_11) @ k[rows[:r]], np.zeros(K.shape[1] - r)]), 1e-8)


@pytest.mark.source("RBDA-A8.8")
def test_the_reader_may_choose_the_independent_variables(rng):
    K = rng.normal(size=(3, 7))
    K[:, 4] = 0                                     # a joint in no loop is independent of necessity
    k = rng.normal(size=3)
    G, g = constraint_solution(K, k, independent=(1, 4, 5, 6))
    close(G[[1, 4, 5, 6]], np.eye(4), 0)
    close(g[[1, 4, 5, 6]], np.zeros(4), 0)
    close(K @ G, np.zeros((3, 4)), 1e-10)
    close(K @ g, k, 1e-10)
    for wrong in ((1, 5, 6), (0, 1, 5, 6), (0, 1, 2, 3)):
        with pytest.raises(ValueError, match="independent is"):
            constraint_solution(K, k, independent=wrong)


@pytest.mark.source("RBDA-8.45", "RBDA-8.46", "RBDA-A8.5c", "RBDA-8.42")
def test_the_reduced_equation_of_motion(rng):
    """G and g of the null space found otherwise give the same motion, and Gᵀ H G is positive definite."""
    for system in (limbs(rng, (3, 5, Revolute()), (7, 0, Spherical())), figure_8_3(rng), four_bar(rng)):
        tau = rng.normal(size=system.model.nv)
        f = tau - system.C
        qdd, _ = by_loop_constraints(system.model, system.q, system.qd, tau, system.f_ext, "coordinates")
        for G, g in ((null_space(system.K, rcond=1e-8), np.linalg.pinv(system.K, rcond=1e-8) @ system.k),
                     constraint_solution(system.K, system.k, 1e-8)):
            H_G = G.T @ system.H @ G
            assert np.linalg.eigvalsh(H_G).min() > 0
            ydd = np.linalg.solve(H_G, G.T @ (f - system.H @ g))
            close(G.T @ system.H @ qdd, G.T @ f, 1e-8)
            close(G @ ydd + g, qdd, 1e-7)


# Sparsity (8.9)

def closed_by(model, q, ends):
    """The model with loop joints (p, s, joint) that are closed at q."""
    X, loops, X_P = transforms(model, q), [], xlt([0.3, -0.2, 0])
    for p, s, joint in ends:
        X_J = joint.transform(joint.neutral())
        loops.append(LoopJoint(p, s, joint, X_P, X_J @ X_P @ X[p] @ inverse_transform(X[s])))
    return model.replace(loops=loops)


@pytest.fixture(scope="module")
def figure_8_1():
    """Twenty hinges and four loops as in Figure 8.1, with a loop joint of one constraint for the fourth."""
    parent = [0, 1, 2, 3, 2, 4, 5, 2, 8, 9, 10, 9, 1, 13, 14, 13, 16, 14, 18, 19]
    rng = np.random.default_rng(81)
    places = [xlt([*rng.uniform(0.5, 1.5, 2), 0]) for _ in parent]
    model = Model(parent, [Revolute()] * 20, places, [mcI(*helpers.random_mass_properties(rng)) for _ in parent])
    q = rng.uniform(-1, 1, 20)
    ends = [(4, 5, Revolute()), (6, 7, Revolute()), (11, 12, Revolute()), (18, 20, systems.one_constraint())]
    return closed_by(model, q, ends), q


@pytest.mark.source("RBDA-F8.1", "RBDA-S8.9-2")
@pytest.mark.slow
def test_the_clusters_of_figure_8_1(figure_8_1):
    model, q = figure_8_1
    clusters = loop_clusters(model)
    assert [(c.loops, c.joints) for c in clusters] == [([1, 2], [3, 4, 5, 6, 7]), ([3], [10, 11, 12]), ([4], [19, 20])]
    K, k, _ = loop_constraints(model, q, np.zeros(20))
    assert K.shape == (16, 20)
    for c in clusters:
        rest = np.ones(K.shape, dtype=bool)
        rest[:, [j - 1 for j in c.joints]] = False
        assert not K[c.rows][rest[c.rows]].any() and np.abs(K[np.ix_(c.rows, c.variables)]).max() > 0.1
    blocks = solution_by_clusters(K, k, clusters)
    assert [block.G.shape for block in blocks[:-1]] == [(5, 1), (3, 1), (2, 1)] and len(blocks[-1].variables) == 10
    G, g = join(blocks, K)
    assert np.linalg.matrix_rank(K) == 7 and G.shape == (20, 13) and np.linalg.matrix_rank(G) == 13
    close(K @ G, np.zeros((16, 13)), 1e-9)
    close(K @ g, k, 1e-9)
    sets = [[1, 2], [3, 4, 5, 6, 7], [8, 9], [10, 11, 12], [13, 14, 15, 16, 17, 18], [19, 20]]
    parts = [G[[j - 1 for j in joints]] for joints in sets]
    parts = [part[:, np.any(part != 0, axis=0)] for part in parts]
    assert np.array_equal(block_diag(*parts), G)
    for gap in (0, 2, 4):
        assert np.array_equal(parts[gap], np.eye(len(sets[gap])))


@pytest.mark.slow
@pytest.mark.source("RBDA-S8.9-3", "RBDA-S8.9-2")
def test_working_by_blocks_changes_nothing_and_costs_less(figure_8_1, rng):
    """The operations of elimination are counted; so are those of Gᵀ H G and K H⁻¹ Kᵀ, and of forward dynamics."""
    model, q = figure_8_1
    model = model.replace(loops=model.loops[:3])            # those whose joints can run on counted numbers
    K = loop_constraints(model, q, np.zeros(20))[0]
    k = K @ rng.normal(size=20)
    clusters = loop_clusters(model)
    blockwise, (G, g) = count_operations(lambda K, k: join(solution_by_clusters(K, k, clusters), K), K, k)
    dense, (G_dense, g_dense) = count_operations(constraint_solution, K, k)
    close(K @ G, 0 * K @ G, 1e-9)
    close(projector(G), projector(G_dense), 1e-9)
    close(K @ g, K @ g_dense, 1e-9)
    assert blockwise["m"] * 5 < dense["m"]
    H = crba(model, q)
    blocks = {"G": [(block.variables, block.y, np.eye(len(block.y)) if block.G is None else block.G)
                    for block in solution_by_clusters(K, k, clusters)],
              "K": [(c.variables, c.rows, K[np.ix_(c.rows, c.variables)].T) for c in clusters]}
    for A, W, parts in ((G, H, blocks["G"]), (K.T, np.linalg.inv(H), blocks["K"])):
        def by_blocks(W, parts=parts, shape=A.shape):
            found = zeros((shape[1], shape[1]), W)
            for x, own, A_i in parts:
                for y, other, A_j in parts:
                    found[np.ix_(own, other)] = A_i.T @ W[np.ix_(x, y)] @ A_j
            return found

        (cheap, found), (dear, expected) = (count_operations(f, W) for f in (by_blocks, lambda W, A=A: A.T @ W @ A))
        close(found, expected, 1e-9)
        assert cheap["m"] * 1.5 < dear["m"]
    tau, qd = rng.normal(size=20), G @ rng.normal(size=G.shape[1])
    costs = {}
    for method in METHODS:
        costs[method], (qdd, _) = count_operations(
            lambda q, qd, method=method: by_loop_constraints(model, q, qd, tau, method=method, tolerance=1e-9), q, qd)
        close(qdd, by_loop_constraints(model, q, qd, tau, tolerance=1e-9)[0], 1e-6)
    assert costs["multipliers"]["m"] + 3000 < costs["direct"]["m"]
    assert costs["coordinates"]["m"] + 3000 < costs["direct"]["m"]


# Mobility (8.10)

@pytest.mark.source("RBDA-8.52", "RBDA-8.54", "RBDA-8.55", "RBDA-S8.10-4")
@pytest.mark.parametrize("kind, n, free", [(four_bar, 3, 1), (figure_8_3, 4, 2)])
def test_the_mobility_of_planar_loops(kind, n, free, rng):
    """The motions that are left are those that keep the loop closed, by geometry. In space three constraints repeat
    others; in the plane two matter, and each loop takes three freedoms."""
    system = kind(rng)
    report = mobility(system.model, system.q)
    r = np.linalg.matrix_rank(system.K, 1e-8)
    assert (report.n, report.n_c, report.r, report.mobility) == (n, 5, r, free) and r == 2
    assert report.overconstrained and not report.properly_constrained and report.redundant == 3
    assert free == report.n_tot - 6 * 1 + (5 - r) and report.dependent_loops == (1,)
    in_plane = np.array([row for row in system.K if np.abs(row).max() > 1e-9])
    assert np.linalg.matrix_rank(in_plane, 1e-8) == r and report.n_tot - 3 == n - r == free
    A = system.K @ np.linalg.solve(system.H, system.K.T)
    assert null_space(A, rcond=1e-9).shape[1] == 3          # so many constraint forces are indeterminate
    assert report.expected == n - 5 != report.mobility      # where constraints repeat others, (8.53) does not hold
    moved = system.model.integrate(system.q, null_space(system.K, rcond=1e-8)[:, 0], 1e-4)
    assert np.abs(loop_constraints(system.model, moved, system.qd)[2]).max() < 1e-7


@pytest.mark.source("RBDA-8.53", "RBDA-8.52")
def test_the_mobility_of_properly_constrained_loops_in_space(rng):
    """Seven hinges in general position, and the linkage RSSR, whose coupler can spin: 7 - 6 and 8 - 6."""
    seven = Looped(rng, [Revolute(axis) for axis in ((1, 2, 3), (2, -1, 1), "x", (0, 1, 2), (3, 1, -1), "y")],
                   [0, 1, 2, 3, 4, 5], [(0, 6, Revolute())])
    rssr = Looped(rng, [Revolute(), Spherical(), Revolute((1, 1, 0))], [0, 1, 0], [(2, 3, Spherical())])
    for system, n_tot, free in ((seven, 7, 1), (rssr, 8, 2)):
        report = mobility(system.model, system.q)
        assert report.properly_constrained and report.n_tot == n_tot and report.dependent_loops == ()
        assert report.mobility == report.expected == n_tot - 6 == free
        assert system.model.nv - np.linalg.matrix_rank(system.K, 1e-8) == free


@pytest.mark.source("RBDA-S8.10-1")
def test_counting_freedoms_is_counting_constraints(rng):
    for _ in range(5):
        kinds = [[Revolute(), Spherical(), Planar(), Cylindrical()][k] for k in rng.integers(0, 4, 9)]
        model, joints = random_model(rng, kinds[:6]), kinds[6:]
        q, _ = model.random_state(rng)
        model = closed_by(model, q, [(int(rng.integers(0, 3)), int(rng.integers(3, 7)), joint) for joint in joints])
        report = mobility(model, q)
        assert report.n_tot == sum(joint.nv for joint in [*model.joints[1:], *joints])
        assert report.n_tot - 6 * 3 == report.expected == report.n - report.n_c
        K = loop_constraints(model, q, np.zeros(model.nv))[0]
        assert report.properly_constrained == (np.linalg.matrix_rank(K, 1e-9) == len(K))


@pytest.mark.source("RBDA-S8.10-2", "RBDA-F8.2")
def test_variable_mobility():
    """Figure 8.2 (a): two arms, two links and a slider. Where the links lie on the arms, the arms move alone."""
    rng = np.random.default_rng(82)
    apart = figure_8_2(rng, (0.6, -0.6), 2 * np.cos(0.6))
    between, together = (figure_8_2(rng, arms, 0.0) for arms in ((np.pi / 2, -np.pi / 2), (0.3, -0.9)))
    for system, r, free in ((apart, 4, 1), (between, 2, 3), (together, 3, 2)):
        report = mobility(system.model, system.q)
        assert (report.n, report.n_c, report.r, report.mobility) == (5, 10, r, free)
        assert np.linalg.matrix_rank(system.K, 1e-8) == r
    other = figure_8_2(rng, (1.3, 0.2), 0.0)                # the arms turn at will
    assert np.abs(loop_constraints(together.model, other.q, other.qd)[2]).max() < 1e-12
    assert mobility(together.model.replace(loops=()), together.q).mobility == 5
    path = [mobility(apart.model, figure_8_2(rng, (x, -x), 2 * np.cos(x)).q) for x in (1.2, 1.4, 1.5, 1.56)]
    pivots = [report.smallest_pivot for report in path]
    assert pivots == sorted(pivots)[::-1] and pivots[-1] < 0.05         # which tells that a singular place is near
    assert [report.mobility for report in path] == [1, 1, 1, 1]


@pytest.mark.source("RBDA-F8.2", "RBDA-S8.10-3")
def test_configuration_ambiguity(rng):
    """Figure 8.2 (b): one crank angle, two ways to close the loop; following the motion keeps to one of them."""
    one, other = four_bar(rng, 0.7, 1), four_bar(rng, 0.7, -1)
    for system in (one, other):
        assert np.abs(loop_constraints(one.model, system.q, system.qd)[2]).max() < 1e-12
        assert mobility(one.model, system.q).mobility == 1
    assert one.q[0] == other.q[0] and np.abs(one.q - other.q).max() > 0.5

    def way(q):
        return constraint_solution(loop_constraints(one.model, q, 0 * q)[0], np.zeros(5), independent=(0,))[0][:, 0]

    for branch, q in ((1, one.q), (-1, other.q)):
        for _ in range(50):                                 # the crank turns by 0.5 rad; q of the tree is the state
            q = q + 0.01 * way(q + 0.005 * way(q))
        close(q, four_bar(rng, 1.2, branch).q, 1e-4)


@pytest.mark.source("RBDA-S8.10-5", "RBDA-S8.5-1")
def test_a_loop_joint_with_two_constraints_removes_the_redundancy(rng):
    """A ball in a cylinder whose axis is normal to the plane: it may tilt, turn, and slide along z of F_p."""
    hinge = four_bar(np.random.default_rng(5))
    seam = hinge.model.loops[0]
    ball = Custom(4, lambda q, t: rotz(q[2]) @ roty(q[1]) @ rotx(q[0]) @ xlt([0, 0, q[3]]), name="ball in cylinder")
    model = hinge.model.replace(loops=[LoopJoint(2, 3, ball, seam.X_P, seam.X_S)])
    report = mobility(model, hinge.q)
    assert (report.n_c, report.r, report.mobility, report.overconstrained) == (2, 2, 1, False)
    tau, (K, _, delta) = rng.normal(size=3), loop_constraints(model, hinge.q, hinge.qd)
    assert K.shape == (2, 3) and np.abs(delta).max() < 1e-9
    for method in METHODS:
        qdd, _ = by_loop_constraints(model, hinge.q, hinge.qd, tau, hinge.f_ext, method)
        close(qdd, hinge.solved(tau)[0], 1e-8)
