"""Statements that a learner makes beforehand, read into equations: "theta2 = q1 + q2; M = m_cart; order: q2, q1".

Springs, dampers and friction become part of the model: "spring k at x, at rest at l0; damper c at elbow".
"""

import re
from dataclasses import replace

from rbdlib.book.ch04_model import ModelError
from rbdlib.loops.tolerances import kept_for_model
from rbdlib.methods.joint_character import WORDS, Character
from rbdlib.verification.meaning.aliases import Names, compact
from rbdlib.verification.meaning.phrases import in_words
from rbdlib.verification.meaning.units import in_si, read_unit
from rbdlib.verification.mechanics.declared import declared
from rbdlib.verification.mechanics.states import system_of
from rbdlib.verification.notation.reading import Unreadable, read
from rbdlib.verification.trees.expression import Equation, Matrix, Symbol, symbols, to_text
from rbdlib.verification.trees.names import spelled
from rbdlib.verification.trees.nodes import ZERO

_ORDER, _UNKNOWN = (re.compile(words + r")([\w\s,{}\\]+?)(?=[;\n]|$)") for words in (
    r"(?:order|coordinates?)\s*(?:[:=]|are", r"(?:unknowns?|multipliers?)\s*(?:[:=]|are|is"))
_IN_UNITS = re.compile(r"([^\s,;=]+)\s+(?:is\s+|measured\s+|given\s+)*in\s+([\w\s*/^().-]+)")
_PRESCRIBED = re.compile(r"([\w\s,{}\\]+?)\s+(?:is|are)\s+(?:prescribed|driven)")
_NAME_ONLY = re.compile(r"\\?[A-Za-z]\w*(?:_?\{\w+\}|_\w+)?")
#: A name on the left of an equation is one name, whatever letters it has.
_LEFT = re.compile(r"(?:^|[;\n,=])\s*([A-Za-z]\w*)\s*(?==(?!=))")
_BETWEEN = re.compile(r"\n|(?<!\\);|(?<!\\),(?![^(\[{]*[)\]}])")
_SMALL = re.compile(r"\bsmall\b|<<|\\ll\b|≪|\blinear")
_SPRING = re.compile(
    rf"(?:^|(?<=[;\n,]))\s*(?:(?:a|the|linear|torsion(?:al)?|viscous|dry)\s+)*(spring|damper|friction|rotor)\s+(?:of\s+)?"
    rf"({_NAME_ONLY.pattern})\s+(?:at|in|on)\s+(?:the\s+)?(?:joint\s+)?([\w\\{{}}]+)"
    rf"(?:\s*,?\s*(?:is\s+)?at\s+rest\s+at\s+({_NAME_ONLY.pattern}|-?\d+(?:\.\d+)?))?\s*(?=$|[;\n,])", re.I)

#: Statements in words that are understood otherwise: what they have in them, and what to write instead.
_OTHERWISE = (
    (re.compile(r"(?:(?:a|the|linear|viscous)\s+)*(?:spring|damper|friction|rotor)\s.*\b(?:at|in|on)\b", re.I),
     "Springs and the like are stated at joints, 'spring k at theta'; others as forces: 'tau1 = -k*(x - l*theta)'."),
    (re.compile(r".*\b(?:rolls?|rolling|slip\w*)\b", re.I), "Write an equation between coordinates: 'x = r*phi'."))
#: Text, not the name of a function, with a sign or an absolute value in it; and a speed that counts as rest (m/s).
_SIGNS, _AT_REST = re.compile(r"(?!<)(?s:.*)(?:sgn|sign|abs|\|)", re.I), 1e-40


class BadGiven(ValueError):
    """A statement in ``given`` that cannot be used; the message says why and what to write instead."""


class Stated:
    """What a `Vocabulary` is given, as read. names: the `Names` of the model. Raises `BadGiven`, a ValueError.

    equations: pairs (left, right) of trees.  order: the places of the coordinates, or None; order_names: as written.
    unknowns: names of constraint forces.  prescribed: `Symbol`s of coordinates.  units: {name: dimension}.
    own: the names that exist, those of given besides.  how: frames and conventions, see `mechanics.declared`. Springs
    and the like are left to `with_springs`.
    """

    def __init__(self, given, names):
        self.names, self.own, self.order, self.units, self.how = names, set(names.own), None, {}, ""
        self.equations, self.unknowns, self.prescribed, self.order_names = [], [], [], []
        self._read(given)
        self.equations = [(left, in_si(left, right, names, self.own)) for left, right in self.equations]
        if self.order:
            self.order_names = [compact(part) for part in self.order]
            found = [own for part in self.order if (own := self._own_coordinate(part)) in names.q]
            if sorted(found) != sorted(names.q):
                raise BadGiven(f"given states the order {', '.join(self.order)}; name every coordinate once: "
                               f"{', '.join(names.q)}.")
            self.order = [names.q.index(own) for own in found]

    def _read(self, given):
        if isinstance(given, dict):
            for name, formula in given.items():
                if str(name) == "units":
                    self.units |= {str(key): _dimension(key, unit) for key, unit in formula.items()}
                    continue
                self.own |= {str(name)} if str(name).isidentifier() and not spelled(str(name))[1] else set()
                left = self._formulas(str(name))[0]
                if not isinstance(left, Symbol) or left.dots:
                    raise BadGiven(f"given has the key {str(name)!r}, which is no name. Write {{'theta2': 'q1 + q2'}}.")
                self.equations.append((left, self._formulas(formula)[0]))
        elif isinstance(given, (list, tuple)):
            for part in given:
                self._read(part)
        elif isinstance(given, str):
            self._read_text(given)
        elif given is not None:
            self._state(given)

    def _read_text(self, given):
        how, given = declared(_SPRING.sub("", given))
        listed, self.how = {}, f"{self.how} {how}"
        for pattern in (_UNKNOWN, _ORDER):              # statements that list names are taken out of the text
            match = pattern.search(given)
            listed[pattern] = re.findall(r"[^\s,]+", match[1]) if match else []
            given = given[: match.start()] + given[match.end() :] if match else given
        self.own |= {name for name in _LEFT.findall(given) if not spelled(name)[1]}
        self.unknowns += [read(part).trees[0].name for part in listed[_UNKNOWN]]
        self.order = listed[_ORDER] or self.order
        for part in _parts(given):
            if re.match(r"(?:frames?|conventions?|notation)\b", part, re.I):
                raise BadGiven(f"given states '{part}', which is not known here. Conventions are 'C without gravity', "
                               "'tau_g acts', 'frames = DH classic' or 'DH modified', and the names of RBDA, Spong, "
                               "Craig, MR and Tedrake.")
            if _SMALL.search(part):
                raise BadGiven(f"given says '{part}', but approximations are not compared. Hand in the full formulas; "
                               "or write ≈ for =, as in \"theta'' ≈ -g/l theta\", and use verify_steps, which looks "
                               "whether a line holds for small angles.")
            remedies = [remedy for pattern, remedy in _OTHERWISE if pattern.match(part)]
            if remedies and "=" not in part:
                raise BadGiven(f"given says '{part}', which is not understood. {remedies[0]}")
            in_units, prescribed = _IN_UNITS.fullmatch(part), _PRESCRIBED.fullmatch(part)
            if in_units and in_units[2] not in ("degrees", "radians"):
                self.units[in_units[1]] = _dimension(*in_units.groups())
            elif prescribed:
                names = re.findall(r"[^\s,]+", prescribed[1])
                self.prescribed += [read(name).trees[0] for name in names if name != "and"]
            else:
                try:
                    found = in_words(part, self.names)
                except ValueError as error:
                    raise BadGiven(f"given says '{part}', but {error}") from None
                if found is None:
                    self._state(part)
                self.equations += [tuple(self._formulas(side)[0] for side in sides) for sides in found or ()]

    def _formulas(self, formula):
        if callable(formula) and not hasattr(formula, "free_symbols"):
            raise BadGiven("given contains a function. State formulas: 'theta2 = q1 + q2'.")
        try:
            return read(formula, self.own).trees
        except Unreadable as error:
            raise BadGiven(str(error).replace("Your answer", "given")) from None

    def _state(self, given):
        """Note the equations in a text or formula; q = (theta, x) states the order of the coordinates."""
        trees = [*self._formulas(given)]
        for k in range(len(trees) - 1, 0, -1):          # q1' = q2' = 0: both are
            if getattr(trees[k - 1], "right", None) is getattr(trees[k], "left", 0) and trees[k].right == ZERO:
                trees[k - 1] = Equation(trees[k - 1].left, ZERO)
        for tree in trees:
            if not isinstance(tree, Equation):
                written = given if isinstance(given, str) else to_text(tree)
                raise BadGiven(f"given contains '{written[:60]}', which is not an equation. Write one: 'theta2 = "
                               "q1 + q2'; or name a convention, such as 'C without gravity' or 'Spong'.")
            left, right = tree.parts
            if not isinstance(right, Matrix):
                self.equations.append((left, right))
            elif isinstance(left, Matrix) and left.shape == right.shape:
                self.equations += zip(left.parts, right.parts, strict=True)
            elif not isinstance(left, Symbol) or not all(isinstance(x, Symbol) for x in right.parts):
                raise BadGiven("given sets something equal to a list. Only the order of the coordinates is stated so: "
                               "'q = (theta, x)'.")
            elif len(right.parts) == len(self.names.q):
                self.order = [x.name for x in right.parts]

    def _own_coordinate(self, part):
        """The model's coordinate that a name in an order means; given may say it ("theta = q2"). "" if it is none."""
        stated = ([s.name for s in symbols(right) if s.name in self.names.q] for left, right in self.equations
                  if isinstance(left, Symbol) and compact(left.name) == compact(part))
        return next((own[0] for own in stated if len(own) == 1), self.names.find(compact(part))[0])


def _dimension(name, unit):
    """The dimension of a unit, given as text, or as a unit of SymPy or pint."""
    try:
        return read_unit(unit)[0]
    except ValueError as error:
        raise BadGiven(f"given states a unit for {name}: {error}") from None


def _parts(given):
    """The statements of a text; "theta1, theta2 from the vertical" is one."""
    parts, waiting = [], []
    for part in map(str.strip, _BETWEEN.split(given)):
        if _NAME_ONLY.fullmatch(part):
            waiting.append(part)
        elif part:
            parts.append(", ".join([*waiting, part]))
            waiting = []
    return [*parts, *waiting]


# Springs, dampers and friction


def with_springs(model, given, answer):
    """The model with what ``given`` (text, or a list with texts) states so.

    Its dry friction is smooth near rest; where signs stand in the answer, it is Coulomb's. Raises `BadGiven`, a
    ValueError, for a joint that there is not, and for one that cannot have it.
    """
    parts = given if isinstance(given, (list, tuple)) else [given]
    if not (stated := [found for part in parts if isinstance(part, str) for found in _SPRING.findall(part)]):
        return _with_signs(model) if _SIGNS.match(str(answer)) else model
    model = system_of(model).model
    characters, parameters = list(model.characters), dict(model.parameters)
    for what, size, where, rest_at in stated:
        i, texts = _body(model, where, what), {WORDS[what.lower()]: size} | ({"rest": rest_at} if rest_at else {})
        values = {name: _number(text, parameters) for name, text in texts.items()}
        characters[i] = replace(characters[i] or Character(), **values)
    try:
        model = model.replace(characters={i: c for i, c in enumerate(characters) if c}, parameters=parameters)
    except ModelError as error:
        raise BadGiven(f"given states springs or dampers that the model cannot have. {error}") from None
    return with_springs(model, None, answer)


@kept_for_model
def _with_signs(model):
    """The model with dry friction that is the same at every speed but 0, as far as numbers can show it."""
    rubs = [c and c.friction != 0 and c.friction_speed == Character.friction_speed for c in model.characters]
    characters = {i: replace(c, friction_speed=_AT_REST) if rubs[i] else c for i, c in enumerate(model.characters) if c}
    return model.replace(characters=characters) if any(rubs) else model


def _body(model, where, what):
    """The number of the body on whose joint something acts: by its name, its number or that of its coordinate."""
    names = Names(model)
    bodies = {name: i for i, name in enumerate(model.names)} | {str(i): i for i in model.bodies}
    bodies |= {x.name: x.body for x in names.coordinates}
    if i := bodies.get(where) or bodies.get(names.find(compact(where))[0]):
        return i
    raise BadGiven(f"given states a {what} at {where!r}, which is no joint of this model. Name a body or a coordinate: "
                   f"{', '.join([*model.names[1:], *names.q])}.")


def _number(text, parameters):
    """A number, or the symbol of this name, which becomes a parameter."""
    import sympy

    if text[0] in "-.0123456789":
        return float(text)
    return parameters.setdefault(compact(text), sympy.Symbol(compact(text), positive=True))
