"""Bodies that roll: constraints on velocities against differences, closed forms and the published bicycle."""

import numpy as np
import pytest

from rbdlib import Model, load
from rbdlib.book.ch02_spatial import X_to_Er, mcI, rotx, roty, xlt
from rbdlib.book.ch04_joints import FreeMotion, Prismatic, Revolute
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.compile.compile_for import compile_for
from rbdlib.contact import Plane, rolling as rolls
from rbdlib.contact.rolling import Roller, Rolling, by_rolling, ellipsoid, rolling_constraints, wheel, without_slip
from rbdlib.contact.surfaces import Flat
from rbdlib.motion.simulate import simulate
from rbdlib.numbers.dual import jacobian
from rbdlib.numbers.linear import solve_linear
from tests.sources.helpers import close, random_rotation, random_unit

R = 0.25
DISC = Model([0], [FreeMotion()], [np.eye(6)], [mcI(2, [0, 0, 0], 2 * R**2 * np.diag([1, 2, 1]) / 4)])
RIM = [Rolling(1, wheel(R))]
PAIR = Model([0, 1], [FreeMotion(), Revolute()], [rotx(0.4), xlt([0.3, 0.1, 0])], [mcI(1, [0, 0.1, 0], np.eye(3))] * 2)


def rollers(rng):
    """Two bodies of `PAIR` that roll on different planes, an ellipsoid and a wheel with a tyre; and a state."""
    E = random_rotation(rng)
    rolling = [Rolling(2, Roller(E @ np.diag([0.1, 0.2, 0.05]) @ E.T, rng.normal(size=3)), Plane((0, 0, 1), (0, 1, 2))),
               Rolling(1, wheel(0.3, random_unit(rng), tyre=0.1))]
    return rolling, *PAIR.random_state(rng)


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_the_velocity_of_the_lowest_point_and_its_rate_of_change(seed):
    rng, eps = np.random.default_rng([seed, 331]), 1e-6
    rolling, q, qd = rollers(rng)
    close([ellipsoid(1, 2, 3, [9, 0, 0]).point(u, u)[0] for u in np.eye(3)], np.diag([1, 2, 3]) + [9, 0, 0])
    K, k, delta = rolling_constraints(PAIR, q, qd, rolling)
    for row, one in enumerate(rolling):
        (E, r), n_hat = X_to_Er(body_transforms(PAIR, q)[one.body]), one.plane.normal
        points = [r + E.T @ one.roller.point(random_unit(rng), np.zeros(3))[0] for _ in range(200)]
        assert delta[row] <= min(n_hat @ (P - one.plane.point) for P in points) + 1e-12
    ahead, behind = (PAIR.integrate(q, qd, sign * eps) for sign in (1, -1))
    plus, minus = (rolling_constraints(PAIR, state, qd, rolling) for state in (ahead, behind))
    close((plus[0] - minus[0]) @ qd / (2 * eps), -k, 1e-6)
    normal = [one.plane.normal @ v_P for one, v_P in zip(rolling, (K @ qd).reshape(2, 3), strict=True)]
    close((plus[2] - minus[2]) / (2 * eps), normal, 1e-7)
    lifts = np.concatenate([h * one.plane.normal for h, one in zip(delta, rolling, strict=True)])
    close(k - rolling_constraints(PAIR, q, qd, rolling, T_stab=0.1)[1], 20 * K @ qd + 100 * lifts, 1e-9)


def test_accelerations_meet_the_constraints_and_forces_at_the_contacts_do_no_work_on_what_rolls():
    rng = np.random.default_rng(332)
    rolling, q, slipping = rollers(rng)
    tau, qd = rng.normal(size=PAIR.nv), without_slip(PAIR, q, slipping, rolling)
    K, k, _ = rolling_constraints(PAIR, q, qd, rolling)
    qdd, lam = by_rolling(PAIR, q, qd, tau, rolling=rolling)
    close(K @ qd, np.zeros(6), 1e-12)
    close(K @ qdd, k, 1e-9)
    compiled = compile_for(by_rolling, PAIR, backend="numpy", cache=False, rolling=rolling[:1])
    close(compiled(q, qd, tau)[0], by_rolling(PAIR, q, qd, tau, rolling=rolling[:1])[0], 1e-9)
    assert lam.shape == (2, 3) and abs(lam.ravel() @ K @ qd) < 1e-12 * np.abs(lam).max()
    _, weight = by_rolling(DISC, [1, 0, 0, 0, 0, 0, R], np.zeros(6), np.zeros(6), rolling=RIM)
    close(weight, [[0, 0, 2 * 9.81]], 1e-12)


@pytest.mark.slow
def test_a_disc_wobbles_steadily_where_the_closed_form_says_and_keeps_its_energy():
    """I_d Omega² sin cos - (I_a + m R²) n Omega sin = m g R cos, for a disc with the tilt alpha; n its turning."""
    alpha, Omega = 0.5, 4.0
    n = (Omega**2 * np.sin(alpha) * np.cos(alpha) / 4 - 9.81 / R * np.cos(alpha)) / (1.5 * Omega * np.sin(alpha))
    q = [np.cos((np.pi / 2 - alpha) / 2), np.sin((np.pi / 2 - alpha) / 2), 0, 0, 0, 0, R * np.sin(alpha)]
    omega = np.array([0, n, Omega * np.sin(alpha)])
    qd = without_slip(DISC, q, np.array([*omega, *np.cross(omega, [0, 0, R])]), RIM)
    close(qd[:3], omega, 1e-9)
    run = simulate(DISC, q, qd, [0, 0.3, 0.6], tolerance=1e-10, dynamics=rolls.rolling_dynamics(RIM, T_stab=0.1))
    close(run.q[:, 6], np.full(3, R * np.sin(alpha)), 1e-8)
    close(run.energy, np.full(3, run.energy[0]), 1e-7)


def bicycle(s=1.1, w=1.02, tilt=np.pi / 10):
    """The benchmark of Meijaard, Papadopoulos, Ruina and Schwab (2007); z down; and what of it rolls."""
    joints, X, E = [*map(Prismatic, "xyz"), *map(Revolute, "zxyyzy")], roty(tilt), roty(tilt)[:3, :3]
    at = [E @ (P - np.array([s, 0, 0])) for P in ([0.9, 0, -0.7], [w, 0, -0.35])]
    I = [[[9.2, 0, 2.4], [0, 11, 0], [2.4, 0, 2.8]], [[0.05892, 0, -0.00756], [0, 0.06, 0], [-0.00756, 0, 0.00708]]]
    bodies = [mcI(85, [0.3, 0, -0.9], np.array(I[0])), mcI(2, [0, 0, 0], np.diag([0.0603, 0.12, 0.0603])),
              mcI(4, at[0], E @ I[1] @ E.T), mcI(3, [0, 0, 0], np.diag([0.1405, 0.28, 0.1405]))]
    model = Model([0, 1, 2, 3, 4, 5, 6, 6, 8], joints, [np.eye(6)] * 6 + [xlt([0, 0, -0.3]), X @ xlt([s, 0, 0]),
                  xlt(at[1])], [np.zeros((6, 6))] * 5 + bodies, gravity=(0, 0, 9.81))
    return model, [Rolling(i, wheel(r), Plane(normal=(0, 0, -1))) for i, r in ((7, 0.3), (9, 0.35))]


def test_the_linearised_bicycle_is_the_published_one():
    model, rolling = bicycle()
    free, other = [4, 7, 6], [0, 1, 2, 3, 5, 8]

    def accelerations(x, v):
        """Of lean and steer, for small values and rates of these, at the speed v."""
        q, u = np.eye(9)[:, free[:2]] @ x[:2], np.array([*x[2:], -v / 0.3])
        K, _, _ = rolling_constraints(model, q, 0 * q, rolling)
        qd = np.eye(9)[:, free] @ u - np.eye(9)[:, other] @ solve_linear(K[:, other], K[:, free] @ u)
        return by_rolling(model, q, qd, 0 * q, rolling=rolling)[0][[4, 7]]

    (A, B), zero = [jacobian(lambda x, v=v: accelerations(x, v), np.zeros(4)) for v in (0.0, 1.0)], np.zeros(9)
    M = np.linalg.inv([by_rolling(model, zero, zero, np.eye(9)[j], rolling=rolling)[0][[4, 7]] for j in (4, 7)])
    close(M, [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]], 1e-11)
    close(-M @ A[:, :2] / 9.81, [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]], 1e-11)
    close(-M @ (B - A)[:, :2], [[0, 76.59734589573222], [0, 2.65431523794604]], 1e-11)
    close(-M @ B[:, 2:], [[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]], 1e-11)


def test_what_cannot_roll_is_refused_with_the_remedy():
    flat, zero = [1, 0, 0, 0, 0, 0, 0], np.zeros(6)
    for rolling, complaint in (([Rolling(1, wheel(R, (0, 0, 1)))], "lies flat"), (RIM * 2, "repeat one another"),
                               ([Rolling(2, wheel(R))], "Body 2")):
        with pytest.raises(ValueError, match=complaint):
            by_rolling(DISC, flat, zero, zero, rolling=rolling)
    with pytest.raises(TypeError, match="give a list of Rolling"):
        by_rolling(DISC, flat, zero, zero, rolling=[wheel(R)])
    with pytest.raises(ValueError, match="has loops"):
        by_rolling(load("four_bar"), np.zeros(3), np.zeros(3), np.zeros(3))


def test_the_nearest_point_of_a_flat_surface_lies_in_it_straight_below(rng):
    normal, point, x = random_unit(rng), rng.normal(size=3), rng.normal(size=3)
    found = Flat(point, normal).near(x)
    close(normal @ (found.x - point), 0)
    close(np.cross(x - found.x, normal), np.zeros(3))
