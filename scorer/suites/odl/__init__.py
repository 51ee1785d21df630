"""opendataloader-bench: NID, TEDS and MHS of a page's markdown, as its published evaluations have them."""

from scorer.suites.odl.document import DocumentScores, Summary, score_document, summarize

__all__ = ["DocumentScores", "Summary", "score_document", "summarize"]
