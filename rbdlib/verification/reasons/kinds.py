"""Which kind of term is off: inertial, centrifugal, Coriolis, gravity, ... found by numbers alone, in any notation."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rbdlib.methods.joint_character import of_joints
from rbdlib.verification.decision.equations import own_forces
from rbdlib.verification.mechanics.quantities import bias, inertia
from rbdlib.verification.mechanics.states import Altered

#: Quantities that are sums of terms of several kinds, and which kinds each may have.
_FORCES, _ENERGIES = ("inertial", "centrifugal", "Coriolis", "damping", "gravity"), ("kinetic", "potential")
KINDS = {"tau": _FORCES, "bias": _FORCES[1:], "C": _FORCES[1:4], "L": _ENERGIES, "E": _ENERGIES,
         "equations of motion": (*_FORCES, "applied force")}
WORDS = {"inertial": "inertial terms (with accelerations)", "centrifugal": "centrifugal terms (with squares of one "
         "velocity)", "Coriolis": "Coriolis terms (with products of two velocities)",
         "damping": "damping terms (odd in the velocities)", "gravity": "gravity terms",
         "gravity and spring": "gravity and spring terms", "kinetic": "kinetic energy", "potential": "potential energy",
         "applied force": "applied forces"}


@dataclass(frozen=True, eq=False)
class KindReport:
    """One kind of term in one entry. entry: place, from 0.  kind: see `WORDS`.  ok.  yours, ours: at ``state``."""

    entry: tuple
    kind: str
    ok: bool
    yours: Any
    ours: Any
    state: Any

    @property
    def sentence(self):
        """The finding, in a sentence."""
        words = WORDS[self.kind]
        if self.ok:
            return f"The {words} agree."
        return f"The {words} do not agree: yours {float(self.yours):.5g}, ours {float(self.ours):.5g}."


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
    found = []
    for entry in np.ndindex(yours[0][kinds[0]].shape):
        if not case.equations:
            found += _reports(case, kinds, states, yours, ours, entry, entry)
            continue
        ways = [(row, kind) for row in np.ndindex(ours[0][kinds[0]].shape) for kind in kinds]
        reports = [_reports(case, kinds, states, yours, ours, entry, *way) for way in ways]
        scores = [(sum(report.ok for report in some), row == entry)
                  for some, (row, _) in zip(reports, ways, strict=True)]
        best = scores.index(max(scores))
        found += reports[best] if scores[best][0] > 1 else []           # one kind agrees by the choice of the scale
    springs = any(character.stiffness != 0 or character.stops for _, character in of_joints(case.system.model))
    return [replace(report, kind="gravity and spring") if springs and report.kind == "gravity" else report
            for report in found]


def _reports(case, kinds, states, yours, ours, entry, row, scaling=None):
    """The reports of an entry, ours scaled so that one kind agrees; those of kinds that an equation lacks are left out.

    An empty list if it cannot be scaled.
    """
    pairs = {kind: [] for kind in kinds}
    for mine, theirs in zip(yours, ours, strict=True):
        if scaling and not (theirs[scaling][row] and mine[scaling][entry]):
            return []
        scale = mine[scaling][entry] / theirs[scaling][row] if scaling else 1
        for kind in kinds:
            pairs[kind].append((mine[kind][entry], scale * theirs[kind][row]))
    return [KindReport(entry, kind, all(abs(a - b) <= case.tolerance * (abs(a) + abs(b) + 1) for a, b in some),
                       some[0][0], some[0][1], states[0])
            for kind, some in pairs.items()
            if not (scaling or kind == "damping") or np.any(np.abs(some) > case.tolerance)]


def _split_forces(function, state):
    """{kind: values} of a function of states that is a sum of such terms."""
    rest = {"qd": 0 * state.qd, "qdd": 0 * state.qd, "tau": 0 * state.tau}
    gravity = function(Altered(state, **rest))

    def without_gravity(**parts):
        return function(Altered(state, **{**rest, **parts})) - gravity

    def even(qd):
        return (without_gravity(qd=qd) + without_gravity(qd=-qd)) / 2

    centrifugal = sum(even(unit * state.qd) for unit in np.eye(len(state.qd), dtype=object))
    whole = even(state.qd)
    return {"gravity": gravity, "inertial": without_gravity(qdd=state.qdd), "centrifugal": centrifugal,
            "Coriolis": whole - centrifugal, "damping": without_gravity(qd=state.qd) - whole,
            "applied force": without_gravity(tau=state.tau)}


def _split_energy(function, state):
    """The potential part is compared with that in another position, since a constant does not matter."""
    def potential_part(at):
        return function(Altered(at, qd=0 * state.qd))

    there = Altered(state, q=state.q / 2)
    return {"kinetic": function(state) - potential_part(state), "potential": potential_part(state)
            - potential_part(there)}
