// The parts of a live figure on the page: pictures, buttons, sliders with labels and units, numbers that change.

import { Graph } from "./graph.js";
import { Stage } from "./stage.js";

let made = 0;

export class Panel {
  // element: what the page has for the figure. Its own content goes away, but for a still picture: paper shows that as
  // long as nobody has touched the figure.
  constructor(element) {
    this.element = element;
    element.replaceChildren(...[element.querySelector(".live-still")].filter(Boolean));
    for (const touch of ["input", "change"]) element.addEventListener(touch, () => this.touched());
    element.setAttribute("role", "group");
    this.pictures = this.part("div", "live-pictures");
    this.legendLine = this.part("p", "live-legend");
    this.legendLine.hidden = true;
    this.buttons = this.part("div", "live-buttons");
    this.controls = this.part("div", "live-controls");
    this.numbers = this.part("dl", "live-numbers");
    this.said = this.part("p", "live-said");
    this.said.setAttribute("role", "status");
  }

  touched() {
    this.element.dataset.touched = "";
  }

  part(tag, className, within = this.element, text = "") {
    const part = document.createElement(tag);
    part.className = className;
    part.textContent = text;
    within.append(part);
    return part;
  }

  name(words) {
    this.element.setAttribute("aria-label", words);
    return this;
  }

  // A canvas; words say what it shows to those who do not see it. shape: height over width.
  canvas(words, shape, className = "") {
    const canvas = this.part("canvas", `live-canvas ${className}`, this.pictures);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", words);
    canvas.style.setProperty("--shape", shape);
    return canvas;
  }

  // A canvas to draw on in metres, and one for a graph. window, axes: as for Stage and Graph.
  stage(words, shape, window = {}, className = "") {
    return new Stage(this.canvas(words, shape, className), window);
  }

  graph(words, shape, axes, className = "") {
    return new Graph(this.canvas(words, shape, className), axes);
  }

  // entries: [[colour, words, kind]]; kind "line" (default), "dashed" or "box".
  legend(entries) {
    this.legendLine.hidden = false;
    for (const [colour, words, kind = "line"] of entries) {
      const entry = this.part("span", "live-legend-entry", this.legendLine);
      this.part("span", `live-swatch live-swatch-${kind}`, entry).style.setProperty("--swatch", colour);
      entry.append(words);
    }
  }

  button(words, act) {
    const button = this.part("button", "live-button", this.buttons, words);
    button.type = "button";
    button.addEventListener("click", act);
    return button;
  }

  control(label) {
    const row = this.part("div", "live-control", this.controls), id = `live-${++made}`;
    const words = this.part("label", "", row, label);
    words.htmlFor = id;
    return { row, id };
  }

  // show: how a value is written, with its unit. changed: called with the value whenever it is moved.
  slider({ label, min, max, step, value, show = String, changed = () => {} }) {
    const { row, id } = this.control(label), input = this.part("input", "", row), output = this.part("output", "", row);
    Object.assign(input, { type: "range", id, min, max, step });
    input.value = value;
    output.htmlFor = id;
    output.setAttribute("aria-live", "off");
    const tell = () => {
      output.textContent = show(Number(input.value));
      input.setAttribute("aria-valuetext", output.textContent);
    };
    input.addEventListener("input", () => {
      tell();
      changed(Number(input.value));
    });
    tell();
    return { input, get value() { return Number(input.value); }, set value(x) { input.value = x; tell(); } };
  }

  choice({ label, options, value, changed = () => {} }) {
    const { row, id } = this.control(label), select = this.part("select", "", row);
    select.id = id;
    for (const [key, words] of options) {
      const option = this.part("option", "", select, words);
      option.value = key;
    }
    select.value = value;
    select.addEventListener("change", () => changed(select.value));
    return { input: select, get value() { return select.value; }, set value(x) { select.value = x; } };
  }

  tick({ label, value, changed = () => {} }) {
    const row = this.part("div", "live-control live-tick", this.controls), box = document.createElement("input");
    const words = document.createElement("label");
    Object.assign(box, { type: "checkbox", id: `live-${++made}`, checked: value });
    words.htmlFor = box.id;
    words.textContent = label;
    row.append(box, words);
    box.addEventListener("change", () => changed(box.checked));
    return { input: box, get value() { return box.checked; }, set value(x) { box.checked = x; } };
  }

  // Controls that belong together; what is made while fill runs stands in one row under a heading.
  group(label, fill) {
    const outside = this.controls, group = this.part("fieldset", "live-group", outside);
    this.part("legend", "", group, label);
    this.controls = group;
    fill();
    this.controls = outside;
  }

  // A number beside its name; returns the function that changes what stands there.
  number(label) {
    const pair = this.part("div", "", this.numbers);
    this.part("dt", "", pair, label);
    const value = this.part("dd", "", pair);
    return text => {
      if (value.textContent !== text) value.textContent = text;
    };
  }

  // A sentence that screen readers read out when it changes.
  say(sentence) {
    if (this.said.textContent !== sentence) this.said.textContent = sentence;
  }
}
