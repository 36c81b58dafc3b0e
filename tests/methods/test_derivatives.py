"""Derivatives of the dynamics, against geometry, differences along the joints' own motions, and identities. `Moving`
and `random_tree` bring geometry and Lagrangians of their own; differences go through positions that the joints reach by
moving with constant velocity variables."""

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, aba, bias_force, crba, load, rnea
from rbdlib.analysis.counting import count_operations
from rbdlib.book.ch02_spatial import mcI, rotz, xlt
from rbdlib.book.ch04_joints import Fixed, FreeMotion, Reversed, Revolute, Spherical
from rbdlib.book.ch04_kinematics import body_transforms, momentum
from rbdlib.book.ch05_inverse_dynamics import generalized_gravity
from rbdlib.methods import derivatives, derivatives as slopes
from rbdlib.methods.centre_of_mass import centre_of_mass, potential_energy
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.joint_character import Character, aba_with_characters, rnea_with_characters
from rbdlib.numbers.dual import jacobian
from rbdlib.numbers.scalars import cos, sin
from tests.sources.ch05_systems import JOINT_SETS, Moving
from tests.sources.ch06_systems import as_one_body, mass_matrix
from tests.sources.helpers import derivative, mass_properties, random_mass_properties, random_tree, slope

SEED = 31
SMALL = 2e-3


@pytest.fixture(scope="module", params=JOINT_SETS)
def moving(request):
    """A random tree of joints, all types among the four sets, in a random state under external forces."""
    return Moving(np.random.default_rng(31), JOINT_SETS[request.param])


def along_joints(model, q, function, ways=None):
    """The slopes of function(q), in the last axis, for the velocities in the columns of ways (unit vectors)."""
    ways = np.eye(model.nv) if ways is None else ways
    return np.stack([slope(lambda s, e=e: function(model.integrate(q, e, s)), h=SMALL) for e in ways.T], -1)


def along_axes(x, function, ways=None):
    ways = np.eye(len(x)) if ways is None else ways
    return np.stack([slope(lambda s, e=e: function(x + s * e), h=SMALL) for e in ways.T], -1)


def some_ways(model):
    """Three directions at random, which see every entry of a matrix of slopes."""
    return np.random.default_rng(30).normal(size=(model.nv, 3))


def close(actual, expected, tolerance=1e-9):
    assert_allclose(actual, expected, rtol=0, atol=tolerance * max(1, np.abs(expected).max(initial=0)))


# Inverse dynamics

def test_slopes_of_joint_forces_and_accelerations_for_every_joint(moving):
    model, q, qd, qdd, f_ext = moving.model, moving.q, moving.qd, moving.qdd, moving.f_ext
    dtau_dq, dtau_dqd, H = slopes.rnea_derivatives(model, q, qd, qdd, f_ext)
    W = some_ways(model)
    close(dtau_dq @ W, along_joints(model, q, lambda q: rnea(model, q, qd, qdd, f_ext), W))
    close(dtau_dqd @ W, along_axes(qd, lambda qd: rnea(model, q, qd, qdd, f_ext), W))
    close(H @ W, along_axes(qdd, lambda qdd: rnea(model, q, qd, qdd, f_ext), W))
    close(H, mass_matrix(moving), 1e-8)

    model, q, qd, f_ext = moving.model, moving.q, moving.qd, moving.f_ext
    tau = moving.joint_forces()
    dqdd_dq, dqdd_dqd, H_inverse = slopes.aba_derivatives(model, q, qd, tau, f_ext)
    W = some_ways(model)
    close(dqdd_dq @ W, along_joints(model, q, lambda q: aba(model, q, qd, tau, f_ext), W), 1e-7)
    close(dqdd_dqd @ W, along_axes(qd, lambda qd: aba(model, q, qd, tau, f_ext), W), 1e-8)
    close(H_inverse @ W, along_axes(tau, lambda tau: aba(model, q, qd, tau, f_ext), W), 1e-8)
    close(H_inverse @ crba(model, q), np.eye(model.nv), 1e-10)


def swinging(q, t):
    """A hinge on a carriage that moves to and fro."""
    return rotz(q[0] + t * t) @ xlt([0, 0.5 * sin(3 * t) * cos(q[0]), 0])


@pytest.mark.parametrize("joint", [Custom(1, swinging), Reversed(Custom(1, swinging)),
                                   Custom(0, lambda q, t: rotz(sin(t)) @ xlt([t, 0, t * t]))], ids=str)
def test_joints_that_depend_on_time(joint):
    """Momentum by qd alone is the difference that qd makes."""
    rng, t = np.random.default_rng(34), 0.7
    inertia = [mcI(*random_mass_properties(rng)) for _ in range(3)]
    model = Model([0, 1, 2], [Revolute("x"), joint, Spherical()], [xlt(rng.normal(size=3)) for _ in range(3)], inertia)
    (q, qd), qdd = model.random_state(rng), rng.normal(size=model.nv)
    dtau_dq, dtau_dqd, H = slopes.rnea_derivatives(model, q, qd, qdd, None, t)
    close(dtau_dq, along_joints(model, q, lambda q: rnea(model, q, qd, qdd, None, t)))
    close(dtau_dqd, along_axes(qd, lambda qd: rnea(model, q, qd, qdd, None, t)))
    close(H, along_axes(qdd, lambda qdd: rnea(model, q, qd, qdd, None, t)))
    close(slopes.rnea_derivatives(model, q, qd, qdd, None, t, characters=True)[2], H)
    dqdd_dq, _, _ = slopes.aba_derivatives(model, q, qd, qdd, None, t)
    close(dqdd_dq, along_joints(model, q, lambda q: aba(model, q, qd, qdd, None, t)), 1e-8)
    h, c = momentum(model, q, qd, t) - momentum(model, q, 0 * qd, t), centre_of_mass(model, q, t)
    close(derivatives.centroidal_momentum_matrix(model, q, t) @ qd, [*(h[:3] - np.cross(c, h[3:])), *h[3:]], 1e-13)
    close(slopes.regressor(model, q, qd, qdd, t) @ slopes.parameters(model), rnea(model, q, qd, qdd, None, t), 1e-13)


@pytest.mark.parametrize("joint", [Spherical(), Reversed(FreeMotion("F_s"))], ids=str)
def test_euler_parameters_of_another_length_stand_for_the_same_turn(joint):
    model = Moving(np.random.default_rng(35), [joint, Revolute("y")], [0, 1]).model
    rng = np.random.default_rng(36)
    (q, qd), qdd, f_ext = model.random_state(rng), rng.normal(size=model.nv), {2: rng.normal(size=6)}
    longer = q.copy()
    longer[:4] *= 1.03
    for mine, theirs in zip(slopes.rnea_derivatives(model, longer, qd, qdd, f_ext),
                            slopes.rnea_derivatives(model, q, qd, qdd, f_ext), strict=True):
        close(mine, theirs, 1e-12)
    close(slopes.linearise(model, longer, qd, qdd)[0], slopes.linearise(model, q, qd, qdd)[0], 1e-11)


# Forward dynamics

def test_a_pendulum_oscillates_with_the_frequency_of_its_linear_equation():
    """A hanging pendulum of length l: A has the eigenvalues ±i sqrt(g / l)."""
    model = Model([0], [Revolute("y")], [np.eye(6)], [mcI(2, [0, 0, -0.7], np.zeros((3, 3)))], (0, 0, -9.81))
    A, B = slopes.linearise(model, [0], [0], [0])
    assert_allclose(np.sort_complex(np.linalg.eigvals(A)), [-1j * np.sqrt(9.81 / 0.7), 1j * np.sqrt(9.81 / 0.7)])
    assert_allclose(B, [[0], [1 / (2 * 0.7**2)]])


def test_linear_equations_follow_neighbouring_motions(moving):
    """Two motions that start apart by a small deviation: the deviation changes as A says."""
    model, q, qd, tau, f_ext, n = moving.model, moving.q, moving.qd, moving.qdd, moving.f_ext, moving.model.nv
    A, B = slopes.linearise(model, q, qd, tau, f_ext)

    def state(start, tau, t):
        """Position and velocity after a short time, correct to the second and first order in it."""
        q, qd = start
        qdd = aba(model, q, qd, tau, f_ext)
        return model.integrate(q, qd + t / 2 * qdd, t), qd + t * qdd

    def deviation(t, xi, change, extra):
        here, h = state((q, qd), tau, t)[0], 1e-3

        def apart(s):
            return np.concatenate(state((model.integrate(q, xi, s), qd + s * change), tau + s * extra, t))

        rates = slope(apart, h=h)
        return np.concatenate([np.linalg.lstsq(derivatives.tangent(model, here), rates[: model.nq], rcond=None)[0],
                               rates[model.nq :]])

    rng = np.random.default_rng(37)
    xi, change, extra = rng.normal(size=(3, n))
    rate = slope(lambda t: deviation(t, xi, change, extra), h=1e-2)
    close(deviation(0.0, xi, change, extra), np.concatenate([xi, change]))
    close(rate, A @ np.concatenate([xi, change]) + B @ extra, 1e-6)


# Coriolis matrix and Christoffel symbols

def test_rate_of_inertia_minus_twice_coriolis_is_skew(moving):
    """The rate of H from differences along the motion; and C qd is the bias force without gravity."""
    model, q, qd = moving.model, moving.q, moving.qd
    C = slopes.coriolis_matrix(model, q, qd)
    N = slope(lambda t: crba(model, model.integrate(q, qd, t)), h=SMALL) - 2 * C
    close(N, -N.T, 1e-8)
    close(C @ qd + generalized_gravity(model, q), bias_force(model, q, qd), 1e-12)


def test_christoffel_symbols_are_derivatives_of_the_crba(rng):
    """The definition, by complex steps through the geometry's mass matrix."""
    tree = random_tree(rng, 6, [0, 1, 1, 2, 2, 3])
    q, qd = rng.normal(size=(2, 6))
    dH = np.stack([derivative(lambda s, e=e: tree.mass_matrix(q + s * e)) for e in np.eye(6)], -1)
    expected = (dH + dH.transpose(0, 2, 1) - dH.transpose(2, 1, 0)) / 2
    close(derivatives.christoffel(tree.model(), q), expected, 1e-12)
    close(slopes.coriolis_matrix(tree.model(), q, qd), expected @ qd, 1e-12)


def test_general_christoffel_symbols_keep_lengths_and_have_no_torsion(moving):
    """What makes a Levi-Civita connection: Gamma_ijk + Gamma_jik = dH_ij along k, and Gamma_ijk - Gamma_ikj is the
    commutator of the motions j and k, from differences of the rates of positions."""
    model, q, H = moving.model, moving.q, crba(moving.model, moving.q)
    Gamma = derivatives.christoffel(model, q)
    close(Gamma + Gamma.transpose(1, 0, 2), along_joints(model, q, lambda q: crba(model, q)), 1e-8)
    rates = along_joints(model, q, lambda q: derivatives.tangent(model, q))             # nq x nv, along each of nv
    commutator = rates - rates.transpose(0, 2, 1)
    fields = np.stack([np.linalg.lstsq(derivatives.tangent(model, q), commutator[:, :, k], rcond=None)[0]
                       for k in range(model.nv)], -1)
    close(Gamma - Gamma.transpose(0, 2, 1), np.einsum("il,ljk->ijk", H, fields), 1e-8)
    close(Gamma @ moving.qd, slopes.coriolis_matrix(model, q, moving.qd), 1e-12)


def test_a_joint_that_depends_on_time_has_no_coriolis_matrix():
    inertia = mcI(1, [0, 0, 0], np.eye(3))
    model = Model([0, 1], [Revolute(), Custom(1, swinging)], [np.eye(6)] * 2, [inertia] * 2, names=["arm", "carriage"])
    late = model.replace(joints=[Revolute(), Custom(1, lambda q, t: rotz(q[0]) @ xlt([t * t * t, 0, 0]))])
    for call in (lambda: slopes.coriolis_matrix(model, [0, 0], [1, 1]), lambda: derivatives.christoffel(model, [0, 0]),
                 lambda: slopes.coriolis_matrix(late, [0, 0], [1, 1])):
        with pytest.raises(ValueError, match=r"Joint 2 \(carriage\) depends on time.*Use bias_force"):
            call()
    steady = model.replace(joints=[Revolute(), Custom(1, lambda q, t: rotz(q[0] + sin(q[0])))])
    C = slopes.coriolis_matrix(steady, [0.2, 0.4], [1, 2])
    close(C @ [1, 2], bias_force(steady.replace(gravity=(0, 0, 0)), [0.2, 0.4], [1, 2]), 1e-12)


# Momentum

def test_centroidal_momentum_is_a_sum_over_bodies_and_joint_forces_are_linear_in_the_parameters(moving):
    """Momenta about the world's origin by geometry, moved to the centre of mass."""
    total, (mass, centre, _) = moving.momenta().sum(axis=0), as_one_body(moving, moving.bodies)
    h_G = derivatives.centroidal_momentum_matrix(moving.model, moving.q) @ moving.qd
    close(h_G, [*(total[:3] - np.cross(centre, total[3:])), *total[3:]], 1e-9)
    velocity = slope(lambda t: centre_of_mass(moving.model, moving.model.integrate(moving.q, moving.qd, t)), h=SMALL)
    close(h_G[3:], mass * velocity)

    # Y from one model, parameters from another with the same geometry and other bodies.
    model, q, qd, qdd = moving.model, moving.q, moving.qd, moving.qdd
    rng = np.random.default_rng(40)
    Y = slopes.regressor(model, q, qd, qdd)
    assert Y.shape == (model.nv, 10 * model.N_B)
    close(Y @ slopes.parameters(model), moving.joint_forces(external=False), 1e-8)
    others = model.replace(inertia=[mcI(*random_mass_properties(rng)) for _ in model.bodies])
    close(Y @ slopes.parameters(others), rnea(others, q, qd, qdd), 1e-11)
    assert_array_equal(slopes.regressor(others, q, qd, qdd), Y)


# Inertial parameters

def test_parameters_are_sums_over_particles_and_a_body_counts_only_for_the_joints_that_move_it(rng):
    masses, positions = rng.uniform(0.5, 2, 6), rng.normal(size=(6, 3))
    body = mcI(*mass_properties(masses, positions))
    model = Model([0, 1], [Revolute()] * 2, [np.eye(6)] * 2, [mcI(1, [0, 0, 0], np.eye(3)), body])
    x, y, z = positions.T
    moments = [masses @ (y * y + z * z), -masses @ (x * y), masses @ (x * x + z * z), -masses @ (x * z),
               -masses @ (y * z), masses @ (x * x + y * y)]
    close(slopes.parameters(model)[10:], [masses.sum(), *(masses @ positions), *moments], 1e-13)
    close(slopes.parameters(model)[:10], [1, 0, 0, 0, 1, 0, 1, 0, 0, 1], 1e-15)

    model = random_tree(rng, 6, [0, 1, 1, 2, 2, 3]).model()
    Y = slopes.regressor(model, *rng.normal(size=(3, 6)))
    for i in model.bodies:
        for j in model.bodies:
            block = Y[model.v_slice(j), 10 * (i - 1) : 10 * i]
            assert np.any(block != 0) == (j in model.kappa(i))


def test_rates_of_positions_are_linear_and_weight_has_its_power_along_every_tangent(moving):
    """Held still, the joints work against the weights: tau = dV along the tangent, so d tau is its slope again."""
    model, q = moving.model, moving.q
    close(generalized_gravity(model, q), along_joints(model, q, lambda q: potential_energy(model, q)), 1e-9)
    dtau_dq, dtau_dqd, _ = slopes.rnea_derivatives(model, q, 0 * moving.qd, 0 * moving.qd)
    W = some_ways(model)
    close(dtau_dq @ W, along_joints(model, q, lambda q: generalized_gravity(model, q), W))
    assert_allclose(dtau_dqd, 0, atol=1e-13)

    Q = derivatives.tangent(moving.model, moving.q)
    close(Q @ moving.qd, moving.model.qdot(moving.q, moving.qd), 1e-14)
    close(Q, along_joints(moving.model, moving.q, lambda q: q), 1e-9)
    close(jacobian(lambda qd: moving.model.qdot(moving.q, qd), moving.qd), Q, 1e-14)


# Other scalars

@pytest.mark.parametrize("function", [
    slopes.rnea_derivatives, slopes.aba_derivatives, slopes.linearise,
    lambda model, q, qd, qdd: [slopes.coriolis_matrix(model, q, qd), derivatives.christoffel(model, q)],
    lambda model, q, qd, qdd: [derivatives.centroidal_momentum_matrix(model, q), slopes.regressor(model, q, qd, qdd)],
], ids=["rnea", "aba", "linearise", "coriolis", "momentum and regressor"])
def test_symbols_and_counted_numbers_give_what_floats_give(function):
    rng, model = np.random.default_rng(45), load("double_pendulum")
    given = rng.normal(size=(3, 2))
    expected = function(model, *given)
    names = [sp.symbols(f"{name}:2", real=True) for name in ("q", "u", "t")]
    flat = [sp.sympify(entry) for part in function(model, *names) for entry in np.ravel(part)]
    numbers = np.array(sp.lambdify(sum(names, ()), flat)(*given.ravel()), dtype=float)
    assert_allclose(numbers, np.concatenate([np.ravel(part) for part in expected]), rtol=1e-9, atol=1e-9)
    operations, counted = count_operations(lambda *state: list(function(model, *state)), *given)
    for one, two in zip(counted, expected, strict=True):
        close(np.asarray(one, dtype=float), two, 1e-12)
    assert operations["m"] > 100 and operations["sin"] > 0


def test_euler_parameters_may_be_symbols():
    """A spinning top, evaluated afterwards."""
    rng = np.random.default_rng(46)
    model = Model([0], [Spherical()], [np.eye(6)], [mcI(*random_mass_properties(rng))])
    (q, qd), qdd = model.random_state(rng), rng.normal(size=3)
    symbols = sp.symbols("p0:4", real=True)
    formulas = sp.lambdify(symbols, [sp.Matrix(part) for part in slopes.rnea_derivatives(model, symbols, qd, qdd)[:2]])
    for mine, expected in zip(formulas(*q), slopes.rnea_derivatives(model, q, qd, qdd), strict=False):
        close(mine, expected, 1e-12)


# Sizes, arguments

def test_bodies_without_freedom_or_mass_and_no_bodies_at_all():
    for model in (Model([], [], [], []), Model([0], [Fixed()], [np.eye(6)], [mcI(1, [0, 0, 0], np.eye(3))])):
        assert [part.shape for part in slopes.rnea_derivatives(model, [], [], [])] == [(0, 0)] * 3
        assert [part.shape for part in slopes.aba_derivatives(model, [], [], [])] == [(0, 0)] * 3
        assert derivatives.christoffel(model, []).shape == (0, 0, 0)
        assert slopes.coriolis_matrix(model, [], []).shape == (0, 0)
        assert slopes.regressor(model, [], [], []).shape == (0, 10 * model.N_B)
        assert slopes.parameters(model).shape == (10 * model.N_B,)
    assert derivatives.centroidal_momentum_matrix(model, []).shape == (6, 0)

    with pytest.warns(UserWarning, match="moves nothing that has mass"):
        model = Model([0], [Revolute()], [np.eye(6)], [np.zeros((6, 6))])
    with pytest.raises(ZeroDivisionError, match="no mass"):
        derivatives.centroidal_momentum_matrix(model, [0])


def test_euler_parameters_that_are_no_turn_are_named():
    ball = Model([0], [Spherical()], [np.eye(6)], [mcI(1, [0, 0, 0], np.eye(3))])
    with pytest.raises(ValueError, match="is not a unit vector"):
        slopes.rnea_derivatives(ball, [0, 0, 0, 2], [0] * 3, [0] * 3)


def test_forces_that_bodies_carry_along_and_characters_of_joints_count_where_they_are_asked_for(rng):
    character = Character(damping=0.3, friction=0.5, armature=0.7, stiffness=2, rest=0.1, upper=-3, stop_stiffness=9)
    model = load("panda").replace(characters={2: character, 5: Character(armature=0.2)})
    q, qd = model.random_state(rng)
    qdd, tau, F = rng.normal(size=(3, model.nv))
    thrust = dict(zip((3, 7), rng.normal(size=(2, 6)), strict=True))            # in coordinates of the bodies

    def in_base(q):
        X = body_transforms(model, q)
        return {i: X[i].T @ f for i, f in thrust.items()}

    dtau_dq, dtau_dqd, H = slopes.rnea_derivatives(model, q, qd, qdd, in_base(q), following=True, characters=True)
    close(dtau_dq, along_joints(model, q, lambda q: rnea_with_characters(model, q, qd, qdd, in_base(q))))
    close(dtau_dqd, along_axes(qd, lambda qd: rnea_with_characters(model, q, qd, qdd, in_base(q))))
    close(H @ F, rnea_with_characters(model, q, qd, qdd + F) - rnea_with_characters(model, q, qd, qdd), 1e-12)
    dqdd_dq, dqdd_dqd, inverse = slopes.aba_derivatives(model, q, qd, tau, in_base(q), following=True, characters=True)
    close(dqdd_dq, along_joints(model, q, lambda q: aba_with_characters(model, q, qd, tau, in_base(q))), 1e-8)
    close(dqdd_dqd, along_axes(qd, lambda qd: aba_with_characters(model, q, qd, tau, in_base(q))), 1e-8)
    close(inverse, np.linalg.inv(H), 1e-12)
    A, B = slopes.linearise(model, q, qd, tau, in_base(q), following=True, characters=True)
    close(np.hstack([A[model.nv:], B[model.nv:]]), np.hstack([dqdd_dq, dqdd_dqd, inverse]), 1e-13)
    f_ext = np.array([in_base(q).get(i, np.zeros(6)) for i in range(model.N_B + 1)])
    close(slopes.rnea_derivatives(model, q, qd, qdd, f_ext, following=True, characters=True)[0], dtau_dq, 1e-13)
