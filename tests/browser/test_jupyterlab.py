"""JupyterLab as `make lab` starts it: run by the menu, sliders dragged, exercises answered wrongly and rightly.

Run them by `make test-browser`. The notebooks are copies; build/browser/ gets pictures of what a student sees.
"""

import contextlib

import nbformat
import pytest

from tests.browser.lab import LATE, ROOT, SOON, TOKEN, Notebook, make_lab

NOTEBOOKS = ("00_start_here", "08_pendulums", "26_verify_your_derivation")
SLIDERS = {"00_start_here": 6, "08_pendulums": 10}

#: Of each notebook an exercise: its number, a wrong answer, what the reply says of it, the first hint, a right answer,
#: and what no reply to a wrong answer may give away.
EXERCISES = {
    "00_start_here": ("0.1", "[0, 0, 1, 0, 2, 0]", "The linear part has the opposite sign", "the body-fixed point",
                      "[0, 0, 1, 0, -2, 0]", "-2"),
    "08_pendulums": ("8.1", "9.81**0.5", "Exercise 8.1: not yet.", "all the energy that it has", "6.264", "6.26"),
    "26_verify_your_derivation": ("26.6", "4", "the mistake is not made here", "a mass at its middle", "3", "Line 3")}
#: Which texts below an element have too little contrast with what is behind them. The colours of code are JupyterLab's
#: own and are left to it.
HARD_TO_READ = """cell => {
    const parts = colour => (colour.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
    const mixed = (over, under) => { const a = over[3] ?? 1;
        return [0, 1, 2].map(k => a * over[k] + (1 - a) * under[k]); };
    const light = colour => colour.map(x => x / 255).map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
        .reduce((sum, x, k) => sum + x * [0.2126, 0.7152, 0.0722][k], 0);
    const behind = element => { const found = [];
        for (let at = element; at; at = at.parentElement) found.push(parts(getComputedStyle(at).backgroundColor));
        return found.reduceRight((under, over) => mixed(over, under), [255, 255, 255]); };
    const complaints = [], texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        const element = text.parentElement;
        if (!text.data.trim() || !element.closest(".jp-OutputArea-output, .jp-RenderedMarkdown")
            || element.closest("pre code span")
            || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        const back = behind(element), front = mixed(parts(getComputedStyle(element).color), back);
        const [low, high] = [light(back), light(front)].sort((a, b) => a - b);
        const ratio = (high + 0.05) / (low + 0.05), enough = element.closest("[aria-hidden=true]") ? 3 : 4.5;
        if (ratio < enough) complaints.push(`${text.data.trim().slice(0, 40)}: ${ratio.toFixed(1)}`);
    }
    return complaints;
}"""
#: The beginnings of outputs that run out of their place without a bar to scroll them.
TOO_WIDE = """cell => [...cell.querySelectorAll(".jp-OutputArea-output, .jp-RenderedMarkdown")].filter(output =>
    output.scrollWidth > output.clientWidth + 1 && getComputedStyle(output).overflowX === "visible"
).map(output => output.innerText.slice(0, 60) || output.dataset.mimeType)"""


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A copy of the notebooks, on which nobody has yet worked."""
    folder = tmp_path_factory.mktemp("course")
    (folder / "notebooks").mkdir()
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.execution_count = None
        nbformat.write(notebook, folder / "notebooks" / path.name)
    return folder


@pytest.fixture(scope="module")
def lab(playwright, course, tmp_path_factory):
    """The address of JupyterLab, started by `make lab`."""
    with make_lab(course, tmp_path_factory.mktemp("home")) as url:
        yield url


@contextlib.contextmanager
def window(chromium, address):
    """A window of its own at an address of JupyterLab."""
    context = chromium.new_context(viewport={"width": 1400, "height": 1000})
    context.set_default_timeout(SOON)
    page = context.new_page()
    page.goto(f"{address}?token={TOKEN}", timeout=LATE)
    yield page
    context.close()


@pytest.fixture(scope="module")
def notebook(request, chromium, lab):
    """A notebook in JupyterLab, all of whose cells were run by the menu."""
    with window(chromium, f"{lab}/lab/workspaces/{request.param}/tree/notebooks/{request.param}.ipynb") as page:
        opened = Notebook(page, request.param)
        opened.run_all()
        yield opened


each = pytest.mark.parametrize("notebook", NOTEBOOKS, indirect=True)


def only(name):
    return pytest.mark.parametrize("notebook", [name], indirect=True)


def setting(slider):
    """What the picture's description says of a slider. (aria-valuenow has one digit only.)"""
    return f" = {float(slider.get_by_role('slider').get_attribute('aria-valuetext')):g}"


def moved(notebook, cell, slider):
    """Drags a slider, then types the old value beside it; the picture must follow, and be the first one again."""
    readout = slider.locator(".widget-readout")
    first, value, said = notebook.picture(cell).get_attribute("src"), readout.text_content(), setting(slider)
    notebook.drag(slider)
    assert readout.text_content() != value
    there = notebook.until_drawn(cell, [setting(slider)], first)
    picture = notebook.picture(cell)
    assert picture.evaluate("image => image.complete && image.naturalWidth > 300")
    notebook.photograph(f"slider {cell}", picture)
    notebook.type_value(slider, value.replace("\N{MINUS SIGN}", "-"))
    assert notebook.until_drawn(cell, [said], there) == first, f"{value} gives another picture than at the beginning"


def test_make_lab_opens_the_first_notebook_and_asks_nothing(chromium, lab):
    with window(chromium, f"{lab}/") as page:
        page.get_by_role("heading", name="0 · Start here").wait_for(timeout=LATE)
        assert "/lab/tree/notebooks/00_start_here.ipynb" in page.url
        assert page.get_by_role("dialog").count() == 0


@each
def test_every_cell_runs(notebook):
    assert notebook.errors() == []
    counts = [cell["count"] for cell in notebook.cells() if cell["type"] == "code"]
    assert counts[:3] == [1, 2, 3]
    notebook.show(0)
    notebook.photograph("beginning")


@pytest.mark.parametrize("notebook", SLIDERS, indirect=True)
def test_every_slider_redraws_its_picture_and_leads_back_to_the_first(notebook):
    tried = 0
    for cell in [cell["k"] for cell in notebook.cells() if "draw.slider(" in cell["source"]]:
        sliders = notebook.show(cell).locator(".widget-slider")
        sliders.first.wait_for(timeout=SOON)
        for slider in sliders.all():
            moved(notebook, cell, slider)
            tried += 1
        assert notebook.show(cell).locator(".widget-html-content").inner_text() == ""
    assert tried == SLIDERS[notebook.name]


@each
def test_a_wrong_answer_gets_a_reason_then_a_hint_and_a_right_one_is_right(notebook):
    number, wrong, reason, first_hint, right, secret = EXERCISES[notebook.name]
    cell = notebook.find(f'check("{number}", ')
    notebook.replace(cell, f'check("{number}", {wrong})')
    reply = notebook.run(cell)
    assert "not yet" in reply and reason in reply and "Hint" not in reply and secret not in reply
    notebook.replace(cell, f'check("{number}", {wrong})')
    reply = notebook.run(cell)
    assert "Hint 1 of" in reply and first_hint in reply and secret not in reply
    notebook.photograph("wrong answer")
    notebook.replace(cell, f'check("{number}", {right})')
    reply = notebook.run(cell)
    assert reply.startswith(f"Exercise {number}: right.") and "not yet" not in reply
    notebook.photograph("right answer")


@only("00_start_here")
def test_a_formula_may_be_typed_as_latex(notebook):
    cell = notebook.find('check("0.8", ')
    for answer, reply in ((r"m_1 l_1^2 + m_2 (l_1^2 + l_2^2)", "the law of cosines"),
                          (r"m_1 l_1^2 + m_2 (l_1^2 + l_2^2 + 2 l_1 l_2 \cos q_2)", "Exercise 0.8: right.")):
        notebook.replace(cell, f'check("0.8", r"{answer}")')
        assert reply in notebook.run(cell)


@only("08_pendulums")
def test_an_answer_may_be_a_function(notebook):
    head = "def tilt(rate, l, g):"
    cell = notebook.find(head)
    for body, reply in (("np.arccos(np.minimum(1, g / (l * rate**2)))", "a rod without mass"),
                        ("np.arccos(np.minimum(1, 3 * g / (2 * l * rate**2)))", "Exercise 8.7: right.")):
        notebook.show(cell).locator(".cm-line").nth(1).click()               # its second line: return None
        notebook.page.keyboard.press("End")
        notebook.page.keyboard.press("Shift+Home")
        notebook.page.keyboard.type(f"return {body}")
        assert f"{head}\n    return {body}\n" in notebook.cells()[cell]["source"]
        assert reply in notebook.run(cell)


@only("26_verify_your_derivation")
def test_the_report_follows_what_is_typed_into_the_box(notebook):
    cell = notebook.find("live(line")
    box, report = (notebook.show(cell).locator(name) for name in ("textarea", ".rbdlib-report"))
    report.get_by_text("In entry 2: the trouble is in the centrifugal terms").wait_for(timeout=SOON)
    notebook.photograph("box wrong")
    box.click()
    notebook.page.keyboard.press("Control+a")
    notebook.page.keyboard.type("[-m2 l1 l2 sin(q2) (2 qd1 qd2 + qd2^2), m2 l1 l2 sin(q2) qd1^2]")
    report.get_by_text("Right: the velocity terms C").wait_for(timeout=SOON)
    assert "✗" not in report.inner_text()
    notebook.photograph("box right")
    before = notebook.picture(cell).get_attribute("src")
    notebook.show(cell).locator(".widget-text input").first.fill("cart x, M")
    notebook.until_drawn(cell, ["x = 0.5"], before)
    notebook.photograph("box with another mechanism")


@only("26_verify_your_derivation")
def test_another_choice_draws_another_picture(notebook):
    cell = notebook.find("draw.explore(what_one_sees")
    before = notebook.picture(cell).get_attribute("src")
    notebook.show(cell).locator("select").select_option("gravity upwards")
    notebook.until_drawn(cell, ["gravity upwards"], before)


@each
@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_what_cells_show_can_be_read_in_both_themes(notebook, theme):
    notebook.menu("Settings", "Theme", theme)
    notebook.page.locator(f"body[data-jp-theme-name='{theme}']").wait_for(state="attached")
    complaints = []
    for cell in notebook.cells():
        shown = notebook.show(cell["k"])
        complaints += shown.evaluate(HARD_TO_READ)
        drawn = shown.locator(".jp-OutputArea-output:not([data-mime-type*=stdout])")
        if "Dark" in theme and drawn.count():
            notebook.photograph(f"{theme} {cell['k']}", drawn.last)
    assert complaints == []


@each
def test_in_a_narrow_window_nothing_runs_out_of_it(notebook):
    notebook.page.set_viewport_size({"width": 700, "height": 900})
    notebook.page.get_by_role("tab", name="File Browser").click()
    wide = []
    for cell in notebook.cells():
        shown = notebook.show(cell["k"])
        wide += [f"cell {cell['k']}: {text}" for text in shown.evaluate(TOO_WIDE)]
        if "draw.slider(" in cell["source"] or "live(line" in cell["source"]:
            notebook.photograph(f"narrow {cell['k']}")
    assert wide == []
