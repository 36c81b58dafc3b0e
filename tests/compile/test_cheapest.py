"""The cheapest program has the results of the function on the model as it was given, or there is none."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from rbdlib import Model, aba, crba, forward_dynamics, load, rnea
from rbdlib.compile.cheapest import IN_JOINT_SPACE, cheapest, on_types
from tests.compile.test_executer import cases, evaluate, require_equal, state, tree
from tests.compile.test_singular_states import POINT, arm


def test_a_function_that_refuses_the_model_itself_has_the_last_word():
    def refuse(model, q):
        raise ValueError(type(model).__name__)

    with pytest.raises(ValueError, match="^Model$"):
        cheapest(refuse, tree("plain"))


def test_states_loops_and_models_are_told_apart():
    assert cheapest(lambda model, qd: 1 / qd, arm()).program.count() == {"d": 2}       # arm() may be singular in q
    model, heavier = load("double_pendulum"), arm(POINT)
    assert cheapest(forward_dynamics, model).program.count() == cheapest(aba, model).program.count()
    on = on_types(crba)
    for m in (model, heavier, model):
        np.testing.assert_allclose(on(m, [0.1, 0.2]), crba(m, [0.1, 0.2]))


@pytest.mark.slow
def test_the_cheapest_programs_have_the_results_of_the_functions():
    model = tree("plain")
    for function, _, _, fixed in cases():
        if function in IN_JOINT_SPACE and fixed.get("method") in (None, "crba", "aba", "articulated_body"):
            recording = cheapest(function, model, fixed=fixed)
            values = state(model, recording.program.inputs)
            require_equal(evaluate(recording, values), function(model, **values, **fixed))


def test_a_program_with_other_results_is_no_candidate(monkeypatch):
    model = load("double_pendulum")
    best = cheapest(rnea, model)
    module = import_module("rbdlib.compile.cheapest")
    heavier = Model(model.parent[1:], model.joints[1:], model.X_tree[1:], [2 * I for I in model.inertia[1:]])
    with monkeypatch.context() as patch:
        patch.setattr(module, "in_joint_space", lambda model: heavier)
        other = module.cheapest(rnea, model)                        # falls back on the model as it is
    assert sum(other.program.count().values()) > sum(best.program.count().values())
    values = state(model, other.program.inputs)
    require_equal(evaluate(other, values), rnea(model, **values))
    with monkeypatch.context() as patch:
        patch.setattr(module, "optimise", lambda program: replace(program, outputs=tuple(
            result._replace(entries=result.entries[::-1]) for result in program.outputs)))
        with pytest.raises(TypeError, match="other results than the function itself"):
            module.cheapest(rnea, model)
