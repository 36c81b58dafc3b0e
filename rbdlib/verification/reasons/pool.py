"""The pool of an answer: symbols that may be taken for one another, angles, factors that get lost."""

from fractions import Fraction

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.own_formulas import once_for_each
from rbdlib.verification.reasons.edits import Pool
from rbdlib.verification.reasons.hypotheses import classes, has_accelerations, kind_of
from rbdlib.verification.trees.expression import Function, Number, Operation, Symbol, symbols


def pool_of(case):
    """The `edits.Pool` of a `Case`, in the learner's symbols where he has some."""
    vocabulary, names = case.vocabulary, case.vocabulary.names
    new = vocabulary.coordinates()
    positions = new or [case.symbol(x.name) for x in names.coordinates]
    is_angle = [x.kind == "angle" for x in names.coordinates]
    angles = [s for s, angle in zip(positions, is_angle, strict=True) if angle][:8]
    rates, accelerations = (*rates_of(case), [])[:2]
    alike = parameters_of(case)
    parameters = [symbol for members in alike.values() for symbol in members]
    arguments = [*angles, *_sums_of(angles)]
    count = case.system.model.nv if has_accelerations(case.quantity) else 0
    forces = [case.symbol(f"tau{k + 1}") for k in range(count)]
    kinds = (tuple(angles), tuple(rates), tuple(accelerations), tuple(forces), *map(tuple, alike.values()))
    trigonometric = (Function(f, (a,)) for a in arguments for f in ("sin", "cos"))
    distances = [s for s, angle in zip(positions, is_angle, strict=True) if not angle]
    return Pool(tuple(kind for kind in kinds if len(kind) > 1), (*arguments, *map(_twice, angles)),
                (*parameters, *distances, *rates, *trigonometric), (*alike.get("length", ()), *distances),
                tuple(alike.get("mass", ())), _sums_with(rates) | _sums_with(accelerations),
                (*parameters, *distances))


@once_for_each
def rates_of(case):
    """The symbols for rates and, if the quantity may depend on them, for accelerations: one list or two."""
    new, places = case.vocabulary.coordinates(), range(1, case.system.model.nv + 1)
    return [[Symbol(s.name, dots) for s in new] if new else [case.symbol(f"{letter}{k}") for k in places]
            for letter, dots in [("qd", 1), ("qdd", 2)][: 1 + has_accelerations(case.quantity)]]


@once_for_each
def parameters_of(case):
    """{kind: symbols} of the parameters that may stand in the answer: the model's, and those that given defines by
    them."""
    definitions = case.vocabulary.definitions
    found = {kind: [case.symbol(name) for name in names if compact(name) not in definitions]
             for kind, names in classes(case.system.symbols).items()}
    for definition in definitions.values():
        own = symbols(definition.tree)
        alias = isinstance(definition.tree, Symbol)
        if definition.by == "given" and not alias and own and all(s.name in case.system.symbols for s in own):
            found.setdefault(kind_of(definition.name), []).append(Symbol(definition.name))
    return found


def _twice(angle):
    return Operation("*", (Number(Fraction(2)), angle))


def _sums_of(angles):
    """Sums of neighbouring angles, and differences of two."""
    found = []
    for i in range(len(angles)):
        for j in range(i + 1, len(angles)):
            found.append(Operation("+", tuple(angles[i : j + 1])))
            if j == i + 1 or len(angles) <= 3:
                found.append(_minus(angles[i], angles[j]))
            if len(angles) <= 2:
                found += [_minus(angles[i], _twice(angles[j])), _minus(_twice(angles[i]), angles[j]),
                          _minus(_twice(angles[i]), _twice(angles[j]))]
    return found


def _minus(a, b):
    return Operation("+", (a, Operation("neg", (b,))))


def _sums_with(rates):
    return {b: Operation("+", tuple(rates[: k + 2])) for k, b in enumerate(rates[1:])}
