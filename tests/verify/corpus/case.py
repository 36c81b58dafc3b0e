"""What one module of the corpus holds: ``SYSTEM``, a mechanism and the answers that people hand in for it. The modules
take all that they need from here."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import sympy as sp

from rbdlib import LoopJoint, Model, load
from rbdlib.book.ch02_spatial import mcI, plucker, rot, rz, xlt
from rbdlib.book.ch04_joints import Euler, FreeMotion, Prismatic, RackAndPinion, Revolute, Spherical

__all__ = ["EOM", "Answer", "Euler", "FreeMotion", "LoopJoint", "Model", "Prismatic", "RackAndPinion", "Revolute",
           "Spherical", "System", "chain", "library", "mcI", "named", "right", "rot", "rz", "sp", "wrong", "xlt"]
EOM = "equations of motion"


@dataclass(frozen=True, eq=False)
class Answer:
    """One answer.
    quantity, answer, given: what is handed to `verify`. mistakes: for each mistake that was planted the set of names
    under which a diagnosis may rightly report it; empty for a right answer. The names are chosen from the mistake,
    before looking at what the program finds. missed: why the diagnosis does not name the mistakes first; empty if it
    must."""
    quantity: str
    answer: Any
    given: Any = None
    mistakes: tuple = ()
    missed: str = ""


@dataclass(frozen=True, eq=False)
class System:
    """A mechanism: its name, its source, a function that makes its `Model`, and its answers."""
    name: str
    source: str
    model: Callable
    answers: tuple


def right(quantity, answer, given=None):
    """A right answer."""
    return Answer(quantity, answer, given)


def wrong(quantity, answer, *mistakes, given=None, missed=""):
    """A wrong answer with one planted mistake or two, each written "sign" or, if several names fit, "sign|factor"."""
    return Answer(quantity, answer, given, tuple(frozenset(names.split("|")) for names in mistakes), missed)


def library(name):
    """A function that loads the library's model of this name, with symbols for its parameters."""
    return partial(load, name, symbolic=True)


def named(names):
    """Positive SymPy symbols of these names, separated by spaces: a list."""
    return [sp.Symbol(name, positive=True) for name in names.split()]


def chain(joints, places, bodies, gravity, names=None, also=()):
    """A `Model` of bodies each of which hangs on the one before.
    joints: one for each body. places: where each sits in the body before, 3-vectors. bodies: (mass, centre of mass,
    principal moments about it) of each. gravity: a_g. names: of the bodies. also: symbols that no body has."""
    inertia = [mcI(m, list(c), [[x if i == j else 0 for j in range(3)] for i, x in enumerate(I)]) for m, c, I in bodies]
    numbers = [x for m, c, I in bodies for x in (m, *c, *I)] + [x for r in places for x in r] + [*gravity, *also]
    free = {str(s): s for x in numbers for s in getattr(x, "free_symbols", ())}
    transforms = [plucker([[1, 0, 0], [0, 1, 0], [0, 0, 1]], list(r)) for r in places]
    return Model(range(len(joints)), joints, transforms, inertia, gravity, names, (), free)
