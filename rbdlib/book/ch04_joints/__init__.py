"""Joints: how a successor body can move relative to its predecessor (RBDA 4.4-4.5, Tables 4.1 and 4.2).

Frame F_p sits on the predecessor, F_s on the successor; they coincide in the joint's neutral position. A joint says
how many variables it has and what `jcalc` returns for them. S, T, v_J and c_J are in F_s coordinates.
"""

from rbdlib.book.ch04_joints.axis import Cylindrical, Fixed, Helical, Prismatic, RackAndPinion, Revolute
from rbdlib.book.ch04_joints.base import Joint, jcalc
from rbdlib.book.ch04_joints.made import Custom, Reversed
from rbdlib.book.ch04_joints.many import Euler, FreeMotion, Planar, Spherical, Universal

__all__ = [
    "Custom", "Cylindrical", "Euler", "Fixed", "FreeMotion", "Helical", "Joint", "Planar", "Prismatic", "RackAndPinion",
    "Reversed", "Revolute", "Spherical", "Universal", "jcalc",
]
