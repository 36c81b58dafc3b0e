"""Model files: what they can say, what comes back from them, and what becomes of bad and hostile ones."""

import inspect
import itertools
import math
import sys
import tomllib
from contextlib import contextmanager
from pathlib import Path
from time import process_time

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import ModelError, load, save
from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er, mcI, plucker, rx, ry, rz, transform_inertia, xlt
from rbdlib.book.ch04_joints import Fixed, Prismatic, Revolute
from rbdlib.io.model_file import BODY_KEYS, MODEL_KEYS, evaluate
from tests.sources.helpers import random_pose, random_tree

BODY = '[[body]]\nname = "a"\njoint = {type = "revolute"}\n'
HEAVY = BODY + "mass = 1\n"
WRONG = tomllib.loads(Path(__file__).with_name("wrong_models.toml").read_text(encoding="utf-8"))


def with_mass(expression, parameters=""):
    return f'[parameters]\n{parameters}\n{BODY}mass = "{expression}"'


@contextmanager
def refused_at_once(message, seconds=5):
    """A refusal in so much processor time, ten times what is needed."""
    start = process_time()
    with pytest.raises(ModelError, match=message):
        yield
    assert process_time() - start < seconds


def test_unknown_names_are_answered_with_near_ones():
    for name, message in (("partikle", "There is no model 'partikle'. Did you mean 'particle'.*read by load"),
                          ("zzz", "There is no model 'zzz'. There are: arm_2r, arm_3r, .*, zigzag_chain"),
                          ("../models/lamp", "There is no model"), ("lamp.toml", "There is no file lamp.toml")):
        with pytest.raises(ValueError, match=message):
            load(name)


def test_everything_a_file_can_say_and_what_an_empty_one_says(read):
    model = read("""
        title = "A test"
        source = "nobody"
        gravity = [0, "-g", 0]
        [parameters]
        g = { value = 9.81, unit = "m/s^2", meaning = "free fall", positive = true }
        l = 2
        m = "l / 4 + 1"
        [[body]]
        name = "trunk"
        joint = { type = "prismatic", axis = [0, 3, 4] }
        position = [1, "l", 3]
        orientation = { axis = "x", angle = "pi / 3" }
        mass = "m"
        com = [0, "-l/2", "sqrt(l)"]
        inertia = ["l", "l", "sin(pi/2) * l"]
        [[body]]
        name = "hand"
        parent = "trunk"
        joint = { type = "fixed" }
        orientation = [[0, 1, 0], [-1, 0, 0], [0, 0, 1]]
        mass = 2
        inertia = [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 2]]
        [[body]]
        name = "tool"
        parent = "trunk"
        joint = { type = "revolute", axis = "y" }
        X_tree = [[1,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,1,0,0],[0,0,2,0,1,0],[0,-2,0,0,0,1]]
        spatial_inertia = [[3,0,0,0,0,0],[0,3,0,0,0,0],[0,0,3,0,0,0],[0,0,0,5,0,0],[0,0,0,0,5,0],[0,0,0,0,0,5]]
        """)
    assert model.parameters == {"g": 9.81, "l": 2.0, "m": 1.5}
    assert model.parent == (None, 0, 1, 1)
    assert model.joints[1:] == (Prismatic((0, 3, 4)), Fixed(), Revolute("y"))
    assert_array_equal(model.gravity, [0, -9.81, 0])
    assert_allclose(model.X_tree[1], plucker(rx(math.pi / 3), [1, 2, 3]), atol=1e-15)
    assert_allclose(model.X_tree[2], plucker(rz(math.pi / 2), [0, 0, 0]), atol=1e-15)
    assert_array_equal(model.X_tree[3], xlt([2, 0, 0]))
    assert_allclose(model.inertia[1], mcI(1.5, [0, -1, math.sqrt(2)], 2 * np.eye(3)), atol=1e-14)
    assert_allclose(I_to_mcI(model.inertia[2])[2], [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 2]])
    assert_array_equal(model.inertia[3], np.diag([3, 3, 3, 5, 5, 5]))
    assert read("").N_B == 0
    assert_array_equal(read("").gravity, [0, 0, -9.81])


def test_moments_of_the_shapes_are_those_of_textbooks(read):
    for text, moments in (
        ('{shape = "box", x = 0.4, y = 1, z = 2}', [(1 + 4) / 12, (0.16 + 4) / 12, (0.16 + 1) / 12]),
        ('{shape = "sphere", radius = 1.5}', [2 / 5 * 2.25] * 3),
        ('{shape = "cylinder", radius = 0.5, length = 2}', [(3 * 0.25 + 4) / 12] * 2 + [0.25 / 2]),
        ('{shape = "cylinder", radius = 0.5, length = 2, axis = "x"}', [0.25 / 2] + [(3 * 0.25 + 4) / 12] * 2),
        ('{shape = "rod", length = 2}', [4 / 12, 4 / 12, 0]),
        ('{shape = "rod", length = 2, axis = "y"}', [4 / 12, 0, 4 / 12]),
    ):
        model = read(f"{BODY}mass = 3\ncom = [0.1, 0.2, 0.3]\ninertia = {text}")
        assert_allclose(I_to_mcI(model.inertia[1])[2], 3 * np.diag(moments), rtol=1e-13, atol=1e-14, err_msg=text)


def test_symbolic_parameters_are_positive_where_the_file_or_the_unit_says_so_and_decimals_stay_exact(read):
    text = with_mass("m", 'm = {value = 1, unit = "kg"}\nl = {value = 2, positive = true}\nx = -3\nk = "2 * l"')
    model = read(text + "\ncom = [0.2, 0, 0]", symbolic=True)
    m, l, x, k = model.parameters.values()
    assert (m.is_positive, l.is_positive, x.is_positive, x.is_real, k) == (True, True, None, True, 2 * l)
    assert (model.inertia[1][5, 5], model.inertia[1][4, 2]) == (m, m * sp.Rational(1, 5))


@pytest.mark.parametrize(("text", "value"), [
    ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("-2 ** 2", -4), ("+a - -b", 5), ("a / b", 2 / 3),
    ("a ** 0", 1), ("2 * pi", 2 * math.pi), ("sqrt(a ** 2 + b ** 2)", math.sqrt(13)), ("sin(pi / 6)", 0.5),
    ("cos(a - b)", math.cos(1)), ("1e-3", 0.001), ("  a  ", 2), ("0x10", 16), ("1_000", 1000),
    ("(" * 90 + "a" + ")" * 90, 2), ("-" * 198 + "a", 2)])
def test_expressions_have_the_value_arithmetic_gives_them(read, text, value):
    assert evaluate(text, {"a": 2.0, "b": 3.0}, float, "here") == pytest.approx(value, rel=1e-15)
    formula = evaluate(text, {"a": sp.Symbol("a"), "b": sp.Symbol("b")}, lambda x: sp.Rational(str(x)), "here")
    assert float(formula.subs({"a": 2, "b": 3})) == pytest.approx(value, rel=1e-15)


@pytest.mark.filterwarnings("ignore:Joint .* (moves nothing|can move something)")
def test_saving_and_loading_changes_no_digit_and_no_name(tmp_path):
    """Also where no mass, axis or orientation is a round number; comparing models compares every bit."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        model, (R, p) = random_tree(rng, 8).model(), random_pose(rng)
        joints, X_tree, inertia = (list(part[1:]) for part in (model.joints, model.X_tree, model.inertia))
        joints[3], joints[5] = Fixed(), Prismatic("y")
        X_tree[2] = X_tree[0] @ X_tree[1] @ X_tree[2]
        inertia[1] = transform_inertia(plucker(R, p), inertia[1])
        inertia[4] = mcI(rng.uniform(1, 2), 100 * rng.normal(size=3), np.zeros((3, 3)))
        inertia[5:7] = np.diag([1, 2, 2, 0, 0, 0.0]), np.zeros((6, 6))
        model = model.replace(joints=joints, X_tree=X_tree, inertia=inertia, parameters={"k": 1 / 3, "g": 9.81})
        save(model, tmp_path / "tree.toml")
        again = load(tmp_path / "tree.toml")
        assert again == model
        save(again, tmp_path / "again.toml")
        assert (tmp_path / "again.toml").read_bytes() == (tmp_path / "tree.toml").read_bytes()
    for name in ('"quoted"', "back\\slash", "Körper [1]", "new\nline", "", "a.b = 3"):
        model = load("pendulum").replace(names=[name])
        save(model, tmp_path / "named.toml")
        assert load(tmp_path / "named.toml") == model, name


def test_a_saved_file_is_written_as_by_a_student_and_says_that_its_parameters_have_no_effect(tmp_path):
    model, path = load("pendulum"), tmp_path / "pendulum.toml"
    save(model, path)
    text = path.read_text(encoding="utf-8")
    assert "mass = 1.2" in text and "spatial_inertia" not in text and "X_tree" not in text
    first = text.splitlines()[0]
    assert first.startswith("# ")
    assert "every number below is worked out, and so changing a parameter has no effect" in first
    assert load(path).parameters == model.parameters
    path.write_text(text.replace("m = 1.2", "m = 7.0"), encoding="utf-8")
    assert load(path).parameters["m"] == 7
    assert_array_equal(load(path).inertia[1], model.inertia[1])


@pytest.mark.parametrize(("changes", "message"), [
    ({"parameters": {"pi": 3.0}}, "parameters.pi: choose a name"), ({"parameters": {"": 3.0}}, "parameters.: choose"),
    ({"parameters": {3: 3.0}}, "parameters.3: choose a name"), ({"gravity": [0, 1e308, 0]}, r"gravity is 1e\+308"),
    ({"parameters": {"m": 1e308}}, r"parameters.m is 1e\+308; give a finite number, less"),
    ({"parameters": {"m": math.nan}}, "parameters.m is nan; give a finite"),
    ({"parameters": {"m": np.ones(2)}}, r"parameters.m is \[1.0, 1.0\]; give")])
def test_what_could_not_be_loaded_is_not_saved(tmp_path, changes, message):
    model, path = load("pendulum").replace(**changes), tmp_path / "never.toml"
    with pytest.raises(ModelError, match=f"The model cannot be saved, .*{message}.*model.replace"):
        save(model, path)
    with pytest.raises(ValueError, match="The model contains symbols, but a file holds numbers: save the numerical"):
        save(load("pendulum", symbolic=True), path)
    with pytest.raises(TypeError, match="model is 7; give a Model"):
        save(7, path)
    assert not path.exists()


@pytest.mark.parametrize(("text", "message"), [
    *((HEAVY + added, message) for added, message in WRONG["heavy"]),
    *((BODY + added, message) for added, message in WRONG["light"]), *WRONG["whole"],
    (f"gravity = {'[' * 20_000}{']' * 20_000}", "mine.toml is not a TOML file: "),
    (f"gravity = [{'1' * 5000}, 0, 0]", "mine.toml is not a TOML file: "),
    ("zzz = 1", f"the file: there is no key 'zzz'; choose from {', '.join(MODEL_KEYS)}"),
    (BODY + "weight = 1", f"body 1 .a.: there is no key 'weight'; choose from {', '.join(BODY_KEYS)}"),
    (HEAVY + HEAVY, "body 2 .a.: give every body a name of its own; the base is called 'base'"),
    (HEAVY.replace('"a"', "3"), "body 1 .3.: give every body a name of its own"),
    (HEAVY.replace('name = "a"', ""), "body 1 .without a name.: give every body a name"),
    (HEAVY + 'parent = "b"\n' + HEAVY.replace('"a"', '"b"') + 'parent = "a"', "body 1 .a.: parent is 'b'; name a body"),
    (BODY + f"mass = {'1' * 400}", "mass is 11111111111111111111; give a finite number"),
    (BODY + f"spatial_inertia = {np.eye(6).tolist()}\n[[body]]\nname = 'b'\njoint = {{type = 'fixed'}}\n"
     f"spatial_inertia = {(-np.eye(6)).tolist()}", "The mass in body 2 .b.: spatial_inertia is -1")])
def test_a_wrong_file_is_explained(read, text, message):
    with pytest.raises(ModelError, match=message):
        read(text)


@pytest.mark.parametrize(("parameters", "message"), [
    ("m = [1]", r"parameters.m is \[1\]; give a number"),
    ("m = {unit = 'kg'}", "parameters.m is missing; give a number"),
    ("m = {value = 1, units = 'kg'}", "parameters.m: there is no key 'units'; did you mean 'unit'"),
    ("m = {value = 1, positive = 'no'}", "parameters.m: positive is 'no'; write true or false"),
    ("m = {value = -1, positive = true}", "parameters.m is -1.*, although it is said to be positive"),
    ("a = 'b'\nb = 1", "parameters.a: there is no parameter 'b' here. Parameters: none so far"),
    ("a = 1\nb = 'c'", "parameters.b: there is no parameter 'c' here. Parameters: a"),
    ("pi = 3", "parameters.pi: choose a name of letters and digits other than pi, sqrt, sin, cos"),
    ("lambda = 3", "parameters.lambda: choose a name .* the words of Python, such as lambda"),
    ("'a b' = 3", "parameters.a b: choose a name"), ("1a = 3", "parameters.1a: choose a name")])
def test_wrong_parameters_are_explained(read, parameters, message):
    for symbolic in (False, True):
        with pytest.raises(ModelError, match=message):
            read(f"[parameters]\n{parameters}\n{HEAVY}", symbolic)


#: Not even the arithmetic that Python has besides is allowed.
NO_ARITHMETIC = (
    "__import__('os').system('false')", "().__class__.__bases__", "m.__class__", "m[0]", "[m for m in (1, 2)]",
    "(lambda: 1)()", "(x := 3)", "1 if m else 2", "m < 2", "not m", "~1", "7 % 4", "m @ m", "'a' * 9", "f'{m}'", "1j",
    "True", "sqrt(1, 2)", "sqrt(x=1)", "2 ** -1", "2 ** m", "2 ** 10", "2 ** 3 ** 1",)


@pytest.mark.parametrize(("expression", "message"), [
    *((text, r"use only numbers, parameters, \+ - \* / \*\* \( \), pi, sqrt, sin and cos") for text in NO_ARITHMETIC),
    ("__import__", "there is no parameter '__import__' here"),
    ("sqrt", "there is no parameter 'sqrt' here. Parameters: m"),
    ("2 ** True", "the exponent True is not a whole number"), ("", "'' is not an expression of numbers and parameters"),
    ("m m", "'m m' is not an expression"), ("import os", "'import os' is not an expression"),
    ("(((", "is not an expression"), ("1/0", "'1/0' divides by zero"),
    ("sqrt(-1)", r"'sqrt\(-1\)' has no finite real value"), ("1e999", "'1e999' has no finite real value"),
    ("1e200 * 1e200 * 1e200", "(has no finite real value|1e600)"),
    ("+1" * 100 + " ", "is an expression of 201 characters; 200 are allowed"),
    ("(" * 99 + "m" + ")" * 98, "is not an expression"), ("m\\u0000", "is not an expression")])
def test_nothing_but_arithmetic_is_evaluated(read, expression, message):
    with pytest.raises(ModelError, match=f"mine.toml: body 1 .a.: mass.*{message}"):
        read(with_mass(expression, "m = 2"))
    assert read(with_mass("+1" * 100)).inertia[1][5, 5] == 100


@pytest.mark.parametrize("text", [
    with_mass("(" * 30 + "9" + "**9)" * 30), with_mass("(" * 30 + "9*m" + ")**9" * 30, "m = 2"),
    with_mass("k", "a = '9**9'\n" + "\n".join(f"{y} = '{x}**9'" for x, y in itertools.pairwise("abcdefghijk"))),
], ids=["nested", "with a symbol", "from parameter to parameter"])
def test_powers_of_powers_end_before_the_memory_does(read, text):
    for symbolic in (False, True):
        with refused_at_once("(no finite real value|numbers of hundreds of digits|not an expression)"):
            read(text, symbolic)


def test_symbolic_expressions_are_refused_alike_and_reading_executes_nothing(read, tmp_path):
    trap = tmp_path / "trap"
    with pytest.raises(ModelError):
        read(with_mass(f"open('{trap}', 'w')"))
    assert not trap.exists()
    for expression in ("1/0", "sqrt(-1)", "m/(1 - 1)", "m/(m - m)", "1e999", "m/0", "m.args", "k", "m m"):
        answers = set()
        for symbolic in (False, True):
            with pytest.raises(ModelError, match="body 1 .a.: mass") as refusal:
                read(with_mass(expression, "m = 2"), symbolic)
            answers.add(str(refusal.value))
        assert len(answers) == 1, answers


def growing(step, lines=16):
    return "p0 = 0.5\n" + "\n".join(f'p{k} = "{step.replace("p", f"p{k - 1}")}"' for k in range(1, lines + 1))


@pytest.mark.parametrize("step", ["(p+1)*(p+2)/p", "cos(p)*(p+3)*(p+4)", "(p+1)**9*(p+2)**9", "-p*(p-1)"])
def test_formulas_that_grow_without_end_are_refused_at_once(read, step):
    """Each line stands three times in the next: 16 lines would make a formula of 40 million terms."""
    with refused_at_once(r"parameters.p\d+: .* is a formula of \d+ operations.* 1000 are allowed. "
                         "Give one of these parameters as a number.*or load the model without sym"):
        read(f"[parameters]\n{growing(step)}\n{HEAVY}", symbolic=True)


def test_formulas_of_moderate_size_are_read_and_numbers_have_none_to_grow(read):
    step = "(p+1)*(p+2)/p"
    few = with_mass("p4", growing(step, 4))
    model, mass = read(few, symbolic=True), read(few).inertia[1][5, 5]
    assert float(model.inertia[1][5, 5].subs(model.parameters["p0"], 0.5)) == pytest.approx(mass)
    many = with_mass("+".join(["p4"] * 7), growing(step, 4))
    with pytest.raises(ModelError, match="body 1 .a.: mass: .* is a formula of 1126 operations"):
        read(many, symbolic=True)
    assert read(many).inertia[1][5, 5] == pytest.approx(7 * mass)
    assert math.isfinite(read(f"[parameters]\n{growing('(p+1)*(p+2)/(p+3)')}\n{HEAVY}").parameters["p16"])


def test_turns_without_end_are_refused_at_once_where_they_are_formulas(read):
    def text(n):
        return f"[parameters]\na = 0.3\n{HEAVY}orientation = [" + ", ".join(
            f"{{axis = '{'xyz'[k % 3]}', angle = 'a'}}" for k in range(n)) + "]"

    with refused_at_once("body 1 .a.: orientation is a list of 60 turns; 4 are allowed"):
        read(text(60), symbolic=True)
    few, numbers = read(text(4), symbolic=True), read(text(4))
    assert_allclose(np.array(sp.Matrix(few.X_tree[1]).subs(few.parameters["a"], 0.3), float), numbers.X_tree[1],
                    atol=1e-14)
    three = rz(0.3) @ ry(0.3) @ rx(0.3)
    assert_allclose(X_to_Er(read(text(60)).X_tree[1])[0], np.linalg.matrix_power(three, 20), atol=1e-13)


def test_files_that_cannot_be_read_and_paths_that_are_none(tmp_path):
    (tmp_path / "latin.toml").write_bytes('title = "Köper"'.encode("latin-1"))
    (tmp_path / "bytes.toml").write_bytes(bytes(range(256)))
    for name, message in (("nowhere.toml", r"There is no file .*nowhere.toml"), (".", "cannot be read: Is a directory"),
                          ("latin.toml", "latin.toml is not a TOML file: .*utf-8"),
                          ("bytes.toml", "bytes.toml is not a TOML file")):
        with pytest.raises(ModelError, match=message):
            load(tmp_path / name)
    for path in (None, 3, b"mine.toml", ["mine.toml"]):
        with pytest.raises(TypeError, match="path is .*; give the path of a TOML file, as text or .*rbdlib.load.name"):
            load(path)
        with pytest.raises(TypeError, match="path is .*; give the path of a TOML file, as text or as a pathlib.Path"):
            save(load("pendulum"), path)
    (tmp_path / "mine.toml").write_text(HEAVY, encoding="utf-8")
    assert load(str(tmp_path / "mine.toml")) == load(tmp_path / "mine.toml")


def test_an_expression_for_which_the_stack_is_too_short_is_refused_as_any_other():
    """As in a browser, or deep in somebody's own calls."""
    before = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(len(inspect.stack(0)) + 80)
        with pytest.raises(ModelError, match="^mass is nested too deeply"):
            evaluate("-" * 150 + "1", {}, float, "mass")
    finally:
        sys.setrecursionlimit(before)
    assert evaluate("-" * 150 + "1", {}, float, "mass") == 1
