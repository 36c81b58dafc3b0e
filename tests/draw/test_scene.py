"""A scene holds the motion and all that its page needs; tests/browser/test_scene.py looks at it in a browser."""

import base64
import gzip
import re
from importlib.resources import files

import numpy as np
import pytest

import rbdlib
from rbdlib import draw
from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er, mcI, rz, xlt
from rbdlib.book.ch04_joints import FreeMotion, RackAndPinion
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.contact import SoftContact, simulate_contacts, simulate_soft
from rbdlib.contact.geometry import Pair
from rbdlib.contact.shapes import Plane, Sphere
from rbdlib.draw.interactive import Picture
from rbdlib.draw.scene_data import ASIDE, LAYERS, packed, step_for
from rbdlib.methods.custom_joint import Custom
from rbdlib.motion.simulate import simulate

T = np.linspace(0, 1, 31)


def unpacked(text, step):
    return (np.frombuffer(base64.b64decode(text), "<i2") - ASIDE) * step


@pytest.fixture
def without_still(monkeypatch):
    """Matplotlib's picture, which takes most of the time, is left out."""
    monkeypatch.setattr("rbdlib.draw.scenes._still", lambda *_: b"")


@pytest.mark.parametrize("name", ["puma560", "satellite_arm", "cart_pole", "four_bar"])
@pytest.mark.usefixtures("without_still")
def test_bodies_are_where_the_model_has_them_at_the_ends_and_between(name):
    model = rbdlib.load(name)
    q, rate = model.random_state(np.random.default_rng(9))
    q = np.array([model.integrate(q, rate, time) for time in T])
    scene = draw.scene(model, T, q)
    data = scene.data                                                         # read as the viewer reads it
    numbers = unpacked(data["poses"], 1.0).reshape(data["times"][2], model.N_B, 7)
    places, turns = numbers[..., :3] * data["step"], numbers[..., 3:] * data["turnStep"]
    assert len(places) == 31 and np.allclose(np.diff(T), 1 / 30)
    for k in (0, 10, 30):
        for i in model.bodies:
            E, r = X_to_Er(body_transforms(model, q[k])[i])
            assert np.allclose(places[k, i - 1], r, atol=data["step"])
            for axis, e in zip(E, np.eye(3), strict=True):
                u, w = np.split(turns[k, i - 1], [3])                         # a quaternion (x, y, z, w) turns e
                assert np.allclose(e + 2 * np.cross(u, np.cross(u, e) + w * e), axis, atol=3e-4)
    assert (np.sum(turns[1:] * turns[:-1], axis=2) > 0).all()                 # no turn takes the long way round
    assert len(scene.html()) < 600_000


def test_the_shapes_are_those_of_the_model_a_slider_has_a_guide_and_a_pinion_a_rack(without_still):
    model = rbdlib.load("arm_3r")
    turned = [np.eye(3), rz(0.7) @ np.diag([0.1, 0.3, 0.35]) @ rz(-0.7)]    # not along the body's axes
    model = model.replace(inertia=[mcI(1, [0.1, 0.2, 0], turned[i == 2]) for i in model.bodies])
    data = draw.scene(model).data
    assert [body["name"] for body in data["bodies"]] == ["base", *model.names[1:]]
    assert data["alt"] == "A model of 3 bodies"
    for i in model.bodies:
        parts = data["bodies"][i]["parts"]
        m, c, I_C = I_to_mcI(model.inertia[i])
        (cloud,) = (part for part in parts if part["layer"] == "inertias")
        (dot,) = (part for part in parts if part["layer"] == "masses")
        assert np.allclose(cloud["points"], [c], atol=1e-5) and np.allclose(dot["points"], [c], atol=1e-5)
        squares = np.linalg.matrix_power(cloud["stretch"], 2)                 # of a solid ellipsoid: I = m/5 (tr - S)
        assert np.allclose(m / 5 * (np.trace(squares) * np.eye(3) - squares), I_C, atol=0.002 * m)
        (axis,) = (part for part in parts if part["layer"] == "axes")
        d = np.subtract(*axis["points"])
        assert np.allclose(np.cross(d, model.joints[i].direction), 0, atol=1e-5) and np.linalg.norm(d) > 0.1
    assert {part["layer"] for body in data["bodies"] for part in body["parts"]} <= set(LAYERS)
    model = rbdlib.load("cart_pole")
    for low, high in ((0, 2), (1, 2), (-3, -1)):
        q = np.linspace([low, 0], [high, 0], len(T))
        (rail,) = (part for part in draw.scene(model, T, q).data["bodies"][0]["parts"] if part["color"] == draw.GREY
                   and part["kind"] == "tube")
        x = np.array(rail["points"])[:, 0]
        assert -0.2 < x.min() - min(0, low) < 0 < x.max() - max(0, high) < 0.2
    model = rbdlib.Model([0], [RackAndPinion(0.2)], [np.eye(6)], [mcI(1, [0, 0, 0], 0.02 * np.eye(3))])
    base, wheel = draw.scene(model, T, T[:, None]).data["bodies"]
    (rack,) = (part for part in base["parts"] if part["kind"] == "tube")
    assert rack["radius"] < 0.1 and 0.2 in [part.get("radius") for part in wheel["parts"]]


@pytest.mark.usefixtures("without_still")
def test_forces_are_drawn_where_they_act():
    def only_arrows(*what, **options):
        """The only kind of arrows of a scene, and the numbers of each arrow: its start and its vector."""
        data = draw.scene(*what, **options).data
        (given,) = data["arrows"]
        return given, unpacked(given["data"], data["step"]).reshape(-1, 6)

    ball = rbdlib.Model([0], [FreeMotion()], [np.eye(6)], [mcI(2, [0, 0, 0], 0.01 * np.eye(3))], names=["ball"])
    pair = Pair(0, Plane(), 1, Sphere(0.1))
    fall = simulate_contacts(ball, [1, 0, 0, 0, 0, 0, 0.10002], np.zeros(6), [0, 0.005, 0.01], progress=False,
                             contacts=[pair])
    given, numbers = only_arrows(fall, arrow_scale=0.02)
    assert given["name"] == "contact forces" and given["count"] == 1 and given["largest"] == "19.6 N"
    assert np.allclose(numbers[0, 3:], 0, atol=1e-4)                          # in the air
    assert np.allclose(numbers[-1], [0, 0, 0, 0, 0, 0.02 * 2 * 9.81], atol=1e-3)
    carried = Custom(1, lambda q, t: xlt([50 * t, 0, q[0]]), name="carried along x")
    cart = ball.replace(joints=[carried])
    rest = simulate_contacts(cart, [0.1], [0], [0, 0.005, 0.01], progress=False, contacts=[pair])
    assert np.allclose(only_arrows(rest, arrow_scale=0.02)[1][-1], [0.5, 0, 0, 0, 0, 0.02 * 2 * 9.81], atol=1e-3)
    slide = simulate_soft(ball, [1, 0, 0, 0, 0, 0, 0.105], [0, 0, 0, 0.5, 0, 0], np.linspace(0, 0.1, 21), [
        SoftContact(pair, 2000.0, 20.0, 2000.0, 20.0, mu=0.3)], method="RK45", tolerance=1e-5, progress=False)
    given, numbers = only_arrows(slide, arrow_scale=0.01)
    assert given["name"] == "contact forces" and np.allclose(numbers[0], 0, atol=1e-4)        # still in the air
    f = slide.f_n[-1, 0] * np.array([0, 0, 1]) + slide.f_t[-1, 0]
    assert slide.touching[-1, 0] and f[2] > 1 and f[0] < -0.2                  # it slides along x, and is held back
    assert np.allclose(numbers[-1], [slide.q[-1, 4], 0, 0, *(0.01 * f)], atol=0.01)
    assert np.allclose(numbers[-1, 3:], 0.01 * f, atol=1e-4)
    f = np.tile([[[1.5, 0, 0]], [[0, 2.0, 0]]], (31, 1, 1, 1)).swapaxes(0, 1)         # 2 N along y at x = 1.5 m
    pendulum = rbdlib.load("double_pendulum"), T, np.zeros((31, 2))
    _, numbers = only_arrows(*pendulum, arrows={"f": f}, arrow_scale=0.1)
    assert np.allclose(numbers, [1.5, 0, 0, 0, 0.2, 0], atol=1e-3)
    with np.errstate(all="raise"):
        given, numbers = only_arrows(*pendulum, arrows={"f": 0 * f})
    assert given["largest"] == "0 N" and np.allclose(numbers[:, 3:], 0, atol=1e-4)


@pytest.mark.slow
@pytest.mark.usefixtures("without_still")
def test_every_model_can_be_shown():
    for path in sorted((files("rbdlib").parent / "data/models").glob("*.toml")):
        assert len(draw.scene(rbdlib.load(path.stem)).html()) < 350_000, path.stem


def test_the_page_needs_nothing_else_is_not_too_large_and_its_numbers_survive_packing(tmp_path, monkeypatch):
    def make():
        return draw.scene(rbdlib.load("pendulum"), T, T[:, None], trail=1, tips={1: [[0, 0, 0], [1, 0, 0]]},
                          alt='A "pendulum" & </script>')

    scene = make()
    assert scene.data["trails"] == [{"body": 1, "point": [1, 0, 0], "color": scene.data["trails"][0]["color"]}]
    page = scene.page()
    assert re.findall(r'(?:src|href)="|@import|url\(', page) == [] and page.count("</script>") == 3
    assert "A &quot;pendulum&quot; &amp; &lt;/script&gt;" in page
    data, metadata = scene._repr_mimebundle_()
    assert data["text/plain"] == repr(scene) == '[scene: A "pendulum" & </script>]'
    assert metadata["image/png"]["alt"] == scene.alt
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG") and data["text/html"] == scene.html()
    assert scene.save(tmp_path / "pendulum.html").read_text(encoding="utf-8") == page
    with pytest.raises(ValueError, match="name of a page"):
        scene.save(tmp_path / "pendulum.png")
    assets = files("rbdlib.draw") / "assets"
    code = gzip.decompress((assets / "three.js.gz").read_bytes()).decode()
    version = re.match(r"three@0\.(\d+)\.", (assets / "three.version.txt").read_text())[1]
    assert f'"{version}"' in code and "WebGLRenderer" in code
    assert "MIT License" in (assets / "three.LICENSE.txt").read_text()
    shown = []
    monkeypatch.setattr("rbdlib.draw.scenes.picture", lambda ax, alt: shown.append(ax) or Picture(scene.png, alt))
    make()
    assert np.allclose(shown[0].lines[-1].get_data_3d(), [np.cos(T), np.sin(T), 0 * T])         # the trail of its end
    assert min(shown[0].get_xlim()) < 0 and max(shown[0].get_xlim()) > 1 and max(shown[0].get_ylim()) > np.sin(1)
    monkeypatch.setattr("rbdlib.draw.scenes._still", lambda *_: scene.png)
    monkeypatch.setattr("rbdlib.draw.scenes.LARGEST", len(scene.html().encode()))
    assert make() == scene
    monkeypatch.setattr("rbdlib.draw.scenes.LARGEST", len(scene.html().encode()) - 1)
    with pytest.raises(ValueError, match="The scene takes 2.. kB; a page should load no more than 2.. kB"):
        make()
    x = np.concatenate([np.random.default_rng(3).uniform(-3, 3, 500), [0, 0.5, -0.25, 1.5]])
    step = step_for(3)
    assert step == 1e-4 and step_for(3.1) == 2e-4
    assert np.allclose(unpacked(packed(x, step), step), x, atol=0.51 * step)
    halves = step * (np.arange(-100, 100) + 0.5)
    assert packed(halves, step) == packed(halves + 1e-12, step) == packed(halves - 1e-12, step)


@pytest.mark.parametrize(("wrong", "error", "message"), [
    (lambda m: draw.scene("pendulum"), TypeError, "scene got str; expected a Model or a Trajectory"),
    (lambda m: draw.scene(m, T), TypeError, "times t without positions q"),
    (lambda m: draw.scene(m, q=[[0], [1]]), TypeError, "2 positions q without their times"),
    (lambda m: draw.scene(m, [0, 1], [[0]]), ValueError, "t has 2 times for 1 positions"),
    (lambda m: draw.scene(m, [1, 0], [[0], [1]]), ValueError, "one increasing time for each"),
    (lambda m: draw.scene(m, [0, 1], [[0, 1], [1, 1]]), ValueError, "q has shape"),
    (lambda m: draw.scene(m, [0, 1], [[0], [np.nan]]), ValueError, "nan"),
    (lambda m: draw.scene(m, speed=0), ValueError, "speed is 0"),
    (lambda m: draw.scene(m, show="inertia"), ValueError, "show names 'inertia'; choose among links"),
    (lambda m: draw.scene(m, trail=2), ValueError, "trail names body 2"),
    (lambda m: draw.scene(m, ground="low"), TypeError, "ground"),
    (lambda m: draw.scene(m, arrow_scale=-1), ValueError, "arrow_scale is -1"),
    (lambda m: draw.scene(m, arrows=[1]), TypeError, "arrows is list"),
    (lambda m: draw.scene(m, arrows={"f": 3}), ValueError, "must be a pair"),
    (lambda m: draw.scene(m, arrows={"f": (np.zeros((2, 1, 3)), np.zeros((2, 1, 3)))}), ValueError, "for each of"),
    (lambda m: draw.scene(simulate(m, [0], [0], [0, 1], progress=False), q=[0]), TypeError, "has its own t and q")])
def test_bad_input_is_named(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong(rbdlib.load("pendulum"))
