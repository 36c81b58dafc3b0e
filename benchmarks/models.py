"""The robots of the benchmark, with random states, and the same robots as URDF files for the other programs."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rbdlib import Model, load
from rbdlib.io import read_urdf, save_urdf

BATCH = 4096


@dataclass(frozen=True, eq=False)
class Case:
    """A model and random states of it, one a row: q (BATCH, nq); qd, qdd, tau (BATCH, nv).

    urdf: the model in a file.  urdf_held: the same with the floating base held, for programs that free it themselves.
    free: whether the base floats; body 1 is the base then, and qd begins with its velocity.
    """

    name: str
    model: Model
    urdf: Path
    urdf_held: Path
    free: bool
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray


def arm(folder):
    """The Franka Emika Panda, seven revolute joints."""
    model = load("panda")
    return _case("7-axis arm (Panda)", model, write_model(model, folder / "panda.urdf"), free=False)


def humanoid(folder):
    """The Unitree G1, 29 joints on a floating base; links fixed to each other are one body, as in Pinocchio."""
    parts = write_model(load("g1"), folder / "g1_parts.urdf")
    model = read_urdf(parts, lump_fixed=True).model
    name = f"{model.nv}-freedom humanoid (G1), floating"
    return _case(name, model, write_model(model, folder / "g1.urdf"), free=True)


def write_model(model, path):
    """A URDF file whose hinges are of the type "revolute".

    For Pinocchio a "continuous" hinge has two variables, a cosine and a sine; the numbers of ours are angles.
    """
    save_urdf(model, path)
    revolute = 'type="revolute"><limit lower="-9" upper="9" effort="9" velocity="9"/>'
    path.write_text(path.read_text(encoding="utf-8").replace('type="continuous">', revolute), encoding="utf-8")
    return path


def _case(name, model, urdf, free, seed=1):
    held = urdf.with_name(f"{urdf.stem}_held.urdf")
    held.write_text(urdf.read_text(encoding="utf-8").replace('type="floating"', 'type="fixed"'), encoding="utf-8")
    rng = np.random.default_rng(seed)
    q = rng.uniform(-np.pi, np.pi, (BATCH, model.nq))
    if free:
        q[:, :4] = rng.normal(size=(BATCH, 4))
        q[:, :4] /= np.linalg.norm(q[:, :4], axis=1, keepdims=True)
    qd, qdd, tau = rng.normal(size=(3, BATCH, model.nv))
    return Case(name, model, urdf, held, free, q, qd, qdd, tau)
