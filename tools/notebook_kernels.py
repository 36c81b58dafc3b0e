"""Kernels for the tests of notebooks that need not start anew: each is a copy of a process that has its imports made.

    python tools/notebook_kernels.py nursery NUMBER         forks a kernel for each that asks at the open socket NUMBER
    python tools/notebook_kernels.py kernel SOCKET FILE     asks for one, and lives as long as the kernel does

To start a kernel and to import what nearly all notebooks import takes longer than many a notebook. The second command
stands where Jupyter expects a kernel: where nobody answers at the socket it becomes an ordinary one.
"""

import gc
import json
import os
import select
import signal
import socket
import sys


def nursery(number):
    """Answers until standard input ends, which it does with the process that started this one."""
    with socket.socket(fileno=int(number)) as listener:
        _import_packages()
        _do_first_things()
        gc.freeze()                                 # what all kernels share need not be searched for garbage
        gc.set_threshold(20_000)                    # and what a notebook leaves behind is little
        while True:
            ready, _, _ = select.select([sys.stdin, listener], [], [])
            if sys.stdin in ready:
                return
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                try:
                    _become_kernel(connection)
                finally:
                    os._exit(0)                     # never back into the loop of the nursery
            connection.close()
            _bury()


def _import_packages():
    """What most notebooks import, and what a kernel imports for itself."""
    import ipykernel.kernelapp  # noqa: F401
    import IPython.core.completer  # noqa: F401
    import ipywidgets  # noqa: F401
    import matplotlib.pyplot  # noqa: F401
    import mpl_toolkits.mplot3d  # noqa: F401
    import mpmath  # noqa: F401
    import numpy  # noqa: F401
    import scipy.integrate  # noqa: F401
    import sympy  # noqa: F401

    import rbdlib.draw
    import rbdlib.exercises  # noqa: F401


def _do_first_things():
    """A picture with a formula and some algebra: what these packages find out at their first use, and then know."""
    import sympy

    from rbdlib import draw

    ax = draw.axes2d("$q_1$")
    draw.arrow(ax, (0, 0), (1, 1), draw.MOTION, "$v$")
    draw.picture(ax, "an arrow")
    x = sympy.Symbol("x")
    sympy.lambdify([x], sympy.simplify(sympy.sin(x) ** 2 + sympy.cos(x) ** 2 + x), cse=True)
    sympy.latex(x**2 / 2)


def _become_kernel(connection):
    """A kernel with the folder and the environment of the process that asked for it, and no longer alive than that."""
    from threading import Thread

    from ipykernel.kernelapp import IPKernelApp

    asked = json.loads(connection.makefile().readline())
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"], JPY_PARENT_PID=str(os.getppid()))
    connection.sendall(f"{os.getpid()}\n".encode())

    def die_with(connection):
        connection.recv(1)
        os._exit(1)

    Thread(target=die_with, args=[connection], daemon=True).start()
    IPKernelApp.launch_instance(argv=["-f", asked["file"], "--matplotlib=inline"])      # pyplot has drawn before


def _bury():
    """Take note of the kernels that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def kernel(path, file):
    """Asks for a kernel and hands interrupts on to it."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(path)
    except OSError:
        os.execv(sys.executable, [sys.executable, "-m", "ipykernel_launcher", "-f", file])
    asked = {"file": file, "folder": os.getcwd(), "environment": dict(os.environ)}
    connection.sendall((json.dumps(asked) + "\n").encode())
    pid = int(connection.makefile().readline())
    signal.signal(signal.SIGINT, lambda *_: os.kill(pid, signal.SIGINT))
    connection.recv(1)


if __name__ == "__main__":
    del sys.path[0]                                 # the folder of this file, where an ordinary kernel has none
    {"nursery": nursery, "kernel": kernel}[sys.argv[1]](*sys.argv[2:])
