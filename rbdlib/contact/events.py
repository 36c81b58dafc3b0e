"""Events that end a smooth phase of motion with contacts: the second and third steps of RBDA Table 11.1.

Within a step of the integrator the contacts are looked at several times. When something happened is sought in between.
"""

from collections import namedtuple
from functools import cached_property
from itertools import pairwise

import numpy as np

from rbdlib.motion.phases import ROUNDING, root
from rbdlib.numbers.scalars import as_floats

#: Happenings less apart in time than this (s, or part of the time) are simultaneous.
SIMULTANEOUS = 1e-12
#: Bodies that meet at times that differ by less than this part of a step may meet at one time.
AT_ONE_TIME = 1e-3
#: So many times a part of a step is halved to find where bodies met that are deep in one another at its end.
MOST_HALVINGS = 6

#: Kinds of happenings: bodies meet, a contact leaves its face or edge, a force would pull, bodies part that none holds.
GAIN, GEOMETRIC_LOSS, NEGATIVE_FORCE, PARTING = range(4)


class Look:
    """The n potential contacts at the time t: phi (m), zeta (m/s), inside, margin (m); reach: the largest number in the
    normal; pull (n): by how much an active one pulls, beyond what rounding makes of 0, negative where it does not.

    find_zeta, find_pull: functions that return these when they are needed.
    """

    def __init__(self, t, phi, inside, margin, reach, find_zeta, find_pull):
        self.t, self.phi, self.inside, self.margin, self.reach = t, phi, inside, margin, reach
        self.find_zeta, self.find_pull = find_zeta, find_pull

    @classmethod
    def at(cls, t, contacts, find_zeta, find_pull):
        """The look at a list of `PotentialContact`."""
        return cls(t, as_floats(np.array([contact.phi for contact in contacts])),
                   np.array([bool(contact.inside) for contact in contacts], dtype=bool),
                   [float(contact.margin) for contact in contacts],
                   [float(np.abs(contact.n).max()) for contact in contacts], find_zeta, find_pull)

    def numbered(self, i):
        """A look at one contact, which answers by its number i among all."""
        phi, inside, margin, reach = ({i: own[0]} for own in (self.phi, self.inside, self.margin, self.reach))
        return Look(self.t, phi, inside, margin, reach, lambda: {i: self.zeta[0]}, self.find_pull)

    zeta = cached_property(lambda self: self.find_zeta())
    pull = cached_property(lambda self: self.find_pull())


class Happening(namedtuple("Happening", "t kind contact")):
    """At the time t something of a kind (see above) happens at contact i."""


def earliest(look, times, current, active, slack, drift):
    """The first `Happening` between the first and the last of the times, or None.

    look(t) -> `Look`; look(t, i) -> one that knows contact i, if no other. current, active: the sets (RBDA 11.5).
    slack (m): how far current contacts that are not active may be apart.  drift (m): the integrator's error in a step.
    """
    for start, end in pairwise(times):
        first = _first(look, look(start), end, current, active, slack, drift)
        if first is not None:
            return first
    return None


def _first(look, before, t, current, active, slack, drift, halvings=MOST_HALVINGS):
    """The first `Happening` from the look before to the time t, or None.

    Where one was found the contacts are looked at again up to then: one that met earlier may have been too deep, or
    beyond a face, when it was looked at later. Where two bodies seem to meet deep in one another, they have met before.
    """
    first, searching, end = None, True, t
    while searching:
        searching = False
        for i in _candidates(current, before, look(t)):
            found = min(_happenings(look, before, look(t), i, i in current, i in active, slack), default=None)
            if found is not None and (first is None or _sooner(found, first)):
                first, searching = found, True
                t = first.t                                     # what comes later is not looked for
    if first is not None and first.kind == GAIN:
        first = _rim(look, first, end, current, drift) or first
    if first is None or first.kind != GAIN or not halvings or look(t).phi[first.contact] >= -2 * slack:
        return first
    middle = (before.t + t) / 2
    if not before.t < middle < t:
        return first
    earlier = _first(look, before, middle, current, active, slack, drift, halvings - 1)
    return earlier or _first(look, look(middle), t, current, active, slack, drift, halvings - 1) or first


def _candidates(current, before, after):
    """The current contacts, and those that are closed at last, or falling at first and rising at last, in order.

    But if all come down in this step, those that seem to meet first go before the others.
    """
    coming = after.phi < -ROUNDING
    if ((before.inside | after.inside) & ~coming).any():
        coming = coming | ((before.zeta < 0) & (after.zeta > 0))
    order = sorted({*current, *coming.nonzero()[0].tolist()})
    if all(before.phi[i] > ROUNDING and after.phi[i] < -ROUNDING for i in order):
        times = {i: before.phi[i] / (before.phi[i] - after.phi[i]) for i in order}
        soonest = min(times.values(), default=0)
        order.sort(key=lambda i: (times[i] > soonest + AT_ONE_TIME, i))
    return order


def _sooner(a, b):
    """True if one event comes before another; two at one time, but for rounding, go by their kinds and contacts."""
    if abs(a.t - b.t) > SIMULTANEOUS * max(1, abs(b.t)):
        return a.t < b.t
    return a[1:] < b[1:]


def _rim(look, met, end, current, drift):
    """The loss of a current contact that is as good as at its rim when others meet, or None: the loss goes first."""
    # Edges that cross a rim end in a corner, which comes to the rim as they leave it. Held by them to the end of a step
    # it would go into the body there; whether it does without them is seen when they are lost.
    for i in current:
        if look(met.t, i).margin[i] <= drift and not look(end, i).inside[i]:
            return Happening(_switch(lambda t, i=i: not look(t, i).inside[i], met.t, end), GEOMETRIC_LOSS, i)
    return None


def _happenings(look, before, after, i, current, active, slack):
    if not current:
        t = _meeting(look, before, after, i)
        if t is None or (not look(t, i).inside[i] and look(t, i).phi[i] > ROUNDING):
            return []                                           # it only passes the rim of a face
        return [Happening(t, GAIN, i)]
    found = []
    if not after.inside[i]:
        found.append(Happening(_switch(lambda t: not look(t, i).inside[i], before.t, after.t), GEOMETRIC_LOSS, i))
    if active and after.pull[i] > 0:
        found.append(Happening(root(lambda t: -look(t, i).pull[i], before.t, after.t), NEGATIVE_FORCE, i))
    if not active and after.inside[i] and abs(after.phi[i]) > slack:
        sign = 1 if after.phi[i] < 0 else -1
        t = root(lambda t: slack + sign * look(t, i).phi[i], before.t, after.t, lambda t: sign * look(t, i).zeta[i])
        found.append(Happening(t, GAIN if sign > 0 else PARTING, i))
    return found


def _meeting(look, before, after, i, halvings=MOST_HALVINGS):
    """When the bodies meet at contact i, which is open at first, or has just been lost; None if they do not."""
    def gap(t):
        seen = look(t, i)
        return seen.phi[i] if seen.inside[i] else 1 + abs(seen.phi[i])

    def speed(t):
        return look(t, i).zeta[i]

    leaving = before.margin[i] > after.margin[i] < -ROUNDING    # an outline that is left is so a little further out
    met = after.inside[i] and after.phi[i] < -ROUNDING and not leaving
    if met and before.inside[i] and before.zeta[i] > 0:         # they may have been touching, and only part since then
        if after.zeta[i] < 0:
            top = before.t + (after.t - before.t) * before.zeta[i] / (before.zeta[i] - after.zeta[i])
            return root(gap, top if gap(top) > 0 else root(speed, before.t, after.t), after.t, speed)
        if not halvings:
            return None
        middle = look((before.t + after.t) / 2)
        first = _meeting(look, before, middle, i, halvings - 1)
        return first if first is not None else _meeting(look, middle, after, i, halvings - 1)
    if met:
        return root(gap, before.t, after.t, speed)
    if _may_dip(before, after, i):
        lowest = root(lambda t: -speed(t), before.t, after.t)
        if gap(lowest) < -ROUNDING:                             # they met, and have passed through each other since
            return root(gap, before.t, lowest, speed)
    return None


def _may_dip(before, after, i):
    """True if a distance that is positive at both looks, and falls at first, may be 0 in between."""
    if not (before.inside[i] or after.inside[i]) or min(before.phi[i], after.phi[i]) <= 0 or not (
            before.zeta[i] < 0 < after.zeta[i]):
        return False
    # the cubic through both, with both speeds, must fall below half of the lesser one
    h, s = after.t - before.t, np.linspace(0, 1, 33)
    cubic = (before.phi[i] * (1 + 2 * s) * (1 - s) ** 2 + before.zeta[i] * h * s * (1 - s) ** 2
             + after.phi[i] * s * s * (3 - 2 * s) - after.zeta[i] * h * s * s * (1 - s))
    return cubic.min() < min(before.phi[i], after.phi[i]) / 2


def _switch(holds, a, b):
    """A time, but for rounding the first, at which a condition holds that does so at b."""
    if holds(a):
        return a
    while True:
        middle = (a + b) / 2
        if not a < middle < b or b - a < 1e-14 * max(1, abs(b)):
            return b
        a, b = (a, middle) if holds(middle) else (middle, b)
