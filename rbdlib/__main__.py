"""The command line: python -m rbdlib verify ..., grade ..., where ..., course ..., doctor; --help says more."""

import sys

from rbdlib.verification.coursework.command import main


def add_commands(commands):
    """Add the commands that are about the installed package and its course."""
    course = commands.add_parser("course", help="copy the notebooks into a folder of yours, and open them",
                                 epilog="Run it again after an update: what you have changed is kept.")
    course.add_argument("folder", nargs="?", default="rbdlib-course", help="the folder (rbdlib-course, in this one)")
    course.add_argument("--no-browser", action="store_false", dest="browse", help="copy only, without JupyterLab")
    course.set_defaults(run="rbdlib.exercises.course:open_course")
    commands.add_parser("doctor", help="what works on this machine, and what to install for the rest").set_defaults(
        run="rbdlib.exercises.doctor:doctor")


if __name__ == "__main__":
    sys.exit(main(more=add_commands))
