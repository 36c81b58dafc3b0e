"""Answers that are right in a sense: but for the rounding of decimals, for a total time derivative in L, or for one way
of assembling a closed loop.

0.333 stands for 1/3, 0.1667 or 0.166 for 1/6. A four-bar linkage with a given crank angle can be assembled in two ways;
formulas with roots or inverse functions, such as q2(q1), choose one of them.
"""

import contextlib
from fractions import Fraction

import mpmath
import numpy as np
from mpmath.libmp import to_rational

from rbdlib.book.ch08_elimination import eliminate
from rbdlib.loops.closing import close_loops
from rbdlib.loops.clusters import constraints_to_rank
from rbdlib.verification.decision.comparisons import Entry, certainty, is_smooth, scale_of
from rbdlib.verification.meaning.answer_lines import BadAnswer, symbols_in_order
from rbdlib.verification.mechanics.quantities import SIMPLE, constraints
from rbdlib.verification.mechanics.states import in_numbers
from rbdlib.verification.trees.calculus import differentiate, minus, plus
from rbdlib.verification.trees.expression import Number, Symbol, evaluate, postorder
from rbdlib.verification.trees.network import replaced
from rbdlib.verification.trees.nodes import Rounded

#: Decimals of at least so many digits, zeros at both ends left out, may be rounded ones; and so many of them at most.
ROUNDED_DIGITS, MOST_DECIMALS = 2, 40
#: The error that a decimal number may have, in units of its last digit: rounded, or cut off (0.166 for 1/6).
BELOW, ABOVE = -0.51, 0.99
#: The last digit of decimals that may stand for simple fractions.
_FINE = Fraction(1, 1000)
#: So many more states than decimal numbers are looked at, at least.
FEWEST = 6
#: Newton's steps, and the part of the last digit by which numbers are shifted to find out what comes of it.
_STEPS, _STEP = 9, 1e-9
#: What is smaller counts as nothing where a loop is looked at near q = 0.
_EXACTLY = 1e-12
_NOTE = "Your answer has rounded numbers in it; it agrees as far as their digits go."
_RATE = ("It differs from T - V by the rate of change of a function of position and time only, which changes no "
         "equation of motion.")
_ONE = ("It is right for one of the ways in which the loop can be assembled, the one that your roots or inverse "
        "functions choose; in the others it differs.")
_OWN = ("It is right for the way in which the loop is assembled near q = 0, the one that your roots or inverse "
        "functions choose; in the others it differs.")
_NEAR = "It is right for the way in which the loop is assembled near q = 0; in others it differs."
_OTHER = ("With other signs of the roots it would be another way of assembling the loop: yours is right there, but not "
          "near q = 0, for which it was compared.")


def with_decimals(trial):
    """The `Decision`s about an answer in which decimals stand for what they may be rounded from, by each reading.

    trial: a `decide.Trial` whose formulas stand in ``array``.
    """
    written = trial.array
    for reading in trial.readings() if any(map(decimals_in, written.flat)) else ():
        states = trial.states(count=FEWEST + len(decimals_in(*written.flat)))
        if reading.compare not in ("exact", "constant") or trial.by(reading, states[:2]) is None:
            continue

        def missing(trees, reading=reading, states=states):
            trial.array = np.array([*trees, None], dtype=object)[:-1].reshape(written.shape)
            ours = [np.array(reading.right(state), dtype=object) for state in states]
            off = [x - trial.comparable(trial.values(state), x, reading, state)[0]
                   for x, state in zip(ours, states, strict=True)]
            if reading.compare == "constant":           # differences among states with the same parameters
                off = [off[0] - off[1], *(off[i] - off[j] for i in range(1, len(states)) for j in range(i)
                                          if states[i].parameters == states[j].parameters)]
            return np.ravel(off)

        trees = meant([*written.flat], missing)
        if trees:
            missing(trees)
            decision = trial.by(reading, states)
            if not decision.ok and len(decision.entries) == len(trees):     # what is wrong stands as it is written
                missing(np.where([entry.ok for entry in decision.entries], trees, [*written.flat]))
                decision = trial.by(reading, states)
            yield rounded(trial, decision, trees).noted(*trial.notes)
        trial.array = written


def decimals_in(*trees):
    """The decimal numbers in formulas that may be rounded ones, each once."""
    nodes = {id(node): node for tree in trees for node in postorder(tree)}
    return [node for node in nodes.values() if isinstance(node, Number) and last_digit(node)]


def meant(trees, missing):
    """Formulas with numbers that, rounded or cut off, are the decimals written there, and with which nothing is missing
    any more, as far as there are such numbers; None without decimals, or where the formulas then have no value.

    missing: a function of such formulas, for a vector of numbers.
    """
    decimals = decimals_in(*trees)
    if not 0 < len(decimals) <= MOST_DECIMALS:
        return None
    units = [last_digit(node) for node in decimals]

    def shifted(shifts):
        new = {id(node): Rounded(node.exact, node.value + unit * Fraction(*to_rational(mpmath.mpf(x)._mpf_)),
                                 span=node.span) for node, unit, x in zip(decimals, units, shifts, strict=True)}
        return [replaced(tree, new) for tree in trees]

    shifts, columns = np.full(len(decimals), mpmath.mpf(0)), None
    try:
        for k in range(_STEPS):
            now = missing(shifted(shifts))
            if k < 2:                                   # slopes that are nearly right will do after that
                columns = [(now - missing(shifted(shifts + _STEP * unit))).astype(float) / _STEP
                           for unit in np.eye(len(decimals))]
            step = np.linalg.lstsq(np.array(columns).T, now.astype(float), rcond=1e-12)[0]
            shifts = shifts + step
            if max(abs(step)) < 1e-28:
                break
    except BadAnswer:                                   # Newton's steps led to where the formulas have no value
        return None
    return shifted([x if BELOW <= x <= ABOVE else mpmath.mpf(0) for x in shifts])


def rounded(trial, decision, trees):
    """A `Decision`; if an answer is right, with how sure that is with the digits of its decimals, and a note."""
    if not decision.ok:
        return decision
    before, trial.tolerance = trial.tolerance, 10.0 ** -(min(node.digits for node in decimals_in(*trees)))
    sure, trial.tolerance = certainty(trial, len(decision.states)), before
    return decision._replace(certainty=sure).noted(_NOTE)


def as_fractions(tree):
    """The formula with simple fractions in the place of decimals that may be rounded from these: 1/6 for 0.1667."""
    new = {}
    for node in decimals_in(tree):
        simple, unit = Fraction(round(node.value * 36), 36), last_digit(node)
        if not isinstance(node, Rounded) and unit <= _FINE and BELOW <= (simple - node.value) / unit <= ABOVE:
            new[id(node)] = Rounded(node.exact, simple, span=node.span)
    return replaced(tree, new)


def with_the_same_motion(trial):
    """The `Decision` about an L that, in a driven system, lacks the rate of some f(q, t); None if it is not so."""
    vocabulary, L = trial.vocabulary, trial.array.flat[0]
    if trial.quantity.symbol != "L" or not vocabulary.prescribed or vocabulary.coordinates():
        return None
    spelled, states = vocabulary.spellings(trial.used), trial.states()
    for i, name in enumerate(vocabulary.names.q):
        y = spelled.get(name, Symbol(name))
        tree = plus(vocabulary.rate(differentiate(L, Symbol(y.name, 1))), minus(differentiate(L, y)))
        for state in states if i not in vocabulary.prescribed else ():
            ours = [SIMPLE[part][1](state)[i] for part in ("d/dt dL/dqd", "dL/dq")]
            off = evaluate(tree, vocabulary.values(state, symbols_in_order([tree]))) - ours[0] + ours[1]
            if abs(off) > trial.tolerance * scale_of(*ours):
                return None
    return trial.decision(True, states, (L,), array=trial.array, entries=(Entry((), True),)).noted(*trial.notes, _RATE)


def last_digit(number):
    """The unit in the last digit of a decimal number that may be a rounded one, a Fraction; otherwise None."""
    mantissa, _, power = number.exact.lower().partition("e") if isinstance(number.exact, str) else ("", "", "")
    whole, _, fraction = mantissa.partition(".")
    known = len((whole + fraction).strip("0")) >= ROUNDED_DIGITS
    return Fraction(10) ** (int(power or 0) - len(fraction)) if known else None


def in_one_assembly(trial, decision):
    """A `Decision` that an answer is right in one assembly mode, if it is; otherwise that it is wrong.

    trial: a `decide.Trial`. The mode that counts is that of the model's closed position nearest to q = 0; where that
    position does not tell them apart, any mode will do. They are told apart by the sign of the determinant of the part
    of K that belongs to the coordinates that follow from the others: on the way from one mode to the other it is zero.
    """
    model = trial.system.model
    if decision.ok or not model.loops or trial.function:
        return decision
    others = _dependent(trial, decision) if model.nq == model.nv else []
    if trial.is_smooth():
        return _as_in_the_file(trial, others, decision)
    if not 0 < len(others) < model.nv:
        return decision
    own = _own_sign(others, decision.states[0].model)
    if not own:
        in_each = filter(None, (_in_mode(trial, others, sign) for sign in (1, -1)))
        return next((found.noted(_ONE) for found in in_each if found.ok), decision)
    found = _in_mode(trial, others, own) or decision
    if found.ok:
        return found.noted(_OWN)
    other = _in_mode(trial, others, -own)
    return found.noted(_OTHER) if other and other.ok else found


def _as_in_the_file(trial, others, decision):
    """The decision near q = 0, if the loop is closed there: elsewhere it may have gone on as another.

    Formulas must be in independent coordinates alone.
    """
    start, states = trial.system.model.neutral(), decision.states
    if not states or len(start) != trial.system.model.nv or trial.quantity.compare != "identity" and (
            eliminate(constraints(states[0])[0], _EXACTLY).rank != len(others)):
        return decision
    if max(map(abs, constraints_to_rank(states[0].model, start, 0 * start)[2])) > _EXACTLY:
        return decision
    trial.assembly = "near"
    with contextlib.suppress(ValueError):
        decision = trial.decide()
    return decision.noted(_NEAR) if decision.ok else decision


def _in_mode(trial, others, sign):
    trial.assembly = lambda state: _sign(others, state.model, state.q) == sign
    with contextlib.suppress(ValueError):
        return trial.decide()


def _dependent(trial, decision):
    """Places of the coordinates that follow from those under the roots, and in the inverse functions, of the answer."""
    def absent(trees):
        own = trial.vocabulary.own_symbols(symbols_in_order(trees))
        return [v for v, x in enumerate(trial.vocabulary.names.coordinates) if x.name not in own and x.rate not in own]

    rough = [node for tree in trial.formulas() for node in postorder(tree) if not is_smooth(node)
             and all(is_smooth(child) for child in node.parts)]
    others = absent(rough)
    if decision.states and eliminate(constraints(decision.states[0])[0], 1e-12).rank == len(others):
        return others
    return absent(trial.trees)


def _own_sign(others, model):
    """The mode, 1 or -1, of the closed position nearest to q = 0; 0 where the way from q = 0 leads to either."""
    start = model.neutral()
    with contextlib.suppress(ValueError):
        return _sign(others, model, start) and _sign(others, model, close_loops(in_numbers(model, float), start,
                                                                                tolerance=1e-9))
    return 0


def _sign(others, model, q):
    K = constraints_to_rank(model, q, 0 * q)[0]
    K = K[[i for i, row in enumerate(K) if max(map(abs, row)) > 1e-25]][:, others]
    found = eliminate(K, 1e-6)
    if found.rank < len(others):
        return 0
    return int(np.sign(np.linalg.det(K[sorted(found.rows[: found.rank])].astype(float))))
