"""What is found out about the lines of a derivation before the first is judged: the names in them, and data."""

import contextlib
import itertools
import re
from dataclasses import replace

from rbdlib.verification.derivations.derivation_names import ENERGIES
from rbdlib.verification.derivations.lines import formula_of
from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.answer_lines import symbols_in_order
from rbdlib.verification.meaning.definitions import as_power
from rbdlib.verification.meaning.phrases import some_value
from rbdlib.verification.meaning.vocabulary import Vocabulary
from rbdlib.verification.mechanics.quantities import SIMPLE, damping
from rbdlib.verification.mechanics.states import system_of
from rbdlib.verification.notation.reading import read
from rbdlib.verification.trees.calculus import difference, differentiate
from rbdlib.verification.trees.nodes import ZERO, Equation, Matrix, Operation, Symbol, symbols

#: Words for a special state of a motion.
_STATE = re.compile(r"\b(?:at|when|if|initial\w*|rest|equilibrium|released?|top|bottom|lowest|highest|position"
                    r"|static|steady|circular|lineari[sz]\w{1,6} (?:about|around))\b"
                    r"|^\W*for\s+\$?(?:\\d{0,2}dot\s?\{?)?\\?\w+\}?'{0,2} ?=", re.IGNORECASE)
_DATUM = re.compile(r"\s*(?:[A-Za-z ]{3,30}:\s*)?([A-Za-z]\w*)\s*=\s*\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\s*"
                    r"(?:[A-Za-z]+(?:[*/^ ]+[A-Za-z0-9]+){0,4})?\s*")


def vocabulary_with_data(lines, model, given):
    """(lines that say what numbers the model's parameters are, such as "m = 2 kg; l = 0.5 m", the `Vocabulary`).

    Where no line has a parameter of a model in numbers, those numbers count.
    """
    system, vocabulary = system_of(model), Vocabulary(model, given)
    known = {*map(compact, (*system.symbols, *map(str, model.parameters))), "g"} - vocabulary.assumptions.keys()
    stated = {line: [part for part in re.split("[,;]", line) if "=" in part or not part.replace(" ", "").isalpha()]
              for line in lines if isinstance(line, str)}                   # but for "Rod pendulum, "
    data = {line: parts for line, parts in stated.items() if parts and all(
        (found := _DATUM.fullmatch(part)) and compact(found[1]) in known for part in parts)}
    own = vocabulary.own_symbols({s for line in lines for tree in _read(line, vocabulary) for s in symbols(tree)})
    nominal = {} if data or own & system.nominal.keys() or any(
            hasattr(x, "free_symbols") for x in model.parameters.values()) else {
        name: value for name, value in system.nominal.items() if name in system.symbols}
    said = [*sum(data.values(), []), *(f"{name} = {value!r}" for name, value in nominal.items())]
    with contextlib.suppress(ValueError):                # a unit that is not known
        if said:
            vocabulary = Vocabulary(model, [*(given if isinstance(given, (list, tuple)) else [given]), *said])
            vocabulary.guessed |= dict.fromkeys(nominal, "Compared with the numbers of your model.")
            return [*data], vocabulary
    return [], vocabulary


def contains(vocabulary, tree, *letters):
    """True if a tree has symbols of the model in it whose names begin with some letters."""
    return any(name.startswith(letters) for name in vocabulary.own_symbols(symbols(tree)))


def names_in(lines, vocabulary):
    """(names of forces, coordinates, rates that lines define, other symbols in order, the model's own names in these).

    Of the coordinates only those that have another name in the lines, too, and C2 beside H12 and no S2; forces T that
    have directions, which no torque has, become unknowns of the vocabulary.
    """
    used, defined, names, order, rates, accelerations, vectors = set(), {}, vocabulary.names, [], set(), set(), set()
    for tree in itertools.chain(*(_read(line, vocabulary) for line in lines)):
        order += symbols_in_order([tree])
        used |= {s for s in symbols(tree) if compact(s.name) not in ENERGIES}
        left, right = tree.parts if isinstance(tree, Equation) else (None, None)
        base = left if isinstance(left, Symbol) or left is None else (as_power(left) or [left])[0]
        if isinstance(base, Symbol) and base.name not in {*names.own, *(s.name for s in symbols(right))}:
            own, dots = names.find(base.name)
            if own in names.q and dots == 1 and not base.dots:                      # omega = sqrt(g/l)
                if symbols(right) and not contains(vocabulary, right, "q"):
                    rates.add(compact(base.name))
            elif base == left and (any(s.dots for s in symbols(right)) if left.dots == 1 else not left.dots and (
                    own in names.q or not contains(vocabulary, right, "qdd"))):
                if not (known := vocabulary.definitions.get(compact(left.name))) or known.by != "given":
                    defined.setdefault(left.name, left.dots)
                if contains(vocabulary, right, "qdd"):
                    accelerations.add(left.name)
        if isinstance(left, Symbol) and isinstance(right, Matrix) and not left.dots:
            vectors.add(left.name)
        if left is not None and not isinstance(left, Matrix) and not isinstance(right, Matrix):
            vocabulary.unknowns |= {compact(s.name) for s in symbols(tree) if re.fullmatch(r"T\d*", s.name)
                                    and contains(vocabulary, differentiate(difference(left, right), s), "q")}
    written = {compact(s.name) for s in used}
    told = {names.q[i] for i in (*vocabulary.tied, *vocabulary.prescribed)}
    ahead = {name for name, dots in defined.items() if (own := names.find(name)[0]).startswith("tau") and not dots
             or own in names.q and (called := compact(names.called.get(own, own))) != compact(name)
             and (own in told and name in accelerations or called in written)}
    ahead |= {name for name in vectors if not names.find(name)[0]}
    kept = ahead | {name for name, dots in defined.items() if not dots}
    used = {s for s in used if s.name not in kept and compact(s.name) not in vocabulary.unknowns}
    if any(re.fullmatch(r"[HMD]\d\d", name) for name in written) and not any(
            re.fullmatch(r"[Ss]\d+", name) for name in written):
        rates |= {name for name in written if re.fullmatch(r"C\d", name)}            # and no cosine
    return ({*map(compact, ahead)} - vocabulary.unknowns | rates, tuple(dict.fromkeys(s for s in order if s in used)),
            vocabulary.own_symbols(used) | set(vocabulary.assumptions))


def _read(line, vocabulary):
    names = vocabulary.known_names()
    with contextlib.suppress(ValueError):
        return read(formula_of(line, names)[0] if isinstance(line, str) else line, names).trees
    return ()


def _at_start(tree):
    """The symbol of which an `Equation` says the value at t = 0, as in theta(0) = theta_0; None for others."""
    left = getattr(tree, "left", None)
    return left.parts[0] if isinstance(left, Operation) and left.parts[1:] == (ZERO,) else None


def states_since_start(lines, vocabulary, states):
    """The states, of one freedom, with the energy that it has by "theta(0) = theta_0, theta'(0) = 0" in the lines.

    Without such lines, and where energy is not conserved, they are as they were.
    """
    said = {s: tree.right for line in lines for tree in _read(line, vocabulary)
            if isinstance(s := _at_start(tree), Symbol)}
    start = {name: right for s, right in said.items() for name in vocabulary.own_symbols([s])}
    if {*start} != {"q1", "qd1"} or states[0].model.nv > 1 or vocabulary.coordinates() or vocabulary.prescribed or any(
            x != 0 for state in states for x in (*state.tau, *damping(state))):
        return states
    for s in symbols_in_order(start.values()):
        if not vocabulary.knows(s):
            vocabulary.define(s.name, some_value(s.name), "given")
    return [_since_start(state, *(vocabulary.evaluated(start[name], state) for name in ("q1", "qd1")))
            for state in states]


def _since_start(state, q, qd):
    def energy(q, qd):
        return SIMPLE["E"][1](replace(state, q=q + 0 * state.q, qd=qd + 0 * state.qd))

    for size in (1, -1, 0.3, -0.3, 0.01, -0.01):
        place = q + size * state.q
        if (left := energy(q, qd) - energy(place, 0)) > 0:
            return replace(state, q=place, qd=(left / (energy(place, 1) - energy(place, 0))) ** 0.5 + 0 * state.qd)
    return replace(state, q=q + 0 * state.q, qd=qd + 0 * state.qd)


def is_solution(vocabulary, own, tree):
    """True for x = A cos(omega t), or its rate, where that motion is not prescribed."""
    left, right = tree.parts
    return (isinstance(left, Symbol) and left.dots < 2 and not own.knows(left) and vocabulary.knows(left)
            and contains(vocabulary, left, "q") and vocabulary.own_symbols([left]) <= {
                name for x in vocabulary.names.coordinates for name in (x.name, x.rate)}
            and not vocabulary.prescribed and Symbol("t") in symbols(right))


def is_special_state(vocabulary, own, tree, text):
    """True for theta = 0, theta(0) = theta_0, or theta' = 0 "at rest": a state of which it speaks, no law of motion."""
    left, right = tree.parts
    if symbol := _at_start(tree):
        return contains(vocabulary, symbol, "q")
    if not isinstance(left, Symbol) or isinstance(right, Matrix) or own.knows(left) or (
            compact(left.name) in own.ahead) or not vocabulary.knows(left):
        return False
    meant = vocabulary.own_symbols([left])
    moving = [s for s in symbols(right) if s.name == "t" or compact(s.name) in own
              or vocabulary.knows(s) and contains(vocabulary, s, "q", "tau")]
    if not contains(vocabulary, left, "q") or meant & {*vocabulary.names.parameters} or moving:
        return False
    new = not all(map(vocabulary.knows, symbols(right)))                    # theta_0
    plain = meant <= {*vocabulary.names.q} and not new
    return plain or _STATE.search(text) is not None
