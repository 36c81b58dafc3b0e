"""Which rows of the ledger a text speaks of: "RBDA Eqs 7.36-7.44, Table 7.1", "(FDSV 9, 11)", "MRN-A1"."""

import re
from collections import namedtuple

TEXTS = ("RBDA", "FDSV", "MBT", "SOA", "MRN")
#: The letter that the ledger puts before a number, by the beginning of the word there; the others are sections.
LETTERS = {"eq": "", "ta": "T", "fi": "F", "ex": "X", "qu": "Q", "al": "A", "le": "L"}
NUMBER = r"(?:A|\d+)(?:\.\d+)*[a-z]?"
KIND = (r"(?:(?P<kind>(?i:eq(?:n|uation)?|table|figure|fig|example|question|algorithm|lemma|section|chapter|"
        r"appendix)s?)\b\.?\s*)?")
ITEM = re.compile(KIND + rf"(?P<first>{NUMBER})(?![\w])(?:\s*(?:-|–|to)\s*(?P<last>{NUMBER})(?![\w]))?")
BEFORE_ITEM = rf"\s+(?={KIND.replace('?P<kind>', '?:')}{NUMBER})"
HEAD = re.compile(rf"\b(?P<text>{'|'.join(TEXTS)})(?:(?P<id>-[A-Z]*[\w.]*\w(?:-\w+)*)|{BEFORE_ITEM})")
IN_BRACKETS = re.compile(r"\(([^()]*)\)")
NUMBERS = re.compile(rf"{NUMBER}(?:\s*(?:,|-|–|to|and)\s*{NUMBER})*")
BETWEEN = re.compile(r"\s*(?:,|;|and|with|or)*\s*(?:and\s+)?")


class Mention(namedtuple("Mention", "start end ids section")):
    """A place of a text that names rows: text[start:end] names these ids, or a section ("RBDA", "7.3") of the book."""


class References:
    """Finds mentions of the rows of a ledger.

    ids: all ids.  sections: all pairs (text, section). Where "RBDA 7.3" may be a section or an equation, the argument
    `bare` of the methods decides: "section" or "equation".
    """

    def __init__(self, ids, sections):
        self.ids, self.sections = dict.fromkeys(ids), set(sections)

    def mentions(self, string, bare="section"):
        """Every `Mention` in a string, in order."""
        found, position = [], 0
        while head := HEAD.search(string, position):
            if head["id"]:
                items = [Mention(head.start(), head.end(), (head[0],), None)] if head[0] in self.ids else []
            else:
                items = list(self._items(string, head, bare))
            found += items
            position = items[-1].end if items else head.end()
        return found

    def prose(self, string, chapters=()):
        """Every `Mention` in running text: "(RBDA 7.3)" is an equation, "RBDA 7.3" without brackets a section.

        In a text about some chapters of RBDA, "(7.3)" is an equation, too.
        """
        found = [mention for mention in self.mentions(string) if mention.section or mention.ids]
        for bracket in IN_BRACKETS.finditer(string):
            inner, start = bracket[1], bracket.start(1)
            home = re.match(r"(\d+|A)\.", inner)
            if HEAD.match(inner):
                inside = self.mentions(inner, "equation")
            elif home and home[1] in chapters and NUMBERS.fullmatch(inner):
                inside = [m._replace(start=max(m.start - 5, 0), end=m.end - 5)
                          for m in self.mentions(f"RBDA {inner}", "equation")]
            else:
                continue
            found = [mention for mention in found if not start <= mention.start < bracket.end()]
            found += [m._replace(start=m.start + start, end=m.end + start) for m in inside]
        return sorted(found)

    def rows(self, string, bare="section"):
        """The ids that a string names, without repetition."""
        return list(dict.fromkeys(row_id for mention in self.mentions(string, bare) for row_id in mention.ids))

    def _items(self, string, head, bare):
        """The mentions that follow the name of a text; the first one includes that name."""
        start, position, kind, text = head.start(), head.end(), None, head["text"]
        while item := ITEM.match(string, position):
            if item["kind"]:
                kind = LETTERS.get(item["kind"][:2].lower(), "section")
            first, last, section = item["first"], item["last"], None
            if kind == "section" or (kind is None and bare == "section" and (text, first) in self.sections):
                ids, section = (), (text, first) if (text, first) in self.sections else None
            else:
                ids = self._range(text, kind or "", first, last) if last else self._one(text, kind or "", first)
            yield Mention(start, item.end(), tuple(ids), section)
            between = BETWEEN.match(string, item.end())
            if not between or not between[0].strip():
                return
            start = position = between.end()

    def _one(self, text, letter, number):
        """The row of this number, or its parts: Table 6.1 is there as T6.1, or as T6.1a and T6.1b."""
        row_id = f"{text}-{letter}{number}"
        if row_id in self.ids:
            return [row_id]
        parts = re.compile(re.escape(row_id) + r"(?:[a-z]|-\d+)")
        return [other for other in self.ids if parts.fullmatch(other)]

    def _range(self, text, letter, first, last):
        head, dot, start = first.rpartition(".")
        end = last.rpartition(".")[2]
        numbers = [first, last]
        if start.isdigit() and end.isdigit() and int(end) - int(start) <= 100:
            numbers = [f"{head}{dot}{number}" for number in range(int(start), int(end) + 1)]
        return [row_id for number in numbers for row_id in self._one(text, letter, number)]


def sections_of(rows):
    """All pairs (text, section) of the rows of a ledger: for section 2.3 these are 2.3 and chapter 2."""
    return {(row.text, part) for row in rows for part in (row.section, row.section.split(" ")[0], row.chapter)}
