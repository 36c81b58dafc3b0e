"""The parts of the joint forces: inertia, velocities, gravity, forces from outside (RBDA 5.3)."""

from collections import namedtuple

import numpy as np

from rbdlib.book.ch02_spatial import force_transform, free_motion
from rbdlib.book.ch04_model import external_forces
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from rbdlib.methods.first_pass import first_pass
from rbdlib.numbers.scalars import unfilled, vector, zeros
from rbdlib.numbers.tables import column_texts, text_table


class ForceParts(namedtuple("ForceParts", "inertial coriolis gravity external total joints")):
    """The joint forces tau, in four parts that add up to it; prints as a table with a row for each freedom.

    inertial: due to the accelerations qdd, H qdd.  coriolis: due to the velocities qd, with the centrifugal forces (and
    with the motion of joints that depend on time).  gravity: `generalized_gravity`.  external: what the joints supply
    against f_ext.  total: tau itself, by `rnea`. Arrays (nv) of N m, or of N where a joint slides.  joints: the names
    of the rows.
    """

    def __repr__(self):
        parts = (self.inertial, self.coriolis, self.gravity, self.external, self.total)
        columns = column_texts(np.column_stack(parts))
        header = ("joint", "inertial", "Coriolis and centrifugal", "gravity", "external", "total")
        return text_table(header, [(joint, *texts) for joint, texts in zip(self.joints, columns, strict=True)]) + (
            "\n(N m; N where the joint slides)")


def explain(model, q, qd, qdd, f_ext=None, t=0.0):
    """Which part of tau is due to what: inertia, velocities, gravity, external forces (RBDA 5.3). A `ForceParts`.

    Arguments as for `rnea`. The book gets the parts by zeroing inputs, one call each; because accelerations and forces
    pass linearly from body to body, one recursion finds them all, in the four columns of each a[i] and f[i].
    """
    motion = newton_euler(model, q, qd, qdd, f_ext, t)
    X_up, S, c, I, p = first_pass(model, q, qd, None, t)
    qdd, f_ext, parent, at_v = vector(qdd, model.nv, "qdd"), external_forces(model, f_ext), model.parent, model.v_slice
    tau, nothing = zeros((model.nv, 4), motion.tau), zeros(6, motion.tau)
    a, f = unfilled(model.N_B + 1, 2)
    a[0], f[0] = np.column_stack([nothing, nothing, free_motion(-model.gravity), nothing]), zeros((6, 4), motion.tau)

    for i in model.bodies:
        a[i] = X_up[i] @ a[parent[i]] + np.column_stack([S[i] @ qdd[at_v(i)], c[i], nothing, nothing])
        external = -force_transform(motion.X_0[i]) @ f_ext[i]
        f[i] = I[i] @ a[i] + np.column_stack([nothing, p[i], nothing, external])

    for i in reversed(model.bodies):
        tau[at_v(i)] = S[i].T @ f[i]
        f[parent[i]] = f[parent[i]] + X_up[i].T @ f[i]

    freedoms = [(i, k, model.joints[i].nv > 1) for i in model.bodies for k in range(model.joints[i].nv)]
    names = tuple(f"{i} {model.names[i]}" + (f" [{k}]" if several else "") for i, k, several in freedoms)
    return ForceParts(*tau.T, motion.tau, names)
