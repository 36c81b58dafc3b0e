"""Random mechanisms of every kind, states of them by the thousand, and one of them printed as code."""

from dataclasses import dataclass, fields, replace

import numpy as np

from rbdlib import LoopJoint, Model
from rbdlib.book.ch02_spatial import I_to_mcI, inverse_transform, mcI, plucker
from rbdlib.book.ch04_joints import (
    Cylindrical,
    Euler,
    Fixed,
    FreeMotion,
    Helical,
    Planar,
    Prismatic,
    RackAndPinion,
    Reversed,
    Revolute,
    Spherical,
    Universal,
)
from rbdlib.book.ch04_orientation import rotation_from_euler_parameters
from rbdlib.numbers.validation import EULER_SEQUENCES

PLAIN = (Revolute, Prismatic)


@dataclass(frozen=True)
class Case:
    """A model and n states of it: q (n x nq), qd, qdd, tau (n x nv), f_ext (n x N_B+1 x 6)."""

    model: Model
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray
    f_ext: np.ndarray

    @property
    def size(self):
        return len(self.q)

    def states(self):
        """The names and arrays of the states."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "model"}

    def only(self, k):
        """The case with its state k alone."""
        return replace(self, **{name: x[k : k + 1] for name, x in self.states().items()})


def random_axis(rng):
    return str(rng.choice(list("xyz"))) if rng.random() < 0.6 else tuple(rng.normal(size=3).round(2) + 0.01)


def random_joint(rng, mobile=False):
    """A joint of any type; mobile: with at least one freedom."""
    kinds = [lambda: Revolute(random_axis(rng))] * 5 + [lambda: Prismatic(random_axis(rng))] * 2 + [
        lambda: Cylindrical(random_axis(rng)), lambda: Helical(rng.normal(), random_axis(rng)), Planar,
        lambda: Planar("F_s"), Spherical, FreeMotion, lambda: FreeMotion("F_s"),
        lambda: Euler(str(rng.choice(EULER_SEQUENCES))), lambda: Universal(str(rng.choice(["xy", "zx", "yz"]))),
        lambda: RackAndPinion(rng.uniform(0.1, 1)), *([] if mobile else [Fixed])]
    joint = kinds[rng.integers(len(kinds))]()
    return Reversed(joint) if rng.random() < 0.1 else joint


def random_place(rng, length):
    """A transform to somewhere at a distance of about the length; now and then along an axis, or nowhere else."""
    p = rng.normal(size=4)
    E = rotation_from_euler_parameters(p / np.linalg.norm(p)) if rng.random() < 0.7 else np.eye(3)
    r = length * (rng.normal(size=3) if rng.random() < 0.7 else np.eye(3)[rng.integers(3)] * rng.integers(0, 2))
    return plucker(E, r)


def random_inertia(rng, length, mass):
    """The inertia of eight particles."""
    masses, points = mass * rng.uniform(0.1, 1, 8), length * rng.normal(size=(8, 3))
    c = masses @ points / masses.sum()
    d = points - c
    I_C = np.einsum("k,kij->ij", masses, (d * d).sum(axis=1)[:, None, None] * np.eye(3) - d[:, :, None] * d[:, None])
    return mcI(masses.sum(), c, I_C)


def random_model(rng, bodies=None, plain=False, mobile=False):
    """A tree of 1 to 9 bodies, lengths of millimetres to kilometres; plain: of hinges and sliders."""
    n = int(rng.integers(1, 10)) if bodies is None else bodies
    length, mass = 10.0 ** rng.uniform(-3, 3, 2) if rng.random() < 0.3 else (1.0, 1.0)
    parent = [int(rng.integers(max(0, i - 3), i + 1)) for i in range(n)]
    joints = [PLAIN[rng.random() < 0.3](random_axis(rng)) if plain else random_joint(rng, mobile) for _ in range(n)]
    if not any(joint.nv for joint in joints):
        joints[-1] = Revolute()
    return Model(parent, joints, [random_place(rng, length) for _ in range(n)],
                 [random_inertia(rng, length, mass) for _ in range(n)], gravity=rng.normal(size=3) * 9.81 * length)


def random_case(rng, model, size):
    """So many random states of the model, forces in its own units."""
    q = np.array([model.random_state(rng)[0] for _ in range(size)]).reshape(size, model.nq)
    _leave_gimbal_lock(model, q)
    force = max(I[5, 5] for I in model.inertia[1:])
    qd, qdd, tau = rng.normal(size=(3, size, model.nv))
    f_ext = force * rng.normal(size=(size, model.N_B + 1, 6))
    f_ext[:, 0] = 0
    return Case(model, q, qd, qdd, force * tau, f_ext)


def _leave_gimbal_lock(model, q):
    """Turn the middle angle of Euler joints away from where two axes coincide: there every method loses digits."""
    for i in model.bodies:
        joint = getattr(model.joints[i], "joint", model.joints[i])
        if isinstance(joint, Euler) and joint.nv == 3:
            middle, symmetric = q[:, model.q_slice(i)][:, 1], joint.sequence[0] == joint.sequence[2]
            middle[abs(np.sin(middle) if symmetric else np.cos(middle)) < 0.03] += 0.1


def random_loop_case(rng, size):
    """A tree with one loop, closed by a joint of any type; each state has a model of its own: a list of cases."""
    cases = []
    model = random_model(rng, int(rng.integers(2, 7)), mobile=True)
    for _ in range(size):
        case = random_case(rng, model, 1)
        X = _placed(model, case.q[0])
        p, s = rng.choice(model.N_B + 1, 2, replace=False).tolist()
        joint = random_joint(rng)
        X_P = random_place(rng, 1.0)
        X_S = joint.transform(joint.random_position(rng)) @ X_P @ X[p] @ inverse_transform(X[s])
        cases.append(replace(case, model=model.replace(loops=[LoopJoint(p, s, joint, X_P, X_S)])))
    return cases


def _placed(model, q):
    X = [np.eye(6)]
    for i in model.bodies:
        X.append(model.joints[i].transform(q[model.q_slice(i)]) @ model.X_tree[i] @ X[model.parent[i]])
    return X


# A case made smaller, and printed


def smaller(case):
    """Cases with one thing taken out of a case of one state: a body at a tip, an odd joint, a place, an inertia..."""
    model = case.model
    if not model.loops:
        for i in reversed(model.bodies):
            if not model.mu(i) and model.N_B > 1:
                yield _without(case, i)
    for i in model.bodies:
        for simple in (Revolute("z"), Prismatic("z")):
            if model.joints[i].nv != 1 or str(model.joints[i]) not in ("revolute z", "prismatic z"):
                yield _with_joint(case, i, simple)
        for name, simple in (("X_tree", np.eye(6)), ("inertia", mcI(1, [0, 0, 0], np.eye(3)))):
            if not np.array_equal(getattr(model, name)[i], simple):
                values = list(getattr(model, name)[1:])
                values[i - 1] = simple
                yield replace(case, model=model.replace(**{name: values}))
    if model.gravity.any():
        yield replace(case, model=model.replace(gravity=(0, 0, 0)))
    for name, x in case.states().items():
        simple = np.tile(model.neutral(), (1, 1)) if name == "q" else 0 * x
        for other in (simple, np.round(x, 1)):
            if not np.array_equal(x, other):
                yield replace(case, **{name: other})


def _without(case, i):
    model, bodies = case.model, [j for j in case.model.bodies if j != i]
    number = {0: 0} | {j: k for k, j in enumerate(bodies, start=1)}
    other = Model([number[model.parent[j]] for j in bodies], [model.joints[j] for j in bodies],
                  [model.X_tree[j] for j in bodies], [model.inertia[j] for j in bodies], model.gravity)
    variables = np.concatenate([np.arange(model.nv)[model.v_slice(j)] for j in bodies])
    positions = np.concatenate([np.arange(model.nq)[model.q_slice(j)] for j in bodies])
    return Case(other, case.q[:, positions], *(x[:, variables] for x in (case.qd, case.qdd, case.tau)),
                case.f_ext[:, [0, *bodies]])


def _with_joint(case, i, joint):
    model, old = case.model, case.model.joints[i]
    joints = list(model.joints[1:])
    joints[i - 1] = joint

    def changed(x, place, n):
        return np.concatenate([x[:, : place.start], np.full((len(x), n), 0.3), x[:, place.stop :]], axis=1)

    q = changed(case.q, model.q_slice(i), joint.nq) if (old.nq, old.nv) != (1, 1) else case.q
    rates = [x if old.nv == 1 else changed(x, model.v_slice(i), joint.nv) for x in (case.qd, case.qdd, case.tau)]
    return Case(model.replace(joints=joints), q, *rates, case.f_ext)


def as_code(case):
    """A case of one state as Python that makes it."""
    model = case.model
    inertias = ", ".join(f"mcI({', '.join(_text(x) for x in I_to_mcI(I))})" for I in model.inertia[1:])
    lines = ["import numpy as np", "from rbdlib import LoopJoint, Model", "from rbdlib.book.ch04_joints import *",
             "from rbdlib.book.ch02_spatial import mcI", "",
             f"X_tree = [{', '.join(f'np.array({_text(X)})' for X in model.X_tree[1:])}]",
             f"inertia = [{inertias}]"]
    loops = ", ".join(f"LoopJoint({loop.predecessor}, {loop.successor}, {loop.joint!r}, np.array({_text(loop.X_P)}), "
                      f"np.array({_text(loop.X_S)}))" for loop in model.loops)
    lines.append(f"model = Model({list(model.parent[1:])}, {list(model.joints[1:])!r}, X_tree, inertia, "
                 f"gravity={_text(model.gravity)}{f', loops=[{loops}]' if loops else ''})")
    lines += [f"{name} = np.array({_text(x[0])})" for name, x in case.states().items()]
    return "\n".join(lines)


def _text(x):
    return repr(np.asarray(x).tolist())
