"""Which kind of term is off: inertial, centrifugal, Coriolis, gravity, ... found by numbers alone, in any notation."""

from dataclasses import dataclass

import numpy as np

from rbdlib.verification.decision.readings import own_forces
from rbdlib.verification.mechanics.quantities import bias, inertia
from rbdlib.verification.mechanics.states import Altered

#: Quantities that are sums of terms of several kinds, and which kinds each may have.
_FORCES = ("inertial", "centrifugal", "Coriolis", "gravity")
KINDS = {"tau": _FORCES, "bias": _FORCES[1:], "C": _FORCES[1:3], "L": ("kinetic", "potential"),
         "E": ("kinetic", "potential"), "equations of motion": (*_FORCES, "applied force")}
WORDS = {"inertial": "inertial terms (with accelerations)", "centrifugal": "centrifugal terms (with squares of one "
         "velocity)", "Coriolis": "Coriolis terms (with products of two velocities)", "gravity": "gravity terms",
         "kinetic": "kinetic energy", "potential": "potential energy", "applied force": "applied forces"}


@dataclass(frozen=True, eq=False)
class KindReport:
    """One kind of term in one entry. entry: place, from 0.  kind: see `WORDS`.  ok.  yours, ours: at ``state``."""

    entry: tuple
    kind: str
    ok: bool
    yours: object
    ours: object
    state: object

    @property
    def sentence(self):
        """The finding, in a sentence."""
        words = WORDS[self.kind]
        if self.ok:
            return f"The {words} agree."
        return f"The {words} do not agree: yours {float(self.yours):.5g}, ours {float(self.ours):.5g}."


def kinds_of(case):
    """A list of `KindReport` for the entries of a `Case`; empty where the quantity has one kind of terms only.

    The values are those in the counterexample. Equations are compared after they have been scaled so that as many
    kinds as possible agree.
    """
    kinds = KINDS.get(case.quantity.symbol)
    if not kinds or (case.equations and not case.trees):
        return []
    states = [case.decision.counterexample or case.states[0], case.states[0]]
    split = _split_energy if "kinetic" in kinds else _split_forces
    if case.equations:
        return _of_equations(case, kinds, states)
    found = []
    yours = [_as_arrays(split(case._at, state)) for state in states]
    ours = [_as_arrays(split(case.right, state)) for state in states]
    for entry in np.ndindex(np.shape(ours[0][kinds[0]])):
        for kind in kinds:
            pairs = [(a[kind][entry], b[kind][entry]) for a, b in zip(yours, ours, strict=True)]
            found.append(KindReport(entry, kind, _same(case, pairs, ours, entry), *pairs[0], states[0]))
    return found


def _as_arrays(parts):
    return {kind: np.array(values, dtype=object) for kind, values in parts.items()}


def _same(case, pairs, ours, entry):
    sizes = [max(abs(part[entry]) for part in at.values()) or 1 for at in ours]
    return all(abs(a - b) <= case.tolerance * size for (a, b), size in zip(pairs, sizes, strict=True))


def _split_forces(function, state):
    """{kind: values} of a function of states that is a sum of such terms."""
    zero = 0 * state.qd
    rest = {"qd": zero, "qdd": zero, "tau": 0 * state.tau}
    gravity = function(Altered(state, **rest))
    inertial = function(Altered(state, **{**rest, "qdd": state.qdd})) - gravity
    units = np.eye(len(zero), dtype=object)
    centrifugal = sum(function(Altered(state, **{**rest, "qd": unit * state.qd})) - gravity for unit in units)
    coriolis = function(Altered(state, **{**rest, "qd": state.qd})) - gravity - centrifugal
    forces = function(Altered(state, **{**rest, "tau": state.tau})) - gravity
    return {"gravity": gravity, "inertial": inertial, "centrifugal": centrifugal, "Coriolis": coriolis,
            "applied force": forces}


def _split_energy(function, state):
    """The potential part is compared with that in another position, since a constant does not matter."""
    def potential_part(at):
        return function(Altered(at, qd=0 * state.qd))

    there = Altered(state, q=state.q / 2)
    return {"kinetic": function(state) - potential_part(state), "potential": potential_part(state)
            - potential_part(there)}


def _of_equations(case, kinds, states):
    """Every equation is held against each of the right ones, with that scale that makes most kinds agree."""
    yours = [_split_forces(case._at, state) for state in states]
    ours = [_split_forces(lambda at: case_residual(case, at), state) for state in states]
    found, n = [], len(ours[0]["gravity"])
    for entry in range(len(case.trees)):
        best = None
        for row in range(n):
            for scaling in kinds:
                pairs = _scaled(yours, ours, entry, row, scaling, kinds)
                if pairs is None:
                    continue
                ok = {kind: all(abs(a - b) <= case.tolerance * (abs(a) + abs(b) + 1) for a, b in pairs[kind])
                      for kind in kinds}
                empty = {kind for kind in kinds if all(a == b == 0 for a, b in pairs[kind])}
                score = sum(ok[kind] for kind in kinds if kind not in empty), row == entry
                if best is None or score > best[0]:
                    best = score, ok, pairs, empty
        if best and best[0][0] > 1:                             # one kind agrees by the choice of the scale
            found += [KindReport((entry,), kind, best[1][kind], *best[2][kind][0], states[0]) for kind in kinds
                      if kind not in best[3]]
    return found


def case_residual(case, state):
    """H qdd + C + g - tau in the learner's coordinates."""
    value = inertia(state) @ state.qdd + bias(state) - state.tau
    new = case.vocabulary.coordinates()
    return own_forces(case.vocabulary, new, state, value) if new else value


def _scaled(yours, ours, entry, row, scaling, kinds):
    """{kind: pairs (yours, ours)} at all states, ours scaled so that one kind agrees; None if that cannot be."""
    pairs = {kind: [] for kind in kinds}
    for mine, theirs in zip(yours, ours, strict=True):
        if not theirs[scaling][row] or not mine[scaling][entry]:
            return None
        scale = mine[scaling][entry] / theirs[scaling][row]
        for kind in kinds:
            pairs[kind].append((mine[kind][entry], scale * theirs[kind][row]))
    return pairs
