// Time for a figure: play, pause, one step, from the start; it rests while nobody can see it.

const LONGEST = 0.05;

export class Clock {
  // advance(seconds): moves the figure on. draw(): draws it. restart(): puts it back. idle: do not start by itself.
  constructor(panel, { advance, draw, restart, idle = false, step = 1 / 60 }) {
    Object.assign(this, { panel, advance, draw, playing: false, visible: false, last: 0 });
    this.play = panel.button("Play", () => this.set(!this.playing));
    panel.button("Step", () => this.one(step));
    panel.button("From the start", () => this.again(restart));
    this.wanted = !idle && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.watch();
    this.show();
  }

  // Starts by itself when it is first seen, unless the reader wants less motion.
  watch() {
    new IntersectionObserver(entries => {
      this.visible = entries.at(-1).isIntersecting;
      if (this.visible && this.wanted) this.begin();
      if (this.visible && this.playing) this.next();
    }, { threshold: 0.1 }).observe(this.panel.pictures);
    new ResizeObserver(() => this.draw()).observe(this.panel.pictures);
    addEventListener("beforeprint", () => this.draw());
  }

  begin() {
    Object.assign(this, { playing: true, wanted: false });
    this.show();
  }

  set(playing) {
    Object.assign(this, { playing, wanted: false, last: 0 });
    this.show();
    if (playing) this.next();
    this.panel.touched();
  }

  show() {
    this.play.textContent = this.playing ? "Pause" : "Play";
    this.panel.element.dataset.playing = String(this.playing);
  }

  one(step) {
    this.set(false);
    this.advance(step);
    this.draw();
  }

  again(restart) {
    restart();
    this.last = 0;
    this.draw();
  }

  next() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(now => {
      if (!this.playing || !this.visible) return void (this.last = 0);
      if (this.last) this.advance(Math.min((now - this.last) / 1000, LONGEST));
      this.last = now;
      this.draw();
      this.next();
    });
  }
}
