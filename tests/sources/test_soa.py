"""Spatial operator algebra, notation and section 2, row by row: one body, the chain, its operators. What the rows say
is compared with the geometry and the momenta of `tests.sources.soa_systems`; derivatives are by differences, good to
about 1e-10 of the largest number."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rbdlib import bias_force, rnea
from rbdlib.analysis.counting import count_operations
from rbdlib.book.ch02_spatial import mcI, xlt
from rbdlib.book.ch04_joints import FreeMotion, Prismatic, Revolute, Spherical
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.book.ch07_articulated_body import articulated_bodies
from rbdlib.methods.generators import gu
from rbdlib.texts.soa import operators as soa
from rbdlib.texts.soa.mass_matrix_methods import crb, mass_matrix_crb
from tests.sources.ch05_systems import STEP
from tests.sources.helpers import close, cross_matrix, far, near, random_unit, slope
from tests.sources.soa_systems import Flying, System, block, diagonal, kalman, named_system

SEED = 11


@pytest.fixture
def body(rng):
    return Flying(rng)


def text_view(system, speed=1.0):
    """The system as the text sees it: neither gravity nor external forces."""
    return soa.chain(system.model.replace(gravity=(0, 0, 0)), system.q, speed * system.qd)


# Notation

@pytest.mark.source("SOA-SN-1")
def test_links_are_numbered_from_the_tip_and_tip_blocks_come_first(system):
    """Every convention of the list, against bodies placed by geometry and numbered from the base."""
    c, T = text_view(system), system.joint_forces(gravity=False, external=False)
    assert c.serial and c.n == system.n and [c.inboard[k] for k in c.links] == [k + 1 for k in c.links]
    for k in c.links:
        near(c.l[k], system.lever(k + 1, k))
        near(c.M[k], system.M(k))
        close(c.M[k][:3, 3:], system.mechanism.bodies[system.n - k][0] * cross_matrix(system.p(k)))
        near(c.H[k].T, system.H_star(k))
        near(c.V[k], system.V[k])
    phi = soa.operators(c).phi
    assert_array_equal(phi, np.tril(phi, 5))
    close(phi, system.phi())
    rows = [T[system.model.v_slice(i)] for i in reversed(system.bodies)]
    near(soa.inverse_dynamics(c, system.beta_dot).T, np.concatenate(rows))
    near(c.to_model(np.concatenate(rows)), T)
    for k in c.links:
        near(soa.inverse_dynamics(c, system.beta_dot).f[k], system.f(k))


@pytest.mark.source("SOA-SN-2")
def test_the_dictionary_of_rigid_bodies(system):
    """Each quantity of one text, turned to world axes by the poses, is the other's; alpha differs by (0; w × v)."""
    model, c = system.model, soa.chain(system.model, system.q, system.qd, system.f_ext)
    forces, R = soa.inverse_dynamics(c, system.beta_dot), soa.composite_inertias(c)
    motion = newton_euler(model, system.q, system.qd, system.qdd, system.f_ext)
    I_c = list(model.inertia)
    for i in reversed(model.bodies[1:]):
        I_c[i - 1] = I_c[i - 1] + motion.X_up[i].T @ I_c[i] @ motion.X_up[i]
    for k in c.links:
        i, turn = system.body(k), system.world_axes(system.body(k))
        near(c.H[k].T, turn @ motion.S[i])
        close(c.M[k], turn @ model.inertia[i] @ turn.T)
        close(c.V[k], turn @ motion.v[i])
        close(forces.f[k], turn @ motion.f[i], 1e-11)
        close(forces.alpha[k], turn @ motion.a[i] + np.append(np.zeros(3), np.cross(c.V[k][:3], c.V[k][3:])), 1e-11)
        close(R[k], turn @ I_c[i] @ turn.T)
        if k < c.n:
            close(c.phi[k].T, turn @ motion.X_up[i] @ system.world_axes(i - 1).T)
            close(c.phi[k].T, xlt(c.l[k]))
        h, w, v = model.inertia[i] @ motion.v[i], motion.v[i][:3], motion.v[i][3:]
        v_cross_h = np.concatenate([np.cross(w, h[:3]) + np.cross(v, h[3:]), np.cross(w, h[3:])])
        near(c.M[k] @ forces.alpha[k] + c.b[k], turn @ (model.inertia[i] @ motion.a[i] + v_cross_h))
    far(forces.alpha[1], system.world_axes(c.n) @ motion.a[c.n])
    near(c.to_model(forces.T), system.joint_forces())
    near(c.to_model(mass_matrix_crb(c)), crba(model, system.q))
    near(c.to_model(soa.inverse_dynamics(c, 0 * c.beta).T), bias_force(model, system.q, system.qd, system.f_ext))


def corrections(c, D, G, T_bar):
    """The lists z, epsilon, nu of a serial chain at rest under the forces T_bar: the filter that goes with `kalman`."""
    z, epsilon, nu, inherited = [None] * (c.n + 1), [None] * (c.n + 1), [None] * (c.n + 1), np.zeros(6)
    for k in c.links:
        z[k] = inherited
        epsilon[k] = T_bar[c.at(k)] - c.H[k] @ z[k]
        nu[k] = np.linalg.inv(D[k]) @ epsilon[k]
        inherited = c.phi[k] @ (z[k] + G[k] @ epsilon[k])
    return z, epsilon, nu


@pytest.mark.source("SOA-SN-2")
def test_the_dictionary_of_articulated_bodies(system):
    """P, D, G, P+ by Kalman's recursion are RBDA's I^A, D, U D^-1, I^a; at rest z and epsilon are p^A and u."""
    c = soa.chain(system.model, system.q, system.qd)
    rest = articulated_bodies(system.model.replace(gravity=(0, 0, 0)), system.q, 0 * system.qd, system.qdd)
    P, D, G, P_plus = kalman(c)
    z, epsilon, nu = corrections(c, D, G, system.beta_dot)
    for k in c.links:
        i, turn = system.body(k), system.world_axes(system.body(k))
        close(P[k], turn @ rest.I_A[i] @ turn.T, 1e-11)
        near(D[k], rest.D[i])
        near(z[k], turn @ rest.p_A[i])
        near(epsilon[k], rest.u[i])
        near(G[k] @ D[k], turn @ rest.U[i])
        near(nu[k], np.linalg.solve(D[k], rest.u[i]))
        if k < c.n:
            near(turn.T @ P_plus[k] @ turn, rest.I_a[i])


# One rigid body

@pytest.mark.source("SOA-1", "SOA-3", "SOA-4")
def test_velocity_force_and_acceleration_by_the_operator(body, rng):
    """A force system's moment about each point, pull by pull; velocities and accelerations by differences of places.
    alpha needs a further term, which is the rate of change of phi* times V, a centripetal acceleration."""
    l, V_O, V_C, alpha_O = body.lever("O", "C"), body.V("O"), body.V("C"), body.alpha("O")
    close(soa.phi_of(l), np.block([[np.eye(3), cross_matrix(l)], [np.zeros((3, 3)), np.eye(3)]]))
    assert_array_equal(soa.phi_of(l), xlt(l).T)
    near(V_C, np.append(V_O[:3], V_O[3:] + np.cross(V_O[:3], l)))
    near(soa.phi_of(l).T @ V_O, V_C)
    where, pulls = rng.normal(size=(2, 4, 3))
    f_O, f_C = (np.append(np.cross(where - body.point(name), pulls).sum(axis=0), pulls.sum(axis=0)) for name in "OC")
    close(f_O, np.append(f_C[:3] + np.cross(l, f_C[3:]), f_C[3:]))
    close(soa.phi_of(l) @ f_C, f_O)
    close(f_O @ V_O, f_C @ V_C, 1e-9)
    phi_dot = slope(lambda t: block(body.lever("O", "C", t)))
    near(soa.phi_dot_of(np.cross(V_O[:3], l)), phi_dot)
    a = phi_dot.T @ V_O
    near(a, np.append(np.zeros(3), np.cross(V_O[:3], np.cross(V_O[:3], l))))
    near(soa.phi_of(l).T @ alpha_O + a, body.alpha("C"))
    far(soa.phi_of(l).T @ alpha_O, body.alpha("C"))


@pytest.mark.source("SOA-5", "SOA-S2-1")
def test_the_operators_form_a_group(body):
    OC, OQ, CQ = (body.lever(*ends) for ends in ("OC", "OQ", "CQ"))
    close(np.linalg.inv(soa.phi_of(OC)), soa.phi_of(body.lever("C", "O")))
    close(soa.phi_of(body.lever("C", "O")), soa.phi_of(-OC))
    close(soa.phi_of(OQ), soa.phi_of(OC) @ soa.phi_of(CQ))
    rate, l_dot = slope(lambda t: block(body.lever("C", "O", t))), np.cross(body.V("O")[:3], OC)
    near(soa.phi_of(OC) @ rate, rate)                                                       # (S2-1)
    near(soa.phi_dot_of(-l_dot), rate)
    assert_array_equal(soa.phi_of(OC) @ soa.phi_dot_of(-l_dot), -soa.phi_dot_of(l_dot))


@pytest.mark.source("SOA-7", "SOA-8")
def test_equation_of_motion_at_the_centre_of_mass(body):
    """The force, particle by particle; the rate of the momentum's components; M alpha + b."""
    def M_C(t):
        return np.kron([[1, 0], [0, 0]], body.J_C(t)) + np.kron([[0, 0], [0, 1]], body.m * np.eye(3))

    V, alpha, f = body.V("C"), body.alpha("C"), body.force("C")
    near(slope(lambda t: body.momentum(body.point("C", t), t)), f)
    M_dot, w, J = slope(M_C), V[:3], body.J_C()
    near(M_C(0) @ alpha + M_dot @ V, f)
    b = np.append(np.cross(w, J @ w), np.zeros(3))
    near(M_dot @ V, b)
    near(M_dot[:3, :3], cross_matrix(w) @ J - J @ cross_matrix(w))
    near(M_C(0) @ alpha + b, f)
    near(soa.gyroscopic_force(M_C(0), w), b)
    far(M_C(0) @ alpha, f)


@pytest.mark.source("SOA-6", "SOA-10", "SOA-S2-2")
def test_inertia_at_any_point(body, rng):
    """The matrix that gives the momentum about O, by its blocks, by the operator, and as an energy. The moment of
    inertia about an axis e through O, from the particles' distances to it: the parallel-axis theorem."""
    l, M_O = body.lever("O", "C"), body.M("O")
    M_C = np.block([[body.J_C(), np.zeros((3, 3))], [np.zeros((3, 3)), body.m * np.eye(3)]])
    for M, point in ((M_C, "C"), (M_O, "O")):
        near(M @ body.V(point), body.momentum(body.point(point)))
        near(body.V(point) @ M @ body.V(point) / 2, body.energy())
        close(M, mcI(body.m, body.lever(point, "C"), body.J_C()))
    J_O, ml = body.J_C() - body.m * cross_matrix(l) @ cross_matrix(l), body.m * cross_matrix(l)
    close(np.block([[J_O, ml], [-ml, body.m * np.eye(3)]]), M_O)
    close(soa.phi_of(l) @ M_C @ soa.phi_of(l).T, M_O)
    e, where = random_unit(rng), body.particle_rates()[0] - body.point("O")
    close(e @ M_O[:3, :3] @ e, body.masses @ (np.cross(e, where) ** 2).sum(axis=1))
    close(e @ M_O[:3, :3] @ e, e @ body.J_C() @ e + body.m * (np.cross(e, l) ** 2).sum())


@pytest.mark.source("SOA-9", "SOA-11")
def test_equation_of_motion_at_any_point_and_four_forms_of_the_gyroscopic_force(body):
    """The force about O, particle by particle, in each of the forms of the equation; and RBDA's with its own a. Each
    form of b is what the force exceeds M alpha by. Without the dots that the scan lacks, two of them fail."""
    l, V, w, alpha, f = body.lever("O", "C"), body.V("O"), body.V("O")[:3], body.alpha("O"), body.force("O")
    phi, phi_dot = soa.phi_of(l), slope(lambda t: block(body.lever("O", "C", t)))
    M_C, M_O, M_dot = body.M("C"), body.M("O"), slope(lambda t: body.M("O", t))
    a, b_C = np.append(np.zeros(3), np.cross(w, np.cross(w, l))), np.append(np.cross(w, body.J_C() @ w), np.zeros(3))
    for form in (body.force("C"), M_C @ body.alpha("C") + b_C, M_C @ (phi.T @ alpha + a) + b_C):
        near(phi @ form, f)
    h, spatial = M_O @ V, alpha - np.append(np.zeros(3), np.cross(w, V[3:]))
    p = np.concatenate([np.cross(w, h[:3]) + np.cross(V[3:], h[3:]), np.cross(w, h[3:])])
    near(M_O @ spatial + p, f)
    far(M_O @ alpha + p, f)
    b = f - M_O @ alpha
    for form in (phi @ (M_C @ a + b_C), phi @ (M_C @ phi_dot.T @ V + slope(lambda t: body.M("C", t)) @ body.V("C")),
                 M_dot @ V - phi_dot @ M_O @ V, soa.gyroscopic_force(M_O, w),
                 np.append(np.cross(w, M_O[:3, :3] @ w), body.m * np.cross(w, np.cross(w, l)))):
        near(form, b)
    for scanned in (phi @ (M_C @ phi.T @ V + b_C), M_dot @ V - phi @ M_O @ V):
        far(scanned, b)


# The chain

@pytest.mark.source("SOA-F8")
def test_the_points_and_vectors_of_the_figure_of_the_chain(system):
    """O_k moves with link k and O_k+ with link k+1; they part only as the joint's own sliding parts them."""
    c = text_view(system)
    for k in c.links:
        model, i = system.model, system.body(k)
        place = system.mechanism.places[i - 1][1]
        R, p = system.poses[system.body(k + 1)]
        O_plus = p + R @ place
        slides = model.joints[i].transform(system.q[model.q_slice(i)])
        near(np.linalg.norm(system.O[k] - O_plus), np.linalg.norm(slides[3:, :3]) / np.sqrt(2))
        near(c.l[k], O_plus - system.O[k + 1] + (system.O[k] - O_plus))
        m, centre, _ = system.mechanism.bodies[i - 1]
        R, p = system.poses[i]
        near(c.M[k][:3, 3:] / m, cross_matrix(p + R @ centre - system.O[k]))
    hinges = [k for k in c.links if isinstance(system.model.joints[system.body(k)], Revolute | Spherical)]
    for k in hinges:
        for t in (0.0, 0.2):
            pose = system.at(t)[system.body(k + 1)]
            near(pose[:, 3] + pose[:, :3] @ system.mechanism.places[system.n - k][1], system.points(t)[k])


@pytest.mark.source("SOA-12")
def test_the_freedoms_of_the_joints_add_up(system):
    """The number of independent relative velocities by geometry; positional variables may be more."""
    c = text_view(system)
    ranks = [np.linalg.matrix_rank(system.H_star(k), 1e-6) if system.H_star(k).size else 0 for k in c.links]
    assert [len(c.H[k]) for k in c.links] == ranks
    assert c.N == sum(ranks) == np.linalg.matrix_rank(system.mass_matrix(), 1e-9)
    for k, r_v in zip(c.links, ranks, strict=True):
        joint = system.model.joints[system.body(k)]
        assert joint.nq >= r_v
        assert (joint.nq - r_v) == isinstance(getattr(joint, "joint", joint), Spherical | FreeMotion)


@pytest.mark.source("SOA-13", "SOA-14", "SOA-2")
def test_velocity_and_acceleration_recursions(system):
    """V, alpha, phi, H* and their rates, all by geometry, satisfy the equations; the view has the same numbers."""
    c = text_view(system)
    alpha = soa.inverse_dynamics(c, system.beta_dot).alpha
    for k in system.links:
        beta, beta_dot = system.beta[c.at(k)], system.beta_dot[c.at(k)]
        phi, H_star = block(system.lever(k + 1, k)), system.H_star(k)
        near(phi.T @ system.V[k + 1] + H_star @ beta, system.V[k])
        phi_dot = slope(lambda t, k=k: block(system.lever(k + 1, k, t)), h=STEP)
        H_star_dot = slope(lambda t, k=k: system.H_star_at(k, t), h=STEP)
        near(system.H_star_at(k, 0), H_star)
        a = phi_dot.T @ system.V[k + 1] + H_star_dot @ beta                             # (14)
        near(phi.T @ system.alpha[k + 1] + H_star @ beta_dot + a, system.alpha[k])
        near(c.Delta_V[k], H_star @ beta)
        near(c.V[k], system.V[k])
        near(c.a[k], a)
        near(alpha[k], slope(lambda t, k=k: system.point_velocities(t)[k], h=STEP))     # (2)
        spin = slope(lambda t, k=k: system.at(t)[system.body(k)][:, :3], h=STEP) @ system.poses[system.body(k)][0].T
        near(cross_matrix(c.V[k][:3]), spin)
        near(c.V[k][3:], slope(lambda t, k=k: system.points(t)[k], h=STEP))


@pytest.mark.source("SOA-14")
def test_the_coriolis_acceleration_of_hinges_balls_and_sliders():
    """The angular velocity of link k+1 times what joint k adds, and its centripetal part; twice for a slider. Of a free
    joint on the base, whose variables have body axes, it is (0; w × v)."""
    flying, seen = named_system("flying"), set()
    V = flying.V[flying.n]
    near(text_view(flying).a[flying.n], np.append(np.zeros(3), np.cross(V[:3], V[3:])))
    for name in ("axes", "arm"):
        system = named_system(name)
        c = text_view(system)
        for k in c.links:
            joint, w, across = system.model.joints[system.body(k)], system.V[k + 1][:3], system.V[k] - system.V[k + 1]
            added = system.V[k] - block(system.lever(k + 1, k)).T @ system.V[k + 1]
            if isinstance(joint, Revolute | Spherical):
                near(c.a[k], np.append(np.cross(w, added[:3]), np.cross(w, across[3:])))
            elif isinstance(joint, Prismatic):
                near(c.a[k], np.append(np.zeros(3), np.cross(w, across[3:]) + np.cross(w, added[3:])))
            seen.add(type(joint))
    assert {Revolute, Spherical, Prismatic} < seen


@pytest.mark.source("SOA-15", "SOA-16")
def test_forces_pass_from_link_to_link_and_joint_forces_are_projections(system):
    """f(k) by momentum rates of all that joint k carries; their differences are what link k needs."""
    T, c = system.T(), text_view(system)
    for k in system.links:
        passed = block(system.lever(k, k - 1)) @ system.f(k - 1) if k > 1 else np.zeros(6)
        near(system.f(k) - passed, system.net_force(k))
        near(system.net_force(k), c.M[k] @ system.alpha[k] + c.b[k])
        near(T[c.at(k)], system.H_star(k).T @ system.f(k))
        near(T[c.at(k)], c.H[k] @ system.f(k))
        w, M, m = system.V[k][:3], system.M(k), system.mechanism.bodies[system.n - k][0]        # (16)
        M_dot = slope(lambda t, k=k: system.M(k, t), h=STEP)
        phi_dot = slope(lambda t, k=k: block(system.p(k, t)), h=STEP)
        near(M_dot @ system.V[k] - phi_dot @ M @ system.V[k], c.b[k])
        near(np.append(np.cross(w, M[:3, :3] @ w), m * np.cross(w, np.cross(w, system.p(k)))), c.b[k])


@pytest.mark.source("SOA-17")
def test_newton_and_euler_give_the_joint_forces(any_system):
    """d'Alembert's forces, without gravity as in the text and with it, alpha(n+1) = (0; -g); and RBDA's algorithm."""
    system = any_system
    near(soa.inverse_dynamics(text_view(system), system.beta_dot).T, system.T())
    c = soa.chain(system.model, system.q, system.qd, system.f_ext)
    forces = soa.inverse_dynamics(c, system.beta_dot)
    near(forces.T, system.T(gravity=True, external=True))
    near(forces.alpha[c.n + 1], np.append(np.zeros(3), -system.mechanism.gravity))
    close(c.to_model(forces.T), rnea(system.model, system.q, system.qd, system.qdd, system.f_ext), 1e-11)


@pytest.mark.source("SOA-S2-3")
def test_a_mobile_base_is_a_joint_with_six_freedoms(rng):
    """Without joint forces and gravity the momentum of the whole stays: of bodies moved by geometry."""
    system = System(rng, [FreeMotion(), Revolute("x"), Prismatic("z"), Spherical()], range(4))
    model = system.model.replace(gravity=(0, 0, 0))
    assert abs(system.net.sum(axis=0)).max() > 0.1
    system.qdd = crb(model, system.q, system.qd, np.zeros(model.nv))
    momentum_rate = slope(system.momenta, h=STEP).sum(axis=0)
    assert abs(momentum_rate).max() < 1e-7 * abs(slope(system.momenta, h=STEP)).max()


@pytest.mark.source("SOA-S2-3")
def test_a_tip_force_passes_to_the_joints_like_any_other(system):
    """f(0), which the tip gives to what it holds, is an external force -f(0) on link 1; T grows by its power."""
    f_0, model = np.array([0.3, -1, 2, 0.5, 0.4, -0.7]), system.model
    c = soa.chain(model, system.q, system.qd, {model.N_B: -f_0})
    where = np.zeros(3)
    arm = block(where - system.O[1])
    forces, without = (soa.inverse_dynamics(x, system.beta_dot) for x in (c, soa.chain(model, system.q, system.qd)))
    near(forces.f[1] - without.f[1], arm @ f_0)
    near(forces.T - without.T, system.in_chain(system.ways[model.N_B].T @ f_0))


# Stacked operators

@pytest.mark.source("SOA-19")
def test_the_shift_operator_has_blocks_below_the_diagonal_only():
    """In a tree the block of link k stands in the row of its inboard link."""
    system, tree = named_system("arm"), named_system("arm, tree")
    n = system.n
    E = soa.shift_operator(text_view(system))
    expected = np.zeros((6 * n, 6 * n))
    for k in range(1, n):
        expected[6 * k : 6 * k + 6, 6 * k - 6 : 6 * k] = block(system.lever(k + 1, k))
    close(E, expected)
    E = soa.shift_operator(text_view(tree))
    blocks = {(i, j) for i in tree.links for j in tree.links if E[6 * i - 6 : 6 * i, 6 * j - 6 : 6 * j].any()}
    assert blocks == {(tree.inboard(k), k) for k in tree.links if tree.inboard(k) <= n}


@pytest.mark.source("SOA-20", "SOA-S2-4", "SOA-S2-5")
@pytest.mark.parametrize("name", ["arm", "arm, tree"])
def test_phi_is_the_inverse_and_the_sum_of_powers_and_has_the_levers_in_its_blocks(name, rng):
    """Block (i, j) is phi of the vector from O_i to O_j, and the product of the phis in between. Products with phi, and
    its transpose, are recursions."""
    system = named_system(name)
    c = text_view(system)
    x, n = soa.operators(c), system.n
    close(x.phi, system.phi())
    close(np.linalg.inv(np.eye(6 * n) - x.E_phi), system.phi())
    powers = [np.linalg.matrix_power(x.E_phi, k) for k in range(n + 1)]
    close(sum(powers[:n]), system.phi())
    assert not powers[n].any()
    assert not c.serial or powers[n - 1].any()
    for i in system.links:
        for j in system.links:
            between = soa.phi_between(c, i, j)
            close(between, system.phi()[6 * i - 6 : 6 * i, 6 * j - 6 : 6 * j])
            if c.serial and i > j:
                product = np.eye(6)
                for k in range(j, i):
                    product = block(system.lever(k + 1, k)) @ product
                close(between, product)
                close(product, block(system.lever(i, j)))
    y = rng.normal(size=(n + 1, 6))
    close(soa.stacked(c, soa.tip_to_base(c, list(y))), system.phi() @ system.stack(y))
    close(soa.stacked(c, soa.base_to_tip(c, list(y))), system.phi().T @ system.stack(y))


@pytest.mark.source("SOA-18", "SOA-21", "SOA-22")
def test_the_operator_equations_of_motion(any_system):
    """V, alpha, f, T by geometry are what the operators give; M is that of the kinetic energy, phi* H* the ways."""
    system = any_system
    V, alpha, f, phi, H = *map(system.stack, (system.V, system.alpha, system.f)), system.phi(), system.H()
    M, b = diagonal([system.M(k) for k in system.links]), system.stack(system.net_force)
    x, beta, beta_dot = soa.operators(text_view(system)), system.beta, system.beta_dot
    for ours, theirs in ((x.M, M), (x.H, H), (x.b, b - M @ alpha), (x.E_phi.T @ V + x.H.T @ beta, V),        # (18)
                         (x.E_phi.T @ alpha + x.H.T @ beta_dot + x.a, alpha), (x.E_phi @ f + x.M @ alpha + x.b, f),
                         (x.H @ f, system.T())):
        near(ours, theirs)
    near(x.phi.T @ x.H.T @ beta, V)
    near(x.phi.T @ (x.H.T @ beta_dot + x.a), alpha)
    near(x.phi @ (x.M @ alpha + x.b), f)
    near(x.phi @ x.M @ x.phi.T @ x.H.T @ beta_dot + x.phi @ (x.M @ x.phi.T @ x.a + x.b), f)
    mass_matrix = system.mass_matrix()
    near(H @ phi @ M @ phi.T @ H.T, mass_matrix)
    near(x.mass_matrix(), mass_matrix)
    near(beta @ x.mass_matrix() @ beta / 2, system.kinetic_energy())
    near(x.bias(), system.T() - mass_matrix @ beta_dot)
    c = soa.chain(system.model, system.q, system.qd, system.f_ext)
    near(soa.operators(c).mass_matrix() @ beta_dot + soa.operators(c).bias(), system.T(gravity=True, external=True))
    near(soa.bias_free(c, system.in_chain(system.joint_forces())), mass_matrix @ beta_dot)                      # (22)
    near(x.phi.T @ x.H.T, np.vstack([system.ways_at(k) for k in system.links]))
    near(system.in_chain(crba(system.model, system.q)), mass_matrix)


@pytest.mark.source("SOA-S2-3", "SOA-S2-5")
def test_costs_of_inverse_dynamics_and_of_products_with_phi_grow_linearly():
    def along(product):
        return lambda c, n: (lambda y: product(c, list(y)), np.ones((n + 1, 6)))

    def growth(call, n):
        """Second difference of the operations, and the first."""
        costs = []
        for m in (n, n + 1, n + 2):
            function, argument = call(soa.chain(gu(m), np.ones(m)), m)
            costs.append(sum(count_operations(function, argument)[0].values()))
        return costs[2] - 2 * costs[1] + costs[0], costs[1] - costs[0]

    for call in (along(soa.tip_to_base), along(soa.base_to_tip),
                 lambda c, n: (lambda qd: soa.inverse_dynamics(soa.chain(gu(n), np.ones(n), qd), qd).T, np.ones(n))):
        for n in (3, 6):
            second, first = growth(call, n)
            assert second == 0 < first
    assert growth(lambda c, n: (lambda y: soa.operators(c).phi @ y, np.ones(6 * n)), 3)[0] > 0


@pytest.mark.source("SOA-S2-6")
def test_at_rest_the_velocity_terms_vanish(system):
    """a, b and the bias are zero, exactly, for velocity zero, and grow with its square; the forces are those of M."""
    c, moving = text_view(system, speed=0.0), text_view(system)
    assert not np.any([c.a[k] for k in c.links]) and not np.any([c.b[k] for k in c.links])
    assert not soa.inverse_dynamics(c, 0 * system.beta).T.any()
    far(soa.inverse_dynamics(moving, 0 * system.beta).T, 0)
    twice = text_view(system, speed=2.0)
    close(soa.inverse_dynamics(twice, 0 * system.beta).T, 4 * soa.inverse_dynamics(moving, 0 * system.beta).T)
    for at_zero in (soa.inverse_dynamics(c, system.beta_dot).T, soa.mass_matrix_times(moving, system.beta_dot),
                    soa.inverse_dynamics(soa.at_rest(moving), system.beta_dot).T):
        near(at_zero, system.mass_matrix() @ system.beta_dot)
