"""What the symbols of an answer mean, and their values: the model's own names, aliases, definitions, abbreviations."""

import contextlib
import functools
import re
from typing import Any

from rbdlib.verification.meaning.aliases import ANGLES, Names, UnknownSymbol, compact, shorthand, spelled_rates
from rbdlib.verification.meaning.definitions import Definition
from rbdlib.verification.meaning.given import BadGiven
from rbdlib.verification.meaning.phrases import guess, suggestion
from rbdlib.verification.trees.calculus import carried_out, plus, time_derivative
from rbdlib.verification.trees.expression import evaluate, substitute, to_text
from rbdlib.verification.trees.nodes import Function, Operation, Symbol, postorder, symbols


class Meanings:
    """What symbols mean: the part of a `Vocabulary` that looks them up.

    names: the `Names` of the model. definitions: {compact name: Definition}. rules: {formula: formula}, such as
    cos(theta): s/l. guessed: {name: sentence}, what was taken for granted. prescribed: {place: (dots, tree or None)} of
    the joints whose motion given states. tied: {place: tree of other coordinates}. assumptions: {own name: tree}.
    """

    #: The class of the names, which others may replace.
    names_of: Any = Names

    def __init__(self, model):
        self.names: Any = self.names_of(model)
        self.definitions, self.assumptions, self.rules, self.guessed = {}, {}, {}, {}
        self.prescribed, self.tied, self.constants, self.unknowns = {}, {}, set(), set()
        self._before, self._found = {}, {}

    def define(self, name, tree, by="answer"):
        """Learn what a name stands for, in the learner's own symbols; by: where he says so, "answer" or "given"."""
        before = self.definitions.get(compact(name))
        if before and by == before.by == "given" and before.tree != tree:
            raise BadGiven(f"given says twice what {name} is: {to_text(before.tree)} and {to_text(tree)}.")
        self.definitions[compact(name)] = Definition(name, tree, by)
        self._found.clear()

    def forget(self, name):
        """Unlearn the definition of a compact name."""
        del self.definitions[name]
        self._found.clear()

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
        with self._asking(), contextlib.suppress(UnknownSymbol):
            return self._meaning(symbol, used, by, active)
        return None, 0

    @contextlib.contextmanager
    def _asking(self):
        """To ask for a meaning is not to use it: nothing is noted as taken for granted."""
        told, self.guessed = self.guessed, {}
        try:
            yield
        finally:
            self.guessed = told

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
            if found in self.names.q and not (dots and re.match("omega|w|alpha", compact(name))):
                self._refuse_two_letters(name, found, () if dots else used)
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
        stated = next((definition.name for definition in self.definitions.values() if definition.tree == Symbol(own)
                       and definition.by == "given"), name)
        if stated[:2] != name[:2] or re.sub(r"\D", "", stated) != re.sub(r"\D", "", name):       # th1 is theta1
            raise UnknownSymbol(f"{name} is none of your names: given says that {own} is {stated}. Write {stated}; or "
                                f"say what {name} is: given=\"{name} = ...\".", name, (stated,))
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
        if len({(letter, digit) for letter, digit, _ in angles}) < len(angles):
            return None                                 # c_{211}: one of Christoffel's symbols
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
        force = (f"; or, for a force that your equations determine, given=\"unknown: {symbol.name}\""
                 if re.fullmatch(r"[SNRFTf](?:_?\w{1,2})?", symbol.name) else "")
        return UnknownSymbol(
            f"The symbol {symbol.name} is not one of this model's. {hint}The model has {self.names.listed()}. If "
            f"{symbol.name} is your name for something, say what it is: given=\"{symbol.name} = "
            f"{near[0] if near else '...'}\"{force}.", symbol.name, near)

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

    def evaluated(self, tree, state):
        """The value in a `State` of a formula that given states."""
        return evaluate(tree, self.values(state, symbols(tree), by="given"))

    def _formula(self, symbol, used, by="answer", active=(), literal=True):
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

    def own_symbols(self, wanted):
        """The model's own names of which symbols are made, definitions included; those without meaning are left out."""
        found, used = set(), [symbol.name for symbol in wanted]

        @functools.cache
        def look_up(symbol, *how):
            with contextlib.suppress(UnknownSymbol):
                tree, parts, dots = self._formula(symbol, used, *how)
                if isinstance(tree, str):
                    found.add(self.rated(tree, dots)[0])
                for part, how_meant in parts:
                    look_up(part, *how_meant)

        with self._asking():
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

    def told_in(self, tree):
        """A tree with what other equations of given say of the new names in it."""
        return substitute(tree, {symbol: known.tree for symbol in symbols(tree) if symbol.name not in self.names.own
                                 and not symbol.dots and (known := self.definitions.get(compact(symbol.name)))})
