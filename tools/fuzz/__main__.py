"""Compares random mechanisms by the million, and prints the smallest that fails as code: `make fuzz MINUTES=30`.

    python -m tools.fuzz [--minutes 30] [--seed 1] [--states 20000]

Each round has a seed of its own, printed with what fails; `--seed S --rounds 1` repeats it.
"""

import argparse
import sys
import time
import warnings
from collections import Counter
from importlib.util import find_spec

import numpy as np

from tools.fuzz import lcp, peers
from tools.fuzz.cases import as_code, random_case, random_loop_case, random_model, smaller
from tools.fuzz.properties import FEW, TREES, Compiled, loop_methods_agree

READABLE = 3


def compared(prop, case, fast):
    """The differences of a property at each state; infinite where it raises."""
    try:
        with np.errstate(all="ignore"):
            return np.asarray(prop(case, fast))
    except Exception as error:                                  # whatever it is, it is a finding
        print(f"    {type(error).__name__}: {error}")
        return np.full(case.size, np.inf)


def shrunk(prop, case, tries=200):
    """The smallest case found that still fails, by taking out one thing after another."""
    searching = True
    while searching and tries:
        searching = False
        for other in smaller(case):
            tries -= 1
            try:
                fails = np.asarray(prop(other, Compiled(other.model, "numpy"))).max(initial=0) > 1
            except Exception:
                fails = False
            if fails:
                case, searching = other, True
                break
            if not tries:
                break
    return case


class Findings:
    """How much was compared, how far apart it was at most, and what failed."""

    def __init__(self):
        self.counts, self.worst, self.failures = Counter(), {}, []

    def look(self, prop, case, fast, seed):
        differences = compared(prop, case, fast)
        name = prop.__name__
        self.counts[name] += len(differences)
        self.worst[name] = max(self.worst.get(name, 0.0), float(differences.max(initial=0)))
        if (differences > 1).any():
            k = int(np.argmax(differences))
            print(f"\n{name} fails in round {seed} by {differences[k]:.3g} times what is allowed", flush=True)
            if name not in {failed for failed, *_ in self.failures}:
                print(as_code(shrunk(prop, case.only(k))), "\n", flush=True)
            self.failures.append((name, seed, float(differences[k])))

    def __str__(self):
        lines = [f"{sum(self.counts.values()):,} comparisons, {len(self.failures)} failures"]
        lines += [f"  {name:36} {n:12,}  at worst {self.worst[name]:.2g} of what is allowed"
                  for name, n in self.counts.items()]
        return "\n".join(lines)


def one_round(seed, states, findings):
    rng = np.random.default_rng(seed)
    plain = rng.random() < 0.4
    model = random_model(rng, plain=plain)
    case, fast = random_case(rng, model, states), Compiled(model)
    for prop in TREES[: -1] if rng.random() < 0.7 else TREES:
        findings.look(prop, case if prop is not TREES[-1] else random_case(rng, model, 500), fast, seed)
    few = random_case(rng, model, READABLE)
    for prop in FEW:
        findings.look(prop, few, fast, seed)
    for loop_case in random_loop_case(rng, READABLE):
        findings.look(loop_methods_agree, loop_case, None, seed)
    findings.look(lcp.contact_methods_agree, lcp.RandomLCP(rng, 30), None, seed)
    if plain and find_spec("pinocchio"):
        findings.look(peers.pinocchio_agrees, random_case(rng, model, 2000), fast, seed)


def main():
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30, help="how long to go on (30)")
    parser.add_argument("--seed", type=int, default=1, help="of the first round (1)")
    parser.add_argument("--rounds", type=int, help="so many rounds, instead of minutes")
    parser.add_argument("--states", type=int, default=20_000, help="states of each mechanism (20 000)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    findings, start, seed = Findings(), time.monotonic(), options.seed
    while (seed < options.seed + options.rounds) if options.rounds else time.monotonic() - start < 60 * options.minutes:
        one_round(seed, options.states, findings)
        seed += 1
    print(f"\nRounds {options.seed} to {seed - 1}:", findings)
    return bool(findings.failures)


if __name__ == "__main__":
    sys.exit(main())
