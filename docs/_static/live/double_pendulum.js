// Two double pendulums that start a hair apart (RBDA Table 7.1 makes them move).

import { BODY, FORCE, INK, MOTION } from "./colours.js";
import { Clock } from "./clock.js";
import { History } from "./graph.js";
import { power, small, written } from "./numbers.js";
import { Panel } from "./panel.js";
import { aba, energy, massPoints, step } from "./double_pendulum_model.js";

export const DT = 1 / 400;
const LOST = 1e-7;                                         // of m g l: what a step may change the energy by
const HALVINGS = 8;                                        // of a step that would change it by more
export const START = { m1: 1, m2: 1, l1: 1, l2: 1, g: 9.81, upper: 130, lower: 0, hair: 4 };

// Both pendulums; the angle of the second one's upper rod is larger by 10^-hair rad at the start.
export class Simulation {
  constructor(options = {}) {
    this.options = { ...START, ...options };
    this.restart();
  }

  get numbers() {
    const { m1, m2, l1, l2, g } = this.options;
    return [m1, m2, l1, l2, g];
  }

  restart() {
    const { upper, lower, hair } = this.options, degree = Math.PI / 180;
    const q = [upper * degree, lower * degree];
    this.states = [{ q, qd: [0, 0] }, { q: [q[0] + 10 ** -hair, q[1]], qd: [0, 0] }];
    Object.assign(this, { t: 0, waiting: 0, apart: new History(), trails: [[], []] });
    this.first = this.energy();
    this.note();
  }

  change(options) {
    Object.assign(this.options, options);
    this.first = this.energy();
  }

  advance(seconds) {
    for (this.waiting += seconds; this.waiting >= DT / 2; this.waiting -= DT) this.step();
  }

  step() {
    for (const state of this.states) [state.q, state.qd] = this.moved(state.q, state.qd, DT);
    this.t += DT;
    this.note();
  }

  // The state after the time dt. A light mass above a heavy one whips round: there the step is taken as two halves.
  moved(q, qd, dt, halvings = HALVINGS) {
    const { m1, m2, l1, l2, g } = this.options, next = step(q, qd, dt, ...this.numbers);
    const change = energy(...next, ...this.numbers) - energy(q, qd, ...this.numbers);
    if (halvings === 0 || Math.abs(change) <= LOST * g * (m1 * l1 + m2 * (l1 + l2))) return next;
    return this.moved(...this.moved(q, qd, dt / 2, halvings - 1), dt / 2, halvings - 1);
  }

  note() {
    this.apart.add([this.t, Math.log10(this.distance())]);
    this.states.forEach(({ q }, k) => {
      this.trails[k].push([...massPoints(q, ...this.numbers).slice(3, 5)]);
      if (this.trails[k].length > 500) this.trails[k].shift();
    });
  }

  // How far apart the two states are: the largest difference of an angle (rad).
  distance() {
    const [a, b] = this.states;
    return Math.max(...a.q.map((x, k) => Math.abs(x - b.q[k])));
  }

  energy() {
    return energy(this.states[0].q, this.states[0].qd, ...this.numbers);
  }

  accelerations() {
    return aba(this.states[0].q, this.states[0].qd, [0, 0], ...this.numbers);
  }
}

function drawScene(stage, simulation) {
  const { m1, m2, l1, l2 } = simulation.options, reach = 1.12 * (l1 + l2);
  stage.begin({ x: [-reach, reach], y: [-reach, reach] });
  [FORCE, MOTION].forEach((colour, k) => {
    const which = 1 - k, points = massPoints(simulation.states[which].q, ...simulation.numbers);
    const [elbow, tip] = [[points[0], points[1]], [points[3], points[4]]];
    stage.line(simulation.trails[which], { colour, width: 1 });
    stage.line([[0, 0], elbow, tip], { colour, width: 4 });
    stage.disc(elbow, { pixels: 5 + 3 * Math.cbrt(m1) }, { fill: which ? BODY : colour, colour });
    stage.disc(tip, { pixels: 5 + 3 * Math.cbrt(m2) }, { fill: which ? BODY : colour, colour });
  });
  stage.pin([0, 0]);
}

function drawGraph(graph, simulation) {
  graph.x.to = Math.max(10, Math.ceil(simulation.t / 10) * 10);
  graph.draw([{ points: simulation.apart.points, colour: INK }]);
}

function sliders(panel, simulation, clock) {
  const now = key => value => {
    simulation.change({ [key]: value });
    clock.draw();
  };
  const afresh = key => value => {
    simulation.options[key] = value;
    clock.again(() => simulation.restart());
  };
  const from = simulation.options, kilos = x => written(x, 1, "kg"), metres = x => written(x, 2, "m");
  for (const [label, key] of [["Upper mass", "m1"], ["Lower mass", "m2"]]) {
    panel.slider({ label, min: 0.1, max: 5, step: 0.1, value: from[key], show: kilos, changed: now(key) });
  }
  for (const [label, key] of [["Upper rod", "l1"], ["Lower rod", "l2"]]) {
    panel.slider({ label, min: 0.3, max: 1.5, step: 0.05, value: from[key], show: metres, changed: now(key) });
  }
  panel.slider({ label: "Start: angle of the upper rod", min: 0, max: 180, step: 1, value: from.upper,
                 show: x => written(x, 0, "°"), changed: afresh("upper") });
  panel.slider({ label: "Start: bend between the rods", min: -180, max: 180, step: 1, value: from.lower,
                 show: x => written(x, 0, "°"), changed: afresh("lower") });
  panel.slider({ label: "The hair between the two", min: 1, max: 12, step: 1, value: from.hair,
                 show: x => `${power(-x)}\u00A0rad`, changed: afresh("hair") });
}

export function start(element) {
  const panel = new Panel(element).name("Live figure: two double pendulums that start a hair apart");
  const simulation = new Simulation();
  const stage = panel.stage("Two double pendulums on one pivot, with the trails of their lower masses", 1);
  const graph = panel.graph("Graph: the difference of the angles over time, on a logarithmic scale", 0.8,
                            { title: "Difference of the angles (rad)", x: { label: "t (s)", from: 0, to: 10 },
                              y: { from: -12, to: 2, log: true } });
  panel.legend([[MOTION, "first"], [FORCE, "second, a hair away"]]);
  const tell = { t: panel.number("Time"), E: panel.number("Energy of the first"), error: panel.number("Its error") };
  const draw = () => {
    drawScene(stage, simulation);
    drawGraph(graph, simulation);
    tell.t(written(simulation.t, 1, "s"));
    tell.E(written(simulation.energy(), 3, "J"));
    tell.error(small(simulation.energy() - simulation.first, "J"));
  };
  const clock = new Clock(panel, { advance: s => simulation.advance(s), draw, restart: () => simulation.restart() });
  sliders(panel, simulation, clock);
  return { panel, simulation, clock };
}
