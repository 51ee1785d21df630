"""Measure the worst pages: ``python -m benchmarks.omnidoc.worst_pages``.

Each page is a shape that makes a careless step quadratic, repeated to a size (10 MB unless told), scored against one
gold page of text, formulas and a table, as the omnidoc and as the odl suite do, each in a process of its own. Prints a
line of JSON a page and suite: CPU seconds, the most memory held, whether the score is bounded. Exit code 1 when a bar
of 60 s or 2 GB is missed; a page that takes 300 s or 4 GB is given up.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping

from scorer.suites.odl import score_document
from scorer.suites.omnidoc.evaluation import score_page
from scorer.suites.omnidoc.gold import GoldPage, read_page
from scorer.suites.omnidoc.page import match_page

_SEED = 20
_WORDS = ("".join(random.Random(_SEED).choices("etaoinshrdlucm", k=1 + number % 9)) for number in range(3000))
_VOCABULARY = tuple(_WORDS)
_CJK = tuple(map(chr, range(0x4E00, 0x5E00)))
_BAR_SECONDS, _BAR_MEGABYTES = 60.0, 2000
_MOST_SECONDS, _MOST_BYTES = 300, 4 << 30

Shape = Callable[[int], str]


def _repeated(unit: str, end: str = "") -> Shape:
    return lambda size: unit * (size // len(unit)) + end


def _numbered(template: str) -> Shape:
    """Return a shape of distinct units: the template's `@` is a number."""

    def page(size: int) -> str:
        count = size // (len(template) + 5)
        return "".join(template.replace("@", str(number)) for number in range(count))

    return page


def _worded(template: str, *, words: int = 8) -> Shape:
    """Return a shape of units of random words, in the place of the template's `@`."""

    def page(size: int) -> str:
        source = random.Random(_SEED)
        parts: list[str] = []
        length = 0
        while length < size:
            parts.append(template.replace("@", " ".join(source.choices(_VOCABULARY, k=words))))
            length += len(parts[-1])
        return "".join(parts)

    return page


def _within(before: str, shape: Shape, behind: str) -> Shape:
    return lambda size: before + shape(size) + behind


SHAPES: Mapping[str, Shape] = {
    "one line": _worded("@ "),
    "one character": _repeated("a"),
    "CJK without blanks": lambda size: "".join(random.Random(_SEED).choices(_CJK, k=size // 3)),
    "short lines": _worded("@\n"),
    "lines of one character": _repeated("a\n"),
    "list items": _worded("- @\n", words=3),
    "numbered items": _numbered("@. item\n"),
    "paragraphs": _worded("@\n\n", words=40),
    "short paragraphs": _worded("@\n\n", words=2),
    "paragraphs of one character": _repeated("a\n\n"),
    "headings": _worded("## @\n\n", words=5),
    "number signs": _repeated("#"),
    "lines of number signs": _repeated("# a\n"),
    "pipe rows": _worded("| @ | 1 | 2 |\n", words=2),
    "pipes": _repeated("|"),
    "lines of pipes": _repeated("|\n"),
    "many pipe tables": _numbered("| a@ | b |\n|---|---|\n| 1 | 2 |\n\n"),
    "one HTML table": _within("<table>", _numbered("<tr><td>a@</td><td>b</td></tr>"), "</table>"),
    "many HTML tables": _numbered("<table><tr><td>a@</td><td>b</td></tr></table>\n\n"),
    "unclosed tables": _repeated("<table>", "</table>"),
    "nested tables": lambda size: "<table><tr><td>" * (size // 34) + "a" + "</td></tr></table>" * (size // 34),
    "tables' begins cut off": _repeated("<table"),
    "a tag's attributes without an end": _within("<table>", _repeated("<a x='>' "), 'y="'),
    "nested tags in a table": lambda size: (
        f"<table><tr><td>{'<b>x' * (size // 9)}{'</b>y' * (size // 9)}</td></tr></table>"
    ),
    "spans in a table": _within("<table><tr><td>", _repeated("<span>a</span>"), "</td></tr></table>"),
    "breaks in a table": _within("<table><tr><td>", _repeated("a<br>b</i>"), "</td></tr></table>"),
    "comments in a table": _within("<table><tr><td>", _repeated("<!--a>"), "</td></tr></table>"),
    "sections in a table": _within("<table><tr><td>", _repeated("<![CDATA[a]>"), "</td></tr></table>"),
    "a table of words": _within("<table><tr><td>", _worded("@ "), "</td></tr></table>"),
    "display formulas": _numbered("$$ x_{@} = y $$\n\n"),
    "unclosed display formulas": _repeated("a $$ b\n\n", "$"),
    "inline formulas": _numbered("text $x_{@}$ "),
    "inline formulas with commands": _numbered(r"text $\alpha_{@} \frac{a}{b}$ "),
    "equal inline formulas": _repeated("$a$ "),
    "equal inline formulas with commands": _repeated(r"$\frac{a}{b}$ "),
    "equal parenthesis formulas": _repeated(r"\(x\) "),
    "equal display formulas": _repeated(r"$$\frac{a}{b}$$ "),
    "equal formulas of every kind": _repeated(r"$\frac{a}{b}$ $$a$$ \(x\) \[y\] "),
    "unclosed inline formulas": _repeated("$a"),
    "unclosed double dollars": _repeated("$$a "),
    "one inline formula": _within("$", _worded(r"x_1 @ - (a) \alpha "), "$"),
    "parenthesis formulas": _numbered(r"text \(x_{@}\) "),
    "unclosed parentheses": _repeated(r"\( a "),
    "unclosed brackets": _repeated(r"\[ a "),
    "dollars": _repeated("$"),
    "arrays": _numbered(r"$$\begin{array}{l} a_@ \\ b \end{array}$$" + "\n\n"),
    "one array": _within(r"$$\begin{array}{l}", _numbered(r" a_@ \\"), r"\end{array}$$"),
    "unclosed tabulars": _repeated(r"\begin{tabular}", r"\end{tabular}"),
    "tabulars": _numbered(r"\begin{tabular}{ll} a@ & b \\ \end{tabular}" + "\n\n"),
    "unclosed fences": _repeated("```\n"),
    "fences": _repeated("```py\nx\n"),
    "images": _numbered("![a@](b)\n"),
    "unclosed images": _repeated("![a]("),
    "image marks": _repeated("!["),
    "backslashes": _repeated("\\"),
    "commands": _repeated(r"\title{a} \text "),
    "underscores": _repeated("_ "),
}


def gold_page() -> GoldPage:
    """Return a page of forty paragraphs, four captions, six formulas and a table."""
    source = random.Random(_SEED + 1)
    blocks: list[dict[str, object]] = []

    def add(category: str, **content: str) -> None:
        blocks.append({"category_type": category, "order": len(blocks) + 1, "anno_id": len(blocks), **content})

    for number in range(40):
        add("text_block", text=" ".join(source.choices(_VOCABULARY, k=3 + number * 2)))
        if number % 10 == 0:
            add("header", text=" ".join(source.choices(_VOCABULARY, k=4)))
        if number % 7 == 0:
            add("equation_isolated", latex=rf"$$ x_{{{number}}} = \frac{{a}}{{b}} + y $$")
    rows = "".join(f"<tr><td>{row}</td><td>{row * 7}</td><td>text</td></tr>" for row in range(30))
    latex = r"\\ ".join(rf"{row} & {row * 7} & text" for row in range(30))
    add("table", html=f"<table>{rows}</table>", latex=rf"\begin{{tabular}}{{lll}}{latex}\end{{tabular}}")
    info = {"image_path": "worst.jpg", "width": 100, "height": 100, "page_attribute": {}}
    return read_page({"layout_dets": blocks, "page_info": info, "extra": {}})


def gold_markdown(page: GoldPage) -> str:
    """Write the gold page as markdown, with a heading for every header."""
    return "\n\n".join(
        "# " * (block.category == "header") + (block.text or block.html or block.latex or "") for block in page.blocks
    )


def _score(suite: str, shape: str, size: int) -> None:
    """Score a page here, and print what it took."""
    text, gold = SHAPES[shape](size), gold_page()
    before = _cpu_seconds()
    if suite == "omnidoc":
        found = score_page(match_page(gold, text))
        bounded = any(row.bounds for row in (*found.text, *found.formulas, *found.formulas_as_text, *found.tables))
    else:
        bounded = bool(score_document(gold_markdown(gold), text).bounds)
    seconds = _cpu_seconds() - before
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    measured = {"suite": suite, "shape": shape, "bytes": len(text.encode()), "seconds": round(seconds, 1)}
    print(json.dumps({**measured, "megabytes": megabytes, "bounded": bounded}), flush=True)


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST_SECONDS, _MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main() -> int:
    """Measure the pages asked for; return 1 when a bar is missed or a page ends in a fault."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.omnidoc.worst_pages", description=__doc__)
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help="names of shapes; all, if none is given")
    parser.add_argument("--bytes", type=int, default=10_000_000)
    parser.add_argument("--suite", choices=("omnidoc", "odl"), action="append", help="both, if none is given")
    parser.add_argument("--here", action="store_true", help="score one shape by one suite in this process")
    options = parser.parse_args()
    unknown = [shape for shape in options.shapes if shape not in SHAPES]
    if unknown:
        parser.error(f"unknown shape {unknown[0]!r}; use {', '.join(map(repr, SHAPES))}")
    suites = options.suite or ["omnidoc", "odl"]
    if options.here:
        _score(suites[0], options.shapes[0], options.bytes)
        return 0
    missed = False
    for shape in options.shapes or SHAPES:
        for suite in suites:
            command = [sys.executable, "-m", "benchmarks.omnidoc.worst_pages", shape, "--here", "--suite", suite]
            command += ["--bytes", str(options.bytes)]
            run = subprocess.run(command, stdout=subprocess.PIPE, text=True, preexec_fn=_limited)
            failed = json.dumps({"suite": suite, "shape": shape, "failed": run.returncode})
            print(run.stdout.strip() or failed, flush=True)
            measured = json.loads(run.stdout) if run.stdout else {}
            within = bool(measured) and measured["seconds"] <= _BAR_SECONDS and measured["megabytes"] <= _BAR_MEGABYTES
            missed = missed or not within
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
