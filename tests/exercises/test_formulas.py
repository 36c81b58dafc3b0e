"""Every notebook's exercises on paper go through `rbdlib.verification`: text and LaTeX are read, mistakes are named."""

import functools
import re
import time

import numpy as np
import pytest

from rbdlib.exercises import check, grade
from rbdlib.exercises.catalogue import all_exercises, notebooks
from rbdlib.exercises.compare import computed, is_formula
from rbdlib.exercises.more import all_more
from rbdlib.verification.plain import Reference
from rbdlib.verification.trees import expression as expr
from rbdlib.verification.trees.expression import Operation, postorder, symbols, to_latex, to_text

#: Every exercise with a formula for an answer, in reading order, and every additional one.
EXERCISES, MORE = (tuple(e for e in found if e.kind == "value" and is_formula(e))
                   for found in (all_exercises(), all_more()))


@functools.cache
def trees(exercise):
    """The formulas of the right answer, an array."""
    return Reference(computed(exercise.reference)).entries


def as_text(array):
    """Formulas as a learner writes them on paper: alone, a list in brackets, or rows with semicolons between."""
    rows = [[to_text(x) for x in row] for row in (array if array.ndim == 2 else array.reshape(1, -1))]
    return rows[0][0] if not array.ndim else f"[{'; '.join(', '.join(row) for row in rows)}]"


def as_latex(array):
    """Formulas in LaTeX: alone, or a matrix."""
    if not array.ndim:
        return f"${to_latex(array.item())}$"
    rows = array if array.ndim == 2 else array.reshape(-1, 1)
    body = r" \\ ".join(" & ".join(map(to_latex, row)) for row in rows)
    return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"


def wrong_signs(array):
    """The formulas with one sign changed, of an entry or of a summand of a sum in it: a list of arrays."""
    found = []
    for place in np.ndindex(array.shape):
        tree = array[place]
        changed = [_negative(tree)] if symbols(tree) else []
        for node in postorder(tree):
            for k, part in enumerate(node.operands if isinstance(node, Operation) and node.kind == "+" else ()):
                parts = (*node.operands[:k], _negative(part), *node.operands[k + 1 :])
                changed.append(_replaced(tree, node, Operation("+", parts)))
        for new in changed:
            found.append(array.copy())
            found[-1][place] = new
    return found


def _negative(tree):
    return tree.operands[0] if isinstance(tree, Operation) and tree.kind == "neg" else Operation("neg", (tree,))


def _replaced(tree, old, new):
    made = {}
    for node in postorder(tree):
        made[id(node)] = new if node is old else expr.with_children(node, [made[id(x)] for x in node.parts])
    return made[id(tree)]


#: Those of each notebook, by its number as text.
PAPER = {number: [e for e in EXERCISES if e.id.partition(".")[0] == number] for number in map(str, notebooks())}

#: What a wrong sign is called: also where it changes the argument of a sine, or is that of the weight.
NAMES = {"sign", "opposite sign", "gravity sign", "gravity reversed", "coupling sign", "argument"}


def test_every_notebook_asks_for_a_formula():
    assert all(PAPER.values())


@pytest.mark.parametrize(("exercise", "write"), [
    pytest.param(exercise, write, id=f"{write.__name__}-{exercise.id}", marks=[pytest.mark.long] * ((k + latex) % 2))
    for k, exercise in enumerate(EXERCISES + MORE) for latex, write in enumerate([as_text, as_latex])])
def test_a_right_formula_is_accepted_as_text_and_in_latex(exercise, write):
    report = grade(exercise.id, write(trees(exercise)))
    assert report.correct, report.message
    assert report.verified.ok


@pytest.mark.parametrize("number", PAPER)
def test_a_wrong_sign_is_named_in_every_notebook(number):
    """The signs in formulas are changed one by one, until two are named; declared mistakes have their own sentences."""
    seen = 0
    for exercise in PAPER[number]:
        messages = {mistake.message for mistake in exercise.mistakes}
        for array in wrong_signs(trees(exercise))[: 2 * (seen < 2)]:
            report = grade(exercise.id, as_text(array))
            assert not report.correct
            if report.message in messages or report.kind == "error":
                assert report.kind != "error" or "no real value" in report.message      # a root of something negative
                continue
            seen += 1
            found = {finding.kind for finding in (*report.verified.explanations, ())[0]}
            assert found & NAMES, (exercise.id, as_text(array), report.message)
            assert any(word in report.message for word in ("sign", "gravity", "argument", "angle"))
            alone = sum(not entry.ok for entry in report.verified.decision.entries) == 1
            assert not (alone and re.search(r"In (row|entry)", report.message)), "the only wrong one needs no name"
    assert seen


@pytest.mark.parametrize("answer", [
    "9" * 100_000, "q1^q1^q1^q1^q1^9", "__import__('os').system('true')", "0.7; 0.8", "l2*m2*" * 20_000])
def test_hostile_text_is_refused_at_once(answer):
    for id in ("0.7", "24.4"):
        start = time.process_time()
        report = grade(id, answer)
        assert time.process_time() - start < 20, "it takes less than two seconds"
        assert not report.correct and 20 < len(report.message) < 900


@pytest.mark.parametrize(("id", "answer", "holds"), [
    ("1.51", "sqrt(n)", lambda n: n.is_integer() and n > 0), ("9.1", "sqrt(n)", lambda n: n.is_integer() and n > 0),
    ("24.5", "sqrt(n + d)", lambda n, d: n.is_integer() and d.is_integer() and d <= n),
    ("23.52", "a + 2*b", lambda a, b: a > b > 0),
    ("3.8", "Omega^2*(I_1 + 2*I_2*I_3)", lambda I_1, I_2, I_3, Omega: 0 < I_1 < I_2 < I_3),
    ("21.2", "sqrt(h)*e*g^3", lambda e, g, h: 0 < e < 1 and g > 0 and h > 0),
    ("13.7", "m1*q^2 + l2*m2", lambda l2, m1, m2, q: l2 > 0 and m1 > 0 and m2 > 0)])
def test_counterexamples_agree_with_what_the_question_says(id, answer, holds):
    report = grade(id, answer)
    assert not report.correct
    shown = [re.search(r"At (.*?) it gives", report.message), re.search(r"for (.*?):", str(report.verified))]
    assert all(shown)
    for found in shown:
        assert holds(**{name: float(x) for name, x in re.findall(r"(\w+) = (-?[\d.]*\d)", found[1])})


def test_the_place_is_pointed_at_below_the_text(capsys):
    check("0.8", "m1*l1^2 + m2*(l1^2 + l2^2 + 2*l1*l2*sin(q2))")
    lines = capsys.readouterr().out.splitlines()
    assert not any("reason" in line for line in lines)               # one reason needs neither heading nor number
    mark = next(line for line in lines if set(line.strip()) == {"^"})
    assert lines[lines.index(mark) - 1][mark.index("^") :].startswith("sin(q2)")
