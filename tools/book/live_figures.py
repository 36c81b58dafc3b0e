"""Which functions each live figure needs, on which model, and which code the page shows beside it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import product

import numpy as np
import sympy

from rbdlib import Model, aba, load
from rbdlib.book import (
    ch05_inverse_dynamics as inverse_dynamics,
    ch06_factorisation as factorisation,
    ch07_articulated_body as articulated_body,
    ch08_closed_loops as closed_loops,
)
from rbdlib.book.ch02_spatial import mcI, rotz, xlt
from rbdlib.book.ch04_joints import Fixed, Planar, Revolute, Spherical
from rbdlib.loops.closing import close_loops
from rbdlib.methods import force_parts
from rbdlib.motion import floating_momentum
from rbdlib.motion.integrators import rk4
from tools.book import live_functions as live

NUMBER = ()


@dataclass(frozen=True)
class Generated:
    """One function of a page: it is printed as JavaScript from a Python function on a model.

    name: in JavaScript.  shapes: those of arguments that the book has no name for; () is a number.  parameters: symbols
    of the model, which become further arguments, in this order.  sample: a state at which pivots are chosen.
    """

    name: str
    function: Callable
    model: Model
    shapes: dict = field(default_factory=dict)
    parameters: tuple = ()
    sample: dict | None = None


@dataclass(frozen=True)
class Figure:
    """A live figure. functions: what its page computes.  constants: {name: numbers or lists}.  shown: Python functions
    whose source the page shows.  beside: one of them, and the name of the JavaScript that came of it.  seconds: how
    long it has run in its still picture (s).  places: where notebooks treat it: (notebook, heading)."""

    functions: tuple
    shown: tuple
    constants: dict = field(default_factory=dict)
    beside: tuple = ()
    seconds: float = 0
    places: tuple = ()


def double_pendulum():
    model = load("double_pendulum", symbolic=True)
    free = ("m1", "m2", "l1", "l2", "g")
    return Figure((Generated("step", live.step, model, {"dt": NUMBER}, free),
                   Generated("aba", aba, model, {}, free),
                   Generated("energy", live.energy, model, {}, free),
                   Generated("massPoints", live.mass_points, model, {}, free)),
                  (articulated_body.articulated_bodies, rk4, live.step), seconds=10,
                  beside=("articulated_bodies", "aba"),
                  places=(("08_pendulums", "Chaos: how fast is the start forgotten?"),
                          ("23_accuracy", "The Lyapunov exponent and the horizon of prediction")))


def puma():
    """The PUMA with a load in its hand, in a gravity that can be chosen."""
    model, (load_mass, g) = load("puma560"), sympy.symbols("load g")
    inertia = list(model.inertia[1:])
    held = np.array([[0.0 if x == 0 else x for x in row] for row in mcI(load_mass, [0, 0, 0.2], np.zeros((3, 3)))])
    inertia[5] = inertia[5] + held
    return model.replace(inertia=inertia, gravity=(0, 0, -g))


def puma_torques():
    model, shapes = puma(), {"t": NUMBER, "T": NUMBER}
    return Figure((Generated("torques", live.torques, model, shapes, ("load", "g")),
                   Generated("arm", live.arm, model, shapes, ("load", "g"))),
                  (inverse_dynamics.newton_euler, force_parts.explain, live.torques), seconds=0.7,
                  beside=("explain", "torques"),
                  places=(("09_inverse_dynamics", "Torque by parts: inertia, Coriolis, gravity"),))


LENGTH = 0.5
BENDS = sympy.symbols("b1:5")


def chain(free):
    """Five rods of 1 kg, the first one held still; joint k is bent by the symbol b_k and locked there, or free."""
    rod = mcI(1, [LENGTH / 2, 0, 0], np.diag([1e-3, LENGTH**2 / 12, LENGTH**2 / 12]))
    joints = [Fixed(), *(Revolute("z") if f else Fixed() for f in free)]
    X_tree = [np.eye(6), *(rotz(bend) @ xlt([LENGTH, 0, 0]) for bend in BENDS)]
    return Model(range(5), joints, X_tree, [rod] * 5, gravity=(0, 0, 0))


def articulated_inertia():
    names = tuple(map(str, BENDS))
    sets = list(product((0, 1), repeat=4))
    felt = tuple(Generated("felt" + "".join(map(str, free)), live.felt, chain(free), {"direction": NUMBER}, names)
                 for free in sets)
    points = Generated("chainPoints", chain_points, chain(sets[0]), {}, names)
    return Figure((*felt, points), (articulated_body.articulated_bodies, live.felt), {"LENGTH": LENGTH},
                  beside=("articulated_bodies", "felt1000"),
                  places=(("11_articulated_body", "Joints that give way: unlocking a chain"),))


def chain_points(model):
    return live.chain_points(model, LENGTH)


def four_bar():
    model = load("four_bar")
    q = close_loops(model, [1.4, -0.7, 1.5], independent=[0])
    K, _, _ = closed_loops.loop_constraints(model, q, np.zeros(3))
    G = np.linalg.svd(K)[2][-1]
    sample = {"q": close_loops(model, [2.0, -1.0, 1.7], independent=[0]), "qd": np.zeros(3), "T_stab": 0.1}
    shapes, short = {"dt": NUMBER}, sample | {"dt": 1e-3}
    shorter = {key: short[key] for key in ("q", "qd", "dt")}
    ground = model.X_tree[3][5, 1], 0.0
    return Figure((Generated("step", live.loop_step, model, shapes, sample=short),
                   Generated("driftingStep", live.drifting_step, model, shapes, sample=shorter),
                   Generated("accelerations", live.loop_accelerations, model, sample=sample),
                   Generated("energy", live.energy, model.replace(loops=())),
                   Generated("gap", live.gap, model), Generated("points", live.linkage_points, model)),
                  (closed_loops.loop_constraints, live.loop_accelerations, live.loop_step),
                  {"START": q.tolist(), "RATES": (G / G[0]).tolist(), "GROUND": [abs(x) for x in ground]},
                  beside=("loop_accelerations", "accelerations"),
                  seconds=10, places=(("15_closed_loops", "Projection onto the constraint: putting it back"),
                                      ("16_closed_loops_by_coordinates",
                                       "Simulation in independent coordinates: a run without constraints")))


def falling_cat():
    model = load("falling_cat")
    posture = {"p": (4,), "b": NUMBER, "w": NUMBER}
    return Figure((Generated("turnOver", live.turn_over, model, posture | {"db": NUMBER, "dw": NUMBER}),
                   Generated("halves", live.halves, model, posture),
                   Generated("angularMomenta", live.angular_momenta, model,
                             posture | {"b_rate": NUMBER, "w_rate": NUMBER})),
                  (floating_momentum.base_velocity, live.waist, live.turning, live.turn_over), seconds=4,
                  beside=("turn_over", "turnOver"),
                  places=(("18_floating_bases", "The falling cat: half a turn without angular momentum"),))


def ball():
    """A ball of 1 kg with the moment of inertia k m r² on a slope of the angle alpha."""
    k, alpha, g = sympy.symbols("k alpha g")
    moment = k * live.RADIUS**2
    return Model([0], [Planar()], [np.eye(6)], [mcI(1, [0, 0, 0], np.diag([moment] * 3))],
                 gravity=(g * sympy.sin(alpha), -g * sympy.cos(alpha), 0))


def bounce_and_roll():
    model, free = ball(), ("k", "alpha", "g")
    state, law = {"q": (3,), "v": (3,)}, {"mu": NUMBER, "sign": NUMBER}
    functions = (("flight", live.flight, state | {"dt": NUMBER}), ("timeToLand", live.time_to_land, state),
                 ("stickingImpact", live.sticking_impact, {"v": (3,), "e": NUMBER}),
                 ("slidingImpact", live.sliding_impact, {"v": (3,), "e": NUMBER} | law),
                 ("rolling", live.rolling, {}), ("sliding", live.sliding, law), ("slip", live.slip, {"v": (3,)}),
                 ("energy", live.ball_energy, state))
    sample = {"q": [0.0, 0.0, 1.0], "v": [0.0, 1.0, -1.0]}
    return Figure(tuple(Generated(name, function, model, shapes, free, {key: sample[key] for key in shapes
                                                                        if key in sample})
                        for name, function, shapes in functions),
                  (live.sticking_impact, live.sliding_impact, live.rolling, live.sliding),
                  {"RADIUS": live.RADIUS}, seconds=3,
                  beside=("sticking_impact", "stickingImpact"),
                  places=(("21_impact", "Impact with sticking: a wheel with corners"),
                          ("22_soft_contact", "The friction cone: a block on a slope")))


def racket():
    """A cuboid of 1 kg with the edges a, b, c (m), free to turn about its centre."""
    a, b, c = sympy.symbols("a b c", positive=True)
    moments = np.diag([b**2 + c**2, a**2 + c**2, a**2 + b**2]) / 12
    return Model([0], [Spherical()], [np.eye(6)], [mcI(1, [0, 0, 0], moments)], gravity=(0, 0, 0))


def tennis_racket():
    model, free = racket(), ("a", "b", "c")
    return Figure((Generated("step", live.step, model, {"dt": NUMBER}, free), Generated("aba", aba, model, {}, free),
                   Generated("spin", live.spin, model, {}, free)),
                  (aba, articulated_body.articulated_bodies, live.step), seconds=10,
                  beside=("articulated_bodies", "aba"),
                  places=(("03_motion_and_force", "The bat in the air: the intermediate-axis theorem"),
                          ("06_modelling", "Euler angles, gimbal lock and quaternions (Euler parameters)")))


RODS = 7


def tree_sparsity():
    model = load("pendulum")
    return Figure((Generated("treeInertia", live.tree_inertia, model,
                             {"e": (RODS, RODS), "starts": (RODS, 2), "ends": (RODS, 2)}, (), None),
                   Generated("factors", live.factors, model, {"H": (RODS, RODS)}, (), {"H": (3 * np.eye(RODS) + 1)})),
                  (live.tree_inertia, factorisation.ltl), {"RODS": RODS},
                  beside=("ltl", "factors"),
                  places=(("10_joint_space_inertia", "Sparse factorisation: from which end to begin"),
                          ("06_modelling", "Connectivity sets: support, children, subtree")))


FIGURES = {function.__name__: cache(function) for function in (
    double_pendulum, puma_torques, articulated_inertia, four_bar, falling_cat, bounce_and_roll, tennis_racket,
    tree_sparsity)}
