"""The typed vectors compute what the 6 x 6 matrices compute, and refuse what has no meaning."""

import numpy as np
import pytest
import sympy

from rbdlib import spatial
from rbdlib.arithmetic import fv, mv, rbi
from tests.sources.helpers import random_mass_properties


@pytest.fixture
def rng():
    return np.random.default_rng(20)


def random_motion(rng):
    return mv(rng.normal(size=3), rng.normal(size=3))


def random_force(rng):
    return fv(rng.normal(size=3), rng.normal(size=3))


def random_inertia(rng):
    return rbi.from_mcI(*random_mass_properties(rng))


@pytest.mark.source("RBDA-S1.2-3")
def test_equation_of_motion_reads_as_it_is_written(rng):
    I, v, a = random_inertia(rng), random_motion(rng), random_motion(rng)
    f = I * a + v.cross(I * v)
    assert isinstance(f, fv)
    expected = I.matrix @ a.array - spatial.crm(v.array).T @ I.matrix @ v.array
    np.testing.assert_allclose(f.array, expected, rtol=1e-12)


def test_each_operation_equals_the_matrix_operation(rng):
    u, v, f, I, J = (make(rng) for make in (random_motion, random_motion, random_force, random_inertia, random_inertia))
    np.testing.assert_allclose(u.cross(v).array, spatial.crm(u.array) @ v.array, rtol=1e-12)
    np.testing.assert_allclose(u.cross(f).array, spatial.crf(u.array) @ f.array, rtol=1e-12)
    np.testing.assert_allclose((I + J).matrix, I.matrix + J.matrix, rtol=1e-12)
    np.testing.assert_allclose((np.float64(2.5) * I).matrix, 2.5 * I.matrix, rtol=1e-12)
    np.testing.assert_allclose((u - 3 * v).array, u.array - 3 * v.array, rtol=1e-12)
    np.testing.assert_allclose([u.dot(f), f.dot(u)], [u.array @ f.array] * 2, rtol=1e-12)


@pytest.mark.parametrize(
    "nonsense",
    [
        lambda m, f, I: m.dot(m),
        lambda m, f, I: f.dot(f),
        lambda m, f, I: f.cross(m),
        lambda m, f, I: f.cross(f),
        lambda m, f, I: m.cross(I),
        lambda m, f, I: m + f,
        lambda m, f, I: f - m,
        lambda m, f, I: I * f,
        lambda m, f, I: I + m,
        lambda m, f, I: m * f,
        lambda m, f, I: [1, 2] * m,
    ],
)
@pytest.mark.source("RBDA-S1.2-3", "RBDA-S2.1-1", "RBDA-S2.6-1")
def test_mixing_motion_and_force_is_refused(nonsense, rng):
    with pytest.raises(TypeError):
        nonsense(random_motion(rng), random_force(rng), random_inertia(rng))


def test_symbols_pass_through():
    w, m = sympy.symbols("w m", positive=True)
    momentum = rbi.from_mcI(m, [0, 0, 0], sympy.diag(1, 2, 3) / 2) * mv([0, 0, w], sympy.Matrix([1, 0, 0]))
    assert momentum.array.tolist() == [0, 0, 3 * w / 2, m, 0, 0]


def test_wrong_lengths_are_refused():
    with pytest.raises(ValueError, match="w has shape"):
        mv([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="triangle inequality"):
        rbi.from_mcI(1, [0, 0, 0], np.diag([1, 1, 3]))
