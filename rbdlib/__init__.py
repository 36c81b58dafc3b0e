"""rbdlib: rigid-body dynamics as a book that runs.

The names below are the ones a first notebook needs; each chapter's own functions are in the module named after it.
"""

import importlib

from rbdlib.book.ch04_model import LoopJoint, Model, ModelError
from rbdlib.book.ch05_inverse_dynamics import bias_force, rnea
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.book.ch07_articulated_body import aba
from rbdlib.dynamics import forward_dynamics
from rbdlib.io.model_file import load, save
from rbdlib.methods.symbolic import equations_of_motion

__all__ = [
    "LoopJoint", "Model", "ModelError", "aba", "bias_force", "compile_for", "count", "crba", "equations_of_motion",
    "forward_dynamics", "load", "rnea", "save", "verify", "verify_steps", "where",
]
__version__ = "0.1.0"

#: Names that are fetched when they are first asked for, so that importing rbdlib stays quick.
FETCHED_LATER = {"compile_for": "rbdlib.compile.compile_for", "count": "rbdlib.analysis.counting",
                 "verify": "rbdlib.verification.reports.report",
                 "verify_steps": "rbdlib.verification.derivations.derivation",
                 "where": "rbdlib.texts.lookup.where"}


def __getattr__(name):
    if name not in FETCHED_LATER:
        raise AttributeError(f"module 'rbdlib' has no attribute {name!r}")
    return getattr(importlib.import_module(FETCHED_LATER[name]), name)


def __dir__():
    return sorted({*globals(), *FETCHED_LATER})
