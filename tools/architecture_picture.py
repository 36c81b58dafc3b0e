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
    (0.1, 8.3, 3.1, 1.5, ORANGE, "notebooks/", "the course: derive,\ncompute, draw, check"),
    (3.45, 8.3, 3.1, 1.5, ORANGE, "docs/, tools/book", "the site: course, ledger,\nreference, live figures"),
    (6.8, 8.3, 3.1, 1.5, ORANGE, "teaching/", "student versions,\nprojects, guide"),
    (0.1, 5.8, 2.3, 1.7, GREEN, "draw", "figures, controls,\nfilms"),
    (2.6, 5.8, 2.3, 1.7, GREEN, "exercises", "checks and hints"),
    (5.1, 5.8, 2.3, 1.7, GREEN, "verification", "the mistake in\na derivation"),
    (7.6, 5.8, 2.3, 1.7, GREEN, "codegen, io", "fast code;\nURDF, MJCF"),
    (0.1, 3.2, 9.8, 1.8, BLUE, "the algorithms, by chapter",
     "inverse_dynamics 5 · inertia_matrix 6 · articulated_body 7 · closed_loops 8\n"
     "hybrid, floating_base, gears 9 · accuracy 10 · contact 11\n"
     "operators, order_n (SOA) · task_space (MRN) · lagrange (MBT)"),
    (0.1, 1.5, 9.8, 1.2, BLUE, "the model", "model 4.6 · joints 4.4 · kinematics 4.2 · subspaces, constrained 3"),
    (0.1, 0.1, 9.8, 0.95, BLUE, "the vectors and the scalars", "spatial 2 · planar 2.16 · scalars · arithmetic A"),
    (10.5, 5.8, 2.9, 4.0, GREY, "tests/", "sources/: the ledger\nrow by row\n\n"
     "peers/: the answers of\nother programs\n\ndevelopers/: these pages,\ndone word for word"),
    (10.5, 0.1, 2.9, 4.9, GREY, "data/", "ledger/: every equation of\nthe five texts\n\nerrata.csv\n\n"
     "models/: mechanisms and\nrobots\n\nreference/: published\nnumbers"),
]
#: From the user to the used.
ARROWS = [((5.0, 8.2), (5.0, 7.6)), ((5.0, 5.7), (5.0, 5.1)), ((5.0, 3.1), (5.0, 2.8)), ((5.0, 1.4), (5.0, 1.15)),
          ((10.4, 6.6), (10.0, 6.6)), ((11.95, 5.7), (11.95, 5.1))]


def draw():
    with plt.rc_context({"svg.fonttype": "path", "svg.hashsalt": "rbdlib", "font.size": 10}):
        figure = plt.figure(figsize=(10.2, 7.5))
        axes = figure.add_axes((0, 0, 1, 1))
        for x, y, width, height, colour, title, lines in BOXES:
            shape = FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=0.12", facecolor=colour,
                                   edgecolor="#333333", linewidth=1)
            axes.add_patch(shape)
            top = y + height - 0.12
            axes.text(x + width / 2, top, title, ha="center", va="top", weight="bold", fontsize=10.5)
            axes.text(x + width / 2, top - 0.42, lines, ha="center", va="top", fontsize=9.5, linespacing=1.3)
        for start, end in ARROWS:
            axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": "#333333", "linewidth": 1.6})
        axes.set(xlim=(0, 13.5), ylim=(0, 9.9))
        axes.axis("off")
        figure.savefig(TARGET, metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    draw()
