"""How texts, programs and file formats write the same quantities, and how to go from one to the other.

rbdlib speaks RBDA (2008): motion [omega, v_O], force [n_O, f], spatial accelerations, bodies numbered from the base.
Each function ``..._to_NAME`` translates a quantity of rbdlib into what NAME has, ``..._from_NAME`` back. The page
"Which convention?" of the site has a table for each quantity, with an example that runs.

    frames      order of the halves, poses, quaternions, angles, and the frames of velocities and Jacobians
    texts       FDSV, MBT, SOA, MRN and Modern Robotics
    bodies      bodies in Pinocchio, MuJoCo, Drake, ROS, URDF: velocity, acceleration, force, inertia, momentum
    variables   whole mechanisms in Pinocchio, MuJoCo, Drake, RBDL: q, qd, qdd, tau, H, C
"""

from rbdlib.conventions import bodies, frames, texts, variables
from rbdlib.conventions.bodies import *
from rbdlib.conventions.frames import *
from rbdlib.conventions.texts import *
from rbdlib.conventions.variables import *

__all__ = bodies.__all__ + frames.__all__ + texts.__all__ + variables.__all__
