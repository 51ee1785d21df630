"""The Coverage axis."""

from scorer.suites.bizdoc.coverage import Coverage, coverage


def test_counts() -> None:
    """Parsed, failed, assisted and absent documents, in total and by format."""
    formats = {"a": "pdf", "b": "pdf", "c": "html", "d": "docx"}
    found = coverage(formats, {"a": "ok", "b": "timeout", "c": "assisted", "elsewhere": "ok"})
    assert found == Coverage(0.25, {"docx": 0.0, "html": 0.0, "pdf": 0.5}, 0.25)


def test_empty_scope() -> None:
    """Without documents there is no share."""
    assert coverage({}, {"a": "ok"}) == Coverage(None, {}, None)
