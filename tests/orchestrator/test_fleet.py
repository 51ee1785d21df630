"""A service at an address: which parser it is, and whether it is the one that was asked for."""

from collections.abc import Iterator
from concurrent import futures
from pathlib import Path

import grpc
import pytest

from docassay.v1 import parser_pb2 as pb
from docassay.v1 import parser_pb2_grpc
from orchestrator import fleet, run, selection
from orchestrator.interruption import Interruption
from orchestrator.plan import PlanError
from orchestrator.staging import Staged


class Parser(parser_pb2_grpc.ParserServicer):
    """A parser that says what it is, and nothing else."""

    def __init__(self, setting: str) -> None:
        self.description = pb.DescribeResponse(
            name="tool",
            version="1.2",
            setting=setting,
            state=pb.PARSER_STATE_READY,
            licence="Custom",
            licence_note="ask its maker",
        )

    def Describe(self, request: pb.DescribeRequest, context: grpc.ServicerContext) -> pb.DescribeResponse:
        return self.description


@pytest.fixture(name="addresses")
def _addresses() -> Iterator[dict[str, str]]:
    """Two services of one parser, one for each setting, as compose names them."""
    servers, found = [], {}
    for name, setting in (("tool", ""), ("tool_no_models", "no-models")):
        server = grpc.server(futures.ThreadPoolExecutor(1))
        parser_pb2_grpc.add_ParserServicer_to_server(Parser(setting), server)
        found[name] = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        server.start()
        servers.append(server)
    yield found
    for server in servers:
        server.stop(None)


@pytest.fixture(name="reached")
def _reached(addresses: dict[str, str], tmp_path: Path) -> Iterator["Reached"]:
    found = Reached(addresses, tmp_path)
    yield found
    for service in found.services:
        service.stop()


class Reached:
    """Every service that was asked for, reached."""

    def __init__(self, addresses: dict[str, str], folder: Path) -> None:
        self.addresses = addresses
        self.services: list[fleet.Service] = []
        self._folder = folder

    def __call__(self, *names: str) -> list[tuple[str, int]]:
        """Return what each is in every table, and its state."""
        for selected in selection.among(names, self.addresses):
            service = fleet.Service(selected, Staged(self._folder, "-"), self._folder, Interruption(), patience=0)
            service.reach()
            self.services.append(service)
        return [(service.parser.key, service.description.state) for service in self.services]


READY, UNHEALTHY = pb.PARSER_STATE_READY, pb.PARSER_STATE_UNHEALTHY


def test_a_service_of_a_setting_is_its_parser_in_that_setting(reached: Reached) -> None:
    """It stands in every table as the same parser does in a local run."""
    assert reached() == [("tool@1.2", READY), ("tool@1.2:no-models", READY)]


def test_a_name_of_the_user_s_own_stays(reached: Reached) -> None:
    """Whoever gives an address a name means that name."""
    reached.addresses = {"mine": reached.addresses["tool_no_models"]}
    assert reached() == [("mine@1.2:no-models", READY)]


@pytest.mark.parametrize(
    ("asked", "key", "state"),
    [
        ("tool:no-models", "tool@1.2:no-models", READY),
        ("tool@1.2:no-models", "tool@1.2:no-models", READY),
        ("tool@1.2", "tool@1.2", READY),
        ("tool@1.3", "tool@1.3", UNHEALTHY),
        ("tool:other", "tool:other", UNHEALTHY),
    ],
)
def test_what_was_asked_for_is_held_against_what_answers(reached: Reached, asked: str, key: str, state: int) -> None:
    """Another version or setting must not pass for it; what was not named may be any."""
    assert reached(asked) == [(key, state)]
    description = reached.services[0].description
    if state == UNHEALTHY:
        assert "tool@1.2 answers at" in description.reason
    assert (description.licence, description.licence_note) == ("Custom", "ask its maker")


def test_two_services_of_one_parser_are_refused(reached: Reached) -> None:
    """Both would have the same rows."""
    reached.addresses["tool"] = reached.addresses["tool_no_models"]
    reached("tool", "tool_no_models")
    with pytest.raises(PlanError, match=r"tool and tool_no_models are both tool@1\.2:no-models: leave one out"):
        run.check_distinct(reached.services)
