"""Motions in time: `simulate` in machine code against Pinocchio in SciPy, MuJoCo, Exudyn and readable steps."""

import multiprocessing
import os
import time
from functools import partial

import numpy as np
from scipy.integrate import solve_ivp

from benchmarks.compile_time import seconds_of
from benchmarks.models import write_model
from benchmarks.table import Row, timed
from benchmarks.timing import take_turns
from rbdlib import Model, aba, compile_for, load
from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er, mcI, rotx, rotz
from rbdlib.book.ch04_joints import FreeMotion, Planar
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.contact import Box, Pair, Plane, Point, SoftContact, Sphere, simulate_contacts, simulate_soft
from rbdlib.loops.closing import close_loops
from rbdlib.motion.controllers import pd
from rbdlib.motion.ensemble import ensemble
from rbdlib.motion.simulate import simulate

TOLERANCE = 1e-9
#: MuJoCo's step is halved until its end state misses the reference by no more than so many times what ours misses.
AS_GOOD = 1.0
#: How many steps MuJoCo may take at most, and how many any program with loops.
MOST_STEPS, MOST_LOOP_STEPS = 2_000_000, 64_000


def start(name):
    """The model and the state at the start of a motion, and how long it lasts (s)."""
    model = load(name)
    if name == "double_pendulum":                           # MuJoCo takes no point masses
        model = model.replace(inertia=[I + mcI(0, [0, 0, 0], 1e-3 * np.eye(3)) for I in model.inertia[1:]])
    q = {"double_pendulum": [0.3, 0.5], "panda": np.full(7, 0.3)}.get(name)
    q = close_loops(model, model.neutral()) if q is None else np.array(q, dtype=float)
    return model, q, np.zeros(model.nv), {"double_pendulum": 10.0, "panda": 2.0}.get(name, 5.0)


def against_pinocchio(name, folder, rounds):
    """A tree moving under gravity alone: Pinocchio's ABA called by SciPy's DOP853 at the same tolerance."""
    import pinocchio as pin

    model, q, qd, end = start(name)
    theirs = pin.buildModelFromUrdf(str(write_model(model, folder / f"{name}.urdf")))
    data, n, tau = theirs.createData(), model.nv, np.zeros(model.nv)
    theirs.gravity.linear = np.array(model.gravity, dtype=float)

    def rate(t, y):
        return np.concatenate([y[n:], pin.aba(theirs, data, y[:n], y[n:], tau)])

    def scipys():
        return solve_ivp(rate, (0, end), np.concatenate([q, qd]), "DOP853", rtol=TOLERANCE, atol=TOLERANCE).y[:, -1]

    def ours():
        return simulate(model, q, qd, (0, end), tolerance=TOLERANCE, compiled=True)

    def readable():
        return simulate(model, q, qd, (0, end), tolerance=TOLERANCE, compiled=False)

    apart = np.abs(scipys()[:n] - ours().q[-1]).max()
    if apart > 1e-5:
        raise AssertionError(f"the end states are {apart:.2g} apart")
    timings = take_turns({"Pinocchio": scipys, "ours": ours}, rounds)
    slow = take_turns({"readable": readable, "ours": ours}, max(2, rounds // 8))
    return [timed(f"motion, {end:g} s", name, "Pinocchio in DOP853", timings, ("Pinocchio", "ours"), 20, 100),
            timed(f"motion, {end:g} s", name, "compiled=False", slow, ("readable", "ours"))]


def against_mujoco(name, folder, rounds):
    """The same tree in MuJoCo's RK4, with the longest step, halved and halved again, that is as near the truth."""
    import mujoco

    model, q, qd, end = start(name)
    theirs = mujoco.MjModel.from_xml_path(str(write_model(model, folder / f"{name}.urdf")))
    theirs.opt.gravity[:], theirs.opt.integrator = model.gravity, mujoco.mjtIntegrator.mjINT_RK4
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    data = mujoco.MjData(theirs)
    truth = simulate(model, q, qd, (0, end), tolerance=1e-13, compiled=True).q[-1]

    def run(steps):
        mujoco.mj_resetData(theirs, data)
        data.qpos[:], data.qvel[:], theirs.opt.timestep = q, qd, end / steps
        mujoco.mj_step(theirs, data, steps)
        return np.abs(data.qpos - truth).max()

    def ours():
        return simulate(model, q, qd, (0, end), tolerance=TOLERANCE, compiled=True)

    error, steps = np.abs(ours().q[-1] - truth).max(), 500
    while (missed := run(steps)) > AS_GOOD * error and steps < MOST_STEPS:
        steps *= 2
    timings = take_turns({"MuJoCo": lambda: run(steps), "ours": ours}, rounds)
    what = f"motion, {end:g} s, errors {missed:.1g} and {error:.1g}"
    return [timed(what, name, f"MuJoCo RK4, {steps} steps", timings, ("MuJoCo", "ours"), 1, 20)]


def of_loops(rounds):
    """A four-bar linkage against the readable steps, whose time before this was 8.7 s."""
    model, q, qd, end = start("four_bar")
    calls = {f"{compiled}": lambda compiled=compiled: simulate(model, q, qd, (0, end), tolerance=TOLERANCE,
                                                               compiled=compiled) for compiled in (True, False)}
    timings = take_turns(calls, max(2, rounds // 8))
    return [timed(f"motion, {end:g} s", "four_bar", "compiled=False", timings, ("False", "True"))]


def loop_against(peer, make, rounds):
    """The same four-bar beside a program that make(model, q, qd, end) has set up: run(steps), the q at the end.

    Its steps are halved until it is as near the truth as ours, or takes `MOST_LOOP_STEPS`.
    """
    model, q, qd, end = start("four_bar")
    run = make(model, q, qd, end)
    truth = simulate(model, q, qd, (0, end), tolerance=1e-12, compiled=True).q[-1]

    def ours():
        return simulate(model, q, qd, (0, end), tolerance=TOLERANCE, compiled=True).q[-1]

    error, steps = np.abs(ours() - truth).max(), 1000
    while (missed := np.abs(run(steps) - truth).max()) > AS_GOOD * error and steps < MOST_LOOP_STEPS:
        steps *= 2
    timings = take_turns({peer: lambda: run(steps), "ours": ours}, max(2, rounds // 8))
    return [timed(f"motion, {end:g} s, errors {missed:.1g} and {error:.1g}", "four_bar", f"{peer}, {steps} steps",
                  timings, (peer, "ours"))]


def bars(model):
    """Of each bar of a four-bar in the x-y plane: mass, centre of mass (3), moment of inertia about that (z)."""
    return [(m, c, I_c[2, 2]) for m, c, I_c in map(I_to_mcI, model.inertia[1:])]


def loop_in_mujoco(model, q, qd, end):
    """Its loop is an equality constraint, as stiff as a step allows."""
    import mujoco

    crank, coupler, rocker = [
        f'<body pos="{X_to_Er(X)[1][0]} 0 0"><joint axis="0 0 1"/><inertial pos="{c[0]} 0 0" mass="{m}" '
        f'diaginertia="{I} {I} {I}"/>' for (m, c, I), X in zip(bars(model), model.X_tree[1:], strict=True)]
    tip, end_of_rocker = [f'<site name="{name}" pos="{X_to_Er(X)[1][0]} 0 0"/></body>'
                          for name, X in (("tip", model.loops[0].X_P), ("end", model.loops[0].X_S))]
    theirs = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody>{crank}{coupler}{tip}</body>{rocker}{end_of_rocker}</worldbody><equality>'
        '<connect site1="tip" site2="end" solimp="0.9999 0.9999 0.001"/></equality></mujoco>')
    theirs.opt.gravity[:], theirs.opt.integrator = model.gravity, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(theirs)

    def run(steps):
        mujoco.mj_resetData(theirs, data)
        data.qpos[:], data.qvel[:], theirs.opt.timestep = q, qd, end / steps
        theirs.eq_solref[:] = 2 * end / steps, 1
        mujoco.mj_step(theirs, data, steps)
        return data.qpos.copy()

    return run


def loop_in_exudyn(model, q, qd, end):
    """Each bar has three coordinates, and every hinge is a constraint, held by the generalised-alpha method."""
    import exudyn as exu
    from exudyn import itemInterface as items

    world = exu.SystemContainer().AddSystem()
    angles = np.array([q[0], q[0] + q[1], q[2]])
    hinges = [X_to_Er(X)[1] for X in model.X_tree[1:]]
    tip, end_of_rocker = (X_to_Er(X)[1] for X in (model.loops[0].X_P, model.loops[0].X_S))
    ground, nodes, bodies = world.AddObject(items.ObjectGround()), [], []
    origins = [hinges[0], rotz(angles[0])[:3, :3].T @ hinges[1], hinges[2]]
    for origin, angle, (m, c, I) in zip(origins, angles, bars(model), strict=True):
        x, y, _ = origin + rotz(angle)[:3, :3].T @ c
        nodes.append(world.AddNode(items.NodeRigidBody2D(referenceCoordinates=[x, y, angle])))
        bodies.append(world.AddObject(items.ObjectRigidBody2D(physicsMass=m, physicsInertia=I, nodeNumber=nodes[-1])))
        mass = world.AddMarker(items.MarkerBodyMass(bodyNumber=bodies[-1]))
        world.AddLoad(items.LoadMassProportional(markerNumber=mass, loadVector=[float(x) for x in model.gravity]))
    crank, coupler, rocker = (([body, c]) for body, (_, c, _) in zip(bodies, bars(model), strict=True))
    base, nothing = [ground, np.zeros(3)], np.zeros(3)
    for ends in (((base, hinges[0]), (crank, nothing)), ((crank, hinges[1]), (coupler, nothing)),
                 ((base, hinges[2]), (rocker, nothing)), ((coupler, tip), (rocker, end_of_rocker))):
        markers = [world.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=list(at - c)))
                   for (body, c), at in ends]
        world.AddObject(items.ObjectJointRevolute2D(markerNumbers=markers))
    world.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.endTime, settings.timeIntegration.verboseMode = end, 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.newton.useModifiedNewton = True

    def run(steps):
        settings.timeIntegration.numberOfSteps = steps
        world.SolveDynamic(settings)
        turned = angles + [world.GetNodeOutput(node, exu.OutputVariableType.Coordinates)[2] for node in nodes]
        return np.array([turned[0], turned[1] - turned[0], turned[2]])

    return run


def of_soft_contacts(folder, rounds):
    """A quadruped dropped on soft ground, against readable steps, once each (half a minute), and beside MuJoCo."""
    model = load("solo12")
    q, feet, legs = model.neutral().astype(float), (5, 9, 13, 17), [0] * 6 + [1] * (model.nv - 6)
    q[6] += 0.02 - min(X_to_Er(X)[1][2] for X in body_transforms(model, q)[1:])
    contacts = [SoftContact(Pair(0, Plane(), i, Point()), 5e3, 50) for i in feet]
    held = pd(model, q, 30 * np.array(legs), legs)
    ours = partial(simulate_soft, model, q, np.zeros(model.nv), (0, 0.3), contacts, held, tolerance=1e-5)
    begun = time.process_time()
    run = ours(compiled=False)
    readable = 1e3 * (time.process_time() - begun)
    theirs, deep = dropped_in_mujoco(model, q, feet, 300, folder)
    timings = take_turns({"MuJoCo": theirs, "ours": ours}, rounds)
    what = f"dropped on soft ground, 0.3 s, {1e3 * max(-p.min() for p in run.p):.2g} mm deep"
    return [Row(what, "solo12", "readable steps", readable, 1e3 * timings.typical("ours"), "ms", 30),
            timed(what, "solo12", f"MuJoCo, 300 steps, {1e3 * deep():.2g} mm deep", timings, ("MuJoCo", "ours"))]


def dropped_in_mujoco(model, q, feet, steps, folder):
    """A function that drops a robot from q for 0.3 s, its legs held by springs, and one that says how deep it sank."""
    import mujoco

    spec = mujoco.MjSpec.from_file(str(write_model(model, folder / "dropped.urdf")))
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[9, 9, 1])
    for i in feet:
        spec.body(model.names[i]).add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[1e-3, 0, 0])
    for shape in spec.geoms:
        shape.condim, shape.solref = 1, [0.005, 1]
    theirs = spec.compile()
    data, at = mujoco.MjData(theirs), np.concatenate([q[4:6], [q[6] + 1e-3], q[:4], q[7:]])
    theirs.opt.gravity[:], theirs.opt.timestep = model.gravity, 0.3 / steps
    theirs.jnt_stiffness[1:], theirs.dof_damping[6:], theirs.qpos_spring[:] = 30, 1, at

    def run(n=steps):
        mujoco.mj_resetData(theirs, data)
        data.qpos[:] = at
        mujoco.mj_step(theirs, data, n)

    def depth():
        run(0)
        depths = [0.0]
        for _ in range(steps):
            mujoco.mj_step(theirs, data)
            depths.extend(-contact.dist for contact in data.contact)
        return max(depths)

    return run, depth


#: A floor, and what falls on it. MuJoCo's contacts are springs, whose damping ratio makes the restitution;
#: of their frequency (rad/s) a touch lasts about eight steps.
FREQUENCY = 400
FALLING = """<mujoco><option timestep="0.001"/>
<default><geom condim="1" solref="{time} {damping}"/></default><worldbody>
<geom type="plane" size="9 9 1"/><geom type="plane" size="9 9 1" zaxis="{wall}"/>
<body pos="{at}" quat="{turned}"><freejoint/><inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia}"/>{shape}</body>
</worldbody></mujoco>"""


def of_rigid_contacts(rounds):
    """A thrown box, a bouncing ball and a ladder against readable steps, and beside MuJoCo."""
    free, floor = [FreeMotion()], Plane()
    box = Model([0], free, [np.eye(6)], [mcI(1, [0, 0, 0], np.diag([0.02, 0.03, 0.04]))])
    ball = Model([0], free, [np.eye(6)], [mcI(1, [0, 0, 0], 0.004 * np.eye(3))])
    ladder = Model([0], [Planar()], [rotx(np.pi / 2)], [mcI(3, [0, 0, 0], np.eye(3))])
    turned = np.array([0.9, 0.3, 0.2, 0.1]) / np.linalg.norm([0.9, 0.3, 0.2, 0.1])
    ends = [Pair(0, floor, 1, Point([-1, 0, 0]), "foot"), Pair(0, Plane([0, 0, 0], [1, 0, 0]), 1, Point([1, 0, 0]))]
    tips = "".join(f'<geom type="sphere" size="0.001" pos="{x} 0 0"/>' for x in (-1, 1))
    lean = [np.cos((np.pi - 1) / 2), 0, -np.sin((np.pi - 1) / 2), 0]               # about -y, the ladder's own z
    return [*_beside_mujoco(
        "thrown", "box", partial(simulate_contacts, box, np.array([*turned, 0, 0, 0.6]), [2, 1, 3, 0.5, 0, 0], (0, 2),
                                 [Pair(0, floor, 1, Box([0.2, 0.3, 0.4]))], restitution=0.5), rounds,
        [0.5, 0, 0, 2, 1, 3], damping=0.215, at="0 0 0.6", turned=turned, mass=1, inertia="0.02 0.03 0.04",
        shape='<geom type="box" size="0.1 0.15 0.2"/>'),
        *_beside_mujoco(
        "bounces", "ball", partial(simulate_contacts, ball, [1, 0, 0, 0, 0, 0, 1.1], [0, 0, 0, 0.3, 0, 0], (0, 3),
                                   [Pair(0, floor, 1, Sphere(0.1))], restitution=0.8), rounds,
        [0.3, 0, 0, 0, 0, 0], damping=0.071, at="0 0 1.1", turned=[1, 0, 0, 0], mass=1, inertia="0.004 0.004 0.004",
        shape='<geom type="sphere" size="0.1"/>'),
        *_beside_mujoco(
        "slides down a wall", "ladder", partial(simulate_contacts, ladder, [np.pi - 1, np.cos(1), np.sin(1)],
                                                np.zeros(3), (0, 0.6), ends), rounds,
        np.zeros(6), damping=1, at=f"{np.cos(1) + 0.001} 0 {np.sin(1) + 0.001}", turned=lean, mass=3,
        inertia="1 1 1", shape=tips, wall="1 0 0")]


def _beside_mujoco(what, name, motion, rounds, speeds, wall="0 0 1", **parts):
    """Rows of a motion with contacts against its readable steps and MuJoCo; speeds: qvel; parts: of `FALLING`.

    Of MuJoCo is said how deep bodies sink in, and which part of the first energy it loses too much or too little.
    """
    import mujoco

    parts["turned"] = " ".join(map(str, parts["turned"]))
    parts |= {"wall": wall, "time": 1 / (FREQUENCY * parts["damping"])}
    theirs = mujoco.MjModel.from_xml_string(FALLING.format(**parts))
    data, end = mujoco.MjData(theirs), motion.args[3][1]
    steps, depth = round(end / theirs.opt.timestep), 0.0

    def begin():
        mujoco.mj_resetData(theirs, data)
        data.qvel[:] = speeds

    def energy():
        mujoco.mj_forward(theirs, data)
        mujoco.mj_energyPos(theirs, data)
        mujoco.mj_energyVel(theirs, data)
        return data.energy.sum()

    def run():
        begin()
        mujoco.mj_step(theirs, data, steps)

    begin()
    gain = -energy()
    for _ in range(steps):
        mujoco.mj_step(theirs, data)
        depth = max([depth, *(-contact.dist for contact in data.contact)])
    gain += energy()
    calls, ours = {f"{compiled}": partial(motion, compiled=compiled) for compiled in (True, False)}, motion()
    astray = abs(gain - np.diff(ours.energy[[0, -1]])[0]) / ours.energy[0]
    what = f"{what}, {end:g} s, events: {len(ours.events)}"
    peer = f"MuJoCo, {steps} steps, {1e3 * depth:.2g} mm deep, energy {astray:.2g} off"
    slow, timings = take_turns(calls, max(2, rounds // 4)), take_turns({"MuJoCo": run, "True": calls["True"]}, rounds)
    return [timed(what, name, "compiled=False", slow, ("False", "True"), 30),
            timed(what, name, peer, timings, ("MuJoCo", "True"))]


#: A run in a Python session of its own, and how many seconds it takes.
FIRST_RUN = """
import time
from benchmarks.motions import TOLERANCE, start
from rbdlib.motion.simulate import simulate
model, q, qd, end = start({name!r})
begun = time.perf_counter()
simulate(model, q, qd, (0, end), tolerance=TOLERANCE)
print(time.perf_counter() - begun)
"""


def of_first_runs(folder, rounds):
    """Runs for which nothing has been compiled yet, and those that a slider asks for, one after the other."""
    found = []
    for name in ("double_pendulum", "panda"):
        seconds = np.median([seconds_of(FIRST_RUN.format(name=name), folder / f"{name}_{k}") for k in range(3)])
        found.append(Row("first run, nothing cached", name, "limit of 1.5 s", 1.5, seconds, "s", 1))
    (model, _, qd, end), rng = start("double_pendulum"), np.random.default_rng(0)
    times = np.linspace(0, end, 501)
    timings = take_turns({"ours": lambda: simulate(model, rng.uniform(-1, 1, 2), qd, times)}, rounds)
    return [*found, Row("a slider's run, 501 samples", "double_pendulum", "limit of 50 ms", 50,
                        1e3 * timings.typical("ours"), "ms", 1)]


def of_ensembles(folder):
    """Many double pendulums for 10 s at 1e-6, on all cores: the time on the clock, which was to be 10 s.

    Beside it, for each of a few of these runs: SciPy in a process for each core, and MuJoCo's rollout in a thread for
    each, whose step is halved until its median error is no larger than ours.
    """
    (model, *_, end), rng, runs, few = start("double_pendulum"), np.random.default_rng(0), 100_000, 128
    states = [(rng.uniform(-2, 2, 2), rng.normal(size=2)) for _ in range(runs)]
    ensemble(model, states[:8], (0, end), tolerance=1e-6)
    seconds, found = _on_the_clock(lambda: ensemble(model, states, (0, end), tolerance=1e-6, progress=False))
    truth = np.array([run.q[-1] for run in ensemble(model, states[:few], (0, end), tolerance=1e-12)])
    error = np.median(np.abs([run.q[-1] for run in found[:few]] - truth))
    with multiprocessing.get_context("fork").Pool() as pool:
        pool.map(partial(_scipys_end, model, end), states[:8])
        scipys, _ = _on_the_clock(lambda: pool.map(partial(_scipys_end, model, end), states[:few], 4))
    rollout, steps = _rollout(model, states[:few], end, folder), 500
    while np.median(np.abs(rollout(steps) - truth)) > error and steps < MOST_STEPS:
        steps *= 2
    mujocos, _ = _on_the_clock(lambda: rollout(steps))
    ours, name = 1e6 * seconds / runs, "a double pendulum of many"
    return [Row("ensemble, 10 s, wall time", f"{runs:,} double pendulums", "10 s", 10.0, seconds, "s", 1),
            Row("ensemble, 10 s, a run", name, "SciPy in processes", 1e6 * scipys / few, ours, "µs"),
            Row("ensemble, 10 s, a run", name, f"mujoco.rollout, {steps} steps", 1e6 * mujocos / few, ours, "µs")]


def _on_the_clock(function):
    """(seconds, what the function returns)."""
    begun = time.perf_counter()
    result = function()
    return time.perf_counter() - begun, result


def _scipys_end(model, end, state):
    """The q at the end of a run in SciPy's DOP853 with a compiled ABA."""
    n, tau, accelerations = model.nv, np.zeros(model.nv), compile_for(aba, model)

    def rate(t, y):
        return np.concatenate([y[n:], accelerations(y[:n], y[n:], tau)])

    return solve_ivp(rate, (0, end), np.concatenate(state), "DOP853", rtol=1e-6, atol=1e-6).y[:n, -1]


def _rollout(model, states, end, folder):
    """The function of a number of steps that returns q at the end of each run, by MuJoCo's RK4 in threads."""
    import mujoco
    from mujoco import rollout

    theirs = mujoco.MjModel.from_xml_path(str(write_model(model, folder / "many.urdf")))
    theirs.opt.gravity[:], theirs.opt.integrator = model.gravity, mujoco.mjtIntegrator.mjINT_RK4
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    data = [mujoco.MjData(theirs) for _ in range(os.cpu_count())]
    first = np.array([[0, *q, *qd] for q, qd in states], dtype=float)

    def run(steps):
        theirs.opt.timestep = end / steps
        found, _ = rollout.rollout(theirs, data, first, nstep=steps)
        return found[:, -1, 1 : 1 + model.nq]

    return run
