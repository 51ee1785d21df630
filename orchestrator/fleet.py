"""The parser services of a run: started here or reached at an address, described, and ended."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import grpc

from docassay.v1 import parser_pb2 as pb
from orchestrator import local, replicas, selection
from orchestrator.client import ParserClient
from orchestrator.containers import composed
from orchestrator.environments import EnvironmentFailed
from orchestrator.interruption import Interruption
from orchestrator.selection import Selected
from orchestrator.staging import PROBE_NAME, Staged
from services.runtime.descriptor import DescriptorError

_DESCRIBE_SECONDS = 60.0
_REPLICA_SECONDS = 30.0
"""How long one of several replicas may take to come up."""


class Service:
    """One parser's service, or several replicas of it behind one name.

    Attributes:
        named: what it is called where it was asked for: in compose, its service's name.
        parser: which parser, with the version and setting it says it has.
        description: what it says of itself once it is reached; without a connection, its state and reason are filled in
            here.
        by_path: every replica sees the staged folder, so documents need not be sent.
        clients: one connection a replica; there is one at least whenever the description's state is ready.
        unanswered: the replicas that did not answer, though others did: where, and why.
    """

    def __init__(
        self, parser: Selected, staged: Staged, scratch: Path, interruption: Interruption, *, patience: float
    ) -> None:
        self.named = parser.name
        self.parser = parser
        self.description = pb.DescribeResponse()
        self.by_path = False
        self.clients: list[ParserClient] = []
        self.unanswered: list[str] = []
        self._staged = staged
        self._scratch = scratch
        self._interruption = interruption
        self._patience = patience
        self._process: local.Process | None = None
        self._starts = 0
        self._failure: tuple[pb.ParserState.ValueType, str] | None = None
        self.launch()

    def launch(self) -> None:
        """Begin to start the service, if it is to be started here; several may come up side by side."""
        self.stop()
        self._interruption.check()
        self._failure = None
        if self.parser.addresses:
            return
        assert self.parser.descriptor is not None, "a parser without an address has a folder"
        self._starts += 1
        scratch = self._scratch / f"{self.parser.key.replace(':', '-')}-{self._starts}"
        scratch.mkdir()
        try:
            self._process = local.launch_parser(
                folder=self.parser.descriptor.folder,
                version=self.parser.version,
                setting=self.parser.setting,
                documents=self._staged.folder,
                scratch=scratch,
                socket=scratch / "s",
            )
        except local.NotReady as error:
            self._failure = error.state, str(error)
        except (EnvironmentFailed, DescriptorError) as error:
            self._failure = pb.PARSER_STATE_UNHEALTHY, str(error)

    def reach(self) -> None:
        """Wait for the service and ask what it is; what goes wrong becomes the description's state."""
        self._interruption.check()
        if self._failure:
            self._not_ready(*self._failure)
            return
        try:
            if self._process is None and self._patience:
                composed.await_health(
                    self.parser.addresses[0],
                    service=self.named,
                    seconds=self._patience,
                    check=self._interruption.check,
                )
            if self._process is not None:
                local.wait(self._process)
        except (local.ServiceFailed, composed.ComposedError) as error:
            self._not_ready(pb.PARSER_STATE_UNHEALTHY, str(error))
            return
        named = self.parser.addresses if self._process is None else (self._process.address,)
        descriptions = self._describe([address for name in named for address in replicas.addresses(name)])
        if not descriptions:
            self._not_ready(pb.PARSER_STATE_UNHEALTHY, f"the service does not answer: {'; '.join(self.unanswered)}")
            return
        self.description = descriptions[0]
        if differences := _differences(descriptions):
            self._not_ready(
                pb.PARSER_STATE_UNHEALTHY, f"its replicas are not of one kind: they differ in {', '.join(differences)}"
            )
            return
        self.by_path = all(found.probe_sha256 == self._staged.probe_sha256 for found in descriptions)
        answering = Selected(
            _parser_id(self.named, self.description),
            self.description.version,
            self.description.setting,
            self.parser.descriptor,
            self.parser.addresses,
        )
        if not _asked_for(self.parser, answering):
            where = self.clients[0].address
            self._not_ready(
                pb.PARSER_STATE_UNHEALTHY, f"{answering.key} answers at {where}, and {self.parser.key} was asked for"
            )
            return
        self.parser = answering

    def stop(self) -> None:
        """End the service if it was started here, else let go of it."""
        for client in self.clients:
            client.close()
        self.clients = []
        if self._process is not None:
            local.stop(self._process)
            self._process = None

    def drop(self, client: ParserClient) -> None:
        """Let go of one replica."""
        self.clients.remove(client)
        client.close()

    def _describe(self, addresses: Sequence[str]) -> list[pb.DescribeResponse]:
        """Connect to every address and return what those that answer say of themselves."""
        descriptions, self.unanswered = [], []
        for address in addresses:
            client = ParserClient(address, self._interruption)
            if len(addresses) > 1:
                client.answers(seconds=_REPLICA_SECONDS)  # replicas come up one by one
            try:
                descriptions.append(client.describe(probe_path=PROBE_NAME, timeout=_DESCRIBE_SECONDS))
            except grpc.RpcError as error:
                client.close()
                details = error.details() if isinstance(error, grpc.Call) else error
                self.unanswered.append(f"{address}: {details}" if len(addresses) > 1 else f"{details}")
            else:
                self.clients.append(client)
        return descriptions

    def _not_ready(self, state: "pb.ParserState.ValueType", reason: str) -> None:
        known = self.parser.descriptor or self.description  # what it told before it was found to be of no use
        self.description = pb.DescribeResponse(
            name=self.parser.name,
            version=self.parser.version,
            setting=self.parser.setting,
            formats=known.formats,
            licence=known.licence,
            licence_note=known.licence_note,
            state=state,
            reason=reason,
        )


def _parser_id(named: str, description: pb.DescribeResponse) -> str:
    """Return the parser's id: the name by which it was asked for, without the setting that compose names it by too."""
    own = selection.service_name(description.name, description.setting)
    return description.name if description.setting and named == own else named


def _asked_for(asked: Selected, answering: Selected) -> bool:
    """Whether a service has the version and the setting that were asked for; those not named may be any."""
    if asked.version and (asked.version, asked.setting) != (answering.version, answering.setting):
        return False
    return asked.setting in ("", answering.setting)


def _differences(descriptions: Sequence[pb.DescribeResponse]) -> list[str]:
    """Return the fields in which replicas differ; what each reads of the staged folder is its own."""
    fields = [name for name in pb.DescribeResponse.DESCRIPTOR.fields_by_name if name != "probe_sha256"]
    return [
        name for name in fields if any(getattr(found, name) != getattr(descriptions[0], name) for found in descriptions)
    ]


@contextlib.contextmanager
def serving(
    parser: Selected, staged: Staged, scratch: Path, interruption: Interruption, *, patience: float
) -> Iterator[Service]:
    """Give one service that is coming up, and end it afterwards; ``reach`` it before it is called.

    Args:
        patience: how many seconds a service at an address may take to come up, at first and after it was lost; 0 for
            one that somebody else keeps, which has come up already.
    """
    service = Service(parser, staged, scratch, interruption, patience=patience)
    try:
        yield service
    finally:
        service.stop()
