"""The args and settings of a test in the gold, read and checked by its test type.

Source: OmniParseBench 1.0.0rc1, gold format. A refusal is worded as the reference's recorded refusals are.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from scorer.suites.omniparse.blocks import Box, as_box
from scorer.suites.omniparse.content import Content, Latex, Number, Text
from scorer.suites.omniparse.equations import symbols
from scorer.suites.omniparse.layout_kind import LayoutKind
from scorer.suites.omniparse.number import parse_number
from scorer.suites.omniparse.order import Order
from scorer.suites.omniparse.present import Present
from scorer.suites.omniparse.repeat import Repeat
from scorer.suites.omniparse.table_cell import RELATIONS, TableCell
from scorer.suites.omniparse.text import needle_forms
from scorer.suites.omniparse.vocabulary import LABELS

Params = Present | Order | Repeat | TableCell | LayoutKind


class GoldError(ValueError):
    """A gold file, or a test in one, that breaks the dataset's rules; names the page, the test and the rule."""


# Which roles the args of a test type play: those it needs, then those it may have.
_NEEDED = {
    **dict.fromkeys(("present", "repeat", "layout_kind"), ("content",)),
    "order": ("before", "after"),
    "table_cell": ("cell",),
}
_POSSIBLE = {"table_cell": ("headings", "section", "row_groups", *RELATIONS)}
_LISTS = ("headings", "row_groups")


@dataclass(frozen=True, slots=True)
class Args:
    """A test's args and settings as its gold gives them; `where` names page and test in every refusal."""

    where: str
    test_type: str
    by_role: Any
    settings: Any

    def params(self) -> Params:
        """Return what the test of this type takes.

        Raises:
            GoldError: at the first rule broken.
        """
        if not isinstance(self.by_role, dict) or not isinstance(self.settings, dict):
            self._refuse("an object was expected for each of args and settings")
        self._check_args()
        readers: dict[str, Callable[[], Params]] = {
            "present": self._present,
            "order": self._order,
            "repeat": self._repeat,
            "layout_kind": self._layout_kind,
            "table_cell": self._table_cell,
        }
        return readers[self.test_type]()

    def _refuse(self, why: str) -> NoReturn:
        raise GoldError(f"{self.where}: {why}")

    def _every(self) -> Iterator[tuple[str, Any]]:
        for role, given in self.by_role.items():
            for arg in given if isinstance(given, list) else (given,):
                yield role, arg

    def _check_args(self) -> None:
        needed = _NEEDED[self.test_type]
        roles = [*needed, *_POSSIBLE.get(self.test_type, ())]
        if unknown := [role for role in self.by_role if role not in roles]:
            self._refuse(f"{self.test_type} has no role {unknown}; its roles: {roles}")
        if missing := [role for role in needed if role not in self.by_role]:
            self._refuse(f"{self.test_type} needs args {missing}")
        for role, given in self.by_role.items():
            is_list = isinstance(given, list)
            if is_list != (role in _LISTS):
                self._refuse(f"{role} takes {'one arg' if is_list else 'a list of args'}")
            for arg in given if is_list else (given,):
                self._check_arg(role, arg)

    def _check_arg(self, role: str, arg: Any) -> None:
        match _kind(arg):
            case "text":
                self._check_text(role, arg["text"], arg["max_diffs"])
            case "latex":
                self._check_latex(role, arg["latex"])
            case None:
                shapes = "{text, max_diffs[, place]}, {number} or {latex}"
                self._refuse(f"{role}={arg!r:.80} isn't an arg: the fields {shapes}")

    def _check_text(self, role: str, text: Any, max_diffs: Any) -> None:
        length = len(needle_forms(text)[0]) if isinstance(text, str) else 0
        if length == 0:
            self._refuse(f"{role}'s text must be a string with something left after folding, not {text!r:.80}")
        if not _is_whole(max_diffs) or max_diffs not in range(length):
            self._refuse(
                f"{role}'s max_diffs must be a whole number from 0 to {length - 1} "
                f"(its folded text has {length} characters), not {max_diffs!r}"
            )

    def _check_latex(self, role: str, latex: Any) -> None:
        if not isinstance(latex, str) or not latex.strip():
            self._refuse(f"{role}'s latex must be a non-empty string, not {latex!r:.80}")
        rendered = symbols(latex, display=True)
        if rendered is None:
            self._refuse(f"{role}'s latex {latex!r:.80} doesn't render in KaTeX; fix its LaTeX")
        if not rendered:
            self._refuse(
                f"{role}'s latex {latex!r:.80} renders to nothing (only spacing or invisible marks); "
                "give it the equation's symbols or remove the test"
            )

    def _present(self) -> Present:
        self._expect_no_settings()
        content = self._content()
        if isinstance(content, Number):
            if not isinstance(content.number, str) or not content.number.strip():
                self._refuse(f"content={content!r:.80} isn't a text, a number or an equation")
            if parse_number(content.number) is None:
                self._refuse("a number must read as one number, e.g. 1,240.00 or -4.8%")
        return Present(content)

    def _order(self) -> Order:
        self._expect_no_settings()
        return Order(self._text("before"), self._text("after"), self._shared_diffs())

    def _repeat(self) -> Repeat:
        text = self._text("content")
        if self.by_role["content"]["max_diffs"] != 0:
            self._refuse("repeat counts exact text: max_diffs must be 0")
        if self.settings.keys() != {"expected_count"}:
            self._refuse(
                "repeat's settings are exactly {expected_count}, how many times its content appears, "
                f"not {sorted(self.settings)}"
            )
        count = self.settings["expected_count"]
        if not _is_whole(count):
            self._refuse(f"expected_count={count!r:.80} isn't a {int}")
        if count < 1:
            self._refuse("expected_count must be a positive whole number")
        return Repeat(text, count)

    def _layout_kind(self) -> LayoutKind:
        if self.settings.keys() != {"kind"}:
            self._refuse("layout_kind's settings are exactly {kind}")
        content, kind = self._content(), self.settings["kind"]
        if not isinstance(content, Text):
            self._refuse(f"content={content!r:.80} isn't a text")
        if not isinstance(kind, str):
            self._refuse(f"kind={kind!r:.80} isn't a {str}")
        if not content.place or kind not in LABELS:
            self._refuse(f"its content needs a place, and its kind must be one of {LABELS}")
        return LayoutKind(content, kind)

    def _table_cell(self) -> TableCell:
        self._expect_no_settings()
        for role, arg in self._every():
            if _kind(arg) != "text":
                self._refuse(f"table_cell's {role} compares text only")
        return TableCell(
            cell=self._text("cell"),
            relations={role: self._text(role) for role in RELATIONS if role in self.by_role},
            max_diffs=self._shared_diffs(),
            headings=self._texts("headings"),
            section=self._text("section") if "section" in self.by_role else None,
            row_groups=self._texts("row_groups"),
        )

    def _expect_no_settings(self) -> None:
        if self.settings:
            self._refuse(f"no settings expected, got {sorted(self.settings)}")

    def _text(self, role: str) -> str:
        arg = self.by_role[role]
        kind = _kind(arg)
        if kind != "text":
            self._refuse(f"{self.test_type}'s {role} compares text only, not {kind}")
        return str(arg["text"])

    def _texts(self, role: str) -> tuple[str, ...]:
        return tuple(str(arg["text"]) for arg in self.by_role.get(role, ()))

    def _shared_diffs(self) -> int:
        first, *others = sorted({int(arg["max_diffs"]) for _, arg in self._every()})
        if others:
            self._refuse(f"its args must share max_diffs, not {[first, *others]}")
        return first

    def _content(self) -> Content:
        arg = self.by_role["content"]
        match _kind(arg):
            case "text":
                return Text(arg["text"], arg["max_diffs"], self._place(arg.get("place", [])))
            case "number":
                return Number(arg["number"])
            case _:
                return Latex(arg["latex"])

    def _place(self, place: Any) -> tuple[Box, ...]:
        boxes = [as_box(box) for box in place] if isinstance(place, list) else [None]
        upright = tuple(box for box in boxes if box is not None and box[0] < box[2] and box[1] < box[3])
        if len(upright) < len(boxes):
            self._refuse(f"content's place must be a list of [x0, y0, x1, y1] boxes from 0 to 1, not {place!r:.80}")
        return upright


def _kind(arg: Any) -> str | None:
    """Return the kind of an arg by its fields: text, number or latex; None for what is no arg."""
    fields = arg.keys() if isinstance(arg, dict) else frozenset()
    if fields - {"place"} == {"text", "max_diffs"}:
        return "text"
    return next((kind for kind in ("number", "latex") if fields == {kind}), None)


def _is_whole(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)
