"""C source from a straight-line program: one file, C99, which computes many states at once (RBDA 10.4).

The source can be used without rbdlib. Its public function is

    int NAME(size_t n, const double *const in[], const size_t step[], double *const out[]);

for n states. in[k] points to the k-th argument of the first state, an array of doubles in row order; that of the next
state is step[k] doubles further on: as many as the argument has entries, or 0 where all states share one. out[k] points
to room for the k-th result of n states, one after the other, apart from the arguments. It returns 1 if all results are
finite, else 0, and -1 where a long algorithm finds no memory. Nothing is remembered between calls, and threads may call
it at the same time. Compile it for the machine that will run it, for example with

    cc -O2 -march=native -ffp-contract=fast -fno-math-errno -shared -fPIC -o NAME.so NAME.c -lm

GCC and Clang then compute as many states at a time as a vector register of the machine holds numbers; other compilers
get plain double in the same text, and compute the states one by one.
"""

import math
import re
from collections import Counter
from itertools import accumulate, groupby
from math import ceil, prod
from pathlib import Path

from rbdlib.compile.printing import cost, distinct, number
from rbdlib.compile.program import share
from rbdlib.compile.simplify import is_constant

#: So many statements go into one C function: a compiler's time grows faster than the length of what it looks at.
PART = 400
#: So many of these functions, and more where there would be more groups than this, are compiled together, in parallel
#: with others: for each group the compiler reads the whole file.
GROUP, GROUPS = 10, 16
#: A program of more functions than this runs each of them for so many blocks of states before the next one, because
#: machine code that is longer than the processor's first cache costs time whenever it is fetched.
LONG, TOGETHER = 30, 4
#: Entries of a result are stored in sections of so many, or left out where all of them are always zero.
SECTION = 8
#: So many vectors are kept on the stack at most.
ON_STACK = 4000
#: Words that are taken.
TAKEN = set("vec whole root turn turns load store clear all_finite begin enter leave in out step W X M Y TOGETHER "
            "ON_STACK".split())
#: How the functions begin into which a program is cut.
HEAD = "PART void part_{}(const vec *restrict x, vec *restrict m, vec *restrict y)"
#: Text that is the same for all programs: vectors of states, sines and cosines.
SUPPORT = Path(__file__).with_name("vectors.c")
#: The public function.
ENTRY = Path(__file__).with_name("entry.c")


def to_c(program, name="algorithm", alone=False):
    """The program as C source (see the head of this module): a text.

    name: of the C function, turned into a C identifier if it is none. alone: whether states come one by one. Raises
    ValueError for non-finite constants.
    """
    (name,), body = distinct([name], TAKEN), Body(program)
    size = max(GROUP, ceil(len(body.parts) / GROUPS))
    groups = [body.parts[k : k + size] for k in range(0, len(body.parts), size)]
    declared = [f"{HEAD.format(k)};" for k in range(len(body.parts))]
    rest = [*_enter(program, body), *_leave(program, body), *_entry(program, body, name)]
    texts = ["\n".join(lines) for lines in (*groups, rest)]
    if len(groups) > 1:                 # each can be left out when others are compiled; the rest has the number 0
        texts = [f"#if !defined(ONLY) || ONLY == {k % len(texts)}\n{text}#endif\n"
                 for k, text in enumerate(texts, start=1)]
    support = ["#define ALONE\n"] * alone + [SUPPORT.read_text(encoding="utf-8")]
    return "\n".join([_heading(program, name), *support, *declared, "", *texts])


def groups_in(source):
    """How many pieces a source of `to_c` has that can be compiled apart, with ONLY defined as 0, 1, ...: 1 if none."""
    return max((int(number) + 1 for number in re.findall(r"^#if !defined\(ONLY\) \|\| ONLY == (\d+)$", source, re.M)),
               default=1)


class Body:
    """The statements of a program, cut into C functions.

    The functions share three arrays of vec: x, the entries of the inputs and behind them the sines and then the cosines
    of those inputs that are listed in `angles`; m, of size `room`, what one function leaves to later ones; y, the
    entries of the outputs. parts: the texts of the functions. text: {variable: how it is written}.
    """

    def __init__(self, program):
        self.program, self.first = program, program.input_size
        self.text = {x: f"x[{x}]" for x in range(self.first)}
        turns = {x: done for x, done in enumerate(program.assignments, start=self.first)
                 if done.operation in ("sin", "cos") and isinstance(angle := done.operands[0], int)
                 and angle < self.first}
        self.angles = sorted({done.operands[0] for done in turns.values()})
        for x, done in turns.items():
            behind = self.angles.index(done.operands[0]) + (len(self.angles) if done.operation == "cos" else 0)
            self.text[x] = f"x[{self.first + behind}]"
        self.targets = {}
        for j, x in enumerate(program.output_entries):
            if isinstance(x, int):                                      # the constant 2.0 is not the variable 2
                self.targets.setdefault(x, []).append(j)
        variables = range(self.first, self.first + len(program.assignments))
        statements = soon(program, [x for x in variables if x not in turns])
        cuts = [statements[k : k + PART] for k in range(0, len(statements), PART)]
        self.kept, self.room = memory_between(program, cuts)
        self.parts = []
        for k, cut in enumerate(cuts):
            self.turned = {}
            lines = [f"    {line}" for x in cut for line in self._statement(x)]
            self.parts.append("\n".join([f"{HEAD.format(k)}\n{{", *lines, "}", ""]))
            self.text |= {x: f"m[{self.kept[x]}]" for x in cut if x in self.kept}   # later functions find it there

    def _statement(self, x):
        operation, operands = self.program.assignments[x - self.first]
        self.text[x] = t = f"t{x}"
        if operation not in ("sin", "cos"):
            value = FORMS[operation].format(*map(self.written, operands))
        elif isinstance(angle := operands[0], float):
            value = self.written(getattr(math, operation)(angle))
        else:
            if angle not in self.turned:                                # the other one comes along
                self.turned[angle] = {"sin": f"sine_{t}", "cos": f"cosine_{t}"}
                yield f"vec sine_{t}, cosine_{t};"
                yield f"turns(&{self.text[angle]}, &sine_{t}, &cosine_{t}, 1, W);"
            value = self.turned[angle][operation]
        yield f"const vec {t} = {value};"
        if x in self.kept:
            yield f"m[{self.kept[x]}] = {t};"
        for j in self.targets.get(x, ()):
            yield f"y[{j}] = {t};"

    def written(self, x):
        """An operand in C: a variable, or a constant to the last digit."""
        return self.text[x] if isinstance(x, int) else f"ALL({number(x)})"


#: How the operations but sin and cos are written.
FORMS = {"+": "{} + {}", "-": "{} - {}", "*": "{} * {}", "/": "{} / {}", "neg": "-{}", "sqrt": "root({})"}


def memory_between(program, cuts):
    """Places for what cuts, lists of variables, leave to later ones, until these read it: ({variable: place}, n)."""
    home = {x: k for k, cut in enumerate(cuts) for x in cut}
    last = dict(home)
    for x, k in home.items():
        for operand in _computed(program, x, home):
            last[operand] = max(last[operand], k)
    return share([(x, k, last[x] + 1) for x, k in home.items() if last[x] > k])


def soon(program, variables):
    """The variables in an order of computation in which fewer have to be kept: one that is the only use of another is
    computed as soon as that one and its other operands are there, and takes its place.
    """
    home = set(variables)
    uses = Counter(x for y in variables for x in _computed(program, y, home))
    when: dict = {}
    for k, x in enumerate(variables):
        operands = _computed(program, x, home)
        when[x] = max(when[y] for y in operands) if any(uses[y] == 1 for y in operands) else k
    return sorted(variables, key=lambda x: when[x])


def _computed(program, x, home):
    """The operands of a variable, each once, that are among the variables in `home`."""
    operands = program.assignments[x - program.input_size].operands
    return {y for y in operands if isinstance(y, int) and y in home}


def _heading(program, name):
    def listed(kind, arrays):
        names = [array.name.replace("*/", "").replace("\n", " ") for array in arrays]
        return [f"     {f'{kind}[{k}]':<6} {name} {list(array.shape)}"
                for k, (name, array) in enumerate(zip(names, arrays, strict=True))]

    return "\n".join([
        f"/* {name}: {cost(program)}; written by rbdlib.", "",
        *listed("in", program.inputs), *listed("out", program.outputs),
        "", "   The argument of the next state is step[k] doubles further on (0: all states share it). */", ""])


def _enter(program, body):
    """The C function that reads a block of up to W states, as lines."""
    size, count = program.input_size, len(body.angles)
    lines = ["static void enter(vec *x, const double *const in[], const size_t step[], size_t i, int lanes)", "{"]
    for k, (start, n) in enumerate(_spans(program.inputs)):
        lines.append(f"    load(x + {start}, in[{k}] + i * step[{k}], {n}, step[{k}], lanes);")
    if count:
        lines += [f"    vec angles[{count}] = {{{', '.join(f'x[{x}]' for x in body.angles)}}};",
                  f"    turns(angles, x + {size}, x + {size + count}, {count}, lanes);"]
    return [*lines, "}", ""]


def _leave(program, body):
    """The C function that writes the results of a block, as lines; what is always zero needs no look at y."""
    lines = ["static void leave(const vec *x, vec *y, double *const out[], size_t i, int lanes, vec *nothing)", "{"]
    lines += [f"    y[{j}] = {body.text[x]};" for j, x in enumerate(program.output_entries)
              if isinstance(x, int) and body.text[x].startswith("x")]
    for k, ((start, n), result) in enumerate(zip(_spans(program.outputs), program.outputs, strict=True)):
        sections = {first: result.entries[first : first + SECTION] for first in range(0, n, SECTION)}
        for zero, group in groupby(sections, key=lambda first: all(is_constant(x, 0) for x in sections[first])):
            run = list(group)
            first, last = run[0], run[-1]
            to = f"out[{k}] + i * {n} + {first}, {min(last + SECTION, n) - first}, {n}, lanes"
            lines.append(f"    clear({to});" if zero else f"    store(y + {start + first}, {to}, nothing);")
    return [*lines, "}", ""]


def _spans(arrays):
    """For each argument or result, the number of entries before it and the number that it has."""
    sizes = [prod(array.shape) for array in arrays]
    return list(zip(accumulate(sizes, initial=0), sizes, strict=False))


def _entry(program, body, name):
    """The public C function, as lines."""
    x, m, y = program.input_size + 2 * len(body.angles), body.room, len(program.output_entries)
    together = TOGETHER if len(body.parts) > LONG else 1
    sizes = {"X": x, "M": m, "Y": y, "TOGETHER": together, "ON_STACK": int(together * (x + m + y) <= ON_STACK)}
    constants = [(j, c) for j, c in enumerate(program.output_entries) if isinstance(c, float)]
    given = [f"    y[{b * y + j}] = {body.written(c)};" for b in range(together) for j, c in constants if c != 0]
    calls = [f"enter(x + b * {x}, in, step, begin(first + b, n), lanes)",
             *(f"part_{k}(x + b * {x}, m + b * {m}, y + b * {y})" for k in range(len(body.parts))),
             f"leave(x + b * {x}, y + b * {y}, out, begin(first + b, n), lanes, &nothing)"]
    zeros = [f"    memset(y, 0, {together * y} * sizeof(vec));"] if constants else []
    turns = [f"        for (int b = 0; b < k; b++)\n            {call};" for call in calls]
    text = ENTRY.read_text(encoding="utf-8")
    for word, lines in (("CONSTANTS", [*zeros, *given]), ("CALLS", turns), ("NAME", [name])):
        text = text.replace(word, "\n".join(lines))
    return [*(f"#define {size} {value}" for size, value in sizes.items()), text]
