"""What Binder installs is what the notebooks need, in the versions that are tested here."""

import os
import subprocess
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
BINDER = ROOT / "binder"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: What `pip install rbdlib[book]` brings and no notebook needs: it checks notebooks.
NOT_FOR_READERS = {"nbval"}


def pins(path):
    lines = yaml.safe_load(path.read_text(encoding="utf-8"))["dependencies"]
    return dict(line.split("=", 1) for line in lines if isinstance(line, str) and "=" in line and ">" not in line)


def needed():
    """Names of all packages that the notebooks need: those of the extra `book`, the extras in it followed."""
    extras, names = PROJECT["optional-dependencies"], set()
    waiting = [*PROJECT["dependencies"], *extras["book"]]
    for requirement in map(Requirement, waiting):
        if requirement.name == PROJECT["name"]:
            waiting += [line for extra in requirement.extras for line in extras[extra]]
        elif requirement.marker is None or requirement.marker.evaluate({"platform_system": "Linux"}):
            names.add(canonicalize_name(requirement.name))
    return names - NOT_FOR_READERS


def test_it_installs_what_the_notebooks_need_in_the_versions_of_environment_yml_on_one_supported_python():
    """An open bound would leave Binder's own Python, whatever that is."""
    here, there = pins(BINDER / "environment.yml"), pins(ROOT / "environment.yml")
    assert {canonicalize_name(name) for name in here} == needed() | {"hatchling", "python"}
    assert SpecifierSet(PROJECT["requires-python"]).contains(here.pop("python"))
    assert {name: there.get(name) for name in here} == here


def test_after_the_build_rbdlib_is_installed_and_nothing_else():
    script = BINDER / "postBuild"
    text = script.read_text(encoding="utf-8")
    assert os.access(script, os.X_OK) and text.startswith("#!/bin/bash\n")
    subprocess.run(["bash", "-n", str(script)], check=True)
    (install,) = [line for line in text.splitlines() if "pip install" in line]
    assert install.endswith("--no-deps --no-build-isolation --editable .")
