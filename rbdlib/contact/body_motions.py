"""Where bodies are and how they move, which a motion with contacts asks again and again: found once for a state.

In a long run a compiled function answers, made from the readable ones.
"""

import contextlib

import numpy as np

from rbdlib.book.ch04_kinematics import body_transforms, body_velocities
from rbdlib.compile.c_compiler import CompilerError
from rbdlib.loops.tolerances import kept_for_model
from rbdlib.motion.compiled import LONG, compiled_once
from rbdlib.motion.drives import depends_on_time


class _Asked:
    """How often a model's bodies were asked for, the last answer with its state, and whether nothing can be compiled.
    """

    def __init__(self, model):
        self.times, self.state, self.answer, self.hopeless = 0, None, None, False


_asked = kept_for_model(_Asked)


def body_motions(model, q, qd, t=0.0):
    """The transforms from the base to all bodies, and their velocities (`body_transforms`, `body_velocities`)."""
    if not (isinstance(q, np.ndarray) and isinstance(qd, np.ndarray) and q.dtype == qd.dtype == float):
        return body_transforms(model, q, t), body_velocities(model, q, qd, t)
    asked, state = _asked(model), (q.tobytes(), qd.tobytes(), t)
    if state != asked.state:
        asked.times += 1
        asked.answer, asked.state = _found(model, q, qd, t, asked), state
    return asked.answer


def _found(model, q, qd, t, asked):
    if asked.times * model.N_B >= LONG and not asked.hopeless:
        with contextlib.suppress(CompilerError, OSError, TypeError):
            timed = {"t": t} if depends_on_time(model) else {}
            X, v = compiled_once(transforms_and_velocities, model)(q, qd, **timed)
            return list(X), list(v)
        asked.hopeless = True
    return body_transforms(model, q, t), body_velocities(model, q, qd, t)


def transforms_and_velocities(model, q, qd, t=0.0):
    """The same as arrays, (N_B+1) x 6 x 6 and (N_B+1) x 6."""
    return np.array(body_transforms(model, q, t)), np.array(body_velocities(model, q, qd, t))
