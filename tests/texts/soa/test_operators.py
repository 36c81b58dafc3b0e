"""A model seen as a chain, its operators, and forward dynamics through its mass matrix: what the text leaves out.
Joints that depend on time, trees, scalars of every kind, refusals, ill-conditioned systems; the equations themselves
are checked row by row in tests/sources/test_soa.py and test_soa_mass_matrix.py."""

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, rnea
from rbdlib.book.ch02_spatial import mcI, rotz, xlt
from rbdlib.book.ch04_joints import Fixed, Prismatic, Reversed, Revolute, Spherical
from rbdlib.book.ch04_kinematics import body_transforms, body_velocities
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.generators import auto_tree, binary_tree, gu
from rbdlib.numbers.scalars import sin
from rbdlib.texts.soa import mass_matrix_methods as methods, operators as soa, order_n
from rbdlib.texts.soa.order_n.articulated import bias_forces, unit_triangle
from rbdlib.texts.soa.order_n.authors import armstrong_recursion
from rbdlib.texts.soa.order_n.factors import mass_matrix_factors
from tests.sources.helpers import random_tree, slope
from tests.sources.joints import Mechanism
from tests.sources.soa_systems import tree_system

SEED = 51
METHODS = [methods.direct, methods.symmetry, methods.crb, methods.conjugate_gradient,
           methods.preconditioned_conjugate_gradient]
BRANCHED = [0, 1, 1, 3, 2, 0, 6]


def swaying(q, t):
    """A carriage on a platform that sways, as time says."""
    return rotz(q[0] + sin(t)) @ xlt([q[0] * q[0], sin(3 * t), t * q[0]])


DRIVEN = Custom(1, swaying)


# The view

def test_the_variables_of_a_tree_are_reordered_link_by_link_and_back():
    system = tree_system("balls and planes")
    c, model = soa.chain(system.model, system.q, system.qd), system.model
    x = np.arange(c.N)
    for k in c.links:
        assert_array_equal(c.to_chain(x)[c.at(k)], x[model.v_slice(model.N_B + 1 - k)])
    assert sorted(i for k in c.links for i in x[c.at(k)]) == list(x)
    M = x[:, None] * 100 + x
    assert_array_equal(c.to_model(c.to_chain(x)), x)
    assert_array_equal(c.to_model(c.to_chain(M)), M)
    assert_array_equal(c.to_chain(M)[:, 0], c.to_chain(M[:, c.to_chain(x)[0]]))
    assert_array_equal(c.beta, c.to_chain(system.qd))


def test_the_links_of_a_tree_know_their_inboard_and_outboard_links():
    """Body i is link 8 - i; the base is link 8."""
    model = auto_tree(7).replace(parent=BRANCHED)
    c = soa.chain(model, np.zeros(7))
    assert c.inboard[1:8] == [2, 8, 6, 5, 7, 7, 8]
    assert c.outboard == [[], [], [1], [], [], [4], [3], [5, 6], [2, 7]]
    assert c.path(4) == [4, 5, 7] and c.path(1) == [1, 2] and not c.serial
    assert soa.chain(auto_tree(3), np.zeros(3)).serial
    assert repr(c) == "<Chain of 7 links, N=7, branched>"
    assert_array_equal(soa.phi_between(c, 7, 2), np.zeros((6, 6)))
    assert_array_equal(soa.phi_between(c, 3, 3), np.eye(6))
    base = soa.phi_between(c, 8, 1)
    assert_allclose(base, soa.phi_of(c.l[2] + c.l[1]))
    assert c.path(8) == []


def test_numbers_of_links_and_arguments_are_checked():
    c = soa.chain(auto_tree(3), np.zeros(3))
    assert c.at(np.int64(1)) == slice(0, 1)
    for error, call, complaint in (
            (ValueError, lambda: c.path(0), "k is 0, .* from 1, the tip, to 4"),
            (ValueError, lambda: c.path(5), "k is 5"),
            (ValueError, lambda: c.at(0), "k is 0, .* to 3"), (ValueError, lambda: c.at(4), "k is 4"),
            (ValueError, lambda: c.at(-1), "k is -1"), (ValueError, lambda: soa.phi_between(c, 5, 1), "i is 5"),
            (ValueError, lambda: soa.phi_between(c, 1, 0), "j is 0"),
            (TypeError, lambda: c.at("tip"), "give the number of a link, 1 to 3"),
            (TypeError, lambda: c.path(None), "give the number of a link, 1 to 4"),
            (TypeError, lambda: soa.phi_between(c, 2.0, 1), "give the number of a link, 1 to 4"),
            (ValueError, lambda: soa.inverse_dynamics(c, [1, 2]), "beta_dot has shape"),
            (ValueError, lambda: methods.crb_inverse_dynamics(c, [1, 2]), "beta_dot has shape"),
            (ValueError, lambda: soa.mass_matrix_times(c, [1, 2]), "beta_dot has shape"),
            (ValueError, lambda: soa.bias_free(c, [1, 2]), "T has shape"),
            (ValueError, lambda: soa.phi_of([1, 2]), "l has shape"),
            (ValueError, lambda: soa.phi_dot_of([1, 2]), "l_dot has shape"),
            (ValueError, lambda: soa.turning([1]), "w has shape"),
            (ValueError, lambda: soa.gyroscopic_force(np.eye(3), [1, 2, 3]), "M has shape"),
            (ValueError, lambda: c.to_chain([1, 2]), "x has shape"),
            (ValueError, lambda: c.to_model(np.eye(2)), "x has shape")):
        with pytest.raises(error, match=complaint):
            call()
    for of in (c, soa.chain(Model([], [], [], []), [])):
        base = soa.phi_between(of, of.n + 1, of.n + 1)
        assert base.dtype == float
        assert_array_equal(base, np.eye(6))


def test_functions_of_a_chain_say_how_one_is_made():
    for call, *others in ((soa.at_rest,), (soa.composite_inertias,), (soa.operators,), (soa.shift_operator,),
                          (methods.mass_matrix_direct,), (methods.mass_matrix_by_symmetry,), (methods.mass_matrix_crb,),
                          (methods.preconditioner,), (soa.tip_to_base, []), (soa.base_to_tip, []),
                          (soa.mass_matrix_times, [0, 0]), (soa.joint_vector, []), (soa.bias_free, [0, 0]),
                          (soa.inverse_dynamics, [0, 0]), (soa.stacked, []), (soa.block_diagonal, []),
                          (soa.phi_between, 1, 1), (methods.crb_inverse_dynamics, [0, 0]),
                          (order_n.articulated_inertias,), (order_n.articulated_operators,), (order_n.lemmas, [0, 0]),
                          (mass_matrix_factors,), (order_n.two_sweeps, None, [0, 0]), (bias_forces, None),
                          (unit_triangle, [None], [None]), (armstrong_recursion, [0, 0])):
        for wrong, what in ((auto_tree(2), "<Model of 2 .*>"), (None, "None")):
            with pytest.raises(TypeError, match=rf"^c is {what}; give a chain: chain\(model, q, qd\) makes one.$"):
                call(wrong, *others)


def test_external_forces_move_to_the_points_of_the_links(rng):
    """Power, with the velocity at O_k, is that of RBDA's force at the world's origin with the world velocity."""
    tree = random_tree(rng, 7, BRANCHED)
    model, (q, qd), f_ext = tree.model(), rng.normal(size=(2, 7)), rng.normal(size=(8, 6))
    c = soa.chain(model, q, qd, f_ext)
    X, v = body_transforms(model, q), body_velocities(model, q, qd)
    for k in c.links:
        i = 8 - k
        assert c.f_ext[k] @ c.V[k] == pytest.approx(f_ext[i] @ np.linalg.inv(X[i]) @ v[i])
        assert_allclose(c.f_ext[k][3:], f_ext[i][3:])
    given = soa.chain(model, q, qd, {2: f_ext[2]})
    assert_array_equal(given.f_ext[6], c.f_ext[6])
    assert not np.any(given.f_ext[5])
    assert_allclose(c.alpha_base, [0, 0, 0, *-tree.gravity])


@pytest.mark.parametrize("turn", [lambda joint: joint, Reversed], ids=["custom", "reversed"])
def test_joints_that_depend_on_time(rng, turn):
    """V and a as derivatives along a path in time; forces as by RNEA; accelerations back from them by every method."""
    model = Mechanism(rng, [Revolute((1, 2, 0)), turn(DRIVEN), Prismatic("y"), Spherical()], [0, 1, 2, 2]).model()
    (q, qd), qdd, f_ext, t = model.random_state(rng), rng.normal(size=model.nv), rng.normal(size=(5, 6)), 0.4
    c = soa.chain(model, q, qd, f_ext, t)
    tau = rnea(model, q, qd, qdd, f_ext, t)
    assert_allclose(c.to_model(soa.inverse_dynamics(c, c.to_chain(qdd)).T), tau, rtol=1e-10, atol=1e-10)
    for method in METHODS:
        assert_allclose(method(model, q, qd, tau, f_ext, t), qdd, rtol=1e-8, atol=1e-8)
    still = soa.inverse_dynamics(soa.chain(model, q, 0 * qd, None, t), 0 * c.beta).T
    assert abs(still - soa.inverse_dynamics(soa.chain(model, q, 0 * qd, None, 0.9), 0 * c.beta).T).max() > 1e-3

    def velocity(s):
        return np.concatenate(soa.chain(model, model.integrate(q, qd, s), qd, t=t + s).V[1:5])

    x = soa.operators(c)
    assert_allclose(x.phi.T @ x.Delta_V, velocity(0), rtol=1e-12, atol=1e-12)
    assert_allclose(x.phi.T @ x.a, slope(velocity), rtol=1e-8, atol=1e-8)
    X, v = body_transforms(model, q, t), body_velocities(model, q, qd, t)
    for k in c.links:
        assert_allclose(c.V[k], np.kron(np.eye(2), X[5 - k][:3, :3].T) @ v[5 - k], rtol=1e-12, atol=1e-12)


def test_systems_without_freedoms_or_bodies():
    empty = Model([], [], [], [])
    rigid = Model([0, 1], [Fixed(), Fixed()], [np.eye(6), xlt([1, 0, 0])], [mcI(1, [0, 0, 0], np.eye(3))] * 2)
    for model in (empty, rigid):
        assert methods.mass_matrix_crb(soa.chain(model, [])).shape == (0, 0)
    f = soa.inverse_dynamics(soa.chain(rigid, []), []).f
    assert_allclose(f[2], [0, -9.81, 0, 0, 0, 2 * 9.81])
    assert_array_equal(soa.composite_inertias(soa.chain(rigid, []))[2][3:, 3:], 2 * np.eye(3))
    assert soa.operators(soa.chain(empty, [])).phi.shape == (0, 0)


# Conjugate gradients

def test_long_chains_and_ill_conditioned_systems_to_the_accuracy_they_allow(rng):
    for model in (gu(12), auto_tree(25), binary_tree(4)):
        (q, qd), qdd = model.random_state(rng), rng.normal(size=model.nv)
        tau, M = rnea(model, q, qd, qdd), methods.mass_matrix_crb(soa.chain(model, q))
        scale = np.linalg.norm(qdd) + np.linalg.norm(tau) / np.linalg.norm(M, 2)
        for method in METHODS:
            error = np.linalg.norm(method(model, q, qd, tau) - qdd)
            assert error < 1e-14 * np.linalg.cond(M) * scale, (model, method.__name__)


def test_the_mass_matrix_is_never_formed_and_steps_are_counted(rng):
    c = soa.chain(gu(8), rng.normal(size=8))
    T_bar, calls = rng.normal(size=8), []

    def times(p):
        calls.append(p)
        return soa.mass_matrix_times(c, p)

    found = methods.conjugate_gradients(times, T_bar, methods.preconditioner(c), tolerance=1e-3)
    assert found.converged and len(calls) == len(found.p) - 1 == len(found.r) - 1
    size = np.linalg.norm(T_bar)
    assert np.linalg.norm(found.r[-1]) <= 1e-3 * size < np.linalg.norm(found.r[-2])
    assert np.linalg.norm(soa.mass_matrix_times(c, found.beta_dot) - T_bar) <= 1.1e-3 * size
    three = methods.conjugate_gradients(times, T_bar, steps=3)
    assert len(three.p) == 4 and not three.converged
    assert methods.conjugate_gradients(times, np.zeros(8)).converged


@pytest.mark.filterwarnings("ignore:Joint 2")
def test_a_joint_that_meets_no_inertia_is_refused():
    model = auto_tree(2)
    massless = model.replace(inertia=[model.inertia[1], np.zeros((6, 6))])
    for method in METHODS:
        with pytest.raises(ValueError, match="singular"):
            method(massless, [0.1, 0.2], [0, 0], [0, 1.0])
    with pytest.raises(ValueError, match="joint of body 2 can move something that has no inertia.*mass"):
        methods.preconditioner(soa.chain(massless, [0.1, 0.2]))


@pytest.mark.parametrize(("axes", "variable"), [("xyy", 2), ("xxy", 1), ("xyz", None)])
@pytest.mark.filterwarnings("ignore:Joint")
def test_a_singular_matrix_is_reported_by_the_place_in_qdd(axes, variable):
    """Two hinges on one axis with nothing between: the acceleration of the first has no value if that of the next is
    free."""
    bodies = [mcI(2.0, [0.5, 0.25, -1.0], np.diag([0.5, 0.75, 1.0])), np.zeros((6, 6)), mcI(1, [0, 1, 0.5], np.eye(3))]
    if variable == 1:
        bodies[:2] = bodies[1::-1]
    model = Model([0, 1, 2], [Revolute(axis) for axis in axes], [np.eye(6)] * 3, bodies)
    given = ([0, 0, 0], [0, 0, 0], [1, 2, 3])
    for method in (methods.direct, methods.symmetry, methods.crb):
        if variable is None:
            assert_allclose(rnea(model, *given[:2], method(model, *given)), given[2], atol=1e-12)
        else:
            with pytest.raises(ValueError, match=f"variable {variable} has no inertia"):
                method(model, *given)


@pytest.mark.parametrize(("changes", "error", "complaint"), [
    ({"tolerance": -1e-3}, ValueError, "tolerance is -0.001"), ({"tolerance": 1}, ValueError, "tolerance is 1"),
    ({"tolerance": np.nan}, ValueError, "tolerance contains nan"), ({"tolerance": "1e-3"}, TypeError, "tolerance"),
    ({"tolerance": sp.Symbol("e")}, ValueError, "tolerance is e"), ({"steps": 2.5}, ValueError, "steps is 2.5"),
    ({"steps": -1}, ValueError, "steps is -1"), ({"steps": True}, ValueError, "steps is True"),
    ({"times": np.eye(2)}, TypeError, "(?s)times is .*give a function"),
    ({"precondition": np.eye(2)}, TypeError, "(?s)precondition is .*give a function"),
    ({"T_bar": [1, np.inf]}, ValueError, "T_bar contains inf"), ({"gamma": "right"}, ValueError, "gamma is 'right'")])
def test_settings_of_conjugate_gradients_are_checked(changes, error, complaint):
    given = {"times": lambda p: p, "T_bar": [1, 2]}
    with pytest.raises(error, match=complaint):
        methods.conjugate_gradients(**given | changes)
    assert methods.conjugate_gradients(**given, tolerance=0, steps=0).converged is False
    assert methods.conjugate_gradients(**given, tolerance=sp.Rational(1, 10), steps=np.int64(1)).converged


@pytest.mark.parametrize("method", [methods.conjugate_gradient, methods.preconditioned_conjugate_gradient])
def test_conjugate_gradients_that_do_not_converge_say_so(method, monkeypatch):
    """With rounded numbers N steps are too few for ten links in a row."""
    model, q = auto_tree(10), np.linspace(0.1, 0.2, 10)
    assert method(model, q, 0 * q, q).shape == (10,)
    monkeypatch.setattr("rbdlib.texts.soa.mass_matrix_methods.STEPS", 1)
    with pytest.raises(ValueError, match="did not converge in 10 steps.*Choose"):
        method(model, q, 0 * q, q)
