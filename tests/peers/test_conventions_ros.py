"""ROS's messages, as they go over the wire: the order of the numbers is that of ROS's own definitions.

The package rosbags has these definitions and writes messages without a ROS installation. In which frame the numbers are
meant is written in the definitions' comments only.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import conventions
from rbdlib.book.ch02_spatial import I_to_mcI, mcI, motion_exp
from tests.sources.helpers import random_mass_properties

SEED = 12
HEADER = 4        # bytes that say how the rest is written


class Messages:
    """Builds ROS 2 messages of geometry_msgs from names and numbers."""
    def __init__(self):
        typesys = pytest.importorskip("rosbags.typesys")
        self.store = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)

    def make(self, kind, **fields):
        return self.store.types[f"geometry_msgs/msg/{kind}"](**fields)

    def vector(self, x, kind="Vector3"):
        return self.make(kind, **dict(zip("xyz", map(float, x), strict=True)))

    def numbers(self, message):
        """All numbers of a message in the order of its definition."""
        return np.frombuffer(self.store.serialize_cdr(message, message.__msgtype__), dtype=float, offset=HEADER)


@pytest.fixture
def ros():
    return Messages()


@pytest.mark.parametrize(("kind", "first", "second"), [
    ("Twist", "linear", "angular"), ("Accel", "linear", "angular"), ("Wrench", "force", "torque")])
def test_six_vectors_have_the_linear_part_first(kind, first, second, ros, rng):
    x = rng.normal(size=6)
    message = ros.make(kind, **{second: ros.vector(x[:3]), first: ros.vector(x[3:])})
    assert_allclose(ros.numbers(message), conventions.swap_halves(x), rtol=0)


def test_transforms_have_the_position_and_then_the_scalar_of_the_quaternion_last(ros, rng):
    X = motion_exp(rng.normal(size=6))
    p, quaternion = conventions.pose_to_ros(X)
    turn = ros.make("Quaternion", **dict(zip("xyzw", map(float, quaternion), strict=True)))
    message = ros.make("Transform", rotation=turn, translation=ros.vector(p))
    numbers = ros.numbers(message)
    assert_allclose(numbers, [*p, *quaternion], rtol=0)
    assert_allclose(conventions.pose_from_ros(numbers[:3], numbers[3:]), X, rtol=1e-12, atol=1e-12)
    assert abs(message.rotation.w) == pytest.approx(np.sqrt(1 + np.trace(X[:3, :3])) / 2)


def test_the_six_of_an_inertia_stand_as_in_urdf(ros, rng):
    I = mcI(*random_mass_properties(rng))
    link = conventions.inertia_to_urdf(I)
    six = {name: float(getattr(link, name)) for name in ("izz", "iyz", "iyy", "ixz", "ixy", "ixx")}
    numbers = ros.numbers(ros.make("Inertia", m=float(link.mass), com=ros.vector(link.xyz), **six))
    m, c, I_C = I_to_mcI(I)
    assert_allclose(numbers, [m, *c, *I_C[np.triu_indices(3)]], rtol=1e-12)
