"""The cheapest program has the results of the function on the model as it was given, or there is none."""

from dataclasses import replace
from importlib import import_module

import pytest

from rbdlib import Model, rnea
from rbdlib.compile.cheapest import IN_JOINT_SPACE, cheapest
from tests.compile.test_executer import cases, evaluate, require_equal, state, tree


def test_a_function_that_refuses_the_model_itself_has_the_last_word():
    def refuse(model, q):
        raise ValueError(type(model).__name__)

    with pytest.raises(ValueError, match="^Model$"):
        cheapest(refuse, tree("plain"))


@pytest.mark.slow
def test_the_cheapest_programs_have_the_results_of_the_functions_and_are_compared_with_them(monkeypatch):
    model = tree("plain")
    for function, _, _, fixed in cases():
        if function in IN_JOINT_SPACE and fixed.get("method") in (None, "crba", "aba", "articulated_body"):
            recording = cheapest(function, model, fixed=fixed)
            values = state(model, recording.program.inputs)
            require_equal(evaluate(recording, values), function(model, **values, **fixed))
    model = tree("plain")
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
