"""Lists of entries in words, as a report names them."""

#: Entries that are listed one by one.
MOST_LISTED = 8


def listed(names):
    """Names as a phrase: "1, 2 and 3"."""
    names = list(map(str, names))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def places(indices, word="entry"):
    """Entries in words: "entries 1 and 3", "row 1, columns 2 and 3; row 2, column 1".

    indices: tuples, from 0. word: "entry" or "equation".
    """
    indices = sorted(indices)
    if len(indices[0]) == 2:
        rows = {}
        for i, j in indices:
            rows.setdefault(i, []).append(j + 1)
        return "; ".join(f"row {i + 1}, column{'s' if len(columns) > 1 else ''} {listed(columns)}"
                         for i, columns in rows.items())
    if not indices[0]:
        return "your formula"
    plural = {"entry": "entries", "equation": "equations"}[word]
    return f"{plural if len(indices) > 1 else word} {listed(i + 1 for i, in indices)}"


def agreement(good, bad, word="entry", verbs=("agrees", "agree")):
    """Sentences on which entries agree and which do not: pairs (whether they agree, sentence)."""
    plural = {"entry": "entries", "equation": "equations"}[word]
    if not good:                                        # the first line of the report says so
        return []
    said = []
    if len(good) > MOST_LISTED and len(bad) <= MOST_LISTED:
        said.append((True, f"The other {len(good)} {plural} {verbs[1]}."))
    else:
        more = f" and {len(good) - MOST_LISTED} more" if len(good) > MOST_LISTED else ""
        said.append((True, f"{_capital(places(good[:MOST_LISTED], word))}{more} {verbs[len(good) > 1]}."))
    if bad:
        more = f" and {len(bad) - MOST_LISTED} more" if len(bad) > MOST_LISTED else ""
        does = "does not" if len(bad) == 1 else "do not"
        said.append((False, f"{_capital(places(bad[:MOST_LISTED], word))}{more} {does}."))
    return said


def _capital(text):
    return text[:1].upper() + text[1:]
