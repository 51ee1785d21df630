import numpy as np
import pytest

from scorer.stats import Items, intersection, slices


@pytest.fixture
def items() -> Items:
    """Two systems on six items of twelve documents' first six; NaN: not scored."""
    return Items(
        systems=("a", "b"),
        documents=tuple(f"d{i}" for i in range(12)),
        components=("text",),
        values=np.array([[1, 0, 1, 1, 0, np.nan], [1, 1, 0, 0, 1, np.nan]], dtype=np.float64),
        document=np.array([0, 0, 1, 2, 3, 4]),
        component=np.zeros(6, dtype=np.int64),
        weights=np.ones(1),
    )


ATTRIBUTES = {
    "table": np.array([True, True, True, False, False, False]),
    "math": np.array([False, True, True, True, False, False]),
    "unscored": np.array([False, False, False, False, False, True]),
}


class TestSlices:
    def test_rates_leaders_and_sizes(self, items: Items) -> None:
        """Two of three table items pass for both: a tie, over two documents."""
        by_name = {part.name: part for part in slices(items, ATTRIBUTES)}
        table = by_name["table"]
        assert table.rates == {"a": 2 / 3, "b": 2 / 3}
        assert (table.items, table.documents, table.tied, table.small) == (3, 2, True, True)
        assert by_name["math"].rates == {"a": 2 / 3, "b": 1 / 3}
        assert by_name["math"].leaders == ("a",)

    def test_a_slice_without_scores_has_none(self, items: Items) -> None:
        """Nothing scored is no rate, and nobody leads."""
        (part,) = (part for part in slices(items, ATTRIBUTES) if part.name == "unscored")
        assert part.rates == {"a": None, "b": None}
        assert part.leaders == ()

    def test_the_largest_comes_first(self, items: Items) -> None:
        """Slices are listed by size, then name."""
        assert [part.name for part in slices(items, ATTRIBUTES)] == ["math", "table", "unscored"]

    def test_an_intersection_holds_what_has_every_attribute(self, items: Items) -> None:
        """Table and math meet in two items."""
        both = intersection(items, ATTRIBUTES, ("table", "math"))
        assert (both.name, both.items, both.rates) == ("table + math", 2, {"a": 0.5, "b": 0.5})

    def test_an_unknown_attribute_is_named(self, items: Items) -> None:
        """A mistyped tag is refused, with what there is."""
        with pytest.raises(KeyError, match=r"\['tabel'\].*'table'"):
            intersection(items, ATTRIBUTES, ("tabel",))

    def test_eleven_documents_are_no_small_slice(self) -> None:
        """Ten documents are marked, eleven are not."""
        for documents, small in ((10, True), (11, False)):
            made = Items(
                ("a",),
                tuple(map(str, range(documents))),
                ("x",),
                np.ones((1, documents)),
                np.arange(documents),
                np.zeros(documents, dtype=np.int64),
                np.ones(1),
            )
            (part,) = slices(made, {"all": np.ones(documents, dtype=np.bool_)})
            assert part.small is small
