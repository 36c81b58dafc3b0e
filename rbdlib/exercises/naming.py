"""The names of entries and parts in a learner's language: "the third angular component (entry 3)"."""

import math
import re

import numpy as np

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_SIX = {
    "": ("the {} angular component", "the {} linear component"),
    "motion": ("the {} angular component", "the {} linear component"),
    "force": ("the {} component of the moment", "the {} component of the linear force"),
}
_THREE = {
    "planar motion": ("the angular velocity", "the x component of the velocity", "the y component of the velocity"),
    "planar force": ("the moment", "the x component of the force", "the y component of the force"),
    "vector": ("the x component", "the y component", "the z component"),
}
_BLOCKS = ("upper left", "upper right", "lower left", "lower right")
_MULTIPLES = {2: "twice", 1 / 2: "half", 3: "three times", 1 / 3: "a third of", 4: "four times", 1 / 4: "a quarter of",
              math.pi: "π times", 2 * math.pi: "2π times", 9.81: "9.81 times", 1 / 9.81: "1/9.81 times",
              10: "ten times", 1 / 10: "a tenth of", 1000: "a thousand times", 1 / 1000: "a thousandth of",
              6: "six times", 1 / 6: "a sixth of", 8: "eight times", 1 / 8: "an eighth of",
              12: "twelve times", 1 / 12: "a twelfth of", 24: "24 times", 1 / 24: "1/24 of"}


def entry_name(exercise, index, shape):
    """The name of the entry at ``index`` (a tuple of zero-based positions) of a vector or matrix of this shape."""
    if len(shape) == 1:
        i = index[0]
        name = _component(exercise, i, shape[0])
        return f"{name} (entry {i + 1})" if name else f"entry {i + 1}"
    return " ".join(f"{word} {i + 1}" for word, i in zip(("row", "column", "layer"), index, strict=False))


def block_name(index):
    """The name of the 3×3 block of a 6×6 matrix in which the entry at ``index`` lies."""
    return f"the {_BLOCKS[2 * (index[0] // 3) + index[1] // 3]} 3×3 block"


def _component(exercise, i, n):
    if len(exercise.names) == n:
        return exercise.names[i]
    if n == 6 and exercise.quantity in _SIX:
        return _SIX[exercise.quantity][i // 3].format(_ORDINALS[i % 3])
    if n == 3 and exercise.quantity in _THREE:
        return _THREE[exercise.quantity][i]
    return ""


def parts(exercise, shape):
    """The parts into which an answer of this shape falls: a list of (name, index into the array), or an empty list."""
    top, bottom = slice(0, 3), slice(3, 6)
    force = exercise.quantity == "force"
    if shape == (6, 6):
        rows = ((top, top), (top, bottom), (bottom, top), (bottom, bottom))
        return [(f"the {name} 3×3 block", block) for name, block in zip(_BLOCKS, rows, strict=True)]
    if shape[:1] == (6,) and exercise.quantity in ("", "motion", "force"):
        names = ("the moment", "the linear force") if force else ("the angular part", "the linear part")
        return [(names[0], (top,)), (names[1], (bottom,))]
    if shape == (3,) and exercise.quantity.startswith("planar"):
        return [(_THREE[exercise.quantity][0], (slice(0, 1),)), ("the linear part", (slice(1, 3),))]
    return []


def multiple(c):
    """The factor c in words, such as "half" or "minus twice"; None if it is no everyday factor."""
    for value, words in _MULTIPLES.items():
        if abs(abs(c) / value - 1) < 1e-3:
            return f"minus {words}" if c < 0 else words
    return None


def listed(names):
    """Names joined into a phrase: "a, b and c"."""
    names = list(names)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def sentence(text):
    """The text with its first letter in upper case, unless a symbol stands there: r, n^c and qdd mean what they are."""
    word = re.match(r"[a-z]{2,}\b", text)
    return text[:1].upper() + text[1:] if word and re.search("[aeiouy]", word[0]) else text


def swap_order(exercise, shape):
    """The permutations that exchange angular and linear parts, as a list of index arrays; empty if there are none."""
    if shape[:1] == (6,) and exercise.quantity not in ("coordinates", "whole numbers"):
        return [np.array([3, 4, 5, 0, 1, 2])]
    if shape[:1] == (3,) and exercise.quantity.startswith("planar"):
        return [np.array([1, 2, 0]), np.array([2, 0, 1])]
    return []
