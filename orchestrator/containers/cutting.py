"""Taking entries out of a YAML text: every other character of it, comments included, stays as somebody wrote it."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

Place = tuple[str, ...]
"""The keys that lead to an entry."""


class CutError(Exception):
    """The entries cannot be taken out alone; the message says why."""


def without(text: str, places: Collection[Place]) -> str:
    """Return a text without the entries at some places, nor the mappings that hold nothing else.

    Raises:
        CutError: the rest needs them, or would not be what it was.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML(typ="safe", pure=True)
    before = yaml.compose(text)
    if _gone(before, (), places):
        return "".join(line for line in text.splitlines(keepends=True) if line.lstrip().startswith("#"))
    kept = text
    for start, end in sorted(_spans(text, before, (), places), reverse=True):
        kept = kept[:start] + kept[end:]
    try:
        after = yaml.compose(kept)
    except YAMLError as error:
        raise CutError(" ".join(str(error).split())) from error
    if _shape(after, (), ()) != _shape(before, (), places):
        raise CutError("the rest would not be what it was")
    return kept


def _gone(node: Any, place: Place, places: Collection[Place]) -> bool:
    """Whether nothing is left of a node."""
    if place in places:
        return True
    entries = node.value if node.id == "mapping" else ()
    return bool(entries) and all(_gone(value, (*place, key.value), places) for key, value in entries)


def _spans(text: str, node: Any, place: Place, places: Collection[Place]) -> Iterator[tuple[int, int]]:
    """Yield where what is gone begins and ends, as offsets in the text; none lies in another."""
    entries: Sequence[Any] = node.value if node.id == "mapping" else ()
    goes = [_gone(value, (*place, key.value), places) for key, value in entries]
    for index, (key, value) in enumerate(entries):
        if not goes[index]:
            yield from _spans(text, value, (*place, key.value), places)
        elif not node.flow_style:
            yield _line_start(text, key.start_mark.index), _line_end(text, _end(value, key.end_mark.index))
        elif not all(goes[index:]):
            yield key.start_mark.index, entries[index + 1][0].start_mark.index
        elif not goes[index - 1]:
            # With all that follow it: from the end of what stays to the end of the last.
            kept, last = entries[index - 1], entries[-1]
            yield _end(kept[1], kept[0].end_mark.index), _end(last[1], last[0].end_mark.index)


def _end(node: Any, after: int) -> int:
    """Return where the last character of a node is, which comes after another place.

    What a block says of its own end lies behind the comments that follow it.
    """
    if node.start_mark.index < after:  # an alias: its value stands where it was named
        return after
    if node.id == "scalar" or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last, node.start_mark.index) if node.id == "sequence" else _end(last[1], last[0].end_mark.index)


def _line_start(text: str, offset: int) -> int:
    return text.rfind("\n", 0, offset) + 1


def _line_end(text: str, offset: int) -> int:
    """Return the offset of the line after that which an entry ends in."""
    if offset and text[offset - 1] == "\n":
        return offset
    end = text.find("\n", offset)
    return len(text) if end < 0 else end + 1


def _shape(node: Any, place: Place, places: Collection[Place]) -> Any:
    """Return what a node says, without what is gone of it: two texts with one shape mean the same."""
    if node.id == "mapping":
        return node.tag, [
            (_shape(key, (), ()), _shape(value, (*place, key.value), places))
            for key, value in node.value
            if not _gone(value, (*place, key.value), places)
        ]
    if node.id == "sequence":
        return node.tag, [_shape(each, (), ()) for each in node.value]
    return node.tag, node.value
