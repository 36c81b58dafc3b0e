"""Joints with character: damping, dry friction, springs, end stops, and the inertia of rotors (armature).

A `Model` holds them (its argument characters, {body: Character}); `rbdlib.motion.simulate` respects them. The
algorithms of the book ignore them, so that here are the forces and energies to add, and the sums of both.
q, qd, qdd, tau, f_ext, t: as for `rnea` and `aba`.
"""

from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from rbdlib.book.ch04_model import ModelError, per_joint
from rbdlib.book.ch05_inverse_dynamics import rnea
from rbdlib.book.ch07_articulated_body import aba
from rbdlib.methods.rotors import aba_with_rotors, at_joints
from rbdlib.numbers.scalars import as_floats, number, sqrt

#: The fields of a Character that may have any sign.
ANY_SIGN = ("rest", "lower", "upper")


@dataclass(frozen=True)
class Character:
    """Character of a joint of one freedom, in N, m, s where it slides and N m, rad, s where it turns.

    At the position q and the velocity qd the joint is driven by the force, or the moment,

        - damping qd - friction qd / sqrt(qd² + friction_speed²) - stiffness (q - rest) + push of the end stops.

    damping (N s/m).  friction (N): dry friction, the same at every speed but near rest, where it is made smooth: 71 %
    of it act at friction_speed (m/s), so that a joint under load does not stick but creeps.  stiffness (N/m) of a
    spring that is at rest at the position rest (m).  lower, upper (m): where the end stops are, or None. Pressed in by
    x (m), one pushes back with x (stop_stiffness + stop_damping xdot), and never pulls; without stop_stiffness (N/m) or
    stop_damping (N s/m²) it is a mark that nothing enforces.  armature (kg): inertia of the rotor as felt at the joint,
    see `rbdlib.methods.rotors.scaled_rotor_inertia`. All are numbers or symbols.

    Raises ModelError (a ValueError) naming the field, its value and the remedy.
    """

    damping: Any = 0.0
    friction: Any = 0.0
    friction_speed: Any = 0.01
    stiffness: Any = 0.0
    rest: Any = 0.0
    lower: Any = None
    upper: Any = None
    stop_stiffness: Any = 0.0
    stop_damping: Any = 0.0
    armature: Any = 0.0

    def __post_init__(self):
        for name in NAMES:
            if not (getattr(self, name) is None and name in ("lower", "upper")):
                try:
                    x = number(getattr(self, name), name)
                except (ValueError, TypeError) as error:
                    raise ModelError(str(error)) from None
                size, positive = as_floats(x), name == "friction_speed"
                if size is not None and name not in ANY_SIGN and (size < 0 or (size == 0 and positive)):
                    least = "a positive number" if positive else "zero or a positive number"
                    raise ModelError(f"{name} is {getattr(self, name)}; give {least}.")
                object.__setattr__(self, name, x)
        lower, upper = (None if x is None else as_floats(x) for x in (self.lower, self.upper))
        if lower is not None and upper is not None and lower > upper:
            raise ModelError(f"lower is {self.lower}, above upper, {self.upper}. Exchange them.")

    def force(self, q, qd):
        """The force, or moment, that drives the joint at the position q with the velocity qd."""
        force = -self.damping * qd - self.stiffness * (q - self.rest)
        if self.friction != 0:
            force = force - self.friction * qd / sqrt(qd * qd + self.friction_speed * self.friction_speed)
        for side, x in self._pressed(q):
            force = force - side * x * positive_part(self.stop_stiffness + self.stop_damping * (side * qd))
        return force

    def energy(self, q):
        """The energy (J) in the spring and the end stops at the position q."""
        energy = self.stiffness * (q - self.rest) * (q - self.rest) / 2
        return energy + sum(self.stop_stiffness * x * x / 2 for _, x in self._pressed(q))

    @property
    def stops(self):
        """The end stops that push back: a list of pairs, 1 for the upper or -1 for the lower one, and where it is."""
        soft = self.stop_stiffness != 0 or self.stop_damping != 0
        return [(side, end) for side, end in ((-1, self.lower), (1, self.upper)) if soft and end is not None]

    def _pressed(self, q):
        """Each end stop that pushes: 1 for the upper, -1 for the lower one, and by how much it is pressed in."""
        return [(side, positive_part(side * (q - end))) for side, end in self.stops]


#: The fields of a Character by name.
NAMES = tuple(field.name for field in fields(Character))


def positive_part(x):
    """x where it is positive, else 0, of a scalar of any kind: (x + |x|) / 2."""
    return (x + sqrt(x * x)) / 2


def joint_forces(model, q, qd):
    """The generalised forces (nv) with which dampers, friction, springs and end stops drive the joints of a model."""
    q, qd = per_joint(model, q=q, qd=qd)
    return at_joints(model, {i: c.force(q[i][0], qd[i][0]) for i, c in of_joints(model)}, *q[1:], *qd[1:])


def of_joints(model):
    """The joints that have a `Character`: a list of pairs, body number and character."""
    return [(i, character) for i, character in enumerate(model.characters) if character is not None]


def armatures(model):
    """The inertias of rotors that are not 0, a dict {body: armature}, as the functions of `methods.rotors` ask."""
    return {i: character.armature for i, character in of_joints(model) if character.armature != 0}


def character_energies(model, q, qd):
    """The energy (J) of rotors, ½ armature qd², and that in springs and end stops: two scalars."""
    q, qd = per_joint(model, q=q, qd=qd)
    return (sum(c.armature * qd[i][0] * qd[i][0] / 2 for i, c in of_joints(model)),
            sum(c.energy(q[i][0]) for i, c in of_joints(model)))


def rnea_with_characters(model, q, qd, qdd, f_ext=None, t=0.0):
    """The forces tau (nv) that motors must add to the joints' own for the motion qdd: `rnea`, with armatures."""
    (acceleration,) = per_joint(model, qdd=qdd)
    rotors = at_joints(model, {i: I * acceleration[i][0] for i, I in armatures(model).items()}, *acceleration[1:])
    return rnea(model, q, qd, qdd, f_ext, t) + rotors - joint_forces(model, q, qd)


def aba_with_characters(model, q, qd, tau, f_ext=None, t=0.0):
    """The accelerations qdd (nv) that tau and the joints' own forces cause: `aba`, with armatures (RBDA Eq. 9.28)."""
    return driven(model, q, qd, tau, f_ext, t, with_armatures(model, aba))


def driven(model, q, qd, tau, f_ext=None, t=0.0, dynamics=aba):
    """Result of a function dynamics(model, q, qd, tau, f_ext=, t=) where the joints' own forces add to tau."""
    return dynamics(model, q, qd, tau + joint_forces(model, q, qd), f_ext=f_ext, t=t)


def with_armatures(model, dynamics=aba):
    """A function dynamics for trees; where joints of the model have armatures, `aba_with_rotors` in its place."""
    I_rot = armatures(model)
    return partial(aba_with_rotors, I_rot=I_rot) if I_rot else dynamics
