"""Templates of problems: from each, every student gets a problem of their own, whose answer cannot be looked up.

    title = "Holding torques of an arm"
    source = "RBDA 5"                       # where it is taught
    difficulty = 1                          # 1 to begin with, 2 takes a while, 3 to think about
    points = 3
    quantity = "<asked>"                    # as in a problem file; so are given and hints, which may be left out
    text = "A rod of mass <m> kg <joint.words> ..."
    model = "..."                           # the text of a model file, see data/models

    [choices]                               # one of each is drawn for a student, and stands in place of <name>
    asked = ["g", "tau"]
    m = [2, 3, 5]
    joint = [{ words = "slides along x", type = "prismatic" }, ...]    # several things that go together: <joint.words>

What is drawn may itself contain such places. It depends on the template's name, the teacher's seed and the student's
name, by SHA-256, and so is the same on every machine; whoever does not know the seed cannot tell it beforehand.
"""

import hashlib
import json
import math
import re
import unicodedata
from collections import namedtuple
from pathlib import Path

import tomli_w

from rbdlib.verification.coursework.files import BadArgument, read_file
from rbdlib.verification.coursework.problems import OWN, load_problem, problem_folder, table_in
from rbdlib.verification.coursework.sheets import page

_PLACE = re.compile(r"<(\w+)(?:\.(\w+))?>")
#: What is drawn may contain places, and what stands there, too, so many times.
_DEEPEST = 5
#: What the texts of all templates take for granted.
CONVENTIONS = (
    "Unless a problem says otherwise, x points to the right, y upwards and z towards you, and gravity, with the "
    "acceleration g, acts downwards.",
    "q1, q2, ... are the joint variables, in the order in which the text names them; qd1 and qdd1 are the first and "
    "second derivatives of q1, tau1 is the force of joint 1, or its torque. A positive turn about an axis is "
    "counterclockwise for somebody towards whom the axis points: in the x-y plane, counterclockwise as you see it.",
    "The coordinates of a body have their origin on its joint and move with the body; where all joint variables are "
    "zero, their axes are parallel to those of the base, unless the text says otherwise. Body 0 is the base.",
    "Spatial vectors have the angular part first. Rods are thin and, like all other bodies, uniform. Numbers without a "
    "unit are in SI units. Give fractions or at least four digits.")


class Template(namedtuple("Template", "id title source difficulty points quantity text model choices given hints",
                          defaults=((), ()))):
    """A template: what is in the file, with places for what is drawn; choices: {name: list of what is drawn from}."""

    variants = property(lambda self: math.prod(map(len, self.choices.values())), doc="How many problems there are.")

    def drawn(self, seed, student):
        """What this student gets: a dict {name: one of its choices}. seed, student: text."""
        def number(name):                                  # a whole number that depends on nothing but these texts
            words = json.dumps((self.id, name, seed, student), ensure_ascii=False)
            return int.from_bytes(hashlib.sha256(unicodedata.normalize("NFC", words).encode()).digest())

        return {name: values[number(name) % len(values)] for name, values in self.choices.items()}

    def problem(self, seed, student):
        """The student's problem: (contents of a problem file, a dict; the text of its model file, to be beside it)."""
        drawn = self.drawn(seed, student)
        table = {"title": self.title, "model": f"{self.id}-model.toml", "points": self.points}
        if chapter := re.fullmatch(r"RBDA (\d+)", self.source):
            table["chapter"] = int(chapter[1])
        table |= {"quantity": self._filled(self.quantity, drawn), "text": self._filled(self.text, drawn).strip() + "\n",
                  "given": [*filter(None, (self._filled(line, drawn) for line in self.given))],
                  "hints": [{**hint, "text": self._filled(hint["text"], drawn)} for hint in self.hints]}
        return table, self._filled(self.model, drawn)

    def _filled(self, text, drawn):
        """A text with what is drawn in its places."""
        def value(place):
            found = drawn.get(place[1])
            parts = found if isinstance(found, dict) else {None: found}
            if parts.get(place[2]) is None:
                raise BadArgument(f"{self.id}: {place[0]} is not among the choices.")
            return str(parts[place[2]])

        for _ in range(_DEEPEST):
            text = _PLACE.sub(value, text)
        return text


def load_templates(folder=OWN):
    """The templates of a folder, a dict {id: Template} in the order of their names; "rbdlib": those that come with it.

    Raises `BadArgument`, a ValueError, if there is none, or one that cannot be used.
    """
    path = problem_folder() / "templates" if str(folder) == OWN else Path(folder)
    found, keys = {}, Template._fields[1:]
    for file in sorted(path.glob("*.toml")):
        table = table_in(file)
        if wrong := sorted({*keys} ^ {*table, "given", "hints"}):
            raise BadArgument(f"{file.name}: the keys {', '.join(wrong)} are missing, or are none of a template; the "
                              f"keys are {', '.join(keys)}.")
        if not all(isinstance(values, list) and values for values in table["choices"].values()):
            raise BadArgument(f"{file.name}: each of the choices must be a list, such as m = [2, 3, 5].")
        found[file.stem] = Template(file.stem, **table)
    if not found:
        raise BadArgument(f"There is no template in {path}. Name a folder with templates, TOML files, or 'rbdlib'.")
    return found


def read_roster(path):
    """The students in a text file, one on each line, named as their submissions will be: a list of text."""
    names = [line.strip() for line in read_file(Path(path)).split("\n")]
    names = [name for name in names if name and not name.startswith("#")]
    for name in names:
        if not re.fullmatch(r"[^\\/:*?\"<>|\x00-\x1f.][^\\/:*?\"<>|\x00-\x1f]*", name):
            raise BadArgument(f"{path}: {name!r} cannot be the name of a folder. Write each student as the files that "
                              "are handed in will be called.")
    if len(set(names)) < len(names) or not names:
        raise BadArgument(f"{path}: there is no student on the roster, or one of them twice.")
    return names


def write_problems(templates, students, seed, out):
    """Write the problems and the sheet of each student into a folder of their own in the folder out; returns how many.

    templates: a list of `Template`; students: a list of names; seed: text. A folder that is there already stays as it
    is, so that students may be added to a roster. Raises `BadArgument` for a template that gives no problem.
    """
    written = 0
    for student in students:
        folder = Path(out) / student
        if folder.exists():
            continue
        folder.mkdir(parents=True)
        made = [_write(template, seed, student, folder) for template in templates]
        (folder / f"{student}.html").write_text(sheet(student, made), encoding="utf-8")
        written += 1
    return written


def _write(template, seed, student, folder):
    """The student's `Problem`, written into a folder with its model, and read again to see that it can be used."""
    table, model = template.problem(seed, student)
    (folder / table["model"]).write_text(model, encoding="utf-8")
    path = folder / f"{template.id}.toml"
    path.write_text(tomli_w.dumps(table), encoding="utf-8")
    return load_problem(path)


def sheet(student, problems):
    """The sheet that a student is given, as HTML, to be read or printed. problems: a list of `Problem`."""
    blocks = [("title", f"Problems for {student}"), *(("text", line) for line in CONVENTIONS)]
    for problem in problems:
        blocks += [("heading", problem.title), ("text", f"{problem.points:g} points. The line above your answer:"),
                   ("code", f"problem: {problem.id}"), *(("text", part) for part in problem.text.split("\n\n"))]
    return page("Problems", blocks)
