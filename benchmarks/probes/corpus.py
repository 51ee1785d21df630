"""The probes: every file, and the question that is asked of what a parser makes of it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from benchmarks.probes import kept, portable, presentation, verdicts, web, wordprocessing
from benchmarks.probes.verdicts import Output


@dataclass(frozen=True, slots=True)
class Probe:
    """One thing in one format."""

    name: str
    format: str
    make: Callable[[], bytes]
    ask: Callable[[Output], str]

    @property
    def key(self) -> str:
        """How the probe stands in the record."""
        return f"{self.name}.{self.format}"


def _everywhere(name: str, ask: Callable[[Output], str], **makers: Callable[[], bytes]) -> list[Probe]:
    return [Probe(name, format, make, ask) for format, make in makers.items()]


PROBES: tuple[Probe, ...] = (
    *_everywhere(
        "three heading levels",
        verdicts.levels,
        pdf=portable.headings,
        docx=wordprocessing.headings,
        html=web.headings,
    ),
    *_everywhere(
        "a plain table",
        verdicts.grid,
        pdf=portable.plain_table,
        docx=wordprocessing.plain_table,
        pptx=presentation.plain_table,
        html=web.plain_table,
    ),
    *_everywhere(
        "merged header cells",
        partial(verdicts.span, text="Sales", side="colspan"),
        pdf=portable.colspan,
        docx=wordprocessing.colspan,
        pptx=presentation.colspan,
        html=web.colspan,
    ),
    *_everywhere(
        "a cell over two rows",
        partial(verdicts.span, text="North", side="rowspan"),
        pdf=portable.rowspan,
        docx=wordprocessing.rowspan,
        pptx=presentation.rowspan,
        html=web.rowspan,
    ),
    *_everywhere("a table across pages", verdicts.tables, pdf=portable.long_table),
    *_everywhere("two columns", verdicts.order, pdf=portable.columns),
    *_everywhere(
        "nested lists",
        verdicts.nesting,
        pdf=portable.nested_list,
        docx=wordprocessing.nested_list,
        pptx=presentation.nested_list,
        html=web.nested_list,
    ),
    *_everywhere(
        "footnotes",
        lambda output: verdicts.kept(output, "Words of the note"),
        pdf=portable.footnote,
        docx=wordprocessing.footnote,
        html=web.footnote,
    ),
    *_everywhere(
        "running headers",
        lambda output: verdicts.kept(output, "Words on every page"),
        pdf=portable.running,
        docx=wordprocessing.running,
    ),
    *_everywhere("grouped shapes", lambda output: verdicts.kept(output, "Words in a group"), pptx=presentation.group),
    *_everywhere(
        "speaker notes", lambda output: verdicts.kept(output, "Words for the speaker"), pptx=presentation.notes
    ),
    *_everywhere("tracked changes", verdicts.changes, docx=wordprocessing.tracked),
    *_everywhere("comments", lambda output: verdicts.kept(output, "Remark in the margin"), docx=wordprocessing.comment),
    *_everywhere(
        "content controls", lambda output: verdicts.kept(output, "Words in a control"), docx=wordprocessing.control
    ),
    *_everywhere("text boxes", lambda output: verdicts.kept(output, "Words in a box"), docx=wordprocessing.box),
    *_everywhere(
        "right-to-left text",
        verdicts.direction,
        pdf=kept.right_to_left,
        docx=wordprocessing.right_to_left,
        pptx=presentation.right_to_left,
        html=web.right_to_left,
    ),
    *_everywhere("inline XBRL", verdicts.hidden, html=web.inline_xbrl),
    *_everywhere("a page in SGML", verdicts.unwrapped, html=web.wrapped),
    *_everywhere(
        "a link",
        verdicts.address,
        pdf=portable.link,
        docx=wordprocessing.link,
        pptx=presentation.link,
        html=web.link,
    ),
    *_everywhere(
        "a password",
        lambda output: verdicts.kept(output, "Words under lock."),
        pdf=portable.password,
        docx=kept.locked,
    ),
)
