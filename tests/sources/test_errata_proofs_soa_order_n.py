"""The errata of the spatial operator algebra, sections 5 and 6, each by a computation in which the printed form fails.

What must come out is given by geometry: mass matrices, accelerations and forces of mechanisms at rest or in motion.
"""

import numpy as np
import pytest

from rbdlib.joints import Revolute
from rbdlib.model import Model
from rbdlib.order_n import vereshchagin
from rbdlib.order_n.authors import MISPRINTS, NOTATION, armstrong_recursion
from rbdlib.spatial import mcI
from tests.sources.helpers import far
from tests.sources.soa_systems import serial_system
from tests.sources.test_soa_factorisation import Dense
from tests.sources.test_soa_order_n import RATES, Rest, balls, felt, near, reading, variational


@pytest.fixture(params=[3, 4], ids="seed {}".format)
def rng(request):
    return np.random.default_rng(request.param)


def armstrong_accelerations(rest, printed):
    """beta_dot by Armstrong's recursion for a chain, with Upsilon_F in the first or the second form of Eq. 48."""
    T, inboard_N = rest.T_bar, np.zeros(3)
    Omega_F, Upsilon_F, lists = np.zeros((3, 3)), np.zeros(3), {}
    for k in rest.links:
        J, mp, m1 = rest.system.M(k)[:3, :3], rest.system.M(k)[:3, 3:], rest.system.M(k)[3:, 3:]
        l = rest.phi[k - 1][:3, 3:] if k > 1 else np.zeros((3, 3))
        axes = rest.H[k].T[:3]
        N = np.linalg.solve(axes.T, T[rest.at(k)])
        Gamma, L = np.linalg.inv(J - l @ Omega_F @ l), -(l @ Omega_F + mp)
        Upsilon_w = Gamma @ (-l @ Upsilon_F + N - inboard_N)
        Omega_F = Omega_F + m1 - L.T @ Gamma @ L
        second = Upsilon_F - L.T @ Upsilon_w
        Upsilon_F, inboard_N = L.T @ Upsilon_w if printed else second, N
        lists[k] = axes, Gamma @ L, Upsilon_w, second, Upsilon_F
    beta_dot, wd, vd = np.zeros(len(T)), np.zeros(3), np.zeros(3)
    for k in reversed(rest.links):
        axes, Omega_w, Upsilon_w, *_ = lists[k]
        vd = vd - rest.phi[k][:3, 3:] @ wd
        wd, before = Omega_w @ vd + Upsilon_w, wd
        beta_dot[rest.at(k)] = np.linalg.solve(axes, wd - before)
    return beta_dot, lists


@pytest.mark.source("SOA-48")
def test_armstrongs_force_term_needs_the_one_before(rng):
    """The two printed forms of Upsilon_F contradict each other; the second gives the accelerations, the first fails."""
    rest = Rest(balls(False), rng.normal(size=15))
    corrected, lists = armstrong_accelerations(rest, printed=False)
    near(corrected, rest.beta_dot, RATES)
    for k in rest.links:
        near(lists[k][-1], felt(rest, k)[1], RATES)
    printed, lists = armstrong_accelerations(rest, printed=True)
    far(printed, rest.beta_dot)
    far(lists[rest.n][-1], lists[rest.n][-2])
    near(armstrong_recursion(rest.c, rest.T_bar).beta_dot, corrected, RATES)


@pytest.mark.source("SOA-43")
@pytest.mark.parametrize("name", ["axes", "arm", "flying", "balls and planes"])
def test_the_recursion_of_z_needs_the_acceleration_with_nu(name, rng):
    """Eqs 31, 33, 38, 42 alone, in which alpha = psi* alpha, give z(k+1) = phi z(k); with H* nu it is Eq. 43."""
    system = serial_system(name)
    rest = Rest(system, rng.normal(size=system.model.nv))
    lost = []
    for k in rest.links[:-1]:
        D, z, P, passed_on = rest.D(k), rest.z(k), rest.P(k), rest.psi(k).T @ rest.alpha[k + 1]
        nu = np.linalg.solve(D, rest.T_bar[rest.at(k)] - rest.H[k] @ z)
        for alpha, right in ((passed_on, False), (passed_on + rest.H[k].T @ nu, True)):
            following = rest.phi[k] @ (P @ alpha + z - P @ passed_on)                   # (31), and the display of 43
            if right:
                near(following, rest.psi(k) @ z + rest.phi[k] @ rest.G(k) @ rest.T_bar[rest.at(k)], RATES)
                near(following, rest.z(k + 1), RATES)
                near(alpha, rest.alpha[k], RATES)
            else:
                lost.append(following - rest.z(k + 1))
    far(np.concatenate(lost), np.zeros(6 * len(lost)))


@pytest.mark.source("SOA-S5-6")
def test_the_scanned_expression_for_z_f_is_that_of_z_n(rng):
    rest = Rest(balls(False), rng.normal(size=15))
    a = armstrong_recursion(rest.c, rest.T_bar)
    for k in rest.links[1:]:
        expression = rest.phi[k - 1][:3, 3:] @ felt(rest, k - 1)[1] + rest.f[k - 1][:3]
        near(rest.z(k)[:3], expression, RATES)
        far(rest.z(k)[3:], expression)
        near(rest.z(k)[3:], felt(rest, k - 1)[1], RATES)
        near(a.Upsilon_F[k - 1], rest.z(k)[3:], RATES)


@pytest.mark.source("SOA-52")
@pytest.mark.parametrize("name", ["axes", "angles", "arm"])
def test_with_applied_forces_the_force_relation_holds_along_the_joints_only(name, rng):
    """P alpha = Q + L, with the Q and L of the algorithm, in which Q cannot contain forces of constraint."""
    system = serial_system(name)
    rest = Rest(system, rng.normal(size=system.model.nv))
    _, Q_L, _, _ = variational(rest)
    for k in rest.links:
        P_alpha = rest.P(k) @ rest.alpha[k]
        near(rest.H[k] @ P_alpha, rest.H[k] @ Q_L[k], RATES)
        if len(rest.at(k)) < 6:
            far(P_alpha, Q_L[k])
        Q = rest.f[k] - sum((rest.phi[j] @ rest.f[j] for j in rest.children(k)), np.zeros(6))
        L = sum((rest.phi[j] @ rest.f[j] for j in rest.children(k)), np.zeros(6)) - rest.z(k)
        near(P_alpha, Q + L, RATES)


@pytest.mark.source("SOA-L6.5")
@pytest.mark.parametrize("name", ["axes", "arm", "flying"])
def test_the_last_term_of_lemma_6_5_is_k_star_psi_star_a(name, rng):
    """The printed order, psi* K* a, is no product: K* has 6n columns and as many rows as there are freedoms."""
    system = serial_system(name)
    o = Dense(Rest(system, rng.normal(size=system.model.nv)))
    a, b, T = o.motion()
    rest = o.W_inv.T @ np.linalg.inv(o.D) @ (T - o.H @ o.psi @ (o.K @ T + b + o.P @ a))
    near(rest - o.K.T @ (o.psi.T @ a), system.beta_dot, RATES)
    with pytest.raises(ValueError, match="mismatch"):
        o.psi.T @ (o.K.T @ a)
    far(rest, system.beta_dot)


def action(path, rate, T, steps=4000):
    """The integral of the Lagrangian of a pendulum of unit mass and length, with g = 1, over the time T."""
    t = (np.arange(steps) + 0.5) * T / steps
    return (rate(t) ** 2 / 2 + np.cos(path(t))).mean() * T


@pytest.mark.source("SOA-A5-1")
def test_the_principle_is_gausss_of_least_constraint_and_not_of_least_action():
    """A pendulum that rests at the bottom moves truly; from half a period on another path has less action.

    Gauss's function of the acceleration is least at the true one in every state, and that is what is computed.
    """
    for T, least in ((3.0, True), (3.3, False), (10.0, False)):
        w = np.pi / T
        rest = action(lambda t: 0 * t, lambda t: 0 * t, T)
        other = action(lambda t, w=w: 0.1 * np.sin(w * t), lambda t, w=w: 0.1 * w * np.cos(w * t), T)
        assert (other > rest) == least
    pendulum = Model([0], [Revolute("z")], [np.eye(6)], [mcI(1.0, [1.0, 0, 0], np.zeros((3, 3)))], (1.0, 0, 0))
    for theta in (0.0, 0.4, 2.0):
        qdd = np.linspace(-2, 2, 4001)
        constraint = (qdd + np.sin(theta)) ** 2 / 2
        near(vereshchagin(pendulum, [theta], [0.7], [0.0]), qdd[[constraint.argmin()]], 1e-3)


@pytest.mark.source("SOA-S6-1")
@pytest.mark.parametrize("name", ["axes", "arm", "flying"])
def test_epsilon_is_what_is_left_of_the_bias_free_forces(name):
    """In a moving system: T-bar - H z, and not T - H z as printed, is [1 - H psi K] T-bar and gives nu and beta_dot."""
    system = serial_system(name)
    T_bar = system.mass_matrix() @ system.beta_dot
    rest = Rest(system, T_bar)
    o, z = Dense(rest), np.concatenate([rest.z(k) for k in rest.links])
    near(z, o.psi @ o.K @ T_bar, RATES)
    corrected, printed = T_bar - o.H @ z, system.T() - o.H @ z
    near(corrected, o.W_inv @ T_bar, RATES)
    far(printed, o.W_inv @ T_bar)
    near(o.W_inv.T @ np.linalg.solve(o.D, corrected), system.beta_dot, RATES)
    far(o.W_inv.T @ np.linalg.solve(o.D, printed), system.beta_dot)


@pytest.mark.source("SOA-T1")
@pytest.mark.parametrize("name", ["axes", "arm", "flying", "balls and planes"])
def test_the_joint_inertia_of_bae_and_haug_includes_the_links_beyond(name, rng):
    """The printed cell, without K, is the joint inertia D(k) only at the tip, where K is zero."""
    system = serial_system(name)
    rest = Rest(system, rng.normal(size=system.model.nv))
    ((what, author), printed), = MISPRINTS.items()
    corrected = NOTATION[what][NOTATION["author"].index(author)]
    names = {"B_(k-1)k2": lambda k: rest.H[k].T, "M_k": system.M, "K_k": lambda k: rest.P(k) - system.M(k)}
    assert (what, author) == ("joint inertia", "Bae and Haug")
    for k in rest.links:
        near(reading(corrected, names, k), rest.D(k), RATES)
        if k == 1:
            near(reading(printed, names, k), rest.D(k), RATES)
        elif len(rest.at(k)):
            far(reading(printed, names, k), rest.D(k))
