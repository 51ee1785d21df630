"""What a tool invented and what it left out."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.suites.bizdoc import hallucination
from scorer.suites.bizdoc.hallucination import Rates, rates

FIRST, SECOND = "abcdefghijklmnopqrst", "ABCDEFGHIJKLMNOPQRST"
"""20 letters each; runs are of 16."""

texts = st.text(alphabet="ab 1", max_size=80) | st.text(max_size=40)


def _share(own: str, other: str, length: int) -> float:
    """Compute one rate as the rule says it, without arrays."""
    homes = Counter(other[i : i + length] for i in range(len(other) - length + 1))
    housed = set[int]()
    for start in range(len(own) - length + 1):
        run = own[start : start + length]
        if homes[run] > 0:
            homes[run] -= 1
            housed.update(range(start, start + length))
    return 1 - len(housed) / len(own)


class TestByHand:
    def test_text_beyond_the_gold_is_hallucinated(self) -> None:
        """8 of 28 letters and digits stand nowhere in the gold; nothing of the gold is missing."""
        assert rates(FIRST, f"{FIRST} UVWX YZ12") == Rates(8 / 28, 0.0)

    def test_one_misread_letter_costs_itself(self) -> None:
        """The letters beside it lie in runs of their own: 1 of 40, in both directions."""
        assert rates(FIRST + SECOND, f"{FIRST}#{SECOND}".replace("t#", "?#")) == Rates(0.0, 1 / 40)
        assert rates(FIRST + SECOND, FIRST + "z" + SECOND[1:]) == Rates(1 / 40, 1 / 40)

    def test_what_stands_once_and_is_said_twice_is_homeless_the_second_time(self) -> None:
        """Runs are counted, not only looked up."""
        assert rates(FIRST, f"{FIRST} {FIRST}") == Rates(0.5, 0.0)
        assert rates(f"{FIRST} {FIRST}", FIRST) == Rates(0.0, 0.5)

    def test_order_spaces_and_punctuation_are_no_invention(self) -> None:
        """Two passages exchanged, spaces lost and a hyphen added: nothing invented, nothing missing."""
        assert rates(f"{FIRST} {SECOND}", f"{SECOND}, {FIRST[:9]}- {FIRST[9:]}") == Rates(0.0, 0.0)
        assert rates("net sales rose to 12 million", "netsalesroseto12million") == Rates(0.0, 0.0)

    def test_case_counts(self) -> None:
        """As in nid."""
        assert rates(FIRST, FIRST.upper()) == Rates(1.0, 1.0)

    def test_short_texts_are_compared_whole(self) -> None:
        """With six letters in the gold, runs are of six: the seventh of the tool has no home."""
        assert rates("Slides", "Slides x") == Rates(1 / 7, 0.0)

    def test_a_text_without_letters_has_no_rate(self) -> None:
        """Who says nothing invents nothing, which is no merit, and leaves everything out."""
        assert rates(FIRST, "") == Rates(None, 1.0)
        assert rates("– –", FIRST) == Rates(1.0, None)
        assert rates("", "") == Rates(None, None)

    def test_marks_belong_to_their_letters(self) -> None:
        """Vowel signs of Hindi or Thai count as letters do."""
        assert rates("कि", "का") == Rates(1.0, 1.0)


class TestProperties:
    @given(texts)
    def test_identity(self, text: str) -> None:
        """A text has no share that is not in itself."""
        found = rates(text, text)
        assert found in (Rates(0.0, 0.0), Rates(None, None))

    @given(texts, texts)
    def test_symmetry_and_range(self, a: str, b: str) -> None:
        """Exchanging the texts exchanges the rates, which lie in 0..1."""
        found, other = rates(a, b), rates(b, a)
        assert (found.hallucination_rate, found.omission_rate) == (other.omission_rate, other.hallucination_rate)
        assert all(rate is None or 0 <= rate <= 1 for rate in (found.hallucination_rate, found.omission_rate))

    @pytest.mark.parametrize("block", [3, 1 << 20])
    def test_is_the_rule_whatever_the_blocks(self, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
        """Blocks are a matter of memory alone."""
        monkeypatch.setattr(hallucination, "_BLOCK", block)

        @given(st.text(alphabet="ab", min_size=1, max_size=90), st.text(alphabet="ab", min_size=1, max_size=90))
        def check(gold: str, pred: str) -> None:
            length = min(hallucination.LENGTH, len(gold), len(pred))
            found = rates(gold, pred)
            assert found.hallucination_rate == pytest.approx(_share(pred, gold, length))
            assert found.omission_rate == pytest.approx(_share(gold, pred, length))

        check()
