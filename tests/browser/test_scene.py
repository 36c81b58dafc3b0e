"""The viewer of `draw.scene` in a real browser: it draws, plays, stops, jumps, turns, and shows and hides.

Run them by `make test-browser`.
"""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib

matplotlib.use("Agg")

import rbdlib
from rbdlib import draw

T = np.linspace(0, 2, 61)
INKED = """() => {
    const seen = document.createElement("canvas"), picture = document.querySelector("canvas");
    Object.assign(seen, {width: picture.width, height: picture.height});
    const pen = seen.getContext("2d");
    pen.drawImage(picture, 0, 0);
    const bytes = pen.getImageData(0, 0, seen.width, seen.height).data;
    return bytes.reduce((sum, byte, k) => sum + (k % 4 === 3 && byte > 200 ? 1 : 0), 0) / (bytes.length / 4);
}"""


@pytest.fixture(scope="module")
def puma():
    model = rbdlib.load("puma560")
    q = np.outer((1 - np.cos(np.pi * T / 2)) / 2, [2.4, -0.7, 1.5, 0.8, -0.8, 1.0]) + [-1.2, 0.9, -2.4, 0, 0.3, 0]
    weights = np.zeros((2, len(T), 1, 3))
    weights[1, :, 0, 2] = -np.linspace(0, 50, len(T))
    return draw.scene(model, T, q, trail=6, arrows={"forces": weights}, alt="The PUMA arm swings")


@pytest.fixture
def open_page(chromium, tmp_path):
    """Opens a page without a network; complains at the end about messages of the console."""
    pages, said = [], []

    def opened(text, **look):
        path = tmp_path / f"page{len(pages)}.html"
        path.write_text(text, encoding="utf-8")
        context = chromium.new_context(viewport={"width": 760, "height": 480}, offline=True, **look)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(path.as_uri())
        pages.append(context)
        return page

    yield opened
    for context in pages:
        context.close()
    assert said == []


def ready(page):
    page.wait_for_function("window.player", timeout=60_000)
    return page


def shot(page):
    """The picture of the scene, drawn now."""
    return page.evaluate("() => { viewer.renderer.render(viewer.scene, viewer.camera);"
                         "return viewer.renderer.domElement.toDataURL(); }")


def test_it_draws_jumps_turns_and_goes_back(puma, open_page):
    page = ready(open_page(puma.page()))
    start = shot(page)
    assert 0.005 < page.evaluate(INKED) < 0.6
    page.locator("#time").fill("1.5")
    assert page.locator("#now").text_content() == "1.50 s"
    later = shot(page)
    page.mouse.move(300, 200)
    page.mouse.down()
    page.mouse.move(420, 180, steps=4)
    page.mouse.up()
    turned = shot(page)
    page.mouse.wheel(0, 400)
    page.wait_for_timeout(100)
    smaller = shot(page)
    assert len({start, later, turned, smaller}) == 4
    page.locator("#home").click()
    page.locator("#time").fill("0")
    assert shot(page) == start


def test_bodies_stand_where_python_has_them(puma, open_page):
    page = ready(open_page(puma.page()))
    page.evaluate("player.jump(1)")
    (x, y, z) = page.evaluate("viewer.groups[6].position.toArray()")
    model, q = rbdlib.load("puma560"), np.array([0, 0.55, -1.65, 0.4, -0.1, 0.5])
    r = rbdlib.book.ch02_spatial.X_to_Er(rbdlib.book.ch04_kinematics.body_transforms(model, q)[6])[1]
    assert np.allclose([x, y, z], r, atol=1e-3)


def test_play_goes_on_by_itself_pause_stops_it_the_end_ends_it_and_the_speed_is_kept(puma, open_page):
    page = ready(open_page(puma.page()))
    play = page.locator("#play")
    play.click()
    page.wait_for_function("viewer.t > 0.2", timeout=30_000)
    assert play.text_content() == "Pause"
    play.click()
    stopped = page.evaluate("viewer.t")
    page.wait_for_timeout(150)
    assert page.evaluate("viewer.t") == stopped > 0.2
    page.evaluate("player.jump(1.9)")
    play.click()
    page.wait_for_function("viewer.t === 2", timeout=30_000)
    assert play.text_content() == "Play"
    page.evaluate("player.jump(0)")
    page.locator("#speed").select_option("0.5")
    page.evaluate("player.playing = true; player.last = 1000; player.advance(1400); player.playing = false")
    assert np.isclose(page.evaluate("viewer.t"), 0.2)


@pytest.mark.parametrize("layer", ["links", "inertias", "frames", "axes", "names", "trails", "forces", "ground"])
def test_every_layer_changes_the_picture(puma, open_page, layer):
    page = ready(open_page(puma.page()))
    page.evaluate("player.jump(1.5)")
    page.locator("summary").click()
    before, box = shot(page), page.locator(f"input[name={layer}]")
    shown = box.is_checked()
    box.click()
    assert box.is_checked() is not shown and shot(page) != before
    box.click()
    assert shot(page) == before


def test_everything_can_be_done_with_keys(puma, open_page):
    page = ready(open_page(puma.page()))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "The PUMA arm swings"
    pictures = [shot(page)]
    for key in ("ArrowLeft", "ArrowUp", "+", "."):
        page.keyboard.press(key)
        pictures.append(shot(page))
    assert len(set(pictures)) == 5
    assert np.isclose(page.evaluate("viewer.t"), 2 / 61, atol=1e-6)
    page.keyboard.press(",")
    page.keyboard.press("Home")
    assert shot(page) == pictures[0]
    page.keyboard.press("Space")
    page.wait_for_function("viewer.t > 0.05", timeout=30_000)
    page.keyboard.press("Space")
    assert page.evaluate("player.playing") is False


@pytest.mark.parametrize("name", ["solo12", "g1"])
def test_the_quadruped_and_the_humanoid_are_drawn(open_page, name):
    page = ready(open_page(draw.scene(rbdlib.load(name)).page()))
    shot(page)
    assert page.evaluate(INKED) > 0.01
    assert page.locator("#play").count() == 0                                # a still has nothing to play


def test_it_works_within_another_page_and_takes_its_theme(puma, open_page):
    page = open_page(f"<!doctype html><html data-theme='dark'><body>{puma.html()}</body></html>")
    frame = page.frame_locator("iframe")
    frame.locator("#play").wait_for(timeout=60_000)
    assert page.locator("iframe").get_attribute("title") == "The PUMA arm swings"
    look = "element => getComputedStyle(element).backgroundColor"
    assert frame.locator("body").evaluate(look) == "rgb(20, 24, 30)"
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    page.wait_for_timeout(100)
    assert frame.locator("body").evaluate(look) == "rgb(255, 255, 255)"


def test_it_survives_in_a_saved_notebook_without_network(open_page):
    nbformat, nbconvert = pytest.importorskip("nbformat.v4"), pytest.importorskip("nbconvert")
    scene = draw.scene(rbdlib.load("g1"), alt="The humanoid stands")
    data, metadata = scene._repr_mimebundle_()
    output = nbformat.new_output("display_data", data, metadata=metadata)
    book = nbformat.new_notebook(cells=[nbformat.new_code_cell("draw.scene(...)", outputs=[output])])
    text, _ = nbconvert.HTMLExporter(mathjax_url="", require_js_url="", jquery_url="").from_notebook_node(book)
    assert len(text) < 1_200_000 and text.count("<iframe") == 1
    frame = open_page(text).frame_locator("iframe")
    frame.locator("canvas").wait_for(timeout=60_000)
    for layer in ("frames", "inertias"):
        box = frame.locator(f"input[name={layer}]")
        box.evaluate("box => box.click()")
        assert box.is_checked()
    assert frame.locator("canvas").evaluate("picture => picture.width") > 200


def test_it_fits_a_phone_and_without_scripts_the_sentence_is_read(puma, open_page):
    message = open_page(puma.page(), java_script_enabled=False).locator("#message")
    assert message.is_visible() and "The PUMA arm swings" in message.text_content()
    page = open_page(puma.page())
    page.set_viewport_size({"width": 340, "height": 440})
    ready(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 340
    page.wait_for_timeout(100)
    shot(page)
    assert page.evaluate(INKED) > 0.005
