"""What a parser made of a page, as the outputs that OmniParseBench's tests read.

`html` is the parser's own where it writes HTML. Markdown goes through the benchmark's converter, the same for all;
plain text becomes one paragraph a line. `blocks` are the parser's, where it gives any.
"""

import html
from collections.abc import Sequence
from typing import Any

from scorer.suites.omniparse.markdown import to_html


def outputs_of_page(text: str, text_format: str, blocks: Sequence[tuple[Any, Any]] | None) -> dict[str, Any]:
    """Return the outputs by type.

    Args:
        text: Of the page.
        text_format: `markdown`, `html` or `plain`.
        blocks: Label and box of each; None for a parser that does not tell blocks apart.
    """
    match text_format:
        case "html":
            outputs: dict[str, Any] = {"html": text}
        case "plain":
            outputs = {"html": paragraphs(text)}
        case _:
            outputs = {"html": to_html(text)}
    if blocks is not None:
        outputs["blocks"] = [{"label": label, "bbox": box} for label, box in blocks]
    return outputs


def paragraphs(text: str) -> str:
    """Return plain text as HTML, one paragraph a line."""
    return "".join(f"<p>{html.escape(line)}</p>\n" for line in text.splitlines())
