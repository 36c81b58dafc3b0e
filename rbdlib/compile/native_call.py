"""Compiled C functions as Python callables: for batches by ctypes, for one state by a builtin function of Python."""

import ctypes
import os
import sys
import tempfile
from contextlib import suppress

import numpy as np

from rbdlib.compile.c_compiler import SUFFIX

#: The most arguments that `python_call.c` has room for.
MOST = 16


class Plan(ctypes.Structure):
    """Description of a call for `python_call.c`; its fields are those of the struct there."""

    _fields_ = [("function", ctypes.c_void_p), ("count", ctypes.c_ssize_t), ("size", ctypes.c_ssize_t * MOST)]


#: The libraries that this process has loaded, by what is in them.
LOADED: dict = {}


def load_library(data, folder=None):
    """A shared library, given as bytes, as ctypes knows it. It stays loaded as long as the process lives.

    folder: where a copy is written for that; None for the usual one of temporary files. Raises OSError where it cannot
    be loaded.
    """
    if data not in LOADED:
        number, copy = tempfile.mkstemp(prefix=".new-", suffix=SUFFIX, dir=folder)
        try:
            with open(number, "wb") as file:
                file.write(data)
            LOADED[data] = ctypes.CDLL(copy)
        finally:
            with suppress(OSError):                         # Windows keeps what is loaded; the cache removes it later
                os.unlink(copy)
    return LOADED[data]


class CKernel:
    """A kernel (see `rbdlib.compile.kernels`): a C function of `rbdlib.compile.c_source` from a loaded library.

    An input of shape (1, size) is shared by all states. A call returns whether all results are finite. Raises OSError
    where the library has no such function.
    """

    shares_inputs = True

    def __init__(self, library, name):
        try:
            self.function = library[name]
        except AttributeError as error:
            raise OSError(f"there is no function {name} in {library}: {error}") from None
        self.function.restype = ctypes.c_int

    def __call__(self, inputs, outputs):
        B = len(outputs[0]) if outputs else 0
        steps = [array.shape[1] if len(array) == B else 0 for array in inputs]
        finite = self.function(ctypes.c_size_t(B), _pointers(inputs), (ctypes.c_size_t * len(steps))(*steps),
                               _pointers(outputs))
        if finite < 0:
            raise MemoryError("There is not enough memory for the compiled function.")
        return bool(finite)


def _pointers(arrays):
    return (ctypes.c_void_p * len(arrays))(*[array.__array_interface__["data"][0] for array in arrays])


def can_be_called_natively(inputs):
    """True if `direct_call` works on this Python and with arguments such as these, which must be vectors."""
    ordinary = (sys.implementation.name == "cpython" and not hasattr(sys, "gettotalrefcount")
                and sys.platform in ("linux", "darwin"))
    return ordinary and 0 < len(inputs) <= MOST and all(len(shape) == 1 and shape[0] > 0 for _, shape in inputs)


def direct_call(library, kernel, sizes, shape):
    """A builtin function of one state: it gives a new array, or NotImplemented for all but clean float64 vectors.

    library: the loaded `python_call.c`; kernel: a `CKernel`; sizes: of the arguments; shape: of the result. Raises
    OSError where the library is another one.
    """
    address = ctypes.cast(kernel.function, ctypes.c_void_p).value
    plan = bytes(Plan(address, len(sizes), (ctypes.c_ssize_t * MOST)(*sizes)))
    try:
        method = ctypes.c_char.in_dll(library, "method")
    except ValueError as error:
        raise OSError(f"there is nothing called method in {library}: {error}") from None
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    return make(ctypes.addressof(method), (plan, np.empty, tuple(shape)), None)
