"""What an additional exercise is: an exercise that brings its question with it, and formulas written as text."""

import re
from dataclasses import dataclass

from rbdlib.exercises.declare import Exercise, Mistake

__all__ = ["Exercise", "Mistake", "More", "formula"]

#: Names in a formula that are not symbols.
_KNOWN = {"sin", "cos", "tan", "sqrt", "exp", "log", "pi"}


@dataclass(frozen=True, eq=False)
class More(Exercise):
    """An exercise with its ``question`` (Markdown) and its ``level``: 1 to begin with, 2, or 3 to think about."""

    question: str = ""
    level: int = 1

    def __post_init__(self):
        super().__post_init__()
        self._require(bool(self.question.strip()), "question is empty; say what is asked")
        self._require(self.level in (1, 2, 3), f"level is {self.level!r}; expected 1, 2 or 3")


def formula(*texts, positive=""):
    """A function that computes the SymPy expression of a text, or the list of those of several.

    positive: names of the symbols that stand for positive numbers, separated by spaces. Importing a module with
    formulas stays cheap, because SymPy is needed only when the function is called.
    """

    def computed():
        import sympy

        names = set(re.findall(r"[A-Za-z_]\w*", " ".join(texts))) - _KNOWN
        symbols = {name: sympy.Symbol(name, **({"positive": True} if name in positive.split() else {}))
                   for name in names}
        found = [sympy.sympify(text, locals=symbols) for text in texts]
        return found[0] if len(found) == 1 else found

    return computed
