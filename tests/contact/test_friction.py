"""Coulomb friction: wrenches, force closure, and steps of time that obey the laws of contact."""

import numpy as np
import pytest

from rbdlib import Model, contact, crba, rnea
from rbdlib.book.ch02_spatial import rotz, xlt
from rbdlib.contact import Box, Contact, Pair, Plane, Point, Sphere, contact_frame, contact_normal
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.joint_character import Character
from tests.contact.test_impact import BALL, moving
from tests.sources.ch11_systems import block_inertia, lift
from tests.sources.helpers import close, random_unit


@pytest.mark.parametrize("law", ["stewart_trinkle", "relaxed"])
@pytest.mark.parametrize("seed", range(6))
def test_a_step_obeys_its_law_and_the_equation_of_motion(seed, law):
    """Three points that approach planes: with velocities v and impulses p along n_x, n_y, n of each, gaps and cones."""
    rng, tree, h, mu, pairs = np.random.default_rng([seed, 118]), moving(seed, "balls and planes"), 0.01, 0.6, []
    model, q, qd = tree.model, tree.q, tree.qd
    for i in (1, 3, 3):
        r, n_hat = rng.normal(size=3), random_unit(rng)
        [there] = Pair(0, Plane(normal=n_hat), i, Point(r)).contacts(model, q)
        if contact.separation_velocities(model, q, qd, [there])[0] > 0:
            [there] = Pair(0, Plane(normal=(n_hat := -n_hat)), i, Point(r)).contacts(model, q)
        pairs.append(Pair(0, Plane(there.point + (there.phi - rng.choice([0, 0.002])) * n_hat, n_hat), i, Point(r)))
    step = contact.contact_step(model, q, qd, tau := rng.normal(size=model.nv), pairs, h, mu, law)
    frames = [contact_frame(c.point, c.n[3:]) for c in step.contacts]
    lines = [Contact(0, c.successor, n) for c, N in zip(step.contacts, frames, strict=True) for n in N.T]
    v = contact.separation_velocities(model, q, step.qd, lines).reshape(3, 3)
    p = np.array([[*N[3:, :2].T @ p_t, p_n] for N, p_t, p_n in zip(frames, step.p_t, step.p_n, strict=True)])
    T = contact.joint_space_normals(model, q, lines)
    close(crba(model, q) @ (step.qd - qd) + h * (rnea(model, q, qd, 0 * qd) - tau), T @ p.ravel(), 1e-9)
    part, slide = v[:, 2] + [c.phi / h for c in step.contacts], np.abs(v[:, :2]).max(axis=1)
    hover = mu * slide if law == "relaxed" else 0
    assert (part >= hover - 1e-8).all() and p[:, 2].min() >= 0 < p[:, 2].max()
    assert (np.abs(p[:, :2]).sum(axis=1) <= mu * p[:, 2] + 1e-9).all()
    close(p[:, 2] * (part - hover), 0 * part, 1e-8)
    close((p * v)[:, :2].sum(axis=1), -mu * p[:, 2] * slide, 1e-8)


def test_joints_that_move_by_themselves_are_where_they_are_at_the_time_of_the_step():
    def stepped(start, t, law="stewart_trinkle", normal=(1, 0.2, 1)):
        joints = [Custom(1, lambda q, t: rotz(q[0] + 0.3 * (t + start)**2) @ xlt([0, 0, (t + start) ** 2])),
                  Custom(1, lambda q, t: xlt([q[0], t + start, 0]), lambda q, t: np.eye(6)[:, 3:4])]
        model = Model([0, 1], joints, [np.eye(6), xlt([1, 0.2, 0])], [block_inertia(1, (1, 2, 3))] * 2)
        pairs, f_ext = [Pair(0, Plane((0, 0, 1), normal), 2, Sphere(2, (0.1, 0, 0.3)))], {2: np.arange(6)}
        step = contact.contact_step(model, [0.3, 0.2], [1, -1], [0.5, 2], pairs, 0.02, 0.4, law, f_ext=f_ext, t=t)
        return np.concatenate([step.q, step.qd, step.p_n, step.p_t.ravel()])

    close(moved := stepped(0, 0.7), stepped(0.7, 0), 1e-9)
    assert moved[4] > 1 and abs(moved[5:]).max() > 1                        # it presses and rubs
    braked = lift(2).replace(characters={1: Character(damping=4)})
    near, beside = Pair(0, Box((1, 1, 0.2)), 1, Point()), Pair(0, Box((1, 1, 0.2)), 1, Point((2, 0, 0)))
    step = contact.contact_step(braked, [0.3], [3], [0], [near, beside], 0.1, near=0.25)
    close(step.qd, 3 - 0.1 * (9.81 + 4 * 3 / 2), 1e-12)
    assert len(step.contacts) == 1 and not contact.contact_step(braked, [1], [3], [0], [near], 0.1, near=0.1).contacts
    for law, words in (("stewart_trinkle", "no impulses. Make the step h"), ("relaxed", "something moves by itself")):
        with pytest.raises(ArithmeticError, match=words):               # it cannot be lifted
            stepped(-1, 0, law, (0, 0, 1))


def test_two_fingers_close_a_planar_grasp_where_their_line_is_in_both_cones():
    """Nguyen's theorem, on a disc; and the forces that hold a load are in balance with it."""
    def wrenches(angles, mu):
        at = [np.array([np.cos(a), np.sin(a), 0]) for a in angles]
        return contact.contact_wrenches([Contact(0, 1, contact_normal(P, -P), point=P) for P in at], mu)[[2, 3, 4]]

    for between, mu in ((np.pi, 0.1), (2.6, 0.25), (2.6, 0.3), (2.0, 0.6), (2.0, 0.7)):
        assert contact.force_closure(wrenches([0.3, 0.3 + between], mu)) == (np.tan((np.pi - between) / 2) < mu)
    assert not contact.force_closure(wrenches([0, 2, 4], 0))                    # nothing resists turning
    a = contact.forces_that_hold(W := wrenches([0, np.pi], 0.5), [0, 0, -3])
    close(W @ a, [0, 0, 3], 1e-9)
    assert a.min() >= 0 and contact.forces_that_hold(wrenches([np.pi / 2, np.pi / 3], 0.5), [0, 0, -3]) is None
    edges = contact.friction_directions(Contact(0, 1, contact_normal([1, 2, 3], [0, 0, 1]), point=[1, 2, 3]), 6)[3:]
    assert all(contact.in_friction_cone(0.5 * d + [0, 0, 1], [0, 0, 1], 0.5) for d in edges.T)
    close(edges[:2, :3].T @ edges[:2, :3], [[1, 0.5, -0.5], [0.5, 1, 0.5], [-0.5, 0.5, 1]], 1e-12)


@pytest.mark.parametrize(("options", "words"), [({"h": 0}, "positive step"), ({"law": "coulomb"}, "relaxed"),
                                                ({"sides": 5}, "an even number"), ({"mu": -1}, "not negative")])
def test_bad_arguments_of_a_step_are_refused(options, words):
    pairs = [Pair(0, Plane(), 1, Point())]
    with pytest.raises(ValueError, match=words):
        contact.contact_step(BALL, BALL.neutral(), np.zeros(6), np.zeros(6), pairs, **{"h": 1, **options})
