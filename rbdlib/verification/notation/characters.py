"""The characters of which a text may be made, and the message when it cannot be read."""

import re
import unicodedata

from rbdlib.verification.trees.names import GREEK

#: Characters a text may have. An inertia matrix of an arm with six joints, multiplied out, has about 50 000.
LONGEST_TEXT = 200_000
_SHOWN = 70
#: Spaces of all widths, and signs that MathML puts between factors without showing them.
_SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\u2061\u2062\u2063"
_PLAIN = str.maketrans(
    dict.fromkeys(_SPACES, " ") | dict(zip("ℎℓℒℋℛℰıȷ", "hlLHREij", strict=True))
    | {chr(n): unicodedata.normalize("NFKC", chr(n)) for n in range(0x1D400, 0x1D800)})     # mathematical italics
#: The number of dots that a combining character puts above the letter before it.
MARKS = {"\u0307": 1, "\u0308": 2, "\u20db": 3, "\u20dc": 4}
#: Escapes such as "\theta" without r before the quotes, which is a tab and "heta".
_LOST = re.compile("\t(?:heta|au|ext|frac|imes|an|op)|\f(?:rac)|\x08(?:eta|ar|egin|oldsym)|\r(?:ho|ight)|\x07(?:lpha)"
                   "|\v(?:arphi|ec|ar)")


class Unreadable(ValueError):
    """An answer cannot be read. ``text``: the answer; ``position``: where in it; ``reason``: what to do, a sentence.

    The message shows the line with a mark under the place.
    """

    def __init__(self, reason, text="", position=None):
        self.reason, self.text, self.position = reason, text, position
        super().__init__(reason if position is None else f"{_place(text, position)}\n{reason}")


def visible(text):
    """A line of text with a mark in place of each character that cannot be seen, or that turns the direction."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def _place(text, position):
    """The line of a text around a position, with a mark under it."""
    position = min(max(position, 0), len(text))
    start = text.rfind("\n", 0, position) + 1
    line, column = text[start:position] + text[position:].partition("\n")[0], position - start
    first = max(0, column - _SHOWN // 2)
    shown = line[first : first + _SHOWN]
    shown = "".join("\ufffd" if unicodedata.combining(c) else c for c in visible(shown))
    dots = "..." if first else ""
    number = text.count("\n", 0, position) + 1
    where = f"line {number}, column {column + 1}" if "\n" in text.strip() else f"column {column + 1}"
    more = "..." if first + _SHOWN < len(line) else ""
    return f"Your answer cannot be read at {where}:\n    {dots}{shown}{more}\n    {' ' * (len(dots) + column - first)}^"


def cleaned(text):
    """The text with unusual forms of plain letters and spaces made plain, as long as before.

    Raises `Unreadable` for a text that is too long or that contains characters which do not show what they are.
    """
    if len(text) > LONGEST_TEXT:
        raise Unreadable(f"Your answer has {len(text)} characters; {LONGEST_TEXT} are allowed. Give one quantity at a "
                         "time, or simplify it first.")
    if text.isascii() and text.isprintable():
        return text
    lost = _LOST.search(text)
    if lost:
        raise Unreadable("A backslash was lost here, because Python reads \\t, \\f, \\b, \\r in quotes as one "
                         "character. Put r before the quotes: r\"\\theta\".", text, lost.start())
    made = text.translate(_PLAIN)
    for position, letter in enumerate(made):
        if not letter.isascii() or not (letter.isprintable() or letter in "\n\t\r"):
            _check(letter, text, position)
    return made.replace("\r\n", " \n").replace("\r", "\n").replace("\t", " ")


def _check(letter, text, position):
    """Refuses what is not seen, or looks like something else."""
    name = unicodedata.name(letter, "a character without a name").lower()
    kind = unicodedata.category(letter)
    if kind in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        raise Unreadable(f"There is an invisible character here (U+{ord(letter):04X}, {name}). Delete it, or type the "
                         "line again.", text, position)
    known = name.startswith(("latin", "modifier letter")) or letter in GREEK or letter == "π"
    if kind.startswith("L") and not known:
        raise Unreadable(f"The letter here is U+{ord(letter):04X}, {name}. It may look like a letter of the Latin "
                         "alphabet, but it is another one. Type it again, in Latin or Greek.", text, position)
    if kind == "Nd" and not letter.isascii():
        raise Unreadable(f"The digit here is U+{ord(letter):04X}, {name}. Write numbers with 0 to 9.", text, position)
