"""Every algorithm for a `Model` leaves alone what it is given, names what is wrong, and takes numbers of every kind."""

import copy
import functools
import inspect

import mpmath
import numpy as np
import pytest

from rbdlib import load
from rbdlib.analysis.counting import closed_form_inverse_dynamics, count_operations
from rbdlib.book.ch02_spatial import xlt
from rbdlib.book.ch04_joints import Reversed, Revolute
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.generators import auto_tree
from rbdlib.texts.soa.order_n.authors import armstrong
from tests import test_typed_algorithms as algorithms
from tests.test_typed_algorithms import needed, parts

EVERY = algorithms.ALGORITHMS | algorithms.IN_TIME | {
    f"{function.__module__.partition('.')[2]}.{function.__name__}": function
    for function in (armstrong, closed_form_inverse_dynamics)}
#: What other functions call that have looked at the arguments; it is only asked to change nothing.
WITHIN = {name for name in EVERY if name.startswith(("motion.drives.", "methods.joint_character."))}
#: What is not asked whether its model is one, or its time a number.
ANY_MODEL = {f"methods.inverse_dynamics_variants.{name}" for name in ("correspondence", "original_newton_euler")} | {
    "analysis.counting.closed_form_inverse_dynamics",
    "texts.mrn.task_space.state_rate", "loops.dynamics.loop_forces", "loops.coordinates.actuation",
    "loops.closing.velocity_units", "methods.geometry.positions_and_velocities", "book.ch11_contact.motion_without_qdd",
    "contact.impact.impulse_step", "methods.whole_system.multibody_system", "methods.whole_system.solve_system",
    "texts.mbt.lagrange.recursive_inverse_dynamics"}
ANY_TIME = ANY_MODEL | {"motion.controllers.difference", "loops.closing.project", "motion.simulate.start_state",
                        "methods.gears.quick_model"}


@functools.cache
def driven_models():
    """A tree, a chain of unit columns and a loop, whose joints move by themselves; values for all arguments."""
    joints = [algorithms.turn(0.3, 0.4, 0.2), Revolute("y"), Reversed(algorithms.turn(0.5, 0.2, 0.0))]
    lifted = Custom(1, lambda q, t: xlt([q[0], (t + 0.3) ** 2, 0]), lambda q, t: np.eye(6)[:, 3:4])
    models = (auto_tree(3, branching=2, seed=1, joints=joints), auto_tree(2, joints=[lifted, Revolute("z")]),
              load("four_bar").replace(joints=[algorithms.turn(0.3, 0, 0.3), Revolute(), Revolute()]))
    return [(model, algorithms.state(model, np.random.default_rng(3))) for model in models]


@functools.cache
def taken(name, models=list):
    """The first of these models, and of those of tests.test_typed_algorithms, that an algorithm takes, or what it is
    given of one; and values for all arguments."""
    first = algorithms.FIRST[next(iter(inspect.signature(EVERY[name]).parameters))]
    plain = ((model, values) for model, _, values in map(algorithms.prepared, (*algorithms.MODELS, "balls")))
    order = -1 if "loop" in name and "sparse" not in name else 1
    model, values = next((model, values) for model, values in (*models()[::order], *plain)
                         if algorithms.outcome(EVERY[name], model, values) is not None)
    return first(model), values


def called(name, first, values):
    result = EVERY[name](first, **{argument: values[argument] for argument in needed(EVERY[name])})
    return parts(result(values["t"], values["q"], values["qd"]) if callable(result) else result)


@pytest.mark.parametrize("name", sorted(EVERY.keys() - {"contact.geometry.body_motions"}))      # which keeps its result
def test_nothing_given_is_changed_and_what_is_returned_may_be_written_to(name):
    """What a model holds is read-only, as tests/book/test_ch04_model.py shows."""
    first, values = taken(name)
    kept, found = copy.deepcopy(values), called(name, first, values)
    expected = [np.array(part) for part in found]
    for part in found:
        if isinstance(part, np.ndarray) and part.flags.writeable:
            part[...] = 77
    for argument in values.keys() - {"contacts"}:
        np.testing.assert_array_equal(values[argument], kept[argument], err_msg=argument)
    frozen = {argument: np.broadcast_to(value, np.shape(value)) if isinstance(value, np.ndarray) else value
              for argument, value in values.items()}
    algorithms.assert_same([np.asarray(part) for part in called(name, first, frozen)], expected)


def wrong_values(argument, value):
    """(wrong value, error, message) for an argument with this right value."""
    if argument == "f_ext":
        return [({9: [0] * 6}, ValueError, "names body 9"), ({1: [np.nan] * 6}, ValueError, r"\[1\] contains nan"),
                ([[0] * 6] * 2, ValueError, "has 2 rows; expected")]
    if argument == "t":
        return [(np.inf, ValueError, "contains inf"), ("now", TypeError, "contains the text 'now'")]
    if argument == "prescribed":
        return [([9], ValueError, "names body 9"), (["b"], ValueError, "names body 'b'"),
                (None, TypeError, "is None; give a")]
    if argument in {"contacts", "q0", "Kp", "Kd"} or np.shape(value) in {(), (0,)}:
        return []
    return [([*value, 1.0], ValueError, rf"has shape \({len(value) + 1},\); expected {len(value)} numbers"),
            ([np.nan] * len(value), ValueError, "contains nan"), ([np.inf] * len(value), ValueError, "contains inf"),
            (["a"] * len(value), TypeError, "contains the text 'a'"), (None, TypeError, "contains None")]


@pytest.mark.parametrize("name", sorted(EVERY.keys() - WITHIN))
def test_a_wrong_argument_is_named(name):
    first, values = taken(name)
    for argument in needed(EVERY[name]):
        for wrong, error, message in wrong_values(argument, values[argument]):
            if not (argument == "t" and name in ANY_TIME or argument == "F_tip" and wrong is None):
                with pytest.raises(error, match=f"^{argument} ?{message}"):
                    called(name, first, values | {argument: wrong})
    if name not in ANY_MODEL:
        with pytest.raises(TypeError, match="^(model|system|geared) is 'arm'; give "):
            called(name, "arm", values)


#: What decides by signs, which complex numbers have not, and what is solved for floats only.
SIGNS = {"contact.impact.system_impact", "contact.systems.contact_dynamics"}
UNCOUNTED = {"contact.geometry.body_motions", *(f"methods.derivatives.{x}_derivatives" for x in ("aba", "rnea")),
             "methods.derivatives.linearise"}
FLOATS = {"methods.whole_system.multibody_system", "methods.whole_system.solve_system",
          "contact.systems.accelerations_by_qp", "motion.simulate.start_state", "loops.closing.project"}


def numbers(name, first, values):
    found = [np.ravel(part) for part in called(name, first, values) if np.asarray(part).dtype.kind in "fcO"]
    return np.concatenate([part for part in found if not {str, bool} & {*map(type, part)}] or [[]])


@pytest.mark.filterwarnings("error::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", sorted(EVERY.keys() - WITHIN - FLOATS))
def test_numbers_of_every_kind_give_the_slopes_that_floats_give(name):
    """A step of 1e-20 would vanish wherever complex numbers, or fifty digits, become floats. One argument alone makes
    the result complex, and the slopes add up; those of mpmath, and those that count operations, come all at once."""
    (first, values), rng = taken(name, driven_models), np.random.default_rng(5)
    given = {argument: x for argument in needed(EVERY[name]) if argument not in {"Kp", "Kd", "q0", "dt"}
             and (x := np.asarray(values[argument])).dtype == float and x.size}
    way = {argument: rng.normal(size=x.shape) for argument, x in given.items()}

    def at(step, arguments=given, one=1.0):
        moved = {argument: given[argument] * one + step * way[argument] for argument in arguments}
        return numbers(name, first, values | moved)

    slope = (at(1e-6) - at(-1e-6)) / 2e-6

    def agree(found):
        np.testing.assert_allclose(found, slope, rtol=1e-5, atol=1e-5 * np.abs(slope).max(initial=1))

    if name not in SIGNS:
        agree(sum(at(1e-20j, [argument]).imag / 1e-20 for argument in given))
    with mpmath.workdps(50):
        tiny = mpmath.mpf(10) ** -20
        agree(((at(tiny, one=mpmath.mpf(1)) - at(0 * tiny, one=mpmath.mpf(1))) / tiny).astype(float))
    if name not in SIGNS | UNCOUNTED:
        _, counted = count_operations(lambda *x: numbers(name, first, values | dict(zip(given, x, strict=True))),
                                      *given.values())
        np.testing.assert_allclose(counted, at(0), rtol=1e-9, atol=1e-9 * np.abs(counted).max(initial=1))
