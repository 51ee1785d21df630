"""Drives a run: every parser in turn over every document, each result on disk before the next parse begins."""

import contextlib
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import grpc

from docassay.v1 import parser_pb2, scorer_pb2
from orchestrator import fleet, intake, machine, measure, staging
from orchestrator.containers import composed
from orchestrator.fleet import Service
from orchestrator.intake import Finding
from orchestrator.interruption import Interruption
from orchestrator.machine import Commit, Machine
from orchestrator.plan import Plan, Task
from orchestrator.progress import Reporter
from orchestrator.scorer_client import ScorerClient
from orchestrator.selection import Selected

WARMUP_SECONDS = 900.0
"""Loading models from a cold disk takes minutes; it is recorded and never scored."""

DRIFT = 0.05
"""By how much the calibration loop may differ between parsers before the run is flagged."""

_READY = parser_pb2.PARSER_STATE_READY


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a run is made with, beside its plan.

    Attributes:
        intake: the service that looks at the documents first.
        shared: the folder that parser containers see; None when they are processes of this machine, or elsewhere.
        scratch: an empty folder of this run.
    """

    scorer: ScorerClient
    reporter: Reporter
    intake: Selected
    shared: Path | None
    scratch: Path
    machine: Machine
    commit: Commit
    argv: Sequence[str]
    interruption: Interruption


@dataclass(frozen=True, slots=True)
class Finished:
    """A run whose parsing is done: its id, whether it was resumed, and how each parser stood."""

    run_id: str
    resumed: bool
    outcomes: tuple[scorer_pb2.ParserOutcome, ...]


def run(plan: Plan, context: Context, *, run_id: str, skip_fresh: bool, resume_unscored: bool) -> Finished:
    """Parse everything the plan has and the store has not.

    Args:
        run_id: a run to resume; empty for the newest unfinished one with this plan, else a new one; ``new`` for a new
            one in any case.
        skip_fresh: take over rows that earlier runs measured under the same conditions.
        resume_unscored: a run that is parsed counts as unfinished until it is scored.

    Raises:
        IntakeFailed: the documents could not be looked at.
        ScorerRefusedError: the run cannot be resumed, or a row cannot be stored; what was acknowledged is kept.
    """
    patience = 0.0 if context.shared is None else composed.HEALTHY_SECONDS
    with contextlib.ExitStack() as stack:
        if context.shared is None:
            staged = staging.stage(plan.documents, context.scratch / "documents")
        else:
            staged, copies = staging.copy(plan.documents, context.shared)
            stack.callback(staging.clear, context.shared)
            plan = replace(plan, documents=copies)
        context.reporter.stage("preparing the parsers", len(plan.parsers))
        services = []
        for parser in plan.parsers:
            context.reporter.current(parser.key)
            serving = fleet.serving(parser, staged, context.scratch, context.interruption, patience=patience)
            services.append(stack.enter_context(serving))
            context.reporter.advance()
        # While the parsers come up; nothing is timed yet.
        findings = intake.look(
            plan.documents,
            parser=context.intake,
            staged=staged,
            scratch=context.scratch,
            reporter=context.reporter,
            interruption=context.interruption,
            patience=patience,
        )
        for service in services:
            service.reach()
            if service.description.licence:
                context.reporter.note(_licence(service))
        opened = context.scorer.open_run(
            _request(plan, services, findings, context, run_id, skip_fresh=skip_fresh, resume_unscored=resume_unscored)
        )
        if opened.resumed:
            context.reporter.note(f"resuming run {opened.run_id}: {len(opened.done)} parses are there already")
        done = {(key.parser, key.document_id, key.repeat) for key in opened.done}
        base = machine.calibrate()
        outcomes = []
        for service in services:
            tasks = [task for task in plan.tasks() if (service.parser.key, task.document.id, task.repeat) not in done]
            outcomes.append(_Parser(service, plan, findings, context, opened.run_id).work(tasks, base))
        context.scorer.close_run(opened.run_id, outcomes)
    return Finished(opened.run_id, opened.resumed, tuple(outcomes))


class _Parser:
    """One parser's share of a run."""

    def __init__(
        self, service: Service, plan: Plan, findings: dict[str, Finding], context: Context, run_id: str
    ) -> None:
        self._service = service
        self._plan = plan
        self._findings = findings
        self._context = context
        self._run_id = run_id
        self._outcome = scorer_pb2.ParserOutcome(
            parser=service.parser.key, state=service.description.state, reason=service.description.reason
        )

    def work(self, tasks: Sequence[Task], calibration: float) -> scorer_pb2.ParserOutcome:
        """Do the tasks; a parser that is not ready does none and says why."""
        key, reporter = self._service.parser.key, self._context.reporter
        if self._outcome.state != _READY or not tasks:
            return self._outcome
        reporter.stage(f"{key}: loading", 0)
        if not self._warm():
            return self._outcome
        pace = machine.calibrate()
        self._outcome.calibration_seconds = pace
        if abs(pace / calibration - 1) > DRIFT:
            self._outcome.flags.append("drift")
        reporter.stage(key, len(tasks))
        for task in tasks:
            self._context.interruption.check()
            reporter.current(task.document.id)
            with self._measured(task) as measured:
                record = measured.record
                record.run_id, record.parser, record.repeat = self._run_id, key, task.repeat
                self._context.scorer.submit(record, measured.output, measured.chunks)
            reporter.advance(failure=_failure(record))
            if record.done.worker_ended and not self._revive():
                break
        with contextlib.suppress(grpc.RpcError):
            self._service.client.unload()
        return self._outcome

    @contextlib.contextmanager
    def _measured(self, task: Task) -> Iterator[measure.Measured]:
        document, finding = task.document, self._findings[task.document.id]
        if finding.status is not None:
            record = measure.settled(document, finding.status, finding.reason)
        elif document.format not in self._service.description.formats:
            reason = f"{self._service.parser.name} does not read {document.format} documents"
            record = measure.settled(document, parser_pb2.PARSE_STATUS_UNSUPPORTED, reason)
        else:
            with measure.measure(
                self._service.client,
                document,
                pages=document.pages if document.pages is not None else finding.pages,
                limits=self._plan.limits,
                by_path=self._service.by_path,
                exclusive=self._plan.exclusive,
            ) as measured:
                yield measured
            return
        yield measure.Measured(record, io.BytesIO(), io.BytesIO())

    def _warm(self) -> bool:
        """Load the parser; what goes wrong becomes the outcome's state."""
        try:
            warmup = self._service.client.warmup(
                seconds=WARMUP_SECONDS, memory_bytes=self._plan.limits.memory_bytes, timeout=2 * WARMUP_SECONDS
            )
        except grpc.RpcError as error:
            self._outcome.state = parser_pb2.PARSER_STATE_UNHEALTHY
            details = error.details() if isinstance(error, grpc.Call) else error
            self._outcome.reason = f"the service was lost while loading: {details}"
            return False
        if not self._outcome.warmup.probes:
            self._outcome.warmup.CopyFrom(warmup)
        self._outcome.state, self._outcome.reason = warmup.state, warmup.reason
        return warmup.state == _READY

    def _revive(self) -> bool:
        """Load the parser again after its worker ended; the whole service if it is gone too."""
        if self._warm():
            return True
        self._service.launch()
        self._service.reach()
        return self._service.description.state == _READY and self._warm()


def _licence(service: Service) -> str:
    """Return the line that says under which licence a parser is used here."""
    note = service.description.licence_note
    return f"{service.parser.key}: licence {service.description.licence}" + (f" ({note})" if note else "")


def _failure(record: scorer_pb2.ParseRecord) -> str:
    """Return the line for a document that failed, empty for one that did not; a known limit is no news."""
    if record.done.status in (parser_pb2.PARSE_STATUS_OK, parser_pb2.PARSE_STATUS_UNSUPPORTED):
        return ""
    word = parser_pb2.ParseStatus.Name(record.done.status).removeprefix("PARSE_STATUS_").lower()
    return f"{record.document_id}: {word}: {record.done.reason}"


def _request(
    plan: Plan,
    services: Sequence[Service],
    findings: dict[str, Finding],
    context: Context,
    run_id: str,
    *,
    skip_fresh: bool,
    resume_unscored: bool,
) -> scorer_pb2.OpenRunRequest:
    documents = []
    for document in plan.documents:
        finding = findings[document.id]
        documents.append(
            scorer_pb2.RunDocument(
                document_id=document.id,
                domain=document.domain,
                format=document.format,
                pages=document.pages if document.pages is not None else finding.pages,
                pages_estimated=document.pages is None and finding.estimated,
                sha256=document.sha256,
                bytes=document.bytes,
                annotations=document.annotations,
                gold_digest=document.gold_digest,
                intake_notes=finding.notes,
            )
        )
    return scorer_pb2.OpenRunRequest(
        run=scorer_pb2.Run(
            plan_digest=plan.digest(),
            suite=plan.suite,
            mode=plan.mode,
            exclusive=plan.exclusive,
            scope_json=json.dumps(plan.scope),
            machine_json=context.machine.json(),
            machine_digest=context.machine.digest(),
            commit=context.commit.name,
            dirty=context.commit.dirty,
            argv=context.argv,
            timeout_seconds=plan.limits.seconds,
            timeout_seconds_per_page=plan.limits.seconds_per_page,
            memory_bytes=plan.limits.memory_bytes,
            cpus=plan.cpus,
            repeats=plan.repeats,
            corpus_name=plan.corpus.name,
            corpus_version=plan.corpus.version,
            corpus_digest=plan.corpus.digest,
            corpus_path=str(plan.corpus.folder),
        ),
        parsers=[
            scorer_pb2.RunParser(
                parser=service.parser.key,
                description=service.description,
                transport="path" if service.by_path else "bytes",
                replicas=1,
            )
            for service in services
        ],
        documents=documents,
        skip_fresh=skip_fresh,
        resume_unscored=resume_unscored,
        run_id=run_id,
    )
