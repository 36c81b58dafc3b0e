"""Every algorithm for a `Model` runs on typed models, at dense cost where it asks for elements of matrices."""

import functools
import importlib
import inspect
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest

from rbdlib import aba, crba, load, rnea
from rbdlib.arithmetic import typed
from rbdlib.arithmetic.base import Quantity
from rbdlib.arithmetic.models import TypedJoint
from rbdlib.book import ch06_inertia_matrix as inertia_matrix, ch09_hybrid as hybrid
from rbdlib.book.ch02_spatial import rotz, xlt
from rbdlib.book.ch04_joints import Cylindrical, FreeMotion, Planar, Prismatic, Reversed, Revolute, Spherical
from rbdlib.book.ch04_model import Model
from rbdlib.book.ch11_contact import Contact
from rbdlib.contact.rolling import Roller, Rolling, by_rolling, without_slip
from rbdlib.loops.closing import close_loops, project
from rbdlib.loops.coordinates import by_solving, independent_accelerations, inverse_dynamics
from rbdlib.loops.dynamics import by_loop_constraints, loop_forces
from rbdlib.loops.mobility import mobility
from rbdlib.loops.sparse_method import by_sparse_equation
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.floating_base import FloatingBase
from rbdlib.methods.geared_trees import Gear, GearedTree
from rbdlib.methods.generators import auto_tree
from rbdlib.methods.joint_character import Character

MODULES = """book.ch04_kinematics methods.centre_of_mass
    methods.derivatives book.ch05_inverse_dynamics methods.inverse_dynamics_variants
    book.ch06_inertia_matrix book.ch07_articulated_body methods.handles methods.divide_and_conquer dynamics
    book.ch09_hybrid book.ch09_floating_base methods.floating_base texts.soa.operators texts.soa.mass_matrix_methods
    loops.sparse_method texts.mrn.task_space motion.controllers book.ch08_closed_loops loops.dynamics loops.coordinates
    loops.closing methods.joint_space methods.articulated_body_variants methods.force_parts
    methods.geometry""".split()
PLAIN = """book.ch11_contact contact.geometry contact.impact contact.systems motion.drives
    methods.joint_character methods.whole_system compile.singular_states motion.simulate
    texts.mbt.lagrange texts.soa.order_n.articulated texts.soa.order_n.authors book.ch09_gears methods.gears
    methods.rotors methods.first_pass motion.floating_momentum""".split()
#: What a function is given first, made of a model of four joints.
FIRST = {"model": lambda model: model, "system": lambda model: FloatingBase(model, model.inertia[1]),
         "geared": lambda model: GearedTree(model, [Gear(3, {2: 2.5})])}
#: They go by the classes of joints, which typed joints have not got.
REFUSED = {"methods.inverse_dynamics_variants.original_newton_euler",
           "methods.inverse_dynamics_variants.correspondence"}


def state(model, rng):
    """Values for arguments by their names."""
    n = model.nv
    q, qd = model.random_state(rng)
    if model.loops:
        q = close_loops(model, q)
        q, qd = project(model, q, qd)
    qdd, tau, q_d, qd_d, qdd_d = rng.normal(size=(5, n))
    F = rng.normal(size=6)
    return {"q": q, "qd": qd, "qdd": qdd, "tau": tau, "f_ext": rng.normal(size=(model.N_B + 1, 6)), "i": model.N_B,
            "prescribed": list(model.bodies)[::2], "F": F, "V": rng.normal(size=6),
            "V_dot": rng.normal(size=6), "F_tip": rng.normal(size=6), "dt": 0.1, "q_d": model.random_state(rng)[0],
            "qd_d": qd_d, "qdd_d": qdd_d, "Kp": np.ones(n), "Kd": np.ones(n), "a_g": F[:3],
            "lam": rng.normal(size=len(model.loops) * 5), "iota": rng.normal(size=6), "u": tau, "I_rot": {n: 0.3},
            "t": 0.0, "q0": q, "qd0": qd, "y": q[:-1], "yd": qd[:-1], "ydd": qdd[:-1], "v_0": F, "contacts":
            [Contact(0, model.N_B, [0.2, -0.1, 0, 0, 0, 1], phi=1), Contact(model.N_B, 0, [0, 0, 0.3, 0, 1, 0], F)]}


STATE = set(state(load("pendulum"), np.random.default_rng(0)))


def needed(function):
    """The names of the arguments that a function is given, after the model."""
    arguments = list(inspect.signature(function).parameters.values())[1:]
    return [x.name for x in arguments if x.default is x.empty or x.name in {"f_ext", "t"}]


def algorithms(modules, of=("model",)):
    """The public functions of these modules of a model, or what is made of one, and its state: (name, function)."""
    for module in (importlib.import_module(f"rbdlib.{name}") for name in modules):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            own = function.__module__ == module.__name__ and name[0] != "_"
            of_a_model = next(iter(inspect.signature(function).parameters), None) in of
            generator = inspect.isgeneratorfunction(inspect.unwrap(function))
            if own and of_a_model and not generator and set(needed(function)) <= STATE:
                yield f"{module.__name__.partition('.')[2]}.{name}", function


ALGORITHMS = dict(algorithms(MODULES))
#: Those to which a time is given, some that take plain arrays only among them.
IN_TIME = {name: f for name, f in algorithms([*MODULES, *PLAIN], FIRST)
           if ("t" in needed(f) or name.startswith("motion.controllers."))
           and name not in {"contact.systems.recover_lambda",             # which takes the qdd of contact forces alone
                            "texts.soa.order_n.authors.armstrong"}}       # which takes ball joints alone
MODELS, T = ("tree", "arm", "floating", "loop"), 0.7


@functools.cache
def prepared(name):
    """A model, its typed twin, and values for all arguments."""
    joints = [FreeMotion(), Planar(), Prismatic("x"), Revolute("y")]
    model = {"tree": lambda: auto_tree(5, branching=2), "arm": lambda: load("arm_6r"), "loop": lambda: load("four_bar"),
             "floating": lambda: auto_tree(4, branching=2, seed=1, joints=joints),
             "balls": lambda: auto_tree(3, joints=[Spherical()] * 3)}[name]()
    return model, typed(model), state(model, np.random.default_rng(3))


def outcome(function, model, values):
    """All parts of the result, or None if the function refuses the model."""
    try:
        first = FIRST[next(iter(inspect.signature(function).parameters))](model)
        result = function(first, **{name: values[name] for name in needed(function)})
    except ValueError:
        return None
    if callable(result):                                                    # a controller
        result = result(values["t"], values["q"], values["qd"])
    assert not isinstance(result, np.ndarray) or result.dtype != object
    return [np.asarray(part) for part in parts(result)]


def assert_same(found, expected, tolerance=1e-10):
    for mine, theirs in zip(found, expected, strict=True):
        if theirs.dtype.kind == "U":
            np.testing.assert_array_equal(mine, theirs)
        else:
            largest = np.abs(theirs.astype(float)).max(initial=1)
            np.testing.assert_allclose(mine.astype(float), theirs.astype(float), rtol=0, atol=tolerance * largest)


def parts(result):
    if isinstance(result, dict):
        result = list(result.values())
    if is_dataclass(result):
        result = [getattr(result, field.name) for field in fields(result)]
    if isinstance(result, list | tuple):
        return [part for entry in result if entry is not None for part in parts(entry)]
    return [] if isinstance(result, Model) else [result]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_gives_on_typed_models_what_it_gives_on_plain_ones(name):
    function, answers = ALGORITHMS[name], 0
    for model, twin, values in map(prepared, MODELS):
        expected, found = (outcome(function, m, values) for m in (model, twin))
        if expected is None or name in REFUSED:
            assert found is None
        else:
            assert_same(found, expected)
            answers += 1
    assert answers > 0 or name in REFUSED


turn = functools.cache(lambda x, y, start: Custom(1, X_J=lambda q, t: (
    xlt([y * (t + start + 0.5) ** 2, 0, 0]) @ rotz(q[0] + x * (t + start) ** 2) @ xlt([0, y * (t + start), 0]))))
lift = functools.cache(lambda start: Custom(
    0, X_J=lambda q, t: rotz(0.2 * (t + start)) @ xlt([0, (t + start) ** 2, 0.1])))


def in_time(name, start):
    """A model whose joints, also reversed ones, move with the time since -start."""
    if name == "loop":
        model = load("four_bar")
        return model.replace(joints=[turn(0.3, 0, start), turn(-0.2, 0.1, start), Revolute()],
                             loops=[replace(model.loops[0], joint=Reversed(turn(0.2, 0.02, start)))])
    wave, back = turn(0.5, 0.2, start), Reversed(turn(0.3, 0.4, start))
    joints = {"tree": [wave, back, Prismatic("x"), Reversed(turn(-0.6, 0.1, start))],
              "arm": [lift(start), *map(Revolute, "zyyxyx")], "floating": [FreeMotion(), wave, back]}[name]
    tree = auto_tree(len(joints), branching=1 if name == "arm" else 2, seed=1, joints=joints)
    return tree.replace(characters={3: Character(armature=0.2)})


@functools.cache
def moved(name):
    """The same moving joints, begun T earlier and at 0, and values for all arguments."""
    earlier = in_time(name, T)
    return earlier, in_time(name, 0.0), state(earlier, np.random.default_rng(3))


def of_what_rolls(model, q, qd, tau, f_ext, t):
    rolling = [Rolling(model.N_B, Roller(np.diag([1, 2, 3]), [0.1, 0.2, 0.3]))]
    return by_rolling(model, q, qd, tau, f_ext, t, rolling), without_slip(model, q, qd, rolling, t)


def of_motors_in_loops(model, q, qd, qdd, tau, lam, t):
    motors = {k: [0.3] for k in range(model.N_B + 1, model.N_J + 1)}
    found = [by_loop_constraints(model, q, qd, tau, t=t, tau_loop=motors), loop_forces(model, q, lam, t, motors),
             by_sparse_equation(model, q, qd, tau, t=t, tau_loop=motors).qdd, mobility(model, q, t).smallest_pivot,
             by_loop_constraints(model, q, qd, tau, t=t, I_rot={model.N_B: 0.3})]
    if model.loops:
        found.append(of_y := by_solving(model, [0], q[:1], qd[:1], q, t))
        found += [independent_accelerations(model, of_y, tau, None, t, motors),
                  inverse_dynamics(model, q, of_y.qd, of_y.g, None, None, t, motors)]
    return found


MORE = {"of_what_rolls": of_what_rolls, "of_motors_in_loops": of_motors_in_loops}


@pytest.mark.parametrize("name", [*IN_TIME, *MORE])
def test_every_algorithm_takes_the_time_to_all_that_depends_on_it(name):
    """Joints that began to move earlier stand and move at t = 0 as these do at t = T."""
    function, answers = (IN_TIME | MORE)[name], 0
    for kind in ("tree", "loop", "arm", "floating"):
        earlier, model, values = moved(kind)
        expected, found = outcome(function, earlier, values), outcome(function, model, values | {"t": T})
        if expected is None:
            assert found is None
        else:
            assert_same(found, expected)
            answers += 1
    assert answers > 0


@pytest.mark.parametrize("joint", [*in_time("tree", 0.0).joints[1:], Revolute((1, 2, 2)), Cylindrical((1, 1, 0))])
def test_typed_joints_are_at_every_time_as_the_joints_in_them(joint):
    rng = np.random.default_rng(3)
    q, qd = joint.random_position(rng), rng.normal(size=joint.nv)
    for name, *given in (("transform", q), ("motion_subspace", q), ("constraint_subspace", q), ("bias_velocity", q),
                         ("motion_subspace_rate", q, qd), ("bias_acceleration", q, qd)):
        assert_same(*([np.asarray(getattr(j, name)(*given, T), float)] for j in (TypedJoint(joint), joint)))


@pytest.mark.parametrize("name", MODELS)
def test_the_algorithms_of_chapters_5_to_7_use_no_plain_arrays(name, monkeypatch):
    """They ask for no element of a matrix and form no 6 x 6 matrix, so that they cost what the compact types cost."""
    def refuse(*_):
        raise AssertionError("a plain array was made or used")

    _, model, values = prepared(name)
    functions = [rnea, crba, inertia_matrix.differential_inverse_dynamics]
    for function in functions if model.plain.loops else [*functions, aba, hybrid.by_articulated_bodies]:
        expected = outcome(function, model.plain, values)
        with monkeypatch.context() as patch:
            for method in ("mixed", "__getitem__"):
                patch.setattr(Quantity, method, refuse)
            found = function(model, **{argument: values[argument] for argument in needed(function)})
        assert_same([np.asarray(part) for part in parts(found)], expected)
