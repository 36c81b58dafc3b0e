"""The models that come with rbdlib: each one loads, could be built, moves, and agrees with what is published of it."""

import re
import tomllib
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose

from rbdlib import bias_force, forward_dynamics, load, rnea, save
from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.io.model_file import model_names
from rbdlib.methods.centre_of_mass import centre_of_mass
from rbdlib.methods.joint_space import inertia_matrix

FOLDER = Path(__file__).resolve().parents[1] / "data" / "models"
NAMES = model_names()

#: Bodies, freedoms, loops, and the total mass (kg), added up from the sources and not from the files.
FACTS = {
    "arm_2r": (2, 2, 0, 2.0 + 1.5), "arm_3r": (3, 3, 0, 2.0 + 1.5 + 0.5),
    "arm_6r": (6, 6, 0, 10 + 8 + 4 + 1 + 0.6 + 0.4), "cart_pole": (2, 2, 0, 1.0 + 0.2),
    "crank_slider": (3, 3, 1, 2.0 * (0.15 + 0.4) + 0.5), "double_pendulum": (2, 2, 0, 2.0),
    "falling_cat": (2, 8, 0, 2 * 1.8), "figure_8_3": (4, 4, 1, 2.0 * (0.6 + 0.3 + 0.3 + 0.5)),
    "five_bar": (4, 4, 1, 2.0 * (2 * 0.25 + 2 * 0.3)), "four_bar": (3, 3, 1, 2.0 * (0.15 + 0.45 + 0.35)),
    "four_link_tree": (4, 7, 0, 3.0 + 2.0 + 1.0 + 0.8), "furuta_pendulum": (2, 2, 0, 0.3 + 0.12),
    "g1": (35, 35, 0, 33.34114202), "geared_arm": (4, 4, 0, 4.0 + 2.5 + 2 * 0.3),
    "jumping_lamp": (3, 8, 0, 1.5 + 0.3 + 0.4), "lamp": (5, 5, 0, 1.5 + 0.3 + 0.4),
    "panda": (7, 7, 0, 4.970684 + 0.646926 + 3.228604 + 3.587895 + 1.225946 + 1.666555 + 0.735522),
    "parallelogram": (3, 3, 1, 2.0 * (2 * 0.2 + 0.4)), "particle": (2, 2, 0, 2.0), "pendulum": (1, 1, 0, 1.2),
    "puma560": (6, 6, 0, 17.40 + 4.80 + 0.82 + 0.34 + 0.09), "satellite_arm": (4, 9, 0, 40.0 + 2.0 + 6.0 + 4.0),
    "scissor_lift": (7, 7, 3, 4 * 2.0 * 0.8 + 5.0 + 2 * 0.3), "simple_pendulum": (1, 1, 0, 1.0),
    "solo12": (17, 18, 0, 2.50000279), "spherical_pendulum": (1, 2, 0, 1.0),
    "stewart_platform": (13, 24, 6, 12.0 + 6 * (1.5 + 0.8)),
    "ur5e": (6, 6, 0, 3.761 + 8.058 + 2.846 + 1.37 + 1.3 + 0.365), "zigzag_chain": (6, 6, 0, 6.0)}


numerical = cache(load)
symbolic = cache(partial(load, symbolic=True))


def origins(model, q):
    """Positions of the body frames in base coordinates, with the base's in place 0."""
    return [X_to_Er(X)[1] for X in body_transforms(model, q)]


def test_every_model_is_listed_and_explained():
    listed = set(re.findall(r"`(\w+)\.toml`", (FOLDER / "README.md").read_text(encoding="utf-8")))
    assert set(FACTS) == listed == set(NAMES)
    for name in NAMES:
        description = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
        assert description["title"] and len(description["source"]) > 30
        assert all("meaning" in entry and "unit" in entry for entry in description.get("parameters", {}).values())


@pytest.mark.parametrize("name", NAMES)
def test_models_have_the_size_and_mass_of_their_source_could_exist_move_and_survive_a_file(name, tmp_path):
    """No negative moment, none greater than the sum of the other two; forward dynamics undoes inverse dynamics."""
    model = numerical(name)
    mass = sum(model.inertia[i][5, 5] for i in model.bodies)
    assert (model.N_B, model.nv, model.N_L, mass) == (*FACTS[name][:3], pytest.approx(FACTS[name][3], rel=1e-9))
    for i in model.bodies:
        I = model.inertia[i]
        I_C = I_to_mcI(I)[2] if I[5, 5] > 0 else I[:3, :3]
        moments = np.linalg.eigvalsh((I_C + I_C.T) / 2)
        slack = 1e-6 * max(moments[2], 1e-9)
        assert moments[0] >= -slack, model.names[i]
        assert moments[2] <= moments[0] + moments[1] + slack, model.names[i]
    rng = np.random.default_rng(3)
    q, qd = model.random_state(rng)
    qdd = rng.normal(size=model.nv)
    assert np.linalg.eigvalsh(inertia_matrix(model, q))[0] > 0
    tree = model.replace(loops=())
    assert_allclose(forward_dynamics(tree, q, qd, rnea(tree, q, qd, qdd)), qdd, atol=1e-7)
    save(model, tmp_path / "copy.toml")
    assert load(tmp_path / "copy.toml") == model


def constants(model):
    """Every number or formula of a model, one after the other."""
    ends = [X for loop in model.loops for X in (loop.X_P, loop.X_S)]
    return np.concatenate([np.ravel(array) for array in (*model.X_tree[1:], *model.inertia[1:], model.gravity, *ends)])


@pytest.mark.filterwarnings("error:Joint")
@pytest.mark.parametrize("name", NAMES)
def test_a_symbolic_model_has_the_same_values_and_no_floats(name):
    numbers, symbols = numerical(name), symbolic(name)
    assert (numbers.names, numbers.joints, numbers.parent) == (symbols.names, symbols.joints, symbols.parent)
    assert all(isinstance(value, sp.Symbol) for value in symbols.parameters.values())
    formulas = constants(symbols).tolist()
    assert not any(sp.sympify(formula).has(sp.Float) for formula in formulas)
    values = sp.lambdify(list(symbols.parameters.values()), formulas)(*numbers.parameters.values())
    assert_allclose(np.array(values, float), constants(numbers), rtol=1e-12, atol=1e-14)


def rod(m, l):
    return m * l**2 / 3


CLOSED_FORMS = {
    "simple_pendulum": lambda q, m, l, g: ([[m * l**2]], [m * g * l * sp.sin(q[0])]),
    "pendulum": lambda q, m, l, g: ([[rod(m, l)]], [m * g * l / 2 * sp.sin(q[0])]),
    "spherical_pendulum": lambda q, m, l, g: (
        [[m * l**2 * sp.cos(q[1]) ** 2, 0], [0, m * l**2]],
        [m * g * l * sp.sin(q[0]) * sp.cos(q[1]), m * g * l * sp.cos(q[0]) * sp.sin(q[1])]),
    "cart_pole": lambda q, m_cart, m_pole, l, g: (
        [[m_cart + m_pole, -m_pole * l / 2 * sp.cos(q[1])], [-m_pole * l / 2 * sp.cos(q[1]), rod(m_pole, l)]],
        [0, -m_pole * g * l / 2 * sp.sin(q[1])]),
    "furuta_pendulum": lambda q, m_arm, l_arm, m, l, g: (
        [[rod(m_arm, l_arm) + m * l_arm**2 + rod(m, l) * sp.sin(q[1]) ** 2, m * l_arm * l / 2 * sp.cos(q[1])],
         [m * l_arm * l / 2 * sp.cos(q[1]), rod(m, l)]],
        [0, m * g * l / 2 * sp.sin(q[1])]),
    "arm_2r": lambda q, m1, m2, l1, l2, g: (
        [[rod(m1, l1) + rod(m2, l2) + m2 * l1**2 + m2 * l1 * l2 * sp.cos(q[1]),
          rod(m2, l2) + m2 * l1 * l2 / 2 * sp.cos(q[1])],
         [rod(m2, l2) + m2 * l1 * l2 / 2 * sp.cos(q[1]), rod(m2, l2)]],
        [(m1 / 2 + m2) * g * l1 * sp.cos(q[0]) + m2 * g * l2 / 2 * sp.cos(q[0] + q[1]),
         m2 * g * l2 / 2 * sp.cos(q[0] + q[1])])}


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_inertia_and_gravity_have_their_closed_forms(name):
    model = symbolic(name)
    q = np.array(sp.symbols(f"q1:{model.nv + 1}", real=True))
    H, gravity = CLOSED_FORMS[name](q, **model.parameters)
    symbols = [*q, *model.parameters.values()]
    values = np.random.default_rng(6).uniform(0.5, 2, len(symbols))
    for formula, expected in ((inertia_matrix(model, q), H), (bias_force(model, q, np.zeros(model.nv, int)), gravity)):
        found, known = (sp.lambdify(symbols, np.array(part).tolist())(*values) for part in (formula, expected))
        assert_allclose(found, known, rtol=1e-12, atol=1e-12)


#: Reflected rotor inertias of the PUMA 560: gear ratio squared times that of the rotor (Corke and Armstrong 1994).
PUMA_ROTORS = np.array([62.6111, 107.815, 53.7063, 76.0364, 71.923, 76.686]) ** 2 * ([200e-6] * 3 + [33e-6] * 3)
PUMA_NOMINAL = np.array([0, np.pi / 4, np.pi, 0, np.pi / 4, 0])


def test_puma_has_the_published_load_inertia_matrix_and_velocity_forces():
    """Those that the Robotics Toolbox prints in the nominal pose; of C(q, qd) the product with qd is unique. Only the
    first entry of H differs, by what the corrected moment of link 3 adds: 0.0075 seen at 45 degrees."""
    puma, qd = load("puma560"), np.array([1, 2, 3, 1, 2, 3])
    assert_allclose(bias_force(puma, PUMA_NOMINAL, np.zeros(6)), [0, 31.6399, 6.0351, 0, 0.0283, 0], atol=6e-5)
    assert_allclose(inertia_matrix(puma, PUMA_NOMINAL) + np.diag(PUMA_ROTORS), [
        [3.6594 + 0.0075 / 2, -0.4044, 0.1006, -0.0025, 0, 0],
        [-0.4044, 4.4137, 0.3509, 0, 0.0024, 0],
        [0.1006, 0.3509, 0.9378, 0, 0.0015, 0],
        [-0.0025, 0, 0, 0.1925, 0, 0],
        [0, 0.0024, 0.0015, 0, 0.1713, 0],
        [0, 0, 0, 0, 0, 0.1941],
    ], atol=1e-4)
    C = np.array([[-0.1735, -2.0494, -0.1178, -0.0002, -0.0045, 0.0001],
                  [0.6274, 1.1572, 1.9287, -0.0015, -0.0003, 0],
                  [-0.3608, -0.7734, -0.0018, -0.0009, -0.0064, 0],
                  [0.0011, 0.0005, -0.0001, 0.0002, 0.0002, -0.0001],
                  [-0.0002, 0.0028, 0.0046, -0.0002, 0, 0],
                  [0.0001, 0, 0, 0, 0, 0]])
    corrected = np.array([0.0375, 0.0038, 0.0038, 0, 0, 0])  # what 0.0075 more about the forearm's length can add
    assert np.all(np.abs(bias_force(puma.replace(gravity=(0, 0, 0)), PUMA_NOMINAL, qd) - C @ qd) < corrected + 5e-4)


def test_panda_and_ur5e_stand_where_their_makers_say():
    """The flange at q = 0, from the tables of Denavit-Hartenberg parameters multiplied out by hand. The upper arm's
    centre is 0.2125 m from its far end, 0.425 m away, on the side of the offset."""
    panda, ur5e = load("panda"), load("ur5e")
    X = body_transforms(panda, np.zeros(7))[-1]
    flange = X_to_Er(X)[1] + X_to_Er(X)[0].T @ [0, 0, 0.107]
    assert_allclose(flange, [0.088, 0, 0.333 + 0.316 + 0.384 - 0.107], atol=1e-12)
    assert_allclose(origins(ur5e, np.zeros(6))[-1], [-0.425 - 0.3922, -0.1333 - 0.0996, 0.1625 - 0.0997], atol=1e-12)
    for i, centre in ((2, [-0.425 + 0.2125, -0.11336, 0.1625]), (3, [-0.425 - 0.3922 + 0.15, -0.0265, 0.1625])):
        E, r = X_to_Er(body_transforms(ur5e, np.zeros(6))[i])
        assert_allclose(r + E.T @ I_to_mcI(ur5e.inertia[i])[1], centre, atol=1e-12)


@pytest.mark.parametrize(("name", "left", "right", "count"), [
    ("g1", "left_", "right_", 14), ("solo12", "fl_", "fr_", 4), ("solo12", "hl_", "hr_", 4)])
def test_left_and_right_are_mirror_images(name, left, right, count):
    """Placements, masses, centres and moments of each pair; the source has one product of the G1's knees unmirrored."""
    model, mirror = load(name), np.diag([1, -1, 1])
    X, ours = body_transforms(model, model.neutral()), [i for i in model.names if i.startswith(left)]

    def in_base(body):
        k = model.names.index(body)
        (E, r), (m, c, I_C) = X_to_Er(X[k]), I_to_mcI(model.inertia[k])
        return m, r, r + E.T @ c, E.T @ I_C @ E

    assert len(ours) == count
    for body in ours:
        (m, r, c, I_C), (m_right, r_right, c_right, I_right) = map(in_base, (body, right + body.removeprefix(left)))
        for found, expected, tolerance in ((m, m_right, 1e-9), (mirror @ r, r_right, 1e-4), (mirror @ c, c_right, 1e-4),
                                           (mirror @ I_C @ mirror, I_right, 1e-4 if body == "left_knee" else 2e-6)):
            assert_allclose(found, expected, atol=tolerance, err_msg=body)


@pytest.mark.parametrize(("name", "height"), [("g1", (0.6, 0.9)), ("solo12", (0.3, 0.35))])
def test_the_walking_robots_stand_upright(name, height):
    """With straight legs the feet are below the base by a leg's length, and the centre of mass lies between them."""
    model = load(name)
    q = model.neutral()
    feet = [r for i, r in enumerate(origins(model, q)) if model.names[i].endswith(("ankle_roll", "foot"))]
    assert len(feet) == {"g1": 2, "solo12": 4}[name]
    assert all(height[0] < -r[2] < height[1] for r in feet)
    c = centre_of_mass(model, q)
    assert min(r[1] for r in feet) < c[1] < max(r[1] for r in feet) and abs(c[1]) < 2e-3


def test_the_wrist_of_the_6r_arm_meets_in_a_point_and_the_four_link_tree_is_connected_as_in_the_figure():
    """The last three axes go through one point, as far from the elbow's axis as the parameters say; MBT Figure 1."""
    tree = load("four_link_tree")
    assert (tree.parent[1:], [joint.nv for joint in tree.joints[1:]]) == ((0, 1, 2, 2), [2, 3, 1, 1])
    model, q = load("arm_6r"), np.random.default_rng(2).uniform(-3, 3, 6)
    p, points = model.parameters, origins(model, q)
    assert_allclose(points[4:6], [points[6]] * 2, atol=1e-12)
    E, r = X_to_Er(body_transforms(model, q)[3])
    assert np.hypot(*(E @ (points[6] - r))[:2]) == pytest.approx(np.hypot(p["a4"], p["d4"]))
    assert_allclose(model.X_tree[1], np.eye(6), atol=1e-12)
