// A four-bar linkage whose loop is closed by constraints, with and without Baumgarte's stabilisation (RBDA 8.3, 8.5).

import { BODY, FORCE, GREY, MOTION } from "./colours.js";
import { Clock } from "./clock.js";
import { History } from "./graph.js";
import { small, written } from "./numbers.js";
import { Panel } from "./panel.js";
import { GROUND, RATES, START as CLOSED, accelerations, driftingStep, energy, gap, points, step }
  from "./four_bar_model.js";

export const START = { speed: 6, dt: 0.01, T_stab: 0.1 };

// The same motion twice: state 0 is stabilised, state 1 is not.
export class Simulation {
  constructor(options = {}) {
    this.options = { ...START, ...options };
    this.restart();
  }

  restart() {
    const qd = RATES.map(rate => rate * this.options.speed);
    this.states = [0, 1].map(() => ({ q: [...CLOSED], qd: [...qd], gaps: new History(), lost: false }));
    Object.assign(this, { t: 0, waiting: 0, first: energy(CLOSED, qd) });
    this.note();
  }

  advance(seconds) {
    const { dt } = this.options;
    for (this.waiting += seconds; this.waiting >= dt / 2; this.waiting -= dt) this.step();
  }

  step() {
    const { dt, T_stab } = this.options;
    for (const [k, state] of this.states.entries()) {
      if (state.lost) continue;
      const [q, qd] = k ? driftingStep(state.q, state.qd, dt) : step(state.q, state.qd, dt, T_stab);
      state.lost = !(gap(q) < 0.3);
      if (!state.lost) Object.assign(state, { q, qd });
    }
    this.t += dt;
    this.note();
  }

  note() {
    for (const state of this.states) state.gaps.add([this.t, Math.log10(Math.max(gap(state.q), 1e-16))]);
  }

  gaps() {
    return this.states.map(state => gap(state.q));
  }

  gained() {
    return this.states.map(state => energy(state.q, state.qd) - this.first);
  }

  accelerations() {
    return accelerations(this.states[0].q, this.states[0].qd, this.options.T_stab);
  }
}

function drawLinkage(stage, state, colour, words) {
  stage.begin();
  const p = points(state.q), [crank, coupler, rocker] = [0, 2, 4].map(k => [p[k], p[k + 1]]);
  stage.ground([-0.06, 0], [0.06, 0]);
  stage.ground([GROUND[0] - 0.06, 0], [GROUND[0] + 0.06, 0]);
  stage.bar([0, 0], crank, { fill: BODY });
  stage.bar(GROUND, rocker, { fill: BODY });
  stage.bar(crank, coupler, { fill: BODY });
  stage.line([coupler, rocker], { colour, width: 2, dash: [3, 3] });
  for (const point of [[0, 0], GROUND, crank]) stage.pin(point);
  for (const point of [coupler, rocker]) stage.disc(point, { pixels: 4 }, { fill: colour, colour: null });
  stage.text(words, [0.1, -0.27], { align: "center", weight: "600" });
  if (state.lost) stage.text("The loop has broken.", [0.1, 0.42], { align: "center", colour: GREY });
}

function controls(panel, simulation, clock) {
  const afresh = key => value => {
    simulation.options[key] = value;
    clock.again(() => simulation.restart());
  };
  panel.slider({ label: "Time step", min: 0.001, max: 0.03, step: 0.001, value: START.dt,
                 show: x => written(1000 * x, 0, "ms"), changed: afresh("dt") });
  panel.slider({ label: "T_stab", min: -2.5, max: 0, step: 0.05, value: Math.log10(START.T_stab),
                 show: x => written(10 ** x, 3, "s"), changed: x => afresh("T_stab")(10 ** x) });
  panel.slider({ label: "Speed of the crank at the start", min: 0, max: 25, step: 0.5, value: START.speed,
                 show: x => written(x, 1, "rad/s"), changed: afresh("speed") });
}

export function start(element) {
  const panel = new Panel(element).name("Live figure: a four-bar linkage with and without stabilisation");
  const simulation = new Simulation(), window = { x: [-0.24, 0.62], y: [-0.3, 0.46] };
  const stages = ["A stabilised four-bar linkage", "The same linkage without stabilisation"].map(
    words => panel.stage(words, 0.78, window, "live-narrow"));
  const graph = panel.graph("Graph: the gaps of both over time, on a logarithmic scale", 0.42,
                            { title: "Gap of the loop (m)", x: { label: "t (s)", from: 0, to: 10 },
                              y: { from: -12, to: 0, log: true } }, "live-wide");
  panel.legend([[MOTION, "stabilised"], [FORCE, "not stabilised"]]);
  const tell = { t: panel.number("Time"), gaps: [panel.number("Gap, stabilised"), panel.number("Gap, not stabilised")],
                 gained: [panel.number("Energy gained"), panel.number("Energy gained, not stabilised")] };
  const draw = () => {
    drawLinkage(stages[0], simulation.states[0], MOTION, "with T_stab");
    drawLinkage(stages[1], simulation.states[1], FORCE, "without");
    graph.x.to = Math.max(10, Math.ceil(simulation.t / 10) * 10);
    graph.draw([{ points: simulation.states[1].gaps.points, colour: FORCE },
                { points: simulation.states[0].gaps.points, colour: MOTION }]);
    tell.t(written(simulation.t, 1, "s"));
    simulation.gaps().forEach((x, k) => tell.gaps[k](small(x, "m")));
    simulation.gained().forEach((x, k) => tell.gained[k](small(x, "J")));
  };
  const clock = new Clock(panel, { advance: s => simulation.advance(s), draw, restart: () => simulation.restart() });
  controls(panel, simulation, clock);
  return { panel, simulation, clock };
}
