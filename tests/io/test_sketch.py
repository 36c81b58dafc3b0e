"""Models in a line are those of model files, their names may stand in answers, and what is not understood is named."""

import numpy as np
import pytest

from rbdlib import ModelError, load, rnea, verify
from rbdlib.io.sketch import sketch


@pytest.mark.parametrize("text, name", [
    ("bob theta1, l1, m1 -> bob theta2, l2, m2", "double_pendulum"), ("bob theta, l, m", "simple_pendulum"),
    ("cart x, m_cart -> rod theta, l, m_pole, up", "cart_pole"), ("rod theta, l, m", "pendulum"),
    ("rod q1, l1, m1, along x -> Pole q2, l2, m2, along x", "arm_2r")])
def test_a_line_and_a_file_describe_one_mechanism(text, name):
    mine, theirs, rng = sketch(text), load(name, symbolic=True), np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(3, mine.nv))
    values = dict(zip(sorted(map(str, theirs.parameters)), rng.uniform(0.5, 2, 9), strict=False))
    found = [[x.subs({s: values[str(s)] for s in x.free_symbols}) for x in rnea(model, q, qd, qdd)]
             for model in (mine, theirs)]
    np.testing.assert_allclose(*np.array(found, dtype=float), rtol=1e-12)


@pytest.mark.parametrize("text, quantity, answer", [
    ("rod a, l1, m1 -> slider r, m2, spring k at rest at r0", "V",
     "-(m1 l1/2 + m2 r) g cos(a) + 1/2 k (r - r0)^2"),
    ("pivot theta -> slider r, m, spring k at rest at l0", "L",
     "1/2 m (r'^2 + r^2 theta'^2) + m g r cos(theta) - 1/2 k (r - l0)^2"),
    ("link alpha, l1, m1, c1, I1 -> wheel phi, r2, m2, damper b; no gravity", "equations of motion",
     "(I1 + m1 c1^2 + m2 l1^2 + 1/2 m2 r2^2) alpha'' + 1/2 m2 r2^2 phi'' = tau_alpha\n"
     "1/2 m2 r2^2 (alpha'' + phi'') + b phi' = tau_phi"),
    (r"block χ, 0 -> bead y, 0, along y -> link \phi, 0, m_{1}, 0, I", "T", "1/2 m_1 (χ'^2 + y'^2) + 1/2 I phi'^2"),
    ("cart x, M -> bob beta, l, m; bob gamma, l2, m2, on x", "H",
     "[M+m+m2, m l cos(beta), m2 l2 cos(gamma); m l cos(beta), m l^2, 0; m2 l2 cos(gamma), 0, m2 l2^2]")])
def test_its_names_are_those_of_answers(text, quantity, answer):
    assert verify(sketch(text), quantity, answer).ok


def test_for_a_picture_the_names_of_bodies_have_those_of_their_numbers():
    assert sketch("cart x, M -> link b, l, 0, c, I", symbolic=False).names == ("base", "x (M)", "b (l, c, I)")


@pytest.mark.parametrize("text, words", [
    ("", "There is no part"), ("foo x, m", "begin with cart, slider"), ("cart x", "names for m"),
    ("cart x, 3", "names for m"), ("cart x, m -> rod x, l, m2", "a coordinate of its own after rod"),
    ("rod theta, l, m, sideways", "says 'sideways'; write up, down"), ("cart m, m", "name of a coordinate and of"),
    ("bob theta, l, m, on x", "says 'on x'"),
    ("pendulum theta, l, m", "begin with bob or rod"), ("rod a, m, l", "the other way round"),
    ("link a, l, m, I", "has l, m, I"), ("rod theta l m", "then a comma, and not 'theta l m'")])
def test_what_is_not_understood_is_named(text, words):
    with pytest.raises(ModelError, match=words):
        sketch(text)
    with pytest.raises(TypeError, match="in words"):
        sketch(3)
