"""What the project's checks demand; see brief.md."""

import numbers
from functools import cache

import numpy as np

from rbdlib import aba, load, rnea
from rbdlib.book.ch04_kinematics import kinetic_energy
from rbdlib.methods.centre_of_mass import potential_energy
from rbdlib.methods.derivatives import linearise
from rbdlib.motion.simulate import simulate

MODEL = load("cart_pole")
LIMIT, END = 20.0, 10.0


def energy_is_the_poles(work):
    rng = np.random.default_rng(3)
    assert abs(work.surplus(np.zeros(2), np.zeros(2))) < 1e-12, "Standing upright and at rest it must be zero."
    for q, qd in rng.normal(size=(5, 2, 2)):
        held = np.array([0.0, qd[1]])
        expected = kinetic_energy(MODEL, q, held) + potential_energy(MODEL, q) - potential_energy(MODEL, np.zeros(2))
        got = work.surplus(q, qd)
        assert abs(got - expected) < 1e-9, (f"At q = {q.round(3)}, qd = {qd.round(3)} it is {got:.4f} J, and should be "
                                            f"{expected:.4f} J: the uniform rod's energy, as if the cart stood.")


def force_gives_the_acceleration(work):
    rng = np.random.default_rng(4)
    for q, qd in rng.normal(size=(5, 2, 2)):
        F = work.force_for(q, qd, 1.7)
        qdd = aba(MODEL, q, qd, [F, 0.0])
        assert abs(qdd[0] - 1.7) < 1e-8, f"With {F:.3f} N the cart accelerates with {qdd[0]:.3f} instead of 1.7 m/s²."
        assert np.allclose(rnea(MODEL, q, qd, qdd), [F, 0], atol=1e-8), "With this force the hinge would need a torque."


def feedback_is_stable(work):
    A, B = linearise(MODEL, np.zeros(2), np.zeros(2), np.zeros(2))
    assert np.size(work.gains()) == 4, "gains() must return four numbers, for q1, q2, qd1 and qd2."
    poles = np.linalg.eigvals(A - B[:, :1] @ np.reshape(work.gains(), (1, 4)))
    assert poles.real.max() < -0.1, f"The closed loop has the poles {np.round(poles, 2)}; all must lie to the left."


@cache
def _run(work):
    forces = []

    def torque(t, q, qd):
        forces.append(work.force(t, q, qd))
        if np.shape(forces[-1]) != () or not isinstance(forces[-1], numbers.Real):
            raise ValueError(f"force({t:.2f}, q, qd) returned {forces[-1]!r}; it must return a number.")
        return [forces[-1], 0.0]

    motion = simulate(MODEL, [0, np.pi - 0.05], [0, 0], np.linspace(0, END, 401), torque=torque, method="rk4", dt=0.01,
                      progress=False)
    return motion, np.array(forces)


def force_is_limited(work):
    _, forces = _run(work)
    assert np.isfinite(forces).all() and abs(forces).max() <= LIMIT + 1e-9, f"At most {LIMIT} N."


def it_stands(work):
    motion, _ = _run(work)
    angle = (motion.q[:, 1] + np.pi) % (2 * np.pi) - np.pi
    late = motion.t >= END - 2
    lean = np.degrees(abs(angle[late]).max())
    assert lean < 2, f"In the last 2 s it leans by up to {lean:.1f}°."


def it_stays_on_the_rail(work):
    motion, _ = _run(work)
    assert abs(motion.q[:, 0]).max() < 2.5, f"The rail is 5 m long; the cart was {abs(motion.q[:, 0]).max():.2f} m off."
    assert abs(motion.q[-1, 0]) < 0.1, "At the end the cart must be back in the middle, to 0.1 m."


CHECKS = (
    (3, "the pole's energy beyond that of standing", energy_is_the_poles),
    (3, "the force that gives the cart a wanted acceleration", force_gives_the_acceleration),
    (3, "the linear feedback is stable", feedback_is_stable),
    (1, "the force stays within 20 N", force_is_limited),
    (6, "from hanging to standing within 8 s, and then within 2 degrees", it_stands),
    (2, "the cart stays on its rail and comes back", it_stays_on_the_rail),
)
