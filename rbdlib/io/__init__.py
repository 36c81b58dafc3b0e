"""Robot files in and out: URDF and MuJoCo's MJCF.

    from rbdlib.io import load_urdf, read_urdf, save_urdf, load_mjcf, read_mjcf
    model = load_urdf("arm.urdf")                       # a Model; warns of what has no effect in it
    robot = read_urdf("arm.urdf", lump_fixed=True)      # robot.model, and robot.joints["elbow"].damping, ...
    save_urdf(robot, "copy.urdf")

To write URDF needs the extra `io` (pip install 'rbdlib[io]'), whose parser library checks the file; to read needs
nothing. Files are read without document type declarations and within limits of size (`safe_xml`), so that a file from
a stranger can do no harm, and errors name the file, the line and the element. Included files and meshes are looked
for wherever their names lead, and read as such only.

What becomes of a file
- links or bodies become bodies of the same name, numbered depth-first; the root link is body 0, "base". A link that is
  itself called "base" without being the base gets the name "base_link". `Robot.frames` finds every link of the file.
- joints keep their axes and their frames; `Robot.joints` finds the number of a joint by its name. q is the file's joint
  variable. A free joint has the Euler parameters first and then the position, and its velocity in body coordinates.
- what belongs to a joint of one freedom is in the Model's characters (`rbdlib.methods.joint_character`), limits as end
  stops, but without effect until they get a stiffness or a restitution. What no Model holds is kept in the
  `JointRecord`s of a `Robot`, whose `geared()` makes a `GearedTree` of the mimic joints. What has no place, or no
  effect, is named in a warning (`IgnoredWarning`). `read_urdf` and `read_mjcf` say the rest.
- meshes (STL, OBJ) are taken as MuJoCo does (`rbdlib.io.mesh`), and convex hulls need SciPy.
"""

from rbdlib.io.mechanism import Frame, IgnoredWarning, JointRecord, Mimic, Robot
from rbdlib.io.mjcf import load_mjcf, read_mjcf
from rbdlib.io.urdf import load_urdf, read_urdf
from rbdlib.io.urdf_writer import save_urdf

__all__ = [
    "Frame", "IgnoredWarning", "JointRecord", "Mimic", "Robot", "load_mjcf", "load_urdf", "read_mjcf", "read_urdf",
    "save_urdf",
]
