"""The words for a parser's state are those of the contract."""

import pytest

from docassay.v1 import parser_pb2
from orchestrator import states
from services.runtime import readiness


@pytest.mark.parametrize(
    ("state", "word"),
    [
        (parser_pb2.PARSER_STATE_READY, readiness.READY),
        (parser_pb2.PARSER_STATE_REQUIREMENT_MISSING, readiness.REQUIREMENT_MISSING),
        (parser_pb2.PARSER_STATE_WEIGHTS_UNAVAILABLE, readiness.WEIGHTS_UNAVAILABLE),
        (parser_pb2.PARSER_STATE_UNHEALTHY, "unhealthy"),
    ],
)
def test_there_and_back(state: "parser_pb2.ParserState.ValueType", word: str) -> None:
    """What a service is found to lack has a state of its own."""
    assert states.word(state) == word
    assert states.value(word) == state


def test_no_such_state() -> None:
    """A word of no state is refused, never another state."""
    with pytest.raises(ValueError, match="PARSER_STATE_TIRED"):
        states.value("tired")
