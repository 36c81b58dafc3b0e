"""rbdlib: rigid-body dynamics as a book that runs.

The names below are the ones a first notebook needs; each chapter's own functions are in the module named after it.
"""

from rbdlib.articulated_body import aba
from rbdlib.forward import forward_dynamics
from rbdlib.inertia_matrix import crba
from rbdlib.inverse_dynamics import bias_force, rnea
from rbdlib.model import LoopJoint, Model, ModelError
from rbdlib.model_file import load
from rbdlib.symbolic import equations_of_motion

__all__ = [
    "LoopJoint", "Model", "ModelError", "aba", "bias_force", "crba", "equations_of_motion", "forward_dynamics", "load",
    "rnea",
]
__version__ = "0.1.0"
