"""Contacts without friction, computed by MuJoCo and by Pinocchio as well; without these the tests are skipped.

MuJoCo gets random trees with balls, boxes and planes on their bodies: what it says of distances, normals and their
Jacobian comes from its own geometry. Its forces are not quite those of rigid bodies: it solves the complementarity
problem of M + R, with a diagonal R that it adds for the sake of the solution, and in which it leaves out what
velocities do to the normals. Pinocchio gets contacts as points and directions, and solves for contacts that all press.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import contact, forward_dynamics
from rbdlib.book.ch02_spatial import X_to_Er, plucker
from rbdlib.book.ch04_joints import Cylindrical, FreeMotion, Planar, Prismatic, Revolute, Spherical, Universal
from rbdlib.contact import Box, Contact, Pair, Plane, Sphere
from rbdlib.conventions import swap_halves
from tests.peers.robots import numbers
from tests.peers.test_joint_types import InMuJoCo, InPinocchio
from tests.sources.helpers import random_rotation, random_unit, slope
from tests.sources.joints import Mechanism

JOINTS = [Revolute("x"), Revolute((1, -2, 3)), Prismatic("y"), Cylindrical("z"), Universal("xy"), Planar(), Spherical(),
          FreeMotion(), FreeMotion("F_s")]
#: R_ii is a smaller part of M_ii than this: MuJoCo's impedance, 0.9999, makes it 1e-4 of an estimate of M_ii.
SOFT = 1e-3
#: How nearly MuJoCo's contacts do what rigid ones do, as a part of what contacts change.
NEARLY = 5e-4
#: No spring and no damper: a contact that is in force only keeps what there is from getting nearer.
RIGID = 'solref="0 0" solimp="0.9999 0.9999 0.001 0.5 2"'


def with_axis(n):
    """A rotation matrix whose third column is the unit vector n."""
    x = np.cross(n, np.eye(3)[np.abs(n).argmin()])
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(n, x), n])


class Scene(InMuJoCo):
    """A tree with shapes on its bodies in MuJoCo, in the state (q, qd) with the forces tau.

    reach (m): contacts no farther apart than this are MuJoCo's constraints.  J, R, forces: of its constraints, J with
    respect to our qd.  ours: for each of them, the contact of rbdlib that is meant.
    """
    def __init__(self, mechanism, pairs, q, qd, tau=None, reach=100.0):
        self.pairs, self.reach, self.tau_given = pairs, reach, tau
        super().__init__(mechanism, q, qd, 0 * qd)

    def build(self):
        self.mujoco = mujoco = pytest.importorskip("mujoco")
        pairs = "".join(f'<pair geom1="{k}p" geom2="{k}s" condim="1" margin="{self.reach}" {RIGID}/>'
                        for k in range(len(self.pairs)))
        xml = (f'<mujoco><compiler angle="radian"/><option gravity="{numbers(self.mechanism.gravity)}" solver="Newton" '
               f'tolerance="1e-15" iterations="500" ls_iterations="200" jacobian="dense"/>'
               f"<worldbody>{self.geoms(0)}{self.branches(0)}</worldbody><contact>{pairs}</contact></mujoco>")
        self.robot = mujoco.MjModel.from_xml_string(xml)
        self.data = data = mujoco.MjData(self.robot)
        data.qpos[:], data.qvel[:], _ = self.states()
        if self.tau_given is not None:
            data.qfrc_applied[:] = np.linalg.solve(self.A.T, self.tau_given)
        mujoco.mj_forward(self.robot, data)
        assert data.nefc == data.ncon
        rows = [c.efc_address for c in data.contact]
        self.J = data.efc_J.reshape(-1, self.robot.nv)[rows] @ self.A
        self.R, self.forces = data.efc_R[rows], data.efc_force[rows]
        self.ours = [self.meant(c) for c in data.contact]

    def body(self, i):
        return super().body(i) + self.geoms(i)

    def geoms(self, i):
        ends = [(f"{k}{end}", body, shape) for k, pair in enumerate(self.pairs)
                for end, body, shape in (("p", pair.predecessor, pair.shape_p), ("s", pair.successor, pair.shape_s))]
        return "".join(f'<geom name="{name}" contype="0" conaffinity="0" {in_mujoco(shape)}/>'
                       for name, body, shape in ends if body == i)

    def pair_of(self, c):
        return int(self.robot.geom(c.geom[0]).name[:-1])

    def meant(self, c):
        """Of the potential contacts of its pair, the one nearest to MuJoCo's contact c."""
        found = self.pairs[self.pair_of(c)].contacts(self.model, self.q, self.qd)
        return min(found, key=lambda contact: np.linalg.norm(contact.point - c.pos) + abs(contact.phi - c.dist))


def in_mujoco(shape):
    if isinstance(shape, Sphere):
        return f'type="sphere" size="{numbers([shape.radius])}" pos="{numbers(shape.centre)}"'
    if isinstance(shape, Plane):
        R = with_axis(shape.normal)
        return f'type="plane" size="1 1 1" pos="{numbers(shape.point)}" xyaxes="{numbers([*R[:, 0], *R[:, 1]])}"'
    E, r = X_to_Er(shape.X)
    return f'type="box" size="{numbers(shape.sizes / 2)}" pos="{numbers(r)}" xyaxes="{numbers([*E[0], *E[1]])}"'


# Shapes at given places of the world

def local(pose, x):
    return pose[0].T @ (x - pose[1])


def ball(pose, centre, radius):
    return Sphere(radius, local(pose, centre))


def box(pose, place, sizes):
    R, p = place
    return Box(sizes, plucker(R.T @ pose[0], local(pose, p)))


def shapes_apart(rng, kind, pose_p, pose_s, phi):
    """Two shapes phi apart, on bodies with these poses."""
    C, n, radii = rng.normal(size=3), random_unit(rng), rng.uniform(0.2, 0.5, 2)
    sizes = rng.uniform(0.3, 1, 3)
    R = random_rotation(rng)
    if kind == "ball on plane":
        return Plane(C, n), ball(pose_s, C + (phi + radii[1]) * n, radii[1])
    if kind == "ball on ball":
        return ball(pose_p, C - radii[0] * n, radii[0]), ball(pose_s, C + (phi + radii[1]) * n, radii[1])
    if kind == "box on plane":
        depth = np.abs(n @ R) @ sizes / 2
        return Plane(C, n), box(pose_s, (R, C + (phi + depth) * n), sizes)
    x = rng.uniform(-1, 1, 3) * sizes                   # nearest to this is a point of a face, an edge or a corner
    x[rng.integers(3)] = sizes.max()
    away = x - (foot := np.clip(x, -sizes / 2, sizes / 2))
    centre = foot + away / np.linalg.norm(away) * (phi + radii[1])
    return box(pose_p, (R, C), sizes), ball(pose_s, C + R @ centre, radii[1])


KINDS = ["ball on plane", "ball on ball", "box on plane", "ball on box"]


def random_scene(rng, kind, gap):
    """A random moving tree with two shapes this far apart, on two of its bodies, or one of them at rest if a plane."""
    mechanism = Mechanism(rng, [*(JOINTS[k] for k in rng.integers(len(JOINTS), size=4)), FreeMotion()])
    model = mechanism.model()
    q, qd = model.random_state(rng)
    p, s = (int(i) for i in rng.permutation(list(model.bodies))[:2])
    p, poses = 0 if "plane" in kind else p, mechanism.world_poses(q)
    shape_p, shape_s = shapes_apart(rng, kind, poses[p], poses[s], gap)
    return Scene(mechanism, [Pair(p, shape_p, s, shape_s) if rng.random() < 0.5 else Pair(s, shape_s, p, shape_p)],
                 q, qd)


@pytest.fixture(params=[(kind, gap, seed) for kind in KINDS for gap in (0.3, -0.05) for seed in range(3)],
                ids="{0[0]} {0[1]} seed {0[2]}".format)
def near(request):
    kind, gap, seed = request.param
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    return random_scene(rng, kind, gap), gap


# Geometry

def test_mujoco_gives_the_same_distances_normals_places_and_jacobian(near):
    """MuJoCo's place is halfway between the surfaces, rbdlib's on one of them. Its normal points from geom[0] on.

    The rows of its Jacobian are the columns of T (RBDA Eq. 11.25).
    """
    scene, gap = near
    assert scene.data.ncon >= 1
    assert min(c.dist for c in scene.data.contact) == pytest.approx(gap, abs=1e-12)
    for c, ours in zip(scene.data.contact, scene.ours, strict=True):
        predecessor = scene.number(ours.predecessor) if ours.predecessor else 0
        normal = c.frame[:3] * (1 if scene.robot.geom_bodyid[c.geom[0]] == predecessor else -1)
        assert ours.phi == pytest.approx(c.dist, abs=1e-12)
        assert_allclose(ours.n, contact.contact_normal(c.pos, normal), atol=1e-11)
        halfway = [ours.point + sign * ours.phi / 2 * normal for sign in (1, -1)]
        assert min(np.abs(c.pos - point).max() for point in halfway) < 1e-11
    T = contact.joint_space_normals(scene.model, scene.q, scene.ours)
    assert_allclose(T.T, scene.J, atol=1e-11 * max(1, np.abs(T).max()))


def test_mujoco_gives_the_same_rates_of_distances(near):
    """Its distances, and the separation velocities of its Jacobian, differentiated along a motion."""
    scene, _ = near
    model, q, qd = scene.model, scene.q, scene.qd

    def distances_and_velocities(t):
        later = Scene(scene.mechanism, scene.pairs, model.integrate(q, qd, t), qd)
        assert later.data.ncon == scene.data.ncon
        return np.array([[c.dist for c in later.data.contact], later.J @ qd])

    both = slope(distances_and_velocities, h=1e-3)
    zeta = contact.separation_velocities(model, q, qd, scene.ours)
    assert_allclose(zeta, both[0], atol=1e-8 * max(1, np.abs(zeta).max()))
    zeta_dot = contact.separation_accelerations(model, q, qd, 0 * qd, scene.ours)
    assert_allclose(zeta_dot, both[1], atol=1e-8 * max(1, np.abs(zeta_dot).max()))


# Forces: touching and at rest, so that the normals do not turn

#: {name: joints, parents, (predecessor, successor, shapes) of the pairs}
SCENES = {
    "resting ball": ([FreeMotion()], [0], [(0, 1, "ball on plane")]),
    "resting box": ([FreeMotion()], [0], [(0, 1, "box flat on plane")]),
    "legs of two and one joints": ([FreeMotion(), Revolute("x"), Revolute("y"), Revolute((1, 2, 3))], [0, 1, 2, 1],
                                   [(0, 3, "ball on plane"), (0, 4, "ball on plane")]),
    "bodies and a branch of a tree": ([FreeMotion(), FreeMotion(), Spherical(), Prismatic("y")], [0, 0, 0, 3],
                                      [(1, 2, "ball on ball"), (2, 4, "ball on box"), (0, 4, "ball on plane")]),
    "many contacts": ([FreeMotion(), Revolute("x"), Spherical(), FreeMotion()], [0, 1, 1, 0],
                      [*((0, s, "ball on plane") for s in (1, 2, 3, 4)), (1, 3, "ball on ball"),
                       (4, 2, "ball on ball")])}


def touching_pairs(rng, joints, parent, ends):
    mechanism = Mechanism(rng, joints, parent)
    model = mechanism.model()
    q = model.random_state(rng)[0]
    poses, pairs = mechanism.world_poses(q), []
    for p, s, kind in ends:
        if kind == "box flat on plane":
            R, C, sizes = random_rotation(rng), rng.normal(size=3), rng.uniform(0.3, 1, 3)
            shapes = Plane(C, R[:, 2]), box(poses[s], (R, C + sizes[2] / 2 * R[:, 2]), sizes)
        else:
            shapes = shapes_apart(rng, kind, poses[p], poses[s], 0.0)
        pairs.append(Pair(p, shapes[0], s, shapes[1]))
    return Scene(mechanism, pairs, q, np.zeros(model.nv), 3 * rng.normal(size=model.nv), reach=1e-9)


@pytest.fixture(params=[(scene, seed) for scene in SCENES for seed in range(4)], ids="{0[0]} seed {0[1]}".format)
def at_rest(request):
    scene, seed = request.param
    return touching_pairs(np.random.default_rng([seed, 11]), *SCENES[scene])


def test_mujoco_finds_what_touches_and_gives_the_same_matrix_of_the_contacts(at_rest):
    """M = Tᵀ H⁻¹ T (RBDA Eq. 11.35), which MuJoCo works out for its solver PGS, with R on the diagonal."""
    expected = sum(4 if isinstance(pair.shape_s, Box) else 1 for pair in at_rest.pairs)
    assert at_rest.data.ncon == expected and max(abs(c.phi) for c in at_rest.ours) < 1e-14
    at_rest.robot.opt.solver = at_rest.mujoco.mjtSolver.mjSOL_PGS
    at_rest.mujoco.mj_forward(at_rest.robot, at_rest.data)
    rows, n = [c.efc_address for c in at_rest.data.contact], at_rest.data.nefc
    theirs = at_rest.data.efc_AR.reshape(n, n)[np.ix_(rows, rows)] - np.diag(at_rest.data.efc_R[rows])
    M, _ = contact.contact_equations(at_rest.model, at_rest.q, at_rest.qd, at_rest.tau_given, at_rest.ours)
    assert_allclose(M, theirs, rtol=0, atol=1e-12 * np.abs(M).max())


def test_mujoco_solves_our_equations_softened(at_rest):
    """With R added to M, MuJoCo's forces solve the complementarity problem of our M and d."""
    model, q, tau = at_rest.model, at_rest.q, at_rest.tau_given
    M, d = contact.contact_equations(model, q, at_rest.qd, tau, at_rest.ours)
    assert all(0 < at_rest.R) and np.linalg.matrix_rank(M + np.diag(at_rest.R)) == len(d)
    lam = contact.solve_lcp(M + np.diag(at_rest.R), d).lam
    assert_allclose(lam, at_rest.forces, atol=1e-7 * max(1, np.abs(lam).max()))


def test_mujoco_gives_nearly_the_same_accelerations_and_forces(at_rest):
    """Nearly, as R makes its contacts give way. With our lam and their lam_R, zeta_dot >= 0 on both sides gives

        (lam - lam_R)ᵀ M (lam - lam_R) <= (lam - lam_R)ᵀ R lam_R <= lamᵀ R lam / 4

    for the error of the accelerations, measured with H. In fact it is 1e-4 of what the contacts change, or less.
    """
    model, q, qd, tau = at_rest.model, at_rest.q, at_rest.qd, at_rest.tau_given
    found, free = contact.contact_dynamics(model, q, qd, tau, at_rest.ours), forward_dynamics(model, q, qd, tau)
    theirs, H = np.linalg.solve(at_rest.A, at_rest.data.qacc - at_rest.bias), at_rest.inertia_matrix()
    error = found.qdd - theirs
    assert set(found.states) == {"3"}
    assert max(at_rest.R / np.diag(at_rest.J @ np.linalg.solve(H, at_rest.J.T))) < SOFT
    assert error @ H @ error <= found.lam @ (at_rest.R * found.lam) / 4 + 1e-15
    assert_allclose(found.qdd, theirs, rtol=0, atol=NEARLY * np.abs(free - theirs).max() + 1e-10)
    force, soft = at_rest.J.T @ found.lam, at_rest.J.T @ at_rest.forces
    assert_allclose(force, soft, rtol=0, atol=NEARLY * np.abs(soft).max() + 1e-10)
    parting = found.zeta_dot > 1e-3 * max(1, np.abs(found.zeta_dot).max())
    assert not found.lam[parting].any() and not at_rest.forces[parting].any()


def test_pressing_and_parting_both_occur():
    """The scenes above have contacts of both kinds."""
    scenes = [touching_pairs(np.random.default_rng([seed, 11]), *made) for made in SCENES.values() for seed in range(4)]
    forces = np.concatenate([scene.forces for scene in scenes])
    assert (forces > 0.1).sum() > 15 and (forces == 0).sum() > 15


# Pinocchio: points and directions

class Points(InPinocchio):
    """A random tree in Pinocchio with contacts at random points of its bodies.

    rows (n_c x nv): what Pinocchio says of its contacts that hold a point, along the normal; J: the same for our qd.
    M (n_c x n_c): of these and its inverse of the inertia matrix.
    """
    def __init__(self, seed, n_c=4):
        rng = np.random.default_rng([seed, 71])
        mechanism = Mechanism(rng, [*(JOINTS[k] for k in rng.integers(len(JOINTS), size=4)), FreeMotion()])
        q, qd = mechanism.model().random_state(rng)
        super().__init__(mechanism, q, qd, 0 * qd)
        pin, world = self.pin, self.data.oMi
        self.rng, self.contacts, constraints = rng, [], pin.StdVec_RigidConstraintModel()
        for _ in range(n_c):
            p, s = (int(i) for i in rng.permutation(self.model.N_B + 1)[:2])
            C, n = rng.normal(size=3), random_unit(rng)
            self.contacts.append(Contact(p, s, contact.contact_normal(C, n), point=C))
            ends = [(self.number[i], world[self.number[i]].actInv(pin.SE3(with_axis(n), C))) for i in (s, p)]
            constraints.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.robot, *ends[0], *ends[1],
                                                        pin.LOCAL))
        parts = pin.StdVec_RigidConstraintData()
        pin.computeJointJacobians(self.robot, self.data, self.position)
        for constraint in constraints:
            parts.append(constraint.createData())
            constraint.calc(self.robot, self.data, parts[-1])
        self.rows = pin.getConstraintsJacobian(self.robot, self.data, constraints, parts)[2::3]
        self.J, inverse = self.rows @ self.A, np.triu(pin.computeMinverse(self.robot, self.data, self.position))
        self.M = self.rows @ (inverse + np.triu(inverse, 1).T) @ self.rows.T

    def velocity_products(self):
        """What the accelerations along the normals are where our qdd = 0: n times Pinocchio's spatial accelerations."""
        a = [swap_halves(place.act(a).vector) for place, a in zip(self.data.oMi, self.data.a, strict=True)]
        return np.array([c.n @ (a[self.number[c.successor]] - a[self.number[c.predecessor]]) for c in self.contacts])


@pytest.fixture(params=range(8), ids="seed {}".format)
def points(request):
    pytest.importorskip("pinocchio")
    return Points(request.param)


def test_pinocchio_gives_the_same_jacobian_and_matrix_of_the_contacts(points):
    model, q = points.model, points.q
    assert_allclose(contact.joint_space_normals(model, q, points.contacts).T, points.J, atol=1e-11)
    assert_allclose(contact.separation_velocities(model, q, points.qd, points.contacts),
                    points.rows @ points.A @ points.qd, atol=1e-11)
    M, _ = contact.contact_equations(model, q, points.qd, np.zeros(model.nv), points.contacts)
    assert_allclose(M, points.M, rtol=0, atol=1e-11 * np.abs(M).max())


def test_pinocchio_gives_the_same_accelerations_and_forces_of_contacts_that_press(points):
    """Its constraints are equations; joint forces are chosen with which all contacts press, by lam.

    The normals are those of this instant, with ndot = 0: what Pinocchio adds for velocities is then that of its bodies.
    """
    model, q, rng = points.model, points.q, points.rng
    qd, lam, tau = points.qd, rng.uniform(1, 3, len(points.contacts)), rng.normal(size=model.nv)
    _, d = contact.contact_equations(model, q, qd, tau, points.contacts)
    tau = tau - points.J.T @ (lam + np.linalg.solve(points.M, d))
    gamma = points.velocity_products() - points.rows @ points.bias
    acceleration = points.pin.forwardDynamics(points.robot, points.data, points.position, points.A @ qd,
                                              np.linalg.solve(points.A.T, tau), points.rows.copy(), gamma, 0.0)
    found = contact.contact_dynamics(model, q, qd, tau, points.contacts, tolerance=None)
    theirs = np.linalg.solve(points.A, acceleration - points.bias)
    assert_allclose(found.lam, points.data.lambda_c, rtol=1e-8)
    assert_allclose(found.lam, lam, rtol=1e-8)
    assert_allclose(found.qdd, theirs, rtol=0, atol=1e-9 * np.abs(theirs).max())


@pytest.mark.parametrize("rule", ["newton", "poisson"])
@pytest.mark.parametrize("e", [0, 0.4, 1])
def test_pinocchio_gives_the_same_velocities_after_an_impact(points, e, rule):
    """All bodies approach, and all contacts press, so that the impact makes zeta_plus = -e zeta: an equation."""
    lam = contact.solve_lcp(points.M, -np.ones(len(points.M))).lam    # M times these is positive, and stays so:
    lam = lam + points.rng.uniform(0.1, 0.5, len(lam)) / np.abs(points.M).sum(axis=1).max()
    zeta = -points.M @ lam / (1 + e)
    assert max(zeta) < 0
    qd = points.qd + np.linalg.pinv(points.J) @ (zeta - points.J @ points.qd)
    after = points.pin.impulseDynamics(points.robot, points.data, points.position, points.A @ qd, points.rows.copy(),
                                       float(e), 0.0)
    found = contact.system_impact(points.model, points.q, qd, points.contacts, e, rule)
    assert_allclose(found.lam, points.data.impulse_c, rtol=1e-8)
    assert_allclose(found.lam, lam, rtol=1e-8)
    theirs = np.linalg.solve(points.A, after)
    assert_allclose(found.qd, theirs, rtol=0, atol=1e-9 * np.abs(theirs).max())
