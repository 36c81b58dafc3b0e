"""What given states, learnt equation by equation: names, coordinates, force laws, motions and special cases."""

import graphlib
import re
from dataclasses import replace

import mpmath

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.answer_lines import symbols_in_order
from rbdlib.verification.meaning.constraints import Constraints
from rbdlib.verification.meaning.coordinates import are_independent
from rbdlib.verification.meaning.definitions import Definition, as_power, root, solved
from rbdlib.verification.meaning.given import BadGiven
from rbdlib.verification.meaning.phrases import CONSTANT, some_value
from rbdlib.verification.mechanics.states import DIGITS, draw
from rbdlib.verification.trees.calculus import difference, differentiate, minus
from rbdlib.verification.trees.dimensions_of_model import dimensions_of, in_words
from rbdlib.verification.trees.expression import substitute, to_text
from rbdlib.verification.trees.nodes import ONE, Function, Symbol, postorder, symbols

_SPECIAL = ("Special cases can be stated for parameters and forces only; leave it out, and the answer is compared in "
            "every state.")


class Statements:
    """The equations that given states, from which a `Vocabulary` learns."""

    def __init__(self, vocabulary, stated):
        self.vocabulary, self.names, self.stated = vocabulary, vocabulary.names, stated
        self.constraints, self.renamed = Constraints(vocabulary), []
        self.called = self.constraints.called
        equations = [sides for sides in stated.equations if not self._say_nothing(*sides)]
        self.told = [{compact(s.name) for s in symbols(right)} for _, right in equations]
        self.equations = self._with_new_meanings(_in_order(equations, self.names))

    def _say_nothing(self, left, right):
        """True for x = q1 where a sketch calls q1 x, and for m_p = mp."""
        left, right = self._own(left), self._own(right)
        return left == right or isinstance(left, Symbol) and isinstance(right, Symbol) and (
            compact(left.name), left.dots) == (compact(right.name), right.dots)

    def learn(self):
        """Learn from all of them. Raises `BadGiven`."""
        for left, right in self.equations:
            if isinstance(left, Symbol) and getattr(right, "name", "") in CONSTANT:
                left = self._constant(left)
                if sum(other == left for other, _ in self.equations) > 1:           # another one says what it is
                    continue
                right = some_value(left.name)
            renamed = (left, right) in self.renamed
            if renamed or not self._prescribe(left, right) and not self.constraints.tie(left, right):
                self._learn(left, right)
        for symbol in self.stated.prescribed:
            if not self._prescribe(symbol):
                raise BadGiven(f"given says that {symbol.name} is prescribed, which is no coordinate of this model. "
                               f"Name one of {', '.join(self.names.q)}.")
        self._refuse_what_is_not_defined()
        self._refuse_units()

    def _constant(self, left):
        """The symbol that is constant: the model's, for a coordinate that is held, or a name of the learner's own."""
        own, dots = self.names.find(left.name)
        if own and own not in self.names.parameters and not self._is_used(left):
            if own in self.names.q and not dots:
                return Symbol(own, left.dots)
            raise BadGiven(f"given says that {left.name}, a name of this model, is constant. Give your constant "
                           "another one.")
        self.vocabulary.constants.add(compact(left.name))
        return left

    def _with_new_meanings(self, equations):
        """The equations, first those that give coordinates' names other meanings: q2 = q1 + q2, or q1 = q2; q2 = q1.

        Where a sketch names the coordinates, q1 = ... is the learner's, in other equations, too.
        """
        made_of = [(self._own(left), {self._own(s) for s in symbols(right)}) for left, right in equations]
        mixed = any(side.name in self.names.q for equation in equations for tree in equation for side in symbols(tree))
        for equation, (own, used) in zip(equations, made_of, strict=True):
            if getattr(own, "name", "") in self.names.q:
                for _ in made_of if mixed or not self.called else ():   # what it is made of, and so on
                    used = used.union(*(more for left, more in made_of if left in used))
                if own in used or equation[0] == own and symbols(equation[1]) & self.called.keys():
                    self.renamed.append(equation)
        own = {left: substitute(right, self.called) for left, right in self.renamed if left not in self.called}
        if not self.called or not own:
            return sorted(equations, key=lambda equation: equation not in self.renamed or bool(self._new(equation[1])))
        put, rates = {}, own
        for dots in range(3):
            put |= {replace(left, dots=dots): tree for left, tree in rates.items()}
            rates = {left: self.vocabulary.rate(tree) for left, tree in rates.items()}
        self.renamed = [*own.items()]
        return self.renamed + [(left, substitute(right, put)) for left, right in equations if left not in own]

    def _is_used(self, left):
        """True if other equations use a name."""
        return any(compact(left.name) in told for told in self.told)

    def _own(self, tree):
        """The model's own symbol for a name of a coordinate as a sketch has it; any other tree as it is."""
        return self.called.get(tree, tree)

    def _new(self, tree):
        """The symbols of a tree, in their order, that neither the model has nor given has said before."""
        return [s for s in symbols_in_order([tree])
                if s.name not in self.names.own and compact(s.name) not in self.vocabulary.definitions]

    def _define(self, name, tree):
        self.vocabulary.define(name, tree, "given")

    def _refuse_what_is_not_defined(self):
        """Refuses names that stand for each other or for what the model has not, and coordinates that others fix."""
        definitions = self.vocabulary.definitions
        made_of = {name: {compact(symbol.name) for symbol in symbols(definition.tree)
                          if symbol.name not in self.names.own} for name, definition in definitions.items()}
        try:
            graphlib.TopologicalSorter(made_of).prepare()
        except graphlib.CycleError as error:
            found = next(definition for name, definition in definitions.items() if name in error.args[1])
            raise BadGiven(f"given says what {found.name} is by {to_text(found.tree)}, and that by {found.name}. Say "
                           "what one of them is in the symbols of the model.") from None
        for definition in definitions.values():
            foreign = next((s.name for s in symbols(definition.tree) if re.fullmatch(r"(q|qd|qdd|tau)\d+", s.name)
                            and s.name not in self.names.own), None)
            if foreign and compact(foreign) not in definitions:
                raise BadGiven(f"given says what {definition.name} is by {foreign}, which this model has not got. It "
                               f"has {self.names.listed()}.")
        new = self.vocabulary.coordinates()
        if new and not are_independent(self.vocabulary, *new):
            raise BadGiven(f"given makes the coordinates {', '.join(s.name for s in new)} depend on each other. The "
                           f"model has {len(new)} freedoms: name as many that can be chosen freely.")

    def _refuse_units(self):
        """Refuses units for names of the model that have others."""
        own = dimensions_of(self.names) if self.stated.units else {}
        for name, dimension in self.stated.units.items():
            found, dots = self.names.find(name)
            known = None if dots or compact(name) in self.vocabulary.definitions else own.get(found, dimension)
            if known not in (None, dimension):
                raise BadGiven(f"given states {in_words(dimension)} for {name}, but it is {found}, whose unit is "
                               f"{in_words(known)}.")

    # Learning from an equation

    def _learn(self, left, right):
        own, fresh = self.names.own, {s.name for s in self._new(right)} - {*self.names.called.values()}
        if left in self.called and (fresh or left in symbols(right)):       # theta2 = theta1 + theta2 is absolute
            self._refuse_both(left, fresh)
            left, right = self.called[left], substitute(right, self.called)
        new = [s.name for s in self._new(right)]
        if isinstance(left, Symbol) and left.name not in own and self._is_force_law(left, right):
            left = Symbol(self.names.find(left.name)[0])
        if isinstance(left, Symbol) and not left.dots:
            if left.name not in own:
                self._refuse_either(left, right, fresh)
                return self._define(left.name, right)
            if self.names.model.loops and left.name in self.names.q and not new and left not in symbols(right):
                return self._follows(left, right)
            forces = {s.name for s in (left, right) if isinstance(s, Symbol) and re.fullmatch(r"tau\d+", s.name)}
            renamed = len(forces) == 2 and not forces & {*self.names.parameters}
            if not new and (left.name in self.names.q or left in symbols(right) or renamed):
                if not symbols(right):
                    raise BadGiven(f"given says that {left.name} has one value. {_SPECIAL}")
                return self._define(left.name, right)
            if left.name.startswith("tau") and left.name not in self.names.parameters:
                return self._learn_force(left, right, new)
            if not new:
                return self._assume(left.name, right)
        elif isinstance(left, Symbol) and not new and self.vocabulary.knows(left):
            return self._follows(left, right)
        power = as_power(left)
        if power and power[0].name not in own:
            return self._define(power[0].name, root(right, power[1]))
        if not isinstance(left, Function) or not isinstance(left.arguments[0], Symbol):
            return self._solve(left, right)
        if isinstance(right, Symbol) and not right.dots and right.name not in own:
            return self._define(right.name, left)
        if left.arguments[0].name in own:
            raise BadGiven(f"given says what {to_text(left)} is. Give it a name: 'c = {to_text(left)}'.")
        self.vocabulary.rules[left] = right             # it says nothing about the angle alone
        self.vocabulary._found.clear()
        return None

    def _follows(self, left, right):
        """Nothing is learnt from an equation that holds in every motion; one that does not is refused."""
        with mpmath.workdps(DIGITS):
            state = self.vocabulary.driven(draw(self.names.system, 0, 1, self.vocabulary.fixed)[0])
            if abs(self.vocabulary.evaluated(right, state) - self.vocabulary.values(state, [left])[left]) > 1e-20:
                raise BadGiven(f"given says that {to_text(left)} is {to_text(right)}, which is not so in every motion. "
                               f"{_SPECIAL}")

    def _assume(self, name, right):
        parameters = self.names.parameters
        if name == "t" or (name.startswith(("qd", "lam")) and name not in parameters):
            raise BadGiven(f"given says what {name} is. {_SPECIAL}")
        moving = sorted(s.name for s in symbols(self.vocabulary.told_in(right)) if s.name not in parameters)
        if moving and name in parameters:
            raise BadGiven(f"given says what {name}, a parameter of the model, is by {moving[0]}, which is none. If "
                           f"{name} is to be a name of your own, take another one.")
        self.vocabulary.assumptions[name] = right

    def _solve(self, left, right):
        """Define the new symbol of an equation in which it is not alone on the left; the equation is linear in it."""
        residual, left_own = self.vocabulary.told_in(difference(left, right)), getattr(left, "name", None)
        new = [s for s in self._new(residual) if not s.dots]
        found = {s: self.names.find(s.name)[0] for s in new}
        meant = [s for s in new if found[s] == left_own] or [s for s in new if not found[s]] or new
        if not meant:
            raise BadGiven("given contains an equation without a new symbol. Define one: 'theta2 = q1 + q2'.")
        name, tree = meant[-1].name, left if right == meant[-1] else solved(residual, meant[-1])
        if tree and left_own in self.names.q and {*self.names.q} & self.vocabulary.own_symbols(
                symbols(differentiate(residual, meant[-1]))):
            raise BadGiven(f"given says what the coordinate {left_own} is by {to_text(right)}, where {name} is no "
                           "coordinate, since it multiplies one. Say what your names are, one by one.")
        if tree is None:
            raise BadGiven(f"given contains an equation that is not linear in {name}. Solve it for {name} first and "
                           f"write '{name} = ...'.")
        self._define(name, tree)

    # Forces

    def _learn_force(self, left, right, new):
        """Another name of the force of a joint, tau1 = F; or its law, in which new names are constants."""
        driven = int(left.name[3:]) - 1 in self.vocabulary.prescribed       # by whatever force it takes
        if len(new) == 1 and (driven or {s.name for s in symbols(right)} <= {*new, *self.names.parameters}):
            return self._solve(left, right)
        for name in filter(self._is_of_force, new):
            self._define(name, some_value(name))
        return self._assume(left.name, right)

    def _is_of_force(self, name):
        """True if a name in a force law is a constant of the learner's, such as that of a spring."""
        found = self.names.find(name)[0]
        if not self.names.in_capitals(name, found):
            return not found or found.startswith("tau") or compact(self.names.called.get(found, name)) != compact(name)
        if not any(compact(found) in told for told in self.told):
            raise BadGiven(f"given has {name}, and the model has {found}. Say whether they are the same: '{name} = "
                           f"{found}', or '{name} = const'.")
        return True

    def _refuse_both(self, left, new):
        """Refuse theta = phi + psi where either name could be that of a coordinate."""
        if len(both := [name for name in sorted(new) if self.names.find(name)[0] in self.names.q]) > 1:
            raise BadGiven(f"given says what {left.name} is by {' and '.join(both)}, which are no names of this model. "
                           f"Say what one of them is, too: '{both[0]} = ...'.")

    def _refuse_either(self, left, right, new):
        """Refuse theta = phi + pi/2 where either name could be that of a coordinate of the model; and theta = pi/6."""
        own, other = self.names.find(left.name), next(iter(new), left.name)
        named = any(tree == Symbol(own[0]) for _, tree in self.equations) or self._is_used(left)
        named |= bool(self.names.model.loops)
        if own[0] in self.names.q and not (own[1] or named or self._can_be_own(own[0], right)):
            raise BadGiven(f"given says what {left.name} is, and the model has {own[0]}, which it could be. Say "
                           f"'{own[0]} = ...' if that is held there, or tied so; or give what is yours another name.")
        if own[0] in self.names.q and len(new) == 1 and other != left.name and self.names.find(other) == own:
            raise BadGiven(f"given has {left.name} and {other}, and the model has one coordinate that either could be. "
                           f"Say which is the model's: '{left.name} = {own[0]}', or '{other} = {own[0]}'.")

    def _can_be_own(self, own, right):
        """True if a coordinate's name may be the learner's for a formula; not of theta = pi/6, or of x = l*theta."""
        moving = [s for s in symbols(right) if self.names.find(s.name)[0] in self.names.q]
        if not moving or any(isinstance(node, Function) for node in postorder(right)):
            return bool(symbols(right))
        used = {self.names.find(s.name)[0] for s in moving}
        return own in used or any(slope in (ONE, minus(ONE)) for slope in (differentiate(right, s) for s in moving))

    def _is_force_law(self, left, right):
        """True if an equation says what the force of a joint is: tau_phi = ..., F = F_0*cos(w*t)."""
        found, used = self.names.find(left.name), {s.name for s in symbols(right)}
        forces = any(self.names.find(name)[0].startswith("tau") for name in used & self.names.own)
        return (found[0].startswith("tau") and found[0] not in self.names.parameters and not left.dots and not forces
                and (compact(left.name).startswith("tau") or "t" in used))

    # Motions

    def _prescribe(self, left, right=None):
        """True if ``left = right`` prescribes the motion of a joint: phi = Omega*t, phi' = 2*pi*n, y = a*cos(w*t).

        Without ``right`` it is not said which motion.
        """
        own, dots = self._coordinate(left) if isinstance(left, Symbol) else ("", 0)
        if own not in self.names.q or self.names.shifted or self.names.model.loops or dots > 2 or (
                self.vocabulary.prescribed.get(self.names.q.index(own), (dots,))[0] < dots):       # it follows
            return False
        if dots and not left.dots and left.name not in self.names.own:          # omega may be anything
            return False
        if right is not None:
            tree = self.vocabulary.told_in(right)
            used, new = ({s.name for s in found} for found in (symbols(tree), self._new(tree)))
            new -= {*self.names.called.values()}
            named = isinstance(right, Symbol) and right.name in new - {*CONSTANT}       # x' = v gives the rate a name
            called = {own, compact(self.names.called.get(own, left.name))}
            held = self._own(left).name in self.names.q and not new         # gamma = pi/6
            if named or used - new - {"t", "g", *self.names.parameters} or not (dots or "t" in used or held):
                return False
            for name in new:                            # constants of the motion
                self._define(name, some_value(name))
            if compact(left.name) not in called and self._is_used(left):
                self._define(left.name, right)          # z in tau_x = k z, where the coordinate is x
                return True
        place = self.names.q.index(own)
        self.vocabulary.prescribed[place] = dots, right
        if tied := self.vocabulary.tied.pop(place, None):           # then another coordinate depends on it
            self.constraints.hold(difference(Symbol(own), tied), None, f"{own} = {to_text(tied)}")
        self.vocabulary.guessed[own] = (
            f"The motion of {self.names.called.get(own, left.name)} is prescribed: the force at that joint is whatever "
            "this demands.")
        return True

    def _coordinate(self, symbol):
        """(own name, dots) of a symbol that stands for a coordinate of the model or for its rate."""
        meaning, dots = self.vocabulary.meaning(symbol, by="given")
        if isinstance(meaning, Definition):             # another name of it
            symbol = meaning.tree
            meaning, dots = (symbol.name, symbol.dots + dots) if isinstance(symbol, Symbol) else ("", 0)
        return self.vocabulary.dotted(meaning or "", dots)


def _in_order(equations, names):
    """The equations so that it is said what a name is before others use it; as they are if that cannot be."""
    told, models = {}, names.own | {*names.called.values()}
    equations = sorted(equations, key=lambda sides: getattr(sides[1], "name", "") not in CONSTANT)
    for k, (left, right) in enumerate(equations):       # theta1 = phi1 says what phi1 is
        for side in (left, right) if getattr(left, "name", "") in models and not getattr(left, "dots", 0) else (left,):
            if isinstance(side, Symbol) and not side.dots and side.name not in names.own:
                told.setdefault(compact(side.name), []).append(k)
    before = {k: [i for s in symbols(right) if k not in (said := told.get(compact(s.name), ())) for i in said]
              for k, (_, right) in enumerate(equations)}
    try:
        return [equations[k] for k in graphlib.TopologicalSorter(before).static_order()]
    except graphlib.CycleError:
        return equations
