"""What cannot be recorded, or not without help, says why and what to do; whatever can be called can be recorded."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from rbdlib import LoopJoint, compile_for, crba, load, rnea
from rbdlib.book.ch02_spatial import xlt
from rbdlib.book.ch04_joints import Revolute
from rbdlib.compile.executer import named_class, record
from rbdlib.compile.javascript_source import to_javascript
from rbdlib.loops.dynamics import by_loop_constraints
from rbdlib.methods.generators import gu
from tests.compile.test_executer import functions_of, require_equal, tree


@dataclass
class Parts:
    number: float
    text: str
    list: list


@pytest.mark.parametrize(("module", "function", "fixed", "shapes"), [
    ("dynamics", "forward_dynamics", {"method": "conjugate_gradient"}, {}),
    ("dynamics", "forward_dynamics", {"method": "preconditioned_conjugate_gradient"}, {}),
    ("loops.closing", "close_loops", {}, {"q_guess": (3,)}),
    ("loops.closing", "project", {}, {}),
    ("loops.coordinates", "solve_closure", {"independent": [0], "q_start": [0.6, -0.4, 0.9]}, {"y": (1,)}),
    ("loops.mobility", "mobility", {}, {}),
    ("loops.sparse_method", "by_sparse_equation", {}, {}),                      # the loop's constraints repeat others
])
def test_what_repeats_until_it_converges_or_chooses_by_value_is_refused(module, function, fixed, shapes):
    model = load("four_bar").replace(loops=()) if module == "dynamics" else load("four_bar")
    with pytest.raises(TypeError, match="cannot be recorded"):
        record(functions_of(module)[function], model, fixed=fixed, shapes=shapes)


@pytest.mark.parametrize(("function", "model", "where"), [
    (lambda model, q, qd: np.where(qd == 0, 0.0, -3.0), gu(2), "qd is zero"),
    (lambda model, q: q + 1 if q[1] == 0 else q, gu(2), "q is zero"),
    (lambda model, q, qd: q + 1 if q[0] == 0 and qd[0] == 0 else q, gu(2), "q is zero and qd is zero"),
    (lambda model, q: q if q[0] == 1 and q[1] == 0 else 2 * q, tree("balls"), "q is neutral")])
def test_a_function_that_asks_whether_a_number_is_zero_is_found_out(function, model, where):
    for refuse in (record, partial(compile_for, backend="numpy", cache=False)):
        with pytest.raises(TypeError, match=f"whether it is 0, as it does where {where}"):
            refuse(function, model)


@pytest.mark.parametrize("function", [
    lambda model, q: np.linalg.solve(crba(model, q), q), lambda model, q: np.linalg.inv(crba(model, q)),
    lambda model, q: np.arctan2(q, q), lambda model, q: np.exp(q), lambda model, q: np.tan(q), lambda model, q: q % 2,
    lambda model, q: q // 2, lambda model, q: 2**q, lambda model, q: int(q[0]), lambda model, q: {q[0]: 1}[q[0]],
    lambda model, q: math.sin(q[0]), lambda model, q: q.max(), lambda model, q: q if q[0] > 0 else -q,
    lambda model, q: np.zeros(2).__setitem__(0, q[0])])
def test_what_cannot_be_recorded_is_refused_with_the_remedy(function):
    with pytest.raises(TypeError, match=r"cannot be recorded.*What can be recorded is [\s\S]*scalars.zeros\(n, q\)"):
        record(function, gu(2))


def torn_apart():
    """A pendulum that a second joint, farther away than its rod reaches, should close to a loop."""
    return load("pendulum").replace(loops=[LoopJoint(0, 1, Revolute(), xlt([100, 0, 0]), np.eye(6))])


@pytest.mark.parametrize(("refuse", "error", "complaint"), [
    (lambda: record(lambda model, q: q.speed, gu(2)), AttributeError, "no attribute 'speed'"),
    (lambda: record(lambda model, q: q[7], gu(2)), IndexError, "out of bounds"),
    (lambda: record(functions_of("dynamics")["forward_dynamics"], gu(2), fixed={"method": "armstrong"}),
     ValueError, "for spherical joints only"),
    (lambda: record(rnea, gu(2), given=["x"]), ValueError, "rnea has no argument 'x'"),
    (lambda: record(lambda model, speed: speed, gu(2)), ValueError, "shape of the argument speed is not known"),
    (lambda: record(lambda model, q: Revolute(), gu(2)), TypeError, "returned Revolute.*neither a number nor an array"),
    (lambda: named_class({"module": "rbdlib", "name": "Model"}), ValueError, "no NamedTuple or dataclass Model in the"),
    (lambda: record(rnea, load("double_pendulum", symbolic=True)), ValueError, "The model contains the symbol"),
    (lambda: record(by_loop_constraints, torn_apart()), TypeError,
     "No sample state was found in which all loops are closed: [^:]* loop.* Give one, sample="),
])
def test_mistakes_of_the_function_stay_its_own_and_wrong_names_are_refused(refuse, error, complaint):
    with pytest.raises(error, match=complaint):
        refuse()


def test_whatever_can_be_called_can_be_compiled_unless_it_treats_recorded_numbers_otherwise():
    class Weighed:
        def __call__(self, model, q, qd, qdd):
            return 2 * rnea(model, q, qd, qdd)

    def in_parts(model, q):
        return Parts(q[0], "text", [q, (1, 2), None, (1, q[1])])

    def changing(model, q):
        q[0] = q[0] * q[1]
        return q

    model, (q, qd, qdd) = gu(2), np.random.default_rng(0).normal(size=(3, 2))
    for function, name, factor, result in ((partial(rnea), "rnea", 1, "tau"), (Weighed(), "Weighed", 2, "result")):
        fast = compile_for(function, model, backend="numpy", cache=False)
        require_equal(fast(q, qd, qdd), factor * rnea(model, q, qd, qdd))
        assert fast.__name__ == name and record(function, model).program.outputs[0].name == result
    q = np.array([2.0, 3.0])
    parts = compile_for(in_parts, model, backend="numpy", cache=False)(q)
    assert type(parts) is Parts and (parts.number, parts.text, parts.list[1:]) == (2.0, "text", [(1, 2), None, (1, 3)])
    printed = to_javascript(record(in_parts, model).program, structure=record(in_parts, model).structure)
    assert 'return {number: number, text: "text", list: [list0, [1, 2], null, [list30, list31]]};' in printed
    assert record(lambda model, q: 2 * q / q, model).program.evaluate([0.0, 0.0]) == [2, 2]    # as algebra has it
    late = compile_for(lambda model, q, t=0.0: q + t, model, cache=False)
    assert [late(q, t).tolist() for t in (0, 2.0, -1)] == [[2, 3], [4, 5], [1, 2]]
    fast = compile_for(changing, model, backend="numpy", cache=False)
    assert fast(q).tolist() == [6.0, 3.0] and q.tolist() == [2.0, 3.0]

    def twice_or_three_times(model, q):
        return 2 * q if q.dtype == object else 3 * q

    with pytest.raises(TypeError, match="other results than the function itself"):
        record(twice_or_three_times, gu(2))
    assert record(twice_or_three_times, gu(2), checked=False).program.count() == {"m": 2}


@pytest.mark.parametrize("function", [max, dict, lambda *numbers: 1, lambda model, **named: 1, lambda: 1,
                                      lambda model, q, /: q])
def test_arguments_must_have_names(function):
    for refuse in (record, compile_for):
        with pytest.raises(TypeError, match="does not name its arguments, the model first"):
            refuse(function, gu(2))


@pytest.mark.parametrize(("wrong", "error", "complaint"), [
    ({"sample": 3}, TypeError, "sample is 3; give {name: numbers}"),
    ({"sample": {"q": np.ones(3)}}, ValueError, r"sample\['q'\] is array.*shape \(2,\)"),
    ({"sample": {"q": "text"}}, TypeError, r"sample\['q'\] is 'text'; give numbers, shape \(2,\)"),
    ({"sample": {"q": np.nan}}, ValueError, r"sample\['q'\] is nan; give finite numbers"),
    ({"sample": {"x": 1}}, ValueError, "sample names 'x', which is no input"),
    ({"shapes": 3}, TypeError, "shapes is 3; give {name: shape}"),
    ({"shapes": {"x": (3,)}}, ValueError, "rnea has no argument 'x'"),
    ({"shapes": {"q": 3}}, ValueError, r"shapes\['q'\] is 3; give a tuple"),
    ({"shapes": {"q": ("a",)}}, ValueError, r"shapes\['q'\] is \('a',\); give a tuple"),
    ({"shapes": {"q": (-1,)}}, ValueError, r"shapes\['q'\] is \(-1,\); give a tuple")])
def test_samples_and_shapes_are_checked(wrong, error, complaint):
    assert record(lambda model, x: x, gu(2), shapes={"x": (0, 3)}).program.outputs[0].shape == (0, 3)
    for refuse in (record, partial(compile_for, backend="numpy", cache=False)):
        with pytest.raises(error, match=complaint):
            refuse(rnea, gu(2), **wrong)
