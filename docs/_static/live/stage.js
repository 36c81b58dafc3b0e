// A canvas on which one draws in metres: equal scales, y up, sharp on every screen.

import { BODY, GREY, INK, PAPER } from "./colours.js";

// Gives a canvas as many dots as the screen has in its place on the page, and clears it.
export function sharpen(canvas) {
  const width = canvas.clientWidth || 300, height = canvas.clientHeight || 200, fine = devicePixelRatio || 1;
  const dots = { width: Math.round(width * fine), height: Math.round(height * fine) };
  if (canvas.width !== dots.width || canvas.height !== dots.height) Object.assign(canvas, dots);
  const pen = canvas.getContext("2d");
  pen.setTransform(fine, 0, 0, fine, 0, 0);
  pen.fillStyle = PAPER;
  pen.fillRect(0, 0, width, height);
  return { width, height };
}

export class Stage {
  // window: { x: [least, greatest], y: [least, greatest] } that must be seen.
  constructor(canvas, window) {
    this.canvas = canvas;
    this.window = window;
    this.pen = canvas.getContext("2d");
  }

  // Clears the paper and fits the scale to the size that the page gives the canvas.
  begin(window = this.window) {
    const { width, height } = Object.assign(this, sharpen(this.canvas));
    const { x, y } = window;
    this.scale = Math.min(width / (x[1] - x[0]), height / (y[1] - y[0]));
    this.origin = [width / 2 - this.scale * (x[0] + x[1]) / 2, height / 2 + this.scale * (y[0] + y[1]) / 2];
  }

  at([x, y]) {
    return [this.origin[0] + this.scale * x, this.origin[1] - this.scale * y];
  }

  trace(points, closed = false) {
    this.pen.beginPath();
    points.forEach((point, k) => this.pen[k ? "lineTo" : "moveTo"](...this.at(point)));
    if (closed) this.pen.closePath();
  }

  line(points, { colour = INK, width = 2, dash = [] } = {}) {
    this.trace(points);
    this.stroke(colour, width, dash);
  }

  stroke(colour, width, dash = []) {
    Object.assign(this.pen, { strokeStyle: colour, lineWidth: width, lineJoin: "round", lineCap: "round" });
    this.pen.setLineDash(dash);
    this.pen.stroke();
    this.pen.setLineDash([]);
  }

  polygon(points, { fill = BODY, colour = INK, width = 1.2, alpha = 1 } = {}) {
    this.trace(points, true);
    this.pen.globalAlpha = alpha;
    if (fill) Object.assign(this.pen, { fillStyle: fill }).fill();
    this.pen.globalAlpha = 1;
    if (colour) this.stroke(colour, width);
  }

  // A disc whose radius is in metres, or in pixels if it is given as { pixels }.
  disc(centre, radius, { fill = BODY, colour = INK, width = 1.2 } = {}) {
    this.pen.beginPath();
    this.pen.arc(...this.at(centre), radius.pixels ?? radius * this.scale, 0, 2 * Math.PI);
    if (fill) Object.assign(this.pen, { fillStyle: fill }).fill();
    if (colour) this.stroke(colour, width);
  }

  pin(centre) {
    this.disc(centre, { pixels: 4 }, { fill: PAPER, colour: INK, width: 1.6 });
  }

  // A bar with round ends between two points.
  bar(a, b, { fill = BODY, colour = INK, width = 9 } = {}) {
    this.trace([a, b]);
    this.stroke(colour, width);
    this.trace([a, b]);
    this.stroke(fill, width - 2.4);
  }

  arrow(from, to, { colour = INK, width = 2.5 } = {}) {
    const [a, b] = [this.at(from), this.at(to)];
    const along = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(...along);
    if (length < 1) return;
    const head = Math.min(9, length), [u, v] = along.map(x => x / length);
    this.line([from, to], { colour, width });
    this.pen.beginPath();
    this.pen.moveTo(...b);
    this.pen.lineTo(b[0] - head * u - head / 2 * v, b[1] - head * v + head / 2 * u);
    this.pen.lineTo(b[0] - head * u + head / 2 * v, b[1] - head * v - head / 2 * u);
    this.pen.closePath();
    Object.assign(this.pen, { fillStyle: colour }).fill();
  }

  text(words, point, { colour = INK, align = "left", shift = [0, 0], size = 13, weight = "" } = {}) {
    const [x, y] = this.at(point);
    Object.assign(this.pen, { font: `${weight} ${size}px system-ui, sans-serif`, fillStyle: colour, textAlign: align,
                              textBaseline: "middle" });
    this.pen.fillText(words, x + shift[0], y + shift[1]);
  }

  // Hatched ground along the line from a to b; what stands on it is to the left of the direction a to b.
  ground(a, b) {
    const [p, q] = [this.at(a), this.at(b)], length = Math.hypot(q[0] - p[0], q[1] - p[1]);
    const [u, v] = [(q[0] - p[0]) / length, (q[1] - p[1]) / length];
    this.line([a, b], { colour: GREY, width: 1.6 });
    this.pen.beginPath();
    for (let s = 4; s < length; s += 10) {
      this.pen.moveTo(p[0] + s * u, p[1] + s * v);
      this.pen.lineTo(p[0] + (s - 6) * u - 7 * v, p[1] + (s - 6) * v + 7 * u);
    }
    this.stroke(GREY, 1);
  }
}

// The eye that looks at space from an azimuth and an elevation (rad): (x, y, z) to (right, up, towards the eye).
export function eye(azimuth, elevation) {
  const [ca, sa, ce, se] = [Math.cos(azimuth), Math.sin(azimuth), Math.cos(elevation), Math.sin(elevation)];
  return ([x, y, z]) => {
    const right = ca * y - sa * x, near = ca * x + sa * y;
    return [right, ce * z - se * near, ce * near + se * z];
  };
}
