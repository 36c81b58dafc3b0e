"""Programs as text: the assignment-statement file between the symbolic executer and the simplifier (RBDA 10.4).

    # inputs: v(3)
    # outputs: tau_out
    tmp001 = 1.5*v1
    tmp002 = 1.6*v2
    p3 = v1*tmp002 - v2*tmp001
    tau_out = p3

Entries of arrays are counted from 1, as in the book: v1, v2, v3; H1_2 is in the first row and second column of H. A
statement is one line, and may contain names assigned before, numbers, + - * / and sin, cos and sqrt. Nothing of a text
is ever executed.
"""

import ast
import keyword
import re
import unicodedata
from collections import Counter
from itertools import count, product
from math import prod
from pathlib import Path
from sys import float_info

from rbdlib.compile import printing
from rbdlib.compile.program import Argument, Program, Recorder, Result

FUNCTIONS = ("sin", "cos", "sqrt")
BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
#: So many operations are written in one statement at most.
LONGEST = 8
#: An array may have so many entries at most.
LARGEST = 10**6


def save(program, path):
    """Write the program to a text file, which `load` reads. Errors as for `to_text`."""
    Path(path).write_text(to_text(program), encoding="utf-8")


def load(path):
    """The program of a file written by `save`, or by hand. Raises ValueError, naming the line, for any other file."""
    return from_text(Path(path).read_text(encoding="utf-8-sig"))


def to_text(program):
    """The program as a list of assignment statements (see the module), which `from_text` reads.

    The program that it reads does the same operations with the same numbers, so that results agree to the last bit; in
    which order those are done that do not need one another may differ, and with it how variables are numbered.

    Variables have their own names where program.names has one, else tmp001, tmp002, ...; the result of an operation
    that is needed in one place only is written there where this makes sums of products, as in RBDA Table 10.3. Numbers
    are written with all their digits. Raises ValueError for names that cannot be written.
    """
    inline = _written_in_place(program)
    names, first = _names(program, inline), program.input_size

    def text(x):
        if isinstance(x, int):
            return expression(x) if x in inline else names[x]
        whole = x.is_integer() and abs(x) < 1e6 and str(x) != "-0.0"
        return str(int(x)) if whole else printing.number(x)

    def expression(x):
        operation, operands = program.assignments[x - first]
        if operation in FUNCTIONS:
            return f"{operation}({text(*operands)})"
        if operation == "neg":
            return f"-{text(*operands)}"
        space = " " if operation in "+-" else ""
        return f"{space}{operation}{space}".join(map(text, operands))

    lines = []
    for what, arrays in (("inputs", program.inputs), ("outputs", program.outputs)):
        declared = [name + (f"({', '.join(map(str, shape))})" if shape else "") for name, shape, *_ in arrays]
        lines.append(f"# {what}: {', '.join(declared)}".rstrip())
    lines += [f"{names[x]} = {expression(x)}" for x in range(first, first + len(program.assignments))
              if x not in inline]
    lines += [f"{name} = {text(x)}" for result in program.outputs
              for name, x in zip(_entry_names(result), result.entries, strict=True)]
    return "\n".join(lines) + "\n"


def _written_in_place(program):
    """The variables without a name of their own that are written where they are used."""
    uses, first, inline, size = program.uses(), program.input_size, set(), {}

    def movable(x):
        return isinstance(x, int) and x >= first and uses[x] == 1 and x not in program.names

    for y, (operation, operands) in enumerate(program.assignments, start=first):
        size[y] = 1
        for place, x in enumerate(operands):
            if movable(x) and program.assignments[x - first].operation in _FITS.get((operation, place), "") and (
                    size[y] + size[x] <= LONGEST):
                inline.add(x)
                size[y] += size[x]
    return inline | {x for x in program.output_entries if movable(x)}


#: The operations that need no parentheses as first (0) or second (1) operand of another one.
_FITS = {("+", 0): "+-*/", ("-", 0): "+-*/", ("+", 1): "*/", ("-", 1): "*/", ("*", 0): "*/", ("/", 0): "*/",
         ("sin", 0): "+-*/", ("cos", 0): "+-*/", ("sqrt", 0): "+-*/"}


def _names(program, inline):
    """{variable: name} for all variables that are written by name."""
    names = dict(enumerate(name for argument in program.inputs for name in _entry_names(argument)))
    reserved = Counter([*names.values(), *(name for result in program.outputs for name in _entry_names(result))])
    for name, times in reserved.items():
        if times > 1:
            raise ValueError(f"{name} names {times} inputs or outputs. Give the arguments names that differ.")
    taken = {*reserved, *program.names.values()}
    new = (name for name in (f"tmp{k:03}" for k in count(1)) if name not in taken)
    for x in range(program.input_size, program.input_size + len(program.assignments)):
        if x not in inline:
            own = program.names.get(x)
            names[x] = _checked(own) if own is not None and own not in reserved else next(new)
            taken.add(names[x])
    return names


def _entry_names(array):
    """The names of the entries of an input or output, in row order."""
    places = product(*(range(1, n + 1) for n in array.shape))
    return [_checked(array.name) + "_".join(map(str, place)) for place in places]


def _checked(name):
    plain = name.isidentifier() and unicodedata.normalize("NFKC", name) == name     # otherwise Python reads another
    if not plain or keyword.iskeyword(name) or name in FUNCTIONS:
        raise ValueError(f"{name!r} cannot be the name of a variable. Use letters, digits and _, no word of Python and "
                         f"none of {', '.join(FUNCTIONS)}.")
    return name


def from_text(text):
    """The program that a text in the form of `to_text` describes.

    The assigned names become program.names. Raises ValueError, naming the line, for anything that is no such text: an
    operation that programs do not have, a name that was not assigned before, or was assigned twice; TypeError for what
    is no text at all.
    """
    if not isinstance(text, str):
        raise TypeError(f"text is {text!r:.60}; give a text (str), or a file's path to load.")
    lines = text.split("\n")
    reader = _Reader(*(tuple(Argument(*entry) for entry in _header(lines, what)) for what in ("inputs", "outputs")))
    for number, line in enumerate(lines, start=1):
        try:
            for statement in ast.parse(line).body:
                reader.assign(ast.increment_lineno(statement, number - 1))
        except (SyntaxError, UnicodeEncodeError) as error:
            raise ValueError(f"Line {number} is no assignment: {getattr(error, 'msg', error)}.") from None
        except (RecursionError, MemoryError):
            raise ValueError(f"Line {number} is nested too deeply. Write it as several.") from None
    return reader.program()


def _header(lines, what):
    """The (name, shape) pairs of a line such as ``# inputs: q(7), f_ext(8, 6)``."""
    found = [(number, match[1]) for number, line in enumerate(lines, start=1)
             if (match := re.match(rf"# *{what}:(.*)", line))]
    if not found:
        raise ValueError(f"The text has no line that begins with '# {what}:'. Add one, such as '# {what}: v(3)'.")
    if len(found) > 1:
        raise ValueError(f"Line {found[1][0]} is a second one that begins with '# {what}:'. Put all {what} into one.")
    ((number, declared),) = found
    for entry in (entry.strip() for entry in re.split(r",(?![^(]*\))", declared) if entry.strip()):
        match = re.fullmatch(r"(\w+)(?:\((\d{1,18}(?: *, *\d{1,18})*)\))?", entry)
        if match is None:
            raise ValueError(f"Line {number}, '# {what}:', contains {entry!r:.60}; expected a name, or a name(rows, "
                             "columns).")
        shape = tuple(int(n) for n in match[2].split(",")) if match[2] else ()
        if prod(shape) > LARGEST:
            raise ValueError(f"Line {number} declares {entry:.60}, of more than {LARGEST} entries, too many for a "
                             "program.")
        yield match[1], shape


class _Reader:
    """Turns statements into assignments."""

    def __init__(self, inputs, outputs):
        self.inputs, self.outputs, self.names = inputs, outputs, {}
        entries = [name for argument in inputs for name in _entry_names(argument)]
        self.operands = {name: x for x, name in enumerate(entries)}
        self.results = {name for result in outputs for name in _entry_names(result)}
        self.recorder = Recorder(len(entries))
        clashing = self.results & self.operands.keys()
        if clashing or len(self.operands) < len(entries):
            raise ValueError(f"Inputs and outputs have entries of equal names: {sorted(clashing or entries)[:3]}.")

    def assign(self, statement):
        """Take up one statement ``name = expression``."""
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case _:
                raise ValueError(f"Line {statement.lineno} is no assignment of the form name = expression.")
        if name in self.operands:
            raise ValueError(f"Line {statement.lineno} assigns {name} again; every variable is assigned once.")
        if name in FUNCTIONS:
            raise ValueError(f"Line {statement.lineno} assigns {name}, which is a function.")
        x = self.operands[name] = self.operand(value)
        if isinstance(x, int) and name not in self.results and not isinstance(value, ast.Name):
            self.names[x] = name

    def operand(self, node):
        """The operand (variable or float) that holds the value of an expression."""
        match node:
            case ast.Name(id=name):
                if name not in self.operands:
                    raise ValueError(f"Line {node.lineno} uses {name}, which no line before it assigns.")
                return self.operands[name]
            case ast.Constant(value=int() | float() as x) if not isinstance(x, bool) and abs(x) <= float_info.max:
                return float(x)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as constant):
                return -self.operand(constant)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return self.recorder.emit("neg", self.operand(inner))
            case ast.BinOp(left=left, op=operation, right=right) if type(operation) in BINARY:
                return self.recorder.emit(BINARY[type(operation)], self.operand(left), self.operand(right))
            case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
                return self.recorder.emit(name, self.operand(argument))
        raise ValueError(f"Line {node.lineno} contains {ast.unparse(node)[:60]!r}; a program has names, finite "
                         "numbers, + - * / and sin, cos, sqrt only.")

    def program(self):
        """Program that was read. ValueError if an output was not assigned."""
        missing = sorted(self.results - self.operands.keys())
        if missing:
            raise ValueError(f"No line assigns the output {', '.join(missing[:3])}.")
        outputs = tuple(Result(*output, tuple(self.operands[entry] for entry in _entry_names(output)))
                        for output in self.outputs)
        return Program(self.inputs, tuple(self.recorder.assignments), outputs, self.names)
