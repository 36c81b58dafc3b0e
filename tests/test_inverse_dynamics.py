"""Inverse dynamics: what a change of the model changes, simple systems, every kind of scalar, refusals.

That it gives the forces of Lagrange and of geometry is tested in tests/sources/test_rbda_ch05.py.
"""

import math

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, bias_force, load, rnea
from rbdlib.inverse_dynamics import newton_euler
from rbdlib.joints import Fixed, Revolute
from rbdlib.kinematics import body_transforms
from rbdlib.spatial import mcI, plucker, rx, xlt
from tests.sources.helpers import random_mass_properties, random_pose, random_rotation, random_tree


@pytest.fixture
def rng():
    return np.random.default_rng(31)


def states(rng, n):
    return rng.normal(size=(3, n))


def f_ext_of(rng, n):
    return np.vstack([np.zeros(6), rng.normal(size=(n, 6))])


# Other models of the same system


def test_the_base_supplies_the_rate_of_momentum_minus_all_other_forces(rng):
    """f[0] of a resting tree is minus its weight and the external forces; a force on the base acts on no body."""
    tree = random_tree(rng, 5, [0, 1, 1, 0, 4])
    q, zero = rng.normal(size=5), np.zeros(5)
    f_ext = f_ext_of(rng, 5)
    weights = [m * tree.gravity for m, _, _ in tree.bodies]
    moments = [np.cross(c, w) for c, w in zip(tree.centres(q), weights, strict=True)]
    reaction = -np.concatenate([sum(moments), sum(weights)]) - f_ext.sum(axis=0)
    assert_allclose(newton_euler(tree.model(), q, zero, zero, f_ext).f[0], reaction, atol=1e-11)
    f_ext[0] = 99
    assert_allclose(newton_euler(tree.model(), q, zero, zero, f_ext).f[0], reaction, atol=1e-11)


def test_a_fixed_joint_makes_two_bodies_one(rng):
    """A body welded on equals its inertia added to its parent's; nothing else changes."""
    tree = random_tree(rng, 4, [0, 1, 2, 3])
    model = tree.model()
    q, qd, qdd = states(rng, 3)
    R, p = random_pose(rng)
    X = plucker(R, p)
    welded = Model([0, 1, 2, 2], [*model.joints[1:3], Fixed(), model.joints[3]],
                   [*model.X_tree[1:3], X, model.X_tree[3]], [*model.inertia[1:3], model.inertia[4], model.inertia[3]],
                   tree.gravity)
    inertia = [model.inertia[1], model.inertia[2] + X.T @ model.inertia[4] @ X, model.inertia[3]]
    merged = Model([0, 1, 2], model.joints[1:4], model.X_tree[1:4], inertia, tree.gravity)
    assert_allclose(rnea(welded, q, qd, qdd), rnea(merged, q, qd, qdd), rtol=1e-11, atol=1e-11)


def test_numbering_of_the_bodies_does_not_matter(rng):
    """The same tree numbered otherwise gives the same forces at the same joints."""
    tree = random_tree(rng, 5, [0, 1, 1, 2, 3])
    order = [1, 3, 2, 5, 4]
    number = {old: new for new, old in enumerate(order, start=1)} | {0: 0}
    model = tree.model()
    other = Model([number[model.parent[i]] for i in order], [model.joints[i] for i in order],
                  [model.X_tree[i] for i in order], [model.inertia[i] for i in order], tree.gravity)
    places = np.array(order) - 1
    q, qd, qdd = states(rng, 5)
    assert_allclose(rnea(other, q[places], qd[places], qdd[places]), rnea(model, q, qd, qdd)[places], atol=1e-11)


# Simple cases anyone can compute


def test_a_pendulum_needs_m_g_l_sin_q():
    m, l, g = 1.2, 0.8, 9.81
    for q in (0, 0.3, -2):
        assert_allclose(rnea(load("pendulum"), [q], [5], [0]), [m * g * l / 2 * math.sin(q)], atol=1e-14)
        assert_allclose(rnea(load("pendulum"), [q], [5], [2]) - rnea(load("pendulum"), [q], [5], [0]),
                        [2 * m * l**2 / 3])


def test_double_pendulum_has_its_textbook_bias():
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


# The trace


def test_every_intermediate_vector_is_kept(rng):
    tree = random_tree(rng, 4, [0, 1, 1, 3])
    model = tree.model()
    motion = newton_euler(model, *states(rng, 4))
    for i in model.bodies:
        assert_allclose(motion.X_0[i], motion.X_up[i] @ motion.X_0[model.parent[i]], atol=1e-13)
        assert motion.S[i].shape == (6, 1)
        assert_allclose(motion.S[i].T @ motion.f[i], motion.tau[model.v_slice(i)], atol=1e-13)
    assert motion.X_up[0] is None
    assert_array_equal(motion.v[0], np.zeros(6))
    assert_array_equal(motion.a[0], [0, 0, 0, *-tree.gravity])
    assert_allclose(motion.f[0], sum(motion.X_up[i].T @ motion.f[i] for i in model.mu(0)), atol=1e-12)


# Scalars


@pytest.mark.slow
def test_symbols_mpmath_and_complex_numbers_give_what_floats_give(rng):
    model, f_ext, given = random_tree(rng, 2, [0, 1]).model(), f_ext_of(rng, 2), states(rng, 2)
    expected = rnea(model, *given, f_ext)
    names = [sp.symbols(f"{name}:2", real=True) for name in "uw"]
    formulas = sp.lambdify(sum(names, ()), list(rnea(model, given[0], *names, f_ext)), cse=True)
    assert_allclose(formulas(*given[1:].ravel()), expected, rtol=1e-10, atol=1e-10)
    with mpmath.workdps(30):
        precise = rnea(model, *([mpmath.mpf(x) for x in row] for row in given), f_ext)
        assert_allclose(precise.astype(float), expected, rtol=1e-11, atol=1e-11)
    assert_allclose(rnea(model, *(given + 0j), f_ext), expected, rtol=1e-12)


@pytest.mark.slow
def test_symbols_may_stand_anywhere_among_numbers(rng):
    """One symbolic argument, model entry or force is enough, and the others may stay floats."""
    x = sp.Symbol("x", real=True)
    _, c, I_C = random_mass_properties(rng)
    model = Model([0, 1], [Revolute("x"), Revolute("y")], [xlt([0, 1, 2]), xlt([1, 0, 1])], [mcI(2, c, I_C)] * 2)
    q, qd, qdd = states(rng, 2)
    cases = [
        lambda x: rnea(model, [x, q[1]], qd, qdd),
        lambda x: rnea(model, q, [qd[0], x], qdd),
        lambda x: rnea(model, q, qd, [x, 1]),
        lambda x: rnea(model, q, qd, qdd, {2: [0, 0, x, 0, 0, 0]}),
        lambda x: rnea(model.replace(gravity=(0, 0, x)), q, qd, qdd),
        lambda x: rnea(model.replace(inertia=[model.inertia[1], mcI(x, c, I_C)]), q, qd, qdd),
        lambda x: rnea(model.replace(X_tree=[model.X_tree[1], xlt([0, x, 0])]), q, qd, qdd),
    ]
    for case in cases:
        formulas = case(x)
        assert x in sp.Matrix(formulas).free_symbols
        assert_allclose(sp.lambdify(x, list(formulas), cse=True)(0.7), case(0.7), rtol=1e-10, atol=1e-10)


def test_more_digits_are_not_lost():
    """With 40 digits, the affine identity rnea(2 qdd) - 2 rnea(qdd) + C = 0 holds to 30."""
    with mpmath.workdps(40):
        third = mpmath.mpf(1) / 3
        model = load("lamp")
        q = [third * k for k in range(1, 6)]
        double, single, C = (rnea(model, q, q, [k * x for x in q]) for k in (2, 1, 0))
        assert max(abs(x) for x in double - 2 * single + C) < mpmath.mpf(10) ** -30
        assert max(abs(x) for x in single) > 1


# Arguments


def test_inputs_are_left_alone_and_outputs_are_new(rng):
    model = random_tree(rng, 3).model()
    given, f_ext = states(rng, 3), f_ext_of(rng, 3)
    kept = given.copy(), f_ext.copy(), [X.copy() for X in (*model.X_tree[1:], *model.inertia[1:])]
    motion = newton_euler(model, *given, f_ext)
    for array in (motion.tau, *motion.v, *motion.a, *motion.f, *motion.X_up[1:], *motion.X_0, *motion.S[1:]):
        array[:] = 0
    assert_array_equal(given, kept[0])
    assert_array_equal(f_ext, kept[1])
    for array, copy in zip((*model.X_tree[1:], *model.inertia[1:]), kept[2], strict=True):
        assert_array_equal(array, copy)
    zero = np.zeros(3)
    zero.flags.writeable = False
    rnea(model, zero, zero, zero)


@pytest.mark.parametrize("convert", [list, tuple, lambda x: sp.Matrix(x), lambda x: x.astype(np.float32)],
                         ids=["list", "tuple", "sympy", "float32"])
def test_arguments_may_be_any_sequence(rng, convert):
    model = random_tree(rng, 3).model()
    given = states(rng, 3).astype(np.float32).astype(float)
    tau = rnea(model, *(convert(x) for x in given))
    assert_allclose(np.array(tau, float), rnea(model, *given), rtol=1e-12)


@pytest.mark.parametrize(("place", "name"), [(0, "q"), (1, "qd"), (2, "qdd")])
@pytest.mark.parametrize(("wrong", "error", "message"), [
    ([1, 2], ValueError, r"has shape \(2,\); expected 3 numbers"),
    ([[1, 2, 3]], ValueError, r"has shape \(1, 3\)"),
    (1.0, ValueError, r"has shape \(\)"),
    ([1, math.nan, 3], ValueError, "contains nan at index 1; every number must be finite"),
    ([1, 2, math.inf], ValueError, "contains inf at index 2"),
    ([1, "2", 3], TypeError, "contains the text '2'"),
    (None, TypeError, "contains None"),
])
def test_wrong_arguments_are_named(place, name, wrong, error, message):
    model = random_tree(np.random.default_rng(1), 3).model()
    arguments = [np.zeros(3), np.zeros(3), np.zeros(3)]
    arguments[place] = wrong
    with pytest.raises(error, match=f"^{name} {message}"):
        rnea(model, *arguments)
    if place < 2:
        with pytest.raises(error, match=f"^{name} {message}"):
            bias_force(model, *arguments[:2])


def test_a_rotated_world_changes_nothing(rng):
    """Turning base, gravity and external forces together leaves the joint forces as they are."""
    tree = random_tree(rng, 4)
    model, f_ext, (q, qd, qdd) = tree.model(), f_ext_of(rng, 4), states(rng, 4)
    R = random_rotation(rng)
    turned = plucker(R, np.zeros(3))
    X_tree = [X @ turned.T if parent == 0 else X for parent, X in zip(tree.parent, model.X_tree[1:], strict=True)]
    other = model.replace(X_tree=X_tree, gravity=R @ tree.gravity)
    assert_allclose(rnea(other, q, qd, qdd, f_ext @ turned.T), rnea(model, q, qd, qdd, f_ext), rtol=1e-10, atol=1e-10)
    assert_allclose(body_transforms(other, q)[4] @ turned, body_transforms(model, q)[4], atol=1e-12)


def test_a_hinge_turned_upside_down_turns_the_other_way():
    body = mcI(1, [0.3, 0.1, 0.2], np.diag([0.1, 0.2, 0.2]))
    up = Model([0], [Revolute("z")], [np.eye(6)], [body])
    down = Model([0], [Revolute((0, 0, -1))], [np.eye(6)], [body])
    assert_allclose(rnea(up, [0.4], [1.5], [2.5]), -rnea(down, [-0.4], [-1.5], [-2.5]), atol=1e-14)
    tilted = Model([0], [Revolute("z")], [plucker(rx(math.pi / 2), [0, 0, 0])], [body], gravity=(0, 9.81, 0))
    assert abs(rnea(tilted, [0.4], [0], [0])[0]) < 1e-14
