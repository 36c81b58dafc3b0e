"""The command line: python -m rbdlib verify ..., python -m rbdlib grade ...; --help says more."""

import sys

from rbdlib.verification.coursework.command import main

if __name__ == "__main__":
    sys.exit(main())
