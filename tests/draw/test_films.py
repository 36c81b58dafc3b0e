"""A film of a model shows its motion, at its pace."""

import io
import itertools

import numpy as np
import pytest
from matplotlib import pyplot as plt
from PIL import Image

import rbdlib
from rbdlib import draw
from rbdlib.book.ch02_spatial import mcI, xlt
from rbdlib.book.ch04_joints import Spherical
from rbdlib.methods.custom_joint import Custom

T = np.linspace(0, 0.4, 5)


@pytest.fixture
def blank(monkeypatch):
    """Frames that cost nothing, no two that follow one another the same; a list of the texts that stood in them."""
    chequers, texts = itertools.cycle([np.eye(8, dtype=np.uint8), 1 - np.eye(8, dtype=np.uint8)]), []

    def snapshot(fig):
        texts.append([text.get_text() for ax in fig.axes for text in ax.texts])
        return Image.fromarray(255 * next(chequers)).convert("RGB")

    monkeypatch.setattr("rbdlib.draw.films._snapshot", snapshot)
    return texts


def motion(model, t=T):
    return np.outer(np.asarray(t) * 3, np.ones(model.nq))


def frames(film):
    with Image.open(io.BytesIO(film.png)) as image:
        for k in range(image.n_frames):
            image.seek(k)
            yield np.asarray(image.convert("RGB")), image.info["duration"]


def test_a_rehearsed_film_draws_three_frames_and_says_how_many_it_has(monkeypatch, blank):
    monkeypatch.setenv("RBDLIB_REHEARSAL", "1")
    drawn = []
    film = draw.animate(lambda k: drawn.append(k) or draw.figure((1, 1)), 10, alt="x")
    assert drawn == [0, 4, 9] and film.alt == "x; an animation of 10 frames"
    fig = draw.figure((1, 1))
    assert draw.picture(fig, "x").png and not fig.get_constrained_layout()


def test_each_frame_shows_time_position_and_trail_and_leaves_the_axes_as_they_were(blank):
    driven = Custom(1, lambda q, t: xlt([t, q[0], 0]), name="driven")
    model, seen = rbdlib.Model([0], [driven], [np.eye(6)], [mcI(1, [0, 0, 0], np.eye(3))]), []
    ax = draw.axes_for(model, [0])
    before = set(ax.get_children())
    film = draw.animate(model, [0, 0.2], [[0], [1]], ax=ax, plane="xy", trail=1, also=lambda ax, t, q: seen.append(
        (t, *q, *ax.lines[-1].get_xydata()[0], *ax.lines[0].get_xydata()[-1])))
    assert np.allclose(seen, [[0.05 * k, 0.25 * k] * 3 for k in range(5)])
    assert blank == [[f"t = {0.05 * k:.2f} s"] for k in range(5)] and set(ax.get_children()) == before
    assert repr(film) == "[picture: A model of 1 bodies moves for 0.2 s; an animation of 5 frames]"
    assert not ax.figure.get_constrained_layout() and not plt.get_fignums()


def test_axes_stay_where_the_first_frame_has_them_unless_a_title_of_the_figure_needs_room(blank, monkeypatch):
    placed = []

    def frame(k):
        """Axes that wander."""
        ax = draw.axes2d()
        ax.set_position([0.1 * k, 0.1, 0.5, 0.5])
        ax.figure.suptitle("room" if k == 2 else "")
        placed.append(ax)
        return ax

    film = draw.animate(frame, 4)
    assert film.alt == "Axes that wander; an animation of 4 frames" and {t for _, t in frames(film)} == {50}
    assert np.allclose([ax.get_position().x0 for ax in placed], [0, 0, 0.2, 0])
    assert [ax.figure.get_constrained_layout() for ax in placed] == [True, False, True, False]
    monkeypatch.setattr("rbdlib.draw.films._LARGEST", 10)
    with pytest.raises(ValueError, match="takes 0.0 MB.*fewer frames"):
        draw.animate(frame, 2)


@pytest.mark.slow
def test_positions_between_those_given_are_found_for_every_joint_in_frames_that_a_page_can_load(blank):
    film = draw.animate(rbdlib.load("pendulum"), T, motion(rbdlib.load("pendulum")))
    assert repr(film) == "[picture: A model of 1 bodies moves for 0.4 s; an animation of 9 frames]"
    model, seen = rbdlib.load("spherical_pendulum"), []
    model = model.replace(joints=[Spherical(), *model.joints[2:]])
    q = [[1, 0, 0, 0], [np.sqrt(0.5), np.sqrt(0.5), 0, 0]]
    draw.animate(model, [0, 0.2], q, also=lambda ax, t, q: seen.append(q @ q))
    assert len(seen) == 5 and np.allclose(seen, 1)
    for end, speed, n, each in ((0.4, 1, 9, 50), (0.4, 0.5, 17, 50), (0.4, 2, 5, 50), (30, 1, 61, 500)):
        shown = list(frames(draw.animate(rbdlib.load("pendulum"), [0, end], [[0], [1]], speed=speed)))
        assert len(shown) == n and {duration for _, duration in shown} == {each}


@pytest.mark.slow
def test_every_frame_shows_its_own_position_on_white():
    model = rbdlib.load("pendulum")
    images = [image for image, _ in frames(draw.animate(model, T, motion(model)))]
    assert all((one != other).any() for one, other in zip(images, images[1:], strict=False))
    assert all((image[0, 0] == 255).all() for image in images)
    fast = [image for image, _ in frames(draw.animate(model, T, motion(model), trail=1))]
    blue = [(np.abs(image.astype(int) - [0, 0x72, 0xB2]).max(axis=2) < 40).sum() for image in fast]
    assert blue[-1] > blue[2] > 0


@pytest.mark.parametrize(("wrong", "error", "message"), [
    (lambda m: draw.animate(m, [0, 1], [[0]]), ValueError, "t has 2 times for 1 positions q"),
    (lambda m: draw.animate(m, [1, 0], [[0], [1]]), ValueError, "one increasing time for each"),
    (lambda m: draw.animate(m, [0, 1], [[0, 1], [1, 2]]), ValueError, "q has shape"),
    (lambda m: draw.animate(m, [0, 1], [[0], [np.nan]]), ValueError, "nan"),
    (lambda m: draw.animate(m, [0, 1], [[0], [1]], speed=0), ValueError, "speed is 0"),
    (lambda m: draw.animate(m, [0, 1], [[0], [1]], interval=-5), ValueError, "interval is -5"),
    (lambda m: draw.animate(m, [0, 1], [[0], [1]], trail=3), ValueError, "body is 3"),
    (lambda m: draw.animate("pendulum", 3), TypeError, "animate got str; expected a Model")])
def test_bad_input_is_named(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong(rbdlib.load("pendulum"))
