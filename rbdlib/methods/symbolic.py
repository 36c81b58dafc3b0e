"""Equations of motion in symbols: H(q) qdd + C(q, qd) + gravity(q) = tau (RBDA 10.3; MBT Eq. 14).

The algorithms of rbdlib run on SymPy symbols as they stand. What this module adds is a normal form for the formulas
that come out, and a way to decide whether two derivations agree that never asks SymPy to simplify a zero.
"""

from dataclasses import dataclass
from functools import lru_cache, partial
from math import comb
from typing import Any

import numpy as np

from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch05_inverse_dynamics import bias_force
from rbdlib.methods.joint_space import inertia_and_bias
from rbdlib.numbers.scalars import vector, zeros

#: Floats this much smaller than the largest of a formula are taken for the rounding error of zero.
ROUNDING = 1e-13
#: Sums of more terms are not factored: it takes long, and is hardly ever possible.
LONGEST_TO_FACTOR = 12
#: Formulas of more terms are written with first powers of sines, without a look at the other forms.
LONGEST_TO_COMPARE = 400


@dataclass(frozen=True, eq=False)
class EquationsOfMotion:
    """The formulas of H qdd + C + gravity = tau, as SymPy matrices in the symbols q and qd and in named parameters.

    H (nv x nv): joint-space inertia, MBT's M.  C (nv x 1): velocity terms, zero at rest, quadratic in qd (unless a
    joint moves by itself with time).  gravity (nv x 1): forces that hold the system at rest.  bias: C + gravity, which
    is RBDA's C.  q, qd, t: the symbols.  model: the model, or None. ``H, C, gravity = equations`` unpacks it.
    """

    H: Any
    C: Any
    gravity: Any
    q: tuple
    qd: tuple
    t: Any
    model: Any = None

    def __iter__(self):
        return iter((self.H, self.C, self.gravity))

    bias = property(lambda self: self.C + self.gravity)

    def tau(self, qdd):
        """The forces that produce the accelerations qdd (numbers or symbols), as a SymPy column."""
        return self.H * type(self.H)(vector(qdd, len(self.qd), "qdd").tolist()) + self.bias

    @property
    def parameters(self):
        """The symbols that are neither position, velocity nor time, sorted by name.

        A function that is applied to something, such as m(x), counts as one symbol.
        """
        from sympy import Dummy
        from sympy.core.function import AppliedUndef

        state = {x: Dummy() for x in (*self.q, *self.qd, self.t)}
        found = set()
        for matrix in self:
            rest = matrix.xreplace(state)
            functions = {function: Dummy() for function in rest.atoms(AppliedUndef)}
            found |= rest.xreplace(functions).free_symbols.difference(state.values(), functions.values())
            found |= functions.keys()
        return tuple(sorted(found, key=str))

    def at(self, q, qd, parameters=None, t=0.0, digits=None):
        """H, C and gravity as numbers: NumPy arrays of floats, or of mpmath numbers of so many digits.

        parameters: {symbol or name: value}. Raises ValueError if one is missing.
        """
        given, symbols = {str(name): value for name, value in (parameters or {}).items()}, self.parameters
        missing = [str(symbol) for symbol in symbols if str(symbol) not in given]
        if missing:
            raise ValueError(f"parameters lacks {', '.join(missing)}; give a value for each symbol of the equations.")
        values = [*vector(q, len(self.q), "q"), *vector(qd, len(self.qd), "qd"), t,
                  *(given[str(symbol)] for symbol in symbols)]
        H, C, gravity = (_evaluated(matrix, (*self.q, *self.qd, self.t, *symbols), values, digits)
                         for matrix in self)
        return H, C[:, 0], gravity[:, 0]

    def disagreement(self, other, digits=40, trials=3):
        """The largest difference from another derivation of the same equations, relative to the largest entry.

        Both are evaluated with so many digits in so many random states, with random parameters from 0.5 to 2. If
        every number in the formulas is exact (a whole number, a fraction or a symbol), a result near 10 to the power
        -digits shows that they agree, and one far above it that they differ. A formula with floats such as 9.81 has
        been rounded on the way to it: two derivations that agree then differ by about 1e-15, whatever the digits. For
        a sharp answer derive both from a model with symbols or with SymPy rationals, such as Rational(981, 100).
        """
        import mpmath

        if (len(self.q), len(self.qd)) != (len(other.q), len(other.qd)):
            raise ValueError(f"The other equations have {len(other.q)} positions and {len(other.qd)} velocities, these "
                             f"have {len(self.q)} and {len(self.qd)}.")
        rng, worst, exact = np.random.default_rng(0), 0, np.vectorize(mpmath.mpf, otypes=[object])
        names = {str(symbol) for symbol in (*self.parameters, *other.parameters)}
        with mpmath.workdps(digits):
            for _ in range(trials):
                if self.model is None:
                    q, qd = exact(rng.uniform(-1, 1, len(self.q))), exact(rng.normal(size=len(self.qd)))
                else:
                    q, qd = map(exact, self.model.random_state(rng))
                    q = self.model.normalise(q)
                parameters = {name: mpmath.mpf(rng.uniform(0.5, 2)) for name in sorted(names)}
                t = mpmath.mpf(rng.uniform(0, 1))
                for mine, theirs in zip(self.at(q, qd, parameters, t, digits), other.at(q, qd, parameters, t, digits),
                                        strict=True):
                    size = max([1, *np.abs(mine).flat, *np.abs(theirs).flat])
                    worst = max([worst, *(np.abs(mine - theirs) / size).flat])
        return worst


def equations_of_motion(model, q=None, qd=None):
    """The equations of motion of a model in simplified formulas: the same `rnea` as for numbers, run on symbols.

    q, qd: symbols to use (default q1, q2, ... and qd1, qd2, ...). The model's own parameters may be numbers or
    symbols. Returns `EquationsOfMotion`; ``H, C, gravity = equations_of_motion(model)`` works too.
    `rbdlib.texts.mbt.lagrange.lagrangian_equations` derives the same by another route. Functions of time will do as q
    and qd: ``dynamicsymbols("q1 q2")`` of SymPy, and their derivatives. Raises TypeError if model is no `Model`.

    >>> from rbdlib import load
    >>> equations_of_motion(load("simple_pendulum", symbolic=True)).gravity
    Matrix([[g*l*m*sin(q1)]])
    """
    import sympy

    q, qd, t = state_symbols(model, q, qd)
    positions, velocities, rest = np.array([*q, 0])[:-1], np.array([*qd, 0])[:-1], zeros(model.nv, [t])
    heavy, weightless = exact(model), exact(model.replace(gravity=(0, 0, 0)))
    H, at_rest = inertia_and_bias(weightless, positions, rest, None, t)
    C = bias_force(weightless, positions, velocities, None, t)
    gravity = bias_force(heavy, positions, rest, None, t) - at_rest
    parts = (simplified(sympy.Matrix(part), unit_vectors(model, q)) for part in (H, C, gravity))
    return EquationsOfMotion(*parts, q, qd, t, model)


def exact(model):
    """The model with SymPy numbers, whole numbers and simple fractions for the floats that are exactly equal to them.

    Python's own numbers would turn fractions of whole numbers into floats on the way.
    """
    import sympy

    def numbers(array):
        return np.array([_with_fractions(sympy.sympify(x)) for x in np.ravel(array).tolist()]).reshape(np.shape(array))

    return model.replace(X_tree=[numbers(X) for X in model.X_tree[1:]], gravity=numbers(model.gravity),
                         inertia=[numbers(I) for I in model.inertia[1:]])


def unit_vectors(model, q):
    """The sets of four symbols in q that are Euler parameters: the first of every joint with one q more than qd."""
    return tuple(tuple(q[model.q_slice(i)][:4]) for i in model.bodies if model.joints[i].nq > model.joints[i].nv)


def state_symbols(model, q=None, qd=None):
    """The symbols of a model's state: (q, qd, t), two tuples of real SymPy symbols and the time.

    Raises TypeError if model is no `Model`; ValueError for given symbols of the wrong number, or if a parameter has the
    name of a default symbol.
    """
    import sympy

    require_model(model)

    def symbols(given, letter, n):
        if given is None:
            return tuple(sympy.symbols(f"{letter}1:{n + 1}", real=True)) if n else ()
        return tuple(vector(given, n, letter).tolist())

    q, qd, t = symbols(q, "q", model.nq), symbols(qd, "qd", model.nv), sympy.Symbol("t", real=True)
    if any(t in x.free_symbols for x in (*q, *qd)):
        t = sympy.Dummy("t", real=True)
    arrays = (model.gravity, *model.X_tree[1:], *model.inertia[1:])
    own = set().union(*(getattr(x, "free_symbols", ()) for array in arrays for x in np.ravel(array)))
    taken = sorted({str(symbol) for symbol in own} & {str(symbol) for symbol in (*q, *qd, t)})
    if taken:
        raise ValueError(f"The model has a parameter named {taken[0]}, like a symbol of its state; pass other symbols "
                         "q and qd, or rename the parameter.")
    return q, qd, t


def _evaluated(matrix, symbols, values, digits):
    import mpmath
    import sympy

    function = _function(sympy.ImmutableMatrix(matrix), symbols, "mpmath" if digits else "math")
    with mpmath.workdps(digits or mpmath.mp.dps):
        if digits:
            values = [mpmath.mpf(x.item() if isinstance(x, np.generic) else x) for x in values]
        return np.array(function(*values), dtype=object if digits else float).reshape(matrix.shape)


@lru_cache(32)
def _function(matrix, symbols, numbers):
    """The matrix as a function of the symbols, for the numbers of that module; kept, since making it takes longest."""
    import sympy

    names = {symbol: sympy.Dummy() for symbol in symbols}
    return sympy.lambdify(list(names.values()), matrix.xreplace(names).tolist(), numbers)


def simplified(formula, units=()):
    """A SymPy expression or matrix in a short normal form, in which equal formulas are equal and zero is 0.

    It is meant for polynomials in sines and cosines of angles and any other quantities, which is what the dynamics of
    a tree consists of. Such a formula is written with first powers of sines and any of cosines, the other way round,
    and with multiple angles; the shortest of the three is returned, its coefficients factored. units: tuples of symbols
    that are unit vectors, such as Euler parameters; the square of the first is replaced by 1 minus the others'.
    """
    import sympy

    if isinstance(formula, sympy.MatrixBase):
        return formula.applyfunc(lambda entry: simplified(entry, units))
    formula = _with_fractions(sympy.sympify(formula))
    if any(not x.args[0].is_Symbol for x in formula.atoms(sympy.sin, sympy.cos)):
        formula = sympy.expand_trig(formula)
    angles, terms = _polynomial_terms(formula, units)
    forms = [_with_multiple_angles, _with_first_powers, partial(_with_first_powers, of="cos")]
    if len(terms) > LONGEST_TO_COMPARE:
        forms = forms[1:2]
    return _shortest([_written_out(terms, angles, form) for form in forms])


def _shortest(forms):
    """The formula with the fewest operations, and of several such ones the first in the alphabet."""
    import sympy

    different = list(dict.fromkeys(forms))
    if len(different) == 1:
        return different[0]
    sizes = [sympy.count_ops(form) for form in different]
    return min([form for form, size in zip(different, sizes, strict=True) if size == min(sizes)], key=str)


def _polynomial_terms(formula, units):
    """The angles of a formula, and its terms ([(power of sine, of cosine) for each angle], number * other factors)."""
    import sympy
    from sympy.polys.rings import PolyRing

    angles, others = [], []
    _look_for_generators(formula, angles, others, set())
    others.sort(key=lambda other: all(other not in unit[:1] for unit in units))
    others += [x for unit in units if unit[0] in others for x in unit if x not in others]
    generators = [*(sympy.sin(a) for a in angles), *(sympy.cos(a) for a in angles), *others]
    if not generators:
        return [], [((), formula)] if formula != 0 else []
    ring = PolyRing(generators, sympy.RR if formula.has(sympy.Float) else sympy.QQ, "lex")
    known = dict(zip(generators, ring.gens, strict=True))
    polynomial, n, terms = _in_ring(formula, ring, known), len(angles), []
    for unit in units:
        if unit[0] in known:
            polynomial = polynomial.rem(sum((_in_ring(x, ring, known) ** 2 for x in unit), -ring.one))
    for powers, number in polynomial.terms():
        factors = [x**k for x, k in zip(others, powers[2 * n :], strict=True) if k]
        exponents = tuple(zip(powers[:n], powers[n : 2 * n], strict=True))
        terms.append((exponents, sympy.Mul(ring.domain.to_sympy(number), *factors)))
    return angles, terms


def _look_for_generators(node, angles, others, seen):
    """Collect the angles of the sines and cosines in a formula, and all else of which it is a polynomial."""
    import sympy

    if node in seen:
        return
    seen.add(node)
    if isinstance(node, (sympy.sin, sympy.cos)):
        if node.args[0] not in angles:
            angles.append(node.args[0])
    elif node.is_Add or node.is_Mul or _is_power(node):
        for part in node.args[: 1 if node.is_Pow else None]:
            _look_for_generators(part, angles, others, seen)
    elif not (node.is_Rational or node.is_Float):
        others.append(node)


def _is_power(node):
    return node.is_Pow and node.exp.is_Integer and node.exp > 0


def _in_ring(node, ring, known):
    """The formula as an element of the polynomial ring; known: elements worked out before, which saves most of it."""
    if node not in known:
        if node.is_Add:
            known[node] = sum((_in_ring(part, ring, known) for part in node.args), ring.zero)
        elif node.is_Mul:
            known[node] = ring.one
            for part in node.args:
                known[node] = known[node] * _in_ring(part, ring, known)
        elif _is_power(node):
            known[node] = _in_ring(node.base, ring, known) ** int(node.exp)
        else:
            known[node] = ring.ground_new(ring.domain.from_sympy(node))
    return known[node]


def _with_first_powers(exponents, angles, of="sin"):
    """A product of powers of sines and cosines as {product: number}, by sin² = 1 - cos², or by cos² = 1 - sin²."""
    import sympy

    products, (first, second) = {sympy.Integer(1): 1}, (sympy.sin, sympy.cos)[:: 1 if of == "sin" else -1]
    for a, pair in zip(angles, exponents, strict=True):
        m, n = pair[:: 1 if of == "sin" else -1]
        expansion = {first(a) ** (m % 2) * second(a) ** (n + 2 * j): (-1) ** j * comb(m // 2, j)
                     for j in range(m // 2 + 1)}
        products = {x * y: c * d for x, c in products.items() for y, d in expansion.items()}
    return products


def _with_multiple_angles(exponents, angles):
    """A product of powers of sines and cosines as {sine or cosine of a sum of multiples of the angles: number}.

    With z = exp(i a), sin a = (z - 1/z) / 2i and cos a = (z + 1/z) / 2; the powers of z and 1/z pair off.
    """
    import sympy

    laurent: dict = {(): sympy.Integer(1)}
    sines = sum(m for m, _ in exponents)
    for m, n in exponents:
        powers = {}
        for j in range(m + 1):
            for k in range(n + 1):
                power = m + n - 2 * (j + k)
                powers[power] = powers.get(power, 0) + (-1) ** j * comb(m, j) * comb(n, k)
        laurent = {(*x, y): c * sympy.Rational(d, 2 ** (m + n)) for x, c in laurent.items() for y, d in powers.items()}
    sign, wave = (-1) ** (sines // 2), sympy.sin if sines % 2 else sympy.cos
    products = {}
    for powers, number in laurent.items():
        leading = next((power for power in powers if power), 0)
        if number and leading >= 0:
            angle = sum(k * a for k, a in zip(powers, angles, strict=True))
            products[wave(angle)] = sign * number * (2 if leading else 1)
    return products


def _written_out(terms, angles, form):
    """The sum of the terms in one of the forms, with the coefficient of every product of sines and cosines factored."""
    import sympy

    coefficients = {}
    for exponents, factors in terms:
        for product, number in form(exponents, angles).items():
            coefficients.setdefault(product, []).append(number * factors)
    sums = {product: _with_fractions(sympy.Add(*parts)) for product, parts in coefficients.items()}
    sizes = [abs(x) for total in sums.values() for x in total.atoms(sympy.Float)]
    if sizes:
        smallest = ROUNDING * max(sizes)
        sums = {product: sympy.Add(*(part for part in sympy.Add.make_args(total)
                                     if not abs(part.as_coeff_Mul()[0]) < smallest))
                for product, total in sums.items()}
    for product, total in sums.items():
        candidates = [total, sympy.factor_terms(total)]
        if len(sympy.Add.make_args(total)) <= LONGEST_TO_FACTOR and not total.has(sympy.Float):
            candidates.append(sympy.factor(total))
        sums[product] = _shortest(candidates)
    return sympy.Add(*(total * product for product, total in sums.items()))


def _with_fractions(formula):
    """The formula with whole numbers and simple fractions where it has floats that are exactly equal to them."""
    import sympy

    fractions = {x: sympy.Rational(float(x)) for x in formula.atoms(sympy.Float)}
    return formula.xreplace({x: fraction for x, fraction in fractions.items() if abs(fraction.p) * fraction.q < 10**6})
