"""Words around formulas, which are made blank: "From (1) we get $a = b$, where c is the length" is a = b.

A run of words is prose where a small word of English, such as "the" or "gives", is among them, or where they stand at
the beginning or the end of a line; a single unknown word between formulas stays, for it may be a symbol.
"""

import re

from rbdlib.verification.trees.names import GREEK_NAMES, canonical, cut_into_names, function

#: Words that no symbol is called; those of the second list only beside other words.
_SMALL_WORDS = frozenset(
    "about according after again all along also and any are because becomes before being both but can choose constant "
    "define denote denotes eliminate finally first follows for from get gets give given gives giving has have hence "
    "here holds i.e e.g insert into is let means measured namely not note now obtain obtained obtains of only our "
    "reads second since so solve such take that the then there therefore these this thus using we when where whereas "
    "which while with write yield yielding yields".split())
_WEAK_WORDS = frozenset("an as at be by eq if in it its no on or to up us".split())
_ENDINGS = ("ing", "ly", "ed", "tion", "gy", "ian")
RELATION = re.compile(r":?=|[≈≃≡]|\\(?:approx|simeq|equiv|doteq|coloneqq|triangleq)(?![a-z])")
_WORD = re.compile(r"(?<![\\\w^'’°{}])(?:i\.e\.|e\.g\.|[A-Za-z]+(?:[-'’][a-z]+)*(?:\.(?=\s|$))?)"
                   r"(?![\w^'’({\[])(?!\s{0,3}[*/^])")
#: What may stand between words: spaces, commas, and the number of an equation.
_BETWEEN = re.compile(r"(?:[\s,.;:~]|\((?:\d{1,2}[a-z]?|[a-h]|i{1,3}|iv|v)\)|\[\d{1,2}\])*")
_OPERAND = re.compile(r"[=+*/^<>·≈-]\s*$")
_TEXT = re.compile(r"(?<![_^{])\\(?:text\w*|mathrm|mbox|rm|intertext)\s*\{(?P<said>[^{}]*)\}")
_DOLLARS = re.compile(r"(\${1,2}|\\[\[\]()])")
#: What is said to be something is a claim, even without an equals sign.
_CLAIMED = re.compile(r"(?:\b(?:is|are|becomes?|reads?|equals?|gives?|get|obtain|therefore)|:)\s*$")
_NAME = r"(?:\\[A-Za-z]+\s*){0,3}\{?[A-Za-z]?\}?(?:_\{?\w{1,8}\}?)?'{0,3}"
_SYMBOL = re.compile(rf"\s*{_NAME}(?:\s*,\s*{_NAME}){{0,3}}[\s,.]*")
#: Where a motion is linearised is no claim.
_ABOUT = re.compile(r"\b(?:about|around|near)\s*$", re.IGNORECASE)
_SINE = re.compile("(?:sin|cos|tan|exp|log|sqrt)[a-z]{1,2}|[a-z]+dot")
_NEXT = re.compile(r"\s{1,3}([A-Za-z]{3,20})")
#: How far before and behind words it is looked for signs, and for the end of a bracket.
_NEAR, _REMARK = 12, 60


def without_words(text, names):
    """The text, as long as before, with prose made blank; where formulas with "=" are left, others are mentions.

    names: those that exist.
    """
    text = _unboxed(text)
    outside, inside = _by_dollars(text)
    if inside and not any(RELATION.search(part) or r"\begin" in part for part in outside):
        return _without_mentions(text, names)
    text = _TEXT.sub(lambda match: _said(match, names), text)
    return "\n".join(_line_without_words(line, names) for line in text.split("\n"))


def _by_dollars(text):
    """The parts of a text outside and inside of dollar signs or LaTeX brackets; all is outside where one is missing."""
    parts = _DOLLARS.split(text)
    return (parts[::4], parts[2::4]) if len(parts) % 4 == 1 else ([text], [])


def _said(match, names):
    r"""What stands in \text{...}, if it is prose, with the command blank."""
    if not _runs(f" {match['said']} ", names):
        return match[0]
    return match["said"].rjust(len(match[0])) if RELATION.search(match["said"]) else "\n".ljust(len(match[0]))


def _blank(text):
    """Spaces and line ends instead of a text."""
    return re.sub(r"[^\n]", " ", text)


def _without_mentions(text, names):
    """A text without the formulas between dollars that are only mentioned: dividing by $m$, ..."""
    parts = _DOLLARS.split(text)
    inside = parts[2::4] = [_TEXT.sub(lambda match: _said(match, names), part) for part in parts[2::4]]
    has_equations = len(inside) > 1 and any(map(RELATION.search, inside))
    for i, part in enumerate(inside):
        before = parts[4 * i]
        heads = parts[4 * i + 4].lstrip().startswith(":")
        claims = RELATION.search(part) and not _ABOUT.search(before[-_NEAR:]) or _is_claim(before, part) and not heads
        if has_equations and not claims:
            parts[4 * i + 1 : 4 * i + 4] = map(_blank, parts[4 * i + 1 : 4 * i + 4])
    return "".join(parts)


def _unboxed(text):
    r"""The text with \boxed{ and the brace that closes it made blank."""
    letters, opened = list(text), []
    for match in re.finditer(r"\\boxed\{|[{}]", text) if r"\boxed{" in text else ():
        is_box = opened.pop() if match[0] == "}" and opened else match[0].startswith("\\")
        if match[0] != "}":
            opened.append(is_box)
        if is_box:
            letters[match.start() : match.end()] = " " * len(match[0])
    return "".join(letters)


def _line_without_words(line, names):
    """A line with its words blank, and what they are about, such as "m" in "dividing by m,"."""
    made, end, equations = "", 0, RELATION.search(line)
    for start, after in [*_runs(line, names), (len(line), len(line))]:
        part = line[end:start]
        mentioned = 0
        if equations and (not _is_claim(line[max(end - _NEAR, 0) : end], part) if end else after > start and
                          _SYMBOL.fullmatch(part)):                         # F is the tension: ...
            mentioned = _mentioned(part) if RELATION.search(part) else len(part)
        made += " " * mentioned + part[mentioned:] + "\n" * (after > start) + " " * (after - start - 1)
        end = after
    return made


def _mentioned(part):
    """How long the formula is that stands at the beginning of a part, before a comma and an equation."""
    depth = 0
    for place, letter in enumerate(part):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "=":
            return 0
        if letter == "," and not depth and part[:place].strip():
            return place + 1
    return 0


def _runs(text, names):
    """The places (start, end) of the words in a line that are prose."""
    runs, known = [[]], {}
    for match in _WORD.finditer(text):
        word = match[0]
        if word not in known:
            known[word] = _is_word(word, names)
        article = word in ("a", "A") and runs[-1] and (next_to := _NEXT.match(text, match.end())) and _is_word(
            next_to[1], names)
        if not article and not known[word]:
            continue
        if runs[-1] and not _BETWEEN.fullmatch(text, runs[-1][-1].end(), match.start()):
            runs.append([])
        runs[-1].append(match)
    first, last = len(text) - len(text.lstrip(" ([,;.&$")), len(text.rstrip(" )],;.&$\\"))
    found = []
    for run in filter(None, runs):
        if _OPERAND.search(text, run[0].start() - _NEAR, run[0].start()) and run[0][0] not in _SMALL_WORDS:
            run = run[1:] or run                        # E = const for all t
        start, end = run[0].start(), next(_BETWEEN.finditer(text, run[-1].end())).end()
        before, after = text[max(start - _NEAR, 0) : start], text[end : end + _NEAR]
        opening = before.rstrip()[-1:]
        closing = text.find({"(": ")", "[": "]"}.get(opening, "\n"), end, end + _REMARK)
        enclosed, alone = closing >= 0 and not RELATION.search(text, end, closing), closing == end
        if enclosed:
            start, end, before, after = text.rindex(opening, 0, start), closing + 1, "", ""
        if _are_prose([match[0].rstrip(".") for match in run], before, after, start <= first, end >= last, alone):
            found.append((start, end))
    return found


def _is_word(word, names):
    """True for a word that is no name, function or product of names."""
    word = word.rstrip(".")
    plain = word.lower()
    if canonical(word) in names and word != "Lagrangian":
        return False
    if plain in _SMALL_WORDS or plain in _WEAK_WORDS:
        return True
    is_symbol = function(word) or _SINE.fullmatch(word) or {word, word.lstrip("d")} & GREEK_NAMES.keys()
    return len(word) > 2 and not is_symbol and not cut_into_names(word, names)


def _are_prose(words, before, after, first, last, enclosed):
    """True for words that are no symbols: between what stands before and after them, first, last or in brackets."""
    plain = [word.lower() for word in words]
    if any(word in _SMALL_WORDS for word in plain):
        return not RELATION.match(after.lstrip())
    long = [word for word in plain if word not in _WEAK_WORDS]
    if first and not long and words[0][0].isupper() and re.match(r"[A-Za-z\\$]", after):
        return True                                     # "At theta = 0"
    if _OPERAND.search(before) or RELATION.match(after.lstrip()) or not long:
        return False
    if len(long) < len(plain):                          # "in equilibrium"
        return True
    heads = first and len(long[0]) > 4 and long[0].endswith(_ENDINGS) and not after.startswith("(")
    alone = heads or enclosed and last and len(long[0]) > 3
    apart = first or last and (enclosed or re.search(r"(?:[,;:.]|\s)\s$", before))    # m g h is no remark
    return bool(apart) and (len(long) > 1 or alone)


def is_prose(line):
    """True if a line has words and no formula in it."""
    if RELATION.search(line):
        return False
    outside, inside = _by_dollars(line)
    claims = any(map(_is_claim, outside, inside))
    bare = _TEXT.sub(r" \g<said> ", " x ".join(outside))
    alone = re.fullmatch(r"[#*_\s-]*([A-Za-z][a-z]{3,}(?:-[A-Za-z]+)?)[\s\d.:;,*_]*", bare)
    said = line.endswith(":") or bool(_runs(bare, ())) or alone is not None and _is_word(alone[1], ())
    return said and not claims


def _is_claim(before, formula):
    """True if a formula without "=" says something, by the words before it: the energy is m g h."""
    claimed = _CLAIMED.search(before[-_NEAR:]) or not re.search("[A-Za-z]{2}", before)
    return bool(claimed) and not _SYMBOL.fullmatch(formula)
