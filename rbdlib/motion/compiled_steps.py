"""The steps of `rbdlib.motion.integrators` and `rbdlib.motion.embedded_pairs` in machine code, for any model."""

import ctypes
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from rbdlib.compile import c_compiler, kernels
from rbdlib.compile.cache import cache_key
from rbdlib.compile.step_source import Call, record_step, to_c
from rbdlib.motion.embedded_pairs import PAIRS, pair_errors, pair_step
from rbdlib.motion.integrators import FIXED_STEP, STEPS, VARIATIONAL


def library(fixed):
    """The compiled steps and the loop that takes them, as ctypes knows them. CompilerError where that fails.

    fixed: those of fixed length, or else those of the pairs.
    """
    try:
        return begun(fixed).result()
    except BaseException:
        begun.cache_clear()                             # it may succeed another time
        raise


@cache
def begun(fixed):
    """`library` as a future: a compiler takes half a second for it or more, while others record what moves."""
    return ThreadPoolExecutor(1).submit(_library, fixed)


def _library(fixed):
    text = steps_source(fixed)
    key = cache_key("motion", text, c_compiler.identity())
    loaded, _ = kernels.loaded(key, lambda: {"library": c_compiler.compile_library(text).hex()}, _with_functions, True)
    return loaded


def _with_functions(loaded):
    try:
        for name in ("evaluate", "begin", "advance", "within", "march", "close_loops"):
            loaded[name].restype = ctypes.c_int
    except AttributeError as error:
        raise OSError(f"there is no such function in {loaded}: {error}") from None
    return loaded


def steps_source(fixed):
    """The text in C of the steps, as for `library`, and of the loop that takes them."""
    parts, table = [Path(kernels.__file__).with_name("motion.c").read_text(encoding="utf-8")], []
    for name, pair in () if fixed else PAIRS.items():
        k = [f"k{j}" for j in range(1, len(pair.C) + 2)]

        def step(rate, t, dt, y, k1, pair=pair):
            y_new, k = pair_step(pair, rate, t, y, k1, dt)
            return [y_new, *pair_errors(pair, k, dt), *k[1:]]

        asks = {"rate": Call(("", "n"), "n")}
        between = record_step(lambda rate, t, dt, y, y_new, *k, pair=pair: pair.interpolation(
            pair, rate, t, y, y_new, k, dt), ("t", "dt"), dict.fromkeys(["y", "y_new", *k], "n"), asks)
        names = [f"c{j}" for j in range(len(between.outputs))]
        state = record_step(lambda dt, x, y, *c, pair=pair: [pair.between(y, c, dt, x)], ("dt", "x"),
                            dict.fromkeys(["y", *names], "n"), {})
        steps = {"step": record_step(step, ("t", "dt"), {"y": "n", "k1": "n"}, asks), "between": between,
                 "state": state}
        steps["norm"] = record_step(lambda n, *s, pair=pair: [pair.norm(s, n)], (),
                                    dict.fromkeys(["n", *(f"s{j}" for j in range(len(pair.E)))], "one"), {})
        parts += [to_c(recorded, f"{part}_{name}") for part, recorded in steps.items()]
        functions = ", ".join(f"{part}_{name}" for part in steps)
        table.append(f"{{{functions}, {len(k)}, {len(pair.E)}, {len(names)}, {-1 / (pair.order + 1)!r}}}")
    for name, function in (FIXED_STEP | VARIATIONAL).items() if fixed else ():
        nq = "nq" if name in FIXED_STEP else "nv"                       # which are the same for variational steps
        asks = {"move": Call((nq, "nv"), nq)} if name in FIXED_STEP else {"carry": Call((nq, "nv", nq), "nv")}
        asks["acceleration"] = Call(("", nq, "nv"), "nv")
        recorded = record_step(lambda move, acceleration, t, dt, q, qd, function=function: function(
            move, acceleration, t, q, qd, dt), ("t", "dt"), {"q": nq, "qd": "nv"}, asks)
        parts.append(to_c(recorded, f"step_{name}"))
    for kind, name, rows in (("Method", "pair", table or ["{0}"]),
                             ("FixedStep", "fixed_step", [f"step_{name}" for name in STEPS] if fixed else ["0"])):
        parts.append(f"static {kind} {name}(int number)\n{{\n    static const {kind} all[] = {{{', '.join(rows)}}};\n"
                     "    return all[number];\n}\n")
    return "\n".join(parts)
