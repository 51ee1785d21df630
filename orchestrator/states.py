"""A parser's state as the word that a person reads, and back."""

from docassay.v1 import parser_pb2

_PREFIX = "PARSER_STATE_"


def word(state: "parser_pb2.ParserState.ValueType") -> str:
    """Return ``ready``, ``weights_unavailable`` and the like.

    Raises:
        ValueError: the contract has no such state.
    """
    return parser_pb2.ParserState.Name(state).removeprefix(_PREFIX).lower()


def value(word: str) -> "parser_pb2.ParserState.ValueType":
    """Return the state that a word stands for.

    Raises:
        ValueError: there is none.
    """
    return parser_pb2.ParserState.Value(_PREFIX + word.upper())
