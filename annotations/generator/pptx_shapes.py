"""The parts of a deck that python-pptx leaves to its callers: colours, footers, the master's rule, storage order."""

from typing import Any

from pptx.dml.color import RGBColor
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls, qn
from pptx.util import Emu, Pt


def _color(hexadecimal: str) -> Any:
    # The package is typed but this method is not.
    make: Any = RGBColor.from_string
    return make(hexadecimal)


ACCENT, GREY, SHADE, WHITE = (_color(value) for value in ("1F3A5F", "4A5568", "E8EDF3", "FFFFFF"))

WIDTH, HEIGHT, LEFT = 960.0, 540.0, 44.0
"""A slide's size, and what stays free at its left and right, in points."""


def place(shape: Any, left: float, top: float, width: float, height: float) -> None:
    """Put a shape at a place given in points."""
    shape.left, shape.top, shape.width, shape.height = (Emu(Pt(value)) for value in (left, top, width, height))


def dress(font: Any, size: float, *, bold: bool = False, color: Any = None) -> None:
    """Set a font's look, its size in points."""
    font.size = Pt(size)
    font.bold = bold
    if color is not None:
        font.color.rgb = color


def reverse(tree: Any) -> None:
    """Store a slide's shapes in the reverse of their reading order."""
    shapes = list(tree)[2:]  # after the tree's own two property elements
    for shape in shapes:
        tree.remove(shape)
    tree.extend(reversed(shapes))


def dress_master(presentation: Any) -> None:
    """A rule under the titles, drawn by the master; and nothing of what the template brings for other decks."""
    tree = presentation.slide_master.shapes._spTree
    tree.append(
        parse_xml(
            f'<p:cxnSp {nsdecls("p", "a")}><p:nvCxnSpPr><p:cNvPr id="90" name="Rule"/><p:cNvCxnSpPr/><p:nvPr/>'
            f'</p:nvCxnSpPr><p:spPr><a:xfrm><a:off x="{Pt(LEFT)}" y="{Pt(82)}"/>'
            f'<a:ext cx="{Pt(WIDTH - 2 * LEFT)}" cy="0"/>'
            f'</a:xfrm><a:prstGeom prst="line"><a:avLst/></a:prstGeom><a:ln w="12700"><a:solidFill>'
            f'<a:srgbClr val="8A99AD"/></a:solidFill></a:ln></p:spPr></p:cxnSp>'
        )
    )
    part = presentation.part
    for relations in (part.rels, part.package._rels):
        for identity, relation in list(relations.items()):
            if relation.reltype.endswith(("/printerSettings", "/thumbnail")):
                relations.pop(identity)


def add_footer(slide: Any, kind: str, name: str, index: int, text: str, field: str | None) -> None:
    """A footer placeholder, which python-pptx does not take over from the layout."""
    tree = slide.shapes._spTree
    identity = max(int(found.get("id")) for found in tree.iter(qn("p:cNvPr"))) + 1
    left, width, align = (LEFT, 640.0, "l") if kind == "ftr" else (WIDTH - LEFT - 100, 100.0, "r")
    run = '<a:rPr lang="en-GB" sz="1000"/><a:t/>'
    body = f'<a:fld id="{{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}}" type="{field}">{run}</a:fld>'
    element = parse_xml(
        f'<p:sp {nsdecls("p", "a")}><p:nvSpPr><p:cNvPr id="{identity}" name="{name} {identity - 1}"/>'
        f'<p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr>'
        f'<p:ph type="{kind}" sz="quarter" idx="{index}"/></p:nvPr></p:nvSpPr>'
        f'<p:spPr><a:xfrm><a:off x="{Pt(left)}" y="{Pt(508)}"/><a:ext cx="{Pt(width)}" cy="{Pt(22)}"/>'
        f'</a:xfrm></p:spPr><p:txBody><a:bodyPr/><a:lstStyle/><a:p><a:pPr algn="{align}"/>'
        f"{body if field else f'<a:r>{run}</a:r>'}</a:p></p:txBody></p:sp>"
    )
    element.find(f".//{qn('a:t')}").text = text
    tree.append(element)
