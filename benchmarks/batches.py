"""Compiled algorithms on 4096 random states, against loops in C++ and C; and against NumPy by hand."""

import numpy as np

from benchmarks import numpy_loop
from benchmarks.models import BATCH
from benchmarks.table import timed
from benchmarks.timing import take_turns
from rbdlib import aba, bias_force, crba, rnea
from rbdlib.compile.compile_for import compile_for
from rbdlib.methods.derivatives import aba_derivatives, rnea_derivatives

#: Results of two programs may differ by this part of the largest number.
AGREEMENT = 1e-9
#: The ratios to reach: must, aim.
WANTED_ARM = {"rnea": (2, 5), "crba": (1.5, 3), "aba": (1.5, 3), "rnea_derivatives": (1, 3), "aba_derivatives": (1, 3)}
WANTED_HUMANOID = {"rnea": (1, 2), "crba": (1, 2), "aba": (1, 2)}
WANTED_OF_CASADI = (1, 1.5)
WANTED_OF_NUMPY = (1, 2)
FUNCTIONS = {"rnea": rnea, "crba": crba, "aba": aba, "rnea_derivatives": rnea_derivatives,
             "aba_derivatives": aba_derivatives, "bias": bias_force, "H": crba}
#: Where Pinocchio has the same algorithm in two kinds of coordinates, the faster one counts.
VARIANTS = {"crba": ("crba", "crba_world"), "aba": ("aba", "aba_world")}


def against_pinocchio(case, folder, rounds):
    """Rows for the algorithms against Pinocchio's own loop, which keeps no results; ours returns all of them."""
    from benchmarks import peers_pinocchio

    peer = peers_pinocchio.Pinocchio(case, peers_pinocchio.load_loops(folder))
    wanted = WANTED_HUMANOID if case.free else WANTED_ARM
    names = {name: VARIANTS.get(name, (name,)) for name in wanted}
    calls = {}
    for name, variants in names.items():
        ours = _ours(case, name)
        for loop in variants:
            agree(peer.results(loop), ours(), f"{loop} of Pinocchio")
            calls[f"Pinocchio {loop}"] = lambda loop=loop: peer.loop(loop)
        calls[name] = ours
    timings = take_turns(calls, rounds)
    rows = []
    for name, variants in names.items():
        fastest = timings.fastest_of([f"Pinocchio {loop}" for loop in variants])
        rows.append(timed(f"compiled {name}", case.name, "Pinocchio, C++ loop", timings, (fastest, name),
                          *wanted[name], per=BATCH))
    return rows


def against_casadi(case, folder, rounds):
    """Rows for the bias force and the inertia matrix against C that CasADi generated, in a loop that keeps results."""
    from benchmarks import peers_casadi

    peer, calls = peers_casadi.CasADi(case, folder), {}
    for name in ("bias", "H"):
        ours = _ours(case, name)
        agree(peer.results(name), ours(), f"{name} of CasADi")
        calls |= {f"CasADi {name}": getattr(peer, name), name: ours}
    timings = take_turns(calls, rounds)
    titles = {"bias": "compiled bias_force", "H": "compiled crba"}
    return [timed(titles[name], case.name, "CasADi and adam, generated C", timings, (f"CasADi {name}", name),
                  *WANTED_OF_CASADI, per=BATCH) for name in titles]


def against_numpy(case, rounds):
    """Rows for the NumPy backend against RNEA vectorised by hand."""
    ours = _ours(case, "rnea", backend="numpy")
    hands = {"matrices": numpy_loop.by_matrices(case.model), "components": numpy_loop.by_components(case.model)}
    calls = {"ours": ours}
    for name, by_hand in hands.items():
        agree(by_hand(case.q, case.qd, case.qdd), ours(), f"RNEA by hand with {name}")
        calls[name] = lambda by_hand=by_hand: by_hand(case.q, case.qd, case.qdd)
    timings = take_turns(calls, rounds)
    return [timed("rnea, NumPy backend", case.name, f"NumPy by hand, {name}", timings, (name, "ours"), *WANTED_OF_NUMPY,
                  per=BATCH) for name in hands]


def _ours(case, name, backend="auto"):
    """A function of no arguments: our compiled function on the whole batch."""
    compiled = compile_for(FUNCTIONS[name], case.model, backend=backend)
    arguments = {"crba": (case.q,), "H": (case.q,), "bias": (case.q, case.qd), "aba": (case.q, case.qd, case.tau),
                 "aba_derivatives": (case.q, case.qd, case.tau)}.get(name, (case.q, case.qd, case.qdd))
    return lambda: compiled(*arguments)


def agree(theirs, ours, what):
    """Raise RuntimeError unless both programs found the same numbers; a tuple of arrays is compared one by one."""
    if isinstance(theirs, tuple):
        for their_part, our_part in zip(theirs, ours, strict=True):
            agree(their_part, our_part, what)
        return
    error = np.abs(np.asarray(theirs) - np.asarray(ours)).max() / np.abs(theirs).max()
    if not error < AGREEMENT:
        raise RuntimeError(f"{what} and rbdlib differ by {error:.1e} of the largest number: not the same.")
