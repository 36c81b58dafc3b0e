"""One state at a time from Python: compiled functions against Pinocchio's, and the readable `rnea` against others."""

from benchmarks.batches import AGREEMENT, FUNCTIONS, agree
from benchmarks.table import timed
from benchmarks.timing import take_turns
from rbdlib.compile.compile_for import compile_for

#: No more than one and a half times the time; faster.
WANTED_OF_PINOCCHIO = (1 / 1.5, 1)
WANTED_OF_PYTHON = (2, 4)


def against_pinocchio(case, rounds):
    """Rows for one compiled call against one call of Pinocchio's Python functions, for an arm."""
    from benchmarks import peers_pinocchio

    peer, calls = peers_pinocchio.Pinocchio(case, {}), {}
    third = {"rnea": (case.qd[0], case.qdd[0]), "crba": (), "aba": (case.qd[0], case.tau[0])}
    for name, rest in third.items():
        compiled, arguments = compile_for(FUNCTIONS[name], case.model), (case.q[0], *rest)
        agree(peer.one(name)(), compiled(*arguments), f"pin.{name}")
        calls[name] = lambda compiled=compiled, arguments=arguments: compiled(*arguments)
        calls[f"pin {name}"] = peer.one(name)
    timings = take_turns(calls, rounds)
    return [timed(f"one compiled {name} call", case.name, f"pin.{name} from Python", timings, (f"pin {name}", name),
                  *WANTED_OF_PINOCCHIO) for name in third]


def of_readable(case, rounds):
    """Rows for the readable `rnea` against inverse dynamics of libraries written in Python."""
    from benchmarks import readable

    error = readable.largest_error(case)
    if not error < AGREEMENT:
        raise RuntimeError(f"The libraries' joint forces differ by {error:.1e}: what is timed must be the same.")
    calls = readable.calls(case)
    timings = take_turns(calls, rounds)
    return [timed("readable rnea, one state", case.name, name, timings, (name, "rbdlib"), *WANTED_OF_PYTHON)
            for name in calls if name != "rbdlib"]
