"""Newton's steps towards a place where nothing is left to do, from several places in turn."""

import numpy as np

#: How many steps there may be from one place, and how short the last must be.
MOST_STEPS, SETTLED = 60, 1e-12
#: How small a gap must be to be taken without a look for a smaller one.
NEAR = 1e-3


def settle(places, step_from, gap_at):
    """The place with the smallest gap of those at which Newton's steps come to rest; None if they do so nowhere.

    places: where to begin, in turn, until a gap is small. step_from: a function that takes a place to the next one and
    the step (an array) that led there. gap_at: a function that takes a place to the gap (a float) that is left.
    """
    found = []
    for place in places:
        for _ in range(MOST_STEPS):
            place, step = step_from(place)
            if np.abs(step).max(initial=0) < SETTLED:
                found.append((gap_at(place), len(found), place))
                break
        if found and found[-1][0] < NEAR:
            break
    return min(found)[2] if found else None
