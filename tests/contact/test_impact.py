"""Impacts: systems against geometry and least squares, rules of restitution, friction, loops, moving walls, errors."""

from fractions import Fraction
from functools import cache
from itertools import product

import mpmath
import numpy as np
import pytest
import sympy as sp
from scipy.optimize import nnls

from rbdlib import Model, crba, load
from rbdlib.book.ch02_planar import mcI as planar_mcI
from rbdlib.book.ch02_spatial import mcI, xlt
from rbdlib.book.ch04_joints import FreeMotion, Planar, Prismatic
from rbdlib.book.ch04_kinematics import kinetic_energy, momentum
from rbdlib.book.ch11_contact import Contact, contact_normal
from rbdlib.contact import collisions
from rbdlib.contact.collisions import CollisionWarning, collision, contact_frame, sticking_collision, velocity_step
from rbdlib.contact.impact import body_impulse, constraint_impact, impulse_step, system_impact
from rbdlib.contact.systems import size_of_products
from rbdlib.methods.custom_joint import Custom
from tests.sources.ch05_systems import JOINT_SETS
from tests.sources.ch07_systems import Forced
from tests.sources.ch08_systems import four_bar, limbs
from tests.sources.ch11_systems import free_body, holding_sets
from tests.sources.helpers import close, far, field, random_mass_properties, random_unit

RULES = ("newton", "poisson", "sequential")
BALL = free_body(mcI(1.0, [0, 0, 0], 0.1 * np.eye(3)))
quiet = pytest.mark.filterwarnings("ignore::rbdlib.contact.CollisionWarning")


def line(C, n_hat):
    return np.concatenate([np.cross(C, n_hat), n_hat])


def strike(*arguments, **options):
    """The impact of a ball at the origin, for qd, contacts and more."""
    return system_impact(BALL, BALL.neutral(), *arguments, **options)


@cache
def moving(seed, joints):
    free = [FreeMotion(), FreeMotion("F_s"), FreeMotion()]
    return Forced(np.random.default_rng([seed, 116]), free if joints == "free" else JOINT_SETS[joints])


class Struck:
    """A tree in motion with contacts at random places of random bodies: T, H and separation velocities by geometry."""
    def __init__(self, seed, joints="balls and planes", n=3):
        rng, self.tree = np.random.default_rng([seed, 117]), moving(seed, joints)
        self.model, self.q, self.qd, self.H = self.tree.model, self.tree.q, self.tree.qd, self.tree.H
        bodies = ((0, 1), (2, 1), (0, 3), (3, 2))[:n]
        if joints != "free":
            bodies = [rng.choice(self.model.N_B + 1, 2, replace=False).tolist() for _ in range(n)]
        self.place([(p, s, rng.normal(size=3), random_unit(rng)) for p, s in bodies])

    def place(self, places):
        self.places = places
        self.contacts = [Contact(p, s, line(C, n_hat), point=C) for p, s, C, n_hat in places]
        self.T = np.column_stack([self.between(p, s).T @ line(C, n_hat) for p, s, C, n_hat in places])

    def between(self, p, s):
        """The velocity of body s past body p is this matrix times qd."""
        return self.tree.ways[s] - self.tree.ways[p]

    def approaching(self):
        """The same with bodies exchanged at contacts that separate: then the line of force has the opposite sign."""
        self.place([(s, p, C, n_hat) if rate > 0 else (p, s, C, n_hat)
                    for (p, s, C, n_hat), rate in zip(self.places, self.T.T @ self.qd, strict=True)])
        return self

    def impact(self, e, *more, **options):
        return system_impact(self.model, self.q, self.qd, self.contacts, e, *more, **options)

    def energy(self, qd):
        return qd @ self.H @ qd / 2

    def sliding(self, qd):
        """The velocity along the surface, of one body past the other, at each contact."""
        past = [field(self.between(p, s) @ qd, C[None])[0] for p, s, C, _ in self.places]
        return np.array([v - (v @ n_hat) * n_hat for v, (*_, n_hat) in zip(past, self.places, strict=True)])


@quiet
@pytest.mark.parametrize("joints", [*JOINT_SETS, "free"])
def test_impulses_push_part_the_bodies_and_add_no_energy(joints):
    """Plastic ones (Gauss) lead to the nearest velocities, measured by H, that approach nowhere: least squares say."""
    struck = Struck(1, joints)
    L = np.linalg.cholesky(struck.H)
    lam, _ = nnls(np.linalg.solve(L, struck.T), -L.T @ struck.qd)
    for rule, e in product(RULES, (0, 0.6, 1, np.array([0.9, 0.3, 0.5]))):
        after = struck.impact(e, rule)
        close(after.zeta, struck.T.T @ struck.qd, 1e-7)
        close(struck.H @ (after.qd - struck.qd), struck.T @ after.lam, 1e-6)
        assert after.lam.min() >= 0 and (struck.T.T @ after.qd).min() >= -1e-7, (rule, e)
        gain = struck.energy(after.qd) - struck.energy(struck.qd)
        assert gain <= 1e-7, (rule, e)
        assert after.energy_after - after.energy_before == pytest.approx(gain, abs=1e-7)
        assert after.work == pytest.approx(gain, abs=1e-7)
        assert not after.lam_t.any()
        if np.all(e == 0) and rule != "sequential":
            close(after.qd, struck.qd + np.linalg.solve(struck.H, struck.T @ lam), 1e-6)


def test_newtons_law_by_trying_all_sets_and_poissons_by_the_impulse_of_compression():
    """All approach: of 2³ sets just one has lam >= 0 and zeta_plus >= -e zeta, with equality where it pushes."""
    struck, e = Struck(1, "free").approaching(), np.array([0.2, 0.9, 0.5])
    zeta, M = struck.T.T @ struck.qd, struck.T.T @ np.linalg.solve(struck.H, struck.T)
    assert zeta.max() < 0
    (lam,) = holding_sets(M, (1 + e) * zeta)
    for method in ("lemke", "dantzig"):
        after = struck.impact(e, method=method)
        close(after.lam, lam, 1e-6)
        assert after.status == "unique" and after.count == 1

    # Of three contacts in a row: compression by Gauss, then e_i lam_i each, and the least more that parts them.
    struck, e = Struck(7, n=3), np.array([0.9, 0.1, 0.4])
    L = np.linalg.cholesky(struck.H)
    Y = np.linalg.solve(L, struck.T)
    compression, _ = nnls(Y, -L.T @ struck.qd)
    at_the_end = L.T @ struck.qd + Y @ (compression + e * compression)
    close(L.T @ struck.impact(e, "poisson").qd, at_the_end + Y @ nnls(Y, -at_the_end)[0], 1e-6)
    assert compression.max() > 0.01


def cradle(masses):
    """Balls in a row that touch, and their contacts, from left to right."""
    n = len(masses)
    model = Model([0] * n, [Prismatic("x")] * n, [xlt([i, 0, 0]) for i in range(n)],
                  [mcI(m, [0, 0, 0], 0.1 * np.eye(3)) for m in masses])
    return model, [Contact(i, i + 1, contact_normal([i - 0.5, 0, 0], [1, 0, 0])) for i in range(1, n)]


@pytest.mark.slow
def test_newtons_cradle_balls_and_a_rattle_by_sequential_and_simultaneous_impulses():
    """One after the other: as many balls leave as came. All at once: the others leave together, as one heavy ball."""
    model, contacts = cradle([1, 1, 1, 1, 1])
    for came in (1, 2, 3):
        qd = np.array([2.0] * came + [0.0] * (5 - came))
        close(system_impact(model, np.zeros(5), qd, contacts, 1, "sequential").qd, qd[::-1])
    for rule in RULES:
        if rule != "sequential":
            after = system_impact(model, np.zeros(5), [2.0, 0, 0, 0, 0], contacts, 1, rule)
            close(after.qd, [-1.2, 0.8, 0.8, 0.8, 0.8])
            assert after.energy_after == pytest.approx(2) and after.momentum_after[3] == pytest.approx(2)
        close(system_impact(model, np.zeros(5), [2.0, 0, 0, 0, 0], contacts, 0, rule).qd, np.full(5, 0.4), 1e-8)

    masses, v, e = [2.0, 0.3, 1.0], [3.0, 1.0, -1.5], 0.7
    model, contacts = cradle(masses)
    after = system_impact(model, np.zeros(3), v, contacts, e, "sequential")
    count = 0
    while min(gaps := np.diff(v)) < -1e-9:
        i = int(np.argmin(gaps))
        impulse = (1 + e) * -gaps[i] / (1 / masses[i] + 1 / masses[i + 1])
        v[i], v[i + 1], count = v[i] - impulse / masses[i], v[i + 1] + impulse / masses[i + 1], count + 1
    close(after.qd, v, 1e-8)
    assert after.count == count > 2

    # Elastic, without a gap, it would never end.
    for rule in ("newton", "sequential"):
        with pytest.warns(CollisionWarning, match="still approached"):
            after = strike([0, 0, 0, 2.0, 0, 0], walls(0, 180), 1, rule)
        close(after.qd, np.zeros(6))


@quiet
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("friction", [None, 0.3])
def test_two_free_bodies_collide_as_by_the_formula_whatever_the_rule(friction, rule):
    rng = np.random.default_rng([0, 119])
    I_1, I_2 = (mcI(*random_mass_properties(rng)) for _ in range(2))
    model = Model([0, 0], [FreeMotion()] * 2, [np.eye(6)] * 2, [I_1, I_2])
    C, n_hat, e = rng.normal(size=3), random_unit(rng), rng.uniform(0, 1)
    qd = rng.normal(size=12)
    n_hat = -n_hat * np.sign(line(C, n_hat) @ (qd[6:] - qd[:6]))
    n, N = line(C, n_hat), contact_frame(C, n_hat)
    after = system_impact(model, model.neutral(), qd, [Contact(1, 2, n, point=C)], e, rule, friction)
    if friction is None:
        alone = collision(I_1, I_2, qd[:6], qd[6:], n, e)
    elif rule == "poisson":                         # e is a ratio of impulses; friction first stops, then holds
        first = sticking_collision(I_1, I_2, qd[:6], qd[6:], N, 0)
        M = N.T @ (np.linalg.inv(I_1) + np.linalg.inv(I_2)) @ N
        lam = first.lam + e * first.lam[2] * np.array([*-np.linalg.solve(M[:2, :2], M[:2, 2]), 1])
        close(after.qd[6:], qd[6:] + np.linalg.solve(I_2, N @ lam), 1e-7)
        assert after.work <= 1e-9
        return
    else:
        alone = sticking_collision(I_1, I_2, qd[:6], qd[6:], N, e, friction)
        close(after.lam_t[0], alone.lam[:2], 1e-8)
        assert len(after.remarks) == len(alone.remarks)
    close(after.qd, np.concatenate([alone.v_1, alone.v_2]), 1e-8)
    assert after.work == pytest.approx(alone.work, abs=1e-8)


@quiet
@pytest.mark.parametrize("rule", RULES)
def test_friction_ends_the_sliding_where_contacts_push(rule):
    ended = 0
    for seed in range(6):
        struck = Struck(seed, "free", 2).approaching()
        after = struck.impact(0.4, rule, friction=1e6)
        rubbing = np.flatnonzero(np.abs(after.lam_t).max(axis=1))
        assert after.lam.min() >= 0 and after.zeta_plus.min() >= -1e-7 and after.lam[rubbing].min(initial=1) > 0
        if after.count == (2 if rule == "poisson" else 1) and rubbing.size:
            close(struck.sliding(after.qd)[rubbing], np.zeros((rubbing.size, 3)), 1e-6)
            far(struck.sliding(struck.qd)[rubbing], np.zeros((rubbing.size, 3)))
            ended += rubbing.size
        forces = sum(struck.between(p, s).T @ contact_frame(C, n_hat) @ [*lam_t, lam] for (p, s, C, n_hat), lam, lam_t
                     in zip(struck.places, after.lam, after.lam_t, strict=True))
        close(struck.H @ (after.qd - struck.qd), forces, 1e-6)
        assert rule != "poisson" or struck.energy(after.qd) <= struck.energy(struck.qd) + 1e-7
    assert ended >= (1 if rule == "sequential" else 7)


def test_a_box_that_lands_flat_while_sliding_stops_if_friction_is_enough():
    """Four corners: friction m v at the height of the ground turns the box until its rear corners lift."""
    size, m, v, fall = 0.1, 2.0, 0.2, 1.0
    box = free_body(mcI(m, [0, 0, 0], m * size**2 / 6 * np.eye(3)))
    q, qd = np.array([1, 0, 0, 0, 0, 0, size / 2]), [0, 0, 0, v, 0, -fall]
    corners = [[x, y, 0] for x in (-size / 2, size / 2) for y in (-size / 2, size / 2)]
    contacts = [Contact(0, 1, contact_normal(C, [0, 0, 1]), point=C) for C in corners]
    after = system_impact(box, q, qd, contacts, 0, friction=1.0)
    close(after.qd, np.zeros(6), 1e-8)
    assert after.lam.sum() == pytest.approx(m * fall) and after.remarks == ()
    close(after.lam_t.sum(axis=0), [-m * v, 0], 1e-8)
    free = system_impact(box, q, qd, contacts, 0.5)
    close(free.qd, [0, 0, 0, v, 0, fall / 2], 1e-9)
    assert free.status == "non-unique"


def test_a_rod_on_the_ground_gains_energy_with_a_warning_by_newton_and_none_by_poisson():
    centre = np.array([-np.cos(0.8856), np.sin(0.8856), 0]) / 2
    model = Model([0], [Planar()], [xlt([0, 0, 0])], [mcI(1.0, centre, np.diag([1, 1, 2]) / 24)])
    contact = Contact(0, 1, contact_normal([0, 0, 0], [0, 1, 0]), point=[0, 0, 0], name="tip")
    with pytest.warns(CollisionWarning, match="add"):
        after = system_impact(model, np.zeros(3), [0, -0.7, -1.0], [contact], 0.9, friction=10)
    assert (after.energy_before, after.energy_after) == pytest.approx((0.745, 0.801), abs=5e-4)
    poisson = system_impact(model, np.zeros(3), [0, -0.7, -1.0], [contact], 0.9, "poisson", friction=10)
    assert poisson.energy_after < 0.745 and poisson.remarks == ()
    with pytest.warns(CollisionWarning, match=r"contact 0 \(tip\) leaves the friction cone"):
        system_impact(model, np.zeros(3), [0, -0.7, -1.0], [contact], 0, friction=0.001)


@pytest.mark.parametrize(("lam", "lam_t", "work", "mu", "said"), [
    (0.0, 1, 0, None, ()), (-5e-10, 1, 0, None, ()), (-2e-9, 1, 0, None, ("pulls",)), (-1, 0, 0, None, ("pulls",)),
    (2, 1, 5e-10, [0.5], ()), (2, 1.001, 2e-9, [0.5], ("add", "cone")), (-1, 0.1, 0, [9], ("pulls", "cone")),
    (sp.Symbol("x"), 1, 0, None, ()), (1, sp.Symbol("x"), 0, None, ()), (-1, 0, sp.Symbol("x"), [0], ())])
def test_what_no_passive_contact_does_is_remarked_on_and_what_rounding_does_is_not(lam, lam_t, work, mu, said):
    texts = collisions.remarks_on(np.array([lam]), np.array([[lam_t, 0]]), work, 1, mu)
    assert len(texts) == len(said) and all(word in text for word, text in zip(said, texts, strict=True))


@pytest.mark.parametrize("rule", RULES)
def test_a_contact_with_friction_0_slides(rule):
    """It needs no point either; a rough contact beside it stops the disc along its own surface only."""
    floor, wall = (Contact(0, 1, contact_normal([0, 0, 0], n)) for n in ([0, 1, 0], [1, 0, 0]))
    smooth = strike([0, 0, 0, -1.0, -2.0, 0.7], [floor, wall], 0.5, rule, friction=0)
    close(smooth.qd, [0, 0, 0, 0.5, 1, 0.7])
    assert smooth.remarks == () and not smooth.lam_t.any()
    after = strike([0, 0, 0, 1.0, -2.0, 0.7], [wall, Contact(0, 1, floor.n, point=[0, 0, 0])], 0, rule, [0, 9])
    close(after.qd, np.zeros(6))
    assert np.abs(after.lam_t).max(axis=1) == pytest.approx([0, 1])


@pytest.mark.parametrize("rule", ["newton", "sequential"])
def test_friction_that_would_hold_a_bouncing_body_is_left_out_with_a_warning(rule):
    """A slider along x slides up a slanting wall as it bounces off: both are one motion."""
    model = Model([0], [Prismatic("x")], [np.eye(6)], [mcI(2, [0, 0, 0], np.eye(3))])
    slant = Contact(0, 1, contact_normal([0, 0, 0], [-0.6, 0.8, 0]), point=[0, 0, 0], name="ramp")
    with pytest.warns(CollisionWarning, match=r"Friction at contact 0 \(ramp\) is left out"):
        after = system_impact(model, [0.0], [3.0], [slant], 0.5, rule, friction=0.3)
    close(after.qd, [-1.5])
    assert len(after.remarks) == 1 and not after.lam_t.any()
    with pytest.warns(CollisionWarning, match="cone"):
        close(system_impact(model, [0.0], [3.0], [slant], 0.5, "poisson", friction=0.1).qd, [0])


@quiet
@pytest.mark.parametrize("rule", ["newton", "sequential"])
def test_friction_that_makes_energy_without_end_is_left_out(rule):
    """Two contacts pass a growing impulse to and fro; without friction no step adds energy, and it ends."""
    after = Struck(4, "axes", 2).impact(1, rule, friction=0.3)
    assert any("ever faster" in text for text in after.remarks) and any("add" in text for text in after.remarks)
    assert after.zeta_plus.min() >= -1e-7 and after.lam.min() >= 0
    assert after.count < 50 and after.energy_after < 1e3 * after.energy_before


@pytest.mark.parametrize("system", ["four-bar", "limbs"])
def test_loops_stay_closed_and_pass_impulses_on(system):
    """The same step by the multipliers of the loops, in geometry's equations."""
    rng = np.random.default_rng(120)
    looped = four_bar(rng) if system == "four-bar" else limbs(rng, (3, 5, JOINT_SETS["axes"][0]))
    C, n_hat, zeros = rng.normal(size=3), np.array([0.6, 0.8, 0.0]), np.zeros(len(looped.K))
    t = looped.ways[2].T @ line(C, n_hat)
    sign = -np.sign(t @ looped.qd)
    after = system_impact(looped.model, looped.q, looped.qd, [Contact(0, 2, contact_normal(C, sign * n_hat))], 0.5)
    KKT = np.block([[looped.H, looped.K.T], [looped.K, np.diag(zeros)]])
    per_unit = np.linalg.lstsq(KKT, np.concatenate([sign * t, zeros]), rcond=1e-9)[0][:looped.model.nv]
    lam = -1.5 * (t @ looped.qd) / (t @ per_unit)
    close(after.qd, looped.qd + lam * per_unit, 1e-6)
    close(looped.K @ after.qd, zeros, 1e-7)
    assert after.lam[0] == pytest.approx(lam, rel=1e-6) and lam > 0
    close(impulse_step(looped.model, looped.q, t), sign * per_unit, 1e-6)
    if system == "four-bar":
        far(per_unit, np.linalg.solve(looped.H, sign * t))


def test_a_ball_against_a_paddle_that_moves_by_itself():
    """v_plus = u + e (u - v): the drive of the paddle does work, the contact does not."""
    paddle = Custom(0, X_J=lambda q, t: xlt([2 * t, 0, 0]), name="driven")
    model = Model([0, 0], [paddle, Prismatic("x")], [np.eye(6), np.eye(6)],
                  [mcI(3, [0, 0, 0], np.eye(3)), mcI(1.5, [0, 0, 0], np.eye(3))], gravity=(0, 0, 0))
    contact = Contact(1, 2, contact_normal([0, 0, 0], [1, 0, 0]))
    after = system_impact(model, [2.4], [-4.0], [contact], 0.5, t=1.2)
    close([*after.zeta, *after.zeta_plus, *after.qd], [-6, 3, 5])
    assert after.energy_after > after.energy_before and after.work < 0 and after.remarks == ()
    assert after.energy_before == pytest.approx(3 * 4 / 2 + 1.5 * 16 / 2)
    wall = Contact(0, 2, contact_normal([0, 0, 0], [-1, 0, 0]))
    with pytest.raises(ValueError, match="squeezes"):
        system_impact(model, [2.4], [-4.0], [contact, wall], 0, t=1.2)


def test_contacts_that_are_apart_lost_or_separating_take_no_part():
    qd, n = np.array([0, 0, 0, -1.0, -2.0, -3.0]), [contact_normal([0, 0, 0], axis) for axis in np.eye(3)]
    contacts = [Contact(0, 1, n[0]), Contact(0, 1, n[1], phi=1e-3), Contact(0, 1, n[2], inside=False)]
    after = strike(qd, contacts, 1)
    close([*after.qd, *after.lam, *after.zeta_plus], [0, 0, 0, 1, -2, -3, 2, 0, 0, 1, -2, -3])
    close(strike(qd, contacts, 1, tolerance=0.01).qd, [0, 0, 0, 1, 2, -3])
    close(strike(qd, contacts, 1, tolerance=None).qd, [0, 0, 0, 1, 2, 3])
    close(strike(qd, [], 1).qd, qd)
    for rule, speed in product(RULES, (0.0, 1e-14, 2.0)):
        after = strike([0, 0, 0, 1, 0, speed], [Contact(0, 1, n[2])], 1, rule)
        close(after.qd, [0, 0, 0, 1, 0, speed], 1e-12)
        assert after.count == 0 and after.lam[0] == 0


def walls(*degrees):
    """Walls around a ball in the origin, whose normals point inwards in these directions, to the last digit or so."""
    return [Contact(0, 1, contact_normal([-0.1 * np.cos(a), -0.1 * np.sin(a), 0], [np.cos(a), np.sin(a), 0]))
            for a in np.radians(degrees)]


@pytest.mark.parametrize("rule", RULES)
def test_a_ball_slides_along_a_slot(rule):
    """The walls are parallel but for the last digit of sines and cosines: no approach, and no jam."""
    for degrees in (0, 17, 90, 180, 261):
        along = np.array([-np.sin(np.radians(degrees)), np.cos(np.radians(degrees))])
        across = np.array([0, 0, 0, along[1], -along[0], 0])
        slot = walls(degrees, degrees + 180)
        for speed in (-1, 1e3):
            close(strike([0, 0, 2.0, *speed * along, 0], slot, 0.5, rule).qd[3:5], speed * along, 1e-10)
        hit = strike([0, 0, 2.0, *along, 0] + 1e-3 * across, slot, 0, rule)
        close(hit.qd[3:5], along, 1e-10)
        assert hit.lam[1] == pytest.approx(1e-3, rel=1e-6)


def test_many_bounces_end_and_the_unit_of_speed_makes_no_difference():
    columns = np.array([[3.0, 0, 4, 1, 0, 0], [0, 0, 1, 0, 3, 4]]).T        # lengths of turns 5, 1, of shifts 1, 5
    assert size_of_products(np.array([2.0, 0, 0, 0, 5, 12]), (columns, np.eye(6)[4])) == 2 * (5 + 1) + 13 * (1 + 5 + 1)
    for s in (1e-6, 1, 1e6):
        after = strike([0, 0, 0, -s, 0.3 * s, 0], walls(0, 90, 200), 0.5)
        assert after.count == 29 and np.abs(after.qd).max() < 1e-7 * s


def test_formulas_fractions_and_many_digits():
    m_1, m_2, u, e = sp.symbols("m_1 m_2 u e", positive=True)
    balls = [np.array((m * sp.eye(6)).tolist()) for m in (m_1, m_2)]
    after = collision(*balls, [0, 0, 0, u, 0, 0], [0] * 6, [0, 0, 0, 1, 0, 0], e)
    assert sp.simplify(after.v_2[3] - m_1 * (1 + e) * u / (m_1 + m_2)) == 0
    gain = after.energy_after - after.energy_before
    assert sp.simplify(gain + m_1 * m_2 * u**2 * (1 - e**2) / (2 * (m_1 + m_2))) == 0

    I, up = np.diag([Fraction(1, 3), Fraction(2), Fraction(2)]), [Fraction(1), 0, 1]
    fallen = collision(None, I, None, [Fraction(0), Fraction(0), Fraction(-3)], up, Fraction(1, 2))
    assert fallen.zeta_plus == Fraction(3, 2) and fallen.lam == Fraction(9, 7)
    assert collision(None, I, None, [0, 0, Fraction(3)], up, Fraction(1, 2)).lam == 0

    with mpmath.workdps(40):
        third = mpmath.mpf(1) / 3
        model, contacts = cradle([1, third, 1])
        after = system_impact(model, [0 * third] * 3, [third, 0 * third, 0 * third], contacts, 1)
        assert abs(after.qd[0] - third * (1 - 1 - third) / (2 + third)) < mpmath.mpf(10) ** -38
        assert abs(after.zeta_plus[0] - third) < mpmath.mpf(10) ** -38


def test_particles_bounce_without_turning_and_planar_bodies_as_spatial_ones():
    """Its inertia is singular; an impulse through it needs no more, one beside it has no answer."""
    particle = mcI(2, [1.0, 2.0, 3.0], np.zeros((3, 3)))
    after = collision(None, particle, None, [0, 0, 0, 1, 0, -4], contact_normal([1, 2, 0], [0, 0, 1]), 0.5)
    close(after.v_2, [0, 0, 0, 1, 0, 2])
    close(velocity_step(particle, line([1, 2, 3], [2, 0, 0])), [0, 0, 0, 1, 0, 0])
    with pytest.raises(ValueError, match="I_2 is not positive definite"):
        collision(None, particle, None, [0, 0, 0, 1, 0, -4], contact_normal([1, 2.5, 0], [0, 0, 1]), 0.5)

    c, C = np.random.default_rng(121).normal(size=(2, 2))
    flat, solid = planar_mcI(2, c, 0.3), mcI(2, [*c, 0], np.diag([0.2, 0.2, 0.3]))
    v, N, N_solid = np.array([0.4, 1.0, -3.0]), contact_frame(C, [0.6, 0.8]), contact_frame([*C, 0], [0.6, 0.8, 0])
    assert N.shape == (3, 2)
    after = sticking_collision(None, flat, None, v, N, 0.2)
    close(sticking_collision(None, solid, None, [0, 0, *v, 0], N_solid, 0.2).v_2, [0, 0, *after.v_2, 0])
    in_space = collision(None, solid, None, [0, 0, *v, 0], N_solid[:, 2], 0.2)
    close(collision(None, flat, None, v, N[:, 1], 0.2).lam, in_space.lam)


def test_a_joint_that_locks_keeps_the_moment_of_momentum_and_loses_the_energy_of_the_step():
    arm = load("double_pendulum")
    q, qd = np.array([0.4, -0.9]), np.array([1.3, -2.1])
    h, H = momentum(arm, q, qd), crba(arm, q)
    for K in ([[0, 1]], [[0, 1], [0, 2]]):                              # the elbow locks; twice is no more than once
        dqd, lam = constraint_impact(arm, q, qd, K)
        after = qd + dqd
        close(after[1], 0, 1e-14)
        close(momentum(arm, q, after)[:3], h[:3], 1e-13)                # impulses at the hinge have no moment about it
        close(after[0], h[2] / H[0, 0], 1e-13)                          # one rigid body turns on
        close(kinetic_energy(arm, q, qd) - kinetic_energy(arm, q, after), dqd @ H @ dqd / 2, 1e-13)     # Carnot
        assert np.count_nonzero(lam) == 1
    for K, expected in (([[0, 1, 2]], r"\(1, 2\)"), ([0, 1], r"\(1, 2\)")):
        with pytest.raises(ValueError, match=f"K has shape .* expected a matrix of shape {expected}"):
            constraint_impact(arm, q, qd, K)


UP, SIX, X = contact_normal([0, 0, 0], [0, 0, 1]), np.zeros(6), sp.Symbol("x")
FRAME, TOUCH = contact_frame([0, 0, 0], [0, 0, 1]), [Contact(0, 1, UP)]


@pytest.mark.parametrize(("call", "error", "text"), [
    (lambda: collision(None, None, SIX, SIX, UP), ValueError, "both None"),
    (lambda: collision(None, BALL.inertia[1], [0], SIX, UP), ValueError, "v_1 has shape"),
    (lambda: collision(None, BALL.inertia[1], None, SIX, UP, 1.2), ValueError, "e is 1.2; give"),
    (lambda: collision(None, BALL.inertia[1], None, SIX, UP[::-1]), ValueError, "not a unit force"),
    (lambda: collision(None, BALL.inertia[1], None, SIX, UP[:3]), ValueError, "n has shape"),
    (lambda: collision(None, np.triu(np.ones((6, 6))), None, SIX, UP), ValueError, "I_2 is not symmetric"),
    (lambda: collision(None, BALL.inertia[1], None, [np.nan] * 6, UP), ValueError, "v_2 contains nan"),
    (lambda: collision(None, -np.eye(6), None, -UP, UP), ValueError, "I_2 is not positive definite"),
    (lambda: sticking_collision(None, np.eye(6), None, -UP, np.array([UP, UP]).T, 0.5), ValueError, "independent"),
    (lambda: sticking_collision(None, np.eye(6), None, SIX, FRAME, (2, 0, 0)), ValueError, r"e\[0\] is 2"),
    (lambda: sticking_collision(None, np.eye(6), None, SIX, FRAME, (0, 0, -0.5)), ValueError, r"e\[2\] is -0.5"),
    (lambda: sticking_collision(None, np.eye(6), None, SIX, FRAME, mu=-1), ValueError, "mu is -1"),
    (lambda: contact_frame([0, 0, 0], [0, 0, 0]), ValueError, "n_hat is zero"),
    (lambda: contact_frame([0, 0], [0, 0]), ValueError, "n_hat is zero"),
    (lambda: velocity_step(np.eye(6), np.zeros(5)), ValueError, "iota has shape"),
    (lambda: velocity_step(np.diag([1.0, 0, 1, 1, 1, 1]), np.ones(6)), ValueError, "I is not positive definite"),
    (lambda: body_impulse(BALL, BALL.neutral(), 2, SIX), ValueError, "i is 2; give the number of a body, 1 to 1"),
    (lambda: strike(SIX, [UP]), TypeError, r"contacts\[0\]"),
    (lambda: strike(SIX, [Contact(0, 2, UP)]), ValueError, "body 2"),
    (lambda: strike(SIX, TOUCH, rule="moreau"), ValueError, "rule is"),
    (lambda: strike(SIX, TOUCH, [0, 1]), ValueError, "e has shape"),
    (lambda: strike(SIX, TOUCH, -0.1), ValueError, r"e\[0\] is -0.1"),
    (lambda: strike(SIX, TOUCH, friction=0.5), ValueError, "its point"),
    (lambda: strike(SIX, TOUCH, friction=-1), ValueError, "friction"),
    (lambda: strike(SIX, TOUCH, rule=["newton"]), ValueError, "rule is"),
    (lambda: strike(SIX, [], method="x"), ValueError, "method is 'x'"),
    (lambda: strike([0, 0, 0, 0, 0, X], TOUCH), ValueError, "qd contains"),
    (lambda: strike(-UP, [Contact(0, 1, X * UP)]), ValueError, "contacts contain symbols"),
    (lambda: strike(-UP, TOUCH, X), ValueError, "e contains symbols"),
    (lambda: strike(-1j * UP, TOUCH), TypeError, "qd contains complex"),
    (lambda: collision(None, np.eye(6), None, -1j * UP, UP), TypeError, "v_2 contains complex"),
    (lambda: collision(None, np.eye(6), None, -UP, 1j * UP), TypeError, "n contains complex"),
    (lambda: sticking_collision(None, np.eye(6) * 1j, None, -UP, np.array([UP]).T), TypeError, "I_2 contains complex")])
def test_bad_arguments_are_named(call, error, text):
    with pytest.raises(error, match=text):
        call()
