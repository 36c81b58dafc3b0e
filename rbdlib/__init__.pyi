"""The types of the names that `rbdlib` gives, for editors and for mypy.

They stand here and not in the functions, because a function that a text prints is laid out like the printed page.
tests/test_types.py compares this file with the code: names, arguments and default values.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rbdlib.book.ch04_model import LoopJoint as LoopJoint, Model as Model, ModelError as ModelError
from rbdlib.compile.compile_for import CompiledFunction
from rbdlib.methods.geared_trees import GearedTree
from rbdlib.methods.symbolic import EquationsOfMotion
from rbdlib.texts.lookup.where import Whereabouts
from rbdlib.verification.derivations.steps import Steps
from rbdlib.verification.reports.report import Report

#: Numbers or formulas of any scalar: a list, a tuple or an array.
_Values: TypeAlias = ArrayLike | Sequence[Any]
#: _Forces on the bodies, base coordinates: an (N_B+1, 6) array or {body: 6-vector}.
_Forces: TypeAlias = _Values | Mapping[int, _Values] | None

__version__: str
FETCHED_LATER: dict[str, str]

def rnea(model: Model, q: _Values, qd: _Values, qdd: _Values, f_ext: _Forces = None, t: float = 0.0) -> np.ndarray: ...
def bias_force(model: Model, q: _Values, qd: _Values, f_ext: _Forces = None, t: float = 0.0) -> np.ndarray: ...
def crba(model: Model, q: _Values, t: float = 0.0) -> np.ndarray: ...
def aba(model: Model, q: _Values, qd: _Values, tau: _Values, f_ext: _Forces = None, t: float = 0.0) -> np.ndarray: ...
def forward_dynamics(
    model: Model | GearedTree, q: _Values, qd: _Values, tau: _Values, f_ext: _Forces = None, method: str | None = None,
    t: float = 0.0,
) -> np.ndarray: ...
def load(name: str | PathLike[str], symbolic: bool = False) -> Model: ...
def save(model: Model, path: str | PathLike[str]) -> None: ...
def equations_of_motion(model: Model, q: _Values | None = None, qd: _Values | None = None) -> EquationsOfMotion: ...
def compile_for(
    function: Callable[..., Any],
    model: Any,
    backend: str = "auto",
    parameters: Sequence[str] | None = None,
    cache: bool = True,
    progress: bool | None = None,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    sample: Mapping[str, _Values] | None = None,
    alone: bool = False,
    **fixed: Any,
) -> CompiledFunction: ...
def count(
    function: Callable[..., Any],
    model: Any,
    simplified: bool = False,
    typed: bool = False,
    given: Sequence[str] = (),
    parameters: Sequence[str] | None = None,
    **fixed: Any,
) -> Counter[str]: ...
def verify(
    model: Any,
    quantity: str,
    answer: Any = None,
    given: Any = None,
    seed: int = 0,
    reveal: bool = True,
    units: Mapping[str, Any] | None = None,
    explain: bool = True,
) -> Report: ...
def verify_steps(model: Any, lines: Any, given: Any = None, seed: int = 0, explain: bool = True) -> Steps: ...
def where(query: str) -> Whereabouts: ...
