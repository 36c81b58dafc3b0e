"""Files of coursework: text and models read, bounded, and refused with a sentence; tables for spreadsheets written."""

import codecs
import csv
import unicodedata

from rbdlib.book.ch04_model import ModelError
from rbdlib.io.model_file import load

#: Longer files are not read.
MOST_BYTES = 1_000_000
#: Seconds, and MiB of memory, for an answer of a learner.
TIME, MEMORY = 20, 1024
_MARKS = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"),
          (codecs.BOM_UTF16_BE, "utf-16"))


class BadArgument(ValueError):
    """An argument, of the command line or in a problem, that cannot be used."""


def model_called(name):
    """The model with symbols that has this name in rbdlib, or that stands in this TOML file. Raises `BadArgument`."""
    try:
        return load(name, symbolic=True)
    except ModelError as error:
        raise BadArgument(f"--model: {error}") from None


def read_file(path):
    """The text of a file that is not too long. Raises `BadArgument`, a ValueError."""
    try:
        with path.open("rb") as file:
            return text_of(file, str(path))
    except OSError as error:
        raise BadArgument(f"{path} cannot be read: {error.strerror}.") from None


def text_of(file, name):
    """The text of an open file of bytes, whose name is given for messages. Raises `BadArgument`."""
    data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise BadArgument(f"{name} has more than {MOST_BYTES} bytes; an answer is a few lines.")
    return decoded(data, name)


def decoded(data, name):
    """Bytes as text with plain line ends: in UTF-8, or with a byte order mark in UTF-16 or UTF-32.

    Raises `BadArgument`, a ValueError, with the name of the file if they are something else.
    """
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "utf-8-sig")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise BadArgument(f"{name} is not text in UTF-8. Save it as plain text, in the encoding UTF-8.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def save_table(path, columns, rows):
    """Write a CSV file in one go, so that there is never half a table. rows: dicts; what is missing stays empty."""
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        table = csv.DictWriter(file, columns, restval="")
        table.writeheader()
        table.writerows({name: _harmless(value) for name, value in row.items()} for row in rows)
    part.replace(path)


def visible(text):
    """Text whose characters that are not seen, such as marks that turn the direction of writing, are spelt out."""
    return "".join(c if c == "\n" or unicodedata.category(c)[0] != "C" else c.encode("unicode_escape").decode()
                   for c in text)


def _harmless(value):
    """Text that a spreadsheet does not take for a formula."""
    text = visible(value).strip() if isinstance(value, str) else str(value)
    return "'" + text if isinstance(value, str) and text.startswith(("=", "+", "-", "@")) else text
