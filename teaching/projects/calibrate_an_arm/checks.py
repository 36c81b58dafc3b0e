"""What the project's checks demand; see brief.md."""

import numpy as np
from measurements import NOISE, measure

from rbdlib import load, rnea
from rbdlib.methods.derivatives import parameters

ARM = load("ur5e")
TIMES = np.linspace(0, 8, 80)


def another(t):
    """A motion that nobody has trained on."""
    k = np.arange(1, 7)
    w = 1.1 + 0.2 * k
    return 0.7 * np.sin(w * t + k), 0.7 * w * np.cos(w * t + k), -0.7 * w**2 * np.sin(w * t + k)


def _error(found, seed):
    """The root mean square of what is wrong in the torques of the other motion, against the truth (N m)."""
    truth = measure(another, TIMES, noise=0)
    return np.sqrt(np.mean((np.array([found(*another(t)) for t in TIMES]) - truth) ** 2))


def rank(work):
    count = work.identifiable()
    assert count == 36, f"identifiable() is {count}. Count singular values that are not rounding errors."


def prediction_is_linear(work):
    true = parameters(ARM)
    q, qd, qdd = another(0.3)
    got = work.predict(true, q, qd, qdd)
    assert np.allclose(got, rnea(ARM, q, qd, qdd), atol=1e-8), "predict(parameters(arm), ...) must agree with rnea."


def motion_is_moderate(work):
    for t in TIMES:
        q, qd, qdd = work.excitation(t)
        assert abs(np.array(q)).max() < 2.9 and abs(np.array(qd)).max() < 6, "The arm's limits: 2.9 rad and 6 rad/s."
    before, after = work.excitation(0.5 - 1e-5)[0], work.excitation(0.5 + 1e-5)[0]
    slope = (np.array(after) - before) / 2e-5
    assert np.allclose(slope, work.excitation(0.5)[1], atol=1e-6), "qd is not the derivative of q."


def exact_without_noise(work):
    found = work.identify(work.excitation, TIMES, measure(work.excitation, TIMES, noise=0))
    error = _error(lambda *state: work.predict(found, *state), 0)
    assert error < 1e-5, f"Without noise the other motion must be predicted exactly; off by {error:.2g} N m."


def beats_the_data_sheet(work):
    found = work.identify(work.excitation, TIMES, measure(work.excitation, TIMES, seed=1))
    error = _error(lambda *state: work.predict(found, *state), 1)
    sheet = _error(lambda *state: rnea(ARM, *state), 1)
    assert error < sheet / 10, f"The data sheet is off by {sheet:.2f} N m, you by {error:.2f}: a tenth is asked for."
    assert error < NOISE, f"With 480 numbers of {NOISE} N m noise the prediction must be better than that: {error:.3f}."


CHECKS = (
    (3, "36 combinations of the 60 parameters can be found", rank),
    (3, "predict agrees with the Newton-Euler algorithm", prediction_is_linear),
    (2, "the motion keeps to the arm's limits, and its rates are right", motion_is_moderate),
    (5, "without noise, another motion is predicted exactly", exact_without_noise),
    (5, "with noise, the prediction is ten times better than the data sheet", beats_the_data_sheet),
)
