"""Errors that say where they arose."""


class NoInertia(ValueError):
    """A matrix of a mechanism that has no inverse, because something moves that has no inertia.

    Attributes: ``body``, the number of the body, or None; ``variable``, the number (from 1) of the row of H, or None.
    """

    def __init__(self, message, body=None, variable=None):
        super().__init__(message)
        self.body, self.variable = body, variable
