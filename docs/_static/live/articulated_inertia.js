// The inertia of an articulated body, felt at its handle while joints are freed (RBDA Table 7.1).

import { BODY, FORCE, GREY, HIGHLIGHT, INERTIA, INK, MOTION } from "./colours.js";
import { written } from "./numbers.js";
import { Panel } from "./panel.js";
import * as model from "./articulated_inertia_model.js";

export const START = { bends: [50, -50, 50, -50], free: [1, 1, 1, 1], direction: 30 };
const SIZE = 0.1;                                          // metres of the picture for 1 kg
const ARROW = 0.25;                                        // and for 1 m/s²

export class Simulation {
  constructor(options = {}) {
    this.options = { ...START, ...options };
  }

  // What Table 7.1 gives at the handle: I (2 x 2, in row order, kg), and the acceleration (m/s²) that 1 N causes.
  felt(free = this.options.free) {
    const { bends, direction } = this.options, degree = Math.PI / 180;
    const [I, a] = model[`felt${free.map(Number).join("")}`](direction * degree, ...bends.map(x => x * degree));
    return { I, a };
  }

  points() {
    const flat = model.chainPoints(...this.options.bends.map(x => x * Math.PI / 180));
    return Array.from({ length: 6 }, (_, k) => [flat[2 * k], flat[2 * k + 1]]);
  }
}

// The ellipse of all I n with unit vectors n: how much mass is felt in which direction.
function ellipse([a, b, c, d]) {
  return Array.from({ length: 72 }, (_, k) => {
    const [x, y] = [Math.cos(k * Math.PI / 36), Math.sin(k * Math.PI / 36)];
    return [SIZE * (a * x + b * y), SIZE * (c * x + d * y)];
  });
}

function draw(stage, simulation, tell) {
  const { free, direction } = simulation.options, { I, a } = simulation.felt(), points = simulation.points();
  stage.begin();
  stage.polygon(ellipse(simulation.felt([0, 0, 0, 0]).I), { fill: null, colour: GREY, width: 1.2 });
  stage.polygon(ellipse(I), { fill: INERTIA, colour: INERTIA, width: 2, alpha: 0.25 });
  for (let k = 4; k >= 0; k--) stage.bar(points[k], points[k + 1], { fill: k ? BODY : HIGHLIGHT, width: 12 });
  free.forEach((f, k) => (f ? stage.pin(points[k + 1]) : stage.disc(points[k + 1], { pixels: 4 }, { fill: INK })));
  const push = [Math.cos(direction * Math.PI / 180), Math.sin(direction * Math.PI / 180)];
  stage.arrow([0, 0], push.map(x => x * 0.5), { colour: FORCE });
  stage.arrow([0, 0], [ARROW * a[0], ARROW * a[1]], { colour: MOTION });
  const along = push[0] * (I[0] * push[0] + I[1] * push[1]) + push[1] * (I[2] * push[0] + I[3] * push[1]);
  tell.mass(written(along, 2, "kg"));
  tell.a(`(${written(a[0], 2)}, ${written(a[1], 2)})\u00A0m/s²`);
  const count = free.filter(Boolean).length;
  tell.free(`${count} of 4`);
}

function controls(panel, simulation, redraw) {
  const { options } = simulation;
  panel.group("Free joints", () => options.free.forEach((value, k) => panel.tick({
    label: `joint ${k + 1}`, value: Boolean(value), changed: on => {
      options.free = options.free.map((f, i) => (i === k ? Number(on) : f));
      redraw();
    } })));
  panel.slider({ label: "Direction of the force", min: -180, max: 180, step: 1, value: options.direction,
                 show: x => written(x, 0, "°"), changed: x => {
                   options.direction = x;
                   redraw();
                 } });
  options.bends.forEach((value, k) => panel.slider({
    label: `Bend of joint ${k + 1}`, min: -150, max: 150, step: 1, value, show: x => written(x, 0, "°"),
    changed: x => {
      options.bends = options.bends.map((bend, i) => (i === k ? x : bend));
      redraw();
    } }));
}

export function start(element) {
  const panel = new Panel(element).name("Live figure: the inertia that is felt at one end of a chain of five rods");
  const simulation = new Simulation({ bends: [...START.bends], free: [...START.free] });
  const stage = panel.stage("A chain of five rods with an ellipse around the first one's end: the mass that is felt "
                            + "there in each direction", 0.62, { x: [-0.75, 2.45], y: [-1, 1] }, "live-wide");
  panel.legend([[HIGHLIGHT, "the handle, rod 1", "box"], [GREY, "all joints locked: 5 kg"],
                [INERTIA, "as it is (10 cm stand for 1 kg)", "box"], [FORCE, "a force of 1 N"],
                [MOTION, "the acceleration it causes (25 cm for 1 m/s²)"]]);
  const tell = { free: panel.number("Free joints"), mass: panel.number("Mass felt in the direction of the force"),
                 a: panel.number("Acceleration for 1 N") };
  const redraw = () => draw(stage, simulation, tell);
  controls(panel, simulation, redraw);
  new ResizeObserver(redraw).observe(panel.pictures);
  return { panel, simulation, draw: redraw };
}
