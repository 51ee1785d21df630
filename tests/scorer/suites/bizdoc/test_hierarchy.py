"""The Hierarchy axis, worked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.suites.bizdoc import GoldHeading, Heading
from scorer.suites.bizdoc.hierarchy import Hierarchy, hierarchy, prepare

GOLD = prepare([GoldHeading("Annual Report", 1, (GoldHeading("Outlook", 2), GoldHeading("Governance", 2)))])

NAMES = st.sampled_from(["Outlook", "Governance", "Liquidity", "Segments", "Appendix", "Foreword"])


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> GoldHeading:
    """Draw a gold tree."""
    children = draw(st.lists(trees(depth - 1), max_size=2)) if depth > 1 else []
    return GoldHeading(draw(NAMES), 4 - depth, tuple(children))


def flattened(root: GoldHeading) -> list[Heading]:
    """Return a gold tree as a tool would report it."""
    return [Heading(root.text, root.level), *(heading for child in root.children for heading in flattened(child))]


class TestRecallAndPrecision:
    def test_counts(self) -> None:
        """Two of three gold headings found, two of four tool headings right."""
        found = hierarchy(GOLD, [Heading(text) for text in ("Annual Report", "Outlook", "Page 1 of 9", "Footer text")])
        assert found.heading_recall == pytest.approx(2 / 3)
        assert found.heading_precision == pytest.approx(1 / 2)

    def test_not_one_to_one(self) -> None:
        """One tool heading may serve two gold headings of the same text."""
        gold = prepare([GoldHeading("Notes", 1), GoldHeading("Notes", 1)])
        assert hierarchy(gold, [Heading("Notes", 1)]) == Hierarchy(1.0, 1.0, None)

    def test_no_output(self) -> None:
        """No headings at all score 0 on all that the gold defines."""
        assert hierarchy(GOLD, []) == Hierarchy(0.0, 0.0, 0.0)

    def test_gold_without_headings(self) -> None:
        """Gold without headings defines nothing, whatever the tool found."""
        assert hierarchy(prepare([]), [Heading("Outlook", 1)]) == Hierarchy(None, None, None)

    @given(st.lists(trees(), min_size=1, max_size=3), st.lists(NAMES, max_size=6))
    def test_order_does_not_matter(self, roots: list[GoldHeading], found: list[str]) -> None:
        """Recall and precision are sweeps over sets: shuffling the tool's headings changes neither."""
        gold = prepare(roots)
        one = hierarchy(gold, [Heading(text) for text in found])
        two = hierarchy(gold, [Heading(text) for text in sorted(found)])
        assert (one.heading_recall, one.heading_precision) == (two.heading_recall, two.heading_precision)

    @given(st.lists(trees(), min_size=1, max_size=3))
    def test_identity(self, roots: list[GoldHeading]) -> None:
        """The gold's own headings, with its levels, score 1 on everything defined."""
        headings = [heading for root in roots for heading in flattened(root)]
        found = hierarchy(prepare(roots), headings)
        assert found.heading_recall == found.heading_precision == 1.0
        assert found.parent_chain_accuracy in {1.0, None}

    @given(
        st.lists(trees(), max_size=3), st.lists(st.builds(Heading, NAMES | st.text(), st.none() | st.integers(1, 6)))
    )
    def test_in_range(self, roots: list[GoldHeading], headings: list[Heading]) -> None:
        """Every score is in 0..1, and defined by the gold alone."""
        gold = prepare(roots)
        found, nothing = hierarchy(gold, headings), hierarchy(gold, [])
        for name in Hierarchy.__slots__:
            value = getattr(found, name)
            assert (value is None) == (getattr(nothing, name) is None)
            assert value is None or 0 <= value <= 1


class TestParentChain:
    def test_derived_from_levels(self) -> None:
        """Without reported parents the nearest earlier heading of a smaller level is the parent."""
        found = hierarchy(GOLD, [Heading("Annual Report", 1), Heading("Outlook", 3), Heading("Governance", 2)])
        assert found.parent_chain_accuracy == 1.0

    def test_without_levels(self) -> None:
        """Headings without level and parent carry no edge."""
        found = hierarchy(GOLD, [Heading("Annual Report"), Heading("Outlook"), Heading("Governance")])
        assert found.parent_chain_accuracy == 0.0

    def test_a_heading_without_level_is_nobodys_parent(self) -> None:
        """A heading without level between parent and child is passed over."""
        found = hierarchy(GOLD, [Heading("Annual Report", 1), Heading("Aside"), Heading("Outlook", 2)])
        assert found.parent_chain_accuracy == 0.5

    def test_reported_parent_wins(self) -> None:
        """A reported parent counts even against the levels, and may come later."""
        found = hierarchy(GOLD, [Heading("Outlook", 1, 1), Heading("Annual Report", 2)])
        assert found.parent_chain_accuracy == 0.5

    def test_explicit_root(self) -> None:
        """A heading that says it has no parent gets none from the levels."""
        found = hierarchy(GOLD, [Heading("Annual Report", 1), Heading("Outlook", 2, "ROOT")])
        assert found.parent_chain_accuracy == 0.0

    def test_blank_heading_passes_its_children_on(self) -> None:
        """A blank heading is no heading: its children belong to its parent, and it costs no precision."""
        found = hierarchy(GOLD, [Heading("Annual Report", 1), Heading(" ", 2), Heading("Outlook", 3, 1)])
        assert found == Hierarchy(2 / 3, 1.0, 0.5)

    def test_blank_headings_in_a_circle(self) -> None:
        """Blank headings that are each other's parents leave their child without one."""
        found = hierarchy(GOLD, [Heading(" ", None, 1), Heading("", None, 0), Heading("Outlook", None, 0)])
        assert found.parent_chain_accuracy == 0.0

    def test_only_nearest_matches_carry(self) -> None:
        """A worse match does not carry the edge when a better one exists without it."""
        gold = prepare([GoldHeading("Report", 1, (GoldHeading("Summary", 2),))])
        found = hierarchy(gold, [Heading("Summary", 1), Heading("Report", 1), Heading("Summaries"[:8], 2)])
        assert found.parent_chain_accuracy == 0.0

    @pytest.mark.parametrize("parent", [0, 1, -1])
    def test_impossible_parent_is_refused(self, parent: int) -> None:
        """A parent that is the heading itself or not in the list is refused, saying which."""
        with pytest.raises(ValueError, match=f"parent of heading 0 must be .*, got {parent}"):
            hierarchy(GOLD, [Heading("Outlook", 1, parent)])

    def test_more_distinct_headings_than_a_block(self) -> None:
        """A tool that calls thousands of lines headings is scored alike."""
        noise = [Heading(f"a line of the text, number {number}") for number in range(9000)]
        found = hierarchy(GOLD, [*noise, Heading("Annual Report", 1), Heading("Outlook", 2)])
        assert found == Hierarchy(2 / 3, 2 / 9002, 0.5)
