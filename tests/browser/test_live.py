"""The live figures in Chromium: Python's numbers in the page, the keyboard, phones, rest, and pages without JavaScript.

Run them by `make test-browser`.
"""

import shutil

import numpy as np
import pytest

from tests.site.live_expected import RUNS, agree, numeric
from tools.book import live, live_functions as functions, live_stills
from tools.book.live_figures import FIGURES

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{name}</title>
<h1>{name}</h1>{figure}<div style="height: 300vh"></div></html>"""
IN_MOTION = [name for name in FIGURES if name not in ("articulated_inertia", "tree_sparsity")]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Plain pages, each with one figure as its page in docs/live has it."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(live.SOURCES, folder / live.PLACE)
    live.write(folder)
    for name in FIGURES:
        still = (folder / "live" / "stills" / f"{name}.html").read_text(encoding="utf-8")
        words = f"<p>{live_stills.words_of(name)}</p>"
        figure = live_stills.opening(name) + still + words + live_stills.closing(name)
        (folder / "live" / f"{name}.html").write_text(PAGE.format(name=name, figure=figure), encoding="utf-8")
    return folder


@pytest.fixture
def show(chromium, site):
    """Opens the page of a figure; fails at the end if the page complained or asked for anything outside its folder."""
    contexts, complaints = [], []

    def opened(name, **options):
        context = chromium.new_context(**({"viewport": {"width": 1000, "height": 900}} | options))
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: complaints.append(request.url) if site.as_uri() not in request.url else None)
        page.goto((site / "live" / f"{name}.html").as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def still(show, name, **options):
    """The page with a figure that has not started by itself."""
    return show(name, reduced_motion="reduce", **options)


@pytest.mark.parametrize("name", FIGURES)
def test_the_numbers_in_the_page_are_those_of_python(show, name):
    script, function = RUNS[name]
    page = still(show, name)
    found = page.evaluate(f"() => {{ const {{ Simulation }} = window.rbdlib.live.{name}; return {script}; }}")
    agree(found, function())


def test_the_step_button_moves_the_figure_itself_and_its_numbers_follow(show):
    page = still(show, "double_pendulum")
    for _ in range(6):
        page.get_by_role("button", name="Step").click()
    q, qd = page.evaluate("(({ q, qd }) => [[...q], [...qd]])"
                          "(window.rbdlib.live.double_pendulum.figures[0].simulation.states[0])")
    model = numeric("double_pendulum", "step", m1=1.0, m2=1.0, l1=1.0, l2=1.0, g=9.81)
    x, v = np.radians([130.0, 0.0]), np.zeros(2)
    for _ in range(40):
        x, v = functions.step(model, x, v, 1 / 400)
    agree([q, qd], [x, v])
    said = page.locator(".live > dl dt:text-is('Energy of the first') + dd").inner_text()
    energy = float(functions.energy(model, x, v))
    assert float(said.split()[0].replace("\u2212", "-")) == pytest.approx(energy, abs=6e-4)


@pytest.mark.parametrize("name", FIGURES)
def test_every_control_has_a_name_and_obeys_the_keyboard(show, name):
    page = still(show, name)
    sliders = page.get_by_role("slider").all()
    assert len(sliders) + page.get_by_role("combobox").count() >= 3
    for slider in sliders:
        assert page.locator(f"label[for={slider.get_attribute('id')}]").inner_text()
        value, step = float(slider.input_value()), float(slider.get_attribute("step"))
        key = "ArrowLeft" if value + step > float(slider.get_attribute("max")) else "ArrowRight"
        before = slider.get_attribute("aria-valuetext")
        slider.focus()
        page.keyboard.press(key)
        assert abs(float(slider.input_value()) - value) == pytest.approx(step)
        assert slider.get_attribute("aria-valuetext") != before
    for control in [*page.get_by_role("combobox").all(), *page.get_by_role("checkbox").all()]:
        assert page.locator(f"label[for={control.get_attribute('id')}]").inner_text()
    for canvas in page.locator("canvas").all():
        assert canvas.get_attribute("role") == "img" and len(canvas.get_attribute("aria-label").split()) >= 4


def test_a_slider_changes_what_is_computed(show):
    page = still(show, "puma_torques")
    gravity = page.locator(".live > dl dt:text-is('Gravity') + dd")
    assert float(gravity.inner_text().split()[0]) == pytest.approx(30.2, abs=0.2)
    page.get_by_label("Gravity", exact=True).press("Home")
    assert gravity.inner_text().split()[0] == "0.0"


@pytest.mark.parametrize("name", IN_MOTION)
def test_it_starts_by_itself_pauses_and_rests_out_of_sight(show, name):
    page = show(name)
    time = f"window.rbdlib.live.{name}.figures[0].simulation.t"
    page.wait_for_function(f"{time} > 0.1")
    page.get_by_role("button", name="Pause").click()
    paused = page.evaluate(time)
    page.wait_for_timeout(200)
    assert page.evaluate(time) == paused
    page.get_by_role("button", name="From the start").click()
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(f"{time} > 0.05")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_timeout(300)
    unseen = page.evaluate(time)
    page.wait_for_timeout(300)
    assert page.evaluate(time) == unseen
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_function(f"{time} !== {unseen}")


@pytest.mark.parametrize("name", IN_MOTION)
def test_it_does_not_start_where_less_motion_is_wanted_but_can_be_started(show, name):
    page = still(show, name)
    time = f"window.rbdlib.live.{name}.figures[0].simulation.t"
    page.wait_for_timeout(300)
    assert page.evaluate(time) == 0
    page.get_by_role("button", name="Play").focus()
    page.keyboard.press("Enter")
    page.wait_for_function(f"{time} > 0")


CANVASES = "[...document.querySelectorAll('canvas')]"
COLOURS = CANVASES + """.map(canvas => {
    const dots = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data, found = new Set();
    for (let k = 0; k < dots.length; k += 4) found.add(dots.slice(k, k + 3).join());
    return found.size; })"""


@pytest.mark.parametrize("width", [390, 1000])
@pytest.mark.parametrize("name", FIGURES)
def test_it_is_drawn_and_fits_the_page(show, name, width):
    page = still(show, name, viewport={"width": width, "height": 844})
    page.wait_for_function(f"{COLOURS}.every(count => count > 5)")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    for shown, dots in page.evaluate(f"{CANVASES}.map(canvas => [canvas.clientWidth, canvas.width])"):
        assert shown > 80 and dots == shown
    for control in page.locator("button, input[type=range], select").all():
        assert control.bounding_box()["height"] >= 24


@pytest.mark.parametrize("name", FIGURES)
def test_without_javascript_there_are_a_still_picture_and_words(show, name):
    page = show(name, java_script_enabled=False)
    text = page.locator(".live").inner_text()
    assert len(text.split()) > 40 and "with JavaScript" in text and live_stills.words_of(name).split()[-1] in text
    for picture in page.locator(".live img").all():
        assert picture.is_visible() and picture.bounding_box()["width"] > 60 and picture.get_attribute("alt")


@pytest.mark.parametrize("name", FIGURES)
def test_paper_shows_the_still_picture_until_somebody_has_touched_the_figure(show, name):
    page = show(name)
    page.locator("canvas").first.wait_for()
    pictures, still = page.locator(".live canvas"), page.locator(".live-still img")
    assert not any(picture.is_visible() for picture in still.all())
    page.emulate_media(media="print")
    assert not any(picture.is_visible() for picture in pictures.all())
    assert all(picture.is_visible() and picture.evaluate("img => img.naturalWidth") > 100 for picture in still.all())
    page.emulate_media(media="screen")
    page.get_by_role("slider").or_(page.get_by_role("combobox")).first.press("ArrowDown")
    page.emulate_media(media="print")
    assert all(picture.is_visible() for picture in pictures.all())
    assert not any(picture.is_visible() for picture in still.all())


def test_two_figures_on_one_page_are_independent(show, site):
    page = still(show, "double_pendulum")
    page.evaluate("""() => { const other = document.createElement("div");
        document.body.prepend(other);
        window.rbdlib.live.double_pendulum.figures.push(window.rbdlib.live.double_pendulum.start(other)); }""")
    page.get_by_role("button", name="Step").first.click()
    times = page.evaluate("window.rbdlib.live.double_pendulum.figures.map(figure => figure.simulation.t)")
    assert sorted(times)[0] == 0 < sorted(times)[1]
