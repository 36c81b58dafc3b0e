"""Joints with character: damping, dry friction, springs, end stops, and the inertia of rotors (armature).

A `Model` holds them (its argument characters, {body: Character}); `rbdlib.motion.simulate` respects them. The
algorithms of the book ignore them, so that here are the forces and energies to add, and the sums of both.
q, qd, qdd, tau, f_ext, t: as for `rnea` and `aba`.
"""

from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

from rbdlib.book.ch04_model import ModelError, per_joint
from rbdlib.book.ch05_inverse_dynamics import rnea
from rbdlib.book.ch07_articulated_body import aba
from rbdlib.methods.rotors import aba_with_rotors, at_joints
from rbdlib.numbers.scalars import as_floats, number, sqrt
from rbdlib.numbers.validation import not_negative

#: The fields of a Character that may have any sign.
ANY_SIGN = ("rest", "lower", "upper")
#: The fields for what is named otherwise in speech.
WORDS = {"spring": "stiffness", "damper": "damping", "friction": "friction", "rotor": "armature"}


@dataclass(frozen=True)
class Character:
    """Character of a joint of one freedom, in N, m, s where it slides and N m, rad, s where it turns.

    At the position q and the velocity qd the joint is driven by the force, or the moment,

        - damping qd - friction qd / sqrt(qd² + friction_speed²) - stiffness (q - rest) + push of the end stops.

    damping (N s/m).  friction (N): dry friction, the same at every speed but near rest, where it is made smooth: 71 %
    of it act at friction_speed (m/s), so that a joint under load does not stick but creeps. With friction_speed = 0 it
    is Coulomb's: the joint slips against all of it, or sticks while it takes no more than that.  stiffness (N/m) of a
    spring that is at rest at the position rest (m).  lower, upper (m): where the end stops are, or None. Pressed in by
    x (m), one pushes back with x (stop_stiffness + stop_damping xdot), and never pulls; without stop_stiffness (N/m) or
    stop_damping (N s/m²) it is a mark that nothing enforces. With restitution, 0 to 1 or None, both are hard instead:
    the joint hits them and is thrown back with that part of its speed, or rests there, pushed and never pulled.
    Sticking and hard stops, which depend on all that moves, are no part of force: `rbdlib.motion.simulate` finds them,
    from event to event, and what cannot refuses them.  armature (kg): inertia of the rotor as felt at the joint,
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
    restitution: Any = None

    def __post_init__(self):
        for name in NAMES:
            if not (getattr(self, name) is None and name in ("lower", "upper", "restitution")):
                check = number if name in ANY_SIGN else partial(not_negative, why="give zero or a positive number")
                try:
                    object.__setattr__(self, name, check(getattr(self, name), name))
                except (ValueError, TypeError) as error:
                    raise ModelError(str(error)) from None
        lower, upper = (None if x is None else as_floats(x) for x in (self.lower, self.upper))
        if lower is not None and upper is not None and lower > upper:
            raise ModelError(f"lower is {self.lower}, above upper, {self.upper}. Exchange them.")
        if self.restitution is not None:
            if (e := as_floats(self.restitution)) is not None and e > 1:
                raise ModelError(f"restitution is {self.restitution}; give a number from 0 to 1.")
            if not self.stops or self.stop_stiffness != 0 or self.stop_damping != 0:
                raise ModelError(f"restitution is {self.restitution}; it needs lower or upper, the place of a stop, "
                                 "and neither stop_stiffness nor stop_damping, which make stops soft.")

    def force(self, q, qd):
        """The force, or moment, that drives the joint at q with the velocity qd, but for exact friction and stops."""
        force = -self.damping * qd - self.stiffness * (q - self.rest)
        if self.friction != self.slip_force:
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
        push = self.stop_stiffness != 0 or self.stop_damping != 0 or self.restitution is not None
        return [(side, end) for side, end in ((-1, self.lower), (1, self.upper)) if push and end is not None]

    @property
    def slip_force(self):
        """The friction against which a joint slips that may stick, 0 for all others."""
        return self.friction if self.friction_speed == 0 else 0.0

    @property
    def smooth(self):
        """The same without exact friction and hard stops."""
        stops = {} if self.restitution is None else {"lower": None, "upper": None, "restitution": None}
        return replace(self, friction=self.friction if self.slip_force == 0 else 0.0, **stops)

    def _pressed(self, q):
        """Each end stop that pushes: 1 for the upper, -1 for the lower one, and by how much it is pressed in."""
        return [(side, positive_part(side * (q - end))) for side, end in self.stops if self.restitution is None]


#: The fields of a Character by name.
NAMES = tuple(field.name for field in fields(Character))


def positive_part(x):
    """x where it is positive, else 0, of a scalar of any kind: (x + |x|) / 2."""
    return (x + sqrt(x * x)) / 2


def joint_forces(model, q, qd):
    """The generalised forces (nv) with which dampers, friction, springs and end stops drive the joints of a model.

    Raises ValueError for joints whose friction or stops are exact: see `Character`.
    """
    refuse_exact(model)
    q, qd = per_joint(model, q=q, qd=qd)
    return at_joints(model, {i: c.force(q[i][0], qd[i][0]) for i, c in of_joints(model)}, *q[1:], *qd[1:])


def of_joints(model):
    """The joints that have a `Character`: a list of pairs, body number and character."""
    return [(i, character) for i, character in enumerate(model.characters) if character is not None]


def exact_joints(model):
    """The joints that may stick, or have hard stops: a list of pairs, body number and `Character`."""
    return [(i, c) for i, c in of_joints(model) if c.slip_force != 0 or c.restitution is not None]


def refuse_exact(model):
    """Raise ValueError if joints of the model may stick, or have hard stops."""
    for i, _ in exact_joints(model):
        raise ValueError(f"Joint {i} ({model.names[i]}) has exact friction or hard stops (friction_speed = 0, or a "
                         "restitution), whose forces are not functions of q and qd. simulate alone respects them; "
                         "elsewhere give a friction_speed, and stop_stiffness in place of restitution.")


def armatures(model):
    """The inertias of rotors, reflected to their joints, that are not 0: {body: armature}, as `methods.rotors` asks."""
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
