"""Rounding, enclosures, causes of error, convergence and sensitivity: against exact arithmetic, geometry and theory."""

import copy
import math
import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import LoopJoint, Model, aba, bias_force, crba, load, rnea
from rbdlib.analysis import accuracy
from rbdlib.analysis.accuracy import convergence_order, far_away_origin, inertia_ratio, singular_loop
from rbdlib.analysis.rounding import Enclosure, enclosures, full_digits, in_precision, lost_digits, rounding_errors
from rbdlib.analysis.sensitivity import condition_slope, inertia_slopes, sensitivity, sensitivity_over
from rbdlib.book import ch04_joints as joint, ch08_closed_loops as closed_loops
from rbdlib.book.ch02_spatial import mcI, rotz, xlt
from rbdlib.loops import dynamics as loop_dynamics
from rbdlib.loops.closing import close_loops
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.generators import auto_tree
from rbdlib.motion.simulate import simulate
from rbdlib.numbers.intervals import Interval, Undecided
from rbdlib.numbers.scalars import cos, sin, sqrt
from tests.sources.ch05_systems import JOINT_SETS, Moving
from tests.sources.helpers import random_tree
from tests.test_typed_algorithms import in_time

SEED = [1, 10]
WITH_LONG = pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no long floats here")
PENDULUM, FOUR_BAR = load("pendulum"), load("four_bar")
CLOSED = close_loops(FOUR_BAR, [0.7, 0, 1.3])
TORN = PENDULUM.replace(loops=[LoopJoint(0, 1, joint.Revolute(), xlt([100, 0, 0]), np.eye(6))])


@pytest.fixture(scope="module", params=JOINT_SETS)
def moving(request):
    system = Moving(np.random.default_rng(10), JOINT_SETS[request.param])
    return system.model, (system.q, system.qd, system.joint_forces(), system.f_ext)


# Numbers of another precision

@pytest.mark.parametrize(("precision", "kind"), [("single", np.float32), ("double", np.float64), (53, np.float64),
                                                 pytest.param(64, np.longdouble, marks=WITH_LONG)])
def test_arithmetic_is_that_of_the_processor_digit_for_digit(rng, precision, kind):
    x, y, z = rng.normal(size=(3, 50))

    def formula(x, y, z):
        return (x * y - z) / (x + 3) + y / 3

    ours = formula(*(in_precision(part, precision) for part in (x, y, z)))
    theirs = formula(*(part.astype(kind) for part in (x, y, z)))
    assert_array_equal(in_precision(ours, 200), in_precision(theirs.astype(kind), 200))


def test_a_model_is_rounded_as_a_whole_and_left_as_it_was(rng):
    joints = [joint.Revolute((1, 2, 3)), joint.Helical(0.3), joint.Reversed(joint.Helical(0.7, "x")),
              joint.Cylindrical((0, 1, 1))]
    model = random_tree(rng, 4).model().replace(joints=joints, loops=FOUR_BAR.loops)
    single = in_precision(model, "single")
    for given, rounded in ((model.X_tree[2], single.X_tree[2]), (model.inertia[3], single.inertia[3]),
                           (model.gravity, single.gravity), (model.loops[0].X_P, single.loops[0].X_P)):
        assert_array_equal(np.array(rounded, dtype=float), given.astype(np.float32).astype(float))
        assert given.dtype == float
    assert float(single.joints[2].pitch) == np.float32(0.3) and float(single.joints[3].joint.pitch) == np.float32(0.7)
    assert [float(x) for x in single.joints[1].axis] == [np.float32(x) for x in model.joints[1].axis]
    assert model.joints[2] == joint.Helical(0.3) and model.nv == single.nv and single.joints[3].joint.axis == "x"
    assert in_precision(in_precision(model, 200), "double") == model
    assert in_precision(3, 30) == 3 and isinstance(in_precision(3, 30), int)           # the number of a body
    assert in_precision({1: np.ones(6)}, "double").keys() == {1} and in_precision(None, 30) is None
    assert in_precision("aba", 30) == "aba" and in_precision(True, 30) is True and in_precision(["aba"], 30) == ["aba"]


def test_rounding_errors_are_those_of_exact_fractions():
    q = np.array([1e-9, 0.3, -0.7])
    found = rounding_errors(lambda model, q: (1 + q) - 1, PENDULUM, q)
    assert_array_equal(found.errors, [float(abs(Fraction((1 + x) - 1) - Fraction(x))) for x in q.tolist()])
    assert_array_equal(found.value, (1 + q) - 1)
    assert found.relative == found.errors.max() / 0.7
    assert found.digits == pytest.approx(-math.log10(found.relative)) and "double" in repr(found)
    assert rounding_errors(lambda model, q: (1 + q) - 1 - q, PENDULUM, q[1:]).relative == math.inf
    nothing = rounding_errors(lambda model: np.zeros(2), PENDULUM)
    assert nothing.relative == 0 and nothing.lost_digits == 0
    assert lost_digits(2.0**-53) == lost_digits(0) == 0
    assert lost_digits(1e-12) == pytest.approx(53 * math.log10(2) - 12)
    assert lost_digits(5) == full_digits("double") == pytest.approx(15.95, abs=0.01)
    assert lost_digits(1e-4, "single") == pytest.approx(24 * math.log10(2) - 4)
    many = rounding_errors(lambda model, q: ((1 + q) - 1, None, [q[:2], np.zeros((2, 2))]), PENDULUM, q)
    assert many.errors.shape == (9,) and np.array_equal(many.errors[:3], found.errors) and not many.errors[3:].any()


def test_more_digits_make_smaller_errors():
    for study, x in ((singular_loop, [1e-3]), (far_away_origin, [0.1, 1e3])):
        double, more = (study(x, samples=6, precision=p).errors.mean(axis=1) for p in ("double", 64))
        assert (50 * more < double).all()


@pytest.mark.parametrize(("precision", "digits"), [("double", None), ("single", 15), (300, None), ("double", 30.5)])
def test_the_reference_has_so_many_digits_that_its_own_errors_do_not_count(precision, digits):
    q = np.array([1e-3, 0.3, -0.7])
    found = rounding_errors(lambda model, q: 1 / (3 + q), PENDULUM, q, precision=precision, digits=digits)
    given = in_precision(q, precision)
    true = np.abs(in_precision(1 / (3 + given), 1000) - 1 / (3 + in_precision(given, 1000))).astype(float)
    assert_allclose(found.errors, true, rtol=0.01, atol=1e-3 * true.max())
    assert true.max() > 0


@pytest.mark.parametrize("precision", ["double", "single"])
def test_only_real_finite_numbers_are_rounded(precision):
    for x in (math.nan, [1.0, math.inf], np.array([mpmath.mpf("nan"), 1])):
        with pytest.raises(ValueError, match="x contains .*every number must be finite"):
            in_precision(x, precision)
    for x in (1j, [1.0, 2j], [None, 1.0], sympy.Symbol("x"), load("double_pendulum", symbolic=True)):
        with pytest.raises(TypeError, match="x contains .*give real"):
            in_precision(x, precision)
    kind = {"double": float, "single": int}[precision]                      # zero has no digits to be rounded
    assert type(in_precision(0.0, precision)) is kind
    with pytest.raises(TypeError, match="x contains complex"):
        rounding_errors(aba, PENDULUM, [1j], [0], [0], precision=precision)


# Intervals

def test_intervals_hold_the_result_of_every_choice_of_numbers(rng):
    def formula(x, y, z, functions):
        sine, cosine, root = functions
        return (2 - x * y) / (z * z + 200) - sine(x) * cosine(y) + root(abs(z) + 2) + (-x - 0.1) * 3 / (2 + abs(y))

    for _ in range(20):
        middles, widths = rng.normal(size=3), 10 ** rng.uniform(-12, 0.7, size=3)
        bounds = [Interval(m - w, m + w) for m, w in zip(middles, widths, strict=True)]
        result = formula(*bounds, (sin, cos, sqrt))
        with mpmath.workdps(40):
            for corner in [*np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, 8).T, *rng.uniform(-1, 1, (20, 3))]:
                given = [mpmath.mpf(b.low) + (mpmath.mpf(b.high) - b.low) * mpmath.mpf((c + 1) / 2)
                         for b, c in zip(bounds, corner, strict=True)]
                assert result.low <= formula(*given, (mpmath.sin, mpmath.cos, mpmath.sqrt)) <= result.high
        assert result.high - result.low <= result.width and result.midpoint in result


@pytest.mark.parametrize(("x", "y"), [(1e-170, 1e-170), (-1e-170, 1e-170), (1e200, 1e200), (-1e200, 1e200),
                                      (5e-324, 1 / 3), (3e-320, 0.7), (-1e-310, 1e-9), (1.7e308, 1.1)])
def test_bounds_hold_where_floats_end(x, y):
    """Products too small or too large for floats lie between the two floats, or infinities, that are next to them."""
    product, exact = Interval(x) * y, Fraction(x) * Fraction(y)
    assert product.low == -math.inf or Fraction(product.low) <= exact
    assert product.high == math.inf or exact <= Fraction(product.high)
    assert product.low < product.high == math.nextafter(product.low, math.inf)
    assert math.isfinite(product.midpoint) and product.midpoint in product
    here = enclosures(lambda model, x: x * y, PENDULUM, np.array([x]))
    assert (here.lower[0], here.upper[0]) == (product.low, product.high)
    assert (Interval(x) / (1 / Interval(y))).low <= product.low


def test_intervals_of_every_kind_of_number_are_copied_stored_put_in_arrays_and_compared_only_where_certain():
    third = Interval(1, bits=80) / 3
    for twin in (pickle.loads(pickle.dumps(third)), copy.copy(third), copy.deepcopy(third), +third):
        assert (twin.low, twin.high, (3 * twin).width) == (third.low, third.high, (3 * third).width)
        assert 0 < (3 * twin).width < 1e-23
    x = np.array([Interval(1, 2), Interval(3)], dtype=object)
    for product in (x @ x, x @ np.array([2.0, 1]), np.array([2.0, 1]) @ x):
        assert isinstance(product, Interval)
    for result in (np.float64(2) * x[0], x[0] * np.float64(2), 2 * x[0], x[0] + x[0], 4 - x[0] * 1 + 0 * x[1]):
        assert (result.low, result.high) == (2, 4) or (result.low, result.high) == (2, 3)
    assert repr(x[0]) == "Interval(1.0, 2.0)" and 1.5 in x[0] and 2.5 not in x[0]

    x, y = Interval(1, 2), Interval(2, 3)
    assert x < 3 and x <= 2 and x > 0 and x >= 1 and x != 5 and Interval(2) == 2 and x <= y and not x > y
    assert not x == 0 and not x < 1 and not y <= 1
    for undecided in (lambda: x == 1.5, lambda: x < 1.5, lambda: x <= 1, lambda: x > 1, lambda: x >= 2, lambda: x != 1,
                      lambda: x == x, lambda: 1 / (x - 1), lambda: x / (x - 1.5), lambda: sqrt(x - 1.5)):
        with pytest.raises(Undecided, match="Take smaller uncertainties or more digits"):
            undecided()

    long = np.longdouble(1) / 3
    for x, exact in ((2**53 + 1,) * 2, (np.int64(2**53 + 1), 2**53 + 1), (Fraction(1, 3),) * 2, (-Fraction(1, 3),) * 2,
                     (sympy.Rational(1, 3), Fraction(1, 3)), (sympy.Integer(2**60 + 1), 2**60 + 1), (True, 1),
                     (long, Fraction(*long.as_integer_ratio())), (np.array(1.5), 1.5)):
        for found in (Interval(x), Interval(x, bits=24), Interval(0) + x, x * Interval(1), Interval(x, x)):
            assert Fraction(found.low) <= exact <= Fraction(found.high) and found.width <= abs(float(exact)) * 2**-22
        assert x in Interval(x)
    assert Interval(2**53 + 1).low == 2**53 and Interval(2**53 + 1, bits=60).width == 0
    for third, width in ((Interval(1) / 3, 1e-16), (Interval(1, bits=200) / 3, 1e-59)):
        assert Fraction(third.low) < Fraction(1, 3) < Fraction(third.high) and third.width < width
        assert math.nextafter(third.low, 1) == third.high
    assert Interval(np.float64(2), np.int64(3)).high == 3 and Interval(0.5).width == 0
    angle = enclosures(bias_force, PENDULUM, np.array([Fraction(1, 3)]), [0])
    assert angle.lower < bias_force(PENDULUM, [1 / 3], [0]) + 1e-15 and angle.width < 1e-14


# Enclosures

@pytest.mark.slow
def test_enclosures_hold_the_exact_result_and_that_of_floats(moving):
    model, (q, qd, third, f_ext) = moving
    for algorithm, arguments in ((aba, (q, qd, third, f_ext)), (rnea, (q, qd, third, f_ext)), (crba, (q,))):
        found = enclosures(algorithm, model, *arguments)
        exact = algorithm(*(in_precision(x, 100) for x in (model, *arguments)))
        assert all(low <= x <= high for low, x, high in zip(found.lower.flat, exact.flat, found.upper.flat,
                                                            strict=True)), algorithm
        assert found.contains(algorithm(model, *arguments)) and found.digits > (5 if algorithm is aba else 12)
        assert not found.contains(np.array(exact, dtype=float) + 2 * found.width.max())
    assert enclosures(crba, model, q, bits=120).digits > 15


def test_enclosures_of_uncertain_models_hold_every_model_within(rng):
    model = random_tree(rng, 3).model()
    q, qd = model.random_state(rng)
    q[np.abs(q) < 0.01] = 0.01
    narrow, wide = (enclosures(rnea, model, q, qd, qd, relative=x) for x in (1e-9, 1e-6))
    assert (wide.lower < narrow.lower).all() and (narrow.upper < wide.upper).all()
    assert (narrow.width.max() / wide.width.max()) == pytest.approx(1e-3, rel=0.1)
    for _ in range(20):
        inertia = [I * (1 + 0.99e-6 * rng.uniform(-1, 1)) for I in model.inertia[1:]]
        found = rnea(model.replace(inertia=inertia, gravity=model.gravity * (1 - 0.9e-6)),
                     q * (1 + 0.99e-6 * rng.uniform(-1, 1)), qd, qd * (1 + 0.99e-6 * rng.uniform(-1, 1)))
        assert wide.contains(found) and not narrow.contains(found)
    # an interval given as an argument says itself how uncertain it is
    found = enclosures(bias_force, PENDULUM, np.array([Interval(0.5, 0.6)], dtype=object), [0.0])
    ends = [bias_force(PENDULUM, [x], [0])[0] for x in (0.5, 0.6)]
    assert found.contains([min(ends)]) and found.contains([max(ends)])
    assert_allclose([found.lower[0], found.upper[0]], sorted(ends), rtol=1e-12)
    assert enclosures(bias_force, PENDULUM, [0.5], [0.0]).width.max() < 1e-14
    for (low, high), digits in (((1, 1), math.inf), ((99, 101), 50), ((-1, 3), 0), ((1, math.inf), 0)):
        box = Enclosure(np.array([low]), np.array([high]))
        assert box.digits == (digits and math.log10(digits))
        assert [box.contains([x]) for x in (low - 1, low, high, high + 1)] == [False, True, True, high == math.inf]


@pytest.mark.slow
def test_where_bounds_are_lost_the_error_says_so():
    chain, q = auto_tree(30), np.linspace(-3, 3, 30)
    with pytest.raises(Undecided, match="cannot be told|may be 0"):
        enclosures(aba, chain, q, 0 * q, q)
    known = enclosures(aba, chain, q, 0 * q, q, bits=400)
    assert known.digits > 14
    assert_allclose(known.lower, aba(chain, q, 0 * q, q), rtol=1e-9)


@pytest.mark.parametrize("method", loop_dynamics.METHODS)
def test_loops_are_enclosed_too(method):
    state = FOUR_BAR, CLOSED, np.zeros(3), np.ones(3)
    found = enclosures(loop_dynamics.by_loop_constraints, *state, method=method)
    exact = loop_dynamics.by_loop_constraints(*(in_precision(x, 200) for x in state), method=method)
    assert found.digits > 8 and found.contains(np.concatenate(exact).astype(float))


def test_figure_10_2_lies_29_binary_digits_higher_in_single_precision_and_studies_have_a_slope():
    double, single = (far_away_origin([0.1, 100], 9, precision=p) for p in ("double", "single"))
    assert 2**27 < single.size[0] / double.size[0] < 2**31
    assert (single.size > 1e6 * double.size).all()
    assert_allclose(double.condition_numbers, far_away_origin([0.1, 100], 2).condition_numbers, rtol=1e-6)
    assert_array_equal(far_away_origin([5.0], 3).errors, far_away_origin([5.0], 3).errors)
    for study, ends in ((far_away_origin, [1e-3, 1e6]), (accuracy.large_velocity, [1, 1e8])):
        assert_allclose(study(samples=1).x[[0, -1]], ends)

    x = np.array([1.0, 10, 100])
    study = accuracy.Study(x, np.outer(3 * x**2, [0.5, 1, 2]), x)
    assert study.slope() == pytest.approx(2)
    assert_allclose(study.size, x**2 * np.sqrt((1.5**2 + 3**2 + 6**2) / 3))
    with pytest.raises(ValueError, match="lowest and highest are 50 and inf"):
        study.slope(50)


def test_heun_in_simulate_is_the_textbook_formula_and_its_error_is_that_of_the_study():
    lifted = PENDULUM.replace(joints=[Custom(1, lambda q, t: rotz(q[0] - t * t) @ xlt([t * t, 0, 0]))])
    pushed = {"torque": lambda t, q, qd: np.sin(10 * t) - 0.1 * qd, "f_ext": {1: np.ones(6)}}
    swing = simulate(lifted, [1.0], [0.5], (0, 0.3), method="heun", dt=0.1, **pushed)
    q, qd = 1.0, 0.5
    for t in (0.0, 0.1, 0.2):
        a_1 = aba(lifted, [q], [qd], [np.sin(10 * t) - 0.1 * qd], {1: np.ones(6)}, t)[0]
        t, q_2, qd_2 = t + 0.2 / 3, q + 0.2 / 3 * qd, qd + 0.2 / 3 * a_1
        a_2 = aba(lifted, [q_2], [qd_2], [np.sin(10 * t) - 0.1 * qd_2], {1: np.ones(6)}, t)[0]
        q, qd = q + 0.1 * (qd / 4 + 3 / 4 * qd_2), qd + 0.1 * (a_1 / 4 + 3 / 4 * a_2)
    assert_allclose([swing.q[-1, 0], swing.qd[-1, 0]], [q, qd], rtol=1e-13)
    swing, exact = (simulate(lifted, [1.0], [0.5], (0, 0.3), **how)
                    for how in ({"method": "heun", "dt": 0.1}, {"tolerance": 1e-13}))
    error = np.abs([swing.q[-1] - exact.q[-1], swing.qd[-1] - exact.qd[-1]]).max()
    study = convergence_order("heun", lifted, [1.0], [0.5], 0.3, (3, 6, 12, 24))
    assert study.errors[0] == pytest.approx(error, rel=1e-6)
    assert study.order == pytest.approx(2, abs=0.15) and "'heun'" in repr(study) and "to the power 2" in repr(study)
    local = convergence_order("heun", lifted, [1.0], [0.5], 0.3, (24, 48), local=True)
    assert local.order == pytest.approx(3, abs=0.2) and local.errors[0] < study.errors[3]
    loop = convergence_order("heun", FOUR_BAR, CLOSED, np.zeros(3), 0.02, (1, 2))
    assert loop.order == pytest.approx(2, abs=0.3)
    none = convergence_order("rk4", load("zigzag_chain"), np.zeros(6), np.zeros(6), 0.1, (1, 2))
    assert not none.errors.any() and "errors 0, 0>" in repr(none)
    with pytest.raises(ValueError, match="errors is .*nothing shrinks with dt"):
        assert none.order


# Sensitivity

def test_sensitivity_is_by_the_geometry_of_a_tree_and_with_loops_by_the_motions_they_allow(rng):
    tree, q = random_tree(rng, 5), rng.normal(size=5)
    model = tree.model()
    H, here = tree.mass_matrix(q), sensitivity(model, q)
    assert_allclose(H @ here.motions, here.forces * here.inertias, atol=1e-10 * np.abs(H).max())
    assert_allclose(here.forces.T @ here.motions, np.eye(5), atol=1e-12)
    (tau, dtau), rest = rng.normal(size=(2, 5)), np.zeros(5)
    assert_allclose(here.acceleration(tau), aba(model, q, rest, tau) - aba(model, q, rest, rest), rtol=1e-8)
    response = here.acceleration(here.worst_force)
    assert np.linalg.norm(response) == pytest.approx(1 / here.inertias[0])
    assert_allclose(response * here.inertias[0], here.worst_acceleration, rtol=1e-9, atol=1e-12)
    assert here.amplification(here.hardest_force, here.worst_force) == pytest.approx(here.condition_number)
    expected = np.abs(np.linalg.solve(H, dtau) / np.linalg.solve(H, tau)).max() / np.abs(dtau / tau).max()
    assert here.amplification(tau, dtau, entries=True) == pytest.approx(expected, rel=1e-9)

    model = load("five_bar")
    q = close_loops(model, model.neutral() + 0.3)
    rng, rest = np.random.default_rng(1), np.zeros(model.nv)
    here = sensitivity(model, q)
    K, *_ = closed_loops.loop_constraints(model, q, rest)
    assert len(here.inertias) == 2 and np.abs(K @ here.motions).max() < 1e-10
    free = loop_dynamics.by_loop_constraints(model, q, rest, rest)[0]
    for tau in (*rng.normal(size=(5, model.nv)), here.worst_force):
        found = loop_dynamics.by_loop_constraints(model, q, rest, tau)[0] - free
        assert_allclose(here.acceleration(tau), found, atol=1e-9 * np.abs(found).max())
    sizes = [np.linalg.norm(here.acceleration(tau)) for tau in rng.normal(size=(300, model.nv))
             for tau in (tau / np.linalg.norm(tau),)]
    assert 0.8 / here.inertias[0] < max(sizes) <= 1 / here.inertias[0] * (1 + 1e-9)
    scaled = sensitivity(model, q, scaling="diagonal")
    assert_allclose(scaled.acceleration(np.ones(model.nv)), here.acceleration(np.ones(model.nv)), rtol=1e-8)
    with pytest.raises(ValueError, match="q leaves a loop open"):
        sensitivity(model, q + 0.1)
    assert sensitivity(FOUR_BAR, CLOSED).condition_number == 1


@pytest.mark.parametrize("scaling", [None, "diagonal"])
def test_only_scaling_makes_the_unit_of_length_immaterial(scaling):
    """The same cart and pole in metres and in millimetres."""
    model, q = load("cart_pole"), [0.3, 0.8]
    lengths = np.array([1.0, 1, 1, 1e3, 1e3, 1e3])          # of motion vectors; forces change as 1 / them, times 1e6
    in_mm = model.replace(
        X_tree=[X * np.divide.outer(lengths, lengths) for X in model.X_tree[1:]],
        inertia=[I * 1e6 / np.multiply.outer(lengths, lengths) for I in model.inertia[1:]], gravity=1e3 * model.gravity)
    assert_allclose(aba(in_mm, [300, 0.8], [1e3, 2], [1e3, 1e6]), aba(model, q, [1, 2], [1, 1]) * [1e3, 1], rtol=1e-9)
    metres, mm = sensitivity(model, q, scaling=scaling), sensitivity(in_mm, [300, 0.8], scaling=scaling)
    assert metres.mixes_units and ("unit of length" in repr(metres)) == (scaling is None)
    assert not sensitivity(PENDULUM, [0]).mixes_units
    assert (metres.condition_number == pytest.approx(mm.condition_number, rel=1e-6)) == (scaling == "diagonal")
    if scaling:                                 # the correlation of the two variables says all: eigenvalues 1 ± rho
        H = crba(model, q)
        rho = abs(H[0, 1]) / math.sqrt(H[0, 0] * H[1, 1])
        assert metres.condition_number == pytest.approx((1 + rho) / (1 - rho))
        own = sensitivity(model, q, scaling=np.sqrt(H.diagonal()))
        assert own.condition_number == pytest.approx(metres.condition_number)
        assert_allclose(H @ own.motions, own.forces * own.inertias, atol=1e-12)


def test_sensitivity_over_configurations():
    model = load("arm_3r")
    one = sensitivity_over(model, 12)
    assert_array_equal(one.condition_numbers, sensitivity_over(model, 12).condition_numbers)
    assert len(set(one.condition_numbers)) == 12
    assert one.worst.condition_number >= one.condition_numbers.max() and "12 configurations" in repr(one)
    q = np.random.default_rng(5).normal(size=(4, 3))
    given = sensitivity_over(model, q, refine=False)
    assert_allclose(given.condition_numbers, [np.linalg.cond(crba(model, row)) for row in q], rtol=1e-8)
    assert given.worst.condition_number == given.condition_numbers.max() and np.array_equal(given.q, q)
    grid = np.array(np.meshgrid(*[np.linspace(-np.pi, np.pi, 5)] * 3)).reshape(3, -1).T
    assert one.worst.condition_number >= 0.999 * sensitivity_over(model, grid, refine=False).condition_numbers.max()
    assert sensitivity_over(load("particle"), 3).worst.condition_number == pytest.approx(1)      # there are no angles
    for row in sensitivity_over(load("five_bar"), 5).q:
        assert np.abs(closed_loops.loop_constraints(load("five_bar"), row, np.zeros(4))[2]).max() < 1e-9


@pytest.mark.filterwarnings("ignore:Joint")
def test_motions_without_inertia_have_an_infinite_condition_number_and_no_accelerations():
    """Three sliders in one plane can move the same two ways: an inertia that is zero but for rounding is none."""
    model = Model([0, 1], [joint.Prismatic("x"), joint.Revolute("x")], [np.eye(6), xlt([1, 0, 0])],
                  [mcI(1, [0, 0, 0], np.eye(3)), mcI(1, [1, 0, 0], np.diag([0, 1, 1]))])
    here = sensitivity(model, [0, 0])
    assert here.condition_number == sensitivity_over(model, 2).worst.condition_number == np.inf
    with pytest.raises(ValueError, match="variable 1 has no inertia"):
        sensitivity(model, [0, 0], scaling="diagonal")
    bar = mcI(1.3, [0.1, 0.7, 0.3], 0.1 * np.eye(3))
    sliders = Model([0, 1, 2], [joint.Prismatic((1, 2, 0)), joint.Prismatic((3, -1, 0)), joint.Prismatic((1, 1, 0))],
                    [np.eye(6), *[xlt([0.1, 0.2, 0.3])] * 2], [0 * bar, 0 * bar, bar])
    there = sensitivity(sliders, np.zeros(3))
    assert abs(there.inertias[0]) < 1e-15 < there.inertias[1]
    for result in (lambda: here.acceleration([1, 1]), lambda: here.amplification([1, 1], [1, 2]),
                   lambda: here.worst_amplification([1, 1]), lambda: there.acceleration([1, 2, 3])):
        with pytest.raises(ValueError, match="H is singular at q: the smallest of its inertias is"):
            result()
    light = sensitivity(sliders.replace(inertia=[1e-9 * bar, 0 * bar, bar]), np.zeros(3))   # nearly is no obstacle
    assert_allclose(light.H @ light.acceleration([1, 2, 3]), [1, 2, 3], rtol=1e-5)


@pytest.mark.parametrize("scaling", [None, "diagonal"])
def test_forces_that_loops_resist_entirely_have_no_amplification(rng, scaling):
    for name in ("four_bar", "five_bar"):
        model = load(name)
        q = close_loops(model, model.neutral() + 0.3)
        here = sensitivity(model, q, scaling=scaling)
        K, *_ = closed_loops.loop_constraints(model, q, np.zeros(model.nv))
        for _ in range(5):
            resisted, some = K.T @ rng.normal(size=len(K)), rng.normal(size=model.nv)
            for entries in (False, True):
                with pytest.raises(ValueError, match="must not be zero"):
                    here.amplification(resisted, some, entries)
            with pytest.raises(ValueError, match="must not be zero"):
                here.worst_amplification(resisted)
            # what is left of nearly resisted forces makes errors grow beyond any condition number
            push = here.hardest_force
            tau = 1e4 * resisted / np.linalg.norm(resisted / here.sizes) + push
            assert here.worst_amplification(tau) > 1e3 * here.condition_number
            assert here.amplification(push, push) == pytest.approx(1)


def test_the_slope_of_the_condition_number_is_its_finite_difference(moving, rng):
    h, systems = 1e-5, [(in_time("tree", 0.0), rng.normal(size=4)), (moving[0], moving[1][0])]
    for model, q in systems:
        M = rng.normal(size=(model.nv, 2))
        ways = [[model.integrate(q, sign * h * e, 1.0) for sign in (1, -1)] for e in np.eye(model.nv)]
        change = [((crba(model, a, 0.2) - crba(model, b, 0.2)) / (2 * h) @ M * M).sum(axis=0) for a, b in ways]
        assert_allclose(inertia_slopes(model, q, 0.2, M), change, rtol=1e-6, atol=1e-6)
    for scaling in (None, rng.uniform(0.5, 2, model.nv)):
        here = sensitivity(model, q, 0.2, scaling)
        if scaling is None:
            assert here.condition_number == pytest.approx(np.linalg.cond(crba(model, q, 0.2)), rel=1e-6)
        slope = [np.log(np.divide(*(sensitivity(model, x, 0.2, scaling).condition_number for x in way))) / (2 * h)
                 for way in ways]
        assert_allclose(condition_slope(here), slope, rtol=1e-5, atol=1e-7)


def test_the_climb_needs_few_steps_and_ends_on_a_hill(monkeypatch):
    """Twelve links in a row end stretched out straight, where the condition number is about 4 n^4."""
    calls = []
    monkeypatch.setattr("rbdlib.analysis.sensitivity.sensitivity",
                        lambda *given: calls.append(1) or sensitivity(*given))
    found = sensitivity_over(auto_tree(12), 3).worst
    assert 10 < len(calls) < 200                            # by finite differences some 12 times as many
    assert found.condition_number == pytest.approx(sensitivity(auto_tree(12), np.zeros(12)).condition_number, rel=1e-6)
    balls = auto_tree(3, seed=2, joints=[joint.Spherical(), joint.Universal(), joint.Spherical()])
    assert np.abs(condition_slope(sensitivity_over(balls, 5).worst)).max() < 1e-3


# Refusals

@pytest.mark.parametrize(("call", "error", "message"), [
    *((lambda digits=digits: rounding_errors(aba, PENDULUM, [1], [0], [0], digits=digits), ValueError,
       "digits is .*; give") for digits in [0, -1, 10, 18, "double", "quadruple", math.nan, True, [50]]),
    (lambda: rounding_errors(aba, PENDULUM, [1], [0], [0], precision=100, digits=32), ValueError,
     "digits is 32, but the precision has 30.1 decimal digits itself; give 34 or more"),
    (lambda: in_precision(1.0, "quadruple"), ValueError, "precision is 'quadruple'; choose 'single', 'double'"),
    (lambda: in_precision(1.0, 10), ValueError, "precision is 10; .* at least 20"),
    (lambda: in_precision(1.0, True), ValueError, "precision is True"),
    (lambda: rounding_errors(aba, "pendulum"), TypeError, "model is 'pendulum'; give a Model"),
    (lambda: rounding_errors(lambda model: simulate(model, [1], [0], (0, 1)), PENDULUM), TypeError, "returns a Traj"),
    (lambda: rounding_errors(aba, PENDULUM, [math.nan], [0], [0]), ValueError, "q contains nan"),
    (lambda: lost_digits(-1), ValueError, "relative_error is -1"),
    (lambda: lost_digits(math.nan), ValueError, "relative_error is nan"),
    *((lambda changes=changes: enclosures(aba, PENDULUM, [0], [0], [0], **changes), error, message)
      for changes, error, message in (
          ({"relative": 2}, ValueError, "relative is 2"), ({"bits": 0}, ValueError, "bits is 0"),
          ({"relative": "a"}, TypeError, "relative contains the text"),
          ({"relative": None}, TypeError, "relative contains None"),
          ({"relative": 1j}, TypeError, "relative is 1j; give one real"))),
    (lambda: enclosures(aba, PENDULUM, [1j], [0], [0]), TypeError, "x contains complex"),
    (lambda: enclosures(aba, PENDULUM, [sympy.Symbol("x")], [0], [0]), TypeError, "x contains x; give real"),
    (lambda: enclosures(aba, PENDULUM, [1], [0], [0]).contains(0), ValueError, r"x has shape \(\), the bounds \(1,\)"),
    (lambda: enclosures(aba, PENDULUM, [math.nan], [0], [0]), ValueError, "contains nan"),
    *((call, TypeError, "unsupported operand") for call in (
        lambda: Interval(1) / 3 + sympy.Symbol("x"), lambda: sympy.Symbol("x") * (Interval(1) / 3),  # not the midpoint
        lambda: Interval(1) + "a")),
    *((lambda bounds=bounds: Interval(*bounds), error, message) for bounds, error, message in (
        ((2, 1), ValueError, "low is 2, high is 1"), ((math.nan,), ValueError, "low contains nan"),
        ((0, math.inf), ValueError, "high contains inf"), (("a",), TypeError, "low contains the text 'a'"),
        ((1j,), TypeError, "low is 1j; give one real number"), ((0, 1j), TypeError, "high is"),
        ((sympy.Symbol("x"),), TypeError, "low is x; give one real number"),
        ((Interval(1, 2),), TypeError, "low is Interval.* give one real number"),
        ((0, Interval(1)), TypeError, "high is Interval"), ((np.longdouble("nan"),), ValueError, "low contains nan"),
        *(((0.1, None, bits), ValueError, "bits is .*; give the number of binary digits")
          for bits in ("a", None, 0, -1, True, 53.5)))),
    *((call, ValueError, message) for call, message in (
        (lambda: far_away_origin([]), "distances is"), (lambda: far_away_origin([-1.0]), "distances is .* positive"),
        (lambda: accuracy.large_velocity([0.0]), "speeds is .* positive"),
        (lambda: singular_loop([0.0]), "distances is"), (lambda: singular_loop([1.0], "abc"), "method is 'abc'"),
        (lambda: singular_loop([1.0], ["direct"]), "method is .'direct'.; choose"),
        (lambda: inertia_ratio([-2]), "ratios is"),
        (lambda: far_away_origin([1.0, 1e7]), r"distances contains 1e\+07, where double precision leaves no answer"),
        (lambda: accuracy.large_velocity([1e200]), r"speeds contains 1e\+200, where double precision .* Give lower"),
        (lambda: singular_loop([1e-9], samples=1),
         "distances contains 1e-09, where double precision .* Give greater ones"),
        (lambda: far_away_origin([1.0], precision="abc"), "precision is 'abc'; choose"),
        (lambda: singular_loop([1.0], precision="abc"), "precision is 'abc'; choose"),
        *((lambda study=study, x=x: study([1.0], samples=x), f"samples is {x}; give a whole number")
          for study in (far_away_origin, accuracy.large_velocity, inertia_ratio, singular_loop) for x in (0, -1, 1.5)),
        *((lambda study=study: study(5.0), f"{name} is 5.0; give a list") for study, name in (
            (far_away_origin, "distances"), (accuracy.large_velocity, "speeds"), (inertia_ratio, "ratios"))))),
    *((lambda steps=steps: convergence_order("rk4", PENDULUM, [1], [0], 1, steps=steps), ValueError,
       r"steps(\[0\])? is .*; give")
      for steps in ((0, 10), (-5, 10), (10, 10), (10.5, 20.5), 10, "ab", (math.nan, 10), None, [[1, 2], [3, 4]], (4,))),
    (lambda: convergence_order("RK45", PENDULUM, [1], [0], 1), ValueError, "method is 'RK45'; choose 'euler'"),
    (lambda: convergence_order("rk4", PENDULUM, [1], [0], 1, local=True), ValueError,
     "method is 'rk4'; choose 'euler', 'heun'"),
    (lambda: convergence_order("rk4", PENDULUM, [1], [0], 0), ValueError, "duration is 0"),
    (lambda: convergence_order("rk4", PENDULUM, [1], [0], 1j), TypeError, "duration is 1j; give one real number"),
    (lambda: convergence_order("rk4", PENDULUM, [1, 2], [0], 1), ValueError, "q0 has shape"),
    (lambda: convergence_order("rk4", PENDULUM, [1j], [0], 1), TypeError, "contains symbols or complex numbers"),
    (lambda: convergence_order("rk4", PENDULUM, [1], [1j], 1), TypeError, "contains symbols or complex numbers"),
    (lambda: sensitivity("pendulum", [0]), TypeError, "model is 'pendulum'"),
    (lambda: sensitivity_over(TORN, 1), ValueError, "in none of those drawn could the loops be closed"),
    (lambda: sensitivity(PENDULUM, [0, 1]), ValueError, "q has shape"),
    (lambda: sensitivity(PENDULUM, [math.inf]), ValueError, "q contains inf"),
    (lambda: sensitivity(load("double_pendulum"), [sympy.Symbol("x")] * 2), ValueError, "contains symbols or complex"),
    (lambda: sensitivity(load("double_pendulum"), [Interval(0.1, 0.2), 1]), ValueError, "contains .* or intervals"),
    (lambda: sensitivity(PENDULUM, [0], scaling=[1j]), TypeError, "scaling contains symbols or complex"),
    (lambda: sensitivity(PENDULUM, [0]).acceleration([1j]), TypeError, "tau contains symbols or complex"),
    (lambda: sensitivity(PENDULUM, [0]).amplification([1], [1j]), TypeError, "dtau contains symbols or complex"),
    (lambda: sensitivity(PENDULUM, [0]).amplification([0], [1]), ValueError, "must not be zero"),
    (lambda: sensitivity(PENDULUM, [0]).amplification([1], [0]), ValueError, "must not be zero"),
    (lambda: sensitivity(load("cart_pole"), [0, 1]).amplification([0, 1], [1, 1], True), ValueError, "in every entry"),
    (lambda: sensitivity(PENDULUM, [0]).amplification([1], [1, 2]), ValueError, "dtau has shape"),
    (lambda: sensitivity(Model([0], [joint.Fixed()], [np.eye(6)], [mcI(1, [0, 0, 0], np.eye(3))]), []), ValueError,
     "model has no freedom"),
    (lambda: sensitivity(PENDULUM, [0], scaling="mass"), ValueError, "scaling is 'mass'; choose None, 'diagonal'"),
    (lambda: sensitivity(PENDULUM, [0], scaling=[-1]), ValueError, "scaling is .* must be positive"),
    (lambda: sensitivity(PENDULUM, [0], scaling=[1, 2]), ValueError, "scaling has shape"),
    (lambda: sensitivity_over(PENDULUM, []), ValueError, "configurations is empty"),
    *((lambda k=k: sensitivity_over(PENDULUM, k), ValueError, f"configurations is {k}; give a whole number, 1 or more")
      for k in (0, 5.0, True, None, -1)),
    (lambda: sensitivity_over(PENDULUM, [0.1, 0.2]), ValueError, r"configurations has no rows; .* \(k, 1\)"),
    (lambda: sensitivity_over(PENDULUM, [[0.1], [0.1, 0.2]]), ValueError, r"configurations\[1\] has shape"),
    *((lambda refine=refine: sensitivity_over(PENDULUM, 3, refine=refine), ValueError, "refine is .*; choose True or F")
      for refine in (0, 1, "no")),
    (lambda: sensitivity_over(FOUR_BAR, 3, refine=True), ValueError, "refine is True, but angles"),
    (lambda: sensitivity_over("pendulum"), TypeError, "model is 'pendulum'")])
def test_wrong_arguments_are_named(call, error, message):
    for _ in range(2):                                          # again and again
        with pytest.raises(error, match=message):
            call()
