"""What is said of a run's remarks while it is scored."""

import pytest

from docassay.v1 import scorer_pb2 as pb
from orchestrator.cli import following


class Notes:
    """A reporter that keeps what it is to say."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def stage(self, name: str, total: int) -> None:
        pass

    def current(self, name: str) -> None:
        pass

    def advance(self, *, failure: str = "") -> None:
        pass

    def note(self, text: str) -> None:
        self.said.append(text)


@pytest.mark.parametrize(("warnings", "last"), [(5, "warning: w4"), (6, "1 more warning: "), (7, "2 more warnings: ")])
def test_the_rest_of_many_warnings_is_counted_and_asked_of_this_run_alone(warnings: int, last: str) -> None:
    """Other runs have warnings too."""
    done = pb.ScoreDone(run_id="20261130_101500", warnings=[f"w{number}" for number in range(warnings)])
    notes = Notes()
    assert following.follow([pb.ScoreResponse(done=done)], notes) == "20261130_101500"
    query = "docassay sql \"from warnings where run_id = '20261130_101500'\""
    assert notes.said[-1] == (last + query if warnings > 5 else last)
