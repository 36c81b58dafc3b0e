"""Where the parts of a model are, ready to be drawn: joints, ends of links, centres of mass, ellipsoids of inertia."""

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er
from rbdlib.book.ch04_joints import RackAndPinion, Reversed, jcalc
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.draw.style import numbers
from rbdlib.loops.tolerances import kept_for_model
from rbdlib.methods.inertia_parameters import mass_properties
from rbdlib.numbers.pivots import principal_axes
from rbdlib.numbers.scalars import as_floats, vector

#: The rotations from base coordinates to those of a picture.
PLANES = {"xy": np.eye(3), "xz": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]), "yz": np.eye(3)[[1, 2, 0]]}


class Posture:
    """A model at the position q, in the coordinates of a picture.

    plane: "xy", "xz" or "yz": the picture's first two coordinates are these coordinates of the base. Indexed by body
    number: E, r (the rows of E are the body's axes, r is its origin), places (r of the frame F_p of joint i, on the
    parent), ends (where the sticks of the body lead).
    """

    def __init__(self, model, q, plane="xy", t=0.0, tips=None):
        if plane not in PLANES:
            raise ValueError(f"plane is {plane!r}; choose 'xy', 'xz' or 'yz', the coordinates to be drawn across and "
                             "up.")
        self.model, self.view = model, (view := PLANES[plane])
        self.q = model.neutral() if q is None else vector(q, model.nq, "q")
        X = body_transforms(model, self.q, t)
        if any(as_floats(x) is None for x in (*X, *model.inertia[1:])):
            raise ValueError("The model or q contains symbols, and a picture needs numbers. Substitute values first, "
                             "or load the model without symbolic=True.")
        placed = [X_to_Er(np.asarray(x, float)) for x in X]
        self.E, self.r = [E @ view.T for E, _ in placed], [view @ r for _, r in placed]
        self.places = [None, *(self.at(model.parent[i], joint_places(model)[i]) for i in model.bodies)]
        self.ends = [[self.at(i, P) for P in ends] for i, ends in enumerate(link_ends(model, tips))]
        self.t = t

    def at(self, i, P):
        """The picture's coordinates of the point P (m) of body i."""
        return self.r[i] + P @ self.E[i]

    def mass(self, i):
        """Mass (kg), centre of mass and half-axes (rows, m) of the ellipsoid of inertia of body i; None if massless."""
        m, c, half_axes = masses(self.model)[i] or (0.0, None, None)
        return (m, self.at(i, c), half_axes @ self.E[i]) if m else None

    def pinion(self, i):
        """Radius (m) of the pinion that joint i is, 0 if it is none."""
        joint = bare(self.model.joints[i])
        return float(joint.radius) if isinstance(joint, RackAndPinion) else 0.0

    def guide(self, i):
        """The rows are the axes of the frame F_p of joint i."""
        return np.asarray(X_to_Er(self.model.X_tree[i])[0], float) @ self.E[self.model.parent[i]]

    def axes(self, i):
        """The axes of joint i, one per freedom, as (a point on it, a unit vector along it)."""
        q, qd = self.q[self.model.q_slice(i)], np.zeros(self.model.joints[i].nv)
        for s in np.asarray(jcalc(self.model.joints[i], q, qd, self.t)[1], float).T:
            omega, v = s[:3], s[3:]
            if omega.any():
                point = np.cross(omega, v) / (omega @ omega)
                yield self.at(i, point), omega / np.linalg.norm(omega) @ self.E[i]
            elif v.any():
                yield self.r[i], v / np.linalg.norm(v) @ self.E[i]

    def points(self, inertias=False):
        """Points that a picture of the model must contain, shape (n, 3); with inertias, those of the ellipsoids too."""
        bodies = self.model.bodies
        masses = [found for found in map(self.mass, bodies) if found]
        reached = [c + sign * np.linalg.norm(half, axis=0) for _, c, half in masses for sign in (1, -1) if inertias]
        rims = [self.r[i] + sign * self.pinion(i) * axis for i in bodies for sign in (1, -1) for axis in np.eye(3)[:2]
                if self.pinion(i)]
        return np.array([*self.r, *self.places[1:], *rims, *(P for i in bodies for P in self.ends[i]),
                         *(c for _, c, _ in masses), *reached])


def bare(joint):
    """The joint itself if it is reversed."""
    return joint.joint if isinstance(joint, Reversed) else joint


def place(X):
    """The origin (m) of the frame to which X leads, in the coordinates from which it leads."""
    return np.asarray(X_to_Er(X)[1], float)


# Of the model alone, whatever its position: found once for all the frames of a film


@kept_for_model
def masses(model):
    """The mass of each body as `Posture.mass` gives it, in the body's own coordinates; None for the base."""
    def mass(I):
        m, c, I_C = (np.asarray(x, float) for x in mass_properties(I))
        return m, c, ellipsoid_of_inertia(m, I_C)

    return [None, *(mass(I) if I[5, 5] else None for I in model.inertia[1:])]


@kept_for_model
def joint_places(model):
    """The origin (m) of the frame F_p of each joint, in the coordinates of its parent; None for the base."""
    return [None, *(place(model.X_tree[i]) for i in model.bodies)]


def link_ends(model, tips=None):
    """The points (m), in the coordinates of each body, to which its sticks lead from its origin.

    These are the places of its children's joints and of loop joints, and ``tips``, {body: point or points}; a body
    without any has the far end of its mass.
    """
    ends = [[] for _ in range(model.N_B + 1)]
    for i in model.bodies:
        ends[model.parent[i]].append(joint_places(model)[i])
    for loop in model.loops:
        ends[loop.predecessor].append(place(loop.X_P))
        ends[loop.successor].append(place(loop.X_S))
    for i, given in (tips or {}).items():
        if i not in model.bodies:
            raise ValueError(f"tips names body {i!r}; this model has the bodies 1 to {model.N_B}.")
        ends[i] += [numbers(P, 3, f"tips[{i}]") for P in np.reshape(given, (-1, np.shape(given)[-1]))]
    for i in model.bodies:
        if not ends[i]:
            ends[i].append(far_end(model.inertia[i]))
    return ends


def far_end(I):
    """The far end (m) of the thin rod, as seen from the origin, that has the mass, centre and lengthwise moment of I.

    It is at most twice as far from the origin as the centre of mass.
    """
    m, c, I_C = (np.asarray(x, float) for x in mass_properties(I))
    distance = np.linalg.norm(c)
    if distance < 1e-9:
        return np.zeros(3)
    d = c / distance
    spread = np.sqrt(max(3 * (np.trace(I_C) / 2 - d @ I_C @ d) / m, 0))
    return (distance + min(spread, distance)) * d


def ellipsoid_of_inertia(m, I_C):
    """Half-axes (rows, m) of the uniform solid ellipsoid that has the mass m and the rotational inertia I_C."""
    moments, directions = principal_axes(I_C)
    squares = 5 / (2 * m) * (moments.sum() - 2 * moments)
    return np.sqrt(np.maximum(squares, 0))[:, None] * directions.T


@kept_for_model
def reach(model):
    """How far the model reaches from the base with its sliders closed (m): the scale of a picture's symbols."""
    ends, far = link_ends(model), [0.0] * (model.N_B + 1)
    for i in model.bodies:
        far[i] = far[model.parent[i]] + np.linalg.norm(joint_places(model)[i])
    return max((far[i] + np.linalg.norm(P) for i in model.bodies for P in ends[i]), default=0.0) or 1.0
