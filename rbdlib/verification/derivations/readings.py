"""Two readings of a letter such as F: the force of a joint, or one that the lines determine, such as friction."""

from dataclasses import replace

from rbdlib.verification.derivations.derivation_names import ENERGIES
from rbdlib.verification.derivations.steps import FORCE, Steps
from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.trees.nodes import Symbol, symbols, terms

_READ = ("{0} was read as the force of a joint. If the lines together determine it, as they do a tension or friction, "
         "state given=\"unknown: {0}\".")


def judged(derive, explain):
    """The `Steps` in the reading of letters of forces in which more follows; that of the forces of joints comes first.

    derive: makes a `Derivation` of the names of unknown forces, and of whether to explain.
    """
    plain = derive((), False)
    written = [*plain.own.written, *map(Symbol, sorted(plain.own.ahead))]
    names = {compact(s.name): s.name for s in written if _is_doubtful(plain, s)}
    first = plain if names else derive((), explain)
    lines = first.judge_all()
    if {*first.own.formulas} & {*ENERGIES} == {"T"} and first.own.is_energy("T"):
        names["T"] = "T"                                 # and no V: a tension?
    if all(line.ok for line in lines) or not names:
        return Steps(lines, first.untested())
    other = derive({*names}, False)
    unknown = _is_likelier(other, other.judge_all(), lines, {*names})
    if unknown or first is plain:
        first = derive({*names} if unknown else (), explain)
        lines = first.judge_all()
    return Steps(lines if unknown else _told(lines, first, names), first.untested())


def _is_doubtful(derivation, symbol):
    """True if a symbol has the letter of a force, for which the model has no name of its own."""
    names, name = derivation.vocabulary.names, compact(symbol.name)
    return (not symbol.dots and FORCE.fullmatch(name) and symbol.name not in names.own
            and name not in derivation.vocabulary.definitions and names.find(symbol.name)[0].startswith("tau"))


def _is_likelier(other, found, before, names):
    """True if forces are unknown ones, so that other lines were found than before.

    All lines follow so, and more of them than need be determine each force, as none that is zero; or at least none with
    these names followed before. A mistake in one line leaves others right, which hold with the force of a joint.
    """
    trees = {number: tree for number, tree in other.unknowns.seen.items() if names & {
        compact(s.name) for s in symbols(tree)}}
    if "T" not in names and all(line.ok for line in found):
        return names <= other.unknowns.tested()[0]
    wrong = [sum(line.status != "follows" for line in lines) for lines in (found, before)]
    in_sum = any(len(terms(side)) > 1 and Symbol("T") in terms(side) for tree in trees.values() for side in tree.parts)
    return len(trees) > 1 and wrong[0] < wrong[1] and ("T" not in names or in_sum) and not any(
        before[number - 1].ok for number in trees)


def _told(lines, derivation, names):
    """The lines, of which the first wrong one with a name that stands in another line, too, says how it was read."""
    everywhere = [name for line in derivation.names_of.values() for name in line]
    names = {name: written for name, written in names.items() if everywhere.count(name) > 1 and (
        name != "T" and name not in derivation.own)}
    for line in lines:
        used = [names[name] for name in names if name in derivation.names_of.get(line.number, ())]
        if line.status == "does not follow" and used:
            told = replace(line, reason=" ".join(filter(None, [line.reason, _READ.format(", ".join(used))])))
            return tuple(told if other is line else other for other in lines)
    return lines
