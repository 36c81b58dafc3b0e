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
    defining = {number for number, _ in first.own.places.values()}
    plainly = {line.number for line in lines if line.ok} - defining
    unknown = _is_likelier(other, other.judge_all(), lines, {*names}, plainly)
    if unknown or first is plain:
        first = derive({*names} if unknown else (), explain)
        lines = first.judge_all()
    return Steps(lines if unknown else _told(lines, first, names), first.untested())


def _is_doubtful(derivation, symbol):
    """True if a symbol has the letter of a force, for which the model has no name of its own."""
    names, name = derivation.vocabulary.names, compact(symbol.name)
    return (not symbol.dots and FORCE.fullmatch(name) and symbol.name not in names.own
            and name not in derivation.vocabulary.definitions and names.find(symbol.name)[0].startswith("tau"))


def _is_likelier(other, found, before, names, plainly):
    """True if forces are unknown ones, so that other lines were found than before.

    More lines than need be determine each force, as none that is zero. Where a line is wrong it may be one of these;
    then none of them followed plainly before: a mistake leaves others right, which hold with the force of a joint.
    """
    trees = {number: tree for number, tree in other.unknowns.seen.items() if names & {
        compact(s.name) for s in symbols(tree)}}
    fits = names <= other.unknowns.tested()[0]
    if "T" in names:
        sides = [terms(side) for tree in trees.values() for side in tree.parts]
        fits = any(len(side) > 1 and Symbol("T") in side for side in sides)
    elif all(line.ok for line in found):
        return fits
    wrong = [sum(not line.ok for line in lines) for lines in (found, before)]
    fits |= "T" not in names and any(found[number - 1].status == "does not follow" for number in trees)
    return fits and len(trees) > 1 and wrong[0] < wrong[1] and not plainly & trees.keys()


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
