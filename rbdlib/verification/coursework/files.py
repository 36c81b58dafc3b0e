"""Files and models that coursework names: read, bounded, and refused with a sentence."""

from rbdlib.book.ch04_model import ModelError
from rbdlib.io.model_file import load
from rbdlib.verification.coursework.encodings import decoded

#: Longer files are not read.
MOST_BYTES = 1_000_000


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
            return text_of(file.read(MOST_BYTES + 1), str(path))
    except OSError as error:
        raise BadArgument(f"{path} cannot be read: {error.strerror}.") from None


def text_of(data, name):
    """The text of the bytes of a file, whose name is given for messages. Raises `BadArgument`."""
    if len(data) > MOST_BYTES:
        raise BadArgument(f"{name} has more than {MOST_BYTES} bytes; an answer is a few lines.")
    try:
        return decoded(data, name)
    except ValueError as error:
        raise BadArgument(str(error)) from None
