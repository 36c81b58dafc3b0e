"""Compiled functions kept on disk, found again by what they were made from.

An entry is a file of JSON whose name is the key: a hash of everything that decides about its contents. Its first line
is a checksum. Entries are put in place at once, so that nobody ever sees half of one, and whatever is damaged, cut off
or foreign is made anew. Nothing in an entry is ever unpickled or executed as Python.
"""

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
LAYOUT = 3
#: So many entries are kept.
MOST = 300
#: What the names of unfinished things begin with, and after how many seconds they are taken for left behind.
UNFINISHED, ABANDONED = ".new-", 86400.0
#: What helps wherever nothing can be kept.
NAME_ONE = "Name a folder of your own in the environment variable RBDLIB_CACHE"
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
    """The entry with this key, the folder of the cache or None, and whether the entry had to be made.

    make: a function that returns the entry, a dict that JSON can hold; what it raises is passed on. use: False for an
    entry that is made anew and not kept. Where nothing can be kept, a warning says so, once.
    """
    folder = _usable_folder() if use else None
    if folder is not None and (entry := sound_entry(folder / key, key)) is not None:
        with suppress(OSError):
            os.utime(folder / key)                          # it was used now
        return entry, folder, False
    entry = make()
    if folder is not None:
        try:
            _keep(key, entry, folder)
        except OSError as error:
            _warn(folder, error, f"Make room there. {NAME_ONE}")
    return entry, folder, True


def sound_entry(path, key):
    """The entry in a file if it is as it was written, else None."""
    try:
        seal, _, text = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return json.loads(text) if seal.decode("latin-1") == _hash(key.encode() + text) else None


def _keep(key, entry, folder):
    """Write an entry, all at once, and tidy up: of the entries, those go that were not used for longest."""
    text = json.dumps(entry).encode()
    number, new = tempfile.mkstemp(prefix=UNFINISHED, dir=folder)
    try:
        with open(number, "wb") as file:
            file.write(_hash(key.encode() + text).encode() + b"\n" + text)
        if (folder / key).is_dir():
            discard(folder / key)
        os.replace(new, folder / key)
    finally:
        discard(Path(new))
    entries, recently = [], time.time() - ABANDONED
    for path in folder.iterdir():
        with suppress(OSError):                             # another process removes it, too
            changed = path.stat().st_mtime
            if re.fullmatch("[0-9a-f]{64}", path.name):
                entries.append((changed, path))
            elif path.name.startswith(UNFINISHED) and changed < recently:
                discard(path)
    for _, path in sorted(entries)[:-MOST]:
        discard(path)


def discard(path):
    """Remove a file or folder, as far as it can be removed."""
    shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink()


def _hash(data):
    return hashlib.sha256(data).hexdigest()


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
        reason = str(error)
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
