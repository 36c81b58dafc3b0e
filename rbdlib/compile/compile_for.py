"""Fast functions from readable ones: `compile_for(rnea, model)` has the arguments and results of rnea, and any batch.

The function is recorded on the model as a straight-line program (RBDA 10.4), which a backend turns into machine code.
"""

import inspect
import threading
from math import prod

import numpy as np

from rbdlib.book.ch04_model import Model
from rbdlib.compile.executer import arguments_of, free_symbols, name_of, rebuild, taken_apart
from rbdlib.compile.kernels import BACKENDS, Rooms, as_batch, batch_shape, compiled, forces_of_bodies
from rbdlib.compile.parameters import with_parameters
from rbdlib.methods.floating_base import FloatingBase
from rbdlib.methods.geared_trees import GearedTree
from rbdlib.numbers.validation import one_of


def compile_for(function, model, backend="auto", parameters=None, cache=True, progress=None, shapes=None,
                sample=None, alone=False, **fixed):
    """A fast function with the arguments (without the model) and results of a readable one, for any batch of states.

    function: such as `rbdlib.rnea`; its first argument is the model. backend: "c" (needs a C compiler), "numba",
    "numpy" (always there), "jax", or "auto": the first of "c", "numba" and "numpy" that is at hand. parameters: names
    of SymPy symbols in the model that stay free (None: all it has); the result takes them as parameters={name: number}.
    cache: whether the result is kept on disk for the next session. progress: True for a progress bar, False for none,
    None for one if it takes long. shapes: {name: shape} of arguments that are neither q, qd, qdd, tau, f_ext nor t.
    sample: {name: numbers}, a state at which pivots are chosen (see `rbdlib.compile.executer.record`). alone: whether
    states come one by one, as along a motion, which C then computes a quarter faster, and batches more slowly. fixed:
    further arguments of the function that are settled now, such as method="crba".

    Returns a `CompiledFunction`. It takes numbers to be finite and divisors not to be 0, so that x - x is 0 and x/x is
    1; and it does not ask at run time whether a number is 0 (x == 0): the answer is no. A function to which that
    matters is refused where it shows in states at rest (see `rbdlib.compile.executer.record`). States in which the
    joint-space inertia H is singular but for rounding go to the readable function, as far as there can be any: where a
    body alone does not resist its joint (see `rbdlib.compile.singular_states`).

    Raises TypeError where the function chooses by the value of a number or cannot be recorded for another reason,
    ValueError for unknown names and wrong shapes, ImportError or RuntimeError where the backend cannot be had.

    >>> from rbdlib import aba, load
    >>> fast = compile_for(aba, load("double_pendulum"), backend="numpy", cache=False)
    >>> fast([0, 0], [0, 0], [5, 2])
    array([1., 0.])
    """
    one_of(("auto", *BACKENDS), backend, "backend")
    if not callable(function):
        raise TypeError(f"function is {function!r}; give a function whose first argument is the model, such as rnea.")
    if not isinstance(model, Model | FloatingBase | GearedTree):
        raise TypeError(f"model is {model!r}; give a Model, such as rbdlib.load('pendulum').")
    what = {"function": function, "model": model, "parameters": _free(parameters, model, function), "fixed": fixed,
            "shapes": shapes, "sample": sample}
    return CompiledFunction(what, {"backend": backend, "use_cache": cache, "progress": progress, "alone": alone})


class CompiledFunction:
    """A function that was compiled for a model. Call it like the readable one, without the model.

    Each argument is one array, such as q of shape (n,), or a batch of any shape (..., n); batches are broadcast
    together, and the results are batches of the same shape. Optional arguments (f_ext, t) may be given: the first such
    call compiles a variant. Free parameters of the model are given as parameters={name: number, or array of the batch's
    shape}. States without a finite answer, or with a singular H, are handed to the readable function, which gives one
    or says what is wrong; for this and what the program's algebra takes for granted see `compile_for`.

    function, model, fixed: what it was made from. parameters: the names of the free parameters. backend: "c", "numba",
    "numpy" or "jax". compile_seconds: what recording and compiling took, or loading from the cache; JAX compiles
    at the first call with 1, 2, 3 to 4, 5 to 8, ... states, which is added then. program: the straight-line program;
    source: it in C or, where NumPy runs it, in Python, else None; count(): what it costs.
    """

    def __init__(self, what, how):
        self.function, self.model, self.fixed = what["function"], what["model"], what["fixed"]
        self.parameters, self._what, self._how = what["parameters"], what, how
        self.signature = inspect.Signature([argument for argument in arguments_of(self.function)
                                            if argument.name not in self.fixed])
        self._defaults = {name: argument.default for name, argument in self.signature.parameters.items()
                          if argument.default is not argument.empty}
        self._variants, self._lock, self._rooms = {}, threading.Lock(), Rooms()
        self._plain = self.variant(())
        self.backend = self._plain.backend
        self._direct = self._plain.direct or (lambda *_: NotImplemented)
        self.__name__ = name_of(self.function)
        self.__doc__ = f"{self!r}\n\n{self.function.__doc__ or ''}"

    def __call__(self, *arguments, **named):
        if not named:
            result = self._direct(*arguments)
            if result is not NotImplemented:                            # one state, clean arrays: all is done
                return result
        return self._called(arguments, named)

    def _called(self, arguments, named):
        parameters = named.pop("parameters", None)
        try:
            given = self.signature.bind(*arguments, **named).arguments
        except TypeError as error:
            raise TypeError(f"{self.__name__}{self.signature}: {error}.") from None
        values = {name: value for name, value in given.items() if not self._is_default(name, value)}
        optional = tuple(name for name in self._defaults if name in values)
        for name in optional:
            if isinstance(self._defaults[name], (str, bool)) or isinstance(values[name], (str, bool)):
                raise TypeError(f"{name} decides how {self.__name__} works, so it is settled beforehand: "
                                f"compile_for({self.__name__}, model, {name}=...).")
        variant = self.variant(optional)
        values |= self._parameter_values(parameters)
        if "f_ext" in values:
            values["f_ext"] = forces_of_bodies(values["f_ext"], dict(variant.inputs)["f_ext"][0] - 1)
        arrays = {name: as_batch(values[name], shape, name) for name, shape in variant.inputs}
        batch = batch_shape({name: arrays[name].shape[: arrays[name].ndim - len(shape)]
                             for name, shape in variant.inputs})
        inputs, B = variant.flat(arrays, batch), prod(batch)
        flat = [self._rooms.take((optional, k), (B, prod(shape))) for k, shape in enumerate(variant.shapes)]
        finite = variant.kernel(inputs, flat) if B else True
        outputs = [array.reshape(batch + shape) for array, shape in zip(flat, variant.shapes, strict=True)]
        if not finite and not all(np.isfinite(array).all() for array in flat):
            self._ask_readable(flat, outputs, variant.inputs, arrays, batch)
        return rebuild(variant.structure, outputs)

    def _is_default(self, name, value):
        default = self._defaults.get(name, inspect.Parameter.empty)
        return value is default or isinstance(value, (int, float, str)) and value == default

    def _parameter_values(self, parameters):
        given = {} if parameters is None else parameters
        if not hasattr(given, "items"):
            raise TypeError(f"parameters is {given!r}; give a dict {{name: number}}.")
        given = {str(name): value for name, value in given.items()}
        unknown, missing = sorted(set(given) - set(self.parameters)), sorted(set(self.parameters) - set(given))
        known = ", ".join(self.parameters) or "none"
        if unknown:
            raise ValueError(f"parameters names {unknown[0]!r}; the free parameters are: {known}.")
        if missing:
            raise ValueError(f"parameters lacks {missing[0]!r}; give parameters={{name: number}} for: {known}.")
        return given

    def variant(self, optional=()):
        """The compiled program that takes these optional arguments too, a `rbdlib.compile.kernels.Compiled`."""
        with self._lock:
            if optional not in self._variants:
                self._variants[optional] = compiled({**self._what, "given": optional}, **self._how)
            return self._variants[optional]

    def _ask_readable(self, flat, outputs, inputs, arrays, batch):
        """Fill in the states without a finite answer, by the function that was compiled."""
        finite = np.all([np.isfinite(array).all(axis=1) for array in flat], axis=0).reshape(batch)
        whole = {name: np.broadcast_to(arrays[name], batch + shape) for name, shape in inputs}
        for state in zip(*np.nonzero(~finite), strict=True) if batch else [()]:
            values = {name: array[state].copy() for name, array in whole.items()}
            numbers = {name: float(values.pop(name)) for name in self.parameters}
            try:
                result = self.function(with_parameters(self.model, numbers), **values, **self.fixed)
            except ValueError as error:
                if batch:
                    error.add_note(f"This was state {tuple(map(int, state))} of the batch.")
                raise
            for array, found in zip(outputs, taken_apart(result)[0], strict=True):
                array[state] = np.reshape(found.entries, found.shape)

    compile_seconds = property(lambda self: sum(made.seconds for made in self._variants.values()))
    program = property(lambda self: self._plain.program())
    source = property(lambda self: self._plain.source())

    def count(self):
        """Cost of one state: a Counter of "m", "a", "d", "sqrt", "sin" and "cos"."""
        return self.program.count()

    def __repr__(self):
        free = f", parameters {', '.join(self.parameters)}" if self.parameters else ""
        return f"<{self.__name__}{self.signature} compiled for {self.model!r}{free}: {self.backend}>"

    def __reduce__(self):
        return CompiledFunction, (self._what, self._how)


def _free(parameters, model, function):
    """The names of the parameters that stay free, as a tuple; they can be told from the arguments of the function."""
    symbols, arguments = free_symbols(model), {argument.name for argument in arguments_of(function)}
    if isinstance(parameters, str) or not np.iterable(() if parameters is None else parameters):
        raise TypeError(f"parameters is {parameters!r}; give a list of names, such as {[str(parameters)]!r}.")
    names = tuple(map(str, symbols if parameters is None else parameters))
    for k, name in enumerate(names):
        if name not in symbols:
            raise ValueError(f"parameters names {name!r}; the model's symbols are: {', '.join(symbols) or 'none'}. "
                             "Load the model with symbolic=True to have its parameters as symbols.")
        if name in names[:k]:
            raise ValueError(f"parameters names {name!r} more than once; give each name once.")
        if name in arguments:
            raise ValueError(f"The model's symbol {name} has the name of an argument of {name_of(function)}. Make the "
                             f"model with a symbol of another name, such as {name}_0, or with a number.")
    if "parameters" in arguments:
        raise ValueError(f"{name_of(function)} has an argument called parameters, by which a compiled function takes "
                         "the numbers for symbols. Put it into a function that calls it otherwise.")
    return names
