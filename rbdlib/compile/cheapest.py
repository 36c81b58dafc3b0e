"""The cheapest of the ways in which one readable algorithm can be recorded (RBDA 10.3.1, 10.4)."""

from contextlib import suppress
from functools import wraps

from rbdlib import dynamics as forward
from rbdlib.arithmetic import typed
from rbdlib.book import ch09_hybrid as hybrid
from rbdlib.book.ch04_model import Model
from rbdlib.book.ch05_inverse_dynamics import bias_force, generalized_gravity, rnea
from rbdlib.book.ch06_inertia_matrix import crba, differential_inverse_dynamics
from rbdlib.book.ch07_articulated_body import aba
from rbdlib.compile.executer import inputs_of, record, require_agreement
from rbdlib.compile.link_frames import in_joint_space
from rbdlib.compile.rewrite import optimise
from rbdlib.compile.samples import Sample
from rbdlib.methods import derivatives, joint_space

#: Functions whose results belong to joint space alone, whatever frames and inertias the bodies are given.
IN_JOINT_SPACE = (
    rnea, bias_force, generalized_gravity, crba, differential_inverse_dynamics, joint_space.inertia_and_bias, aba,
    forward.forward_dynamics, hybrid.hybrid_dynamics, hybrid.by_articulated_bodies, hybrid.by_inertia_matrix,
    hybrid.by_permutation, derivatives.rnea_derivatives, derivatives.aba_derivatives, derivatives.linearise,
    derivatives.coriolis_matrix, derivatives.christoffel)
#: By what errors a function says that it cannot be recorded in some way.
REFUSALS = (TypeError, AttributeError, ValueError, ArithmeticError)


def cheapest(function, model, given=(), parameters=(), fixed=None, shapes=None, sample=None):
    """The recording of a function that takes the fewest operations; arguments and errors as for `record`.

    The algorithm is run on 6 x 6 matrices and on the compact types of RBDA A.3 and A.4, with link frames in which more
    numbers are zero where only joint space matters (see `rbdlib.compile.link_frames`); if those do not serve, because
    the algorithm needs inertias that bodies can have, on the model as it is. What is returned gives the same results as
    the function does on the model as it is, up to rounding (see `rbdlib.compile.executer.require_agreement`), and NaN
    in states in which the function divides and H is singular (see `rbdlib.compile.singular_states`).
    """
    how = {"given": given, "parameters": parameters, "fixed": fixed, "shapes": shapes}
    inputs, is_model = inputs_of(function, model, **how), isinstance(model, Model)
    at = Sample(model, inputs, parameters, dict(fixed or {}), sample)
    how |= {"sample": sample, "checked": False, "watched": model if is_model and "q" in dict(inputs) else None}
    loops_matter = function is forward.forward_dynamics and bool(getattr(model, "loops", ()))
    if function in IN_JOINT_SPACE and is_model and not loops_matter:
        with suppress(*REFUSALS):
            return _cheapest_on(in_joint_space(model), function, how, at)
    return _cheapest_on(model, function, how, at)


def _cheapest_on(model, function, how, at):
    """The cheapest recording on this model that agrees with the function at the `Sample`."""
    recordings, refusals = [], []
    for run in (function, on_types(function)) if isinstance(model, Model) else (function,):
        try:
            recordings.append(record(run, model, **how))
        except REFUSALS as error:
            refusals.append(error)
    for recording in sorted(recordings, key=lambda recording: len(recording.program.assignments)):
        best = recording._replace(program=optimise(recording.program))
        try:
            require_agreement(best, function, at)
            return best
        except TypeError as error:
            refusals.insert(0, error)
    raise refusals[0]


def on_types(function):
    """The function, run on typed spatial vectors, transforms and inertias."""
    last = None                                     # finding compact forms takes longer than many a function

    @wraps(function)
    def run(model, *arguments, **named):
        nonlocal last
        on = last if last is not None and last.plain is model else typed(model)
        last = on
        return function(on, *arguments, **named)

    return run
