"""How far the scorer is, shown while it works."""

from collections.abc import Iterable

from docassay.v1 import scorer_pb2
from orchestrator.progress import Reporter
from scorer.counting import counted

SHOWN_WARNINGS = 5


def follow(responses: Iterable[scorer_pb2.ScoreResponse], report: Reporter) -> str:
    """Show progress and the first remarks; return the id of the run that was scored."""
    stage, seen, scored = "", 0, ""
    for response in responses:
        if response.WhichOneof("part") == "done":
            scored = response.done.run_id
            warnings = response.done.warnings
            for warning in warnings[:SHOWN_WARNINGS]:
                report.note(f"warning: {warning}")
            if len(warnings) > SHOWN_WARNINGS:
                more = counted(len(warnings) - SHOWN_WARNINGS, "more warning")
                report.note(f"{more}: docassay sql \"from warnings where run_id = '{scored}'\"")
            continue
        progress = response.progress
        if progress.stage != stage:
            stage, seen = progress.stage, 0
            report.stage(stage, progress.total)
        report.current(progress.current)
        for _ in range(progress.completed - seen):
            report.advance()
        seen = progress.completed
    return scored
