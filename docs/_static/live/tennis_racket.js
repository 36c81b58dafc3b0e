// A box that turns freely: about its middle axis it cannot keep turning (RBDA 2.14, Table 7.1).

import { FORCE, GREY, HIGHLIGHT, INERTIA, MOTION } from "./colours.js";
import { Clock } from "./clock.js";
import { History } from "./graph.js";
import { small, written } from "./numbers.js";
import { Panel } from "./panel.js";
import { eye } from "./stage.js";
import { aba, spin, step } from "./tennis_racket_model.js";

export const DT = 1 / 400;
export const START = { a: 0.24, b: 0.16, c: 0.03, axis: 2, speed: 6, nudge: 0.02 };
const AXES = [MOTION, FORCE, INERTIA];

export class Simulation {
  constructor(options = {}) {
    this.options = { ...START, ...options };
    this.restart();
  }

  get edges() {
    const { a, b, c } = this.options;
    return [a, b, c];
  }

  restart() {
    const { axis, speed, nudge } = this.options;
    const qd = [1, 2, 3].map(k => (k === axis ? speed : nudge));
    Object.assign(this, { q: [1, 0, 0, 0], qd, t: 0, waiting: 0 });
    this.courses = [0, 1, 2].map(() => new History());
    this.first = this.spin();
    this.note();
  }

  advance(seconds) {
    for (this.waiting += seconds; this.waiting >= DT / 2; this.waiting -= DT) this.step();
  }

  step() {
    [this.q, this.qd] = step(this.q, this.qd, DT, ...this.edges);
    this.t += DT;
    this.note();
  }

  note() {
    this.courses.forEach((course, k) => course.add([this.t, this.qd[k]]));
  }

  // Turned frame (3 x 3 in row order), angular momentum in space axes, energy.
  spin() {
    const [E, h, energy] = spin(this.q, this.qd, ...this.edges);
    return { E, h, energy };
  }

  accelerations() {
    return aba(this.q, this.qd, [0, 0, 0], ...this.edges);
  }
}

// The six faces of a box with the edges given, each as four corners and the direction out of it.
function faces([a, b, c]) {
  const half = [a / 2, b / 2, c / 2], found = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([s, t]) => {
        const point = [0, 0, 0];
        [point[axis], point[u], point[v]] = [side * half[axis], s * half[u], t * half[v]];
        return point;
      });
      const out = [0, 0, 0];
      out[axis] = side;
      found.push({ corners, out, axis, side });
    }
  }
  return found;
}

// The box as a book: red cover, blue back, white pages.
const COVERS = { "2,1": "#F2C9AE", "2,-1": "#BFD9EA" };

function drawBox(stage, simulation) {
  const { E, h } = simulation.spin(), look = eye(-0.9, 0.35);
  const turn = ([x, y, z]) => look([0, 1, 2].map(k => E[k] * x + E[3 + k] * y + E[6 + k] * z));
  const size = Math.max(...simulation.edges) * 0.95;
  stage.begin({ x: [-size, size], y: [-size, size] });
  const seen = faces(simulation.edges).map(face => ({ ...face, near: turn(face.out)[2] })).filter(f => f.near > 0);
  for (const face of seen) {
    const points = face.corners.map(corner => turn(corner).slice(0, 2));
    stage.polygon(points, { fill: COVERS[`${face.axis},${face.side}`] ?? "#FFFFFF" });
    if (face.axis === 2 && face.side > 0) title(stage, simulation.edges, turn);
  }
  simulation.edges.forEach((edge, k) => {
    const tip = [0, 0, 0];
    tip[k] = edge / 2 + 0.2 * size;
    stage.arrow([0, 0], turn(tip).slice(0, 2), { colour: AXES[k], width: 2 });
  });
  const length = Math.hypot(...h), direction = look([...h].map(x => 0.75 * size * x / length));
  stage.arrow([0, 0], direction.slice(0, 2), { colour: HIGHLIGHT, width: 4 });
}

// Two lines on the cover, so that its turns can be seen.
function title(stage, [a, b, c], turn) {
  const flat = (x, y) => turn([x * a, y * b, c / 2]).slice(0, 2);
  stage.line([flat(0.35, -0.25), flat(0.35, 0.25)], { colour: GREY, width: 4 });
  stage.line([flat(0.25, -0.12), flat(0.25, 0.12)], { colour: GREY, width: 2 });
}

// The three axes with what they are at these edges: inertia is least about the longest edge.
export function roles(edges) {
  const said = { "0,2": "the least inertia", "1,1": "the one between", "2,0": "the most inertia" };
  return edges.map((edge, k) => {
    const longer = edges.filter(x => x > edge + 1e-9).length, shorter = edges.filter(x => x < edge - 1e-9).length;
    return [k + 1, `edge ${"abc"[k]}, ${said[[longer, shorter]] ?? "the same inertia as another"}`];
  });
}

function controls(panel, simulation, clock) {
  const afresh = key => value => {
    simulation.options[key] = Number(value);
    clock.again(() => simulation.restart());
  };
  const axis = panel.choice({ label: "Thrown about", value: START.axis, changed: afresh("axis"),
                              options: roles(simulation.edges) });
  panel.slider({ label: "Speed of turning", min: 1, max: 12, step: 0.5, value: START.speed,
                 show: x => written(x, 1, "rad/s"), changed: afresh("speed") });
  panel.slider({ label: "Nudge about the other axes", min: 0, max: 0.5, step: 0.01, value: START.nudge,
                 show: x => written(x, 2, "rad/s"), changed: afresh("nudge") });
  for (const key of ["a", "b", "c"]) {
    panel.slider({ label: `Edge ${key}`, min: 0.02, max: 0.3, step: 0.01, value: START[key],
                   show: x => written(100 * x, 0, "cm"), changed: value => {
                     afresh(key)(value);
                     roles(simulation.edges).forEach(([, words], k) => { axis.input.options[k].textContent = words; });
                   } });
  }
}

export function start(element) {
  const panel = new Panel(element).name("Live figure: a thrown book, the tennis-racket effect");
  const simulation = new Simulation();
  const stage = panel.stage("A book turning in the air, its three axes, and its angular momentum", 0.9);
  const graph = panel.graph("Graph: the three components of the angular velocity in body axes over time", 0.8,
                            { title: "Angular velocity in body axes (rad/s)", x: { label: "t (s)", from: 0, to: 10 },
                              y: {} });
  panel.legend([[MOTION, "axis a"], [FORCE, "axis b"], [INERTIA, "axis c"],
                [HIGHLIGHT, "angular momentum: it stays where it is"]]);
  const tell = { t: panel.number("Time"), E: panel.number("Energy"), error: panel.number("Error of the energy"),
                 h: panel.number("Error of the angular momentum") };
  const draw = () => {
    const { h, energy } = simulation.spin(), { first } = simulation;
    drawBox(stage, simulation);
    graph.x.to = Math.max(10, Math.ceil(simulation.t / 10) * 10);
    graph.draw(simulation.courses.map((course, k) => ({ points: course.points, colour: AXES[k] })));
    tell.t(written(simulation.t, 1, "s"));
    tell.E(written(1000 * energy, 3, "mJ"));
    tell.error(small(energy - first.energy, "J"));
    tell.h(small(Math.hypot(...h.map((x, k) => x - first.h[k])), "kg\u00A0m²/s"));
  };
  const clock = new Clock(panel, { advance: s => simulation.advance(s), draw, restart: () => simulation.restart() });
  controls(panel, simulation, clock);
  return { panel, simulation, clock };
}
