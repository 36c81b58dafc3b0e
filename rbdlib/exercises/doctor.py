"""What of rbdlib works on this machine, and what to install for the rest: ``python -m rbdlib doctor``."""

import importlib.util
import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from rbdlib.compile.c_compiler import find_compiler
from rbdlib.exercises.memory import progress_file
from rbdlib.io.data import PACKAGE

#: Package, how to install it, and what it is for; the first ones are needed by everything.
PARTS = (
    ("numpy", "rbdlib", "everything"), ("scipy", "rbdlib", "motion, optimisation, roots"),
    ("sympy", "rbdlib[symbolic]", "formulas, and verify"), ("mpmath", "rbdlib[symbolic]", "intervals and many digits"),
    ("matplotlib", "rbdlib[plot]", "pictures"), ("ipywidgets", "rbdlib[plot]", "sliders"),
    ("jupyterlab", "rbdlib[book]", "the notebooks"), ("numba", "rbdlib[fast]", "fast code without a C compiler"),
    ("daqp", "rbdlib[qp]", "contact by quadratic programs"), ("lxml", "rbdlib[io]", "writing URDF files"))


def doctor():
    """Print what is there and what is missing. Returns 0 if the package itself can run, 1 if not."""
    print(f"rbdlib {_version('rbdlib')} in {PACKAGE}")
    print(f"Python {platform.python_version()} on {platform.system()} {platform.machine()}: {sys.executable}")
    missing = []
    for package, install, use in PARTS:
        if importlib.util.find_spec(package) is not None:
            print(f"  ok      {package} {_version(package)}: {use}")
        else:
            print(f"  missing {package}: {use}. Install it with: pip install '{install}'")
            missing.append(install)
    compiler = find_compiler()
    print(f"  {'ok     ' if compiler else 'missing'} C compiler: {compiler or 'Numba is taken; motions are slower'}")
    file = progress_file()
    print(f"  {'ok     ' if file else 'missing'} progress of the exercises: {file or 'no home folder; in memory only'}")
    if missing:
        print("To get all of it: pip install 'rbdlib[book,io]'")
    return 1 if "rbdlib" in missing else 0


def _version(package):
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed by pip)"
