"""Typed spatial arithmetic: compact quantities that cannot be mistaken for each other (RBDA 1.2, A.3-A.5, Table A.4).

With these types the equation of motion is written as it is read, ``f = I * a + v.cross(I * v)`` (or with ``@``, as
with matrices), and mixing a motion with a force raises TypeError. Each operation costs what Table A.4 says. The types
are named as in RBDA Table A.3; `scrx`, `scry` and `scrz` make the axial screws of A.4. With `typed(model)`, the
algorithms of rbdlib run on them unchanged.
"""

from rbdlib.arithmetic.factoring import compact
from rbdlib.arithmetic.inertias import abi, rbi
from rbdlib.arithmetic.models import TypedModel, typed
from rbdlib.arithmetic.screws import scr, screws, scrx, scry, scrz
from rbdlib.arithmetic.transforms import plx
from rbdlib.arithmetic.vectors import forces, fv, motions, mv

__all__ = [
    "TypedModel", "abi", "compact", "forces", "fv", "motions", "mv", "plx", "rbi", "scr", "screws", "scrx", "scry",
    "scrz", "typed",
]
