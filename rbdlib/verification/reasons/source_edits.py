"""Changes elsewhere than in the formula as it is compared: before differentiation, in definitions, for other systems.

x2 = l1*sin(th1) + ..., T = 1/2*m2*x2'^2: a wrong sign in x2 shows in its rate, in which it stands in other places.
"""

import functools
import itertools
from dataclasses import replace

import numpy as np

from rbdlib.loops.clusters import independent_constraints
from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.reasons.edits import NEAR, Edit, Search, changes_of
from rbdlib.verification.reasons.hypotheses import quietly
from rbdlib.verification.trees.expression import Derivative, Symbol, postorder, symbols
from rbdlib.verification.trees.network import Network, replaced

#: Changes that are tried at most: each is differentiated anew.
_MOST = 500
#: So much likelier is one change before differentiation than one of the terms that differentiation gives.
_BEFORE = 0.5
#: Changes that are looked at closely, for each hypothesis and entry; and hypotheses that are tried with equations.
_MOST_LOOKED_AT, _MOST_HYPOTHESES = 5, 40


def source_edits(case, index, wanted):
    """`Edit`s with the changed formula as ``whole`` that change what is compared by ``wanted``, the likeliest first."""
    found, tried, search, raw = [], 0, case.search(index), case.as_written(index)
    derivatives = [(case.vocabulary.carried_out(part), lambda new, part=part: case.inlined(
        replaced(raw, {id(part): new})), _BEFORE) for part in differentiated(case, index)]
    for source, rebuilt, bonus in (*derivatives, *_definitions(case, index)):
        network = Network(source, case.floats_of({*symbols(source), *case.pool.symbols()}), lambda x: x)
        changes = ((node, *change) for node, some in changes_of(network, case.pool) for change in some)
        for node, kind, new, cost in itertools.islice(changes, _MOST - tried):
            tried += 1
            tree = quietly(rebuilt, replaced(source, {id(node): new}))
            now = None if tree is None else quietly(case.floats_compared, tree)
            if now is not None and (np.abs(now - search.network.whole - wanted) <= NEAR * search.scale).all():
                found.append(Edit(kind, new, cost - bonus, wanted, None, node, whole=tree))
    return sorted(found, key=lambda edit: edit.cost)


def differentiated(case, index):
    """Terms that are differentiated in an entry as it was written: parts of ``case.as_written(index)``, each once."""
    written = postorder(case.as_written(index))
    return list({id(node.of): node.of for node in written if isinstance(node, Derivative)}.values())


def _definitions(case, index):
    """(definition, function from a changed one to the formula, bonus) for each that an entry, or a rate in it, uses."""
    tree, seen = case.trees[index], set()
    waiting = [*symbols(case.written[index]), *symbols(tree)]
    while waiting:
        symbol = waiting.pop()
        source, own = case.definition(replace(symbol, dots=0)), case.vocabulary.definitions.get(compact(symbol.name))
        if symbol.name not in seen and source is not None and own is not None:
            waiting += symbols(own.tree)
            yield source, functools.partial(_with_definition, case, tree, symbol.name, source), 0
        seen.add(symbol.name)


def _with_definition(case, tree, name, source, new):
    """The formula with another definition of a name."""
    changed = {id(source): new}
    for node in postorder(tree):
        if isinstance(node, Symbol) and node.name == name and node.dots:
            changed[id(node)] = functools.reduce(lambda rate, _: case.vocabulary.rate(rate), range(node.dots), new)
    return replaced(tree, changed)


def edits_under(case, left, first):
    """Changes with which an entry is right for another system.

    Pairs (hypothesis, {entry: `Edit`s with which it is right}); left: {hypothesis: entries that it leaves wrong}.

    first: {hypothesis: what is missing in the first state, in floats}. Equations must hold in the motion of the changed
    system: each is looked at in the motions of all systems at once.
    """
    if not case.equations:
        for h, wrong in left.items():
            found = all(case.search(index).single(first[h][index], slice(0, 1)) for index in wrong)
            missing = quietly(case.missing, (h,)) if found else None
            if missing is not None:
                wanted = missing.astype(float)
                yield h, {index: case.search(index).single(wanted[(slice(None), *index)])[:_MOST_LOOKED_AT]
                          for index in wrong}
        return
    likely = sorted(left, key=lambda h: (len(left[h]), h.cost))[:_MOST_HYPOTHESES]
    moving = {h: quietly(lambda h=h: [case.moving(state, (h,)) for state in case.in_floats]) for h in likely}
    moving = {h: states for h, states in moving.items() if states is not None}
    searches = {}
    for index in {index for h in moving for index in left[h]}:
        tree = case.trees[index]
        known = case.floats_of({*symbols(tree), *case.pool.symbols()}, list(itertools.chain(*moving.values())))
        searches[index] = Search(Network(tree, known, lambda values: values), case.pool)
    for k, h in enumerate(moving):
        at = slice(k * len(case.states), (k + 1) * len(case.states))
        yield h, {index: searches[index].single(-searches[index].network.whole[at], at)[:_MOST_LOOKED_AT]
                  for index in left[h]}


def wrong_rows(case):
    """{row: {column: change of that entry in each state, with which the row fits}}, for the rows that do not fit."""
    rows, across = np.array(case.as_compared, dtype=object), []
    for state in case.states:                           # the projections on what is orthogonal to the rows of K
        K = np.array(case.right(state), dtype=object)
        K_1 = independent_constraints(K, 0 * K[:, 0], 1e-9).K
        across.append(np.eye(K.shape[1], dtype=int) - K_1.T @ solve_linear(K_1 @ K_1.T, K_1))
    found = {}
    for r in range(rows.shape[1]):
        states = [(row[r] @ P, P, case.tolerance * (max(abs(row[r])) or 1))
                  for row, P in zip(rows, across, strict=True)]
        if not all((abs(left) <= tolerance).all() for left, _, tolerance in states):
            columns = {j: [_change(left, P[j], 1e3 * tolerance) for left, P, tolerance in states]
                       for j in range(rows.shape[2])}
            found[r] = {j: np.array(changes, dtype=object) for j, changes in columns.items() if None not in changes}
    return found


def _change(left, row, tolerance):
    """The factor of a row that added to what is left of another leaves nothing; None if there is none."""
    k = np.argmax(abs(row))
    change = -left[k] / row[k] if abs(row[k]) >= 1e-12 else np.nan
    return change if (abs(left + change * row) <= tolerance).all() else None
