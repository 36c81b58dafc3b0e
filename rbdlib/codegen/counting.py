"""Operation counts of the readable algorithms, as they stand and after simplification (RBDA 10.3, 10.4)."""

from collections import Counter

import numpy as np

from rbdlib.codegen.executer import input_names, record, shape_of
from rbdlib.complexity import Counted
from rbdlib.model import Model

#: From where the numbers are drawn with which an algorithm runs while it is counted; the counts do not depend on them.
SEED = 1


def count(function, model, simplified=False, typed=False, given=(), **fixed):
    """How many operations function(model, q, ...) takes: a Counter of "m", "a", "d", "sqrt", "sin", "cos" (RBDA 10.3).

    function: such as `rbdlib.rnea`, whose first argument is the model and whose arguments without a default value are
    unknown until it runs. given: names of arguments with a default that are unknown too, such as "f_ext". fixed: values
    of further arguments. Multiplications ("m") and divisions ("d") are told apart; the book adds them up. Changes of
    sign are free, and so is what is known beforehand, because it depends on the model alone.

    simplified: count what is left once the function has been recorded on this model and simplified (RBDA 10.4);
    otherwise every operation with an unknown number counts, even one with a constant 0 or 1. typed: with the compact
    arithmetic of RBDA A.3 to A.5 in place of 6 x 6 matrices. Raises TypeError where the function chooses by the value
    of an unknown number, and ValueError for names that it does not know.
    """
    model = _typed(model) if typed else model
    if simplified:
        return record(function, model, given, fixed=fixed).program.count()
    operations, rng = Counter(), np.random.default_rng(SEED)
    q = model.random_state(rng)[0] if isinstance(model, Model) else None
    arguments = {}
    for name in input_names(function, given, fixed):
        values = q if name == "q" and q is not None else rng.normal(size=shape_of(name, model, {}))
        arguments[name] = _counted(values, operations)
    function(model, **arguments, **fixed)
    return operations


def _typed(model):
    from rbdlib.arithmetic import typed

    return typed(model)


def _counted(values, operations):
    """The numbers as `Counted`, in an array of the same shape; a single one as it is."""
    values = np.asarray(values)
    entries = [Counted(x, operations) for x in values.ravel().tolist()]
    return np.array([*entries, None], dtype=object)[:-1].reshape(values.shape)[()]
