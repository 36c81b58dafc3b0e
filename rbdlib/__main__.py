"""The command line: python -m rbdlib verify ..., grade ..., where ...; --help says more."""

import sys

from rbdlib.verification.coursework.command import main

if __name__ == "__main__":
    sys.exit(main())
