"""The meaning of the symbols of an answer: the model's own names, aliases, and what the learner states in ``given``.

    Vocabulary(model, "theta2 = q1 + q2")           absolute angles: dots on theta2 follow by differentiation
    Vocabulary(model, {"M": "m_cart", "a": "l/2"})  other names, half-lengths
    Vocabulary(model, "m1 = m2 = m; tau2 = 0")      a special case: compared for equal masses, without that torque
"""

import copy

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.definitions import Definition as Definition
from rbdlib.verification.meaning.given import BadGiven as BadGiven, Stated
from rbdlib.verification.meaning.motions import Motions
from rbdlib.verification.meaning.statements import Statements
from rbdlib.verification.trees.expression import to_text


class Vocabulary(Motions):
    """The meaning of every symbol of an answer.

    model: a `Model`. given: what the learner states beforehand: text with equations, separated by commas, semicolons
    or line ends; a dict {name: formula}, whose names are the learner's; or a list of both. Formulas are text, numbers
    or SymPy expressions in the model's own symbols. An equation may define a new symbol ("a1 = l1/2"), give a name of
    the model another meaning ("q2 = q1 + q2": the learner's q2 is absolute), define the model's symbol by new ones
    ("q2 = theta2 - theta1"), or state a special case for parameters and forces ("m1 = m2", "tau2 = 0").
    "theta2 from the downward vertical" (upward vertical, horizontal) states an absolute angle, positive in the sense of
    the joint; "absolute angles", "theta clockwise", "angles in degrees", "l1 is half the length", "J about the pivot",
    "m1 in kg" and the like are understood, too (see `phrases`). "spring k at q1, at rest at l0", "damper c at x" state
    what acts at a joint; "phi = Omega*t", "x'' = a; a is constant", "statics" or "phi is prescribed", motions whose
    forces are whatever they demand; and "x = r*phi" or "y = a*x^2", about coordinates of the model, constraints.
    "order: q2, q1" states the order of coordinates, "unknown: f, N" names forces that the motion determines; "hybrid",
    "frames = DH classic" or "Spong" state frames and conventions (see `mechanics.declared`). Raises `BadGiven` (a
    ValueError).

    unknowns: names of constraint forces. how: what is declared about frames and conventions. units: {compact name:
    dimension}. constants: compact names of what is constant. Further attributes are those of `meanings.Meanings`.
    """

    #: The class of the search for reasons, which others may replace; None for `diagnosis.Search`.
    searched_by = None

    def __init__(self, model, given=None):
        super().__init__(model)
        stated = Stated(given, self.names)
        self.order, self.unknowns = stated.order, {compact(name) for name in stated.unknowns}
        self.order_names, self.how = stated.order_names, stated.how
        self.units = {compact(name): dimension for name, dimension in stated.units.items()}
        Statements(self, stated).learn()

    def with_definitions(self, definitions):
        """A copy that has further definitions, a dict {compact name: Definition}."""
        new = copy.copy(self)
        new.definitions, new._found = self.definitions | definitions, {}
        return new

    def remarks(self, forces=True):
        """Sentences on what was taken for granted, a tuple. forces: whether those on forces matter."""
        special = [f"Compared for {name} = {to_text(tree)}, as stated." for name, tree in self.assumptions.items()
                   if (forces or name in self.names.parameters) and name not in self.guessed]
        return (*special, *self.guessed.values())

    @property
    def fixed(self):
        """The function `assumed` for `states.draw`; None where given states no special case, so that draws are kept."""
        return self.assumed if self.assumptions else None
