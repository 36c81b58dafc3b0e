"""What the live figures compute: short Python functions on top of rbdlib, which become JavaScript (RBDA 10.4).

Every function takes a model first, like those of rbdlib. It runs on floats, which the tests use, and on recorded
numbers, from which the page's JavaScript is printed; nothing about mechanics is written in JavaScript by hand.
"""

import numpy as np

from rbdlib import aba
from rbdlib.book.ch02_spatial import X_to_Er, mcI
from rbdlib.book.ch04_kinematics import body_transforms, body_velocities, kinetic_energy
from rbdlib.book.ch04_orientation import euler_parameter_rates
from rbdlib.book.ch06_factorisation import ltl, solve
from rbdlib.book.ch07_articulated_body import articulated_bodies
from rbdlib.book.ch08_closed_loops import loop_constraints
from rbdlib.contact.collisions import contact_frame
from rbdlib.methods.centre_of_mass import centre_of_mass, potential_energy
from rbdlib.methods.floating_base import to_floating_base
from rbdlib.methods.force_parts import explain
from rbdlib.methods.joint_space import inertia_and_bias
from rbdlib.motion.floating_momentum import base_velocity
from rbdlib.motion.integrators import movement, rk4
from rbdlib.numbers.scalars import cos, sin, sqrt, zeros

# Any tree


def step(model, q, qd, dt):
    """The state after the time dt (s), without joint forces: one Runge-Kutta step on the articulated-body algorithm."""
    def acceleration(t, q, qd):
        return aba(model, q, qd, zeros(model.nv, q))

    return rk4(movement(model), acceleration, 0.0, q, qd, dt)


def energy(model, q, qd):
    """Kinetic and potential energy (J)."""
    return kinetic_energy(model, q, qd) + potential_energy(model, q)


def mass_points(model, q):
    """Where the centre of mass of every body is (N_B x 3, m), in base coordinates."""
    return np.array([_at(X, _centre(I)) for X, I in zip(body_transforms(model, q)[1:], model.inertia[1:], strict=True)])


def _at(X, p):
    """The base coordinates of the point that is at p in the coordinates to which X leads."""
    E, r = X_to_Er(X)
    return r + E.T @ p


def _centre(I):
    """The centre of mass of a rigid body's inertia."""
    return I[[2, 0, 1], [4, 5, 3]] / I[5, 5]


# PUMA

#: Where its motion starts and ends (rad): from folded to stretched, turning at the waist.
FOLDED = np.array([-1.2, -0.2, 1.1, 0.0, 0.6, 0.0])
STRETCHED = np.array([1.2, 1.0, 0.1, 0.0, -0.6, 0.0])


def reach(t, T):
    """q, qd, qdd at the time t of a motion of duration T (s) that starts and ends at rest, without jerk at the ends."""
    s = t / T
    way = STRETCHED - FOLDED
    return (FOLDED + way * (s**3 * (10 - 15 * s + 6 * s**2)), way * (30 * s**2 * (1 - s)**2 / T),
            way * (60 * s * (1 - s) * (1 - 2 * s) / T**2))


def torques(model, t, T):
    """The joint torques during `reach` in parts, (inertial, coriolis, gravity, total), each (6), N m."""
    parts = explain(model, *reach(t, T))
    return parts.inertial, parts.coriolis, parts.gravity, parts.total


def arm(model, t, T):
    """Points along the arm (8 x 3, m): base, shoulder, offset, elbow, offset, wrist, flange, hand."""
    q, _, _ = reach(t, T)
    X = body_transforms(model, q)
    own = [(2, [-0.4318, 0, 0]), (2, [-0.4318, 0, 0.15]), (2, [0, 0, 0.15]), (3, [0, 0, 0]), (4, [0, 0, 0]),
           (6, [0, 0, 0.06]), (6, [0, 0, 0.2])]
    return np.array([X_to_Er(X[1])[1] * 0, *(_at(X[i], np.array(p)) for i, p in own)])


# Articulated inertia


def felt(model, direction):
    """What the hand feels at body 1: I (2 x 2, kg) of Table 7.1, and the acceleration that 1 N causes (2, m/s²).

    I: how a force in the plane depends on the acceleration while body 1 is kept from turning. direction (rad): of the
    force of 1 N at the origin of body 1, which is free to turn.
    """
    rest = zeros(model.nv)
    I_A = articulated_bodies(model, model.neutral(), rest, rest).I_A[1][2:5, 2:5]
    f = np.array([0, cos(direction), sin(direction)])
    return I_A[1:, 1:], solve(I_A, f)[1:]


def chain_points(model, length):
    """The joints of a chain of rods and its end (m), (N_B + 1) x 2, in the neutral position."""
    X = body_transforms(model, model.neutral())
    ends = [X_to_Er(X_i)[1] for X_i in X[1:]]
    return np.array([*ends, _at(X[-1], np.array([length, 0, 0]))])[:, :2]


# Four-bar linkage

#: The rows of a hinge about z that say how far its halves are apart along x and y.
IN_PLANE = [2, 3]


def loop_accelerations(model, q, qd, T_stab):
    """The accelerations of a planar linkage that moves by its weight alone (RBDA 8.5).

    Its loop is closed by forces, and healed within about T_stab (s) if that is not None. The loop's other three rows,
    which keep the linkage in its plane, are fulfilled anyway.
    """
    H, C = inertia_and_bias(model, q, qd)
    K, k, _ = loop_constraints(model, q, qd, T_stab)                                    # (8.47), (8.22)
    K, k = K[IN_PLANE], k[IN_PLANE]
    lam = solve(K @ solve(H, K.T), k + K @ solve(H, C))                                 # (8.38) to (8.40)
    return solve(H, K.T @ lam - C)                                                      # (8.36)


def loop_step(model, q, qd, dt, T_stab):
    """The state after the time dt (s): one Runge-Kutta step."""
    return rk4(movement(model), lambda t, q, qd: loop_accelerations(model, q, qd, T_stab), 0.0, q, qd, dt)


def drifting_step(model, q, qd, dt):
    """The same without stabilisation: the loop is closed in acceleration only."""
    return loop_step(model, q, qd, dt, None)


def gap(model, q):
    """By how much (m) the loop is open."""
    _, _, delta = loop_constraints(model, q, zeros(model.nv, q))
    return sqrt(delta @ delta)


def linkage_points(model, q):
    """Ends of crank, coupler and rocker (3 x 2, m)."""
    lengths = [2 * _centre(I)[0] for I in model.inertia[1:]]
    return np.array([_at(X, np.array([length, 0, 0]))[:2]
                     for X, length in zip(body_transforms(model, q)[1:], lengths, strict=True)])


# Falling cat. Its waist bends by b (rad) in a direction, the angle w (rad) from its belly to its side.


def waist(b, w, b_rate, w_rate):
    """The angles of the waist joint and their rates: a point that goes round the straight posture at the distance b."""
    c, s = cos(w), sin(w)
    return np.array([b * c, b * s]), np.array([b_rate * c - b * s * w_rate, b_rate * s + b * c * w_rate])


def turning(model, p, b, w, b_rate, w_rate):
    """The rates of the Euler parameters p of the front half while the cat, without momentum, moves its waist."""
    v_0 = base_velocity(to_floating_base(model), *waist(b, w, b_rate, w_rate))              # I_c0 v_0 + F qd = 0
    return euler_parameter_rates(p, v_0[:3])


def turn_over(model, p, b, w, db, dw):
    """The Euler parameters of the front half after the waist has moved by db and dw: one Runge-Kutta step."""
    k1 = turning(model, p, b, w, db, dw)
    k2 = turning(model, p + k1 / 2, b + db / 2, w + dw / 2, db, dw)
    k3 = turning(model, p + k2 / 2, b + db / 2, w + dw / 2, db, dw)
    k4 = turning(model, p + k3, b + db, w + dw, db, dw)
    p = p + (k1 + 2 * k2 + 2 * k3 + k4) / 6
    return p / sqrt(p @ p)


def halves(model, p, b, w):
    """E (3 x 3) and r (3) of the front half and of the rear half, r from the cat's centre of mass."""
    q = np.concatenate([p, zeros(3), waist(b, w, 0, 0)[0]])
    C = centre_of_mass(model, q)
    (E_1, r_1), (E_2, r_2) = (X_to_Er(X) for X in body_transforms(model, q)[1:])
    return E_1, r_1 - C, E_2, r_2 - C


def angular_momenta(model, p, b, w, b_rate, w_rate):
    """The angular momenta (kg m²/s) about the centre of mass of front half and rear half, in space axes (2 x 3)."""
    bend, bend_rate = waist(b, w, b_rate, w_rate)
    v_0 = base_velocity(to_floating_base(model), bend, bend_rate)
    q, qd = np.concatenate([p, zeros(3), bend]), np.concatenate([v_0, bend_rate])
    C, X, v = centre_of_mass(model, q), body_transforms(model, q), body_velocities(model, q, qd)
    h = [X[i].T @ model.inertia[i] @ v[i] for i in (1, 2)]
    return np.array([h_i[:3] - np.cross(C, h_i[3:]) for h_i in h])                      # (2.62)


# A ball on a slope, in axes along the slope and out of it: q = [angle, x, y], v = [omega, v_x, v_y] of its centre.

RADIUS = 0.1


def planar_inertia(model):
    """The planar inertia of the only body, at its centre."""
    return model.inertia[1][2:5, 2:5]


def weight(model):
    """The weight as a planar force at the centre."""
    return planar_inertia(model) @ np.array([0, *model.gravity[:2]])


def flight(model, q, v, dt):
    """The state after dt (s) in the air."""
    a = solve(planar_inertia(model), weight(model))
    return q + dt * v + dt**2 / 2 * a, v + dt * a


def time_to_land(model, q, v):
    """How long (s) until the ball touches the slope."""
    fall = -model.gravity[1]
    return (v[2] + sqrt(v[2]**2 + 2 * fall * (q[2] - RADIUS))) / fall


def frame():
    """N = [n_x n_y] (3 x 2): unit forces along and out of the slope at the point of contact (Eq. 11.68)."""
    return contact_frame([0, -RADIUS], [0, 1])


def sticking_impact(model, v, e):
    """Velocities after an impact in which friction ends the sliding, and its impulses (2): RBDA Eq. 11.72."""
    N, I, E = frame(), planar_inertia(model), np.array([[0, 0], [0, e]])
    lam = -solve(N.T @ solve(I, N), (np.eye(2) + E) @ N.T @ v)                          # (11.72)
    return v + solve(I, N @ lam), lam


def sliding_impact(model, v, e, mu, sign):
    """The same where friction is too weak for that: its impulse is mu times the normal one (Eqs 11.61, 11.65).

    sign: of the sliding velocity, +1 or -1.
    """
    N = frame()
    n = N[:, 1] - mu * sign * N[:, 0]
    dv = solve(planar_inertia(model), n)
    lam = -(1 + e) * (N[:, 1] @ v) / (N[:, 1] @ dv)                                     # (11.65)
    return v + dv * lam, np.array([-mu * sign * lam, lam])                              # (11.61)


def rolling(model):
    """The acceleration of a ball that rolls, and the forces (2) along and out of the slope that make it roll."""
    N, I, f = frame(), planar_inertia(model), weight(model)
    lam = solve(N.T @ solve(I, N), -N.T @ solve(I, f))                                  # Nᵀ a = 0
    return solve(I, f + N @ lam), lam


def sliding(model, mu, sign):
    """The same for a ball that slides on the slope: friction is mu times the normal force."""
    N, I, f = frame(), planar_inertia(model), weight(model)
    dv = solve(I, N[:, 1] - mu * sign * N[:, 0])
    lam = -(N[:, 1] @ solve(I, f)) / (N[:, 1] @ dv)
    return solve(I, f) + dv * lam, np.array([-mu * sign * lam, lam])


def slip(model, v):
    """The velocity (m/s) of the ball's lowest point along the slope."""
    return frame()[:, 0] @ v


def ball_energy(model, q, v):
    """Energy (J) in the motion of the centre, in spinning, and in height."""
    I = planar_inertia(model)
    return np.array([I[1, 1] * (v[1]**2 + v[2]**2) / 2, I[0, 0] * v[0]**2 / 2, -weight(model)[1:] @ q[1:]])


# Tennis racket


def spin(model, q, qd):
    """The matrix E (3 x 3) from space to body axes, the angular momentum in space axes (3) and the energy (J)."""
    E, _ = X_to_Er(body_transforms(model, q)[1])
    return E, E.T @ (model.inertia[1][:3, :3] @ qd), kinetic_energy(model, q, qd)


# The pattern of H. A tree of n rods: rod k starts where its parent ends, and is hinged there.


def tree_inertia(model, e, starts, ends):
    """H (n x n) of rods of 1 kg/m in the plane, hinged to one another, from their kinetic energy (RBDA Eq. 6.8).

    e (n x n): e[k, i] is 1 if joint i supports body k, 0 if not (RBDA Eq. 4.5).  starts, ends (n x 2): where the rods
    are (m). A joint supports only bodies whose number is not less than its own.
    """
    n = len(e)
    S = [turning_about(start) for start in starts]
    H = zeros((n, n), e, starts, ends)
    for k in range(n):
        I = rod(starts[k], ends[k])
        for i in range(k + 1):
            for j in range(i + 1):
                H[i, j] = H[i, j] + e[k, i] * e[k, j] * (S[i] @ (I @ S[j]))             # (6.8)
                H[j, i] = H[i, j]
    return H


def turning_about(p):
    """The spatial velocity, in base coordinates, of a body that turns at 1 rad/s about the z line through p."""
    return np.array([0, 0, 1, p[1], -p[0], 0])


def rod(start, end):
    """The inertia, in base coordinates, of a thin rod of 1 kg/m between two points of the plane."""
    along = end - start
    m = sqrt(along @ along)
    x, y = along
    I_C = m / 12 * np.array([[y * y, -x * y, 0], [-x * y, x * x, 0], [0, 0, x * x + y * y]])
    return mcI(m, np.array([*(start + end) / 2, 0]), I_C)


def factors(model, H):
    """The factors of H = LᵀL (RBDA Table 6.3) and of H = L Lᵀ (Cholesky), both worked out as if H had no zeros."""
    return ltl(H), ltl(H[::-1, ::-1]).T[::-1, ::-1]

