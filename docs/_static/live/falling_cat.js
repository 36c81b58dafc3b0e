// A cat without angular momentum turns over by bending its waist (RBDA 9.5, Example 9.3).

import { BODY, FORCE, GREY, HIGHLIGHT, INK, MOTION } from "./colours.js";
import { Clock } from "./clock.js";
import { written } from "./numbers.js";
import { Panel } from "./panel.js";
import { eye } from "./stage.js";
import { angularMomenta, halves, turnOver } from "./falling_cat_model.js";

export const START = { bend: 76, rounds: 1 };
export const DURATION = 4;                                 // s of the film; the turn does not depend on it
const FINE = Math.PI / 90;                                 // the waist moves in steps of no more than this (rad)
const ON_ITS_BACK = [0, 1, 0, 0];
const HALF = 0.22, RADIUS = 0.045;

const smooth = s => (s <= 0 ? 0 : s >= 1 ? 1 : s ** 3 * (10 - 15 * s + 6 * s * s));

export class Simulation {
  constructor(options = {}) {
    this.options = { ...START, ...options };
    this.restart();
  }

  restart() {
    Object.assign(this, { p: [...ON_ITS_BACK], b: 0, w: 0, t: 0, turned: 0, momenta: [[], []] });
    this.way = [[0, 0]];
    this.faced = this.direction();
  }

  // Bends the waist to b in the direction w (rad), in small steps; the momentum stays zero.
  move(b, w) {
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(b - this.b), Math.abs(w - this.w)) / FINE));
    const [db, dw] = [(b - this.b) / steps, (w - this.w) / steps];
    for (let k = 0; k < steps; k++) {
      this.p = turnOver(this.p, this.b, this.w, db, dw);
      this.b += db;
      this.w += dw;
      const direction = this.direction();
      this.turned += (direction - this.faced + 540) % 360 - 180;
      this.faced = direction;
    }
    this.way.push([this.b * Math.cos(this.w), this.b * Math.sin(this.w)]);
  }

  // The film: arch the back, let the arch go round, stretch.
  posture(t) {
    const s = 5 * t / DURATION, bend = this.options.bend * Math.PI / 180;
    return [bend * (smooth(s) - smooth(s - 4)), 2 * Math.PI * this.options.rounds * smooth((s - 1) / 3)];
  }

  advance(seconds) {
    if (this.t >= DURATION) return;
    const t = Math.min(this.t + seconds, DURATION), [b, w] = this.posture(t), before = [this.p, this.b, this.w];
    const rates = [(b - this.b) / (t - this.t), (w - this.w) / (t - this.t)];
    this.move(b, w);
    this.t = t;
    const h = angularMomenta(...before, ...rates);
    this.momenta.forEach((curve, k) => curve.push([t, 1000 * h[3 * k]]));
  }

  halves() {
    return halves(this.p, this.b, this.w);
  }

  // The angle of its back about its long axis (degrees); it grows by turned while the cat moves.
  direction() {
    const [E] = this.halves();
    return Math.atan2(E[5], -E[8]) * 180 / Math.PI;
  }
}

// A point of a half as seen in space.
function placed(E, r, [x, y, z]) {
  return [0, 1, 2].map(k => r[k] + E[k] * x + E[3 + k] * y + E[6 + k] * z);
}

// Bars and balls of the cat, { from, to, width (m), fill }, in space.
function parts([E_1, r_1, E_2, r_2]) {
  const found = [];
  [[E_1, r_1, [-0.04, BODY]], [E_2, r_2, [-0.18, GREY]]].forEach(([E, r, [paw, fill]], rear) => {
    const at = point => placed(E, r, point), bar = (a, b, width, colour) => found.push({ from: at(a), to: at(b), width,
                                                                                         fill: colour });
    bar([-0.015, 0, 0], [-HALF + 0.015, 0, 0], 2 * RADIUS, fill);
    for (const side of [-0.035, 0.035]) bar([paw, side, -0.03], [paw, side, -0.13], 0.024, FORCE);
    if (rear) bar([-HALF, 0, 0.02], [-0.37, 0, 0.08], 0.018, fill);
    else {
      bar([0.045, 0, 0.02], [0.05, 0, 0.02], 0.085, fill);
      for (const side of [-0.025, 0.025]) bar([0.045, side, 0.055], [0.045, side * 1.3, 0.075], 0.014, FORCE);
    }
  });
  return found;
}

function drawCat(stage, simulation) {
  const look = eye(-1.15, 0.25);
  stage.begin();
  const seen = parts(simulation.halves()).map(part => ({ ...part, a: look(part.from), b: look(part.to) }));
  seen.sort((one, other) => one.a[2] + one.b[2] - other.a[2] - other.b[2]);
  for (const { a, b, width, fill } of seen) {
    stage.bar(a.slice(0, 2), b.slice(0, 2), { fill, width: Math.max(4, width * stage.scale) });
  }
}

function drawWay(stage, simulation) {
  stage.begin();
  for (const size of [30, 60, 90]) {
    stage.disc([0, 0], size * Math.PI / 180, { fill: null, colour: "#DDDDDD", width: 1 });
    stage.text(`${size}°`, [0, size * Math.PI / 180], { shift: [4, -7], size: 11, colour: "#595959" });
  }
  stage.line(simulation.way, { colour: MOTION });
  stage.disc(simulation.way.at(-1), { pixels: 5 }, { fill: HIGHLIGHT, colour: INK });
  stage.text("belly out", [0, 0], { shift: [40, -8], size: 11, colour: "#595959" });
  stage.text("Bend of the waist, and its direction", [-1.98, 1.93], { size: 12.5, weight: "600" });
}

function drawMomenta(graph, simulation) {
  const [front, rear] = simulation.momenta.map(curve => [[0, 0], ...curve]);       // it starts at rest
  const sum = front.map(([t, h], k) => [t, h + rear[k][1]]);
  graph.draw([{ points: front, colour: MOTION }, { points: rear, colour: FORCE, dash: [7, 3] },
              { points: sum, colour: INK, width: 3 }]);
}

function controls(panel, simulation, clock) {
  const hand = {};
  const byHand = () => {
    clock.set(false);
    simulation.move(hand.b.value * Math.PI / 180, hand.w.value * Math.PI / 180);
    clock.draw();
  };
  panel.slider({ label: "Largest bend in the film", min: 10, max: 110, step: 1, value: START.bend,
                 show: x => written(x, 0, "°"), changed: x => {
                   simulation.options.bend = x;
                   clock.again(() => simulation.restart());
                 } });
  panel.slider({ label: "Rounds of the arch", min: -2, max: 2, step: 1, value: START.rounds, changed: x => {
    simulation.options.rounds = x;
    clock.again(() => simulation.restart());
  } });
  hand.b = panel.slider({ label: "By hand: bend", min: 0, max: 110, step: 1, value: 0,
                          show: x => written(x, 0, "°"), changed: byHand });
  hand.w = panel.slider({ label: "By hand: direction of the bend", min: -720, max: 720, step: 2, value: 0,
                          show: x => written(x, 0, "°"), changed: byHand });
  return hand;
}

export function start(element) {
  const panel = new Panel(element).name("Live figure: a falling cat that turns over without angular momentum");
  const simulation = new Simulation(), limit = 2.05;
  const cat = panel.stage("A falling cat made of two halves, seen by an eye that falls with it", 0.72,
                          { x: [-0.4, 0.4], y: [-0.27, 0.27] });
  const way = panel.stage("The way of the bend: to the belly and back, to either side", 1,
                          { x: [-limit, limit], y: [-limit, limit] }, "live-narrow");
  const graph = panel.graph("Graph: the angular momenta of both halves, and their sum, which is zero", 0.4,
                            { title: "Angular momentum, long axis (g m²/s)",
                              x: { label: "t (s)", from: 0, to: DURATION }, y: {} }, "live-wide");
  panel.legend([[MOTION, "front half"], [FORCE, "rear half", "dashed"], [INK, "sum"]]);
  const tell = { turned: panel.number("Turned over by"), bend: panel.number("Bend") };
  const draw = () => {
    drawCat(cat, simulation);
    drawWay(way, simulation);
    drawMomenta(graph, simulation);
    tell.turned(written(simulation.turned, 1, "°"));
    tell.bend(written(simulation.b * 180 / Math.PI, 0, "°"));
    if (hand) [hand.b.value, hand.w.value] = [simulation.b, simulation.w].map(x => Math.round(x * 180 / Math.PI));
  };
  let hand = null;
  const clock = new Clock(panel, { advance: s => simulation.advance(s), draw, restart: () => simulation.restart() });
  hand = controls(panel, simulation, clock);
  return { panel, simulation, clock };
}
