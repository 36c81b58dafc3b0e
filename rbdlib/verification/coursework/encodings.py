"""Bytes of files that people save, as text: UTF-8, and what Windows writes."""

import codecs

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
          (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def decoded(data, name):
    """Bytes as text with plain line ends: in UTF-8, or with a byte order mark in UTF-16 or UTF-32.

    Raises ValueError with the name of the file if they are something else.
    """
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = None
    if text is None or "\0" in text:
        raise ValueError(f"{name} is not text in UTF-8. Save it as plain text, in the encoding UTF-8.")
    return text.replace("\r\n", "\n").replace("\r", "\n")
