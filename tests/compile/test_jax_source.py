"""The JAX backend, against the same program run on Python's own floats, and its derivatives against rbdlib's own."""

import numpy as np
import pytest

import rbdlib
from rbdlib.compile.executer import record
from rbdlib.compile.jax_source import to_jax
from rbdlib.compile.program import Argument, Assignment, Program, Result
from rbdlib.methods.derivatives import rnea_derivatives
from tests.compile.programs import expected, random_inputs, random_program


@pytest.fixture(scope="module")
def jax():
    return pytest.importorskip("jax", reason="JAX is not installed here")


@pytest.fixture
def x64(jax):
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def test_the_function_takes_arrays_of_the_inputs_shapes_and_vmap_batches(jax, x64):
    rng = np.random.default_rng(2)
    program = random_program(rng)
    inputs = random_inputs(program, 6, rng)
    batch = [array.reshape(6, *argument.shape) for array, argument in zip(inputs, program.inputs, strict=True)]
    function, right = to_jax(program), expected(program, inputs, 6)
    for results, rows in ((function(*(array[4] for array in batch)), 4), (jax.vmap(function)(*batch), slice(None))):
        for found, array, result in zip(results, right, program.outputs, strict=True):
            assert found.shape[found.ndim - len(result.shape) :] == result.shape
            np.testing.assert_allclose(np.ravel(found), np.ravel(array[rows]), rtol=1e-12, atol=1e-12)


def test_wrong_arguments_are_refused_and_the_time_of_compiling_and_single_precision_are_as_stated(jax):
    function = to_jax(random_program(np.random.default_rng(3)))
    with pytest.raises(TypeError, match="expected 3: x0, x1, x2"):
        function(np.zeros(3))
    with pytest.raises(ValueError, match=r"x1 has shape \(2,\); expected \(\). For batches use jax.vmap"):
        function(np.zeros(3), np.zeros(2), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="constant inf"):
        to_jax(Program((Argument("x", ()),), (Assignment("*", (0, float("inf"))),), (Result("y", (), (1,)),)))
    model = rbdlib.load("double_pendulum")
    rnea = rbdlib.compile_for(rbdlib.rnea, model, backend="jax", cache=False)
    state, stated = np.zeros((3, 5, 2)), [rnea.compile_seconds]
    for width in (5, 4, 5):
        rnea(*state[:, :width])
        stated.append(rnea.compile_seconds)
    assert stated[0] < stated[1] < stated[2] == stated[3]
    q = np.array([0.3, -0.8], dtype=np.float32)
    H = to_jax(record(rbdlib.crba, model).program)(q)
    assert H.dtype == (np.float64 if jax.config.jax_enable_x64 else np.float32) and H.shape == (2, 2)
    np.testing.assert_allclose(H, rbdlib.crba(model, q), rtol=1e-5)


@pytest.mark.parametrize("length", [60, 1000])
def test_gradients_of_inverse_dynamics_are_its_derivatives(jax, x64, length):
    model, rng = rbdlib.load("four_link_tree"), np.random.default_rng(4)
    q, qd = model.random_state(rng)
    qdd, weights = rng.normal(size=model.nv), rng.normal(size=model.nv)
    rnea = to_jax(record(rbdlib.rnea, model).program, length)
    dtau_dq, dtau_dqd, H = rnea_derivatives(model, q, qd, qdd)
    found = jax.jit(jax.grad(lambda *state: weights @ rnea(*state), argnums=(0, 1, 2)))(q, qd, qdd)
    for gradient, right in zip(found, (dtau_dq, dtau_dqd, H), strict=True):
        np.testing.assert_allclose(gradient, weights @ right, rtol=1e-9, atol=1e-9)
    forward = jax.jit(jax.jacfwd(rnea))(q, qd, qdd)
    np.testing.assert_allclose(forward, dtau_dq, rtol=1e-9, atol=1e-9)
