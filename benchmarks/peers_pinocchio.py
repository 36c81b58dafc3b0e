"""Pinocchio: its algorithms in a C++ loop compiled for this processor, and called one state at a time from Python."""

import ctypes
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pinocchio as pin

from benchmarks.compilers import at_once, pointer, shared_library

INCLUDE = Path(pin.__file__).parents[4] / "include"
#: What Pinocchio's own build files set for programs that use its headers.
DEFINITIONS = ("-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
               "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12")
OPTIONS = ("-std=c++17", "-fvisibility=hidden", *DEFINITIONS, f"-I{INCLUDE}", f"-I{INCLUDE / 'eigen3'}")
#: What g++ takes for one of the loops at most.
GIGABYTES = 4
LOOPS = ("rnea", "crba", "aba", "rnea_derivatives", "aba_derivatives")
KINDS = {"JointModelRX": b"x", "JointModelRY": b"y", "JointModelRZ": b"z", "JointModelFreeFlyer": b"f"}


class Pinocchio:
    """A case in Pinocchio: its model, its variables in Pinocchio's order, and the compiled loops.

    model, data: as Pinocchio's Python has them.  q, v, a, tau: the case's states in Pinocchio's order of variables.
    order: the place in our qd of each of Pinocchio's velocities.
    """

    def __init__(self, case, libraries):
        self.case, self.libraries = case, libraries
        self.model = pin.buildModelFromUrdf(str(case.urdf))
        self.data = self.model.createData()
        positions, self.order = _orders(case, self.model)
        self.q = np.ascontiguousarray(case.q[:, positions])
        self.v, self.a, self.tau = (np.ascontiguousarray(x[:, self.order]) for x in (case.qd, case.qdd, case.tau))
        self.robots = {name: _robot(library, self.model) for name, library in libraries.items()}

    def loop(self, name, out=None):
        """One pass of the compiled loop of that name over all states; out: where to store what it finds, if wanted."""
        third, algorithm = self.tau if name.startswith("aba") else self.a, name.removesuffix("_world")
        run = getattr(self.libraries[algorithm], f"{name}_loop")
        run(self.robots[algorithm], ctypes.c_long(len(self.q)), *map(pointer, (self.q, self.v, third, out)))

    def results(self, name):
        """What a loop finds, in our order of variables: an array (BATCH, ...), or three for derivatives."""
        n, B = self.model.nv, len(self.q)
        shape = {"crba": (n, n), "crba_world": (n, n), "rnea_derivatives": (3, n, n), "aba_derivatives": (3, n, n)}
        out = np.empty((B, *shape.get(name, (n,))))
        self.loop(name, out)
        if out.ndim == 2:
            return self.in_our_order(out)
        matrices = self.in_our_order(self.in_our_order(out, -2), -1)
        return matrices if out.ndim == 3 else tuple(np.moveaxis(matrices, 1, 0))

    def in_our_order(self, x, axis=-1):
        """The array with one axis in our order of variables."""
        return np.take(x, np.argsort(self.order), axis)

    def one(self, name):
        """A function of no arguments: one call of Pinocchio's Python function, for the first state."""
        q, v, a, tau, model, data = self.q[0], self.v[0], self.a[0], self.tau[0], self.model, self.data
        return {"rnea": lambda: pin.rnea(model, data, q, v, a), "crba": lambda: pin.crba(model, data, q),
                "aba": lambda: pin.aba(model, data, q, v, tau)}[name]


def load_loops(folder, names=LOOPS):
    """The compiled loops, {name: library}; compiling takes minutes, and what the folder has is taken from there."""
    source = Path(__file__).with_name("pinocchio_loop.cpp")
    with ThreadPoolExecutor(at_once(GIGABYTES)) as pool:
        making = {name: pool.submit(shared_library, "g++", [source], folder, *OPTIONS, f"-D{name.upper()}")
                  for name in names}
    return {name: made.result() for name, made in making.items()}


def versions():
    """What was compared with."""
    return f"pin {version('pin')}, Eigen {version('cmeel-eigen')}"


def _orders(case, model):
    """For each of Pinocchio's positions and velocities, its place in our q and qd."""
    places = {name: i for i, name in enumerate(case.model.names)}
    positions, velocities = np.empty(model.nq, dtype=int), np.empty(model.nv, dtype=int)
    for k in range(1, model.njoints):
        i = places[model.names[k].removesuffix("_joint")]
        q, v = (np.arange(n)[at(i)] for n, at in ((model.nq, case.model.q_slice), (model.nv, case.model.v_slice)))
        if len(v) == 6:             # there the position and the linear velocity come first, the scalar last
            q, v = np.roll(q, 3)[[0, 1, 2, 4, 5, 6, 3]], np.roll(v, 3)
        positions[model.idx_qs[k]:model.idx_qs[k] + len(q)] = q
        velocities[model.idx_vs[k]:model.idx_vs[k] + len(v)] = v
    return positions, velocities


def _robot(library, model):
    """The model in that library, made from numbers."""
    joints = range(1, model.njoints)
    kinds = b"".join(KINDS[model.joints[k].shortname()] for k in joints)
    parents = np.array([model.parents[k] for k in joints], dtype=np.int32)
    places = np.array([[*model.jointPlacements[k].rotation.ravel(), *model.jointPlacements[k].translation]
                       for k in joints])
    inertias = np.array([[model.inertias[k].mass, *model.inertias[k].lever, *model.inertias[k].inertia.ravel()]
                         for k in joints])
    library.make_robot.restype = ctypes.c_void_p
    return ctypes.c_void_p(library.make_robot(len(kinds), *map(pointer, (parents, places, inertias)), kinds))
