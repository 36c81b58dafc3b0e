"""Cases that an outside reader of the library tried and that once failed."""

import mpmath
import numpy as np
import pytest
import sympy as sp

from rbdlib import Model, conventions, forward_dynamics
from rbdlib.book import ch02_spatial as spatial, ch04_kinematics as kinematics
from rbdlib.book.ch04_joints import Revolute, Spherical, jcalc
from rbdlib.methods.centre_of_mass import centre_of_mass, potential_energy
from rbdlib.methods.custom_joint import Custom
from rbdlib.numbers.scalars import sin
from rbdlib.texts.mbt import lagrange

I = spatial.mcI(1, [0.3, 0, 0], np.diag([0.1, 0.2, 0.25]))


def test_the_exponential_is_exact_in_every_arithmetic_and_euler_parameters_are_scaled():
    assert spatial.motion_exp([0, 0, sp.Rational(1, 2), 0, 0, 0])[0, 1] == sp.sin(sp.Rational(1, 2))
    with mpmath.workdps(50):
        v = [mpmath.mpf(x) / 10 for x in (5, 4, 3, 10, 20, 30)]
        exact = mpmath.expm(-mpmath.matrix(spatial.crm(v).tolist()), method="taylor")
        difference = mpmath.matrix(spatial.motion_exp(v).tolist()) - exact
        assert max(abs(entry) for entry in difference) < mpmath.mpf(10) ** -45
    step = spatial.motion_exp(np.array([0, 0, 1e-5, 1, 0, 0], complex))
    np.testing.assert_allclose(step, spatial.motion_exp([0, 0, 1e-5, 1.0, 0, 0]), rtol=1e-12, atol=1e-18)

    body = Model([0], [Spherical()], [np.eye(6)], [I])
    state = [1, 2, 3], [0, 0, 0]
    exact, near = (forward_dynamics(body, q, *state) for q in ([0.6, 0.8, 0, 0], [0.606, 0.808, 0, 0]))
    np.testing.assert_allclose(near, exact, rtol=1e-12)
    with pytest.raises(ValueError, match="q = .* is not a unit vector.*model.normalise"):
        forward_dynamics(body, [1.5, 0, 0, 0], *state)


@pytest.mark.parametrize("zero", [0, 0.0, 0j, mpmath.mpf(0), sp.Integer(0)])
def test_the_exponential_map_of_no_turn_is_the_identity(zero):
    assert (lagrange.exponential_map([zero] * 3) == np.eye(3, dtype=int)).all()
    assert (lagrange.exponential_map_jacobian([zero] * 3) == np.eye(3, dtype=int)).all()


def test_energy_momentum_and_centre_of_mass_see_the_time():
    joint = Custom(1, lambda q, t: spatial.rotz(q[0]) @ spatial.xlt([sin(3 * t), 0, 0]))
    model = Model([0], [joint], [np.eye(6)], [spatial.mcI(2, [0, 0, 0], np.eye(3))], gravity=(-5, 0, 0))
    state, t, speed = ([0.2], [0]), 1.0, 3 * np.cos(3)
    assert kinematics.kinetic_energy(model, *state, t) == pytest.approx(2 * speed**2 / 2)
    assert potential_energy(model, [0.2], t) == pytest.approx(2 * 5 * np.sin(3))
    np.testing.assert_allclose(kinematics.momentum(model, *state, t), [0, 0, 0, 2 * speed, 0, 0], atol=1e-12)
    np.testing.assert_allclose(centre_of_mass(model, [0.2], t), [np.sin(3), 0, 0], atol=1e-12)
    np.testing.assert_allclose(kinematics.body_accelerations(model, *state, [0], t)[1],
                               joint.bias_acceleration(np.array([0.2]), np.zeros(1), t), atol=1e-12)


def test_axes_keep_their_arithmetic_poses_written_the_wrong_way_are_refused_and_motions_are_joints():
    assert Revolute([sp.Rational(3, 5), sp.Rational(4, 5), 0]).axis == (sp.Rational(3, 5), sp.Rational(4, 5), 0)
    assert str(Revolute(sp.symbols("a1:4"))) == "revolute (a1, a2, a3)"
    with mpmath.workdps(50):
        a = Revolute([mpmath.mpf(1), 1, 1]).direction
        assert abs(a @ a - 1) < mpmath.mpf(10) ** -45

    T = np.eye(4)
    T[3, :3] = [1, 2, 3]
    with pytest.raises(ValueError, match="T ends with the row .* Is it transposed"):
        conventions.pose_from_mrn(T)
    with pytest.raises(ValueError, match="X"):
        conventions.tip_wrench_to_f_ext(np.zeros(6), np.ones((6, 6)))
    _, S, v_J, c_J = jcalc(Custom(0, lambda q, t: spatial.xlt([sin(2 * t), 0, 0])), [], [], 0.3)
    assert S.shape == (6, 0)
    np.testing.assert_allclose([v_J[3], c_J[3]], [2 * np.cos(0.6), -4 * np.sin(0.6)], rtol=1e-12)
