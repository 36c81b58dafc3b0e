"""Every joint type of the library, either way round: what `jcalc` returns, and how its variables change with time."""

import inspect
from functools import cache

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib.book import ch04_joints as ch04, ch04_orientation as orientation
from rbdlib.book.ch02_spatial import crm, plucker, rotx, rotz, rz, xlt
from rbdlib.book.ch03_subspaces import active_force_subspace
from rbdlib.book.ch04_joints import Euler, FreeMotion, Helical, RackAndPinion, Reversed, Spherical, Universal, jcalc
from rbdlib.methods.custom_joint import Custom
from rbdlib.numbers.orientation import euler_parameters_from_rotation
from rbdlib.numbers.scalars import cos, sin
from tests.sources.ch03_systems import EVERY_JOINT
from tests.sources.helpers import E_and_r, close, far, random_rotation, random_unit, slope, turn
from tests.sources.joints import HERE, JOINTS, joint_pose

SEED = 44
TIME = 0.7


@cache
def custom(name):
    """A joint that depends on time, or one from expressions: derived only when a test first asks for it."""
    if name == "depends on time":
        return Custom(2, lambda q, t: rotz(q[0]) @ xlt([q[1] * q[1], sin(t), q[0]]), name=name)
    if name == "turns and slides":
        return Custom(2, lambda q, t: rotx(q[0]) @ xlt([q[1], cos(q[0]), q[0]]), name=name)
    return Reversed(custom(name.removeprefix("reversed ")))


CUSTOM = ["depends on time", "turns and slides", "reversed depends on time"]


def each(joints):
    """A parameter ``joint``, which is a joint or the name of a custom one."""
    return pytest.mark.parametrize("joint", joints, ids=str, indirect=True)


@pytest.fixture
def joint(request):
    return custom(request.param) if isinstance(request.param, str) else request.param


def state(joint, rng):
    return joint.random_position(rng), rng.normal(size=joint.nv)


@pytest.mark.source("RBDA-3.32", "RBDA-3.33", "RBDA-3.38", "RBDA-3.39", "RBDA-3.41", "RBDA-3.42", "RBDA-3.43",
                    "RBDA-S3.5-4", "RBDA-3.36", "RBDA-S4.4-1", "RBDA-A4.5", "RBDA-Q4.4-2")
@each([*JOINTS, *(joint for joint in EVERY_JOINT if isinstance(joint, Reversed)), *CUSTOM])
def test_velocities_accelerations_and_rates_are_derivatives(joint, rng):
    """v_J is the velocity with which X_J changes, linear in qd, and c_J its rate of change while qd is constant.
    Constraint forces see only the prescribed velocity sigma; the power balance fixes the scale of the active forces."""
    assert list(inspect.signature(jcalc).parameters) == ["joint", "q", "qd", "t"]
    q, qd = state(joint, rng)
    X, S, v, c_J = jcalc(joint, q, qd, TIME)
    T, sigma = joint.constraint_subspace(q, TIME), joint.bias_velocity(q, TIME)

    def along(function):
        """The rate of a function of position and time while qd is constant."""
        return slope(lambda t: function(joint.integrate(q, qd, t - TIME), t), TIME)

    if not isinstance(joint, Reversed | Custom):
        close(joint.transform(joint.neutral()), np.eye(6))
        close(X, plucker(*E_and_r(HERE, joint_pose(joint, q))))
    close(along(joint.transform), -crm(v) @ X, 1e-9)
    close(slope(lambda t: joint.transform(q, t), TIME), -crm(sigma) @ X, 1e-9)
    close(v, sigma + S @ qd)
    close(c_J, along(lambda q, t: jcalc(joint, q, qd, t)[2]), 1e-9)
    S_ring, q_dot = joint.motion_subspace_rate(q, qd, TIME), joint.qdot(q, qd)
    assert S.shape == S_ring.shape == (6, joint.nv)
    assert_allclose(S_ring, along(joint.motion_subspace), atol=1e-9)
    close(c_J, S_ring @ qd + along(joint.bias_velocity), 1e-9)
    assert q_dot.shape == (joint.nq,)
    assert_allclose(q_dot, along(lambda q, t: q), atol=1e-9)
    if joint.nq == joint.nv:
        partial = slope(lambda t: joint.motion_subspace(q, t), TIME)
        for unit, rate in zip(np.eye(joint.nq), q_dot, strict=True):
            partial = partial + rate * slope(lambda x, unit=unit: joint.motion_subspace(q + x * unit, TIME))
        assert_allclose(partial, S_ring, atol=1e-9)
    if isinstance(joint, ch04.Revolute | ch04.Prismatic | Helical | ch04.Cylindrical | ch04.Planar | Spherical
                  | FreeMotion | ch04.Fixed):
        assert_array_equal(c_J, np.zeros(6))
        assert_array_equal(S, joint.motion_subspace(joint.neutral()))
    elif isinstance(joint, Euler | Universal | RackAndPinion):
        far(c_J, 0)

    assert T.shape == (6, 6 - joint.nv)
    assert_allclose(T.T @ S, np.zeros((6 - joint.nv, joint.nv)), atol=1e-12)
    assert np.linalg.matrix_rank(np.hstack([S, T])) == 6
    assert_allclose(T.T @ v, T.T @ sigma, atol=1e-9)
    tau = rng.normal(size=joint.nv)
    f_J = active_force_subspace(S) @ tau + T @ rng.normal(size=6 - joint.nv)
    assert_allclose(f_J @ v, f_J @ sigma + tau @ qd, atol=1e-8)
    if "time" in str(joint):
        far(T.T @ sigma, 0)
    else:
        assert_array_equal(sigma, np.zeros(6))


@each([*EVERY_JOINT, *CUSTOM])
def test_integrating_twice_is_integrating_for_the_sum_of_the_times(joint, rng):
    """Normalising scales the Euler parameters and nothing else; turning a joint round twice changes nothing."""
    q, qd = state(joint, rng)
    once, twice = joint.integrate(q, qd, 0.8), joint.integrate(joint.integrate(q, qd, 0.5), qd, 0.3)
    assert_allclose(twice, once, atol=1e-12)
    assert_allclose(joint.integrate(once, qd, -0.8), q, atol=1e-12)
    assert_allclose(joint.integrate(q, qd, 0), q, atol=1e-15)
    scaled = np.array([1.0003 * x if joint.nq > joint.nv and k < 4 else x for k, x in enumerate(q)])
    assert_allclose(joint.normalise(scaled), q, atol=1e-15)
    for one, other in zip(jcalc(Reversed(Reversed(joint)), q, qd, TIME), jcalc(joint, q, qd, TIME), strict=True):
        assert_allclose(one, other, atol=1e-12)


@each([*EVERY_JOINT, *CUSTOM])
def test_symbols_and_mpmath_give_what_floats_give(joint, rng):
    q, qd = state(joint, rng)
    names = sp.symbols(f"q0:{joint.nq}", real=True), sp.symbols(f"u0:{joint.nv}", real=True)

    def results(q, qd):
        return (*jcalc(joint, q, qd, TIME), joint.constraint_subspace(q, TIME), joint.qdot(q, qd))

    precise = results(*(np.array([mpmath.mpf(x) for x in part]) for part in (q, qd)))
    for expected, formula, number in zip(results(q, qd), results(*map(np.array, names)), precise, strict=True):
        assert formula.shape == number.shape == expected.shape
        assert_allclose(sp.lambdify(names, formula.ravel().tolist())(q, qd), expected.ravel(), atol=1e-12)
        assert_allclose(number.astype(float), expected, atol=1e-12)


@each([joint for joint in EVERY_JOINT if "(" not in str(joint)])
def test_mpmath_keeps_its_digits(joint, rng):
    """The velocity is the rate of the transform to more digits than floats have, unless the axis is made of floats."""
    q, qd = state(joint, rng)
    with mpmath.workdps(50):
        q, qd, h = (np.array([mpmath.mpf(x) for x in part]) for part in (q, qd, [mpmath.mpf("1e-15")]))
        qdot = joint.qdot(joint.normalise(q), qd)
        X, _, v, _ = jcalc(joint, joint.normalise(q), qd)
        change = joint.transform(joint.normalise(q) + h * qdot) - joint.transform(joint.normalise(q) - h * qdot)
        error = change / (2 * h) + crm(v) @ X
        assert max(abs(x) for x in error.ravel()) < mpmath.mpf("1e-25")


@each([*EVERY_JOINT, *CUSTOM])
def test_inputs_are_left_alone_and_results_are_new(joint, rng):
    q, qd = state(joint, rng)
    kept = [*q, *qd]
    for result in (*jcalc(joint, q, qd, TIME), joint.constraint_subspace(q), joint.qdot(q, qd), joint.normalise(q),
                   joint.integrate(q, qd, 0.1), joint.neutral()):
        result[...] = 99
    assert_array_equal([*q, *qd], kept)
    assert not np.any(joint.neutral() == 99)


def test_joints_compare_by_kind_and_parameters_and_print_what_they_are():
    joints = [Helical(0.3), Helical(0.3, "x"), Helical(0.4), RackAndPinion(0.3), ch04.Cylindrical(), ch04.Planar(),
              ch04.Planar("F_s"), Spherical(), FreeMotion(), Euler("zyx"), Euler("zxz"), Universal(), Universal("yz"),
              Reversed(Helical(0.3))]
    assert all((one == other) == (one is other) for one in joints for other in joints)
    assert Euler() == Euler("zyx") and Reversed(Spherical()) == Reversed(Spherical())
    assert len({*joints, *joints}) == len(joints)
    assert [str(joint) for joint in (Helical(0.3), RackAndPinion(0.25), Euler("zxz"), Universal(), FreeMotion())] == [
        "helical z", "rack and pinion, radius 0.25", "euler zxz", "universal xy", "free motion"]
    assert str(Reversed(RackAndPinion(0.25))) == "reversed rack and pinion, radius 0.25"
    assert str(custom("depends on time")) == "depends on time"


def test_a_custom_joint_derives_what_is_not_given(rng):
    """The rack and pinion by its transform alone, by S too, and by all formulas, is the joint of the library."""
    formulas = (lambda q, t: rotz(q[0]) @ xlt([0.3 * q[0], 0, 0]),
                lambda q, t: np.array([[0, 0, 1, 0.3 * cos(q[0]), -0.3 * sin(q[0]), 0]]).T,
                lambda q, qd, t: np.array([0, 0, 0, -0.3 * sin(q[0]), -0.3 * cos(q[0]), 0]) * qd[0] ** 2)
    q, qd = rng.normal(size=(2, 1))
    assert Custom(1, lambda q, t: xlt([1e7 * sin(q[0]), 0, 0])).nq == 1         # lengths may have any unit
    for joint in (Custom(1, *formulas[:given]) for given in (1, 2, 3)):
        for made, library in zip(jcalc(joint, q, qd), jcalc(RackAndPinion(0.3), q, qd), strict=True):
            assert_allclose(made, library, atol=1e-14)


def test_euler_parameters_and_rotations_are_inverses_and_turning_on_is_multiplying(rng):
    halves = [np.diag(d) for d in ([1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1])]
    for E in (*(random_rotation(rng) for _ in range(5)), *halves):
        p = euler_parameters_from_rotation(E)
        assert p[0] >= 0
        assert_allclose(np.linalg.norm(p), 1, atol=1e-15)
        for same in (p, -p):
            assert_allclose(orientation.rotation_from_euler_parameters(same), E, atol=1e-14)

    for _ in range(5):
        p, axis, angle = Spherical().random_position(rng), random_unit(rng), rng.uniform(0, 3)
        E = orientation.rotation_from_euler_parameters(orientation.turned_euler_parameters(p, angle * axis))
        assert_allclose(E, turn(axis, angle).T @ orientation.rotation_from_euler_parameters(p), atol=1e-14)
        expected = [np.cos(angle / 2), *(np.sin(angle / 2) * axis)]
        assert_allclose(orientation.euler_parameters(3.7 * axis, angle), expected, atol=1e-15)
    assert_array_equal(orientation.turned_euler_parameters(p, np.zeros(3)), p)
    assert_array_equal(orientation.euler_parameters(axis, 0), [1, 0, 0, 0])


@pytest.mark.parametrize(("make", "error", "message"), [
    (lambda: Euler("xxz"), ValueError, "sequence is 'xxz'; give the axes in the order of turning"),
    (lambda: Euler("xy"), ValueError, "sequence is 'xy'; Euler needs 3 axes"),
    (lambda: Euler("abc"), ValueError, "sequence is 'abc'"), (lambda: Euler(3), ValueError, "sequence is 3"),
    (lambda: Universal("xyz"), ValueError, "sequence is 'xyz'; Universal needs 2 axes"),
    (lambda: ch04.Planar("z"), ValueError, "translation is 'z'; choose 'F_p'"),
    (lambda: FreeMotion(None), ValueError, "translation is None; choose 'F_p'"),
    (lambda: Helical("a"), TypeError, "pitch"), (lambda: Helical(np.inf), ValueError, "pitch contains inf"),
    (lambda: Helical(0.1, "w"), ValueError, "axis is 'w'"),
    (lambda: ch04.Cylindrical((0, 0, 0)), ValueError, "axis is the zero vector"),
    (lambda: RackAndPinion(float("nan")), ValueError, "radius contains nan"),
    (lambda: RackAndPinion([1, 2]), ValueError, "radius has shape"),
    (lambda: Custom(1, lambda q, t: np.eye(5)), ValueError, r"X_J\(q, t\) has shape"),
    *((lambda n=n: Custom(n, lambda q, t: np.eye(6)), ValueError, f"nv is {n}; a joint") for n in (1.5, True, 7, -1)),
    (lambda: Reversed(ch04.Revolute), (ValueError, TypeError), "joint is"),
    (lambda: jcalc("revolute", 1, 1), (ValueError, TypeError), "joint is 'revolute'"),
    (lambda: Custom(1, lambda q, t: 2 * np.eye(6), lambda q, t: np.zeros((6, 1)), lambda q, qd, t: np.zeros(6),
                    lambda q, t: np.zeros(6)), ValueError, "X_J"),
    (lambda: Custom(1, lambda q, t: rotx(q[0]), lambda q, t: np.array([[0, 1, 0, 0, 0, 0]]).T), ValueError,
     r"S\(q, t\) qd .* is not the velocity"),
    (lambda: Custom(1, lambda q, t: rotx(q[0]), c_J=lambda q, qd, t: np.ones(6)), ValueError,
     r"c_J\(q, qd, t\) is not"),
    (lambda: Custom(1, lambda q, t: rotx(np.sin(float(q[0])))), TypeError, "X_J cannot run on symbols"),
    (lambda: orientation.euler_parameters([0, 0, 0], 1), ValueError, "axis is the zero vector"),
    (lambda: euler_parameters_from_rotation(rz(sp.Symbol("a"))), ValueError, "E contains symbols"),
    (lambda: euler_parameters_from_rotation(np.ones((3, 3))), ValueError, "E is not a rotation"),
    (lambda: orientation.euler_parameter_rates([1, 0, 0, 0], [1, 2]), ValueError, "omega has shape"),
    (lambda: jcalc(Spherical(), [0, 0, 0], [0, 0, 0]), ValueError, r"q has shape \(3,\); expected 4 numbers"),
    (lambda: jcalc(FreeMotion(), [1, *[0] * 6], [0] * 7), ValueError, r"qd has shape \(7,\); expected 6 numbers"),
    (lambda: jcalc(FreeMotion(), [1, 1, 0, 0, 0, 0, 0], [0] * 6), ValueError, "not a unit vector"),
    (lambda: jcalc(ch04.Planar(), 0, [0, 0, 0]), ValueError, r"q has shape \(1,\); expected 3 numbers"),
    (lambda: jcalc(Reversed(Euler()), [0, 0], [0, 0, 0]), ValueError, r"q has shape \(2,\); expected 3 numbers"),
    (lambda: jcalc(ch04.Cylindrical(), [0, np.nan], [0, 0]), ValueError, "q contains nan")])
def test_impossible_joints_rotations_and_variables_are_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()
