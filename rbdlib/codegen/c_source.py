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
from itertools import accumulate
from math import isfinite, prod
from pathlib import Path

#: So many statements go into one C function: a compiler's time grows faster than the length of what it looks at.
PART = 400
#: So many of these functions are compiled together where there are more of them, and the compiler can work in parallel.
GROUP = 10
#: So many vectors are kept on the stack at most.
ON_STACK = 4000
#: Words that are taken: those of C, and our own.
TAKEN = set("""auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while main sin
cos sqrt vec whole root turn turns load store block in out step""".split())
#: Text that is the same for all programs: vectors of states, sines and cosines.
SUPPORT = Path(__file__).with_name("vectors.c")


def to_c(program, name="algorithm"):
    """The program as C source (see the head of this module): a text.

    program: a `Program`. name: what the C function is to be called; turned into a C identifier if it is none. Raises
    ValueError for a program with a constant that is not finite.
    """
    name, body = identifier(name), Body(program)
    groups = [body.parts[k : k + GROUP] for k in range(0, len(body.parts), GROUP)]
    texts = [_only(k, "\n".join(group), len(groups)) for k, group in enumerate(groups, start=1)]
    declared = [f"PART void part_{k}(const vec *restrict x, vec *restrict m, vec *restrict y);"
                for k in range(len(body.parts))]
    return "\n".join([_heading(program, name), SUPPORT.read_text(encoding="utf-8"), *declared, "", *texts,
                      _only(0, _block(program, body) + _entry(program, body, name), len(groups))])


def groups_in(source):
    """How many pieces a source of `to_c` has that can be compiled apart, with ONLY defined as 0, 1, ...: 1 if none."""
    return max((int(number) + 1 for number in re.findall(r"^#if !defined\(ONLY\) \|\| ONLY == (\d+)$", source, re.M)),
               default=1)


def _only(number, text, groups):
    """The text, in a form that can be left out when others are compiled."""
    return text if groups < 2 else f"#if !defined(ONLY) || ONLY == {number}\n{text}#endif\n"


def identifier(name):
    """A C identifier that looks like the name: characters that cannot be in one become their code points."""
    text = re.sub(r"[^0-9A-Za-z_]", lambda found: f"u{ord(found[0]):04x}", name)
    return f"f_{text}" if not text or text in TAKEN or text[0] in "_0123456789" else text


class Body:
    """The statements of a program, cut into C functions.

    The functions share three arrays of vec: x, the entries of the inputs and behind them the sines and then the cosines
    of those inputs that are listed in `angles`; m, of size `room`, what one function leaves to later ones; y, the
    entries of the outputs. parts: the texts of the functions. text: {variable: how it is written}.
    """

    def __init__(self, program):
        self.program, self.first = program, program.input_size
        self.text = {x: f"x[{x}]" for x in range(self.first)}
        self.angles, statements = self._place_turns_of_inputs()
        self.targets = {}
        for j, x in enumerate(output_entries(program)):
            self.targets.setdefault(x, []).append(j)
        cuts = [statements[k : k + PART] for k in range(0, len(statements), PART)]
        self.kept, self.room = memory_between(program, cuts)
        self.parts = [self._part(k, cut) for k, cut in enumerate(cuts)]

    def _place_turns_of_inputs(self):
        """The inputs whose sines or cosines are needed, and the variables that are left to be computed."""
        found = [(x, done) for x, done in enumerate(self.program.assignments, start=self.first)
                 if done.operation in ("sin", "cos") and self._is_input(done.operands[0])]
        angles = sorted({done.operands[0] for _, done in found})
        for x, done in found:
            behind = angles.index(done.operands[0]) + (len(angles) if done.operation == "cos" else 0)
            self.text[x] = f"x[{self.first + behind}]"
        variables = range(self.first, self.first + len(self.program.assignments))
        return angles, [x for x in variables if x not in self.text]

    def _is_input(self, x):
        return isinstance(x, int) and x < self.first

    def _part(self, number, variables):
        self.turned = {}
        lines = [f"PART void part_{number}(const vec *restrict x, vec *restrict m, vec *restrict y)", "{"]
        for x in variables:
            lines.extend(f"    {line}" for line in self._statement(x))
        for x in variables:                                             # later functions find it in the memory
            if x in self.kept:
                self.text[x] = f"m[{self.kept[x]}]"
        return "\n".join([*lines, "}", ""])

    def _statement(self, x):
        operation, operands = self.program.assignments[x - self.first]
        self.text[x] = t = f"t{x}"
        if operation in ("sin", "cos"):
            yield from self._turn(t, operation, *operands)
        else:
            yield f"const vec {t} = {FORMS[operation].format(*map(self.written, operands))};"
        if x in self.kept:
            yield f"m[{self.kept[x]}] = {t};"
        for j in self.targets.get(x, ()):
            yield f"y[{j}] = {t};"

    def _turn(self, t, operation, angle):
        """A sine or cosine; the other one comes along, for when it is wanted."""
        if isinstance(angle, float):
            yield f"const vec {t} = {self.written(getattr(math, operation)(angle))};"
            return
        if angle not in self.turned:
            self.turned[angle] = {"sin": f"sine_{t}", "cos": f"cosine_{t}"}
            yield f"vec sine_{t}, cosine_{t};"
            yield f"turns(&{self.text[angle]}, &sine_{t}, &cosine_{t}, 1);"
        yield f"const vec {t} = {self.turned[angle][operation]};"

    def written(self, x):
        """How an operand is written: a variable, or a constant to the last digit."""
        if isinstance(x, int):
            return self.text[x]
        if not isfinite(x):
            raise ValueError(f"The program contains the constant {x}; every number must be finite.")
        return f"ALL({x!r})" if x >= 0 else f"ALL(({x!r}))"


#: How the operations but sin and cos are written.
FORMS = {"+": "{} + {}", "-": "{} - {}", "*": "{} * {}", "/": "{} / {}", "neg": "-{}", "sqrt": "root({})"}


def output_entries(program):
    """The entries of all outputs, in order: numbers of variables (int) and constants (float)."""
    return [x for result in program.outputs for x in result.entries]


def memory_between(program, cuts):
    """Where to keep what is read in a later cut than the one that computes it.

    cuts: lists of variables, in the order of their computation. Returns {variable: place} and the number of places; a
    place is used again when the last cut that reads it is over.
    """
    home = {x: k for k, cut in enumerate(cuts) for x in cut}
    last = dict(home)
    for k, cut in enumerate(cuts):
        for x in cut:
            for operand in program.assignments[x - program.input_size].operands:
                if isinstance(operand, int) and operand in home:
                    last[operand] = max(last[operand], k)
    place, free, room = {}, [], 0
    for k, cut in enumerate(cuts):
        for x in cut:
            if last[x] > k:
                if not free:
                    free.append(room)
                    room += 1
                place[x] = free.pop()
        free.extend(place[x] for x in place if last[x] == k)
    return place, room


def _heading(program, name):
    arguments = "".join(f"     in[{k}]  {_in_comment(a.name)} {list(a.shape)}\n" for k, a in enumerate(program.inputs))
    results = "".join(f"     out[{k}] {_in_comment(r.name)} {list(r.shape)}\n" for k, r in enumerate(program.outputs))
    count = ", ".join(f"{n} {operation}" for operation, n in sorted(program.count().items()))
    return (f"/* {name}: {count}; written by rbdlib.\n\n{arguments}{results}\n"
            "   The argument of the next state is step[k] doubles further on (0: all states share it). */\n")


def _in_comment(name):
    return name.replace("*/", "").replace("\n", " ")


def _block(program, body):
    """The C function that computes up to W states."""
    size, count = program.input_size, len(body.angles)
    lines = ["static double block(vec *x, vec *m, vec *y, const double *const in[], const size_t step[], "
             "double *const out[], size_t i, int lanes)", "{", "    double nothing = 0.0;"]
    sizes = [prod(argument.shape) for argument in program.inputs]
    for k, (start, n) in enumerate(zip(accumulate(sizes, initial=0), sizes, strict=False)):
        lines.append(f"    load(x + {start}, in[{k}] + i * step[{k}], {n}, step[{k}], lanes);")
    if count:
        lines += [f"    vec angles[{count}] = {{{', '.join(f'x[{x}]' for x in body.angles)}}};",
                  f"    turns(angles, x + {size}, x + {size + count}, {count});"]
    lines += [f"    part_{k}(x, m, y);" for k in range(len(body.parts))]
    lines += [f"    y[{j}] = {body.written(x)};" for j, x in enumerate(output_entries(program))
              if isinstance(x, int) and body.text[x].startswith("x")]
    sizes = [prod(result.shape) for result in program.outputs]
    for k, (start, n) in enumerate(zip(accumulate(sizes, initial=0), sizes, strict=False)):
        lines.append(f"    nothing += store(y + {start}, out[{k}] + i * {n}, {n}, lanes);")
    return "\n".join([*lines, "    return nothing;", "}", ""])


def _entry(program, body, name):
    """The public C function."""
    entries = output_entries(program)
    sizes = program.input_size + 2 * len(body.angles), body.room, len(entries)
    lines = [f"EXPORT int {name}(size_t n, const double *const in[], const size_t step[], double *const out[])", "{",
             *_memory(*sizes), "    double nothing = 0.0;",
             *([f"    memset(y, 0, {len(entries)} * sizeof(vec));"] if 0.0 in entries else []),
             *(f"    y[{j}] = {body.written(x)};" for j, x in enumerate(entries) if isinstance(x, float) and x != 0),
             "    for (size_t i = 0; i + W <= n; i += W)",
             "        nothing += block(x, m, y, in, step, out, i, W);",
             "    if (n % W && n > W)",
             "        nothing += block(x, m, y, in, step, out, n - W, W);             /* some states once more */",
             "    else if (n % W)",
             "        nothing += block(x, m, y, in, step, out, 0, (int)n);",
             *(["    free(memory);"] if sum(sizes) > ON_STACK else []),
             "    return nothing == 0.0;", "}", ""]
    return "\n".join(lines)


def _memory(x_size, m_size, y_size):
    """The lines that make room for x, m and y."""
    if x_size + m_size + y_size <= ON_STACK:
        return [f"    vec x[{x_size + 1}], m[{m_size + 1}], y[{y_size + 1}];"]
    return [f"    void *const memory = malloc({x_size + m_size + y_size + 1} * sizeof(vec));",
            "    if (!memory)",
            "        return -1;",
            "    vec *const x = (vec *)(((size_t)memory + sizeof(vec) - 1) / sizeof(vec) * sizeof(vec));",
            f"    vec *const m = x + {x_size}, *const y = m + {m_size};"]
