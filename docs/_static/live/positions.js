// A figure of a notebook whose controls choose among pictures that Python has drawn beforehand.

import { Panel } from "./panel.js";

export const NOTE = "Drawn beforehand for some positions; in JupyterLab the controls move freely.";
export const MISSING = "The picture for this position could not be fetched; the one below is for another.";
export const ONE_BY_ONE = "Here one slider moves at a time: the others went back to where they start.";

// The key of the picture for a place of each control, and the places that it shows: if there is no picture for all of
// them together, the sliders but the moved one are at their starts.
export function nearest({ controls, pictures }, places, moved) {
  const key = places.join("-");
  if (key in pictures) return { key, places };
  const alone = places.map((place, k) => (k === moved || controls[k].kind !== "slider" ? place : controls[k].start));
  return { key: alone.join("-"), places: alone };
}

// element: holds a description as JSON; the first picture after it in the output of the cell is the one that changes.
export function start(element) {
  return new Positions(element, JSON.parse(element.querySelector("script[type='application/json']").textContent));
}

class Positions {
  constructor(element, told) {
    Object.assign(this, { told, folder: element.dataset.pictures, image: pictureAfter(element) });
    this.first = { src: this.image.src, alt: this.image.alt };
    this.panel = new Panel(element).name("Controls of the figure below");
    this.controls = told.controls.map((control, k) => this.add(control, () => this.moved(k)));
    this.panel.part("p", "live-note", element, NOTE);
  }

  add({ kind, label, unit, values, start }, changed) {
    const show = k => (unit ? `${values[k]}${unit === "°" ? "" : "\u00A0"}${unit}` : values[k]);
    if (kind === "slider") {
      return this.panel.slider({ label, min: 0, max: values.length - 1, step: 1, value: start, show, changed });
    }
    if (kind === "tick") return this.panel.tick({ label, value: start === 1, changed });
    return this.panel.choice({ label, options: values.map((value, k) => [k, value]), value: start, changed });
  }

  moved(which) {
    const wanted = this.controls.map(control => Number(control.value));
    const { key, places } = nearest(this.told, wanted, which);
    for (const [k, control] of this.controls.entries()) {
      if (places[k] !== wanted[k]) control.value = places[k];
    }
    const { alt, error } = this.told.pictures[key];
    const wentBack = places.some((place, k) => place !== wanted[k]);
    this.panel.say(error ?? (wentBack ? ONE_BY_ONE : ""));
    if (!error) this.show(places, key, alt);
  }

  // A picture takes the place of another one when it has arrived, unless yet another one has been asked for.
  async show(places, key, alt) {
    const isFirst = places.every((place, k) => place === this.told.controls[k].start);
    const next = new Image();
    next.src = isFirst ? this.first.src : `${this.folder}/${key}.webp`;
    this.wanted = next.src;
    const arrived = await next.decode().then(() => true, () => false);
    if (this.wanted !== next.src) return;
    if (arrived) Object.assign(this.image, { src: next.src, alt: isFirst ? this.first.alt : alt });
    else this.panel.say(MISSING);
  }
}

function pictureAfter(element) {
  const pictures = [...element.closest(".cell_output").querySelectorAll("img")];
  return pictures.find(image => element.compareDocumentPosition(image) & Node.DOCUMENT_POSITION_FOLLOWING);
}
