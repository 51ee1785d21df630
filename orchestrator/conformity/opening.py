"""Before anything is parsed: health, what the service says of itself, and its start."""

import re
from collections.abc import Iterable, Iterator

from docassay.v1 import parser_pb2 as pb
from orchestrator import states
from orchestrator.conformity import documents
from orchestrator.conformity.subject import Subject
from orchestrator.naming import NAME, NAME_FORM

SERVICE = "docassay.v1.Parser"
CAPABILITIES = ("text", "headings", "tables", "blocks", "pages", "chunks")

_WORD = re.compile(r"[^\s@:]+")
_DIGEST = re.compile(r"[0-9a-f]{64}")


def health(subject: Subject) -> Iterator[str]:
    """Both names are SERVING."""
    for name in ("", SERVICE):
        if (told := subject.health(name)) != "SERVING":
            yield f"health of {name or 'the server'} is {told}, expected SERVING"


def describe(subject: Subject) -> Iterator[str]:
    """Every field that a run stores is there and is of its kind."""
    told = subject.description = subject.describe()
    for field, form, expected in (
        ("name", NAME, NAME_FORM),
        ("version", _WORD, "a word without @ and :"),
        ("lock_digest", _DIGEST, "the SHA-256 of its locked requirements, in 64 hexadecimal digits"),
        ("adapter_digest", _DIGEST, "the SHA-256 of its own code, in 64 hexadecimal digits"),
    ):
        if not form.fullmatch(getattr(told, field)):
            yield f"{field} is {getattr(told, field)!r}, expected {expected}"
    if told.weights_digest and not _DIGEST.fullmatch(told.weights_digest):
        yield f"weights_digest is {told.weights_digest!r}, expected 64 hexadecimal digits, or nothing without weights"
    if not told.licence.strip():
        yield "licence is empty, expected an SPDX expression"
    if told.setting and not _WORD.fullmatch(told.setting):
        yield f"setting is {told.setting!r}, expected a word without @ and :, or nothing for the default"
    yield from _listed("formats", told.formats, documents.FORMATS)
    yield from _listed("capabilities", told.capabilities, CAPABILITIES)
    if "text" not in told.capabilities:
        yield "capabilities lacks text, which every parser produces"
    if not re.fullmatch(r"[^\s@]+@[^\s@]+", told.chunker):
        yield f"chunker is {told.chunker!r}, expected name@version"
    if told.native_chunker != ("chunks" in told.capabilities):
        yield f"native_chunker is {told.native_chunker}, but capabilities is {', '.join(told.capabilities)}"
    if told.state == pb.PARSER_STATE_UNSPECIFIED:
        yield "state is not set"
    if told.state != pb.PARSER_STATE_READY and not told.reason.strip():
        yield "state is not ready, and reason is empty: expected why, and the remedy"
    if subject.describe() != told:
        yield "the second answer differs from the first"


def _listed(field: str, values: Iterable[str], known: tuple[str, ...]) -> Iterator[str]:
    given = list(values)
    if not given:
        yield f"{field} is empty"
    for value in sorted(set(given) - set(known)):
        yield f"{field} has {value!r}, expected of: {', '.join(known)}"
    if len(set(given)) < len(given):
        yield f"{field} names one twice: {', '.join(given)}"


def warmup(subject: Subject) -> Iterator[str]:
    """It becomes ready, and says of every declared format how its probe went."""
    told = subject.warm()
    if told.state != pb.PARSER_STATE_READY:
        yield f"the parser is {states.word(told.state)}, not ready: {told.reason or 'no reason is given'}"
        return
    subject.ready = bool(subject.formats)
    probed = [probe.format for probe in told.probes]
    if sorted(probed) != sorted(subject.description.formats):
        yield f"probes are of {', '.join(probed) or 'no format'}, declared are {', '.join(subject.description.formats)}"
    for probe in told.probes:
        if probe.status == pb.PARSE_STATUS_UNSPECIFIED:
            yield f"the probe of {probe.format} has no status"
    if told.load_seconds < 0:
        yield f"load_seconds is {told.load_seconds}"
