"""The line that says under which licence a parser is used here; people must see it before they ship."""


def line(key: str, licence: str, note: str) -> str:
    """Return the line.

    Args:
        key: the parser, with version and setting.
        licence: of the tool, with that of its weights where it is another.
        note: what binds whoever uses it; empty for nothing beyond the licence's name.
    """
    return f"{key}: licence {licence}" + (f" ({note})" if note else "")
