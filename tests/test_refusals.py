"""Bad arguments that no other test gives: the error names the argument, what is wrong with it, and the remedy."""

import numpy as np
import pytest
import sympy as sp

from rbdlib import LoopJoint, compile_for, load, rnea
from rbdlib.arithmetic import rbi
from rbdlib.book import ch02_planar as planar, ch02_spatial as spatial
from rbdlib.book.ch04_joints import Prismatic, Spherical
from rbdlib.book.ch08_loop_joints import nearest_position
from rbdlib.contact import Contact, Polyhedron, contact_dynamics, contact_normal, footprint, minimal_contact_set
from rbdlib.contact.lcp import solve_lcp
from rbdlib.contact.soft_simulation import simulate_soft
from rbdlib.conventions.frames import rotation_to_rpy
from rbdlib.draw.scene_data import increasing
from rbdlib.io.mesh import mesh_properties
from rbdlib.methods.divide_and_conquer import several
from rbdlib.methods.geared_trees import Gear, GearedTree
from rbdlib.methods.gears import NonlinearGear, quick_model
from rbdlib.methods.generators import auto_tree
from rbdlib.methods.geometry import dh_parameters
from rbdlib.methods.inertia_parameters import augmented_bodies
from rbdlib.methods.screws import motion_log, screw_of_motion
from rbdlib.methods.symbolic import equations_of_motion
from rbdlib.motion.controllers import pd
from rbdlib.motion.drives import explain
from rbdlib.numbers.orientation import euler_angles_from_rotation
from rbdlib.texts.mbt.maximal import joint_torques

X = sp.Symbol("x")
PENDULUM = load("double_pendulum")


def contact(direction=(0, 0, 1), point=(0, 0, 0), successor=1):
    return Contact(0, successor, contact_normal([0, 0, 0], direction), np.zeros(6), 0.0, "", point)


def ball():
    return PENDULUM.replace(joints=[Spherical(), Spherical()])


@pytest.mark.parametrize(("call", "message"), [
    (lambda: planar.XtoV(planar.Xpln(np.zeros(2), 0.1), 3), "version is 3; choose 1 or 2"),
    *((lambda by=by: planar.inverse_transform(np.eye(3) + by * np.eye(3, k=1)), "X is not a planar motion transform")
      for by in ([0, 1e-3, 0], [0, 0, 1e-3])),
    (lambda: planar.inverse_transform(np.diag([1, 1, -1])), r"not a planar motion transform; make one with Xpln\(r, "),
    (lambda: planar.mcI(-1, [0, 0], 1), "m is -1; no body has a negative mass"),
    (lambda: spatial.inverse_inertia(0, [0, 0, 0], np.eye(3)), "m is 0; .* Give it a mass"),
    (lambda: PENDULUM.predecessor(7), "no joint 7; this model has the joints 1 to 2"),
    (lambda: LoopJoint(0, 1, Spherical(), np.eye(6), np.ones((6, 6))), "X_S is not a "),
    (lambda: nearest_position(Spherical(), np.eye(6), X), "can be solved for numbers only. Give numbers instead"),
    (lambda: LoopJoint(0, 1, "ball", np.eye(6), np.eye(6)), "The joint of a loop is 'ball'; give one such as Revolute"),
    (lambda: footprint(3), "contacts is 3; give a list of Contact"),
    (lambda: footprint([contact(point=None)]), r"contacts\[0\] has no point; give Contact"),
    *((lambda n=n: footprint([contact(), contact(n)]), "has another direction") for n in ([0, 1, 1], [0, 0, -1])),
    (lambda: minimal_contact_set([contact(), 3]), r"contacts\[1\] is 3; give a Contact"),
    (lambda: minimal_contact_set([contact(), contact(successor=2)]), r"contacts\[1\] is between other bodies"),
    (lambda: contact_dynamics(PENDULUM, *np.zeros((3, 2)), [], method="x"), "method is 'x'"),
    (lambda: contact_dynamics(PENDULUM, *np.zeros((3, 2)), [Contact(0, 2, X * np.eye(6)[3])]), "f_ext contain symbols"),
    (lambda: solve_lcp([[1.0]], [1.0], size=-2), "size contains -2; give numbers that are not negative"),
    (lambda: Polyhedron([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, X]]), "vertices contains symbols; give numbers"),
    (lambda: simulate_soft(PENDULUM, [X, 0], [0, 0], (0, 1), []), "complex numbers or symbols; simulate"),
    (lambda: simulate_soft(PENDULUM, [1, 0], [0, 1j], (0, 1), []), "complex numbers or symbols; simulate"),
    *((lambda f=f: f(spatial.rx(X)), "E contains symbols") for f in (rotation_to_rpy, euler_angles_from_rotation)),
    (lambda: increasing([0, 1]), "motion is list; expected a Trajectory, such as simulate returns"),
    (lambda: mesh_properties(np.zeros((4, 3, 3)), "hollow"), "inertia is 'hollow'"),
    (lambda: mesh_properties(np.zeros((4, 3))), r"triangles has shape \(4, 3\)"),
    (lambda: several([]), "connections is empty; give one Connection"),
    *((lambda x=x: NonlinearGear(2, *x), "takes a joint, a list of source joints and") for x in (([1], 3), ([], abs))),
    (lambda: quick_model(GearedTree(auto_tree(3), [Gear(3, {1: 2.0}), Gear(2, {1: 5.0})])), "geared too"),
    (lambda: quick_model(GearedTree(auto_tree(3), [Gear(3, {2: 2.0})]), "all"), "carried is 'all'; choose 'inertia', "),
    (lambda: augmented_bodies(PENDULUM, "parents"), "at is 'parents'; choose 'children', 'joints'"),
    (lambda: dh_parameters([([0, 0, 1], [0, 0, 0]), ([0, 0, 1], [X, 0, 0])]), "Axis 2 contains symbols; .* numbers"),
    (lambda: dh_parameters([([0, X, 1], [0, 0, 0])]), "Axis 1 contains symbols; .* for numbers only"),
    (lambda: joint_torques(auto_tree(2, joints=[Spherical(), Prismatic("x")]), [1, 0, 0, 0, 0.1], [0] * 4),
     "Joint 2 .* slides; use forces_and_joint_torques"),
    (lambda: explain(PENDULUM, 2.0, np.zeros(2), np.array([1e200, 0])), "At t = 2 s the bias force of body 1 .* inf"),
    (lambda: motion_log(spatial.rotx(np.pi)), "X turns by half a turn .* in two smaller steps"),
    (lambda: screw_of_motion([0, 0, X, 0, 0, 0]), "symbols or complex numbers; its kind"),
    (lambda: motion_log(spatial.rotx(X)), "symbols or complex numbers; the smallest turn"),
    (lambda: pd(ball(), ball().neutral(), 1, 1)(0, [*ball().neutral()[:4], 1, 0, X, 0], np.zeros(6)), "shortest way"),
    (lambda: compile_for(rnea, PENDULUM, backend="numpy").program.evaluate([1, 2]), "2 entries; this program needs 6"),
    *((lambda x=x: compile_for(rnea, PENDULUM.replace(gravity=(0, x, 0))), r"the formula [exp(*)/13]+; only \+ - ")
      for x in (sp.exp(X), sp.cbrt(X), X**X)),
    (lambda: rbi(1, [0, 0, 0], np.eye(3)).__delattr__("m"), "A rbi cannot be changed; its m cannot be deleted"),
    (lambda: equations_of_motion(PENDULUM).disagreement(equations_of_motion(load("pendulum"))), "have 1 positions")])
@pytest.mark.filterwarnings("ignore:overflow")
def test_what_is_wrong_is_said(call, message):
    with pytest.raises((ValueError, TypeError, AttributeError), match=message):
        call()


def test_formulas_with_roots_in_a_model_are_compiled():
    numbers = {"x": 0.7}
    for formula in (sp.sqrt(X), 1 / sp.sqrt(X), sp.sin(X) * sp.cos(X), X**-2):
        model = PENDULUM.replace(gravity=(0, -formula, 0))
        fast = compile_for(rnea, model, backend="numpy")([0.3, 0.2], [1, 2], [0, 1], parameters=numbers)
        plain = PENDULUM.replace(gravity=(0, -float(formula.subs(X, 0.7)), 0))
        np.testing.assert_allclose(fast, rnea(plain, [0.3, 0.2], [1, 2], [0, 1]), rtol=1e-12)
