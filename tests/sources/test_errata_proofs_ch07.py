"""The errata of RBDA 7.1-7.3: each by a computation in which the printed form fails and the corrected one holds."""

import numpy as np
import pytest

from tests.sources.ch05_systems import JOINT_SETS
from tests.sources.ch07_systems import articulated_by_projection, forced
from tests.sources.helpers import close, far

#: The right-hand side of Eq. 7.29 in Python's notation, with the parentheses that are printed. 7.30 and 7.41 end alike.
PRINTED = "inverse(S.T @ I_A @ S) @ (tau - S.T @ I_A @ (a_0 + c) - S.T @ p_A))"
#: The same without the last of them; and with one more to match it, in the only place where the terms in it agree.
CORRECTED = "inverse(S.T @ I_A @ S) @ (tau - S.T @ I_A @ (a_0 + c) - S.T @ p_A)"
OTHER = "inverse(S.T @ I_A @ S) @ (tau - (S.T @ I_A @ (a_0 + c) - S.T @ p_A))"


@pytest.mark.source("RBDA-7.29")
@pytest.mark.parametrize("name", list(JOINT_SETS))
def test_the_acceleration_of_the_first_joint_has_one_parenthesis_too_many(name):
    """The printed formula cannot be read; of the two readings, the one that drops the last is right."""
    moving = forced(name)
    (I_A, p_A), at = articulated_by_projection(moving, 1), moving.model.v_slice(1)
    terms = {"inverse": np.linalg.inv, "S": moving.way(1), "I_A": I_A, "p_A": p_A, "tau": moving.joint_forces()[at],
             "a_0": -moving.gravity, "c": moving.bias_of_joint(1)}

    with pytest.raises(SyntaxError, match="unmatched"):
        compile(PRINTED, "printed", "eval")
    close(eval(CORRECTED, terms), moving.qdd[at], 1e-8)
    far(eval(OTHER, terms), moving.qdd[at])
