"""Motion with rigid contacts and friction, by time stepping: velocities and impulses in place of accelerations.

Over a step h the contacts give the impulses p, along normals and along directions of friction (the columns of T):

    qd⁺ = qd_free + H⁻¹ T p,   qd_free = qd + h H⁻¹ (τ - C),   q⁺ = q moved by qd⁺ for the time h                 (1)

so that the velocities along T are M p + b with M = TᵀH⁻¹T and b = Tᵀ qd_free. Impacts and steady pressing are the same
thing here, and where accelerations have no answer (Painlevé) impulses do. Two laws say what p is:

"stewart_trinkle" (Stewart & Trinkle 1996; Anitescu & Potra, Formulating dynamic multi-rigid-body contact problems with
friction as solvable linear complementarity problems, 1997): Coulomb's law with a pyramid. With E = (1 … 1),

    0 <= phi/h + v_n        ⊥  p_n >= 0         it presses, or parts                                              (2)
    0 <= D_iᵀ v + E s       ⊥  beta >= 0        friction along d_j with which sliding is slowest, -s              (3)
    0 <= mu p_n - Eᵀ beta   ⊥  s >= 0           inside the pyramid, or at its limit and sliding at the speed s    (4)

"relaxed" (Anitescu, Optimization-based simulation of nonsmooth rigid multibody dynamics, 2006): p is in the pyramid and
the velocity in its dual cone. That is, qd⁺ is the velocity nearest to qd_free, measured with H, for which

    phi/h + v_n + mu d_jᵀ v >= 0    for each direction d_j at each contact                                        (5)

a convex problem with one answer. But what slides at the speed s along some d_j has v_n = mu s - phi/h: it hovers.
"""

from collections import namedtuple
from dataclasses import dataclass, replace

import numpy as np

from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch05_inverse_dynamics import bias_force
from rbdlib.book.ch06_inertia_matrix import expanded_parent
from rbdlib.book.ch11_contact import contact_coefficients, joint_space_normals, separation_velocities
from rbdlib.contact.collisions import for_each, friction_coefficient
from rbdlib.contact.geometry import contacts_of, require_pairs
from rbdlib.contact.lcp import lemke, solve_lcp
from rbdlib.contact.sets import friction_directions
from rbdlib.methods.joint_character import armatures, joint_forces
from rbdlib.methods.rotors import crba_with_rotors
from rbdlib.motion.drives import force_function, require_finite, torque_function
from rbdlib.motion.simulate import Trajectory, start_state
from rbdlib.numbers.linear import solve_linear
from rbdlib.numbers.scalars import number, vector

#: What counts as zero in a tableau of Lemke's method, and how far from fulfilled its answer may be (both relative).
ZERO, FULFILLED = 1e-11, 1e-7


class ContactStep(namedtuple("ContactStep", "q qd contacts p_n p_t")):
    """A step of time: q (nq) and qd (nv) after it, the contacts (n_c of them) as they were before it, and impulses.

    p_n (n_c, N s): along the normals. p_t (n_c x 3, N s): of friction on the successors, in base coordinates. What has
    no effect, such as friction across the plane of a planar model, is any of the possible ones.
    """


def contact_step(model, q, qd, tau, pairs, h, mu=0.0, law="stewart_trinkle", sides=4, near=np.inf, f_ext=None, t=0.0,
                 method="lemke"):
    """One step of time with contacts and friction: a `ContactStep`; inelastic, bodies that meet stay together.

    q (nq), qd (nv), tau (nv), f_ext, t: as for `rnea`; the model is a tree. pairs: a sequence of
    `rbdlib.contact.Pair`. h: the step (s). mu: coefficient of friction, for pairs that have none of their own. law: see
    above. sides: of the pyramids. near (m): contacts farther apart are left out. method: for "relaxed", as for
    `solve_lcp`. Joints' characters count as they are at the beginning. Raises ValueError for bad arguments,
    and ArithmeticError where rounding errors hide the answer.
    """
    h = number(h, "h")
    if law not in LAWS or h <= 0 or require_model(model).loops:
        raise ValueError(f"law is {law!r}, h is {h}; give {' or '.join(map(repr, LAWS))}, a positive step, and a model "
                         "without loops.")
    pairs = require_pairs(pairs, model)
    mu = for_each([mu if pair.friction is None else pair.friction for pair in pairs for _ in range(len(pair))],
                  sum(map(len, pairs)), "mu", friction_coefficient)
    touching = [(contact, mu_i) for contact, mu_i in zip(contacts_of(model, pairs, q, qd, t), mu, strict=True)
                if contact.inside and contact.phi <= near]
    contacts, mu = [contact for contact, _ in touching], np.array([mu_i for _, mu_i in touching])
    directions = [friction_directions(contact, sides) for contact in contacts]
    lines = contacts + [replace(contact, n=d) for contact, D in zip(contacts, directions, strict=True) for d in D.T]

    T = joint_space_normals(model, q, lines, t)
    tau_C = vector(tau, model.nv, "tau") + joint_forces(model, q, qd) - bias_force(model, q, qd, f_ext, t)
    H = crba_with_rotors(model, q, armatures(model), t)
    M, _, H_inv_T, qdd_free = contact_coefficients(H, T, tau_C, 0, expanded_parent(model))
    qd_free = qd + h * qdd_free                                                     # (1)
    b = separation_velocities(model, q, qd_free, lines, t)
    b[:len(contacts)] += np.array([contact.phi for contact in contacts]) / h        # (2)
    p = LAWS[law](M, b, mu, sides, method)
    qd = qd_free + H_inv_T @ p                                                      # (1)
    p_n, beta = p[:len(contacts)], p[len(contacts):].reshape(-1, sides)
    p_t = np.array([D[3:] @ beta_i for D, beta_i in zip(directions, beta, strict=True)]).reshape(-1, 3)
    return ContactStep(model.normalise(model.integrate(q, qd, h)), qd, contacts, p_n, p_t)


def friction_lcp(M, b, mu, sides):
    """A and a of the linear complementarity problem (2) to (4): 0 <= A z + a ⊥ z >= 0, z = (p_n, beta, s).

    M, b: the velocities along n_c normals and n_c times `sides` directions of friction are M p + b (m/s), phi/h
    included; mu (n_c). A is not symmetric, but copositive.
    """
    n, m = len(mu), len(b)
    E = np.kron(np.eye(n), np.ones((sides, 1)))
    A, a = np.zeros((m + n, m + n)), np.concatenate([b, np.zeros(n)])
    A[:m, :m] = M                                                                   # (2), (3)
    A[n:m, m:] = E                                                                  # (3)
    A[m:, :n], A[m:, n:m] = np.diag(mu), -E.T                                       # (4)
    return A, a


def _stewart_trinkle(M, b, mu, sides, method):
    """The impulses p that (2) to (4) give, by Lemke's method; in units of the mass that the contacts move."""
    mass = 1 / max(M.diagonal(), default=1)
    A, a = friction_lcp(mass * M, b, mu, sides)
    basis, _ = lemke(A, a, ZERO)
    z = np.zeros(len(a))
    if basis:
        z[basis] = solve_linear(A[np.ix_(basis, basis)], -a[basis])
    allowed = FULFILLED * (1 + np.abs(a).max(initial=0))
    if basis is None or min([*z, *(A @ z + a)], default=0) < -allowed:
        raise ArithmeticError("Lemke's method found no impulses. Make the step h smaller, or leave out contacts that "
                              "repeat others.")
    return mass * np.maximum(z[:len(b)], 0)


def _relaxed(M, b, mu, sides, method):
    """The impulses p = G a, a >= 0 in the pyramids, that fulfil (5): the LCP of GᵀMG, which is symmetric."""
    n = len(mu)
    G = np.vstack([np.kron(np.eye(n), np.ones(sides)), np.kron(np.diag(mu), np.eye(sides))])
    found = solve_lcp(G.T @ M @ G, G.T @ b, method, size=np.abs(G.T) @ np.abs(b))
    if not found.feasible:
        raise ArithmeticError("No velocity keeps the bodies apart: something moves by itself. " + found.text)
    return G @ found.lam


LAWS = {"stewart_trinkle": _stewart_trinkle, "relaxed": _relaxed}


@dataclass(frozen=True, eq=False)
class SteppedTrajectory(Trajectory):
    """A `Trajectory` with steps: the `ContactStep`s that led to each sample after the first."""

    steps: tuple


def simulate_steps(model, q0, qd0, h, n_steps, pairs, mu=0.0, torque=None, f_ext=None, **options):
    """n_steps times `contact_step`, from the time 0: a `SteppedTrajectory` of n_steps + 1 samples.

    torque, f_ext: as for `rbdlib.motion.simulate.simulate`. options: law, sides, near, method of `contact_step`.

    >>> from rbdlib import Model
    >>> from rbdlib.book.ch02_spatial import mcI
    >>> from rbdlib.book.ch04_joints import Planar
    >>> from rbdlib.contact import Pair, Plane, Point
    >>> puck = Model([0], [Planar()], [np.eye(6)], [mcI(2, [0, 0, 0], np.eye(3))], gravity=(0, -10, 0))
    >>> table = Pair(0, Plane(normal=(0, 1, 0)), 1, Point())
    >>> run = simulate_steps(puck, [0, 0, 0], [0, 3, 0], 0.01, 120, [table], mu=0.3)
    >>> print(run.q[-1, 1].round(3))                        # v²/(2 mu g) = 1.5, less h v/2
    1.485
    """
    q, qd = start_state(model, q0, qd0, 0.0)
    drive, load, states, steps = torque_function(model, torque), force_function(model, f_ext), [(q, qd)], []
    for t in h * np.arange(n_steps):
        step = contact_step(model, q, qd, drive(t, q, qd), pairs, h, mu, f_ext=load(t, q, qd), t=t, **options)
        q, qd = step.q, step.qd
        require_finite(model, t + h, q, qd)
        states.append((q, qd))
        steps.append(step)
    q, qd = map(np.array, zip(*states, strict=True))
    return SteppedTrajectory(h * np.arange(n_steps + 1), q, qd, model, np.zeros(n_steps + 1), tuple(steps))
