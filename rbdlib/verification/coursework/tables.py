"""Tables as CSV files, for spreadsheets that take text for formulas."""

import csv
import unicodedata


def save_table(path, columns, rows):
    """Write a CSV file in one go, so that there is never half a table. rows: dicts; what is missing stays empty."""
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        table = csv.DictWriter(file, columns, restval="")
        table.writeheader()
        table.writerows({name: _harmless(value) for name, value in row.items()} for row in rows)
    part.replace(path)


def visible(text):
    """Text whose characters that are not seen, such as marks that turn the direction of writing, are spelt out."""
    return "".join(c if c == "\n" or unicodedata.category(c)[0] != "C" else c.encode("unicode_escape").decode()
                   for c in text)


def _harmless(value):
    """Text that a spreadsheet does not take for a formula."""
    text = visible(value).strip() if isinstance(value, str) else str(value)
    return "'" + text if isinstance(value, str) and text.startswith(("=", "+", "-", "@")) else text
