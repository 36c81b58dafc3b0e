"""Dynamically equivalent inertias, against the null space of the regressor, numerical search, and geometry."""

import copy
import pickle

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, ModelError, aba, bias_force, load, rnea, save
from rbdlib.book import ch04_joints
from rbdlib.book.ch02_spatial import mcI, plucker, rotz, xlt
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.methods import equivalence as eq, inertia_parameters as ip
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.derivatives import parameters, regressor
from rbdlib.methods.generators import gu
from rbdlib.numbers.scalars import sin
from tests.sources.ch05_systems import JOINT_SETS
from tests.sources.helpers import mass_properties, random_cluster, random_mass_properties, random_rotation
from tests.sources.joints import JOINTS, Mechanism

#: A joint that is pushed sideways by time, about whose axis nothing stands still.
DRIVEN = Custom(1, lambda q, t: rotz(q[0]) @ xlt([sin(t), 0, 0]), name="driven")


def motion(model, rng):
    q, qd = model.random_state(rng)
    return q, qd, rng.normal(size=model.nv)


def alike(model, other, rng, tolerance=1e-9):
    """Assert that two models have one equation of motion, in a random motion under random forces."""
    q, qd, x = motion(model, rng)
    f_ext = rng.normal(size=(model.N_B + 1, 6))
    size = max(1, np.abs(rnea(model, q, qd, x, f_ext)).max())
    assert_allclose(rnea(other, q, qd, x, f_ext), rnea(model, q, qd, x, f_ext), atol=tolerance * size)
    assert_allclose(crba(other, q), crba(model, q), atol=tolerance * size)
    expected = np.linalg.solve(crba(model, q), x - bias_force(model, q, qd, f_ext))
    assert_allclose(aba(other.replace(loops=()), q, qd, x, f_ext), expected, atol=1e-6 * max(1, np.abs(expected).max()))


def test_parameters_and_possible_bodies_are_those_of_particles(rng):
    masses, positions = random_cluster(rng)
    m, c, I_C = mass_properties(masses, positions)
    I = mcI(m, c, I_C)
    assert_allclose(sum(ip.particle(m_k, r) for m_k, r in zip(masses, positions, strict=True)), I, atol=1e-12)
    assert_allclose(ip.to_parameters(I)[:4], [m, *(masses @ positions)], atol=1e-12)
    homogeneous = np.column_stack([positions, np.ones(len(masses))])
    assert_allclose(ip.pseudo_inertia(I), homogeneous.T @ np.diag(masses) @ homogeneous, atol=1e-12)
    again = ip.from_parameters(ip.to_parameters(I))
    assert_array_equal(ip.to_parameters(I), parameters(Model([0], [ch04_joints.Revolute()], [np.eye(6)], [again])))
    assert ip.is_possible(I) and ip.is_possible(ip.particle(2.0, c)) and ip.is_possible(np.zeros((6, 6)))
    unequal = ip.from_parameters([1, 0, 0, 0, 1, 0, 1, 0, 0, 2 + 1e-3])
    assert not any(map(ip.is_possible, (I - ip.particle(1.01 * m, np.zeros(3)), -I, unequal)))


def test_parameters_are_exact_and_models_take_all_of_them_and_what_rounding_leaves(rng):
    model = gu(2)
    p = 10.0 ** rng.uniform(-6, 6, 10) * rng.choice([-1, 1], 10)
    assert_array_equal(ip.to_parameters(ip.from_parameters(p)), p)
    assert_array_equal(ip.to_parameters(eq.with_inertias(model, [ip.from_parameters(p)] * 2).inertia[2]), p)
    I = mcI(*random_mass_properties(rng))
    X = plucker(random_rotation(rng), 10 * rng.normal(size=3))
    back = np.linalg.inv(X)
    assert_allclose(ip.to_parameters(back.T @ (X.T @ I @ X) @ back - I), 0, atol=1e-11)
    m = sp.Symbol("m")
    assert ip.to_parameters(m * np.eye(6, dtype=int))[0] == m
    for given, zeros in ((([0, 1e-20, 1, -3],), 2), (([1e-20, 1e-20], [1]), 2), (([0.0],), 1)):
        assert ip.count_zeros(*given) == zeros


@pytest.mark.parametrize("joint", [*JOINTS[::3], DRIVEN], ids=str)
def test_the_table_and_the_computed_family_span_the_same(joint):
    computed, used = eq.null_space(joint), eq.family(joint)
    assert np.linalg.matrix_rank(used) == used.shape[1] == computed.shape[1]
    assert used.shape[1] == 0 or np.linalg.matrix_rank(np.hstack([computed, used]), 1e-9) == used.shape[1]
    identity = np.eye(used.shape[1])
    for j in range(used.shape[1]):
        assert any(np.array_equal(row, identity[j]) for row in used)


@pytest.mark.parametrize("name", ["axes", "reversed"])
def test_moves_are_all_that_leaves_the_motion_of_a_floating_tree_as_it_is(name):
    """The null space of the regressor, over many motions, has the dimension of the moves and contains them."""
    rng = np.random.default_rng([7, len(name)])
    joints = [ch04_joints.FreeMotion(),
              *(joint for joint in JOINT_SETS[name] if not isinstance(joint, ch04_joints.FreeMotion))]
    model = Mechanism(rng, joints, [0, *(int(rng.integers(1, i)) for i in range(2, len(joints) + 1))]).model()
    N = eq.moves(model)
    rows = [regressor(model, *motion(model, rng)) for _ in range(4 * model.N_B)]
    sizes = np.linalg.svd(np.concatenate(rows), compute_uv=False)
    unseen = int((sizes < 1e-9 * sizes[0]).sum())
    assert N.shape[1] == np.linalg.matrix_rank(N) == unseen
    assert_allclose(np.concatenate(rows) @ N, 0, atol=1e-9 * sizes[0])


def test_long_screws_hide_as_much_as_short_ones_and_time_restricts_what_may_move():
    """Only what has inertia about the lines across the axis, without mass, is alike wherever a screw stands. A joint
    that slides along x as time goes by leaves particles on its axis behind."""
    expected = np.array([[0, 0, 0, 0, 1, 0, 1, 0, 0, 0]]).T
    for joint in (ch04_joints.Helical, ch04_joints.RackAndPinion):
        for pitch in (1e-5, 1, 1e8):
            assert_allclose(eq.family(joint(pitch)), expected, atol=1e-9)
    assert eq.null_space(DRIVEN).shape[1] == 1
    assert eq.null_space(Custom(1, lambda q, t: rotz(q[0]), name="held")).shape[1] == 3
    assert_allclose(eq.conditions(DRIVEN, np.eye(6), np.zeros(1), np.zeros(6), 0.3)[0][3, 1], np.cos(0.3))


@pytest.mark.parametrize("name", ["axes", "balls and planes", "puma560", "solo12", "four_bar"])
def test_simplified_models_move_alike_and_have_as_many_zeros_as_the_joints_allow(name):
    rng = np.random.default_rng([8, len(name)])
    random = name in JOINT_SETS
    model = Mechanism(rng, JOINT_SETS[name]).model() if random else load(name)
    simple = eq.simplify(model)
    alike(model, simple, rng)
    assert ip.zero_parameters(simple) > ip.zero_parameters(model) and simple.loops == model.loops
    if random:
        assert ip.zero_parameters(model) == 0
        assert ip.zero_parameters(simple) == sum(eq.family(joint).shape[1] for joint in JOINT_SETS[name])


def test_nothing_is_matched_without_an_entry_in_the_table_and_zeros_are_kept():
    """A ball on a slanting hinge has four parameters; to take three of them away would bring others in."""
    I, ball = mcI(*random_mass_properties(np.random.default_rng(1))), mcI(2.0, np.zeros(3), 0.3 * np.eye(3))
    assert eq.table_9_7(ch04_joints.Cylindrical()) is None
    assert_array_equal(eq.best_match(ch04_joints.Cylindrical(), I, eq.table_9_7), np.zeros((6, 6)))
    assert np.any(eq.best_match(ch04_joints.Cylindrical(), I) != 0)
    assert_array_equal(eq.best_match(ch04_joints.FreeMotion(), I), np.zeros((6, 6)))
    assert_allclose(eq.best_match(ch04_joints.Fixed(), I), I, atol=1e-14)
    rest = ip.to_parameters(ball - eq.best_match(ch04_joints.Revolute((1, 2, 3)), ball))
    assert np.count_nonzero(np.abs(rest) > 1e-12) == 3


def test_simplification_runs_on_symbols_and_many_digits():
    symbolic, rng, t = load("double_pendulum", symbolic=True), np.random.default_rng(2), sp.Symbol("t", real=True)
    symbolic = symbolic.replace(joints=[ch04_joints.Revolute((sp.sin(t), 0, sp.cos(t))), *symbolic.joints[2:]])
    simple = eq.simplify(symbolic)
    q, qd, qdd = rng.normal(size=(3, 2))
    difference = rnea(simple, q, qd, qdd) - rnea(symbolic, q, qd, qdd)
    values = {symbol: rng.uniform(1, 2) for entry in difference for symbol in getattr(entry, "free_symbols", ())}
    assert_allclose([float(sp.sympify(entry).subs(values)) for entry in difference], 0, atol=1e-12)
    assert all(I[5, 5] == 0 for I in simple.inertia[1:])
    model = Mechanism(rng, [ch04_joints.Revolute("z"), ch04_joints.Prismatic("x"), ch04_joints.Spherical()]).model()
    digits = [np.array([[mpmath.mpf(x) for x in row] for row in I]) for I in model.inertia[1:]]
    precise = eq.simplify(model.replace(inertia=digits))
    for I, expected in zip(precise.inertia[1:], eq.simplify(model).inertia[1:], strict=True):
        assert_allclose(I.astype(float), expected, atol=1e-12)


def test_an_equivalent_model_is_a_model_that_remembers_a_possible_one(tmp_path):
    model, rng = gu(4), np.random.default_rng(1)
    simple = eq.simplify(model)
    assert isinstance(simple, eq.EquivalentModel) and simple.physical is model
    assert ip.impossible_bodies(simple) and not ip.impossible_bodies(model)
    for other in (copy.deepcopy(simple), pickle.loads(pickle.dumps(simple)), simple.replace(names="abcd")):
        assert isinstance(other, eq.EquivalentModel)
        alike(model, other, rng)
    assert simple.replace(names="abcd").names == ("base", *"abcd")
    assert type(simple.replace(inertia=model.inertia[1:])) is type(eq.with_inertias(simple, model.inertia[1:])) is Model
    assert simple == copy.copy(simple) != model
    with pytest.raises(ModelError, match="model.physical"):
        save(simple, tmp_path / "x.toml")


@pytest.mark.slow
def test_the_closest_model_is_equivalent_and_no_other_is_closer():
    rng = np.random.default_rng([1, 3])
    model = Mechanism(rng, [ch04_joints.FreeMotion(), *JOINT_SETS["axes"]]).model()
    target = Mechanism(rng, model.joints[1:], model.parent[1:]).model()
    found, N = eq.closest(model, target), eq.moves(model)

    def distance(other):
        return sum((ip.pseudo_inertia(I - I_T) ** 2).sum()
                   for I, I_T in zip(other.inertia[1:], target.inertia[1:], strict=True))

    alike(model, found, rng)
    assert distance(found) < 0.99 * distance(model)
    for _ in range(10):
        p = parameters(found) + N @ (1e-3 * rng.normal(size=N.shape[1]))
        other = eq.with_inertias(model, [ip.from_parameters(p_i) for p_i in p.reshape(-1, 10)])
        assert distance(other) > distance(found)
    reached = eq.closest(found, parameters(model))
    assert_allclose(parameters(reached), parameters(model), atol=1e-9)
    floating = Mechanism(rng, [ch04_joints.FreeMotion()]).model()
    assert_allclose(parameters(eq.closest(floating, np.zeros(10))), parameters(floating))


def test_the_closest_possible_model_is_possible_and_no_possible_one_is_closer():
    """What pulls it towards the target is held by walls alone: by pseudo-inertias that cannot get smaller there."""
    rng = np.random.default_rng(4)
    model = Mechanism(rng, [ch04_joints.FreeMotion(), ch04_joints.Revolute("x"), ch04_joints.Prismatic("y"),
                            ch04_joints.Spherical()]).model()
    target = parameters(eq.simplify(model))
    free, bound = eq.closest(model, target), eq.closest(model, target, possible=True)
    assert ip.impossible_bodies(free) and not ip.impossible_bodies(bound)
    assert type(bound) is Model
    alike(model, bound, rng)

    def moments(p):
        return np.array([ip.pseudo_inertia(ip.from_parameters(p_i)) for p_i in p.reshape(-1, 10)])

    ways, walls = [moments(column) for column in eq.moves(model).T], []
    for i, J in enumerate(moments(parameters(bound))):
        sizes, V = np.linalg.eigh(J)
        flat = V[:, sizes < 1e-5 * sizes[-1]]
        for a, b in zip(*np.triu_indices(flat.shape[1]), strict=True):
            wall = np.zeros((model.N_B, 4, 4))
            wall[i] = (np.outer(flat[:, a], flat[:, b]) + np.outer(flat[:, b], flat[:, a])) / 2
            walls.append(wall)
    A = np.array([[(way * wall).sum() for wall in walls] for way in ways])
    pull = np.array([(way * moments(parameters(bound) - target)).sum() for way in ways])
    strengths, *_ = np.linalg.lstsq(A, pull, rcond=None)
    assert_allclose(A @ strengths, pull, atol=1e-6 * np.abs(pull).max())
    held = np.einsum("k,kijl->ijl", strengths, np.array(walls))
    assert np.linalg.eigvalsh(held).min() > -1e-6 * np.abs(held).max()


def test_operations_with_zeros_and_ones_are_not_counted():
    assert ip.operations(lambda model, x: x[0] * 0 + 1 * x[1] + 0, None, [1.0, 2.0]) == {}
    assert ip.operations(lambda model, x: x[0] * 3 + x[1] * x[0] - 1, None, [1.0, 2.0]) == {"m": 2, "a": 2}


# Mistakes and what they hear

SWAPPED = np.roll(mcI(2.0, [0.1, 0.2, 0.3], np.eye(3)), (3, 3), (0, 1))             # translation first


@pytest.mark.parametrize(("call", "error", "message"), [
    *((lambda use=use, given=given: use(given), ValueError, f"^{name} has not the form")
      for given in (SWAPPED, np.diag([1, 1, 1, 2.0, 3, 4]), np.arange(36).reshape(6, 6),
                    np.eye(6) + 1e-3 * np.eye(6, k=1))
      for use, name in ((ip.to_parameters, "I"), (ip.pseudo_inertia, "I"), (ip.is_possible, "I"),
                        (lambda I: eq.best_match(ch04_joints.Revolute("z"), I), "I"),
                        (lambda I: eq.with_inertias(gu(2), [gu(2).inertia[1], I]), "inertia of body 2"),
                        (lambda I: eq.EquivalentModel(gu(2), [I, gu(2).inertia[2]]), "inertia of body 1"))),
    *((lambda use=use, given=given: use(given), TypeError, f"joint is {given!r}; give a joint such as")
      for given in ("revolute", 3, None)
      for use in (eq.family, eq.null_space, eq.table_9_7, lambda joint: eq.best_match(joint, np.eye(6)),
                  lambda joint: eq.conditions(joint, np.eye(6), np.zeros(1), np.zeros(6)),
                  lambda joint: eq.two_body_equation(np.eye(6), np.eye(6), joint, np.ones(1), np.ones(1), np.ones(6)))),
    (lambda: ip.is_possible(sp.Symbol("m") * np.eye(6)), ValueError, "symbols"),
    (lambda: ip.count_zeros(np.zeros(0)), ValueError, "p is empty; give"),
    (lambda: ip.count_zeros([sp.Symbol("m"), 0]), ValueError, "p contains symbols"),
    (lambda: ip.count_zeros([1], []), ValueError, "scale is empty"),
    (lambda: ip.zero_parameters(load("arm_2r", symbolic=True)), ValueError, "inertia of body 1 contains symbols"),
    (lambda: ip.augmented_bodies(gu(3), "all"), ValueError, "choose 'children'"),
    (lambda: eq.closest(gu(3), gu(2)), ValueError, "same bodies"),
    (lambda: eq.closest(gu(3), np.zeros(7)), ValueError, "target has shape"),
    (lambda: eq.closest(eq.simplify(gu(3)), gu(3), possible=True), ValueError, "Start from a model of bodies"),
    (lambda: eq.EquivalentModel(gu(4), gu(4).inertia[1:3]), ModelError, "each of the 4 bodies")])
def test_arguments_that_do_not_fit_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
