"""Typed spatial arithmetic: motion and force vectors that cannot be mistaken for each other (RBDA 1.2, A.3, Table A.4).

With these types the equation of motion is written as it is read, ``f = I * a + v.cross(I * v)``, and mixing a motion
with a force raises TypeError. The types are named as in RBDA Table A.3.
"""

from rbdlib.arithmetic.types import fv, mv, rbi

__all__ = ["fv", "mv", "rbi"]
