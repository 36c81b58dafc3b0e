"""Equations of motion in symbols of the reader's own: functions of time, exact and rounded parameters, refusals."""

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose
from sympy.physics.mechanics import dynamicsymbols

from rbdlib import Model, equations_of_motion, load, rnea
from rbdlib.joints import Prismatic
from rbdlib.lagrange import lagrangian_equations
from rbdlib.spatial import mcI


@pytest.mark.slow
@pytest.mark.parametrize(("t", "rates_are_derivatives"),
                         [(dynamicsymbols._t, True), (sp.Symbol("t", real=True), False)],
                         ids=["dynamicsymbols and derivatives", "real time and functions"])
def test_functions_of_time_may_be_used_for_the_state(t, rates_are_derivatives):
    q = [sp.Function(name)(t) for name in ("q1", "q2")]
    qd = [x.diff(t) for x in q] if rates_are_derivatives else [sp.Function(name)(t) for name in ("u1", "u2")]
    model = load("double_pendulum", symbolic=True)
    equations = equations_of_motion(model, q, qd)
    assert [str(symbol) for symbol in equations.parameters] == ["g", "l1", "l2", "m1", "m2"]
    assert equations.C.has(qd[0]) and equations.gravity.has(sp.sin(q[0]))
    numbers = load("double_pendulum")
    H, C, gravity = equations.at([0.3, -0.4], [1.5, 2.0], numbers.parameters)
    assert_allclose(H @ [0.7, -1] + C + gravity, rnea(numbers, [0.3, -0.4], [1.5, 2.0], [0.7, -1]), rtol=1e-13)
    if rates_are_derivatives:
        assert equations.disagreement(lagrangian_equations(model, q, qd)) < 1e-36


def test_a_function_of_something_is_one_parameter():
    m = sp.Function("m")(sp.Symbol("x"))
    equations = equations_of_motion(Model([0], [Prismatic("x")], [np.eye(6)], [mcI(m, [0, 0, 0], np.zeros((3, 3)))]))
    assert equations.parameters == (m,)
    assert equations.at([0], [0], {m: 3})[0] == [[3]]


@pytest.mark.parametrize("derive", [equations_of_motion, lagrangian_equations])
@pytest.mark.parametrize("model", ["x", None, Model])
def test_what_is_not_a_model_is_refused(derive, model):
    with pytest.raises(TypeError, match="model is .*; give a Model"):
        derive(model)


@pytest.mark.slow
def test_rounded_parameters_limit_the_agreement_of_derivations():
    """As the docstring of disagreement says: about 1e-15 with floats, as many digits as are asked for without."""
    model = load("double_pendulum", symbolic=True)
    values = {"m1": 1.1, "m2": 0.7, "l1": 0.9, "l2": 1.3, "g": 9.81}

    def disagreement(number):
        def put_in(array):
            return np.array([sp.sympify(x).subs({s: number(values[str(s)]) for s in sp.sympify(x).free_symbols})
                             for x in np.ravel(array).tolist()]).reshape(np.shape(array))

        special = model.replace(X_tree=[put_in(X) for X in model.X_tree[1:]], gravity=put_in(model.gravity),
                                inertia=[put_in(I) for I in model.inertia[1:]])
        return equations_of_motion(special).disagreement(lagrangian_equations(special))

    assert 1e-20 < disagreement(sp.Float) < 1e-13
    assert disagreement(lambda x: sp.Rational(str(x))) < 1e-36
