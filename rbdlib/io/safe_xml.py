"""XML files from strangers: read without entities, within limits, every element with the line it stands on."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

import numpy as np

from rbdlib.book.ch04_model import ModelError

MAX_BYTES = 16 * 2**20
MAX_ELEMENTS = 200_000
MAX_DEPTH = 200
MAX_FILES = 100
TOO_MUCH = f"at most {MAX_ELEMENTS} elements, nested at most {MAX_DEPTH} deep, are read."
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass
class Element:
    """An XML element: its tag, attributes, the line of the file on which it starts, child elements and text.

    file: name of the file that it stands in, if another file includes that.
    """

    tag: str
    attributes: dict
    line: int = 0
    children: list = field(default_factory=list)
    text: str = ""
    file: str = ""

    def all(self, tag):
        """The children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def walk(self):
        """The element and all that stand in it, at any depth."""
        yield self
        for child in self.children:
            yield from child.walk()

    def label(self):
        """How messages call the element: its tag and its name, if it has one."""
        name = self.attributes.get("name")
        return f"<{self.tag}>" if name is None else f"{self.tag} {name!r}"

    def numbers(self, name, count=None, default=None):
        """An attribute as an array of finite numbers, `count` of them (or any count); the default if it is absent."""
        text = self.attributes.get(name)
        if text is None:
            return default if default is None else np.array(default, dtype=float)
        words = text.split()
        values = [float(word) if NUMBER.fullmatch(word) else np.nan for word in words]
        if not np.isfinite(values).all():
            raise self.error(f"{name} is {_short(text)!r}; give finite numbers, such as 0.5 or 1e-3.")
        if not words or (count is not None and len(words) != count):
            raise self.error(f"{name} has {len(words)} numbers; give {count or 'at least one'}.")
        return np.array(values)

    def number(self, name, default=None):
        """An attribute as one finite number."""
        values = self.numbers(name, 1)
        return default if values is None else float(values[0])

    def choice(self, name, choices, default):
        """An attribute as one of the given texts."""
        value = self.attributes.get(name, default)
        if value not in choices:
            raise self.error(f"{name} is {_short(value)!r}; choose from {', '.join(choices)}.")
        return value

    def error(self, message):
        """A ModelError that says where it is."""
        return ModelError(f"{self.file and self.file + ', '}line {self.line}: {self.label()}: {message}")


def read_xml(path, root_tag):
    """The root `Element` of an XML file, which must have root_tag unless that is None.

    Document type declarations, and with them entities of the file's own making, are refused, and so are files larger
    than 16 MiB, more than 200,000 elements and elements nested more than 200 deep. Raises ModelError.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelError(f"the file cannot be read: {reason}. Give the path of a file, not its text.") from None
    if len(data) > MAX_BYTES:
        raise ModelError(f"the file has more than {MAX_BYTES} bytes, which are not read.")
    root = _parse(data)
    if root_tag not in (None, root.tag):
        raise root.error(f"the file starts with <{_short(root.tag)}>; expected <{root_tag}>.")
    return root


def with_includes(root, path):
    """The root of the file at path, in which the contents of files stand for the <include> elements that name them.

    Names are relative to that file's folder, and no file is included twice (MuJoCo's rules). All files together have
    no more elements, nested no deeper, than `read_xml` allows for one. Raises ModelError.
    """
    seen, count = {Path(path).resolve()}, 0

    def expanded(element, depth):
        nonlocal count
        count += 1
        if count > MAX_ELEMENTS or depth > MAX_DEPTH:
            raise element.error(TOO_MUCH)
        element.children = [expanded(part, depth + 1) for child in element.children for part in contents(child)]
        return element

    def contents(element):
        if element.tag != "include":
            return [element]
        name = element.attributes.get("file")
        if not name:
            raise element.error("give the file to include.")
        file = Path(path).parent / name
        if file.resolve() in seen:
            raise element.error(f"{name!r} is included twice.")
        if len(seen) >= MAX_FILES:
            raise element.error(f"at most {MAX_FILES} files are read.")
        seen.add(file.resolve())
        try:
            included = read_xml(file, None)
        except ModelError as error:
            raise element.error(f"{name}: {error}") from None
        for part in included.walk():
            part.file = name
        return [part for child in included.children for part in contents(child)]

    return expanded(root, 1)


def _parse(data):
    parser, open_elements, roots, count = expat.ParserCreate(), [], [], 0

    def start(tag, attributes):
        nonlocal count
        count += 1
        element = Element(tag, attributes, parser.CurrentLineNumber)
        if count > MAX_ELEMENTS or len(open_elements) >= MAX_DEPTH:
            raise element.error(TOO_MUCH)
        (open_elements[-1].children if open_elements else roots).append(element)
        open_elements.append(element)

    def text(data):
        open_elements[-1].text += data

    def refuse(*_):
        raise ModelError(f"line {parser.CurrentLineNumber}: a document type declaration (<!DOCTYPE ...>) is not read, "
                         "because entities can make a small file huge or fetch others. Remove it.")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: open_elements.pop()
    parser.CharacterDataHandler = text
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"this is not an XML file: {error}.") from None
    return roots[0]


def _short(text):
    return text if len(text) <= 60 else text[:57] + "..."
