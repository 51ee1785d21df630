"""Drives a run: every parser in turn over every document, each result on disk before the next parse begins."""

import contextlib
import io
import json
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import grpc

from docassay.v1 import parser_pb2, scorer_pb2
from orchestrator import fleet, intake, licences, machine, measure, staging
from orchestrator.client import ParserClient
from orchestrator.containers import composed
from orchestrator.fleet import Service
from orchestrator.intake import Finding
from orchestrator.interruption import Interruption
from orchestrator.machine import Commit, Machine
from orchestrator.plan import Plan, PlanError, Task
from orchestrator.progress import Reporter
from orchestrator.scorer_client import ScorerClient
from orchestrator.selection import Selected
from orchestrator.sharing import Share
from scorer.counting import counted

WARMUP_SECONDS = 900.0
"""Loading models from a cold disk takes minutes; it is recorded and never scored."""

DRIFT = 0.05
"""By how much the calibration loop may differ between parsers before the run is flagged."""

AWAIT_SECONDS = 60.0
"""How long a lost replica may take to come back while the others go on."""

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
        PlanError: two services are of one parser in one version and setting.
        ScorerRefusedError: the run cannot be resumed, or a row cannot be stored; what was acknowledged is kept.
    """
    patience = 0.0 if context.shared is None else composed.HEALTHY_SECONDS
    with contextlib.ExitStack() as stack:
        if context.shared is None:
            staged, placed = staging.stage(plan.documents, context.scratch / "documents")
        else:
            staged, placed = staging.copy(plan.documents, context.shared)
            stack.callback(staging.clear, context.shared)
        plan = replace(plan, documents=placed)
        if assisted := [document.id for document in placed if document.assisted != "none"]:
            context.reporter.note(
                f"{counted(len(assisted), 'document')} fetched from a source or taken out of SGML, which the method "
                f"counts as no parser's work: {', '.join(assisted)}"
            )
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
            for gone in service.unanswered if service.clients else ():
                context.reporter.note(f"{service.parser.key}: a replica does not answer: {gone}")
            if service.description.licence:
                told = service.description
                context.reporter.note(licences.line(service.parser.key, told.licence, told.licence_note))
        check_distinct(services)
        # Replicas work side by side, so their speeds are those of a busy machine.
        exclusive = plan.exclusive and all(len(service.clients) <= 1 for service in services)
        opened = context.scorer.open_run(
            _request(
                plan,
                services,
                findings,
                context,
                run_id,
                exclusive=exclusive,
                skip_fresh=skip_fresh,
                resume_unscored=resume_unscored,
            )
        )
        if opened.resumed:
            context.reporter.note(f"resuming run {opened.run_id}, which has {counted(len(opened.done), 'parse')}")
        done = {(key.parser, key.document_id, key.repeat) for key in opened.done}
        base = machine.calibrate()
        outcomes = []
        for service in services:
            tasks = [task for task in plan.tasks() if (service.parser.key, task.document.id, task.repeat) not in done]
            outcomes.append(
                _Parser(service, plan, findings, context, opened.run_id, exclusive=exclusive).work(tasks, base)
            )
        context.scorer.close_run(opened.run_id, outcomes)
    return Finished(opened.run_id, opened.resumed, tuple(outcomes))


class _Parser:
    """One parser's share of a run."""

    def __init__(
        self,
        service: Service,
        plan: Plan,
        findings: dict[str, Finding],
        context: Context,
        run_id: str,
        *,
        exclusive: bool,
    ) -> None:
        self._service = service
        self._plan = plan
        self._findings = findings
        self._context = context
        self._run_id = run_id
        self._exclusive = exclusive
        self._reporting = threading.Lock()
        self._lost: dict[Task, scorer_pb2.ParseRecord] = {}
        self._outcome = scorer_pb2.ParserOutcome(parser=service.parser.key)
        self._stand(service.description.state, service.description.reason)

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
        self._share(tasks)
        for client in self._service.clients:
            with contextlib.suppress(grpc.RpcError):
                client.unload()
        return self._outcome

    def _share(self, tasks: Sequence[Task]) -> None:
        """Let every replica do its share, one document at a time each."""
        count = len(self._service.clients)
        share = Share(tasks, replicas=count)
        if count == 1:
            self._take(share, 0)
        else:
            self._context.reporter.note(f"{self._service.parser.key}: {count} replicas, a document each at a time")
            with ThreadPoolExecutor(count) as pool:
                for taker in [pool.submit(self._take, share, index) for index in range(count)]:
                    taker.result()
        for task in share.abandoned():
            self._context.scorer.submit(self._lost[task], io.BytesIO(), io.BytesIO())
            self._context.reporter.advance(failure=_failure(self._lost[task]))

    def _take(self, share: Share, index: int) -> None:
        """Do one replica's share, until nothing is left or the replica is lost."""
        reporter = self._context.reporter
        try:
            while (task := share.take()) is not None:
                self._context.interruption.check()
                with self._reporting:
                    reporter.current(task.document.id)
                with self._measured(task, self._service.clients[index]) as measured:
                    record = measured.record
                    record.run_id, record.parser, record.repeat = self._run_id, self._service.parser.key, task.repeat
                    retried = measured.lost and share.give_back(task)
                    if retried:
                        self._lost[task] = record
                    else:
                        self._context.scorer.submit(record, measured.output, measured.chunks)
                        share.done()
                with self._reporting:
                    if retried:
                        reporter.note(f"{task.document.id}: {record.done.reason}; another replica gets the document")
                    else:
                        reporter.advance(failure=_failure(record))
                if record.done.worker_ended and not self._revive(share, index):
                    return
        except BaseException:
            share.close()
            raise

    @contextlib.contextmanager
    def _measured(self, task: Task, client: ParserClient) -> Iterator[measure.Measured]:
        document, finding = task.document, self._findings[task.document.id]
        if finding.status is not None:
            record = measure.settled(document, finding.status, finding.reason)
        elif document.format not in self._service.description.formats:
            reason = f"{self._service.parser.name} does not read {document.format} documents"
            record = measure.settled(document, parser_pb2.PARSE_STATUS_UNSUPPORTED, reason)
        else:
            with measure.measure(
                client,
                document,
                pages=document.pages if document.pages is not None else finding.pages,
                limits=self._plan.limits,
                by_path=self._service.by_path,
                exclusive=self._exclusive,
            ) as measured:
                yield measured
            return
        yield measure.Measured(record, io.BytesIO(), io.BytesIO())

    def _warm(self) -> bool:
        """Load every replica at once, and go on with those that are ready; what went wrong if none is, is the state."""
        clients = list(self._service.clients)
        with ThreadPoolExecutor(len(clients)) as pool:
            answers = list(zip(clients, pool.map(self._load, clients), strict=True))
        ready = [warmup for _, warmup in answers if warmup.state == _READY]
        told = ready[0] if ready else answers[0][1]
        if not self._outcome.warmup.probes:
            self._outcome.warmup.CopyFrom(told)
        self._stand(told.state, told.reason)
        for client, warmup in answers if ready else ():
            if warmup.state != _READY:
                self._note_loss(client, warmup)
                self._service.drop(client)
        return bool(ready)

    def _load(self, client: ParserClient) -> parser_pb2.WarmupResponse:
        """Load one replica; one that is lost meanwhile is unhealthy."""
        try:
            return client.warmup(
                seconds=WARMUP_SECONDS, memory_bytes=self._plan.limits.memory_bytes, timeout=2 * WARMUP_SECONDS
            )
        except grpc.RpcError as error:
            details = error.details() if isinstance(error, grpc.Call) else error
            return parser_pb2.WarmupResponse(
                state=parser_pb2.PARSER_STATE_UNHEALTHY, reason=f"the service was lost while loading: {details}"
            )

    def _revive(self, share: Share, index: int) -> bool:
        """Load a replica again after its worker ended; the whole service if it is gone too."""
        if len(self._service.clients) > 1:
            return self._await(share, index)
        if self._warm():
            return True
        self._service.launch()
        self._service.reach()
        return self._service.description.state == _READY and self._warm()

    def _await(self, share: Share, index: int) -> bool:
        """Load one replica of several again; the others go on meanwhile, so a lost one has some time to come back."""
        client, end = self._service.clients[index], time.monotonic() + AWAIT_SECONDS
        while not client.answers(seconds=1.0) and not share.finished and time.monotonic() < end:
            self._context.interruption.check()
        warmup = self._load(client)
        if warmup.state == _READY:
            return True
        with self._reporting:
            self._note_loss(client, warmup)
        if share.leave() == 0:
            self._stand(warmup.state, warmup.reason)
        return False

    def _stand(self, state: parser_pb2.ParserState.ValueType, reason: str) -> None:
        """Say how the parser stands; in compose nobody can run the command of its reason, inside a container."""
        self._outcome.state, self._outcome.reason = state, reason
        if state == parser_pb2.PARSER_STATE_WEIGHTS_UNAVAILABLE and self._context.shared is not None:
            self._outcome.reason = f"{reason}; {composed.FETCH_WEIGHTS}"

    def _note_loss(self, client: ParserClient, warmup: parser_pb2.WarmupResponse) -> None:
        self._context.reporter.note(
            f"{self._service.parser.key}: lost the replica at {client.address}: {warmup.reason}"
        )
        if "replica_lost" not in self._outcome.flags:
            self._outcome.flags.append("replica_lost")


def check_distinct(services: Sequence[Service]) -> None:
    """Refuse two services of one parser: what it stands for in every table must say which one it was.

    Raises:
        PlanError: two say that they are the same.
    """
    seen: dict[str, Service] = {}
    for service in services:
        other = seen.setdefault(service.parser.key, service)
        if other is not service:
            raise PlanError(
                f"{other.named} and {service.named} are both {service.parser.key}: leave one out of --parsers"
            )


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
    exclusive: bool,
    skip_fresh: bool,
    resume_unscored: bool,
) -> scorer_pb2.OpenRunRequest:
    documents, around = [], composed.here()
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
                assisted=measure.ASSISTANCE[document.assisted],
            )
        )
    return scorer_pb2.OpenRunRequest(
        run=scorer_pb2.Run(
            plan_digest=plan.digest(),
            suite=plan.suite,
            mode=plan.mode,
            exclusive=exclusive,
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
                replicas=max(len(service.clients), 1),
                gpu=around.gpu_of(service.named, context.machine.gpu),
            )
            for service in services
        ],
        documents=documents,
        skip_fresh=skip_fresh,
        resume_unscored=resume_unscored,
        run_id=run_id,
    )
