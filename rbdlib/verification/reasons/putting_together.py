"""Several changes of one formula, and the explanations of several entries, put together."""

from dataclasses import replace

from rbdlib.verification.trees.expression import Operation, postorder, terms
from rbdlib.verification.trees.network import replaced

#: What a second mistake adds to the cost of an explanation.
SECOND = 0.6


def edited(tree, edits):
    """The formula with some `edits.Edit`s, of which one may stand within another; None if they exclude each other."""
    there, new = [edit for edit in edits if edit.node is not None], {}
    if len({id(edit.node) for edit in there}) < len(there):
        return None
    for edit in sorted(there, key=lambda edit: len(postorder(edit.node))):      # a smaller one may stand in the others
        new[id(edit.node)] = replaced(edit.new, new)
    missing = [part for edit in edits if edit.node is None for part in terms(edit.new)]
    return Operation("+", (replaced(tree, new), *missing)) if missing else replaced(tree, new)


def explains_away(hypothesis, edit):
    """True if a hypothesis and a change only take away what is wrong: a body, and then its term as well."""
    if edit.kind == "extra term":
        return hypothesis.of_system or hypothesis.kind.endswith("missing")
    if hypothesis.kind == "wrong link":
        return edit.kind in ("power", "lost factor", "extra factor")
    return edit.kind == "extra factor" and hypothesis.kind.endswith("missing")


def exchange(first, second):
    """True if two changes only take something away and put something else there, which explains anything."""
    kinds = {first.kind, second.kind}
    return bool(kinds & {"extra term", "extra factor"}) and bool(kinds & {"lost factor", "missing term"})


def together(parts):
    """Explanations (cost, findings) of all entries, from lists of those of each; none if an entry has none.

    Of several entries it is one, in which equal mistakes count once: the same change in several entries, as in H12 and
    H21, is one finding with several ``entries``.
    """
    if len(parts) < 2 or not all(parts):
        return parts[0] or [] if len(parts) == 1 else []
    shared = {}
    for part in parts:
        for key in {_what(f) for _, findings in part for f in findings}:
            shared[key] = shared.get(key, 0) + 1
    cost, groups = 0.0, {}
    for part in parts:
        price, findings = min(part, key=lambda pair: pair[0] - 0.5 * sum(shared[_what(f)] - 1 for f in pair[1]))
        new = [f for f in findings if _what(f) not in groups]
        cost += (price * len(new) / len(findings) + (SECOND if groups and new else 0)) if new else 0.1
        for f in findings:
            groups.setdefault(_what(f), []).append(f)
    merged = [replace(same[0], entries=tuple(f.entry for f in same)) if len(same) > 1 else same[0]
              for same in groups.values()]
    return [(cost, tuple(merged))]


def _what(finding):
    return finding.kind, finding.found, finding.correction
