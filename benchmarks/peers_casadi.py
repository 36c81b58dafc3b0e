"""C code that CasADi generates from adam's dynamics of the same URDF: the bias force C(q, qd), the inertia H(q)."""

import ctypes
from importlib.metadata import version
from pathlib import Path

import casadi
import numpy as np
from adam import Representations
from adam.casadi import KinDynComputations

from benchmarks.compilers import pointer, shared_library

GRAVITY = np.array([0, 0, -9.81, 0, 0, 0])


class CasADi:
    """The generated functions of a case, compiled together with loops over states.

    order: the place in our qd of each of adam's velocities, of which the base's six come first if it floats.
    """

    def __init__(self, case, folder):
        self.case, model = case, case.model
        hinges = [i for i in model.bodies if model.joints[i].nv == 1]
        self.order = [3, 4, 5, 0, 1, 2] * case.free + [np.arange(model.nv)[model.v_slice(i)][0] for i in hinges]
        q, qd = casadi.SX.sym("q", model.nq), casadi.SX.sym("qd", model.nv)
        adam = KinDynComputations(str(case.urdf_held), [f"{model.names[i]}_joint" for i in hinges], gravity=GRAVITY)
        adam.set_frame_velocity_representation(Representations.BODY_FIXED_REPRESENTATION)
        base, joints = self._base_and_joints(q)
        speeds = qd[[int(k) for k in self.order]]
        base_speed, rates = (speeds[:6], speeds[6:]) if case.free else (casadi.SX.zeros(6), speeds)
        bias, H = adam.bias_force(base, joints, base_speed, rates), adam.mass_matrix(base, joints)
        kept = slice(None) if case.free else slice(6, None)
        self.bias = _Loop("bias", case, folder, [q, qd], casadi.densify(bias[kept]))
        self.H = _Loop("H", case, folder, [q], casadi.densify(H[kept, kept]))

    def _base_and_joints(self, q):
        """The base's pose, 4 x 4, and the angles of the hinges, from our q."""
        if not self.case.free:
            return casadi.SX.eye(4), q
        p0, p1, p2, p3 = (q[k] for k in range(4))
        rows = [[2 * (p0 * p0 + p1 * p1) - 1, 2 * (p1 * p2 - p0 * p3), 2 * (p1 * p3 + p0 * p2), q[4]],
                [2 * (p1 * p2 + p0 * p3), 2 * (p0 * p0 + p2 * p2) - 1, 2 * (p2 * p3 - p0 * p1), q[5]],
                [2 * (p1 * p3 - p0 * p2), 2 * (p2 * p3 + p0 * p1), 2 * (p0 * p0 + p3 * p3) - 1, q[6]],
                [0, 0, 0, 1]]
        return casadi.vertcat(*(casadi.horzcat(*row) for row in rows)), q[7:]

    def results(self, name):
        """What a loop finds, in our order of variables: (BATCH, nv), or (BATCH, nv, nv) for H."""
        loop, n = getattr(self, name), self.case.model.nv
        loop()
        theirs, ours = loop.out, np.empty_like(loop.out)
        if name == "bias":
            ours[:, self.order] = theirs
        else:
            ours[:, np.array(self.order)[:, None], self.order] = theirs.reshape(-1, n, n)
        return ours


class _Loop:
    """A generated function, compiled, in a loop over the case's states; calling it runs the loop once."""

    def __init__(self, name, case, folder, inputs, output):
        function = casadi.Function(name, inputs, [output], dict(cse=True))
        source = f"{case.urdf.stem}_{name}.c"
        generator = casadi.CodeGenerator(source, dict(casadi_int="long long", with_header=False))
        generator.add(function)
        generator.generate(f"{folder}/")
        options = (f"-DNAME={name}", f"-DNQ={case.model.nq}", f"-DNV={case.model.nv}", f"-DSIZE={output.numel()}")
        library = shared_library("gcc", [folder / source, Path(__file__).with_name("casadi_loop.c")],
                                 folder, *options)
        self.function, self.operations = getattr(library, f"{name}_loop"), function.n_instructions()
        self.q, self.qd = case.q, case.qd
        self.out = np.empty((len(case.q), *output.shape) if output.shape[1] > 1 else (len(case.q), output.shape[0]))
        self.w, self.iw = np.empty(function.sz_w() + 1), np.empty(function.sz_iw() + 1)

    def __call__(self):
        self.function(ctypes.c_long(len(self.q)), *map(pointer, (self.q, self.qd, self.out, self.w, self.iw)))


def versions():
    """What was compared with."""
    return f"casadi {version('casadi')}, adam-robotics {version('adam-robotics')}"
