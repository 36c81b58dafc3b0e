"""Every algorithm for a `Model` leaves alone what it is given, and names the argument that is wrong."""

import copy
import functools
import inspect

import numpy as np
import pytest

from rbdlib.analysis.counting import closed_form_inverse_dynamics
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
def taken(name):
    """The first of the models that an algorithm takes, or what it is given of one, and values for all arguments."""
    first = algorithms.FIRST[next(iter(inspect.signature(EVERY[name]).parameters))]
    model, values = next((model, values) for model, _, values in map(algorithms.prepared, (*algorithms.MODELS, "balls"))
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
