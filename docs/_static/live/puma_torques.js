// What the motors of a PUMA 560 must supply during one motion, and for what (RBDA 5.3).

import { FORCE, GREY, HIGHLIGHT, INERTIA, INK, MOTION } from "./colours.js";
import { Clock } from "./clock.js";
import { written } from "./numbers.js";
import { Panel } from "./panel.js";
import { eye } from "./stage.js";
import { arm, torques } from "./puma_torques_model.js";

export const START = { T: 1.2, load: 0, g: 9.81, joint: 2 };
const SAMPLES = 120;
const PARTS = ["inertial", "coriolis", "gravity", "total"];

export class Simulation {
  constructor(options = {}) {
    this.options = { ...START, ...options };
    this.t = 0;
  }

  advance(seconds) {
    const { T } = this.options;
    this.t = (this.t + seconds) % (T + 0.6);               // a rest at the end, then again
  }

  get now() {
    return Math.min(this.t, this.options.T);
  }

  // The torques of all joints at the time t, { inertial, coriolis, gravity, total }.
  torques(t) {
    const { T, load, g } = this.options, parts = torques(t, T, load, g);
    return Object.fromEntries(PARTS.map((part, k) => [part, parts[k]]));
  }

  // The torques of the chosen joint over the whole motion: { part: [[t, torque], ...] }.
  course() {
    const { T, joint } = this.options, curves = Object.fromEntries(PARTS.map(part => [part, []]));
    for (let k = 0; k <= SAMPLES; k++) {
      const t = T * k / SAMPLES, parts = this.torques(t);
      for (const part of PARTS) curves[part].push([t, parts[part][joint - 1]]);
    }
    return curves;
  }

  // Points along the arm (m), from the shoulder on.
  arm(t) {
    const { T, load, g } = this.options, flat = arm(t, T, load, g);
    return Array.from({ length: 8 }, (_, k) => [...flat.slice(3 * k, 3 * k + 3)]);
  }
}

function drawArm(stage, simulation) {
  const look = eye(0.25, 0.45), seen = point => look(point).slice(0, 2);
  stage.begin();
  const points = simulation.arm(simulation.now), floor = -0.672;
  const corners = [[-0.7, -0.7], [0.7, -0.7], [0.7, 0.7], [-0.7, 0.7]].map(([x, y]) => seen([x, y, floor]));
  stage.polygon(corners, { fill: "#F4F4F4", colour: GREY, width: 0.8 });
  const hands = Array.from({ length: 41 }, (_, k) => seen(simulation.arm(simulation.options.T * k / 40)[7]));
  stage.line(hands, { colour: MOTION, width: 1.2, dash: [4, 3] });
  stage.line(points.slice(1).map(([x, y]) => seen([x, y, floor])), { colour: "#D5D5D5", width: 5 });
  stage.bar(seen([0, 0, floor]), seen(points[0]), { width: 18 });
  const bars = [[0, 1, 10], [1, 2, 12], [2, 3, 12], [3, 4, 10], [4, 5, 10], [5, 6, 7], [6, 7, 5]];
  for (const [a, b, width] of bars) stage.bar(seen(points[a]), seen(points[b]), { width });
  for (const k of [0, 3, 5]) stage.pin(seen(points[k]));
  const { load } = simulation.options;
  if (load > 0) stage.disc(seen(points[7]), { pixels: 4 + 5 * Math.cbrt(load) }, { fill: HIGHLIGHT, colour: INK });
}

function drawTorques(graph, simulation, tell) {
  const { T, joint } = simulation.options, course = simulation.course(), now = simulation.torques(simulation.now);
  graph.x.to = T;
  graph.title = `Torque of joint ${joint} (N m)`;
  graph.draw([{ points: course.inertial, colour: MOTION }, { points: course.coriolis, colour: FORCE, dash: [7, 3] },
              { points: course.gravity, colour: INERTIA, dash: [2, 3] },
              { points: course.total, colour: INK, width: 3 }],
             { marks: [simulation.now], dots: [{ point: [simulation.now, now.total[joint - 1]], colour: INK }] });
  for (const part of PARTS) tell[part](written(now[part][joint - 1], 1, "N\u00A0m"));
}

function controls(panel, simulation, clock) {
  const change = key => value => {
    simulation.options[key] = Number(value);
    clock.draw();
  };
  panel.choice({ label: "Joint", value: 2, changed: change("joint"),
                 options: [[1, "1, waist"], [2, "2, shoulder"], [3, "3, elbow"], [4, "4, wrist"], [5, "5, wrist"],
                           [6, "6, wrist"]] });
  panel.slider({ label: "Duration of the motion", min: 0.5, max: 4, step: 0.1, value: START.T,
                 show: x => written(x, 1, "s"), changed: change("T") });
  panel.slider({ label: "Load in the hand", min: 0, max: 5, step: 0.1, value: START.load,
                 show: x => written(x, 1, "kg"), changed: change("load") });
  panel.slider({ label: "Gravity", min: 0, max: 25, step: 0.01, value: START.g,
                 show: x => written(x, 2, "m/s²"), changed: change("g") });
}

export function start(element) {
  const panel = new Panel(element).name("Live figure: the joint torques of a PUMA 560 in their parts");
  const simulation = new Simulation();
  const stage = panel.stage("A PUMA 560 arm that swings from one pose to another, and the way of its hand", 0.95,
                            { x: [-0.95, 0.95], y: [-1.08, 0.82] });
  const graph = panel.graph("Graph: inertial, velocity, gravity and total torque of one joint over time", 0.8,
                            { title: "", x: { label: "t (s)", from: 0, to: 1 }, y: {} });
  panel.legend([[MOTION, "inertial"], [FORCE, "Coriolis and centrifugal", "dashed"], [INERTIA, "gravity", "dotted"],
                [INK, "total"]]);
  const labels = { inertial: "Inertial", coriolis: "Coriolis and centrifugal", gravity: "Gravity", total: "Total" };
  const tell = Object.fromEntries(PARTS.map(part => [part, panel.number(labels[part])]));
  const draw = () => {
    drawArm(stage, simulation);
    drawTorques(graph, simulation, tell);
  };
  const clock = new Clock(panel, { advance: s => simulation.advance(s), draw, restart: () => { simulation.t = 0; } });
  controls(panel, simulation, clock);
  return { panel, simulation, clock };
}
