"""The quantities that can be verified: for each the right values at a state, from the readable algorithms of rbdlib.

`find_quantity` turns a name such as "H", "J[forearm]" or "equations of motion" into a `Quantity`. The values come from
`crba`, `rnea`, `aba` and their like, run on mpmath numbers; no formula is simplified on the way.
"""

import difflib
import functools
import re
from typing import Any

import numpy as np

from rbdlib.book import ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import skew
from rbdlib.book.ch04_joints import Revolute, Spherical
from rbdlib.book.ch05_inverse_dynamics import bias_force
from rbdlib.book.ch06_factorisation import ltl
from rbdlib.methods.centre_of_mass import centre_of_mass, potential_energy
from rbdlib.methods.derivatives import coriolis_matrix
from rbdlib.methods.joint_character import character_energies, joint_forces, of_joints, rnea_with_characters
from rbdlib.verification.meaning.aliases import Names
from rbdlib.verification.mechanics import basics
from rbdlib.verification.mechanics.basics import LITTLE, Quantity, constraints, inertia, kept_with_state, multipliers
from rbdlib.verification.mechanics.bodies import UnknownQuantity, of_bodies
from rbdlib.verification.mechanics.declared import read_declared
from rbdlib.verification.mechanics.states import unchecked


@kept_with_state("q", "qd")
def velocity_terms(state):
    """The Coriolis and centrifugal forces (nv), quadratic in qd."""
    return bias_force(unchecked(state.model, gravity=0 * state.model.gravity), state.q, state.qd)


@kept_with_state("q")
def gravity_forces(state):
    """The forces (nv) that hold the system at rest, against gravity and the joints' springs."""
    return _gravity_alone(state) + springs(state)


def _gravity_alone(state):
    return bias_force(state.model, state.q, 0 * state.qd)


def springs(state):
    """The forces (nv) that hold the joints' springs and end stops."""
    return -joint_forces(state.model, state.q, 0 * state.qd)


@kept_with_state("q", "qd")
def bias(state):
    """RBDA's C (nv): velocity terms and gravity; and what the joints' springs and dampers demand."""
    return bias_force(state.model, state.q, state.qd) - joint_forces(state.model, state.q, state.qd)


def damping(state):
    """The forces (nv) that the joints' dampers and friction demand, which are not in `velocity_terms`."""
    return -joint_forces(state.model, state.q, state.qd) - springs(state)


@kept_with_state("q", "qd", "qdd")
def forces(state):
    """The joint forces (nv) of the tree, by inverse dynamics."""
    return rnea_with_characters(state.model, state.q, state.qd, state.qdd)


@kept_with_state("q", "qd")
def kinetic(state):
    """T, that of the joints' rotors (armatures) included."""
    rotors, _ = character_energies(state.model, state.q, state.qd)
    return _objects(kinematics.kinetic_energy(state.model, state.q, state.qd) + rotors)


@kept_with_state("q")
def potential(state):
    """V, zero where the centre of mass is at the height of the base's origin and the joints' springs are at rest."""
    _, springs = character_energies(state.model, state.q, state.qd)
    return _objects(potential_energy(state.model, state.q) + springs)


@kept_with_state("q", "qd")
def coriolis(state):
    """The Coriolis matrix C (nv x nv) of the Christoffel symbols."""
    return coriolis_matrix(state.model, state.q, state.qd)


def impulses(state):
    """The generalised momentum H qd (nv), which is also the impulse that sets the resting system in motion."""
    return inertia(state) @ state.qd


def inertia_rate(state):
    """dH/dt (nv x nv)."""
    C = coriolis(state)
    return C + C.T


def slope_of_kinetic(state):
    """dT/dq (nv), the momentum's rate less what the velocity terms are: Hdot qd - C qd."""
    return inertia_rate(state) @ state.qd - velocity_terms(state)


def _objects(value):
    return np.array(value, dtype=object)


def determinant(H):
    """The determinant of a symmetric positive definite matrix, by its L^T L factors."""
    return _objects(np.prod(np.diag(ltl(H))) ** 2)


def _momentum(state, part=slice(None)):
    return kinematics.momentum(state.model, state.q, state.qd)[part]


def _kinetic_rate(state):
    """dT/dt from the accelerations, whichever forces there are."""
    return state.qd @ (inertia(state) @ state.qdd + inertia_rate(state) @ state.qd / 2)


def _power(state, force=lambda state: state.tau - damping(state)):
    return _objects(force(state) @ state.qd)


_ANGULAR, _LINEAR = slice(0, 3), slice(3, 6)
#: Of each quantity title and value, and as far as they are not the usual ones compare, rule and circular.
SIMPLE: dict[str, tuple[Any, ...]] = {
    "H": ("the joint-space inertia matrix H", inertia, "exact", "inertia"),
    "C": ("the velocity terms C (Coriolis and centrifugal)", velocity_terms, "exact", "bias"),
    "g": ("the gravity terms g", gravity_forces, "exact", "force"),
    "bias": ("the bias force: velocity terms and gravity", bias, "exact", "bias"),
    "tau": ("the joint forces tau", forces, "exact", "force", ("tau",)),
    "qdd": ("the accelerations qdd", lambda state: state.qdd, "exact", "acceleration", ("qdd",)),
    "equations of motion": ("the equations of motion", None, "equations"),
    "T": ("the kinetic energy T", kinetic),
    "V": ("the potential energy V", potential, "constant"),
    "L": ("the Lagrangian L = T - V", lambda state: kinetic(state) - potential(state), "constant"),
    "E": ("the total energy T + V", lambda state: kinetic(state) + potential(state), "constant"),
    "momentum": ("the spatial momentum in base coordinates", _momentum),
    "p": ("the generalised momentum H qd", impulses, "exact", "force"),
    "impulse": ("the joint impulses that set the resting system in motion with qd", impulses, "exact", "force"),
    "com": ("the position of the centre of mass", lambda state: centre_of_mass(state.model, state.q)),
    "linear momentum": ("the linear momentum in base axes", lambda state: _momentum(state, _LINEAR)),
    "angular momentum": ("the angular momentum about the base's origin", lambda state: _momentum(state, _ANGULAR)),
    "Hdot": ("the rate of change of the joint-space inertia matrix, dH/dt", inertia_rate, "exact", "constant inertia"),
    "Christoffel C": ("the Coriolis matrix C of the Christoffel symbols", coriolis, "exact", "constant inertia"),
    "H inverse": ("the inverse of the joint-space inertia matrix", lambda x: basics.inverse(inertia(x)), "exact",
                  "inverse"),
    "det H": ("the determinant of the joint-space inertia matrix", lambda x: determinant(inertia(x)), "exact",
              "determinant"),
    "dT/dq": ("the derivatives of T by the coordinates", slope_of_kinetic, "exact", "constant force"),
    "dL/dq": ("the derivatives of L by the coordinates", lambda state: slope_of_kinetic(state) - gravity_forces(state),
              "exact", "constant force"),
    "d/dt dL/dqd": ("the rate of change of the generalised momentum", lambda state: inertia(state) @ state.qdd
                    + inertia_rate(state) @ state.qd, "exact", "constant force"),
    "power": ("the power of the joint forces, which is the rate of change of the energy", _power),
    "dT/dt": ("the rate of change of the kinetic energy", lambda state: _power(state) - _power(state, gravity_forces)),
    "dV/dt": ("the rate of change of the potential energy", lambda state: _power(state, gravity_forces)),
    "K": ("the loop constraint matrix K of K qdd = k", lambda state: constraints(state)[0], "rows", "columns"),
    "k": ("the loop constraint terms k of K qdd = k", lambda state: constraints(state)[1], "exact", "", ("qdd",)),
    "phi": ("the loop closure equations phi(q) = 0", lambda state: constraints(state)[0], "loops"),
    "phidot": ("the loop equations for velocities, K qd = 0", lambda state: constraints(state)[0], "loops"),
    "phiddot": ("the loop equations for accelerations, K qdd = k", lambda state: constraints(state)[0], "loops"),
    "lambda": ("the loop constraint forces lambda, where H qdd + C + g = tau + K^T lambda", multipliers, "exact", "",
               ("lam",)),
}
#: Other names of quantities.
ALIASES = {alias: name for name, aliases in {
    "H": ("M", "D", "B", "mass matrix", "inertia matrix", "inertia"), "C": ("coriolis", "C matrix", "coriolis matrix"),
    "g": ("G", "gravity", "tau_g", "dV/dq", "gradient", "gradient of V", "gravity vector"), "bias": ("C+g", "h", "n"),
    "tau": ("forces", "torques", "u", "inverse dynamics", "generalised forces", "generalized forces", "joint torques"),
    "qdd": ("accelerations", "forward dynamics"), "equations of motion": ("eom", "equation of motion"),
    "T": ("kinetic energy",), "V": ("potential energy", "U"), "L": ("lagrangian",), "E": ("energy",),
    "p": ("generalised momentum", "generalized momentum", "dL/dqd", "dT/dqd", "dL/dqdot", "dT/dqdot"),
    "Christoffel C": ("christoffel matrix", "christoffel"), "Hdot": ("dM/dt", "dH/dt", "Mdot"),
    "H inverse": ("H^-1", "M^-1", "inverse of H", "Hinv", "Minv"), "det H": ("det M", "det D", "det(H)", "det(M)"),
    "power": ("dE/dt", "energy rate", "Edot"), "dT/dt": ("Tdot",), "dV/dt": ("Vdot",),
    "d/dt dL/dqd": ("d/dt dL/dqdot", "d/dt dT/dqd", "pdot"), "k": ("gamma",), "impulse": ("joint impulse",),
    "lambda": ("constraint forces", "multipliers", "lam"), "phidot": ("velocity constraints", "K qd = 0", "K*qd = 0"),
    "phiddot": ("acceleration constraints", "K qdd = k", "K*qdd = k", "constraints"),
    "com": ("centre of mass", "center of mass"), "phi": ("closure", "loop closure"),
}.items() for alias in aliases}
#: Names of g that say nothing about its sign.
GRAVITY = ("g", "G", "gravity", "gravity vector", "tau_g")
#: Characters that the name of a quantity, or an identity, has at most.
LONGEST_NAME = 2000
LOOPS_ONLY = ("K", "k", "phi", "phidot", "phiddot", "lambda")
#: Quantities of whose entries each may be asked for alone, and the number of indices.
WITH_ENTRIES = {**dict.fromkeys(("H", "Hdot", "H inverse", "Christoffel C"), 2),
                **dict.fromkeys(("C", "g", "bias", "tau", "qdd", "p", "lambda", "dT/dq", "dL/dq",
                                 "equations of motion"), 1)}
#: Parts of a state on which quantities depend; all others depend on q, qd, qdd and tau.
DEPENDS_ON = {name: parts for parts, names in {
    ("q",): ("H", "g", "tau_g", "V", "com", "X", "S", "J", "phi", "R", "A", "I", "Ic", "IA", "position", "det H",
             "det J", "H inverse", "Lambda"),
    ("q", "qd"): ("C", "bias", "T", "L", "E", "p", "impulse", "momentum", "v", "Jdot", "K", "k", "velocity", "omega",
                  "h", "Hdot", "Christoffel C", "dT/dq", "dL/dq", "linear momentum", "angular momentum", "dV/dt"),
    ("q", "qd", "qdd"): ("tau", "a", "acceleration", "alpha", "d/dt dL/dqd")}.items() for name in names}
#: Quantities that depend on no mass, and those in which there is no gravity.
GEOMETRIC = ("X", "S", "J", "det J", "Jdot", "v", "a", "phi", "phidot", "phiddot", "K", "k", "R", "A", "position",
             "velocity", "acceleration", "omega", "alpha")
WITHOUT_GRAVITY = (*GEOMETRIC, "H", "C", "T", "p", "com", "momentum", "impulse", "I", "Ic", "det H", "H inverse", "h",
                   "Hdot", "Christoffel C", "dT/dq", "linear momentum", "angular momentum")
#: Quantities that contain the forces tau.
DRIVEN = ("qdd", "power", "dT/dt")
#: Quantities with components along x, y and z, and those of which they are.
ALONG_AXES = {"momentum": "linear momentum"} | {name: name for name in ("linear momentum", "angular momentum", "com")}
OF_A_BODY = [f"{letter}[body]" for letter in "J Jdot v a velocity position com omega I T V".split()]


def find_quantity(model, name, how=""):
    """The `Quantity` of a model that a name asks for. Raises `UnknownQuantity` (a ValueError) or TypeError.

    how: what is declared besides, see `declared`: "world coordinates, linear first", "C without gravity", "Tedrake".
    """
    if not isinstance(name, str):
        raise TypeError(f"quantity is {name!r}; give its name as text, such as 'H' or 'equations of motion'.")
    text = " ".join(name.split())
    if len(text) > LONGEST_NAME:
        raise UnknownQuantity(f"quantity has {len(text)} characters; give its name, such as 'H', or an identity.")
    if text.count("==") > 1:
        raise UnknownQuantity(f"quantity is {name!r}; an identity has one ==, and a formula on each side of it.")
    if "==" in text:
        return Quantity(text, "the identity", "", None, "identity")
    key = text if text in SIMPLE else ALIASES.get(text, ALIASES.get(text.casefold(), text.casefold()))
    if key not in SIMPLE:
        if found := _entry(model, text, how) or of_bodies(model, text, how):
            return found
        known = [*SIMPLE, *(alias for alias in ALIASES if len(alias) > 2), *OF_A_BODY]
        close = difflib.get_close_matches(key, known, 1)
        raise UnknownQuantity(f"quantity is {name!r}, which cannot be verified. " + (
            f"Did you mean {close[0]!r}?" if close else
            f"Choose from {', '.join(SIMPLE)}; one entry, as H[1,2]; {', '.join(OF_A_BODY)}, S[joint], X[i,j], "
            "R[i,j]; or an identity such as 'T + V == E'."))
    if key in LOOPS_ONLY and not model.loops:
        raise UnknownQuantity(f"quantity is {name!r}, but this model has no loops and so no such constraints.")
    said = read_declared(how)
    key = "bias" if key == "C" and said.C == "with" else key
    title, value, *more = SIMPLE[key]
    others = _others(model, key)[key == "C" and said.C == "without" :]
    if said.tau_g == "acts" and text in GRAVITY:        # whoever asks for g may mean the forces that hold, too
        others = () if text == "tau_g" else ((value, "exact", "These are the forces that hold against gravity."),)
        key, title, value = ("tau_g", "the forces tau_g with which gravity acts", lambda state: -gravity_forces(state))
    elif said.tau_g and text == "tau_g":
        title, others = "the forces tau_g that hold against gravity", ()
    return Quantity(text, title, key, value, *more)._replace(others=others)


def _entry(model, text, how):
    """The quantity "H[1,2]", "H12" or "tau1", one entry of another; None if it is no such name."""
    if model.loops and re.fullmatch(r"[Kk]\s*[\[(_{].*", text):
        raise UnknownQuantity(f"quantity is {text!r}, but order, signs and scale of the equations K qdd = k are free. "
                              "Ask for 'K', 'k' or 'phiddot', and hand in all of them.")
    along = re.fullmatch(r"(.+?)\s*[\[(]\s*([xyz])\s*[\])]", text)
    if along and (key := ALIASES.get(along[1], along[1])) in ALONG_AXES:
        whole = find_quantity(model, ALONG_AXES[key])
        return _part(text, whole, ("xyz".index(along[2]),), f"component {along[2]}")
    letter, _, joint = re.sub(r"[\[(](?=[A-Za-z])", "_", re.sub(r"[{}]|(?<=\w)[\])]$", "", text)).partition("_")
    if WITH_ENTRIES.get(ALIASES.get(letter, letter)) == 1 and joint[:1].isalpha():          # tau_theta, p[pole]
        names = Names(model)
        found = next((x.rate for x in names.coordinates if x.name == names.find(joint)[0] and x.rate), None)
        text = f"{letter}[{found[2:]}]" if found else text
    match = re.fullmatch(r"(.+?)\s*[_\[({]*\s*(\d+)\s*,?\s*(\d*)\s*[\])}]*", text)
    key = "" if match is None else match[1] if match[1] in SIMPLE else ALIASES.get(match[1], "")
    if match is None or key not in WITH_ENTRIES or key in LOOPS_ONLY and not model.loops:
        return None
    digits = [d for d in match.groups()[1:] if d]
    if WITH_ENTRIES[key] == 2 == len("".join(digits)):
        digits = list("".join(digits))
    if len(digits) != WITH_ENTRIES[key]:
        many = "two indices, as in H[1,2]" if WITH_ENTRIES[key] == 2 else "one index, as in g[1]"
        raise UnknownQuantity(f"quantity is {text!r}; an entry of {SIMPLE[key][0]} has {many}.")
    part = tuple(int(d) - 1 for d in digits)
    if not all(0 <= i < model.nv for i in part):
        raise UnknownQuantity(f"quantity is {text!r}, but the indices go from 1 to {model.nv}.")
    whole = find_quantity(model, match[1], how)
    if key == "equations of motion":
        if model.loops:
            raise UnknownQuantity(f"quantity is {text!r}, but where loops constrain a system one equation alone says "
                                  "nothing. Ask for 'equations of motion'.")
        return whole._replace(name=text, title=f"equation of motion {part[0] + 1}", part=part)
    place = f"row {part[0] + 1}, column {part[1] + 1}" if len(part) == 2 else f"entry {part[0] + 1}"
    return _part(text, whole, part, place)


def _part(text, whole, part, place):
    """One entry of a `Quantity`. place: in words."""
    def of(value):
        return lambda state: _objects(_objects(value(state))[part])

    others = tuple((of(value), compare, note) for value, compare, note in whole.others if "plane" not in note)
    return Quantity(text, f"{place} of {whole.title}", whole.symbol, of(whole.value), "exact", whole.rule,
                    whole.circular, others, whole, part)


def _others(model, key):
    """Further readings of an answer, as in `Quantity.others`."""
    def of_both_signs(value, note, *words, compare="exact"):
        return [(functools.partial(value, sign=sign), compare, note.format(word)) for sign, word in zip(
            (1, -1), words, strict=True)]

    def in_plane(note):
        return [(lambda state: (vector := SIMPLE[key][1](state))[abs(vector) > LITTLE], "exact", note)]

    driven, hinged = bool(of_joints(model)), all(isinstance(loop.joint, (Revolute, Spherical)) for loop in model.loops)
    return tuple({
        "C": [(bias, "exact", "This is RBDA's C, which contains gravity."),
              (lambda state: velocity_terms(state) + damping(state), "exact", "With the dampers.")][: 1 + driven],
        "g": [(_gravity_alone, "exact", "Gravity alone, without the springs.")] * driven,
        "V": [(lambda state: _objects(potential_energy(state.model, state.q)), "constant",
               "Of gravity alone, without the springs.")] * driven,
        "dT/dt": [(_kinetic_rate, "exact", "")],
        "power": [(lambda state: _kinetic_rate(state) + state.qd @ gravity_forces(state), "exact", "")],
        "momentum": [(SIMPLE["linear momentum"][1], "exact", "The linear momentum."),
                     (SIMPLE["angular momentum"][1], "exact", "The angular momentum about the base's origin.")],
        "angular momentum": in_plane("About the axis normal to the plane."),
        "com": in_plane("In the plane of the motion."), "linear momentum": in_plane("In the plane of the motion."),
        "tau": [(lambda state: state.tau, "exact", "With the loop constraint forces lambda.")] * bool(model.loops),
        "K": of_both_signs(lambda state, sign: np.column_stack([constraints(state)[0], sign * constraints(state)[1]]),
                           "Your last column was taken for {}, where K qdd = k.", "k", "-k", compare="rows"),
        "k": of_both_signs(lambda state, sign: sign * basics.of_points(state)[1],
                           "In base axes, for the points that the hinges hold together: {}.",
                           "successor minus predecessor", "predecessor minus successor") * hinged,
        "lambda": of_both_signs(lambda state, sign: sign * basics.forces_at_points(state),
                                "In base axes, as forces on the {} in the hinges that close the loops.",
                                "successor", "predecessor") * hinged,
    }.get(key, ()))


def other_conventions(quantity):
    """Pairs (function of a state, words) of the values that a `Quantity` has by other conventions, a list."""
    found: list[tuple[Any, str]] = []
    if quantity.name.startswith("tau_g") and "tau_g" not in quantity.title:        # it is not stated
        found.append((lambda state: -gravity_forces(state),
                      "the forces with which gravity acts. Here tau_g holds against them, with the opposite sign."))
    elif quantity.symbol == "angular momentum":
        found.append((lambda state: _momentum(state, _ANGULAR) - skew(centre_of_mass(state.model, state.q)) @ _momentum(
            state, _LINEAR), "the angular momentum about the centre of mass. Here it is that about the base's origin."))
    elif quantity.symbol == "I":
        found += [(lambda state, of=of: 2 * np.diag(np.diag(of(state))) - of(state),
                   "the matrix of the moments and products of inertia. In an inertia tensor the products, such as "
                   "∫ x y dm, stand with a minus sign.") for of, *_ in quantity.others]
    return [(lambda state, of=of: _objects(of(state)[quantity.part]) if quantity.part else of(state), words)
            for of, words in found]


def in_coordinates(quantity, value, state, A, b):
    """A value of a quantity in coordinates y with yd = A qd and ydd = A qdd + b (A: n x n, b: n), as an array."""
    if not quantity.rule:
        return value
    if quantity.whole is not None:
        whole = in_coordinates(quantity.whole, quantity.whole.value(state), state, A, b)
        return _objects(whole[quantity.part])
    if quantity.rule.startswith("constant") and any(abs(b) > LITTLE):
        raise ValueError("This is compared in coordinates that are sums of the model's, and yours are other functions "
                         "of them. Hand it in for the model's own coordinates.")
    B = basics.inverse(A)
    by_rule = {"inertia": lambda: B.T @ value @ B, "force": lambda: B.T @ value, "columns": lambda: value @ B,
               "bias": lambda: B.T @ (value - inertia(state) @ B @ b), "acceleration": lambda: A @ value + b,
               "inverse": lambda: A @ value @ A.T, "determinant": lambda: determinant(B.T @ inertia(state) @ B)}
    return by_rule[quantity.rule.removeprefix("constant ")]()
