"""Opening, resuming and closing runs."""

import contextlib
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from google.protobuf import json_format

from docassay.v1 import parser_pb2
from docassay.v1 import scorer_pb2 as pb
from scorer.store.database import Database, Writer
from scorer.store.errors import RunMismatch, StorageFailed, Unknown

_STATES = {
    parser_pb2.PARSER_STATE_READY: "ready",
    parser_pb2.PARSER_STATE_WEIGHTS_UNAVAILABLE: "weights_unavailable",
    parser_pb2.PARSER_STATE_REQUIREMENT_MISSING: "requirement_missing",
    parser_pb2.PARSER_STATE_UNHEALTHY: "unhealthy",
}
NEW = "new"
"""Asked for in place of a run's id: none is resumed."""

_MUST_AGREE = {"plan_digest": "plan", "commit": "commit", "machine_digest": "machine", "exclusive": "exclusive"}
# What a plan's digest is made of, as far as the store knows it: to say what differs where the digest does.
_PLANNED = {
    "suite": "suite",
    "mode": "mode",
    "corpus_digest": "digest of the corpus",
    "repeats": "repeats",
    "timeout_seconds": "timeout in seconds",
    "timeout_seconds_per_page": "timeout in seconds a page",
    "memory_bytes": "memory in bytes",
    "cpus": "CPUs",
}
_PARSER_DIGESTS = ("lock_digest", "adapter_digest", "weights_digest", "chunker")


def open_run(database: Database, request: pb.OpenRunRequest, *, now: datetime) -> pb.OpenRunResponse:
    """Open a new run, or resume the newest unfinished one with the same plan, commit, machine and parsers.

    With ``resume_unscored``, a run that is parsed but was never scored is unfinished.

    Args:
        database: the store.
        request: the run, its parsers and its documents.
        now: the start of a new run.

    Raises:
        RunMismatch: the run asked for by id is finished, or was made under other conditions; each is named.
        Unknown: the run asked for does not exist.
        ValueError: the request contradicts itself.
        StorageFailed: the disk is full or cannot be written.
    """
    _refuse_repeated([parser.parser for parser in request.parsers], "parser")
    _refuse_repeated([document.document_id for document in request.documents], "document")
    with _keeping("the run was not opened, and what the store held is kept"), database.write() as writer:
        run_id, resumed = _resumable(writer, request), True
        if run_id is None:
            run_id, resumed = insert(writer, request, now=now), False
        else:
            _renew_states(writer, run_id, request.parsers)
        if request.skip_fresh:
            _take_over(writer, run_id, request.documents)
        done = writer.execute("select parser, document, repeat from parses where run_id = ? order by all", [run_id])
    return pb.OpenRunResponse(
        run_id=run_id,
        resumed=resumed,
        done=[pb.DoneKey(parser=parser, document_id=document, repeat=repeat) for parser, document, repeat in done],
    )


def insert(writer: Writer, request: pb.OpenRunRequest, *, now: datetime) -> str:
    """Insert a new run with its parsers and documents, not finished; return its id."""
    run_id = _new_id(writer, now)
    _insert_run(writer, run_id, request, now)
    return run_id


def close_run(database: Database, request: pb.CloseRunRequest, *, now: datetime) -> None:
    """End the parsing part of a run and store what was learned of each parser. Closing again changes nothing more.

    A parser that was lost after it had parsed stays ready and is flagged ``lost``: what it left undone counts as
    failed, or crashing for good would score better than crashing once.

    Raises:
        Unknown: there is no such run, or a parser is not in it.
    """
    with _keeping(f"every parse of run {request.run_id} is kept"), database.write() as writer:
        known = {
            parser for (parser,) in writer.execute("select parser from parsers where run_id = ?", [request.run_id])
        }
        if not writer.execute("select 1 from runs where run_id = ?", [request.run_id]):
            raise Unknown(f"there is no run {request.run_id!r}")
        for outcome in request.parsers:
            if outcome.parser not in known:
                raise Unknown(f"{outcome.parser!r} is not a parser of run {request.run_id}")
            state, reason = _state(outcome.state, outcome.reason)
            flags = set(outcome.flags)
            if state != "ready" and _worked(writer, request.run_id, outcome.parser):
                state, reason = "ready", f"lost during the run ({state}): {reason}"
                flags.add("lost")
            warmed = outcome.HasField("warmup")
            probes = [json_format.MessageToDict(probe) for probe in outcome.warmup.probes]
            writer.execute(
                "update parsers set state = ?, reason = ?, load_seconds = coalesce(?, load_seconds),"
                " probes = coalesce(?, probes), calibration_seconds = coalesce(?, calibration_seconds), flags = ?"
                " where run_id = ? and parser = ?",
                [
                    *(state, reason, outcome.warmup.load_seconds if warmed else None),
                    *(json.dumps(probes) if warmed else None, outcome.calibration_seconds or None),
                    *(sorted(flags), request.run_id, outcome.parser),
                ],
            )
        writer.execute(
            "update runs set finished_at = coalesce(finished_at, ?) where run_id = ?", [_naive(now), request.run_id]
        )


@contextlib.contextmanager
def _keeping(kept: str) -> Iterator[None]:
    try:
        yield
    except StorageFailed as error:
        raise error.because(kept) from error


def _worked(writer: Writer, run_id: str, parser: str) -> bool:
    return bool(
        writer.execute(
            "select 1 from parses where run_id = ? and measured_run_id = run_id and parser = ? and reached_parser"
            " limit 1",
            [run_id, parser],
        )
    )


def newest(database: Database, run_id: str, *, scored: bool = False) -> str:
    """Return a run's id as it was given, or the newest run's for an empty one.

    Raises:
        Unknown: there is no such run.
    """
    table = "scorings" if scored else "runs"
    found = database.rows(f"select max(run_id) as run_id from {table} where run_id = ? or ? = ''", [run_id, run_id])
    if found[0]["run_id"] is None:
        what = "scored run" if scored else "run"
        raise Unknown(f"there is no {what}{f' {run_id!r}' if run_id else ' yet'} in {database.path}")
    return str(found[0]["run_id"])


def _resumable(writer: Writer, request: pb.OpenRunRequest) -> str | None:
    if request.run_id == NEW:
        return None
    if not request.run_id:
        return _newest_resumable(writer, request)
    found = writer.execute("select finished_at from runs where run_id = ?", [request.run_id])
    if not found:
        raise Unknown(f"there is no run {request.run_id!r}")
    [(finished_at,)] = found
    differences = _run_differences(writer, request) + _parser_differences(writer, request.run_id, request)
    if differences:
        raise RunMismatch(f"run {request.run_id} cannot be resumed: {'; '.join(differences)}. Start a new run")
    if finished_at is not None and not (request.resume_unscored and not _scored(writer, request.run_id)):
        raise RunMismatch(f"run {request.run_id} cannot be resumed: it finished at {finished_at} UTC. Start a new run")
    return request.run_id


def _run_differences(writer: Writer, request: pb.OpenRunRequest) -> list[str]:
    """Say what differs; of the plan its parts where they are known, for nobody can act on two digests."""

    def differing(words: dict[str, str]) -> dict[str, str]:
        [stored] = writer.execute(f"select {', '.join(words)} from runs where run_id = ?", [request.run_id])
        asked = (getattr(request.run, name) for name in words)
        return {
            name: f"{words[name]} was {before}, is {now}"
            for name, before, now in zip(words, stored, asked, strict=True)
            if before != (list(now) if isinstance(before, list) else now)
        }

    found = differing(_MUST_AGREE)
    if "plan_digest" in found:
        stored = writer.execute("select document from documents where run_id = ? order by all", [request.run_id])
        before, now = {document for (document,) in stored}, {document.document_id for document in request.documents}
        parts = list(differing(_PLANNED).values())
        parts += [f"documents: {len(now - before)} were not in it, {len(before - now)} are missing"] * (before != now)
        found["plan_digest"] = "; ".join(parts) or found["plan_digest"]
    return list(found.values())


def _newest_resumable(writer: Writer, request: pb.OpenRunRequest) -> str | None:
    wanted = [getattr(request.run, name) for name in _MUST_AGREE]
    same = " and ".join(f"{name} = ?" for name in _MUST_AGREE)
    candidates = writer.execute(f"select run_id, finished_at from runs where {same} order by run_id desc", wanted)
    superseded = not request.resume_unscored
    for run_id, finished_at in candidates:
        # What was parsed and left unscored is taken up only while nothing newer stands in its place.
        superseded = superseded or (finished_at is not None and _scored(writer, run_id))
        if (finished_at is None or not superseded) and not _parser_differences(writer, run_id, request):
            return str(run_id)
    return None


def _scored(writer: Writer, run_id: str) -> bool:
    return bool(writer.execute("select 1 from scorings where run_id = ?", [run_id]))


def _parser_differences(writer: Writer, run_id: str, request: pb.OpenRunRequest) -> list[str]:
    stored = {
        parser: values
        for parser, *values in writer.execute(
            f"select parser, {', '.join(_PARSER_DIGESTS)} from parsers where run_id = ?", [run_id]
        )
    }
    given = {p.parser: [getattr(p.description, name) for name in _PARSER_DIGESTS] for p in request.parsers}
    differences = [f"parser {name} was not in it" for name in sorted(given.keys() - stored.keys())]
    differences += [f"parser {name} is missing" for name in sorted(stored.keys() - given.keys())]
    for name in sorted(given.keys() & stored.keys()):
        differences += [
            f"{name}'s {digest} was {before or 'none'}, is {now or 'none'}"
            for digest, before, now in zip(_PARSER_DIGESTS, stored[name], given[name], strict=True)
            # A service that is not ready may not know what it would run.
            if before != now and before and now
        ]
    return differences


def _insert_run(writer: Writer, run_id: str, request: pb.OpenRunRequest, now: datetime) -> None:
    run = request.run
    scope = json.loads(run.scope_json) if run.scope_json else None
    writer.insert(
        "runs",
        [
            {
                "run_id": run_id,
                "started_at": _naive(now),
                "suite": run.suite,
                "mode": run.mode,
                "exclusive": run.exclusive,
                "plan_digest": run.plan_digest,
                "scope": scope,
                "machine": run.machine_json or "{}",
                "machine_digest": run.machine_digest,
                "commit": run.commit,
                "dirty": run.dirty,
                "argv": list(run.argv),
                "timeout_seconds": run.timeout_seconds,
                "timeout_seconds_per_page": run.timeout_seconds_per_page,
                "memory_bytes": run.memory_bytes,
                "cpus": list(run.cpus),
                "repeats": run.repeats or 1,
                "corpus_name": run.corpus_name,
                "corpus_version": run.corpus_version,
                "corpus_digest": run.corpus_digest,
                "corpus_path": run.corpus_path,
            }
        ],
    )
    writer.insert("parsers", [_parser_row(run_id, parser) for parser in request.parsers])
    writer.insert("documents", [_document_row(run_id, document) for document in request.documents])


def _parser_row(run_id: str, parser: pb.RunParser) -> dict[str, Any]:
    description = parser.description
    state, reason = _state(description.state, description.reason)
    return {
        "run_id": run_id,
        "parser": parser.parser,
        "name": description.name or parser.parser.partition("@")[0],
        "version": description.version,
        "setting": description.setting,
        "state": state,
        "reason": reason,
        "formats": list(description.formats),
        "capabilities": list(description.capabilities),
        "chunker": description.chunker,
        "native_chunker": description.native_chunker,
        "lock_digest": description.lock_digest,
        "adapter_digest": description.adapter_digest,
        "weights_digest": description.weights_digest,
        "licence": description.licence,
        "licence_note": description.licence_note,
        "transport": parser.transport,
        "replicas": parser.replicas or 1,
        "gpu": parser.gpu,
        "flags": [],
    }


def _document_row(run_id: str, document: pb.RunDocument) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "document": document.document_id,
        "domain": document.domain,
        "format": document.format,
        "pages": document.pages if document.HasField("pages") else None,
        "pages_estimated": document.pages_estimated,
        "sha256": document.sha256,
        "bytes": document.bytes,
        "annotations": list(document.annotations),
        "gold_digest": document.gold_digest,
        "notes": list(document.intake_notes),
    }


def _renew_states(writer: Writer, run_id: str, parsers: Sequence[pb.RunParser]) -> None:
    """A parser that was not ready when the run was interrupted may be now."""
    for parser in parsers:
        row = _parser_row(run_id, parser)
        for kept in ("run_id", "parser", "flags"):
            del row[kept]
        assignments = ", ".join(f"{name} = ?" for name in row)
        writer.execute(
            f"update parsers set {assignments} where run_id = ? and parser = ?",
            [*row.values(), run_id, parser.parser],
        )


def _take_over(writer: Writer, run_id: str, documents: Sequence[pb.RunDocument]) -> None:
    """Copy the newest rows of earlier runs that were measured under the same conditions."""
    fetched, unwrapped = (
        [document.document_id for document in documents if document.assisted == help]
        for help in (parser_pb2.ASSISTANCE_FETCH, parser_pb2.ASSISTANCE_PARSE)
    )
    columns = [
        name for (name,) in writer.execute("select column_name from duckdb_columns() where table_name = 'parses'")
    ]
    copied = ", ".join(f"e.{name}" for name in columns if name not in ("run_id", "document", "repeat"))
    writer.execute(
        f"""
        insert into parses by name
        select r.run_id, d.document, e.repeat, {copied}
        from runs r
        join parsers p on p.run_id = r.run_id and p.state = 'ready'
        join documents d on d.run_id = r.run_id
        join runs er on er.run_id < r.run_id
            and er.machine_digest = r.machine_digest and er.cpus = r.cpus and er.memory_bytes = r.memory_bytes
            and er.timeout_seconds = r.timeout_seconds and er.timeout_seconds_per_page = r.timeout_seconds_per_page
            and er.mode = r.mode and er.exclusive = r.exclusive
        join parsers ep on ep.run_id = er.run_id and ep.parser = p.parser and ep.lock_digest = p.lock_digest
            and ep.adapter_digest = p.adapter_digest and ep.weights_digest = p.weights_digest
            and ep.chunker = p.chunker and ep.transport = p.transport and ep.replicas = p.replicas
            and ep.gpu = p.gpu
        join documents ed on ed.run_id = er.run_id and ed.sha256 = d.sha256 and ed.format = d.format
            and ed.pages is not distinct from d.pages
        join parses e on e.run_id = er.run_id and e.parser = ep.parser and e.document = ed.document
            and e.repeat <= r.repeats
            -- That its service was lost may be somebody else's doing: such a document is parsed again.
            and not list_contains(e.flags, 'service_lost')
            -- The manifest may have become another: a row with other help is that of another document.
            and (not e.reached_parser or e.assisted = case
                when list_contains(?::varchar[], d.document) then 'fetch'
                when list_contains(?::varchar[], d.document) then 'parse'
                else 'none' end)
        where r.run_id = ?
        -- A row that was itself taken over stands in several runs; any of them names the run that measured it.
        qualify row_number() over (
            partition by e.parser, d.document, e.repeat order by e.measured_run_id desc, er.run_id desc, ed.document
        ) = 1
        on conflict do nothing
        """,
        [fetched, unwrapped, run_id],
    )


def _state(state: parser_pb2.ParserState.ValueType, reason: str) -> tuple[str, str]:
    if state in _STATES:
        return _STATES[state], reason
    return "unhealthy", reason or "the service did not say whether it is ready"


def _new_id(writer: Writer, now: datetime) -> str:
    """Ids sort by time, also within a second."""
    base = now.astimezone(UTC).strftime("%Y%m%d_%H%M%S")
    taken = {run_id for (run_id,) in writer.execute("select run_id from runs where starts_with(run_id, ?)", [base])}
    if base not in taken:
        return base
    return next(run_id for number in range(2, 10_000) if (run_id := f"{base}_{number:04d}") not in taken)


def _refuse_repeated(names: Sequence[str], what: str) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if repeated:
        raise ValueError(f"{what} given twice: {', '.join(repeated)}")


def _naive(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None)
