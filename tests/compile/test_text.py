"""Programs as text: what is written can be read, by people and by `from_text`, and nothing is ever executed."""

import numpy as np
import pytest

from rbdlib import aba, crba, load, rnea
from rbdlib.compile.executer import record
from rbdlib.compile.program import Argument, Assignment, Program, Result
from rbdlib.compile.simplify import simplify
from rbdlib.compile.text import LONGEST, from_text, load as load_program, save, to_text
from tests.compile.test_simplify import program_of, random_program

HEADER = "# inputs: x(3)\n# outputs: y\n"


def test_random_programs_and_algorithms_come_back_to_the_last_bit_through_a_file_too(tmp_path):
    file, rng = tmp_path / "program.txt", np.random.default_rng(0)
    for program in (*(random_program(seed, operations="+-*/nsc", constants=(0.1, -1 / 3, 1e-17, 6.02e5, 2.0), length=40)
                      for seed in range(20)),
                    *(record(function, load("double_pendulum")).program for function in (rnea, crba, aba))):
        text = to_text(program)
        save(program, file)
        for again in (from_text(text), load_program(file)):
            assert again.count() == program.count() and again.inputs == program.inputs
            assert [result[:2] for result in again.outputs] == [result[:2] for result in program.outputs]
            assert to_text(again) == text
            x = rng.normal(size=program.input_size).tolist()
            assert repr(again.evaluate(x)) == repr(program.evaluate(x))


def test_entries_are_counted_from_1_names_of_variables_are_kept_and_a_text_may_be_written_by_hand(tmp_path):
    program = Program((Argument("q", (2,)), Argument("t", ()), Argument("f_ext", (2, 2))),
                      (Assignment("*", (0, 6)), Assignment("+", (7, 2))), (Result("H", (1, 2), (8, 0)),))
    assert to_text(program).splitlines() == ["# inputs: q(2), t, f_ext(2, 2)", "# outputs: H(1, 2)",
                                             "H1_1 = q1*f_ext2_2 + t", "H1_2 = q1"]
    empty = Program((), (), (Result("y", (0,), ()), Result("z", (2,), (0.0, -0.0))))
    assert to_text(empty).splitlines() == ["# inputs:", "# outputs: y(0), z(2)", "z1 = 0", "z2 = -0.0"]
    assert repr(from_text(to_text(empty))) == repr(empty)
    program = program_of(("*", ("+", 0, 1), ("-", 0, 1)))
    named = Program(program.inputs, program.assignments, program.outputs, {3: "tmp001", 4: "x1"})
    assert to_text(named).splitlines()[2:] == ["tmp001 = x1 + x2", "tmp002 = x1 - x2", "y1 = tmp001*tmp002"]
    assert from_text(to_text(named)).names == {3: "tmp001", 4: "tmp002"}
    program = from_text(HEADER + "a = x1*0\nb = x2 + x3\nc = a + b\ny = c*b\n")
    assert to_text(simplify(program)) == HEADER + "b = x2 + x3\ny = b*b\n"
    program = from_text(HEADER + "# anything\na = (x1 + 2)*-(x2 - x3)/4.5e0   # a remark\n\nb = a\nc = 3\n"
                        "y = b + c*sin(x1)\n")
    assert program.names == {7: "a"}
    assert program.evaluate([1.0, 5.0, 3.0]) == [3.0 * -2.0 / 4.5 + 3.0 * np.sin(1.0)]
    (tmp_path / "other.txt").write_bytes(b"\xef\xbb\xbf" + (HEADER + "y = x1\n").replace("\n", "\r\n").encode())
    assert load_program(tmp_path / "other.txt").evaluate([1.0, 2.0, 3.0]) == [1.0]


@pytest.mark.parametrize(("formula", "written"), [
    (("+", ("*", 0, 1), ("*", 1, 2)), "x1*x2 + x2*x3"), (("-", ("-", 0, 1), ("/", 1, 2)), "x1 - x2 - x2/x3"),
    (("sin", ("+", 0, 0.5)), "sin(x1 + 0.5)"), (("-", 0, -1.5), "x1 - -1.5"), (("*", -2.0, 0), "-2*x1"),
    (("neg", 0), "-x1"), (("/", ("*", 0, 1), 2), "x1*x2/x3")])
def test_sums_of_products_stand_in_one_statement(formula, written):
    assert to_text(program_of(formula)).splitlines()[-1] == f"y1 = {written}"
    assert from_text(to_text(program_of(formula))) == program_of(formula)


@pytest.mark.parametrize("formula", [("-", 0, ("+", 1, 2)), ("-", 0, ("-", 1, 2)), ("*", ("+", 0, 1), 2),
                                     ("/", 0, ("*", 1, 2)), ("/", 0, ("/", 1, 2)), ("neg", ("+", 0, 1)),
                                     ("*", ("neg", 0), 1), ("-", 0, ("neg", 1))])
def test_what_would_need_parentheses_gets_a_name_and_so_does_a_part_of_a_long_sum(formula):
    text = to_text(program_of(formula))
    assert "tmp001 = " in text and "(" not in text.splitlines()[-1]
    assert from_text(text).evaluate([3.0, 5.0, 7.0]) == program_of(formula).evaluate([3.0, 5.0, 7.0])
    for _ in range(50):
        formula = ("+", formula, 1)
    text = to_text(program_of(formula))
    assert max(line.count("+") for line in text.splitlines()) == LONGEST
    assert from_text(text).count() == program_of(formula).count()


@pytest.mark.parametrize(("line", "complaint"), [
    ("y = __import__('os').system('true')", "Line 3 contains"), ("y = x1**2", "Line 3 contains"),
    ("y = exp(x1)", "Line 3 contains"), ("y = sin(x1, x2)", "Line 3 contains"), ("y = sin(x=x1)", "Line 3 contains"),
    ("y = x1 if x2 else x3", "Line 3 contains"), ("y = True", "Line 3 contains"), ("y = 1j", "Line 3 contains"),
    ("y = 1e999", "Line 3 contains"), ("y = 1" + 400 * "0", "Line 3 contains"), ("y = 'text'", "Line 3 contains"),
    ("y = [x1][0]", "Line 3 contains"), ("y = x1 @ x2", "Line 3 contains"), ("y = ~x1", "Line 3 contains"),
    ("y = (lambda: x1)()", "Line 3 contains"), ("y = (z := x1)", "Line 3 contains"), ("y = x1 < x2", "Line 3 contains"),
    ("y = z", "Line 3 uses z"), ("y = y", "Line 3 uses y"), ("y = x1\ny = x2", "Line 4 assigns y again"),
    ("x1 = x2\ny = x1", "Line 3 assigns x1 again"), ("sin = x1\ny = sin", "Line 3 assigns sin"),
    ("import os", "Line 3 is no assignment"), ("y += 1", "Line 3 is no assignment"), ("y = z = x1", "Line 3 is no ass"),
    ("y[0] = x1", "Line 3 is no assignment"), ("x1 + x2", "Line 3 is no assignment"), ("y: float = x1", "Line 3 is no"),
    ("y = (x1", "Line 3 is no assignment"), ("a = x1", "No line assigns the output y"),
    ("y = " + 5000 * "(" + "x1" + 5000 * ")", "Line 3 is no assignment|nested too deeply"),
    ("y = " + 50_000 * "-" + "x1", "Line 3 is nested too deeply"),
    ("a = x1\ny = x1" + 100_000 * " + x1", "Line 4 is nested too deeply"),
    *((f"a = x1\n{line}\nx2)", "Line 4 is no assignment")                            # Python cannot read these
      for line in ("y = x1\0", "y\0 = x1", "y = x1 + \ud800", "\udcff = x1", "y = (x1 +"))])
def test_anything_else_is_refused_with_its_line(line, complaint):
    with pytest.raises(ValueError, match=complaint) as caught:
        from_text(HEADER + line + "\n")
    assert type(caught.value) is ValueError


@pytest.mark.parametrize(("header", "complaint"), [
    ("", "no line that begins with '# inputs:'"), ("# inputs: x(3)\n", "no line that begins with '# outputs:'"),
    ("# inputs: x[3]\n# outputs: y\n", "contains 'x\\[3\\]'"), ("# inputs: x(3, x1\n# outputs: y\n", "expected a name"),
    ("# inputs: x(3), x1\n# outputs: y\n", "equal names"), ("# inputs: y\n# outputs: y\n", "equal names"),
    ("# inputs: lambda\n# outputs: y\n", "cannot be the name"), ("# inputs: sin\n# outputs: y\n", "cannot be the name"),
    ("# inputs: \ufb01\n# outputs: y\n", "cannot be the name"),
    ("# inputs: x\n# outputs: y\n# inputs: z\n", "Line 3 is a second one that begins with '# inputs:'"),
    ("# inputs: x\n# outputs: y\n# outputs: z\n", "Line 3 is a second one that begins with '# outputs:'"),
    ("# inputs: x\n# outputs: y(1000000000)\n", "Line 2 declares .* more than 1000000 entries"),
    ("# inputs: x(100000, 100000)\n# outputs: y\n", "Line 1 declares .* more than 1000000 entries"),
    ("# inputs: x(" + "9" * 30 + ")\n# outputs: y\n", "Line 1.*contains 'x"),
])
def test_a_wrong_header_is_refused(header, complaint):
    with pytest.raises(ValueError, match=complaint):
        from_text(header + "y = 1\n")


def test_names_that_cannot_be_written_or_clash_constants_that_are_not_finite_and_what_is_no_text_are_refused():
    program = program_of(("+", 0, 1))
    for name in ("lambda", "l_{1}", "two words", "", "cos", "1x"):
        for changed in (Program((Argument(name, (3,)),), program.assignments, program.outputs),
                        Program(program.inputs, program.assignments, (Result(name, (1,), (3,)),))):
            with pytest.raises(ValueError, match="cannot be the name"):
                to_text(changed)
    clash = Program((Argument("x", (2,)), Argument("x2", ())), program.assignments, program.outputs)
    with pytest.raises(ValueError, match="x2 names 2"):
        to_text(clash)
    with pytest.raises(ValueError, match="constant inf, which no source can hold"):
        to_text(program_of(("+", 0, float("inf"))))
    for wrong in (5, b"# inputs: x", None):
        with pytest.raises(TypeError, match="give a text"):
            from_text(wrong)
