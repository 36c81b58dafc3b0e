"""The live figures: their JavaScript gives Python's numbers, and every page has what it needs."""

import json
import re
import shutil
import subprocess
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from rbdlib.compile.executer import arguments_of
from rbdlib.compile.parameters import with_parameters
from rbdlib.contact.collisions import sticking_collision
from tests.site.live_expected import RUNS, agree, numeric
from tools.book import live, live_functions as functions, live_links, live_stills
from tools.book.checks import Page
from tools.book.live_figures import FIGURES
from tools.book.markup import slug
from tools.book.places import DOCS, NOTEBOOKS, ROOT

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="Node runs the JavaScript, and it is not installed here")
#: Numbers for arguments that must not be just any, as functions of a random generator.
ARGUMENTS = {"dt": lambda rng: 1e-3, "T": lambda rng: rng.uniform(1, 2), "t": lambda rng: rng.uniform(0, 1),
             "T_stab": lambda rng: rng.uniform(0.05, 0.5), "b": lambda rng: rng.uniform(0.2, 1.2),
             "e": lambda rng: rng.uniform(0, 1), "mu": lambda rng: rng.uniform(0, 1), "sign": lambda rng: 1.0}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with all that the pages of the live figures need. Their models are derived first: its tests are slow."""
    if NODE is None:
        pytest.skip("Node runs the JavaScript, and it is not installed here")
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(live.SOURCES, folder / live.PLACE)
    live.write(folder)
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


def computed(site, script):
    """What a script prints, read as JSON; typed arrays become lists."""
    (site / "script.mjs").write_text(script, encoding="utf-8")
    done = subprocess.run([NODE, site / "script.mjs"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def some_arguments(function, rng):
    """{name: number or array} that the Python function can deal with."""
    found = {}
    for name in (argument.name for argument in arguments_of(function.function) if argument.default is argument.empty):
        if function.sample and name in function.sample:
            found[name] = np.array(function.sample[name]) if np.ndim(function.sample[name]) else function.sample[name]
        elif function.shapes.get(name):
            found[name] = rng.normal(size=function.shapes[name])
        elif name in ARGUMENTS or name in function.shapes:
            found[name] = ARGUMENTS.get(name, lambda rng: float(rng.normal()))(rng)
        else:
            found[name] = dict(zip(("q", "qd"), function.model.random_state(rng), strict=True)).get(
                name, rng.normal(size=function.model.nv))
    if "p" in found:
        found["p"] = found["p"] / np.linalg.norm(found["p"])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_every_function_of_a_page_and_its_simulation_give_what_their_python_sources_give(site, name):
    rng, calls, expected = np.random.default_rng(5), [], []
    for function in FIGURES[name]().functions:
        arguments = some_arguments(function, rng)
        values = {symbol: rng.uniform(0.5, 1.5) for symbol in function.parameters}
        expected.append(function.function(with_parameters(function.model, values), **arguments))
        given = [*(np.ravel(x).tolist() if np.ndim(x) else x for x in arguments.values()), *values.values()]
        calls.append(f"model.{function.name}(...{json.dumps(given)})")
    moves, simulated = RUNS[name]
    script = (f'import * as model from "./{live.PLACE}/{name}_model.js";\n'
              f'import {{ Simulation }} from "./{live.PLACE}/{name}.js";\n'
              f"const found = [{', '.join([*calls, moves])}];\n"
              "console.log(JSON.stringify(found, (k, x) => ArrayBuffer.isView(x) ? [...x] : x));")
    for found, right in zip(computed(site, script), [*expected, simulated()], strict=True):
        agree(found, right)


@pytest.mark.slow
def test_a_bundle_is_one_script_without_imports_that_loads_where_there_is_no_page(site):
    for name in FIGURES:
        text = (site / live.PLACE / f"{name}.bundle.js").read_text(encoding="utf-8")
        assert not re.search(r"^\s*(import|export)\b", text, re.MULTILINE) and "http" not in text
        (site / f"{name}.cjs").write_text(text, encoding="utf-8")
    computed(site, "".join(f'await import("./{name}.cjs");\n' for name in FIGURES) + "console.log(0);")


# The physics

def test_locked_joints_add_mass_and_free_ones_never_do():
    rng = np.random.default_rng(0)
    bends = dict(zip(("b1", "b2", "b3", "b4"), rng.uniform(-2, 2, 4), strict=True))
    felt = [functions.felt(numeric("articulated_inertia", f"felt{free}", **bends), 0.3)[0]
            for free in ("0000", "1000", "1100", "1101", "1111")]
    assert np.allclose(felt[0], 5 * np.eye(2))
    assert all(np.linalg.eigvalsh(more - less).min() > -1e-12 for more, less in pairwise(felt))


@pytest.mark.slow
def test_a_four_bar_without_stabilisation_drifts_and_with_it_does_not():
    figure, model = FIGURES["four_bar"](), numeric("four_bar", "step")
    gaps = []
    for T_stab in (0.1, None):
        q, qd = np.array(figure.constants["START"]), 12 * np.array(figure.constants["RATES"])
        for _ in range(100):
            q, qd = functions.loop_step(model, q, qd, 0.01, T_stab)
        gaps.append(functions.gap(model, q))
    assert 10 * gaps[0] < gaps[1] < 0.1


@pytest.mark.slow
def test_the_cat_has_no_angular_momentum_and_turns_over():
    model = numeric("falling_cat", "turnOver")
    p, momenta = np.array([0.0, 1, 0, 0]), []
    bend, steps = np.radians(76), 60
    for b, db, dw in ((0, bend, 0), (bend, 0, 2 * np.pi), (bend, -bend, 0)):
        for k in range(steps):
            at = b + db * k / steps, dw * k / steps
            momenta.append(functions.angular_momenta(model, p, *at, db, dw))
            p = functions.turn_over(model, p, *at, db / steps, dw / steps)
    assert np.abs(np.sum(momenta, axis=1)).max() < 1e-12 and np.abs(momenta).max() > 1e-3
    assert functions.halves(model, p, 0.0, 0.0)[0][2][2] > 0.999


def test_a_sticking_impact_is_that_of_the_library_and_a_sliding_one_keeps_sliding_and_takes_energy():
    model = numeric("bounce_and_roll", "stickingImpact", k=0.4, alpha=0.1, g=9.81)
    for e, mu, v in ((0.5, 1.0, np.array([3.0, 1, -2])), (0.0, 2.0, np.array([-8.0, 0.5, -1]))):
        after, lam = functions.sticking_impact(model, v, e)
        right = sticking_collision(None, functions.planar_inertia(model), None, v, functions.frame(), [0, e], mu)
        agree([after, lam], [right.v_2, right.lam])
        assert abs(functions.slip(model, after)) < 1e-12
    model = numeric("bounce_and_roll", "slidingImpact", k=0.4, alpha=0.1, g=9.81)
    v, q = np.array([30.0, 1, -2]), np.array([0, 0, functions.RADIUS])
    after, lam = functions.sliding_impact(model, v, 0.6, 0.1, 1.0)
    assert np.isclose(after[2], 1.2) and functions.slip(model, after) > 0 and np.isclose(lam[0], -0.1 * lam[1])
    assert functions.ball_energy(model, q, after)[:2].sum() < functions.ball_energy(model, q, v)[:2].sum()


@pytest.mark.slow
def test_the_energy_of_the_double_pendulum_survives_the_ends_of_every_slider(site):
    worst = computed(site, f"""import {{ Simulation }} from "./{live.PLACE}/double_pendulum.js";
        const found = [];
        for (const m of [[0.1, 5], [5, 0.1]]) for (const l of [[0.3, 0.3], [0.3, 1.5], [1.5, 0.3]]) {{
          const s = new Simulation({{ m1: m[0], m2: m[1], l1: l[0], l2: l[1], upper: 130 }}), {{ g }} = s.options;
          for (let k = 0; k < 800; k++) s.step();
          found.push(Math.abs(s.energy() - s.first) / (g * (m[0] * l[0] + m[1] * (l[0] + l[1]))));
        }}
        console.log(JSON.stringify(found));""")
    assert len(worst) == 6 and max(worst) < 1e-5


@pytest.mark.slow
def test_the_cat_counts_every_round_even_if_the_slider_jumps_and_the_axes_of_the_racket_are_called_what_they_are(site):
    once, thrice, named = computed(site, f"""import {{ Simulation }} from "./{live.PLACE}/falling_cat.js";
        import {{ roles }} from "./{live.PLACE}/tennis_racket.js";
        const turned = rounds => {{
          const s = new Simulation();
          for (const at of [[1.3, 0], [1.3, 2 * Math.PI * rounds], [0, 2 * Math.PI * rounds]]) s.move(...at);
          return s.turned; }};
        const named = [[0.24, 0.16, 0.03], [0.1, 0.3, 0.2], [0.1, 0.1, 0.2]].map(roles);
        console.log(JSON.stringify([turned(1), turned(3), named]));""")
    assert once > 100 and thrice == pytest.approx(3 * once, rel=1e-3)
    assert [[said.partition(", ")[2] for _, said in roles] for roles in named] == [
        ["the least inertia", "the one between", "the most inertia"],
        ["the most inertia", "the least inertia", "the one between"],
        ["the same inertia as another", "the same inertia as another", "the least inertia"]]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bounce_and_roll", "double_pendulum", "falling_cat", "four_bar", "tennis_racket"])
def test_before_it_moves_a_graph_has_a_dot_for_the_start_of_every_curve(site, name):
    """Who wants less motion sees the figure like this."""
    script = site / live.PLACE / f"{name}.bundle.js"
    graph = json.loads(subprocess.run([NODE, live_stills.PROGRAM, script, "0"], capture_output=True, text=True,
                                      check=True).stdout)["pictures"][-1]["svg"]
    curves, dots = graph.count("clip-path"), re.findall(r"<path d=\"M[\d. -]+a4 4 [^>]*>", graph)
    assert len(dots) == curves > 0
    for x, y in (map(float, re.search(r"M([\d.-]+) ([\d.-]+)a", dot).groups()) for dot in dots):
        assert 0 < x < 100 and 0 < y < 300


# The pages

@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_a_still_picture_of_every_figure_stands_where_there_is_no_javascript(site, name):
    page = Page((site / "live" / "stills" / f"{name}.html").read_text(encoding="utf-8"))
    assert page.without_words == [] and page.fetched
    for address in page.fetched:
        text = (site / "live" / address).resolve().read_text(encoding="utf-8")
        colours = {part.get(key) for part in ElementTree.fromstring(text).iter() for key in ("fill", "stroke")}
        assert len(colours) > 3 and not re.search(r"NaN|Infinity|undefined|http(?!://www.w3.org/2000/svg)", text)
        assert len(text) < 60_000
    still = live_stills.still_of(name, live.bundle(name))
    assert len(still["numbers"]) >= 2 and not any(value[:1] in ("", "\u2013") for _, value in still["numbers"])
    assert len(still["legend"]) >= 2


@pytest.mark.slow
@needs_node
def test_the_numbers_of_a_still_picture_are_those_of_python():
    pendulum = dict(live_stills.still_of("double_pendulum", live.bundle("double_pendulum"))["numbers"])
    model = numeric("double_pendulum", "step", m1=1.0, m2=1.0, l1=1.0, l2=1.0, g=9.81)
    energy = functions.energy(model, np.radians([130.0, 0.0]), np.zeros(2))
    assert float(pendulum["Energy of the first"].split()[0]) == pytest.approx(energy, abs=6e-4)
    felt = dict(live_stills.still_of("articulated_inertia", live.bundle("articulated_inertia"))["numbers"])
    bends = dict(zip(("b1", "b2", "b3", "b4"), np.radians([50.0, -50, 50, -50]), strict=True))
    I, _ = functions.felt(numeric("articulated_inertia", "felt1111", **bends), np.radians(30))
    push = np.array([np.cos(np.radians(30)), np.sin(np.radians(30))])
    assert float(felt["Mass felt in the direction of the force"].split()[0]) == pytest.approx(push @ I @ push, abs=6e-3)


def test_every_figure_is_led_to_from_a_notebook_and_leads_back():
    for name in FIGURES:
        places = FIGURES[name]().places
        assert places
        for notebook, heading in places:
            cells = json.loads((NOTEBOOKS / f"{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]
            text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
            assert re.findall(r"^#+ (.*)$", text, re.MULTILINE).count(heading) == 1, (notebook, heading)
            assert f"<notebooks/{notebook}.html#{slug(heading)}>" in live_links.derived(name)
        for file, line in re.findall(r"`(rbdlib/\S+), line (\d+) <source/", live_links.derived(name)):
            assert re.match(r"def |@", (ROOT / file).read_text(encoding="utf-8").splitlines()[int(line) - 1])


@needs_node
@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_has_a_page_with_its_script_words_instead_of_it_and_its_code(name):
    text = (DOCS / "live" / f"{name}.md").read_text(encoding="utf-8")
    assert len(live_stills.words_of(name).split()) > 20
    assert all(f"```{{live-{part}}} {name}\n" in text for part in ("figure", "code", "origin"))
    shown = {function.__name__ for function in FIGURES[name]().shown}
    assert set(re.findall(r"code/(\w+)\.py", text)) == shown
    overview = (DOCS / "live" / "all_figures.md").read_text(encoding="utf-8")
    row = next(line for line in overview.splitlines() if f"({name}.md)" in line)
    assert re.findall(r"notebooks/(\w+)\.ipynb", row) == [notebook for notebook, _ in FIGURES[name]().places]
    (python, script), text = FIGURES[name]().beside, live_links.code_of(name, live.model_module(name))
    assert python in shown and f"code/{python}.py" in text
    assert f"export function {script}(" in text and "throw" not in text
    assert text.count("\n") < 90 and f"{name}_model.js" in text and f"{name}.bundle.js" in text


def test_no_source_or_style_asks_for_anything_from_elsewhere_or_has_long_lines_or_functions():
    for path in (*live.SOURCES.glob("*.js"), *live.SOURCES.glob("*.css")):
        text = path.read_text(encoding="utf-8")
        assert "http" not in text and len(text.splitlines()) < 400, path
        assert max(map(len, text.splitlines())) <= 120, path
        for body in re.findall(r"^(?:export )?function .*?^\}|^  \w+\([^()]*\) \{.*?^  \}", text, re.S | re.M):
            assert body.count("\n") < 40, f"{path}: {body[:60]}"


# What is refused

@pytest.mark.parametrize(("refuse", "error", "message"), [
    pytest.param(lambda: live_stills.still_of("four_bar", "throw new Error('broken');"), RuntimeError,
                 "live figure four_bar cannot be drawn after 10 s", marks=needs_node),
    (lambda: live_links.known("swing"), ValueError, "asks for the live figure 'swing'; there are double_pendulum"),
    (lambda: live.bundle("pendulum"), ValueError, "is 'pendulum'; there are the live figures double_pendulum"),
    (lambda: live.as_function("x.js", "export default 3;\n"), ValueError, "imports or exports in a form"),
    (lambda: live.source_of("nothing.js"), ValueError, "there is no")])
def test_what_no_page_can_show_is_refused(refuse, error, message):
    with pytest.raises(error, match=message):
        refuse()
