"""Answers that are right in a sense: but for the rounding of decimals, for a total time derivative in L, or for one way
of assembling a closed loop.

0.333 stands for 1/3, 0.1667 or 0.166 for 1/6. A four-bar linkage with a given crank angle can be assembled in two ways;
formulas with roots or inverse functions, such as q2(q1), choose one of them.
"""

import contextlib

import mpmath
import numpy as np

from rbdlib.book.ch08_elimination import eliminate
from rbdlib.loops.closing import close_loops
from rbdlib.loops.clusters import constraints_to_rank
from rbdlib.verification.decision.comparisons import Entry, certainty, is_smooth, scale_of
from rbdlib.verification.meaning.answer_lines import symbols_in_order
from rbdlib.verification.mechanics.quantities import SIMPLE, constraints
from rbdlib.verification.mechanics.states import in_numbers
from rbdlib.verification.trees.calculus import differentiate, minus, plus
from rbdlib.verification.trees.expression import Number, Symbol, Undefined, evaluate, postorder
from rbdlib.verification.trees.network import replaced

#: Decimals of at least so many digits, zeros at both ends left out, may be rounded ones; and so many of them at most.
ROUNDED_DIGITS, MOST_DECIMALS = 2, 40
#: The error that a decimal number may have, in units of its last digit: rounded, or cut off (0.166 for 1/6).
BELOW, ABOVE = -0.51, 0.99
#: So many more states than decimal numbers are looked at, at least.
FEWEST = 6
#: Newton's steps, and the fraction of the largest entry that counts as nothing after them.
_STEPS, _EXACTLY = 4, 1e-12
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
    """The `Decision` about an answer that is right but for the rounding of its numbers; None if it is not.

    Numbers are looked for that, rounded or cut off, are those in the answer, and with which it is exactly right. trial:
    a `decide.Trial` whose formulas stand in ``array``.
    """
    nodes = {id(node): node for tree in trial.array.flat for node in postorder(tree)}
    decimals = [node for node in nodes.values() if isinstance(node, Number) and last_digit(node)]
    if not 0 < len(decimals) <= MOST_DECIMALS:
        return None
    states = trial.states(count=FEWEST + len(decimals))
    for reading in trial.readings():
        if reading.compare in ("exact", "constant") and _fits(trial, decimals, states, reading):
            before, trial.tolerance = trial.tolerance, 10.0 ** (1 - min(node.digits for node in decimals))
            decision, sure = trial.by(reading, states), certainty(trial, len(states))
            trial.tolerance = before
            entries = tuple(entry._replace(ok=True) for entry in decision.entries)
            return decision._replace(ok=True, entries=entries, tolerance=before, certainty=sure).noted(
                *trial.notes, _NOTE)
    return None


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
    """The unit in the last digit of a decimal number that may be a rounded one, an mpmath number; otherwise None."""
    mantissa, _, power = number.exact.lower().partition("e") if isinstance(number.exact, str) else ("", "", "")
    whole, _, fraction = mantissa.partition(".")
    rounded = len((whole + fraction).strip("0")) >= ROUNDED_DIGITS
    return mpmath.mpf(10) ** (int(power or 0) - len(fraction)) if rounded else None


def _fits(trial, decimals, states, reading):
    """True if there are numbers within the rounding of those written that make the answer right."""
    names = [Symbol(f"decimal {k}") for k in range(len(decimals))]
    trees = [replaced(tree, dict(zip(map(id, decimals), names, strict=True))) for tree in trial.array.flat]
    used = [symbol for symbol in symbols_in_order(trees) if symbol not in names]
    written, units = np.array([(evaluate(node, {}), last_digit(node)) for node in decimals], dtype=object).T
    ours = [np.array(reading.right(state), dtype=object) for state in states]

    def missing(shifts):
        """The part that the answer lacks with shifted numbers, all entries in one vector; None if shapes do not fit."""
        found = []
        for state, right in zip(states, ours, strict=True):
            known = trial.vocabulary.values(state, used) | dict(zip(names, written + shifts, strict=True))
            values = np.array([*(evaluate(tree, known) for tree in trees), None], dtype=object)[:-1]
            yours, _ = trial.comparable(values.reshape(trial.array.shape), right, reading, state)
            if yours is None:
                return None
            found.append(np.ravel(np.array(right - yours, dtype=object)))
        if reading.compare == "constant":               # differences among states with the same parameters
            found = [found[0] - found[1], *(found[i] - found[j] for i in range(1, len(states)) for j in range(i)
                                            if states[i].parameters == states[j].parameters)]
        return np.concatenate(found)

    shifts = 0 * units
    try:
        for _ in range(_STEPS):
            now = missing(shifts)
            if now is None:
                return False
            columns = [(now - missing(shifts + unit)).astype(float) for unit in np.diag(units)]
            shifts = shifts + np.linalg.lstsq(np.array(columns).T, now.astype(float), rcond=1e-12)[0] * units
        left = missing(shifts)
    except Undefined:                                   # Newton's steps led to where the formulas have no value
        return False
    within = all(BELOW <= x / unit <= ABOVE for x, unit in zip(shifts, units, strict=True))
    return within and bool(max(abs(left)) < _EXACTLY * scale_of(*ours))


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
