"""Settings of nbgrader for the notebooks of this course: copy this file into the folder of your course."""

import os
import tempfile

c = get_config()  # noqa: F821  (nbgrader provides it)

# What students see below the empty place for an answer; without this, a line that stops "Run All Cells".
c.ClearSolutions.code_stub = {"python": "# Put your answer into the place above, then run this cell."}
c.ClearSolutions.text_stub = "*Your derivation: the steps that led to your formula, or a scan of them.*"

# What students have solved is not remembered as solved by whoever runs `nbgrader autograde`.
os.environ["RBDLIB_PROGRESS"] = os.path.join(tempfile.gettempdir(), "rbdlib_grading_progress.json")
