"""Are the learner's equations the right ones? Equations of motion, loop closure, identities, in any arrangement.

At a random state (q, qd, tau) the right accelerations are known, from `aba` or, with loops, from `forward_dynamics`.
Equations of motion are right if (1) each of them holds there, however it is scaled, rearranged or solved, and (2)
together, with K qdd = k if there are loops, they leave no other accelerations possible: their derivatives by qdd have
full rank. Then their solutions are the right ones in every state, and so they are equivalent to the right equations.
Lagrange multipliers, whatever their names, signs and units, are unknowns that may have any value.
"""

from dataclasses import replace
from functools import cached_property

import numpy as np

from rbdlib.book.ch08_elimination import eliminate
from rbdlib.verification.decision.certainty import certainty
from rbdlib.verification.decision.comparisons import same_rows
from rbdlib.verification.decision.decision import Decision, Entry
from rbdlib.verification.decision.readings import own_forces
from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.answer_lines import BadAnswer, difference, is_multiplier, sort_lines, symbols_in_order
from rbdlib.verification.mechanics.quantities import constraints
from rbdlib.verification.mechanics.states import Altered
from rbdlib.verification.trees.expression import Symbol, Undefined, evaluate, substitute, terms

#: Pivots below this fraction of the largest element count as zero.
_RANK = 1e-12
#: An equation whose terms are all smaller is made of products that are zero.
_LITTLE = 1e-25


def decide_equations(trial):
    """The `Decision` about equations of motion or loop closure equations, of a `decide.Trial`. Raises ValueError."""
    lines = sort_lines(trial.trees, trial.quantity, trial.vocabulary, None)
    trial.array, trial.lines = None, lines
    if trial.quantity.compare == "loops":
        return _decide_loops(trial, lines.equations)
    trial.used = symbols_in_order(difference(left, right) for left, right, _ in lines.equations)
    for symbol in trial.used:                           # a force without a number, such as u, that fits no single joint
        if (symbol.name in ("u", "F", "f", "tau", "Q") and not symbol.dots and not trial.vocabulary.knows(symbol)
                and symbol.name not in trial.vocabulary.unknowns):
            return _at_some_joint(trial, lines.equations, symbol)
    return _by_meaning(trial, lines.equations)


def _at_some_joint(trial, equations, force):
    """The decision if a force without a number, such as u, acts at the joint with which most equations hold."""
    best = None
    for i in range(1, trial.system.model.nv + 1):
        own = {force: Symbol(f"tau{i}")}
        meant = [(substitute(left, own), right if right is None else substitute(right, own), number)
                 for left, right, number in equations]
        trial.used = symbols_in_order(difference(left, right) for left, right, _ in meant)
        found = _by_meaning(trial, meant)
        found = replace(found, notes=(*found.notes, f"{force.name} was taken for tau{i}."))
        if found.ok:
            return found
        if best is None or sum(e.ok for e in found.entries) > sum(e.ok for e in best.entries):
            best = found
    return best


def _by_meaning(trial, equations):
    """The decision about equations, in one of their meanings, or in a special case."""
    best = _best_meaning(trial, equations)
    if best.ok or best.problem:
        return best
    for values, note in trial.special_cases():
        found = _best_meaning(trial, equations, values)
        if found.ok:
            return replace(found, notes=(*found.notes, note))
    return _with_unknown_forces(trial, equations, best)


def _best_meaning(trial, equations, values=None):
    """The decision by the meaning with which most equations hold. values: {parameter: number} that is assumed."""
    best = None
    for meant, note in _meanings(equations, trial):
        for in_new, words in _kinds_of_forces(trial):
            def decide(states, meant=meant, in_new=in_new):
                return _decide_motion(trial, meant, in_new, states)

            found = decide(trial.states(values))
            found = trial.confirmed(found, decide, values) if found.ok else found
            found = replace(found, notes=(*found.notes, *(text for text in (note, words) if text)))
            if found.ok:
                return found
            if best is None or sum(e.ok for e in found.entries) > sum(e.ok for e in best.entries):
                best = found
    return best


def _with_unknown_forces(trial, equations, decision):
    """The decision, with a sentence if the equations are right once a force in them, such as T_1, is an unknown."""
    names = trial.vocabulary.names
    forces = [s.name for s in trial.used if not s.dots and (names.find(s.name) or ("",))[0].startswith("tau")
              and s.name not in names.own and not compact(s.name).startswith("tau")]
    if not forces or trial.unknowns:
        return decision
    trial.unknowns = {compact(name) for name in forces}
    found, trial.unknowns = _best_meaning(trial, equations), set()
    if not found.ok:
        return decision
    stated = ", ".join(dict.fromkeys(forces))
    return replace(decision, problem=f"Here {stated} was read as the force of a joint. Your equations are right if it "
                   "is a force that the motion determines, such as a tension or friction: then state "
                   f"given=\"unknown: {stated}\".")


def _meanings(equations, trial):
    """Meanings of formulas without =: they are zero; or, one for each joint, they are the joint forces."""
    plain = [(left, right, number) for left, right, number in equations]
    yield plain, "Formulas without = were taken to be zero." if any(right is None for _, right, _ in plain) else ""
    if all(right is None for _, right, _ in plain) and len(plain) == trial.system.model.nv:
        forces = [(left, Symbol(f"tau{i}"), number) for i, (left, _, number) in enumerate(plain, start=1)]
        yield forces, "Formulas without = were taken to be the joint forces tau."


def _kinds_of_forces(trial):
    """The coordinates to which the forces tau may belong: pairs (coordinates or None, note)."""
    new = trial.vocabulary.coordinates()
    if new:
        absent = all(f"tau{i + 1}" in trial.vocabulary.assumptions for i in range(trial.system.model.nv))
        yield new, "" if absent else (
            f"The forces tau were taken to belong to your coordinates {', '.join(s.name for s in new)}.")
    yield None, ""


def _decide_motion(trial, equations, new, states):
    used = symbols_in_order(difference(left, right) for left, right, _ in equations)
    free = [s for s in used if compact(s.name) in trial.unknowns
            or is_multiplier(s) and s.name not in trial.vocabulary.names.parameters]
    notes = []
    states = [_without_absent_forces(trial, state, _without(used, free), new, notes) for state in states]
    ok, determined, linear = np.ones(len(equations), dtype=bool), True, True
    for state in states:
        system = _Residuals(trial, equations, state, used, free, new)
        ok &= system.hold()
        if state is states[0] and ok.all():             # what is so in one random state is so in general
            determined, linear = system.determine(), system.linear()
    if trial.quantity.part and ok.all():
        determined = linear and _is_alone(trial, equations, states[0], used, free, new)
    problem = _NOT_LINEAR if not linear else "" if determined else _NOT_ALONE if trial.quantity.part else (
        "Your equations hold, but they do not determine the accelerations: an equation is missing, or one says what "
        f"another one says already. The system has {trial.system.model.nv} velocity variables.")
    determined = determined and linear
    right = bool(ok.all()) and determined
    entries = tuple(Entry((i,), bool(x)) for i, x in enumerate(ok))
    decision = Decision(right, trial.quantity, problem, tuple(dict.fromkeys(notes)), entries,
                        equations=tuple(equations), vocabulary=trial.vocabulary, states=tuple(states),
                        tolerance=trial.tolerance)
    if right:
        trees = [difference(left, right) for left, right, _ in equations]
        return replace(decision, certainty=certainty(trees, trial.system.model.nv, len(states), trial.tolerance,
                                                     bool(trial.system.model.loops)))
    return decision if ok.all() else _with_counterexample(trial, decision, equations, used, free, new)


def _without_absent_forces(trial, state, used, new, notes):
    """The state with zero for the forces of which the answer says nothing, as on a joint without a motor."""
    own, nv = trial.vocabulary.own_symbols(used), trial.system.model.nv
    absent = [i for i in trial.quantity.part or range(nv)
              if f"tau{i + 1}" not in {*own, *trial.vocabulary.assumptions}]
    if not absent:
        return state
    names = ", ".join(f"tau{i + 1}" for i in absent)
    notes.append(f"Your {'equation has' if trial.quantity.part else 'equations have'} no {names}: taken to be zero.")
    tau = state.tau.copy() if new is None else own_forces(trial.vocabulary, new, state, state.tau)
    tau[absent] = 0 * tau[absent]
    return state.with_forces(tau if new is None else trial.vocabulary.jacobian(new, state)[0].T @ tau)


def _without(used, free):
    return [symbol for symbol in used if symbol not in free]


_NOT_LINEAR = ("Your equations hold, but the accelerations do not stand in them linearly, so that they might hold for "
               "others as well. Write them without squares, or quotients, of the accelerations.")
_NOT_ALONE = ("What you have holds, but it is not this equation of motion. Give one equation, in which accelerations "
              "stand and of the forces tau only that of this joint.")


def _is_alone(trial, equations, state, used, free, new):
    """True if an equation that holds is the one asked for: it does so whatever the other forces are, and it has its own
    force in it, or would not hold if there were one.
    """
    (i,), nv = trial.quantity.part, trial.system.model.nv

    def under(change):
        A = np.eye(nv, dtype=int) if new is None else trial.vocabulary.jacobian(new, state)[0]
        return _Residuals(trial, equations, state.with_forces(state.tau + A.T @ change), used, free, new)

    own, others = (np.array([(k + 2) * ((k == i) is mine) for k in range(nv)], dtype=object) for mine in (True, False))
    alone = under(others)
    if len(alone.values) > 1 or not np.any(abs(alone.by_qdd) > _LITTLE) or not alone.hold().all():
        return False
    return f"tau{i + 1}" in trial.vocabulary.own_symbols(used) or not under(own).hold().all()


class _Residuals:
    """The equations in one state: the differences of their sides, and how these change with the unknowns."""

    def __init__(self, trial, equations, state, used, free, new):
        self.trial, self.equations, self.used, self.free, self.state = trial, equations, used, free, state
        self.forces = {} if new is None else {"tau": own_forces(trial.vocabulary, new, state, state.tau)}
        self.at_rest = Altered(state, **self.forces)
        self.values, self.sizes = self._residuals(self.at_rest, {}, sizes=True)
        self.by_free = self.columns([(self.at_rest, {s: 1}) for s in free])
        if min(self.sizes) < _LITTLE:                   # products that are zero each: how they change is their size
            changes = np.column_stack([self.by_qdd, self.by_free]) if free else self.by_qdd
            self.sizes = np.array([size if size > _LITTLE else max(map(abs, row)) or 1 for size, row in zip(
                self.sizes, changes, strict=True)], dtype=object)

    @cached_property
    def by_qdd(self):
        """How the residuals change with the accelerations, one column for each."""
        return self.columns([(self._with_qdd(unit), {}) for unit in np.eye(len(self.state.qd), dtype=object)])

    def _with_qdd(self, change):
        return Altered(self.at_rest, qdd=self.state.qdd + change)

    def columns(self, changes):
        columns = [self._residuals(state, values) - self.values for state, values in changes]
        return np.array([*columns, 0 * self.values], dtype=object)[:-1].T

    def _residuals(self, state, free, sizes=False):
        known = self.trial.vocabulary.values(state, _without(self.used, self.free))
        known.update({s: 0 * state.q[0] + free.get(s, 0) for s in self.free})
        values, scale = [], []
        for left, right, number in self.equations:
            try:
                parts = [evaluate(term, known) for term in terms(difference(left, right))]
            except Undefined as error:
                raise BadAnswer(f"Line {number} of your answer has no value in general: {error}") from None
            values.append(sum(parts))
            scale.append(max(map(abs, parts)) if sum(part != 0 for part in parts) > 1 else 0 * values[-1])
        found = np.array(values, dtype=object)
        return (found, np.array(scale, dtype=object)) if sizes else found

    def hold(self):
        """For each equation whether it holds; with multipliers, whether they can be chosen so that all hold."""
        if not self.free:
            return np.array(abs(self.values) <= self.trial.tolerance * self.sizes, dtype=bool)
        scaled = self.by_free / self.sizes[:, None]
        both = np.column_stack([scaled, self.values / self.sizes])
        good = eliminate(both, 1e-20).rank == eliminate(scaled, 1e-20).rank
        return np.full(len(self.values), good)

    def determine(self):
        """True if the equations, and K qdd = k, leave one vector of accelerations only."""
        by_qdd = self.by_qdd / self.sizes[:, None]
        rows = np.column_stack([by_qdd, self.by_free / self.sizes[:, None]]) if self.free else by_qdd
        if self.state.model.loops:
            K = constraints(self.state)[0]
            rows = np.concatenate([rows, np.column_stack([K, np.zeros((len(K), len(self.free)), dtype=object)])
                                   if self.free else K])
        of_free = eliminate(rows[:, len(self.state.qdd) :], _RANK).rank if self.free else 0
        return eliminate(rows, _RANK).rank - of_free == len(self.state.qdd)


    def linear(self):
        """True if the residuals change by twice as much if the accelerations do."""
        step = 1 + self.state.tau - self.state.q.sum()
        change, = self.columns([(self._with_qdd(step), {})]).T
        return bool(np.all(abs(change - self.by_qdd @ step) <= 1e-20 * (self.sizes + abs(change))))


def _with_counterexample(trial, decision, equations, used, free, new):
    """The decision with a state, of few decimals if possible, at which the equations that are wrong do not hold."""
    wrong, best = np.array([not entry.ok for entry in decision.entries]), None
    for state in (*trial.states(count=1, decimals=1, seed=trial.seed + 7), *decision.states):
        state = _without_absent_forces(trial, state, _without(used, free), new, [])
        system = _Residuals(trial, equations, state, used, free, new)
        off = wrong & ~system.hold()
        if best is None or off.sum() > best[2].sum():
            best = state, system, off
        if (off == wrong).all():
            break
    state, system, off = best
    values = np.where(off, system.values, 0 * system.values)
    entries = tuple(Entry(e.index, e.ok, values[e.index[0]], 0 * values[0]) for e in decision.entries)
    return replace(decision, entries=entries, counterexample=state, yours=values, ours=0 * values)


# Loop closure


def _decide_loops(trial, equations):
    """phi(q) = 0: zero in closed positions, and with derivatives by q that span the rows of K; K qd = 0; K qdd = k."""
    decision = _loops_at(trial, equations, trial.states())
    return trial.confirmed(decision, lambda states: _loops_at(trial, equations, states)) if decision.ok else decision


def _loops_at(trial, equations, states):
    used = symbols_in_order(difference(left, right) for left, right, _ in equations)
    ok, spans = np.ones(len(equations), dtype=bool), True
    for state in states:
        system = _Residuals(trial, equations, state, used, [], None)
        slopes = _slopes(trial, equations, system)
        system.sizes = np.array([max(size, *map(abs, row)) for size, row in zip(system.sizes, slopes, strict=True)],
                                dtype=object)
        ok &= system.hold()
        spans = spans and (not ok.all() or same_rows(slopes / system.sizes[:, None], constraints(state)[0]))
    problem = "" if spans else _not_closed(trial, used)
    entries = tuple(Entry((i,), bool(x)) for i, x in enumerate(ok))
    right = bool(ok.all()) and spans
    decision = Decision(right, trial.quantity, problem, (), entries, equations=tuple(equations), states=tuple(states),
                        vocabulary=trial.vocabulary, tolerance=trial.tolerance,
                        certainty=certainty([], 0, len(states), trial.tolerance, True) if right else "")
    return decision if ok.all() else _with_counterexample(trial, decision, equations, used, [], None)


def _not_closed(trial, used):
    """Why equations that hold in a closed loop do not close it."""
    names, own = trial.vocabulary.names, trial.vocabulary.own_symbols(used)
    if trial.quantity.symbol == "phi" and any(name.startswith("qd") for name in own):
        return ("Your equations hold, but they are about velocities, and positions are asked for. Write them without "
                "dots, or ask for 'phidot'.")
    absent = [x.name for x in names.coordinates if not own & {x.name, x.rate, f"qdd{x.rate[2:]}"}]
    more = f" Nothing in them depends on {', '.join(absent)}." if absent else ""
    return ("Your equations hold where the loops are closed, but they hold elsewhere, too: an equation is missing, or "
            f"one says what another one says already.{more}")


def _slopes(trial, equations, system):
    """How the left minus the right sides change with the highest rates in the equations, one row for each equation.

    system: the `_Residuals` in a state.
    """
    state, units = system.state, np.eye(system.state.model.nv, dtype=object)
    if trial.quantity.symbol == "phiddot":
        return system.by_qdd
    if trial.quantity.symbol == "phidot":
        return system.columns([(Altered(state, qd=state.qd + unit), {}) for unit in units])
    rates = [trial.vocabulary.rate(difference(left, right)) for left, right, _ in equations]
    used = symbols_in_order(rates)
    slopes = np.empty((len(rates), state.model.nv), dtype=object)
    for j, unit in enumerate(units):
        known = trial.vocabulary.values(Altered(state, qd=unit + 0 * state.qd), used)
        slopes[:, j] = [evaluate(rate, known) for rate in rates]
    return slopes
