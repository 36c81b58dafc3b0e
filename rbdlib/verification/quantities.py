"""What can be verified: for each quantity the right values at a state, from the readable algorithms of rbdlib.

`find_quantity` turns a name such as "H", "J[forearm]" or "equations of motion" into a `Quantity`. The values come from
`crba`, `rnea`, `aba` and their like, run on mpmath numbers; no formula is simplified on the way.
"""

import difflib
import re
from dataclasses import dataclass, field

import numpy as np

from rbdlib import kinematics
from rbdlib.closed_loops import loop_constraints
from rbdlib.inertia_matrix import crba
from rbdlib.inverse_dynamics import bias_force, rnea
from rbdlib.joints import jcalc
from rbdlib.spatial import inverse_transform
from rbdlib.subspaces import solve_linear


class UnknownQuantity(ValueError):
    """A quantity that cannot be verified; the message names those that can."""


@dataclass(frozen=True)
class Quantity:
    """One quantity of a system.

    name: as it was asked for.  title: in words.  symbol: how it is written on a line of its own ("H", "tau").
    value: the function of a `State` that gives the right values, an array of mpmath numbers.
    compare: "exact"; "constant", up to a constant; "rows", a matrix up to the choice of equations; "equations";
    "loops", functions that are zero where the loops are closed; "identity".
    rule: how it changes with the coordinates, a key of `RULES`, or "".
    circular: letters of own symbols that the answer may not contain, because they are what is asked.
    others: further (value, compare, note) that an answer may be compared with, each with a note that says what it is.
    """

    name: str
    title: str
    symbol: str
    value: object
    compare: str = "exact"
    rule: str = ""
    circular: tuple = ()
    others: tuple = field(default=())


# Values at a state


def inertia(state):
    """H (nv x nv)."""
    return crba(state.model, state.q)


def velocity_terms(state):
    """The Coriolis and centrifugal forces (nv): what is quadratic in qd."""
    return bias_force(state.model.replace(gravity=0 * state.model.gravity), state.q, state.qd)


def gravity_forces(state):
    """The forces (nv) that hold the system at rest."""
    return bias_force(state.model, state.q, 0 * state.qd)


def bias(state):
    """RBDA's C (nv): velocity terms and gravity."""
    return bias_force(state.model, state.q, state.qd)


def forces(state):
    """The joint forces (nv) of the tree, by inverse dynamics."""
    return rnea(state.model, state.q, state.qd, state.qdd)


def kinetic(state):
    """T."""
    return np.array(kinematics.kinetic_energy(state.model, state.q, state.qd), dtype=object)


def potential(state):
    """V, zero where the centre of mass is at the height of the base's origin."""
    return np.array(kinematics.potential_energy(state.model, state.q), dtype=object)


def impulses(state):
    """The generalised momentum H qd (nv), which is also the impulse that sets the resting system in motion."""
    return inertia(state) @ state.qd


def constraints(state):
    """K (n_c x nv) and k (n_c), without the rows that are zero whatever the state (a planar loop in space has some)."""
    K, k, _ = loop_constraints(state.model, state.q, state.qd)
    felt = [i for i, row in enumerate(K) if max(abs(x) for x in row) > 1e-25]
    return K[felt], k[felt]


def multipliers(state):
    """lam, for the rows that `constraints` keeps."""
    K, _, _ = loop_constraints(state.model, state.q, state.qd)
    return np.array([x for x, row in zip(state.lam, K, strict=True) if max(abs(y) for y in row) > 1e-25], dtype=object)


#: name: (title, value, compare, rule, circular)
SIMPLE = {
    "H": ("the joint-space inertia matrix H", inertia, "exact", "inertia", ()),
    "C": ("the velocity terms C (Coriolis and centrifugal)", velocity_terms, "exact", "bias", ()),
    "g": ("the gravity terms g", gravity_forces, "exact", "force", ()),
    "bias": ("the bias force: velocity terms and gravity", bias, "exact", "bias", ()),
    "tau": ("the joint forces tau", forces, "exact", "force", ("tau",)),
    "qdd": ("the accelerations qdd", lambda state: state.qdd, "exact", "acceleration", ("qdd",)),
    "equations of motion": ("the equations of motion", None, "equations", "", ()),
    "T": ("the kinetic energy T", kinetic, "exact", "", ()),
    "V": ("the potential energy V", potential, "constant", "", ()),
    "L": ("the Lagrangian L = T - V", lambda state: kinetic(state) - potential(state), "constant", "", ()),
    "E": ("the total energy T + V", lambda state: kinetic(state) + potential(state), "constant", "", ()),
    "momentum": ("the spatial momentum in base coordinates",
                 lambda state: kinematics.momentum(state.model, state.q, state.qd), "exact", "", ()),
    "p": ("the generalised momentum H qd", impulses, "exact", "force", ()),
    "impulse": ("the joint impulses that set the resting system in motion with qd", impulses, "exact", "force", ()),
    "com": ("the position of the centre of mass", lambda state: kinematics.centre_of_mass(state.model, state.q),
            "exact", "", ()),
    "K": ("the loop constraint matrix K of K qdd = k", lambda state: constraints(state)[0], "rows", "columns", ()),
    "k": ("the loop constraint terms k of K qdd = k", lambda state: constraints(state)[1], "exact", "", ("qdd",)),
    "phi": ("the loop closure equations phi(q) = 0", lambda state: constraints(state)[0], "loops", "", ()),
    "lambda": ("the loop constraint forces lambda", multipliers, "exact", "", ("lam",)),
}
ALIASES = {
    "M": "H", "D": "H", "mass matrix": "H", "inertia matrix": "H", "inertia": "H", "coriolis": "C", "G": "g",
    "gravity": "g", "C+g": "bias", "h": "bias", "n": "bias", "forces": "tau", "torques": "tau", "u": "tau",
    "inverse dynamics": "tau", "accelerations": "qdd", "forward dynamics": "qdd", "eom": "equations of motion",
    "equation of motion": "equations of motion", "kinetic energy": "T", "potential energy": "V", "U": "V",
    "lagrangian": "L", "energy": "E", "generalised momentum": "p", "generalized momentum": "p",
    "centre of mass": "com", "center of mass": "com", "lam": "lambda", "closure": "phi", "loop closure": "phi",
}
LOOPS_ONLY = ("K", "k", "phi", "lambda")
OF_A_BODY = ("J", "Jdot", "v", "a", "S")


def find_quantity(model, name):
    """The `Quantity` of a model that a name asks for. Raises `UnknownQuantity` (a ValueError) or TypeError."""
    if not isinstance(name, str):
        raise TypeError(f"quantity is {name!r}; give its name as text, such as 'H' or 'equations of motion'.")
    text = " ".join(name.split())
    if "==" in text:
        return Quantity(text, "the identity", "", None, "identity")
    match = re.fullmatch(r"(J|Jdot|J_dot|v|a|S|X)\s*[\[_(]?\s*([^\]\[()]*?)\s*[\])]?", text)
    if match and match[2] and text not in SIMPLE and text.casefold() not in ALIASES:
        return _of_a_body(model, text, match[1].replace("_", ""), match[2])
    key = text if text in SIMPLE else ALIASES.get(text, ALIASES.get(text.casefold(), text.casefold()))
    if key not in SIMPLE:
        raise UnknownQuantity(_refusal(name, key))
    if key in LOOPS_ONLY and not model.loops:
        raise UnknownQuantity(f"quantity is {name!r}, but this model has no loops and so no such constraints.")
    title, value, compare, rule, circular = SIMPLE[key]
    return Quantity(text, title, key, value, compare, rule, circular, _others(model, key))


def _refusal(name, key):
    known = [*SIMPLE, *(alias for alias in ALIASES if len(alias) > 2), *(f"{letter}[body]" for letter in OF_A_BODY)]
    close = difflib.get_close_matches(key, known, 1)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    return (f"quantity is {name!r}, which cannot be verified. {hint}Choose from {', '.join(SIMPLE)}, J[body], "
            "Jdot[body], v[body], a[body], S[joint], X[i,j], or an identity such as 'T + V == E'.")


def _others(model, key):
    if key == "C":
        return ((bias, "exact", "This is RBDA's C, which contains gravity."),)
    if key == "tau" and model.loops:
        return ((lambda state: state.tau, "exact", "With the loop constraint forces lambda."),)
    return ()


def _of_a_body(model, text, letter, argument):
    if letter == "X":
        parts = [part for part in re.split(r"[,\s]+", argument) if part]
        if len(parts) == 1 and re.fullmatch(r"\d\d", parts[0]):
            parts = list(parts[0])
        if len(parts) != 2:
            raise UnknownQuantity(f"quantity is {text!r}; write X[i,j] for the transform from body j to body i.")
        i, j = (body_number(model, part) for part in parts)
        return Quantity(text, f"the transform X[{i},{j}] from the coordinates of body {j} to those of body {i}", "X",
                        lambda state: _between(state, i, j))
    i = body_number(model, argument)
    if i == 0 and letter in ("J", "Jdot", "S"):
        raise UnknownQuantity(f"quantity is {text!r}, but body 0 is the fixed base. Choose 1 to {model.N_B}.")
    title, value, rule = BODY_VALUES[letter]
    others = ()
    if _is_planar(model) and letter != "S":
        others = ((lambda state: value(state, i)[2:5], "exact", "As planar vectors [omega, vx, vy]."),)
    if letter == "S":
        others = ((lambda state: value(state, i).ravel(), "exact", ""),) if model.joints[i].nv == 1 else ()
    return Quantity(text, title.format(i), letter, lambda state: value(state, i), "exact", rule, (), others)


def _velocity(state, i):
    return kinematics.body_velocities(state.model, state.q, state.qd)[i]


def _acceleration(state, i):
    return kinematics.body_accelerations(state.model, state.q, state.qd, state.qdd)[i]


def _subspace(state, i):
    at = state.model.q_slice(i)
    return jcalc(state.model.joints[i], state.q[at], state.qd[state.model.v_slice(i)])[1]


def _between(state, i, j):
    X = kinematics.body_transforms(state.model, state.q)
    return X[i] @ inverse_transform(X[j])


BODY_VALUES = {
    "J": ("the body Jacobian of body {}, in its own coordinates",
          lambda state, i: kinematics.body_jacobian(state.model, state.q, i), "columns"),
    "Jdot": ("the rate of change of the body Jacobian of body {}",
             lambda state, i: kinematics.body_jacobian_dot(state.model, state.q, state.qd, i), ""),
    "v": ("the spatial velocity of body {}, in its own coordinates", _velocity, ""),
    "a": ("the spatial acceleration of body {}, in its own coordinates, without gravity", _acceleration, ""),
    "S": ("the motion subspace of joint {}", _subspace, ""),
}


def body_number(model, text):
    """The number of the body called so, by number or name. Raises `UnknownQuantity` (a ValueError)."""
    text = text.strip().strip("'\"")
    if text.isdigit() and 0 <= int(text) <= model.N_B:
        return int(text)
    if text in model.names:
        return model.names.index(text)
    raise UnknownQuantity(f"There is no body {text!r}; this model has the bodies "
                          + ", ".join(f"{i} ({name})" for i, name in enumerate(model.names)) + ".")


def _is_planar(model):
    """Whether all bodies move in the x-y plane of their own coordinates."""
    from rbdlib.scalars import as_floats

    q, qd = model.random_state(np.random.default_rng(0))
    if any(as_floats(X) is None for X in model.X_tree[1:]):
        import mpmath

        from rbdlib.verification.states import DIGITS, draw, system_of

        with mpmath.workdps(DIGITS):
            state = draw(system_of(model), 0, 1)[0]
            model, q, qd = state.model, state.q, state.qd
    velocities = kinematics.body_velocities(model, q, qd)
    return all(abs(x) < 1e-9 for v in velocities for x in (v[0], v[1], v[5]))


# The same quantity in other coordinates y, where yd = A qd and ydd = A qdd + b


def _in_inertia(value, state, A, b, B):
    return B.T @ value @ B


def _in_force(value, state, A, b, B):
    return B.T @ value


def _in_bias(value, state, A, b, B):
    return B.T @ (value - inertia(state) @ B @ b)


def _in_acceleration(value, state, A, b, B):
    return A @ value + b


def _in_columns(value, state, A, b, B):
    return value @ B


RULES = {"inertia": _in_inertia, "force": _in_force, "bias": _in_bias, "acceleration": _in_acceleration,
         "columns": _in_columns}


def in_coordinates(quantity, value, state, A, b):
    """A value of a quantity in coordinates y with yd = A qd and ydd = A qdd + b (A: n x n, b: n), as an array."""
    if not quantity.rule:
        return value
    return RULES[quantity.rule](value, state, A, b, solve_linear(A, np.eye(len(A), dtype=object) + 0 * A))
