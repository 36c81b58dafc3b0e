"""Right answers, and mistakes planted in them: [old, new, the names under which the mistake may be reported]."""

import functools
import itertools
import tomllib
from pathlib import Path

from rbdlib import load
from rbdlib.verification.decision.decide import verify_numbers
from rbdlib.verification.reasons.diagnosis import diagnose

TABLES = tomllib.loads((Path(__file__).parent / "planted.toml").read_text(encoding="utf-8"))
#: (model, quantity, right answer, single mistakes)
SINGLE, CLASSES = ([(case["model"], case["quantity"], case["right"], case["mistakes"]) for case in TABLES[name]]
                   for name in ("single", "classes"))

model = functools.cache(functools.partial(load, symbolic=True))


def diagnosed(name, quantity, answer):
    decision = verify_numbers(model(name), quantity, answer)
    assert decision.problem == "" and not decision.ok, (answer, decision.problem)
    return diagnose(decision)


def is_named(diagnosis, mistakes):
    """Whether the first explanation names the mistakes, sets of names for each, no more and no fewer.

    One finding may name them all: "the springs were taken to end at the ground".
    """
    kinds = [finding.kind for finding in diagnosis.findings]
    kinds *= len(mistakes) if len(kinds) == 1 else 1
    return bool(diagnosis.explanations) and len(kinds) == len(mistakes) and any(
        all(kind in names for kind, names in zip(kinds, order, strict=True))
        for order in itertools.permutations(mistakes))
