"""What the live figures must show, computed in Python: for the tests in Node and in a browser."""

from math import radians

import numpy as np

import rbdlib
from rbdlib.analysis.operation_counts import D_1, D_2
from rbdlib.book.ch02_spatial import xlt
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch06_factorisation import ltl
from rbdlib.book.ch06_inertia_matrix import expanded_parent, sparsity_pattern
from rbdlib.compile.parameters import with_parameters
from rbdlib.loops.dynamics import by_loop_constraints
from tools.book import live_functions as live
from tools.book.live_figures import FIGURES, ball
from tools.book.live_functions import rod

#: For each figure a JavaScript expression in Simulation, a class of that figure, and what Python says it is.
RUNS = {}


def run(script):
    """Notes a function that computes in Python what the script computes in JavaScript."""
    def note(function):
        RUNS[function.__name__] = (script, function)
        return function

    return note


def numeric(name, function, **values):
    """The model of one of a figure's functions, with numbers for its symbols."""
    return with_parameters(next(f.model for f in FIGURES[name]().functions if f.name == function), values)


@run("""(s => { for (let k = 0; k < 50; k++) s.step();
        return [s.states.flatMap(x => [...x.q, ...x.qd]), [...s.accelerations()], s.energy(), s.distance()]; })
        (new Simulation({ m1: 0.7, m2: 1.4, l1: 0.9, l2: 0.6 }))""")
def double_pendulum():
    model = numeric("double_pendulum", "step", m1=0.7, m2=1.4, l1=0.9, l2=0.6, g=9.81)
    start, states = np.radians([130.0, 0.0]), []
    for q in (start, start + [1e-4, 0]):
        qd = np.zeros(2)
        for _ in range(50):
            q, qd = live.step(model, q, qd, 1 / 400)
        states.append((q, qd))
    q, qd = states[0]
    return [np.ravel(states), rbdlib.aba(model, q, qd, [0, 0]), live.energy(model, q, qd), abs(states[1][0] - q).max()]


@run("""(s => [0.2, 0.7, 1.3].map(t => [Object.values(s.torques(t)).map(x => [...x]), s.arm(t)]))
        (new Simulation({ T: 1.4, load: 2, g: 1.62 }))""")
def puma_torques():
    model, found = numeric("puma_torques", "torques", load=2.0, g=1.62), []
    for t in (0.2, 0.7, 1.3):
        inertial, coriolis, gravity, total = live.torques(model, t, 1.4)
        assert np.allclose(total, rbdlib.rnea(model, *live.reach(t, 1.4)))
        found.append([[inertial, coriolis, gravity, total], live.arm(model, t, 1.4)])
    return found


@run("""[[0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 1, 1], [1, 1, 1, 1]].map(free => {
        const s = new Simulation({ bends: [20, -70, 110, 5], direction: 40, free }), { I, a } = s.felt();
        return [[...I], [...a], s.points()]; })""")
def articulated_inertia():
    bends = dict(zip(("b1", "b2", "b3", "b4"), np.radians([20.0, -70, 110, 5]), strict=True))
    return [[*(x.ravel() for x in live.felt(numeric("articulated_inertia", f"felt{free}", **bends), np.radians(40))),
             live.chain_points(numeric("articulated_inertia", "chainPoints", **bends), 0.5)]
            for free in ("0000", "1000", "1011", "1111")]


@run("""(s => { for (let k = 0; k < 20; k++) s.step();
        return [s.states.map(x => [...x.q, ...x.qd]), s.gaps(), s.gained(), [...s.accelerations()]]; })
        (new Simulation({ dt: 0.008, T_stab: 0.05, speed: 9 }))""")
def four_bar():
    figure, model = FIGURES["four_bar"](), numeric("four_bar", "step")
    start, rates = (np.array(figure.constants[name]) for name in ("START", "RATES"))
    states = []
    for T_stab in (0.05, None):
        q, qd = start, 9 * rates
        for _ in range(20):
            q, qd = live.loop_step(model, q, qd, 0.008, T_stab)
        states.append((q, qd))
    first = live.energy(model, start, 9 * rates)
    assert np.allclose(live.loop_accelerations(model, *states[0], 0.05),
                       by_loop_constraints(model, *states[0], np.zeros(3), T_stab=0.05)[0])
    return [[np.concatenate(state) for state in states], [live.gap(model, q) for q, _ in states],
            [live.energy(model, *state) - first for state in states],
            live.loop_accelerations(model, *states[0], 0.05)]


@run("""(s => { for (let k = 0; k < 40; k++) s.advance(0.04);
        return [[...s.p], s.momenta.map(curve => curve[30][1])]; })(new Simulation({ bend: 60 }))""")
def falling_cat():
    model = numeric("falling_cat", "turnOver")
    p, b, w, t, momenta = np.array([0.0, 1, 0, 0]), 0.0, 0.0, 0.0, []
    for _ in range(40):
        after = min(t + 0.04, 4)
        b_1, w_1 = _posture(after, np.radians(60))
        steps = max(1, int(np.ceil(max(abs(b_1 - b), abs(w_1 - w)) / (np.pi / 90))))
        db, dw = (b_1 - b) / steps, (w_1 - w) / steps
        momenta.append(live.angular_momenta(model, p, b, w, (b_1 - b) / (after - t), (w_1 - w) / (after - t)))
        for _ in range(steps):
            p, b, w = live.turn_over(model, p, b, w, db, dw), b + db, w + dw
        t = after
    return [p, [1000 * h for h in momenta[30][:, 0]]]


def _posture(t, bend):
    def smooth(s):
        s = min(max(s, 0), 1)
        return s**3 * (10 - 15 * s + 6 * s * s)

    s = 5 * t / 4
    return bend * (smooth(s) - smooth(s - 4)), 2 * np.pi * smooth((s - 1) / 3)


DT, AT_REST, SLOW = 1 / 240, 0.02, 1e-9


class Ball:
    """The ball of docs/_static/live/bounce_and_roll.js on a slope, by the Python functions from which it is printed.
    State q, v, time t (s), mode "flight", "contact", "sliding" or "rolling"."""
    def __init__(self, k=0.4, slope=4, g=9.81, e=0.7, mu=0.25, height=0.7, speed=0.6, spin=20):
        self.model = with_parameters(ball(), {"k": k, "alpha": radians(slope), "g": g})
        self.e, self.mu, self.mode, self.bounces = e, mu, "flight", 0
        self.q, self.v = np.array([0, 0, live.RADIUS + height]), np.array([float(spin), speed, 0])
        self.rolling, self.sliding = live.rolling(self.model), {s: live.sliding(self.model, mu, s) for s in (-1, 1)}

    def step(self):
        left = DT
        while left > 0:
            left -= self.fly(left) if self.mode == "flight" else self.touch(left)

    def fly(self, left):
        landing = live.time_to_land(self.model, self.q, self.v)
        time = min(left, landing)
        self.q, self.v = live.flight(self.model, self.q, self.v, time)
        if landing <= left:
            self.land()
        return time

    def land(self):
        sliding = live.slip(self.model, self.v)
        e = self.e if -self.v[2] * self.e > AT_REST else 0
        v, impulse = live.sticking_impact(self.model, self.v, e)
        if abs(impulse[0]) > self.mu * impulse[1]:
            v, impulse = live.sliding_impact(self.model, self.v, e, self.mu, np.sign(sliding))
        self.v, self.bounces = v, self.bounces + 1
        self.q[2] = live.RADIUS
        if e == 0:
            self.mode, self.v[2] = "contact", 0

    def touch(self, left):
        slip = live.slip(self.model, self.v)
        a, force = self.rolling
        time, rolls = left, abs(slip) <= SLOW and abs(force[0]) <= self.mu * force[1]
        if not rolls:
            a, force = self.sliding[np.sign(slip) if abs(slip) > SLOW else -np.sign(force[0])]
            end = -slip / live.slip(self.model, a)
            time = end if abs(slip) > SLOW and 0 < end < left else left
        self.q, self.v = self.q + time * self.v + time**2 / 2 * a, self.v + time * a
        if not rolls and time < left:
            self.v[0] = -self.v[1] / live.RADIUS
        self.mode = "rolling" if rolls else "sliding"
        return time


@run("""[{ e: 0.4 }, { e: 0.4, slope: 25, mu: 0.1, spin: -30 }, { slope: 0, e: 0, spin: 30, k: 1 }].map(options => {
        const s = new Simulation(options);
        for (let k = 0; k < 700; k++) s.step();
        return [[...s.q], [...s.v], [...s.energy()], s.bounces, s.mode === "rolling" ? 1 : 0]; })""")
def bounce_and_roll():
    found = []
    for options in ({"e": 0.4}, {"e": 0.4, "slope": 25, "mu": 0.1, "spin": -30},
                    {"slope": 0, "e": 0, "spin": 30, "k": 1}):
        ball = Ball(**options)
        for _ in range(700):
            ball.step()
        found.append([ball.q, ball.v, live.ball_energy(ball.model, ball.q, ball.v), ball.bounces,
                      float(ball.mode == "rolling")])
    return found


@run("""(s => { for (let k = 0; k < 80; k++) s.step();
        const { E, h, energy } = s.spin();
        return [[...s.q], [...s.qd], [...E], [...h], energy, [...s.accelerations()]]; })
        (new Simulation({ nudge: 0.4 }))""")
def tennis_racket():
    model, q, qd = numeric("tennis_racket", "step", a=0.24, b=0.16, c=0.03), [1.0, 0, 0, 0], [0.4, 6, 0.4]
    for _ in range(80):
        q, qd = live.step(model, np.array(q), np.array(qd), 1 / 400)
    E, h, energy = live.spin(model, q, qd)
    return [q, qd, E, h, energy, rbdlib.aba(model, q, qd, np.zeros(3))]


@run("""[[0, 1, 1, 2, 2, 3, 3], [0, 0, 1, 3, 1, 5, 2], [0, 1, 2, 3, 4, 5, 6]].map(parent => {
        const s = new Simulation(parent), { H, L, cholesky } = s.matrices(), { nonzero, D_1, D_2 } = s.costs();
        return [s.ends(), [...H], [...L], [...cholesky], nonzero, D_1, D_2]; })""")
def tree_sparsity():
    """Places, H by crba, its factors by Table 6.3 and by NumPy, and the costs."""
    found = []
    for parent in ([0, 1, 1, 2, 2, 3, 3], [0, 0, 1, 3, 1, 5, 2], [0, 1, 2, 3, 4, 5, 6]):
        ends = _ends(parent)
        starts = [ends[up] for up in parent]
        origin = [np.zeros(2), *starts]
        X_tree = [xlt([*(starts[k] - origin[up]), 0]) for k, up in enumerate(parent)]
        inertia = [rod(np.zeros(2), ends[k + 1] - starts[k]) for k in range(len(parent))]
        model = rbdlib.Model(parent, [Revolute("z")] * len(parent), X_tree, inertia)
        H, expanded = rbdlib.crba(model, np.zeros(model.nv)), expanded_parent(model)
        found.append([ends, H, ltl(H, expanded), np.linalg.cholesky(H), np.count_nonzero(sparsity_pattern(model)),
                      D_1(expanded), D_2(expanded)])
    return found


def _ends(parent):
    """Where the page draws the bodies (N_B + 1, 2): a level above their parents, the leaves side by side."""
    n = len(parent)
    children = [[i for i in range(1, n + 1) if parent[i - 1] == body] for body in range(n + 1)]
    places, leaves = np.zeros((n + 1, 2)), iter(range(n + 1))

    def put(body, level):
        own = [put(child, level + 1) for child in children[body]]
        places[body] = (own[0] + own[-1]) / 2 if own else next(leaves), level
        return places[body, 0]

    put(0, 0)
    return (places - [places[0, 0], 0]) * [0.6, 0.7]


def flat(result):
    """All numbers of a result in order."""
    if isinstance(result, (list, tuple, np.ndarray)):
        return [x for part in result for x in flat(part)]
    return [float(result)]


def agree(found, expected):
    found, expected = np.array(flat(found)), np.array(flat(expected))
    assert found.shape == expected.shape and np.isfinite(found).all()
    assert np.abs(found - expected).max() <= 1e-9 * max(1, np.abs(expected).max())
