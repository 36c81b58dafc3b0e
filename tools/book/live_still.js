// Draws a live figure without a browser, for pages without JavaScript and for paper: its pictures as SVG, its legend
// and its numbers, by the figure's own code.
//
//     node live_still.js figure.bundle.js SECONDS
//
// lets the figure run so long and prints JSON. What follows is as much of a page and of a canvas as the figures use.

const vm = require("node:vm");
const { readFileSync } = require("node:fs");

const WIDTHS = { "live-wide": 560, "live-narrow": 330, "live-third": 230 };
const FRAME = 1 / 60;
const round = x => Math.round(10 * x) / 10;
const escaped = text => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

// A pen that writes SVG; the angles of arcs may go all the way round, nothing else is asked for.
class Pen {
  constructor() {
    Object.assign(this, { drawn: [], path: "", dash: "", globalAlpha: 1, clips: 0, clipped: "" });
  }

  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${round(x)} ${round(y)}`; }
  lineTo(x, y) { this.path += `L${round(x)} ${round(y)}`; }
  closePath() { this.path += "Z"; }
  rect(x, y, w, h) { this.path += `M${round(x)} ${round(y)}h${round(w)}v${round(h)}h${round(-w)}Z`; }
  setTransform() {}
  setLineDash(lengths) { this.dash = lengths.length ? ` stroke-dasharray="${lengths.join(" ")}"` : ""; }
  save() {}
  restore() { this.clipped = ""; }

  arc(x, y, r) {
    const half = `a${round(r)} ${round(r)} 0 1 1 `;
    this.path += `M${round(x - r)} ${round(y)}${half}${round(2 * r)} 0${half}${round(-2 * r)} 0Z`;
  }

  clip() {
    this.drawn.push(`<clipPath id="c${++this.clips}"><path d="${this.path}"/></clipPath>`);
    this.clipped = ` clip-path="url(#c${this.clips})"`;
  }

  // Only the paper is filled in this way, before everything else.
  fillRect() { Object.assign(this, { drawn: [], clips: 0 }); }

  add(look) {
    const alpha = this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : "";
    if (this.path) this.drawn.push(`<path d="${this.path}"${look}${alpha}${this.clipped}/>`);
  }

  fill() { this.add(` fill="${this.fillStyle}"`); }

  stroke() {
    this.add(` fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" stroke-linejoin="round"`
             + ` stroke-linecap="${this.lineCap ?? "butt"}"${this.dash}`);
  }

  fillText(words, x, y) {
    const anchor = { center: "middle", right: "end" }[this.textAlign] ?? "start";
    const [, weight, size] = this.font.match(/^\s*(?:(\d+)\s+)?([\d.]+)px/);
    this.drawn.push(`<text x="${round(x)}" y="${round(y)}" dy="0.35em" font-size="${size}" text-anchor="${anchor}"`
                    + `${weight ? ` font-weight="${weight}"` : ""} fill="${this.fillStyle}">${escaped(words)}</text>`);
  }
}

class Element {
  constructor(tag) {
    Object.assign(this, { tag, children: [], dataset: {}, attributes: {}, className: "", textContent: "" });
    this.style = { setProperty: (name, value) => { this.attributes[name] = value; } };
  }

  append(...children) { this.children.push(...children); }
  replaceChildren() { this.children = []; }
  querySelector() { return null; }
  setAttribute(name, value) { this.attributes[name] = value; }
  getAttribute(name) { return this.attributes[name] ?? null; }
  addEventListener() {}

  getContext() { return this.pen ??= new Pen(); }
  get clientWidth() { return this.className.split(" ").map(name => WIDTHS[name]).find(Boolean) ?? 400; }
  get clientHeight() { return Math.round(this.clientWidth * this.attributes["--shape"]); }
  get words() { return this.textContent || this.children.map(child => child.words ?? child).join(""); }
}

class Observer {
  observe() {}
}

function svg(canvas) {
  const size = `width="${canvas.clientWidth}" height="${canvas.clientHeight}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${canvas.clientWidth} ${canvas.clientHeight}"`
    + ` font-family="system-ui, sans-serif"><rect width="100%" height="100%" fill="#FFFFFF"/>\n`
    + `${canvas.getContext().drawn.join("\n")}\n</svg>\n`;
}

// The figure of a bundle, started on a page that is not there.
function figureOf(bundle) {
  const element = new Element("div");
  const page = {
    console, location: { href: "file:///" }, URL, devicePixelRatio: 1, IntersectionObserver: Observer,
    ResizeObserver: Observer, matchMedia: () => ({ matches: true }), addEventListener: () => {},
    document: { readyState: "complete", styleSheets: [], head: new Element("head"), currentScript: null,
                createElement: tag => new Element(tag), querySelectorAll: () => [element] },
  };
  page.window = page;
  vm.runInNewContext(readFileSync(bundle, "utf8"), page, { filename: bundle });
  return Object.values(page.rbdlib.live)[0].figures[0];
}

function still(figure, seconds) {
  const { panel, simulation, clock, draw } = figure;
  for (let k = 0; k < Math.round(seconds / FRAME); k++) simulation.advance(FRAME);
  (draw ?? clock.draw)();
  const swatch = ({ children: [box], words }) => [box.attributes["--swatch"], words, box.className.split("-").at(-1)];
  return {
    name: panel.element.attributes["aria-label"],
    pictures: panel.pictures.children.map(canvas => ({ words: canvas.attributes["aria-label"], svg: svg(canvas),
      kind: canvas.className, shape: canvas.attributes["--shape"], size: [canvas.clientWidth, canvas.clientHeight] })),
    legend: panel.legendLine.children.map(swatch),
    numbers: panel.numbers.children.map(pair => pair.children.map(part => part.words)),
  };
}

const [bundle, seconds] = process.argv.slice(2);
process.stdout.write(JSON.stringify(still(figureOf(bundle), Number(seconds))));
