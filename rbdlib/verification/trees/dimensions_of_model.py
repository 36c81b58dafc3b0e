"""The dimensions of a model's own symbols, found from where they stand in it: masses, lengths, inertias, gravity."""

import functools
from fractions import Fraction

import numpy as np

PLAIN, MASS, LENGTH, TIME = ((Fraction(0),) * 3, *(tuple(Fraction(i == k) for i in range(3)) for k in range(3)))


def combined(first, second, exponent):
    """The dimension of first * second^exponent."""
    return tuple(a + exponent * b for a, b in zip(first, second, strict=True))


def in_words(dimension):
    """A dimension as text, such as "kg m^2/s^2"; "a plain number"."""
    def power(unit, size):
        return unit if size == 1 else f"{unit}^{size}" if size.denominator == 1 else f"{unit}^({size})"

    units = [*zip(("kg", "m", "s"), dimension, strict=True)]
    above, below = (" ".join(power(unit, abs(x)) for unit, x in units if sign * x > 0) for sign in (1, -1))
    under = f"/({below})" if " " in below else f"/{below}" if below else ""
    return (above or "1") + under if above or below else "a plain number"


_INERTIA = combined(MASS, LENGTH, 2)
ENERGY = combined(_INERTIA, TIME, -2)
_PER_SECOND = combined(PLAIN, TIME, -1)
_GRAVITY = combined(LENGTH, TIME, -2)


def dimensions_of(names):
    """{own name: dimension} of the coordinates, rates, forces and parameters of a model, as far as they are known.

    names: the `aliases.Names` of the model.
    """
    model = names.model
    if not model.bodies:                                # a formula without a mechanism
        return {}
    found = {"t": TIME, "g": _GRAVITY} | {x.name: LENGTH if x.kind == "length" else PLAIN for x in names.coordinates}
    power = combined(_INERTIA, TIME, -3)
    for i in model.bodies:
        S = np.asarray(model.joints[i].motion_subspace(model.joints[i].neutral()))
        for k, v in enumerate(range(model.v_slice(i).start, model.v_slice(i).stop)):
            rate = _PER_SECOND if np.any(S[:3, k]) else combined(LENGTH, TIME, -1)
            found[f"qd{v + 1}"], found[f"qdd{v + 1}"] = rate, combined(rate, TIME, -1)
            found[f"tau{v + 1}"] = combined(power, rate, -1)
    return {**found, **_of_parameters(names.system.model)}


def _of_parameters(model):
    """{name: dimension} of the parameters, from the linear equations between exponents that the model's entries are."""
    inertias = [np.asarray(I, dtype=object) for I in model.inertia[1:]]
    ends = [X for loop in model.loops for X in (loop.X_P, loop.X_S)]
    offsets = [np.asarray(X, dtype=object)[3:, :3] for X in (*model.X_tree[1:], *ends)]
    entries = [([np.asarray(model.gravity, dtype=object)], _GRAVITY), ([I[3:, 3:] for I in inertias], MASS),
               (offsets, LENGTH), ([I[:3, 3:] for I in inertias], combined(MASS, LENGTH, 1)),
               ([I[:3, :3] for I in inertias], _INERTIA)]
    rows = [(powers, dimension) for arrays, dimension in entries for array in arrays for powers in _powers(array)]
    found, before = {}, None
    while before != len(found):                         # each equation with one unknown gives it
        before = len(found)
        for powers, dimension in rows:
            unknown = [name for name in powers if name not in found]
            if len(unknown) == 1:
                exponent = powers.pop(unknown[0])
                found[unknown[0]] = combined(PLAIN, combined(dimension, _value(powers, found), -1), 1 / exponent)
    for name, formula in model.parameters.items():
        known = {_value(powers, found) for powers in _powers([formula])}
        if name not in found and len(known) == 1 and None not in known:
            found[name] = known.pop()
    return found


def _powers(entries):
    """{name: exponent} of every term of SymPy entries that is a product of powers of symbols, a list.

    Terms with a sum of symbols in them are left out, and those with a decimal number, which may have a dimension.
    """
    import sympy

    terms = [term.as_powers_dict() for entry in np.ravel(entries) if getattr(entry, "free_symbols", None)
             for term in sympy.Add.make_args(sympy.expand(entry))]
    products = [term for term in terms
                if not any(base.is_Float or (base.is_Add and base.free_symbols) for base in term)]
    found = [{base.name: Fraction(exponent.p, exponent.q) for base, exponent in term.items()
              if base.is_Symbol and exponent.is_Rational} for term in products]
    return [powers for powers in found if powers]


def _value(powers, found):
    """The dimension of a product of powers; None if that of a symbol in it is not known."""
    if not powers.keys() <= found.keys():
        return None
    return functools.reduce(lambda total, name: combined(total, found[name], powers[name]), powers, PLAIN)
