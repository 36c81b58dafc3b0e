"""The cheapest of the ways in which one readable algorithm can be recorded (RBDA 10.3.1, 10.4)."""

from contextlib import suppress
from dataclasses import replace
from functools import wraps

from rbdlib import articulated_body, derivatives, forward, hybrid, inertia_matrix, inverse_dynamics
from rbdlib.arithmetic import typed
from rbdlib.codegen.executer import record
from rbdlib.codegen.link_frames import in_joint_space
from rbdlib.codegen.rewrite import optimise
from rbdlib.model import Model

#: Functions whose results belong to joint space alone, whatever frames and inertias the bodies are given.
IN_JOINT_SPACE = (
    inverse_dynamics.rnea, inverse_dynamics.bias_force, inverse_dynamics.gravity_compensation,
    inverse_dynamics.gravity_force, inertia_matrix.crba, inertia_matrix.inertia_and_bias,
    inertia_matrix.differential_inverse_dynamics, articulated_body.aba, forward.forward_dynamics,
    hybrid.hybrid_dynamics, hybrid.by_articulated_bodies, hybrid.by_inertia_matrix, hybrid.by_permutation,
    derivatives.rnea_derivatives, derivatives.aba_derivatives, derivatives.linearise, derivatives.coriolis_matrix,
    derivatives.christoffel,
)


def cheapest(function, model, given=(), parameters=(), fixed=None, shapes=None, sample=None):
    """The recording of a function that takes the fewest operations; arguments as for `record`.

    The algorithm is run on 6 x 6 matrices and on the compact types of RBDA A.3 and A.4, with link frames in which more
    numbers are zero where only joint space matters (see `rbdlib.codegen.link_frames`). All give the same results, up to
    rounding.
    """
    if function in IN_JOINT_SPACE and isinstance(model, Model):
        model = in_joint_space(model)
    how = {"given": given, "parameters": parameters, "fixed": fixed, "shapes": shapes, "sample": sample}
    recordings = [record(function, model, **how)]
    if isinstance(model, Model):
        with suppress(TypeError, AttributeError, ValueError):       # where the elements of 6 x 6 matrices are asked for
            recordings.append(record(on_types(function), model, **how))
    best = min(recordings, key=lambda recording: len(recording.program.assignments))
    return replace(best, program=optimise(best.program))


def on_types(function):
    """The function, run on typed spatial vectors, transforms and inertias."""
    @wraps(function)
    def run(model, *arguments, **named):
        return function(typed(model), *arguments, **named)

    return run
