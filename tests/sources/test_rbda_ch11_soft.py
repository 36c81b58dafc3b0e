"""RBDA 11.8 row by row: soft contact, its laws against closed forms, and motions against Newton's law."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from rbdlib import Model, forward_dynamics
from rbdlib.book.ch02_spatial import crf, inverse_transform, mcI
from rbdlib.book.ch04_joints import FreeMotion, Prismatic
from rbdlib.book.ch04_kinematics import body_transforms, body_velocities
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.book.ch11_contact import Contact, contact_normal
from rbdlib.contact import Patches, SoftContact, soft_contact, soft_forces, soft_points, soft_restitution
from rbdlib.contact.geometry import Pair
from rbdlib.contact.shapes import Sphere
from rbdlib.contact.soft import in_series, normal_force, patch_velocity, patches_at_rest
from rbdlib.contact.soft_simulation import simulate_soft
from rbdlib.loops.dynamics import by_loop_constraints
from tests.sources.ch11_systems import G, gauss, lift
from tests.sources.helpers import close, random_mass_properties, slope

SEED = 118


class Ground:
    """The origin of the last body over the fixed plane z = 0."""
    def contacts(self, model, q, qd, t=0.0):
        r = [q[0] if len(q) > 1 else 0, 0, q[-1]]
        return [Contact(0, model.N_B, contact_normal(r, [0, 0, 1]), 0, r[2], "foot", r)]


def block():
    """A particle of 2 kg that can move along x and z."""
    return Model([0, 1], [Prismatic("x"), Prismatic("z")], [np.eye(6)] * 2,
                 [np.zeros((6, 6)), mcI(2.0, [0, 0, 0], np.eye(3))], (0, 0, -G))


def random_surface(rng):
    return rng.uniform(1, 5) * 1e3, rng.uniform(5, 50)


@pytest.mark.slow
@pytest.mark.source("RBDA-F11.10", "RBDA-S11.8-2", "RBDA-11.73", "RBDA-11.74")
def test_a_ball_that_is_dropped_obeys_newton_and_the_patch_has_no_net_force():
    """Both integrated over time: differences of z and of the ball's velocity against sums of forces; f_c up to 100 N.
    Contact is p = z and f_c >= 0, else p > z and f_c = 0."""
    K, D, m = 4e3, 40.0, 2.0
    model, soft = lift(m), [SoftContact(Ground(), K, D)]
    start = simulate_soft(model, [0.1], [0], (0, 0.25), soft, closed_form=False, tolerance=1e-12)
    touch, part = (event.t for event in start.events[:2])
    for begin, end in ((0.0, touch), (touch, (touch + part) / 2), ((touch + part) / 2, part), (part, part + 0.01)):
        times, weights = gauss(begin, end)
        motion = simulate_soft(model, [0.1], [0], [0, *times], soft, tolerance=1e-12, closed_form=False)
        p, z, f = motion.p[1:, 0], motion.z[1:, 0], motion.f_n[1:, 0]
        zdot = np.array([row[0].zdot[0] for row in motion.points[1:]])
        close(K * z + D * zdot + f, 0 * z, 1e-9)
        close([z[-1] - z[0]], [weights @ zdot], 1e-9)
        close(D * (z[-1] - z[0]) + weights @ (K * z + f), 0, 1e-8)
        close(m * (motion.qd[-1] - motion.qd[1] + G * (end - begin)), weights @ f, 1e-7)
        if touch <= begin < part:
            assert (f[:-1] > 0).all() and (p == z).all() and np.abs(K * z).max() > 50
        else:
            assert (f == 0).all() and (p >= z).all()
    assert np.abs(D * zdot).max() > 5                                   # in the last flight the patch was returning


@pytest.mark.source("RBDA-S11.8-3", "RBDA-11.74")
def test_contact_persists_if_and_only_if_the_surface_pushes(rng):
    """With the force that follows from the law zdot = pdot in the one case, and zdot < pdot in the other."""
    kept = 0
    for _ in range(200):
        (K, D), z, pdot = random_surface(rng), rng.uniform(-0.01, 0.002), rng.normal()
        f_c, needed = normal_force(z, pdot, z, K, D), -K * z - D * pdot
        zdot, pushes = patch_velocity(z, f_c, K, D), needed >= 0
        kept += pushes
        assert f_c == (needed if pushes else 0)
        assert abs(zdot - pdot) < 1e-9 if pushes else zdot < pdot
        assert normal_force(z + 1e-9, pdot, z, K, D) == 0                # apart
        assert normal_force(z - 1e-9, pdot, z, K, D) == pytest.approx(max(0, needed), abs=1e-4)     # rounding
    assert 20 < kept < 180


@pytest.mark.source("RBDA-11.74", "RBDA-11.73")
@pytest.mark.parametrize("damping, printed", [(0.1, 0.74408), (0.3, 0.45098), (0.7, 0.21028), (1, None), (2, None)])
def test_restitution_is_that_of_the_closed_form(damping, printed):
    """The oscillator's own motion by its matrix exponential until p'' = 0, the simulation, and the formula."""
    m, K = 2.0, 3e3
    D, omega = 2 * damping * math.sqrt(K * m), math.sqrt(K / m)
    motion = simulate_soft(lift(g=0), [0.01], [-1.5], (0, 0.2), [SoftContact(Ground(), K, D)], tolerance=1e-11)
    (lost,) = (event for event in motion.events if not event.touched)
    roots = np.roots([1, 2 * damping * omega, omega**2]).astype(complex)
    if damping == 1:
        speed = math.exp(-2)                                            # p'' = 0 at omega t = 2
    else:                                                               # p ~ e^(r_1 t) - e^(r_2 t), p'' = 0
        t = (2 * np.log(roots[1] / roots[0]) / (roots[0] - roots[1]))
        t = min((t + 2j * np.pi * k / (roots[0] - roots[1]) for k in range(-2, 3)), key=lambda t: (
            abs(t.imag) > 1e-9, t.real if t.real > 1e-9 else np.inf)).real
        speed = -((roots[0] * np.exp(roots[0] * t) - roots[1] * np.exp(roots[1] * t)) / (roots[0] - roots[1])).real
        assert lost.t - motion.events[0].t == pytest.approx(t, abs=1e-8)
    assert motion.qd[-1, 0] / 1.5 == pytest.approx(speed, abs=1e-8)
    assert soft_restitution(m, K, D) == pytest.approx(speed, abs=1e-9)
    assert soft_restitution(m, K, D) < soft_restitution(m, K, 0.999999 * D) < soft_restitution(m, K, D) + 1e-5
    assert printed is None or soft_restitution(m, K, D) == pytest.approx(printed, abs=5e-6)
    assert motion.p[np.searchsorted(motion.t, lost.t), 0] < -1e-4       # it lets go before p is 0 again


@pytest.mark.slow
@pytest.mark.source("RBDA-S11.8-4")
def test_two_soft_surfaces_are_one_if_their_ratios_are_equal():
    """z_1 and z_2 by Newton's law with two patches of their own, in an integration without any of our laws."""
    K_1, D_1, K_2, m, v = 4e3, 24.0, 1.5e3, 2.0, 1.2
    for D_2 in (K_2 * D_1 / K_1, 40.0):
        def motion(t, state, D_2=D_2):
            p, pdot, z_1, z_2 = state
            # z_1' + z_2' = p' and the same force f on both: three linear equations
            equations = [[1, 1, 0], [D_1, 0, 1], [0, D_2, 1]]
            z_1_dot, z_2_dot, f = np.linalg.solve(equations, [pdot, -K_1 * z_1, -K_2 * z_2])
            return [pdot, f / m, z_1_dot, z_2_dot]

        def force(t, state, D_2=D_2):
            return motion(t, state)[1] if t > 1e-4 else 1.0

        force.terminal = True
        reference = solve_ivp(motion, (0, 1), [0, -v, 0, 0], events=force, rtol=1e-12, atol=1e-14)
        both = SoftContact(Ground(), (K_1, K_2), (D_1, D_2))
        found = simulate_soft(lift(g=0), [0.0], [-v], (0, 0.15), [both], tolerance=1e-10)
        lost = next(event.t for event in found.events if not event.touched)
        assert lost == pytest.approx(reference.t[-1], abs=1e-8)
        assert found.qd[-1, 0] == pytest.approx(reference.y[1, -1], abs=1e-8)
        with pytest.raises(ValueError, match="only equal ratios can be lumped"):
            in_series(K_1, D_1, K_2, D_2 * (1 + 1e-7))
        if D_2 == 40:
            continue
        assert in_series(K_1, D_1, K_2, D_2 * (1 + 1e-13)) == pytest.approx(in_series(K_1, D_1, K_2, D_2))
        K, D = in_series(K_1, D_1, K_2, D_2)
        assert (1 / K, 1 / D) == pytest.approx((1 / K_1 + 1 / K_2, 1 / D_1 + 1 / D_2))
        times = np.linspace(0, lost, 5)
        one, two = (simulate_soft(lift(g=0), [0.0], [-v], times, [soft], tolerance=1e-10)
                    for soft in (SoftContact(Ground(), K, D), both))
        close(one.z, two.z, 1e-9)
        close(one.q, two.q, 1e-9)


@pytest.mark.slow
@pytest.mark.source("RBDA-S11.8-5", "RBDA-11.73")
def test_no_state_is_needed_because_the_patch_returns_in_a_known_way():
    """A ball that bounces: z integrated with Eq. 11.73, z from the closed form, and the formula by hand."""
    K, D, times = 2e3, 30.0, np.linspace(0, 0.4, 41)
    soft = [SoftContact(Ground(), K, D)]
    integrated, known = (simulate_soft(lift(), [0.05], [0], times, soft, tolerance=1e-10, closed_form=closed_form)
                         for closed_form in (False, True))
    close(integrated.z, known.z, 1e-8)
    close(integrated.q, known.q, 1e-8)
    touch, part, again = (event.t for event in known.events[:3])
    z_0 = simulate_soft(lift(), [0.05], [0], (0, part), soft, tolerance=1e-10).q[-1, 0]
    pressed, flying = (times > touch) & (times < part), (times > part) & (times < again)
    assert z_0 < -1e-3 and flying.sum() > 3
    close(integrated.z[times < touch, 0], 0, 1e-8)
    close(integrated.z[pressed], known.p[pressed], 1e-8)
    close(integrated.z[flying, 0], z_0 * np.exp(-K / D * (times[flying] - part)), 1e-8)


@pytest.mark.slow
@pytest.mark.source("RBDA-S11.8-6")
def test_two_free_bodies_keep_their_momentum_and_feel_opposite_forces(rng):
    """pdot is the rate of p; the accelerations are those of Eq. 11.5 with the force n f_c and f_t known beforehand. The
    origins of the bodies, balls of radius 1, are their centres of mass, 2.3 apart at first."""
    inertias = [mcI(m, [0, 0, 0], I_C) for m, _, I_C in (random_mass_properties(rng) for _ in range(2))]
    model = Model([0, 0], [FreeMotion(), FreeMotion()], [np.eye(6)] * 2, inertias, gravity=(0, 0, 0))
    q, qd = model.neutral(), [0.5, -0.3, 0.8, 1.0, 0.2, 0.1, -0.4, 0.9, 0.2, -2.0, 0.1, -0.3]
    q[11:14] = [2.2, 0.6, 0.3]
    soft = [SoftContact(Pair(1, Sphere(1.0), 2, Sphere(1.0)), 800.0, 20.0, 500.0, 15.0, 0.4)]
    motion = simulate_soft(model, q, qd, np.linspace(0, 0.45, 26), soft, tolerance=1e-8)
    assert [event.touched for event in motion.events] == [True, False]
    close(motion.momentum, np.tile(motion.momentum[0], (26, 1)), 1e-7)
    assert np.abs(motion.qd[-1] - motion.qd[0]).max() > 0.5 and np.abs(motion.f_t).max() > 5

    def apart(q):
        return np.linalg.norm(q[11:14] - q[4:7]) - 2

    for k in np.flatnonzero(motion.touching[:, 0])[::2]:
        state, (point,) = (motion.q[k], motion.qd[k]), motion.points[k]
        assert point.p == pytest.approx(apart(state[0]))                                    # - depth of penetration
        rate = slope(lambda t, state=state: apart(model.integrate(*state, t)), h=1e-3)
        assert point.pdot == pytest.approx(rate, abs=1e-7)
        f_ext, _ = soft_forces(model, *state, motion.patches[k], soft)
        line = np.concatenate([np.cross(point.contact.point, point.f_t), point.f_t])
        close(f_ext[2], point.contact.n * point.f_n + line)
        close(f_ext[1], -f_ext[2])
        qdd = forward_dynamics(model, *state, np.zeros(12), f_ext)
        for i, a in ((1, qdd[:6]), (2, qdd[6:])):
            X, v, I = body_transforms(model, state[0])[i], body_velocities(model, *state)[i], model.inertia[i]
            close(a, np.linalg.solve(I, inverse_transform(X).T @ f_ext[i] - crf(v) @ I @ v), 1e-9)      # (11.5)


@pytest.mark.slow
@pytest.mark.source("RBDA-S11.8-1")
def test_any_forward_dynamics_takes_the_forces_and_stiff_springs_cost_steps():
    """Velocities do not jump, every method accepts f_ext, a loop too; the steps grow as the square root of K."""
    soft = [SoftContact(Ground(), 1e3, 10.0, 1e3, 10.0, 0.5)]
    q, qd, patches = [0.0, -0.01], [0.3, -1.0], Patches(np.array([[-0.01, 0]]), np.zeros((1, 3)))
    f_n, (f_ext, _) = 1e3 * 0.01 + 10.0, soft_forces(block(), q, qd, patches, soft)
    close(f_ext[2][[3, 5]], np.array([-10.0 * 0.3, f_n]))
    for method in ("aba", "crba", "inverse_dynamics", "articulated_body"):
        close(forward_dynamics(block(), q, qd, [0, 0], f_ext, method), np.array([-3.0, f_n]) / 2 - [0, G], 1e-9)
    rail = lift().replace(loops=[LoopJoint(0, 1, Prismatic("z"), np.eye(6), np.eye(6))])
    f_ext, _ = soft_forces(rail, [-0.01], [-1.0], patches, soft)
    close(by_loop_constraints(rail, [-0.01], [-1.0], [0], f_ext)[0], np.array([f_n / 2 - G]))
    steps = []
    for K in (1e3, 4e3, 1.6e4):
        soft = [SoftContact(Ground(), K, 0.002 * math.sqrt(2 * K))]        # the same small ratio of damping
        motion = simulate_soft(lift(), [-3 * G / K], [0], (0, 0.12), soft, method="RK45", tolerance=1e-6 / math.sqrt(K))
        steps.append(motion.steps)
        largest = np.abs(motion.f_n / 2 - G).max()
        assert (np.abs(np.diff(motion.qd[:, 0])) <= np.diff(motion.t) * largest * 1.01).all() and not motion.events
    assert 1.4 < steps[1] / steps[0] < 2.8 and 1.4 < steps[2] / steps[1] < 2.8


@pytest.mark.source("RBDA-11.75", "RBDA-11.76", "RBDA-11.77", "RBDA-11.78", "RBDA-11.79", "RBDA-S11.8-7",
                    "RBDA-AS11.8-soft")
def test_the_laws_of_friction_balance_the_forces_on_the_patch(rng):
    """Springs and dampers against the contact forces; sticking, slipping either way, and apart, each must occur. A body
    a little below the patch counts as in contact: z = p is set before anything is computed. Of all forces in the cone,
    tried one by one, friction is that which leaves least slip."""
    seen = set()
    for _ in range(300):
        (K_n, D_n), (K_t, D_t), mu = random_surface(rng), random_surface(rng), rng.uniform(0.1, 1)
        x, v, z, pdot = rng.normal(scale=[0.01, 0.5, 0.01, 0.5])
        p = z + 1e-3 * rng.normal()
        f_n, f_t, zdot, xdot = soft_contact(p, pdot, v, z, x, K_n, D_n, K_t, D_t, mu)
        z = min(z, p)
        assert f_n == (0 if p > z else max(0, -K_n * z - D_n * pdot))                  # (11.75)
        assert K_n * z + D_n * zdot + f_n == pytest.approx(0, abs=1e-10)            # (11.76)
        assert K_t * x + D_t * xdot + f_t == pytest.approx(0, abs=1e-10)            # (11.77)
        f_stick, limit = -K_t * x - D_t * v, mu * f_n                               # (11.78)
        assert f_t == pytest.approx(np.clip(f_stick, -limit, limit), abs=1e-12)     # (11.79)
        tried = np.linspace(-limit, limit, 2001)
        least = tried[np.argmin(np.abs(v - patch_velocity(x, tried, K_t, D_t)))]
        assert f_t == pytest.approx(least, abs=limit / 1000)
        slip = v - xdot
        if abs(f_stick) <= limit:
            assert slip == pytest.approx(0, abs=1e-12)
            seen.add("stick")
        else:
            assert f_t * slip <= 0 and abs(slip) > 1e-12
            seen.add("apart" if f_n == 0 else np.sign(slip))
    assert seen == {"stick", "apart", -1.0, 1.0}


@pytest.mark.slow
@pytest.mark.source("RBDA-F11.11", "RBDA-AS11.8-soft", "RBDA-11.79")
def test_a_block_pulled_by_a_growing_force_sticks_and_then_slips():
    """The moment at which it gives way, F = mu m g, and its motion afterwards, m x'' = F - mu m g."""
    mu, m, growth, times = 0.4, 2.0, 20.0, np.linspace(0, 0.7, 36)
    motion = simulate_soft(block(), [0, -m * G / 2e4], [0, 0], times, [SoftContact(Ground(), 2e4, 400, 2e4, 400, mu)],
                           torque=lambda t, q, qd: [growth * t, 0], tolerance=1e-7)
    gives_way, speed = mu * m * G / growth, np.linalg.norm(motion.slip[:, 0], axis=1)
    assert (speed[times < gives_way - 0.05] < 1e-6).all() and (speed[times > gives_way + 0.05] > 1e-4).all()
    close(motion.f_t[:, 0, 0], -np.minimum(growth * times, mu * m * G), 0.02)
    close(motion.f_n[:, 0], np.full(36, m * G), 1e-5)
    close(motion.qd[:, 0], growth * np.maximum(0, times - gives_way) ** 2 / 2 / m, 2e-3)


@pytest.mark.source("RBDA-Q11.8-1")
def test_friction_in_space_is_the_same_in_every_direction(rng):
    """Turning the tangent directions turns the force; in one direction it is the law of the plane."""
    (K_t, D_t), mu, angle, slipping = random_surface(rng), 0.3, rng.uniform(0, 6), 0
    Q = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    for _ in range(40):
        x, v, z = rng.normal(size=2) * 1e-3, rng.normal(size=2) / 20, -rng.uniform(0, 0.01)

        def law(v, x, z=z):
            return soft_contact(z, 0.0, v, z, x, 2e3, 10.0, K_t, D_t, mu)

        (f_n, f_t, _, xdot), (_, turned, _, turned_rate) = law(v, x), law(Q @ v, Q @ x)
        close(turned, Q @ f_t)
        close(turned_rate, Q @ xdot)
        assert np.linalg.norm(f_t) <= mu * f_n * (1 + 1e-12)
        slip = v - xdot
        slips = np.linalg.norm(slip) > 1e-9
        slipping += slips
        assert f_t @ slip < 0 or not slips
        close(law([v[0], 0], [x[0], 0])[1], np.array([law(v[0], x[0])[1], 0]))
    assert 5 < slipping < 38


@pytest.mark.slow
@pytest.mark.source("RBDA-Q11.8-2")
def test_a_nonlinear_surface_gives_back_less_of_fast_blows_and_never_pulls():
    """e from the integral of v dv / (1 + a v), a = D/K: a v_i (1 + e) = ln((1 + a v_i) / (1 - a e v_i))."""
    K, D, found = 1e5, 4e4, []
    a = D / K
    for exponent, v in product((1.5, 2.0), (0.2, 1.0)):
        soft = [SoftContact(Ground(), K, D, model="hunt_crossley", exponent=exponent)]
        motion = simulate_soft(lift(g=0), [0.0], [-v], (0, 0.3), soft, tolerance=1e-8)
        e = motion.qd[-1, 0] / v
        found.append(e)
        assert a * v * (1 + e) == pytest.approx(math.log((1 + a * v) / (1 - a * e * v)), abs=1e-6)
        assert (motion.f_n >= 0).all() and motion.f_n[0, 0] == 0
        lost = next(event.t for event in motion.events if not event.touched)
        assert motion.p[np.searchsorted(motion.t, lost), 0] == pytest.approx(0, abs=1e-6)
    assert found[0] > found[1] and found[2] > found[3]
    linear = [simulate_soft(lift(g=0), [0.0], [-v], (0, 0.1), [SoftContact(Ground(), 1e4, 90.0)]) for v in (0.1, 2)]
    assert linear[0].qd[-1, 0] / 0.1 == pytest.approx(linear[1].qd[-1, 0] / 2, abs=1e-7)
    jump = [SoftContact(Ground(), K, D)]
    (point,) = soft_points(lift(g=0), [0.0], [-1.0], patches_at_rest(lift(g=0), [0.0], jump), jump)
    assert point.f_n == D                                               # the jump that the linear law has


@pytest.mark.slow
@pytest.mark.source("RBDA-Q11.8-3")
def test_a_spring_in_series_leads_to_the_damped_spring_as_it_grows_stiff():
    """Against Newton's law for mass, node and spring by an integration of its own, and the limit of Eq. 11.73."""
    m, K, D, v = 2.0, 3e3, 30.0, 1.5
    limit, errors = soft_restitution(m, K, D), []
    for K_series in (1e4, 1e5):
        soft = [SoftContact(Ground(), K, D, model="viscoelastic", K_series=K_series)]
        motion = simulate_soft(lift(g=0), [0.0], [-v], (0, 0.12), soft, method="LSODA", tolerance=1e-8)

        def newton(t, state, K_s=K_series):
            p, pdot, y = state
            return [pdot, K_s * (y - p) / m, -(K * y + K_s * (y - p)) / D]

        def loose(t, state):
            return state[2] - state[0] if t > 1e-6 else 1.0

        loose.terminal = True
        reference = solve_ivp(newton, (0, 1), [0, -v, 0], "LSODA", events=loose, rtol=1e-11, atol=1e-13)
        assert motion.qd[-1, 0] == pytest.approx(reference.y[1, -1], abs=1e-5)
        errors.append(abs(motion.qd[-1, 0] / v - limit))
    assert errors[0] > 5 * errors[1] and errors[1] < 2e-2
