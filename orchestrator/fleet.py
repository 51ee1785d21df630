"""The parser services of a run: started here or reached at an address, described, and ended."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import grpc

from docassay.v1 import parser_pb2 as pb
from orchestrator import local
from orchestrator.client import ParserClient
from orchestrator.containers import composed
from orchestrator.environments import EnvironmentFailed
from orchestrator.interruption import Interruption
from orchestrator.selection import Selected
from orchestrator.staging import PROBE_NAME, Staged
from services.runtime.descriptor import DescriptorError
from services.runtime.ownership import owned

_DESCRIBE_SECONDS = 60.0


class Service:
    """One parser's service.

    Attributes:
        parser: which parser, with the version and setting it says it has.
        description: what it says of itself once it is reached; without a connection, its state and reason are filled in
            here.
        by_path: it sees the staged folder, so documents need not be sent.
    """

    def __init__(
        self, parser: Selected, staged: Staged, scratch: Path, interruption: Interruption, *, patience: float
    ) -> None:
        self.parser = parser
        self.description = pb.DescribeResponse()
        self.by_path = False
        self._staged = staged
        self._scratch = scratch
        self._interruption = interruption
        self._patience = patience
        self._process: local.Process | None = None
        self._client: ParserClient | None = None
        self._starts = 0
        self._failure: tuple[pb.ParserState.ValueType, str] | None = None
        self.launch()

    @property
    def client(self) -> ParserClient:
        """The connection; there is one whenever the description's state is ready."""
        assert self._client is not None, "a service that did not start was called"
        return self._client

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
                    service=self.parser.name,
                    seconds=self._patience,
                    check=self._interruption.check,
                )
            if self._process is not None:
                local.wait(self._process)
            address = self._process.address if self._process is not None else self.parser.addresses[0]
            self._client = ParserClient(address, self._interruption)
            self.description = self._client.describe(probe_path=PROBE_NAME, timeout=_DESCRIBE_SECONDS)
        except (local.ServiceFailed, composed.ComposedError) as error:
            self._not_ready(pb.PARSER_STATE_UNHEALTHY, str(error))
        except grpc.RpcError as error:
            details = error.details() if isinstance(error, grpc.Call) else error
            self._not_ready(pb.PARSER_STATE_UNHEALTHY, f"the service does not answer: {details}")
        else:
            answering = Selected(
                self.parser.name,
                self.description.version,
                self.description.setting,
                self.parser.descriptor,
                self.parser.addresses,
            )
            if self.parser.version and answering.key != self.parser.key:
                self._not_ready(
                    pb.PARSER_STATE_UNHEALTHY,
                    f"{answering.key} answers at {address}, and {self.parser.key} was asked for",
                )
                return
            self.by_path = self.description.probe_sha256 == self._staged.probe_sha256
            self.parser = answering

    def stop(self) -> None:
        """End the service if it was started here, else let go of it."""
        if self._client is not None:
            self._client.close()
            self._client = None
        if self._process is not None:
            local.stop(self._process)
            self._process = None

    def _not_ready(self, state: "pb.ParserState.ValueType", reason: str) -> None:
        entry = self.parser.descriptor
        self.description = pb.DescribeResponse(
            name=self.parser.name,
            version=self.parser.version,
            setting=self.parser.setting,
            formats=entry.formats if entry else (),
            licence=entry.licence if entry else "",
            state=state,
            reason=reason,
        )


@contextlib.contextmanager
def serving(
    parser: Selected, staged: Staged, scratch: Path, interruption: Interruption, *, patience: float
) -> Iterator[Service]:
    """Give one service that is coming up, and end it afterwards; ``reach`` it before it is called.

    Args:
        patience: how many seconds a service at an address may take to come up, at first and after it was lost; 0 for
            one that somebody else keeps, which has come up already.
    """
    with owned(scratch):
        service = Service(parser, staged, scratch, interruption, patience=patience)
        try:
            yield service
        finally:
            service.stop()
