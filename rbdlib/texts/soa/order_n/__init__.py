"""The O(N) algorithms for forward dynamics and the inverse of the mass matrix, in the operator algebra (SOA 4-6).

`articulated`: the articulated-body algorithm and what follows from its factors. `authors`: the same accelerations in
the words of others (SOA Table 1). `factors`: the operators psi, K, G, D, P, their lemmas, and the Kalman filter.
"""

from rbdlib.texts.soa.order_n.articulated import (
    articulated_body,
    articulated_inertias,
    full_order_n,
    innovations,
    rodriguez,
    rosenthal_elimination,
    two_sweeps,
)
from rbdlib.texts.soa.order_n.authors import (
    armstrong,
    bae_haug,
    brandl_johanni_otter,
    featherstone,
    rosenthal,
    vereshchagin,
)
from rbdlib.texts.soa.order_n.factors import articulated_operators, kalman_analogy, lemmas, mass_matrix_inverse

__all__ = [
    "armstrong", "articulated_body", "articulated_inertias", "articulated_operators", "bae_haug",
    "brandl_johanni_otter", "featherstone", "full_order_n", "innovations", "kalman_analogy", "lemmas",
    "mass_matrix_inverse", "rodriguez", "rosenthal", "rosenthal_elimination", "two_sweeps", "vereshchagin",
]
