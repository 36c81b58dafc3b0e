"""Forward dynamics: the accelerations that given forces cause, by every method of the texts by its name.

The methods are in the modules of their chapters: by the inertia matrix (RBDA 6, FDSV 2), by propagation (RBDA 7), and
those that the spatial operators explain (SOA 3-6).
"""

from rbdlib.book import ch07_articulated_body as articulated_body
from rbdlib.book.ch04_model import require_model
from rbdlib.loops import dynamics as loop_dynamics
from rbdlib.methods import articulated_body_variants, divide_and_conquer, gears, handles, joint_space
from rbdlib.methods.floating_base import FloatingBase
from rbdlib.methods.geared_trees import GearedTree
from rbdlib.texts.soa import mass_matrix_methods, order_n

#: The functions (model, q, qd, tau, f_ext=None, t=0.0) -> qdd that `forward_dynamics` knows for trees, by name.
METHODS = {
    # the joint-space inertia matrix (FDSV 2, RBDA 6)
    "inverse_dynamics": joint_space.by_inverse_dynamics,
    "differential_inverse_dynamics": joint_space.by_differential_inverse_dynamics,
    "columns": joint_space.by_columns,
    "crba": joint_space.by_crba,
    "crba_ltl": joint_space.by_crba_ltl,
    # propagation (RBDA 7)
    "aba": articulated_body.aba,
    "aba_in_base": articulated_body_variants.aba_in_base,
    "aba_unit_columns": articulated_body_variants.aba_unit_columns,
    "variant_1": handles.by_variant_1,
    "variant_2": handles.by_variant_2,
    "divide_and_conquer": divide_and_conquer.divide_and_conquer,
    # the mass matrix of the spatial operator algebra, formed or only multiplied (SOA 3-4)
    "direct": mass_matrix_methods.direct,
    "symmetry": mass_matrix_methods.symmetry,
    "crb": mass_matrix_methods.crb,
    "conjugate_gradient": mass_matrix_methods.conjugate_gradient,
    "preconditioned_conjugate_gradient": mass_matrix_methods.preconditioned_conjugate_gradient,
    # the mass matrix factored or inverted, by the operator algebra and by the authors it explains (SOA 4-6)
    "innovations": order_n.innovations,
    "rosenthal_elimination": order_n.rosenthal_elimination,
    "articulated_body": order_n.articulated_body,
    "vereshchagin": order_n.vereshchagin,
    "armstrong": order_n.armstrong,
    "featherstone": order_n.featherstone,
    "rodriguez": order_n.rodriguez,
    "brandl_johanni_otter": order_n.brandl_johanni_otter,
    "bae_haug": order_n.bae_haug,
    "rosenthal": order_n.rosenthal,
    "full_order_n": order_n.full_order_n,
}


def forward_dynamics(model, q, qd, tau, f_ext=None, method=None, t=0.0):
    """The accelerations qdd (nv) that the forces tau (nv) cause in the system that the model describes.

    model: a `Model`, whose loops, if it has any, stay closed (RBDA 8.5); or a `GearedTree` (RBDA 9.6), of which q and
    qd are the independent variables y and yd, and the result is ydd. q, qd, f_ext, t: as for `rnea`. method: by default
    the articulated-body algorithm; for a tree one of the names in `METHODS`, with loops one of
    `rbdlib.loops.dynamics.METHODS`, with gears one of `rbdlib.methods.gears.METHODS`. Constraint forces and the rest
    are what `by_loop_constraints` and others return. What joints' characters add is not in it; for a tree,
    `rbdlib.methods.joint_character.aba_with_characters` respects them.

    Raises ValueError for another name, ValueError or TypeError for arguments of the wrong length or kind, and
    ValueError where H is singular or the method cannot deal with the model, which only some restrict.

    >>> from rbdlib import load
    >>> forward_dynamics(load("double_pendulum"), [0, 0], [0, 0], [5, 2])
    array([1., 0.])
    """
    if isinstance(model, FloatingBase):
        raise TypeError("model is a FloatingBase, whose motion needs the velocity of the base too. Use floating_aba, "
                        "or give to_fixed_base(model), a Model whose body 1 moves freely.")
    geared = isinstance(model, GearedTree)
    loops = () if geared else require_model(model).loops
    methods = gears.METHODS if geared else loop_dynamics.METHODS if loops else METHODS
    if method is None:
        method = "explicit" if geared else "direct" if loops else "aba"
    if not isinstance(method, str) or method not in methods:
        remedy = (f", but the model has {len(loops)} loop(s). model.replace(loops=()) is the tree without them"
                  if loops and isinstance(method, str) and method in METHODS else "")
        raise ValueError(f"method is {method!r}{remedy}; choose {', '.join(map(repr, methods))}.")
    if loops:
        return loop_dynamics.by_loop_constraints(model, q, qd, tau, f_ext, method, t=t)[0]
    return (gears.METHODS if geared else METHODS)[method](model, q, qd, tau, f_ext, t)
