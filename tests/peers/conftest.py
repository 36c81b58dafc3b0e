"""Without Pinocchio and MuJoCo the comparisons are left out, and one skipped test says how to run them."""

from importlib.util import find_spec

INSTALLED = all(find_spec(name) for name in ("pinocchio", "mujoco"))
collect_ignore_glob = [] if INSTALLED else [
    "test_contacts.py", "test_conventions_*.py", "test_derivatives.py", "test_floating.py", "test_io.py",
    "test_joint_types.py", "test_loops.py"]

if INSTALLED:
    from tests.peers.robots import drake, mujoco_robot, ours, pinocchio

    __all__ = ["drake", "mujoco_robot", "ours", "pinocchio"]        # fixtures of all files here
