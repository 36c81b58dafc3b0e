"""Contact and impact (RBDA 11).

`rbdlib.book.ch11_contact`: contacts and their equations (RBDA 11.1 to 11.4); `systems`: how one body, and systems of
bodies, move with them (RBDA 11.1 to 11.3, Eq. 11.44).
`shapes`, `surfaces`, `geometry`: shapes of bodies and where they may touch (RBDA 11.6).
`sets`: which of several contacts are redundant (RBDA 11.6); Coulomb's cone, wrenches and force closure.
`collisions`, `impact`: impulses on bodies, two bodies that collide, and systems (RBDA 11.7).
`soft`, `soft_simulation`: surfaces of springs and dampers with friction, and motion with them (RBDA 11.8).
`simulation`, `smooth`, `events`: motion with contacts, from one event to the next (RBDA Table 11.1).
`rolling`: bodies that roll without slipping, by nonholonomic constraints.
`time_stepping`: motion with friction by steps of time.
`balance`: zero-moment point, capture point, and forces of least effort at the feet of what stands and walks.
`lcp`: the linear complementarity problem that says which contacts press and which part (RBDA 11.2, 11.5).
"""

from rbdlib.book.ch11_contact import (
    Contact,
    constraint_state,
    contact_normal,
    contact_normals,
    joint_space_normals,
    separation_accelerations,
    separation_velocities,
)
from rbdlib.contact.balance import capture_point, least_forces, zero_moment_point
from rbdlib.contact.collisions import (
    Collision,
    CollisionWarning,
    collision,
    contact_frame,
    sticking_collision,
    velocity_step,
)
from rbdlib.contact.geometry import Pair, PotentialContact, contacts_of
from rbdlib.contact.impact import BodyImpulse, Impact, body_impulse, constraint_impact, impulse_step, system_impact
from rbdlib.contact.lcp import LCPSolution, solve_lcp
from rbdlib.contact.sets import (
    contact_wrenches,
    footprint,
    force_closure,
    forces_that_hold,
    friction_directions,
    in_friction_cone,
    minimal_contact_set,
    positive_dependence,
)
from rbdlib.contact.shapes import Box, Face, Plane, Point, Polyhedron, Segment, Sphere
from rbdlib.contact.simulation import ContactTrajectory, Event, simulate_contacts
from rbdlib.contact.soft import (
    Patches,
    SoftContact,
    friction_cone,
    patches_at_rest,
    soft_contact,
    soft_forces,
    soft_points,
    soft_restitution,
)
from rbdlib.contact.soft_simulation import SoftTrajectory, simulate_soft
from rbdlib.contact.surfaces import ImplicitSurface
from rbdlib.contact.systems import (
    BodyContacts,
    ContactDynamics,
    accelerations_by_qp,
    body_contact_equations,
    contact_dynamics,
    contact_equations,
    recover_lambda,
    several_contacts,
    single_contact,
)
from rbdlib.contact.time_stepping import ContactStep, SteppedTrajectory, contact_step, friction_lcp, simulate_steps

__all__ = [
    "BodyContacts", "BodyImpulse", "Box", "Collision", "CollisionWarning", "Contact", "ContactDynamics", "ContactStep",
    "ContactTrajectory", "Event", "Face", "Impact", "ImplicitSurface", "LCPSolution", "Pair", "Patches", "Plane",
    "Point", "Polyhedron", "PotentialContact", "Segment", "SoftContact", "SoftTrajectory", "Sphere",
    "SteppedTrajectory", "accelerations_by_qp", "body_contact_equations", "body_impulse", "capture_point", "collision",
    "constraint_impact", "constraint_state", "contact_dynamics", "contact_equations", "contact_frame", "contact_normal",
    "contact_normals", "contact_step", "contact_wrenches", "contacts_of", "footprint", "force_closure",
    "forces_that_hold", "friction_cone", "friction_directions", "friction_lcp", "impulse_step", "in_friction_cone",
    "joint_space_normals", "least_forces", "minimal_contact_set", "patches_at_rest", "positive_dependence",
    "recover_lambda", "separation_accelerations", "separation_velocities", "several_contacts", "simulate_contacts",
    "simulate_soft", "simulate_steps", "single_contact", "soft_contact", "soft_forces", "soft_points",
    "soft_restitution", "solve_lcp", "sticking_collision", "system_impact", "velocity_step", "zero_moment_point",
]
