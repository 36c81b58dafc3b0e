"""Every notebook's exercises on paper go through `rbdlib.verification`: text and LaTeX are read, mistakes are named."""

import re
import time

import pytest

from rbdlib.exercises import check, grade
from rbdlib.exercises.catalogue import notebooks
from tests.exercises.formulas import EXERCISES, MORE, as_latex, as_text, notebook, trees, wrong_signs

PAPER = {notebook(exercise): [e for e in EXERCISES if notebook(e) == notebook(exercise)] for exercise in EXERCISES}

#: What a wrong sign is called: also where it changes the argument of a sine, or is that of the weight.
NAMES = {"sign", "opposite sign", "gravity sign", "gravity reversed", "coupling sign", "argument"}


def test_every_notebook_asks_for_a_formula():
    assert set(PAPER) == {str(number) for number in notebooks()}


@pytest.mark.parametrize("exercise", EXERCISES + MORE, ids=lambda exercise: exercise.id)
@pytest.mark.parametrize("write", [as_text, as_latex])
def test_a_right_formula_is_accepted_as_text_and_in_latex(exercise, write):
    report = grade(exercise.id, write(trees(exercise)))
    assert report.correct, report.message
    assert report.verified.ok


@pytest.mark.parametrize("number", PAPER)
def test_a_wrong_sign_is_named_in_every_notebook(number):
    """The signs in each formula are changed one by one; those that are declared mistakes have their own sentences."""
    seen = 0
    for exercise in PAPER[number]:
        messages = {mistake.message for mistake in exercise.mistakes}
        for array in wrong_signs(trees(exercise))[:2]:
            report = grade(exercise.id, as_text(array))
            assert not report.correct
            if report.message in messages or report.kind == "error":
                assert report.kind != "error" or "no real value" in report.message      # a root of something negative
                continue
            seen += 1
            found = {finding.kind for finding in (*report.verified.explanations, ())[0]}
            assert found & NAMES, (exercise.id, as_text(array), report.message)
            assert any(word in report.message for word in ("sign", "gravity", "argument", "angle"))
    assert seen


@pytest.mark.parametrize("answer", [
    "9" * 100_000, "q1^q1^q1^q1^q1^9", "__import__('os').system('true')", "0.7; 0.8", "l2*m2*" * 20_000])
def test_hostile_text_is_refused_at_once(answer):
    for id in ("0.7", "24.4"):
        start = time.process_time()
        report = grade(id, answer)
        assert time.process_time() - start < 20, "it takes less than two seconds"
        assert not report.correct and 20 < len(report.message) < 900


@pytest.mark.parametrize(("id", "answer", "words"), [
    ("0.8", "m1*l1^2 + m2*(l1^2 + l2^2 + 2*l1*l2*sin(q2))", "sine and cosine are exchanged"),
    ("10.3", "m3*l3*(l3/3 + (l2*cos(q3) + l1*cos(q1 + q2))/2)", "q1"),
    ("9.8", r"-\frac12 m_2 l_1 l_2 \sin q_2 (2\dot q_1\dot q_2 - \dot q_2^2)", "wrong sign"),
    ("1.7", ["m*q2^2*q1'' + 2*m*q2*q1'*q2' + m*g*q2*cos(q1)", "m*q2'' - m*q2*q1'^2 - m*g*sin(q1)"], "wrong sign"),
    ("21.2", "sqrt(2*h/g)*(1 - e)/(1 + e)", "upside down"),
    ("16.1", "-a*sin(phi) - a^2*sin(phi)*cos(phi)/(b^2 - a^2*sin(phi)^2)", "a root lost"),
    ("11.3", "m*I_C/(I_C + m*c)", "c stands in"),
    ("2.8", "omega*F*((h_1 + h_2)*cos(alpha) - d*sin(alpha)", "never closed"),
    ("2.8", "omega*F*((h_1 + h_3)*cos(alpha) - d*sin(alpha))", "the symbol h3"),
    ("19.4", "[J rho^2, J rho; J rho, J rho^2]", "rho stands in"),
    # a declared mistake keeps its own sentence in any notation
    ("0.8", r"m_1 l_1^2 + m_2\left(l_1^2 + l_2^2 + l_1 l_2\cos q_2\right)",
     "square of a sum the mixed product occurs twice"),
    ("9.52", "m2*l2*(l1*qd1^2*cos(q2) + g*sin(q1 + q2))", "sine and cosine are exchanged")])
def test_what_a_student_is_told(id, answer, words):
    report = grade(id, answer)
    assert not report.correct and words in report.message


@pytest.mark.parametrize(("id", "answer", "holds"), [
    ("1.51", "sqrt(n)", lambda n: n.is_integer() and n > 0),
    ("9.1", "sqrt(n)", lambda n: n.is_integer() and n > 0),
    ("24.5", "sqrt(n + d)", lambda n, d: n.is_integer() and d.is_integer() and d <= n),
    ("23.52", "a + 2*b", lambda a, b: a > b > 0),
    ("3.8", "Omega^2*(I_1 + 2*I_2*I_3)", lambda I_1, I_2, I_3, Omega: 0 < I_1 < I_2 < I_3),
    ("21.2", "sqrt(h)*e*g^3", lambda e, g, h: 0 < e < 1 and g > 0 and h > 0),
    ("12.7", "m1*q^2 + l2*m2", lambda l2, m1, m2, q: l2 > 0 and m1 > 0 and m2 > 0)])
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
    mark = next(line for line in lines if set(line.strip()) == {"^"})
    assert lines[lines.index(mark) - 1][mark.index("^") :].startswith("sin(q2)")
