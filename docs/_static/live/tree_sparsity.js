// The zeros of H, and what becomes of them when H is factorised, while a tree is rebuilt (RBDA 6.4, 6.5).

import { BODY, GREY, HIGHLIGHT, INERTIA, INK, MOTION } from "./colours.js";
import { written } from "./numbers.js";
import { Panel } from "./panel.js";
import { RODS, factors, treeInertia } from "./tree_sparsity_model.js";

export const TREES = {
  binary: [0, 1, 1, 2, 2, 3, 3], chain: [0, 1, 2, 3, 4, 5, 6], arms: [0, 0, 0, 0, 0, 0, 0],
  hand: [0, 1, 2, 1, 4, 1, 6],
};
const ZERO = 1e-9;

export class Simulation {
  constructor(parent = TREES.binary) {
    this.parent = [...parent];
  }

  // e[k][i] is 1 if joint i + 1 supports body k + 1: a body is supported by its own joint and its parent's.
  supports() {
    const e = [];
    this.parent.forEach((up, k) => {
      e.push(up ? [...e[up - 1]] : Array(RODS).fill(0));
      e[k][k] = 1;
    });
    return e;
  }

  // Where the rods end (m): each a level higher than its parent, the leaves side by side.
  ends() {
    const children = Array.from({ length: RODS + 1 }, () => []), ends = Array(RODS + 1);
    this.parent.forEach((up, k) => children[up].push(k + 1));
    let leaves = 0;
    const place = (body, level) => {
      const own = children[body].map(child => place(child, level + 1));
      const x = own.length ? (own[0] + own.at(-1)) / 2 : leaves++;
      ends[body] = [x, level];
      return x;
    };
    place(0, 0);
    const middle = ends[0][0];
    return ends.map(([x, y]) => [0.6 * (x - middle), 0.7 * y]);
  }

  // H and its factors (7 x 7 each, in row order): L of LᵀL and L of L Lᵀ.
  matrices() {
    const ends = this.ends(), starts = this.parent.map(up => ends[up]);
    const H = treeInertia(this.supports().flat(), starts.flat(), ends.slice(1).flat());
    const [L, cholesky] = factors(H);
    return { H, L, cholesky };
  }

  // Numbers of the tree: elements of H that are not zero, and the operation counts D_1 and D_2 of Table 6.3.
  costs() {
    const depths = this.supports().map(row => row.reduce((sum, x) => sum + x, 0));
    const D_1 = depths.reduce((sum, d) => sum + d - 1, 0);
    return { nonzero: RODS + 2 * D_1, D_1, D_2: depths.reduce((sum, d) => sum + d * (d - 1) / 2, 0) };
  }
}

function drawTree(stage, simulation) {
  const ends = simulation.ends(), xs = ends.map(point => point[0]), top = Math.max(...ends.map(point => point[1]));
  const wide = Math.max(1.2, Math.max(...xs) - Math.min(...xs) + 0.8), x = (Math.max(...xs) + Math.min(...xs)) / 2;
  stage.begin({ x: [x - wide / 2, x + wide / 2], y: [-0.35, top + 0.35] });
  stage.ground([-0.3, 0], [0.3, 0]);
  simulation.parent.forEach((up, k) => stage.bar(ends[up], ends[k + 1], { width: 8 }));
  ends.forEach((point, body) => {
    stage.disc(point, { pixels: 12 }, { fill: body ? BODY : GREY, colour: INK });
    stage.text(String(body), point, { align: "center", weight: "600", colour: body ? INK : "#FFFFFF" });
  });
}

// A matrix as a pattern: filled where it is not zero, marked where H was zero. Returns how many are not zero.
function drawMatrix(stage, matrix, { words, H, colour }) {
  stage.begin();
  stage.text(words, [RODS / 2, RODS + 0.7], { align: "center", weight: "600" });
  let count = 0;
  for (let i = 0; i < RODS; i++) {
    for (let j = 0; j < RODS; j++) {
      const filled = Math.abs(matrix[RODS * i + j]) > ZERO, own = Math.abs(H[RODS * i + j]) > ZERO;
      const corners = [[j, RODS - i], [j + 1, RODS - i], [j + 1, RODS - 1 - i], [j, RODS - 1 - i]];
      stage.polygon(corners, { fill: filled ? (own ? colour : HIGHLIGHT) : "#FFFFFF", colour: "#BBBBBB", width: 0.8 });
      if (filled && !own) stage.text("+", [j + 0.5, RODS - 0.5 - i], { align: "center" });
      count += filled;
    }
  }
  return count;
}

function controls(panel, simulation, redraw) {
  const lists = [];
  const show = () => lists.forEach((list, k) => { list.value = String(simulation.parent[k + 1]); });
  panel.choice({ label: "Begin with", value: "binary", changed: name => {
    simulation.parent = [...TREES[name]];
    show();
    redraw();
  }, options: [["binary", "a binary tree"], ["chain", "a chain"], ["arms", "seven arms on one base"],
               ["hand", "a palm with three fingers"]] });
  for (let body = 2; body <= RODS; body++) {
    const options = Array.from({ length: body }, (_, up) => [up, up ? `body ${up}` : "the base"]);
    lists.push(panel.choice({ label: `Body ${body} sits on`, value: simulation.parent[body - 1], options,
                              changed: up => {
                                simulation.parent[body - 1] = Number(up);
                                redraw();
                              } }));
  }
}

export function start(element) {
  const panel = new Panel(element).name("Live figure: a tree of seven rods, its inertia matrix and two factors of it");
  const simulation = new Simulation(), window = { x: [-0.3, RODS + 0.3], y: [-0.3, RODS + 1.4] };
  const tree = panel.stage("The tree: numbered bodies, each joined to its parent", 0.9);
  const words = ["The pattern of H", "The pattern of L where H is L transposed times L",
                 "The pattern of L where H is L times L transposed"];
  const stages = words.map(said => panel.stage(said, 1.05, window, "live-third"));
  panel.legend([[INERTIA, "nonzero in H", "box"], [MOTION, "nonzero in both L and H", "box"],
                [HIGHLIGHT, "+ filled in: nonzero in L, zero in H", "box"]]);
  const tell = { nonzero: panel.number("Nonzero in H"), filled: panel.number("Filled in by L Lᵀ"),
                 D_1: panel.number("D₁"), D_2: panel.number("D₂") };
  const redraw = () => {
    const { H, L, cholesky } = simulation.matrices(), { nonzero, D_1, D_2 } = simulation.costs();
    drawTree(tree, simulation);
    drawMatrix(stages[0], H, { words: "H", H, colour: INERTIA });
    const own = drawMatrix(stages[1], L, { words: "L of H = LᵀL", H, colour: MOTION });
    const usual = drawMatrix(stages[2], cholesky, { words: "L of H = L Lᵀ", H, colour: MOTION });
    tell.nonzero(`${written(nonzero, 0)} of ${RODS * RODS}`);
    tell.filled(written(usual - own, 0));
    tell.D_1(`${written(D_1, 0)} (a chain: 21)`);
    tell.D_2(`${written(D_2, 0)} (a chain: 56)`);
  };
  controls(panel, simulation, redraw);
  new ResizeObserver(redraw).observe(panel.pictures);
  return { panel, simulation, draw: redraw };
}
