"""RBDA 11.7 row by row: impulses, steps of velocity, and collisions of two bodies; and state 2a of 11.4. Bodies are
clusters of particles, whose momenta and energies are sums over these; systems come from the geometry of
`tests.sources.ch05_systems` and `ch07_systems`."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from rbdlib.book.ch02_spatial import equation_of_motion, mcI
from rbdlib.book.ch11_contact import Contact, constraint_state, contact_normal, separation_velocities
from rbdlib.contact.collisions import CollisionWarning, collision, contact_frame, sticking_collision, velocity_step
from rbdlib.contact.impact import body_impulse, impulse_step, system_impact
from rbdlib.motion.simulate import simulate
from tests.sources import helpers
from tests.sources.ch07_systems import FLOATING_TREES, assembled, floating
from tests.sources.ch11_systems import free_body

STEPS = (1e-2, 1e-3, 1e-4)


def by_quadrature(function, t_0, t_1, n=20):
    """The integral of a smooth function of time, by Gauss and Legendre."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return (t_1 - t_0) / 2 * sum(w * function(t_0 + (t_1 - t_0) * (x + 1) / 2)
                                 for x, w in zip(nodes, weights, strict=True))


@pytest.mark.source("RBDA-11.52", "RBDA-11.53")
def test_the_integral_of_force_is_the_change_of_momentum():
    rng = np.random.default_rng(11)
    (masses, positions), pose = helpers.random_cluster(rng), helpers.smooth_motion(rng)

    def force(t):
        I = helpers.cluster_inertia(masses, helpers.points_carried(positions, pose(t)))
        return equation_of_motion(I, helpers.velocity(pose, t), helpers.acceleration(pose, t))

    h_0, h_1 = (helpers.cluster_momentum(masses, helpers.points_carried(positions, pose(t)), helpers.velocity(pose, t))
                for t in (0.2, 0.9))
    helpers.close(by_quadrature(force, 0.2, 0.9), h_1 - h_0, 1e-8)
    in_body = by_quadrature(lambda t: helpers.force_coordinates(force(t), pose(t)), 0.2, 0.9)
    helpers.far(in_body, helpers.force_coordinates(h_1, pose(0.9)) - helpers.force_coordinates(h_0, pose(0.2)))


def shrinks_in_proportion(errors):
    """Whether errors for the steps in STEPS go to zero with them, to first order."""
    sizes = [np.abs(error).max() for error in errors]
    assert sizes[0] > 1e-4, "nothing to see: choose a faster motion"
    assert sizes[1] < 0.15 * sizes[0] and sizes[2] < 0.15 * sizes[1]


@pytest.mark.source("RBDA-11.54", "RBDA-11.55", "RBDA-S11.7-1", "RBDA-S11.7-2")
def test_a_short_strong_force_gives_a_body_the_step_that_its_inertia_says():
    """f(t)/dt for a time dt tends to the impulse f(0); what the velocity terms do meanwhile goes to zero."""
    rng = np.random.default_rng(12)
    (masses, positions), v, (R, p) = helpers.random_cluster(rng), 2 * rng.normal(size=6), helpers.random_pose(rng)
    f, slope = rng.normal(size=(2, 6))
    body = free_body(mcI(*helpers.mass_properties(masses, positions)))
    dv = velocity_step(body.inertia[1], f)
    helpers.close(helpers.cluster_momentum(masses, positions, dv), f, 1e-10)

    def step(dt, f, slope):
        motion = simulate(body, body.neutral(), v, (0, dt), f_ext=lambda t, q, qd: {1: (f + t * slope) / dt})
        return motion.qd[-1] - v

    shrinks_in_proportion([by_quadrature(lambda t, dt=dt: (f + t * slope) / dt, 0, dt) - f for dt in STEPS])
    shrinks_in_proportion([step(dt, f, slope) - dv for dt in STEPS])
    shrinks_in_proportion([step(dt, 0 * f, 0 * f) for dt in STEPS])
    # in another frame the impulse has the coordinates of a force; with those of a motion it does something else
    I = helpers.cluster_inertia(masses, (positions - p) @ R)
    helpers.close(velocity_step(I, helpers.force_coordinates(f, (R, p))), helpers.motion_coordinates(dv, (R, p)), 1e-9)
    helpers.far(velocity_step(I, helpers.motion_coordinates(f, (R, p))), helpers.motion_coordinates(dv, (R, p)))


@pytest.mark.parametrize(("name", "seed"), FLOATING_TREES)
@pytest.mark.source("RBDA-11.56", "RBDA-11.57", "RBDA-11.58", "RBDA-11.59")
def test_handles_and_systems_step_as_geometry_says(name, seed):
    tree, rng = floating(name, seed), np.random.default_rng([seed, 14])
    model, q, u, iota = tree.model, tree.q, rng.normal(size=tree.model.nv), rng.normal(size=6)
    helpers.close(tree.H @ impulse_step(model, q, u), u, 1e-7)                                  # (11.57)
    for i in model.bodies:
        J_i, found, qd = tree.ways[i], body_impulse(model, q, i, iota), rng.normal(size=model.nv)
        helpers.close(found.u @ qd, iota @ (J_i @ qd), 1e-7)                            # (11.58): the same power
        helpers.close(found.dqd, np.linalg.solve(tree.H, J_i.T @ iota), 1e-6)
        helpers.close(found.dv, J_i @ found.dqd, 1e-7)                                          # (11.59)
    dv = velocity_step(assembled(tree).I_A[1], tree.force_in_body(iota, 1))             # (11.56)
    helpers.close(dv, tree.in_body(tree.ways[1] @ np.linalg.solve(tree.H, tree.ways[1].T @ iota), 1), 1e-6)
    helpers.far(velocity_step(model.inertia[1], tree.force_in_body(iota, 1)), dv)


@pytest.mark.source("RBDA-Q11.7-1", "RBDA-11.56", "RBDA-11.57")
def test_in_the_limit_the_bias_of_handles_and_systems_drops_out():
    """Strong forces for a short time, simulated with gravity and all velocity terms, and without any force."""
    tree = floating("many freedoms", 1)
    model, q, qd = tree.model, tree.q, 2 * tree.qd
    rng = np.random.default_rng(15)
    u, iota = rng.normal(size=model.nv), rng.normal(size=6)
    dv_1 = velocity_step(assembled(tree).I_A[1], tree.force_in_body(iota, 1))

    def step(dt, u, iota):
        end = simulate(model, q, qd, (0, dt), torque=lambda t, q, qd: u / dt, f_ext={1: iota / dt})
        return end.qd[-1] - qd

    shrinks_in_proportion([step(dt, u, 0 * iota) - impulse_step(model, q, u) for dt in STEPS])
    shrinks_in_proportion([step(dt, 0 * u, iota)[:6] - dv_1 for dt in STEPS])
    shrinks_in_proportion([step(dt, 0 * u, 0 * iota) for dt in STEPS])


@pytest.mark.source("RBDA-S11.7-3")
def test_hard_springs_do_not_make_a_chain_bounce_as_a_rigid_body():
    """Two masses and a spring hit a wall, without loss: the wave in the spring sends them back slower than a rigid body
    of their mass, and however hard the spring is, it makes no difference."""
    m_1, m_2, v = 1.0, 2.0, 3.0
    rigid = collision(None, mcI(m_1 + m_2, [0, 0, 0], np.eye(3)), None, [0, 0, 0, 0, 0, -v],
                      contact_normal([0, 0, 0], [0, 0, 1]), e=1)
    assert rigid.v_2[5] == pytest.approx(v)
    speeds = []
    for k in (1e2, 1e4, 1e6):
        def rate(t, y, k=k):
            return [y[2], y[3], k * (y[1] - y[0]) / m_1, -k * (y[1] - y[0]) / m_2]

        def hits(t, y, k=k):
            return y[0] if t > 1e-9 / np.sqrt(k) else 1.0

        hits.terminal, hits.direction = True, -1
        y, left = np.array([0, 0, -v, -v]), False
        while not left:                                             # mass 1 strikes the wall until both have left it
            y[2] = abs(y[2])
            motion = solve_ivp(rate, (0, 20 / np.sqrt(k)), y, events=hits, rtol=1e-11, atol=1e-14, method="DOP853")
            y, left = motion.y[:, -1].copy(), motion.status == 0
        speeds.append((m_1 * y[2] + m_2 * y[3]) / (m_1 + m_2))
    helpers.close(speeds, np.full(3, speeds[0]), 1e-6)
    assert 0 < speeds[0] < 0.9 * v


class TwoBodies:
    """Two clusters that approach each other at C: masses and positions, velocities, the direction n_hat from 1 to 2."""
    def __init__(self):
        rng = np.random.default_rng([1, 16])
        self.clusters = [helpers.random_cluster(rng), helpers.random_cluster(rng)]
        self.I = [mcI(*helpers.mass_properties(*cluster)) for cluster in self.clusters]
        self.C, self.n_hat, self.v = rng.normal(size=3), helpers.random_unit(rng), list(rng.normal(size=(2, 6)))
        self.n = np.concatenate([np.cross(self.C, self.n_hat), self.n_hat])
        if self.n_hat @ self.at_C(*self.v) > 0:
            self.n, self.n_hat = -self.n, -self.n_hat

    def at_C(self, v_1, v_2):
        """How body 2 moves past body 1 at C (m/s)."""
        return (helpers.field(v_2, self.C[None]) - helpers.field(v_1, self.C[None]))[0]

    def momentum(self, k, v):
        return helpers.cluster_momentum(*self.clusters[k], v)

    def energy(self, v):
        return sum(helpers.cluster_energy(*cluster, v_k) for cluster, v_k in zip(self.clusters, v, strict=True))


@pytest.mark.parametrize("e", [0, 0.4, 1])
@pytest.mark.source("RBDA-11.60", "RBDA-11.61", "RBDA-11.62", "RBDA-11.63", "RBDA-S11.7-4", "RBDA-11.64",
                    "RBDA-S11.7-5", "RBDA-11.65", "RBDA-AS11.7-frictionless", "RBDA-F11.8")
def test_a_collision_without_friction(e):
    two = TwoBodies()
    after = collision(*two.I, *two.v, two.n, e)
    kick = after.lam * np.concatenate([np.cross(two.C, two.n_hat), two.n_hat])
    helpers.close(two.momentum(0, after.v_1) - two.momentum(0, two.v[0]), -kick, 1e-9)           # (11.60)
    helpers.close(two.momentum(1, after.v_2) - two.momentum(1, two.v[1]), kick, 1e-9)            # (11.61)
    before, later = (two.n_hat @ two.at_C(*v) for v in (two.v, (after.v_1, after.v_2)))
    assert before < 0 and later >= -1e-12 and after.lam > 0
    helpers.close(after.zeta, before)                                                            # (11.62)
    helpers.close(after.zeta_plus - after.zeta, later - before, 1e-10)                           # (11.63)
    assert later / -before == pytest.approx(e, abs=1e-10)                                # e, and with it (11.64)
    loss = two.energy(two.v) - two.energy((after.v_1, after.v_2))
    assert after.energy_before - after.energy_after == pytest.approx(loss, abs=1e-9)

    M = two.n @ (np.linalg.inv(two.I[0]) + np.linalg.inv(two.I[1])) @ two.n
    assert loss == pytest.approx((1 - e**2) * before**2 / (2 * M), abs=1e-9)
    assert after.lam == pytest.approx(-(1 + e) * before / M)                             # (11.65)
    parting = collision(*two.I, *two.v, -two.n, e)
    assert parting.lam == 0
    helpers.close([parting.v_1, parting.v_2], two.v)


@pytest.mark.parametrize("e", [0, 0.3, 1])
@pytest.mark.source("RBDA-S11.4-2", "RBDA-11.64")
def test_state_2a_becomes_2b_if_elastic_and_3_if_plastic(e):
    """A ball at the height phi above the ground; phi's rate is found from its motion over a short time."""
    ball = free_body(mcI(2, [0, 0, 0], 0.1 * np.eye(3)))
    q, qd = np.array([1, 0, 0, 0, 0.2, -0.3, 0.5]), np.array([1, -2, 3, 0.4, 0.1, -1.7])
    ground = Contact(0, 1, contact_normal([0.2, -0.3, 0], [0, 0, 1]), phi=0.0)

    def rate(qd, h=1e-7):
        return (ball.integrate(q, qd, h)[6] - ball.integrate(q, qd, -h)[6]) / (2 * h)

    assert constraint_state(0.0, rate(qd)) == "2a"
    assert separation_velocities(ball, q, qd, [ground])[0] == pytest.approx(rate(qd), abs=1e-7)
    after = system_impact(ball, q, qd, [ground], e)
    assert rate(after.qd) == pytest.approx(-e * rate(qd), abs=1e-7)
    assert constraint_state(0.0, rate(after.qd)) == ("2b" if e else "3")
    helpers.close(system_impact(ball, q, after.qd, [ground], e).qd, after.qd, 1e-9)


@pytest.mark.filterwarnings("ignore::rbdlib.contact.CollisionWarning")
@pytest.mark.parametrize("e", [0, 0.4, 1])
@pytest.mark.source("RBDA-11.66", "RBDA-11.67", "RBDA-11.68", "RBDA-11.69", "RBDA-11.70", "RBDA-S11.7-7", "RBDA-11.71",
                    "RBDA-S11.7-8", "RBDA-11.72", "RBDA-AS11.7-stick")
def test_a_collision_in_which_friction_ends_the_sliding(e):
    two = TwoBodies()
    N = contact_frame(two.C, two.n_hat)
    after = sticking_collision(*two.I, *two.v, N, e)
    axes = N[3:]                                                                         # (11.68)
    helpers.close([*(axes.T @ axes).flat, np.linalg.det(axes), *axes[:, 2]], [*np.eye(3).flat, 1, *two.n_hat])
    kick = np.concatenate([np.cross(two.C, axes @ after.lam), axes @ after.lam])
    helpers.close(two.momentum(0, after.v_1) - two.momentum(0, two.v[0]), -kick, 1e-9)           # (11.66)
    helpers.close(two.momentum(1, after.v_2) - two.momentum(1, two.v[1]), kick, 1e-9)            # (11.67), (11.68)
    before, later = (axes.T @ two.at_C(*v) for v in (two.v, (after.v_1, after.v_2)))
    helpers.close(after.zeta, before)                                                            # (11.69)
    helpers.close(after.zeta_plus - after.zeta, later - before, 1e-9)                            # (11.70)
    helpers.close(later, [0, 0, -e * before[2]], 1e-9)                                           # (11.71)
    assert np.abs(before[:2]).max() > 0.1

    M = N.T @ (np.linalg.inv(two.I[0]) + np.linalg.inv(two.I[1])) @ N
    helpers.close(after.lam, -np.linalg.inv(M) @ (np.eye(3) + np.diag([0, 0, e])) @ before, 1e-9)  # (11.72)


@pytest.mark.filterwarnings("ignore::rbdlib.contact.CollisionWarning")
@pytest.mark.source("RBDA-F11.9", "RBDA-S11.7-6")
def test_sliding_and_spinning_can_be_ended_or_thrown_back():
    """Four effects beside the normal impulse: friction and restitution, along the surface and about the normal."""
    two = TwoBodies()
    N = contact_frame(two.C, two.n_hat, torsion=True)
    helpers.close(N[:, 2], [*two.n_hat, 0, 0, 0])

    def motion(v_1, v_2):
        at_C = two.at_C(v_1, v_2)
        return np.array([*(N[3:, :2].T @ at_C), two.n_hat @ (v_2 - v_1)[:3], two.n_hat @ at_C])

    for E in ((0, 0, 0, 0.5), (0.6, 0.6, 0, 0.5), (0, 0, 0.7, 0.5), (0.6, 0.6, 0.7, 0.5)):
        after = sticking_collision(*two.I, *two.v, N, E)
        helpers.close(motion(after.v_1, after.v_2), -np.array(E) * motion(*two.v), 1e-9)
    free = collision(*two.I, *two.v, two.n, 0.5)
    helpers.far(motion(free.v_1, free.v_2)[:3], np.zeros(3))


@pytest.mark.source("RBDA-S11.7-6")
def test_a_softer_body_resists_spinning_more_but_sliding_still_more():
    """Friction on the patch that Hertz' theory gives two spheres: the couple, divided by the radius, against the force.
    """
    radius, load, mu, ratios = 0.1, 50.0, 0.4, []
    for modulus in (1e11, 1e9, 1e7):
        a = (3 * load * radius / (4 * modulus)) ** (1 / 3)

        def friction(s, a=a):                                       # on the ring of radius s
            return 2 * np.pi * s * mu * 3 * load / (2 * np.pi * a**2) * np.sqrt(1 - (s / a) ** 2)

        couple = by_quadrature(lambda s, on_ring=friction: s * on_ring(s), 0, a, 200)
        assert by_quadrature(friction, 0, a, 200) == pytest.approx(mu * load, rel=1e-4)
        ratios.append(couple / (radius * mu * load))
    assert ratios[0] < ratios[1] < ratios[2] < 0.1


def rod(angle=0.8856, v=(-0.7, -1.0), side=-1):
    """A uniform rod (1 kg, 1 m) whose tip, below and beside its centre, hits the ground at the origin: I, v, its N."""
    points = (np.arange(4000) + 0.5)[:, None] / 4000 * [side * np.cos(angle), 0, np.sin(angle)]
    thickness = np.diag([1e-3, 0, 1e-3, 0, 0, 0])                   # of no effect in the plane
    I = helpers.cluster_inertia(np.full(4000, 1 / 4000), points) + thickness
    return I, np.array([0, 0, 0, v[0], 0, v[1]]), contact_frame([0, 0, 0], [0, 0, 1])


@pytest.mark.filterwarnings("ignore::rbdlib.contact.CollisionWarning")
@pytest.mark.source("RBDA-Q11.7-2")
def test_the_energy_of_sticking_is_the_work_of_the_mean_velocity_and_has_no_sign():
    """dT = (zeta + zeta_plus)ᵀ lam / 2 of the rod is a gain where e² > 1 - rho², rho the coupling of two directions.
    rho² = 9 s² c² / ((1 + 3 s²) (1 + 3 c²)) with the sine and cosine of the angle to the ground, at most 0.36: then
    slides in some range of speeds about the worst gain energy, and below e = 0.8 none does."""
    for angle in (0.1, 0.5, np.pi / 4, 1.0, np.pi / 2):
        s, c = np.sin(angle), np.cos(angle)
        rho_squared = 9 * s**2 * c**2 / ((1 + 3 * s**2) * (1 + 3 * c**2))
        (I, _, N), worst = rod(angle), 3 * s * c / (1 + 3 * c**2)
        for e in (0, 0.79, 0.85, 1):
            gains = 0
            for slide in (*np.linspace(-1.5, 1.5, 14), -worst, worst):
                v = np.array([0, 0, 0, slide, 0, -1.0])
                after = sticking_collision(None, I, None, v, N, e)
                dT = after.v_2 @ I @ after.v_2 / 2 - v @ I @ v / 2
                assert dT == pytest.approx((after.zeta + after.zeta_plus) @ after.lam / 2, abs=1e-9)
                gains += dT > 1e-9
            assert (gains > 0) == (e**2 > 1 - rho_squared + 1e-9), (angle, e)


@pytest.mark.source("RBDA-11.72", "RBDA-AS11.7-stick", "RBDA-Q11.7-2")
def test_warnings_of_a_gain_of_energy_of_a_pull_and_of_friction_beyond_its_cone():
    I, v, N = rod()
    with pytest.warns(CollisionWarning, match="add 0.056 J|add 0.0559"):
        after = sticking_collision(None, I, None, v, N, 0.9)
    assert (after.energy_before, after.energy_after) == pytest.approx((0.745, 0.801), abs=5e-4)
    helpers.close(after.lam, [-0.313, 0, 1.072], 5e-4)
    assert after.work == pytest.approx(after.energy_after - after.energy_before)
    assert collision(None, I, None, v, N[:, 2], 0.9).energy_after < 0.745
    ratio = 0.31299 / 1.07209
    for mu, beyond in ((ratio - 0.001, True), (ratio + 0.001, False)):
        with pytest.warns(CollisionWarning):
            remarks = sticking_collision(None, I, None, v, N, 0.9, mu=mu).remarks
        assert any("cone" in text for text in remarks) == beyond
    I, v, N = rod(0.3, (3.0, -0.2), side=1)
    with pytest.warns(CollisionWarning, match="pulls"):
        assert sticking_collision(None, I, None, v, N, 0.0).lam[2] < 0
    I, v, N = rod(1.3, (0.1, -1.0))
    assert sticking_collision(None, I, None, v, N, 0.5, mu=0.9).remarks == ()
