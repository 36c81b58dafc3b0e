"""Why a line of a derivation does not follow, found like the reason why an answer is wrong; see `diagnosis`."""

import re
from dataclasses import replace

import numpy as np

from rbdlib.verification.decision.comparisons import Decision, Entry
from rbdlib.verification.decision.decide import verify_numbers
from rbdlib.verification.derivations.steps import FORCE
from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.answer_lines import symbols_in_order
from rbdlib.verification.meaning.definitions import Definition, solved
from rbdlib.verification.mechanics.quantities import Quantity
from rbdlib.verification.mechanics.states import Altered
from rbdlib.verification.notation.reading import Answer
from rbdlib.verification.reasons.diagnosis import diagnose
from rbdlib.verification.reasons.hypotheses import quietly
from rbdlib.verification.reports.report_text import listed
from rbdlib.verification.trees.calculus import difference, differentiate, plus
from rbdlib.verification.trees.expression import terms, to_text, with_children
from rbdlib.verification.trees.nodes import Derivative, Equation, Function, Operation, Symbol, fold, postorder, symbols

SMALL_ANGLES = ("This line holds for small angles only. If you meant to linearise, say so, as in 'for small angles: "
                "...', or write the exact equation above it. If not: which sine, cosine or velocity product is "
                "missing?")
#: A factor by which angles, velocities and forces are made small.
_SMALL = 1e-6


def is_small_angle_form(tree):
    """True if an equation looks like one for small angles: without sine and cosine, or "sin(theta) = theta"."""
    curved = _are_curved(tree)
    return not any(curved) or (any(isinstance(side, Function) for side in tree.parts) and not all(curved))


def _are_curved(tree):
    """Whether either side of an equation has sines or cosines."""
    return [any(isinstance(node, Function) and node.name in ("sin", "cos", "tan") for node in postorder(side))
            for side in tree.parts]


def _approximates(derivation, tree):
    """True if one side of an equation is the other, which has sines or cosines, to the first order that is not zero."""
    state, curved = derivation.states[0], _are_curved(tree)
    if len({*curved}) == 1 or state.model.loops or derivation.vocabulary.names.shifted:
        return False
    angles = [x.kind == "angle" for x in derivation.vocabulary.names.coordinates]
    small = replace(state, q=np.where(angles, _SMALL * state.q, state.q), qd=_SMALL * state.qd, tau=_SMALL * state.tau)
    left, right = (derivation.value(derivation.own.inlined(side), small) for side in tree.parts)
    return abs(left - right) <= 1000 * _SMALL * abs(right if curved[0] else left)


def _holds_when_small(derivation, residual):
    """True if a residual is zero but for squares of small angles, forces and, where it is linear in them, rates."""
    vocabulary, state = derivation.vocabulary, derivation.states[0]
    angles = [x.kind == "angle" for x in vocabulary.names.coordinates]
    turning = {own for x in vocabulary.names.coordinates if x.kind == "angle" for own in (
        x.name, x.rate, f"qdd{x.rate[2:]}")}
    if state.model.loops or vocabulary.names.shifted or not turning & vocabulary.own_symbols(symbols(residual)):
        return False

    def parts(size, of_rates, motion=True):
        """The terms with angles of so many times their size, and rates; motion: whether accelerations are right."""
        q, qd = np.where(angles, size * state.q, state.q), of_rates * state.qd
        small = (vocabulary.driven(replace(state, q=q, qd=qd, tau=_SMALL * state.tau)) if motion
                 else Altered(state, q=q, qd=qd))
        tau = vocabulary.own_forces(vocabulary.coordinates(), small, small.tau)
        return [derivation.value(term, Altered(small, tau=tau)) for term in terms(residual)]

    size, two, one, none = (sum(map(abs, parts(1, 1))), *(sum(parts(n, n, False)) for n in (2, 1, 0)))
    linear = abs(two - 2 * one + none) <= derivation.tolerance * size
    return any(abs(sum(parts(_SMALL, of_rates))) <= 100 * _SMALL**2 * size for of_rates in (1, _SMALL)[: 1 + linear])


def energy_holds_when_small(derivation, off):
    """True if an energy is right but for a constant and for cubes of small angles and rates.

    off: a function for how much it is off in a state.
    """
    state = derivation.states[0]
    angles = [x.kind == "angle" for x in derivation.vocabulary.names.coordinates]
    if state.model.loops or derivation.vocabulary.names.shifted or not any(angles):
        return False
    one, small, none = (off(replace(state, q=np.where(angles, size * state.q, state.q), qd=size * state.qd))
                        for size in (1, _SMALL, 0))
    return abs(small - none) <= 1000 * _SMALL**3 * (abs(one) + abs(none) + 1)


def is_right_when_small(derivation, tree, residual):
    """True if an equation that looks so holds for small angles. residual: its left minus its right side, inlined."""
    if derivation.near and _approximates(derivation, tree):
        return True
    is_energy = isinstance(tree.left, Symbol) and derivation.own.is_energy(compact(tree.left.name))
    return is_small_angle_form(tree) and (
        energy_holds_when_small(derivation, lambda state: derivation.value(residual, state)) if is_energy
        else _holds_when_small(derivation, residual))


def why(derivation, tree, states):
    """Sentences on why a line does not hold, or "". tree: its `Equation`; states: those at which it was compared."""
    if any(FORCE.fullmatch(name := compact(s.name)) and name in derivation.own and derivation._contains(
            derivation.own.inlined(Symbol(s.name)), "qdd") for s in symbols(tree)):
        return ""                                       # a force that a line defines: that line may be wrong as well
    return quietly(lambda: _by_rules(derivation, tree, states) or _of_motion(derivation, tree) or _of_places(
        derivation, tree, states)) or ""               # the verdict stands, whatever becomes of the explanation


def _by_rules(derivation, tree, states):
    """What a derivative by time lacks where something in it was taken for constant."""
    for side, other in ((tree.left, tree.right), (tree.right, tree.left)):
        if not isinstance(side, Derivative) or side.by != "t" or _derived(other):
            continue
        of, written = derivation.own.inlined(side.of), derivation.own.inlined(other)
        moving = [s for s in symbols_in_order([of]) if derivation.vocabulary._moves(s)]
        rates = {s: Operation("*", (differentiate(of, s), Symbol(s.name, s.dots + 1))) for s in moving}
        groups = [[s for s in moving if bool(s.dots) is dotted] for dotted in (False, True)]
        for still in (*groups, *([s] for s in moving)):
            wrong = plus(*(rates[s] for s in moving if s not in still))
            if 0 < len(still) < len(moving) and derivation.holds(difference(written, wrong), states):
                still = [to_text(derivation.called(s)) for s in still]
                return (f"What depends on {listed(still)} changes with time, too: a term is missing, or "
                        "a rate in one. Use the product rule and the chain rule.")
    return ""


def _of_motion(derivation, tree):
    """The reason found for an equation of motion that no wrong energies lead to, with everything in it written out."""
    stated = any(compact(s.name) in derivation.own for s in symbols(tree))
    if stated or derivation.own.energy_faults() or not derivation._contains(tree, "qdd") or _derived(tree):
        return ""
    decision = verify_numbers(derivation.model, "equations of motion", Answer((tree,)), derivation.vocabulary,
                              derivation.seed)
    return said(diagnose(decision).explanations)


def said(explanations):
    """The sentences of the first explanation; "" if there is none."""
    return " ".join(finding.sentence for findings in explanations[:1] for finding in findings)


def _derived(tree):
    """True if a tree has derivatives in it that are to be carried out."""
    return any(isinstance(node, Derivative) for node in postorder(tree))


def _of_places(derivation, tree, states):
    """The reason found for one place of the line."""
    sides, vocabulary, hidden = _with_definitions(derivation, tree.parts)
    decision = Decision(False, Quantity("line", "this line", "", None, "identity"), vocabulary=vocabulary,
                        entries=(Entry((0,), False),), equations=((*sides, 1),), states=tuple(states[:4]),
                        tolerance=derivation.tolerance)
    alone = {to_text(side) for side in tree.parts if isinstance(side, Symbol)}
    return said([findings for findings in diagnose(decision).explanations
                 if not any(f.found in hidden or f.correction in hidden for f in findings)
                 and not (len(findings) > 1 and any(f.found in alone for f in findings))])


def why_unlike(derivation, tree, others, force):
    """The reason found for one place of a line, where another line says what the force in it is; or ""."""
    own = derivation.own
    kept = own.formulas
    for formula in [solved(difference(*other.parts), force) for other in others] if derivation.explain else ():
        try:
            if formula is not None:
                own.define(compact(force.name), formula, ())
                return quietly(lambda: _of_places(derivation, tree, derivation.states)) or ""
        finally:
            own.formulas = kept
    return ""


def why_contradictory(derivation, lines, unknown):
    """The reason found for lines, pairs (number, `Equation`), that contradict each other in unknown forces; or ""."""
    def found():
        sides, vocabulary, _ = _with_definitions(derivation, [side for _, tree in lines for side in tree.parts])
        vocabulary.unknowns = vocabulary.unknowns | {compact(s.name) for s in unknown}
        decision = verify_numbers(derivation.model, "equations of motion", Answer(tuple(
            Equation(*pair) for pair in zip(sides[::2], sides[1::2], strict=True))), vocabulary, derivation.seed)
        return re.sub(r"\bequation (\d+)", lambda match: f"line {lines[int(match[1]) - 1][0]}",
                      said(diagnose(decision).explanations))

    return derivation.explain and quietly(found) or ""


def _with_definitions(derivation, parts):
    """(the sides of equations, a vocabulary of the names in them, names of sides that stand for a formula).

    Each derivative gets a name, which the vocabulary learns with those that lines define.
    """
    sides, hidden, definitions = [], set(), {}

    def rule(node, parts):
        if not isinstance(node, Derivative):
            return with_children(node, parts)
        name = _name(node)
        definitions[compact(name)] = Definition(name, derivation.own.inlined(node), "line")
        return Symbol(name, span=node.span)

    for side in parts:
        opaque = fold(side, rule)
        if isinstance(opaque, Symbol) and (opaque != side or compact(side.name) in derivation.own):
            hidden.add(opaque.name)                      # a mistake is in what it was set equal to
        sides.append(derivation.own.with_powers(opaque))
    definitions |= {compact(s.name): Definition(s.name, derivation.own.inlined(Symbol(s.name)), "line")
                    for s in symbols_in_order(sides) if compact(s.name) in derivation.own}
    return sides, derivation.vocabulary.with_definitions(definitions), hidden


def _name(derivative):
    """A derivative as people write it: dL/dq1', d/dt(dL/dq1')."""
    of = _name(derivative.of) if isinstance(derivative.of, Derivative) else to_text(derivative.of)
    if derivative.by == "t":
        return f"d/dt({of})"
    by = to_text(derivative.by)
    return f"d{of}/d{by}" if isinstance(derivative.of, Symbol) else f"d({of})/d{by}"
