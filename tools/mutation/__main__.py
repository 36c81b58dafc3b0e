"""Puts faults into a copy of rbdlib, runs the tests that cover each, and prints those that survive: `make mutants`.

    python -m tools.mutation [--count 120] [--seed 1] [--only rbdlib/contact] [--jobs 2] [--report FILE]

A fault is killed when a test fails with it that passes without it, or when the tests take far longer than they may.
Those in equivalent.toml change nothing that could be seen, each for the reason given there, and are not tried. Ends
with status 1 when fewer than the required part is killed.
"""

import argparse
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.mutation.covering import covering
from tools.mutation.mutants import ROOT, chosen, mutants_of

REQUIRED = 0.97
#: Seconds: what one group of test files may take, and after how long no further group is begun.
GROUP, TOGETHER = 300, 600
#: Of so many test files the quick tests come before the slow ones; the first of all are run one by one, two, ...
GROUPED = 4
MARKERS = ("not slow and not long", "slow and not long")
OPTIONS = ["-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-p", "xdist"]


def copy_of_the_repository(folder):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True,
                            check=True).stdout.splitlines()
    for name in listed:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def plan(files):
    """What is run in turn, (marker, test files): the quick tests of the nearest files, their slow ones, then others."""
    for first in range(0, len(files), GROUPED):
        for marker in MARKERS:
            group, size = files[first : first + GROUPED], GROUPED if first else 1
            while group:
                yield marker, group[:size]
                group, size = group[size:], 2 * size


def run(folder, tests, marker="not long", without=()):
    """(exit status, name of the test that failed or None) of pytest in a copy; None, None after too long."""
    tests = ["-m", marker, *tests, *(f"--deselect={test}" for test in without)]
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1",
                                "OPENBLAS_NUM_THREADS": "1",
                                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}          # a run starts in half the time
    try:
        done = subprocess.run([sys.executable, "-m", "pytest", *OPTIONS, *tests], cwd=folder, env=environment,
                              capture_output=True, text=True, timeout=GROUP)
    except subprocess.TimeoutExpired:
        return None, None
    failed = re.search(r"^(?:FAILED|ERROR) (\S+?\[.*?\]|\S+)(?: - .*)?$", done.stdout, re.MULTILINE)
    return done.returncode, failed and failed[1]


class Trial:
    """The copies of the repository, and what is known of tests without a fault."""

    def __init__(self, jobs):
        self.temporary = tempfile.TemporaryDirectory(prefix="mutants-")
        self.copies, self.passes, self.ends, self.broken = queue.Queue(), {}, {}, set()
        for k in range(jobs):
            self.copies.put(copy_of_the_repository(Path(self.temporary.name, str(k))))

    def fate(self, mutant):
        """How a mutant fared: "killed by ..." or "survived"."""
        folder, start = self.copies.get(), time.monotonic()
        try:
            for marker, group in plan([str(file.relative_to(ROOT)) for file in covering(Path(mutant.path))]):
                if time.monotonic() - start > TOGETHER:
                    break
                status, failed = self.tried(folder, mutant, group, marker)
                while status not in (0, 5):
                    if status is None:
                        if self.ends_without(folder, tuple(group), marker):
                            return f"killed by time in {' '.join(group)}"
                        break
                    if self.passes_without(folder, failed or group[0]):
                        return f"killed by {failed or group[0]}"
                    if not failed or failed in self.broken:
                        break
                    self.broken.add(failed)                 # it fails without a fault, too: go on without it
                    status, failed = self.tried(folder, mutant, group, marker)
            return "survived"
        finally:
            self.copies.put(folder)

    def tried(self, folder, mutant, group, marker):
        """What `run` says with a fault of a group, without the tests that fail without a fault, too."""
        path = folder / mutant.path
        whole = path.read_text(encoding="utf-8")
        path.write_text(mutant.applied(whole), encoding="utf-8")
        try:
            status, failed = run(folder, group, marker, sorted(self.broken))
        finally:
            path.write_text(whole, encoding="utf-8")
        if status not in (None, 0, 1, 2, 5) and status > 0:        # below 0: a signal ended it, by the fault
            raise SystemExit(f"pytest ended with status {status} for {' '.join(group)}.")
        return status, failed

    def ends_without(self, folder, group, marker):
        """Whether tests that take too long take less time without a fault."""
        if (group, marker) not in self.ends:
            self.ends[group, marker] = run(folder, group, marker)[0] is not None
        return self.ends[group, marker]

    def passes_without(self, folder, test):
        if test not in self.passes:
            self.passes[test] = run(folder, [test])[0] == 0
        return self.passes[test]


def main():
    parser = argparse.ArgumentParser(prog="python -m tools.mutation", description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=120, help="how many faults (120)")
    parser.add_argument("--seed", type=int, default=1, help="which of all that there could be (1)")
    parser.add_argument("--only", default="", help="the beginning of a path, such as rbdlib/contact")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many at a time")
    parser.add_argument("--report", type=Path, help="a file for the fate of every mutant")
    options = parser.parse_args()

    equivalent = tomllib.loads(Path(__file__).with_name("equivalent.toml").read_text(encoding="utf-8"))
    known = {entry["key"] for entry in equivalent["mutant"]}
    files = {key.partition("::")[0] for key in known}
    if gone := known - {mutant.key for file in files for mutant in mutants_of(Path(file))}:
        sys.exit("equivalent.toml names faults that the code cannot have any more:\n" + "\n".join(sorted(gone)))
    mutants = [mutant for mutant in chosen(options.count, options.seed, options.only) if mutant.key not in known]
    trial, fates = Trial(options.jobs), {}
    with trial.temporary, ThreadPoolExecutor(options.jobs) as pool:
        for mutant, fate in zip(mutants, pool.map(trial.fate, mutants), strict=True):
            fates[mutant] = fate
            print(f"{len(fates):4d}/{len(mutants)} {fate:60.60} {mutant.path}:{mutant.line}", flush=True)
    survivors = [mutant for mutant, fate in fates.items() if fate == "survived"]
    for mutant in survivors:
        print(f"\n{mutant.path}:{mutant.line} in {mutant.name} ({mutant.rule})",
              f"- {mutant.source}", f"+ {mutant.mutated}", sep="\n  ")
    if options.report:
        options.report.write_text("".join(f"{fate}\t{mutant.rule}\t{mutant.key}\n" for mutant, fate in fates.items()),
                                  encoding="utf-8")
    noticed = len(mutants) - len(survivors)
    share = noticed / max(1, len(mutants))
    print(f"\n{noticed} of {len(mutants)} faults are noticed, {share:.1%}; {REQUIRED:.0%} must be.")
    return share < REQUIRED


if __name__ == "__main__":
    sys.exit(main())
