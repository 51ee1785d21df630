from typing import Any

from scorer.suites.omniparse import RC1, V1_0_0
from scorer.suites.omniparse.vocabulary import READS


def _line(test_type: str, result: str, document: str = "d", **more: Any) -> dict[str, Any]:
    return {
        "page_id": "p",
        "suite": "s",
        "document": document,
        "test_id": "t",
        "test_type": test_type,
        "output_type": READS[test_type],
        "derivation": "authored",
        "tags": [],
        "result": result,
        "why": "",
    } | more


LINES = [
    _line("present", "pass", tags=["eng"]),
    _line("order", "fail", tags=["eng"]),
    _line("repeat", "pass", "e"),
    _line("table_cell", "pass"),
    _line("layout_kind", "unsupported"),
]


class TestHeadline:
    def test_a_family_without_a_scored_test_leaves_no_headline(self) -> None:
        """rc1: text 2/3, tables 1, layout none, so none. 1.0.0: what is not passed failed."""
        rc1 = RC1.summarize(LINES)
        assert rc1["headline"] is None
        assert {name: family["score"] for name, family in rc1["families"].items()} == {
            "text": 2 / 3,
            "tables": 1.0,
            "layout": None,
        }
        assert V1_0_0.summarize(LINES)["headline"] == (2 / 3 + 1 + 0) / 3

    def test_the_mean_over_families_is_not_the_pooled_rate(self) -> None:
        """Four tests of text and one of tables count half each."""
        lines = [_line("present", "fail")] * 4 + [_line("table_cell", "pass")]
        assert RC1.summarize(lines)["headline"] == 0.5
        assert RC1.summarize(lines)["html"]["score"] == 0.2

    def test_documents_and_tags(self) -> None:
        """Documents are counted once, tags with their tests, pages and documents."""
        rc1 = RC1.summarize(LINES)
        assert rc1["documents"] == 2
        assert rc1["html"]["per_tag"] == {"eng": {"score": 0.5, "tests": 2, "pages": 1, "documents": 1}}
        assert rc1["blocks"] == {
            "score": None,
            "tests": 0,
            "unsupported": 1,
            "documents": 0,
            "per_test_type": {},
            "per_tag": {},
        }
