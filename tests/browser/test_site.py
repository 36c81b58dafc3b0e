"""The site in Chromium: nothing is fetched from elsewhere, it fits phones, everybody can use it, and it can be printed.

Needs the site (`make book`); then `make test-browser`. RBDLIB_SITE=FOLDER takes the site in another folder.
"""

import json
import re
import shutil
import subprocess
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from tests.browser.conftest import served, without
from tests.site.built_site import NOTEBOOKS, PAGES, built_site
from tools.book.vendor import package

AXE = "axe-core@4.14.1"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
#: A sheet of A4 within margins of 1.5 cm, in pixels of a screen.
PAPER = {"width": 680, "height": 1000}
ACCESSIBLE = (*PAGES, *(f"notebooks/{name}.html" for name in ("00_start_here", "04_planar_vectors", "08_pendulums",
                                                              "11_articulated_body", "26_verify_your_derivation")))
TYPESET = "async () => { await window.MathJax?.startup?.promise; }"
WIDTHS = """() => {
    const scrolls = element => /auto|scroll/.test(getComputedStyle(element).overflowX);
    const boxes = [...document.querySelectorAll("main *")].filter(element =>
        element.scrollWidth > element.clientWidth + 1 && element.offsetParent !== null && scrolls(element));
    const unreachable = boxes.filter(element => element.tabIndex < 0 &&
        !element.querySelector("a[href], button, [tabindex='0']") && !element.closest("[tabindex='0']"));
    return { page: document.documentElement.scrollWidth,
             unreachable: unreachable.map(element => element.outerHTML.slice(0, 120)) }; }"""
#: Bytes of all that was fetched, and whether the first paint waits for it; what Lighthouse calls layout shift.
FETCHED = "() => performance.getEntries().map(file => [file.encodedBodySize ?? 0, file.renderBlockingStatus])"
MOVED = """async () => { let moved = 0;
    new PerformanceObserver(list => list.getEntries().forEach(({ value }) => { moved += value; })).observe(
        { type: "layout-shift", buffered: true });
    await new Promise(later => setTimeout(later, 300));
    return moved; }"""
LOOK = """element => { const { outlineStyle, outlineWidth, outlineColor, boxShadow, backgroundColor, borderColor } =
    getComputedStyle(element);
    return [outlineStyle, outlineWidth, outlineColor, boxShadow, backgroundColor, borderColor].join("; "); }"""
FORMULAS = """() => { const prose = document.querySelector("main").cloneNode(true);
    for (const other of prose.querySelectorAll("pre, code, script, style, mjx-assistive-mml")) other.remove();
    return { errors: document.querySelectorAll("mjx-merror, [data-mml-node=merror]").length,
             formulas: document.querySelectorAll("mjx-container").length, text: prose.textContent }; }"""


@pytest.fixture(scope="module")
def site():
    return built_site()


@pytest.fixture(scope="module")
def address(site):
    with served(site) as url:
        yield f"{url}/"


@pytest.fixture(scope="module")
def axe():
    try:
        return (package(AXE) / "axe.min.js").read_text(encoding="utf-8")
    except SystemExit as error:
        without(f"{AXE} is needed: {error}")


@pytest.fixture(scope="module")
def opened(chromium, address):
    """Opens a page as a context: it yields the page, and what it asked for and complained of."""
    @contextmanager
    def opened(path, base=address, **options):
        context = chromium.new_context(**({"viewport": DESKTOP, "reduced_motion": "reduce"} | options))
        page = context.new_page()
        page.seen = SimpleNamespace(requests=[], complaints=[])
        page.on("request", lambda request: page.seen.requests.append(request.url))
        page.on("response", lambda answer: page.seen.complaints.append(f"{answer.status} {answer.url}")
                if answer.status >= 400 else None)
        page.on("console", lambda said: page.seen.complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: page.seen.complaints.append(str(error)))
        page.goto(base + path)
        page.evaluate(TYPESET)
        yield page
        context.close()

    return opened


@pytest.mark.parametrize("path", [*PAGES, *NOTEBOOKS])
def test_a_page_asks_for_nothing_from_elsewhere_fits_a_phone_and_has_its_formulas_typeset(opened, address, path):
    """What is wider scrolls, by the keyboard too."""
    with opened(path, viewport=PHONE) as page:
        page.wait_for_timeout(200)
        seen = SimpleNamespace(**vars(page.seen), **page.evaluate(WIDTHS), **page.evaluate(FORMULAS))
    assert [url for url in seen.requests if not url.startswith((address, "data:", "blob:"))] == []
    assert seen.complaints == []
    assert seen.page <= PHONE["width"] and seen.unreachable == []
    if path in NOTEBOOKS:
        assert seen.errors == 0 and seen.formulas > 10
        assert not re.search(r"\\begin\{|\\(?:frac|dot|left|mathrm)\b|\$[^$\n]+\$", seen.text)


@pytest.mark.parametrize("path", ["index.html", "notebooks/28_tops.html", "ledger/rbda-07.html"])
def test_a_page_comes_light_is_painted_after_little_of_it_and_stands_still(opened, path):
    with opened(path, viewport=PHONE) as page:
        page.wait_for_load_state("networkidle")
        files, moved = page.evaluate(FETCHED), page.evaluate(MOVED)
    assert sum(size for size, _ in files) < 3e6 and sum(size for size, status in files if status == "blocking") < 0.8e6
    assert moved < 0.1


def test_what_goes_on_beyond_the_edge_of_a_phone_fades_there_until_it_is_reached(opened):
    with opened("notebooks/00_start_here.html", viewport=PHONE) as page:
        page.wait_for_function("() => document.querySelector('.cell pre.goes-on')")
        assert page.evaluate("""() => [...document.querySelectorAll('.cell pre')].every(block =>
            block.classList.contains('goes-on') === (block.scrollWidth - block.clientWidth > 8))""")
        block = page.locator(".cell pre.goes-on").first.element_handle()
        assert "gradient" in block.evaluate("block => getComputedStyle(block).maskImage")
        block.evaluate("block => { block.scrollLeft = block.scrollWidth; }")
        page.wait_for_function("block => !block.classList.contains('goes-on')", arg=block)


def test_a_full_stop_does_not_begin_a_line_after_a_formula(opened):
    with opened("notebooks/08_pendulums.html", viewport=PHONE) as page:
        following = page.evaluate("""() => [...document.querySelectorAll('main .bd-article span.math')].map(
            formula => formula.closest('.kept-together') ? '' : formula.nextSibling?.textContent ?? '')""")
        assert len(following) > 30
        assert [text for text in following if text[:1] in tuple(".,;:)")] == []
        assert page.evaluate("() => getComputedStyle(document.querySelector('.kept-together')).whiteSpace") == "nowrap"


@pytest.mark.parametrize("path", ACCESSIBLE)
def test_a_page_is_accessible_on_a_desk_and_on_a_phone_in_the_light_and_in_the_dark(opened, axe, path):
    found = []
    with opened(path) as page:
        page.evaluate(axe)
        for viewport in (DESKTOP, PHONE):
            page.set_viewport_size(viewport)
            for theme in ("light", "dark"):
                page.emulate_media(color_scheme=theme, reduced_motion="reduce")
                if "source/" not in path:
                    page.wait_for_function(f"document.documentElement.dataset.theme === '{theme}'")
                page.wait_for_timeout(300)  # the colours of the theme change gradually
                report = page.evaluate("tags => axe.run({ runOnly: tags, resultTypes: ['violations'] })", TAGS)
                found += [(viewport["width"], theme, rule["id"], node["html"][:200], node["failureSummary"])
                          for rule in report["violations"] for node in rule["nodes"]]
    assert found == []


#: Term: what must be on the page, what page, and among how many of the first hits it must be.
SOUGHT = {
    "articulated-body inertia": (r"articulated.body inertia", r"11_articulated_body|articulated_body|terms", 3),
    "RBDA-7.24": (r"RBDA-7\.24", r"ledger/rbda-07\.html#rbda-7-24", 1),
    "crba": (r"\bcrba\b", r"api/rbdlib\.book\.ch06_inertia_matrix", 5)}


@pytest.mark.parametrize("base", ["http", "file"])
@pytest.mark.parametrize("term", SOUGHT)
def test_the_search_finds_a_term_and_leads_to_it(opened, site, address, base, term):
    shown, place, first = SOUGHT[term]
    with opened("index.html", address if base == "http" else f"{site.as_uri()}/") as page:
        page.keyboard.press("Control+k")
        page.keyboard.type(term)
        page.keyboard.press("Enter")
        page.wait_for_url("**/search.html?q=*")
        page.wait_for_function("document.querySelectorAll('#search-results ul.search li a').length > 0")
        page.wait_for_function("/finished|found/i.test(document.querySelector('#search-results').textContent)")
        hits = [a.get_attribute("href") for a in page.locator("#search-results ul.search li > a").all()]
        leading = [number for number, hit in enumerate(hits[:first]) if re.search(place, hit)]
        assert leading, hits[:10]
        page.locator("#search-results ul.search li > a").nth(leading[0]).click()
        page.wait_for_load_state()
        assert re.search(shown, page.locator("main").inner_text(), re.IGNORECASE)
        assert page.seen.complaints == []


@pytest.mark.parametrize("path", ["index.html", "notebooks/11_articulated_body.html", "live/double_pendulum.html"])
def test_a_page_opened_from_a_folder_is_complete(opened, site, path):
    with opened(path, f"{site.as_uri()}/") as page:
        assert [url for url in page.seen.requests if not url.startswith((site.as_uri(), "data:", "blob:"))] == []
        assert page.seen.complaints == []
        assert page.evaluate(FORMULAS)["errors"] == 0
        if "notebooks/" in path:
            assert page.evaluate(FORMULAS)["formulas"] > 10
        if "live/" in path:
            assert page.locator("canvas").count() >= 1


@pytest.mark.parametrize(("path", "motion", "moves"), [
    ("notebooks/08_pendulums.html", "no-preference", True), ("index.html", "reduce", False)])
def test_a_film_has_a_button_that_stops_it_and_begins_stopped_where_less_motion_is_wanted(opened, path, motion, moves):
    with opened(path, reduced_motion=motion) as page:
        film = page.locator('img[alt*="; an animation of"]').first
        film.evaluate("film => film.parentElement.scrollIntoView()")                          # only then it is fetched
        page.wait_for_selector(".film-button")
        for expected in (moves, not moves, moves):
            film, still = page.locator("img:has(+ .film-still)").first, page.locator(".film-still").first
            assert (film.is_visible(), still.is_visible()) == (expected, not expected)
            page.get_by_role("button", name="Stop" if expected else "Play").first.click()


def test_the_first_tab_offers_to_skip_to_the_text(opened):
    with opened("notebooks/11_articulated_body.html") as page:
        page.keyboard.press("Tab")
        skip = page.locator(":focus")
        assert "Skip to main content" in skip.inner_text()
        page.wait_for_function("""() => {                       // it slides in from above
            const box = document.activeElement.getBoundingClientRect();
            return box.left >= 0 && box.top >= 0 && box.height > 10; }""")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.querySelector('#main-content').contains(document.activeElement)")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_what_has_the_focus_in_the_header_can_be_seen(opened, viewport, theme):
    with opened("notebooks/11_articulated_body.html", viewport=viewport, color_scheme=theme) as page:
        controls = page.locator(".bd-header-article a:visible, .bd-header-article button:visible, "
                                ".bd-header-article label:visible")
        assert controls.count() >= 3
        for control in controls.all():
            plain = control.evaluate(LOOK)
            control.evaluate("element => element.focus({ focusVisible: true })")
            page.wait_for_timeout(250)  # the theme's colours change gradually
            assert control.evaluate("element => element === document.activeElement"), control.inner_html()
            assert control.evaluate(LOOK) != plain, control.inner_html()


def test_the_menu_of_a_phone_opens_and_closes_by_the_keyboard(opened):
    with opened("notebooks/11_articulated_body.html", viewport=PHONE) as page:
        entry = page.locator(".bd-sidebar-primary:visible, dialog[open]").get_by_role("link", name="Five pendulums")
        assert entry.count() == 0
        page.locator(".primary-toggle:visible").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog[open]")
        entry.first.wait_for()
        assert page.evaluate("document.querySelector('dialog[open]').contains(document.activeElement)")
        page.keyboard.press("Escape")
        page.wait_for_function("!document.querySelector('dialog[open]')")
        page.keyboard.press("Enter")
        entry.first.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/08_pendulums.html")


CUT_OFF = """width => [...document.querySelectorAll("main pre, main img, main svg, main table, main mjx-container")]
    .filter(element => element.checkVisibility() && !element.closest(".onlyprint"))
    .filter(element => element.getBoundingClientRect().right > width + 1 ||
                       (element.matches("pre") && element.scrollWidth > element.clientWidth + 1))
    .map(element => element.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("path", ["notebooks/11_articulated_body.html", "notebooks/06_modelling.html",
                                  "api/rbdlib.book.ch07_articulated_body.html", "ledger/rbda-07.html",
                                  "conventions.html"])
def test_nothing_is_cut_off_on_paper(opened, path):
    with opened(path, viewport=PAPER) as page:
        page.emulate_media(media="print")
        assert page.evaluate(CUT_OFF, PAPER["width"]) == []
        assert page.locator(".bd-sidebar-primary:visible, .bd-header-article button:visible").count() == 0


def test_a_chapter_prints_with_all_its_lines_of_code(opened, tmp_path):
    path = tmp_path / "chapter.pdf"
    with opened("notebooks/11_articulated_body.html") as page:
        lines = [line for block in page.locator(".cell_input pre").all_inner_texts() for line in block.splitlines()]
        page.keyboard.press("Control")                                 # somebody is there: pictures need not wait
        page.wait_for_function("() => [...document.images].every(image => image.complete && image.naturalWidth)")
        page.pdf(path=path, format="A4", margin=dict.fromkeys(("top", "right", "bottom", "left"), "1.5cm"))
    sheets = len(re.findall(rb"/Type\s*/Page\b", path.read_bytes()))
    assert 12 <= sheets <= 45
    if not shutil.which("pdftotext"):
        pytest.skip("pdftotext is not installed here (poppler-utils); the number of sheets was checked")
    printed = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, text=True, check=True).stdout
    letters = re.sub(r"\s+", "", printed)
    missing = [line for line in lines if line.strip() and re.sub(r"\s+", "", line) not in letters]
    assert len(lines) > 100 and len(missing) <= 0.02 * len(lines), missing


# The controls of notebooks

FIGURE = """() => {
    const image = document.querySelector(".positions").closest(".cell_output").querySelector("img");
    return { src: image.src, alt: image.alt, width: image.naturalWidth, shown: image.complete };
}"""


def test_each_figure_with_controls_has_its_own_pictures(site):
    for path in NOTEBOOKS:
        text = (site / path).read_text(encoding="utf-8")
        folders = re.findall(r'data-pictures="\.\./(positions/[^"]+)"', text)
        assert len(folders) == len({*folders}) >= 1 and "class=\"still-controls\"" in text, path
        told = re.findall(r'<script type="application/json">(.*?)</script>', text)
        for folder, pictures in zip(folders, (json.loads(one)["pictures"] for one in told), strict=True):
            drawn = {name for name, picture in pictures.items() if "alt" in picture}
            assert {file.stem for file in (site / folder).iterdir()} == drawn and len(drawn) >= 2


def test_a_slider_of_a_notebook_changes_the_picture_below_it_and_its_words(opened):
    with opened("notebooks/08_pendulums.html") as page:
        slider = page.locator(".positions input[type=range]").first
        slider.focus()
        page.wait_for_function(f"() => ({FIGURE})().width > 0")
        before = page.evaluate(FIGURE)
        page.keyboard.press("ArrowRight")
        page.wait_for_function(f"before => ({FIGURE})().src !== before", arg=before["src"])
        after = page.evaluate(FIGURE)
        said = slider.get_attribute("aria-valuetext").translate({0x2212: "-", 0xA0: " "})
        assert said != "-2 rad" and f"= {said}" in after["alt"]
        assert after["shown"] and after["width"] == before["width"] and "../positions/" not in before["src"]
        page.keyboard.press("ArrowLeft")
        page.wait_for_function(f"before => ({FIGURE})().src === before", arg=before["src"])
        assert page.evaluate(FIGURE) == before and page.seen.complaints == []


def test_of_many_sliders_one_moves_at_a_time_and_the_page_says_so(opened):
    with opened("notebooks/08_pendulums.html") as page:
        figure = page.locator(".positions").first
        first, second, _ = figure.locator("input[type=range]").all()
        start = first.input_value()
        first.press("End")
        assert figure.locator("[role=status]").inner_text() == ""
        second.press("Home")
        assert first.input_value() == start and second.input_value() == "0"
        assert "one slider moves at a time" in figure.locator("[role=status]").inner_text()


def test_a_picture_that_does_not_arrive_is_not_passed_over_in_silence(opened):
    with opened("notebooks/08_pendulums.html") as page:
        page.route("**/*.webp", lambda route: route.abort())
        figure = page.locator(".positions").first
        figure.scroll_into_view_if_needed()
        page.wait_for_function(f"() => ({FIGURE})().width > 0")
        before = page.evaluate(FIGURE)
        figure.locator("input[type=range]").first.press("End")
        figure.locator("[role=status]", has_text="could not be fetched").wait_for()
        assert page.evaluate(FIGURE) == before


def test_without_a_script_and_on_paper_a_sentence_says_what_the_controls_are(opened):
    with opened("notebooks/08_pendulums.html") as page:
        sentence = page.locator(".still-controls").first
        assert not sentence.is_visible()
        page.emulate_media(media="print")
        assert sentence.is_visible() and not page.locator(".positions input").first.is_visible()
        page.emulate_media(media="screen")
        page.locator(".positions input").first.press("End")
        page.emulate_media(media="print")
        assert not sentence.is_visible() and page.locator(".positions output").first.is_visible()
