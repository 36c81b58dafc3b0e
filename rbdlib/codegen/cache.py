"""Compiled functions kept on disk, found again by what they were made from.

An entry is a folder whose name is the key: a hash of everything that decides about its contents. It holds files and
`entry.json`, which names the key again and a checksum of each file. Entries are made under another name and put in
place at once, so that nobody ever sees half of one, and whatever is damaged, cut off or foreign is made anew. Nothing
in an entry is ever unpickled or executed as Python.
"""

import atexit
import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
import warnings
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from rbdlib.fingerprint import fingerprint

#: Entries of another layout are never found, because it is part of the key.
LAYOUT = 1
PACKAGE = Path(__file__).resolve().parents[1]
#: Parts of this library on which no algorithm depends.
APART = ("draw", "exercises", "io", "verify")


def cache_folder():
    """Where compiled functions are kept: where RBDLIB_CACHE says (environment), or the user's cache folder."""
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


def clear_cache():
    """Remove every compiled function from the disk; those in use go on working. Returns how many there were."""
    folder, removed = cache_folder(), 0
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_dir() and (_is_key(path.name) or path.name.startswith(".new-")):
            shutil.rmtree(path, ignore_errors=True)
            removed += _is_key(path.name)
    return removed


def cache_key(*parts):
    """The key (64 letters and digits) of something made from the parts by the present text of this library."""
    return hashlib.sha256(f"{LAYOUT} {library_text()} {fingerprint(parts)}".encode()).hexdigest()


@lru_cache(maxsize=1)
def library_text():
    """A hash of the source of this library's algorithms: who edits one gets it compiled anew."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in ("*.py", "*.c") for path in PACKAGE.rglob(pattern)):
        where = path.relative_to(PACKAGE)
        if where.parts[0] not in APART:
            digest.update(f"{where.as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def fetch(key, make, use=True):
    """The folder of the entry with this key and what is noted about it (a dict), made where there is no sound one.

    make: a function that fills an empty folder (a path) with files and returns a dict that JSON can hold. use: False
    for a folder apart from all others, which is removed when Python ends. Where nothing can be kept, a warning says so,
    once, and such a folder is used, too. Whatever make raises is passed on.
    """
    folder = _usable_folder() if use else None
    if folder is None:
        return _made(make, Path(_temporary_folder()), key)
    entry = folder / key
    notes = sound_notes(entry, key)
    if notes is not None:
        return entry, notes
    new, notes = _made(make, folder, key)
    return _put_in_place(new, entry), notes


def _made(make, folder, key):
    new = Path(tempfile.mkdtemp(prefix=".new-", dir=folder))
    try:
        notes = make(new)
        sums = {path.name: _checksum(path) for path in sorted(new.iterdir())}
        (new / "entry.json").write_text(json.dumps({"key": key, "files": sums, "notes": notes}), encoding="utf-8")
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    return new, notes


def _put_in_place(new, entry):
    """Give a new entry its name. Returns where it is then: what another process has made meanwhile is as good."""
    for _ in range(3):
        try:
            os.rename(new, entry)                   # fails where a folder that is not empty has this name
            return entry
        except OSError:
            if sound_notes(entry, entry.name) is not None:
                shutil.rmtree(new, ignore_errors=True)
                return entry
            aside = Path(tempfile.mkdtemp(prefix=".new-", dir=entry.parent))
            with suppress(OSError):
                os.rename(entry, aside / "old")
            shutil.rmtree(aside, ignore_errors=True)
    atexit.register(shutil.rmtree, new, ignore_errors=True)
    return new


def sound_notes(entry, key):
    """What is noted about an entry if every file in it is as it was written, else None."""
    try:
        found = json.loads((entry / "entry.json").read_text(encoding="utf-8"))
        sound = found["key"] == key and all(_checksum(entry / Path(name).name) == checksum
                                            for name, checksum in found["files"].items())
        return found["notes"] if sound and isinstance(found["notes"], dict) else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _checksum(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _is_key(name):
    return len(name) == 64 and set(name) <= set("0123456789abcdef")


# Folders


def _usable_folder():
    """The folder of the cache, made if need be, or None if nothing can be kept there safely."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        reason = _distrust(folder)
        if reason is None and not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            reason = "it cannot be written to"
    except OSError as error:
        reason = str(error)
    if reason is not None:
        warn_once(f"Compiled functions are not kept in {folder}: {reason}. They are compiled anew in every session; "
                   "name a folder of your own in the environment variable RBDLIB_CACHE.")
    return folder if reason is None else None


def _distrust(folder):
    """Why code from this folder must not be run, or None: others could have put it there."""
    if not hasattr(os, "getuid"):
        return None
    found = folder.stat()
    if found.st_uid not in (os.getuid(), 0):
        return "it belongs to another user"
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others than you may write to it (chmod go-w {folder} changes that)"
    return None


@lru_cache(maxsize=64)
def warn_once(message):
    warnings.warn(message, stacklevel=6)


@lru_cache(maxsize=1)
def _temporary_folder():
    folder = tempfile.mkdtemp(prefix="rbdlib-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
