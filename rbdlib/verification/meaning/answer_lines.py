"""From the lines of an answer to what is compared: an array of formulas, or equations; definitions on the way.

    p = m2*l1*l2                            a definition: p means nothing for the model
    H11 = (m1 + m2)*l1^2 + ...              an entry of H;  H = [...], M = [...] give it as a whole
"""

import re
from dataclasses import replace

import numpy as np

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.definitions import as_definition, put_into_derivatives, written_out
from rbdlib.verification.meaning.units import check_units
from rbdlib.verification.mechanics.quantities import ALIASES
from rbdlib.verification.notation.matrices import DoesNotFit
from rbdlib.verification.trees.expression import Derivative, Equation, Function, Matrix, Number, Operation, Symbol
from rbdlib.verification.trees.nodes import ONE, ZERO, expanded, postorder, substitute, symbols

#: Letters with which an entry of a quantity is written besides its own.
LETTERS = {"H": ("H", "M", "D", "m", "h", "d"), "C": ("C", "c", "V", "N"),
           "g": ("g", "G", "phi"), "tau_g": ("g", "G"), "bias": ("C", "h", "n", "b", "bias"),
           "tau": ("tau", "u", "Q", "F", "f"), "qdd": ("qdd",), "T": ("T", "K", "Ek", "KE", "Ekin", "T_k", "E_k"),
           "V": ("V", "U", "P", "Ep", "PE", "Epot", "E_p"), "L": ("L", "Lagrangian"), "E": ("E",), "p": ("p",),
           "lambda": ("lambda", "lam"), "phi": ("phi", "Phi"), "k": ("k",), "K": ("K", "Phi_q", "A", "J"),
           "Christoffel C": ("C", "c"), "Hdot": ("Hdot", "Mdot", "Ddot"), "H inverse": ("Hinv", "Minv"),
           "": ("J", "v", "a"), "I": ("I",), "R": ("R",), "A": ("A", "T")}
_AXES = {"position": ("p", "r"), "velocity": ("v",), "acceleration": ("a",), "com": ("r", "p", "c"),
         "linear momentum": ("p", "P"), "omega": ("omega", "w"), "alpha": ("alpha",)}
_TURNING, _ONE_AXIS = ("omega", "alpha"), [[letter] for letter in "123456789z"]
#: Quantities of which the last rows may be left out.
_SHORTER = ("", "J", "Jdot")
#: Letters with which an entry may be written if the name of a coordinate follows: F_x, T_theta.
_FORCES = ("F", "f", "T", "M", "N", "Gamma")
_POTENTIALS = [Symbol(name) for name in ("V", "U", "P", "V_g", "U_g")]
#: Letters that stand for an entry, but for parameters of the learner's when they are alone.
ENTRIES_ONLY = ("m", "c", "b", "h", "n", "d", "phi", "N", "F", "f")
#: Names that are entries, unless other lines use them.
_PERHAPS = r"[Ff]_?\d|[xyz]_[A-Za-z]"
#: The quantities that are headed by others and what is done with them: dE/dt = ..., |M| = ..., M^-1 = ...
_MADE_OF = {"power": "E", "dT/dt": "T", "dV/dt": "V", "Hdot": "H", "det H": "H", "H inverse": "H", "det J": ""}


class BadAnswer(ValueError):
    """The answer is not of a kind that can be compared; the message says what was found and what is wanted."""


def sort_lines(trees, quantity, vocabulary, shape):
    """(array, earlier) of an answer about a quantity that has a value; definitions are added to the vocabulary.

    array: trees (None in places without an answer).  earlier: pairs (member, array with it in place of the last one) of
    chains such as T = a = b.  shape: that of the right values. Raises `BadAnswer` (a ValueError).
    """
    trees, whole, chain = _with_names_put_in(trees, quantity, vocabulary, shape), None, []
    entries, named, plain, new = {}, {}, [], []
    for number, tree in enumerate(trees, start=1):
        if not isinstance(tree, Equation):
            plain.append(tree)
            continue
        place, left, right = _named_first(tree, trees, quantity, vocabulary, shape)
        vector = isinstance(right, Matrix) and isinstance(left, Symbol) and whole is None
        if place == () or vector or whole is not None and left == whole:    # H = [...], whatever letter a matrix has
            chain += [] if whole is None else [whole]   # T = a = b, or T = a; T = b
            whole = right
        elif place is not None:
            entries[place] = right
            named[left] = right
        elif definition := as_definition(left, right, vocabulary):
            vocabulary.define(*definition)
            new.append(definition[0])
        elif not quantity.symbol and isinstance(left, Symbol) and left.dots and left not in symbols(right):
            plain.append(right)                         # qdd = ..., where a formula is asked for that is nowhere named
        else:
            raise _nameless(number, quantity.symbol or quantity.name)
    if whole is None and not entries and not plain and new:
        plain = _answers(new, quantity, vocabulary, shape)
    used = symbols(whole) if whole is not None else set().union(*map(symbols, entries.values()))
    for symbol in used & {*named}:                      # H = [H11, ...], where H11 = ...; g1 = ... + g2
        if symbol not in symbols(named[symbol]):
            vocabulary.define(symbol.name, named[symbol])
    entries = {place: entries.get(entry_place(tree, quantity, shape, vocabulary) or place, tree)
               for place, tree in entries.items()}      # H12 = H21 = ...
    if whole is None and quantity.symbol in _TURNING and [s.name[-1] for s in named] in _ONE_AXIS:
        whole, entries = named.popitem()[1], {}         # omega_2 alone, of body 2, which turns about one axis
    array = _as_array(whole, entries, plain, quantity, shape)
    check_units(array, quantity, vocabulary)
    if any(isinstance(tree, Equation) for tree in array.flat):
        raise BadAnswer("Your answer has an equation among its entries. Give the formulas alone.")
    return array, [(member, _array(member)) for member in chain]


def _with_names_put_in(trees, quantity, vocabulary, shape):
    """The trees of an answer, without names of vectors and matrices, and with their derivatives carried out."""
    if not trees:
        raise BadAnswer("Your answer is empty. Write a formula, such as m*l^2.")
    try:
        trees = [_by_unit_vectors(tree, vocabulary) for tree in trees] if shape == (3,) else trees
        heads = {tree.left: _headed(tree, quantity).left for tree in trees if isinstance(tree, Equation)}
        trees = [replace(tree, left=heads[tree.left], right=heads.get(tree.right, tree.right))      # p1 = dL/dq1' = ...
                 if isinstance(tree, Equation) and tree.right in heads else _headed(tree, quantity) for tree in trees]
        trees = written_out(trees, vocabulary)
        trees = put_into_derivatives(with_usual_letter(trees, quantity, shape, vocabulary), vocabulary)
        trees = [vocabulary.carried_out(tree) for tree in trees]
        vocabulary.refuse_accelerations_as_angles(trees, [s.name for s in symbols_in_order(trees)])
        return trees
    except DoesNotFit as error:
        raise BadAnswer(f"Your answer cannot be combined: {error}") from None


#: How unit vectors along x, y and z are called.
_UNIT_VECTORS = [[Symbol(name) for name in names.split()] for names in (
    "i j k", "i_hat j_hat k_hat", "x_hat y_hat z_hat", "e_x e_y e_z", "e_hatx e_haty e_hatz", "e1 e2 e3")]


def _by_unit_vectors(tree, vocabulary):
    """A sum of multiples of unit vectors, such as a i + b j, as a `Matrix`; any other tree as it is."""
    if isinstance(tree, Equation):
        return replace(tree, right=_by_unit_vectors(tree.right, vocabulary))
    for units in _UNIT_VECTORS:
        there = {*units} & symbols(tree)
        if not there or any(map(vocabulary.knows, there)):
            continue
        products = [[node for node in postorder(product) if node in there] for product in expanded(tree) or ()]
        rows = [substitute(tree, {other: ONE if other == unit else ZERO for other in units}) for unit in units]
        if products and all(len(found) == 1 for found in products):
            return Matrix(tuple((row,) for row in rows), span=tree.span)
    return tree


def _answers(names, quantity, vocabulary, shape):
    """The names of the learner's own for what is asked: the last, or Q_1 = ...; Q_2 = ... where two are wanted."""
    used = set().union(*(symbols(vocabulary.definitions[compact(name)].tree) for name in names))
    ends = [Symbol(name) for name in names if Symbol(name) not in used]
    if len(ends) > 1 and shape != (len(ends),):
        raise BadAnswer(f"Your answer says what {', '.join(s.name for s in ends)} are, but not which of them is "
                        f"{quantity.title}. Write '{quantity.symbol or quantity.name} = ...'.")
    return ends


def _named_first(tree, trees, quantity, vocabulary, shape):
    """(place, side, other side) of an equation: first the side that is a name for what is asked, or a new name.

    place: as of `entry_place`; None for a name that other trees use, such as x_c, of which x is made.
    """
    for left, right in ((tree.left, tree.right), (tree.right, tree.left)):
        if (place := entry_place(left, quantity, shape, vocabulary)) is not None:
            used = any(left in symbols(other) for other in trees if other is not tree)
            return (None if used and re.match(_PERHAPS, left.name) else place), left, right
    if isinstance(tree.right, Symbol) and not vocabulary.knows(tree.right) and not isinstance(tree.left, Symbol):
        return None, tree.right, tree.left
    return None, tree.left, tree.right


def _nameless(number, name):
    return BadAnswer(f"Equation {number} of your answer has neither {name} nor a new name alone on one side. Write "
                     f"'{name} = ...', or the formula alone. (Equations of motion are verified as 'equations of "
                     "motion'; what you take for granted belongs in given.)")


def entry_place(symbol, quantity, shape, vocabulary):
    """Where the entry that a symbol names stands, a tuple of places from 0; () for the whole; None for neither."""
    if isinstance(symbol, Operation) and symbol.kind == "+" and shape == () and all(     # T_1 + T_2 = ...
            isinstance(x, Symbol) and compact(x.name)[:1] in LETTERS.get(quantity.symbol, ()) for x in symbol.operands):
        return ()
    if not isinstance(symbol, Symbol):
        return None
    if quantity.whole is not None:
        place = entry_place(symbol, quantity.whole, (10,) * len(quantity.part), vocabulary)
        return () if place == quantity.part else None
    if quantity.symbol in _AXES:
        before = "|".join(_AXES[quantity.symbol])
        match = re.fullmatch(rf"(?P<letter>(?:{before})_?)?(?P<axis>[xyz])(?:_[A-Za-z]\w*)?", symbol.name)
        dots = 0 if match and match["letter"] else tuple(_AXES).index(quantity.symbol) % 3
        if match and symbol.dots in (0, dots) and (match["letter"] or quantity.symbol not in _TURNING):
            return ("xyz".index(match["axis"]),)
    own = [compact(coordinate.name) for coordinate in vocabulary.coordinates() or ()]
    if symbol.dots:
        if quantity.symbol != "qdd" or own and symbol.dots != 2:
            return None
        if compact(symbol.name) in own:
            return (own.index(compact(symbol.name)),)
        accelerations = [name for name in vocabulary.own_symbols([symbol]) if re.fullmatch(r"qdd\d+", name)]
        return (int(accelerations[0][3:]) - 1,) if len(accelerations) == 1 and vocabulary.knows(symbol) else None
    letters = (quantity.symbol, *LETTERS.get(quantity.symbol, ()))
    letter, _, index = symbol.name.partition("_")
    if index and not index.isdigit() and letter in (*letters, *(_FORCES if quantity.symbol == "tau" else ())) and (
            shape == (vocabulary.names.model.nv,)):     # p_theta, tau_x
        name, dots = vocabulary.names.find(index)
        for names, called in ((own, compact(index)), (vocabulary.names.q, "" if dots else name)):
            if called in names:
                return (names.index(called),)
    if quantity.symbol == "qdd":
        return None
    known = {*map(compact, letters), *(compact(alias) for alias, name in ALIASES.items() if name == quantity.symbol)}
    name = compact(symbol.name)
    if (name in known and name not in ENTRIES_ONLY) or name == compact(quantity.name):
        return () if shape != (1,) else (0,)
    match = re.fullmatch(r"([A-Za-z]+?)(\d+)", name)
    if match is None or match[1] not in known or not shape or len(match[2]) != len(shape):
        return None
    place = tuple(int(digit) - 1 for digit in match[2])
    return place if all(0 <= i < n for i, n in zip(place, shape, strict=True)) else None


def _headed(tree, quantity):
    """An equation whose left side names what is asked as a derivative: dV/dq = ... for g."""
    match quantity.symbol, tree:
        case "g", Equation(left=Derivative(of=potential, by=Symbol(name=name))) if potential in _POTENTIALS:
            return replace(tree, left=Symbol("g" + re.sub(r"\D", "", name)))
        case ("dT/dq" | "dL/dq" | "p", Equation(left=Derivative(of=Symbol(name=name), by=Symbol() as by))) | (
              "d/dt dL/dqd", Equation(left=Derivative(of=Derivative(of=Symbol(name=name), by=Symbol() as by), by="t"))):
            if name in LETTERS["T"] + LETTERS["L"] and (isinstance(tree.right, Matrix)
                                                        or by.dots == (quantity.symbol in ("p", "d/dt dL/dqd"))):
                which = "" if isinstance(tree.right, Matrix) else f"_{by.name}"
                return replace(tree, left=Symbol(quantity.symbol + which))
        case symbol, Equation(left=Operation(kind="*", operands=(Number() as n, Symbol() as left))) if (
                symbol in tuple("TVLE") and left.name in LETTERS[symbol]):
            return Equation(left, Operation("/", (tree.right, n), span=tree.right.span), span=tree.span)     # 2 T = ...
        case ("det H" | "det J", Equation(left=Function(name="abs", arguments=(Symbol(name=name),)))) | (
              "H inverse", Equation(left=Operation(kind="^", operands=(Symbol(name=name), _)))) | (
              "C", Equation(left=Operation(kind="*", operands=(Symbol(name=name), Symbol(dots=1))))) | (
              "power" | "dT/dt" | "dV/dt" | "Hdot",
              Equation(left=Derivative(of=Symbol(name=name), by="t") | Symbol(name=name, dots=1))):
            known = name in LETTERS[_MADE_OF.get(quantity.symbol, quantity.symbol)]
            return replace(tree, left=Symbol(quantity.symbol)) if known else tree
    return tree


def _as_array(whole, entries, plain, quantity, shape):
    if entries and whole is None:
        array = np.full(shape, None, dtype=object)
        for place, tree in entries.items():
            array[place] = tree
            if quantity.symbol == "H" and place[::-1] not in entries:
                array[place[::-1]] = tree               # it is symmetric
        while array.ndim == 2 and quantity.symbol in _SHORTER and not array[-1].any():
            array = array[:-1]                          # of a planar system
        return array[:2] if quantity.symbol in _AXES and array[2] is None else array        # a planar system
    if whole is not None or len(plain) == 1:
        return _array(plain[0] if whole is None else whole)
    if any(isinstance(tree, Matrix) for tree in plain):
        raise BadAnswer("Your answer has matrices and formulas on lines of their own. Hand in one of them.")
    return np.array(plain, dtype=object)


def _array(tree):
    return np.array(tree.rows if isinstance(tree, Matrix) else tree, dtype=object)


def settled(array, shape):
    """An array with harmless differences of shape removed: a column or row for a vector, 5 for [5]; None if not so."""
    lined_up = sorted((len(shape), array.ndim)) == [1, 2] and 1 in (array.shape if array.ndim == 2 else shape)
    alike = array.shape == shape or array.size == 1 or lined_up
    return array.reshape(shape) if alike and array.size == np.prod(shape) else None


def place_name(place):
    """The place of an entry in words: "row 1, column 2", "entry 1"."""
    if len(place) == 2:
        return f"row {place[0] + 1}, column {place[1] + 1}"
    return f"entry {place[0] + 1}" if place else "it"


def symbols_in_order(trees):
    """The symbols of several trees, each once, in the order in which they are written."""
    return tuple(dict.fromkeys(node for tree in trees for node in postorder(tree) if isinstance(node, Symbol)))


# Equations


def sort_equations(trees, quantity, vocabulary):
    """Triples (left, right or None, number of the line) of an answer; definitions are added to the vocabulary."""
    trees, equations = _with_names_put_in(trees, quantity, vocabulary, None), []
    for number, tree in enumerate(trees, start=1):
        if definition := _defined(tree, trees, vocabulary):
            vocabulary.define(*definition)
            continue
        if isinstance(tree, Equation) and isinstance(tree.left, Symbol) and not vocabulary.knows(tree.left) and any(
                isinstance(other, Equation) and tree.right == other.left for other in trees):
            continue                                    # phi = [...] = 0
        sides = tree.parts if isinstance(tree, Equation) else (tree, None)
        left, right = (_array(side).ravel() for side in sides)
        if 1 not in (left.size, right.size) and left.size != right.size:
            raise BadAnswer(f"Equation {number} of your answer sets {left.size} entries equal to {right.size}.")
        equations += [(a, b, number) for a, b in np.broadcast(left, right)]
    if not equations:
        raise BadAnswer("Your answer has definitions only. Write the equations, too, such as m*l^2*qdd1 = tau1.")
    return equations


def _defined(tree, trees, vocabulary):
    """The definition (name, formula) that a line among equations is, or None if it is one of the equations.

    A name that could also be the model's, such as F or u for a joint force, is the learner's own if other lines use it.
    """
    sides = tree.parts if isinstance(tree, Equation) else ()
    if sides and isinstance(sides[0], Symbol) and sides[0].dots == 1:       # theta' = u, where u is no force
        sides = sides[::-1]
    definition = as_definition(sides[0], sides[1], vocabulary) if sides else None
    if definition is None or is_multiplier(Symbol(definition[0])) or compact(definition[0]) in vocabulary.unknowns:
        return None
    name = Symbol(definition[0])
    used = any(replace(s, dots=0) == name for other in trees if other is not tree for s in symbols(other))
    return definition if used or not vocabulary.knows(name) else None


def is_multiplier(symbol):
    """True if a symbol is a Lagrange multiplier by its name: lambda, lambda_1, lam1."""
    return re.fullmatch(r"(lam|lambda)\d*", compact(symbol.name)) is not None and not symbol.dots


# Entries of a matrix by letters of the author's own: B_{11} = ..., or B = [b11, b12; ...]


def with_usual_letter(trees, quantity, shape, vocabulary):
    """The trees of an answer about a matrix such as H, in which this has the letter by which it is known.

    A name that is set equal to a matrix of the right shape is the whole; otherwise names with two numbers, all places
    of the matrix or those on and above or below its diagonal, are its entries.
    """
    if quantity.symbol != "H" or shape is None or len(shape) != 2 or shape[0] < 2:
        return trees
    wholes = [tree for tree in trees if isinstance(tree, Matrix) or (
        isinstance(tree, Equation) and isinstance(tree.right, Matrix) and tree.right.shape == shape)]
    match wholes:
        case [Equation(left=Symbol() as left) as whole] if len(compact(left.name)) == 1 and not vocabulary.knows(left):
            return [replace(whole, left=Symbol("H")) if tree is whole else tree for tree in trees]
        case [_, *_]:
            return trees
    places = {symbol: (match[1], match[2] + match[3]) for tree in trees for symbol in symbols(tree)
              if not symbol.dots and (match := re.fullmatch(r"([A-Za-z])(\d)(\d)", compact(symbol.name)))}
    lefts = [places[side] for tree in trees if isinstance(tree, Equation) for side in (tree.left, tree.right)
             if isinstance(side, Symbol) and side in places and side.name not in vocabulary.names.own]
    wanted = {f"{i}{j}" for i in range(1, shape[0] + 1) for j in range(i, shape[0] + 1)}
    complete = [letter for letter in dict.fromkeys(own for own, _ in lefts)
                if {min(place, place[::-1]) for own, place in lefts if own == letter} == wanted]
    letter = complete[0] if complete else "H"
    names = {symbol: Symbol("H" + place) for symbol, (own, place) in places.items() if own == letter}
    return [substitute(tree, names) for tree in trees] if letter != "H" else trees
