"""What keeps a person from acting on the reason of a failure."""

import re

LONGEST = 400
"""Code points that a row may say."""

_MARKS = {
    "a traceback": re.compile(r"Traceback \(most recent|File \"[^\"]+\", line \d"),
    "a byte string": re.compile(r"\bb(?:'[^']*'|\"[^\"]*\")"),
    "an address in memory": re.compile(r"\b0x[0-9a-fA-F]{6,}"),
    "the name of an error alone": re.compile(r"\A[\w.]*(?:Error|Exception|Failed)?:?\s*\Z"),
    "a control character": re.compile(r"[\x00-\x1f\x7f-\x9f]"),
    "colours of a terminal": re.compile(r"\[\d{1,2}(?:;\d{1,3})*m"),
}


def faults(reason: str) -> list[str]:
    """Return what is wrong with a reason: empty when it is one line that says something."""
    if not reason.strip():
        return ["nothing"]
    found = [name for name, mark in _MARKS.items() if mark.search(reason)]
    return [*found, "too many words"] if len(reason) > LONGEST else found
