"""Alternative assembly of articulated bodies: its parts and refusals, large systems, inverses. What the formulas
compute is tested in tests/sources/test_rbda_ch07_assembly.py, the algorithms also in test_forward.py."""

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, load, rnea
from rbdlib.book.ch02_spatial import mcI, rotz, xlt
from rbdlib.book.ch04_joints import Euler, Fixed, FreeMotion, Revolute
from rbdlib.methods import handles, handles as by_handles
from rbdlib.methods.divide_and_conquer import divide_and_conquer, join, several
from rbdlib.methods.generators import gu
from rbdlib.numbers.negligible import generalized_inverse
from tests.sources.ch07_systems import random_connection, spd
from tests.sources.helpers import random_rotation
from tests.sources.joints import Mechanism

SEED = [1, 746]


@pytest.fixture(params=[by_handles.by_variant_1, by_handles.by_variant_2, divide_and_conquer], ids=lambda f: f.__name__)
def algorithm(request):
    return request.param


@pytest.mark.parametrize(("call", "message"), [
    (lambda A, P, j: by_handles.assemble(P, A, j), "A_1 is of the class InverseArticulatedBody; expected Articulated"),
    (lambda A, P, j: by_handles.assemble_variant_1(P, A, j), "A_2 is of the class ArticulatedBody; expected Inverse"),
    (lambda A, P, j: by_handles.assemble(A, A, None), "joint is of the class NoneType; expected Connection"),
    (lambda A, P, j: handles.derive(A, P, j), "A_2 is of the class Inverse"),
    (lambda A, P, j: handles.composite_equation(np.eye(6), A, j), "A_1 is of the class ndarray"),
    (lambda A, P, j: several([j, A]), r"connections\[1\] is of the class ArticulatedBody"),
    (lambda A, P, j: join(A, A, j), "A_12 is of the class ArticulatedBody; expected TwoHandles"),
    (lambda A, P, j: by_handles.inverse("A"), "A contains the text")])
def test_wrong_classes_are_named(call, message):
    A, S = by_handles.ArticulatedBody(np.eye(6), np.zeros(6)), np.eye(6)
    joint = by_handles.Connection(S[:, :1], S[:, 1:], S[:, :1], np.zeros(6), np.zeros(1))
    with pytest.raises(TypeError, match=message):
        call(A, A.inverse(), joint)


@pytest.mark.parametrize("inverting", [by_handles.by_variant_1, divide_and_conquer])
def test_a_joint_that_rounding_hides_is_named(inverting):
    """Needles beside which constraints vanish, some of them: messages name the joint and a method that can."""
    messages = []
    for seed in range(8):
        turn = random_rotation(np.random.default_rng(seed))
        needle = mcI(1.0, [0.1, 0.2, 0.3], turn @ np.diag([1e-13, 1.0, 1.0]) @ turn.T)
        model = Model([0, 1], [Revolute((1, 2, 3)), Revolute("z")], [np.eye(6), xlt([1, 0, 0])], [needle] * 2)
        try:
            inverting(model, [0.1, 0.2], [0, 0], [0, 0])
        except ValueError as error:
            messages.append(str(error))
    assert messages
    assert all(message.startswith(("Joint 1 (", "Joint 2 (")) and "Use aba" in message for message in messages)


def test_they_undo_inverse_dynamics_of_a_humanoid_and_of_a_long_chain_and_refuse_gimbal_lock(algorithm, rng):
    for model in (load("g1"), gu(20)):
        (q, qd), qdd = model.random_state(rng), rng.normal(size=model.nv)
        f_ext = rng.normal(size=(model.N_B + 1, 6))
        found = algorithm(model, q, qd, rnea(model, q, qd, qdd, f_ext), f_ext)
        assert_allclose(found, qdd, rtol=1e-6, atol=1e-6)
    with pytest.raises(ValueError, match="gimbal lock"):
        algorithm(Mechanism(rng, [Euler("zyx")]).model(), [0.1, np.pi / 2, 0.3], [0, 0, 0], [0, 0, 0])


def test_both_forms_are_inverse_to_one_another_and_a_joint_looks_the_same_from_its_parent(rng):
    body, X = by_handles.ArticulatedBody(spd(rng, 6), rng.normal(size=6)), xlt(rng.normal(size=3)) @ rotz(0.7)
    a = rng.normal(size=6)
    f = body.I @ a + body.p
    Phi, b = body.inverse()
    assert_allclose(Phi @ f + b, a, atol=1e-9)
    again = body.inverse().inverse()
    assert_allclose(again.I, body.I, atol=1e-8)
    assert_allclose(again.p, body.p, atol=1e-8)
    moved, moved_inverse = body.in_parent(X), body.inverse().in_parent(X)
    assert_allclose(moved.I @ np.linalg.solve(X, a) + moved.p, X.T @ f, atol=1e-9)
    assert_allclose(moved_inverse.Phi @ X.T @ f + moved_inverse.b, np.linalg.solve(X, a), atol=1e-9)

    model = Mechanism(rng, [FreeMotion(), Euler("zyx")], [0, 1]).model()
    q, qd = model.random_state(rng)
    X_up, joint, rigid, a_0 = handles.unconnected(model, q, qd, rng.normal(size=9))
    seen = joint[2].in_parent(X_up[2])
    for there, here in ((joint[2], rigid[2]), (seen, rigid[2].in_parent(X_up[2]))):
        assert_allclose(there.T.T @ there.S, 0, atol=1e-12)
        assert_allclose(there.T_a.T @ there.S, np.eye(3), atol=1e-12)
        assert_allclose(there.S.T @ here.I @ there.S, joint[2].S.T @ rigid[2].I @ joint[2].S, atol=1e-9)
    assert_array_equal(a_0, [0, 0, 0, *-model.gravity])


def test_inverse(rng):
    """A thin rod's inertia about its own axis may be ten orders smaller than those across, whatever the axes."""
    for n in (0, 1, 3, 6):
        A, exact = spd(rng, n), sp.eye(n) * 3 + sp.ones(n, n)
        assert_allclose(by_handles.inverse(A) @ A, np.eye(n), atol=1e-9)
        assert sp.Matrix(by_handles.inverse(np.array(exact, dtype=object).reshape(n, n))) * exact == sp.eye(n)
    x = sp.Symbol("x")
    A = np.array([[2, x], [x, 3]])
    assert sp.simplify(sp.Matrix(A @ by_handles.inverse(A)) - sp.eye(2)) == sp.zeros(2)
    turn = random_rotation(rng)
    rod = mcI(1.0, [0, 0, 0], turn @ np.diag([1e-10, 1.0, 1.0]) @ turn.T)
    assert_allclose(by_handles.inverse(rod) @ rod, np.eye(6), atol=1e-4)
    for A in (np.zeros((2, 2)), np.ones((3, 3)), np.diag([1.0, 0.0, 2.0]), np.diag([1.0, -1.0])):
        with pytest.raises(ValueError, match="singular"):
            by_handles.inverse(A)


def test_the_generalized_inverse_solves_what_can_be_solved(rng):
    B = rng.normal(size=(7, 4))
    A, b = B @ B.T, B @ rng.normal(size=4)
    A_inv, left_out = generalized_inverse(A, 1e-9)
    assert left_out == [4, 5, 6]
    assert_allclose(A @ A_inv @ b, b, atol=1e-8)
    assert_array_equal(A_inv[left_out], 0)
    assert_array_equal(A_inv[:, left_out], 0)
    assert_allclose(A_inv[:4, :4], np.linalg.inv(A[:4, :4]), rtol=1e-6, atol=1e-6)


def test_variant_1_holds_the_base_where_it_is_and_variant_2_takes_what_has_inertia_only_together(rng):
    """A handle with Phi = 0 keeps its acceleration, whatever is mounted on it."""
    base = by_handles.InverseArticulatedBody(np.zeros((6, 6)), rng.normal(size=6))
    joint = random_connection(rng, 2)
    body = by_handles.ArticulatedBody(spd(rng, 6), rng.normal(size=6))
    A, lam = by_handles.assemble_variant_1(base, body.inverse(), joint)
    assert_allclose(A.Phi, 0, atol=1e-12)
    assert_allclose(A.b, base.b)
    f_2 = joint.T_a @ joint.tau + joint.T @ lam(rng.normal(size=6))
    a_2 = np.linalg.solve(body.I, f_2 - body.p)
    assert_allclose(joint.T.T @ (a_2 - base.b - joint.c), 0, atol=1e-8)

    # A massless body welded to one with mass: the former has an inverse inertia only as part of the assembly.
    I, q, qd, qdd = mcI(2.0, [0.1, 0.2, 0.3], np.diag([0.3, 0.4, 0.5])), [0.4], [0.5], [-0.6]
    model = Model([0, 1], [Revolute(), Fixed()], [np.eye(6), xlt([1, 0, 0])], [np.zeros((6, 6)), I])
    assert_allclose(by_handles.by_variant_2(model, q, qd, rnea(model, q, qd, qdd)), qdd, rtol=1e-8)
    for algorithm in (by_handles.by_variant_1, divide_and_conquer):
        with pytest.raises(ValueError, match="body 1 .* is singular"):
            algorithm(model, [0], [0], [0])
