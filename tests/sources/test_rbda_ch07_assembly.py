"""RBDA 7.4 and 7.5 row by row: alternative assembly formulae, several handles, divide and conquer. What the formulae
give is compared with what NumPy alone finds: the motion of mechanisms by geometry, and the equations of all bodies and
joints of a floating system, solved in one piece (`Floating`)."""

import math

import numpy as np
import pytest
from scipy.linalg import block_diag

from rbdlib import Model
from rbdlib.book.ch02_spatial import crf, plucker
from rbdlib.book.ch04_joints import FreeMotion
from rbdlib.book.ch07_articulated_body import aba
from rbdlib.methods import divide_and_conquer, handles
from rbdlib.methods.articulated_body_variants import handles_by_projection
from rbdlib.methods.divide_and_conquer import ManyHandles, TwoHandles, join, joint_motion, several
from rbdlib.methods.generators import auto_tree
from rbdlib.methods.handles import ArticulatedBody, Connection, InverseArticulatedBody, assemble, assemble_variant_1
from tests.sources.ch05_systems import JOINT_SETS
from tests.sources.ch07_systems import Forced, complement, forced, random_connection, spd
from tests.sources.helpers import force_carried, near, random_tree

SEED = [1, 75]
#: One joint of every type.
BETWEEN = list({type(joint): joint for joints in JOINT_SETS.values() for joint in joints}.values())


class Pair:
    """Two handles with random inertias and bias forces, and a joint of n freedoms between them."""
    def __init__(self, rng, n):
        self.A = [ArticulatedBody(spd(rng), rng.normal(size=6)) for _ in range(2)]
        self.inverse = [InverseArticulatedBody(np.linalg.inv(I), -np.linalg.solve(I, p)) for I, p in self.A]
        self.joint, self.n, self.rng = random_connection(rng, n), n, rng

    def solution(self, f):
        """f_1, f_2, a_1, a_2, qdd, lam by Eqs 7.51-7.55, in any order, when f acts on the handle of the first."""
        ((I_1, p_1), (I_2, p_2)), (S, T, T_a, c, tau), n = self.A, self.joint, self.n
        one, zero = np.eye(6), np.zeros((6, 6))
        M = np.block([[one, zero, -I_1, zero, np.zeros((6, n))], [zero, one, zero, -I_2, np.zeros((6, n))],
                      [one, one, zero, zero, np.zeros((6, n))], [zero, zero, -one, one, -S],
                      [np.zeros((n, 6)), S.T, np.zeros((n, 12 + n))]])
        f_1, f_2, a_1, a_2, qdd = np.split(np.linalg.solve(M, np.concatenate([p_1, p_2, f, c, tau])), [6, 12, 18, 24])
        return f_1, f_2, a_1, a_2, qdd, np.linalg.lstsq(T, f_2 - T_a @ tau, rcond=None)[0]

    def check(self, assembly, inertias, explicit):
        """Whether an `Assembly` says what the solutions for three forces say."""
        for f in self.rng.normal(size=(3, 6)):
            _, _, a_1, _, qdd, lam = self.solution(f)
            x, target = (a_1, f) if inertias else (f, a_1)
            near(assembly.A[0] @ x + assembly.A[1], target)
            near(assembly.unknown(x), qdd if explicit else lam)


@pytest.fixture(params=range(7), ids="{} freedoms".format)
def pair(request):
    return Pair(np.random.default_rng([request.param, 1, 74]), request.param)


# 7.4 The given equations and the target

@pytest.mark.source("RBDA-7.51", "RBDA-7.52", "RBDA-7.53", "RBDA-7.54", "RBDA-7.55", "RBDA-7.56")
@pytest.mark.parametrize("between", BETWEEN, ids=str)
def test_two_handles_and_a_joint_have_five_equations_and_their_assembly_one(between):
    """Two bodies that fly, by geometry; f by d'Alembert's principle from the six ways in which both move as one."""
    m = Forced(np.random.default_rng([BETWEEN.index(between), 7]), [FreeMotion(), between], [0, 1])
    a, forces, tau = m.a[1:], (m.net - m.weights - m.f_ext)[1:], m.joint_forces()
    bodies = [ArticulatedBody(m.M[i], crf(m.v[i]) @ m.M[i] @ m.v[i] - m.weights[i] - m.f_ext[i]) for i in (1, 2)]
    R, p_2 = m.poses[2]
    joint = handles.unconnected(m.model, m.q, m.qd, tau, m.f_ext)[1][2].in_parent(plucker(R.T, p_2))
    for (I, p), a_i, force in zip(bodies, a, forces, strict=True):
        near(I @ a_i + p, force)
    f = np.linalg.solve(m.ways[1][:, :6].T, tau[:6])
    near(f, forces[0] + forces[1])
    near(a[0] + joint.c + joint.S @ m.qdd[6:], a[1])
    near(joint.S.T @ forces[1], tau[6:])
    for formulae in (assemble, handles.assemble_variant_2):
        I_A, p_A = formulae(*bodies, joint).A
        near(I_A @ a[0] + p_A, f, 1e-8)
    for formulae in (assemble_variant_1, handles.assemble_variant_3):
        Phi_A, b_A = formulae(*(body.inverse() for body in bodies), joint).A
        near(Phi_A @ f + b_A, a[0], 1e-8)


# 7.4 The composite equation

@pytest.mark.source("RBDA-A7.4")
@pytest.mark.parametrize(("inertias", "explicit", "below"), [
    pytest.param(True, True, 0, id="standard"), pytest.param(False, False, 0, id="variant 1"),
    pytest.param(True, False, 1, id="variant 2"), pytest.param(False, True, 2, id="variant 3")])
def test_the_five_rules_and_block_elimination_give_every_formula(pair, inertias, explicit, below):
    bodies = pair.A if inertias else pair.inverse
    equation = handles.composite_equation(*bodies, pair.joint, implicit=not explicit)
    f = pair.rng.normal(size=6)
    f_1, f_2, a_1, a_2, qdd, lam = pair.solution(f)
    x, unknowns = (a_1, [f, f_1, f_2, a_2]) if inertias else (f, [a_1, a_2, f_1, f_2])      # rules 1 and 2
    unknowns.append(qdd if explicit else lam)                                               # rule 3
    for M_i, constant, coefficient in zip(*equation, strict=True):
        near(sum(M_ij @ x_j for M_ij, x_j in zip(M_i, unknowns, strict=True)), constant + coefficient @ x)
    assert len(equation.constant[4]) == len(unknowns[4])                                    # rule 4
    assert sum(np.any(equation.M[i][j]) for i in range(4) for j in range(i)) == below      # rule 5

    triangular = handles.eliminate(equation)[-1].M
    assert all(abs(triangular[i][j]).max(initial=0) < 1e-9 for i in range(5) for j in range(i))
    for function, value in zip(handles.back_substitute(handles.eliminate(equation)[-1]), unknowns, strict=True):
        near(function(x), value, 1e-8)
    pair.check(handles.derive(*bodies, pair.joint, implicit=not explicit), inertias, explicit)


# 7.4 Table 7.2

def row_is(stage, k, blocks, constant, coefficient):
    """Whether row k of 5 of a stage has the given matrices, with 0 for those that vanish."""
    row = *stage.M[k - 1], stage.constant[k - 1], stage.coefficient[k - 1]
    for actual, expected in zip(row, (*blocks, constant, coefficient), strict=True):
        near(actual, expected + np.zeros(actual.shape), 1e-10)


@pytest.mark.source("RBDA-T7.2a", "RBDA-S7.4-2", "RBDA-S7.4-5", "RBDA-S7.4-1")
def test_composite_equation_of_the_standard_formulae_stage_by_stage(pair):
    ((I_1, p_1), (I_2, p_2)), (S, _, _, c, tau), one = pair.A, pair.joint, np.eye(6)
    first, *later = handles.eliminate(handles.composite_equation(*pair.A, pair.joint))
    row_is(first, 1, [one, -one, -one, 0, 0], 0, 0)
    row_is(first, 2, [0, one, 0, 0, 0], p_1, I_1)
    row_is(first, 3, [0, 0, one, -I_2, 0], p_2, 0)
    row_is(first, 4, [0, 0, 0, one, -S], c, one)
    row_is(first, 5, [0, 0, S.T, 0, 0], tau, 0)
    if pair.n:
        second, last = later
        row_is(second, 5, [0, 0, 0, S.T @ I_2, 0], tau - S.T @ p_2, 0)
        row_is(last, 5, [0, 0, 0, 0, S.T @ I_2 @ S], tau - S.T @ p_2 - S.T @ I_2 @ c, -S.T @ I_2)
    pair.check(assemble(*pair.A, pair.joint), inertias=True, explicit=True)
    _, _, a_1, a_2, qdd, _ = pair.solution(pair.rng.normal(size=6))
    near(S.T @ I_2 @ S @ qdd, tau - S.T @ p_2 - S.T @ I_2 @ c - S.T @ I_2 @ a_1)
    near(pair.joint.T_a.T @ (a_2 - a_1 - c), qdd)


@pytest.mark.source("RBDA-T7.2b")
def test_variant_1_stage_by_stage(pair):
    ((Phi_1, b_1), (Phi_2, b_2)), (_, T, T_a, c, tau) = pair.inverse, pair.joint
    stages = handles.eliminate(handles.composite_equation(*pair.inverse, pair.joint, implicit=True))
    if pair.n < 6:
        known, both = T.T @ (c + b_1 - b_2), Phi_1 + Phi_2
        row_is(stages[0], 5, [-T.T, T.T, 0, 0, 0], T.T @ c, 0)
        row_is(stages[2], 5, [0, 0, -T.T @ Phi_1, T.T @ Phi_2, 0], known, 0)
        row_is(stages[3], 5, [0, 0, 0, T.T @ both, 0], known, T.T @ Phi_1)
        row_is(stages[4], 5, [0, 0, 0, 0, T.T @ both @ T], known - T.T @ both @ T_a @ tau, T.T @ Phi_1)
        assert len(stages) == 5
    pair.check(assemble_variant_1(*pair.inverse, pair.joint), inertias=False, explicit=False)
    f = pair.rng.normal(size=6)
    near(T_a @ tau + T @ assemble_variant_1(*pair.inverse, pair.joint).unknown(f), pair.solution(f)[1])


@pytest.mark.source("RBDA-T7.2c")
def test_variant_2_stage_by_stage(pair):
    (_, (I_2, p_2)), (_, T, T_a, c, tau) = pair.A, pair.joint
    stages = handles.eliminate(handles.composite_equation(*pair.A, pair.joint, implicit=True))
    row_is(stages[0], 4, [0, 0, np.eye(6), 0, -T], T_a @ tau, 0)
    row_is(stages[0], 5, [0, 0, 0, T.T, 0], T.T @ c, T.T)
    row_is(stages[1], 4, [0, 0, 0, I_2, -T], T_a @ tau - p_2, 0)
    if pair.n < 6:
        I_2_inv = np.linalg.inv(I_2)
        row_is(stages[2], 5, [0, 0, 0, 0, T.T @ I_2_inv @ T], T.T @ (c - I_2_inv @ (T_a @ tau - p_2)), T.T)
    pair.check(handles.assemble_variant_2(*pair.A, pair.joint), inertias=True, explicit=False)
    _, f_2, a_1, *_ = pair.solution(pair.rng.normal(size=6))
    near(T_a @ tau + T @ handles.assemble_variant_2(*pair.A, pair.joint).unknown(a_1), f_2)


@pytest.mark.source("RBDA-T7.2", "RBDA-Q7.4-2", "RBDA-S7.4-5", "RBDA-S7.4-3")
def test_all_formulae_describe_one_articulated_body_and_imply_identities(pair):
    """Also with the active joint force as a pair of external forces."""
    I_A, p_A = assemble(*pair.A, pair.joint).A
    near(I_A, I_A.T)
    assert np.linalg.eigvalsh(I_A).min() > 0
    near(np.column_stack(handles.assemble_variant_2(*pair.A, pair.joint).A), np.column_stack([I_A, p_A]))

    (Phi_1, b_1), (Phi_2, b_2) = pair.inverse
    push, passive = pair.joint.T_a @ pair.joint.tau, pair.joint._replace(tau=0 * pair.joint.tau)
    moved = InverseArticulatedBody(Phi_1, b_1 - Phi_1 @ push), InverseArticulatedBody(Phi_2, b_2 + Phi_2 @ push)
    left_out = handles.assemble_variant_3(*pair.inverse, pair.joint)
    pair.check(left_out, inertias=False, explicit=True)
    for Phi_A, b_A in (left_out.A, assemble_variant_1(*pair.inverse, pair.joint).A,
                       assemble_variant_1(*moved, passive).A, handles.derive(*pair.inverse, pair.joint).A):
        near(np.linalg.inv(Phi_A), I_A)
        near(-I_A @ b_A, p_A)

    inv, ((I_1, p_1), (I_2, p_2)), (S, T, T_a, c, tau) = np.linalg.inv, pair.A, pair.joint
    by_T = T @ inv(T.T @ inv(I_2) @ T) @ T.T
    near(I_2 - I_2 @ S @ inv(S.T @ I_2 @ S) @ S.T @ I_2, by_T, 1e-10)
    Y_inv = inv(T.T @ (Phi_1 + Phi_2) @ T)
    near(inv(I_1 + by_T), Phi_1 - Phi_1 @ T @ Y_inv @ T.T @ Phi_1, 1e-10)

    standard = p_1 + p_2 + I_2 @ c + I_2 @ S @ inv(S.T @ I_2 @ S) @ (tau - S.T @ p_2 - S.T @ I_2 @ c)
    first = b_1 - Phi_1 @ T_a @ tau - Phi_1 @ T @ Y_inv @ T.T @ (c + b_1 - b_2 - (Phi_1 + Phi_2) @ T_a @ tau)
    near(p_1 + T_a @ tau + by_T @ (c - inv(I_2) @ (T_a @ tau - p_2)), standard)
    near(-(I_1 + by_T) @ first, standard)


# 7.4 Where the variants apply

@pytest.mark.source("RBDA-S7.4-4")
@pytest.mark.parametrize("held", [0, 1, 3, 7])
def test_variant_1_needs_six_freedoms_of_one_handle_only(rng, held):
    """The last body of a chain on the base is put on the body before it; both chains' handles are by projection."""
    n = held + 1
    model, (q, qd, tau) = random_tree(rng, n, range(n)).model(gravity=(0, 0, 0)), rng.normal(size=(3, n))
    X_up, joint, rigid, _ = handles.unconnected(model, q, qd, tau)
    joint, A_2 = joint[n].in_parent(X_up[n]), rigid[n].in_parent(X_up[n])
    A_1 = expected = InverseArticulatedBody(np.zeros((6, 6)), np.zeros(6))
    if held:
        chain = Model(range(held), model.joints[1:n], model.X_tree[1:n], model.inertia[1:n], (0, 0, 0))
        A_1 = handles_by_projection(chain, q[:held], qd[:held], tau[:held], held)
        expected, A_1 = handles_by_projection(model, q, qd, tau, held), InverseArticulatedBody(A_1.Phi, A_1.b)

    assert np.linalg.matrix_rank(A_1.Phi, 1e-9) == min(held, 6)
    assert np.linalg.eigvalsh(joint.T.T @ (A_1.Phi + np.linalg.inv(A_2.I)) @ joint.T).min() > 0
    found = assemble_variant_1(A_1, A_2.inverse(), joint).A
    near(found.Phi, expected.Phi, 1e-8)
    near(found.b, expected.b, 1e-7)
    if held < 6:
        with pytest.raises(ValueError, match="singular"):
            A_1.inverse()


@pytest.mark.source("RBDA-S7.4-4")
def test_no_formula_takes_a_joint_that_repeats_a_constraint(rng):
    """Both handles move in the plane; a hinge across it then holds what cannot move, three constraints of five."""
    plane, S = np.eye(6)[:, 2:5], np.eye(6)[:, [2]]
    A_1, A_2 = (InverseArticulatedBody(plane @ spd(rng, 3) @ plane.T, rng.normal(size=6)) for _ in range(2))
    joint = Connection(S, np.delete(np.eye(6), 2, axis=1), S, rng.normal(size=6), rng.normal(size=1))
    assert np.linalg.matrix_rank(joint.T.T @ (A_1.Phi + A_2.Phi) @ joint.T) == 2
    for formulae in (assemble_variant_1, handles.assemble_variant_3):
        with pytest.raises(ValueError, match="singular"):
            formulae(A_1, A_2, joint)
    assert assemble_variant_1(A_1, A_2, joint._replace(T=joint.T[:, 2:4])).A.Phi.shape == (6, 6)


# 7.5 Two handles

class Floating:
    """Rigid bodies with random inertias and bias forces in space, connected by random joints (i, j, freedoms)."""
    def __init__(self, rng, n, joints):
        self.rigid = [ArticulatedBody(spd(rng), rng.normal(size=6)) for _ in range(n)]
        self.ends = [ends for *ends, _ in joints]
        self.joints = [random_connection(rng, freedoms) for *_, freedoms in joints]

    def solution(self, forces, acting=slice(None)):
        """Accelerations (n x 6) and multipliers, a list, from all equations at once; forces {body: 6-vector}."""
        ends, joints, n = self.ends[acting], self.joints[acting], 6 * len(self.rigid)
        load = np.concatenate([forces.get(i, 0) - p for i, (_, p) in enumerate(self.rigid)])
        P = [np.kron(np.eye(len(self.rigid))[j] - np.eye(len(self.rigid))[i], np.eye(6)).T for i, j in ends]
        load += sum(P_k @ joint.T_a @ joint.tau for P_k, joint in zip(P, joints, strict=True))
        K = np.hstack([P_k @ joint.T for P_k, joint in zip(P, joints, strict=True)])
        M = np.block([[block_diag(*(I for I, _ in self.rigid)), -K], [K.T, np.zeros((K.shape[1],) * 2)]])
        right = np.concatenate([load, *(joint.T.T @ joint.c for joint in joints)])
        x = np.linalg.lstsq(M, right, rcond=1e-12)[0]
        return x[:n].reshape(-1, 6), np.split(x[n:], np.cumsum([joint.T.shape[1] for joint in joints])[:-1])

    def piece(self, i):
        """Body i alone, with two handles on it (RBDA Eq. 7.57)."""
        Phi, b = self.rigid[i].inverse()
        return TwoHandles(Phi, Phi, Phi, Phi, b, b)


def respond(A, f_1, f_2):
    """The accelerations of two handles by what a `TwoHandles` means."""
    return np.array([A.Phi_1 @ f_1 + A.Phi_12 @ f_2 + A.b_1, A.Phi_21 @ f_1 + A.Phi_2 @ f_2 + A.b_2])


@pytest.fixture(params=[(1, 1, 1), (0, 3, 2), (2, 5, 4), (1, 6, 0)], ids=str)
def four(request):
    """Bodies 0-1 with a joint between them, 2-3 with another, and a joint from 1 to 2; A_12 and A_34 before that."""
    left, middle, right = request.param
    rng = np.random.default_rng([*request.param, 57])
    system = Floating(rng, 4, [(0, 1, left), (2, 3, right), (1, 2, middle)])
    A_12 = join(system.piece(0), system.piece(1), system.joints[0])
    return system, A_12, join(system.piece(2), system.piece(3), system.joints[1]), rng


@pytest.mark.source("RBDA-7.57", "RBDA-7.58", "RBDA-7.59", "RBDA-7.63", "RBDA-F7.6")
def test_two_handles_answer_to_forces_on_both_and_their_assembly_to_those_on_the_outer_ones(four):
    """Each block of the assembly is what one force does more than none, each bias what happens without any."""
    system, *parts, rng = four
    for k, A in enumerate(parts):
        for f in rng.normal(size=(3, 2, 6)):
            a, _ = system.solution(dict(zip(system.ends[k], f, strict=True)), acting=slice(k, k + 1))
            near(respond(A, *f), a[system.ends[k]])

    system, A_12, A_34, _ = four
    A = join(A_12, A_34, system.joints[2])
    free, _ = system.solution({})
    near(A.b_1, free[0])
    near(A.b_2, free[3])
    for f in np.eye(6):
        a_by_1, a_by_4 = (system.solution({i: f})[0] - free for i in (0, 3))
        for block, a in ((A.Phi_1, a_by_1[0]), (A.Phi_21, a_by_1[3]), (A.Phi_12, a_by_4[0]), (A.Phi_2, a_by_4[3])):
            near(block @ f, a)
    whole = np.block([[A.Phi_1, A.Phi_12], [A.Phi_21, A.Phi_2]])
    near(whole, whole.T)
    assert np.linalg.eigvalsh(whole).min() > -1e-12


@pytest.mark.source("RBDA-S7.5-1", "RBDA-S7.5-6")
def test_freedoms_of_the_handles_make_y_regular_or_singular_and_two_of_one_body_need_not_have_twelve(rng):
    """Two handles of one body have no more than the six of a rigid body and those of the joint between them."""
    for n in range(6):
        T = random_connection(rng, n).T
        for rank in range(6):
            B = rng.normal(size=(6, rank))
            assert np.linalg.eigvalsh(T.T @ (B @ B.T + spd(rng)) @ T).min() > 0, (n, rank)

    joint, b = random_connection(rng, 3), np.zeros(6)
    direction = joint.T[:, :1] / np.linalg.norm(joint.T[:, 0])
    across = np.eye(6) - direction @ direction.T
    Phi_2, Phi_3 = (across @ spd(rng) @ across for _ in range(2))
    assert np.linalg.eigvalsh(joint.T.T @ (Phi_2 + Phi_3) @ joint.T)[0] < 1e-12
    with pytest.raises(ValueError, match="1 of the 3 constraints"):
        join(TwoHandles(Phi_2, Phi_2, Phi_2, Phi_2, b, b), TwoHandles(Phi_3, Phi_3, Phi_3, Phi_3, b, b), joint)

    for freedoms in (0, 1, 3, 5, 6):
        system = Floating(rng, 2, [(0, 1, freedoms)])
        A = join(system.piece(0), system.piece(1), system.joints[0])
        assert np.linalg.matrix_rank(np.block([[A.Phi_1, A.Phi_12], [A.Phi_21, A.Phi_2]]), 1e-9) == 6 + freedoms
        assert np.linalg.matrix_rank(A.Phi_1) == np.linalg.matrix_rank(A.Phi_2) == 6


# 7.5 The joint between handles 2 and 3

@pytest.mark.source("RBDA-7.60", "RBDA-7.61", "RBDA-7.62", "RBDA-S7.5-2", "RBDA-S7.5-3")
def test_the_joint_keeps_the_handles_from_parting_by_opposite_forces_along_t_and_active_ones_change_the_biases(four):
    """f_2, f_3: what bodies 1 and 2 need beyond the active force for their motion, from A_12 and A_34 alone."""
    system, A_12, A_34, rng = four
    joint, (f_1, f_4) = system.joints[2], rng.normal(size=(2, 6))
    a, (*_, lam) = system.solution({0: f_1, 3: f_4})
    motion = joint_motion(A_12, A_34, joint, f_1, f_4)
    near(motion.a_2, a[1])
    near(motion.a_3, a[2])
    near(joint.T.T @ (a[2] - a[1]), joint.T.T @ joint.c)
    near(joint.S @ motion.qdd + joint.c, a[2] - a[1])
    near(motion.lam, lam, 1e-8)

    push, pull = joint.T_a @ joint.tau, joint.T @ lam
    f_3 = np.linalg.solve(A_34.Phi_1, a[2] - A_34.Phi_12 @ f_4 - A_34.b_1) - push
    near(f_3, pull, 1e-8)
    near(np.linalg.solve(A_12.Phi_2, a[1] - A_12.Phi_21 @ f_1 - A_12.b_2) + push, -f_3, 1e-8)
    near(motion.f_3, f_3 + push, 1e-8)

    moved_12, moved_34 = divide_and_conquer.with_active_force(A_12, A_34, joint)
    near(respond(moved_12, f_1, -pull), a[:2])
    near(respond(moved_34, pull, f_4), a[2:])
    near(respond(moved_12, f_1, 0 * f_1), respond(A_12, f_1, -push))
    near(respond(moved_34, 0 * f_1, f_4), respond(A_34, push, f_4))
    passive = joint._replace(tau=0 * joint.tau)
    for one, other in zip(join(moved_12, moved_34, passive), join(A_12, A_34, joint), strict=True):
        near(one, other)

    (Phi_1, Phi_12, Phi_21, Phi_2, b_1, b_2), (Phi_3, Phi_34, Phi_43, Phi_4, b_3, b_4) = moved_12, moved_34
    T, Y = joint.T, joint.T.T @ (Phi_2 + Phi_3) @ joint.T
    pulled = Phi_21 @ f_1 - Phi_34 @ f_4 + joint.c - b_3 + b_2
    near(T.T @ (Phi_3 @ pull + Phi_34 @ f_4 + b_3 - Phi_21 @ f_1 + Phi_2 @ pull - b_2), T.T @ joint.c, 1e-8)
    near(Y @ lam, T.T @ pulled, 1e-8)
    W = T @ np.linalg.inv(Y) @ T.T
    near(Phi_1 @ f_1 - Phi_12 @ W @ pulled + b_1, a[0], 1e-8)
    near(Phi_4 @ f_4 + Phi_43 @ W @ pulled + b_4, a[3], 1e-8)


# 7.5 Sets of handles

@pytest.mark.source("RBDA-S7.5-4", "RBDA-Q7.5-1")
def test_several_joints_in_one_step_on_one_body_or_to_close_a_four_bar_linkage(rng):
    """Body 0 gets bodies 1 and 2 at once; it has a handle for each and one more, body 2 has one more."""
    system = Floating(rng, 3, [(0, 1, 2), (0, 2, 1)])
    (Phi_0, b_0), (Phi_1, b_1), (Phi_2, b_2) = (body.inverse() for body in system.rigid)
    A_12 = ManyHandles([0, 1, 2], np.block([[Phi_0] * 3] * 3), np.concatenate([b_0] * 3)).split([0], [1, 2])
    Phi_122 = block_diag(Phi_1, np.block([[Phi_2] * 2] * 2))
    A_34 = ManyHandles([1, 2, 3], Phi_122, np.concatenate([b_1, b_2, b_2])).split([1, 2], [3])
    both = several(system.joints)
    assert both.T.shape == (12, 9) and not both.T[:6, 4:].any()
    f_1, f_4 = rng.normal(size=(2, 6))
    a, multipliers = system.solution({0: f_1, 2: f_4})
    near(respond(join(A_12, A_34, both), f_1, f_4), a[[0, 2]])
    motion = joint_motion(A_12, A_34, both, f_1, f_4)
    near(motion.lam, np.concatenate(multipliers))
    near(motion.a_3, a[1:].ravel())

    system = Floating(rng, 4, [(0, 1, 1), (2, 3, 1), (1, 2, 1), (0, 3, 1)])
    for k, (x, y, *c, tau) in enumerate(rng.normal(size=(4, 6))):
        S = np.array([[0, 0, 1, y, -x, 0]]).T
        system.joints[k] = Connection(S, complement(S), S / (S.T @ S), np.array([0, 0, *c, 0]), np.array([tau]))
    a, _ = system.solution({})
    first, second = (ManyHandles([1, 2], np.block([[A.Phi_1, A.Phi_12], [A.Phi_21, A.Phi_2]]),
                                 np.concatenate([A.b_1, A.b_2])) for A in
                     (join(system.piece(i), system.piece(i + 1), system.joints[i // 2]) for i in (0, 2)))
    first, second, hinges = first.split([], [2, 1]), second.split([1, 2], []), several(system.joints[2:])
    Y = hinges.T.T @ (first.Phi_2 + second.Phi_1) @ hinges.T
    assert len(Y) - np.linalg.matrix_rank(Y, 1e-9) == 3
    with pytest.raises(ValueError, match="constraints repeat others"):
        joint_motion(first, second, hinges, np.zeros(0), np.zeros(0))
    motion = joint_motion(first, second, hinges, np.zeros(0), np.zeros(0), repeated=1e-9)
    near(motion.a_2, a[[1, 0]].ravel(), 1e-8)
    near(motion.a_3, a[[2, 3]].ravel(), 1e-8)
    near(hinges.S @ motion.qdd + hinges.c, motion.a_3 - motion.a_2, 1e-8)
    assert join(first, second, hinges, repeated=1e-9).Phi_1.shape == (0, 0)


# 7.5 Divide and conquer

@pytest.mark.source("RBDA-S7.5-5")
def test_a_chain_is_assembled_in_logarithmically_many_levels():
    for n in [*range(1, 18), 31, 32, 33, 63, 64, 65, 128, 255]:
        levels = divide_and_conquer.assembly_levels(auto_tree(n))
        assert len(levels) == math.ceil(math.log2(n + 1))
        assert sorted(i for level in levels for _, i in level) == list(range(1, n + 1))
        for level in levels:
            parts = [part for assembly in level for part in assembly]
            assert len(parts) == len(set(parts)) <= n + 1


@pytest.mark.source("RBDA-Q7.4-1", "RBDA-Q7.5-1", "RBDA-S7.5-2", "RBDA-S7.5-5")
@pytest.mark.parametrize("name", JOINT_SETS)
def test_divide_and_conquer_and_each_variant_find_the_motion(name):
    moving = forced(name)
    arguments = moving.model, moving.q, moving.qd, moving.joint_forces(), moving.f_ext
    computed = divide_and_conquer.divide_and_conquer_tree(*arguments)
    assert computed.levels == divide_and_conquer.assembly_levels(moving.model)
    for qdd in (computed.qdd, handles.by_variant_1(*arguments), handles.by_variant_2(*arguments)):
        near(qdd, moving.qdd, 1e-7)
        near(qdd, aba(*arguments))
    for i, f in zip(moving.bodies, computed.f[1:], strict=True):
        near(force_carried(f, moving.poses[i]), moving.joint_force(i), 1e-6)
