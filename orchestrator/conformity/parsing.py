"""What comes of a document that is as it should be: text, form, marks, figures, chunks, paths."""

import hashlib
import io
import json
import secrets
from collections.abc import Iterator

import grpc

from docassay.v1 import parser_pb2 as pb
from orchestrator.conformity import documents
from orchestrator.conformity.findings import Remark, Unproven
from orchestrator.conformity.subject import CALL_SECONDS, Seen, Subject
from orchestrator.measure import MARK_SECONDS, MARK_SECONDS_PER_MIB
from orchestrator.staging import PROBE_NAME
from scorer import output as common_form

ORDER = ("started", "finished", "output", "done")
TIMES = 3
"""How often each probe is parsed: what is slow every time is not the machine's hiccup."""

_MOST_TIMES = 15

_PROBE_SECONDS = 120.0
"""The deadline of a page and a half; a run gives it about as much."""

_TEXT_FORMATS = ("markdown", "html", "plain")
_KINDS = ("meta", "text", "heading", "table", "block")
_OTHER_PLACES = ("../../../../../../etc/passwd", "/etc/passwd", ".")


def formats(subject: Subject) -> Iterator[str]:
    """Parse every probe, and find most of its words in the text."""
    for format in subject.formats:
        tries = subject.probes[format] = [subject.parse(subject.probe(format), seconds=_PROBE_SECONDS)]
        first = tries[0]
        # One that was not answered is not asked again: every question would take as long.
        if first.done is not None:
            tries += [subject.parse(subject.probe(format), seconds=_PROBE_SECONDS) for _ in range(TIMES - 1)]
        if first.status != "ok":
            yield f"{first.what} ended with {_told(first)}, expected ok"
            continue
        found = text_of(first).lower()
        missing = [word for word in documents.WORDS if word not in found]
        if len(missing) > len(documents.WORDS) // 2:
            yield f"the text of {first.what} lacks {', '.join(missing)}"
    subject.ready = any(tries[0].done is not None for tries in subject.probes.values())


def form(subject: Subject) -> Iterator[str]:
    """Every line can be used, meta comes first, and nothing is of an unknown kind."""
    for seen in _parsed(subject):
        with seen.output.open("rb") as source:
            yield from (f"{seen.what}: {fault}" for fault in _lines(source))
        read = common_form.read_output(io.BytesIO(seen.output.read_bytes()))
        yield from (f"{seen.what}: {warning}" for warning in read.warnings)


def _lines(source: "io.BufferedReader") -> Iterator[str]:
    for number, line in enumerate(source, 1):
        try:
            item = json.loads(line)
            kind = item["kind"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # the scorer's own reader says what is wrong with it
        if number == 1 and (kind != "meta" or item.get("text_format") not in _TEXT_FORMATS):
            yield f"line 1 is {line[:80]!r}, expected meta with text_format, one of {', '.join(_TEXT_FORMATS)}"
        if kind not in _KINDS:
            yield f"line {number} is of the kind {kind!r:.40}, expected one of {', '.join(_KINDS)}"


def text_of(seen: Seen) -> str:
    """Return the text of an output; empty when it has none that can be read."""
    return common_form.read_output(io.BytesIO(seen.output.read_bytes())).document.text


def marks(subject: Subject) -> Iterator[str]:
    """The order, and what lies before Started and after Finished; the least of several tries counts."""
    for format, tries in subject.probes.items():
        what, good = tries[0].what, [seen for seen in tries if seen.status == "ok"]
        if wrong := next((seen.order for seen in good if seen.order != ORDER), None):
            yield f"{what} gave {', '.join(wrong)}, expected {', '.join(ORDER)}"
            continue
        if not good:
            continue
        allowed = MARK_SECONDS + MARK_SECONDS_PER_MIB * _moved(good[0], format) / (1 << 20)
        # On a busy machine any single try may be slow; a service that works outside its marks is slow in all.
        while len(good) < _MOST_TIMES and any(seconds > allowed for _, seconds in _outside(good)):
            # As a run does: the last document's chunks are taken first; letting go of it is no part of this one.
            subject.chunk(good[-1])
            again = subject.parse(subject.probe(format), seconds=_PROBE_SECONDS)
            if again.status != "ok" or again.order != ORDER:
                break
            good.append(again)
        for where, seconds in _outside(good):
            if seconds > allowed:
                yield f"{what}: {seconds:.3f} s {where} in the quickest of {len(good)}, allowed are {allowed:.3f} s"


def _moved(seen: Seen, format: str) -> int:
    """Return how many bytes crossed the wire for a probe."""
    return seen.output_bytes + len(documents.plain(format))


def _outside(tries: list[Seen]) -> list[tuple[str, float]]:
    """Return the least seconds spent before Started and after Finished."""
    leads = [seen.marks.started - seen.marks.sent for seen in tries if seen.marks.started is not None]
    tails = [seen.marks.done - seen.marks.finished for seen in tries if seen.marks.finished is not None]
    return [("before Started", min(leads)), ("after Finished", min(tails))]


def figures(subject: Subject) -> Iterator[str]:
    """What only the service can measure is there, and does not contradict the caller's clock."""
    for seen in _parsed(subject):
        assert seen.done is not None
        done = seen.done
        if not done.parse_id:
            yield f"{seen.what}: parse_id is empty after ok"
        whole = seen.marks.done - seen.marks.sent
        if not 0 < done.worker_seconds <= whole:
            yield f"{seen.what}: worker_seconds is {done.worker_seconds:g}, the whole call took {whole:.3f}"
        if done.collect_seconds < 0 or done.cpu_seconds < 0:
            yield f"{seen.what}: collect_seconds or cpu_seconds is below zero"
        if not done.peak_memory_bytes:
            yield f"{seen.what}: peak_memory_bytes is 0, expected the most the parser's processes used"
        if done.assisted == pb.ASSISTANCE_UNSPECIFIED:
            yield f"{seen.what}: assisted is not set, expected ASSISTANCE_NONE when nobody else did part of it"


def repeatable(subject: Subject) -> Iterator[str]:
    """Every try had the same status and output."""
    for tries in subject.probes.values():
        digests = {(seen.status, seen.sha256) for seen in tries}
        if len(digests) > 1:
            yield f"{tries[0].what} had {len(digests)} different outcomes in {TIMES} tries"


def chunks(subject: Subject) -> Iterator[str]:
    """The chunks of a probe, in the common form, by the chunker that Describe names."""
    format = next((format for format, tries in subject.probes.items() if tries[0].status == "ok"), None)
    if format is None:
        raise Unproven("no probe was parsed")
    earlier = subject.parse(subject.probe(format))
    seen = subject.parse(subject.probe(format))
    if seen.done is None or earlier.done is None:
        raise Unproven(f"the {format} probe ended with {seen.status}")
    if earlier.done.parse_id == seen.done.parse_id:
        yield f"two parses have the same parse_id {seen.done.parse_id!r}"
    else:
        yield from _not_held(subject, earlier.done.parse_id)
    yield from _not_held(subject, "never-given")
    sink, done, largest = io.BytesIO(), None, 0
    for response in subject.stub.Chunk(pb.ChunkRequest(parse_id=seen.done.parse_id), timeout=CALL_SECONDS):
        if response.WhichOneof("part") == "done":
            done = response.done
        else:
            largest = max(largest, len(response.output))
            sink.write(response.output)
    if done is None:
        yield "Chunk ended without its done"
        return
    if done.status != pb.PARSE_STATUS_OK:
        yield f"Chunk ended with {pb.ParseStatus.Name(done.status)}: {done.reason}"
        return
    if (done.chunker, done.native) != (subject.description.chunker, subject.description.native_chunker):
        yield f"Chunk names the chunker {done.chunker!r}, Describe {subject.description.chunker!r}"
    if largest > documents.SLICE_BYTES:
        yield f"a slice has {largest} bytes, at most {documents.SLICE_BYTES} are allowed"
    sink.seek(0)
    read = common_form.read_chunks(sink)
    yield from read.warnings
    if not any(chunk.text.strip() for chunk in read.chunks):
        yield "there is no chunk with text"


def _not_held(subject: Subject, parse_id: str) -> Iterator[str]:
    """Yield a fault unless a parse that is not held is refused."""
    try:
        for _ in subject.stub.Chunk(pb.ChunkRequest(parse_id=parse_id), timeout=CALL_SECONDS):
            pass
    except grpc.RpcError as error:
        code = error.code() if isinstance(error, grpc.Call) else None
        if code != grpc.StatusCode.FAILED_PRECONDITION:
            yield f"Chunk of a parse that is not held ended with {code}, expected FAILED_PRECONDITION"
    else:
        yield "Chunk of a parse that is not held was answered, expected FAILED_PRECONDITION"


def paths(subject: Subject) -> Iterator[str]:
    """A document by its path gives what its bytes give; a place outside the folder gives nothing."""
    for place in _OTHER_PLACES:
        if digest := subject.describe(place).probe_sha256:
            yield f"Describe read {place!r}, which is no file of the documents folder: SHA-256 {digest}"
        header = pb.ParseHeader(document_id="d", format=subject.formats[0], deadline_seconds=60, path=place)
        seen = subject.send(f"the path {place}", [pb.ParseRequest(header=header)])
        if seen.refused not in (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT):
            yield f"Parse of the path {place!r} ended with {seen.status}, expected NOT_FOUND"
    if not subject.shared:
        yield Remark("the service does not share a folder with this examination, so no document was given by its path")
        return
    content = secrets.token_bytes(64)
    (subject.documents / PROBE_NAME).write_bytes(content)
    (subject.documents / PROBE_NAME).chmod(0o644)
    told = subject.describe(PROBE_NAME).probe_sha256
    if told != hashlib.sha256(content).hexdigest():
        yield f"Describe says {told!r} of a file in the documents folder, expected its SHA-256"
        return
    for format, tries in subject.probes.items():
        seen = subject.parse(subject.probe(format), by_path=True)
        same = len({earlier.sha256 for earlier in tries}) > 1 or seen.sha256 == tries[0].sha256
        if seen.status != tries[0].status or not same:
            yield f"{seen.what} by its path ended with {seen.status} and another output than as bytes"


def _parsed(subject: Subject) -> Iterator[Seen]:
    """Yield one good parse of every format's probe."""
    good = [seen for tries in subject.probes.values() for seen in tries[:1] if seen.status == "ok"]
    if not good:
        raise Unproven("no probe was parsed")
    return iter(good)


def _told(seen: Seen) -> str:
    return f"{seen.status}: {seen.done.reason}" if seen.done is not None and seen.done.reason else seen.status
