"""Contacts of bodies and systems: every joint, loops, moving bases, other scalars, Gauss' principle, motion, mistakes.
What the book says about them is tested in tests/sources/test_rbda_ch11_contacts.py."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from numbers import Rational

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, aba
from rbdlib.book.ch02_spatial import mcI, rotz, xlt
from rbdlib.book.ch04_joints import FreeMotion, Planar, Prismatic, Revolute
from rbdlib.book.ch11_contact import Contact, constraint_state, contact_normal, separation_velocities
from rbdlib.contact import contact_normals, joint_space_normals, separation_accelerations, systems
from rbdlib.contact.systems import body_contact_equations, contact_dynamics, several_contacts, single_contact
from rbdlib.loops.dynamics import by_loop_constraints
from rbdlib.methods.custom_joint import Custom
from tests.sources.ch03_systems import parallelogram, random_model, shaken_joint, transforms
from tests.sources.ch05_systems import JOINT_SETS, STEP, Moving
from tests.sources.ch08_systems import figure_8_3, four_bar, limbs
from tests.sources.ch11_systems import complementary, free_body, holding_sets
from tests.sources.helpers import close, far, random_unit, slope, turn

FLOOR = contact_normal([0, 0, 0], [0, 0, 1])
STILL = np.zeros(6)
CUBE = mcI(2.0, [0, 0, 0.5], np.diag([0.3, 0.3, 0.3]))
FREE, TOUCH = free_body(CUBE), (Contact(0, 1, FLOOR),)


class Vertices:
    """Vertices fixed in bodies sc on planes fixed in bodies pc, for a system whose poses are known at any time.
    at(t): the poses [R, p] of the bodies. phi, n: of the contacts, as functions of time."""
    def __init__(self, rng, at, pairs):
        self.at, self.pairs, self.vertices, self.planes, poses = at, pairs, [], [], at(0.0)
        for pc, sc in pairs:
            C, n_hat = poses[sc][:, 3] + rng.normal(size=3), random_unit(rng)
            foot = C + np.cross(n_hat, rng.normal(size=3))
            R_s, R_p = poses[sc][:, :3], poses[pc][:, :3]
            self.vertices.append(R_s.T @ (C - poses[sc][:, 3]))
            self.planes.append((R_p.T @ (foot - poses[pc][:, 3]), R_p.T @ n_hat))

    def each(self, poses):
        for (pc, sc), P, (foot, n_hat) in zip(self.pairs, self.vertices, self.planes, strict=True):
            R = poses[pc][:, :3]
            yield poses[sc][:, 3] + poses[sc][:, :3] @ P, poses[pc][:, 3] + R @ foot, R @ n_hat

    def distances(self, poses):
        return np.array([n_hat @ (C - foot) for C, foot, n_hat in self.each(poses)])

    def phi(self, t):
        return self.distances(self.at(t))

    def n(self, t):
        return np.array([[*np.cross(C, n_hat), *n_hat] for C, _, n_hat in self.each(self.at(t))])

    def contacts(self):
        rates = slope(self.n, h=STEP)
        return [Contact(pc, sc, n, rate) for (pc, sc), n, rate in zip(self.pairs, self.n(0.0), rates, strict=True)]


def pairs_of(rng, N_B, n_c):
    pairs = [(0, N_B)]
    while len(pairs) < n_c:
        pc, sc = (int(i) for i in rng.integers(0, N_B + 1, 2))
        if pc != sc:
            pairs.append((pc, sc))
    return pairs


@pytest.mark.parametrize("kind", JOINT_SETS)
def test_distances_change_and_systems_move_as_the_contacts_of_every_joint_say(kind):
    """T, zeta and zeta_dot against differences of distances; then forces, by trying all sets of contacts. With forces
    on the bodies and gravity; contacts press, break, or push bodies that have no freedom."""
    rng = np.random.default_rng([1, 11, len(kind)])
    moving = Moving(rng, JOINT_SETS[kind])
    model, q, qd, qdd, f_ext = moving.model, moving.q, moving.qd, moving.qdd, moving.f_ext
    system = Vertices(rng, moving.at, pairs_of(rng, model.N_B, 4))
    contacts, tau = system.contacts(), 10 * rng.normal(size=model.nv)
    gradients = [slope(lambda x, e=e: system.distances(moving.placed(x * e)), h=STEP) for e in np.eye(model.nv)]
    T = joint_space_normals(model, q, contacts)
    assert_allclose(T, np.array(gradients), atol=1e-8 * np.abs(gradients).max())
    assert_allclose(separation_velocities(model, q, qd, contacts), slope(system.phi, h=STEP), atol=1e-8)
    second = slope(lambda t: slope(system.phi, t, STEP), h=STEP)
    close(separation_accelerations(model, q, qd, qdd, contacts), second, 1e-6)
    assert np.abs(second).max() > 1e-2

    result = contact_dynamics(model, q, qd, tau, contacts, f_ext, tolerance=None)
    assert_allclose(result.qdd, aba(model, q, qd, tau + T @ result.lam, f_ext), atol=1e-6)
    assert_allclose(separation_accelerations(model, q, qd, result.qdd, contacts), result.zeta_dot, atol=1e-6)
    complementary(result.zeta_dot, result.lam, 1e-6)
    free = aba(model, q, qd, tau, f_ext)
    apart = contact_dynamics(model, q, qd, tau, [replace(contact, phi=1.0) for contact in contacts], f_ext)
    close(apart.zeta_dot, separation_accelerations(model, q, qd, free, contacts), 1e-9)
    M = T.T @ (np.array([aba(model, q, qd, tau + t, f_ext) for t in T.T]) - free).T
    (lam,) = holding_sets(M, separation_accelerations(model, q, qd, free, contacts))
    assert_allclose(result.lam, lam, atol=1e-6 * max(1, lam.max()))


def test_joints_that_move_with_time_take_their_contacts_along():
    """zeta has a part that is no Tᵀ qd, and zeta_dot one that no velocity explains."""
    rng = np.random.default_rng(5)
    model = random_model(rng, [shaken_joint(), Revolute("x"), Prismatic("y")], parent=[0, 1, 1])
    q, qd, qdd, t_0 = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3), 0.7

    def at(t):
        found = []
        for X in transforms(model, q + t * qd + t * t / 2 * qdd, t_0 + t):
            E = X[:3, :3]
            W = E.T @ X[3:, :3]                                         # -r ×
            found.append(np.column_stack([E.T, [-W[2, 1], -W[0, 2], -W[1, 0]]]))
        return np.array(found)

    system = Vertices(rng, at, [(0, 2), (3, 0), (2, 3)])
    contacts = system.contacts()
    zeta = separation_velocities(model, q, qd, contacts, t_0)
    assert_allclose(zeta, slope(system.phi, h=STEP), atol=1e-9)
    far(joint_space_normals(model, q, contacts, t_0).T @ qd, zeta)
    second = slope(lambda t: slope(system.phi, t, STEP), h=STEP)
    assert_allclose(separation_accelerations(model, q, qd, qdd, contacts, t_0), second, atol=1e-7)
    result = contact_dynamics(model, q, qd, np.zeros(3), contacts, t=t_0, tolerance=None)
    T = joint_space_normals(model, q, contacts, t_0)
    assert_allclose(result.qdd, aba(model, q, qd, T @ result.lam, t=t_0), atol=1e-9)
    lift = Model([0], [Custom(0, X_J=lambda q, t: xlt([0, 0, t * t]))], [np.eye(6)], [mcI(1, [0, 0, 0], np.eye(3))])
    assert_allclose(systems.sizes_of_velocities(lift, [], [], [Contact(0, 1, FLOOR)], t_0), 1.4)


LOOPED = {"four-bar": lambda rng: (four_bar(rng), [(0, 2), (0, 3), (1, 3)]),
          "figure 8.3": lambda rng: (figure_8_3(rng), [(0, 4), (2, 4), (3, 0)]),
          "in space": lambda rng: (limbs(rng, (3, 5, Revolute()), (0, 6, Prismatic("z"))), [(0, 3), (5, 2), (7, 0)])}


@pytest.mark.parametrize("name", LOOPED)
def test_mechanisms_with_loops_keep_them_closed_and_their_contacts_apart(name):
    """M, d and the motion against the whole equation with K, H and C of geometry, for forces T lam."""
    rng = np.random.default_rng([1, 8])
    system, pairs = LOOPED[name](rng)
    model, q, qd, f_ext = system.model, system.q, system.qd, system.f_ext
    system.qdd = system.solved(np.zeros(model.nv))[0]
    touching = Vertices(rng, system.at, pairs)
    contacts, tau = touching.contacts(), 5 * rng.normal(size=model.nv)
    gradients = np.array([slope(lambda x, e=e: touching.distances(system.placed(x * e)), h=STEP)
                          for e in np.eye(model.nv)])
    e = slope(lambda t: slope(touching.phi, t, STEP), h=STEP) - gradients.T @ system.qdd

    def zeta_dot(lam):
        return gradients.T @ system.solved(tau + gradients @ lam)[0] + e

    M, d = systems.contact_equations(model, q, qd, tau, contacts, f_ext)
    large = max(1, np.abs(d).max())
    assert_allclose(d, zeta_dot(np.zeros(3)), atol=1e-5 * large)
    assert_allclose(M, np.array([zeta_dot(x) - zeta_dot(0 * x) for x in np.eye(3)]).T, atol=1e-5 * large)
    result = contact_dynamics(model, q, qd, tau, contacts, f_ext, tolerance=None)
    if result.status == "infeasible":
        assert not holding_sets(M, d)
        return
    T, small = joint_space_normals(model, q, contacts), 1e-6 * max(1, np.abs(result.qdd).max())
    assert_allclose(result.qdd, by_loop_constraints(model, q, qd, tau + T @ result.lam, f_ext)[0], atol=small)
    complementary(result.zeta_dot, result.lam, 1e-6 * large)
    qdd = systems.accelerations_by_qp(model, q, qd, tau, contacts, f_ext)
    assert_allclose(qdd, result.qdd, atol=small)
    lam = systems.recover_lambda(model, q, qd, qdd, tau, contacts, f_ext, tolerance=1e-6)
    assert_allclose(lam, result.lam, atol=1e-4 * max(1, result.lam.max()))


def test_motors_and_stabilisation_of_loops_press_too():
    model, stop = parallelogram(), [Contact(0, 2, contact_normal([0.2, 0.3, 0], [0, 1, 0]))]
    q = model.integrate([0.4, -0.4, 0.4], 1e-3 * np.array([1.0, -2, 1]), 1.0)               # the loop is open a little
    state, found, T = (q, np.zeros(3), np.array([1.0, 2, 3])), [], joint_space_normals(model, q, stop)
    for options in ({}, {"tau_loop": {4: [2.0]}}, {"T_stab": 0.1}, {"tau_loop": {4: [2.0]}, "T_stab": 0.1}):
        result = contact_dynamics(model, *state, stop, **options)
        close(result.qdd, by_loop_constraints(model, *state[:2], state[2] + T @ result.lam, **options)[0], 1e-6)
        assert all(np.abs(result.lam - other).max() > 0.1 for other in found)
        found.append(result.lam)


@pytest.mark.parametrize("n_c", [0, 3, 8])
def test_the_nearest_accelerations_are_those_of_the_contact_forces(n_c):
    """Gauss' principle, also where there are more contacts than freedoms can tell apart, so that lam is one of many."""
    rng = np.random.default_rng([0, n_c])
    moving = Moving(rng, [FreeMotion(), Revolute("x"), Planar()])
    contacts = Vertices(rng, moving.at, pairs_of(rng, 3, n_c)).contacts()[:n_c]
    contacts = [*contacts, *contacts[:2]]
    model, q, qd, tau = moving.model, moving.q, moving.qd, 10 * rng.normal(size=moving.model.nv)
    result = contact_dynamics(model, q, qd, tau, contacts, tolerance=None)
    qdd = systems.accelerations_by_qp(model, q, qd, tau, contacts)
    close(qdd, result.qdd, 1e-8)
    lam, T = systems.recover_lambda(model, q, qd, qdd, tau, contacts), joint_space_normals(model, q, contacts)
    close(qdd, aba(model, q, qd, tau + T @ lam), 1e-7)
    assert lam.shape == result.lam.shape == (len(contacts),) and lam.min(initial=0) >= 0
    assert contact_normals(contacts).shape == (6, len(contacts))
    close(T @ lam, T @ result.lam, 1e-7)
    assert_array_equal(lam[result.zeta_dot > 1e-6], 0)
    assert n_c or (result.status, result.states) == ("unique", [])
    with pytest.raises(ValueError, match="qdd is not what these contacts make of tau"):
        systems.recover_lambda(model, q, qd, qdd + 0.1, tau, contacts)


def test_the_equations_of_a_rod_between_floor_and_wall_as_formulas():
    """Inverse effective masses of a slender rod: 1/m + c²/I_C with the lever c of each normal about the centre."""
    m, l, theta, omega, g = sp.symbols("m l theta omega g", positive=True)
    in_the_plane = Custom(3, lambda q, t: rotz(q[0]) @ xlt([q[1], q[2], 0]))      # turns about the point (q_2, q_3)
    I = mcI(m, [0, 0, 0], sp.diag(1, 1, 1) * m * l**2 / 12)
    rod = Model([0], [in_the_plane], [np.eye(6)], [I], gravity=(0, -g, 0))
    s, c = sp.sin(theta), sp.cos(theta)
    q, qd = [-theta, l / 2 * c, l / 2 * s], [-omega, -l / 2 * s * omega, l / 2 * c * omega]
    foot, head = contact_normal([l * c, 0, 0], [0, 1, 0]), contact_normal([0, l * s, 0], [1, 0, 0])
    M, d = systems.contact_equations(rod, q, qd, [0, 0, 0], [Contact(0, 1, foot, [0, 0, -l * s * omega, 0, 0, 0]),
                                                             Contact(0, 1, head, [0, 0, -l * c * omega, 0, 0, 0])])
    expected = np.array([[1 / m + 3 * c**2 / m, -3 * s * c / m], [-3 * s * c / m, 1 / m + 3 * s**2 / m]])
    phi_rates = np.array([-g + l / 2 * s * omega**2, l / 2 * c * omega**2])
    alone, _ = body_contact_equations(np.diag([m * l**2 / 12, m, m]), [omega, 0, 0], [0, 0, -m * g], [l * c / 2, 0, 1])
    numbers = {m: 1.3, l: 0.7, theta: 0.4, omega: 1.9, g: 9.6}
    for difference in (*(M - expected).flat, *(d - phi_rates), alone[0, 0] - expected[0, 0]):
        assert abs(difference.subs(numbers)) < 1e-12
    with pytest.raises(ValueError, match="sign is not known"):
        single_contact(np.diag([m, m, m]), [0, 0, 0], [0, 0, -m * g], [0, 0, 1])


def test_fractions_are_calculated_with_as_such():
    third, I = Fraction(1, 3), np.diag([Fraction(2), Fraction(3), Fraction(3)])
    N = np.array([[-1, 0, 1], [1, 0, 1], [third, 0, 1]], dtype=object).T
    result = several_contacts(I, [Fraction(0)] * 3, [Fraction(1, 7), Fraction(0), Fraction(-9)], N)
    assert all(isinstance(x, Rational) for x in result.lam)
    assert sum(result.lam) == 9 and (N @ result.lam)[0] == Fraction(-1, 7)
    alone = single_contact(I, [Fraction(0)] * 3, [Fraction(1), Fraction(0), Fraction(-9)], [third, 0, 1])
    assert alone.lam == (Fraction(3) - third * Fraction(1, 2)) / (third + third * third / 2)


def test_a_ball_that_spins_through_a_pipe_is_not_jammed_by_rounding():
    """Three walls around it, far from the origin: d should be 0, and is what rounding leaves of larger numbers."""
    rng = np.random.default_rng(7)
    model = free_body(mcI(2.0, [0, 0, 0], 0.3 * np.eye(3)), gravity=(0, 0, 0))
    for _ in range(10):
        q, qd = model.random_state(rng)
        q[4:], along = 10 * q[4:], random_unit(rng)
        P, V, first = q[4:], 3 * along, np.cross(along, random_unit(rng))
        qd = np.concatenate([10 * qd[:3], transforms(model, q)[1][:3, :3] @ V])
        directions = [turn(along, 2 * np.pi * k / 3) @ first / np.linalg.norm(first) for k in range(3)]
        walls = [Contact(0, 1, contact_normal(P - 0.3 * n_hat, n_hat), [*np.cross(V, n_hat), 0, 0, 0])
                 for n_hat in directions]
        result = contact_dynamics(model, q, qd, np.zeros(6), walls)
        assert result.status == "non-unique"
        assert_allclose(result.zeta_dot, np.zeros(3), atol=1e-9)


def at_rest(contacts=TOUCH, qd=STILL, tau=STILL, **more):
    return contact_dynamics(FREE, FREE.neutral(), qd, tau, contacts, **more)


@pytest.mark.parametrize(("error", "text", "call"), [
    (ValueError, "n_hat is zero", lambda: contact_normal([0, 0, 0], [0, 0, 0])),
    (ValueError, "not a unit force along a line", lambda: Contact(0, 1, [0, 0, 1, 0, 0, 0])),
    (ValueError, "predecessor is -1", lambda: Contact(-1, 1, FLOOR)),
    (ValueError, "successor is 1.0", lambda: Contact(0, 1.0, FLOOR)),
    (ValueError, "no body touches itself", lambda: Contact(1, 1, FLOOR)),
    (ValueError, "ndot has shape", lambda: Contact(0, 1, FLOOR, [0, 0, 0])),
    (ValueError, "ndot has shape", lambda: Contact(0, 1, FLOOR, 1)),
    (ValueError, "phi contains nan", lambda: Contact(0, 1, FLOOR, phi=np.nan)),
    (ValueError, "point has shape", lambda: Contact(0, 1, FLOOR, point=[0, 0])),
    (TypeError, "contacts is", lambda: at_rest(None)), (TypeError, r"contacts\[0\] is", lambda: at_rest([FLOOR])),
    (ValueError, "touches body 2; this model has the bodies 1 to 1", lambda: at_rest([Contact(0, 2, FLOOR)])),
    (ValueError, r"contacts\[0\] \(heel\): phi is -0.1", lambda: at_rest([Contact(0, 1, FLOOR, 0, -0.1, "heel")])),
    (ValueError, "tolerance is -1", lambda: at_rest(tolerance=-1)),
    (ValueError, "tolerance has shape", lambda: at_rest(tolerance=(1, 2, 3))),
    (ValueError, "method is 'guess'", lambda: at_rest(method="guess")),
    (ValueError, "I is not symmetric", lambda: single_contact(np.triu(np.ones((6, 6))), STILL, STILL, FLOOR)),
    (ValueError, "I is not positive definite", lambda: single_contact(np.zeros((6, 6)), STILL, STILL, FLOOR)),
    (ValueError, "N has shape", lambda: several_contacts(CUBE, STILL, STILL, np.ones((2, 6)))),
    (ValueError, "Ndot_v has shape", lambda: several_contacts(CUBE, STILL, STILL, FLOOR[:, None], [1, 2])),
    (ValueError, "contact 0 the separation velocity", lambda: several_contacts(CUBE, STILL + 1, STILL, FLOOR[:, None])),
    (ValueError, "phi contains inf", lambda: constraint_state(np.inf, 0)),
    (ValueError, "sign is not known", lambda: constraint_state(sp.Symbol("x"), 0)),
    (ValueError, r"n is \[0.0.* not a unit force", lambda: single_contact(CUBE, STILL, -FLOOR, STILL)),
    (ValueError, "not a unit force", lambda: single_contact(CUBE, STILL, -FLOOR, np.roll(FLOOR, 3))),
    (ValueError, r"N\[:, 1\]", lambda: several_contacts(CUBE, STILL, -FLOOR, np.array([FLOOR, 2 * FLOOR]).T)),
    (ValueError, "not a unit force", lambda: body_contact_equations(CUBE, STILL, -FLOOR, 2 * FLOOR)),
    (ValueError, "method is 'x'", lambda: several_contacts(CUBE, STILL, FLOOR, np.zeros((6, 0)), method="x")),
    (TypeError, "inside is 'no'", lambda: Contact(0, 1, FLOOR, inside="no")),
    (ValueError, "qd contains symbols", lambda: at_rest(qd=[0, 0, 0, 0, 0, sp.Symbol("v")])),
    (ValueError, "tau contains symbols", lambda: at_rest(tau=[0, 0, 0, 0, 0, sp.Symbol("f")])),
    (ValueError, "contacts or f_ext contain", lambda: at_rest(contacts=[Contact(0, 1, sp.Symbol("n") * FLOOR)])),
    (TypeError, "qd contains complex", lambda: at_rest(qd=1j * FLOOR)),
    (ValueError, "approach at 1 m/s, so that an impulse changes qd first. Apply system_impact",
     lambda: at_rest(qd=-FLOOR)),
    (TypeError, "qd contains complex",
     lambda: systems.accelerations_by_qp(FREE, FREE.neutral(), 1j * FLOOR, STILL, [])),
    (ValueError, "qdd contains symbols",
     lambda: systems.recover_lambda(FREE, FREE.neutral(), STILL, [sp.Symbol("a")] * 6, STILL, []))])
def test_mistakes_are_named(error, text, call):
    with pytest.raises(error, match=text):
        call()


def test_contacts_are_copies_and_their_directions_may_have_any_length():
    contact = Contact(0, 1, (n := FLOOR.copy()))
    n[0] = 7
    assert contact.n[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        contact.n[0] = 1
    for size in (1e200, 1e-200, 1e-300):
        n = contact_normal([1, 0, 0], [0, size, size])
        assert_allclose(n, np.sqrt(0.5) * np.array([0, -1, 1, 0, 1, 1]), rtol=1e-12)
    assert at_rest([Contact(0, 1, FLOOR, inside=False)], tolerance=None).lam[0] > 0


def test_a_contact_between_bodies_that_nothing_moves_is_harmless_or_hopeless():
    """Walls welded together touch without force; if they are driven into each other nothing can be done."""
    model = Model([0, 0], [Custom(0, lambda q, t: xlt([0, 0, t * t]), name="lift"), Revolute()], [np.eye(6)] * 2,
                  [CUBE, CUBE])
    q, qd = [0.0], [0.0]
    assert contact_dynamics(model, q, qd, [0.0], [Contact(0, 1, FLOOR)]).status == "unique"
    result = contact_dynamics(model, q, qd, [0.0], [Contact(1, 0, FLOOR)])
    assert result.status == "infeasible"
    assert systems.accelerations_by_qp(model, q, qd, [0.0], [Contact(1, 0, FLOOR)]) is None


@pytest.mark.parametrize("method", ["lemke", "dantzig", "qp"])
def test_a_force_along_a_slot_presses_on_no_wall(method):
    """Two walls, parallel but for the last digit of sines and cosines."""
    model = free_body(CUBE, gravity=(0, 0, 0))
    for degrees, size in product((0, 17, 90, 180, 261), (-1, 1e3)):
        along = np.array([0, 0, 0, -np.sin(np.radians(degrees)), np.cos(np.radians(degrees)), 0])
        slot = [contact_normal([-0.1 * np.cos(a), -0.1 * np.sin(a), 0], [np.cos(a), np.sin(a), 0])
                for a in np.radians([degrees, degrees + 180])]
        state, contacts = (model.neutral(), 0.3 * along, size * along), [Contact(0, 1, n) for n in slot]
        for qdd in (contact_dynamics(model, *state, contacts, method=method).qdd,
                    several_contacts(CUBE, *state[1:], np.array(slot).T, method=method).a,
                    systems.accelerations_by_qp(model, *state, contacts)):
            close(qdd, np.linalg.solve(CUBE, state[2]), 1e-10 * abs(size))
