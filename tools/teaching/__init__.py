"""For teachers: student and solution versions of the notebooks, and pages of the additional exercises.

``make student`` writes ``build/teaching/student/*.ipynb`` and ``build/teaching/solution/*.ipynb``. Both come from one
source, the notebooks and the exercises declared in `rbdlib.exercises`; nothing is written twice.
"""
