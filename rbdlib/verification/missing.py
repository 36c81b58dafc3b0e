"""A term that is missing in an answer, found by how what is missing grows with every symbol."""

import dataclasses
import itertools
from fractions import Fraction

from rbdlib.inverse_dynamics import rnea
from rbdlib.verification.expression import Function, Number, Operation, evaluate, symbols
from rbdlib.verification.hypotheses import classes
from rbdlib.verification.nodes import ONE
from rbdlib.verification.states import Altered

#: Exponents and numbers beyond these are not looked for.
_HIGHEST, _LARGEST_DENOMINATOR = 4, 24
_NEAR = 1e-25


def missing_term(case, index):
    """The one term, a tree in the learner's symbols, that would make an entry right; None if there is no such one.

    Its exponents come from doubling one symbol after the other; its sines and cosines are tried out.
    """
    states = _free_states(case)
    if states is None or case.function:
        return None
    base = _rows(case, index, states)
    powers = None if any(not x for x in base) else _powers(case, index, states, base)
    if powers is None:
        return None
    for factor in _position_factors(case):
        tree = _product([*powers, *factor])
        knowns = [case.known(state, tuple(symbols(tree))) for state in states]
        values = case.combine([evaluate(tree, known) for known in knowns])
        if any(not x for x in values):
            continue
        ratios = [x / y for x, y in zip(base, values, strict=True)]
        number = Fraction(float(ratios[0])).limit_denominator(_LARGEST_DENOMINATOR)
        if number and all(abs(x * number.denominator - number.numerator) < _NEAR * abs(x) * 1e3 for x in ratios):
            return _times(number, tree)
    return None


def _times(number, tree):
    size = abs(number)
    if size == 1:
        new = tree
    elif size.numerator == 1:
        new = Operation("/", (tree, Number(Fraction(size.denominator))))
    else:
        new = Operation("*", (Number(size), tree))
    return Operation("neg", (new,)) if number < 0 else new


def _product(factors):
    return ONE if not factors else factors[0] if len(factors) == 1 else Operation("*", tuple(factors))


def _free_states(case):
    """The states, for equations with forces that go with any accelerations; None where the forces are not free."""
    if not case.equations:
        return case.states
    if case.quantity.symbol != "equations of motion" or case.system.model.loops or any(
            note.startswith("No tau") for note in case.decision.notes):
        return None
    return [_driven(state, state.qd, state.qdd) for state in case.states]


def _driven(state, qd, qdd):
    return Altered(state, qd=qd, qdd=qdd, tau=rnea(state.model, state.q, qd, qdd))


def _rows(case, index, states):
    return case.missing((), states)[(slice(None), *index)]


# Exponents


def _powers(case, index, states, base):
    """The powers of parameters and rates of which what is missing is made, a list of trees; None if it is not."""
    found = []
    for names in classes(case.system.symbols).values():
        part = _of_class(case, index, states, base, names)
        if part is None:
            return None
        found += part
    for letter in ("qd", "qdd"):
        if letter == "qdd" and not (case.equations or case.quantity.symbol in ("tau", "a")):
            continue
        for k in range(case.system.model.nv):
            power = _exponent(_rows(case, index, [_moving(case, s, letter, k) for s in states]), base)
            if power is None:
                return None
            found += _as_power(case.symbol(f"{letter}{k + 1}"), power)
    return found


def _of_class(case, index, states, base, names):
    powers = [_exponent(_rows(case, index, [_scaled(case, s, (name,)) for s in states]), base) for name in names]
    if None not in powers:
        return [part for name, power in zip(names, powers, strict=True)
                for part in _as_power(case.symbol(name), power)]
    inside = [name for name, power in zip(names, powers, strict=True) if power is None]
    outside = [part for name, power in zip(names, powers, strict=True) if power is not None
               for part in _as_power(case.symbol(name), power)]
    together = _exponent(_rows(case, index, [_scaled(case, s, tuple(inside)) for s in states]), base)
    if together != 1 or len(inside) < 2:
        return None
    return [*outside, Operation("+", tuple(case.symbol(name) for name in inside))]


def _exponent(doubled, base):
    """The whole power k with doubled = 2^k base, or None."""
    for k in range(-_HIGHEST, _HIGHEST + 1):
        factor = base[0] * 0 + 2
        if all(abs(x - y * factor**k) <= _NEAR * abs(x) for x, y in zip(doubled, base, strict=True)):
            return k
    return None


def _as_power(symbol, power):
    if not power:
        return []
    if power < 0:
        return [Operation("^", (symbol, Operation("neg", (Number(Fraction(-power)),))))]
    return [symbol if power == 1 else Operation("^", (symbol, Number(Fraction(power))))]


def _scaled(case, state, names):
    """The state of a system in which some parameters are twice as large; the motion is the same."""
    parameters = {name: state.parameters[name] * (2 if name in names else 1) for name in case.system.symbols}
    inner = getattr(state, "_state", state)
    new = dataclasses.replace(inner, model=case.system.at(parameters), parameters=case.system.named(parameters))
    return _driven(new, state.qd, state.qdd) if case.equations else Altered(new, qdd=state.qdd)


def _moving(case, state, letter, k):
    rates = {"qd": state.qd.copy(), "qdd": state.qdd.copy()}
    rates[letter][k] = 2 * rates[letter][k]
    if case.equations:
        return _driven(state, **rates)
    return Altered(state, **rates)


# Sines and cosines


def _position_factors(case):
    """Lists of factors that may depend on the position: none, one, or two sines and cosines, and lengths."""
    angles = [a for a in case.pool.angles if not (isinstance(a, Operation) and a.kind == "*")]
    single = [Function(name, (angle,)) for angle in angles for name in ("sin", "cos")]
    single += [case.symbol(x.name) for x in case.vocabulary.names.coordinates if x.kind == "length"]
    yield []
    yield from ([f] for f in single)
    for a, b in itertools.combinations_with_replacement(single[:14], 2):
        yield [a, b] if a != b else [Operation("^", (a, Number(Fraction(2))))]

