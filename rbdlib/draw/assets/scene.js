// The viewer: draws the scene of the page, and answers buttons, keys, mouse and fingers.

class Viewer {
  constructor(data) {
    this.data = data;
    this.t = data.times[0];
    this.playing = false;
    this.layers = Object.fromEntries(Object.keys(data.layers).map((name) => [name, []]));
    this.element = document.getElementById("view");
    this.scene = new THREE.Scene();
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.element.append(this.renderer.domElement);
    this.poses = unpacked(data.poses, 1, data.aside);
    this.makeCamera();
    this.makeBodies();
    this.makeTrails();
    this.makeArrows();
    if (data.ground !== null) this.add("ground", this.scene, groundLines(data));
    for (const [name, objects] of Object.entries(this.layers)) this.show(name, data.show.includes(name), objects);
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.moveTo(this.t);
  }

  add(layer, parent, object) {
    parent.add(object);
    this.layers[layer].push(object);
  }

  makeCamera() {
    const { size } = this.data;
    this.camera = new THREE.PerspectiveCamera(35, 1, size / 100, 100 * size);
    this.camera.up.copy(vector(this.data.up));
    const sun = new THREE.DirectionalLight("#ffffff", 1.6);
    sun.position.set(0.5, 1, 0.8);
    this.camera.add(sun);
    this.scene.add(this.camera, new THREE.HemisphereLight("#ffffff", "#b8c0c8", 1.9));
    this.controls = new THREE.OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => this.draw());
    this.resize();
    this.lookFromStart();
  }

  /** The direction from which the still picture is seen, in coordinates where the third axis is up. */
  lookFromStart() {
    const [elevation, azimuth] = this.data.view.map((angle) => (angle * Math.PI) / 180);
    const out = new THREE.Vector3(Math.cos(elevation) * Math.cos(azimuth), Math.cos(elevation) * Math.sin(azimuth),
      Math.sin(elevation));
    out.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(vector([0, 0, 1]), vector(this.data.up)));
    this.controls.target.copy(vector(this.data.middle));
    const half = (this.camera.fov * Math.PI) / 360;
    const narrow = Math.min(half, Math.atan(Math.tan(half) * this.camera.aspect));
    this.camera.position.copy(this.controls.target).addScaledVector(out, this.data.size / Math.sin(narrow));
    this.controls.update();
  }

  makeBodies() {
    const ink = getComputedStyle(document.documentElement).getPropertyValue("--ink").trim();
    this.groups = this.data.bodies.map((body, i) => {
      const group = new THREE.Group();
      for (const part of body.parts) this.add(part.layer, group, MAKERS[part.kind](part));
      if (i > 0) {
        const name = sign(body.name, 0.06 * this.data.size, ink);
        this.add("names", group, name);
        const bars = body.parts.filter((part) => part.layer === "links" && part.points.length === 2);
        if (bars.length) name.position.copy(vector(bars[0].points[0]).lerp(vector(bars[0].points[1]), 0.5));
      }
      this.scene.add(group);
      return group;
    });
  }

  /** Position and orientation of body i at a sample. */
  pose(sample, i) {
    const { step, turnStep, bodies } = this.data;
    const p = this.poses.subarray(7 * (sample * (bodies.length - 1) + i - 1));
    return [new THREE.Vector3(p[0], p[1], p[2]).multiplyScalar(step),
      new THREE.Quaternion(p[3] * turnStep, p[4] * turnStep, p[5] * turnStep, p[6] * turnStep).normalize()];
  }

  makeTrails() {
    const samples = this.data.times[2];
    this.trails = samples < 3 ? [] : this.data.trails.map(({ body, point, color }) => {
      const points = Array.from({ length: samples }, (_, k) => {
        const [position, turn] = this.pose(k, body);
        return vector(point).applyQuaternion(turn).add(position);
      });
      const path = new THREE.CatmullRomCurve3(points);
      path.getPointAt = (part) => path.getPoint(part);                  // by time instead of by length
      path.getTangentAt = (part) => path.getTangent(part);
      const tube = new THREE.TubeGeometry(path, samples - 1, 0.006 * this.data.size, 6);
      const mesh = new THREE.Mesh(tube, new THREE.MeshBasicMaterial({ color }));
      this.add("trails", this.scene, mesh);
      return mesh;
    });
  }

  makeArrows() {
    this.arrows = this.data.arrows.map((given) => {
      const numbers = unpacked(given.data, this.data.step, this.data.aside);
      const arrows = Array.from({ length: given.count }, () => new Arrow(given.color, 0.012 * this.data.size));
      const group = new THREE.Group();
      group.add(...arrows.map((arrow) => arrow.group));
      this.add("forces", this.scene, group);
      return { numbers, arrows };
    });
  }

  show(layer, visible) {
    for (const object of this.layers[layer]) object.visible = visible;
    this.draw();
  }

  shown(layer) {
    return this.layers[layer].length > 0 && this.layers[layer].every((object) => object.visible);
  }

  /** Puts everything where it is at the time t, between two samples. */
  moveTo(t) {
    const [start, end, samples] = this.data.times;
    this.t = Math.min(Math.max(t, start), end);
    const along = samples > 1 ? ((this.t - start) / (end - start)) * (samples - 1) : 0;
    const k = Math.min(Math.floor(along), Math.max(samples - 2, 0));
    const next = Math.min(k + 1, samples - 1);
    for (let i = 1; i < this.groups.length; i += 1) {
      const [position, turn] = this.pose(k, i);
      const [laterPosition, laterTurn] = this.pose(next, i);
      this.groups[i].position.copy(position.lerp(laterPosition, along - k));
      this.groups[i].quaternion.copy(turn.slerp(laterTurn, along - k));
    }
    for (const trail of this.trails) trail.geometry.setDrawRange(0, Math.round(along) * 36);
    for (const group of this.arrows) this.aimArrows(group, k, next, along - k);
    this.draw();
  }

  aimArrows({ numbers, arrows }, k, next, part) {
    arrows.forEach((arrow, i) => {
      const at = (sample) => numbers.subarray(6 * (sample * arrows.length + i));
      const [here, there] = [at(k), at(next)];
      const [x, y, z, u, v, w] = Array.from({ length: 6 }, (_, c) => here[c] + part * (there[c] - here[c]));
      arrow.aim(new THREE.Vector3(x, y, z), new THREE.Vector3(u, v, w));
    });
  }

  /** Turns the eye about the middle by angles (radians), as the arrow keys do. */
  orbit(sideways, upwards) {
    const { camera, controls } = this;
    const out = camera.position.clone().sub(controls.target).applyAxisAngle(camera.up, sideways);
    const level = camera.up.clone().cross(out).normalize();
    const angle = out.angleTo(camera.up);
    out.applyAxisAngle(level, Math.min(Math.max(-upwards, 0.05 - angle), Math.PI - 0.05 - angle));
    camera.position.copy(controls.target).add(out);
    controls.update();
    this.draw();
  }

  zoom(factor) {
    this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    this.controls.update();
    this.draw();
  }

  resize() {
    const { clientWidth, clientHeight } = this.element;
    if (clientWidth && clientHeight) {
      this.renderer.setSize(clientWidth, clientHeight, false);
      this.camera.aspect = clientWidth / clientHeight;
      this.camera.fov = this.camera.aspect > 1.2 ? 35 : 45;
      this.camera.updateProjectionMatrix();
      this.draw();
    }
  }

  /** Draws once in the next frame, however often it is asked. */
  draw() {
    if (!this.waiting) {
      this.waiting = requestAnimationFrame(() => {
        this.waiting = 0;
        this.renderer.render(this.scene, this.camera);
      });
    }
  }
}

class Player {
  constructor(viewer) {
    this.viewer = viewer;
    this.speed = 1;
    this.panel = document.getElementById("panel");
    this.panel.hidden = false;
    if (viewer.data.times[2] > 1) this.makeClock();
    this.makeLayers();
    viewer.element.addEventListener("keydown", (event) => this.key(event));
  }

  element(name, properties, parent = this.panel) {
    const made = Object.assign(document.createElement(name), properties);
    parent.append(made);
    return made;
  }

  makeClock() {
    const [start, end] = this.viewer.data.times;
    this.button = this.element("button", { type: "button", id: "play", onclick: () => this.toggle() });
    this.slider = this.element("input", { type: "range", id: "time", min: start, max: end, step: "any", value: start,
      ariaLabel: "time in seconds", oninput: () => this.jump(Number(this.slider.value)) });
    this.output = this.element("output", { id: "now" });
    const choice = this.element("select", { id: "speed", ariaLabel: "speed",
      onchange: () => { this.speed = Number(choice.value); } });
    for (const [value, text] of [[0.1, "1/10"], [0.25, "1/4"], [0.5, "1/2"], [1, "1"], [2, "2"]]) {
      this.element("option", { value, text: `${text} ×`, selected: value === 1 }, choice);
    }
    this.label();
  }

  makeLayers() {
    const details = this.element("details", {});
    this.element("summary", { textContent: "Show" }, details);
    const list = this.element("div", {}, details);
    for (const [name, text] of Object.entries(this.viewer.data.layers)) {
      if (this.viewer.layers[name].length) {
        const label = this.element("label", {}, list);
        const box = this.element("input", { type: "checkbox", name, checked: this.viewer.shown(name),
          onchange: () => this.viewer.show(name, box.checked) }, label);
        label.append(` ${text}${name === "forces" ? this.largest() : ""}`);
      }
    }
    this.element("p", { id: "keys", textContent: "Keys in the picture:\nspace plays and stops\n, and . step in time\n"
      + "arrows turn, + and - zoom\nHome looks from the start" }, list);
    this.element("button", { type: "button", id: "home", textContent: "Reset view",
      onclick: () => this.viewer.lookFromStart() });
  }

  largest() {
    return ` (${this.viewer.data.arrows.map(({ name, largest }) => `${name} up to ${largest}`).join(", ")})`;
  }

  label() {
    this.button.textContent = this.playing ? "Pause" : "Play";
    this.output.textContent = `${this.viewer.t.toFixed(2)} s`;
    this.slider.value = this.viewer.t;
    this.slider.setAttribute("aria-valuetext", this.output.textContent);
  }

  jump(t) {
    this.playing = false;
    this.viewer.moveTo(t);
    this.label();
  }

  toggle() {
    this.playing = !this.playing;
    if (this.playing) {
      const [start, end] = this.viewer.data.times;
      if (this.viewer.t >= end) this.viewer.moveTo(start);
      this.last = performance.now();
      requestAnimationFrame((now) => this.advance(now));
    }
    this.label();
  }

  advance(now) {
    if (!this.playing) return;
    const pace = this.speed * this.viewer.data.speed;
    this.viewer.moveTo(this.viewer.t + (pace * Math.max(now - this.last, 0)) / 1000);
    this.last = now;
    this.playing = this.viewer.t < this.viewer.data.times[1];
    this.label();
    if (this.playing) requestAnimationFrame((later) => this.advance(later));
  }

  key(event) {
    const { viewer } = this;
    const [start, end, samples] = viewer.data.times;
    const step = samples > 1 ? (end - start) / (samples - 1) : 0;
    const moves = { ArrowLeft: () => viewer.orbit(-0.1, 0), ArrowRight: () => viewer.orbit(0.1, 0),
      ArrowUp: () => viewer.orbit(0, 0.1), ArrowDown: () => viewer.orbit(0, -0.1), "+": () => viewer.zoom(0.9),
      "-": () => viewer.zoom(1 / 0.9), Home: () => viewer.lookFromStart() };
    const times = { " ": () => this.toggle(), ",": () => this.jump(viewer.t - step),
      ".": () => this.jump(viewer.t + step) };
    const action = moves[event.key] || (samples > 1 && times[event.key]);
    if (action && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      action();
    }
  }
}

/** Light or dark as the page around the figure, or as the reader's computer. */
function theme() {
  let chosen = "";
  try {
    const around = window.parent.document;
    const light = around.body.dataset.jpThemeLight;
    chosen = around.documentElement.dataset.theme || (light && (light === "true" ? "light" : "dark"));
  } catch {
    chosen = "";
  }
  if (window.parent === window || (chosen !== "light" && chosen !== "dark")) {
    chosen = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }
  document.documentElement.dataset.theme = chosen;
}

function followTheme() {
  theme();
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme);
  try {
    const look = new MutationObserver(theme);
    look.observe(window.parent.document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    look.observe(window.parent.document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
  } catch {
    // A page from elsewhere keeps its look to itself.
  }
}

async function start() {
  followTheme();
  const code = document.createElement("script");
  code.textContent = `${await unzipped(document.getElementById("three").textContent)}\nwindow.THREE = THREE;`;
  document.head.append(code);
  const viewer = new Viewer(JSON.parse(document.getElementById("data").textContent));
  document.getElementById("message").hidden = true;
  window.viewer = viewer;
  window.player = new Player(viewer);
}

start().catch((error) => {
  document.getElementById("view").hidden = true;
  console.error(error);
});
