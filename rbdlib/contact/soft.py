"""Soft contact: surfaces made of springs and dampers without mass, with Coulomb friction (RBDA 11.8).

A patch S of a surface, at z along the outward normal, meets a body B whose nearest point is at p. They touch if p = z,
and are apart if p > z. S has no mass, so the forces on it balance at every instant:

    K z + D zdot + f_c = 0

The force f_c of S on B follows from position and velocity alone. No impulses are needed and no complementarity problem
is solved: any method of forward dynamics takes contact forces as forces known beforehand.
"""

import math
import sys
from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rbdlib.book.ch02_spatial import line_force, skew
from rbdlib.book.ch08_closed_loops import inverse_of
from rbdlib.contact.collisions import friction_coefficient
from rbdlib.contact.geometry import body_motions
from rbdlib.contact.shapes import store
from rbdlib.numbers.pivots import across, larger
from rbdlib.numbers.scalars import number, sqrt, vector, zeros
from rbdlib.numbers.validation import one_of, unit_direction

#: The springs and dampers of a `SoftContact` by name.
MODELS = ("linear", "hunt_crossley", "viscoelastic")


def normal_force(p, pdot, z, K, D):
    """f_c (N): what a surface at z with stiffness K (N/m) and damping D (N s/m) does to a body at p (RBDA Eq. 11.74).

    Where rounding leaves p a little below z, that is contact too, and z counts as p.
    """
    p, pdot, z, K, D = _numbers(p=p, pdot=pdot, z=z, K=K, D=D)
    if p > z:
        return 0 * p
    f = -K * p - D * pdot
    return larger(f, 0 * f)                                                             # (11.74)


def patch_velocity(z, f_c, K, D):
    """zdot (m/s): how fast a patch at z moves under the force f_c that it exerts (RBDA Eqs 11.73, 11.77).

    For the tangential motion z and f_c are x and f_t, numbers or vectors.
    """
    K, D = _numbers(K=K, D=D)
    if D == 0:
        raise ValueError("D is 0: a patch without mass and damping has no definite velocity. Give a positive D.")
    return -(K * _number_or_vector(z, "z") + _number_or_vector(f_c, "f_c")) / D         # (11.73)


def sticking_force(x, v, K_t, D_t):
    """f_stick (N): the tangential force that lets a patch displaced by x follow the velocity v (RBDA Eq. 11.78).

    x (m) and v (m/s) are numbers, or vectors of 2 or 3 coordinates in the tangent plane.
    """
    K_t, D_t = _numbers(K_t=K_t, D_t=D_t)
    return -K_t * _number_or_vector(x, "x") - D_t * _number_or_vector(v, "v")           # (11.78)


def friction_force(f_stick, f_n, mu):
    """f_t (N): the force nearest to f_stick among those that friction can supply, |f_t| <= mu f_n (RBDA Eq. 11.79)."""
    f_stick, (f_n, mu) = _number_or_vector(f_stick, "f_stick"), _numbers(f_n=f_n, mu=mu)
    if f_n < 0 or mu < 0:
        raise ValueError(f"f_n is {f_n} and mu is {mu}; neither may be negative. Where nothing pushes f_n is 0.")
    limit = mu * f_n
    if np.ndim(f_stick) == 0:
        return -limit if f_stick < -limit else limit if f_stick > limit else f_stick    # (11.79)
    return _shortened(f_stick, limit)


def soft_contact(p, pdot, v, z, x, K_n, D_n, K_t, D_t, mu):
    """Forces of a soft surface with friction, and how its patch moves: f_n, f_t, zdot, xdot (RBDA Eqs 11.75 to 11.79).

    p, pdot: position (m) and velocity of the body along the normal.  v: tangential velocity of its point that touches
    now.  z, x: displacements of the patch, its state.  v and x are numbers, or vectors of 2 or 3 coordinates in the
    tangent plane.  K_n, D_n, K_t, D_t: stiffness and damping.  mu: coefficient of friction. The forces are those on the
    body. Raises ValueError where damping is not positive.
    """
    if np.shape(v) != np.shape(x):
        raise ValueError(f"v and x have the shapes {np.shape(v)} and {np.shape(x)}; give two numbers or vectors alike.")
    p, z = number(p, "p"), number(z, "z")
    f_n = normal_force(p, pdot, z, K_n, D_n)                                            # (11.75)
    if p <= z:
        z = p
    zdot = patch_velocity(z, f_n, K_n, D_n)                                             # (11.76)
    f_stick = sticking_force(x, v, K_t, D_t)                                            # (11.78)
    f_t = friction_force(f_stick, f_n, mu)                                              # (11.79)
    xdot = patch_velocity(x, f_t, K_t, D_t)                                             # (11.77)
    return f_n, f_t, zdot, xdot


def in_series(K_1, D_1, K_2, D_2):
    """K, D of one surface that does what two in contact do, for K_1 / D_1 = K_2 / D_2 (RBDA 11.8).

    Raises ValueError for other ratios: then both need a state, as `SoftContact` gives them for K_n=(K_1, K_2).
    """
    K_1, D_1, K_2, D_2 = _numbers(K_1=K_1, D_1=D_1, K_2=K_2, D_2=D_2)
    if min(K_1, D_1, K_2, D_2) <= 0:
        raise ValueError("Stiffness and damping of both surfaces must be positive.")
    if abs(K_1 * D_2 - K_2 * D_1) > 1e-9 * abs(K_1 * D_2):
        raise ValueError(f"K/D is {K_1 / D_1} for one surface and {K_2 / D_2} for the other; only equal ratios can be "
                         "lumped together. Give SoftContact both: K_n=(K_1, K_2), D_n=(D_1, D_2).")
    return K_1 * K_2 / (K_1 + K_2), D_1 * D_2 / (D_1 + D_2)


def soft_restitution(m, K, D):
    """The ratio of the speeds after and before a mass m (kg) hits a linear soft surface, no other force acting.

    The surface lets go when the force, and not when the depth, is zero: the ratio is that of the velocities of a damped
    oscillation at its start and when its acceleration vanishes.
    """
    m, K, D = map(float, _numbers(m=m, K=K, D=D))
    if m <= 0 or K <= 0 or D < 0:
        raise ValueError(f"m, K, D are {m}, {K}, {D}; m and K must be positive, D must not be negative.")
    damping = D / (2 * math.sqrt(K * m))
    off = math.sqrt(abs(1 - damping**2))
    angle = math.acos(damping) if damping < 1 else math.log(damping + off)
    return math.exp(-2 * (damping * angle / off if off >= 1e-8 else 1))


def friction_cone(C, n_hat, mu, height=1.0, sides=32):
    """Points (sides x 3) on the rim of the friction cone with its apex at C, for drawing (RBDA 11.8).

    The cone, of the given height (m) along the normal n_hat, holds all contact forces with |f_t| <= mu f_n.
    """
    C, n = vector(C, 3, "C"), unit_direction(n_hat, "n_hat").astype(float)
    mu, height = friction_coefficient(mu), number(height, "height")
    t, s = across(n)
    angles = 2 * np.pi * np.arange(sides)[:, None] / sides
    return C + height * (n + mu * (np.cos(angles) * t + np.sin(angles) * s))


def _numbers(**named):
    return tuple(number(x, name) for name, x in named.items())


def _number_or_vector(x, name):
    return number(x, name) if np.ndim(x) == 0 else vector(x, np.size(x), name)


def _shortened(f, limit):
    """The vector nearest to f that is no longer than limit."""
    size = sqrt(f @ f)
    try:
        return limit / size * f if size > limit else f
    except TypeError:                                       # recorded: nobody knows yet which is the larger
        return limit / (larger(size, limit) + sys.float_info.min) * f


@dataclass(frozen=True, eq=False)
class SoftContact:
    """A soft surface between two bodies (RBDA 11.8).

    pair: says where they may touch: an `rbdlib.contact.geometry.Pair`, or any object whose contacts(model, q, qd, t)
    returns `Contact`s, always as many and in the same order. Each of them has its own patch. A restitution of the pair
    is not used, because it follows from the damping here.

    K_n, D_n: stiffness (N/m) and damping (N s/m) along the normal; two of each, (K_1, K_2) and (D_1, D_2), where both
    bodies are soft.  K_t, D_t: those of the tangential motion of a patch, which friction with mu > 0 needs.  mu:
    coefficient of friction; left out, it is that of the pair, or 0.
    model: "linear" (11.74); "hunt_crossley": K_n |z|^exponent and D_n |z|^exponent zdot in place of K_n z and D_n zdot,
    with K_n in N/m^exponent, exponent >= 1, so that the force sets in without a jump and ends without a pull;
    "viscoelastic": the linear spring and damper in series with a spring of stiffness K_series.  name: for messages.
    """

    pair: Any
    K_n: Any
    D_n: Any
    K_t: float = 0.0
    D_t: float = 0.0
    mu: float | None = None
    model: str = "linear"
    exponent: float = 1.5
    K_series: float | None = None
    name: str = ""
    K: np.ndarray = field(init=False, repr=False)
    D: np.ndarray = field(init=False, repr=False)

    def __post_init__(self):
        if not callable(getattr(self.pair, "contacts", None)):
            raise TypeError(f"pair is {self.pair!r}; give a Pair, or an object with contacts(model, q, qd, t).")
        if self.mu is None:
            store(self, mu=getattr(self.pair, "friction", None) or 0.0)
        one_of(MODELS, self.model, "model")
        K, D = (np.atleast_1d(_number_or_vector(x, name)) for x, name in ((self.K_n, "K_n"), (self.D_n, "D_n")))
        if not (len(K) == len(D) <= 2 and len(K) > 0):
            raise ValueError(f"K_n has {len(K)} and D_n has {len(D)} numbers; give one of each, or two of each where "
                             "both bodies are soft.")
        if len(K) == 2 and self.model != "linear":
            raise ValueError(f"model is {self.model!r}; two soft surfaces are for model='linear' only.")
        store(self, K=K, D=D)
        if number(self.exponent, "exponent") < 1:
            raise ValueError(f"exponent is {self.exponent}; give 1 or more, such as 1.5 for two balls.")
        if (self.model == "viscoelastic") != (self.K_series is not None):
            raise ValueError(f"model is {self.model!r} and K_series is {self.K_series!r}; give the stiffness of the "
                             "spring in series with model='viscoelastic', and with it only.")
        for name, value, positive in (
                ("K_n", min(self.K), True), ("D_n", min(self.D), not self.follows), ("mu", self.mu, False),
                ("K_series", 1 if self.K_series is None else self.K_series, True),
                ("K_t", self.K_t, self.mu), ("D_t", self.D_t, self.mu)):
            value = number(value, name)
            if value < 0 or (positive and value == 0):
                sign = "be positive" if positive else "not be negative"
                raise ValueError(f"{name} is {value}; it must {sign}{' where mu > 0' if name[1:] == '_t' else ''}.")

    follows = property(lambda self: len(self.K) == 1 and self.model != "viscoelastic",
                       doc="True if the state of a patch in contact is known from p alone: z = p.")

    # s + d zdot + f = 0 is the balance of forces on a patch, whatever the springs and dampers are

    def elements(self, z):
        """The spring force s and the damping d of every surface of this contact, its patch at z."""
        if self.model != "hunt_crossley":
            return self.K * z, self.D
        stiffening = np.array([abs(each) ** (self.exponent - 1) for each in z])
        return self.K * stiffening * z, self.D * stiffening * abs(z)

    def normal(self, p, pdot, z, touching):
        """The force along the normal and zdot. In contact the force is what keeps the contact, even if negative."""
        if self.model == "viscoelastic":
            f = self.K_series * (z[0] - p) if touching else 0 * p
            return f, -(self.K * z + f) / self.D
        if touching and self.follows:
            s, d = self.elements(p + 0 * z)
            return (-s - d * pdot)[0], pdot + 0 * z                             # (11.74), where zdot = pdot
        s, d = self.elements(z)
        if not touching:
            return 0 * p, np.array([-each / damping if damping else 0 * each
                                    for each, damping in zip(s, d, strict=True)])           # (11.73)
        f = -(sum(s / d) + pdot) / sum(1 / d)                                   # sum(zdot) = pdot
        return f, -(s + f) / d

    def relaxed(self, z, x, elapsed):
        """z and x of a patch the time elapsed (s) after the contact was lost at z and x: no integration is needed."""
        if self.model == "hunt_crossley":
            z = np.minimum(0, z + self.K / self.D * elapsed) if self.D[0] else 0 * z
        else:
            z = np.array([each * math.exp(-K / D * elapsed) if D else 0.0
                          for each, K, D in zip(z, self.K, self.D, strict=True)])
        return z, x * math.exp(-self.K_t / self.D_t * elapsed) if self.D_t else x

    def pressed(self, p):
        """z of the patch that is pressed in to p <= 0 and at rest there."""
        if self.model == "viscoelastic":
            return p * self.K_series / (self.K + self.K_series)
        z, stiffer = p / self.K / sum(1 / self.K), int(np.argmax(self.K))
        z[stiffer] = p - sum(np.delete(z, stiffer))                             # the sum is p, without rounding
        return z

    def energy(self, z, x, f_n):
        """The energy (J) in the springs of a patch."""
        power = self.exponent + 1 if self.model == "hunt_crossley" else 2
        series = f_n * f_n / self.K_series / 2 if self.K_series else 0
        return sum(self.K * (z * z) ** (power / 2)) / power + series + self.K_t * (x @ x) / 2


class Patches(namedtuple("Patches", "z x")):
    """The state of all patches: z (n x 2), displacements along the normal; x (n x 3), tangential ones.

    x is in coordinates of the predecessor, with which the patch turns. Of one soft surface alone z[:, 1] is 0.
    """


class SoftPoint(namedtuple("SoftPoint", "contact p pdot v z x touching f_n f_t slip zdot xdot stored")):
    """One patch and the body that meets it. Vectors are in base coordinates.

    contact: the `Contact`.  p, pdot: position (m) and velocity (m/s) of the successor along the normal.  v (3): its
    tangential velocity.  z, x (3): displacements of the patch.  touching.  f_n, f_t (3): forces on the successor (N).
    slip (3): velocity of the successor over the patch.  zdot, xdot: rates of the state.  stored: energy (J) in springs.
    """


def patches_at_rest(model, q, contacts, t=0.0):
    """The `Patches` of contacts that nothing has touched, or that have been pressed in for long where they overlap."""
    qd, z = np.zeros(model.nv), []
    for soft, contact in _potential(model, q, qd, contacts, t):
        p = contact.phi if contact.inside and contact.phi < 0 else 0.0
        z.append([*soft.pressed(p), 0 * p][:2])
    return Patches(np.array(z).reshape(-1, 2), zeros((len(z), 3), q))


def soft_points(model, q, qd, patches, contacts, t=0.0, touching=None, pulling=False):
    """State of contact at every patch: a list of `SoftPoint` (RBDA 11.8).

    patches: `Patches`, as from `patches_at_rest`, one row for each `Contact` of each of the `SoftContact`s, in their
    order. touching: whether each is in contact; found from p <= z if left out. pulling=True leaves the forces that it
    would take to keep up a contact negative, for those who look for the moment when it ends.
    """
    X, v = body_motions(model, q, qd, t)
    v = [inverse_of(X[i]) @ v[i] for i in range(model.N_B + 1)]                      # in base coordinates
    potential = list(_potential(model, q, qd, contacts, t))
    z, x = (np.asarray(part) for part in patches)
    if z.shape != (len(potential), 2) or x.shape != (len(potential), 3):
        raise ValueError(f"patches has the shapes {z.shape} and {x.shape}; these contacts have {len(potential)} points "
                         f"and need ({len(potential)}, 2) and ({len(potential)}, 3). Make them with patches_at_rest.")
    if touching is None:
        touching = [contact.inside and contact.phi <= sum(own) for (_, contact), own in zip(potential, z, strict=True)]
    return [_soft_point(soft, contact, X[contact.predecessor][:3, :3], v, *state, pulling)
            for (soft, contact), *state in zip(potential, z, x, touching, strict=True)]


def _potential(model, q, qd, contacts, t):
    for soft in contacts:
        if not isinstance(soft, SoftContact):
            raise TypeError(f"contacts holds {soft!r}; give a list of SoftContact.")
        for contact in soft.pair.contacts(model, q, qd, t):
            if soft.mu and contact.point is None:
                raise ValueError(f"Contact {contact.name or soft.name!r} has no point, but friction (mu = {soft.mu}) "
                                 "needs one to act at. Give Contact a point.")
            yield soft, contact


def _soft_point(soft, contact, E, v, z, x, touching, pulling):
    """A `SoftPoint`; E takes base coordinates to those of the predecessor, v holds the velocities of the bodies."""
    v_S, v_B, n = v[contact.predecessor], v[contact.successor], contact.n[3:]
    p, pdot, z = contact.phi, contact.n @ (v_B - v_S), z[: len(soft.K)]
    f_n, zdot = soft.normal(p, pdot, z, touching)
    if not pulling:
        f_n = larger(f_n, 0 * f_n)
    x, (v_t, f_t, turning) = E.T @ x, zeros((3, 3), n)
    if touching and contact.point is not None:
        v_C = (v_B - v_S)[3:] + skew((v_B - v_S)[:3]) @ contact.point
        x, v_t = x - n * (n @ x), v_C - n * (n @ v_C)
        f_t = _shortened(sticking_force(x, v_t, soft.K_t, soft.D_t), soft.mu * larger(f_n, 0 * f_n))       # (11.79)
        turning = -n * ((contact.ndot[3:] - skew(v_S[:3]) @ n) @ x)              # keeps x in the tangent plane
    xdot = patch_velocity(x, f_t, soft.K_t, soft.D_t) if soft.D_t else 0 * x            # (11.77)
    stored = soft.energy(p + 0 * z if touching and soft.follows else z, x, f_n)
    return SoftPoint(contact, p, pdot, v_t, p if touching else sum(z), x, bool(touching), f_n, f_t,
                     v_t - xdot if touching else 0 * n, zdot, E @ (xdot + turning), stored)


def soft_forces(model, q, qd, patches, contacts, t=0.0, touching=None):
    """The forces f_ext (N_B+1 x 6, base coordinates) of soft contacts, and the rates of their `Patches` (RBDA 11.8).

    Arguments: as for `soft_points`. f_ext goes to any method of forward dynamics as it is.
    """
    points = soft_points(model, q, qd, patches, contacts, t, touching)
    return forces_at(model, points), rates_at(points)


def forces_at(model, points):
    """f_ext (N_B+1 x 6) of the `SoftPoint`s: n f_n and f_t on the successor, the opposite on the predecessor."""
    f_ext = zeros((model.N_B + 1, 6), *(point.f_n for point in points))
    for contact, f_n, f_t in ((point.contact, point.f_n, point.f_t) for point in points if point.touching):
        force = contact.n * f_n + (0 if contact.point is None else line_force(f_t, contact.point))
        f_ext[contact.successor] = f_ext[contact.successor] + force
        f_ext[contact.predecessor] = f_ext[contact.predecessor] - force
    return f_ext


def rates_at(points):
    """The rates of the `Patches` of the `SoftPoint`s."""
    z = zeros((len(points), 2), *(point.zdot for point in points))
    x = zeros((len(points), 3), *(point.xdot for point in points))
    for i, point in enumerate(points):
        z[i, : len(point.zdot)], x[i] = point.zdot, point.xdot
    return Patches(z, x)
