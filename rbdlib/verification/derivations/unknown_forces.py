"""Forces that a derivation introduces and does not determine at once: tensions and reactions, unknowns of its lines."""

import re

import numpy as np

from rbdlib.book.ch08_elimination import eliminate
from rbdlib.verification.derivations.derivation_lines import NotUnderstood, differs, follows, numbered
from rbdlib.verification.meaning.aliases import UnknownSymbol, compact
from rbdlib.verification.meaning.answer_lines import difference
from rbdlib.verification.reports.report_text import listed
from rbdlib.verification.trees.expression import substitute, symbols, terms
from rbdlib.verification.trees.nodes import ONE, TWO, ZERO

#: How unknown forces are called, once underscores are gone.
_FORCE = re.compile(r"(S|N|R|F|f|X|Y|A|B|P|Q|T|Z|lam|lambda|mu)[A-Za-z]?\d{0,2}[a-z]{0,2}")
_RANK = 1e-20


class Unknowns:
    """The lines with unknown forces in them, which together must have a solution in every state."""

    def __init__(self, derivation):
        self.derivation, self.lines = derivation, []

    def of(self, tree):
        """The unknown forces of an equation, `Symbol`s in the order of their names."""
        return sorted(filter(self._is_unknown, symbols(tree)), key=lambda s: s.name)

    def pending(self):
        """The compact names of the unknown forces of the lines so far, a set."""
        return {compact(s.name) for _, tree in self.lines for s in self.of(tree)}

    def _is_unknown(self, symbol):
        name = compact(symbol.name)
        if symbol.dots or not _FORCE.fullmatch(name):
            return False
        if re.fullmatch(r"S\d", name) and name not in self.derivation.own:
            return not self.derivation.abbreviates       # S1 is the sine of q1 only where there is a C1, too
        try:
            self.derivation.own.meaning(symbol, ())
        except UnknownSymbol as error:
            return "no line above" not in str(error)
        return False

    def judge(self, tree):
        """The `Line` about an equation with unknown forces."""
        mine = self.of(tree)
        tree = difference(tree.left, tree.right)
        everything = [*self.lines, (self.derivation.number, tree)]
        unknown = sorted({s for _, t in everything for s in self.of(t)}, key=lambda s: s.name)
        for state in next(iter(self.derivation._own_motions())):
            A, b = self._system([t for _, t in everything], unknown, state)
            if eliminate(np.column_stack([A, b]), _RANK).rank != eliminate(A, _RANK).rank:
                others, common = [k for k, t in self.lines if set(self.of(t)) & set(mine)], listed(s.name for s in mine)
                reason = (f"It contradicts {numbered(others)}, with which it has {common} in common." if others else
                          f"No value of {common} makes it hold.")
                return differs(f"{reason} Look at the directions of the forces, and at which line each acts on which "
                               "body.")
        before = {s for _, t in self.lines for s in self.of(t)}
        new, faults = [s.name for s in mine if s not in before], self.derivation.own.faults_of(tree)
        self.lines = everything
        if not new:
            return follows(f"It fits the lines above that contain {', '.join(s.name for s in mine)}.", faults)
        meant = "is taken for an unknown force" if len(new) == 1 else "are taken for unknown forces"
        return follows(f"{listed(new)} {meant}, which your lines together must determine.", faults)

    def _system(self, trees, unknown, state):
        """A and b of the equations A x + b = 0 in the unknowns, scaled. Raises NotUnderstood if they are not linear."""
        value, rows = self.derivation.value, []
        for tree in trees:
            def parts(values, tree=tree):
                put_in = {s: values.get(s, ZERO) for s in unknown}
                inlined = self.derivation.own.inlined(substitute(tree, put_in))
                return [value(term, state) for term in terms(inlined)]

            at_zero = parts({})
            rest, row = sum(at_zero), [sum(parts({s: ONE})) - sum(at_zero) for s in unknown]
            if any(abs(sum(parts({s: TWO})) - rest - 2 * x) > 1e-25 * (1 + abs(x))
                   for s, x in zip(unknown, row, strict=True)):
                raise NotUnderstood("This line is not linear in the unknown forces; solve it for one of them first.")
            size = max(map(abs, (*row, *at_zero))) or 1
            rows.append([x / size for x in (*row, rest)])
        found = np.array(rows, dtype=object)
        return found[:, :-1], found[:, -1:]
