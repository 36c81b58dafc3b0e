"""Every joint type of the library, either way round: what `jcalc` returns, and how its variables change with time."""

from functools import cache

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib.joints import (
    Custom,
    Cylindrical,
    Euler,
    Fixed,
    FreeMotion,
    Helical,
    Planar,
    Prismatic,
    RackAndPinion,
    Reversed,
    Revolute,
    Spherical,
    Universal,
    jcalc,
)
from rbdlib.orientation import (
    euler_parameter_rates,
    euler_parameters,
    euler_parameters_from_rotation,
    rotation_from_euler_parameters,
    turned_euler_parameters,
)
from rbdlib.scalars import cos, sin
from rbdlib.spatial import crm, rotx, rotz, rz, xlt
from tests.sources.helpers import (
    close,
    far,
    random_rotation,
    random_unit,
    slope,
    turn,
)
from tests.sources.joints import JOINTS

TIME = 0.7
#: One joint of each type, for what each type does by itself; REVERSED ones have all that a joint can have.
SAMPLE = [Revolute("y"), Prismatic((1, 2, 3)), Cylindrical("x"), Helical(0.3, "x"), RackAndPinion(0.3), Fixed(),
          Planar(), Planar("F_s"), Spherical(), FreeMotion(), FreeMotion("F_s"), Universal("zx"), Euler("yzx"),
          Euler("zxz")]
REVERSED = [Reversed(joint) for joint in SAMPLE if not isinstance(joint, Revolute | Cylindrical | Fixed)]


@cache
def custom(name):
    """A joint that depends on time, or one from expressions: derived only when a test first asks for it."""
    if name == "depends on time":
        return Custom(2, lambda q, t: rotz(q[0]) @ xlt([q[1] * q[1], sin(t), q[0]]), name=name)
    if name == "from expressions":
        a, b = sp.symbols("a b")
        return Custom.from_expressions((a, b), sp.Matrix(rotx(a) @ xlt([b, cos(a), a])), name=name)
    return Reversed(custom(name.removeprefix("reversed ")))


CUSTOM = ["depends on time", "from expressions", "reversed depends on time"]


def each(joints):
    """A parameter ``joint``, which is a joint or the name of a custom one."""
    return pytest.mark.parametrize("joint", joints, ids=str, indirect=True)


@pytest.fixture
def joint(request):
    return custom(request.param) if isinstance(request.param, str) else request.param


@pytest.fixture
def rng():
    return np.random.default_rng(44)


def state(joint, rng):
    return joint.random_position(rng), rng.normal(size=joint.nv)


# The contract of every joint


@each([*JOINTS, *REVERSED, *CUSTOM])
def test_velocities_accelerations_and_rates_are_derivatives(joint, rng):
    q, qd = state(joint, rng)
    X, S, v, c_J = jcalc(joint, q, qd, TIME)

    def along(function):
        """The rate of a function of position and time while qd is constant."""
        return slope(lambda t: function(joint.integrate(q, qd, t - TIME), t), TIME)

    close(along(joint.transform), -crm(v) @ X, 1e-9)
    close(v, joint.bias_velocity(q, TIME) + S @ qd)
    close(c_J, along(lambda q, t: jcalc(joint, q, qd, t)[2]), 1e-9)
    S_ring, q_dot = joint.motion_subspace_rate(q, qd, TIME), joint.qdot(q, qd)
    assert S.shape == S_ring.shape == (6, joint.nv)
    assert_allclose(S_ring, along(joint.motion_subspace), atol=1e-9)
    assert q_dot.shape == (joint.nq,)
    assert_allclose(q_dot, along(lambda q, t: q), atol=1e-9)
    T = joint.constraint_subspace(q, TIME)
    assert T.shape == (6, 6 - joint.nv)
    assert_allclose(T.T @ S, np.zeros((6 - joint.nv, joint.nv)), atol=1e-12)
    assert np.linalg.matrix_rank(np.hstack([S, T])) == 6


@each([*SAMPLE, *REVERSED, *CUSTOM])
def test_integrating_twice_is_integrating_for_the_sum_of_the_times(joint, rng):
    """Normalising scales the Euler parameters and nothing else."""
    q, qd = state(joint, rng)
    once, twice = joint.integrate(q, qd, 0.8), joint.integrate(joint.integrate(q, qd, 0.5), qd, 0.3)
    assert_allclose(twice, once, atol=1e-12)
    assert_allclose(joint.integrate(once, qd, -0.8), q, atol=1e-12)
    assert_allclose(joint.integrate(q, qd, 0), q, atol=1e-15)
    scaled = np.array([1.0003 * x if joint.nq > joint.nv and k < 4 else x for k, x in enumerate(q)])
    assert_allclose(joint.normalise(scaled), q, atol=1e-15)


@each([*SAMPLE, *REVERSED])
def test_joints_of_the_library_start_with_one_frame_and_know_no_time(joint, rng):
    """Turning one round twice changes nothing."""
    assert joint.neutral().shape == (joint.nq,)
    assert_allclose(joint.transform(joint.neutral()), np.eye(6), atol=1e-15)
    (q, qd), back = state(joint, rng), Reversed(joint)
    for now, later, twice in zip(*(jcalc(*given) for given in ((joint, q, qd, 0), (joint, q, qd, 5),
                                                              (Reversed(back), q, qd, 0))), strict=True):
        assert_array_equal(now, later)
        assert_allclose(twice, now, atol=1e-13)
    assert_array_equal(joint.bias_velocity(q), np.zeros(6))
    close(back.transform(q, TIME) @ joint.transform(q, TIME), np.eye(6))


@each([*SAMPLE, *REVERSED[::2], *CUSTOM])
def test_symbols_and_mpmath_give_what_floats_give(joint, rng):
    q, qd = state(joint, rng)
    names = sp.symbols(f"q0:{joint.nq}", real=True), sp.symbols(f"u0:{joint.nv}", real=True)

    def results(q, qd):
        return (*jcalc(joint, q, qd, TIME), joint.constraint_subspace(q, TIME), joint.qdot(q, qd))

    precise = results(*(np.array([mpmath.mpf(x) for x in part]) for part in (q, qd)))
    for expected, formula, number in zip(results(q, qd), results(*map(np.array, names)), precise, strict=True):
        assert formula.shape == number.shape == expected.shape
        values = sp.lambdify(names, formula.ravel().tolist())(q, qd)
        assert_allclose(values, expected.ravel(), atol=1e-12)
        assert_allclose(number.astype(float), expected, atol=1e-12)


@each([joint for joint in [*SAMPLE, *REVERSED] if "(" not in str(joint)])
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


@each([*SAMPLE, *REVERSED[::3], *CUSTOM])
def test_inputs_are_left_alone_and_results_are_new(joint, rng):
    q, qd = state(joint, rng)
    kept = q.copy(), qd.copy()
    for result in (*jcalc(joint, q, qd, TIME), joint.constraint_subspace(q), joint.qdot(q, qd), joint.normalise(q),
                   joint.integrate(q, qd, 0.1), joint.neutral()):
        result[...] = 99
    assert_array_equal(q, kept[0])
    assert_array_equal(qd, kept[1])
    assert not np.any(joint.neutral() == 99)


# Joints that become one another


def test_the_two_kinds_of_translation_variables_describe_the_same_motions(rng):
    for kind, size in ((Planar, 2), (FreeMotion, 3)):
        in_p, in_s = kind("F_p"), kind("F_s")
        assert kind() == in_p != in_s
        q, qd = state(in_p, rng)
        E = in_p.transform(q)[:3, :3]
        q_s = np.array([*q[:-size], *(E[:size, :size] @ q[-size:])])
        for one, other in zip(jcalc(in_p, q, qd), jcalc(in_s, q_s, qd), strict=True):
            assert_allclose(one, other, atol=1e-14)
        far(in_p.transform(q), in_s.transform(q))


def test_joints_compare_by_kind_and_parameters():
    joints = [Helical(0.3), Helical(0.3, "x"), Helical(0.4), RackAndPinion(0.3), Cylindrical(), Planar(), Planar("F_s"),
              Spherical(), FreeMotion(), Euler("zyx"), Euler("zxz"), Universal(), Universal("yz"),
              Reversed(Helical(0.3))]
    assert all((one == other) == (one is other) for one in joints for other in joints)
    assert Euler() == Euler("zyx") and Reversed(Spherical()) == Reversed(Spherical())
    assert len({*joints, *joints}) == len(joints)


def test_joints_print_what_they_are():
    assert [str(joint) for joint in (Helical(0.3), RackAndPinion(0.25), Euler("zxz"), Universal(), FreeMotion())] == [
        "helical z", "rack and pinion, radius 0.25", "euler zxz", "universal xy", "free motion"]
    assert str(Reversed(RackAndPinion(0.25))) == "reversed rack and pinion, radius 0.25"
    assert str(custom("depends on time")) == "depends on time"


# Symbols as parameters, and joints of one's own


def test_pitch_and_radius_may_be_symbols():
    h, q, qd = sp.symbols("h q qd", real=True)
    values = {h: 0.3, q: 0.5, qd: -0.7}
    for kind in (Helical, RackAndPinion, lambda r: Reversed(RackAndPinion(r))):
        formulas = (*jcalc(kind(h), q, qd), kind(h).constraint_subspace(np.array([q])))
        numbers = (*jcalc(kind(0.3), 0.5, -0.7), kind(0.3).constraint_subspace(np.array([0.5])))
        for formula, number in zip(formulas, numbers, strict=True):
            assert_allclose(np.array(sp.Matrix(formula).subs(values), float).reshape(number.shape), number, atol=1e-14)


def test_a_custom_joint_derives_what_is_not_given(rng):
    """The rack and pinion by its transform alone, by S too, and by all formulas, is the joint of the library."""
    def X_J(q, t):
        return rotz(q[0]) @ xlt([0.3 * q[0], 0, 0])

    def S(q, t):
        return np.array([[0, 0, 1, 0.3 * cos(q[0]), -0.3 * sin(q[0]), 0]]).T

    def c_J(q, qd, t):
        return np.array([0, 0, 0, -0.3 * sin(q[0]), -0.3 * cos(q[0]), 0]) * qd[0] ** 2

    q, qd = rng.normal(size=(2, 1))
    for joint in (Custom(1, X_J), Custom(1, X_J, S), Custom(1, X_J, S, c_J)):
        for made, library in zip(jcalc(joint, q, qd), jcalc(RackAndPinion(0.3), q, qd), strict=True):
            assert_allclose(made, library, atol=1e-14)


# Orientation (RBDA 4.5)


def test_euler_parameters_and_rotations_are_each_others_inverses(rng):
    halves = [np.diag(d) for d in ([1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1])]
    for E in (*(random_rotation(rng) for _ in range(5)), *halves):
        p = euler_parameters_from_rotation(E)
        assert p[0] >= 0
        assert_allclose(np.linalg.norm(p), 1, atol=1e-15)
        for same in (p, -p):
            assert_allclose(rotation_from_euler_parameters(same), E, atol=1e-14)


def test_turning_on_is_multiplying_rotations(rng):
    for _ in range(5):
        p, axis, angle = Spherical().random_position(rng), random_unit(rng), rng.uniform(0, 3)
        E = rotation_from_euler_parameters(turned_euler_parameters(p, angle * axis))
        assert_allclose(E, turn(axis, angle).T @ rotation_from_euler_parameters(p), atol=1e-14)
        expected = [np.cos(angle / 2), *(np.sin(angle / 2) * axis)]
        assert_allclose(euler_parameters(3.7 * axis, angle), expected, atol=1e-15)
    assert_array_equal(turned_euler_parameters(p, np.zeros(3)), p)
    assert_array_equal(euler_parameters(axis, 0), [1, 0, 0, 0])


# Errors


@pytest.mark.parametrize(("make", "error", "message"), [
    (lambda: Euler("xxz"), ValueError, "sequence is 'xxz'; give the axes in the order of turning"),
    (lambda: Euler("xy"), ValueError, "sequence is 'xy'; Euler needs 3 axes"),
    (lambda: Euler("abc"), ValueError, "sequence is 'abc'"),
    (lambda: Euler(3), ValueError, "sequence is 3"),
    (lambda: Universal("xyz"), ValueError, "sequence is 'xyz'; Universal needs 2 axes"),
    (lambda: Planar("z"), ValueError, "translation is 'z'; choose 'F_p'"),
    (lambda: FreeMotion(None), ValueError, "translation is None; choose 'F_p'"),
    (lambda: Helical("a"), TypeError, "pitch"),
    (lambda: Helical(np.inf), ValueError, "pitch contains inf"),
    (lambda: Helical(0.1, "w"), ValueError, "axis is 'w'"),
    (lambda: Cylindrical((0, 0, 0)), ValueError, "axis is the zero vector"),
    (lambda: RackAndPinion(float("nan")), ValueError, "radius contains nan"),
    (lambda: RackAndPinion([1, 2]), ValueError, "radius has shape"),
    (lambda: Custom(1, lambda q, t: np.eye(5)), ValueError, "X"),
    (lambda: Custom(1, lambda q, t: 2 * np.eye(6), lambda q, t: np.zeros((6, 1)), lambda q, qd, t: np.zeros(6),
                    lambda q, t: np.zeros(6)), ValueError, "X_J"),
    (lambda: Custom(1, lambda q, t: rotx(q[0]), lambda q, t: np.array([[0, 1, 0, 0, 0, 0]]).T), ValueError,
     r"S\(q, t\) qd .* is not the velocity"),
    (lambda: Custom(1, lambda q, t: rotx(q[0]), c_J=lambda q, qd, t: np.ones(6)), ValueError,
     r"c_J\(q, qd, t\) is not"),
    (lambda: Custom(1, lambda q, t: rotx(np.sin(float(q[0])))), TypeError, "X_J cannot run on symbols"),
    (lambda: euler_parameters([0, 0, 0], 1), ValueError, "axis is the zero vector"),
    (lambda: euler_parameters_from_rotation(sp.Matrix(rz(sp.Symbol("a")))), ValueError, "E contains symbols"),
    (lambda: euler_parameters_from_rotation(np.ones((3, 3))), ValueError, "E is not a rotation"),
    (lambda: euler_parameter_rates([1, 0, 0, 0], [1, 2]), ValueError, "omega has shape"),
])
def test_impossible_joints_and_rotations_are_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_wrong_variables_are_named():
    for joint, q, qd, message in (
        (Spherical(), [2, 0, 0, 0], [0, 0, 0], "not a unit vector"),
        (Spherical(), [0, 0, 0], [0, 0, 0], r"q has shape \(3,\); expected 4 numbers"),
        (FreeMotion(), [1, 0, 0, 0, 0, 0, 0], [0] * 7, r"qd has shape \(7,\); expected 6 numbers"),
        (FreeMotion(), [1, 1, 0, 0, 0, 0, 0], [0] * 6, "not a unit vector"),
        (Planar(), 0, [0, 0, 0], r"q has shape \(1,\); expected 3 numbers"),
        (Reversed(Euler()), [0, 0], [0, 0, 0], r"q has shape \(2,\); expected 3 numbers"),
        (Cylindrical(), [0, np.nan], [0, 0], "q contains nan"),
    ):
        with pytest.raises(ValueError, match=message):
            jcalc(joint, q, qd)
