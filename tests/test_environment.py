"""pyproject.toml, constraints.txt and environment.yml describe one environment."""

import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
NOT_PACKAGES_OF_OURS = {"python", "pip"}


def read_texts():
    return {name: (ROOT / name).read_text() for name in ("pyproject.toml", "constraints.txt", "environment.yml")}


def declared(pyproject):
    """Every requirement of pyproject.toml by name: {name: [(where, Requirement), ...]}, without rbdlib itself."""
    table = tomllib.loads(pyproject)
    lists = {"dependencies": table["project"]["dependencies"], "build-system": table["build-system"]["requires"]}
    lists |= table["project"]["optional-dependencies"]
    found = {}
    for where, requirements in lists.items():
        for requirement in map(Requirement, requirements):
            if requirement.name != table["project"]["name"]:
                found.setdefault(canonicalize_name(requirement.name), []).append((where, requirement))
    return found


def pinned(constraints, part):
    """The pins of one part of constraints.txt as (name, version) pairs; parts are headed `# Part 1: ...`."""
    section = constraints.split(f"# Part {part}:", 1)[1].split("# Part", 1)[0]
    lines = [line.strip() for line in section.splitlines()[1:] if line.strip() and not line.startswith("#")]
    return [(canonicalize_name(line.partition("==")[0]), line.partition("==")[2]) for line in lines]


def conda_pins(environment):
    """The packages of environment.yml: {name: version}, those of the nested pip list too."""
    *lines, nested = yaml.safe_load(environment)["dependencies"]
    lines += [line.partition(";")[0].replace("==", "=") for line in nested["pip"] if "==" in line]
    split = [line.partition("=") for line in lines if line.split(">")[0] not in NOT_PACKAGES_OF_OURS]
    return {canonicalize_name(name): version for name, _, version in split}


def inconsistencies(texts):
    """Every disagreement between the three files, one sentence each."""
    requirements, pins = declared(texts["pyproject.toml"]), dict(pinned(texts["constraints.txt"], 1))
    conda = conda_pins(texts["environment.yml"])
    found = [f"{name} is missing from {where}" for name in sorted({*requirements, *pins, *conda}) for where, names in
             (("pyproject.toml", requirements), ("constraints.txt", pins), ("environment.yml", conda))
             if name not in names]
    for name, uses in sorted(requirements.items()):
        if len({str(requirement.specifier) for _, requirement in uses}) > 1:
            found.append(f"{name} has different bounds in {', '.join(where for where, _ in uses)}")
        for where, requirement in uses:
            if {specifier.operator for specifier in requirement.specifier} != {">=", "<"}:
                found.append(f"{name} in {where} needs a lower and an upper bound, not '{requirement.specifier}'")
            if name in pins and not requirement.specifier.contains(pins[name]):
                found.append(f"constraints.txt pins {name} {pins[name]}, outside {requirement.specifier} of {where}")
    return found + [f"{name} is {pins[name]} in constraints.txt but {conda[name]} in environment.yml"
                    for name in sorted(pins.keys() & conda.keys()) if pins[name] != conda[name]]


def test_the_three_files_agree_in_both_directions():
    assert inconsistencies(read_texts()) == []


@pytest.mark.parametrize(("file", "old", "new", "expected"), [
    ("environment.yml", "  - scipy=1.17.1\n", "", "scipy is missing from environment.yml"),
    ("environment.yml", "scipy=1.17.1", "scipy=1.16.0", "scipy is 1.17.1 in constraints.txt but 1.16.0"),
    ("environment.yml", "  - pip\n", "  - pip\n  - emcee=3.1.6\n", "emcee is missing from pyproject.toml"),
    ("constraints.txt", "sympy==1.14.0\n", "", "sympy is missing from constraints.txt"),
    ("constraints.txt", "numpy==2.4.6", "numpy==3.0.0", "constraints.txt pins numpy 3.0.0, outside"),
    ("pyproject.toml", '"mpmath>=1.3,<2"', '"mpmath>=1.3"', "mpmath in symbolic needs a lower and an upper bound"),
    ("pyproject.toml", ', "mpmath>=1.3,<2"', "", "mpmath is missing from pyproject.toml"),
    ("pyproject.toml", '"nbval>=0.11,<0.12"', '"nbval>=0.10,<0.12"', "nbval has different bounds in book, test")])
def test_a_disagreement_is_found(file, old, new, expected):
    texts = read_texts()
    assert old in texts[file], f"the example no longer fits {file}"
    texts[file] = texts[file].replace(old, new, 1)
    assert any(expected in line for line in inconsistencies(texts))


def test_the_lowest_python_is_the_same_everywhere():
    texts = read_texts()
    lowest = tomllib.loads(texts["pyproject.toml"])["project"]["requires-python"]
    assert f"python{lowest}" in yaml.safe_load(texts["environment.yml"])["dependencies"]
    major, minor = lowest.removeprefix(">=").split(".")
    assert f"({major}, {minor}) <= sys.version_info" in (ROOT / "tools/environment.sh").read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems need a few other packages")
def test_everything_the_packages_bring_along_is_pinned_too():
    """Follows the requirements of the installed packages, so that a fresh `make lab` meets no untested version."""
    constraints = read_texts()["constraints.txt"]
    pins = {name for part in (1, 2) for name, _ in pinned(constraints, part)}
    waiting = [(name, "") for name, uses in declared(read_texts()["pyproject.toml"]).items()
               if any(requirement.marker is None or requirement.marker.evaluate() for _, requirement in uses)]
    seen = set()
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        for requirement in map(Requirement, metadata.requires(name) or []):
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                waiting += [(canonicalize_name(requirement.name), inner) for inner in ("", *requirement.extras)]
    assert {name for name, _ in seen} - pins - {"pip"} == set()


def test_every_pin_is_one_version_named_once_that_takes_the_oldest_python():
    """Debian 12's Python is 3.11.2: a pin that asks for 3.11.5 cannot be installed there."""
    lowest = tomllib.loads(read_texts()["pyproject.toml"])["project"]["requires-python"].removeprefix(">=")
    pins = [pin for part in (1, 2) for pin in pinned(read_texts()["constraints.txt"], part)]
    assert len(dict(pins)) == len(pins)
    assert [pin for pin in pins if str(Version(pin[1])) != pin[1]] == []
    wanted = {package.name: package.metadata.get("Requires-Python") for package in metadata.distributions()
              if canonicalize_name(package.name) in dict(pins)}
    assert [f"{name} wants Python {versions}" for name, versions in wanted.items()
            if versions and not SpecifierSet(versions).contains(f"{lowest}.0")] == []
