"""The dimensions of a model's own symbols, found from where they stand in it: masses, lengths, inertias, gravity."""

from fractions import Fraction

import numpy as np

PLAIN, MASS, LENGTH, TIME = ((Fraction(0),) * 3, *(tuple(Fraction(i == k) for i in range(3)) for k in range(3)))


def combined(first, second, exponent):
    """The dimension of first * second^exponent."""
    return tuple(a + exponent * b for a, b in zip(first, second, strict=True))


def in_words(dimension):
    """A dimension as text, such as "kg m^2/s^2"; "a plain number"."""
    above = [_power(unit, x) for unit, x in zip(("kg", "m", "s"), dimension, strict=True) if x > 0]
    below = [_power(unit, -x) for unit, x in zip(("kg", "m", "s"), dimension, strict=True) if x < 0]
    if not above and not below:
        return "a plain number"
    under = below[0] if len(below) == 1 else f"({' '.join(below)})"
    return (" ".join(above) or "1") + (f"/{under}" if below else "")


def _power(unit, exponent):
    return unit if exponent == 1 else f"{unit}^{exponent}" if exponent.denominator == 1 else f"{unit}^({exponent})"


_INERTIA = combined(MASS, LENGTH, 2)
ENERGY = combined(_INERTIA, TIME, -2)
_PER_SECOND = combined(PLAIN, TIME, -1)
_GRAVITY = combined(LENGTH, TIME, -2)


def dimensions_of(names):
    """{own name: dimension} of the coordinates, rates, forces and parameters of a model, as far as they are known.

    names: the `aliases.Names` of the model.
    """
    model, found = names.model, {"t": TIME, "g": _GRAVITY}
    for x in names.coordinates:
        found[x.name] = LENGTH if x.kind == "length" else PLAIN
    power = combined(_INERTIA, TIME, -3)
    for i in model.bodies:
        S = np.asarray(model.joints[i].motion_subspace(model.joints[i].neutral()), dtype=float)
        for k, v in enumerate(range(model.v_slice(i).start, model.v_slice(i).stop)):
            rate = _PER_SECOND if np.any(S[:3, k]) else combined(LENGTH, TIME, -1)
            found[f"qd{v + 1}"], found[f"qdd{v + 1}"] = rate, combined(rate, TIME, -1)
            found[f"tau{v + 1}"] = combined(power, rate, -1)
    return {**found, **_of_parameters(names.system.model)}


def _of_parameters(model):
    """{name: dimension} of the parameters, from the linear equations between exponents that the model's entries are."""
    ends = [X for loop in model.loops for X in (loop.X_P, loop.X_S)]
    inertias = [np.asarray(I, dtype=object) for I in model.inertia[1:]]
    rows = _rows(np.asarray(model.gravity, dtype=object), _GRAVITY)
    for entries, dimension in (([I[3:, 3:] for I in inertias], MASS),
                               ([np.asarray(X, dtype=object)[3:, :3] for X in (*model.X_tree[1:], *ends)], LENGTH),
                               ([I[:3, 3:] for I in inertias], combined(MASS, LENGTH, 1)),
                               ([I[:3, :3] for I in inertias], _INERTIA)):
        rows += [row for part in entries for row in _rows(part, dimension)]
    found = _solved(rows)
    for name, formula in model.parameters.items():
        monomials = _rows(np.array([formula], dtype=object), PLAIN)
        known = [_value(powers, found) for powers, _ in monomials]
        if name not in found and known and None not in known and len(set(known)) == 1:
            found[name] = known[0]
    return found


def _rows(entries, dimension):
    """Pairs ({symbol: exponent}, dimension) of every term of SymPy entries that is a product of powers of symbols."""
    import sympy

    rows = []
    for entry in np.ravel(entries):
        if not getattr(entry, "free_symbols", None):
            continue
        for term in sympy.Add.make_args(sympy.expand(entry)):
            powers = _powers(term)
            if powers:
                rows.append((powers, dimension))
    return rows


def _powers(term):
    """{name: exponent} of a product of powers of symbols; None if there is a sum of symbols in it, or a decimal number,
    which may stand for something that has a dimension."""
    import sympy

    powers = {}
    for factor in sympy.Mul.make_args(term):
        base, exponent = factor.as_base_exp()
        if base.is_Symbol and exponent.is_Rational:
            powers[base.name] = powers.get(base.name, 0) + Fraction(int(exponent.p), int(exponent.q))
        elif base.is_Float or (base.is_Add and base.free_symbols):
            return None
    return {name: x for name, x in powers.items() if x}


def _value(powers, found):
    if any(name not in found for name in powers):
        return None
    total = PLAIN
    for name, exponent in powers.items():
        total = combined(total, found[name], exponent)
    return total


def _solved(rows):
    """{name: dimension} from the rows, as far as these determine it: each equation with one unknown gives it."""
    found, changed = {}, True
    while changed:
        changed = False
        for powers, dimension in rows:
            unknown = [name for name in powers if name not in found]
            if len(unknown) == 1:
                rest = _value({name: x for name, x in powers.items() if name in found}, found)
                found[unknown[0]] = combined(PLAIN, combined(dimension, rest, -1), 1 / powers[unknown[0]])
                changed = True
    return found
