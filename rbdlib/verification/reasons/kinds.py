"""Which kind of term is off: inertial, centrifugal, Coriolis, gravity, ... found by numbers alone, in any notation."""

from typing import Any, NamedTuple

import numpy as np

from rbdlib.verification.decision.equations import own_forces
from rbdlib.verification.mechanics.quantities import bias, inertia
from rbdlib.verification.mechanics.states import Altered

#: Quantities that are sums of terms of several kinds, and which kinds each may have.
_FORCES, _ENERGIES = ("inertial", "centrifugal", "Coriolis", "gravity"), ("kinetic", "potential")
KINDS = {"tau": _FORCES, "bias": _FORCES[1:], "C": _FORCES[1:3], "L": _ENERGIES, "E": _ENERGIES,
         "equations of motion": (*_FORCES, "applied force")}
WORDS = {"inertial": "inertial terms (those with accelerations)", "gravity": "gravity terms",
         "centrifugal": "centrifugal terms (those with the square of one velocity)",
         "Coriolis": "Coriolis terms (those with a product of two velocities)", "kinetic": "kinetic energy",
         "potential": "potential energy", "applied force": "applied forces"}


class KindReport(NamedTuple):
    """One kind of term in one entry. entry: place, from 0.  kind: see `WORDS`.  yours, ours: in the counterexample."""

    entry: tuple
    kind: str
    ok: bool
    yours: Any
    ours: Any


def kinds_of(case):
    """A list of `KindReport` for the entries of a `Case`; empty where the quantity has one kind of terms only.

    The values are those in the counterexample. Every equation is held against each of the right ones, after it has been
    scaled so that one kind of terms agrees: against that with which most kinds agree.
    """
    kinds = KINDS.get(case.quantity.symbol)
    if not kinds or (case.equations and not case.trees):
        return []
    states = [case.decision.counterexample or case.states[0], case.states[0]]
    split = _split_energy if "kinetic" in kinds else _split_forces

    def right(state):
        """The right values; of equations, H qdd + C + g - tau in the learner's coordinates."""
        if not case.equations:
            return case.right(state)
        value, new = inertia(state) @ state.qdd + bias(state) - state.tau, case.vocabulary.coordinates()
        return own_forces(case.vocabulary, new, state, value) if new else value

    yours, ours = ([{kind: np.array(parts, dtype=object) for kind, parts in split(value, state).items()}
                    for state in states] for value in (case._at, right))
    both = list(zip(yours, ours, strict=True))

    def reports(entry, row, scaling=None):
        """The reports of an entry, a row of ours being scaled so that one kind agrees; none if that cannot be."""
        if scaling and not all(theirs[scaling][row] and mine[scaling][entry] for mine, theirs in both):
            return []
        scales = [mine[scaling][entry] / theirs[scaling][row] if scaling else 1 for mine, theirs in both]
        pairs = {kind: [(mine[kind][entry], scale * theirs[kind][row])
                        for (mine, theirs), scale in zip(both, scales, strict=True)] for kind in kinds}
        return [KindReport(entry, kind, all(abs(a - b) <= case.tolerance * (abs(a) + abs(b) + 1) for a, b in some),
                           *some[0]) for kind, some in pairs.items()            # kinds that an equation lacks: left out
                if not scaling or np.any(np.abs(some) > case.tolerance)]

    found = []
    for entry in np.ndindex(yours[0][kinds[0]].shape):
        if not case.equations:
            found += reports(entry, entry)
            continue
        ways = [(reports(entry, row, kind), row == entry) for row in np.ndindex(ours[0][kinds[0]].shape)
                for kind in kinds]
        best, _ = max(ways, key=lambda way: (sum(report.ok for report in way[0]), way[1]))
        found += best if sum(report.ok for report in best) > 1 else []      # one kind agrees by the choice of the scale
    return found


def _split_forces(function, state):
    """{kind: values} of a function of states that is a sum of such terms."""
    rest = {"qd": 0 * state.qd, "qdd": 0 * state.qd, "tau": 0 * state.tau}
    gravity = function(Altered(state, **rest))

    def without_gravity(**parts):
        return function(Altered(state, **{**rest, **parts})) - gravity

    centrifugal = sum(without_gravity(qd=unit * state.qd) for unit in np.eye(len(state.qd), dtype=object))
    return {"gravity": gravity, "inertial": without_gravity(qdd=state.qdd), "centrifugal": centrifugal,
            "Coriolis": without_gravity(qd=state.qd) - centrifugal, "applied force": without_gravity(tau=state.tau)}


def _split_energy(function, state):
    """The potential part is compared with that in another position, since a constant does not matter."""
    rest = function(Altered(state, qd=0 * state.qd))
    return {"kinetic": function(state) - rest, "potential": rest - function(Altered(
        Altered(state, q=state.q / 2), qd=0 * state.qd))}
