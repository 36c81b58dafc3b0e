"""Which exercises are solved: remembered in a small JSON file, or only in memory if the file cannot be used.

The file is the one named by the environment variable ``RBDLIB_PROGRESS``, otherwise ``.rbdlib/progress.json`` in the
user's home folder. It is written whole and then put in place, so that it is never half written. A file that cannot be
read as progress is renamed and kept; a file that cannot be written is mentioned once.
"""

import contextlib
import itertools
import json
import os
import tempfile
from pathlib import Path
from typing import Any

_VARIABLE = "RBDLIB_PROGRESS"
_LARGEST = 1_000_000


def progress_file():
    """The path of the progress file; None if the user has no home folder."""
    named = os.environ.get(_VARIABLE)
    try:
        return Path(named).expanduser() if named else Path.home() / ".rbdlib" / "progress.json"
    except RuntimeError:
        return None


class Progress:
    """The record of one reader: what is solved and, in this session, what was tried and told.

    path: of the file, by default `progress_file()`. Attributes: ``attempts`` and ``hints``, how often each exercise was
    answered wrongly and how many hints to it were shown in this session, by id; ``notices``, sentences about the file
    that still have to be shown.
    """

    def __init__(self, path=None):
        self._path: Any = path or progress_file()
        self.attempts, self.hints, self.notices, self._here = {}, {}, [], set()
        self._readable = self._writable = self._path is not None

    def solved(self):
        """The ids of the solved exercises, a set: those in the file and those of this session."""
        return self._here | self._read()

    def add(self, id):
        """Remember that the exercise with this id is solved."""
        self._here.add(id)
        stored = self._read()
        if self._writable and not self._here <= stored:
            self._write(self._here | stored)

    def _read(self):
        """The ids in the file. What is not a progress file is set aside, and what cannot be read is left alone."""
        try:
            if not self._readable or not self._path.exists():
                return set()
            if not self._path.is_file():
                return self._leave_alone("is not an ordinary file")
            data = self._path.read_bytes() if self._path.stat().st_size <= _LARGEST else b""
        except OSError as error:
            return self._leave_alone(f"cannot be read ({error.strerror})")
        try:
            content = json.loads(data)
            solved = content["solved"]
            if content["version"] == 1 and isinstance(solved, list) and all(isinstance(id, str) for id in solved):
                return set(solved)
        except (ValueError, TypeError, KeyError, RecursionError):
            pass
        names = (f"{self._path.name}.damaged{'' if number == 1 else number}" for number in itertools.count(1))
        kept = next(path for path in map(self._path.with_name, names) if not path.exists())
        try:
            self._path.rename(kept)
        except OSError:
            return self._leave_alone("is damaged and cannot be renamed")
        self._say(f"is damaged; it was renamed to {kept.name}, and counting begins anew")
        return set()

    def _leave_alone(self, what):
        self._readable = self._writable = False
        self._say(f"{what}, so your progress is kept in memory only")
        return set()

    def _write(self, solved):
        target, temporary = Path(os.path.realpath(self._path)), None
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".new")
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump({"version": 1, "solved": sorted(solved)}, file)
            os.replace(temporary, target)
        except OSError as error:
            if temporary is not None:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
            self._writable = False
            self._say(f"cannot be written ({error.strerror}), so your progress is kept in memory only")

    def _say(self, text):
        self.notices.append(f"(The progress file {self._path} {text}.)")
