"""Compiled functions kept on disk, found again by what they were made from.

An entry is a folder whose name is the key: a hash of everything that decides about its contents. It holds files and
`entry.json`, with checksums. Entries are made elsewhere and put in place at once, so that nobody ever sees half of one,
and whatever is damaged, cut off or foreign is made anew. Nothing in an entry is ever unpickled or executed as Python.
"""

import atexit
import hashlib
import json
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from rbdlib import numbers
from rbdlib.compile.fingerprint import fingerprint

#: Entries of another layout are never found, because it is part of the key.
LAYOUT = 2
#: So many entries are kept.
MOST = 300
#: What the names of unfinished things begin with, and after how many seconds they are taken for left behind.
UNFINISHED, ABANDONED = ".new-", 86400.0
#: What helps wherever nothing can be kept.
NAME_ONE = "Name a folder of your own in the environment variable RBDLIB_CACHE"
#: The file that tells what an entry is made of.
NOTES = "entry.json"
PACKAGE = Path(__file__).resolve().parents[1]
#: Parts of this library on which no algorithm depends.
APART = ("draw", "exercises", "io", "verification", "verify")


def cache_folder():
    """Where compiled functions are kept: where RBDLIB_CACHE says (environment), or the user's cache folder.

    Raises RuntimeError where the user has no home, so that there is none.
    """
    named = os.environ.get("RBDLIB_CACHE", "").strip()
    if named:
        return Path(named).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "rbdlib"


def discard(path):
    """Remove a file or folder, as far as it can be removed."""
    shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink()


def cache_key(*parts):
    """The key (64 letters and digits) of something made from the parts by the present text of this library."""
    return _hash(f"{LAYOUT} {library_text()} {fingerprint(parts)}".encode())


@lru_cache(maxsize=1)
def library_text():
    """A hash of the source of this library's algorithms: who edits one gets it compiled anew."""
    return _hash(b"\0".join(part for path in _sources()
                            for part in (path.relative_to(PACKAGE).as_posix().encode(), path.read_bytes())))


def _sources():
    """The files of this library on which compiled functions depend."""
    found = sorted(path for pattern in ("*.py", "*.c") for path in PACKAGE.rglob(pattern))
    return [path for path in found if path.relative_to(PACKAGE).parts[0] not in APART]


def edited():
    """A file of this library that is newer than what runs, so that its text says nothing about that; or None."""
    changed = {path: max((found := path.stat()).st_mtime, found.st_ctime) for path in _sources()}
    return next((path for path, time in changed.items() if time > numbers.IMPORTED), None)


def fetch(key, make, use=True):
    """The folder of the entry with this key, what is noted about it (a dict), and whether it had to be made.

    make: a function that fills an empty folder (a path) with files and returns a dict that JSON can hold. use: False
    for a folder apart from all others, which is removed when Python ends. Where nothing can be kept, a warning says so,
    once, and such a folder is used, too. Whatever make raises is passed on.
    """
    folder = _usable_folder() if use else None
    if folder is not None and (notes := sound_notes(folder / key, key)) is not None:
        with suppress(OSError):
            os.utime(folder / key)                          # it was used now
        return folder / key, notes, False
    new, notes = _made(make, key)
    if folder is None:
        return new, notes, True
    try:
        _keep(new, folder / key)
    except OSError as error:
        _warn(folder, error, f"Make room there. {NAME_ONE}")
        return new, notes, True
    discard(new)
    return folder / key, notes, True


def _made(make, key):
    new = Path(tempfile.mkdtemp(dir=_temporary_folder(os.getpid())))
    try:
        notes = make(new)
        files = {path.name: _hash(path.read_bytes()) for path in sorted(new.iterdir())}
        entry = {"files": files, "notes": notes, "checksum": _seal(key, files, notes)}
        (new / NOTES).write_text(json.dumps(entry), encoding="utf-8")
    except BaseException:
        discard(new)
        raise
    return new, notes


@lru_cache(maxsize=1)
def _temporary_folder(process):
    """A folder that is removed when this process ends; a forked one, which may outlive it, has its own."""
    folder = tempfile.mkdtemp(prefix="rbdlib-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _keep(new, entry):
    """Copy a new entry to its place, all at once; what another process has put there meanwhile is as good."""
    copy = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=entry.parent))
    try:
        shutil.copytree(new, copy, dirs_exist_ok=True)
        for attempts_left in (2, 1, 0):
            try:
                os.rename(copy, entry)                      # fails where a folder that is not empty has this name
                break
            except OSError:
                if sound_notes(entry, entry.name) is not None:
                    break
                if attempts_left == 0:
                    raise
                discard(entry)
    finally:
        discard(copy)
    _tidy(entry.parent)


def _tidy(folder):
    """Remove what others have begun and left, and of the entries those that were not used for longest."""
    entries, recently = [], time.time() - ABANDONED
    for path in folder.iterdir():
        with suppress(OSError):                             # another process removes it, too
            changed = path.stat().st_mtime
            if _is_key(path.name):
                entries.append((changed, path))
            elif path.name.startswith(UNFINISHED) and changed < recently:
                discard(path)
    for _, path in sorted(entries)[:-MOST]:
        discard(path)


def sound_notes(entry, key):
    """Notes about an entry if every file in it is as it was written, and no other is there, else None."""
    try:
        found = json.loads((entry / NOTES).read_text(encoding="utf-8"))
        files, notes = found["files"], found["notes"]
        sound = (found["checksum"] == _seal(key, files, notes)
                 and {path.name for path in entry.iterdir()} == {NOTES, *files}
                 and all(_hash((entry / name).read_bytes()) == checksum for name, checksum in files.items()))
        return notes if sound else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _seal(key, files, notes):
    """A checksum over all else that is written in `entry.json`, and the key."""
    return _hash(json.dumps([key, files, notes], sort_keys=True).encode())


def _hash(data):
    return hashlib.sha256(data).hexdigest()


def _is_key(name):
    return re.fullmatch("[0-9a-f]{64}", name) is not None


def _usable_folder():
    """The folder of the cache, made if need be, or None if nothing can be kept there safely."""
    folder, remedy = "a folder of yours", NAME_ONE
    try:
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        reason, found = None, folder.stat()
        if hasattr(os, "getuid") and found.st_uid not in (os.getuid(), 0):
            reason = "it belongs to another user"
        elif hasattr(os, "getuid") and found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            reason = f"others than you may write to it (chmod go-w {folder} changes that)"
        elif not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            reason = "it cannot be written to"
        elif (file := edited()) is not None:
            reason, remedy = f"{file} was changed after rbdlib had been imported", "Restart Python"
    except (OSError, RuntimeError) as error:
        reason = error
    if reason is None:
        return folder
    _warn(folder, reason, remedy)
    return None


def _warn(folder, reason, remedy):
    warn_once(f"Compiled functions are not kept in {folder}: {str(reason).removesuffix('.')}. {remedy}; until then "
              "they are compiled anew in every session.")


@lru_cache(maxsize=64)
def warn_once(message):
    warn(message)


def warn(message):
    """A warning that points to the line outside of this library from which it came."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)
