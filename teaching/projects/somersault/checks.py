"""What the project's checks demand; see brief.md."""

from functools import cache

import numpy as np
from athlete import ARMS, BODIES, FASTEST, FLIGHT, LEGS, RANGE, athlete, take_off

from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.methods.centre_of_mass import centre_of_mass
from rbdlib.motion.simulate import simulate

MODEL = athlete()
TIMES, FINE = np.linspace(0, FLIGHT, 111), np.linspace(0, FLIGHT, 1101)


def inertia_is_right(work):
    """Against rods with Steiner's theorem, and without spatial inertias."""
    for arms, legs in ((0, 0), (-1.5, 0.7), (-2.5, 2.2)):
        X = body_transforms(MODEL, np.array([0, 0, 0, arms, legs]))
        C, expected = centre_of_mass(MODEL, np.array([0, 0, 0, arms, legs])), 0.0
        for i, mass, length, along in ((3, 36, 0.8, 1), (4, 8, 0.65, 1), (5, 24, 0.9, -1)):
            E, base = X[i][:3, :3], _origin(X[i])
            middle = base + E.T @ [0, along * length / 2, 0]
            expected += mass * length**2 / 12 + mass * np.sum((middle - C)[:2] ** 2)
        got = work.moment_of_inertia(arms, legs)
        assert abs(got - expected) < 1e-6 * expected, f"At ({arms}, {legs}) it is {expected:.4f}, not {got:.4f} kg m²."


def _origin(X):
    from rbdlib.book.ch02_spatial import X_to_Er

    return X_to_Er(X)[1]


def plan_is_a_motion(work):
    for place in (ARMS, LEGS):
        low, high = RANGE[place]
        for t in TIMES:
            q, qd, _ = work.plan(t)[place]
            assert low <= q <= high, f"Joint {place} is at {q:.2f} rad at t = {t:.2f} s; it reaches {low} to {high}."
            assert abs(qd) <= FASTEST, f"Joint {place} moves at {qd:.1f} rad/s at t = {t:.2f} s; {FASTEST} is the most."
        for t in (0.13, 0.5, 0.91):
            before, at, after = (work.plan(s)[place] for s in (t - 1e-5, t, t + 1e-5))
            for k in (1, 2):
                assert abs((after[k - 1] - before[k - 1]) / 2e-5 - at[k]) < 1e-3, "A rate is not the derivative."
        _, rates, slopes = np.transpose([work.plan(t)[place] for t in FINE])
        jumps = abs(np.diff(rates) - (slopes[1:] + slopes[:-1]) / 2 * np.diff(FINE))
        k = int(np.argmax(jumps))
        assert jumps[k] < 1, (f"Near t = {FINE[k]:.2f} s joint {place} changes its rate by {jumps[k]:.1f} rad/s in an "
                              "instant. That takes an infinite torque.")
        for t in (0, FLIGHT):
            assert np.allclose(work.plan(t)[place][:2], 0, atol=1e-6), "It begins and ends stretched and at rest."


@cache
def _flight(work):
    def follow(place):
        return lambda t: tuple([x] for x in work.plan(t)[place])

    q, qd = take_off()
    return simulate(MODEL, q, qd, TIMES, prescribed={BODIES[place]: follow(place) for place in (ARMS, LEGS)},
                    method="rk4", dt=0.01, progress=False)


def turns_once(work):
    turned = np.degrees(_flight(work).q[-1, 2])
    assert abs(turned - 360) < 2, f"At landing the trunk has turned by {turned:.1f}°; 360° within 2° are asked for."


def momentum_is_kept(work):
    """Nothing but gravity acts: the angular momentum about the centre of mass is that of take-off."""
    flight = _flight(work)
    about = [h[2] - np.cross(centre_of_mass(MODEL, q), h[3:])[2]
             for q, h in zip(flight.q, flight.momentum, strict=True)]
    assert np.ptp(about) < 1e-3 * abs(about[0]), "The angular momentum changes: are the plan's rates right?"
    quickest = max(flight.qd[:, 2])
    folded = max(-work.plan(t)[ARMS][0] + work.plan(t)[LEGS][0] for t in TIMES)
    assert folded > 0.5 and quickest > flight.qd[0, 2], "The athlete must become quicker by folding up."


CHECKS = (
    (4, "the moment of inertia in any posture", inertia_is_right),
    (4, "the plan keeps to the joints' limits and begins and ends at rest", plan_is_a_motion),
    (6, "one somersault, to two degrees", turns_once),
    (2, "the angular momentum is kept, and folding makes quicker", momentum_is_kept),
)
