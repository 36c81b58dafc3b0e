"""Model files: a mechanism written down in TOML, with named parameters, as a student would describe it.

`data/models/` holds the systems of the texts and some robots; its README explains the format.
"""

import difflib
import os
import tomllib
import warnings
from pathlib import Path

from rbdlib.book.ch02_spatial import inverse_transform, transform_inertia
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch04_model import LoopJoint, Model, ModelError, require_model
from rbdlib.io.data import data_folder
from rbdlib.io.model_file import parts
from rbdlib.io.model_file.expressions import evaluate
from rbdlib.io.model_file.parts import inertia_table, joint_table, placement_table, read_joint, read_placement
from rbdlib.io.model_file.values import plain, read_parameters, refuse_unknown_keys, require_text, shown
from rbdlib.methods.equivalence import EquivalentModel
from rbdlib.methods.geometry import DH_FORMS

__all__ = ["evaluate", "load", "model_names", "read_model", "save"]

MODEL_KEYS = ("title", "source", "gravity", "parameters", "dh_form", "body", "loop")
BODY_KEYS = ("name", "parent", "joint", "position", "orientation", "X_tree", "dh", "mass", "com", "inertia",
             "spatial_inertia", "character")
LOOP_KEYS = ("predecessor", "successor", "joint")
END_KEYS = ("body", "position", "orientation", "X")
WRITTEN_BY_SAVE = ("# Saved by rbdlib: every number below is worked out, and so changing a parameter has no effect on "
                   "the bodies.\n")


def load(name, symbolic=False):
    """A model that comes with rbdlib, by name, or one of your own, by the path of its TOML file.

    ``load("double_pendulum")`` gives the first, `model_names` lists them; ``load("my_robot.toml")``, or a pathlib.Path,
    the second. With symbolic=True the parameters are SymPy symbols, found in ``model.parameters``. Raises ValueError
    for an unknown name, ModelError (a ValueError) for a file that is none or does not say what it must.

    >>> load("double_pendulum").nv
    2
    """
    if not isinstance(name, str) or name.endswith(".toml"):
        return read_model(name, symbolic)
    if name not in model_names():
        close = difflib.get_close_matches(str(name), model_names(), 1)
        hint = f"Did you mean {close[0]!r}?" if close else f"There are: {', '.join(model_names())}."
        raise ValueError(f"There is no model {name!r}. {hint} Your own files are read by load(path), where "
                         "the path ends in .toml.")
    return read_model(data_folder("models") / f"{name}.toml", symbolic)


def model_names():
    """The names of the models that come with rbdlib."""
    return sorted(path.stem for path in data_folder("models").glob("*.toml"))


def read_model(path, symbolic=False):
    """The model described in a TOML file; errors (ModelError) name the file and the key. See `load`."""
    path = _path(path, "Models that come with rbdlib are read by rbdlib.load(name).")
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


def _path(path, remedy):
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path is {path!r}; give the path of a TOML file, as text or as a pathlib.Path. {remedy}")
    return Path(path)


def _build(description, symbolic):
    refuse_unknown_keys(description, MODEL_KEYS, "the file")
    require_text(description, ("title", "source"))
    values = read_parameters(description.get("parameters", {}), symbolic)
    numbers, made = _bodies(values, description)
    parent, joints, X_tree, inertia, X_link = zip(*made, strict=True) if made else ((), (), (), (), ())
    loops = [_loop(values, loop, numbers, (None, *X_link), f"loop {k}")
             for k, loop in enumerate(_tables(description, "loop"), start=1)]
    gravity = values.array(description.get("gravity", [0, 0, -9.81]), "gravity")
    names = list(numbers)[1:]
    characters = {i: parts.read_character(values, body["character"], f"body {i} ({names[i - 1]})")
                  for i, body in enumerate(_tables(description, "body"), start=1) if "character" in body}
    return Model(parent, joints, X_tree, inertia, gravity, names, loops, values.parameters, characters)


def _tables(description, key):
    tables = description.get(key, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ModelError(f"{key} must be a list of tables; write [[{key}]] before each {key}.")
    return tables


def _bodies(values, description):
    """The numbers of the bodies by name, and for each body its parent, joint, X_tree, inertia and X_link.

    X_link, None for the identity, leads from the model's body frame to the described one (classic Denavit-Hartenberg
    form).
    """
    form, numbers, made = description.get("dh_form", "modified"), {"base": 0}, []
    if form not in DH_FORMS:
        raise ModelError(f"dh_form is {form!r}; choose from {', '.join(DH_FORMS)}.")
    for i, body in enumerate(_tables(description, "body"), start=1):
        where = f"body {i} ({body.get('name', 'without a name')})"
        refuse_unknown_keys(body, BODY_KEYS, where)
        name = body.get("name")
        if not isinstance(name, str) or name in numbers:
            raise ModelError(f"{where}: give every body a name of its own; the base is called 'base'.")
        parent = body.get("parent", "base")
        if parent not in list(numbers):
            raise ModelError(f"{where}: parent is {parent!r}; name a body that stands above it, or 'base'.")
        numbers[name], parent = i, numbers[parent]
        joint = Revolute() if "dh" in body and "joint" not in body else read_joint(values, body.get("joint"), where)
        X_link, before = None, made[parent - 1][-1] if parent else None
        if "dh" in body:
            X_tree, X_link = parts.read_dh(values, body, joint, form, where)
        else:
            X_tree = read_placement(values, body, where, "X_tree")
        inertia = parts.read_inertia(values, body, where)
        if X_link is not None:
            inertia = transform_inertia(inverse_transform(X_link), inertia)
        made.append((parent, joint, X_tree if before is None else X_tree @ before, inertia, X_link))
    return numbers, made


def _loop(values, loop, numbers, X_link, where):
    refuse_unknown_keys(loop, LOOP_KEYS, where)
    ends = []
    for key in ("predecessor", "successor"):
        end = loop.get(key)
        end = end if isinstance(end, dict) else {"body": end}
        refuse_unknown_keys(end, END_KEYS, f"{where}: {key}")
        if end.get("body") not in list(numbers):
            raise ModelError(f"{where}: {key} is {shown(loop.get(key))}; name a body of this file, or 'base', or write "
                             f"{{body = 'a name', position = [0, 0, 0]}}.")
        body, X = numbers[end["body"]], read_placement(values, end, f"{where}: {key}", "X")
        ends.append((body, X if X_link[body] is None else X @ X_link[body]))
    (predecessor, X_P), (successor, X_S) = ends
    return LoopJoint(predecessor, successor, read_joint(values, loop.get("joint"), where), X_P, X_S)


def save(model, path):
    """Write a model to a TOML file, parameters worked out to numbers; `load` gives back an equal model.

    Raises ValueError for symbols, and ModelError for joints made of functions (`Custom`) and for whatever `load`
    would refuse, such as a parameter named "pi"; then nothing is written.

    >>> save(load("pendulum"), "my_pendulum.toml")
    >>> load("my_pendulum.toml") == load("pendulum")
    True
    """
    import tomli_w

    path = _path(path, "The file is made, or replaced, by save.")
    require_model(model)
    if isinstance(model, EquivalentModel):
        raise ModelError("This model has inertias that no body has, which a file cannot hold. Save model.physical, "
                         "which moves alike.")
    bodies = [
        {"name": model.names[i], "parent": model.names[model.parent[i]],
         "joint": joint_table(model.joints[i], f"body {i} ({model.names[i]})"),
         **parts.character_table(model.characters[i]), **placement_table(model.X_tree[i], "X_tree"),
         **inertia_table(model.inertia[i])}
        for i in model.bodies
    ]
    loops = [
        {"predecessor": {"body": model.names[loop.predecessor], **placement_table(loop.X_P, "X")},
         "successor": {"body": model.names[loop.successor], **placement_table(loop.X_S, "X")},
         "joint": joint_table(loop.joint, f"loop {k}")}
        for k, loop in enumerate(model.loops, start=1)
    ]
    parameters = {str(name): plain(value) for name, value in model.parameters.items()}
    description = {"gravity": plain(model.gravity), "parameters": parameters, "body": bodies,
                   **({"loop": loops} if loops else {})}
    text = WRITTEN_BY_SAVE + tomli_w.dumps(description)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _build(tomllib.loads(text), symbolic=False)
    except (ValueError, TypeError) as error:
        raise ModelError(f"The model cannot be saved, because no file with it could be loaded again: {error} Change "
                         "the model first, for instance with model.replace(parameters={...}).") from None
    path.write_text(text, encoding="utf-8")
