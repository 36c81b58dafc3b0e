"""Points of bodies: the origin of the body's frame, its centre of mass, its tip, or a point given by coordinates."""

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er
from rbdlib.verification.mechanics.states import system_of
from rbdlib.verification.notation.reading import read
from rbdlib.verification.trees.expression import Symbol, evaluate, symbols

TIP = r"(?:the\s+)?(?:tip|end|end[- ]?effector|tcp|hand)"
_COM = r"(?:the\s+)?(?:com|cm|cog|centre of mass|center of mass|centre of gravity)"


class UnknownQuantity(ValueError):
    """A quantity that cannot be verified; the message names those that can."""


class NoPoint(UnknownQuantity):
    """There is no such body or point; the message says what there is."""


@dataclass(frozen=True)
class Point:
    """A point of body i. name: in words, "" for the origin.  at: function of a state, its place in body coordinates.

    Of one model, points of the same body and name are the same.
    """

    body: int
    name: str
    at: Any = field(compare=False)


def find_point(model, text):
    """The `Point` that a text names: "2", "forearm", "com 2", "com of body 2", "c2", "tip", "tip 1", "2: (l2, 0, 0)".

    Raises `NoPoint`, a ValueError.
    """
    text = " ".join(text.split())
    place = re.fullmatch(r"(?P<body>[^:,(]+?)\s*(?::|,|\bat\b|@)?\s*\((?P<where>.+)\)", text)
    if place:
        i = body_number(model, place["body"])
        return Point(i, f"the point ({place['where']}) of body {i}", _by_coordinates(model, place["where"]))
    for pattern, make in ((_COM, com_of), (TIP, tip_of)):
        match = (re.fullmatch(rf"{pattern}(?:\s*(?:of\s+)?(?:the\s+)?(?P<body>.+))?", text, re.I)
                 or re.fullmatch(rf"(?P<body>.+?)\s*[,:]?\s*(?:at\s+)?{pattern}", text, re.I))
        if match and text not in model.names:
            return make(model, body_number(model, match["body"]) if match["body"] else model.N_B)
    match = re.fullmatch(r"[cCG]_?(\d+)", text)
    if match and text not in model.names:
        return com_of(model, body_number(model, match[1]))
    i = body_number(model, text)
    return Point(i, "", lambda state: 0 * state.model.inertia[max(i, 1)][0, :3] + 0 * state.tau.sum())


def body_number(model, text):
    """The number of the body called so, by number or name. Raises `NoPoint`, a ValueError."""
    text = re.sub(r"^(?:of\s+)?(?:the\s+)?(?:body|link)\s+", "", text.strip().strip("'\""))
    if text.isdigit() and 0 <= int(text) <= model.N_B:
        return int(text)
    if text in model.names:
        return model.names.index(text)
    raise NoPoint(f"There is no body {text!r}; this model has the bodies "
                  + ", ".join(f"{i} ({name})" for i, name in enumerate(model.names)) + ".")


def com_of(model, i):
    """The centre of mass of body i."""
    return Point(i, f"the centre of mass of body {i}", lambda state: I_to_mcI(state.model.inertia[i])[1])


def tip_of(model, i):
    """The tip of body i: the joint of the next body or, of a last one, the end of its length. Raises `NoPoint`.

    The end is in the direction of the centre of mass, at the distance that the parameter called l2 (or L2, a2, l_name,
    l) gives.
    """
    name = f"the tip of body {i}"
    if model.mu(i):
        return Point(i, name, lambda state: X_to_Er(state.model.X_tree[model.mu(i)[0]])[1])
    names, endings = system_of(model).symbols, (i, f"_{i}", f"_{model.names[i]}", *([""] if model.N_B == 1 else []))
    likely = [f"{letter}{ending}" for letter in ("l", "L", "a", "length") for ending in endings]
    lengths = [name for name in names if name in ("l", "L")]
    length = next((name for name in likely if name in names), lengths[0] if len(lengths) == 1 else None)
    if length is None:
        raise NoPoint(f"The tip of body {i} is not known. Say where it is, in the coordinates of the body: "
                      f"'{i}: (l{i}, 0, 0)'.")

    def at(state):
        _, c, _ = I_to_mcI(state.model.inertia[i])
        size = (c @ c) ** 0.5
        along = c / size if size else np.array([1, 0, 0]) + 0 * c
        return along * state.parameters[length]

    return Point(i, f"{name}, at the distance {length}", at)


def _by_coordinates(model, text):
    """A function of a state: the numbers that a text such as "l2, 0, 0" means."""
    system = system_of(model)
    names = sorted({*map(str, system.model.parameters), *system.symbols})
    trees = [read(part, names).trees[0] for part in text.split(",")]
    if len(trees) not in (2, 3):
        raise NoPoint(f"The point ({text}) has {len(trees)} coordinates; give three, such as (l2, 0, 0).")
    if unknown := sorted({symbol.name for tree in trees for symbol in symbols(tree)} - {*names}):
        raise NoPoint(f"The point ({text}) contains {unknown[0]}, which is no parameter of this model; they are "
                      f"{', '.join(names)}.")

    def at(state):
        known = {Symbol(name): value for name, value in state.parameters.items()}
        values = [evaluate(tree, known) for tree in trees]
        return np.array([*values, 0 * values[0]][:3], dtype=object)

    return at
