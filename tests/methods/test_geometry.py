"""Denavit-Hartenberg parameters in both forms, with symbols and with mistakes; Examples 4.1 and 4.4 with mistakes."""

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose

from rbdlib import Model
from rbdlib.book.ch02_spatial import X_to_Er, inverse_transform, mcI, plucker, rotx, rotz, transform_inertia, xlt
from rbdlib.book.ch04_joints import Cylindrical, Helical, Prismatic, Revolute
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.methods import geometry
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.geometry import dh_chain, dh_parameters
from tests.sources.helpers import E_and_r, close, identical, random_mass_properties, turn
from tests.sources.joints import HERE, compose

X, Y, Z = np.eye(3)
FORMS = ["modified", "classic"]
HINGE = Model([0], [Revolute()], [np.eye(6)], [mcI(1, [0, 0, 0], np.eye(3))])


def dh_pose(a, alpha, d, theta, form):
    """Frame i in frame i-1 by the words of the form: first along x and then along z, or the other way round."""
    along_x, along_z = (turn(X, alpha), a * X), (turn(Z, theta), d * Z)
    return compose(along_x, along_z) if form == "modified" else compose(along_z, along_x)


@pytest.mark.source("RBDA-S4.3-1")
@pytest.mark.parametrize("form", FORMS)
def test_the_links_of_a_chain_stand_where_the_parameters_say(form, rng):
    """The variables are theta, d, both, or theta with d = pitch theta; there is a base offset and an end-effector."""
    kinds = ["revolute", "prismatic", "cylindrical", "helical", "revolute", "prismatic"]
    rows = [geometry.DHRow(*rng.normal(size=4), kind, 0.3 if kind == "helical" else 0) for kind in kinds]
    base, end = rng.normal(size=2), rng.normal(size=4)
    chain = dh_chain(rows, form, base, end)
    model = Model(*chain[:3], [mcI(1, [0, 0, 0], np.eye(3))] * len(rows))
    assert [type(joint) for joint in chain.joints] == [Revolute, Prismatic, Cylindrical, Helical, Revolute, Prismatic]
    assert chain.parent == [0, 1, 2, 3, 4, 5]
    q, _ = model.random_state(rng)
    transforms = body_transforms(model, q)
    pose = turn(Z, base[0]), base[1] * Z
    for i, row in enumerate(rows, start=1):
        variables = q[model.q_slice(i)]
        theta = row.theta + (0 if row.joint == "prismatic" else variables[0])
        shift = row.pitch * theta if row.joint == "helical" else 0 if row.joint == "revolute" else variables[-1]
        pose = compose(pose, dh_pose(row.a, row.alpha, row.d + shift, theta, form))
        close(chain.X_link[i - 1] @ transforms[i], plucker(*E_and_r(HERE, pose)), 1e-11)
        assert form == "classic" or (chain.X_link[i - 1] == np.eye(6)).all()
    close(chain.X_end @ transforms[-1], plucker(*E_and_r(HERE, compose(pose, dh_pose(*end, form)))), 1e-11)


def test_the_two_forms_describe_the_same_arm_by_shifted_parameters(rng):
    """a and alpha of a classic row are those of the next modified row; inertias go along by X_link."""
    table = rng.normal(size=(4, 4))
    a, alpha, d, theta = table.T
    classic = dh_chain(table, "classic")
    modified = dh_chain(np.column_stack([[0, *a[:-1]], [0, *alpha[:-1]], d, theta]), end=(a[-1], alpha[-1], 0, 0))
    for one, other in zip(classic.X_tree, modified.X_tree, strict=True):
        close(one, other)
    close(classic.X_end, modified.X_end)
    I = mcI(*random_mass_properties(rng))
    in_model = transform_inertia(inverse_transform(classic.X_link[1]), I)
    close(transform_inertia(rotx(alpha[1]) @ xlt([a[1], 0, 0]), in_model), I)


def test_symbols_go_through():
    q = sp.Symbol("q", real=True)
    lift = Model([0], [Custom(0, X_J=lambda q, t: xlt([0, 0, t]))], [np.eye(6)], [np.eye(6)])
    X_0, v_0 = geometry.positions_and_velocities(lift, [], [], 0.5)
    assert np.allclose(X_0[1], xlt([0, 0, 0.5])) and np.allclose(v_0[1], [0, 0, 0, 0, 0, 1])
    X_0, v_0 = geometry.positions_and_velocities(HINGE, [q], [1])
    assert identical(X_0[1], rotz(q)) and identical(v_0[1], [0, 0, 1, 0, 0, 0])
    l, d, theta = sp.symbols("l d theta", real=True)
    for form in FORMS:
        chain = dh_chain([(0, sp.pi / 2, d, 0), (l, 0, 0, theta)], form, end=(l, 0, 0, 0))
        numbers = dh_chain([(0, np.pi / 2, 0.2, 0), (0.5, 0, 0, 0.7)], form, end=(0.5, 0, 0, 0))
        for formula, number in zip((*chain.X_tree, chain.X_end), (*numbers.X_tree, numbers.X_end), strict=True):
            assert_allclose(np.array(sp.Matrix(formula).subs({l: 0.5, d: 0.2, theta: 0.7}), float), number, atol=1e-14)


def test_parameters_of_lines_go_back_to_a_chain_with_the_joints_asked_for(rng):
    axes = [(Z, 0 * X), (X, Y), (Z, X + Y)]
    base, rows, _ = dh_parameters(axes, ["revolute", "cylindrical", "prismatic"])
    chain = dh_chain(rows, base=base)
    assert chain.joints == [Revolute(), Cylindrical(), Prismatic()]
    model = Model(*chain[:3], [mcI(1, [0, 0, 0], np.eye(3))] * 3)
    for X_i, (direction, point) in zip(body_transforms(model, model.neutral())[1:], axes, strict=True):
        E, r = X_to_Er(X_i)
        close(E[2], direction)
        close(np.cross(r - point, direction), np.zeros(3))
    assert all(isinstance(x, float) for row in rows for x in row[:4])


@pytest.mark.parametrize(("make", "error", "message"), [
    (lambda: dh_chain([(0, 0, 0, 0)], "modern"), ValueError, "form is 'modern'; choose 'modified', 'classic'"),
    (lambda: geometry.dh_transform(0, 0, 0, 0, "craig"), ValueError, "form is 'craig'"),
    (lambda: dh_chain([(0, 0, 0)]), ValueError, r"Row 1 is \(0, 0, 0\); give \(a, alpha, d, theta\)"),
    (lambda: dh_chain([(0, 0, 0, 0), 7]), ValueError, "Row 2 is 7"),
    (lambda: dh_chain(["abcd"]), ValueError, "Row 1 is 'abcd'"),
    (lambda: dh_chain([(0, 0, 0, 0, "ball")]), ValueError, "The joint of row 1 is 'ball'; choose 'revolute'"),
    (lambda: dh_chain([(0, np.nan, 0, 0)]), ValueError, "alpha of row 1 contains nan"),
    (lambda: dh_chain([(0, "90", 0, 0)]), TypeError, "alpha of row 1 contains the text '90'"),
    (lambda: dh_chain([(0, 0, 0, 0, "revolute", 0.1)]), ValueError, "Row 1 has a pitch, but its joint is revolute"),
    (lambda: dh_chain([(0, 0, 0, 0)], base=(0, 0, 0)), ValueError, "base has shape"),
    (lambda: dh_chain([(0, 0, 0, 0)], end=(0, 0)), ValueError, "end has shape"),
    (lambda: dh_parameters([(Z, X), (0 * Z, X)]), ValueError, "The direction of axis 2 is the zero vector"),
    (lambda: dh_parameters([3]), ValueError, "Axis 1 is 3; give a pair"),
    (lambda: dh_parameters([(Z, [0, np.inf, 0])]), ValueError, "point of axis 1 contains inf"),
    (lambda: dh_parameters([(Z, [0, sp.Symbol("y"), 0])]), ValueError, "Axis 1 contains symbols"),
    (lambda: dh_parameters([(Z, X)], ["revolute", "revolute"]), ValueError, "joints has 2 names, axes has 1 lines"),
    (lambda: dh_parameters([(Z, X)], ["ball"]), ValueError, "The joint of row 1 is 'ball'"),
    (lambda: dh_parameters([(Z, X)], end=(np.ones((3, 3)), X)), ValueError, "E of end is not a rotation"),
    (lambda: geometry.sum_joint_velocities([0], []), ValueError, "parent has 1 entries, v_J has 0"),
    (lambda: geometry.sum_joint_velocities([2, 0], np.eye(6)[:2]), ValueError,
     "The parent of body 1 is 2; number the bodies so that parents come first"),
    (lambda: geometry.sum_joint_velocities([0], [[1, 2, 3]]), ValueError, r"v_J\[0\] has shape \(3,\)")])
def test_mistakes_are_named(make, error, message):
    with pytest.raises(error, match=message):
        make()
