"""Every method of forward dynamics by its name, against motions by geometry, on every kind of scalar."""

import functools
import re

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, aba, bias_force, crba, forward_dynamics, load, rnea
from rbdlib.book import ch04_joints, ch09_hybrid
from rbdlib.book.ch02_spatial import mcI, rotz, xlt
from rbdlib.book.ch07_articulated_body import articulated_bodies
from rbdlib.book.ch08_closed_loops import loop_constraints
from rbdlib.book.ch09_gears import by_G
from rbdlib.book.ch09_hybrid import hybrid_dynamics
from rbdlib.dynamics import METHODS
from rbdlib.loops import dynamics as loop_dynamics
from rbdlib.loops.closing import close_loops
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.floating_base import FloatingBase
from rbdlib.methods.geared_trees import Gear, GearedTree
from rbdlib.methods.generators import auto_tree
from rbdlib.numbers import scalars
from tests.sources.ch05_systems import JOINT_SETS, Moving
from tests.sources.joints import Mechanism

#: Every type of joint in trees and chains, and trees for methods that take few types.
MOTIONS = {
    "axes": (JOINT_SETS["axes"], [0, 1, 1, 0, 2]),
    "balls and planes": (JOINT_SETS["balls and planes"], [0, 1, 2, 3, 4]),
    "angles": (JOINT_SETS["angles"], [0, 1, 1, 0, 2]), "reversed": (JOINT_SETS["reversed"], [0, 1, 2, 3, 4]),
    "unit columns": ([ch04_joints.Revolute("z"), ch04_joints.FreeMotion(), ch04_joints.Cylindrical("x"),
                      ch04_joints.Spherical(), ch04_joints.Fixed(), ch04_joints.Prismatic("y")],
                     [0, 1, 1, 2, 3, 5]),
    "balls": ([ch04_joints.Spherical()] * 3, [0, 1, 2])}


def refuses(method, model, q):
    """Whether a method is not for joints such as these."""
    joints = [ch04_joints.jcalc(model.joints[i], q[model.q_slice(i)],
                                np.zeros(model.joints[i].nv)) for i in model.bodies]
    if method == "armstrong":
        return any(S.shape[1] != 3 or S[3:].any() for _, S, *_ in joints)
    if method == "aba_unit_columns":
        return any(sorted(column) != [0, 0, 0, 0, 0, 1] for _, S, *_ in joints for column in S.T.tolist())
    return False


def accelerations(method, model, q, qd, tau, f_ext=None):
    """What the method answers, or None where it has to refuse, and does."""
    if not refuses(method, model, np.asarray(q)):
        return forward_dynamics(model, q, qd, tau, f_ext, method)
    with pytest.raises(ValueError, match="not unit vectors|for spherical joints only"):
        forward_dynamics(model, q, qd, tau, f_ext, method)
    return None


@pytest.fixture(params=METHODS)
def method(request):
    return request.param


@functools.cache
def in_motion(name):
    moving = Moving(np.random.default_rng(5), *MOTIONS[name])
    return moving.qdd, (moving.model, moving.q, moving.qd, moving.joint_forces(), moving.f_ext)


def test_accelerations_are_those_of_the_motion(method):
    """Joint forces by geometry, for every type of joint; a method that cannot take a mechanism says so."""
    taken = 0
    for name in MOTIONS:
        expected, given = in_motion(name)
        qdd = accelerations(method, *given)
        if qdd is not None:
            assert_allclose(qdd, expected, rtol=1e-6, atol=1e-6, err_msg=name)
            taken += 1
    assert taken == {"armstrong": 1, "aba_unit_columns": 3}.get(method, len(MOTIONS))


#: A joint that moves by itself, derived when a test first asks for it.
driven = functools.cache(lambda: Custom(1, lambda q, t: rotz(q[0] * q[0]) @ xlt([q[0], scalars.sin(t), q[0] * t])))


def test_joints_that_depend_on_time(method):
    """An elevator and a turntable that move by themselves, and a ball; what holds at one time does not at another."""
    rng = np.random.default_rng([1, 64])
    joints = [driven(), ch04_joints.Spherical(), ch04_joints.Reversed(driven()), ch04_joints.Revolute("x")]
    model = Mechanism(rng, joints, [0, 1, 2, 1]).model()
    (q, qd), qdd, t = model.random_state(rng), rng.normal(size=model.nv), 0.7
    f_ext = rng.normal(size=(5, 6))
    tau = rnea(model, q, qd, qdd, f_ext, t)
    if not refuses(method, model, q):
        assert_allclose(forward_dynamics(model, q, qd, tau, f_ext, method, t), qdd, rtol=1e-6, atol=1e-6)
        assert np.abs(forward_dynamics(model, q, qd, tau, f_ext, method) - qdd).max() > 1e-3


def test_forces_are_recovered_bodies_need_no_volume_and_what_cannot_move_has_no_accelerations(method):
    """A chain of 16 links that taper: tau by inverse dynamics of the result, compared with tau itself."""
    model, (q, qd, tau) = auto_tree(16, taper=0.95), np.random.default_rng(3).normal(size=(3, 16))
    qdd = accelerations(method, model, q, qd, tau)
    if qdd is not None:
        size = np.abs(crba(model, q)) @ np.abs(qdd) + np.abs(bias_force(model, q, qd))
        assert_allclose(rnea(model, q, qd, qdd), tau, rtol=0, atol=1e-9 * size.max())

    # Point masses and rods have singular inertias, which methods that invert them must refuse, not mistake.
    model = load("double_pendulum")
    q, qd, qdd = [0.3, -1.1], [0.5, 2.0], np.array([1.0, -3.0])
    tau = rnea(model, q, qd, qdd)
    if method in {"variant_1", "variant_2", "divide_and_conquer"}:      # which invert the inertias of single bodies
        with pytest.raises(ValueError, match="The inertia of body . .* is singular.* Use aba"):
            forward_dynamics(model, q, qd, tau, method=method)
    elif (found := accelerations(method, model, q, qd, tau)) is not None:
        assert_allclose(found, qdd, rtol=1e-12)

    for n in (0, 2):
        qdd = accelerations(method, Model(range(n), [ch04_joints.Fixed()] * n, [np.eye(6)] * n, [np.eye(6)] * n), [],
                            [], [])
        assert qdd is None or qdd.shape == (0,)
    assert_array_equal(forward_dynamics(load("pendulum"), [1], [2], [3]), aba(load("pendulum"), [1], [2], [3]))


def small_model(method):
    """A model small enough for formulas: two hinges, or one ball for Armstrong."""
    body = np.diag([2.0, 3.0, 4.0, 5.0, 5.0, 5.0])
    if method == "armstrong":
        return Model([0], [ch04_joints.Euler("zyx")], [np.eye(6)], [body])
    return Model([0, 1], [ch04_joints.Revolute("z"), ch04_joints.Revolute("z")], [np.eye(6), xlt([1, 0, 0])],
                 [body] * 2)


def test_every_kind_of_number_gives_what_floats_give(method):
    model = small_model(method)
    given = np.random.default_rng(7).normal(size=(3, model.nv))
    expected = forward_dynamics(model, *given)
    names = [sp.symbols(f"{name}:{model.nv}", real=True) for name in ("q", "u", "t")]
    long = method in {"variant_1", "conjugate_gradient", "preconditioned_conjugate_gradient", "armstrong"}
    state = [given[0], *names[1:]] if long else names           # in terms of positions they have many pages
    formulas = sp.lambdify(sum(names, ()), list(forward_dynamics(model, *state, method=method)), cse=True)
    assert_allclose(formulas(*given.ravel()), expected, rtol=1e-8, atol=1e-8)
    with mpmath.workdps(30):
        exact = model.replace(inertia=[mpmath.mpf(1) * I for I in model.inertia[1:]])
        q, qd, tau = ([mpmath.mpf(x) for x in row] for row in given)
        precise = forward_dynamics(exact, q, qd, tau, method=method)
        assert max(abs(x) for x in rnea(exact, q, qd, precise) - given[2]) < 1e-25
    assert_allclose(precise.astype(float), expected, rtol=1e-10)


def test_one_parameter_alone_decides_the_kind(method):
    """The pitch of a screw, of mpmath."""
    if method in {"armstrong", "aba_unit_columns"}:
        pytest.skip("no screws")
    I = [mcI(2, [0.1, 0.2, 0], np.eye(3))] * 2
    precise, number = (Model([0, 1], [ch04_joints.Helical(h), ch04_joints.Revolute("z")], [np.eye(6), xlt([1, 0, 0])],
                             I)
                       for h in (mpmath.mpf("0.3"), 0.3))
    state = [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]
    qdd = forward_dynamics(precise, *state, method=method)
    assert qdd.dtype == object
    assert_allclose(qdd.astype(float), forward_dynamics(number, *state), rtol=1e-8)


@pytest.mark.parametrize("wrong", ["aba!", ["aba"], 7])
def test_another_name_is_refused(wrong):
    with pytest.raises(ValueError, match=re.escape(f"method is {wrong!r}; choose 'inverse_dynamics', ") + ".*'aba', "):
        forward_dynamics(load("pendulum"), [0], [0], [0], method=wrong)


@pytest.mark.parametrize("joint", [ch04_joints.Revolute(), ch04_joints.Prismatic()], ids=str)
def test_what_moves_no_mass_has_no_acceleration(method, joint):
    with pytest.warns(UserWarning, match="moves nothing that has mass"):
        weightless = Model([0], [joint], [np.eye(6)], [np.zeros((6, 6))])
    with pytest.raises(ValueError, match="Give|for spherical joints|Use aba"):
        forward_dynamics(weightless, [0], [0], [1], method=method)


def test_loops_stay_closed_and_methods_for_trees_say_so():
    model = load("four_bar")
    tree, q = model.replace(loops=()), close_loops(model, [0.6, 0.4, 1.0])
    qd, tau = np.array([1.0, 0.5, -2.0]), np.arange(1.0, 4.0)
    qdd = forward_dynamics(model, q, qd, tau)
    K, k, _ = loop_constraints(model, q, qd)
    assert_allclose(K @ qdd, k, atol=1e-9)
    for method in loop_dynamics.METHODS:
        assert_allclose(forward_dynamics(model, q, qd, tau, method=method), qdd, rtol=1e-8)
    assert np.abs(forward_dynamics(tree, q, qd, tau) - qdd).max() > 1e-3
    assert_allclose(articulated_bodies(model, q, qd, tau).qdd, aba(tree, q, qd, tau), rtol=1e-12)
    hybrid = [functools.partial(hybrid_dynamics, qdd=qd, prescribed=[1], method=name) for name in ch09_hybrid.METHODS]
    for method in (*METHODS.values(), *hybrid):
        with pytest.raises(ValueError, match=r"loop\(s\).*Use forward_dynamics.*replace\(loops=\(\)\)|Armstrong's"):
            method(model, q, qd, tau=tau)
    with pytest.raises(ValueError, match=r"'crba', but the model has 1 loop.*choose 'direct', 'multipliers'"):
        forward_dynamics(model, q, qd, tau, method="crba")
    with pytest.raises(ValueError, match="^method is 'guess'; choose 'direct'"):
        forward_dynamics(model, q, qd, tau, method="guess")


def test_geared_trees_keep_their_gears_and_floating_bases_say_what_they_need():
    tree = load("double_pendulum")
    geared = GearedTree(tree, [Gear(2, {1: 3.0})])
    y, yd, tau = [0.4], [0.7], [0.5, -1.0]
    for method in (None, "explicit", "sparse"):
        assert_allclose(forward_dynamics(geared, y, yd, tau, method=method), by_G(geared, y, yd, tau), rtol=1e-12)
    with pytest.raises(ValueError, match="method is 'aba'; choose 'explicit'"):
        forward_dynamics(geared, y, yd, tau, method="aba")
    with pytest.raises(TypeError, match="floating_aba, or give to_fixed_base"):
        forward_dynamics(FloatingBase(tree, mcI(1, [0, 0, 0], np.eye(3))), [0, 0], [0, 0], [0, 0])
