"""A box that slides, trips and drops, in MuJoCo with its stiffest contacts as well; notebook 32 prints these."""

import numpy as np
import pytest

from rbdlib import Model
from rbdlib.book.ch02_spatial import mcI
from rbdlib.book.ch04_joints import Planar
from rbdlib.contact import Pair, Plane, Point, simulate_steps

#: {name: width, height (m), mu, start (angle clockwise, height of the centre), speed, MuJoCo's x and angle in the end}
RUNS = {"slides": (0.4, 0.2, 0.3, 0, 0.1, 3.0, 1.53, 0), "trips": (0.2, 0.6, 0.8, 0, 0.3, 1.2, 0.43, 90),
        "drops": (0.2, 0.4, 0.5, 35, 0.6, 1.0, 0.48, 90)}
CONTACT = 'condim="3" solref="0.004 1" solimp="0.99 0.999 0.0001"'


@pytest.mark.parametrize("name", RUNS)
def test_mujoco_lets_a_box_come_to_rest_at_the_same_place(name):
    mujoco = pytest.importorskip("mujoco")
    width, height, mu, angle, y, speed, *printed = RUNS[name]
    half, floor = np.radians(angle) / 2, f'friction="{mu} 0 0" {CONTACT}'
    robot = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="0.001" cone="elliptic" impratio="100"/><worldbody><geom type="plane" size="9 9 1" '
        f'{floor}/><body pos="0 0 {y}" quat="{np.cos(half)} 0 {np.sin(half)} 0"><freejoint/><geom type="box" mass="2" '
        f'size="{width / 2} {width / 2} {height / 2}" {floor}/></body></worldbody></mujoco>')
    data = mujoco.MjData(robot)
    data.qvel[0] = speed
    mujoco.mj_step(robot, data, 1500)
    assert [data.qpos[0], np.degrees(2 * np.arctan2(data.qpos[5], data.qpos[3]))] == pytest.approx(printed, abs=6e-3)
    box = Model([0], [Planar()], [np.eye(6)], [mcI(2, [0, 0, 0], (width**2 + height**2) / 6 * np.eye(3))],
                gravity=(0, -9.81, 0))
    corners = [Pair(0, Plane(normal=(0, 1, 0)), 1, Point((x * width / 2, z * height / 2, 0)))
               for x in (-1, 1) for z in (-1, 1)]
    c, s = np.cos(2 * half), np.sin(2 * half)
    for law in ("stewart_trinkle", "relaxed"):
        end = simulate_steps(box, [-2 * half, 0, y], [0, c * speed, s * speed], 0.005, 300, corners, mu, law=law).q[-1]
        assert [end[1], -np.degrees(end[0])] == pytest.approx(printed, abs=0.02)
