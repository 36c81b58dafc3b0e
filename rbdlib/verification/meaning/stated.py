"""What ``given`` states about the frame and the order of spatial vectors."""

import re

from rbdlib.verification.mechanics.bodies import HOW


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
