// Graphs of quantities over time or another number, in the look of the book.

import { GREY, GRID, INK } from "./colours.js";
import { plain, power } from "./numbers.js";
import { sharpen } from "./stage.js";

const MARGIN = { left: 52, right: 12, top: 26, bottom: 40 };

export class Graph {
  // x, y: { label, from, to, log }; y without from and to fits what is drawn.
  constructor(canvas, { title, x, y }) {
    Object.assign(this, { canvas, title, x: { ...x }, y: { ...y }, pen: canvas.getContext("2d") });
  }

  // curves: [{ points: [[x, y], ...], colour, dash, width }]; marks: x at which a vertical line stands.
  draw(curves, { marks = [], dots = [] } = {}) {
    this.fit(curves);
    this.paper();
    this.axis();
    const { pen } = this;
    pen.save();
    pen.beginPath();
    pen.rect(MARGIN.left, MARGIN.top - 2, this.inner[0], this.inner[1] + 4);
    pen.clip();
    for (const curve of curves) this.curve(curve);
    for (const x of marks) this.curve({ points: [[x, this.low], [x, this.high]], colour: GREY, dash: [4, 3] });
    for (const dot of dots) this.dot(dot);
    pen.restore();
    for (const curve of curves) this.start(curve);
  }

  // A motion that is still to begin is a dot, at the edge of the graph if it lies outside.
  start({ points, colour }) {
    const known = points.filter(point => Number.isFinite(point[1]));
    if (known.length !== 1) return;
    const [x, y] = known[0];
    this.dot({ point: [x, Math.min(this.high, Math.max(this.low, y))], colour });
  }

  fit(curves) {
    const heights = curves.flatMap(curve => curve.points.map(point => point[1])).filter(Number.isFinite);
    const least = this.y.from ?? Math.min(0, ...heights), most = this.y.to ?? Math.max(0, ...heights);
    const room = this.y.from === undefined ? 0.08 * (most - least || 1) : 0;
    [this.low, this.high] = [least - (least < 0 ? room : 0), most + room];
  }

  paper() {
    const { width, height } = sharpen(this.canvas);
    this.inner = [width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom];
  }

  at([x, y]) {
    return [MARGIN.left + this.inner[0] * (x - this.x.from) / (this.x.to - this.x.from),
            MARGIN.top + this.inner[1] * (this.high - y) / (this.high - this.low)];
  }

  axis() {
    const { pen } = this, [wide, high] = this.inner;
    Object.assign(pen, { font: "12px system-ui, sans-serif", lineWidth: 0.8, strokeStyle: GRID, fillStyle: INK });
    pen.textBaseline = "middle";
    pen.textAlign = "center";
    for (const x of ticks(this.x.from, this.x.to, wide / 70)) {
      this.rule([x, this.low], [x, this.high]);
      pen.fillText(plain(x), this.at([x, 0])[0], MARGIN.top + high + 11);
    }
    pen.textAlign = "right";
    for (const y of ticks(this.low, this.high, high / 34)) {
      this.rule([this.x.from, y], [this.x.to, y]);
      pen.fillText(this.y.log ? power(y) : plain(y), MARGIN.left - 6, this.at([0, y])[1]);
    }
    pen.textAlign = "center";
    pen.fillText(this.x.label, MARGIN.left + wide / 2, MARGIN.top + high + 29);
    pen.textAlign = "left";
    pen.font = "600 12.5px system-ui, sans-serif";
    pen.fillText(this.title, 6, 11);
  }

  rule(from, to) {
    this.pen.beginPath();
    this.pen.moveTo(...this.at(from));
    this.pen.lineTo(...this.at(to));
    this.pen.stroke();
  }

  curve({ points, colour, dash = [], width = 2 }) {
    const { pen } = this;
    pen.beginPath();
    let down = false;
    for (const point of points) {
      if (Number.isFinite(point[1])) pen[down ? "lineTo" : "moveTo"](...this.at(point));
      down = Number.isFinite(point[1]);
    }
    Object.assign(pen, { strokeStyle: colour, lineWidth: width, lineJoin: "round" });
    pen.setLineDash(dash);
    pen.stroke();
    pen.setLineDash([]);
  }

  dot({ point, colour }) {
    this.pen.beginPath();
    this.pen.arc(...this.at(point), 4, 0, 2 * Math.PI);
    this.pen.fillStyle = colour;
    this.pen.fill();
  }
}

// About n round numbers between two others.
export function ticks(from, to, n) {
  const rough = (to - from) / Math.max(1, n), unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find(k => k * unit >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; k++) found.push(k * step);
  return found;
}

// A list of points that drops every second one whenever it has become too long.
export class History {
  constructor(most = 1200) {
    Object.assign(this, { most, points: [], skip: 1, count: 0 });
  }

  add(point) {
    if (this.count++ % this.skip === 0) this.points.push(point);
    if (this.points.length > this.most) {
      this.points = this.points.filter((_, k) => k % 2 === 0);
      this.skip *= 2;
    }
  }
}
