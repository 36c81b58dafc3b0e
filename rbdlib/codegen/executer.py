"""From a function and a model to a straight-line program: what the book calls the symbolic executer (RBDA 10.4)."""

import inspect
import sys
from dataclasses import dataclass, fields, replace
from math import prod

import numpy as np

from rbdlib.codegen.program import Argument, Program, Result
from rbdlib.codegen.record import Recorded, Recorder
from rbdlib.codegen.simplify import Simplifier, without_unused
from rbdlib.model import Model

#: What the results of the best-known functions are called in the book.
RESULT_NAMES = {
    "rnea": ("tau",), "bias_force": ("C",), "crba": ("H",), "aba": ("qdd",), "forward_dynamics": ("qdd",),
    "rnea_derivatives": ("dtau_dq", "dtau_dqd", "H"), "aba_derivatives": ("dqdd_dq", "dqdd_dqd", "H_inverse"),
}


@dataclass(frozen=True)
class Recording:
    """A program, and how the function's result is made from the program's outputs (see `rebuild`)."""

    program: Program
    structure: dict


def record(function, model, given=(), parameters=(), fixed=None, shapes=None, simplified=True):
    """Run a function on a model with recorded numbers for its other arguments: a `Recording` (RBDA 10.4).

    function: such as `rbdlib.rnea`: its first argument is the model, and of the others those without a default value
    become inputs of the program. given: names of arguments with a default that become inputs too, such as "f_ext".
    parameters: names of the model's SymPy symbols, all of which become inputs. fixed: {name: value} of arguments that
    are passed as they are. shapes: {name: shape} of arguments that are neither q, qd, qdd, tau, f_ext nor t.
    simplified: whether the rules of RBDA 10.4 are applied on the way. Raises TypeError where the function chooses by
    the value of a number, and ValueError for names that it does not know.
    """
    fixed = dict(fixed or {})
    names = input_names(function, given, fixed)
    inputs = [*(Argument(name, shape_of(name, model, shapes or {})) for name in names),
              *(Argument(name, ()) for name in parameters)]
    recorder = (Simplifier if simplified else Recorder)(sum(prod(shape) for _, shape in inputs))
    arrays = _recorded_inputs(recorder, inputs)
    free = dict(zip(parameters, arrays[len(names):], strict=True))
    result = function(_with_recorded_parameters(model, free, recorder), **dict(zip(names, arrays, strict=False)),
                      **fixed)
    outputs, structure = _taken_apart(result, RESULT_NAMES.get(function.__name__, ()))
    program = Program(tuple(inputs), tuple(recorder.assignments), tuple(outputs))
    return Recording(without_unused(program) if simplified else program, structure)


# Arguments


def input_names(function, given=(), fixed=()):
    """The names of the arguments that become inputs, in the function's order."""
    (_, *arguments) = inspect.signature(function).parameters.values()
    known = {argument.name for argument in arguments}
    unknown = [name for name in (*given, *fixed) if name not in known]
    if unknown:
        raise ValueError(f"{function.__name__} has no argument {unknown[0]!r}; it has {', '.join(sorted(known))}.")
    return [argument.name for argument in arguments if argument.name not in fixed
            and (argument.default is argument.empty or argument.name in given)]


def shape_of(name, model, shapes):
    """The shape of an argument, by its name."""
    if name in shapes:
        return tuple(shapes[name])
    tree = getattr(model, "tree", model)
    known = {"q": (tree.nq,), "qd": (tree.nv,), "qdd": (tree.nv,), "tau": (tree.nv,), "f_ext": (tree.N_B + 1, 6),
             "t": (), "v_0": (6,), "a_g": (3,)}
    if name not in known:
        raise ValueError(f"The shape of the argument {name} is not known; give it as shapes={{{name!r}: (3,)}}, or fix "
                         f"its value with {name}=...")
    return known[name]


def _recorded_inputs(recorder, inputs):
    arrays, first = [], 0
    for _, shape in inputs:
        size = prod(shape)
        array = np.array([*(Recorded(recorder, k) for k in range(first, first + size)), None], dtype=object)[:-1]
        arrays.append(array.reshape(shape) if shape else array[0])
        first += size
    return arrays


# Parameters of the model that stay free


def _with_recorded_parameters(model, free, recorder):
    """The model with recorded numbers for its SymPy symbols; unchanged if it has none."""
    if not isinstance(model, Model) or not free_symbols(model):
        return model

    def convert(x):
        return _from_sympy(x, free, recorder) if hasattr(x, "free_symbols") else x

    def converted(array):
        return np.array([*(convert(x) for x in array.ravel()), None], dtype=object)[:-1].reshape(array.shape)

    copy = object.__new__(Model)
    for name, value in vars(model).items():
        object.__setattr__(copy, name, value)
    for name in ("X_tree", "inertia"):
        object.__setattr__(copy, name, (None, *(converted(array) for array in getattr(model, name)[1:])))
    object.__setattr__(copy, "gravity", converted(model.gravity))
    object.__setattr__(copy, "joints", (None, *(_joint(joint, convert) for joint in model.joints[1:])))
    return copy


def _joint(joint, convert):
    """The joint with converted numbers in place of symbols."""
    changes = {}
    for field in fields(joint):
        value = getattr(joint, field.name)
        if hasattr(value, "free_symbols"):
            changes[field.name] = convert(value)
        elif isinstance(value, tuple) and any(hasattr(x, "free_symbols") for x in value):
            changes[field.name] = tuple(convert(x) for x in value)
        elif field.name == "joint":
            changes[field.name] = _joint(value, convert)
    return replace(joint, **changes) if changes else joint


def free_symbols(model):
    """The names of the SymPy symbols in a model's numbers, sorted."""
    if not isinstance(model, Model):
        return []
    arrays = [model.gravity, *model.X_tree[1:], *model.inertia[1:]]
    values = [x for array in arrays if array.dtype == object for x in array.flat]
    for joint in model.joints[1:]:
        while hasattr(joint, "joint"):
            joint = joint.joint
        for field in fields(joint):
            value = getattr(joint, field.name)
            values.extend(value if isinstance(value, tuple) else [value])
    return sorted({str(symbol) for x in values for symbol in getattr(x, "free_symbols", ())})


def _from_sympy(x, free, recorder):
    """A SymPy formula in recorded numbers; free: {name of a symbol: its recorded number}."""
    if x.is_Number or x.is_NumberSymbol:
        return float(x)
    if x.is_Symbol:
        if x.name not in free:
            raise ValueError(f"The model contains the symbol {x.name}; name it in parameters, or load the model with "
                             "numbers.")
        return free[x.name]
    parts = [_from_sympy(part, free, recorder) for part in x.args]
    if x.is_Add:
        return sum(parts[1:], parts[0])
    if x.is_Mul:
        return prod(parts[1:], start=parts[0])
    if x.is_Pow and x.exp.is_Integer:
        return parts[0] ** int(x.exp)
    if x.is_Pow and 2 * x.exp in (1, -1):
        root = parts[0].sqrt() if isinstance(parts[0], Recorded) else parts[0] ** 0.5
        return root if x.exp > 0 else 1 / root
    if type(x).__name__ in ("sin", "cos") and isinstance(parts[0], Recorded):
        return getattr(parts[0], type(x).__name__)()
    raise TypeError(f"The model contains the formula {x}; only + - * / sqrt sin cos and whole powers can be recorded.")


# Results


def _taken_apart(result, names=()):
    """A function's result as a list of `Result` and a description of how they were arranged."""
    outputs = []

    def describe(value, name):
        if value is None:
            return {"kind": "none"}
        if isinstance(value, (list, tuple)):
            parts = getattr(value, "_fields", None) or [f"{name}{k}" for k in range(len(value))]
            kind = {"kind": type(value).__name__} if type(value) in (list, tuple) else {
                "kind": "named", "module": type(value).__module__, "name": type(value).__name__}
            return {**kind, "items": [describe(*part) for part in zip(value, parts, strict=True)]}
        array = np.asarray(value)
        entries = tuple(_entry(x) for x in array.ravel())
        outputs.append(Result(name, array.shape, entries))
        return {"kind": "array" if isinstance(value, np.ndarray) else "number", "shape": list(array.shape)}

    if isinstance(result, tuple) and len(names) == len(result) and not hasattr(result, "_fields"):
        return outputs, {"kind": "tuple", "items": [describe(*part) for part in zip(result, names, strict=True)]}
    return outputs, describe(result, names[0] if names else "result")


def _entry(x):
    if isinstance(x, Recorded):
        return x.operand
    if isinstance(x, (int, float, np.number)):
        return float(x)
    raise TypeError(f"The function returned {x!r}, which is neither a number nor an array; only numbers can be "
                    "computed by a straight-line program.")


def rebuild(structure, arrays):
    """The result that a structure describes, from arrays (..., shape of the output): the inverse of taking it apart.

    A number becomes an array of the batch's shape, a NumPy float where there is no batch.
    """
    waiting = iter(arrays)

    def build(part):
        kind = part["kind"]
        if kind == "none":
            return None
        if kind in ("array", "number"):
            array = next(waiting)
            return array if kind == "array" else array[()]
        items = [build(item) for item in part["items"]]
        return items if kind == "list" else tuple(items) if kind == "tuple" else named_class(part)(*items)

    return build(structure)


def named_class(part):
    """The NamedTuple class of a described result, from a module that is loaded already."""
    found = getattr(sys.modules.get(part["module"]), part["name"], None)
    if not (isinstance(found, type) and issubclass(found, tuple) and hasattr(found, "_fields")):
        raise ValueError(f"There is no NamedTuple {part['name']} in the module {part['module']}.")
    return found
