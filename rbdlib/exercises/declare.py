r"""The form of an exercise.

The exercises of a notebook stand in a file named after it (``notebooks/02_spatial_vectors.ipynb`` and
``data/exercises/02_spatial_vectors.toml``). Creating the file is enough for it to be found; one exercise is written out
in ``docs/developers/add_an_exercise.md``.

An answer is ``reference`` or a mistake's ``answer``: numbers, lists of them, a word, or as text formulas, with the
names of symbols that are positive in ``positive = "m l"``, and numbers such as "2*pi/3". What takes a computation
stands in a module of ``rbdlib/exercises/computed``, such as ``vectors.py``, under the exercise's number and the name of
the mistake, whose first word or words are its kind::

    ANSWERS = {
        "2.3": Computed(lambda: xlt([2, 0, 0]) @ [0, 0, 1, 0, 0, 0], mistakes={"order": lambda: ...},
                        product=lambda: {"X": xlt([2, 0, 0]), "v": [0, 0, 1, 0, 0, 0]})}

Whatever costs time or needs SymPy goes into a function, so that importing the module stays cheap.
"""

import functools
import inspect
import re
from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

#: The first number of an additional exercise, for homework; smaller ones stand in the notebooks.
FIRST = 51
KINDS = ("value", "function", "word")
QUANTITIES = ("", "motion", "force", "planar motion", "planar force", "vector", "coordinates",
              "rotation", "transform", "force transform", "planar transform", "inertia", "whole numbers")


@dataclass(frozen=True, eq=False)
class Mistake:
    """A wrong answer that a learner is likely to give, and the sentence that names the misunderstanding.

    Fields: ``answer``, in the form of the exercise's reference (a value or a function computing it; for a function
    exercise a wrong function; for a word exercise a word); ``message``, full sentences; ``kind``, the word under which
    the report files it ("sign", "degrees", "frame", ...).
    """

    answer: Any
    message: str
    kind: str = "mistake"


@dataclass(frozen=True, eq=False)
class Exercise:
    """One exercise: its right answer, the likely wrong ones, its hints and its worked solution.

    Fields:
    ``id`` ("2.3": notebook 02, third exercise) and ``title``; ``section``, the heading to read again.
    ``kind``: "value" (numbers or formulas), "function" (the learner hands in a function) or "word" (a word or a
    choice).
    ``reference``: a number, list, array, SymPy expression or matrix, or a function of no argument that computes it; for
    kind "function" the right function of the ``inputs``; for kind "word" the word or a tuple of equally good words.
    ``mistakes`` (at least two), ``hints`` (at least two, each giving away more than the one before), and ``solution``
    (Markdown that ends with a full stop).
    ``remark``: a sentence shown with a right answer.
    ``quantity``: what the entries mean, one of `QUANTITIES` ("whole numbers" are counts, or numbers of bodies: to be
    twice the right one means nothing there); ``names``: names of the entries where no quantity fits.
    ``rtol``: the relative tolerance (see `rbdlib.exercises.compare.tolerance_of` for the defaults).
    ``symbols``: names of symbols that an answer may contain although the reference does not. ``where``: what the
    question says about the numbers that symbols stand for, "n whole; 0 < m, l; b < a", where < is the only sign: a
    formula is compared, and a wrong one refuted, at such numbers alone.
    ``model``, ``asks``, ``given``: for a formula that is a quantity of a model: the name of the model (or a function of
    no argument that returns it), the quantity as `rbdlib.verify` knows it, such as "C" or "H[1,2]", and
    what is stated beforehand. Answers are then compared with what the model's own algorithms give.
    ``product``: a function (of the inputs, for kind "function") returning ``{"X": X, "v": v}``, the named factors whose
    product is the reference; answers that invert, transpose or reorder them are then recognised.
    ``inputs``: for kind "function", a function of a NumPy generator that returns the tuple of arguments for one call;
    ``samples``: the number of calls.
    ``choices``: for kind "word", the letters offered and what they stand for, ``{"a": "...", "b": "..."}``.
    ``question`` (Markdown) and ``level`` (1 to begin with, 2, or 3 to think about): of an exercise for homework, which
    stands in no notebook and is numbered from `FIRST` on.

    Raises ValueError if the declaration contradicts itself.
    """

    id: str
    title: str
    reference: Any
    solution: str
    hints: tuple[str, ...]
    mistakes: tuple[Mistake, ...]
    section: str = ""
    kind: str = "value"
    remark: str = ""
    quantity: str = ""
    names: tuple[str, ...] = ()
    rtol: float | None = None
    symbols: tuple[str, ...] = ()
    where: str = ""
    model: Any = ""
    asks: str = ""
    given: Any = None
    product: Callable | None = None
    inputs: Callable | None = None
    samples: int = 5
    choices: Mapping[str, str] = field(default_factory=dict)
    question: str = ""
    level: int = 1

    def __post_init__(self):
        self._require(re.fullmatch(r"(\d+|[A-Z])\.\d+", self.id), 'id must look like "2.3" or "A.3"')
        self._require(self.kind in KINDS, f"kind is {self.kind!r}; expected one of {', '.join(KINDS)}")
        self._require(self.quantity in QUANTITIES, f"quantity is {self.quantity!r}; expected one of {QUANTITIES}")
        self._require((self.kind == "function") == (self.inputs is not None),
                      'inputs (a function of a random generator) belong to kind="function", and only there')
        self._require(self.kind != "function" or callable(self.reference), "the reference must be a function")
        self._require(bool(self.model) == bool(self.asks), "model and asks belong together: which quantity of which "
                      "model?")
        self._require(not (self.where and self.model), "where is about formulas without a model; parameters of models "
                      "are positive")
        self._require(not self.choices or self.kind == "word", 'choices belong to kind="word"')
        self._require(not self.question or self.question.strip(), "question is empty; say what is asked")
        self._require(self.level in (1, 2, 3), f"level is {self.level!r}; expected 1, 2 or 3")

    def _require(self, holds, message):
        if not holds:
            raise ValueError(f"Exercise {self.id}: {message}.")


@dataclass(frozen=True, eq=False)
class Computed:
    """The answers to one exercise that take a computation, and whatever else of it is a function.

    Fields: ``reference``, ``product``, ``inputs`` and ``model``, those of `Exercise`; ``mistakes``, the wrong answers
    by the name that the file gives them; ``answer``, the function as a learner would write it, where the reference is
    found in another way. A wrong function is this one with other texts in some places, which the file says:
    ``instead = {"X.T @ f" = "X @ f"}``. Or it is this one of other arguments: ``otherwise = {g = "negative"}`` says
    under the name of an argument what function of `computed.draws.STEPS` it goes through before the call, and under
    "then" through which one the result goes.
    """

    reference: Any = None
    mistakes: Mapping[str, Any] = field(default_factory=dict)
    product: Callable | None = None
    inputs: Callable | None = None
    model: Any = None
    answer: Callable | None = None

    def otherwise(self, then=lambda result: result, **others):
        """The function of other arguments, and with what ``then`` makes of its result."""

        def wrong(*given):
            function = self.answer or self.reference
            arguments = zip(inspect.signature(function).parameters, given, strict=False)
            return then(function(*(others[name](x) if name in others else x for name, x in arguments)))

        return wrong

    def instead(self, texts):
        """The function with other texts in some places, {what stands there: what a learner writes}."""
        return lambda *given: _rewritten(self.answer or self.reference, tuple(texts.items()))(*given)


@functools.cache
def _rewritten(function, texts):
    source, made = inspect.getsource(function), dict(function.__globals__)
    for text, instead in texts:
        if text not in source:
            raise ValueError(f"{text!r} does not stand in {function.__name__}, so that nothing can stand in its place.")
        source = source.replace(text, instead)
    exec(source, made)
    return made[function.__name__]


class Report(namedtuple("Report", "kind message verified", defaults=(None,))):
    """The verdict on one answer: the kind of what was found, and the sentences for the learner.

    ``correct``: True if the kind is "right".  ``verified``: where the answer is a formula, the report of
    `rbdlib.verification` if one was asked for, or None.
    """

    correct = property(lambda self: self.kind == "right")


class Problem(Exception):
    """An answer that cannot be compared at all (text, NaN, a set, ...); carries the report's kind and message."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind
        self.message = message
