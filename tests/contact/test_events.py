"""What ends a smooth phase, and when: distances, forces and edges given as functions of time, without any bodies."""

from types import SimpleNamespace

import numpy as np

from rbdlib.contact.events import GAIN, GEOMETRIC_LOSS, NEGATIVE_FORCE, PARTING, Happening, Look, _sooner, earliest
from tests.sources.helpers import close, derivative


def contact(phi=lambda t: 1.0 + 0 * t, inside=lambda t: True, pull=lambda t: -1.0, margin=lambda t: 1.0):
    """A contact whose distance, presence within its face, force beyond 0 and margin are functions of time."""
    return SimpleNamespace(phi=phi, inside=inside, pull=pull, margin=margin)


def first_of(contacts, current=(), active=(), times=(0.0, 1.0), slack=1e-3, drift=0.0):
    def look(t, i=None):
        seen = [SimpleNamespace(phi=float(c.phi(t)), inside=c.inside(t), margin=c.margin(t), n=np.ones(6))
                for c in contacts]
        return Look.at(t, seen, lambda: np.array([derivative(c.phi, t) for c in contacts]),
                       lambda: np.array([c.pull(t) for c in contacts]))

    return earliest(look, np.array(times), list(current), list(active), slack, drift)


def falling(t_0, speed=1.0):
    return lambda t: speed * (t_0 - t)


def found(contacts, kind, i, t, tolerance=1e-14, **options):
    first = first_of(contacts, **options)
    assert (first.kind, first.contact) == (kind, i)
    close(first.t, t, tolerance)


def test_bodies_meet_where_their_distance_is_zero_also_beyond_a_face_deep_inside_or_in_a_short_dip():
    assert first_of([contact(), contact()]) is None
    found([contact(), contact(falling(0.3)), contact(lambda t: 0.36 - t * t)], GAIN, 1, 0.3)
    found([contact(lambda t: 0.36 - t * t)], GAIN, 0, 0.6, times=(0, 0.25, 0.5, 0.75, 1))
    assert first_of([contact(falling(0.3), inside=lambda t: False)]) is None
    # At the end of the step only one of two is seen to have met; when it did, the other had met before.
    contacts = [contact(falling(0.3), inside=lambda t: t < 0.7), contact(falling(0.6))]
    for order in (1, -1):
        found(contacts[::order], GAIN, 0 if order == 1 else 1, 0.3)
    # Contact 0 comes into its face at 0.6, 0.5 m deep: contact 1 had met at 0.2 and was gone by 0.4.
    deep = contact(falling(0.1), inside=lambda t: t > 0.6)
    found([deep, contact(falling(0.2), inside=lambda t: t < 0.4)], GAIN, 1, 0.2)
    found([deep, contact()], GAIN, 0, 0.6, 1e-9)
    # The quartic part is 0, with its slope, at both looks; without it the distance is nowhere below 0.02.
    def phi(t, depth=0.5):
        return (t - 0.5) ** 2 + 0.02 - depth * t * t * (1 - t) ** 2

    dip = first_of([contact(), contact(phi)])
    assert (dip.kind, dip.contact) == (GAIN, 1) and 0.3 < dip.t < 0.5
    close(phi(dip.t), 0, 1e-14)
    assert first_of([contact(lambda t: phi(t, 0.3))]) is None            # it turns back 1 mm above
    assert first_of([contact(phi, inside=lambda t: False)]) is None
    found([contact(phi, inside=lambda t: t < 0.8)], GAIN, 0, dip.t)


def test_neither_rounding_nor_a_contact_just_lost_nor_one_beyond_an_outline_is_a_meeting():
    """It touches at first and parts; it falls back within the step."""
    found([contact(lambda t: t * (0.5 - t))], GAIN, 0, 0.5)
    for t, back in ((0.4, 1.2), (0.7, 1.1)):                               # at the end it is on its way up again
        found([contact(lambda s, t=t, back=back: s * (s - t) * (s - back))], GAIN, 0, t)
    assert first_of([contact(falling(0.3), margin=lambda t: 0.1 - t)]) is None
    for margin in (lambda t: t - 1.5, lambda t: 1.5 - t):               # it comes, or it is still within
        found([contact(falling(0.3), margin=margin)], GAIN, 0, 0.3)
    for depth in (1e-13, 1e-11):
        assert (first_of([contact(lambda t, depth=depth: 0.25 - t + t * t - depth)]) is None) == (depth < 1e-12)
    assert first_of([contact(lambda t: 1e-9 * t - 2e-9)]) is None           # as good as touching, and parting


def test_current_contacts_end_and_events_at_one_time_go_by_their_kinds():
    held = contact(lambda t: 0 * t)
    leaving = contact(lambda t: 0 * t, inside=lambda t: t < 0.7)
    pulling = contact(lambda t: 0 * t, pull=lambda t: t - 0.4)
    parting = contact(lambda t: (t - 0.2) ** 2 * np.sign(np.real(t) - 0.2))
    coming, both = contact(falling(0.5)), contact(leaving.phi, leaving.inside, pulling.pull)
    for contacts, active, kind, i, t in (
            ([held, leaving], [0], GEOMETRIC_LOSS, 1, 0.7), ([held, pulling], [0, 1], NEGATIVE_FORCE, 1, 0.4),
            ([pulling, leaving], [0], NEGATIVE_FORCE, 0, 0.4), ([leaving, parting], [0], PARTING, 1, 0.3),
            ([held, both], [1], NEGATIVE_FORCE, 1, 0.4),
            ([held, coming], [0], GAIN, 1, 0.51)):
        found(contacts, kind, i, t, 1e-9, current=range(2), active=active, times=(0.15, 1.0), slack=0.01)
    assert first_of([held, pulling], [0, 1], [0]) is None               # no force of an inactive contact counts

    lost = contact(lambda t: 0 * t, inside=lambda t: t < 0.5, margin=lambda t: 0.5 - t)
    for drift, kind, i, t in ((0.0, GAIN, 1, 0.499), (0.01, GEOMETRIC_LOSS, 0, 0.5)):
        found([lost, contact(falling(0.499))], kind, i, t, 1e-9, current=[0], active=[0], slack=0.0, drift=drift)
    pulling = contact(lambda t: 0 * t, pull=lambda t: t - 0.5)
    for order in (1, -1):                                               # of two losses that of the face
        pair = [pulling, lost][::order]
        found(pair, GEOMETRIC_LOSS, 1 if order == 1 else 0, 0.5, 1e-9, current=range(2), active=range(2))

    for t in (1e-3, 1.0, 1e3):
        early, late = Happening(t, GAIN, 1), Happening(t * (1 + 1e-14), GAIN, 0)
        assert _sooner(late, early) and not _sooner(early, late)
    assert _sooner(Happening(1.0, GAIN, 1), Happening(1.0 + 1e-6, GAIN, 0))
