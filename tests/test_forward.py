"""Every method of forward dynamics by its name, against motions by geometry and the Lagrangian."""

import math

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, aba, forward_dynamics, load, rnea
from rbdlib.forward import METHODS
from rbdlib.generators import auto_tree
from rbdlib.joints import Prismatic, Revolute, Spherical
from tests.sources.ch05_systems import JOINT_SETS, Moving
from tests.sources.helpers import derivative, random_tree

BRANCHED = [0, 1, 1, 2, 2, 3, 0]
#: What a method asks of its joints, and what its refusal of others says.
NEEDS_UNIT_COLUMNS = {"aba_unit_columns"}
NEEDS_BALLS = {"armstrong"}
SERIAL = {"rodriguez"}
SINGULAR_BODIES_REFUSED = {"variant_1", "variant_2", "divide_and_conquer"}


@pytest.fixture(params=METHODS)
def method(request):
    return request.param


@pytest.fixture(params=[1, 2], ids=lambda seed: f"seed {seed}")
def rng(request):
    return np.random.default_rng([request.param, 64])


def in_motion(rng, joints, parent=None):
    """A mechanism and the joint forces that geometry finds for its motion, with gravity and external forces."""
    moving = Moving(rng, joints, parent)
    return moving, (moving.model, moving.q, moving.qd, moving.joint_forces(), moving.f_ext)


@pytest.mark.parametrize("parent", [[0, 1, 2, 3, 4], [0, 1, 1, 0, 2]], ids=["chain", "tree"])
@pytest.mark.parametrize("name", JOINT_SETS)
def test_accelerations_are_those_of_the_motion(method, name, parent):
    """Joint forces by geometry, for every type of joint; a method that cannot take a mechanism says so."""
    if method in NEEDS_BALLS:
        pytest.skip(f"{method} is for spherical joints, which have a test of their own")
    moving, given = in_motion(np.random.default_rng(5), JOINT_SETS[name], parent)
    try:
        qdd = forward_dynamics(*given, method=method)
    except ValueError as refusal:
        assert method in NEEDS_UNIT_COLUMNS and "unit vectors" in str(refusal)
        return
    assert_allclose(qdd, moving.qdd, rtol=1e-6, atol=1e-6)


def test_balls_in_a_chain(method, rng):
    moving, given = in_motion(rng, [Spherical()] * 3, [0, 1, 2])
    assert_allclose(forward_dynamics(*given, method=method), moving.qdd, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("parent", [[0], [0, 1, 2, 3], BRANCHED], ids=str)
def test_accelerations_are_those_of_the_lagrangian(method, rng, parent):
    if method in NEEDS_BALLS:
        pytest.skip(f"{method} is for spherical joints, which have a test of their own")
    n = len(parent)
    tree = random_tree(rng, n, parent)
    q, qd, tau = rng.normal(size=(3, n))
    expected = np.linalg.solve(tree.mass_matrix(q), tau - tree.lagrangian_bias(q, qd))
    assert_allclose(forward_dynamics(tree.model(), q, qd, tau, method=method), expected, rtol=1e-8, atol=1e-8)


def test_forces_are_recovered_as_well_as_the_conditioning_allows(method):
    """A chain of 30 links that taper: tau by inverse dynamics of the result, compared with tau itself."""
    if method in NEEDS_BALLS:
        pytest.skip(f"{method} is for spherical joints, which have a test of their own")
    model, rng = auto_tree(30, taper=0.95), np.random.default_rng(3)
    q, qd, tau = rng.normal(size=(3, 30))
    qdd = forward_dynamics(model, q, qd, tau, method=method)
    size = np.abs(rnea(model, q, qd, np.abs(qdd))).max()
    assert_allclose(rnea(model, q, qd, qdd), tau, rtol=0, atol=1e-9 * size)


def test_a_body_without_volume(method):
    """Point masses and rods have singular inertias, which methods that invert them must refuse, not mistake."""
    if method in NEEDS_BALLS:
        pytest.skip(f"{method} is for spherical joints, which have a test of their own")
    model = load("double_pendulum")
    q, qd, qdd = [0.3, -1.1], [0.5, 2.0], np.array([1.0, -3.0])
    tau = rnea(model, q, qd, qdd)
    try:
        assert_allclose(forward_dynamics(model, q, qd, tau, method=method), qdd, rtol=1e-12)
    except ValueError as refusal:
        assert method in SINGULAR_BODIES_REFUSED and "Use aba" in str(refusal)


def test_sliders_fall_freely():
    particle = load("particle")
    assert_allclose(forward_dynamics(particle, [1, 2], [3, 4], [0, 0]), [0, -9.8], atol=1e-14)
    assert_allclose(forward_dynamics(particle, [1, 2], [3, 4], [2, 0], {2: [0, 0, 0, 4, 0, 0]}), [3, -9.8], atol=1e-14)


def test_without_a_name_it_is_the_articulated_body_algorithm(rng):
    model = random_tree(rng, 4).model()
    state = rng.normal(size=(3, 4))
    assert_array_equal(forward_dynamics(model, *state), aba(model, *state))


def test_symbols_mpmath_and_complex_numbers_give_what_floats_give(method):
    if method in NEEDS_BALLS:
        pytest.skip(f"{method} is for spherical joints, which have a test of their own")
    rng = np.random.default_rng(7)
    model = random_tree(rng, 2, [0, 1]).model()
    given = rng.normal(size=(3, 2))
    names = [sp.symbols(f"{name}:2", real=True) for name in ("q", "u", "t")]
    expected = forward_dynamics(model, *given)
    formulas = sp.lambdify(sum(names, ()), list(forward_dynamics(model, *names, method=method)), cse=True)
    assert_allclose(formulas(*given.ravel()), expected, rtol=1e-8, atol=1e-8)
    with mpmath.workdps(30):
        precise = forward_dynamics(model, *([mpmath.mpf(x) for x in row] for row in given), method=method)
        assert_allclose(precise.astype(float), expected, rtol=1e-9, atol=1e-9)


def test_complex_numbers_differentiate(rng):
    model, given, along = random_tree(rng, 2).model(), *rng.normal(size=(2, 3, 2))
    h = 1e-6
    later, earlier = (forward_dynamics(model, *(given + x * along)) for x in (h, -h))
    slope = derivative(lambda t: forward_dynamics(model, *(given + t * along)))
    assert_allclose(slope, (later - earlier) / (2 * h), rtol=1e-5, atol=1e-5)


def test_inputs_are_left_alone(method, rng):
    model = Model([0, 1], [Spherical(), Spherical()], [np.eye(6)] * 2, [np.diag([2.0, 3, 4, 5, 5, 5])] * 2)
    q, qd = model.random_state(rng)
    given = [q, qd, rng.normal(size=6), rng.normal(size=(3, 6))]
    kept = [x.copy() for x in given]
    forward_dynamics(model, *given, method=method)
    for x, copy in zip(given, kept, strict=True):
        assert_array_equal(x, copy)


@pytest.mark.parametrize(("arguments", "error", "message"), [
    ({"method": "aba!"}, ValueError, "method is 'aba!'; choose 'inverse_dynamics', .*'aba', "),
    ({"tau": [1, 2]}, ValueError, r"tau has shape \(2,\); expected 1 numbers"),
    ({"tau": [math.nan]}, ValueError, "tau contains nan;"),
    ({"q": [0, 1]}, ValueError, r"q has shape \(2,\)"),
    ({"qd": ["a"]}, TypeError, "qd contains the text 'a'"),
    ({"f_ext": {4: np.zeros(6)}}, ValueError, "f_ext names body 4"),
    ({"model": "pendulum"}, TypeError, "model is 'pendulum'; give a Model"),
])
def test_wrong_arguments_are_named(arguments, error, message):
    given = {"model": load("pendulum"), "q": [0], "qd": [0], "tau": [0]}
    with pytest.raises(error, match=message):
        forward_dynamics(**given | arguments)


@pytest.mark.parametrize("changes", [{"tau": [1, 2]}, {"tau": [math.nan]}, {"q": [0, 1]}, {"f_ext": {4: np.zeros(6)}}])
def test_every_method_names_wrong_arguments(method, changes):
    given = {"model": load("pendulum"), "q": [0], "qd": [0], "tau": [0]}
    with pytest.raises(ValueError, match=next(iter(changes))):
        forward_dynamics(**given | changes, method=method)


@pytest.mark.parametrize("joint", [Revolute(), Prismatic()], ids=str)
def test_what_moves_no_mass_has_no_acceleration(method, joint):
    with pytest.warns(UserWarning, match="moves nothing that has mass"):
        weightless = Model([0], [joint], [np.eye(6)], [np.zeros((6, 6))])
    with pytest.raises(ValueError, match="Give|for spherical joints|Use aba"):
        forward_dynamics(weightless, [0], [0], [1], method=method)
