"""Model files: every joint type, loops, Denavit-Hartenberg rows and successive turns, read, refused and saved."""

import re
from pathlib import Path
from tomllib import loads

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import ModelError, load, rnea, save
from rbdlib.book import ch04_joints
from rbdlib.book.ch02_spatial import X_to_Er, mcI, plucker, rotx, rx, ry, rz, transform_inertia, xlt
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.io.model_file import BODY_KEYS
from rbdlib.io.model_file.parts import JOINTS
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.geometry import DHRow, dh_chain
from rbdlib.numbers.scalars import as_floats
from rbdlib.numbers.validation import EULER_SEQUENCES
from tests.sources.ch03_systems import EVERY_JOINT, random_model
from tests.sources.helpers import random_pose, turn

FOLDER = Path(__file__).resolve().parents[2] / "data" / "models"
HEAVY = '[[body]]\nname = "a"\njoint = {type = "revolute"}\nmass = 1\n'
GENERAL = mcI(2, [0.1, 0.2, 0.3], np.diag([1, 2, 2.5])).tolist()


def with_joint(joint, parameters=""):
    return f'[parameters]\n{parameters}\n[[body]]\nname = "a"\njoint = {joint}\nspatial_inertia = {GENERAL}\n'


WRITTEN = {
    '{type = "revolute"}': ch04_joints.Revolute("z"), '{type = "revolute", axis = "y"}': ch04_joints.Revolute("y"),
    '{type = "revolute", axis = [0, 3, 4]}': ch04_joints.Revolute((0, 0.6, 0.8)),
    '{type = "revolute", axis = ["sin(pi/6)", 0, "sqrt(3)/2"]}': ch04_joints.Revolute((np.sin(np.pi / 6), 0,
                                                                                       np.sqrt(3) / 2)),
    '{type = "prismatic", axis = "x"}': ch04_joints.Prismatic("x"),
    '{type = "helical", pitch = 0.01}': ch04_joints.Helical(0.01),
    '{type = "helical", pitch = "h/2", axis = "x"}': ch04_joints.Helical(0.25, "x"),
    '{type = "cylindrical", axis = [1, 1, 0]}': ch04_joints.Cylindrical((1, 1, 0)),
    '{type = "planar"}': ch04_joints.Planar(), '{type = "planar", translation = "F_s"}': ch04_joints.Planar("F_s"),
    '{type = "spherical"}': ch04_joints.Spherical(), '{type = "euler"}': ch04_joints.Euler("zyx"),
    '{type = "universal", sequence = "yz"}': ch04_joints.Universal("yz"),
    '{type = "free_motion"}': ch04_joints.FreeMotion(),
    '{type = "free_motion", translation = "F_s"}': ch04_joints.FreeMotion("F_s"),
    '{type = "rack_and_pinion", radius = "h"}': ch04_joints.RackAndPinion(0.5), '{type = "fixed"}': ch04_joints.Fixed(),
    '{type = "reversed", joint = {type = "planar"}}': ch04_joints.Reversed(ch04_joints.Planar()),
    '{type = "reversed", joint = {type = "reversed", joint = {type = "helical", pitch = "h"}}}':
        ch04_joints.Reversed(ch04_joints.Reversed(ch04_joints.Helical(0.5))),
    **{f'{{type = "euler", sequence = "{sequence}"}}': ch04_joints.Euler(sequence) for sequence in EULER_SEQUENCES}}


def test_a_joint_is_what_its_table_says_and_survives_a_file(read, tmp_path):
    for text, joint in WRITTEN.items():
        model = read(with_joint(text, "h = 0.5"))
        assert model.joints[1] == joint and type(model.joints[1]) is type(joint), text
        save(model, tmp_path / "copy.toml")
        assert load(tmp_path / "copy.toml") == model, text
    assert set(JOINTS.values()) == {type(joint) for joint in WRITTEN.values()}
    assert {loads(f"joint = {text}")["joint"]["type"] for text in WRITTEN} == set(JOINTS)


def test_parameters_of_joints_may_be_symbols(read):
    for text, attribute in (('{type = "helical", pitch = "h"}', "pitch"),
                            ('{type = "rack_and_pinion", radius = "h"}', "radius")):
        model = read(with_joint(text, "h = {value = 0.5, positive = true}"), symbolic=True)
        h, q = model.parameters["h"], sp.symbols("q", real=True)
        assert getattr(model.joints[1], attribute) == h
        tau = sp.Matrix(rnea(model, [q], [0], [1])).subs(h, sp.Rational(1, 2))
        numbers = read(with_joint(text, "h = 0.5"))
        assert_allclose(float(tau[0].subs(q, 0.3)), rnea(numbers, [0.3], [0], [1])[0], rtol=1e-12)
        with pytest.raises(ValueError, match="The model contains symbols, but a file holds numbers"):
            save(model, "never.toml")


@pytest.mark.parametrize(("joint", "message"), [
    ('{type = "helical"}', "body 1 .a.: joint.pitch is missing; give a number"),
    ('{type = "helical", pitch = "p"}', "body 1 .a.: joint.pitch: there is no parameter 'p'"),
    ('{type = "helical", pitch = nan}', "joint.pitch is nan; give a finite number"),
    ('{type = "helical", pich = 1}', "joint: there is no key 'pich'; did you mean 'pitch'"),
    ('{type = "planar", translation = "F_q"}', "joint: translation is 'F_q'; choose 'F_p'"),
    ('{type = "planar", axis = "z"}', "joint: there is no key 'axis'; choose from translation"),
    ('{type = "spherical", axis = "z"}', "joint: there is no key 'axis'; it takes none"),
    ('{type = "euler", sequence = "xyy"}', "joint: sequence is 'xyy'; give the axes in the order of turning"),
    ('{type = "euler", sequence = ["x", "y", "z"]}', r"joint: sequence is \['x', 'y', 'z'\]; give the axes"),
    ('{type = "universal", sequence = "xyz"}', "joint: sequence is 'xyz'; Universal needs 2 axes"),
    ('{type = "reversed"}', "body 1 .a.: reversed joint: joint is missing; write"),
    ('{type = "reversed", joint = "revolute"}', "reversed joint: joint is 'revolute'; write"),
    ('{type = "reversed", joint = {type = "planar", axis = "z"}}', "reversed joint: joint: there is no key 'axis'"),
    ('{type = "reversed", joint = ' * 50 + '{type = "planar"}' + "}" * 50, "joint is"),
    ('{type = "sperical"}', "joint is {'type': 'sperical'}; write .*Did you mean 'spherical'"),
    ('{type = 3}', "joint is {'type': 3}; write"), ("{}", "joint is {}; write")])
def test_wrong_joints_are_explained(read, joint, message):
    with pytest.raises(ModelError, match=f"mine.toml: .*{message}"):
        read(with_joint(joint))


def test_models_of_functions_cannot_be_saved_and_those_of_exact_numbers_can_and_loops_hold_symbols(tmp_path, read):
    custom = Custom(1, lambda q, t: xlt([0, 0, q[0]]))
    for joint in (custom, ch04_joints.Reversed(custom)):
        with pytest.raises(ModelError, match="body 1 .rod.: its joint, custom, is made of functions, which a file can"):
            save(load("pendulum").replace(joints=[joint]), tmp_path / "never.toml")
    assert not (tmp_path / "never.toml").exists()

    # SymPy's own whole numbers and fractions are numbers, not symbols.
    save(read(with_joint('{type = "helical", pitch = 0.5, axis = [0, 3, 4]}'), symbolic=True), tmp_path / "exact.toml")
    again = load(tmp_path / "exact.toml")
    assert as_floats(again.inertia[1]).tolist() == GENERAL
    assert again.joints[1] == ch04_joints.Helical(0.5, (0, 0.6, 0.8))
    model = read(f'[parameters]\nl = 2\n{FOUR}[[loop]]\npredecessor = {{body = "a", position = ["l", 0, 0]}}\n'
                 'successor = "b"\njoint = {type = "fixed"}', symbolic=True)
    assert model.loops[0].X_P[4, 2] == model.parameters["l"]


def test_every_type_of_joint_and_loop_is_saved_without_loss(tmp_path):
    """Comparing models compares every bit; a second save writes the same file. No number is round."""
    rng, joints = np.random.default_rng(1), [*EVERY_JOINT, ch04_joints.Helical(1 / 3, (3, 1, 2))]
    loops = [LoopJoint(*rng.choice(len(joints) + 1, 2, replace=False).tolist(), joint,
                       *(plucker(R.T, p) for R, p in (random_pose(rng), random_pose(rng)))) for joint in joints]
    model = random_model(rng, joints, loops=loops, parameters={"k": rng.normal()})
    save(model, tmp_path / "one.toml")
    again = load(tmp_path / "one.toml")
    assert again == model
    assert [type(joint) for joint in again.joints] == [type(joint) for joint in model.joints]
    save(again, tmp_path / "two.toml")
    assert (tmp_path / "two.toml").read_bytes() == (tmp_path / "one.toml").read_bytes()


FOUR = HEAVY + '[[body]]\nname = "b"\njoint = {type = "spherical"}\nmass = 1\ninertia = [1, 1, 1]\n'


def test_a_loop_is_what_its_table_says(read):
    model = read(f"[parameters]\nl = 2\n{FOUR}" """
        [[loop]]
        predecessor = {body = "b", position = ["l", 0, "l/2"], orientation = {axis = "x", angle = "pi/2"}}
        successor = "a"
        joint = {type = "cylindrical", axis = "y"}
        [[loop]]
        predecessor = "base"
        successor = {body = "b", X = [[1,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],
                                      [0,0,0,1,0,0],[0,0,2,0,1,0],[0,-2,0,0,0,1]]}
        joint = {type = "reversed", joint = {type = "planar"}}
        """)
    first, second = model.loops
    assert (first.predecessor, first.successor, first.joint) == (2, 1, ch04_joints.Cylindrical("y"))
    assert_allclose(first.X_P, rotx(np.pi / 2) @ xlt([2, 0, 1]), atol=1e-15)
    assert_array_equal(first.X_S, np.eye(6))
    assert (second.predecessor, second.successor, second.joint) == (0, 2, ch04_joints.Reversed(ch04_joints.Planar()))
    assert_array_equal(second.X_P, np.eye(6))
    assert_array_equal(second.X_S, xlt([2, 0, 0]))


@pytest.mark.parametrize(("text", "message"), [
    ("", "loop 1: predecessor is missing; name a body of this file"),
    ('predecessor = "c"', "loop 1: predecessor is 'c'; name a body of this file, or 'base'"),
    ('predecessor = "a"\nsuccessor = {position = [1, 0, 0]}', "loop 1: successor is .*; name a body"),
    ('predecessor = ["a"]\nsuccessor = "b"', r"loop 1: predecessor is \['a'\]; name a body"),
    ('predecessor = "a"\nsuccessor = "b"', "loop 1: joint is missing; write"),
    ('predecessor = "a"\nsuccessor = "a"\njoint = {type = "fixed"}', "Loop joint 1 connects body 1 to itself"),
    ('predecesor = "a"', "loop 1: there is no key 'predecesor'; did you mean 'predecessor'"),
    ('parent = "a"', "loop 1: there is no key 'parent'; choose from predecessor, successor, joint"),
    ('predecessor = {body = "a", X_tree = []}', "loop 1: predecessor: there is no key 'X_tree'"),
    ('predecessor = {body = "a", position = [1, 2]}', r"loop 1: predecessor: position is \[1, 2\]"),
    ('predecessor = {body = "a", X = [[1]]}', r"loop 1: predecessor: X has shape \(1, 1\)"),
    ('predecessor = {body = "a", X = [[1]], position = [1, 2, 3]}', "X and position say the same"),
    ('predecessor = {body = "a", orientation = [[1]]}', "loop 1: predecessor: orientation has shape")])
def test_wrong_loops_are_explained(read, text, message):
    with pytest.raises(ModelError, match=f"mine.toml: .*{message}"):
        read(f"{FOUR}[[loop]]\n{text}")
    with pytest.raises(ModelError, match=r"loop must be a list of tables; write \[\[loop\]\] before each loop"):
        read("loop = 3\n" + FOUR)


def test_turns_are_about_any_axis_and_successive_ones_about_the_turned_axes(read):
    """The order of other programs' roll, pitch and yaw: fixed axes x, y, z, which is turning axes z, y, x."""
    axis, angle = np.array([0.6, -0.3, 1.1]), -2.3
    for text, E in (
        ('[{axis = "z", angle = 0.3}, {axis = "y", angle = -0.7}, {axis = "x", angle = 1.1}]',
         (rz(0.3).T @ ry(-0.7).T @ rx(1.1).T).T),
        (f"{{axis = {(5 * axis).tolist()}, angle = {angle}}}", turn(axis / np.linalg.norm(axis), angle).T),
    ):
        found, _ = X_to_Er(read(f"{HEAVY}orientation = {text}").X_tree[1])
        assert_allclose(found, E, atol=1e-14)


DH = [("a", 0.3, 0.4, 0.1, 0.2, "revolute"), ("b", 0.5, -1.2, 0.3, -0.6, "prismatic"),
      ("c", 0.2, 0.7, -0.4, 0.9, "cylindrical"), ("d", 0.1, -0.3, 0.2, 0.5, "revolute")]


def dh_file(form, extra=""):
    text, parent = f'dh_form = "{form}"\n', "base"
    for name, a, alpha, d, theta, joint in DH:
        text += (f'[[body]]\nname = "{name}"\nparent = "{parent}"\njoint = {{type = "{joint}"}}\nmass = 2\n'
                 f"com = [0.1, 0.2, 0.3]\ninertia = [1, 2, 2.5]\n"
                 f"dh = {{a = {a}, alpha = {alpha}, d = {d}, theta = {theta}}}\n")
        parent = name
    return text + extra


@pytest.mark.parametrize("form", ["modified", "classic"])
def test_denavit_hartenberg_rows_make_the_chain_that_they_make_elsewhere(read, form):
    """Centres and inertias are given in the link frames."""
    model, chain = read(dh_file(form)), dh_chain([row[1:] for row in DH], form)
    assert model.joints[1:] == tuple(chain.joints)
    for i in model.bodies:
        assert_allclose(model.X_tree[i], chain.X_tree[i - 1], atol=1e-15)
        assert_allclose(transform_inertia(chain.X_link[i - 1], model.inertia[i]), GENERAL, atol=1e-13)


@pytest.mark.parametrize("form", ["modified", "classic"])
def test_what_is_attached_to_a_link_is_placed_in_the_links_own_frame(read, form):
    tail = ('[[body]]\nname = "tool"\nparent = "d"\njoint = {type = "fixed"}\nposition = [1, 2, 3]\n'
            '[[body]]\nname = "e"\nparent = "d"\ndh = {a = 1}\n'
            '[[loop]]\npredecessor = {body = "d", position = [4, 5, 6]}\n'
            'successor = "base"\njoint = {type = "fixed"}\n')
    with pytest.warns(UserWarning, match="moves nothing|can move something"):
        model = read(dh_file(form, tail))
    X_link = dh_chain([row[1:] for row in DH], form).X_link[-1]
    assert_allclose(model.X_tree[5], xlt([1, 2, 3]) @ X_link, atol=1e-14)
    assert_allclose(model.X_tree[6], (xlt([1, 0, 0]) if form == "modified" else np.eye(6)) @ X_link, atol=1e-14)
    assert_allclose(model.loops[0].X_P, xlt([4, 5, 6]) @ X_link, atol=1e-14)
    assert_array_equal(model.loops[0].X_S, np.eye(6))


def test_the_default_row_is_a_hinge_where_the_link_before_is_and_a_helical_joint_may_have_one(read):
    text = '[[body]]\nname = "a"\nmass = 1\ninertia = [1, 1, 1]\n'
    model = read(text + "dh = {}")
    assert model.joints[1] == ch04_joints.Revolute("z")
    assert_array_equal(model.X_tree[1], np.eye(6))
    model = read(text + 'joint = {type = "helical", pitch = 0.2}\ndh = {a = 0.3, alpha = 0.4, d = 0.1, theta = 0.5}')
    assert model.joints[1] == ch04_joints.Helical(0.2)
    assert_allclose(model.X_tree[1], dh_chain([DHRow(0.3, 0.4, 0.1, 0.5, "helical", 0.2)]).X_tree[0], atol=1e-15)


@pytest.mark.parametrize("form", ["modified", "classic"])
def test_denavit_hartenberg_rows_may_hold_symbols(read, form):
    text = f'dh_form = "{form}"\n[parameters]\nl = {{value = 0.5, positive = true}}\n[[body]]\nname = "a"\nmass = 1\n' \
           'com = ["l", 0, 0]\ndh = {a = "l", alpha = "pi/2", d = "2*l", theta = "pi"}'
    symbols, numbers = read(text, symbolic=True), read(text)
    for formula, number in ((symbols.X_tree[1], numbers.X_tree[1]), (symbols.inertia[1], numbers.inertia[1])):
        matrix = sp.Matrix(formula)
        assert not matrix.has(sp.Float)
        assert_allclose(np.array(matrix.subs("l", 0.5).subs(symbols.parameters["l"], 0.5), float), number, atol=1e-15)


@pytest.mark.parametrize(("text", "message"), [
    ('dh_form = "craig"', "dh_form is 'craig'; choose from modified, classic"),
    ("dh_form = ['classic']", "dh_form is .*; choose from"), (HEAVY + "dh = 3", "body 1 .a.: dh is 3; write"),
    (HEAVY + "dh = [0, 0, 0, 0]", "body 1 .a.: dh is .*; write {a = 0, alpha = 0, d = 0, theta = 0}"),
    (HEAVY + "dh = {alfa = 0}", "body 1 .a.: dh: there is no key 'alfa'; did you mean 'alpha'"),
    (HEAVY + "dh = {a = nan}", "body 1 .a.: dh.a is nan; give a finite number"),
    (HEAVY + "dh = {theta = 'x'}", "body 1 .a.: dh.theta: there is no parameter 'x'"),
    (HEAVY + "dh = {}\nposition = [0, 0, 0]", "body 1 .a.: dh and position say the same thing; give only one"),
    (HEAVY.replace('"revolute"', '"revolute", axis = "x"') + "dh = {}",
     ".*places the z axis .* the joint is revolute x"),
    (HEAVY.replace('"revolute"', '"spherical"') + "dh = {}", ".*places the z axis .* the joint is spherical"),
    ("title = 3", "title is 3; write text in quotation marks"), ("source = ['a']", r"source is \['a'\]; write text"),
    ("[parameters]\nm = {value = 1, unit = 3}", "parameters.m: unit is 3; write text"),
    ("[parameters]\nm = {value = 1, meaning = [1]}", "parameters.m: meaning is .*; write text")])
def test_wrong_rows_and_texts_are_explained(read, text, message):
    with pytest.raises(ModelError, match=f"mine.toml: {message}"):
        read(text)


def test_the_readme_explains_every_key_and_type_and_its_examples_can_be_read(read):
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    for word in (*BODY_KEYS, "dh_form", "predecessor", "successor"):
        assert f"`{word}`" in text or f"{word} = " in text
    blocks = re.findall(r"```(?:toml)?\n(.*?)```", text, re.DOTALL)
    assert read(blocks[0]).nv == 1
    bodies = "".join(f'[[body]]\nname = "{name}"\njoint = {{type = "revolute"}}\nmass = 1\ninertia = [1, 1, 1]\n'
                     for name in ("coupler", "rocker"))
    assert read(bodies + blocks[1]).N_L == 1
    joints = [line.split("`")[1] for line in text.splitlines() if line.startswith("| `{ type")]
    assert {loads(f"joint = {joint}")["joint"]["type"] for joint in joints} == set(JOINTS)
    for joint in joints:
        assert read(with_joint(joint)).N_B == 1
