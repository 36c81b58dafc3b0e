"""RBDA 9.1 and 9.2 row by row: hybrid dynamics by the inertia matrix and by articulated bodies. Motions, forces and
mass matrices come from geometry, in `tests.sources.ch05_systems`, `ch06_systems`, `ch07_systems`."""

import contextlib
from functools import cache, cached_property

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rbdlib import Model, aba, rnea
from rbdlib.analysis.counting import count_operations
from rbdlib.book import ch09_hybrid as hybrid
from rbdlib.book.ch02_spatial import mcI, xlt
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch04_kinematics import joints_at
from rbdlib.book.ch06_factorisation import expand_parent, ltdl, ltl, solve
from rbdlib.book.ch06_inertia_matrix import crba, differential_inverse_dynamics
from rbdlib.book.ch07_articulated_body import ArticulatedBodies, articulated_bodies
from rbdlib.book.ch09_hybrid import hybrid_articulated_bodies, hybrid_dynamics
from rbdlib.motion.integrators import SimulationError
from rbdlib.motion.simulate import simulate
from tests.sources.ch05_systems import JOINT_SETS
from tests.sources.ch06_systems import BINARY, accelerated, ancestors, body_axes, random_parents, related
from tests.sources.ch07_systems import Forced, in_world, near
from tests.sources.helpers import far, random_tree

BRANCHED = (0, 1, 1, 3, 3)
CASES = [*((name, BRANCHED) for name in JOINT_SETS), ("angles", None)]


@cache
def system(name, parent):
    return Forced(np.random.default_rng([9, len(name), parent is None]), JOINT_SETS[name], parent)


class Case:
    """A mechanism in motion, of which some joints' motion counts as known: `moving`, with blocks as in the text.
    prescribed, fd: the bodies. one, two: places of their variables. H: mass matrix, from geometry. Q: permutation."""
    def __init__(self, moving, prescribed):
        self.moving, self.model, self.prescribed = moving, moving.model, list(prescribed)
        self.fd = [i for i in moving.bodies if i not in self.prescribed]
        owner = np.repeat(list(moving.bodies), [joint.nv for joint in self.model.joints[1:]])
        self.one, self.two = np.flatnonzero(np.isin(owner, self.fd)), np.flatnonzero(~np.isin(owner, self.fd))
        self.tau, self.qdd, self.H = moving.joint_forces(), moving.qdd, moving.H
        self.Q = np.eye(self.model.nv)[np.concatenate([self.one, self.two])]

    @cached_property
    def C(self):
        """The joint forces without accelerations, from geometry."""
        return accelerated(self.moving, self.moving.qd, 0 * self.qdd).joint_forces()

    @cached_property
    def C_prime(self):
        """The joint forces with the accelerations of the prescribed joints alone, from geometry."""
        return accelerated(self.moving, self.moving.qd, self.only(self.two)).joint_forces()

    def only(self, places):
        """The accelerations at some places, and 0 elsewhere."""
        qdd = np.zeros(self.model.nv)
        qdd[places] = self.qdd[places]
        return qdd

    def block(self, a, b):
        places = {"1": self.one, "2": self.two}
        return self.H[np.ix_(places[a], places[b])]

    @property
    def blocks(self):
        """H_11, H_12, H_21, H_22, C_1, C_2, qdd_1, qdd_2, tau_1, tau_2, all from geometry."""
        return (*(self.block(a, b) for a in "12" for b in "12"),
                *(x[places] for x in (self.C, self.qdd, self.tau) for places in (self.one, self.two)))

    @property
    def given(self):
        """The arguments of a hybrid-dynamics function, with NaN for what is not known."""
        qdd, tau = self.qdd.copy(), self.tau.copy()
        qdd[self.one], tau[self.two] = np.nan, np.nan
        return self.model, self.moving.q, self.moving.qd, qdd, tau, self.prescribed, self.moving.f_ext


def some(rng, model, bodies):
    """About half of the bodies, so that freedoms are among them and among the others."""
    while True:
        chosen = [i for i in bodies if rng.random() < 0.5]
        if 0 < sum(model.joints[i].nv for i in chosen) < sum(model.joints[i].nv for i in bodies):
            return chosen


@pytest.fixture(scope="module", params=CASES, ids="{0[0]}, {0[1]}".format)
def case(request):
    moving = system(*request.param)
    return Case(moving, some(np.random.default_rng([len(CASES), 91]), moving.model, list(moving.bodies)))


# 9.1 The problem

@pytest.mark.source("RBDA-S9.1-1", "RBDA-A9.u1", "RBDA-A9.1", "RBDA-T9.1", "RBDA-A9.3", "RBDA-T9.3")
@pytest.mark.slow
def test_each_algorithm_finds_the_unknown_half_of_a_motion_and_its_forces():
    """Every joint, twelve sets of them prescribed, gravity and forces from outside; the unknown is NaN. Forward and
    inverse dynamics are the special cases of no joint prescribed and of all of them."""
    rng = np.random.default_rng(94)
    for name in JOINT_SETS:
        moving = system(name, BRANCHED)
        state, push = (moving.q, moving.qd), np.linspace(-2, 3, moving.model.nv)
        forward, inverse = (Case(moving, prescribed) for prescribed in ([], moving.bodies))
        half = (Case(moving, [i for i in moving.bodies if rng.random() < 0.5]) for _ in range(10))
        for case in (forward, inverse, *half):
            near(hybrid.modified_crba(case.model, moving.q, case.prescribed), kept(case))
            for method in hybrid.METHODS:
                qdd, tau = hybrid_dynamics(*case.given, method=method)
                near(qdd, case.qdd)
                near(tau, case.tau)
        for method in hybrid.METHODS:
            for tau in (push, forward.tau):
                qdd, _ = hybrid_dynamics(moving.model, *state, None, tau, [], moving.f_ext, method)
                near(qdd, moving.response(tau, moving.f_ext)[0])
                near(qdd, aba(moving.model, *state, tau, moving.f_ext), 1e-9)
            tau = hybrid_dynamics(*inverse.given, method=method)[1]
            near(tau, rnea(moving.model, *state, moving.qdd, moving.f_ext), 1e-11)


@pytest.mark.source("RBDA-9.1", "RBDA-S9.1-2", "RBDA-S9.1-3", "RBDA-9.2", "RBDA-A9.u1", "RBDA-9.4", "RBDA-X9.1",
                    "RBDA-S9.1-6", "RBDA-Q9.1")
def test_the_permutation_the_blocks_and_the_basic_equation(case):
    """A permutation of rows, whose transpose scatters back; blocks of a symmetric positive definite H by geometry. The
    equations as dense systems, with H, C and C' by geometry; minus the identity at the lower right."""
    Q, model, q, qd = hybrid.permutation(case.model, case.prescribed), case.model, case.moving.q, case.moving.qd
    assert_array_equal(Q, case.Q)
    assert_array_equal(Q @ case.qdd, np.concatenate([case.qdd[case.one], case.qdd[case.two]]))
    assert_array_equal(Q.T @ (Q @ case.tau), case.tau)
    H_11, H_12, H_21, H_22, C_1, C_2, qdd_1, qdd_2, tau_1, tau_2 = case.blocks
    near(Q @ crba(model, q) @ Q.T, np.block([[H_11, H_12], [H_21, H_22]]))
    near(Q @ rnea(model, q, qd, 0 * qd, case.moving.f_ext), np.concatenate([C_1, C_2]))
    near(H_11 @ qdd_1 + H_12 @ qdd_2, tau_1 - C_1)                                      # (9.1)
    near(H_21 @ qdd_1 + H_22 @ qdd_2, tau_2 - C_2)

    n_1, n_2, C_prime = len(case.one), len(case.two), case.Q @ case.C_prime
    left, zero, H_11_inv = np.block([[H_11, np.zeros((n_1, n_2))], [H_21, -np.eye(n_2)]]), 0 * H_12, np.linalg.inv(H_11)
    unknown, known, C = (np.concatenate(x) for x in ((qdd_1, tau_2), (tau_1, qdd_2), (C_1, C_2)))
    forces = np.concatenate([tau_1, 0 * tau_2])
    near(left @ unknown, forces - C_prime)                                              # (9.2)
    right = np.block([[np.eye(n_1), -H_12], [zero.T, -H_22]])
    near(left @ unknown, right @ known - C)                                             # (9.4)
    inverse = np.block([[H_11_inv, zero], [H_21 @ H_11_inv, -np.eye(n_2)]])
    near(inverse @ left, np.eye(n_1 + n_2), 1e-10)
    form = np.block([[H_11_inv, -H_11_inv @ H_12], [H_21 @ H_11_inv, H_22 - H_21 @ H_11_inv @ H_12]])
    near(form @ known - inverse @ C, unknown)                                           # S9.1-6
    for method in (*hybrid.METHODS.values(), hybrid.by_permutation):
        qdd, tau = method(*case.given)
        near(np.concatenate([qdd[case.one], tau[case.two]]), unknown)
    left[n_1:, n_1:] = np.eye(n_2)
    far(np.linalg.solve(left, forces - C_prime), unknown)


@pytest.mark.source("RBDA-9.3", "RBDA-S9.1-4", "RBDA-S9.1-5", "RBDA-A9.u1", "RBDA-S9.1-7")
def test_the_bias_force_that_holds_the_free_joints_and_the_fourth_step(case):
    """C' by inverse dynamics, by geometry and by its definition; it gives no acceleration to the free joints. C' + H Qᵀ
    [qdd_1; 0] by differential inverse dynamics and by blocks: all forces, those that are given too. The prescribed
    accelerations, which C' contains already, must not stand in its argument."""
    (model, moving), (q, qd, only_two) = (case.model, case.moving), (case.moving.q, case.moving.qd, case.only(case.two))
    H_11, H_12, H_21, H_22, C_1, C_2, qdd_1, qdd_2, tau_1, _ = case.blocks
    C_prime = rnea(model, q, qd, only_two, moving.f_ext)
    near(C_prime, case.C_prime)
    near(case.Q @ C_prime, np.concatenate([C_1 + H_12 @ qdd_2, C_2 + H_22 @ qdd_2]))
    near(moving.response(C_prime, moving.f_ext)[0], only_two)
    far(rnea(model.replace(gravity=(0, 0, 0)), q, qd, only_two), case.C_prime)
    tau = case.C_prime + differential_inverse_dynamics(model, q, case.only(case.one))
    near(tau, case.tau)
    near(tau[case.one], tau_1)
    near(case.C_prime + case.Q.T @ np.concatenate([H_11 @ qdd_1, H_21 @ qdd_1]), case.tau)
    near(hybrid.by_inertia_matrix(*case.given)[1], tau)
    far(case.C_prime + differential_inverse_dynamics(model, q, case.qdd), case.tau)


def kept(case):
    """H by geometry, with zeros in all rows and columns but those of the free joints."""
    H = np.zeros_like(case.H)
    H[np.ix_(case.one, case.one)] = case.H[np.ix_(case.one, case.one)]
    return H


@pytest.mark.source("RBDA-S9.1-9", "RBDA-A9.1", "RBDA-T9.1")
def test_the_modified_algorithm_does_part_of_the_work(case, monkeypatch):
    """It finds the block of the free joints, and leaves zeros elsewhere. It needs the axes of these joints alone, and
    the transforms that lead from nu(fd) to nu(fd); with all joints free it counts as many operations as the whole."""
    model, q, parent = case.model, case.moving.q, case.model.parent
    nu_fd = {i for i in model.bodies if set(ancestors(parent[1:], i)) & set(case.fd)}
    X_up, S = joints_at(model, q)
    needed = ([X if i and parent[i] in nu_fd else 0 * X + np.nan for i, X in enumerate([np.eye(6), *X_up[1:]])],
              [S_i if i in case.fd else 0 * S_i + np.nan for i, S_i in enumerate([np.eye(6), *S[1:]])])
    with monkeypatch.context() as patch:
        patch.setattr(hybrid, "joints_at", lambda model, q, t: needed)
        H = hybrid.modified_crba(model, q, case.prescribed)
    near(H, kept(case))
    assert not H[case.two].any() and not H[:, case.two].any()
    free, _ = count_operations(lambda q: hybrid.modified_crba(model, q, []), q)
    assert free == count_operations(lambda q: crba(model, q), q)[0]


@pytest.mark.source("RBDA-9.5", "RBDA-A9.u2", "RBDA-S9.1-8")
def test_the_bodies_that_free_joints_move(monkeypatch):
    """The union of their subtrees, on random trees: those that move when the free joints move, in every configuration
    of the mechanism; so the set can be kept."""
    rng = np.random.default_rng(96)
    for n in [*range(1, 15)] * 3:
        parent = random_parents(rng, n)
        fd = {i for i in range(1, n + 1) if rng.random() < 0.3}
        union = {i for i in range(1, n + 1) if set(ancestors(parent, i)) & fd}
        assert hybrid.supported(parent, fd) == hybrid.supported(parent, sorted(fd)) == union
    tree = random_tree(rng, 7, BINARY)
    model, prescribed, kept_set = tree.model(), [1, 2, 4], hybrid.supported(BINARY, [3, 5, 6, 7])
    states = rng.normal(size=(4, 4, 7))
    fresh = [hybrid.by_inertia_matrix(model, *state, prescribed) for state in states]
    monkeypatch.setattr(hybrid, "supported", lambda parent, fd: kept_set)
    for state, expected in zip(states, fresh, strict=True):
        start, moved = (tree.world_poses(state[0] + step) for step in (0, [0, 0, 1e-3, 0, 1e-3, 1e-3, 1e-3]))
        assert kept_set == {i for i in range(1, 8) if any(np.abs(a - b).max() > 1e-6
                                                          for a, b in zip(start[i], moved[i], strict=True))}
        assert_array_equal(hybrid.by_inertia_matrix(model, *state, prescribed), expected)


@pytest.mark.source("RBDA-F9.1", "RBDA-A9.u3", "RBDA-S9.1-9", "RBDA-S9.1-10")
def test_the_modified_tree():
    """Joints 1 and 2 of seven are prescribed: bodies 1 and 2 merge with the base, and 3 to 7 become 1 to 5. The zeros
    of H_11 by geometry are those that the modified tree predicts: 16 of the 22 zeros of H. On random trees one joint
    supports another in the modified tree if and only if it does so in the original one."""
    parent, map = hybrid.modified_parent(BINARY, [3, 4, 5, 6, 7])
    assert parent == [0, 0, 0, 1, 1]
    assert map == [0, 0, 0, 1, 2, 3, 4, 5]
    tree, q, rng = random_tree(np.random.default_rng(97), 7, BINARY), np.linspace(-1, 1, 7), np.random.default_rng(98)
    model, H = tree.model(), np.abs(tree.mass_matrix(q)) > 1e-12
    assert_array_equal(H[2:, 2:], related(parent))
    assert_array_equal(np.abs(hybrid.modified_crba(model, q, [1, 2])[2:, 2:]) > 1e-12, H[2:, 2:])
    assert ((~H[2:, 2:]).sum(), (~H).sum()) == (16, 22)
    for _ in range(200):
        n = int(rng.integers(1, 12))
        parent = random_parents(rng, n)
        fd = sorted(i for i in range(1, n + 1) if rng.random() < 0.6)
        modified, map = hybrid.modified_parent(parent, fd)
        assert len(modified) == len(fd)
        assert all(p < j for j, p in enumerate(modified, start=1))
        places = np.array(fd, dtype=int) - 1
        assert not fd or np.array_equal(related(modified), related(parent)[np.ix_(places, places)])
        assert map[0] == 0 and [map[i] for i in fd] == list(range(1, len(fd) + 1))
        assert all(map[i] == map[parent[i - 1]] for i in range(1, n + 1) if i not in fd)


@pytest.mark.source("RBDA-A9.u3", "RBDA-S9.1-10")
def test_the_factors_of_H_11(case):
    """H_11 by geometry is positive definite; its dense factor has zeros where the modified tree has: no fill-in."""
    H_11, *_ = case.blocks
    assert np.linalg.eigvalsh(H_11).min() > 0
    bodies, _ = hybrid.modified_parent(case.model.parent[1:], case.fd)
    parent, _ = expand_parent(bodies, [case.model.joints[i].nv for i in case.fd])
    pattern = related(parent)
    near(H_11[~pattern], 0 * H_11[~pattern], 1e-9)
    dense = np.linalg.cholesky(H_11[::-1, ::-1])[::-1, ::-1].T
    near(dense[~pattern], 0 * dense[~pattern], 1e-8)
    near(ltl(H_11, parent), dense)
    L, D = ltdl(H_11, parent)
    near(L.T @ np.diag(D) @ L, H_11)
    b = np.linspace(-1, 1, len(H_11))
    near(solve(H_11, b, parent), np.linalg.solve(H_11, b), 1e-7)


@pytest.mark.source("RBDA-S9.1-11")
def test_a_joint_that_is_controlled_perfectly_may_as_well_be_prescribed():
    """An arm with a stiff controller at its shoulder: the same motion of its elbow, with steps ten times as long."""
    link = mcI(1, [0.5, 0, 0], np.diag([0, 0.1, 0.1]))
    arm = Model([0, 1], [Revolute("z")] * 2, [np.eye(6), xlt([1, 0, 0])], [link] * 2, (0, -9.81, 0))

    def swing(t):
        return 0.3 * np.sin(2 * t), 0.6 * np.cos(2 * t), -1.2 * np.sin(2 * t)

    def controller(t, q, qd):
        return 1e5 * (swing(t)[0] - q[0]) + 500 * (swing(t)[1] - qd[0]), 0

    start, times = ([0, 0.4], [0.6, 0]), [0, 0.2, 0.4]
    exact = simulate(arm, *start, times, prescribed={1: swing})
    controlled = simulate(arm, *start, times, controller, method="rk4", dt=2e-3)
    prescribed = simulate(arm, *start, times, method="rk4", dt=2e-2, prescribed={1: swing})
    assert np.abs(controlled.q - exact.q).max() < 1e-3
    assert np.abs(prescribed.q - exact.q).max() < 1e-4
    with contextlib.suppress(SimulationError):
        far(simulate(arm, *start, times, controller, method="rk4", dt=2e-2).q, exact.q)


# 9.2 The articulated-body equations

@pytest.mark.source("RBDA-9.9")
@pytest.mark.parametrize("name", list(JOINT_SETS))
def test_without_free_joints_articulated_bodies_are_rigid(name):
    """Their inertia is that of the whole subtree, by geometry."""
    moving = system(name, BRANCHED)
    A, _ = hybrid_articulated_bodies(moving.model, moving.q, moving.qd, moving.qdd, None, moving.bodies, moving.f_ext)
    for i in moving.bodies:
        near(in_world(A.I_A[i], A.p_A[i], moving.poses[i])[0], sum(moving.M[j] for j in moving.subtree(i)))


@pytest.mark.source("RBDA-T9.2", "RBDA-9.6", "RBDA-9.7", "RBDA-9.8", "RBDA-9.10", "RBDA-S9.2-1", "RBDA-S9.2-2")
def test_the_table_of_equations_line_by_line(case):
    """Pass 1 against geometry; pass 2 with its sums over the children, in the world; pass 3."""
    (A, tau), moving, model = hybrid_articulated_bodies(*case.given), case.moving, case.model
    passed_on = {}
    for i in reversed(model.bodies):
        S, at, pose, parent = body_axes(moving, i), model.v_slice(i), moving.poses[i], model.parent[i]
        p = moving.net[i] - moving.M[i] @ moving.a[i] - moving.f_ext[i]
        near(A.S[i], S)
        near(A.v[i], moving.in_body(moving.v[i], i))
        near(A.p[i], moving.force_in_body(p, i))

        I_A = moving.M[i] + sum(passed_on[j][0] for j in model.mu(i))
        p_A = p + sum(passed_on[j][1] for j in model.mu(i))
        for found, expected in zip(in_world(A.I_A[i], A.p_A[i], pose), (I_A, p_A), strict=True):
            near(found, expected)

        S, c, f = moving.way(i), moving.bias_of_joint(i), moving.joint_force(i)
        a, a_parent = (moving.a[j] - moving.gravity for j in (i, parent))
        prescribed = S @ case.qdd[at] * (i in case.prescribed)
        if i in case.prescribed:
            assert (A.U[i], A.D[i], A.u[i]) == (None, None, None)
            passed_on[i] = I_A, p_A + I_A @ (c + prescribed)                            # (9.9) (9.10)
        else:
            U, D, u = I_A @ S, S.T @ I_A @ S, case.tau[at] - S.T @ p_A
            near(A.U[i], np.column_stack([np.zeros((6, 0)), *(moving.force_in_body(column, i) for column in U.T)]))
            near(A.D[i], D)
            near(A.u[i], u)
            I_a = I_A - U @ np.linalg.inv(D) @ U.T
            passed_on[i] = I_a, p_A + I_a @ c + U @ np.linalg.inv(D) @ u
            near(A.qdd[at], np.linalg.inv(D) @ (u - U.T @ (a_parent + c)))
        near(A.c[i], moving.in_body(c + prescribed, i))
        near(a, a_parent + c + S @ case.qdd[at])                                        # (9.8)
        near(A.a[i], moving.weightless(moving.a, i))
        near(A.I_A[i] @ A.a[i] + A.p_A[i], moving.force_in_body(f, i))                  # (9.6)
        near(passed_on[i][0] @ a_parent + passed_on[i][1], f)                           # (9.7)
        for force in (I_A @ a + p_A, passed_on[i][0] @ a_parent + passed_on[i][1]):
            near(tau[at], S.T @ force)
        if parent != 0:
            for found, expected in zip(in_world(A.I_a[i], A.p_a[i], pose), passed_on[i], strict=True):
                near(found, expected)
        else:
            assert A.I_a[i] is None and A.p_a[i] is None


@pytest.mark.source("RBDA-S9.2-3")
@pytest.mark.parametrize("name", list(JOINT_SETS))
def test_only_what_follows_from_prescribed_joints_differs_from_the_articulated_body_algorithm(name):
    """With free joints alone nothing: bit for bit, quantity by quantity, and operation by operation. With prescribed
    ones c contains S qdd, and there is no D to divide by: no division but those of joints' formulas."""
    moving = system(name, BRANCHED)
    model, forces, (q, qd, qdd) = moving.model, moving.joint_forces(), (moving.q, moving.qd, moving.qdd)
    A, tau = hybrid_articulated_bodies(model, q, qd, None, forces, [], moving.f_ext)
    D, inverse = hybrid_articulated_bodies(model, q, qd, qdd, None, moving.bodies, moving.f_ext)
    B = articulated_bodies(model, q, qd, forces, moving.f_ext)
    assert_array_equal(tau, forces)
    near(inverse, rnea(model, q, qd, qdd, moving.f_ext), 1e-11)
    for quantity in ArticulatedBodies._fields:
        for mine, driven, its in zip(*(getattr(x, quantity) for x in (A, D, B)), strict=True):
            assert (mine is None) == (its is None)
            if mine is not None:
                assert_array_equal(mine, its)
                assert quantity not in ("X_up", "X_0", "S", "v", "p") or np.array_equal(driven, its)
    for i in moving.bodies:
        near(D.c[i], B.c[i] + body_axes(moving, i) @ qdd[model.v_slice(i)])
    free = count_operations(lambda *given: hybrid_dynamics(model, *given, []), q, qd, qdd, forces)[0]
    assert free == count_operations(lambda *given: aba(model, *given), q, qd, forces)[0]
    held = count_operations(lambda *given: hybrid_dynamics(model, *given, moving.bodies), q, qd, qdd, forces)[0]["d"]
    assert held == count_operations(lambda *given: rnea(model, *given), q, qd, qdd)[0]["d"] <= free["d"]
    assert held < free["d"] or any(joint.nv > 1 for joint in model.joints[1:])
