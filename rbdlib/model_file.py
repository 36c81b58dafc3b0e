"""Model files: a mechanism written down in TOML, with named parameters, as a student would describe it.

`data/models/` holds the systems of the texts; its README explains the format. Expressions such as "m1 * l1 / 2" are
read by a small grammar of numbers, parameter names, + - * / **, parentheses, sqrt, sin and cos, and are never evaluated
as Python.
"""

import ast
import difflib
import keyword
import math
import operator
import re
import tomllib
from pathlib import Path

import numpy as np

from rbdlib import scalars, validation
from rbdlib.joints import Fixed, Prismatic, Revolute
from rbdlib.model import Model, ModelError
from rbdlib.scalars import as_floats
from rbdlib.spatial import I_to_mcI, X_to_Er, mcI, plucker, rx, ry, rz

JOINTS = {"revolute": Revolute, "prismatic": Prismatic, "fixed": Fixed}
MODEL_KEYS = ("title", "source", "gravity", "parameters", "body")
BODY_KEYS = (
    "name", "parent", "joint", "position", "orientation", "X_tree", "mass", "com", "inertia", "spatial_inertia",
)
LONGEST_EXPRESSION = 200
LARGEST_NUMBER = 1e300


def load(name, symbolic=False):
    """A model that comes with rbdlib, by name: ``load("double_pendulum")`` (see `model_names`).

    With symbolic=True the parameters are SymPy symbols, found in ``model.parameters``. Raises ValueError for an unknown
    name. Your own files are read by `Model.load`.
    """
    if name not in model_names():
        close = difflib.get_close_matches(str(name), model_names(), 1)
        hint = f"Did you mean {close[0]!r}?" if close else f"There are: {', '.join(model_names())}."
        raise ValueError(f"There is no model {name!r}. {hint} Your own files are read by Model.load(path).")
    return read_model(_folder() / f"{name}.toml", symbolic)


def model_names():
    """The names of the models that come with rbdlib."""
    return sorted(path.stem for path in _folder().glob("*.toml"))


def _folder():
    package = Path(__file__).parent
    installed = package / "data" / "models"
    return installed if installed.is_dir() else package.parent / "data" / "models"


# Reading


def read_model(path, symbolic=False):
    """The model described in a TOML file; errors (ModelError) name the file and the key. See `load`."""
    path = Path(path)
    try:
        description = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"There is no file {path}.") from None
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:  # what tomllib says of bad syntax, huge numbers, deep nesting
        raise ModelError(f"{path.name} is not a TOML file: {error}.") from None
    try:
        return _build(description, symbolic)
    except (ModelError, ValueError, TypeError) as error:
        raise ModelError(f"{path.name}: {error}") from None


def _build(description, symbolic):
    _refuse_unknown_keys(description, MODEL_KEYS, "the file")
    bodies = description.get("body", [])
    if not isinstance(bodies, list) or not all(isinstance(body, dict) for body in bodies):
        raise ModelError("body must be a list of tables; write [[body]] before each body.")
    parameters = _parameters(description.get("parameters", {}), symbolic)
    read = _Reader(parameters, symbolic)
    numbers, parts = {"base": 0}, []
    for i, body in enumerate(bodies, start=1):
        where = f"body {i} ({body.get('name', 'without a name')})"
        _refuse_unknown_keys(body, BODY_KEYS, where)
        name = body.get("name")
        if not isinstance(name, str) or name in numbers:
            raise ModelError(f"{where}: give every body a name of its own; the base is called 'base'.")
        parent = body.get("parent", "base")
        if parent not in list(numbers):
            raise ModelError(f"{where}: parent is {parent!r}; name a body that stands above it, or 'base'.")
        numbers[name] = i
        parts.append((numbers[parent], read.joint(body, where), read.placement(body, where), read.inertia(body, where)))
    parent, joints, X_tree, inertia = zip(*parts, strict=True) if parts else ((), (), (), ())
    gravity = read.array(description.get("gravity", [0, 0, -9.81]), "gravity")
    return Model(parent, joints, X_tree, inertia, gravity, names=list(numbers)[1:], parameters=parameters)


def _refuse_unknown_keys(table, known, where):
    for key in table:
        if key not in known:
            close = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"choose from {', '.join(known)}."
            raise ModelError(f"{where}: there is no key {key!r}; {hint}")


def _refuse_both(body, key, others, where):
    for other in others:
        if key in body and other in body:
            raise ModelError(f"{where}: {key} and {other} say the same thing; give only one of them.")


def _parameters(table, symbolic):
    """The named parameters, each a number or an expression in the ones above it; symbols if asked for."""
    if not isinstance(table, dict):
        raise ModelError(f"parameters is {table!r}; write [parameters] and below it lines such as m = 1.5")
    parameters = {}
    for name, entry in table.items():
        entry = entry if isinstance(entry, dict) else {"value": entry}
        _refuse_unknown_keys(entry, ("value", "unit", "meaning", "positive"), f"parameters.{name}")
        if not re.fullmatch(r"[A-Za-z]\w*", name) or name in ("pi", *FUNCTIONS) or keyword.iskeyword(name):
            raise ModelError(
                f"parameters.{name}: choose a name of letters and digits other than pi, sqrt, sin, cos and the words "
                f"of Python, such as lambda."
            )
        positive = entry.get("positive", entry.get("unit") in ("kg", "kg m^2"))
        if not isinstance(positive, bool):
            raise ModelError(f"parameters.{name}: positive is {positive!r}; write true or false.")
        value = _Reader(parameters, symbolic).number(entry.get("value"), f"parameters.{name}")
        if entry.get("positive") and as_floats(value) is not None and value <= 0:
            raise ModelError(f"parameters.{name} is {value}, although it is said to be positive.")
        if symbolic and not isinstance(entry["value"], str):
            import sympy

            value = sympy.Symbol(name, positive=True) if positive else sympy.Symbol(name, real=True)
        parameters[name] = value
    return parameters


class _Reader:
    """Turns the values of a model file into numbers (or SymPy expressions) with the parameters at hand."""

    def __init__(self, parameters, symbolic):
        self.parameters, self.symbolic = parameters, symbolic

    def number(self, value, where):
        if isinstance(value, str):
            return evaluate(value, self.parameters, self.constant, where)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ModelError(f"{where} is {value!r}; give a number or an expression in quotation marks.")
        if not abs(value) <= LARGEST_NUMBER:
            raise ModelError(f"{where} is {str(value)[:20]}; give a finite number, less than {LARGEST_NUMBER:g}.")
        return self.constant(value)

    def constant(self, value):
        if not self.symbolic:
            return float(value)
        import sympy

        return sympy.Integer(value) if isinstance(value, int) else sympy.Rational(str(value))

    def array(self, values, where):
        if not isinstance(values, list):
            raise ModelError(f"{where} is {values!r}; give a list of numbers.")
        if values and all(isinstance(row, list) for row in values):
            if len({len(row) for row in values}) > 1:
                raise ModelError(f"{where}: the rows have different lengths; give one number per entry.")
            return np.array([self.array(row, where) for row in values])
        return np.array([self.number(value, where) for value in values])

    def vector(self, values, where):
        array = self.array(values, where)
        if array.shape != (3,):
            raise ModelError(f"{where} is {values!r}; give three numbers.")
        return array

    def joint(self, body, where):
        joint = body.get("joint")
        if not isinstance(joint, dict) or joint.get("type") not in list(JOINTS):
            raise ModelError(
                f"{where}: joint is {joint!r}; write {{type = 'revolute', axis = 'z'}}; or {', '.join(JOINTS)}."
            )
        options = {key: value for key, value in joint.items() if key != "type"}
        _refuse_unknown_keys(options, () if joint["type"] == "fixed" else ("axis",), f"{where}: joint")
        if isinstance(options.get("axis"), list):
            options["axis"] = self.array(options["axis"], f"{where}: joint.axis")
        try:
            return JOINTS[joint["type"]](**options)
        except (ValueError, TypeError) as error:
            raise ModelError(f"{where}: joint: {error}") from None

    def placement(self, body, where):
        _refuse_both(body, "X_tree", ("position", "orientation"), where)
        if "X_tree" in body:
            return self.array(body["X_tree"], f"{where}: X_tree")
        position = self.vector(body.get("position", [0, 0, 0]), f"{where}: position")
        orientation = body.get("orientation", [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
        if isinstance(orientation, dict):
            _refuse_unknown_keys(orientation, ("axis", "angle"), f"{where}: orientation")
            turns = {"x": rx, "y": ry, "z": rz}
            if orientation.get("axis") not in list(turns):
                raise ModelError(f"{where}: orientation.axis is {orientation.get('axis')!r}; choose x, y or z.")
            E = turns[orientation["axis"]](self.number(orientation.get("angle"), f"{where}: orientation.angle"))
        else:
            E = validation.rotation(self.array(orientation, f"{where}: orientation"), f"{where}: orientation")
        return plucker(E, position)

    def inertia(self, body, where):
        _refuse_both(body, "spatial_inertia", ("mass", "com", "inertia"), where)
        if "mass" not in body and ("com" in body or "inertia" in body):
            raise ModelError(f"{where}: it has a com or an inertia, but no mass; write mass = 0 if that is meant.")
        if "spatial_inertia" in body:
            return self.array(body["spatial_inertia"], f"{where}: spatial_inertia")
        m = validation.mass(self.number(body.get("mass", 0), f"{where}: mass"), f"{where}: mass")
        com = self.vector(body.get("com", [0, 0, 0]), f"{where}: com")
        given = body.get("inertia", [0, 0, 0])
        if isinstance(given, dict):
            I_C = self.shape(given, m, f"{where}: inertia")
        else:
            I_C = self.array(given, f"{where}: inertia")
            I_C = np.diag(I_C) if I_C.shape == (3,) else I_C
        return mcI(m, com, validation.rotational_inertia(I_C, f"{where}: inertia"))

    def shape(self, given, m, where):
        if given.get("shape") not in list(SHAPES):
            raise ModelError(f"{where}: shape is {given.get('shape')!r}; choose from {', '.join(SHAPES)}.")
        moments, sizes = SHAPES[given["shape"]]
        axial = given["shape"] in ("rod", "cylinder")
        _refuse_unknown_keys(given, ("shape", *sizes, *(("axis",) if axial else ())), where)
        values = [self.number(given.get(size), f"{where}: {size}") for size in sizes]
        for size, value in zip(sizes, values, strict=True):
            if as_floats(value) is not None and value < 0:
                raise ModelError(f"{where}: {size} is {value}; a size cannot be negative.")
        diagonal = [self.constant(0) + m * moment for moment in moments(self.constant(12), *values)]
        if axial:
            axis = given.get("axis", "z")
            if axis not in ("x", "y", "z"):
                raise ModelError(f"{where}: axis is {axis!r}; choose x, y or z.")
            across, along = diagonal[0], diagonal[2]
            diagonal = [along if axis == name else across for name in "xyz"]
        return np.diag(diagonal)


#: Moments of inertia about the centre of mass per unit mass (twelve is 12 in the arithmetic wanted), and the sizes.
SHAPES = {
    "rod": (lambda twelve, length: (length**2 / twelve, length**2 / twelve, 0), ("length",)),
    "box": (
        lambda twelve, x, y, z: ((y**2 + z**2) / twelve, (x**2 + z**2) / twelve, (x**2 + y**2) / twelve),
        ("x", "y", "z"),
    ),
    "sphere": (lambda twelve, radius: 3 * (24 * radius**2 / (5 * twelve),), ("radius",)),
    "cylinder": (
        lambda twelve, radius, length: 2 * ((3 * radius**2 + length**2) / twelve,) + (6 * radius**2 / twelve,),
        ("radius", "length"),
    ),
}

# Expressions

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
FUNCTIONS = {"sqrt": scalars.sqrt, "sin": scalars.sin, "cos": scalars.cos}


def evaluate(text, parameters, constant, where):
    """The value of an expression in a model file. ``constant`` makes a number of the arithmetic wanted.

    Raises ModelError for anything but numbers, parameters, + - * / ** (with a whole exponent up to 9), parentheses, pi,
    sqrt, sin, cos.
    """
    if len(text) > LONGEST_EXPRESSION:
        raise ModelError(f"{where} is an expression of {len(text)} characters; {LONGEST_EXPRESSION} are allowed.")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise ModelError(f"{where}: {text!r} is not an expression of numbers and parameters.") from None
    except (RecursionError, MemoryError):
        raise ModelError(f"{where} is nested too deeply.") from None
    try:
        value = _value(tree, parameters, constant, where)
        if getattr(value, "is_real", True) is False:
            raise ArithmeticError
        scalars.number(value, where)
        return value
    except RecursionError:
        raise ModelError(f"{where} is nested too deeply.") from None
    except ZeroDivisionError:
        raise ModelError(f"{where}: {text!r} divides by zero.") from None
    except (ValueError, ArithmeticError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{where}: {text!r} has no finite real value.") from None


def _value(node, parameters, constant, where):
    def value(part):
        return _value(part, parameters, constant, where)

    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            if abs(number) > LARGEST_NUMBER:
                raise OverflowError
            return constant(number)
        case ast.Name(id=name) if name in parameters:
            return parameters[name]
        case ast.Name(id="pi"):
            return _pi(constant)
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return -value(part)
        case ast.UnaryOp(op=ast.UAdd(), operand=part):
            return value(part)
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int() as power)) if 0 <= power <= 9:
            if isinstance(power, bool):
                raise ModelError(f"{where}: the exponent {power} is not a whole number.")
            return _of_moderate_size(value(base), where) ** power
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
            return OPERATORS[type(sign)](value(left), value(right))
        case ast.Call(func=ast.Name(id=name), args=[part], keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](value(part))
        case ast.Name(id=name):
            known = ", ".join(parameters) or "none so far"
            raise ModelError(f"{where}: there is no parameter {name!r} here. Parameters: {known}.")
    raise ModelError(f"{where}: use only numbers, parameters, + - * / ** ( ), pi, sqrt, sin and cos.")


def _of_moderate_size(base, where):
    """The base of a power, refused if it is a SymPy number so long that powers of its powers would fill the memory."""
    rationals = [] if isinstance(base, float) else [x for x in base.atoms() if x.is_Rational]
    if any(max(abs(x.p), x.q).bit_length() > 1000 for x in rationals):
        raise ModelError(f"{where}: the powers in it lead to numbers of hundreds of digits. Give it in other units.")
    return base


def _pi(constant):
    if isinstance(constant(1), float):
        return math.pi
    import sympy

    return sympy.pi


# Writing


def write_model(model, path):
    """Write a model to a TOML file, numbers only; `read_model` gives back an equal model. ValueError for symbols."""
    import tomli_w

    for array in (model.gravity, *model.X_tree[1:], *model.inertia[1:]):
        if as_floats(array) is None:
            raise ValueError("The model contains symbols, but a file holds numbers: save the numerical model.")
    bodies = [
        {"name": model.names[i], "parent": model.names[model.parent[i]], "joint": _joint_table(model.joints[i]),
         **_placement_table(model.X_tree[i]), **_inertia_table(model.inertia[i])}
        for i in model.bodies
    ]
    parameters = {name: float(value) for name, value in model.parameters.items()}
    description = {"gravity": model.gravity.tolist(), "parameters": parameters, "body": bodies}
    Path(path).write_text(tomli_w.dumps(description), encoding="utf-8")


def _joint_table(joint):
    table = {"type": type(joint).__name__.lower()}
    if hasattr(joint, "axis"):
        table["axis"] = joint.axis if isinstance(joint.axis, str) else list(joint.axis)
    return table


def _placement_table(X):
    E, r = X_to_Er(X)
    if not np.array_equal(plucker(E, r), X):
        return {"X_tree": X.tolist()}
    return {"position": r.tolist(), **({} if np.array_equal(E, np.eye(3)) else {"orientation": E.tolist()})}


def _inertia_table(I):
    if not I.any():
        return {}
    if I[5, 5] > 0:
        m, c, I_C = I_to_mcI(I)
        try:
            exact = np.array_equal(mcI(m, c, I_C), I)
        except ValueError:  # I_C is nothing but rounding: a point mass
            exact = False
        if exact:
            return {"mass": float(m), "com": c.tolist(), "inertia": I_C.tolist()}
    return {"spatial_inertia": I.tolist()}
