"""The meaning of the symbols of an answer: the model's own names, aliases, and what the learner states in ``given``.

    Vocabulary(model, "theta2 = q1 + q2")           absolute angles: dots on theta2 follow by differentiation
    Vocabulary(model, {"M": "m_cart", "a": "l/2"})  other names, half-lengths
    Vocabulary(model, "m1 = m2 = m; tau2 = 0")      a special case: compared for equal masses, without that torque
"""

import copy
import functools
import graphlib
import re
from dataclasses import replace

import mpmath
import numpy as np

from rbdlib.book.ch08_elimination import eliminate
from rbdlib.verification.meaning.aliases import ANGLES, Names, UnknownSymbol, compact, shorthand, spelled_rates
from rbdlib.verification.meaning.answer_lines import symbols_in_order
from rbdlib.verification.meaning.definitions import Definition, as_power, root, solved
from rbdlib.verification.meaning.given import BadGiven, Stated
from rbdlib.verification.meaning.motions import Motions
from rbdlib.verification.meaning.phrases import CONSTANT, guess, some_value, suggestion
from rbdlib.verification.mechanics.basics import inverse, once_for_each
from rbdlib.verification.mechanics.quantities import in_coordinates
from rbdlib.verification.mechanics.states import DIGITS, Altered, draw
from rbdlib.verification.trees.calculus import carried_out, difference, differentiate, plus, time_derivative
from rbdlib.verification.trees.dimensions_of_model import dimensions_of, in_words
from rbdlib.verification.trees.expression import evaluate, substitute, to_text
from rbdlib.verification.trees.nodes import (
    TWO,
    ZERO,
    Equation,
    Function,
    Operation,
    Symbol,
    derivative,
    postorder,
    symbols,
)

#: Positions for which it is kept how coordinates change.
_MOST_KEPT = 200
_SPECIAL = ("Special cases can be stated for parameters and forces only; leave it out, and the answer is compared in "
            "every state.")



class Vocabulary(Motions):
    """The meaning of every symbol of an answer.

    model: a `Model`. given: what the learner states beforehand: text with equations, separated by commas, semicolons
    or line ends; a dict {name: formula}, whose names are the learner's; or a list of both. Formulas are text, numbers
    or SymPy expressions in the model's own symbols. An equation may define a new symbol ("a1 = l1/2"), give a name of
    the model another meaning ("q2 = q1 + q2": the learner's q2 is absolute), define the model's symbol by new ones
    ("q2 = theta2 - theta1"), or state a special case for parameters and forces ("m1 = m2", "tau2 = 0").
    "theta2 from the downward vertical" (upward vertical, horizontal) states an absolute angle, positive in the sense of
    the joint; "absolute angles", "theta clockwise", "angles in degrees", "l1 is half the length", "J about the pivot",
    "m1 in kg" and the like are understood, too (see `phrases`). "spring k at q1, at rest at l0", "damper c at x" state
    what acts at a joint; "phi = Omega*t" or "phi is prescribed", a motion whose force is whatever it demands; and
    "x = r*phi" or "y = a*x^2", about coordinates of the model, constraints.
    "order: q2, q1" states the order of coordinates, "unknown: f, N" names forces that the motion determines; "hybrid",
    "frames = DH classic" or "Spong" state frames and conventions (see `mechanics.declared`). Raises `BadGiven` (a
    ValueError).

    names: the `Names` of the model. definitions: {compact name: Definition}. assumptions: {own name: tree}. order: None
    or a list of places. rules: {formula: formula}, such as cos(theta): s/l. unknowns: names of constraint forces.
    remarks: sentences on what was taken for granted. how: what is declared about frames and conventions.
    """

    #: The classes of the names, and of the search for reasons (None for `diagnosis.Search`), which others may replace.
    names_of, searched_by = Names, None

    def __init__(self, model, given=None):
        self.names = self.names_of(model)
        self.definitions, self.assumptions, self.rules, self.guessed = {}, {}, {}, {}
        self.prescribed, self.tied = {}, {}
        self._before, self._found = {}, {}
        stated = Stated(given, self.names)
        self.order, self.unknowns = stated.order, {compact(name) for name in stated.unknowns}
        self.order_names, self.how = stated.order_names, stated.how
        self.units = {compact(name): dimension for name, dimension in stated.units.items()}
        self.constants = {compact(left.name) for left, right in stated.equations if isinstance(left, Symbol)
                          and isinstance(right, Symbol) and right.name in CONSTANT}
        self._called = {Symbol(name): Symbol(own) for own, name in self.names.called.items()}
        equations = [(left, right) for left, right in stated.equations
                     if self._called.get(left, left) != self._called.get(right, right)]
        self._told = [{compact(s.name) for s in symbols(right)} for _, right in equations]
        self._lefts = {self._called.get(left, left) for left, right in equations
                       if any(self._called.get(s, s).name in self.names.q for s in symbols(right))}
        for left, right in _in_order(equations, self.names):
            if compact(getattr(left, "name", "")) in self.constants and getattr(right, "name", "") in CONSTANT:
                if sum(other == left for other, _ in equations) > 1:            # another equation says what it is
                    continue
                right = some_value(left.name)
            self._prescribe(left, right) or self._tie(left, right) or self._learn(left, right)
        for symbol in stated.prescribed:
            if not self._prescribe(symbol):
                raise BadGiven(f"given says that {symbol.name} is prescribed, which is no coordinate of this model. "
                               f"Name one of {', '.join(self.names.q)}.")
        self._refuse_what_is_not_defined()
        own = dimensions_of(self.names) if stated.units else {}
        for name, dimension in stated.units.items():
            found, dots = self.names.find(name)
            known = None if dots or compact(name) in self.definitions else own.get(found, dimension)
            if known not in (None, dimension):
                raise BadGiven(f"given states {in_words(dimension)} for {name}, but it is {found}, whose unit is "
                               f"{in_words(known)}.")

    def _refuse_what_is_not_defined(self):
        """Refuses names that stand for each other or for what the model has not, and coordinates that others fix."""
        made_of = {name: {compact(symbol.name) for symbol in symbols(definition.tree)
                          if symbol.name not in self.names.own} for name, definition in self.definitions.items()}
        try:
            graphlib.TopologicalSorter(made_of).prepare()
        except graphlib.CycleError as error:
            found = next(definition for name, definition in self.definitions.items() if name in error.args[1])
            raise BadGiven(f"given says what {found.name} is by {to_text(found.tree)}, and that by {found.name}. Say "
                           "what one of them is in the symbols of the model.") from None
        for definition in self.definitions.values():
            foreign = next((s.name for s in symbols(definition.tree) if re.fullmatch(r"(q|qd|qdd|tau)\d+", s.name)
                            and s.name not in self.names.own), None)
            if foreign and compact(foreign) not in self.definitions:
                raise BadGiven(f"given says what {definition.name} is by {foreign}, which this model has not got. It "
                               f"has {self.names.listed()}.")
        new = self.coordinates()
        if new and not are_independent(self, *new):
            raise BadGiven(f"given makes the coordinates {', '.join(s.name for s in new)} depend on each other. The "
                           f"model has {len(new)} freedoms: name as many that can be chosen freely.")

    # Learning from an equation

    def _learn(self, left, right):
        own, called = self.names.own, self._called
        if left in called and left in symbols(right):   # theta2 = theta1 + theta2: the learner's is absolute
            left, right = called[left], substitute(right, called)
        new = [s.name for s in symbols(right) if s.name not in own and compact(s.name) not in self.definitions]
        fresh = {*new} - {s.name for s in called}
        if left in called and compact(left.name) not in self.definitions and fresh:
            return self._learn_by_new(left, right, fresh)
        if isinstance(left, Symbol) and left.name not in own and self._is_force_law(left, right):
            left = Symbol(self.names.find(left.name)[0])
        if isinstance(left, Symbol) and not left.dots:
            if left.name not in own:
                self._refuse_either(left, fresh)
                return self.define(left.name, right, "given")
            if self.names.model.loops and left.name in self.names.q and not new and left not in symbols(right):
                return self._follows(left, right)
            forces = {s.name for s in (left, right) if isinstance(s, Symbol) and re.fullmatch(r"tau\d+", s.name)}
            renamed = len(forces) == 2 and not forces & {*self.names.parameters}
            if not new and (left.name in self.names.q or left in symbols(right) or renamed):
                if not symbols(right):
                    raise BadGiven(f"given says that {left.name} has one value. {_SPECIAL}")
                return self.define(left.name, right, "given")
            if left.name.startswith("tau") and left.name not in self.names.parameters:
                return self._learn_force(left, right, new)
            if not new:
                return self._assume(left.name, right)
        elif isinstance(left, Symbol) and not new and self.knows(left):
            return self._follows(left, right)
        power = as_power(left)
        if power and power[0].name not in own:
            return self.define(power[0].name, root(right, power[1]), "given")
        if not isinstance(left, Function) or not isinstance(left.arguments[0], Symbol):
            return self._solve(left, right)
        if isinstance(right, Symbol) and not right.dots and right.name not in own:
            return self.define(right.name, left, "given")
        if left.arguments[0].name in own:
            raise BadGiven(f"given says what {to_text(left)} is. Give it a name: 'c = {to_text(left)}'.")
        self.rules[left] = right                        # it says nothing about the angle alone
        self._found.clear()
        return None

    def _follows(self, left, right):
        """Nothing is learnt from an equation that holds in every motion; one that does not is refused."""
        with mpmath.workdps(DIGITS):
            (state,) = draw(self.names.system, 0, 1, self.fixed)
            if abs(self._evaluated(right, state) - self.values(state, [left])[left]) > 1e-20:
                raise BadGiven(f"given says that {to_text(left)} is {to_text(right)}, which is not so in every motion. "
                               f"{_SPECIAL}")

    def _learn_by_new(self, left, right, new):
        """What a new name is by the model's name of a coordinate on the left: r = l0 + x says what x is."""
        if len(both := [name for name in sorted(new) if self.names.find(name)[0] in self.names.q]) > 1:
            raise BadGiven(f"given says what {left.name} is by {' and '.join(both)}, which are no names of this model. "
                           f"Say what one of them is, too: '{both[0]} = ...'.")
        self._solve(self._called[left], substitute(right, self._called))

    def _learn_force(self, left, right, new):
        """Another name of the force of a joint, tau1 = F; or its law, in which new names are constants."""
        driven = int(left.name[3:]) - 1 in self.prescribed                  # by whatever force it takes
        if len(new) == 1 and (driven or {s.name for s in symbols(right)} <= {*new, *self.names.parameters}):
            return self._solve(left, right)
        for name in filter(self._is_of_force, new):
            self.define(name, some_value(name), "given")
        return self._assume(left.name, right)

    def _is_of_force(self, name):
        """True if a name in a force law is a constant of the learner's, such as that of a spring."""
        found = self.names.find(name)[0]
        if not self.names.in_capitals(name, found):
            return not found or found.startswith("tau") or compact(self.names.called.get(found, name)) != compact(name)
        if not any(compact(found) in told for told in self._told):
            raise BadGiven(f"given has {name}, and the model has {found}. Say whether they are the same: '{name} = "
                           f"{found}', or '{name} = const'.")
        return True

    def _refuse_either(self, left, new):
        """Refuse theta = phi + pi/2 where either name could be that of a coordinate of the model."""
        own, other = self.names.find(left.name), next(iter(new), left.name)
        if own[0] in self.names.q and len(new) == 1 and other != left.name and self.names.find(other) == own:
            raise BadGiven(f"given has {left.name} and {other}, and the model has one coordinate that either could be. "
                           f"Say which is the model's: '{left.name} = {own[0]}', or '{other} = {own[0]}'.")

    def _is_force_law(self, left, right):
        """True if an equation says what the force of a joint is: tau_phi = ..., F = F_0*cos(w*t)."""
        found, used = self.names.find(left.name), {s.name for s in symbols(right)}
        forces = any(self.names.find(name)[0].startswith("tau") for name in used & self.names.own)
        return (found[0].startswith("tau") and found[0] not in self.names.parameters and not left.dots and not forces
                and (compact(left.name).startswith("tau") or "t" in used))

    def _told_in(self, tree):
        """A tree with what other equations of given say of the new names in it."""
        return substitute(tree, {symbol: known.tree for symbol in symbols(tree) if symbol.name not in self.names.own
                                 and not symbol.dots and (known := self.definitions.get(compact(symbol.name)))})

    def _assume(self, name, right):
        parameters = self.names.parameters
        if name == "t" or (name.startswith(("qd", "lam")) and name not in parameters):
            raise BadGiven(f"given says what {name} is. {_SPECIAL}")
        moving = sorted(s.name for s in symbols(self._told_in(right)) if s.name not in parameters)
        if moving and name in parameters:
            raise BadGiven(f"given says what {name}, a parameter of the model, is by {moving[0]}, which is none. If "
                           f"{name} is to be a name of your own, take another one.")
        self.assumptions[name] = right

    def define(self, name, tree, by="answer"):
        """Learn what a name stands for, in the learner's own symbols; by: where he says so, "answer" or "given"."""
        before = self.definitions.get(compact(name))
        if before and by == before.by == "given" and before.tree != tree:
            raise BadGiven(f"given says twice what {name} is: {to_text(before.tree)} and {to_text(tree)}.")
        self.definitions[compact(name)] = Definition(name, tree, by)
        self._found.clear()

    def takes_coordinate(self, name, tree):
        """True if a name could be defined as one of the learner's coordinates, so that all can be chosen freely."""
        self.define(name, tree, "given")
        new = self.coordinates()
        if new and not are_independent.__wrapped__(self, *new):
            self.forget(compact(name))
            return False
        return True

    def forget(self, name):
        """Unlearn the definition of a compact name."""
        del self.definitions[name]
        self._found.clear()

    def with_definitions(self, definitions):
        """A copy that has further definitions, a dict {compact name: Definition}."""
        new = copy.copy(self)
        new.definitions, new._found = self.definitions | definitions, {}
        return new

    def _solve(self, left, right):
        """Define the new symbol of an equation in which it is not alone on the left; the equation is linear in it."""
        residual, own, left_own = self._told_in(difference(left, right)), self.names.own, getattr(left, "name", None)
        new = [s for s in symbols_in_order([residual]) if s.name not in own and not s.dots
               and compact(s.name) not in self.definitions]
        found = {s: self.names.find(s.name)[0] for s in new}
        meant = [s for s in new if found[s] == left_own] or [s for s in new if not found[s]] or new
        if not meant:
            raise BadGiven("given contains an equation without a new symbol. Define one: 'theta2 = q1 + q2'.")
        name, tree = meant[-1].name, left if right == meant[-1] else solved(residual, meant[-1])
        if tree and left_own in self.names.q and {*self.names.q} & self.own_symbols(
                symbols(differentiate(residual, meant[-1]))):
            raise BadGiven(f"given says what the coordinate {left_own} is by {to_text(right)}, where {name} is no "
                           "coordinate, since it multiplies one. Say what your names are, one by one.")
        if tree is None:
            raise BadGiven(f"given contains an equation that is not linear in {name}. Solve it for {name} first and "
                           f"write '{name} = ...'.")
        self.define(name, tree, "given")

    def known_names(self):
        """All names that have a meaning as they stand, for the reader of formulas: a set. A rate such as yd is one."""
        own = {definition.name for definition in self.definitions.values()}
        moving = [name for name in own if self.own_symbols([Symbol(name)]) & {*self.names.q}]
        return self.names.own | own | {name + ending for name in moving for ending in ("d", "dd")}

    def explains(self, symbol):
        """True if a `Symbol` is one of the model's own names, a defined one or an abbreviation, and no mere alias."""
        return compact(symbol.name) in {*self.names.compacted, *self.definitions} or bool(self._abbreviation(symbol))

    def knows(self, symbol):
        """True if a `Symbol` means anything here."""
        return self.meaning(symbol)[0] is not None and compact(symbol.name) not in self.unknowns

    def meaning(self, symbol, used=(), by="answer", active=()):
        """(Definition, dots to put on it), or (own name, dots), or (None, 0) for a `Symbol` that means nothing.

        used: other names of the answer. by, active: whose symbol it is, and the definitions in which it stands.
        """
        told, self.guessed = self.guessed, {}           # to ask is not to use
        try:
            return self._meaning(symbol, used, by, active)
        except UnknownSymbol:
            return None, 0
        finally:
            self.guessed = told

    def remarks(self, forces=True):
        """Sentences on what was taken for granted, a tuple. forces: whether those on forces matter."""
        special = [f"Compared for {name} = {to_text(tree)}, as given states." for name, tree in self.assumptions.items()
                   if forces or name in self.names.parameters]
        return (*special, *self.guessed.values())

    # The meaning of a symbol

    def _meaning(self, symbol, used, by="answer", active=(), literal=True):
        """A Definition with the number of dots to put on it, or (own name, dots)."""
        name, own, open_to_me = symbol.name, self.names.own, self.definitions.keys() - {*active}
        if compact(name) in open_to_me and not (by == "given" and name in own):
            return self.definitions[compact(name)], symbol.dots
        for base, dots in () if name in own else spelled_rates(name):
            if base in open_to_me:
                return self.definitions[base], symbol.dots + dots
        if symbol.dots and literal and self.names.shifted and re.fullmatch(r"q\d+", name):
            return f"qd{name[1:]}", symbol.dots - 1                  # qd5 is the fifth velocity variable
        for rule in self.rules:
            if compact(rule.arguments[0].name) == compact(name):
                raise UnknownSymbol(f"given says what {to_text(rule)} is, but not {name} itself, whose sign that "
                                    f"leaves open. Write given=\"{name} = ...\".", name)
        if compact(name) not in self.names.compacted and (short := self._abbreviation(symbol)):
            return short, symbol.dots
        found, dots = self.names.find(name, used)
        if found:
            if by == "answer" and compact(found) in open_to_me:
                return self.definitions[compact(found)], dots + symbol.dots
            if found in self.names.q and not dots:
                self._refuse_two_letters(name, found, used)
            if self.names.in_capitals(name, found) and found in used:
                raise UnknownSymbol(f"Your answer has both {name} and {found}, and the model has {found} only. Write "
                                    f"one of them, or say what {name} is: given=\"{name} = ...\".", name, (found,))
            if found in self.names.parameters and compact(found) != compact(name):
                self.guessed[compact(name)] = f"{name} was taken for {found}."
            return found, dots + symbol.dots
        guessed = guess(self.names, name)               # it can mean one thing only
        if guessed is None:
            raise self._unknown(symbol, used)
        self.guessed[compact(name)] = guessed[1]
        return Definition(name, guessed[0], "given"), symbol.dots

    def _refuse_two_letters(self, name, own, used):
        """Refuse a name that could be a coordinate's if the answer has another one for it."""
        if compact(name) in (own, compact(self.names.called.get(own, own))):
            return
        other = next((other for other in used if compact(other) not in {compact(name), own, *self.definitions}
                      and self.names.find(other, used) == (own, 0) and not self._abbreviation(Symbol(other))), None)
        if other is not None:
            raise UnknownSymbol(f"Your answer has both {name} and {other}, and the model has one coordinate that "
                                f"either could be. Write {other} throughout; or say what {name} is: given=\"{name} = "
                                "...\".", name, (other,))

    def refuse_accelerations_as_angles(self, trees, used):
        """Refuse alpha where it would be an acceleration but stands in a sine or cosine."""
        for symbol in (s for tree in trees for node in postorder(tree) if isinstance(node, Function)
                       for s in symbols(node) if compact(s.name) not in self.definitions):
            if self.names.find(symbol.name, used)[1] == 2 and not symbol.dots:
                raise UnknownSymbol(f"{symbol.name} stands in a function of angles here, but beside the other names of "
                                    "your answer it is an acceleration. Write the name of the angle; or say what "
                                    f"{symbol.name} is: given=\"{symbol.name} = ...\".", symbol.name)

    def _abbreviation(self, symbol):
        """s12 = sin(q1 + q2), s_{1-2}, s_theta, theta12 = theta1 + theta2, as a Definition; None for other names."""
        function, angles = shorthand(compact(symbol.name))
        signed = []
        for letter, digit, is_negative in angles:
            own = f"q{digit}"
            if not letter and not any(x.name == own and x.kind == "angle" for x in self.names.coordinates):
                return None
            defined = [name for a in ([letter] if letter else ANGLES) if (name := f"{a}{digit}") in self.definitions]
            name = [*defined, f"{letter}{digit}" if letter else self.names.called.get(own, own)][0]
            stated = self.definitions.get(compact(name))
            if not self.names.find(name)[0] if stated is None else function is None and not isinstance(
                    stated.tree, Symbol):               # theta12 of angles that are other than the model's may be none
                return None
            signed.append(Operation("neg", (Symbol(name),)) if is_negative else Symbol(name))
        if not signed:
            return None
        total = plus(*signed)
        return Definition(symbol.name, total if function is None else Function(function, (total,)), "answer")

    def _unknown(self, symbol, used):
        rate = re.fullmatch(r"(?:omega|w)([1-9]?)", compact(symbol.name))
        turning = self.names.coordinates[int(rate[1] or 1) - 1 :][:1] if rate else ()
        near = [f"{self.names.called.get(x.name, x.name)}'" for x in turning if x.kind == "angle"] or self.names.near(
            symbol.name, used)
        hint = suggestion(self.names, symbol.name) or (f"Did you mean {' or '.join(near)}? " if near else "")
        hint = "Leave units out. " if symbol.name in ("J", "N", "W", "kg", "rad", "Nm") else hint
        return UnknownSymbol(
            f"The symbol {symbol.name} is not one of this model's. {hint}The model has {self.names.listed()}. If "
            f"{symbol.name} is your name for something, say what it is: given=\"{symbol.name} = "
            f"{near[0] if near else '...'}\".", symbol.name, near)

    # Values

    def values(self, state, wanted, extra=None, by="answer"):
        """The value of each `Symbol` of ``wanted`` in a `State`, a dict. Raises `UnknownSymbol` (a ValueError).

        extra: {name: mpmath number}, further names that have a value, before all aliases.  by: as for `meaning`.
        """
        extra, used = extra or {}, tuple(symbol.name for symbol in wanted) if by == "answer" else ()
        found = self._found.setdefault(("formulas", used), {})

        @functools.cache
        def value(symbol, by="answer", active=(), literal=True):
            if symbol.name in extra and not symbol.dots and symbol.name not in self.names.own:
                return extra[symbol.name]
            key = symbol, by, active, literal
            if key not in found:
                found[key] = self._formula(symbol, used, by, active, literal)
            tree, parts, dots = found[key]
            if isinstance(tree, str):
                return self.own_value(tree, dots, state)
            return evaluate(tree, {part: value(part, *how) for part, how in parts})

        return {symbol: value(symbol, by) for symbol in wanted}

    def _evaluated(self, tree, state):
        """The value in a `State` of a formula that given states."""
        return evaluate(tree, self.values(state, symbols(tree), by="given"))

    def _formula(self, symbol, used, by, active, literal):
        """(own name, (), dots), or (formula, pairs of its symbols and how each is meant, 0), for a symbol."""
        meaning, dots = self._meaning(symbol, used, by, active, literal)
        if not isinstance(meaning, Definition):
            return meaning, (), dots
        tree, inner = meaning.tree, (*active, compact(meaning.name))
        if dots and meaning.by == "given" and self.names.shifted:       # its qd1, read as the rate of q1, is none
            tree = substitute(tree, {s: Symbol(f"qd{s.name[1:]}", s.dots - 1) for s in symbols(tree)
                                     if s.dots and re.fullmatch(r"q\d+", s.name)})
        for _ in range(dots):
            tree = self.rate(tree)
        return tree, [(s, (meaning.by, inner, not dots)) for s in symbols(tree)], 0

    def own_symbols(self, wanted):
        """The model's own names of which symbols are made, definitions included; those without meaning are left out."""
        found, used = set(), [symbol.name for symbol in wanted]

        @functools.cache
        def look_up(symbol, by="answer", active=()):
            meaning, dots = self.meaning(symbol, used, by, active)
            if isinstance(meaning, Definition):
                tree = meaning.tree
                for _ in range(dots):
                    tree = self.rate(tree)
                for part in symbols(tree):
                    look_up(part, meaning.by, (*active, compact(meaning.name)))
            elif meaning:
                found.add(self.rated(meaning, dots)[0])

        for symbol in wanted:
            look_up(symbol)
        return found

    def spellings(self, used):
        """{own name: the learner's `Symbol` for it}, from the symbols ``used``, definitions, or as a sketch calls it.

        A rate is written as its coordinate is, and a coordinate as its rate.
        """
        inner = (symbols(definition.tree) for definition in self.definitions.values() if definition.by == "answer")
        used = [*used, *sorted(set().union(*inner), key=lambda s: (s.dots, s.name))]
        names = [(symbol, symbol) for symbol in used if compact(symbol.name) not in self.definitions
                 and isinstance(getattr(self.meaning(symbol)[0], "tree", symbol), Symbol)]          # not s12
        names += [(definition.tree, Symbol(definition.name)) for definition in self.definitions.values()
                  if definition.by == "given" and isinstance(definition.tree, Symbol)]
        found = {}
        for meant, symbol in names:
            own = self.own_symbols([meant])
            if len(own) == 1:
                found.setdefault(own.pop(), symbol)
        for x in self.names.coordinates:
            alike = (x.name, x.rate, f"qdd{x.rate[2:]}") if x.rate else ()
            written = [found[own].name for dots, own in enumerate(alike) if own in found and found[own].dots == dots]
            called = self.names.called.get(x.name, x.name)
            name = next(iter(written), x.name if compact(called) in self.definitions else called)
            if name not in self.names.own and x.name not in self.definitions:
                found = {own: Symbol(name, dots) for dots, own in enumerate(alike)} | found
        return found

    def rated(self, name, dots):
        """An own name with dots as (own name, dots) with as few dots as there can be: q1 with two is qdd1 with none."""
        rate = next((x.rate for x in self.names.coordinates if x.name == name), "")
        if rate and dots:
            name, dots = rate, dots - 1
        return (f"qdd{name[2:]}", dots - 1) if dots and re.fullmatch(r"qd\d+", name) else (name, dots)

    def dotted(self, name, dots):
        """The same the other way round, where every velocity variable is a rate: qd1 is q1 with one dot."""
        match = re.fullmatch(r"q(d{1,2})(\d+)", name)
        if match and not self.names.shifted and name not in self.names.parameters:
            return f"q{match[2]}", dots + len(match[1])
        return name, dots

    def is_constant(self, tree):
        """True if a tree is a name for a constant whose value nobody says, such as const."""
        return isinstance(tree, Symbol) and not tree.dots and tree.name not in self.names.own and (
            tree.name in CONSTANT or compact(tree.name) in self.constants)

    def without_constants(self, trees, equations):
        """The trees with equations X = const replaced: where equations are asked for, X' = 0; elsewhere X alone.

        A constant of which given says nothing else is what the first such equation says.
        """
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
        return known, Equation(
            self.carried_out(derivative(residual if known is None else known)), ZERO)

    def rate(self, tree):
        """The time derivative of a tree, whose symbols get one dot more; parameters of the model stay."""
        return time_derivative(tree, self._moves)

    def carried_out(self, tree):
        """The tree with its derivatives carried out, and what given says of functions, such as cos(theta), put in."""
        return carried_out(substitute(tree, self.rules), self._moves, self._before)

    def before(self, tree):
        """The tree that was written for one whose derivatives were carried out here: itself if there were none."""
        return self._before.get(id(tree), (tree, tree))[1]

    def _moves(self, symbol):
        own, _ = self.names.find(symbol.name)
        return compact(symbol.name) in self.definitions or own not in self.names.parameters

    def own_value(self, name, dots, state):
        """The value of an own name of the model, with so many dots, in a `State`."""
        if dots and name in {*self.names.parameters, "g", "t"}:
            return 0 * state.t + (name == "t" and dots == 1)
        if name in state.parameters:
            return state.parameters[name]
        if name == "g":
            return sum(x * x for x in state.model.gravity) ** 0.5
        if name == "t":
            return state.t
        own, left = self.rated(name, dots)
        letter, number = re.findall(r"([a-z]+)(\d+)", own)[0]
        if letter == "q" and left == 1:
            return state.qdot[int(number) - 1]
        if left:
            raise UnknownSymbol(f"{name} has more dots on it than have a meaning here; accelerations are the highest "
                                "derivatives that rbdlib knows.", name)
        return getattr(state, letter)[int(number) - 1]

    @property
    def fixed(self):
        """The function `assumed` for `states.draw`; None where given states no special case, so that draws are kept."""
        return self.assumed if self.assumptions else None

    def assumed(self, parameters):
        """The drawn parameters {name: number}, changed as far as given states a special case."""
        parameters = dict(parameters)
        for name, tree in self.assumptions.items():
            if name in self.names.parameters:
                tree = self._told_in(tree)
                parameters[name] = evaluate(tree, {s: parameters[s.name] for s in symbols(tree)})
        return parameters

    def forces(self, state):
        """The state, with the forces that given states ("tau2 = 0")."""
        tau = state.tau.copy()
        for name, tree in self.assumptions.items():
            if name.startswith("tau") and name not in self.names.parameters:
                tau[int(name[3:]) - 1] = self._evaluated(tree, state)
        return self.driven(state if (tau == state.tau).all() else state.with_forces(tau))

    def stated_forces(self):
        """The model's own names of the forces of which given speaks, as in "tau1 = F", a set."""
        given = [Symbol(definition.name) for definition in self.definitions.values() if definition.by == "given"]
        return {name for name in self.own_symbols(given) if re.fullmatch(r"tau\d+", name)}

    def coordinates(self):
        """The learner's coordinates, a list of Symbols; None if they are the model's.

        One that given defines by others takes the place of the one that has its number (theta2 that of q2); without a
        number that of the last from which it is made.
        """
        if "coordinates" not in self._found:
            self._found["coordinates"] = _coordinates(self)
        return self._found["coordinates"]

    def in_own(self, quantity, value, state):
        """A value of a `Quantity` in the model's coordinates, in the learner's."""
        new = self.coordinates() if quantity.rule else None
        return in_coordinates(quantity, value, state, *self.jacobian(new, state)) if new else value

    def jacobian(self, coordinates, state):
        """A (n x n) and b (n) of the learner's coordinates y: yd = A qd, ydd = A qdd + b, in a `State`."""
        second = [Symbol(y.name, 2) for y in coordinates]
        b = self.values(Altered(state, qdd=0 * state.qd), second)           # so that qdd need not be known
        return self.slopes(coordinates, state), np.array([b[y] for y in second], dtype=object)

    def slopes(self, coordinates, state):
        """A (n x n) of the learner's coordinates y with yd = A qd in a `State`."""
        return self._slopes(coordinates, state)[0].copy()

    def own_forces(self, coordinates, state, forces):
        """Forces (n) of the model's coordinates in the learner's, y with yd = A qd: A^-T forces; the same for None."""
        if not coordinates:
            return forces
        made = self._slopes(coordinates, state)
        if made[1] is None:
            made[1] = inverse(made[0]).T
        return made[1] @ forces

    def _slopes(self, coordinates, state):
        """[A, A^-T or None, ...], made once for each position."""
        kept = self._found.setdefault(("slopes", *coordinates), {})
        key = id(state.q), id(state.parameters), id(state.model), mpmath.mp.dps
        if key not in kept:
            first = [Symbol(y.name, 1) for y in coordinates]
            units = np.eye(len(coordinates), dtype=object) + 0 * state.qd
            rates = [self.values(Altered(state, qd=unit), first) for unit in units]
            A = np.array([[by_unit[y] for by_unit in rates] for y in first], dtype=object)
            if len(kept) > _MOST_KEPT:
                kept.clear()
            kept[key] = [A, None, state.q, state.parameters, state.model]   # which live as long: no other has their ids
        return kept[key]


def _in_order(equations, names):
    """The equations so that it is said what a name is before others use it; as they are if that cannot be."""
    told, models = {}, names.own | {*names.called.values()}
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


# The coordinates of the learner, where what is given defines others than the model's


def _coordinates(vocabulary):
    names, taken = vocabulary.names, {}
    if any(not x.rate for x in names.coordinates):
        return None
    stated, order, in_order = _stated(vocabulary), vocabulary.order or range(len(names.q)), vocabulary.order_names
    if len(stated) != len(names.q):
        for name, own in stated.items():
            named, _ = names.find(name)
            free = [q for q in (named, *sorted(own, reverse=True)) if q in names.q and q not in taken]
            taken |= {free[0]: name} if free else {}
        new = [taken.get(names.q[place], names.q[place]) for place in order]
        if not taken and new == names.q:
            return None
    elif sorted(in_order) == sorted(map(compact, stated)):                  # all anew, and in the order that is stated
        new = sorted(stated, key=lambda name: in_order.index(compact(name)))
    else:                                               # as in the model, by their numbers, or as they are defined
        new, numbers = list(stated), {name: re.sub(r"\D", "", name) for name in stated}
        if all(len(own) == 1 for own in stated.values()):
            new.sort(key=lambda name: names.q.index(*stated[name]))
        elif len({*numbers.values()} - {""}) == len(new):
            new.sort(key=lambda name: int(numbers[name]))
        new = [new[place] for place in order]
    new = [Symbol(names.called.get(name, name)) for name in new]
    return None if vocabulary.tied and not are_independent(vocabulary, *new) else new


def _stated(vocabulary):
    """{name: own coordinates of which it is made} of the definitions that can be coordinates: all else is constant.

    Sines and cosines are abbreviations; so is what has them as factors, such as r*cos(theta), unless there are as many
    as coordinates and all are independent.
    """
    names, stated = vocabulary.names, {}
    for definition in vocabulary.definitions.values():
        found = vocabulary.own_symbols([Symbol(definition.name)]) if definition.by == "given" else set()
        moving = any(s.dots for s in symbols(definition.tree)) or not found <= {*names.q, *names.parameters}
        if found & {*names.q} and not moving:
            stated[definition.name] = found & {*names.q}
    plain, mixed = {}, {}
    for name, own in stated.items():
        functions = [node for node in postorder(vocabulary.definitions[compact(name)].tree)
                     if isinstance(node, Function) and node.name in ("sin", "cos", "tan")]
        plain |= {} if functions else {name: own}
        if not functions or not own <= vocabulary.own_symbols(set().union(*map(symbols, functions))):
            mixed[name] = own
    independent = len(mixed) == len(names.q) and are_independent(vocabulary, *map(Symbol, mixed))
    return mixed if independent else plain


@once_for_each
def are_independent(vocabulary, *new):
    """True if coordinates, Symbols that given defines, can be chosen freely."""
    with mpmath.workdps(DIGITS):
        A = vocabulary.slopes(new, draw(vocabulary.names.system, 0, 1, vocabulary.fixed)[0])
        return eliminate(A, 1e-20).rank == len(new)
