"""The floating bases and the mechanisms with loops that come with rbdlib, against geometry done by hand."""

import tomllib

import numpy as np
import pytest
import tomli_w
from numpy.testing import assert_allclose

from rbdlib import forward_dynamics, load
from rbdlib.book.ch02_spatial import X_to_Er, mcI, xlt
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch04_kinematics import body_transforms, momentum
from rbdlib.book.ch09_gears import equation_of_motion
from rbdlib.io.data import data_folder
from rbdlib.loops.dynamics import by_loop_constraints
from rbdlib.loops.mobility import mobility
from rbdlib.methods.geared_trees import Gear, GearedTree
from rbdlib.methods.joint_space import inertia_matrix
from tests.sources.helpers import derivative, slope, turn

_, Y, Z = np.eye(3)


def point(model, q, name, P=(0, 0, 0)):
    """The point P (m) of the body ``name`` in base coordinates."""
    E, r = X_to_Er(body_transforms(model, q)[model.names.index(name)])
    return r + E.T @ np.asarray(P, float)


def test_the_jumping_lamp_moves_in_the_plane_as_the_plane_lamp_does():
    """Same inertia, same acceleration; the velocity of the base is seen in its own axes in the one, not in the other.
    """
    rng, plane, space = np.random.default_rng(1), load("lamp"), load("jumping_lamp")
    q, qd, torques = rng.normal(size=5), rng.normal(size=5), rng.normal(size=2)
    c, s = np.cos(q[2]), np.sin(q[2])
    G = np.zeros((8, 5))
    G[2, 2] = G[6, 3] = G[7, 4] = 1
    G[3:5, :2] = [[c, s], [-s, c]]
    G_dot_qd = np.zeros(8)
    G_dot_qd[3:5] = qd[2] * np.array([[-s, c], [-c, -s]]) @ qd[:2]
    q_space = np.array([np.cos(q[2] / 2), 0, 0, np.sin(q[2] / 2), *q[:2], 0, *q[3:]])
    assert_allclose(G.T @ inertia_matrix(space, q_space) @ G, inertia_matrix(plane, q), atol=1e-12)
    qdd = forward_dynamics(plane, q, qd, [0, 0, 0, *torques])
    assert_allclose(forward_dynamics(space, q_space, G @ qd, [*np.zeros(6), *torques]), G @ qdd + G_dot_qd, atol=1e-9)


def test_the_satellite_reaches_as_far_as_its_arm_is_long():
    satellite = load("satellite_arm")
    q, tip = satellite.neutral(), [satellite.parameters["l_fore"], 0, 0]
    assert_allclose(point(satellite, q, "forearm", tip), [1.0 + 0.8, 0, 0.4 + 0.1], atol=1e-12)
    q[7:] = np.pi / 2, -np.pi / 2, np.pi / 2     # to the left, upper arm up, forearm out again
    assert_allclose(point(satellite, q, "forearm", tip), [0, 0.8, 0.4 + 0.1 + 1.0], atol=1e-12)


def test_the_cat_turns_over_without_angular_momentum():
    """It bends round and round like a dancer with a hoop, once: that alone turns its back towards the ground."""
    cat, beta, steps = load("falling_cat"), 1.0, 24
    q, h = cat.neutral(), 2 * np.pi / steps
    m, l, r = (cat.parameters[name] for name in ("m", "l", "r"))
    half = mcI(m, [-l / 2, 0, 0], m * np.diag([r**2 / 2, (3 * r**2 + l**2) / 12, (3 * r**2 + l**2) / 12]))
    assert_allclose(cat.inertia[1:], [half] * 2, rtol=1e-12, atol=1e-15)
    assert_allclose(cat.X_tree[2], xlt([-l, 0, 0]), atol=1e-15)

    def bent(phi, pose):
        """q, and the qd with this bending and that velocity of the front at which the cat has no momentum."""
        q = np.array([*pose, beta * np.cos(phi), beta * np.sin(phi)])
        rates = beta * np.array([-np.sin(phi), np.cos(phi)])
        A = np.column_stack([momentum(cat, q, e) for e in np.eye(8)])
        return q, np.concatenate([-np.linalg.solve(A[:, :6], A[:, 6:] @ rates), rates])

    for k in range(steps):                                              # the midpoint rule
        q, qd = bent(h * k, q[:7])
        _, qd = bent(h * (k + 0.5), cat.integrate(q, qd, h / 2)[:7])
        q = cat.integrate(q, qd, h)
    assert (X_to_Er(body_transforms(cat, q)[1])[0].T @ Z)[2] < -0.2


def crank_slider(model, phi):
    """The rod leads from the crank's tip back to the x axis."""
    a, b = model.parameters["a"], model.parameters["b"]
    psi = np.arctan2(-a * np.sin(phi), np.sqrt(b**2 - (a * np.sin(phi)) ** 2))
    return np.array([phi, psi - phi, a * np.cos(phi) + b * np.cos(psi)])


def four_bar(model, crank):
    """The law of cosines, in the triangle of the crank's tip and the two ends of coupler and rocker."""
    p = model.parameters
    across = np.array([p["ground"], 0]) - p["a"] * np.array([np.cos(crank), np.sin(crank)])
    d = np.hypot(*across)
    coupler = np.arctan2(*across[::-1]) + np.arccos((d**2 + p["b"] ** 2 - p["c"] ** 2) / (2 * d * p["b"]))
    end = p["b"] * np.array([np.cos(coupler), np.sin(coupler)]) - across
    return np.array([crank, coupler - crank, np.arctan2(*end[::-1])])


def parallelogram(model, x):
    return np.array([x, -x, x])


def five_bar(model, left, right):
    """The tip lies above the middle between the two elbows, at right angles to their line."""
    a, b = model.parameters["a"], model.parameters["b"]
    elbows = [np.array([x, 0]) + a * np.array([-np.sin(angle), np.cos(angle)]) for x, angle in ((0, left), (b, right))]
    half = (elbows[1] - elbows[0]) / 2
    up = np.array([-half[1], half[0]]) * np.sqrt(b**2 / (half @ half) - 1)
    rods = half + up, up - half
    directions = [np.arctan2(*rod[::-1]) - np.pi / 2 for rod in rods]
    return np.array([left, directions[0] - left + np.pi / 6, right, directions[1] - right - np.pi / 6])


def figure_8_3(model, y_1, y_2):
    """The triangle of RBDA Figure 8.3, by the positions of its corners."""
    line = model.parameters["l2"] * np.array([np.cos(y_1), np.sin(y_1)]) - [model.parameters["l1"], 0]
    return np.array([y_1, np.arctan2(line[1], line[0]), np.hypot(*line), y_2])


def scissor_lift(model, x):
    p = model.parameters
    s = p["l"] * (np.cos(p["home"] + x) - np.cos(p["home"]))
    return np.array([x, -2 * x, s, 2 * x, -2 * x, x, s])


def stewart_hinges(model):
    """The joints of the legs on the base and on the plate, in the plate's coordinates: mirror images, then turns."""
    r, w, l, lean, aim = (model.parameters[name] for name in ("r", "w", "l", "lean", "aim"))
    low = np.array([r * np.cos(w), r * np.sin(w), 0])
    high = low + l * np.sin(lean) * np.array([np.cos(aim), np.sin(aim), 0])
    for k in range(3):
        for mirror in (np.eye(3), np.diag([1, -1, 1])):
            yield turn(Z, 2 * np.pi * k / 3) @ mirror @ low, turn(Z, 2 * np.pi * k / 3) @ mirror @ high


def stewart_platform(model, *move):
    """The plate moved and turned (Euler parameters not of unit length, then metres); each leg points at its hinge."""
    l, lean, aim = (model.parameters[name] for name in ("l", "lean", "aim"))
    pose = model.normalise(model.neutral() + [*move, *np.zeros(18)])[:7]
    R, q = X_to_Er(model.joints[1].transform(pose))[0].T, list(pose)
    for k, (low, high) in enumerate(stewart_hinges(model)):
        leg = R @ high + pose[4:] + [0, 0, l * np.cos(lean)] - low
        along = (turn(Z, 2 * np.pi * (k // 2) / 3 + (-1) ** k * aim) @ turn(Y, lean)).T @ leg / np.linalg.norm(leg)
        q += [np.arctan2(-along[1], along[2]), np.arcsin(along[0]), np.linalg.norm(leg) - l]
    return np.array(q)


#: How to close each (from independent variables, of which there are as many as freedoms), and some values of these.
CLOSED = {
    crank_slider: (1, [(0.0,), (1.0,), (-2.0,)]), four_bar: (1, [(0.0,), (1.0,), (4.0,)]),
    parallelogram: (1, [(0.0,), (-1.2,), (3.0,)]), five_bar: (2, [(0.0, 0.0), (-0.4, 0.5)]),
    figure_8_3: (2, [(np.pi / 2, 0.4), (4.0, 2.0)]), scissor_lift: (1, [(0.0,), (0.4,)]),
    stewart_platform: (6, [(0,) * 7, (0.05, 0.1, -0.05, 0.2, 0.03, -0.05, 0.08)])}


def openings(model, q):
    """How far apart the points of the loop joints are, and, of hinges, by how much the axes differ."""
    X, found = body_transforms(model, q), []
    for loop in model.loops:
        (E_p, r_p), (E_s, r_s) = X_to_Er(loop.X_P @ X[loop.predecessor]), X_to_Er(loop.X_S @ X[loop.successor])
        found += [r_s - r_p, *([E_s[2] - E_p[2]] if isinstance(loop.joint, Revolute) else [])]
    return np.concatenate(found)


def test_a_mechanism_is_closed_in_its_neutral_position_whatever_its_dimensions_or_where_it_says(tmp_path):
    rng = np.random.default_rng(8)
    for name in ("parallelogram", "five_bar", "scissor_lift", "stewart_platform"):
        description = tomllib.loads((data_folder("models") / f"{name}.toml").read_text(encoding="utf-8"))
        for entry in description["parameters"].values():
            entry["value"] *= rng.uniform(0.7, 1.2)
        (tmp_path / "other.toml").write_text(tomli_w.dumps(description), encoding="utf-8")
        for model in (load(name), load(tmp_path / "other.toml")):
            assert_allclose(openings(model, model.neutral()), 0, atol=1e-12, err_msg=name)
    for name, q in (("crank_slider", [0, 0, 0.15 + 0.4]), ("figure_8_3", [np.pi / 2, np.arctan2(0.8, -0.6), 0.5, 1.0])):
        assert_allclose(openings(load(name), q), 0, atol=1e-12, err_msg=name)


@pytest.mark.parametrize(("close", "y"), [(close, y) for close, (_, postures) in CLOSED.items() for y in postures])
def test_a_mechanism_is_closed_and_has_the_freedoms_that_it_should(close, y):
    """Its freedoms are counted by the rank of how its loops open, by the mobility report and by Grübler's formula."""
    model, expected = load(close.__name__), CLOSED[close][0]
    q = close(model, *y)
    assert_allclose(openings(model, q), 0, atol=1e-12)
    K = np.column_stack([slope(lambda t, e=e: openings(model, model.integrate(q, e, t))) for e in np.eye(model.nv)])
    planar = close is not stewart_platform
    assert model.nv - np.linalg.matrix_rank(K, 1e-6) == expected
    assert expected == model.nv + sum(loop.joint.nv for loop in model.loops) - (3 if planar else 6) * model.N_L
    report = mobility(model, q)
    assert (report.mobility, report.redundant) == (expected, 3 * model.N_L if planar else 0)


def test_what_three_of_them_are_for():
    """The lift has two storeys of bars of length l at the angle home + x: its table rises level."""
    model = load("parallelogram")
    assert mobility(model, [np.pi / 2, -np.pi / 2, np.pi / 2]).mobility == 2, "its bars lie on one line"
    model = load("five_bar")
    b = model.parameters["b"]
    tip = point(model, model.neutral(), "left_forearm", [b, 0, 0])
    assert_allclose(tip, [b / 2, 0.25 + b * np.sqrt(3) / 2, 0], atol=1e-12)
    model = load("scissor_lift")
    for x in (-0.3, 0.0, 0.5):
        E, r = X_to_Er(body_transforms(model, scissor_lift(model, x))[model.names.index("table")])
        assert_allclose(E, np.eye(3), atol=1e-12)
        assert_allclose(r, [0, 2 * 0.8 * np.sin(0.5 + x), 0], atol=1e-12)


def test_six_equal_forces_hold_the_plate_of_the_stewart_platform():
    """By virtual work: when the plate rises by dz, each piston is pushed out by dz cos(lean)."""
    model = load("stewart_platform")
    p, tau = model.parameters, np.zeros(model.nv)
    side, height = p["l"] * np.sin(p["lean"]), p["l"] * np.cos(p["lean"])

    def lifted(z):
        l = np.hypot(side, height + z)
        centres = p["m_leg"] * p["l_leg"] / 2 + p["m_piston"] * (l - p["l_piston"] / 2)
        return p["g"] * (p["m_plate"] * z + 6 * centres * (height + z) / l)

    tau[[model.v_slice(i).start for i in model.bodies if model.names[i].startswith("piston")]] = (
        slope(lifted) / (6 * np.cos(p["lean"])))
    qdd, _ = by_loop_constraints(model, model.neutral(), np.zeros(model.nv), tau)
    assert_allclose(qdd, 0, atol=1e-8)


def test_the_geared_arm_has_the_inertia_that_its_energy_says():
    """T of two rods and two rotors, of which the second rides on the upper arm and turns against it."""
    model = load("geared_arm")
    p = model.parameters
    geared = GearedTree(model, [Gear(2, {1: p["rho_1"]}), Gear(4, {3: p["rho_2"]})])
    I = p["m_rotor"] * p["r_rotor"] ** 2 / 2

    def centres(y):
        """Of upper arm and forearm, stacked."""
        upper, fore = (np.array([np.cos(a), np.sin(a)]) for a in (y[0], y[0] + y[1]))
        return np.array([p["l1"] * upper / 2, p["l1"] * upper + p["l2"] * fore / 2])

    for y in np.array([[0.3, -0.5], [1.0, 2.0]]):
        H = equation_of_motion(geared, y, np.zeros(2), np.zeros(4)).H_G
        for yd in np.array([[1.0, 0], [0, 1.0], [0.7, -0.4]]):
            speeds = derivative(lambda t, y=y, yd=yd: centres(y + t * yd))
            linear = p["m1"] * speeds[0] @ speeds[0] + p["m2"] * speeds[1] @ speeds[1]
            spin = p["m1"] * p["l1"] ** 2 / 12 * yd[0] ** 2 + p["m2"] * p["l2"] ** 2 / 12 * (yd[0] + yd[1]) ** 2
            rotors = I * (p["rho_1"] * yd[0]) ** 2 + I * (yd[0] + p["rho_2"] * yd[1]) ** 2
            energy = (linear + spin + rotors + p["m_rotor"] * (p["l1"] * yd[0]) ** 2) / 2
            assert yd @ H @ yd / 2 == pytest.approx(energy, rel=1e-12)
