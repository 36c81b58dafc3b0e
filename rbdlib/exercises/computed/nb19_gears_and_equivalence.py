"""Answers of the exercises in data/exercises/19_gears_and_equivalence.toml that take a computation."""

from rbdlib.exercises.declare import Computed


def _of_ten(choose):
    """A function of the ten parameters p of a body, from one of their names."""
    return lambda p: choose(*p)


def _simplified(p):
    m, h_x, h_y, h_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz = p
    return [0, h_x, h_y, 0, I_xx - I_yy, I_xy, 0, I_xz, I_yz, I_zz]


ANSWERS = {
    "19.7": Computed(_simplified, inputs=lambda rng: (rng.uniform(0.5, 2, size=10),), mistakes={
        "entry": _of_ten(lambda m, h_x, h_y, h_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz: [
            0, h_x, h_y, 0, I_xx, I_xy, 0, I_xz, I_yz, I_zz]),
        "swapped": _of_ten(lambda m, h_x, h_y, h_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz: [
            0, h_x, h_y, 0, I_xx, I_xy, I_yy - I_xx, I_xz, I_yz, 0]),
        "inverse": _of_ten(lambda m, h_x, h_y, h_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz: [
            m, 0, 0, h_z, I_yy, 0, I_yy, 0, 0, 0]),
        "entry 2": lambda p: [0, *p[1:]]})}
