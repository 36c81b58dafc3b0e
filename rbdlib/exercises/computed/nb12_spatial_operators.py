"""Answers of the exercises in data/exercises/12_spatial_operators.toml that take a computation."""


from rbdlib.exercises.declare import Computed


def _chain(rng):
    phi, y = rng.normal(size=(5, 6, 6)), rng.normal(size=(5, 6))
    phi[0] = y[0] = 0
    return phi, y


def _base_to_tip(phi, y):
    x = y + 0
    for k in range(len(y) - 2, 0, -1):
        x[k] = phi[k].T @ x[k + 1] + y[k]
    return x


def _tip_to_base(phi, y):
    x = y + 0
    for k in range(2, len(y)):
        x[k] = phi[k - 1] @ x[k - 1] + y[k]
    return x


def _from_y_alone(phi, y):
    x = y + 0
    for k in range(1, len(y) - 1):
        x[k] = phi[k].T @ y[k + 1] + y[k]
    return x


ANSWERS = {
    "12.3": Computed(_base_to_tip, inputs=_chain, mistakes={
        "transpose": _tip_to_base, "transpose 2": lambda phi, y: _base_to_tip(phi.transpose(0, 2, 1), y),
        "entry": _from_y_alone, "entry 2": lambda phi, y: _base_to_tip([*phi[1:], phi[0]], y)})}
