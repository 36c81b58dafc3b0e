// A ball that bounces down a slope, slides, and rolls (RBDA 11.6, 11.7).

import { BODY, FORCE, GREY, INERTIA, INK, MOTION } from "./colours.js";
import { Clock } from "./clock.js";
import { History } from "./graph.js";
import { written } from "./numbers.js";
import { Panel } from "./panel.js";
import * as model from "./bounce_and_roll_model.js";

export const DT = 1 / 240;
export const START = { k: 0.4, slope: 4, g: 9.81, e: 0.7, mu: 0.25, height: 0.7, speed: 0.6, spin: 20 };
const { RADIUS } = model;
const AT_REST = 0.02;                                      // m/s: slower bounces end
const SLOW = 1e-9;                                         // m/s: slower sliding is none

// The ball in axes along the slope (x, downhill) and out of it (y): q = [angle, x, y], v = [omega, v_x, v_y].
export class Simulation {
  constructor(options = {}) {
    this.options = { ...START, ...options };
    this.restart();
  }

  get numbers() {
    const { k, slope, g } = this.options;
    return [k, slope * Math.PI / 180, g];
  }

  restart() {
    const { height, speed, spin } = this.options;
    Object.assign(this, { q: [0, 0, RADIUS + height], v: [spin, speed, 0], t: 0, waiting: 0, mode: "flight",
                          bounces: 0, impulse: [0, 0], force: [0, 0] });
    this.speeds = [0, 1].map(() => new History());
    this.way = [];
    this.note();
  }

  advance(seconds) {
    for (this.waiting += seconds; this.waiting >= DT / 2; this.waiting -= DT) this.step();
  }

  // One step of length DT, in which the ball may land, and its sliding may end.
  step() {
    for (let left = DT; left > 0;) left -= this.mode === "flight" ? this.fly(left) : this.touch(left);
    this.t += DT;
    this.note();
  }

  // Flies for the time given or until it lands; returns how long that was.
  fly(left) {
    const landing = model.timeToLand(this.q, this.v, ...this.numbers), time = Math.min(left, landing);
    [this.q, this.v] = model.flight(this.q, this.v, time, ...this.numbers);
    this.force = [0, 0];
    if (landing <= left) this.land();
    return time;
  }

  land() {
    const { e, mu } = this.options, sliding = model.slip(this.v, ...this.numbers);
    const bounce = -this.v[2] * e > AT_REST ? e : 0;
    let [v, impulse] = model.stickingImpact(this.v, bounce, ...this.numbers);
    if (Math.abs(impulse[0]) > mu * impulse[1]) {          // more than friction can do: it slides through the impact
      [v, impulse] = model.slidingImpact(this.v, bounce, mu, Math.sign(sliding), ...this.numbers);
    }
    Object.assign(this, { v, impulse, bounces: this.bounces + 1 });
    this.q[2] = RADIUS;
    if (bounce === 0) Object.assign(this, { mode: "contact" }).v[2] = 0;
  }

  // Slides or rolls for the time given or until the sliding ends; returns how long that was.
  touch(left) {
    const { mu } = this.options, slip = model.slip(this.v, ...this.numbers), slides = Math.abs(slip) > SLOW;
    let [a, force] = model.rolling(...this.numbers), time = left;
    const rolls = !slides && Math.abs(force[0]) <= mu * force[1];
    if (!rolls) {
      const sign = slides ? Math.sign(slip) : -Math.sign(force[0]);
      [a, force] = model.sliding(mu, sign, ...this.numbers);
      const change = model.slip(a, ...this.numbers), end = -slip / change;
      if (slides && end > 0 && end < left) time = end;
    }
    this.q = this.q.map((x, i) => x + time * this.v[i] + time * time / 2 * a[i]);
    this.v = this.v.map((x, i) => x + time * a[i]);
    if (!rolls && time < left) this.v[0] = -this.v[1] / RADIUS;       // exactly at rest on the slope
    Object.assign(this, { force, mode: rolls ? "rolling" : "sliding" });
    return time;
  }

  energy() {
    return model.energy(this.q, this.v, ...this.numbers);
  }

  note() {
    [this.v[1], -RADIUS * this.v[0]].forEach((speed, k) => this.speeds[k].add([this.t, speed]));
    this.way.push([this.q[1], this.q[2]]);
    if (this.way.length > 900) this.way.shift();
  }
}

// Turns axes along the slope into those of the picture.
function tilted(simulation) {
  const alpha = simulation.options.slope * Math.PI / 180, [c, s] = [Math.cos(alpha), Math.sin(alpha)];
  return ([x, y]) => [c * x + s * y, -s * x + c * y];
}

function drawBall(stage, simulation) {
  const tilt = tilted(simulation), { q, v } = simulation, centre = tilt([q[1], q[2]]);
  stage.begin({ x: [centre[0] - 0.9, centre[0] + 0.9], y: [centre[1] - q[2] - 0.16, centre[1] - q[2] + 0.84] });
  const far = Math.round(q[1] / 0.5) * 0.5;
  stage.ground(tilt([far - 4, 0]), tilt([far + 4, 0]));
  for (let x = far - 2; x <= far + 2; x += 0.5) {
    stage.text(`${written(x, 1)}\u00A0m`, tilt([x, -0.09]), { align: "center", size: 12, colour: "#595959" });
  }
  stage.line(simulation.way.map(tilt), { colour: GREY, width: 1, dash: [3, 3] });
  stage.disc(centre, RADIUS, { fill: BODY });
  for (const angle of [0, Math.PI / 2, Math.PI, 3 * Math.PI / 2]) {
    const [x, y] = [Math.cos(q[0] + angle), Math.sin(q[0] + angle)].map(u => u * RADIUS * 0.85);
    stage.line([centre, tilt([q[1] + x, q[2] + y])], { colour: angle ? INK : FORCE, width: angle ? 1 : 4 });
  }
  stage.arrow(centre, tilt([q[1] + 0.15 * v[1], q[2] + 0.15 * v[2]]), { colour: MOTION });
  const foot = [q[1], q[2] - RADIUS], [x, y] = [...simulation.force].map(f => 0.02 * f);
  if (y > 0) stage.arrow(tilt(foot), tilt([foot[0] + x, foot[1] + y]), { colour: FORCE });
}

const MODES = { flight: "in the air", contact: "landing", sliding: "sliding", rolling: "rolling" };

function controls(panel, simulation, clock) {
  const afresh = key => value => {
    simulation.options[key] = Number(value);
    clock.again(() => simulation.restart());
  };
  const sliders = [["Restitution e", "e", 0, 0.95, 0.05, x => written(x, 2)],
                   ["Friction \u03bc", "mu", 0, 1, 0.01, x => written(x, 2)],
                   ["Spin at the start, backspin above zero", "spin", -60, 60, 1, x => written(x, 0, "rad/s")],
                   ["Speed along the slope at the start", "speed", -2, 3, 0.1, x => written(x, 1, "m/s")],
                   ["Slope", "slope", 0, 30, 0.5, x => written(x, 1, "°")],
                   ["Height at the start", "height", 0, 1, 0.05, x => written(x, 2, "m")]];
  panel.choice({ label: "The ball is", value: START.k, changed: afresh("k"),
                 options: [[0.4, "solid"], [0.6667, "hollow"], [0.5, "a roller"], [1, "a hoop"]] });
  for (const [label, key, min, max, step, show] of sliders) {
    panel.slider({ label, min, max, step, value: START[key], show, changed: afresh(key) });
  }
}

export function start(element) {
  const panel = new Panel(element).name("Live figure: a ball that bounces, slides and rolls down a slope");
  const simulation = new Simulation();
  const stage = panel.stage("A ball over a slope, its velocity, and the force of the slope on it", 0.45, {},
                            "live-wide");
  const graph = panel.graph("Graph: the speed of the ball's centre along the slope, and that of its rim", 0.4,
                            { title: "Speeds along the slope (m/s)", x: { label: "t (s)", from: 0, to: 4 }, y: {} },
                            "live-wide");
  panel.legend([[MOTION, "velocity of the centre"],
                [INERTIA, "speed of the rim, \u2212rω: equal when it rolls", "dashed"],
                [FORCE, "force of the slope; mark on the ball"]]);
  const tell = { mode: panel.number("The ball is"), bounces: panel.number("Bounces"),
                 slip: panel.number("Sliding velocity"), v: panel.number("Velocity along the slope") };
  const draw = () => {
    drawBall(stage, simulation);
    const [centre, rim] = simulation.speeds.map(history => history.points);
    graph.x.to = Math.max(4, Math.ceil(simulation.t / 4) * 4);
    graph.draw([{ points: centre, colour: MOTION }, { points: rim, colour: INERTIA, dash: [7, 3] }]);
    tell.mode(MODES[simulation.mode]);
    tell.bounces(String(simulation.bounces));
    tell.slip(written(model.slip(simulation.v, ...simulation.numbers), 2, "m/s"));
    tell.v(written(simulation.v[1], 2, "m/s"));
  };
  const clock = new Clock(panel, { advance: s => simulation.advance(s), draw, restart: () => simulation.restart() });
  controls(panel, simulation, clock);
  return { panel, simulation, clock };
}
