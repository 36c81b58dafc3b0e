"""The O(N) algorithms and the factors of the mass matrix on what the text leaves out: trees, time, refusals.
The equations themselves are checked row by row in tests/sources/test_soa_order_n.py and test_soa_factorisation.py."""

import re

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, load
from rbdlib.book.ch02_spatial import mcI, plucker, xlt
from rbdlib.book.ch04_joints import Euler, Fixed, Planar, Reversed, Revolute, Spherical, Universal
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.methods.generators import auto_tree, gu
from rbdlib.texts.soa import order_n
from rbdlib.texts.soa.operators import chain
from rbdlib.texts.soa.order_n.articulated import triangularised
from rbdlib.texts.soa.order_n.factors import factor, mass_matrix_factors
from tests.sources.ch05_systems import JOINT_SETS
from tests.sources.helpers import random_tree
from tests.sources.joints import Mechanism
from tests.texts.soa.test_operators import DRIVEN

SEED = 61
METHODS = ["articulated_body", "full_order_n", "rodriguez", "innovations", "rosenthal_elimination", "vereshchagin",
           "featherstone", "brandl_johanni_otter", "rosenthal", "bae_haug"]
BODY = mcI(2, [0.5, 0.25, -0.75], np.diag([1, 1.5, 1.25]))


@pytest.mark.slow
def test_long_chains_lose_few_digits(rng):
    """Compared with 40 digits: the error stays near that of rounding the arguments, in spite of the many links."""
    n = 40
    model = auto_tree(n, 1, skew=0.3)
    q, qd, tau = rng.uniform(-1, 1, (3, n))
    with mpmath.workdps(40):
        exact = order_n.full_order_n(model, *([mpmath.mpf(x) for x in given] for given in (q, qd, tau)))
    exact = exact.astype(float)
    for name in METHODS:
        assert np.abs(getattr(order_n, name)(model, q, qd, tau) - exact).max() < 1e-9 * np.abs(exact).max(), name


# Refusals

@pytest.mark.filterwarnings("ignore:Joint 2")
@pytest.mark.parametrize("name", METHODS)
def test_a_joint_that_moves_nothing_is_named(name):
    model = Model([0, 1], [Revolute("x"), Revolute("y")], [xlt([0, 0, 1])] * 2, [BODY, 0 * BODY])
    who = "freedom 1, counted from the tip" if name == "rosenthal_elimination" else "body 2"
    with pytest.raises(ValueError, match=who) as refusal:
        getattr(order_n, name)(model, [0.1, 0.2], [0, 0], [0, 0])
    assert "mass" in str(refusal.value)

    # a hinge on the axis of another, with nothing between: P is singular, but only to rounding
    tilt = plucker(np.array([[0.6, 0.8, 0], [-0.8, 0.6, 0], [0, 0, 1.0]]), [0, 0, 0])
    model = Model([0, 1, 2], [Revolute("y"), Revolute((1, 2, 3)), Revolute((1, 2, 3))], [tilt, tilt, np.eye(6)],
                  [BODY, 0 * BODY, BODY])
    with pytest.raises(ValueError, match=who.replace("1", "2")):
        getattr(order_n, name)(model, [0.1, 0.2, 0.3], [0, 0, 0], [1, 2, 3])


def test_armstrong_refuses_a_gimbal_whose_axes_fall_together_and_joints_that_do_not_turn_in_all_directions(rng):
    """A cross joint is a relative of the Euler joint in the library, but has two freedoms."""
    with pytest.raises(ValueError, match="not independent in this position"):
        order_n.armstrong(Mechanism(rng, [Euler("zyx")]).model(), [0.3, np.pi / 2, 0.1], np.zeros(3), np.zeros(3))
    for joint in (Universal(), Universal("yz"), Reversed(Universal()), Revolute("z")):
        model = Mechanism(rng, [Spherical(), joint], [0, 1]).model()
        complaint = rf"Joint 2 is a {re.escape(str(joint))} joint; .*spherical joints only. Use articulated_body"
        with pytest.raises(ValueError, match=complaint):
            order_n.armstrong(model, *model.random_state(rng), np.zeros(model.nv))


def test_a_singular_matrix_and_what_is_no_system_of_equations_are_not_triangularised():
    rank_2 = np.array([[0.1, 0.7], [0.3, -0.2], [0.6, 1.1]])
    for m, r, complaint in ((np.ones((2, 2)), [1, 1], "freedom 2, counted from the tip"),
                            (rank_2 @ rank_2.T, [1, 1, 1], "freedom 3, counted from the tip"),
                            (np.ones((2, 3)), [1, 2], "m has shape"), (np.eye(2), [1, 2, 3], "m has shape"),
                            ([[1, np.nan], [0, 1]], [1, 2], "m contains nan"),
                            (np.eye(2), [1, np.inf], "r contains inf")):
        with pytest.raises(ValueError, match=complaint):
            triangularised(m, r)
    for size in (1, 1e-20):
        upper = triangularised(size * np.array([[4.0, 2], [2, 3]]), [1, 2])[0]
        assert_allclose(upper, size * np.array([[4, 2], [0, 2]]))


# Factors, lemmas, the filter

def test_the_inverse_of_the_mass_matrix_also_of_symbols_and_the_zeros_of_a_trees_factors(rng):
    model = Mechanism(rng, JOINT_SETS["balls and planes"], [0, 1, 1, 0, 2]).model()
    q, _ = model.random_state(rng)
    H, inverse = crba(model, q), order_n.mass_matrix_inverse(model, q)
    assert_allclose(H @ inverse, np.eye(model.nv), atol=1e-13 * np.abs(H).max() * np.abs(inverse).max())
    assert_allclose(inverse, inverse.T, atol=1e-14 * np.abs(inverse).max())
    late = Mechanism(rng, [DRIVEN, Revolute("x")], [0, 1]).model()
    product = crba(late, [0.3, 0.4], 2.0) @ order_n.mass_matrix_inverse(late, [0.3, 0.4], 2.0)
    assert_allclose(product, np.eye(2), atol=1e-12)

    # Body 2 and body 3, on different branches, do not feel each other in W and W_inv; both feel body 1.
    model = random_tree(rng, 3, [0, 1, 1]).model()
    factors = mass_matrix_factors(chain(model, rng.normal(size=3)))
    for triangle in (factors.W, factors.W_inv):
        assert triangle[1, 0] == 0 and abs(triangle[2, :2]).min() > 1e-6
        assert_array_equal(np.diag(triangle), np.ones(3))

    model, q = load("double_pendulum", symbolic=True), sp.symbols("q1:3", real=True)
    symbols = [*q, *model.parameters.values()]
    product = sp.lambdify(symbols, list((crba(model, q) @ order_n.mass_matrix_inverse(model, q)).ravel()))
    for values in np.random.default_rng(9).uniform(0.5, 2, (4, len(symbols))):
        assert_allclose(product(*values), [1, 0, 0, 1], atol=1e-12)


def test_the_kalman_filter_works_on_trees_of_any_joints_prints_its_statistics_and_is_reproducible(rng):
    model = Mechanism(rng, [Spherical(), Fixed(), Revolute("x"), Planar()], [0, 1, 1, 0]).model()
    particle = mcI(1.5, np.zeros(3), np.zeros((3, 3)))                            # its inertia is singular
    model = model.replace(inertia=[model.inertia[1], particle, *model.inertia[3:]])
    q, _ = model.random_state(rng)
    found, again = (order_n.kalman_analogy(model, q, np.random.default_rng(4), 20_000) for _ in range(2))
    assert_array_equal(found.innovations, again.innovations)
    for M in (BODY, particle, mcI(1, [1, 2, 3], 1e-10 * np.eye(3))):
        assert_allclose((parts := factor(M, 1e-14 * M.max()))[0] * parts[1] @ parts[0].T, M, atol=1e-13)
    assert found.y.shape == (7, 20_000) and found.errors.shape == (24, 20_000)
    lines = repr(found).splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["y:", "innovations:", "errors:"] and "20000" in lines[5]
    for _, covariance, theory in found.covariances():
        assert np.abs(covariance - theory).max() < 0.1 * np.abs(theory).max()
    assert_allclose(found.covariances()[1][2], found.D)
    assert_allclose(found.mass_matrix, chain(model, q).to_chain(crba(model, q)), atol=1e-10)


def test_the_kalman_filter_needs_numbers_and_a_generator(monkeypatch):
    """It refuses symbols before it calculates: with formulas the recursions would take minutes."""
    moving = Model([0], [DRIVEN], [np.eye(6)], [BODY])
    with pytest.raises(TypeError, match="rng is 3"):
        order_n.kalman_analogy(gu(2), [0, 0], 3)
    rng = np.random.default_rng(1)
    for samples in (0, -1, 2.5, True, None, "many"):
        with pytest.raises(ValueError, match="samples is .*; give a whole number, 1 or more"):
            order_n.kalman_analogy(gu(2), [0, 0], rng, samples)
    monkeypatch.setattr("rbdlib.texts.soa.order_n.factors.articulated_inertias",
                        lambda c: pytest.fail("that takes too long"))
    heavy = Model([0], [Revolute("x")], [np.eye(6)], [sp.Symbol("m", positive=True) * BODY])
    for model, q, t in ((heavy, [0.1], 0), (gu(1), [sp.Symbol("q")], 0), (gu(2), [1j, 0], 0),
                        (moving, [0.1], sp.Symbol("t")), (moving, [0.1], 1j)):
        with pytest.raises(ValueError, match="symbols or complex numbers; noise can be drawn for real numbers only"):
            order_n.kalman_analogy(model, q, rng, t=t)
