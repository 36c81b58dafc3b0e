"""Answers of the exercises in data/exercises/09_inverse_dynamics.toml that take a computation."""

from rbdlib.exercises.declare import Computed


def _tree(rng):
    f_net, f_ext = rng.normal(size=(2, 5, 6))
    f_net[0] = f_ext[0] = 0
    return (0, 0, 1, 1, 3), f_net, f_ext


def _handed_on(order=range(4, 0, -1), sign=1):
    """A function for exercise 9.3: the bodies, in some order, add their forces to their parents' or take them away."""

    def joint_forces(parent, f_net, f_ext):
        f = f_net - f_ext
        for i in order:
            f[parent[i]] = f[parent[i]] + sign * f[i]
        return f

    return joint_forces


ANSWERS = {
    "9.3": Computed(_handed_on(), inputs=_tree, mistakes={
        "sign": lambda parent, f_net, f_ext: _handed_on()(parent, f_net, -f_ext), "order": _handed_on(range(1, 5)),
        "entry": lambda parent, f_net, f_ext: f_net - f_ext, "sign 2": _handed_on(sign=-1)})}
