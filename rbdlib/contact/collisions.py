"""Impacts of one and two bodies: an impulse and the steps of velocity that it causes (RBDA 11.7).

An impulse iota is a force vector, the integral of a force over a time so short that nothing moves meanwhile and no
finite force counts. All vectors and inertias that meet in an equation have the same coordinates. Everything may be
planar: then vectors have 3 numbers and inertias are 3 x 3. `rbdlib.contact.impact` has what impulses do to systems.
"""

import warnings
from collections import namedtuple

import numpy as np

from rbdlib.book.ch02_spatial import couple, line_force, skew
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch11_contact import contact_normal
from rbdlib.numbers.negligible import generalized_inverse
from rbdlib.numbers.pivots import axis_across, values_of
from rbdlib.numbers.scalars import TOLERANCE, as_floats, matrix, number, sqrt, vector, zeros
from rbdlib.numbers.validation import refuse_complex, unit_force

#: Energy that impulses add is worth a warning from this fraction of what they move to and fro.
NOTABLE = 1e-9
DEPENDENT = "Give independent forces as the columns of N."


class CollisionWarning(UserWarning):
    """An impact that the formulas allow and nature does not: energy gained, friction beyond its cone, or a pull."""


def velocity_step(I, iota):
    """The step of velocity dv that an impulse causes: iota = I dv (RBDA Eqs 11.55, 11.56).

    I (6 x 6): inertia of a rigid body, or I_A of the handle of an articulated body; iota (6): impulse on it. Planar
    ones have 3 and 3 x 3 numbers. Raises ValueError if I is singular.
    """
    iota = vector(iota, _dimension(iota, "iota"), "iota")
    return _solved(inertia(I, len(iota), "I"), iota, "I")


class Collision(namedtuple(
        "Collision", "v_1 v_2 lam iota zeta zeta_plus energy_before energy_after work remarks", defaults=((),))):
    """Two bodies after a collision.

    v_1, v_2: their velocities.  lam: impulse along n, or along the columns of N.  iota: the impulse on body 2; body 1
    gets the opposite.  zeta, zeta_plus: relative velocity at C before and after, along the same.  energy_before,
    energy_after: of the two bodies (J); a body without inertia given counts as 0.  work: what the impulses added (J),
    their difference unless such a body moves.  remarks: the texts of the warnings given.
    """


def collision(I_1, I_2, v_1, v_2, n, e=0.0):
    """Two bodies collide without friction: a `Collision` with v_1, v_2 and lam (RBDA Eqs 11.60 to 11.65).

    I_1, I_2 (6 x 6): inertias, I_A of handles of articulated bodies, or None for a body that no impulse moves, as the
    ground; v_1, v_2 (6): velocities before, None for rest. n (6): contact normal, from body 1 to body 2, as from
    `contact_normal`; e: coefficient of restitution, 0 (plastic) to 1 (elastic). Bodies that do not approach each other
    go on as they are; of formulas it is taken that they do approach. Raises ValueError for bad arguments.
    """
    (I_1, v_1), (I_2, v_2) = _two_bodies(I_1, I_2, v_1, v_2)
    n, e = _normal(n, len(v_1)), restitution(e)
    zeta = n @ (v_2 - v_1)                                                          # (11.62)
    a_1, a_2 = _solved(I_1, n, "I_1"), _solved(I_2, n, "I_2")
    lam = -(1 + e) * zeta / (n @ (a_1 + a_2)) if _approach(zeta) else 0 * zeta      # (11.65)
    dv_1 = -a_1 * lam                                                               # (11.60)
    dv_2 = a_2 * lam                                                                # (11.61)
    dzeta = n @ (dv_2 - dv_1)                                                       # (11.63)
    energies = [_energy(I_1, v_1) + _energy(I_2, v_2), _energy(I_1, v_1 + dv_1) + _energy(I_2, v_2 + dv_2)]
    return Collision(v_1 + dv_1, v_2 + dv_2, lam, n * lam, zeta, zeta + dzeta, *energies,
                     lam * (zeta + zeta + dzeta) / 2)


def sticking_collision(I_1, I_2, v_1, v_2, N, e=0.0, mu=None):
    """Two bodies collide, and friction ends the sliding between them: a `Collision` (RBDA Eqs 11.66 to 11.72).

    I_1, I_2, v_1, v_2: as for `collision`. N (6 x m): unit forces along which an impulse may act, the contact normal
    last, as from `contact_frame`. e: coefficient of restitution; or m of them, one for each column, of which those
    along the tangents may be -1 to 1. That friction is able to end the sliding is taken for granted. mu, its
    coefficient, lets a `CollisionWarning` say where it is not. Others say where the impulse pulls, and where the
    formula makes energy: it sets velocities, and friction can turn motion along the surface into motion along n.
    """
    (I_1, v_1), (I_2, v_2) = _two_bodies(I_1, I_2, v_1, v_2)
    N = matrix(N, (len(v_1), np.shape(N)[-1] if np.ndim(N) == 2 else 3), "N")
    _normal(N[:, -1], len(v_1), "the last column of N")
    E = vector([0] * (N.shape[1] - 1) + [e] if np.ndim(e) == 0 else e, N.shape[1], "e")         # (11.71), its diagonal
    for k, e_k in enumerate(E):
        restitution(e_k, f"e[{k}]", 0 if k == N.shape[1] - 1 else -1)
    zeta = N.T @ (v_2 - v_1)                                                        # (11.69)
    A_1, A_2 = _solved(I_1, N, "I_1"), _solved(I_2, N, "I_2")
    lam = 0 * zeta
    if _approach(zeta[-1]):
        lam = -_solved(N.T @ (A_1 + A_2), (1 + E) * zeta, "Nᵀ (I_1⁻¹ + I_2⁻¹) N", DEPENDENT)     # (11.72)
    dv_1 = -A_1 @ lam                                                               # (11.66), (11.68)
    dv_2 = A_2 @ lam                                                                # (11.67), (11.68)
    zeta_plus = zeta + N.T @ (dv_2 - dv_1)                                          # (11.70)
    energies = [_energy(I_1, v_1) + _energy(I_2, v_2), _energy(I_1, v_1 + dv_1) + _energy(I_2, v_2 + dv_2)]
    work = lam @ (zeta + zeta_plus) / 2
    along = [k for k in range(N.shape[1] - 1) if (N[len(v_1) // 2 :, k] != 0).any()]
    mu = None if mu is None else [friction_coefficient(mu)]
    remarks = warned(remarks_on(lam[-1:], lam[None, along], work, np.abs(lam) @ np.abs(zeta), mu))
    return Collision(v_1 + dv_1, v_2 + dv_2, lam, N @ lam, zeta, zeta_plus, *energies, work, remarks)


def contact_frame(C, n_hat, torsion=False):
    """N (6 x 3): unit forces n_x, n_y, n_z along two tangents and the normal, on lines through C (RBDA Eq. 11.68).

    C (3): the point of contact (m); n_hat (3): direction of the normal, towards body 2. The first tangent is the part
    along the surface of the coordinate axis farthest from the normal; the second completes right-handed axes. torsion:
    put the unit couple about the normal between them and n_z, for friction that resists spinning (6 x 4). With two
    numbers for C and n_hat the contact is planar: N = [n_x n_z] (3 x 2).
    """
    planar = np.shape(C) == (2,)
    C, n_hat = vector(C, 2 if planar else 3, "C"), vector(n_hat, 2 if planar else 3, "n_hat")
    if planar:
        z_hat = n_hat / _length(n_hat)
        x_hat = np.array([z_hat[1], -z_hat[0]])
        return np.array([[C[0] * a[1] - C[1] * a[0], *a] for a in (x_hat, z_hat)]).T
    z_hat = contact_normal(C, n_hat)[3:]
    axis = np.eye(3, dtype=int)[0] if as_floats(z_hat) is None else axis_across(z_hat)
    x_hat = axis - (axis @ z_hat) * z_hat
    x_hat = x_hat / _length(x_hat)
    y_hat = skew(z_hat) @ x_hat
    spin = [couple(z_hat)] if torsion else []
    return np.array([line_force(x_hat, C), line_force(y_hat, C), *spin, line_force(z_hat, C)]).T


def _two_bodies(I_1, I_2, v_1, v_2):
    """The inertias (or None) and velocities of the two bodies, checked."""
    refuse_complex(I_1=I_1, I_2=I_2, v_1=v_1, v_2=v_2)
    given = [x for x in (v_1, v_2) if x is not None] + [np.zeros(len(I)) for I in (I_1, I_2) if I is not None]
    if I_1 is None and I_2 is None:
        raise ValueError("I_1 and I_2 are both None, so that no impulse moves either body. Give one an inertia.")
    n = _dimension(given[0], "v_1" if v_1 is not None else "v_2")
    return [(None if I is None else inertia(I, n, f"I_{k}"),
             vector(np.zeros(n, dtype=int) if v is None else v, n, f"v_{k}"))
            for k, I, v in ((1, I_1, v_1), (2, I_2, v_2))]


def _dimension(x, name):
    if np.shape(x) not in ((3,), (6,)):
        raise ValueError(f"{name} has shape {np.shape(x)}; give a spatial vector, 6 numbers, or a planar one, 3.")
    return len(x)


def inertia(I, n, name):
    """The inertia I (n x n), checked to be symmetric."""
    I = matrix(I, (n, n), name)
    values = as_floats(I)
    if values is not None and np.abs(values - values.T).max() > TOLERANCE * np.abs(values).max():
        raise ValueError(f"{name} is not symmetric, as every inertia is. Make one with mcI(m, c, I_C).")
    return I


def _solved(A, B, name, remedy="Give the inertia of a body that does."):
    """A⁻¹ B, 0 if A is None; of a singular A, such as a particle's inertia, the solution that turns least, if any."""
    if A is None:
        return 0 * B
    try:
        return solve(A, B)
    except ValueError:
        linear_first = np.roll(np.arange(len(A)), -(len(A) // 2))
        x = zeros(B.shape, A, B)
        x[linear_first] = generalized_inverse(A[np.ix_(linear_first, linear_first)], TOLERANCE**2)[0] @ B[linear_first]
        error = as_floats(A @ x - B)
        if error is None or np.abs(error).max() > TOLERANCE:
            raise ValueError(f"{name} is not positive definite: it does not resist this impulse. {remedy}") from None
        return x


def _normal(n, size, name="n"):
    """n, checked to be a unit force along a line."""
    n = vector(n, size, name)
    refuse_complex(**{name: n})
    unit_force(n, name)
    return n


def restitution(e, name="e", least=0):
    """The coefficient of restitution e, checked to be in 0..1."""
    return _coefficient(e, name, least, 1, f"give a coefficient of restitution from {least} to 1.")


def friction_coefficient(mu, name="mu"):
    """The coefficient of friction mu, checked not to be negative."""
    return _coefficient(mu, name, 0, np.inf, "a coefficient of friction is not negative.")


def _coefficient(x, name, least, most, wanted):
    x = number(x, name)
    refuse_complex(**{name: x})
    if (value := values_of(x)) is not None and not least <= value <= most:
        raise ValueError(f"{name} is {x}; {wanted}")
    return x


def for_each(x, n, name, check):
    """An array of one number for each of n contacts, or of the same for all, each looked at by check(x, name)."""
    x = vector([x] * n if np.ndim(x) == 0 else x, n, name)
    return np.array([check(x_i, f"{name}[{i}]") for i, x_i in enumerate(x)])


def _approach(zeta):
    value = values_of(zeta)
    return value is None or value < 0


def _energy(I, v):
    return 0 if I is None else v @ I @ v / 2


def _length(a):
    square = a @ a
    value = values_of(square)
    if square == 0 or (value is not None and value <= TOLERANCE**4):
        raise ValueError("n_hat is zero, which is no direction. Give the direction out of body 1's surface.")
    return sqrt(square)


def remarks_on(lam, lam_t, work, exchanged, mu, where=("",)):
    """Remarks on impulses that a reader should know of: texts.

    lam (n): impulses along normals; lam_t (n x 2): along tangents; work: energy that they add (J); exchanged: the sum
    of the sizes of its parts; mu (n): coefficients of friction, or None; where (n): which contact it is, in words.
    """
    numbers = as_floats([*lam, *np.ravel(lam_t), work, exchanged])
    if numbers is None:
        return []
    lam, lam_t, (work, exchanged) = numbers[: len(lam)], numbers[len(lam) : -2].reshape(lam_t.shape), numbers[-2:]
    texts = [f"The impulse{where[i]} pulls: its normal part is {lam[i]:.4g} N s. Without friction it would not."
             for i in range(len(lam)) if lam[i] < -NOTABLE * np.abs(lam_t[i]).max(initial=0)]
    if work > NOTABLE * exchanged:
        texts.append(f"The impulses add {work:.4g} J to the kinetic energy, which no passive contact does.")
    for i in range(len(lam)) if mu is not None else ():
        friction, limit = np.sqrt(lam_t[i] @ lam_t[i]), float(mu[i]) * max(lam[i], 0)
        if friction > (1 + NOTABLE) * limit:
            texts.append(f"The impulse{where[i]} leaves the friction cone: {friction:.4g} N s along the surface, "
                         f"where friction gives {limit:.4g} N s at most. There the bodies would go on sliding.")
    return texts


def warned(texts, level=3):
    """Give a `CollisionWarning` for each of the texts, and return them. level: so many calls up is the user's code."""
    for text in texts:
        warnings.warn(text, CollisionWarning, stacklevel=level)
    return tuple(texts)
