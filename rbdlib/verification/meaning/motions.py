"""Motions that given states: prescribed ones, phi = Omega*t, constraints, y = a*x^2, and first integrals, h = const."""

import re
from dataclasses import replace
from typing import Any

import numpy as np

from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.coordinates import OwnCoordinates
from rbdlib.verification.meaning.definitions import solved
from rbdlib.verification.meaning.phrases import CONSTANT
from rbdlib.verification.meaning.units import in_si
from rbdlib.verification.mechanics.basics import inertia
from rbdlib.verification.mechanics.quantities import bias
from rbdlib.verification.mechanics.states import Altered
from rbdlib.verification.trees.calculus import difference, differentiate
from rbdlib.verification.trees.expression import evaluate, substitute, to_text
from rbdlib.verification.trees.nodes import TWO, ZERO, Equation, Operation, Symbol, derivative, symbols


class Motions(OwnCoordinates):
    """The part of a `Vocabulary` that is about motions and forces."""

    def ways(self, state):
        """A (n x free ones) of qd = A v, v being the rates that can be chosen, where motions are prescribed or tied."""
        bound = {*self.prescribed, *self.tied}
        free = [i for i in range(len(state.qd)) if i not in bound]
        A = np.eye(len(state.qd), dtype=object)[:, free]
        for i, tree in self.tied.items():
            A[i] = [self.evaluated(differentiate(tree, Symbol(self.names.q[k])), state) for k in free]
        return A

    def held(self, state):
        """A `State` of floats with the positions, rates and accelerations of what is tied."""
        if not self.tied:
            return state
        parts = {part: getattr(state, part).copy() for part in ("q", "qd", "qdd")}
        state = Altered(state, **parts)                 # whose parts are filled in here
        for i, tree in self.tied.items():
            for values in parts.values():
                values[i] = self.evaluated(tree, state)
                tree = self.rate(tree)
        return state

    def solve_constraints_for(self, used):
        """Have the coordinates that own names ``used`` are about free, as far as constraints can be solved so."""
        wanted = {int(name.lstrip("qd")) - 1 for name in used if re.fullmatch(r"qd{0,2}\d+", name)}
        for i in wanted & {*self.tied}:
            others = [k for k, name in enumerate(self.names.q)
                      if Symbol(name) in symbols(self.tied[i]) and k not in wanted | {*self.prescribed}]
            one, other = Symbol(self.names.q[i]), Symbol(self.names.q[others[0] if others else i])
            if others and (tree := solved(difference(one, self.tied[i]), other)) is not None:
                rest = {j: substitute(found, {other: tree}) for j, found in self.tied.items() if j != i}
                self.tied = rest | {others[0]: tree}

    def bound(self, state, changed, qdd):
        """The accelerations qdd of a changed system, held to motions that are prescribed or tied: those nearest."""
        if not self.prescribed and not self.tied:
            return qdd
        A, H, held = self.ways(changed), inertia(changed), [*self.prescribed, *self.tied]
        held = state.qdd - self.ways(state) @ np.delete(state.qdd, held)
        return held + A @ solve_linear(A.T @ H @ A, A.T @ H @ (qdd - held)) if A.size else held

    def driven(self, state):
        """A `State` in the motions that are prescribed, with the forces (tau) that these demand, and in those tied."""
        if not self.prescribed and not self.tied:
            return state
        q, qd, qdd, tau = state.q.copy(), state.qd.copy(), 0 * state.tau, state.tau.copy()
        moving = Altered(state, q=q, qd=qd, qdd=qdd)    # whose parts are filled in here
        for i, (first, tree) in [*self.prescribed.items(), *((i, (0, tree)) for i, tree in self.tied.items())]:
            for order in range(first, 3) if tree is not None else ():
                (q, qd, qdd)[order][i] = self.evaluated(tree, moving)
                tree = self.rate(tree)
            if tree is None:                            # whatever it is
                qdd[i] = tau[i]
        moving, driven = replace(state, q=q, qd=qd), [*self.prescribed]
        H, C, A = inertia(moving), bias(moving), self.ways(moving)
        if A.size:
            qdd = qdd + A @ solve_linear(A.T @ H @ A, A.T @ (tau - C - H @ qdd))
        tau[driven] = (H @ qdd + C)[driven]
        moving = replace(moving, tau=tau)
        moving.__dict__["_motion"] = qdd, np.zeros(0, dtype=object)     # what is driven needs no inertia
        return moving

    def forces(self, state, coordinates=None):
        """The state, with the forces that given states ("tau2 = 0"): in coordinates of the learner's if some are given.
        """
        tau = self.own_forces(coordinates, state, state.tau).copy()
        stated = Altered(state, tau=tau.copy())
        for name, tree in self.assumptions.items():
            if name.startswith("tau") and name not in self.names.parameters:
                tau[int(name[3:]) - 1] = self.evaluated(tree, stated)
        if (tau == stated.tau).all():
            return state if coordinates else self.driven(state)
        return self.driven(state.with_forces(self.model_forces(coordinates, state, tau)))

    def says_which_forces(self):
        """True if given has names for the forces of the model's joints, M1 = tau1."""
        return any(re.fullmatch(r"tau\d+", s.name) for definition in self.definitions.values()
                   if definition.by == "given" for s in symbols(definition.tree))

    def absent_forces(self, used):
        """The places of the forces of which the symbols ``used`` and given say nothing: on joints without a motor."""
        given = [Symbol(definition.name) for definition in self.definitions.values() if definition.by == "given"]
        stated = {*self.own_symbols(used), *self.own_symbols(given), *self.assumptions}
        return [i for i in range(self.names.model.nv) if f"tau{i + 1}" not in stated and i not in self.prescribed]

    def without_forces(self, places, state, coordinates=None):
        """The state with zero for the forces at some places, in coordinates of the learner's if some are given."""
        if not places:
            return state
        tau = self.own_forces(coordinates, state, state.tau).copy()
        tau[places] = 0 * tau[places]
        return self.driven(state.with_forces(self.model_forces(coordinates, state, tau)))

    def assumed(self, parameters):
        """The drawn parameters {name: number}, changed as far as given states a special case."""
        parameters = dict(parameters)
        for name, tree in self.assumptions.items():
            if name in self.names.parameters:
                tree = self.told_in(tree)
                parameters[name] = evaluate(tree, {s: parameters[s.name] for s in symbols(tree)})
        return parameters

    def without_values(self, trees, letters):
        """The trees without those that say what number a parameter is, g = 9.81 m/s^2, which are special cases.

        letters: names that stand for what is asked.
        """
        stated = {}
        for tree in trees:
            left: Any = getattr(tree, "left", None)
            own = self.names.find(left.name)[0] if isinstance(left, Symbol) and left.name not in letters else ""
            if own in self.names.system.symbols and compact(own) == compact(left.name) and not left.dots and (
                    not {own, compact(own)} & {*self.assumptions, *self.definitions}):
                right = in_si(left, tree.right, self.names, self.known_names())
                if not symbols(right) and 1e-6 < abs(evaluate(right, {})) < 1e9:        # none that makes terms vanish
                    stated[tree] = own, right
        if len(stated) == len(trees):
            return trees
        self.assumptions |= dict(stated.values())
        self.guessed |= dict.fromkeys((own for own, _ in stated.values()), (
            f"Compared for {', '.join(map(to_text, stated))}, as your answer says."))
        return tuple(tree for tree in trees if tree not in stated)

    # Equations that say that something is constant

    def is_constant(self, tree):
        """True if a tree is a name for a constant whose value nobody says, such as const."""
        return isinstance(tree, Symbol) and not tree.dots and tree.name not in self.names.own and (
            tree.name in CONSTANT or compact(tree.name) in self.constants)

    def without_constants(self, trees, equations):
        """The trees with equations X = const replaced: where equations are asked for, X' = 0; elsewhere X alone."""
        made = []
        for tree in self._without_integrals(list(trees)) if equations else trees:
            sides = sorted(tree.parts, key=self.is_constant) if isinstance(tree, Equation) else ()
            if not sides or not self.is_constant(sides[1]) or (
                    equations and any(name.startswith("qdd") for name in self.own_symbols(symbols(tree)))):
                made.append(tree)
            elif equations:
                made.append(Equation(self.carried_out(derivative(sides[0])), ZERO, span=tree.span))
            elif len(trees) == 1:
                made.append(sides[0])
        return tuple(made)

    def _without_integrals(self, trees):
        """The trees with first integrals, equations of velocities and one constant of given, in the form X' = 0.

        In other equations the constant is what the integral says: ell = m r^2 theta' in m r'' = ell^2/(m r^3).
        """
        stated = [*self.assumptions.values(), *(tree for _, tree in self.prescribed.values() if tree),
                  *(definition.tree for definition in self.definitions.values())]
        free = self.constants - {compact(s.name) for tree in stated for s in symbols(tree)}
        for tree in trees if free else ():
            own = {re.sub(r"\d", "", name) for name in self.own_symbols(symbols(tree))}
            constants = [s for s in symbols(tree) if compact(s.name) in free and not s.dots]
            if len(constants) == 1 and isinstance(tree, Equation) and "qd" in own and not own & {"qdd", "tau"} and all(
                    map(self.knows, symbols(tree))):
                known, integral = self._solved_for(constants[0], *tree.parts)
                trees = [replace(integral, span=tree.span) if other is tree else substitute(
                    other, {constants[0]: known or constants[0]}) for other in trees]
        return trees

    def _solved_for(self, constant, left, right):
        """(what a constant is by left = right, or None; an equation that says that it is constant)."""
        for a, b in ((left, right), (right, left)):
            if a == constant:
                return b, Equation(self.carried_out(derivative(b)), ZERO)
            if getattr(a, "name", "") == "sqrt" and constant in symbols(a):     # theta' = sqrt(...)
                return self._solved_for(constant, a.arguments[0], Operation("^", (b, TWO)))
        residual = difference(left, right)
        known = solved(residual, constant)
        return known, Equation(self.carried_out(derivative(residual if known is None else known)), ZERO)
