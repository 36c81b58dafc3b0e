"""The diagnoses: an answer with one known fault must be told that fault, and a right one in another dress must pass."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp

from rbdlib.arithmetic import fv, mv, rbi
from rbdlib.book.ch02_planar import Xpln
from rbdlib.book.ch02_spatial import crf, crm, mcI, rot, rx, rz, xlt
from rbdlib.exercises import Exercise, Mistake, catalogue, check, grade, grade_exercise, hint, solution
from rbdlib.exercises.answers import short
from rbdlib.exercises.compare import FunctionSetting
from rbdlib.exercises.declare import Computed
from rbdlib.exercises.show import Page, show

SIX = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
X = rot(rx(0.3)) @ xlt([1, 2, 3])
SWAP = [3, 4, 5, 0, 1, 2]
BLOCK_SIGN = X.copy()
BLOCK_SIGN[3:, :3] *= -1
q1, q2, qd1, m1, m2, l1, g = sp.symbols("q1 q2 qd1 m1 m2 l1 g")
FORMULA = m1 * l1 * qd1**2 * sp.sin(q1 - q2) + m2 * g * sp.cos(q1) - l1 * q2


def exercise(reference, mistakes=(), **options):
    return Exercise(id="9.1", title="A test", reference=reference, solution="None.", hints=("One.", "Two."),
                    mistakes=mistakes, **options)


def report(reference, answer, **options):
    return grade_exercise(exercise(reference, **options), answer)


def changed(array, changes):
    result = np.array(array, dtype=float)
    for index, value in changes.items():
        result[index] = value
    return result


@pytest.mark.parametrize(("reference", "answer"), [
    (SIX, [1, 2, 3, 4, 5, 6]), (SIX, range(1, 7)), (SIX, SIX[:, None]), (SIX, sp.Matrix([1, 2, 3, 4, 5, 6])),
    (5.0, [5]), ([5.0], 5), (sp.sqrt(2) / 2, 0.7071), (np.sqrt(2) / 2, sp.sqrt(2) / 2), (X, sp.Matrix(X)),
    (np.zeros(3), [1e-17j, 0, 5e-7]), (3.0, 3 + 2e-9j), (np.array([1e-17, 1.0]), [0, 1]),
    (FORMULA, sp.expand_trig(FORMULA)),
    (FORMULA, FORMULA.subs(q1, sp.Symbol("q1", positive=True))), (sp.sin(2 * q1), 2 * sp.sin(q1) * sp.cos(q1)),
    (sp.Matrix([m1 * q1, 0]), [q1 * m1, 0]), (sp.sin(q1) ** 2 + sp.cos(q1) ** 2 + m1, m1 + 1.0),
    (sp.sqrt(sp.Symbol("m", positive=True)), sp.sqrt(sp.Symbol("m"))),
    (sp.Symbol("m", positive=True), sp.Abs(sp.Symbol("m")))])
def test_right_in_another_form(reference, answer):
    assert report(reference, answer).correct


@pytest.mark.parametrize(("reference", "answer", "correct"), [
    (9.81, 9.8, False), (9.81, 9.811, True), (1.0, 1.0009, True), (1.0, 1.002, False), (1000, 1001, False),
    (1000.0, 1000.9, True), ([1000.0, 0.001], [1000.0, 0.0], False), ([1000.0, 0.0], [1000.0, 1e-5], True),
    ([1000.0, 0.0], [1000.0, 0.1], False)])
def test_tolerance_lets_four_digits_pass_and_no_fewer(reference, answer, correct):
    assert report(reference, answer).correct is correct
    assert not report(1.0, 1.0009, rtol=1e-4).correct and report(1.0, 1.04, rtol=0.05).correct, "it can be set"


# One fault at a time

OF_A_VECTOR = [
    (-SIX, "sign", "Every entry has the opposite sign"),
    (changed(SIX, {5: -6}), "sign", "The third linear component (entry 6) is wrong; the other 5 are right"),
    (changed(SIX, {0: 9}), "entry", "The first angular component (entry 1) is wrong"),
    (changed(SIX, {0: 9, 4: 9}), "entry", "4 of 6 entries are right. Wrong: the first angular component (entry 1) and "
                                          "the second linear component (entry 5)"),
    ([9] * 6, "entry", "None of the 6 entries is right yet"), (changed(SIX, {2: 4, 3: 3}), "entry", "are exchanged"),
    (2 * SIX, "factor", "twice the right one"), (SIX / 12, "factor", "a twelfth of"),
    (-SIX / 2, "factor", "minus half"), (1.7 * SIX, "factor", "1.7 times"),
    (SIX[SWAP], "swapped", "angular and the linear part are exchanged"), (np.degrees(SIX), "degrees", "in degrees"),
    (np.radians(SIX), "degrees", "one conversion from degrees too many"),
    ([*np.degrees(SIX[:3]), 4, 5, 6], "degrees", "The linear part is right. The angular part is in degrees"),
    ([1, 2, 3, -4, -5, -6], "sign", "The angular part is right. The linear part has the opposite sign"),
    ([1, 2, 3, 0, 0, 0], "entry", "The linear part is zero, but should not be"), ([SIX], "transpose", "1×6 matrix"),
    (SIX[:3], "shape", "Your three numbers are the angular part"),
    (SIX[3:], "shape", "Your three numbers are the linear part"),
    ([7, 7, 7], "shape", "three angular coordinates and then three linear ones"),
    (SIX[:5], "shape", "You gave a vector of 5 entries; the answer is a vector of 6 entries"),
    (SIX.reshape(2, 3), "shape", "The number of entries is right"), (7, "shape", "You gave a single number"),
    ([[1, 2], [3]], "shape", "entry 1 has shape 2, but entry 2 has shape 1"),
    (SIX * 1.01, "rounding", "four significant digits")]
OF_A_NUMBER = [
    (-4.2, "sign", "Your answer has the opposite sign"), (8.4, "factor", "twice"), (4.2 * 9.81, "factor", "9.81 times"),
    (np.degrees(4.2), "degrees", "in degrees"), (-1.0, "entry", "wrong sign, and its size"),
    (0, "entry", "is zero, but should not be"), (4.15, "rounding", "within 2 percent"),
    ([1, 2], "shape", "vector of 2 entries; the answer is a single number")]
#: The other way round: the quantity, the right answer and what is handed in.
OF_A_QUANTITY = [
    ("force", SIX, changed(SIX, {1: 9}), "entry", "The second component of the moment (entry 2)"),
    ("force", SIX, changed(SIX, {3: 9}), "entry", "The first component of the linear force (entry 4)"),
    ("force", SIX, SIX[SWAP], "swapped", "moment first, then force: [n, f]"),
    ("motion", SIX, SIX[SWAP], "swapped", "angular part first, then linear: [ω, v]"),
    ("force", SIX, [-1, -2, -3, 4, 5, 6], "sign", "The linear force is right. The moment has the opposite sign"),
    ("planar motion", [5, 1, 2], [1, 2, 5], "swapped", "angular part first"),
    ("planar motion", [5, 1, 2], [5, 1, 3], "entry", "The y component of the velocity (entry 3)"),
    ("vector", [5, 1, 2], [5, 1, 3], "entry", "The z component (entry 3)"),
    ("coordinates", SIX, changed(SIX, {1: 9}), "entry", "Entry 2 is wrong"), ("", 0.0, 3.0, "entry", "should be zero")]
OF_A_MATRIX = [
    ("transform", X, X.T, "transpose", "force vectors back from B to A"),
    ("transform", X, np.linalg.inv(X), "inverse", "from B to A"),
    ("transform", X, np.linalg.inv(X).T, "dual", "This is X*"),
    ("force transform", np.linalg.inv(X).T, X, "dual", "This is X, the transform of motion vectors"),
    ("force transform", np.linalg.inv(X).T, np.linalg.inv(X), "transpose", "X* transposed"),
    ("", X, np.linalg.inv(X).T, "dual", "inverse transpose"),
    ("planar transform", Xpln(0.4, [1, 2]), np.linalg.inv(Xpln(0.4, [1, 2])), "inverse",
     "inverse of X: it takes motion"), ("rotation", rz(0.4), rz(-0.4), "transpose", "E transposed"),
    ("", np.diag([1.0, 2, 4]), np.diag([1, 0.5, 0.25]), "inverse", "inverse"),
    ("", [[1, 2], [3, 5]], [[1, 3], [2, 5]], "transpose", "rows and columns are exchanged"),
    ("", [[1, 2, 3], [4, 5, 6]], [[1, 4], [2, 5], [3, 6]], "transpose", "rows and columns are exchanged"),
    ("", crm(SIX), crf(SIX), "dual", "negative transpose"), ("", X, -X, "sign", "opposite sign"),
    ("", X, BLOCK_SIGN, "sign", "The lower left 3×3 block has the opposite sign"),
    ("", X, changed(X, {(4, 1): 7}), "entry", "Row 5 column 2 is wrong; the other 35 are right"),
    ("", X, changed(X, {(4, 1): -X[4, 1], (4, 2): -X[4, 2]}), "sign",
     "row 5 column 2 and row 5 column 3, all in the lower left 3×3 block. Each of them has the opposite sign"),
    ("", np.eye(3), [[1, 2, 0], [0, 1, 0], [0, 0, 1]], "entry", "Row 1 column 2 is wrong"),
    ("", [[1, 2], [2, 5]], [[1, 2], [7, 6]], "entry", "should be symmetric"),
    ("", X, X[:3, :3], "shape", "3×3 matrix; the answer is a 6×6 matrix"),
    ("inertia", mcI(2, [1, 2, 3], np.eye(3)), mcI(2, [1, 2, 3], np.eye(3))[SWAP][:, SWAP], "swapped", "exchanged")]
#: More digits are asked for only where digits are the matter; names and counts are no multiples of one another.
OF_A_SIZE = [
    ("", 1000, 1001, "entry", ""), ("", 1000.0, 1001.5, "rounding", ""),
    ("", [1000.0, 0.0], [1001.0, 0.005], "rounding", ""),
    ("", [1000.0, 0.0], [1001.0, 5.0], "entry", ""), ("", [1000.0, 0.0], [1001.0, 2.0], "entry", ""),
    ("", q1, 1.01 * q1, "factor", ""),
    ("whole numbers", (0, 1, 2, 1, 1), [0, 1, 2, 2, 2], "entry",
     "3 of 5 entries are right. Wrong: entry 4 and entry 5. Each of them is too large."),
    ("whole numbers", (0, 1, 2, 1, 1), [0, 2, 4, 2, 2], "entry", "1 of 5 entries is right"),
    ("whole numbers", (2, 1, 1, 1, 1, 1), [2, 1, 1, 2, 2, 2], "entry", "3 of 6 entries are right"),
    ("whole numbers", (1, 2, 3, 4, 5, 6), [4, 5, 6, 1, 2, 3], "entry", "None of the 6 entries")]


@pytest.mark.parametrize(("quantity", "reference", "answer", "kind", "words"), [
    *(("", SIX, *fault) for fault in OF_A_VECTOR), *(("", 4.2, *fault) for fault in OF_A_NUMBER),
    *OF_A_QUANTITY, *OF_A_MATRIX, *OF_A_SIZE])
def test_one_fault_is_named(quantity, reference, answer, kind, words):
    result = report(reference, answer, quantity=quantity)
    assert (result.correct, result.kind, words in result.message) == (False, kind, True), result
    assert ("should be symmetric" in result.message) == (words == "should be symmetric"), result


def test_too_large_and_too_small_are_said_alike():
    for right, size in ((4, ""), (-4, " in size")):
        assert report(right, 2.375 * right).message == f"Your answer is too large{size}."
        assert report(right, 0.375 * right).message == f"Your answer is too small{size}."


@pytest.mark.parametrize(("name", "start"), [
    ("r", "r (entry 2) is wrong"), ("n^c", "n^c (entry 2) is wrong"),
    ("expected mobility", "Expected mobility (entry 2) is wrong"),
    ("x of A's origin", "x of A's origin (entry 2) is wrong")])
def test_names_of_entries_begin_a_sentence_and_symbols_stay_as_they_are(name, start):
    assert report([1, 2], [1, 3], names=("first", name)).message.startswith(start)


def test_a_plane_vector_is_not_taken_for_a_motion_unless_it_is_declared_as_one():
    assert report([5, 1, 2], [1, 2, 5]).kind != "swapped"
    assert report(SIX, SIX[SWAP], quantity="coordinates").kind != "swapped"


# Products

FACTORS = {"X": X, "Y": rot(rz(0.5)) @ xlt([0, 1, 0]), "v": SIX, "v×": crm([3, 1, 2, 1, 0, 1])}


@pytest.mark.parametrize(("names", "answer", "kind", "words"), [
    (("X", "v"), lambda X, v: np.linalg.inv(X) @ v, "inverse", "inverse of X"),
    (("X", "v"), lambda X, v: np.linalg.inv(X).T @ v, "dual", "step from X to X*"),
    (("X", "v"), lambda X, v: X.T @ v, "transpose", "X transposed"),
    (("X", "Y"), lambda X, Y: Y @ X, "order", "you have Y X, and the product asked for is X Y"),
    (("X", "Y", "v"), lambda X, Y, v: X @ np.linalg.inv(Y) @ v, "inverse", "inverse of Y"),
    (("v×", "v"), lambda V, v: -V.T @ v, "dual", "step from v× to v×*")])
def test_a_product_gone_wrong_is_traced_to_its_factor(names, answer, kind, words):
    factors = {name: FACTORS[name] for name in names}
    right = np.linalg.multi_dot(list(factors.values()))
    result = report(right, answer(*factors.values()), product=lambda: factors)
    assert (result.kind, words in result.message) == (kind, True), result


def test_factors_that_cannot_be_exchanged_do_no_harm_and_may_be_symbols():
    column, row = np.array([[1.0], [2.0], [4.0]]), np.array([[1.0, 3.0, 5.0]])
    assert report(column @ row, (column @ row).T, product=lambda: {"a": column, "b": row}).kind == "transpose"
    S, v = xlt([l1, 0, 0]), [0, 0, qd1, 0, 0, 0]
    assert report(lambda: S @ v, xlt([-l1, 0, 0]) @ v, product=lambda: {"X": S, "v": v}).kind == "inverse"


# Formulas

@pytest.mark.parametrize(("answer", "kind", "words"), [
    (-FORMULA, "sign", "opposite sign"), (FORMULA / 2, "factor", "half"),
    (FORMULA + 2 * l1 * q2, "expression", "l1*q2 has the wrong sign"),
    (FORMULA - m2 * g * sp.cos(q1), "expression", "one that contains g, m2, q1"),
    (FORMULA + m2 * g * sp.cos(q1), "expression", "The factor 2 is not right in 2*g*m2*cos(q1)"),
    (FORMULA + m1, "expression", "m1 should not be there"),
    (l1 * (m1 * qd1**2 * sp.sin(q1 - q2) + q2) + m2 * g * sp.cos(q1), "expression", "q2 has the wrong sign in q2 + "),
    (FORMULA.subs(g, sp.Symbol("gg")), "symbol", "the symbol gg"),
    (FORMULA.subs(qd1, sp.Symbol("qd3")), "symbol", "Did you mean qd1?"),
    (FORMULA.subs(l1, m1), "expression", "Where you wrote m1: which one"), (m1 * q1, "expression", "does not contain"),
    (FORMULA**2, "expression", "the square of the right one"),
    (sp.sin(FORMULA) + 1, "expression", "Your formula is not equal to the right one. At g = "),
    (3, "expression", "does not contain"), (sp.Matrix([FORMULA, FORMULA]), "shape", "vector of 2 entries")])
def test_a_formula_with_one_fault(answer, kind, words):
    result = report(lambda: FORMULA, answer)
    assert not result.correct
    assert (result.kind, words in result.message) == (kind, True), result


def test_formulas_in_a_matrix_are_told_the_entry_and_the_term():
    H, wrong = (sp.Matrix([[first, m2 * sp.cos(q1)], [m2 * sp.cos(q1), m2]]) for first in (m1 + m2, m1 - m2))
    result = report(H, wrong)
    assert result.kind == "expression" and "-m2 has the wrong sign" in result.message
    assert result.message.startswith("Row 1 column 1 is wrong; the other 3 are right.")


def test_symbols_are_allowed_where_they_are_wanted_and_may_have_either_sign():
    assert "contains the symbol q1, but numbers are wanted" in report([1.0, 2.0], [1, q1]).message
    assert report(1.0, sp.Mul(q1, 1 / q1, evaluate=False)).kind == "symbol"
    assert not report(q1, sp.sqrt(q1**2)).correct and not report(sp.Abs(q1), q1).correct
    assert report(m1 * g, m1 * g + q1, symbols=("q1",)).kind == "expression"
    assert report(m1 * g, m1 * g + q1).kind == "symbol"


def test_a_counterexample_can_be_recomputed():
    result = report(sp.cos(q1), sp.sin(2 * q1 + 1))
    value, yours, right = (float(re.search(rf"{words} (-?[\d.]*\d)", result.message)[1])
                           for words in ("q1 =", "gives", "should give"))
    assert (yours, right) == (pytest.approx(np.sin(2 * value + 1), abs=0.02), pytest.approx(np.cos(value), abs=0.02))


# Functions

def arm(q, l):
    return np.array([l * np.sin(q[0]), l * np.cos(q[0])])


ARM = exercise(arm, kind="function", inputs=lambda rng: (rng.normal(size=2), rng.uniform(1, 2)),
               mistakes=(Mistake(lambda q, l: [np.sin(q[0]), np.cos(q[0])], "Where is the length?", "factor"),
                         Mistake(lambda q, l: [l * np.cos(q[0]), l * np.sin(q[0])], "Sine and cosine.", "entry")))


def test_counts_and_indices_of_a_call_are_shown_as_they_are_given():
    """Whole numbers stay whole, and measured ones keep their decimals."""
    taken = exercise(lambda n, chosen, places, q, K: n, kind="function",
                     inputs=lambda rng: (np.int64(3), [0, 2], np.array([1, 4]), [0, 0.123456], 40.0))
    assert FunctionSetting(taken).call(0) == "f(n=3, chosen=[0, 2], places=[1, 4], q=[0.0, 0.1235], K=40.0)"


@pytest.mark.parametrize(("function", "kind", "words"), [
    (lambda q, l: [l * np.sin(q[0]), l * np.cos(q[0])], "right", "right"),
    (lambda q, l: sp.Matrix(arm(q, l)), "right", "right"),
    (lambda q, l: [np.sin(q[0]), np.cos(q[0])], "factor", "Where is the length?"),
    (lambda q, l: -arm(q, l), "sign", "opposite sign"), (lambda q, l: 2 * arm(q, l), "factor", "twice"),
    (lambda q, l: [l * np.sin(q[0]), l], "entry", "Entry 2 is wrong; the other one is right. It is not what it should "
                                                  "be. For f(q=["),
    (lambda q, l: arm(q, l)[:1], "shape", "vector of 1 entry; the answer is a vector of 2 entries"),
    (lambda q, l: arm(q, l) if q[0] > 0 else 0, "shape", "Your function returns shape"),
    (lambda q: 1, "error", "must take 2 arguments: (q, l)"),
    (lambda q, l: 1 / 0, "error", "ZeroDivisionError: division by zero"),
    (lambda q, l: None, "unanswered", "no answer yet"),
    (lambda q, l: arm(q, l) if q[0] > 0 else None, "error", "Your function returns nothing for f(q=["),
    (lambda q, l: "text", "error", "The returned value is text"),
    (lambda q, l: [np.nan, 1], "error", "The returned value at entry 1 is NaN"),
    (lambda q, l: [q1, g], "error", "returns the symbol g;"),
    (lambda q, l: [sp.asin(2, evaluate=False), 1], "error", "has no finite real value"),
    (lambda q, l: [sp.sqrt(2) * sp.sin(q[0]), 1], "entry", "None of the 2 entries"),
    *((thing, "error", "Hand in the function itself") for thing in (q1, 3.0)), (None, "unanswered", "no answer yet")])
def test_functions(function, kind, words):
    result = grade_exercise(ARM, function)
    assert (result.kind, words in result.message) == (kind, True), result
    assert result.correct is (kind == "right")


def test_functions_that_are_not_written_yet_change_their_arguments_or_hand_out_one_array():
    def later(q, l):
        raise NotImplementedError

    def greedy(q, l, divisor=1):
        result = arm(q, l) / divisor
        q[:] = 0
        return result

    store = np.zeros(2)

    def careless(q, l):
        store[:] = arm(q, l)
        return store

    assert grade_exercise(ARM, later).kind == "unanswered"
    assert grade_exercise(ARM, lambda q, l: greedy(q, l)).correct and grade_exercise(ARM, arm).correct
    assert grade_exercise(ARM, lambda q, l: greedy(q, l, l)).message == "Where is the length?"
    assert grade_exercise(ARM, careless).correct


# Words, mistakes, types

CHOICE = exercise("b", kind="word", choices={"a": "It moves.", "b": "It stays."},
                  mistakes=(Mistake("a", "Nothing moves."),))
WORD = exercise(("screw axis", "the screw axis"), kind="word", section="Screws",
                mistakes=(Mistake("pivot", "Not fixed."),))


@pytest.mark.parametrize(("given", "answer", "kind", "words"), [
    (CHOICE, "b", "right", "right"), (CHOICE, " (B). ", "right", "right"), (CHOICE, "it stays", "right", "right"),
    (CHOICE, "a", "mistake", "Nothing moves."), (CHOICE, "It moves.", "mistake", "Nothing moves."),
    (CHOICE, "z", "entry", "Choose one of a and b"), (CHOICE, 2, "error", "Answer with text in quotes"),
    (CHOICE, None, "unanswered", "no answer yet"), (CHOICE, "b" * 10_000, "error", "too long"),
    (WORD, "Screw  Axis", "right", "right"), (WORD, "screw axsi", "entry", "check the spelling"),
    (WORD, "pivot", "mistake", "Not fixed."), (WORD, "banana", "entry", 'in the section "Screws"'),
    (WORD, ["screw axis"], "error", "Answer with text in quotes")])
def test_words_and_choices(given, answer, kind, words):
    result = grade_exercise(given, answer)
    assert (result.kind, words in result.message) == (kind, True), result


def test_a_declared_mistake_comes_before_the_general_diagnosis():
    given = exercise(SIX, mistakes=(Mistake(lambda: -SIX, "You look from the other side.", "frame"),
                                    Mistake([1, 2, 3], "Only half.", "shape"),
                                    Mistake(SIX * m1, "No symbols.", "symbol")))
    found = [grade_exercise(given, answer) for answer in (SIX * m1, -SIX, [1, 2, 3])]
    assert [x.message for x in found] == ["No symbols.", "You look from the other side.", "Only half."]
    assert found[1].kind == "frame"


def test_typed_vectors_are_read_and_told_apart():
    assert report(SIX, mv(SIX[:3], SIX[3:]), quantity="motion").correct
    result = report(SIX, fv(SIX[:3], SIX[3:]), quantity="motion")
    assert (result.kind, result.message) == ("dual", "You hand in a force vector, and a motion vector is wanted.")
    I = mcI(2, [1, 2, 3], np.eye(3))
    assert report(I, rbi.from_matrix(I), quantity="inertia").correct


def test_mistakes_are_named_alike_in_file_and_module_symbols_are_as_the_file_says_and_quotations_short(monkeypatch):
    symbols = catalogue.formula(["m*x + 2", "n"], "m n")()
    assert {str(s): s.is_positive for s in sp.Tuple(*symbols).free_symbols} == {"m": True, "n": True, "x": None}
    assert short("x" * 60) == "x" * 60 and short("x" * 61) == "x" * 59 + "…" and short("a\n  b") == "a b"
    monkeypatch.setattr(catalogue, "ANSWERS", {})
    with pytest.raises(ValueError, match=r"Exercise 2\.\d+: the computed mistakes are called \[\], but in .* \['"):
        catalogue.read_exercises.__wrapped__(catalogue.notebooks()[2])
    with pytest.raises(ValueError, match="'tan' does not stand in arm"):
        Computed(arm).instead({"tan": "cot"})([0], 1)
    assert Computed(arm).instead({"np.sin": "2 * np.sin"})([0.5], 1)[0] == 2 * np.sin(0.5)


def test_no_wrong_answer_is_ever_just_incorrect():
    rng = np.random.default_rng(5)
    for shape in [(), (3,), (6,), (2, 2), (6, 6), (6, 2), (4,)]:
        for _ in range(20):
            reference, answer = rng.integers(-2, 3, size=(2, *shape)).astype(float)
            result = report(reference, answer)
            assert result.correct == np.allclose(reference, answer)
            assert result.correct or len(result.message) > 20


# The four functions for the reader

@pytest.mark.parametrize("function", [check, hint, solution, grade])
@pytest.mark.parametrize(("id", "error", "words"), [
    ("0.11", ValueError, "This notebook has 0.1, 0.2, 0.3, 0.4, 0.5"),
    ("77.1", ValueError, "There is no exercise '77.1'"), ("", ValueError, "There are 0.1"),
    ("o.1", ValueError, "Did you mean"), (0.1, TypeError, r'in quotes, as in check\("0.1", answer\)'),
    (None, TypeError, "in quotes")])
def test_an_unknown_exercise_is_named_with_those_that_exist(function, id, error, words):
    with pytest.raises(error, match=words):
        function(id, 1) if function in (check, grade) else function(id)


def test_check_returns_nothing_and_wraps_its_lines_and_a_page_is_markdown_in_a_notebook_alone(capsys, monkeypatch):
    assert check("0.1", [0, 0, 1, 0, 2, 0]) is None and max(map(len, capsys.readouterr().out.splitlines())) <= 100
    page = Page("Title", "\n    One $x$.\n    Two.\n")
    assert page._repr_markdown_() == "**Title**\n\nOne $x$.\nTwo."
    show(page)
    assert capsys.readouterr().out == "Title\n\nOne $x$.\nTwo.\n"
    displayed = []
    monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(kernel="a kernel"))
    monkeypatch.setattr("IPython.display.display", displayed.append)
    show(page)
    assert displayed == [page] and not capsys.readouterr().out


@pytest.mark.parametrize(("options", "words"), [
    ({"id": "2"}, "id must look like"), ({"kind": "essay"}, "kind is 'essay'"),
    ({"quantity": "colour"}, "quantity is 'colour'"), ({"kind": "function"}, "inputs"),
    ({"choices": {"a": "A"}}, "choices belong"), ({"kind": "function", "inputs": len}, "must be a function"),
    ({"model": "arm_2r"}, "model and asks belong together"), ({"asks": "C"}, "model and asks belong together"),
    ({"model": "arm_2r", "asks": "C", "where": "n whole"}, "where is about"), ({"question": " "}, "question is empty"),
    ({"level": 4}, "level is 4")])
def test_a_declaration_that_contradicts_itself_is_refused(options, words):
    declaration = {"id": "9.1", "title": "T", "reference": 1, "solution": "S.", "hints": ("A.", "B."), "mistakes": ()}
    with pytest.raises(ValueError, match=words):
        Exercise(**(declaration | options))


@pytest.mark.parametrize(("reference", "words"), [
    ("x + 1", "reference of exercise 9.1"), (sp.factorial(q1), "reference of exercise 9.1"),
    (sp.sqrt(-(q1**2)), "no real value")])
def test_a_reference_that_cannot_be_used_is_not_blamed_on_the_learner(reference, words):
    with pytest.raises(ValueError, match=words):
        report(reference, 3)
