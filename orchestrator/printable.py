"""What may be sent to a terminal of a text that came from a file."""

import re

_UNPRINTABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def printable(text: str) -> str:
    """Return a text with its control characters, but line ends, and halves of surrogate pairs written as escapes."""
    return _UNPRINTABLE.sub(lambda mark: mark[0].encode("unicode_escape").decode(), text)
