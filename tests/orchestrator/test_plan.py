"""Plans and the digest that lets a run be resumed."""

import dataclasses
from pathlib import Path

import pytest

from orchestrator import local, plan, selection
from orchestrator.corpus import Corpus, Document
from orchestrator.limits import Limits
from orchestrator.plan import Plan, PlanError


def document(name: str) -> Document:
    return Document(
        id=name,
        domain="d",
        format="pdf",
        pages=1,
        path=Path("/nowhere") / name,
        sha256=name * 64,
        bytes=1,
        annotations=(),
        gold_digest="",
    )


CORPUS = Corpus(name="c", version="1", folder=Path("/nowhere"), digest="x", documents=tuple(map(document, "abc")))
PLAN = Plan(
    suite="bizdoc",
    mode="local",
    corpus=CORPUS,
    documents=CORPUS.documents,
    scope=None,
    parsers=tuple(selection.select(["markitdown"], local.SERVICES)),
    repeats=2,
    limits=Limits(),
    cpus=(0, 1),
)


class TestPlan:
    def test_every_document_comes_once_before_any_comes_again(self) -> None:
        """Repeats of one document lie apart in time, so that drift of the machine falls on all alike."""
        tasks = [(task.document.id, task.repeat) for task in PLAN.tasks()]
        assert tasks == [("a", 1), ("b", 1), ("c", 1), ("a", 2), ("b", 2), ("c", 2)]

    @pytest.mark.parametrize(
        "change",
        [
            {"documents": CORPUS.documents[:2]},
            {"parsers": tuple(selection.select(["markitdown@0.1.6"], local.SERVICES))},
            {"repeats": 3},
            {"limits": Limits(seconds=60)},
            {"limits": Limits(memory_bytes=1 << 30)},
            {"cpus": (0,)},
            {"corpus": dataclasses.replace(CORPUS, digest="y")},
            {"mode": "remote"},
        ],
    )
    def test_whatever_changes_what_is_measured_changes_the_digest(self, change: dict[str, object]) -> None:
        """A run is resumed under the very same conditions only."""
        assert dataclasses.replace(PLAN, **change).digest() != PLAN.digest()  # type: ignore[arg-type]

    def test_the_same_plan_has_the_same_digest(self) -> None:
        """The digest depends on content, not on objects."""
        assert dataclasses.replace(PLAN, documents=tuple(map(document, "abc"))).digest() == PLAN.digest()


class TestChoose:
    def test_ids_are_taken_in_manifest_order(self) -> None:
        """The order of the command line does not matter."""
        chosen, partial = plan.choose(CORPUS, ids=["c", "a"], limit=None)
        assert [entry.id for entry in chosen] == ["a", "c"]
        assert partial

    def test_naming_every_id_is_a_full_run(self) -> None:
        """What counts is what is in scope, not how it was written."""
        assert plan.choose(CORPUS, ids=["a", "b", "c"], limit=None)[1] is False

    def test_a_limit_above_the_manifest_is_a_full_run(self) -> None:
        """All documents are all documents."""
        assert plan.choose(CORPUS, ids=[], limit=99) == (CORPUS.documents, False)

    def test_unknown_ids_are_named(self) -> None:
        """All of them at once."""
        with pytest.raises(PlanError, match=r"not in the manifest of .*: x, y"):
            plan.choose(CORPUS, ids=["x", "a", "y"], limit=None)
