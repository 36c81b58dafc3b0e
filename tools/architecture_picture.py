"""Draws docs/developers/architecture.svg: what the project is made of, and what uses what.

    python -m tools.architecture_picture
"""

from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib.patches import FancyBboxPatch

TARGET = Path(__file__).resolve().parents[1] / "docs/developers/architecture.svg"
BLUE, GREEN, ORANGE, GREY = "#d6e6f4", "#d9eedd", "#fbe5cf", "#ececec"

#: Left edge, bottom, width, height, colour, title, further lines.
BOXES = [
    (0.1, 9.15, 3.1, 1.25, ORANGE, "notebooks/", "the course: derive,\ncompute, draw, check"),
    (3.45, 9.15, 3.1, 1.25, ORANGE, "docs/, tools/book/", "the site: course, ledger,\nreference, live figures"),
    (6.8, 9.15, 3.1, 1.25, ORANGE, "teaching/", "student versions,\nprojects, guide"),
    (0.1, 7.3, 2.3, 1.25, GREEN, "draw", "figures, controls,\nfilms"),
    (2.6, 7.3, 2.3, 1.25, GREEN, "exercises", "checks, hints,\nsolutions"),
    (5.1, 7.3, 2.3, 1.25, GREEN, "verification", "the mistake in\na derivation"),
    (7.6, 7.3, 2.3, 1.25, GREEN, "codegen, io", "fast code;\nURDF, MJCF"),
    (0.1, 5.1, 9.8, 1.6, BLUE, "the algorithms, by chapter",
     "inverse_dynamics 5 · inertia_matrix 6 · articulated_body 7 · closed_loops 8\n"
     "hybrid, floating_base, gears 9 · accuracy 10 · contact 11\n"
     "operators, order_n (SOA) · task_space (MRN) · lagrange (MBT)"),
    (0.1, 3.6, 9.8, 0.95, BLUE, "the model", "model 4.6 · joints 4.4 · kinematics 4.2 · subspaces, constrained 3"),
    (0.1, 2.1, 9.8, 0.95, BLUE, "the vectors and the scalars", "spatial 2 · planar 2.16 · scalars · arithmetic A"),
    (0.1, 0.1, 4.8, 1.55, GREY, "tests/ hold every layer", "to the ledger (sources/), to other\n"
     "programs (peers/), and to these\npages (developers/)"),
    (5.1, 0.1, 4.8, 1.55, GREY, "data/", "ledger/: every equation of the texts\n"
     "errata.csv · models/: robots\nreference/: published numbers"),
]
#: Where an arrow leads down, from the user to the used: from and to which height.
ARROWS = [(9.1, 8.6), (7.25, 6.75), (5.05, 4.6), (3.55, 3.1)]


def draw():
    with plt.rc_context({"svg.fonttype": "path", "svg.hashsalt": "rbdlib", "font.size": 10}):
        figure = plt.figure(figsize=(7.0, 7.4))
        axes = figure.add_axes((0, 0, 1, 1))
        for x, y, width, height, colour, title, lines in BOXES:
            shape = FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=0.12", facecolor=colour,
                                   edgecolor="#333333", linewidth=1)
            axes.add_patch(shape)
            top = y + height - 0.12
            axes.text(x + width / 2, top, title, ha="center", va="top", weight="bold", fontsize=10.5)
            axes.text(x + width / 2, top - 0.4, lines, ha="center", va="top", fontsize=9.5, linespacing=1.3)
        for start, end in ARROWS:
            axes.annotate("", (5, end), (5, start), arrowprops={"arrowstyle": "-|>", "color": "#333333", "lw": 1.6})
        axes.set(xlim=(0, 10), ylim=(0, 10.5))
        axes.axis("off")
        figure.savefig(TARGET, metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    draw()
