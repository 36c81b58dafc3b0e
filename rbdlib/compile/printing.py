"""Tools of all printers of programs: names that every language takes, and constants to the last bit."""

import keyword
import re
import unicodedata
from itertools import count
from math import isfinite

import numpy as np

#: Words that mean something in Python, JavaScript or C, so that no variable may be called so in any of them.
RESERVED = frozenset(keyword.kwlist) | frozenset(
    """
    abs all any array bool bytes chr dict dir eval exec float hash id int iter len list map math max min next np object
    open pow print range round set sorted str sum tuple type vars zip numpy cos sin sqrt
    arguments await boolean break case catch char const continue debugger default delete do double else enum export
    extends final finally for function goto if implements import in instanceof interface let long new native null
    package private protected public return short static super switch synchronized this throw throws transient true try
    typeof undefined var void volatile while with yield Array Float64Array Infinity Math NaN Number Object
    auto extern inline register restrict signed sizeof struct typedef union unsigned main errno
    """.split()
)


def number(x):
    """A constant as text that gives the same float to the last bit in Python, JavaScript and C. Refuses inf and NaN."""
    if not isfinite(x):
        raise ValueError(f"The program contains the constant {x}, which no source can hold. Look for a division by "
                         "zero or an overflow among the model's numbers.")
    return repr(float(x))


def cost(program):
    """Cost of a program as text, such as "9 m, 6 a, 1 sin": multiplications, additions, divisions, functions."""
    counted = program.count()
    kinds = ("m", "a", "d", "sqrt", "sin", "cos")
    return ", ".join(f"{counted[kind]} {kind}" for kind in kinds if counted[kind]) or "nothing to compute"


def identifier(text):
    """The text as a name of ASCII letters, digits and underscores: α becomes alpha, other signs underscores."""
    letters = "".join(map(_ascii, text))
    name = re.sub(r"_+", "_", re.sub(r"\W", "_", letters, flags=re.ASCII)).strip("_") or "x"
    return f"_{name}" if name[0].isdigit() else name


def _ascii(character):
    if character.isascii():
        return character
    words = unicodedata.name(character, "").split()
    if words[:1] == ["GREEK"] and "LETTER" in words:
        name = words[words.index("LETTER") + 1].lower()
        return name.capitalize() if "CAPITAL" in words else name
    return unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode() or "_"


def distinct(texts, taken=()):
    """One identifier for each text, none of them reserved, taken or given twice: a number at the end sets apart."""
    used, names = set(taken) | RESERVED, []
    for text in texts:
        name = identifier(text)
        if name in used:
            name = next(other for k in count(1) if (other := f"{name}_{k}") not in used)
        used.add(name)
        names.append(name)
    return names


class Names:
    """The names that a printed program uses.

    function: the function's name; arguments and results: one for each array; variables: one for each number.
    taken: further words that the target language or the text around the program already uses.
    """

    def __init__(self, program, function, taken=()):
        taken = set(taken)
        self.arguments = distinct([argument.name for argument in program.inputs], taken)
        (self.function,) = distinct([function], taken | set(self.arguments))
        taken |= {*self.arguments, self.function}
        self.results = distinct([result.name for result in program.outputs], taken)
        wanted, alone = [], {}
        for name, (_, shape) in zip(self.arguments, program.inputs, strict=True):
            if shape == ():                                 # a number is called by its argument
                alone[len(wanted)] = name
            wanted += ["_".join(map(str, (name, *index))) for index in np.ndindex(shape)]
        wanted += [f"t{k + 1}" for k in range(len(program.assignments))]
        wanted = [program.names.get(x, name) for x, name in enumerate(wanted)]
        self.variables = distinct(wanted, taken | set(self.results))
        for x, name in alone.items():
            self.variables[x] = name

    def operand(self, x):
        """An operand as text: the name of a variable or a constant."""
        return self.variables[x] if isinstance(x, int) else number(x)


def expression(operation, operands, function="{}({})"):
    """An assignment's right-hand side in Python, JavaScript or C; function says how sin(x) and its like are written."""
    x, *more = operands
    if operation == "neg":
        return f"-({x})" if x.startswith("-") else f"-{x}"
    if not more:
        return function.format(operation, x)
    return f"{x} {operation} ({more[0]})" if more[0].startswith("-") else f"{x} {operation} {more[0]}"
