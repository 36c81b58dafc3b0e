"""The swing-up of notebook 35 by Drake's direct collocation: another rule, another solver, the cost that it prints."""

import numpy as np
import pytest

from rbdlib import Model
from rbdlib.book.ch02_spatial import mcI
from rbdlib.book.ch04_joints import Prismatic, Revolute
from rbdlib.motion.simulate import simulate

LINK = '<link name="{0}"><inertial><origin xyz="0 0 {1}"/><mass value="{2}"/><inertia ixx="1e-9" ixy="0" ixz="0" ' \
       'iyy="1e-9" iyz="0" izz="1e-9"/></inertial></link>'
JOINT = '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><axis xyz="{4}"/></joint>'
CART_POLE = ('<robot name="cart_pole">' + LINK.format("cart", 0, 1) + LINK.format("pole", -0.5, 0.3)
             + JOINT.format("x", "prismatic", "world", "cart", "1 0 0")
             + JOINT.format("hinge", "continuous", "cart", "pole", "0 -1 0")
             + '<transmission name="motor"><type>transmission_interface/SimpleTransmission</type><joint name="x"/>'
             '<actuator name="force"/></transmission></robot>')


def test_drakes_swing_up_costs_what_the_notebook_says_and_rbdlib_replays_it():
    pytest.importorskip("pydrake")
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.planning import DirectCollocation
    from pydrake.solvers import SnoptSolver
    from pydrake.trajectories import PiecewisePolynomial

    plant, N, T, goal = MultibodyPlant(0.0), 61, 2.0, [1, np.pi, 0, 0]
    Parser(plant).AddModelsFromString(CART_POLE, "urdf")
    plant.Finalize()
    problem = DirectCollocation(plant, plant.CreateDefaultContext(), N, T / (N - 1), T / (N - 1),
                                input_port_index=plant.get_actuation_input_port().get_index())
    x, u = problem.state(), problem.input()
    for variable, limit in ((x[0], 2), (u[0], 20)):
        problem.AddConstraintToAllKnotPoints(variable <= limit)
        problem.AddConstraintToAllKnotPoints(variable >= -limit)
    for state, value in ((problem.initial_state(), [0] * 4), (problem.final_state(), goal)):
        problem.prog().AddBoundingBoxConstraint(value, value, state)
    problem.AddRunningCost(u[0] ** 2)
    straight = PiecewisePolynomial.FirstOrderHold([0, T], np.column_stack([[0] * 4, goal]))
    problem.SetInitialTrajectory(PiecewisePolynomial(), straight)
    found = SnoptSolver().Solve(problem.prog())
    force = problem.ReconstructInputTrajectory(found)
    t = np.linspace(0, T, 2001)
    assert found.is_success()
    assert np.trapezoid([force.value(time)[0, 0] ** 2 for time in t], t) == pytest.approx(58.8, abs=0.06)

    bobs = [mcI(m, [0, -l, 0], np.zeros((3, 3))) for m, l in ((1, 0), (0.3, 0.5))]
    ours = Model([0, 1], [Prismatic("x"), Revolute("z")], [np.eye(6)] * 2, bobs, gravity=(0, -9.81, 0))
    run = simulate(ours, [0, 0], [0, 0], t[::500], lambda t, q, qd: [force.value(t)[0, 0], 0], progress=False)
    assert run.q[-1] == pytest.approx([1, np.pi], abs=0.1)
