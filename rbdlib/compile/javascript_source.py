"""Straight-line programs as JavaScript, so that a web page runs the very same algorithm (RBDA 10.4)."""

import json
from math import prod

from rbdlib.compile.executer import field_names, named_class
from rbdlib.compile.printing import Names, cost, distinct, expression
from rbdlib.compile.slots import cut

#: Assignments in one function: JavaScript engines leave longer functions to their interpreters.
LENGTH = 1500


def to_javascript(program, name="computed", structure=None, length=LENGTH):
    """The program as the text of an ES module without dependencies that exports one function of that name.

    The function takes one array (Float64Array or ordinary) of numbers for each input, matrices in row order, and a
    plain number for an input that is one; arrays of another length are refused. It returns the result in the form of
    `structure`, as `record` gives it: a number or a Float64Array in row order, an array of such for a list or tuple, an
    object for a named tuple; without structure, several results are an object by name. A function with one array as
    its result fills and returns a last argument if one is given, which may be one of the inputs. length: how many
    assignments one function may have; longer programs become several. Raises ValueError for a constant that is not
    finite.
    """
    names = Names(program, name, ("places",))
    pieces = cut(program, length)
    scratch = len(pieces.pieces) > 1
    returned = _returned(program, names, structure)
    body = [*_checks(program, names)]
    if scratch:
        functions = distinct([f"{names.function}_part{k + 1}" for k in range(len(pieces.pieces))], _all(names))
        place = {**pieces.place, **{x: pieces.places + x for x in range(program.input_size)}}
        body += [f"  places[{place[x]}] = {text};" for x, text in enumerate(_inputs(program, names))]
        body += [f"  {function}();" for function in functions]
        parts = [line for function, piece in zip(functions, pieces.pieces, strict=True)
                 for line in _part(program, names, function, piece, place)]
        parts += [f"const places = new Float64Array({pieces.places + program.input_size});", ""]
    else:
        place, parts = {}, []
        body += [f"  const {names.variables[x]} = {text};" for x, text in enumerate(_inputs(program, names))
                 if names.variables[x] != text]
        body += _assignments(program, names, 0, len(program.assignments))
    body += _outputs(program, names, place)
    arguments = [*names.arguments, *_given_result(program, names)]
    head = f"export function {names.function}({', '.join(arguments)}) {{"
    return "\n".join([*_header(program, names, returned), head, *body, f"  return {returned};", "}", "", *parts])


def _all(names):
    return {names.function, *names.arguments, *names.results, *names.variables, "places"}


def _inputs(program, names):
    """The text of every input entry."""
    return [f"{argument}[{k}]" if shape else argument
            for argument, (_, shape) in zip(names.arguments, program.inputs, strict=True) for k in range(prod(shape))]


def _checks(program, names):
    """Statements that refuse arrays of the wrong length."""
    lines = []
    arrays = [*zip(names.arguments, (shape for _, shape in program.inputs), strict=True)]
    if _single_array(program):
        arrays.append((names.results[0], program.outputs[0].shape))
    for argument, shape in arrays:
        if shape:
            lines.append(f"  if ({argument}.length !== {prod(shape)}) throw new RangeError(`{argument} has "
                         f"${{{argument}.length}} numbers; expected {prod(shape)}.`);")
        else:
            lines.append(f'  if (typeof {argument} !== "number") throw new TypeError("{argument} is not a number.");')
    return lines


def _assignments(program, names, first, last):
    for k in range(first, last):
        operation, operands = program.assignments[k]
        right = expression(operation, [names.operand(x) for x in operands], "Math.{}({})")
        yield f"  const {names.variables[program.input_size + k]} = {right};"


def _part(program, names, function, piece, place):
    """A function for one piece of a long program."""
    return [f"function {function}() {{",
            *(f"  const {names.variables[x]} = places[{place[x]}];" for x in piece.reads),
            *_assignments(program, names, piece.first, piece.last),
            *(f"  places[{place[x]}] = {names.variables[x]};" for x in piece.writes), "}", ""]


# Results


def _single_array(program):
    return len(program.outputs) == 1 and program.outputs[0].shape != ()


def _given_result(program, names):
    """The optional last argument: an array to fill."""
    if not _single_array(program):
        return []
    return [f"{names.results[0]} = new Float64Array({prod(program.outputs[0].shape)})"]


def _outputs(program, names, place):
    """Statements that fill the results. place: {variable: place} of a program in pieces."""
    def text(x):
        return f"places[{place[x]}]" if isinstance(x, int) and x in place else names.operand(x)

    lines = []
    for result, (_, shape, variables) in zip(names.results, program.outputs, strict=True):
        if shape == ():
            lines.append(f"  const {result} = {text(variables[0])};")
            continue
        if not _single_array(program):
            lines.append(f"  const {result} = new Float64Array({prod(shape)});")
        lines += [f"  {result}[{k}] = {text(x)};" for k, x in enumerate(variables)]
    return lines


def _returned(program, names, structure):
    """The expression that is returned."""
    waiting = iter(names.results)

    def build(part):
        if part["kind"] == "none":
            return "null"
        if part["kind"] == "constant":
            return json.dumps(part["value"])
        if part["kind"] in ("array", "number"):
            return next(waiting)
        items = [build(item) for item in part["items"]]
        if part["kind"] == "named":
            fields = field_names(named_class(part))
            return f"{{{', '.join(f'{field}: {item}' for field, item in zip(fields, items, strict=True))}}}"
        return f"[{', '.join(items)}]"

    if structure is not None:
        return build(structure)
    return names.results[0] if len(names.results) == 1 else f"{{{', '.join(names.results)}}}"


def _header(program, names, returned):
    def size(shape):
        if shape == ():
            return "a number"
        return f"{prod(shape)} numbers" + (f", shape {shape} in row order" if len(shape) > 1 else "")

    return ["/**", f" * {names.function}: a straight-line program generated by rbdlib ({cost(program)}).", " *",
            *(f" * @param {{{'number' if shape == () else 'ArrayLike<number>'}}} {argument}  {size(shape)}"
              for argument, (_, shape) in zip(names.arguments, program.inputs, strict=True)),
            *(f" * result {result}: {size(shape)}"
              for result, (_, shape, _) in zip(names.results, program.outputs, strict=True)),
            f" * @returns {returned}", " */"]
