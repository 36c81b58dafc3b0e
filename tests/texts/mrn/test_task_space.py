"""The task space of any tree: tips, frames, joints of every type; redundancy, singularities, and refusals. The rows of
the text are in tests/sources/test_mrn.py; this is what the text leaves open."""

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, forward_dynamics, load, rnea
from rbdlib.book import ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import mcI, plucker, rotz, xlt
from rbdlib.book.ch04_joints import Prismatic, Revolute, Spherical
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.joint_character import Character, aba_with_characters, rnea_with_characters
from rbdlib.motion.simulate import simulate
from rbdlib.numbers.scalars import sin
from rbdlib.texts.mrn import task_space
from rbdlib.texts.mrn.task_space import Task, jacobian, joint_rates, task_dynamics, task_inertia, twist, twist_rate
from tests.sources import helpers
from tests.sources.ch05_systems import JOINT_SETS, STEP, Moving
from tests.sources.ch07_systems import near
from tests.sources.helpers import close, far, motion_coordinates, random_pose, random_tree, slope
from tests.sources.joints import compose

SEED = [1, 31]
FRAMES = ("body", "space", "hybrid")


# Tips on trees of every joint type, by geometry

class Tip:
    """A random tip frame on the last body of a moving tree."""
    def __init__(self, name):
        rng = np.random.default_rng([1, 7])
        self.moving = Moving(rng, JOINT_SETS[name])
        self.model, self.q, self.qd, self.qdd = (getattr(self.moving, x) for x in ("model", "q", "qd", "qdd"))
        self.body, self.place, self.F = 5, random_pose(rng), rng.normal(size=6)

    def task(self, frame, **options):
        return Task(self.body, plucker(self.place[0].T, self.place[1]), frame, **options)

    def pose(self, t=0.0):
        pose = self.moving.at(t)[self.body]
        return compose((pose[:, :3], pose[:, 3]), self.place)

    def origin(self, frame, t=0.0):
        """The pose of the frame in which the task is written."""
        (R, p), still = self.pose(t), np.eye(3)
        return {"body": (R, p), "space": (still, np.zeros(3)), "hybrid": (still, p)}[frame]

    def V(self, frame, t=0.0):
        return motion_coordinates(self.moving.velocities(t)[self.body], self.origin(frame, t))

    def J(self, frame):
        return np.column_stack([motion_coordinates(way, self.origin(frame)) for way in self.moving.ways[self.body].T])


@pytest.fixture(scope="module", params=JOINT_SETS)
def tip(request):
    return Tip(request.param)


def random_model(rng, joints, **changes):
    """A chain of the given joints between random bodies."""
    return Model(range(len(joints)), joints, [plucker(R.T, p) for R, p in (random_pose(rng) for _ in joints)],
                 [mcI(*helpers.random_mass_properties(rng)) for _ in joints], **changes)


@pytest.mark.parametrize("frame", FRAMES)
def test_twists_jacobians_and_forces_of_the_tip_are_those_of_the_geometry(tip, frame):
    """Joint forces from d'Alembert's principle, for the tree under f_ext and the reaction of F_tip on its tip. Lambda
    V' + eta = J⁻ᵀ tau on trees too, as many rows as the tip can follow, whatever the other branches do."""
    task = tip.task(frame)
    near(twist(tip.model, tip.q, tip.qd, task), tip.V(frame))
    near(jacobian(tip.model, tip.q, task), tip.J(frame))
    tau = tip.moving.joint_forces() + tip.J(frame).T @ tip.F
    qdd = task_space.forward_dynamics(tip.model, tip.q, tip.qd, tau, tip.F, task, tip.moving.f_ext)
    close(qdd, tip.qdd, 1e-6)
    F_world = helpers.force_carried(tip.F, tip.origin(frame))
    near(task_space.torques_from_wrench(tip.model, tip.q, tip.F, task), tip.moving.ways[tip.body].T @ F_world)
    R, p = tip.pose()
    near(task_space.tip_pose(tip.model, tip.q, task), np.vstack([np.column_stack([R, p]), [0, 0, 0, 1]]))
    near(task_space.tip_transform(tip.model, tip.q, task), plucker(R.T, p))
    V_dot, J_dot = slope(lambda t: tip.V(frame, t), h=STEP), task_space.jacobian_dot(tip.model, tip.q, tip.qd, task)
    close(twist_rate(tip.model, tip.q, tip.qd, tip.qdd, task), V_dot, 1e-6)
    near(J_dot, slope(lambda t: jacobian(tip.model, tip.model.integrate(tip.q, tip.qd, t), task), h=STEP))
    near(twist_rate(tip.model, tip.q, tip.qd, np.zeros(tip.model.nv), task), J_dot @ tip.qd)
    J, rows = tip.J(frame), []
    for k in (3, 4, 5, 0, 1, 2):
        if np.linalg.matrix_rank(J[[*rows, k]], 0.1) > len(rows):
            rows.append(k)
    if rows:                                                                        # no tip that hangs on fixed joints
        task, tau = tip.task(frame, rows=rows), np.linspace(-1, 1, tip.model.nv)
        V_dot = V_dot[rows] + J[rows] @ (forward_dynamics(tip.model, tip.q, tip.qd, tau) - tip.qdd)
        expected = task_space.wrench_from_torques(tip.model, tip.q, tau, task)
        close(task_dynamics(tip.model, tip.q, tip.qd, task).wrench(V_dot), expected, 1e-5)


def test_rows_choose_and_order_coordinates_as_in_the_formula_of_the_two_link_arm(rng):
    model = random_tree(rng, 5).model()
    q, qd, qdd, tau = rng.normal(size=(4, 5))
    assert_array_equal(jacobian(model, q), jacobian(model, q, Task(5, np.eye(6), "body", range(6))))    # without a task
    assert_array_equal(jacobian(model, q), kinematics.body_jacobian(model, q, 5))
    some = Task(4, frame="space", rows=(5, 0))
    for function, given in ((twist, (qd,)), (jacobian, ()), (twist_rate, (qd, qdd)), (task_space.jacobian_dot, (qd,))):
        every = function(model, q, *given, task=Task(4, frame="space"))
        assert_array_equal(function(model, q, *given, task=some), every[[5, 0]])
    padded = task_space.forward_dynamics(model, q, qd, tau, [2, 0, 0, 0, 0, 3], Task(4, frame="space"))
    assert_allclose(task_space.forward_dynamics(model, q, qd, tau, [3, 2], some), padded, rtol=1e-12)

    arm, task = planar("arm_2r")
    formula = task_inertia(load("arm_2r", symbolic=True), sp.symbols("q1 q2", real=True), task)
    values = {"q1": 0.4, "q2": 1.1, **arm.parameters}
    found = [[float(f.subs({s: values[str(s)] for s in f.free_symbols})) for f in row] for row in formula]
    close(found, task_inertia(arm, [0.4, 1.1], task), 1e-10)


def planar(name, **options):
    arm = load(name)
    return arm, Task(X_tip=xlt([arm.parameters["l2" if name == "arm_2r" else "l3"], 0, 0]), frame="hybrid",
                     rows=(3, 4), **options)


# More freedoms than the task asks for

def test_rates_of_a_redundant_arm_are_those_of_least_kinetic_energy_and_its_torques_give_the_wanted_motion(rng):
    """Torques in the null space leave the tip alone."""
    tree, task = random_tree(rng, 8, range(8)), Task(frame="hybrid")
    model, (q, qd, tau, extra), (V, V_dot) = tree.model(), rng.normal(size=(4, 8)), rng.normal(size=(2, 6))
    M, J = tree.mass_matrix(q), jacobian(model, q, task)
    rates, qdd = joint_rates(model, q, V, task), task_space.joint_accelerations(model, q, V, V_dot, task)
    near(J @ rates, V)
    near(J @ task_space.jacobian_inverse(model, q, task), np.eye(6))
    close(np.linalg.svd(J)[2][6:] @ M @ rates, np.zeros(2), 1e-8)
    near(task_inertia(model, q, task), np.linalg.inv(J @ np.linalg.inv(M) @ J.T))
    near(twist_rate(model, q, rates, qdd, task), V_dot)
    near(task_space.joint_torques(model, q, V, V_dot, task), rnea(model, q, rates, qdd))
    near(task_space.task_bias(model, q, V, task), task_dynamics(model, q, rates, task).eta)

    def moved(tau):
        return twist_rate(model, q, qd, np.linalg.solve(M, tau - tree.lagrangian_bias(q, qd)))

    N = task_dynamics(model, q, qd).null_space()
    close(moved(tau + N @ extra), moved(tau), 1e-7)
    far(moved(tau + extra), moved(tau))
    far(N @ extra, np.zeros(8))
    near(N @ N @ extra, N @ extra)
    two = Task(rows=(3, 4))
    silenced = task_dynamics(model, q, qd, two).null_space() @ task_space.torques_from_wrench(model, q, [1, 2], two)
    close(silenced, np.zeros(8), 1e-8)


# Singular configurations: refused, or damped

def test_damped_rates_minimise_what_they_promise(rng):
    """|J x - V|² + d² xᵀ M x, by NumPy's least squares; for square, redundant and too small arms."""
    for n, d in ((6, 0.3), (8, 0.5), (3, 0.2)):
        tree = random_tree(rng, n, range(n))
        q, V = rng.normal(size=n), rng.normal(size=6)
        M, model, task = tree.mass_matrix(q), tree.model(), Task(frame="space", damping=d)
        J = jacobian(model, q, task)
        stacked = np.vstack([J, d * np.linalg.cholesky(M).T])
        best = np.linalg.lstsq(stacked, np.concatenate([V, np.zeros(n)]))[0]
        near(joint_rates(model, q, V, task), best)
        near(V - J @ best, d**2 * task_inertia(model, q, task) @ V)


@pytest.mark.parametrize("name", ["arm_2r", "arm_3r", "ur5e"])
def test_near_a_singularity_there_is_a_true_answer_or_none(name):
    """Arms stretched, and a wrist, but for 10^-k rad, against 40 digits: six are right where anything is returned."""
    arm, task = (load(name), Task()) if name == "ur5e" else planar(name)
    V, answers = np.arange(1.0, len(task.rows) + 1), []
    for k in (1, 2, 3, 4, 5, 6, 8, 12, 15):
        e = 10.0**-k
        q = [0.3, -1, 1.2, 0.4, e, 0.5] if name == "ur5e" else [0.7, *[e] * (arm.nv - 1)]
        try:
            found = joint_rates(arm, q, V, task), task_inertia(arm, q, task)
        except ValueError as error:
            assert "singular" in str(error)
            answers.append(False)
            continue
        answers.append(True)
        with mpmath.workdps(40):
            exactly, rest = [mpmath.mpf(x) for x in q], [mpmath.mpf(0)] * arm.nv
            J, weight = mpmath.matrix(jacobian(arm, exactly, task).tolist()), rnea(arm, exactly, rest, rest)
            M = mpmath.matrix([(rnea(arm, exactly, rest, list(e)) - weight).tolist() for e in np.eye(arm.nv)])
            Lambda = mpmath.inverse(J * mpmath.inverse(M) * J.T)
            rates = mpmath.inverse(M) * J.T * Lambda * mpmath.matrix(V.tolist())
            smallest = min(mpmath.eigsy((Lambda + Lambda.T) / 2, eigvals_only=True))
        for ours, exact in zip(found, (rates, Lambda), strict=True):
            exact = np.array(exact.tolist(), dtype=float).reshape(ours.shape)
            close(ours, exact, 2e-6 * np.abs(exact).max())
        assert np.linalg.eigvalsh((found[1] + found[1].T) / 2).min() == pytest.approx(float(smallest), rel=1e-2)
    assert answers == sorted(answers, reverse=True) and 2 <= sum(answers) <= 6


def chain(n, L):
    """A planar chain of n rods of length L; the last one carries the task of turning and placing its end."""
    rod = mcI(1, [L / 2, 0, 0], np.diag([1e-3, 1, 1]) * L * L / 12)
    model = Model(range(n), [Revolute("z")] * n, [xlt([L * (i > 0), 0, 0]) for i in range(n)], [rod] * n)
    return model, Task(frame="hybrid", rows=(2, 3, 4), X_tip=xlt([L, 0, 0]))


@pytest.mark.parametrize(("n", "L"), [(3, 1e3), (4, 1e3), (3, 1e-6), (4, 1e-6)])
def test_no_unit_of_length_makes_an_arm_singular(n, L):
    """An arm of any size turns as the one of 1 m does, square or redundant."""
    q, V = [0.3, 0.5, 0.7, 0.4][:n], np.array([1, 2, 3])
    (arm, task), (model, unit) = chain(n, L), chain(n, 1.0)
    close(joint_rates(arm, q, V * [1, L, L], task), joint_rates(model, q, V, unit), 1e-8)
    close(task_inertia(arm, q, task) / np.outer([L, 1, 1], [L, 1, 1]), task_inertia(model, q, unit), 1e-6)


@pytest.mark.parametrize(("k", "verb"), [(8, "can hardly"), (20, "cannot")])
def test_square_and_redundant_arms_are_judged_alike(k, verb):
    """Links stretched but for 10^-k rad: neither may answer."""
    for n in (3, 4):
        (model, task), q = chain(n, 1.0), [0.7, *[10.0**-k] * (n - 1)]
        with pytest.raises(ValueError, match=f"the joints {verb} move the tip along.*condition number of J") as found:
            joint_rates(model, q, [1, 1, 1], task)
        assert "rows=(2, 3, 4)," not in str(found.value).rpartition("Take fewer rows")[2]


@pytest.mark.parametrize("name", ["arm_2r", "arm_3r", "puma560"])
def test_the_rows_that_a_refusal_proposes_are_possible(name):
    arm = load(name)
    q = np.linspace(0.3, 0.9, arm.nv) * (np.arange(arm.nv) != 4)
    with pytest.raises(ValueError, match="rows=") as refusal:
        task_inertia(arm, q)
    proposed = str(refusal.value).rpartition("such as rows=(")[2].partition(")")[0]
    rows = tuple(int(k) for k in proposed.split(",") if k)
    assert len(rows) == {"arm_2r": 2, "arm_3r": 3, "puma560": 5}[name]
    assert np.isfinite(task_inertia(arm, q, Task(rows=rows))).all()


@pytest.mark.parametrize("frame", FRAMES)
def test_motion_that_time_prescribes_is_taken_off_the_twist(rng, frame):
    """An arm of four bodies whose second joint is carried to and fro as time goes on."""
    carried = Custom(1, lambda q, t: rotz(q[0]) @ xlt([sin(3 * t), 0, 0]))
    model = random_model(rng, [Revolute("z"), carried, Revolute((1, 2, 0)), Revolute("x")], gravity=rng.normal(size=3))
    task, t, (q, qd, qdd) = Task(4, frame=frame, rows=(3, 4, 5)), 0.4, rng.normal(size=(3, 4))

    def V(s):
        return twist(model, q + s * qd + s * s / 2 * qdd, qd + s * qdd, task, t + s)

    far(twist(model, q, 0 * qd, task, t), np.zeros(3))
    near(twist_rate(model, q, qd, qdd, task, t), slope(V, h=STEP))
    rates = joint_rates(model, q, V(0), task, t)
    near(twist(model, q, rates, task, t), V(0))
    wanted = rng.normal(size=3)
    near(twist_rate(model, q, rates, task_space.joint_accelerations(model, q, V(0), wanted, task, t), task, t), wanted)
    tau, F = rng.normal(size=4), rng.normal(size=3)
    qdd = task_space.forward_dynamics(model, q, qd, tau, F, task, t=t)
    close(rnea(model, q, qd, qdd, t=t) + jacobian(model, q, task, t).T @ F, tau, 1e-8)
    dynamics = task_dynamics(model, q, qd, task, t=t)
    near(dynamics.wrench(twist_rate(model, q, qd, qdd, task, t)), dynamics.J_inverse.T @ tau - F)


def test_euler_steps_keep_to_the_configurations_of_a_ball_joint(rng):
    model = random_model(rng, [Spherical(), Revolute("x"), Spherical()])
    (q, qd), F_tip = model.random_state(rng), rng.normal(size=6)
    motion, unloaded = (task_space.euler_integrate(model, q, qd, lambda t: np.full(7, t), F, 0.1, 4)
                        for F in (F_tip, None))
    free = simulate(model, q, qd, (0, 0.1), lambda t, q, qd: np.full(7, t), method="euler", dt=0.025)
    close(unloaded.q, free.q, 1e-8)
    assert_array_equal(unloaded.t, free.t)
    for k in range(4):
        q, qd = task_space.euler_step(model, q, qd, np.full(7, 0.025 * k), F_tip, 0.025, t=0.025 * k)
        close(motion.q[k + 1], q, 1e-10)
        close(motion.qd[k + 1], qd, 1e-10)
    for p in (q[:4], q[5:]):
        assert p @ p == pytest.approx(1, abs=1e-13)


def test_a_task_keeps_a_transform_of_its_own():
    X_tip = xlt([1, 2, 3])
    task = Task(X_tip=X_tip)
    X_tip[0, 0] = 5
    assert task.X_tip[0, 0] == 1


# Refusals

REST, FOUR_BAR = np.zeros(2), (load("four_bar"), np.zeros(3), np.zeros(3))


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda m: Task(frame="tip"), ValueError, "frame is 'tip'; choose 'body', 'space', 'hybrid'"),
    (lambda m: Task(rows=()), ValueError, r"rows is \(\); give one or more"),
    (lambda m: Task(rows=(3, 3)), ValueError, r"rows is \(3, 3\)"),
    (lambda m: Task(rows=(0, 6)), ValueError, r"rows is \(0, 6\); give one or more different numbers"),
    (lambda m: Task(rows=(True, False)), ValueError, r"rows is \(True, False\); give one or more different numbers"),
    (lambda m: Task(rows=np.array([True, False])), ValueError, r"give one or more different numbers"),
    (lambda m: Task(rows="xy"), TypeError, "rows is 'xy'"),
    (lambda m: Task(damping=0), ValueError, "damping is 0; give a positive"),
    (lambda m: Task(X_tip=np.ones((6, 6))), ValueError, "X_tip"),
    (lambda m: jacobian(m, REST, Task(tip=3)), ValueError, "There is no body 3"),
    (lambda m: jacobian(m, REST, Task(tip=0)), ValueError, "There is no body 0"),
    (lambda m: jacobian(m, REST, "space"), TypeError, "task is 'space'; give a Task"),
    (lambda m: joint_rates(m, REST, [1, 2], Task(rows=(2,))), ValueError, "V has shape"),
    (lambda m: task_space.joint_accelerations(m, REST, [1], [1, 2], Task(rows=(2,))), ValueError, "V_dot has shape"),
    (lambda m: task_space.wrench_from_torques(m, REST, [1], Task(rows=(2,))), ValueError, "tau has shape"),
    (lambda m: task_dynamics(m, REST, REST), ValueError, r"6 rows and the model only 2 freedoms.*rows=\(2, 4\)"),
    (lambda m: task_space.euler_integrate(m, REST, REST, None, None, 1, 0), ValueError,
     "N is 0; give a whole number, 1 or more"),
    (lambda m: task_space.euler_integrate(m, REST, REST, None, None, 1, 2.5), ValueError, "N is 2.5"),
    (lambda m: task_space.euler_integrate(m, REST, REST, None, None, -1, 10), ValueError, "t_f is -1"),
    (lambda m: task_space.euler_integrate(m, REST, REST, lambda t: [0], None, 1, 10), ValueError, "tau has shape"),
    (lambda m: task_space.euler_step(m, REST, REST, REST, None, "1"), TypeError, "dt"),
    *((call, ValueError, r"1 loop\(s\).*replace\(loops=\(\)\)") for call in (          # which is no open chain
        lambda m: task_space.forward_dynamics(*FOUR_BAR, np.zeros(3)), lambda m: task_inertia(*FOUR_BAR[:2]),
        lambda m: task_space.euler_integrate(*FOUR_BAR, None, None, 1, 10), lambda m: task_dynamics(*FOUR_BAR)))])
def test_wrong_arguments_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call(load("arm_2r"))


def test_a_singular_task_is_refused_in_the_words_of_the_task(rng):
    """A short branch of a large tree: the tip hangs on two of its freedoms. And symbols."""
    tree, arm = random_tree(rng, 9, [0, 1, 0, 3, 4, 5, 6, 7, 8]).model(), load("arm_2r", symbolic=True)
    for model, q, task in ((tree, rng.normal(size=9), Task(tip=2)), (arm, [0, 0], Task(frame="hybrid", rows=(3, 4))),
                           (arm, [0, 0], Task(frame="hybrid", rows=(5,)))):
        with pytest.raises(ValueError, match="The task is singular in this configuration(: rows|, or nearly)"):
            task_inertia(model, q, task)
    assert task_inertia(tree, rng.normal(size=9), Task(tip=9)).shape == (6, 6)
    masses = [mcI(m, np.zeros(3), np.eye(3)) for m in (1e13, 1)]
    table = Model([0, 1], [Prismatic("x"), Prismatic("y")], [np.eye(6)] * 2, masses)
    with pytest.raises(ValueError, match="condition number of Lambda is 1e\\+13, .* Take fewer rows, or accept"):
        task_inertia(table, [0, 0], Task(rows=(3, 4)))
    assert twist(*FOUR_BAR).shape == (6,)                                                # of loops that stay open


def test_armatures_count_in_the_task_if_it_says_so(rng):
    model = load("panda").replace(characters={2: Character(armature=0.7), 6: Character(armature=0.1)})
    q, qd = model.random_state(rng)
    tau, task = rng.normal(size=model.nv), Task(frame="hybrid", armatures=True)
    qdd = aba_with_characters(model, q, qd, tau)
    assert_allclose(task_space.forward_dynamics(model, q, qd, tau, task=task), qdd, rtol=1e-9)
    dynamics = task_dynamics(model, q, qd, task)
    wrench = dynamics.wrench(twist_rate(model, q, qd, qdd, task))
    assert_allclose(wrench, task_space.wrench_from_torques(model, q, tau, task), rtol=1e-9)
    assert_allclose(task_inertia(model, q, task), dynamics.Lambda, rtol=1e-9)
    without = Task(frame="hybrid")
    assert_array_equal(task_inertia(model, q, without), task_inertia(load("panda"), q, without))
    V, six = rng.normal(size=(2, 6)), Task(tip=6, frame="hybrid", armatures=True)
    thd, thdd = joint_rates(model, q, V[0], six), task_space.joint_accelerations(model, q, *V, six)
    assert_allclose(task_space.joint_torques(model, q, *V, six), rnea_with_characters(model, q, thd, thdd), rtol=1e-9)
