"""Contact and impact (RBDA 11).

`lcp`: the linear complementarity problem that says which contacts press and which part (RBDA 11.2, 11.5).
"""

from rbdlib.contact.lcp import LCPSolution, solve_lcp

__all__ = ["LCPSolution", "solve_lcp"]
