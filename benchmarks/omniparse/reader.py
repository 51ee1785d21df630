"""Read mutated tables and pages with the fast reader and with bs4, and count where they differ.

    python -m benchmarks.omniparse.reader [--count 100000] [--seed 1]

Exits 1 when any page that the fast reader takes is read otherwise by bs4. Prints how many it takes.
"""

import argparse
import random
import sys
from collections.abc import Iterator

from scorer.suites.omniparse.cells import soup_tables
from scorer.suites.omniparse.plain_markup import plain_tables

_TAGS = ("table", "tr", "td", "th", "thead", "tbody", "b", "p", "br", "img", "input", "ul", "li", "ol", "sup", "math")
_PLAIN_TEXTS = (
    "1,240",
    "North",
    " ",
    "\n",
    "  \n ",
    "a > b",
    "&amp;",
    "&lt;",
    "&nbsp;",
    "&quot;",
    "& ",
    "&copy;",
    "&eacute;",
    "&#65;",
    "&#39;",
    "&#x2014;",
    "&#8212;",
    "&Omega;x",
    "P < 0.05",
    "<= 3",
    "x <",
    "x &",
    "![alt](x)",
    "$x$",
    "caf\u00e9",
    "\u3000",
    "\u200b",
    "\t",
    "\f",
    "\x1c",
    "{}",
    "a/b",
    "''",
    '"',
    "=",
    "]]>",
    "--",
    "x ",
)
_ODD_TEXTS = ("&#130;", "&#xD800;", "&#0;", "&bogus;", "<", "a<b", "&#x;", "&x", "x&", "\r\n", "\0", "&amp", "&notit;")
_PLAIN_ATTRIBUTES = (
    "",
    "",
    "",
    ' colspan="2"',
    " rowspan=2",
    " colspan=\"0\" rowspan='0'",
    " rowspan=x",
    ' class="a b"',
    " checked",
    ' alt="x y" src=y',
    " type=checkbox",
    ' value="v" VALUE=w',
    ' display="block"',
    " start=3",
    ' alt=""',
    "\n colspan=2\n",
)
_ODD_ATTRIBUTES = (
    ' title="a>b"',
    " a=b/",
    " colspan = 2",
    ' colspan="2"rowspan="3"',
    " x:y=1",
    " data-x='1'",
    ' alt="&amp;"',
    " /x",
    ' class="a  b"',
    ' class=""',
    " a==b",
    " =a",
)
_SCRAPS = (
    "<pre>",
    "</pre>",
    "<script>",
    "<",
    ">",
    "/",
    "</",
    "<!--",
    "-->",
    "<!x>",
    "<?x?>",
    "</td",
    "<td",
    "</>",
    "< td>",
    '"',
    "'",
    "&",
    "<br/",
    "<tr/>",
    "</br>",
)


def mutated(generator: random.Random) -> str:
    """Return a table within a page, with random tags, texts and attributes, then cut, doubled and spoilt."""
    odd = generator.random() < 0.1
    pieces = list(_table(generator, 2, odd))
    if generator.random() < 0.5:
        pieces = [*_scramble(generator, odd), *pieces, *_scramble(generator, odd)]
    for _ in range(generator.choice((0, 0, 1, 1, 2, 4))):
        at = generator.randrange(len(pieces) + 1)
        match generator.randrange(4):
            case 0:
                del pieces[at : at + generator.randint(1, 3)]
            case 1:
                pieces[at:at] = pieces[at : at + generator.randint(1, 4)]
            case 2:
                pieces.insert(at, _tag(generator, odd))
            case _:
                pieces.insert(at, _text(generator, odd))
    html = "".join(pieces)
    if odd and generator.random() < 0.6:
        at = generator.randrange(len(html) + 1)
        html = html[:at] + generator.choice(_SCRAPS) + html[at + generator.randrange(3) :]
    return html


def _table(generator: random.Random, depth: int, odd: bool) -> Iterator[str]:
    yield f"<table{_attribute(generator, odd)}>"
    for _ in range(generator.randint(1, 4)):
        group = generator.choice(("", "", "thead", "tbody"))
        yield f"<{group}>" if group else "\n"
        yield f"<tr{_attribute(generator, odd)}>"
        for _ in range(generator.randint(0, 4)):
            name = generator.choice(("td", "td", "TD", "th"))
            yield f"<{name}{_attribute(generator, odd)}>"
            for _ in range(generator.randint(0, 3)):
                yield _text(generator, odd) if generator.random() < 0.7 else _tag(generator, odd)
            if depth and generator.random() < 0.05:
                yield from _table(generator, depth - 1, odd)
            yield f"</{name}>" if generator.random() < 0.9 else ""
        yield "</tr>" if generator.random() < 0.9 else ""
        yield f"</{group}>" if group else " "
    yield "</table>"


def _scramble(generator: random.Random, odd: bool) -> list[str]:
    return [
        _text(generator, odd) if generator.random() < 0.5 else _tag(generator, odd)
        for _ in range(generator.randint(0, 5))
    ]


def _text(generator: random.Random, odd: bool) -> str:
    return generator.choice(_ODD_TEXTS if odd and generator.random() < 0.1 else _PLAIN_TEXTS)


def _attribute(generator: random.Random, odd: bool) -> str:
    return generator.choice(_ODD_ATTRIBUTES if odd and generator.random() < 0.1 else _PLAIN_ATTRIBUTES)


def _tag(generator: random.Random, odd: bool) -> str:
    name = generator.choice(_TAGS)
    name = name.upper() if generator.random() < 0.1 else name
    match generator.randrange(4):
        case 0:
            return f"</{name}>"
        case 1:
            return f"<{name}{_attribute(generator, odd)}/>"
        case _:
            return f"<{name}{_attribute(generator, odd)}>"


def main() -> int:
    """Compare both readers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generator = random.Random(options.seed)
    taken = different = made = 0
    while taken < options.count:
        html = mutated(generator)
        made += 1
        plain = plain_tables(html)
        if plain is None:
            continue
        taken += 1
        if plain != soup_tables(html):
            different += 1
            print(f"differs: {html!r}")
    print(f"{made} pages made, {taken} read by the fast reader, {different} of them read otherwise by bs4")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
