"""What the project's checks demand; see brief.md. `scoreboard` is the race itself."""

import ast
import time
from functools import wraps
from pathlib import Path

import numpy as np

from rbdlib import aba, compile_for, load

ARM = load("panda")
BATCH = 2000
#: What would do the work: the library's dynamics, with which there are no points at all, and inverses of matrices.
BORROWED = {"aba", "bias_force", "ch06_inertia_matrix", "ch07_articulated_body", "compile_for", "crba",
            "divide_and_conquer", "forward", "forward_dynamics", "order_n", "rnea"}
INVERSES = {"inv", "lstsq", "pinv", "solve"}


def _states(model, count, seed=0):
    return np.random.default_rng(seed).normal(size=(3, count, model.nv))


def right_on_chains(work):
    for name in ("double_pendulum", "cart_pole", "puma560", "panda"):
        model = load(name)
        for q, qd, tau in zip(*_states(model, 3), strict=True):
            right = np.allclose(work.my_aba(model, q, qd, tau), aba(model, q, qd, tau), rtol=1e-9, atol=1e-9)
            assert right, f"qdd is wrong for load({name!r})."


def right_on_trees(work):
    from rbdlib.methods.generators import auto_tree

    model = auto_tree(9, 2.0)
    for q, qd, tau in zip(*_states(model, 3), strict=True):
        got, expected = np.array(work.my_aba(model, q, qd, tau)), aba(model, q, qd, tau)
        wrong = [i + 1 for i in range(model.nv) if not np.isclose(got[i], expected[i], rtol=1e-8, atol=1e-8)]
        assert not wrong, f"In auto_tree(9, 2.0), where parent is {list(model.parent[1:])}, qdd is wrong at {wrong}."


def linear_cost(work):
    from rbdlib.methods.generators import auto_tree

    def seconds(n):
        model = auto_tree(n, 1.0)
        q, qd, tau = _states(model, 1)[:, 0]
        best = np.inf
        for _ in range(5):
            start = time.process_time()
            work.my_aba(model, q, qd, tau)
            best = min(best, time.process_time() - start)
        return best

    growth = seconds(60) / seconds(15)
    assert growth < 8, f"Four times as many bodies take {growth:.1f} times as long: what is computed again?"


def own_work(work):
    right_on_chains(work)
    _refuse(work, BORROWED | INVERSES)


def _refuse(work, names):
    taken = sorted(_names_taken(ast.parse(Path(work.__file__).read_text(encoding="utf-8"))) & names)
    assert not taken, f"{', '.join(taken)}: not allowed here, because the algorithm is to be yours."


def of_own(check):
    """A check that nobody passes who lets the library do the work."""
    @wraps(check)
    def checked(work):
        _refuse(work, BORROWED)
        check(work)

    return checked


def _names_taken(tree):
    """What a program imports, and what it takes from what it has imported: the c of ``from a import c`` and of ``a.c``.

    What stands below ``if __name__ == "__main__":`` is not looked at: a comparison with the library may stand there.
    """
    tree.body = [node for node in tree.body if not (isinstance(node, ast.If) and "__name__" in ast.unparse(node.test))]
    nodes = list(ast.walk(tree))
    imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    aliases = [alias for node in imports for alias in node.names]
    parts = [part for alias in aliases for part in alias.name.split(".")]
    parts += [part for node in imports for part in (getattr(node, "module", None) or "").split(".")]
    roots = {(alias.asname or alias.name).partition(".")[0] for alias in aliases}
    chains = [ast.unparse(node).split(".") for node in nodes if isinstance(node, ast.Attribute)]
    return {*parts, *(chain[-1] for chain in chains if chain[0] in roots)}


def right_in_batches(work):
    q, qd, tau = _states(ARM, 50, 1)
    expected = [aba(ARM, *state) for state in zip(q, qd, tau, strict=True)]
    got = np.array(work.fast(ARM)(q, qd, tau))
    assert got.shape == q.shape, f"For q of shape {q.shape} the result has shape {got.shape}; it must be the same."
    assert np.allclose(got, expected, rtol=1e-8, atol=1e-8), "qdd is wrong for a batch of 50 states of load('panda')."


def _per_state(function, states):
    best = np.inf
    for _ in range(3):
        start = time.process_time()
        function(*states)
        best = min(best, time.process_time() - start)
    return best / states.shape[1]


def ten_times_faster(work):
    loop = _per_state(lambda q, qd, tau: [aba(ARM, *s) for s in zip(q, qd, tau, strict=True)], _states(ARM, 20))
    yours = _per_state(work.fast(ARM), _states(ARM, BATCH))
    assert yours < loop / 10, f"{1e6 * yours:.1f} µs for a state, {loop / yours:.1f} times faster than a loop."


def scoreboard(work):
    """Microseconds for a state of a 7-axis arm: a loop over the readable function, yours, and the compiled one."""
    loop = _per_state(lambda q, qd, tau: [aba(ARM, *s) for s in zip(q, qd, tau, strict=True)], _states(ARM, 20))
    yours, compiled = (_per_state(f, _states(ARM, BATCH)) for f in (work.fast(ARM), compile_for(aba, ARM)))
    return {"loop over aba": 1e6 * loop, "yours": 1e6 * yours, "compiled": 1e6 * compiled}


CHECKS = tuple((points, statement, of_own(check)) for points, statement, check in (
    (5, "right for chains of hinges and sliders", right_on_chains),
    (3, "right for a branched tree", right_on_trees),
    (2, "the time grows in proportion to the number of bodies", linear_cost),
    (2, "written from the equations, without the library's own dynamics", own_work),
    (3, "right for batches of states", right_in_batches),
    (3, "ten times faster than a loop over the readable function", ten_times_faster),
))
