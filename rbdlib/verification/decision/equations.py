"""Are the learner's equations the right ones? Equations of motion, loop closure, identities, in any arrangement.

At a random state (q, qd, tau) the right accelerations are known, from `aba` or, with loops, from `forward_dynamics`.
Equations of motion are right if (1) each of them holds there, however it is scaled, rearranged or solved, and (2)
together, with K qdd = k if there are loops, they leave no other accelerations possible: their derivatives by qdd have
full rank. Then their solutions are the right ones in every state, and so they are equivalent to the right equations.
Lagrange multipliers, whatever their names, signs and units, are unknowns that may have any value.
"""

import functools

import mpmath
import numpy as np

from rbdlib.book.ch08_elimination import eliminate
from rbdlib.verification.decision.comparisons import Entry, likeliest, rank
from rbdlib.verification.decision.nearly_right import FEWEST, decimals_in, meant, rounded
from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.answer_lines import LETTERS, BadAnswer, is_multiplier, sort_equations, symbols_in_order
from rbdlib.verification.mechanics.basics import once_for_each
from rbdlib.verification.mechanics.quantities import SIMPLE, constraints
from rbdlib.verification.mechanics.states import Altered
from rbdlib.verification.trees.calculus import difference
from rbdlib.verification.trees.expression import Symbol, Undefined, evaluate, substitute, terms
from rbdlib.verification.trees.nodes import ZERO

#: Pivots below this fraction of the largest element count as zero; so do products of which all are smaller.
_RANK, _LITTLE = 1e-12, 1e-25
#: How a note says that tau are the forces in the learner's coordinates.
_OWN_FORCES = "belong to your coordinates"
_OTHERWISE = "; taken for those of the model's joints, they would stand there otherwise"
_NOT_LINEAR = ("Your equations hold, but the accelerations do not stand in them linearly, so that they might hold for "
               "others as well. Write them without squares, or quotients, of the accelerations.")
_NOT_ALONE = ("What you have holds, but it is not this equation of motion. Give one equation, in which accelerations "
              "stand and of the forces tau only that of this joint.")
_TOO_FEW = ("Your equations hold, but they do not determine the accelerations: an equation is missing, or one says "
            "what another one says already. The system needs {}. If a motion is prescribed, say so: given=\"{} = "
            "Omega*t\", or \"{} is prescribed\".")


def has_own_forces(decision):
    """True if a `Decision` took tau for the forces in the learner's coordinates."""
    return any(_OWN_FORCES in note for note in decision.notes)


def decide_equations(trial):
    """The `Decision` about equations of motion or loop closure equations, of a `decide.Trial`. Raises ValueError."""
    equations = sort_equations(trial.trees, trial.quantity, trial.vocabulary)
    trial.array = None
    if trial.quantity.compare == "loops":
        return trial.confirmed(_LoopClosure(trial, equations).decided, trial.states())
    for symbol in symbols_in_order(difference(left, right) for left, right, _ in equations):
        if (symbol.name in ("u", "F", "f", "tau", "Q") and not symbol.dots and not trial.vocabulary.knows(symbol)
                and symbol.name not in trial.vocabulary.unknowns):      # a force without a number, at some joint
            forces = [Symbol(f"tau{i}") for i in range(1, trial.system.model.nv + 1)]
            return likeliest(_by_meaning(trial, [
                (substitute(left, {symbol: force}), right and substitute(right, {symbol: force}), number)
                for left, right, number in equations]).noted(f"{symbol.name} was taken for {force.name}.")
                for force in forces)
    used = symbols_in_order(difference(left, right) for left, right, _ in equations)
    new = [s.name for s in used if not s.dots and s.name[0].isupper() and not trial.vocabulary.knows(s)
           and compact(s.name) not in trial.unknowns]
    if not new or len(equations) != trial.system.model.nv + len(new) + len(trial.unknowns):
        return _by_meaning(trial, equations)
    trial.unknowns = {*trial.unknowns, *map(compact, new)}          # one more equation for each
    return _by_meaning(trial, equations).noted(f"Taken for unknowns that your equations determine, and not verified: "
                                               f"{', '.join(new)}.")


def _by_meaning(trial, equations):
    """The decision about equations, in one of their meanings; it says if a force in them, T_1, has to be an unknown."""
    trial.used = symbols_in_order(difference(left, right) for left, right, _ in equations)
    best = trial.in_some_case(lambda values: likeliest(_meanings(trial, equations, values)))
    if not (best.ok or best.problem):
        best = likeliest([best, *_with_decimals(trial, equations)])
    if best.ok or best.problem:
        return best
    names = trial.vocabulary.names
    forces = [s.name for s in trial.used if not s.dots and names.find(s.name)[0].startswith("tau")
              and s.name not in names.own and not compact(s.name).startswith("tau")]
    if not forces or trial.unknowns:
        return best
    trial.unknowns = {compact(name) for name in forces}
    found, trial.unknowns, stated = likeliest(_meanings(trial, equations)), set(), ", ".join(dict.fromkeys(forces))
    return best if not found.ok else best._replace(problem=(
        f"Here {stated} was read as the force of a joint. Your equations are right if it is a force that the motion "
        f"determines, such as a tension or friction: then state given=\"unknown: {stated}\"."))


def _meanings(trial, equations, values=None):
    """The decisions by the meanings that equations may have. values: {parameter: number} that is assumed."""
    for motion, notes in _motions(trial, equations):
        yield trial.confirmed(motion.decided, trial.states(values), values).noted(*notes)


def _motions(trial, equations):
    """Pairs (`_Motion`, notes) of the meanings that equations may have.

    Formulas without = are zero; or, one for each joint, they are the joint forces. The forces tau may belong to the
    learner's coordinates, or to the model's.
    """
    nv, new = trial.system.model.nv, trial.vocabulary.coordinates()
    plain = [right is None for _, right, _ in equations]
    ways = [(equations, "Formulas without = were taken to be zero." if any(plain) else "")]
    if all(plain) and len(equations) == nv:
        forces = [(left, Symbol(f"tau{i}"), number) for i, (left, _, number) in enumerate(equations, start=1)]
        ways.append((forces, "Formulas without = were taken to be the joint forces tau."))
    coordinates = [(None, "")]
    if new:                                             # said of the model's tau1, they are that first of all
        absent = all(f"tau{i + 1}" in trial.vocabulary.assumptions for i in range(nv))
        names, told = ", ".join(s.name for s in new), trial.vocabulary.says_which_forces()
        note = f"The forces tau were taken to {_OWN_FORCES} {names}{_OTHERWISE * told}."
        coordinates.insert(told, (new, "" if absent else note))
    return [(_Motion(trial, meant, own), (note, words)) for meant, note in ways for own, words in coordinates]


def _with_decimals(trial, equations):
    """The decisions by the meanings of equations in which decimals stand for what they may be rounded from."""
    for motion, notes in _motions(trial, equations):
        sides = [side or ZERO for left, right, _ in motion.equations for side in (left, right)]
        if motion.free or not decimals_in(*sides):
            continue
        states = [motion.prepared(state) for state in trial.states(count=FEWEST + len(decimals_in(*sides)))]

        def with_sides(new, wrong=(), motion=motion):
            pairs = enumerate(zip(new[::2], new[1::2], motion.equations, strict=True))
            return _Motion(trial, [old if i in wrong else (left, right, old[2]) for i, (left, right, old) in pairs],
                           motion.new)

        def missing(new, with_sides=with_sides, states=states):
            return np.ravel([_Residuals(with_sides(new), state).values for state in states])

        if trees := meant(sides, missing):
            decision = with_sides(trees).decided(states)
            if not decision.ok:                         # what is wrong stands as it is written
                decision = with_sides(trees, [e.index[0] for e in decision.entries if not e.ok]).decided(states)
            yield rounded(trial, decision, trees).noted(*notes)


class _System:
    """Equations in one of their meanings.

    new: the coordinates of the learner to which the forces tau belong, or None.  used: the symbols that are known;
    free: the unknowns, Lagrange multipliers and what is stated to be one, in equations of motion.
    """

    def __init__(self, trial, equations, new=None):
        self.trial, self.equations, self.new = trial, equations, new
        self.formulas = [difference(left, right) for left, right, _ in equations]
        used = symbols_in_order(self.formulas)
        known = {*trial.vocabulary.names.parameters, *trial.vocabulary.definitions}
        self.free = [s for s in used if trial.quantity.compare == "equations" and (
            compact(s.name) in trial.unknowns or is_multiplier(s) and not {s.name, compact(s.name)} & known)]
        self.used = [s for s in used if s not in self.free]
        absent = trial.vocabulary.absent_forces(self.used)
        self.absent = [i for i in absent if i in (trial.quantity.part or absent)]

    def prepared(self, state):
        """The state with zero for the forces of which the answer says nothing, as on a joint without a motor."""
        vocabulary = self.trial.vocabulary
        return vocabulary.without_forces(self.absent, vocabulary.forces(state, self.new), self.new)

    def _decision(self, ok, right, states, problem="", notes=(), independent=()):
        """The `Decision`, with a state, of few decimals if possible, at which the wrong equations do not hold."""
        decision = self.trial.decision(
            right, states, self.formulas, problem=problem, notes=tuple(notes), equations=tuple(self.equations),
            entries=tuple(Entry((i,), bool(x)) for i, x in enumerate(ok)),
            independent=(independent[0], max(independent[1], len(ok))) if independent else ())
        if ok.all():
            return decision
        found = []
        for state in (*self.trial.states(count=1, decimals=1, seed=self.trial.seed + 7), *states):
            residuals = _Residuals(self, self.prepared(state))
            found.append((residuals, ~ok & ~residuals.hold()))
            if (found[-1][1] == ~ok).all():
                break
        residuals, off = max(found, key=lambda pair: pair[1].sum())
        values = np.where(off, residuals.values, 0 * residuals.values)
        values = np.where(~ok & residuals.have_free, None, values)      # it depends on the unknowns
        entries = tuple(e._replace(yours=values[e.index[0]], ours=0 * residuals.values[0]) for e in decision.entries)
        return decision._replace(entries=entries, counterexample=residuals.state)


class _Motion(_System):
    """Equations of motion."""

    def decided(self, states):
        """The `Decision` about them in some states."""
        trial, states = self.trial, [self.prepared(state) for state in states]
        of_states = [_Residuals(self, state) for state in states]
        ok, determined, linear = np.all([residuals.hold() for residuals in of_states], axis=0), True, True
        if ok.all():                                    # what is so in one random state is so in general
            linear, (found, needed) = of_states[0].linear(), of_states[0].independent(ok)
            determined = linear and self._is_alone(states[0]) if trial.quantity.part else found == needed
        n, first = trial.system.model.nv, trial.vocabulary.spellings(self.used).get("q1", Symbol("q1")).name
        problem = _NOT_LINEAR if not linear else "" if determined else _NOT_ALONE if trial.quantity.part else (
            _TOO_FEW.format(f"{n} equation{'s' * (n > 1)}", first, first))
        names = ", ".join(f"tau{i + 1}" for i in self.absent)
        subject = "equation has" if trial.quantity.part else "equations have"
        notes = [f"Your {subject} no {names}: taken to be zero."] if names else []
        right = ok.all() and determined and linear
        independent = of_states[-1].independent(ok) if linear and not trial.quantity.part and not right else ()
        return self._decision(ok, right, states, problem, notes, independent)

    def _is_alone(self, state):
        """True if an equation holds whatever the other forces are, and has its own force in it, or needs it to be 0."""
        (i,), forces = self.trial.quantity.part, np.arange(2, len(state.tau) + 2).astype(object)
        own, vocabulary = np.arange(len(forces)) == i, self.trial.vocabulary
        alone, under = (_Residuals(self, vocabulary.driven(state.with_forces(
            state.tau + vocabulary.model_forces(self.new, state, forces * some)))) for some in (~own, own))
        if len(alone.values) > 1 or not np.any(abs(alone.by("qdd")) > _LITTLE) or not alone.hold().all():
            return False
        return f"tau{i + 1}" in vocabulary.own_symbols(self.used) or not under.hold().all()


class _Residuals:
    """A `_System` in one state: the differences of the equations' sides, and how these change with the unknowns."""

    def __init__(self, system, state):
        self.system, self.state = system, state
        self.at_rest = Altered(state, tau=system.trial.vocabulary.own_forces(system.new, state, state.tau))
        self.values, self.sizes = self._residuals(self.at_rest, {})
        self.by_free = self.columns([(self.at_rest, {s: 1}) for s in system.free])
        if min(self.sizes) < _LITTLE:                   # products that are zero each: how they change is their size
            self.sizes = np.array([size if size > _LITTLE else max(map(abs, row)) or 1 for size, row in zip(
                self.sizes, self.by_all, strict=True)], dtype=object)

    @once_for_each
    def by(self, part):
        """How the residuals change with "qd" or "qdd", one column for each."""
        return self.columns([(Altered(self.at_rest, **{part: getattr(self.state, part) + unit}), {})
                             for unit in np.eye(len(self.state.qd), dtype=object)])

    #: How the residuals change with the accelerations, and then with the unknowns.
    by_all = property(lambda self: np.column_stack([self.by("qdd"), self.by_free]))

    def columns(self, changes):
        """How the residuals change, one column for each pair (state, values of unknowns)."""
        columns = [self._residuals(state, values)[0] - self.values for state, values in changes]
        return np.array([*columns, 0 * self.values], dtype=object)[:-1].T

    def _residuals(self, state, free):
        """The differences of the sides, and the largest term of each; 0 for the latter where there is but one."""
        known = self.system.trial.vocabulary.values(state, self.system.used)
        known.update({s: 0 * state.q[0] + free.get(s, 0) for s in self.system.free})
        values, scale = [], []
        for formula, (_, _, number) in zip(self.system.formulas, self.system.equations, strict=True):
            try:
                parts = [evaluate(term, known) for term in terms(formula)]
            except Undefined as error:
                raise BadAnswer(f"Line {number} of your answer has no value in general: {error}") from None
            values.append(sum(parts))
            scale.append(max(map(abs, parts)) if sum(part != 0 for part in parts) > 1 else 0 * values[-1])
        return np.array(values, dtype=object), np.array(scale, dtype=object)

    #: For each equation whether unknowns stand in it.
    have_free = property(lambda self: np.array(abs(self.by_free) > _LITTLE, dtype=bool).any(axis=1))

    def hold(self):
        """For each equation whether it holds; of those with unknowns, whether these can be chosen so that all hold."""
        held = np.array(abs(self.values) <= self.system.trial.tolerance * self.sizes, dtype=bool)
        if (free := self.have_free).any():
            scaled = (self.by_free / self.sizes[:, None])[free]
            both = np.column_stack([scaled, (self.values / self.sizes)[free]])
            held[free] = eliminate(both, 1e-20).rank == eliminate(scaled, 1e-20).rank
        return held

    def independent(self, chosen):
        """(how many of the chosen equations restrict the accelerations further, beside K qdd = k and one another; how
        many have to). chosen: truth values."""
        A = self.system.trial.vocabulary.ways(self.state)
        rows = (np.column_stack([self.by("qdd") @ A, self.by_free]) / self.sizes[:, None])[chosen]
        n = A.shape[1]
        of_free, of_loops = rank(rows[:, n:], _RANK), 0
        if self.state.model.loops:
            K = constraints(self.state)[0]
            none = np.zeros((len(K), len(self.system.free)), dtype=object)
            rows, of_loops = np.concatenate([rows, np.column_stack([K, none])]), rank(K, _RANK)
        return rank(rows, _RANK) - of_free - of_loops, n - of_loops

    def linear(self):
        """True if the residuals change by twice as much if the accelerations do."""
        step = 1 + self.state.tau - self.state.q.sum()
        change, = self.columns([(Altered(self.at_rest, qdd=self.state.qdd + step), {})]).T
        return bool(np.all(abs(change - self.by("qdd") @ step) <= 1e-20 * (self.sizes + abs(change))))


class _LoopClosure(_System):
    """phi(q) = 0: zero in closed positions, and with derivatives by q that span the rows of K; K qd = 0; K qdd = k."""

    def decided(self, states):
        """The `Decision` about them in some states."""
        ok = np.ones(len(self.equations), dtype=bool)
        for state in states:
            residuals = _Residuals(self, state)
            slopes = self._slopes(residuals)
            residuals.sizes = np.max([residuals.sizes, *abs(slopes.T)], axis=0)
            ok &= residuals.hold()
        rows = slopes / residuals.sizes[:, None]        # which follow from those of K where they hold
        found, needed = rank(rows[ok], _RANK), rank(constraints(states[-1])[0], _RANK)
        problem = self._not_closed() if ok.all() and found < needed else ""
        right = ok.all() and not problem
        return self._decision(ok, right, states, problem, independent=() if right else (found, needed))

    def _not_closed(self):
        """Why equations that hold in a closed loop do not close it."""
        names, own = self.trial.vocabulary.names, self.trial.vocabulary.own_symbols(self.used)
        if self.trial.quantity.symbol == "phi" and any(name.startswith("qd") for name in own):
            return ("Your equations hold, but they are about velocities, and positions are asked for. Write them "
                    "without dots, or ask for 'phidot'.")
        absent = [x.name for x in names.coordinates if not own & {x.name, x.rate, f"qdd{x.rate[2:]}"}]
        more = f" Nothing in them depends on {', '.join(absent)}." if absent else ""
        return ("Your equations hold where the loops are closed, but they hold elsewhere, too: an equation is missing, "
                f"or one says what another one says already.{more}")

    def _slopes(self, residuals):
        """How the sides differ with the highest rates in the equations, one row for each equation."""
        state, part = residuals.state, {"phidot": "qd", "phiddot": "qdd"}.get(self.trial.quantity.symbol)
        if part:
            return residuals.by(part)
        rates = [self.trial.vocabulary.rate(formula) for formula in self.formulas]
        used = symbols_in_order(rates)
        known = [self.trial.vocabulary.values(Altered(state, qd=unit + 0 * state.qd), used)
                 for unit in np.eye(len(state.qd), dtype=object)]
        return np.array([[evaluate(rate, values) for values in known] for rate in rates], dtype=object)


def decide_identity(trial):
    """The `Decision` about "lhs == rhs", in which T, V, L, E, H11, C1, g1 may stand for the right values."""
    (tree,) = trial.trees
    trial.array = None
    left, right = map(trial.vocabulary.carried_out, (tree.left, tree.right))
    decide = functools.partial(_identity_at, trial, left, right)
    return trial.confirmed(decide, [*trial.states(count=1, decimals=1, seed=trial.seed + 7), *trial.states()])


def _identity_at(trial, left, right, states):
    used, turn = symbols_in_order([left, right]), 2 * mpmath.pi
    turns = trial.system.model.loops and not trial.is_smooth()      # inverse functions give angles but for whole turns
    for state in states:
        values = known_values(state)
        rates = [s for s in used if s.dots == 1 and s.name in values and s.name not in trial.vocabulary.names.own]
        known = trial.vocabulary.values(state, tuple(s for s in used if s not in rates), values)
        known |= {s: _rate_of_change(state, s.name) for s in rates}                 # T', H11' and their like
        try:
            yours, ours = evaluate(left, known), evaluate(right, known)
        except Undefined as error:
            raise BadAnswer(f"Your identity cannot be evaluated: {error}") from None
        off = yours - ours
        off -= turn * round(off / turn) if turns else 0
        if abs(off) > trial.tolerance * max(abs(yours), abs(ours), 1):
            return trial.decision(False, states, equations=((left, right, 1),), counterexample=state,
                                  entries=(Entry((), False, yours, ours),))
    return trial.decision(True, states, equations=((left, right, 1),), entries=(Entry((), True),))


def _rate_of_change(state, name):
    """The time derivative of one of `known_values`, by a central difference so fine that its error does not count."""
    with mpmath.workdps(3 * mpmath.mp.dps):
        h = mpmath.mpf(10) ** -(mpmath.mp.dps // 3)
        after, before = (Altered(state, q=state.model.integrate(state.q, state.qd, dt),
                                 qd=state.qd + dt * state.qdd) for dt in (h, -h))
        return (known_values(after)[name] - known_values(before)[name]) / (2 * h)


@once_for_each
def known_values(state):
    """{name: value} of what identities may be about: T, V (or U), L, E, H11 (or M11), C1, g1, bias1 (or h1)."""
    found = {name: np.array(SIMPLE[letter][1](state))[()] for letter in "TVLE" for name in LETTERS[letter]}
    for letter, quantity in {"H": "H", "M": "H", "C": "C", "g": "g", "bias": "bias", "h": "bias"}.items():
        for place, x in np.ndenumerate(SIMPLE[quantity][1](state)):
            found[letter + "".join(str(i + 1) for i in place)] = x
    return found


def are_energies(quantity, vocabulary, used):
    """True if an energy is asked for, and what is used for it are names of energies: L = T - V."""
    names = [name for letter in "TVLE" for name in LETTERS[letter]]
    return quantity.symbol in tuple("TVLE") and used and all(
        symbol.name in names and not symbol.dots and not vocabulary.explains(symbol) for symbol in used)
