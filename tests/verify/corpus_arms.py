"""Arms for the corpus, made of the library's joints and inertias with SymPy symbols for their dimensions."""

import sympy

from rbdlib import Model
from rbdlib.spatial import mcI, plucker

TURN = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def named(names):
    """Positive SymPy symbols of these names, separated by spaces: a list."""
    return [sympy.Symbol(name, positive=True) for name in names.split()]


def chain(joints, places, bodies, gravity, names=None, also=()):
    """A `Model` of bodies each of which hangs on the one before.

    joints: one for each body.  places: where each sits in the body before, 3-vectors.  bodies: (mass, centre of mass,
    principal moments about it) of each.  gravity: a_g.  names: of the bodies.  also: symbols that no body has.
    """
    inertia = [mcI(m, list(c), [[x if i == j else 0 for j in range(3)] for i, x in enumerate(I)]) for m, c, I in bodies]
    numbers = [x for m, c, I in bodies for x in (m, *c, *I)] + [x for r in places for x in r] + [*gravity, *also]
    free = {str(s): s for x in numbers for s in getattr(x, "free_symbols", ())}
    transforms = [plucker(TURN, list(r)) for r in places]
    return Model(range(len(joints)), joints, transforms, inertia, gravity, names, (), free)
