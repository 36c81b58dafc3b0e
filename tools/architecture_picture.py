"""Draws docs/developers/architecture.svg: what the project is made of, and what uses what.

    python -m tools.architecture_picture

The picture is narrow, so that it can be read on a phone. tests/developers/test_architecture.py compares it with what
the modules import.
"""

from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib.patches import FancyBboxPatch

TARGET = Path(__file__).resolve().parents[1] / "docs/developers/architecture.svg"
BLUE, GREEN, ORANGE, GREY = "#d6e6f4", "#d9eedd", "#fbe5cf", "#ececec"

#: The rooms of rbdlib from the ground up: each uses what stands below it. "face" is the package itself.
FLOORS = [{"numbers"}, {"book"}, {"arithmetic", "methods"}, {"conventions"}, {"loops", "io"}, {"texts"},
          {"dynamics"}, {"compile"}, {"motion"}, {"contact"}, {"analysis", "draw"}, {"verification"},
          {"exercises"}, {"face"}]
#: Rows from the top: colour, and for each box its title and further lines.
ROWS = [
    (ORANGE, ("notebooks/", "the course: derive,\ncompute, draw, check"),
             ("docs/, tools/book/", "the site: course, ledger,\nreference, live figures")),
    (ORANGE, ("teaching/, tools/teaching/", "student and solution versions, projects, guide")),
    (GREEN, ("exercises", "checks, hints,\nsolutions"), ("verification", "the mistake in\na derivation"),
            ("draw", "figures, controls,\nfilms, scenes")),
    (GREEN, ("motion, contact", "simulate, control,\nimpacts, ensembles"),
            ("compile, analysis", "fast code; rounding,\ncost, sensitivity")),
    (GREEN, ("dynamics", "every method\nby its name"), ("loops, texts", "closing loops;\nMBT, MRN, SOA"),
            ("methods, io", "further methods;\nURDF, MJCF, TOML")),
    (GREEN, ("arithmetic", "spatial types"), ("conventions", "other programs")),
    (BLUE, ("book", "chapter by chapter what is printed\n"
            "ch02 vectors · ch03 constraints · ch04 model, joints\n"
            "ch05 inverse dynamics · ch06 inertia matrix\n"
            "ch07 articulated bodies · ch08 closed loops\n"
            "ch09 hybrid, floating bases, gears · ch11 contact")),
    (BLUE, ("numbers", "floats, symbols, intervals, dual numbers; checks")),
    (GREY, ("tests/ hold every layer",
            "to the ledger (sources/),\nto other programs (peers/),\nto these pages (developers/)"),
           ("data/", "ledger/: every equation\nerrata.csv · models/\nreference/: published data")),
]
#: The rows below which an arrow leads from what uses to what is used.
USES = {1, 2, 3, 4, 6}

#: In inches: the picture's width, the margin and space between boxes, the length of an arrow, a title, a line of text.
WIDTH, SPACE, ARROW, TITLE, LINE = 4.5, 0.1, 0.25, 0.34, 0.175


def height_of(row):
    return TITLE + LINE * max(lines.count("\n") + 1 for _, lines in row[1:]) + 0.06


def draw_row(axes, row, top):
    colour, *boxes = row
    width, height = (WIDTH - SPACE) / len(boxes) - SPACE, height_of(row)
    for k, (title, lines) in enumerate(boxes):
        left = SPACE + k * (width + SPACE)
        axes.add_patch(FancyBboxPatch((left, top - height), width, height, boxstyle="round,pad=0,rounding_size=0.06",
                                      facecolor=colour, edgecolor="#333333", linewidth=1))
        middle = {"x": left + width / 2, "ha": "center", "va": "top"}
        axes.text(s=title, y=top - 0.08, weight="bold", fontsize=10, **middle)
        axes.text(s=lines, y=top - TITLE, fontsize=9.5, linespacing=1.25, **middle)


def draw():
    heights = [height_of(row) + (ARROW + 0.05 if k in USES else SPACE) for k, row in enumerate(ROWS)]
    total = sum(heights) + SPACE
    with plt.rc_context({"svg.fonttype": "path", "svg.hashsalt": "rbdlib"}):
        figure = plt.figure(figsize=(WIDTH, total))
        axes = figure.add_axes((0, 0, 1, 1))
        top = total - SPACE
        for k, row in enumerate(ROWS):
            draw_row(axes, row, top)
            top -= heights[k]
            if k in USES:
                axes.annotate("", (WIDTH / 2, top + 0.02), (WIDTH / 2, top + ARROW + 0.03),
                              arrowprops={"arrowstyle": "-|>", "color": "#333333", "lw": 1.6})
        axes.set(xlim=(0, WIDTH), ylim=(0, total))
        axes.axis("off")
        figure.savefig(TARGET, metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    draw()
