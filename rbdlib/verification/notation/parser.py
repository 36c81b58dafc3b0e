"""The grammar of formulas. What is ambiguous is decided here, and a note says so wherever it matters.

- ``1/2 m v^2`` is (1/2)·m·v², and so are ``1/2mv^2`` and ``\\frac12 m v^2``: a stroke between numbers is a fraction.
- ``a/bc``, with b and c known names, and ``a/2l`` are a/(b·c) and a/(2·l): numbers and names written together without
  space are one denominator. With a space, or before a bracket or a function, the denominator ends: ``g/l sin(q)`` and
  ``g/lsin(q)`` are (g/l)·sin(q). With ``*`` it is as in Python: ``a/b*c`` is (a/b)·c.
- A function without brackets takes one factor, with a number before it and its power: ``sin 2x`` is sin(2x),
  ``sin x^2`` is sin(x²), ``sin a b`` is sin(a)·b, ``sin x cos y`` is a product; ``sin w t`` is sin(w·t), because t is
  the time. A division ends it: ``sin x/2`` is sin(x)/2. ``sin^2 x`` is (sin x)², ``sin^-1 x`` is the inverse function.
- ``m1l1`` is m1·l1, ``l1cos(q1)`` is l1·cos(q1); ``mgl`` is one name unless the known names say
  otherwise, or in LaTeX.
- ``x_dot``, ``q1dot`` and ``qd1`` are rates like ``x'`` and ``\\dot x``; ``\\dot{q}_1^2`` is the square of a rate.
- ``2(3)`` and ``m(a+b)`` are products; ``f(x)`` too, unless f is a function; ``q1(t)`` is q1.
- ``-x^2`` is -(x²); ``x^-1`` is 1/x; ``2^3^2`` is 2^(3²); ``x^1/2`` is (x^1)/2, with a note.
- ``e^x`` is the exponential function, a single ``e`` a symbol. ``|x|`` is the absolute value.
- ``10e-3`` is 0.01; ``1,5`` is refused.
"""

import re
from dataclasses import replace
from fractions import Fraction

from rbdlib.verification.notation import brackets, latex, matrices
from rbdlib.verification.notation.texts import Unreadable
from rbdlib.verification.notation.tokens import Tokens
from rbdlib.verification.notation.unit_names import unit_after
from rbdlib.verification.trees.names import LONGEST_NAME, canonical, function, spelled
from rbdlib.verification.trees.nodes import MOST_DOTS, Constant, Matrix, Number, Operation, Symbol, derivative, symbols

#: How deep formulas may be nested; brackets count, and so do powers of powers and functions of functions.
MOST_DEPTH = 50
#: Strokes that may follow strokes, as in a/b/c, in one answer: each makes the formula deeper.
MOST_STROKES = 50
_MATRIX_NAMES = "Matrix ImmutableMatrix ImmutableDenseMatrix MutableDenseMatrix array matrix list tuple".split()
_AFTER_ENTRY = (",", ";", "&", "\\\\", "newline", "]", "}", ")", "end", ".")
#: Messages for signs that have no meaning in formulas.
_SENSELESS = dict.fromkeys("<>", "An inequality cannot be looked at. Give a formula or an equation.") | {
    "°": "Degrees are not understood in formulas. Write angles in radians, such as pi/6.",
    "!": 'The sign "!" has no meaning here. Write a product out.'}
#: A label above a name, a whole number or a single name in brackets.
_LABEL = re.compile(r"\^\s*\{\s*\(\s*([0-9]|\\?[A-Za-z]+(?:_\{?\w{1,9}\}?)?)\s*\)\s*\}")
#: The sign for degrees after a number.
_DEGREES = re.compile(r"\s*(?:°|\^\s*(?:\\circ|\{\s*\\circ\s*\}))")
#: What stands in an entry of a matrix in place of the one across the diagonal.
_SYMMETRY = ("*", "ast", "star", "sym", "Sym", "symm", "symmetric")
_TOO_LONG = "The name here is too long to be meant."


def formula(text, names=None):
    """The tree of one formula. Raises `Unreadable`."""
    parser = Parser(Tokens(text, names))
    tree = parser.sum()
    if parser.next.kind != "stop":
        parser.unexpected()
    return tree


class Parser:
    """Reads formulas from `Tokens`, one after the other; ``at`` is the index of the next token.

    notes: pairs (span, sentence) on what was decided where a text is ambiguous.
    """

    def __init__(self, tokens):
        self.source, self.names, self.latex = tokens.source, tokens.names, tokens.latex
        self.tokens, self.partner = list(tokens.found), tokens.partner
        self.at, self.depth, self.bars, self.strokes, self.notes = 0, 0, 0, 0, []
        self.matrices, self.defined = brackets.definitions(tokens)
        self.from_zero, self.from_one = brackets.counted(tokens)

    # Tokens

    next = property(lambda self: self.tokens[self.at])

    def sees(self, *signs, ahead=0):
        """True if a token, the next one or one behind it, is one of these signs."""
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)].mark in signs

    def take(self):
        token = self.next
        self.at += token.kind != "stop"
        return token

    def takes(self, *signs):
        """The next token, taken, if it is one of these signs; otherwise None."""
        return self.take() if self.sees(*signs) else None

    def expect(self, sign):
        return self.takes(sign) or self.refuse(f'A "{sign}" is missing here.')

    def refuse(self, reason, at=None):
        """Raises `Unreadable` with the place of a token, given by its index; of the next one if it is None."""
        raise Unreadable(reason, self.source, self.tokens[self.at if at is None else at].start)

    def fitted(self, first, make, *arguments):
        """The tree that ``make`` gives, refused at the first token if it raises `matrices.DoesNotFit`."""
        try:
            return make(*arguments)
        except matrices.DoesNotFit as error:
            return self.refuse(str(error), first)

    def unexpected(self):
        token = self.next
        if token.kind == "stop":
            self.refuse("The formula ends too early: something is missing at its end.")
        if token.text in _SENSELESS:
            self.refuse(_SENSELESS[token.text])
        before = self.tokens[max(self.at - 1, 0)]
        if token.text in ("/", "^", "*") and before.text == token.text and before is not token:
            self.refuse(f"There is one {token.text} too many here.")
        shown = "end of the line" if token.kind == "newline" else self.source[token.start : token.end] or token.text
        mark = "'" if '"' in shown else '"'
        self.refuse(f"The {mark}{shown[:30]}{mark} cannot stand here. Look at what comes before it: is a factor, a "
                    "bracket or a sign missing or too many?")

    def span(self, first):
        """The place from a token's index to the last one taken."""
        return self.tokens[first].start, self.tokens[max(self.at - 1, first)].end

    def note(self, first, sentence):
        if len(self.notes) < 50:
            self.notes.append((self.span(first), f"{sentence}."))

    def made(self, kind, operands, first):
        """The operation with these operands, matrices multiplied out unless the answer has names for others."""
        waits = self.matrices and any(isinstance(operand, Matrix) for operand in operands)
        if waits and any(symbol.name in self.matrices for operand in operands for symbol in symbols(operand)):
            return Operation(kind, tuple(operands), span=self.span(first))
        return self.fitted(first, matrices.operation, kind, operands, self.span(first))

    # Sums and products

    def entry(self, may_be_empty=False):
        """A formula; or, for an entry of a matrix that is only "*" or "sym.", the name of that across the diagonal.

        may_be_empty: whether it need not even be written.
        """
        first = self.at
        if may_be_empty and self.next.mark in ("&", "\\\\", "end"):
            return Symbol(matrices.SYMMETRIC, span=(self.next.start, self.next.end))
        if self.next.text not in _SYMMETRY or self.tokens[first + 1].mark not in _AFTER_ENTRY:
            return self.sum()
        if all(token.kind == "newline" for token in self.tokens[:first]):       # nothing stands across the diagonal
            return self.sum()
        self.take()
        self.takes(".")
        self.notes.append((self.span(first), matrices.BY_SYMMETRY))
        return Symbol(matrices.SYMMETRIC, span=self.span(first))

    def refuse_lonely(self, tree):
        """Refuses a tree in which an entry is left that is said to be that across the diagonal."""
        if found := [symbol.span[0] for symbol in symbols(tree) if symbol.name == matrices.SYMMETRIC]:
            raise Unreadable("An entry is said to be that across the diagonal, but there is no formula there. Write it "
                             "on one side.", self.source, found[0])

    def sum(self):
        first = self.at
        terms = [self.signed(self.product)]
        while self.sees("+", "-"):
            terms.append(self.signed(self.product))
        return terms[0] if len(terms) == 1 else self.made("+", terms, first)

    def takes_minus(self):
        """Takes any number of signs; True if they make a minus."""
        negative = False
        while sign := self.takes("+", "-"):
            negative ^= sign.text == "-"
        return negative

    def signed(self, read):
        """The tree that ``read`` reads, with any number of signs before it, and in LaTeX indices as in {}^0J."""
        first, negative = self.at, self.takes_minus()
        while self.latex:                                   # an index or primes, or the empty group between two
            primes = self.sees("'") and self.source[self.next.start] == "^"
            empty = self.sees("{") and self.partner[self.at] == self.at + 1
            if not (primes or empty or self.sees("^", "_")):
                break
            self.at += self.sees("^", "_")
            self.at = self.partner.get(self.at, self.at)
            self.take()
        part = read()
        return self.made("neg", (part,), first) if negative else part

    def product(self):
        first = self.at
        factors = [self.factor()]
        while True:
            start = self.at
            if self.takes("*"):
                factors.append(self.signed(self.factor))
                if all(map(self.is_vector, factors[-2:])) and (
                        self.source[self.tokens[start].start :].startswith(("\\times", "×", "⨯"))):
                    self.refuse("The cross product of two vectors is not read here. Write its entries out; between "
                                "numbers write * instead.", start)
            elif self.takes("/"):
                above = factors.pop()
                self.strokes += isinstance(above, Operation) and above.kind == "/"
                if self.strokes > MOST_STROKES:
                    self.refuse("There are too many divisions of divisions. Put what is below one stroke in brackets.")
                factors.append(self._quotient(above, start))
            elif self.starts_factor():
                factors.append(self.factor())
            else:
                break
        return factors[0] if len(factors) == 1 else self.made("*", factors, first)

    def is_vector(self, tree):
        """True for a matrix, and for a name that the answer gives to one or, if it has matrices, may give to one."""
        return isinstance(tree, Matrix) or (isinstance(tree, Symbol) and bool(self.matrices) and (
            tree.name in self.matrices or tree.name not in self.names))

    def starts_factor(self):
        """True if the next token begins a factor that is multiplied without a sign."""
        token = self.next
        if token.kind == "number":
            self.refuse("A number follows without a sign. Write * for a product, + for a sum, or a comma between "
                        "entries.")
        return token.mark in ("word", "command", "begin", *"([{√∂") or (token.mark == "|" and not self.bars)

    def _quotient(self, above, stroke):
        """above / below; the stroke is at the index ``stroke``, and what is below it comes next."""
        first = self.at
        below = self.signed(self.factor)
        together = [below]
        if not (isinstance(above, Number) and isinstance(below, Number)):
            while (isinstance(below, (Number, Symbol, Constant, Operation)) and (token := self.next).kind == "word"
                    and not token.spaced and not function(token.text) and self.source[token.start] != "\\"):
                together.append(self.factor())
            if len(together) > 1:
                below = self.made("*", together, first)
                self.note(first, "Names written together below a stroke were read as one denominator")
        unspaced = not self.next.spaced and self.next.kind in ("word", "command") or self.sees("(")
        if unspaced and len(together) == 1 and isinstance(below, (Number, Symbol)) and self.starts_factor():
            self.note(stroke, "Only what stands directly after the stroke was read as the denominator; what follows "
                              "multiplies the fraction")
        quotient = self.made("/", (above, below), stroke)
        return replace(quotient, span=((above.span or quotient.span)[0], quotient.span[1]))

    # Factors

    def factor(self):
        first, bracket = self.at, self.sees("(", "[", "|")
        tree = self.atom()
        if isinstance(tree, Symbol) and not bracket:
            tree = self.marked(tree, first)
            if self.sees("(") and tree.name not in self.names:
                brackets.check(self, tree.name, first)
        label = _LABEL.match(self.source, self.next.start) if isinstance(tree, Symbol) and self.sees("^") else None
        if label and tree.name not in self.names and tree.name != "e":              # J_P^{(2)} is a name
            while self.next.start < label.end():
                self.take()
            tree = Symbol(canonical(f"{tree.name}_{re.sub(r'[^A-Za-z0-9]', '', label[1])}"), tree.dots,
                          span=self.span(first))
            self.note(first, "A superscript in brackets was read as a part of the name")
        while True:
            if self.takes("^"):
                tree = self._power(tree, first)
            elif isinstance(tree, Matrix) and self.takes("'", "ᵀ"):
                tree = matrices.transposed(tree)
            elif bracket and self.takes("'"):
                tree = derivative(tree)
            elif self.sees("_") and bracket:
                self.refuse("An index cannot follow a bracket. Write it at the name, as in x_1.")
            else:
                return tree

    def _power(self, base, first):
        if isinstance(base, Matrix):                        # ^T, ^\top, ^{\mathsf{T}}, ^-1, ^{-1}
            start = self.at
            end = self.partner.get(start, start + self.sees("-"))
            sign = "".join(token.text for token in self.tokens[start : end + 1]).strip("{}")
            if sign not in ("T", "⊤", "-1"):
                self.refuse("A matrix cannot be raised to a power here; only its transpose ^T and its inverse ^-1 are "
                            "understood. Give the entries of the result.")
            self.at = end + 1
            return self.fitted(start, matrices.inverse, base) if sign == "-1" else matrices.transposed(base)
        exponent = self.exponent()
        if base == Symbol("e"):
            return self.function("exp", (exponent,), first)
        if exponent == Number(Fraction(1)) and self.sees("/") and self.tokens[self.at - 1].kind == "number":
            self.note(first, "The power ends before the stroke; put the exponent in brackets if it is a fraction")
        return self.made("^", (base, exponent), first)

    def exponent(self):
        first, negative = self.at, self.takes_minus()
        token = self.next
        if self.takes("⊤"):
            return Symbol("T", span=self.span(first))
        if self.latex and token.kind == "number" and token.text.isdigit() and len(token.text) > 1:
            self.note(first, f"The exponent was read as {token.text}; LaTeX itself raises only its first digit")
        self.deeper()
        exponent = self.factor() if not self.latex or not self.sees("{") else self.atom()
        self.depth -= 1
        return self.made("neg", (exponent,), first) if negative else exponent

    def deeper(self):
        """Counts one more level of nesting; refuses one too many."""
        self.depth += 1
        if self.depth > MOST_DEPTH:
            self.refuse(f"The formula is nested more than {MOST_DEPTH} deep here.")

    def atom(self):
        """One thing: a number, a symbol, a function with its argument, a bracket, a matrix, a derivative."""
        first, _ = self.at, self.deeper()
        if self.sees("'") and self.tokens[self.at + 1].text == "diff":         # Maxima's 'diff
            self.take()
        if latex.derivative_comes_next(self, self.at, "/"):
            tree = latex.derivative_of(self, self.at)
        elif self.takes("√"):
            tree = self.function("sqrt", (self.factor(),), first)
        elif self.next.mark in _ATOMS:
            tree = _ATOMS[self.next.mark](self)
        else:
            self.unexpected()
        self.depth -= 1
        return tree

    def number(self):
        first, token = self.at, self.take()
        above, stroke, below = token.text.partition("/")
        decimal = "." in above or "e" in above.lower()
        tree = Number(above + "0" * above.endswith(".") if decimal else Fraction(int(above)), span=self.span(first))
        unit = unit_after(self.source, token.end, self.names, formula) if not stroke else None
        if unit:
            while self.next.start < unit[1] and self.next.kind != "stop":
                self.at += 1
            return Operation("*", (tree, unit[0]), span=self.span(first))
        if degrees := _DEGREES.match(self.source, token.end):
            while self.next.start < degrees.end() and self.next.kind != "stop":
                self.at += 1
            one = Operation("/", (Constant("pi"), Number(Fraction(180))))
            return Operation("*", (tree, one), span=self.span(first))
        if stroke:
            return Operation("/", (tree, Number(Fraction(int(below)), span=tree.span)), span=tree.span)
        return tree

    def absolute(self):
        """The absolute value |x| that comes next."""
        first, outside = self.at, self.bars
        self.take()
        self.bars = 1
        inside = self.sum()
        if not self.takes("|"):
            self.refuse('The "|" is never closed. Close it, or write abs(...).', first)
        self.bars = outside
        return self.function("abs", (inside,), first)

    def function(self, name, arguments, first):
        wanted = 2 if name == "atan2" else 1
        if len(arguments) != wanted:
            self.refuse(f"The function {name} takes {wanted} argument{'s' * (wanted > 1)}, not {len(arguments)}.",
                        first)
        return self.fitted(first, matrices.function, name, arguments, self.span(first))

    # Words

    def word(self):
        """The symbol, function, matrix or derivative that begins with the next word."""
        first, word = self.at, self.next.text
        bracket = self.sees("(", ahead=1)
        if bracket and word in _MATRIX_NAMES:
            self.take()
            inside = brackets.bracket(self)
            return replace(inside if isinstance(inside, Matrix) else Matrix(((inside,),)), span=self.span(first))
        if (bracket and word in ("Derivative", "diff")) or (word == "D" and self.sees("[", ahead=1) and any(
                token.mark == "," for token in self.tokens[first : self.partner[first + 1]])):      # of Mathematica
            return latex.of_sympy(self)
        if bracket and word == "inv":
            self.take()
            return self.made("^", (brackets.bracket(self), matrices.MINUS_ONE), first)
        if word == "diag" and self.sees("(", "[", "{", ahead=1) and "diag" not in self.names:
            self.take()
            return brackets.diagonal(self, first)
        is_sine = brackets.is_sine(self)
        self.take()
        if is_sine or (function(word) and canonical(word) not in self.names):
            return brackets.applied(self, {"s": "sin", "c": "cos"}[word.lower()] if is_sine else function(word), first)
        return self.symbol(word, first)

    def symbol(self, word, first):
        """The Symbol, or constant, for a word that was taken."""
        if len(word) > LONGEST_NAME:
            self.refuse(_TOO_LONG, first)
        if word == "pi" and "pi" not in self.names and not self.sees("_"):
            return Constant("pi", span=self.span(first))
        name, dots = spelled(word, self.names)
        if function(name.partition("_")[0]) and canonical(word) not in self.names:
            self.refuse(f"{word} is named like a function. Write brackets around the argument of a function, or give "
                        "the symbol another name.", first)
        return self.with_dots(Symbol(name), dots, first)

    def marked(self, symbol, first):
        """A symbol with the indices, primes and "(t)" that follow it."""
        while True:
            if self.takes("_"):
                index = latex.index(self, symbol.name in latex.ABBREVIATED)
                name, dots = spelled(canonical(f"{symbol.name}_{index}"), self.names)
                if len(name) > LONGEST_NAME:
                    self.refuse(_TOO_LONG, first)
                symbol = self.with_dots(replace(symbol, name=name), dots, first)
            elif self.takes("'"):
                symbol = self.with_dots(symbol, 1, first)
            elif bound := brackets.with_bracket(self, symbol, first):
                symbol = bound
            else:
                return replace(symbol, span=self.span(first)) if self.at > first + 1 else symbol

    def with_dots(self, symbol, dots, first):
        if symbol.dots + dots > MOST_DOTS:
            self.refuse(f"More than {MOST_DOTS} time derivatives on one symbol cannot be meant.", first)
        return Symbol(symbol.name, symbol.dots + dots, span=self.span(first))


#: How an atom is read that begins with a token of some mark.
_ATOMS = {"number": Parser.number, "word": Parser.word, "command": latex.command, "|": Parser.absolute,
          **dict.fromkeys(("begin", "(", "[", "{"), brackets.bracket)}
