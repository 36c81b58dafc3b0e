"""The articulated-body algorithm at its limits, and what it refuses. What it computes is tested in
tests/sources/test_rbda_ch07.py, kinds of numbers and arguments in test_forward.py."""

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, aba, rnea
from rbdlib.book.ch02_spatial import mcI, rotx, xlt
from rbdlib.book.ch04_joints import Fixed, FreeMotion, Prismatic, Revolute, Spherical
from rbdlib.book.ch07_articulated_body import articulated_bodies
from rbdlib.methods import articulated_body_variants
from rbdlib.methods.articulated_body_variants import aba_in_base, aba_unit_columns, handles_by_projection, propagate
from rbdlib.methods.divide_and_conquer import divide_and_conquer
from rbdlib.methods.handles import by_variant_1, by_variant_2
from rbdlib.methods.joint_space import by_crba
from tests.sources.helpers import random_rotation, random_tree

SEED = 41


@pytest.fixture(params=[aba, aba_in_base, aba_unit_columns], ids=lambda form: form.__name__)
def form(request):
    return request.param


def arm(n=3, inertia=None):
    """Hinges about z, each turned against the one before it."""
    I = [mcI(1.2, [0.3, 0.1, 0.2], np.diag([0.4, 0.5, 0.6]))] * n if inertia is None else inertia
    return Model(range(n), [Revolute("z")] * n, [rotx(0.5) @ xlt([1, 0, 0])] * n, I)


def test_a_long_chain_is_solved_as_accurately_as_its_inverse_dynamics_can_tell():
    """50 hinges: the forces of the accelerations that were found are the forces given."""
    model, rng = arm(50), np.random.default_rng(44)
    q, qd, tau = rng.normal(size=(3, 50))
    qdd = aba(model, q, qd, tau)
    assert_allclose(rnea(model, q, qd, qdd), tau, rtol=0, atol=1e-10 * np.abs(qdd).max())


def test_what_nothing_holds_falls_freely_and_quantities_are_lists_over_bodies():
    model = Model([0, 1, 1], [FreeMotion(), Revolute("x"), Spherical()], [np.eye(6), xlt([1, 2, 0]), xlt([0, 0, 1])],
                  [mcI(2, [0.1, 0, 0.2], np.diag([1, 2, 2]))] * 3)
    q, qd = model.random_state(np.random.default_rng(45))
    qdd = aba(model, q, 0 * qd, 0 * qd)
    assert_allclose(qdd[6:], 0, atol=1e-12)
    assert_allclose(articulated_bodies(model, q, 0 * qd, 0 * qd).a[3], 0, atol=1e-12)

    A, B = (f(arm(), *np.ones((3, 3))) for f in (
        articulated_bodies, articulated_body_variants.articulated_bodies_in_base))
    for name in ("X_up", "X_0", "v", "c", "p", "I_A", "p_A", "a"):
        assert len(getattr(A, name)) == len(getattr(B, name)) == 4
    assert [x.shape for x in (A.U[2], A.D[2], A.u[2])] == [(6, 1), (1, 1), (1,)]
    assert (B.U, B.D, B.u) == (None, None, None)
    assert A.I_A[0] is None


# Joints that move nothing

@pytest.mark.filterwarnings("ignore:Joint")
def test_joints_that_move_no_inertia_are_named(form):
    some, none = mcI(1.2, [0.3, 0.1, 0.2], np.diag([0.4, 0.5, 0.6])), np.zeros((6, 6))
    with pytest.raises(ValueError, match=r"^D of joint 3 \(body 3\) is singular: .* Give body 3, or one beyond it, a "):
        form(arm(inertia=[some, some, none]), *np.ones((3, 3)))
    with pytest.raises(ValueError, match="^D of joint 2"):
        form(Model([0, 1, 2], [Revolute("z"), Prismatic("x"), Prismatic("x")], [rotx(0.4), np.eye(6), np.eye(6)],
                   [some, none, some]), *np.ones((3, 3)))


@pytest.mark.filterwarnings("ignore:Joint")
def test_what_rounding_leaves_of_nothing_is_no_inertia():
    """Hinges with one slanting axis and a weightless body between them: D is not 0 but 1e-16."""
    axis = np.array([1, 2, 3]) / np.sqrt(14)
    some, none = mcI(1, [0.1, 0.2, 0], np.eye(3)), np.zeros((6, 6))
    model = Model([0, 1, 2], [Revolute(axis)] * 3, [np.eye(6), rotx(0.3) @ xlt([1, 2, 3]), xlt(2 * axis)],
                  [some, none, some])
    for form in (aba, aba_in_base):
        with pytest.raises(ValueError, match="^D of joint 2"):
            form(model, *np.random.default_rng(50).normal(size=(3, 3)))


def test_small_inertias_are_inertias(form):
    """A rotor of 1e-9 kg m² beside 10 kg, and a mechanism of a few micrograms."""
    rotor = Model([0, 1], [Revolute("z"), Revolute("z")], [np.eye(6), xlt([1, 0, 0])],
                  [mcI(10, [0, 0, 0], 10 * np.eye(3)), mcI(10, [0, 0, 0], np.diag([1, 1, 1e-9]))])
    assert_allclose(form(rotor, [0, 0], [0, 0], [0, 1e-9]), [0, 1], atol=1e-6)
    tiny = arm(inertia=[mcI(1e-9, [1e-4, 0, 0], 1e-18 * np.diag([1, 1, 1]))] * 3)
    tau = np.array([1e-9, 2e-9, -1e-9])
    qdd = form(tiny, [0.1, 0.2, 0.3], [0, 0, 0], tau)
    assert_allclose(rnea(tiny, [0.1, 0.2, 0.3], [0, 0, 0], qdd), tau, rtol=0, atol=1e-15)


@pytest.mark.parametrize("side", [1e-7, 1.0, 1e5])
def test_units_do_not_decide_what_counts_as_inertia(side):
    """Cubes of 0.1 micrometres meet the rule for those of a metre: moments of inertia are not compared with masses."""
    rng, m = np.random.default_rng(52), 1000 * side**3
    cube = mcI(m, [0, 0, side / 2], m * side**2 / 6 * np.eye(3))
    model = Model([0, 1], [FreeMotion(), Revolute("x")], [np.eye(6), xlt([0, 0, side])], [cube] * 2, (0, 0, 0))
    q, _ = model.random_state(rng)
    q[4:7] *= side
    tau = rnea(model, q, np.zeros(7), rng.normal(size=7) * ([1] * 3 + [side] * 3 + [1]))
    for algorithm in (aba, aba_in_base, aba_unit_columns, by_variant_1, by_variant_2, divide_and_conquer, by_crba):
        found = algorithm(model, q, np.zeros(7), tau)
        assert_allclose(rnea(model, q, np.zeros(7), found) / tau, 1, rtol=1e-7)


@pytest.mark.filterwarnings("ignore:Joint")
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_inertia_that_a_ball_leaves_over_is_none_in_any_unit(size):
    """A hinge through the centre of a ball: all that is left to turn is rounding, and nothing beside it shows that."""
    turn = random_rotation(np.random.default_rng(53))
    I = mcI(2.0, [0.3 * size, 0.1 * size, 0.2 * size], size**2 * turn @ np.diag([0.3, 0.4, 0.5]) @ turn.T)
    model = Model([0, 1], [Revolute((1, 2, 3)), Spherical()], [np.eye(6)] * 2, [np.zeros((6, 6)), I])
    for algorithm in (aba, aba_in_base):
        with pytest.raises(ValueError, match="^D of joint 1"):
            algorithm(model, [0.3, 0.5, 0.5, 0.5, 0.5], [0] * 4, [1, 2, 3, 4])


# Projection

def test_a_handle_on_a_small_part_of_a_large_whole_has_an_inertia():
    """An instrument of 0.1 kg on a hinge, 5 m from the middle of a craft of 10 tonnes: ten powers of ten in Phi."""
    craft, instrument = mcI(1e4, [0, 0, 0], 1e5 * np.eye(3)), mcI(0.1, [0, 0, 0], 1e-5 * np.eye(3))
    model = Model([0, 1], [FreeMotion(), Revolute("z")], [np.eye(6), xlt([5, 0, 0])], [craft, instrument])
    q, qd = model.random_state(np.random.default_rng(54))
    handle = handles_by_projection(model, q, qd, np.zeros(7), 2)
    assert_allclose(handle.I_A @ handle.Phi, np.eye(6), atol=1e-5)


@pytest.mark.parametrize("distance", [1.0, 1e3])
def test_a_handle_far_from_the_centre_of_mass_has_an_inertia(distance):
    """What is left of Phi once forces are known is 1e-9 of it; an immobile handle keeps 1e-13 at most."""
    I = mcI(1.0, [distance, 0, 0], 1e-9 * distance**2 * np.eye(3))
    model = Model([0], [FreeMotion()], [np.eye(6)], [I])
    handle = handles_by_projection(model, model.neutral(), np.zeros(6), np.zeros(6), 1)
    assert_allclose(handle.I_A, I, rtol=1e-5, atol=1e-5 * distance)


def test_a_handle_with_fewer_than_six_freedoms_has_no_inertia():
    """Also five links, each an eighth of the one before: rounding leaves more in Phi than for equal links."""
    for seed, n, taper in [(seed, n, 1) for seed, n in enumerate([1, 2, 3, 4, 5] * 2)] + [(k, 5, 8) for k in range(10)]:
        rng = np.random.default_rng(seed)
        model = random_tree(rng, n).model()
        model = model.replace(inertia=[I / taper**k for k, I in enumerate(model.inertia[1:])])
        handle = handles_by_projection(model, *rng.normal(size=(3, n)), n)
        with pytest.raises(ValueError, match="do not have 6 independent freedoms"):
            handle.I_A  # noqa: B018
    held = Model([0], [Fixed()], [np.eye(6)], [mcI(1, [0, 0, 0], np.eye(3))])
    handle = handles_by_projection(held, [], [], [], 1)
    assert_array_equal(handle.Phi, np.zeros((6, 6)))
    assert_array_equal(handle.b, np.zeros(6))


@pytest.mark.filterwarnings("ignore:Joint")
def test_projection_refuses_what_is_no_handle():
    state, I = np.ones((3, 3)), mcI(1, [0.3, 0, 0], np.eye(3))
    for model, handles, error, message in (
        ("arm", 1, TypeError, "^model is 'arm'; give a Model"),
        (arm(), [], ValueError, "^handles is empty; give the number of a body"),
        *((arm(), [body], ValueError, "There is no body") for body in (0, 4, "tip")),
        (arm(inertia=[I, I, np.zeros((6, 6))]), 3, ValueError, "^The joint-space inertia H is singular"),
    ):
        with pytest.raises(error, match=message):
            handles_by_projection(model, *state, handles)
    with pytest.raises(ValueError, match="There is no body 1"):
        handles_by_projection(Model([], [], [], []), [], [], [], 1)
    for name in ("I_A", "p_A"):
        with pytest.raises(ValueError, match=r"^The handles \(2, 3\) do not have 12 independent freedoms"):
            getattr(handles_by_projection(arm(), *state, (2, 3)), name)


def test_projection_of_symbols_and_of_precise_numbers():
    model, state = arm(), np.random.default_rng(51).normal(size=(3, 3))
    floats = handles_by_projection(model, *state, [3, 1])
    with mpmath.workdps(40):
        precise = handles_by_projection(model, *([mpmath.mpf(x) for x in given] for given in state), [3, 1])
    assert_allclose(precise.Phi.astype(float), floats.Phi, rtol=1e-10, atol=1e-12)
    assert_allclose(precise.b.astype(float), floats.b, rtol=1e-10, atol=1e-10)

    m, q = sp.symbols("m q")
    slider = Model([0], [Prismatic("x")], [np.eye(6)], [mcI(m, [0, 0, 0], sp.eye(3))], (0, 0, 0))
    Phi = handles_by_projection(slider, [q], [0], [0], 1).Phi
    assert sp.simplify(Phi[3, 3] - 1 / m) == 0
    assert not np.delete(Phi.ravel(), 21).any()


# Propagation across one joint

@pytest.mark.parametrize(("arguments", "message"), [
    ((np.eye(6), np.zeros(6), [[1], [2, 3], [0], [0], [0], [0]], np.zeros(6), [0]), "^S is ragged"),
    ((np.eye(5), np.zeros(6), np.eye(6)[:, :1], np.zeros(6), [0]), r"^I_A has shape \(5, 5\)"),
    ((np.eye(6), np.zeros(6), np.eye(6)[0], np.zeros(6), [0]), r"^S has shape \(6,\); expected a matrix"),
    ((np.eye(6), np.zeros(6), np.eye(6)[:, :2], np.zeros(6), [0]), r"^tau has shape \(1,\)"),
    ((np.zeros((6, 6)), np.zeros(6), np.eye(6)[:, :1], np.zeros(6), [0]), "^Sᵀ I_A S is singular: .* Give the body"),
    ((np.eye(6), np.zeros(6), np.eye(6)[:, [1, 1]] / 3, np.zeros(6), [0, 0]), "^Sᵀ I_A S is singular")])
def test_propagation_checks_its_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        propagate(*arguments)


def test_a_free_joint_transmits_its_own_force_and_nothing_else(rng):
    I_A, p_A, c, tau = mcI(1, [0.1, 0, 0], np.eye(3)), *rng.normal(size=(3, 6))
    I_a, p_a = propagate(I_A, p_A, np.eye(6), c, tau)
    assert_allclose(I_a, 0, atol=1e-14)
    assert_allclose(p_a, tau, atol=1e-12)
