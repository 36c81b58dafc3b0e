"""Inverse dynamics: welded bodies, the textbook case, symbols, arguments and refusals. That it gives the forces of
Lagrange and of geometry is tested in tests/sources/test_rbda_ch05.py."""


import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, bias_force, load, rnea
from rbdlib.book.ch02_spatial import mcI, plucker, xlt
from rbdlib.book.ch04_joints import Fixed, Revolute
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from tests.sources.helpers import random_mass_properties, random_pose, random_tree

SEED = 31


def test_double_pendulum_has_its_textbook_bias_and_a_fixed_joint_makes_two_bodies_one(rng):
    """Coriolis and centrifugal terms of two point masses on rods, with relative second angle."""
    model = load("double_pendulum", symbolic=True)
    m1, m2, l1, l2, g = (model.parameters[name] for name in ("m1", "m2", "l1", "l2", "g"))
    q, u = sp.symbols("q1:3", real=True), sp.symbols("u1:3", real=True)
    C = bias_force(model, q, u)
    h = m2 * l1 * l2 * sp.sin(q[1])
    G2 = m2 * g * l2 * sp.sin(q[0] + q[1])
    expected = [-h * (2 * u[0] * u[1] + u[1] ** 2) + (m1 + m2) * g * l1 * sp.sin(q[0]) + G2, h * u[0] ** 2 + G2]
    difference = sp.lambdify([m1, m2, l1, l2, g, *q, *u], list(C - np.array(expected)))
    for values in np.random.default_rng(35).uniform(0.5, 3, (5, 9)):
        assert_allclose(difference(*values), 0, atol=1e-11)

    # A body welded on equals its inertia added to its parent's; nothing else changes.
    model, X = random_tree(rng, 4, [0, 1, 2, 3]).model(), plucker(*random_pose(rng))
    joints, X_tree, I = model.joints[1:4], model.X_tree[1:4], model.inertia
    welded = Model([0, 1, 2, 2], [*joints[:2], Fixed(), joints[2]], [*X_tree[:2], X, X_tree[2]],
                   [I[1], I[2], I[4], I[3]], model.gravity)
    merged = Model([0, 1, 2], joints, X_tree, [I[1], I[2] + X.T @ I[4] @ X, I[3]], model.gravity)
    state = rng.normal(size=(3, 3))
    assert_allclose(rnea(welded, *state), rnea(merged, *state), rtol=1e-11, atol=1e-11)


def test_every_intermediate_vector_is_kept_and_a_force_on_the_base_acts_on_no_body(rng):
    tree = random_tree(rng, 4, [0, 1, 1, 3])
    model, state, f_ext = tree.model(), rng.normal(size=(3, 4)), rng.normal(size=(5, 6))
    motion = newton_euler(model, *state, f_ext)
    for i in model.bodies:
        assert_allclose(motion.X_0[i], motion.X_up[i] @ motion.X_0[model.parent[i]], atol=1e-13)
        assert motion.S[i].shape == (6, 1)
        assert_allclose(motion.S[i].T @ motion.f[i], motion.tau[model.v_slice(i)], atol=1e-13)
    assert motion.X_up[0] is None
    assert_array_equal(motion.v[0], np.zeros(6))
    assert_array_equal(motion.a[0], [0, 0, 0, *-tree.gravity])
    assert_allclose(motion.f[0], sum(motion.X_up[i].T @ motion.f[i] for i in model.mu(0)), atol=1e-12)
    f_ext[0] = 99
    pushed = newton_euler(model, *state, f_ext)
    assert_array_equal([*pushed.tau, *pushed.f[0]], [*motion.tau, *motion.f[0]])


def test_symbols_may_stand_anywhere_among_numbers(rng):
    """One symbolic argument, model entry or force is enough, and the others may stay floats."""
    x = sp.Symbol("x", real=True)
    _, c, I_C = random_mass_properties(rng)
    model = Model([0, 1], [Revolute("x"), Revolute("y")], [xlt([0, 1, 2]), xlt([1, 0, 1])], [mcI(2, c, I_C)] * 2)
    q, qd, qdd = rng.normal(size=(3, 2))
    for case in (
        lambda x: rnea(model, [x, q[1]], qd, qdd), lambda x: rnea(model, q, [qd[0], x], qdd),
        lambda x: rnea(model, q, qd, [x, 1]), lambda x: rnea(model, q, qd, qdd, {2: [0, 0, x, 0, 0, 0]}),
        lambda x: rnea(model.replace(gravity=(0, 0, x)), q, qd, qdd),
        lambda x: rnea(model.replace(inertia=[model.inertia[1], mcI(x, c, I_C)]), q, qd, qdd),
        lambda x: rnea(model.replace(X_tree=[model.X_tree[1], xlt([0, x, 0])]), q, qd, qdd),
    ):
        formulas = case(x)
        assert x in sp.Matrix(formulas).free_symbols
        assert_allclose(sp.lambdify(x, list(formulas), cse=True)(0.7), case(0.7), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("convert", [list, tuple, lambda x: sp.Matrix(x), lambda x: x.astype(np.float32)],
                         ids=["list", "tuple", "sympy", "float32"])
def test_arguments_may_be_any_sequence(rng, convert):
    model = random_tree(rng, 3).model()
    given = rng.normal(size=(3, 3)).astype(np.float32).astype(float)
    tau = rnea(model, *(convert(x) for x in given))
    assert_allclose(np.array(tau, float), rnea(model, *given), rtol=1e-12)
