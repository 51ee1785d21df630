"""Words as digests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.suites.bizdoc import words as module
from scorer.suites.bizdoc.words import words


class TestWords:
    @given(st.lists(st.text(alphabet="abcé€😀", min_size=1, max_size=4), max_size=30))
    def test_two_words_have_one_digest_when_they_are_the_same(self, found: list[str]) -> None:
        """As many digests as words, and as many different ones."""
        digests = words(" ".join(found)).tolist()
        assert len(digests) == len(found)
        assert [digests.index(digest) for digest in digests] == [found.index(word) for word in found]

    @pytest.mark.parametrize("piece", [1, 4, 7])
    def test_long_texts_are_read_in_pieces(self, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
        """A cut lies between two words."""
        text = "ab ba ab a b ab"
        whole = words(text).tolist()
        monkeypatch.setattr(module, "_PIECE", max(piece, 3))
        assert words(text).tolist() == whole

    def test_scripts_without_spaces_have_a_word_a_character(self) -> None:
        """Latin words between them stay whole."""
        assert len(words("売上高はABC社の 12 億円")) == 10
        assert words("売上").tolist() == [*words("売"), *words("上")]
