"""What ``given`` states that is no equation: the frame of spatial vectors, and forces that are unknown."""

import re

from rbdlib.verification.bodies import HOW

_UNKNOWN = re.compile(r"\s*unknowns?(?:\s+forces?)?\s*[:=]?\s*(?P<names>[^;\n]+)|"
                      r"\s*(?P<first>[^;\n=]+?)\s+(?:is|are)\s+(?:an?\s+)?unknowns?(?:\s+forces?)?\s*", re.I)


def stated_frame(given):
    """(how, rest): what ``given`` states about the frame and order of spatial vectors, and all else.

    given: text, in which "world coordinates", "hybrid", "linear first" may stand between separators; a list; or others.
    """
    if isinstance(given, (list, tuple)):
        parts = [stated_frame(part) for part in given]
        return " ".join(how for how, _ in parts if how), [rest for _, rest in parts if rest not in (None, "")]
    if not isinstance(given, str):
        return "", given
    parts = [part for part in re.split(r"[;\n,]", given) if 0 < len(part.strip()) < 60]
    found = [part for part in parts if HOW.fullmatch(" " + part.strip())]
    for part in found:
        given = given.replace(part, "", 1)
    given = re.sub(r"^[\s;,]+|[\s;,]+$", "", re.sub(r"([;,])\s*(?=[;,])", "", given)) if found else given
    return " ".join(found), given or None


def stated_unknowns(given):
    """(names, rest): forces that ``given`` states to be unknown ("unknown: T_1, T_2"), a set, and all else."""
    if isinstance(given, (list, tuple)):
        parts = [stated_unknowns(part) for part in given]
        return set().union(*(names for names, _ in parts)), [rest for _, rest in parts if rest not in (None, "")]
    if not isinstance(given, str) or len(given) > 2000:
        return set(), given
    names, kept = set(), []
    for part in re.split(r"[;\n]", given):
        match = _UNKNOWN.fullmatch(part)
        if match:
            names |= {name for name in re.split(r"[\s,]+|\band\b", match["names"] or match["first"]) if name}
        else:
            kept.append(part)
    return names, ("; ".join(kept) if names else given) or None
