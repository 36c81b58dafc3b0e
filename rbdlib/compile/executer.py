"""From a function and a model to a straight-line program: what the book calls the symbolic executer (RBDA 10.4)."""

import inspect
import sys
from collections import namedtuple
from dataclasses import fields, is_dataclass
from functools import partial
from math import prod

import numpy as np

from rbdlib.compile.parameters import free_symbols as free_symbols, with_parameters
from rbdlib.compile.program import Argument, Program, Recorded, Recorder, Result
from rbdlib.compile.samples import Choices, Sample, SampleError, one_where, tree_of
from rbdlib.compile.simplify import Simplifier, without_unused
from rbdlib.compile.singular_states import can_be_singular, doubts
from rbdlib.methods.geared_trees import GearedTree

#: The names that the book has for the results of the best-known functions.
RESULT_NAMES = {
    "rnea": ("tau",), "bias_force": ("C",), "crba": ("H",), "aba": ("qdd",), "forward_dynamics": ("qdd",),
    "rnea_derivatives": ("dtau_dq", "dtau_dqd", "H"), "aba_derivatives": ("dqdd_dq", "dqdd_dqd", "H_inverse"),
}
#: The largest part of the largest result by which a program may miss the function that it was recorded from.
AGREEMENT = 1e-7
#: The remedy where something cannot be recorded.
REMEDY = ("What can be recorded is + - * / @ and whole powers, and sin, cos and sqrt of rbdlib.numbers.scalars, or of "
          "NumPy for arrays. Allocate arrays with rbdlib.numbers.scalars.zeros(n, q), and solve equations by "
          "rbdlib.numbers.linear.solve_linear. Where another function is needed, make its results an argument.")
#: A program, and how the function's result is made from the program's outputs (see `rebuild`).
Recording = namedtuple("Recording", "program structure")


def record(function, model, given=(), parameters=(), fixed=None, shapes=None, simplified=True, sample=None,
           checked=True, watched=None):
    """Run a function on a model with recorded numbers for its other arguments: a `Recording` (RBDA 10.4).

    function: such as `rbdlib.rnea`: its first argument is the model, and of the others those without a default value
    become inputs of the program. given: names of arguments with a default that become inputs too, such as "f_ext".
    parameters: names of the model's SymPy symbols, all of which become inputs. fixed: {name: value} of arguments that
    are passed as they are. shapes: {name: shape} of arguments whose names the book has not got. simplified: whether the
    rules of RBDA 10.4 are applied on the way.

    A function that chooses pivots by size, as those of closed loops do, chooses by a sample state: sample gives it, as
    {name of an input: numbers}, and what it leaves out is made up, with closed loops. The results are NaN in states
    where these pivots do not serve; see `rbdlib.compile.samples`. checked: compare both, as `require_agreement` does.
    watched: the model itself if results are to be NaN also where H is singular; see `rbdlib.compile.singular_states`.

    Between recorded numbers == asks, as between symbols, whether both are the same variable or constant; q[0] == 0 is
    False. A function to which it matters whether a number is 0 at run time is found out where it shows at the sample or
    in the states at rest that are looked at; a comparison with another number is not.

    Raises TypeError where the function chooses by the value of a number in another way than by pivots, as it does if it
    repeats something until it converges, and where it does with numbers what cannot be recorded; ValueError for names
    and shapes that do not fit, and what the function itself raises in a random state.
    """
    fixed = dict(fixed or {})
    inputs = inputs_of(function, model, given, parameters, fixed, shapes)
    at = Sample(model, inputs, parameters, fixed, sample)
    sizes = [prod(shape) for _, shape in inputs]
    recorder = (Simplifier if simplified else Recorder)(sum(sizes))
    recorder.choices = Choices(recorder, at.entries)
    numbers = np.array([*(Recorded(recorder, k) for k in range(recorder.input_size)), None], dtype=object)
    parts = np.split(numbers, np.cumsum(sizes))
    arguments = {name: part.reshape(shape)[()] for (name, shape), part in zip(inputs, parts, strict=False)}
    symbols = {name: arguments.pop(name) for name in parameters}
    model = with_parameters(model, symbols)
    try:
        result = function(model, **arguments, **fixed)
    except SampleError:
        raise
    except (TypeError, ValueError, AttributeError) as error:
        at.result(function)                                 # it may refuse other numbers, too
        raise TypeError(f"{name_of(function)} cannot be recorded, although it can deal with numbers. Of numbers that "
                        f"are known at run time only it says: {str(error).rstrip('.')}. {REMEDY}") from error
    relied_on = recorder.choices.not_negative
    divides = any(done.operation == "/" for done in recorder.assignments)
    if watched is not None and divides and can_be_singular(watched):
        relied_on += doubts(with_parameters(watched, symbols), arguments["q"], arguments.get("t", 0.0),
                            recorder.choices)
    outputs, structure = taken_apart(result, RESULT_NAMES.get(name_of(function), ()),
                                     one_where(relied_on) if relied_on else None)
    program = Program(tuple(inputs), tuple(recorder.assignments), tuple(outputs))
    recording = Recording(without_unused(program) if simplified else program, structure)
    if checked:
        require_agreement(recording, function, at)
    return recording


def require_agreement(recording, function, at):
    """TypeError unless a recording gives what the function does at a `Sample` and, if finite, in special states."""
    for changes in ({}, *at.special()):
        with np.errstate(all="ignore"):
            expected = at.result(function, changes)
        if expected is None:
            continue
        wanted = np.array([x for part in taken_apart(expected)[0] for x in part.entries], dtype=float)
        try:
            found = np.array(recording.program.evaluate(at.entries(changes)), dtype=float)
        except (ValueError, ArithmeticError):
            found = np.array([np.nan])
        if changes and not (np.isfinite(found).all() and np.isfinite(wanted).all()):
            continue
        size = max(1e-3, np.abs(wanted).max(initial=0))
        if found.shape != wanted.shape or not np.allclose(found, wanted, rtol=0, atol=AGREEMENT * size):
            where = " and ".join(f"{name} is {'neutral' if np.any(x) else 'zero'}" for name, x in changes.items())
            raise TypeError(f"{name_of(function)} cannot be recorded: its straight-line program gives other results "
                            "than the function itself, which must have chosen by the value of a number, or asked "
                            f"whether it is 0{f', as it does where {where}' if where else ''}. Call it directly.")


def name_of(function):
    """Name of a function, also of one that functools.partial holds; of an object that can be called, its class's."""
    while isinstance(function := inspect.unwrap(function), partial):
        function = function.func
    return getattr(function, "__name__", type(function).__name__)


def arguments_of(function):
    """The arguments of a function after the model, a list of inspect.Parameter. TypeError if it does not name them."""
    try:
        model, *arguments = inspect.signature(function).parameters.values()
        named = model.kind != model.VAR_POSITIONAL and all(
            argument.kind in (argument.POSITIONAL_OR_KEYWORD, argument.KEYWORD_ONLY) for argument in arguments)
    except (TypeError, ValueError):                         # no signature is known, or it is empty
        named = False
    if not named:
        raise TypeError(f"{name_of(function)} does not name its arguments, the model first and each of the others. Put "
                        "it into a function that does, such as def f(model, q, qd): ...")
    return arguments


def inputs_of(function, model, given=(), parameters=(), fixed=None, shapes=None):
    """The inputs of the program that a function becomes, a list of `Argument`; arguments as for `record`."""
    shapes, fixed = shapes or {}, fixed or {}
    if not hasattr(shapes, "items"):
        raise TypeError(f"shapes is {shapes!r}; give {{name: shape}}, such as shapes={{'x': (3,)}}.")
    known = {argument.name: argument for argument in arguments_of(function)}
    unknown = [name for name in (*given, *fixed, *shapes) if name not in known]
    if unknown:
        raise ValueError(f"{name_of(function)} has no argument {unknown[0]!r}; it has {', '.join(sorted(known))}.")
    names = [name for name, argument in known.items() if name not in fixed
             and (argument.default is argument.empty or name in given)]
    return [*(Argument(name, shape_of(name, model, shapes)) for name in names),
            *(Argument(name, ()) for name in parameters)]


def shape_of(name, model, shapes):
    """The shape of an argument: the one given for it, or by its name."""
    if name in shapes:
        shape = shapes[name]
        if not isinstance(shape, tuple | list) or not all(isinstance(n, int | np.integer) and n >= 0 for n in shape):
            raise ValueError(f"shapes[{name!r}] is {shape!r}; give a tuple of whole numbers, such as (3,), or () for a "
                             "number.")
        return tuple(map(int, shape))
    tree = tree_of(model)
    known = {"q": (tree.nq,), "qd": (tree.nv,), "qdd": (tree.nv,), "tau": (tree.nv,), "f_ext": (tree.N_B + 1, 6),
             "t": (), "base": (7,), "v_0": (6,), "a_g": (3,), "T_stab": (),
             "lam": (sum(6 - loop.joint.nv for loop in tree.loops),)}
    if isinstance(model, GearedTree):
        known |= {"y": (model.ny,), "yd": (model.m,), "ydd": (model.m,)}
    if name not in known:
        raise ValueError(f"The shape of the argument {name} is not known; give it as shapes={{{name!r}: (3,)}}, or fix "
                         f"its value with {name}=...")
    return known[name]


def taken_apart(result, names=(), where_it_holds=None):
    """A function's result, times 1 or NaN if given (see `one_where`), as a list of `Result` and how it was arranged."""
    outputs = []

    def entry(x):
        if where_it_holds is not None:
            x = where_it_holds - 1.0 if isinstance(x, (int, float)) and x == 0 else x * where_it_holds
        if isinstance(x, Recorded):
            return x.operand
        if isinstance(x, (int, float, np.number)):
            return float(x)
        raise TypeError(f"The function returned {x!r}, which is neither a number nor an array; only numbers can be "
                        "computed by a straight-line program.")

    def describe(value, name):
        whole = type(value) is tuple and value and all(type(x) is int for x in value)
        if value is None or whole or isinstance(value, (bool, np.bool_, str)):      # it is not computed from numbers
            return {"kind": "constant", "value": value.item() if isinstance(value, np.bool_) else value}
        kind = type(value)
        if fields := field_names(kind):
            items = [describe(getattr(value, field), field) for field in fields]
            return {"kind": "named", "module": kind.__module__, "name": kind.__name__, "items": items}
        if isinstance(value, (list, tuple)):
            return {"kind": "tuple" if isinstance(value, tuple) else "list",
                    "items": [describe(part, f"{name}{k}") for k, part in enumerate(value)]}
        array = np.asarray(value)
        outputs.append(Result(name, array.shape, tuple(map(entry, array.ravel()))))
        return {"kind": "array" if isinstance(value, np.ndarray) else "number", "shape": list(array.shape)}

    if isinstance(result, tuple) and len(names) == len(result) and not field_names(type(result)):
        return outputs, {"kind": "tuple", "items": [describe(*part) for part in zip(result, names, strict=True)]}
    return outputs, describe(result, names[0] if names else "result")


def field_names(kind):
    """The fields of a NamedTuple, or of a dataclass that does nothing but hold them; () for others."""
    if is_dataclass(kind) and not hasattr(kind, "__post_init__"):
        return tuple(field.name for field in fields(kind))
    return getattr(kind, "_fields", ()) if issubclass(kind, tuple) else ()


def rebuild(structure, arrays):
    """The result that a structure describes, from arrays (..., shape of the output); of a number (...), or a float."""
    waiting = iter(arrays)

    def built(part):
        kind = part["kind"]
        if kind == "constant":
            return tuple(part["value"]) if isinstance(part["value"], list) else part["value"]
        if kind in ("array", "number"):
            array = next(waiting)
            return array if kind == "array" else array[()]
        items = [built(item) for item in part["items"]]
        return items if kind == "list" else tuple(items) if kind == "tuple" else named_class(part)(*items)

    return built(structure)


def named_class(part):
    """The NamedTuple or dataclass of a described result, from a module that is loaded already."""
    found = getattr(sys.modules.get(part["module"]), part["name"], None)
    if not (isinstance(found, type) and field_names(found)):
        raise ValueError(f"There is no NamedTuple or dataclass {part['name']} in the module {part['module']}.")
    return found
