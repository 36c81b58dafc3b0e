"""Submissions: text files and notebooks, which are read and never run.

    submissions/ada.txt             sections, each after a line "problem: cart_pole_H"
    submissions/ada.ipynb           cells tagged cart_pole_H (or problem:cart_pole_H), of any kind
    submissions/ada/cart_pole_H.txt a folder for each learner; further tries are cart_pole_H.2.txt, ...

Several sections or cells for one problem are tries, in their order. Names that Moodle and Canvas give to what they hand
out are understood: whoever made "Ada Lovelace_4711_assignsubmission_file" is called "Ada Lovelace_4711" here, and
whoever made "lovelaceada_LATE_4711_8012_answer.txt" is called "lovelaceada_4711".
"""

import json
import re
from collections import Counter, namedtuple

from rbdlib.verification.coursework.cells import answer_of_code
from rbdlib.verification.coursework.files import decoded

#: Larger files are not read, and longer answers are cut where this many characters end.
MOST_BYTES, MOST_TEXT = 10_000_000, 200_000
TEXTS = (".txt", ".md", ".tex", ".text")
#: Tries of one learner at one problem, and files of one learner, that are looked at.
MOST_TRIES, MOST_FILES = 100, 1000
_HEADER = re.compile(r"[^\S\n]*[#%/\[]*[^\S\n]*problem[^\S\n]*[:=][^\S\n]*([\w-]+)[^\S\n]*\]?[^\S\n]*", re.IGNORECASE)
_MOODLE = re.compile(r"(.+_\d+)_assignsubmission_[a-z]+_?(.*)", re.DOTALL)
_CANVAS = re.compile(r"([^_]+)(?:_LATE)?_(\d+)_\d+_(.+)", re.DOTALL)
_FENCE = re.compile(r"^[^\S\n]*```[^\n]*\n(.*?)^[^\S\n]*```[^\S\n]*$", re.MULTILINE | re.DOTALL)
#: One answer. student; problem: its id; file: the name of the file; text; kind: "text", "markdown" or "code".
Try = namedtuple("Try", "student problem file text kind", defaults=["text"])
#: A file that could not be used.
Unread = namedtuple("Unread", "student file message")


def read_submissions(folder, problems):
    """The tries in a folder, and what could not be read: (list of `Try`, list of `Unread`, list of students).

    folder: a Path. problems: the ids of the problems. Nothing in the folder makes it fail. Raises ValueError if there
    is no such folder.
    """
    if not folder.is_dir():
        raise ValueError(f"There is no folder {folder} with submissions.")
    tries, unread, students, made = [], [], [], Counter()
    for path in sorted(folder.iterdir(), key=_order):
        if path.name.startswith((".", "__")):
            continue
        student, name = _whose(path)
        if student not in students:
            students.append(student)
        for file in _files(path):
            try:
                found = _of_file(file, problems, file.stem if path.is_dir() else name)
            except OSError as error:
                unread.append(Unread(student, file.name, f"The file cannot be read: {error.strerror or error}."))
                continue
            except (ValueError, RecursionError, MemoryError, KeyError, TypeError, AttributeError) as error:
                said = str(error) or f"The file cannot be read ({type(error).__name__})."
                unread.append(Unread(student, file.name, said))
                continue
            for problem, text, kind in found:
                made[student, problem] += 1
                if made[student, problem] <= MOST_TRIES and problem in problems:
                    tries.append(Try(student, problem, file.name, text[:MOST_TEXT], kind))
                elif made[student, problem] <= MOST_TRIES:
                    unread.append(Unread(student, file.name, f"There is no problem {problem!r}."))
                elif made[student, problem] == MOST_TRIES + 1:
                    unread.append(Unread(student, file.name, f"There are more than {MOST_TRIES} tries at {problem}; "
                                                             "the first were looked at."))
    return tries, unread, students


def _whose(path):
    """(whose a file or a folder is, the file's own name without its ending); platforms put more into its name."""
    name = path.name if path.is_dir() else path.stem
    if match := _MOODLE.fullmatch(name):
        return match[1], match[2]
    match = None if path.is_dir() else _CANVAS.fullmatch(name)
    return (f"{match[1]}_{match[2]}", match[3]) if match else (name, name)


def _order(file):
    """A key by which "x.txt" comes before "x.2.txt", and that before "x.10.txt"."""
    parts = re.split(r"([0-9]+)", file.stem[:255])
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], file.name


def _files(path):
    """A file, or the files of a folder, in the order of their names."""
    if not path.is_dir() or path.is_symlink():
        return [path]
    files = [file for file in path.iterdir() if not file.name.startswith(".") and not file.is_dir()]
    return sorted(files, key=_order)[:MOST_FILES]


# Of a file, triples (problem, text, kind)


def _of_file(path, problems, name):
    if path.is_symlink() or not path.is_file():
        raise ValueError("This is no plain file, or it is a link; hand in the file itself.")
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"The file has more than {MOST_BYTES // 10**6} million bytes. Hand in what you wrote, without "
                         "pictures.")
    if path.suffix not in (*TEXTS, ".ipynb"):
        raise ValueError(f"Files of the kind {path.suffix or path.name} are not read; hand in "
                         f"{', '.join(TEXTS)} or .ipynb.")
    text = decoded(path.read_bytes(), "The file")
    found = _of_notebook(text, problems) if path.suffix == ".ipynb" else _of_text(path.suffix, name, text, problems)
    if not found:
        raise ValueError("The file has no answer to any problem. Tag the cell, or write 'problem: ...' above the "
                         f"answer, with one of {', '.join(problems)}.")
    return found


def _of_text(suffix, name, text, problems):
    kind = "markdown" if suffix == ".md" else "text"
    lines = text.split("\n")
    headers = [(match[1], number) for number, line in enumerate(lines)
               if len(line) < 200 and (match := _HEADER.fullmatch(line))]
    if headers:
        ends = [number for _, number in headers[1:]] + [None]
        return [(name, "\n".join(lines[number + 1 : end]), kind)
                for (name, number), end in zip(headers, ends, strict=True)]
    name = re.sub(r"[._-](try)?\d+$", "", name) if name not in problems else name
    if name not in problems and len(problems) > 1:
        return []
    return [(name if name in problems else next(iter(problems)), text, kind)]


def _of_notebook(text, problems):
    try:
        cells = json.loads(text)["cells"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError("The file is not a notebook of version 4.") from None
    found = []
    for cell in cells if isinstance(cells, list) else ():
        match cell:
            case {"metadata": {"tags": list(tags)}}:
                source, kind = cell.get("source", ""), cell.get("cell_type")
                text = "".join(map(str, source)) if isinstance(source, list) else str(source)
                found += [(tag.removeprefix("problem:").strip(), text, kind if kind in ("markdown", "code") else "text")
                          for tag in map(str, tags) if tag in problems or tag.startswith("problem:")]
    return found


def answer_in(text, kind):
    """The answer in a text: of Markdown, the last block between ``` if there is one; of code, what `cells` reads, which
    may raise `BadArgument`, a ValueError; the text itself if there is none."""
    if kind == "markdown":
        blocks = _FENCE.findall(text + "\n")
        return blocks[-1] if blocks else text
    return answer_of_code(text) if kind == "code" else text
