"""RBDL from its source: fetched by pip, compiled once, and asked through the C functions of rbdl_answers.cc.

RBDL has no package that runs as it is. The source package pyrbdl contains RBDL 2.6.0 and Eigen; a C++ compiler makes a
small library of it, which stays in the environment of `make test-peers`.
"""

import ctypes
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np

from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er
from rbdlib.book.ch04_joints import Euler, FreeMotion, Planar, Prismatic, Revolute, Spherical

SOURCE = "pyrbdl-0.0.2"
PARTS = ("Dynamics", "Joint", "Kinematics", "Logging", "Model", "rbdl_mathutils", "rbdl_utils")
ANSWERS = Path(__file__).with_name("rbdl_answers.cc")
KINDS = {Revolute: b"r", Prismatic: b"p", Spherical: b"s", Euler: b"e", Planar: b"x", FreeMotion: b"f"}


class Missing(Exception):
    """Why RBDL cannot be asked here."""


@cache
def library():
    """The compiled library; raises Missing where it cannot be made."""
    folder = Path(sys.prefix) / "rbdl"
    built = folder / "librbdl_answers.so"
    if not built.exists() or built.stat().st_mtime < ANSWERS.stat().st_mtime:
        folder.mkdir(exist_ok=True)
        _compile(_source(folder), folder, built)
    lib = ctypes.CDLL(str(built))
    lib.new_model.restype = ctypes.c_void_p
    return lib


def _run(reason, *command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise Missing(f"{reason}: {done.stderr.strip()[-400:]}")


def _source(folder):
    source = folder / SOURCE
    if not source.exists():
        _run("pip cannot fetch RBDL's source", sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
             "--no-binary", ":all:", "--dest", folder, SOURCE.replace("-", "=="))
        _run("RBDL's source was not unpacked", "tar", "-xzf", folder / f"{SOURCE}.tar.gz", "-C", folder)
    return source


def _compile(source, folder, built):
    compiler = shutil.which("g++") or shutil.which("clang++")
    if not compiler:
        raise Missing("a C++ compiler (g++ or clang++) is needed to compile RBDL")
    options = ["-O0", "-w", "-fPIC", "-fpermissive", "-std=c++11"]
    options += [f"-I{source / place}" for place in ("include", "include/Linux", "third_party/eigen3/include")]
    objects = []
    for part in (*(source / "src" / f"{name}.cc" for name in PARTS), ANSWERS):
        objects.append(folder / f"{part.stem}.o")
        _run("RBDL was not compiled", compiler, *options, "-c", part, "-o", objects[-1])
    _run("RBDL was not linked", compiler, "-shared", *objects, "-o", built)


def _call(function, *arguments):
    """Numbers and bytes go as they are, arrays as the address of their elements, row by row."""
    kept = [np.ascontiguousarray(x, dtype=float) if isinstance(x, (np.ndarray, list, tuple)) else x for x in arguments]
    return function(*(x.ctypes if isinstance(x, np.ndarray) else x for x in kept))


class Rbdl:
    """One of our models in RBDL: bodies have our numbers, vectors are RBDL's own. Without gravity, it has RBDL's."""
    def __init__(self, model, gravity=None):
        self.lib, self.ids = library(), {0: 0}
        self.pointer = ctypes.c_void_p(self.lib.new_model())
        if gravity is not None:
            _call(self.lib.set_gravity, self.pointer, gravity)
        for i in model.bodies:
            joint, (E, r), (m, c, I_C) = model.joints[i], X_to_Er(model.X_tree[i]), I_to_mcI(model.inertia[i])
            axis = getattr(joint, "direction", (0, 0, 1))
            self.ids[i] = _call(self.lib.add_body, self.pointer, self.ids[model.parent[i]], E, r, KINDS[type(joint)],
                                axis, ctypes.c_double(m), c, I_C)
        self.nq, self.nv = self.lib.q_size(self.pointer), self.lib.qdot_size(self.pointer)

    def _ask(self, name, given, *shapes):
        """The answers, of these shapes, of the C function that writes them behind what it is given."""
        answers = [np.zeros(shape) for shape in shapes]
        _call(getattr(self.lib, name), self.pointer, *given, *answers)
        return answers[0] if len(answers) == 1 else answers

    def gravity(self):
        return self._ask("get_gravity", (), 3)

    def inverse_dynamics(self, q, qd, qdd, f_ext=None):
        """f_ext: the forces on our bodies, by their numbers; RBDL wants one for each of its bodies."""
        forces = np.zeros((max(self.ids.values()) + 1, 6))
        for i, f in (f_ext or {}).items():
            forces[self.ids[i]] = f
        return self._ask("inverse_dynamics", (q, qd, qdd, forces, len(forces) if f_ext else 0), self.nv)

    def nonlinear_effects(self, q, qd):
        return self._ask("nonlinear_effects", (q, qd), self.nv)

    def inertia_matrix(self, q):
        return self._ask("inertia_matrix", (q,), (self.nv, self.nv))

    def orientation_and_position(self, q, i):
        return self._ask("pose", (q, self.ids[i]), (3, 3), 3)

    def point_velocity(self, q, qd, i, point):
        return self._ask("point_velocity", (q, qd, self.ids[i], point), 6)

    def point_acceleration(self, q, qd, qdd, i, point):
        return self._ask("point_acceleration", (q, qd, qdd, self.ids[i], point), 6)

    def jacobians(self, q, i, point):
        """(CalcPointJacobian6D, CalcBodySpatialJacobian)."""
        return self._ask("jacobians", (q, self.ids[i], point), (6, self.nv), (6, self.nv))

    def momentum(self, q, qd):
        """(mass, centre of mass, its velocity, angular momentum)."""
        return self._ask("momentum", (q, qd), 1, 3, 3, 3)
