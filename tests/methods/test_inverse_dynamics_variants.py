"""The parts of tau, gravity alone, other versions of inverse dynamics: every kind of scalar, print-outs, errors. What
they compute is tested row by row in tests/sources/test_rbda_ch05.py."""

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, load, rnea
from rbdlib.analysis.counting import closed_form_inverse_dynamics, joint_axes
from rbdlib.book.ch02_spatial import mcI, xlt
from rbdlib.book.ch04_joints import Cylindrical, Fixed, Helical, Planar, Prismatic, Reversed, Revolute
from rbdlib.book.ch05_inverse_dynamics import generalized_gravity
from rbdlib.methods import inverse_dynamics_variants as variants
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.force_parts import explain
from rbdlib.numbers.scalars import sin
from tests.sources.helpers import random_tree

SEED = 55
BODY = mcI(2, [0.5, 0.25, -0.75], np.diag([1, 1.5, 1.25]))


VERSIONS = {
    "rnea": rnea, "sum of the parts": lambda *state: explain(*state).total, "closed form": closed_form_inverse_dynamics,
    "base coordinates": lambda *state: variants.newton_euler_in_base(*state).tau,
    "3D vectors": lambda *state: variants.original_newton_euler(*state).tau}


@pytest.mark.parametrize("version", VERSIONS.values(), ids=VERSIONS)
def test_every_version_runs_on_symbols(version, rng):
    model = Model([0, 1], [Revolute("x"), Prismatic("y")], [xlt([0.5, 1, 0]), xlt([0, 0.25, 2])], [BODY, 2 * BODY],
                  gravity=(1, 2, 3))
    given = rng.normal(size=(3, 2))
    expected = rnea(model, *given)
    assert_allclose(version(model, *given), expected, rtol=1e-12, atol=1e-12)
    symbols = [sp.symbols(f"{name}:2", real=True) for name in "quw"]
    formulas = sp.lambdify(sum(symbols, ()), list(version(model, *symbols)), cse=True)
    assert_allclose(formulas(*given.ravel()), expected, rtol=1e-11, atol=1e-11)


def test_gravity_alone_runs_on_every_kind_of_number():
    model, q = load("double_pendulum", symbolic=True), sp.symbols("q1:3", real=True)
    m1, m2, l1, l2, g = symbols = [model.parameters[name] for name in ("m1", "m2", "l1", "l2", "g")]
    lower = m2 * g * l2 * sp.sin(q[0] + q[1])
    expected = [(m1 + m2) * g * l1 * sp.sin(q[0]) + lower, lower]
    difference = sp.lambdify([*q, *symbols], list(generalized_gravity(model, q) - np.array(expected)))
    for values in np.random.default_rng(5).uniform(0.5, 2, (4, 7)):
        assert_allclose(difference(*values), 0, atol=1e-13)
    with mpmath.workdps(40):
        lamp, q = load("lamp"), [mpmath.mpf(k) / 3 for k in range(5)]
        at_rest = rnea(lamp, q, [0] * 5, [0] * 5)
        assert max(abs(x) for x in at_rest - generalized_gravity(lamp, q)) < mpmath.mpf(10) ** -35


# The parts of tau

def test_the_parts_print_as_a_table():
    """A level arm with 2 kg at 1 m carries a loose plate with 1 kg at 2 m from the hinge: all numbers are simple."""
    rod = mcI(2, [1, 0, 0], np.zeros((3, 3)))
    model = Model([0, 1], [Revolute("z"), Planar()], [np.eye(6), xlt([1, 0, 0])], [rod, 0.5 * rod],
                  gravity=(0, -10, 0), names=["arm", "plate"])
    parts = explain(model, [0, 0, 0, 0], [3, 0, 0, 0], [1, 0, 0, 0], {2: [0, 0, 5, 0, 7, 0]})
    lines = repr(parts).splitlines()
    assert lines[0].split("  ")[0] == "joint"
    assert [cell.strip() for cell in lines[0].split("  ") if cell] == [
        "joint", "inertial", "Coriolis and centrifugal", "gravity", "external", "total"]
    assert [line.split() for line in lines[2:-1]] == [
        ["1", "arm", "6.000", "0.000", "40.000", "-5.000", "41.000"],
        ["2", "plate", "[0]", "2.000", "0.000", "10.000", "2.000", "14.000"],
        ["2", "plate", "[1]", "0.000", "-18.000", "0.000", "0.000", "-18.000"],
        ["2", "plate", "[2]", "2.000", "0.000", "10.000", "-7.000", "5.000"]]
    assert lines[-1] == "(N m; N where the joint slides)"
    assert len({len(line) for line in lines[:-1]}) == 1


def test_the_table_shows_five_digits_and_formulas_and_is_empty_without_freedoms():
    for size, expected in ((1e6, "-9810000"), (1e-6, "-0.0000098100")):
        model = Model([0], [Revolute("y")], [np.eye(6)], [mcI(size, [1, 0, 0], np.zeros((3, 3)))])
        assert repr(explain(model, [0], [0], [0])).splitlines()[2].split()[-1] == expected
    text = repr(explain(load("pendulum", symbolic=True), [sp.Symbol("q1")], [0], [sp.Symbol("qdd1")]))
    assert "sin(q1)" in text and "qdd1" in text
    model = Model([0], [Fixed()], [np.eye(6)], [BODY])
    parts = explain(model, [], [], [])
    assert parts.total.shape == parts.inertial.shape == (0,)
    assert repr(parts).splitlines()[0].startswith("joint")
    assert generalized_gravity(model, []).shape == (0,)
    assert variants.newton_euler_in_base(model, [], [], []).tau.shape == (0,)


def test_motion_that_a_joint_has_by_itself_counts_as_velocity_and_massless_links_are_allowed():
    """Where nothing but time moves the joint, the inertial part is zero and the drive's force stands with Coriolis."""
    driven = Custom(1, lambda q, t: xlt([0, 0, q[0] + sin(t)]))
    model = Model([0], [driven], [np.eye(6)], [mcI(2, [0, 0, 0], np.eye(3))], gravity=(0, 0, 0))
    parts = explain(model, [0], [0], [0], t=0.5)
    assert_allclose(parts.coriolis, [-2 * np.sin(0.5)])
    assert_allclose(parts.total, [-2 * np.sin(0.5)])
    assert_array_equal(parts.inertial, [0])
    model = Model([0, 1], [Revolute("z"), Revolute("x")], [np.eye(6)] * 2, [np.zeros((6, 6)), BODY])
    state = np.random.default_rng(2).normal(size=(3, 2))
    assert_allclose(variants.original_newton_euler(model, *state).tau, rnea(model, *state), rtol=1e-12)
    assert variants.correspondence(model, *state).difference < 1e-12


# The original version

@pytest.mark.parametrize("joint", [Helical(0.1), Cylindrical(), Fixed(), Reversed(Revolute("z"))], ids=str)
def test_what_the_3D_version_and_the_closed_form_have_no_formulas_for_is_refused(joint):
    model = Model([0, 1], [Revolute("z"), joint], [np.eye(6)] * 2, [BODY] * 2)
    q, qd = model.random_state(np.random.default_rng(1))
    with pytest.raises(ValueError, match=f"^Joint 2 is a {joint} joint; .* revolute and prismatic joints only."):
        variants.original_newton_euler(model, q, qd, qd)
    original = variants.original_newton_euler(load("pendulum"), *np.zeros((3, 1)), linear_velocity=False)
    with pytest.raises(ValueError, match="^original has no linear velocities"):
        variants.to_spatial(original)
    driven = Custom(1, lambda q, t: xlt([0, 0, q[0] + sin(t)]))
    with pytest.raises(ValueError, match="^Joint 1 is a custom joint"):
        joint_axes(Model([0], [driven], [np.eye(6)], [BODY]), [0.0])


def test_correspondence_prints_value_beside_value_and_would_show_a_difference(rng):
    table = variants.correspondence(random_tree(rng, 2, [0, 1]).model(), *rng.normal(size=(3, 2)))
    lines = repr(table).splitlines()
    assert lines[0].split() == "body 3D vectors (Table 5.2) value spatial (Table 5.1) value".split()
    assert len(lines) == 2 + 2 * 8
    for line, row in zip(lines[2:], table.rows, strict=True):
        assert row[1] in line
        values = [[float(x) for x in part.split(")")[0].split(",")] for part in line.split("(")[1:] if "," in part]
        assert values[0] == values[1]
        assert_allclose(values[0], row[2], rtol=1e-3, atol=1e-11)
    assert "qd1" in repr(variants.correspondence(load("pendulum"), *([symbol] for symbol in sp.symbols("q1 qd1 qdd1"))))

    body, name, value, part, theirs = table.rows[5]
    changed = type(table)((*table.rows[:5], (body, name, value + 0.1, part, theirs)), table.original, table.spatial)
    assert table.difference < 1e-12
    assert abs(changed.difference - 0.1) < 1e-12
