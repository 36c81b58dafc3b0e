"""Mass, centre of mass and potential energy of a system. t: time (s), for joints that depend on it."""

from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.book.ch04_model import require_model
from rbdlib.numbers.scalars import zeros


def potential_energy(model, q, t=0.0):
    """Potential energy (J) in the model's gravity, zero when the centre of mass is at the base's origin."""
    mass, moment = _mass_and_first_moment(model, q, t)
    return -(model.gravity @ moment)


def total_mass(model):
    """Mass (kg) of all bodies."""
    return sum(I[5, 5] for I in require_model(model).inertia[1:])


def centre_of_mass(model, q, t=0.0):
    """Position (m) of the system's centre of mass in base coordinates. ZeroDivisionError if nothing has mass."""
    mass, moment = _mass_and_first_moment(model, q, t)
    if mass == 0:
        raise ZeroDivisionError("The model has no mass, and so no centre of mass.")
    return moment / mass


def _mass_and_first_moment(model, q, t):
    X = body_transforms(model, q, t)
    I = sum((X[i].T @ model.inertia[i] @ X[i] for i in model.bodies), zeros((6, 6), *model.inertia[1:]))
    return I[5, 5], I[[2, 0, 1], [4, 5, 3]]
