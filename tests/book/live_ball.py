"""The ball of docs/_static/live/bounce_and_roll.js, run by the Python functions from which that page is printed."""

from math import radians

import numpy as np

from rbdlib.codegen.parameters import with_parameters
from tools.book import live_functions as live
from tools.book.live_figures import ball

DT, AT_REST, SLOW = 1 / 240, 0.02, 1e-9


class Ball:
    """A ball on a slope: state q, v, time t (s), mode "flight", "contact", "sliding" or "rolling"."""

    def __init__(self, k=0.4, slope=4, g=9.81, e=0.7, mu=0.25, height=0.7, speed=0.6, spin=20):
        self.model = with_parameters(ball(), {"k": k, "alpha": radians(slope), "g": g})
        self.e, self.mu, self.mode, self.bounces = e, mu, "flight", 0
        self.q, self.v = np.array([0, 0, live.RADIUS + height]), np.array([float(spin), speed, 0])

    def step(self):
        left = DT
        while left > 0:
            left -= self.fly(left) if self.mode == "flight" else self.touch(left)

    def fly(self, left):
        landing = live.time_to_land(self.model, self.q, self.v)
        time = min(left, landing)
        self.q, self.v = live.flight(self.model, self.q, self.v, time)
        if landing <= left:
            self.land()
        return time

    def land(self):
        sliding = live.slip(self.model, self.v)
        e = self.e if -self.v[2] * self.e > AT_REST else 0
        v, impulse = live.sticking_impact(self.model, self.v, e)
        if abs(impulse[0]) > self.mu * impulse[1]:
            v, impulse = live.sliding_impact(self.model, self.v, e, self.mu, np.sign(sliding))
        self.v, self.bounces = v, self.bounces + 1
        self.q[2] = live.RADIUS
        if e == 0:
            self.mode, self.v[2] = "contact", 0

    def touch(self, left):
        slip = live.slip(self.model, self.v)
        a, force = live.rolling(self.model)
        time, rolls = left, abs(slip) <= SLOW and abs(force[0]) <= self.mu * force[1]
        if not rolls:
            a, force = live.sliding(self.model, self.mu, np.sign(slip) if abs(slip) > SLOW else -np.sign(force[0]))
            end = -slip / live.slip(self.model, a)
            time = end if abs(slip) > SLOW and 0 < end < left else left
        self.q, self.v = self.q + time * self.v + time**2 / 2 * a, self.v + time * a
        if not rolls and time < left:
            self.v[0] = -self.v[1] / live.RADIUS
        self.mode = "rolling" if rolls else "sliding"
        return time
