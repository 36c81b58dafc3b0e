"""Trees with gears, further: gears that are not linear, propagation through gears, trees without rotors (RBDA 9.6).

`geared_forward_dynamics` moves a `rbdlib.methods.geared_trees.GearedTree` by one of four methods, three of them exact.
geared: a `GearedTree`; y: independent positions (ny); yd, ydd: velocities and accelerations (m); tau: the forces of all
joints (nv), those of the motors at the joints they turn; f_ext, t: as for `rnea`.
"""

from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rbdlib.book.ch02_spatial import free_motion
from rbdlib.book.ch03_subspaces import dimension
from rbdlib.book.ch04_model import Model, external_forces, joined, per_joint
from rbdlib.book.ch05_inverse_dynamics import rnea
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba, sparsity_pattern
from rbdlib.book.ch09_gears import by_G, state
from rbdlib.methods.constraint_derivatives import explicit_constraint
from rbdlib.methods.first_pass import first_pass
from rbdlib.methods.geared_trees import GearedTree
from rbdlib.methods.inertia_parameters import mass_properties, particle
from rbdlib.methods.rotors import aba_with_rotors, scaled_rotor_inertia
from rbdlib.numbers import scalars
from rbdlib.numbers.linear import solve_linear
from rbdlib.numbers.model_arguments import require_geared
from rbdlib.numbers.scalars import matrix, number, vector, zeros
from rbdlib.numbers.validation import one_of


@dataclass(frozen=True, eq=False)
class NonlinearGear:
    """A gear such as a cam, or a pair of wheels that are not round: q_joint = h(q_source, ...) (RBDA 9.6).

    joint: number of the body whose joint is geared.  sources: numbers of the joints on which it depends.  h: a function
    of their variables, written with + - * / ** and sin, cos, sqrt of `rbdlib.numbers.scalars`; it is differentiated
    exactly. Raises TypeError if h cannot run on SymPy symbols, contains other functions, or returns anything but one
    number. What is asked of it raises ValueError where it, or a derivative that is needed, has no finite value.
    """

    joint: int
    sources: tuple
    h: Any
    _value: Any = field(init=False, repr=False)
    _slopes: Any = field(init=False, repr=False)
    _curvature: Any = field(init=False, repr=False)

    def __post_init__(self):
        import sympy

        if not np.iterable(self.sources) or not list(self.sources) or not callable(self.h):
            raise TypeError("NonlinearGear takes a joint, a list of source joints and a function of their variables.")
        object.__setattr__(self, "sources", tuple(self.sources))
        x, xd = (np.array(sympy.symbols(f"{name}1:{len(self.sources) + 1}")) for name in ("x", "xd"))
        functions = [{name: getattr(scalars, name) for name in ("sin", "cos", "sqrt")}]
        try:
            expression = number(sympy.sympify(self.h(*x), strict=True), "what h returns")
            slopes, curvature = explicit_constraint([expression], x, xd)
            found = {"_value": expression, "_slopes": list(slopes[0]), "_curvature": curvature[0]}
            simple = (sympy.Add, sympy.Mul, sympy.Pow, sympy.sin, sympy.cos, sympy.Number, sympy.NumberSymbol, list)
            for part in sympy.preorder_traversal(list(found.values())):
                if not isinstance(part, simple) and part not in {*x, *xd}:          # it suits not all scalars
                    raise TypeError(f"it, or its derivative, contains {part}")
            for name, formula in found.items():
                object.__setattr__(self, name, sympy.lambdify([list(x), list(xd)], formula, functions))
        except Exception as error:
            raise TypeError(f"h cannot run on symbols, or be differentiated ({error}). Let it return one number, made "
                            "of the variables of its sources with + - * / ** and sin, cos, sqrt of "
                            "rbdlib.numbers.scalars.") from error

    def value(self, x):
        """h of x."""
        return self._finite(self._value, x, [0] * len(x))

    def slopes(self, x):
        """The derivatives of h by each of x, a list."""
        return self._finite(self._slopes, x, [0] * len(x))

    def curvature(self, x, xd):
        """The part of the second derivative of h along a motion that xd alone makes."""
        return self._finite(self._curvature, x, list(xd))

    def _finite(self, function, x, xd):
        try:
            with np.errstate(all="ignore"):
                values = function(list(x), xd)
            vector(np.ravel(values), np.size(values), "its value, or a derivative,")
        except (ArithmeticError, ValueError):
            where = ", ".join(f"{x_i} of joint {i}" for i, x_i in zip(self.sources, x, strict=True))
            raise ValueError(f"The gear of joint {self.joint} is not finite at y = {where}: its value there, or that "
                             "of a derivative, is infinite or does not exist. Keep away from there, or choose a "
                             "function with two finite derivatives.") from None
        return values


def congruence(geared, H, y):
    """GᵀHG (m x m), without the products whose factors are zero or one for every y (RBDA Eq. 9.27).

    H: the joint-space inertia matrix of the tree (nv x nv), symmetric, with the zeros that its branches cause.
    """
    rows, pattern = require_geared(geared).rows(y), sparsity_pattern(geared.model)
    H = matrix(H, pattern.shape, "H")
    H_G = zeros((geared.m, geared.m), H, [element for row in rows for element in row.values()])
    columns = [[(i, row[a]) for i, row in enumerate(rows) if a in row] for a in range(geared.m)]
    for a in range(geared.m):
        for b in range(a + 1):
            terms = []
            for i, G_ia in columns[a]:
                for j, G_jb in columns[b]:
                    if pattern[i, j] and (a != b or j <= i):
                        term = times(G_ia, times(G_jb, H[i, j]))
                        terms += [term, term] if a == b and j < i else [term]
            H_G[a, b] = H_G[b, a] = sum(terms[1:], terms[0]) if terms else 0
    return H_G


def times(factor, x):
    """factor × x, which takes no multiplication if the factor is the whole number 1."""
    return x if isinstance(factor, int) and factor == 1 else factor * x


def by_sparse_G(geared, y, yd, tau, f_ext=None, t=0.0):
    """The accelerations ydd (m), as `by_G`, where the zeros and ones of G and the zeros of H are exploited."""
    (q, qd, _, g), model = state(geared, y, yd), geared.model
    C = rnea(model, q, qd, g, f_ext, t) - vector(tau, model.nv, "tau")                  # C + H g - tau
    force, rows = zeros(geared.m, C), geared.rows(y)
    for i, row in enumerate(rows):
        for j, element in row.items():
            force[j] = force[j] - times(element, C[i])
    return solve(congruence(geared, crba(model, q, t), y), force)


def geared_inverse_dynamics(geared, y, yd, ydd, actuated=None, f_ext=None, t=0.0):
    """The forces that give a geared tree the accelerations ydd (RBDA 8.12, 9.6).

    Returns u = Gᵀtau (m), the forces felt at the independent variables; or, where actuated names the joints that have
    motors, as many freedoms as there are independent ones, the forces of all joints tau (nv), zero at the others.
    Raises ValueError if these motors cannot produce every motion.
    """
    (q, qd, G, g), model = state(geared, y, yd), geared.model
    u = G.T @ rnea(model, q, qd, G @ vector(ydd, geared.m, "ydd") + g, f_ext, t)
    if actuated is None:
        return u
    if not np.iterable(actuated) or isinstance(actuated, str):
        raise TypeError(f"actuated is {actuated!r}; give the numbers of the joints that have motors, such as [2, 4].")
    motors = [k for i in actuated for k in range(model.nv)[model.v_slice(i)]]
    if len(motors) != geared.m or dimension(G[motors]) != geared.m:
        raise ValueError(f"The joints {list(actuated)} have {len(motors)} freedoms, of which the gears leave "
                         f"{dimension(G[motors])} independent; the system has {geared.m}. Choose motors that can move "
                         "each of them, and no more than that.")
    tau = zeros(model.nv, u)
    tau[motors] = solve_linear(G[motors].T, u)
    return tau


class Cluster(namedtuple("Cluster", "parent joints columns")):
    """Joints that gears connect, all with the same parent: they act as one joint with several successors.

    parent: the body they are mounted on.  joints: their numbers.  columns: of yd, those that move them.
    """


def clusters(geared):
    """The `Cluster` objects of a geared tree, those nearer the base first.

    Raises ValueError if a gear connects joints whose bodies have different parents.
    """
    parent, root = require_geared(geared).model.parent, list(range(geared.model.N_B + 1))
    for gear in geared.gears:
        for i in gear.sources:
            if parent[i] != parent[gear.joint]:
                raise ValueError(f"The gear between joints {i} and {gear.joint} spans the bodies {parent[i]} and "
                                 f"{parent[gear.joint]}, on which they are mounted, and can be embedded only where "
                                 "they are the same. Use method='explicit'.")
            old, new = root[gear.joint], root[i]
            root = [new if r == old else r for r in root]
    groups = [[i for i in geared.model.bodies if root[i] == r] for r in dict.fromkeys(root[1:])]
    found = [Cluster(parent[group[0]], tuple(group), tuple(
        k for i in group if i in geared.in_yd for k in range(geared.m)[geared.in_yd[i]])) for group in groups]
    return sorted(found, key=lambda cluster: cluster.parent)


def by_embedding(geared, y, yd, tau, f_ext=None, t=0.0):
    """The accelerations ydd (m) by propagation: a geared group of joints is one joint (RBDA Table 7.1 with Eq. 9.26).

    The joints of a group have the motion subspaces S_j G_j, and what their parent feels of all their bodies is summed.
    Nothing is left out: the velocity products c_j come in once, as the forces I_A c_j that p_A takes up, and therefore
    (7.48) stands without I_a c, and (7.49) with the parent's acceleration alone. Raises ValueError if a gear connects
    joints whose bodies have different parents.
    """
    (q, qd, G, g), model = state(geared, y, yd), geared.model
    tau, groups = vector(tau, model.nv, "tau"), clusters(geared)
    X_up, S, c, I_A, p_A = first_pass(model, q, qd, f_ext, t)
    ydd, a = zeros(geared.m, G, p_A[1:], tau), [None] * (model.N_B + 1)
    U, D, u = {}, {}, {}

    for n, (parent, joints, columns) in reversed(list(enumerate(groups))):
        columns = list(columns)
        U[n], D[n], u[n] = zeros((6, len(columns)), G), zeros((len(columns),) * 2, G), zeros(len(columns), G, p_A[1:])
        for j in joints:
            at, G_j = model.v_slice(j), G[model.v_slice(j)][:, columns]
            S[j], c[j] = S[j] @ G_j, c[j] + S[j] @ g[at]
            p_A[j] = p_A[j] + I_A[j] @ c[j]             # so that (7.48) and (7.49) need no c
            U[n] = U[n] + X_up[j].T @ I_A[j] @ S[j]                                     # (7.43)
            D[n] = D[n] + S[j].T @ I_A[j] @ S[j]                                        # (7.44)
            u[n] = u[n] + G_j.T @ tau[at] - S[j].T @ p_A[j]                             # (7.45)
            if parent != 0:
                I_A[parent] = I_A[parent] + X_up[j].T @ I_A[j] @ X_up[j]                # (7.37)
                p_A[parent] = p_A[parent] + X_up[j].T @ p_A[j]                          # (7.38)
        if parent != 0:
            I_A[parent] = I_A[parent] - U[n] @ solve(D[n], U[n].T)                      # (7.47)
            p_A[parent] = p_A[parent] + U[n] @ solve(D[n], u[n])                        # (7.48)

    a[0] = free_motion(-model.gravity)

    for n, (parent, joints, columns) in enumerate(groups):
        ydd[list(columns)] = solve(D[n], u[n] - U[n].T @ a[parent])                     # (7.49)
        for j in joints:
            a[j] = X_up[j] @ a[parent] + c[j] + S[j] @ ydd[list(columns)]               # (7.46) (7.50)

    return ydd


class QuickModel(namedtuple("QuickModel", "model I_rot bodies")):
    """A tree from which the rotors are taken away, for the quick and dirty method (RBDA Example 9.5).

    model: its q and qd are the y and yd of the geared tree.  I_rot: scaled rotor inertias, {body of model: inertia}.
    bodies: the numbers that the bodies of model have in the geared tree.
    """


def quick_model(geared, carried="inertia", t=0.0):
    """The tree without the bodies that gears move, and their scaled inertias (RBDA Example 9.5): a `QuickModel`.

    carried: what stays of a rotor on the body that bears it: "inertia" (all of it, as if the rotor were locked where
    its joint variable is 0), "mass" (a particle at its centre of mass) or "nothing".  t: time (s). Raises ValueError
    for nonlinear gears, several sources, and if a geared body carries others.
    """
    model, I_rot, inertia = require_geared(geared).model, {}, list(geared.model.inertia)
    number_of = {i: k for k, i in enumerate(geared.independent, start=1)}
    for gear in geared.gears:
        j, parent = gear.joint, model.parent[gear.joint]
        if isinstance(gear, NonlinearGear) or len(gear.sources) != 1 or model.mu(j):
            raise ValueError(f"Joint {j} has a gear that is not linear or has several sources, or body {j} carries "
                             "others; the quick and dirty method is for rotors. Use method='explicit'.")
        q_j = model.joints[j].neutral()
        S, X = model.joints[j].motion_subspace(q_j, t), model.joints[j].transform(q_j, t) @ model.X_tree[j]
        i, J = number_of[gear.sources[0]], (S.T @ model.inertia[j] @ S)[0, 0]
        I_rot[i] = I_rot.get(i, 0) + scaled_rotor_inertia(gear.ratios[gear.sources[0]], J)
        if parent in number_of:
            m, c, _ = mass_properties(model.inertia[j])
            stays = {"inertia": model.inertia[j], "mass": particle(m, c), "nothing": 0 * model.inertia[j]}
            inertia[parent] = inertia[parent] + X.T @ stays[one_of(stays, carried, "carried")] @ X
        elif parent != 0:
            raise ValueError(f"Body {j} is geared and is mounted on body {parent}, which is geared too.")
    kept = geared.independent
    parents = [number_of.get(model.parent[i], 0) for i in kept]
    joints, X_tree, inertia, names = ([x[i] for i in kept] for x in (model.joints, model.X_tree, inertia, model.names))
    quick = Model(parents, joints, X_tree, inertia, model.gravity, names)
    return QuickModel(quick, I_rot, kept)


def by_quick_model(geared, y, yd, tau, f_ext=None, t=0.0):
    """The accelerations ydd (m) by the quick and dirty method, from the rotors' forces scaled by their gear ratios.

    Forces on a rotor are taken to act on the body that bears it. Errors as for `quick_model`.
    """
    model, I_rot, bodies = quick_model(geared, t=t)
    y, yd = vector(y, geared.ny, "y"), vector(yd, geared.m, "yd")
    forces, number_of = external_forces(geared.model, f_ext), {i: k for k, i in enumerate(bodies, start=1)}
    f_quick = zeros((model.N_B + 1, 6), forces)
    for i in geared.model.bodies:
        k = number_of.get(i if i in number_of else geared.model.parent[i], 0)
        f_quick[k] = f_quick[k] + forces[i]
    u = geared.G(y).T @ vector(tau, geared.model.nv, "tau")
    return aba_with_rotors(model, y, yd, u, I_rot, f_quick, t)


METHODS = {"explicit": by_G, "sparse": by_sparse_G, "embedded": by_embedding, "quick": by_quick_model}


def geared_forward_dynamics(geared, y, yd, tau, f_ext=None, method="explicit", t=0.0):
    """The accelerations ydd (m) that forces tau (nv) cause in a geared tree; qdd is G ydd + g (RBDA 9.6).

    method: "explicit" (Eq. 9.26), "sparse" (the same, without products by zero and one), "embedded" (by propagation,
    for gears between joints on the same body): all exact; "quick" (Example 9.5): leaves small effects of the rotors
    out, and all gyroscopic ones. Raises ValueError or TypeError for other methods and arguments that do not fit, and
    ValueError where a method cannot deal with the gears.
    """
    return METHODS[one_of(METHODS, method, "method")](require_geared(geared), y, yd, tau, f_ext, t)


@dataclass(frozen=True)
class GearedDynamics:
    """The function(model, q, qd, tau, f_ext, t) -> qdd of the tree of a `GearedTree`, by a method that
    `geared_forward_dynamics` knows. It looks at the independent part of q and qd alone.
    """

    geared: GearedTree
    method: str = "explicit"

    def __post_init__(self):
        one_of(METHODS, self.method, "method")
        require_geared(self.geared)

    def __call__(self, model, q, qd, tau, f_ext=None, t=0.0):
        geared = self.geared
        y, yd = independent_part(geared, q, qd)
        return geared.G(y) @ METHODS[self.method](geared, y, yd, tau, f_ext, t) + geared.g(y, yd)


def independent_part(geared, q, qd):
    """y and yd of a state q, qd of the tree: what it says of the geared joints is left out."""
    q, qd = per_joint(geared.model, q=q, qd=qd)
    return tuple(joined([None, *(x[i] for i in geared.independent)]) for x in (q, qd))
