import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.suites.omniparse import fold as fold_module
from scorer.suites.omniparse.fold import fold, squeeze
from scorer.suites.omniparse.latex_text import latex_to_text
from scorer.suites.omniparse.typography import (
    BOXES,
    COMBINING,
    LEADERS,
    SUPERSCRIPT_DIGITS,
    TYPOGRAPHY,
    UNCHANGED,
    is_hidden,
)

TEXTS = st.text(st.sampled_from("aZé ﬁ$\\{}^_-‐\n\t’“`'´″[]x1¹⁄…·.—→⇒☑□•\u200b\u0301α漢％ſK"), max_size=40)


class TestSteps:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("PAGE  1 —\tcafé", "page 1 - café"),
            ("develop-\ners", "developers"),
            ("co-\nOp", "co- op"),
            ("1,240¹", "1,240 1"),
            ("ﬁ", "fi"),
            ("A\u200bB\u00adC\ue001", "abc"),
            ("[x] [ ] ☑ □", "☒ ☐ ☒ ☐"),
            ("12.3%[1] [^ab]", "12.3% 1 ab"),
            ("• one\n  ▪ two", "one two"),
            ("total ........ 5", "total 5"),
            ("it´s ‘q’ “d” ‘‘t’’", 'it\'s \'q\' "d" "t"'),
            ("Cuo´", "cuó"),
            ("⇒ ⟵ ⇑ ⇓ ↔ ⇔", "→ ← ↑ ↓ ↔ ⇔"),
            ("。，％（", ".,%("),
            ("$c_{\\text{MC}}$ and $U$", "cmc and u"),
            ("$$2 . 5 5$$", "2.55"),
            ("$5.00 for lunch and $7.00", "$5.00 for lunch and $7.00"),
            ("\\(x^2\\)", "x2"),
            ("İ", "i̇"),
        ],
    )
    def test_by_hand(self, text: str, expected: str) -> None:
        """Each step of the comparison form, worked by hand."""
        assert fold(text) == expected


class TestProperties:
    @given(TEXTS)
    def test_no_double_or_outer_space_and_no_upper_case(self, text: str) -> None:
        """A folded text is lower case with single inner spaces."""
        folded = fold(text)
        assert folded == " ".join(folded.split()) == folded.lower()

    @given(TEXTS)
    def test_squeeze_is_fold_without_spaces(self, text: str) -> None:
        """Squeezing removes spaces and nothing else."""
        assert squeeze(text) == fold(text).replace(" ", "")


_NASTY = (
    "″‴‘’`'´¨˜ˆ˚¸˘ˇ˙˝⁰¹²³⁹•‣◦▪∙●._-=*·…–—[]^xX✓✗☑☒■☐□⬜‐‑−⁄“”„«»‚‛ʼ′→⇒⟶。，：；（）％＝"
    "\u00a0\u3000\u2009\u200b\u00ad\ue000\u0600\u0301\u0308\u0323\u0345\uff40\uff07\uff76\uff9e\u3099"
    "ﬁ½Ⅳ\u212a\u0130ıſ$\\{}()_ \t\n\r\u0085\u2028abcdeéÉßΣς0123１漢字عربي가\u1161\u11a8かA\u030a\u00c5"
)


def _whole(text: str) -> str:
    """Fold by rewriting the whole text in each step, as the method is worded."""
    text = latex_to_text(text)
    text = re.sub(r"[-\u2010\u2011]\s+", fold_module._joined, text)
    text = fold_module._RAISED.sub(" ", text)
    text = fold_module._normalised(fold_module._quotes_joined(text))
    text = fold_module._BRACKETED.sub(fold_module._marker, text)
    text = "".join(BOXES.get(character, character) for character in text)
    text = "\n".join(map(fold_module._without_bullet, text.split("\n")))
    leader = f"[{re.escape(LEADERS)}]\\s?"
    text = re.sub(f"(?:{leader}){{3,}}", " ", text)
    text = fold_module._normalised(fold_module._quotes_joined(text))
    text = "".join(TYPOGRAPHY.get(character, character) for character in text)
    return " ".join(text.split()).lower()


class TestRuns:
    @settings(max_examples=1500, deadline=None)
    @given(st.text(alphabet=st.one_of(st.sampled_from(_NASTY), st.characters(codec="utf-8")), max_size=40))
    def test_rewriting_runs_is_rewriting_the_text(self, text: str) -> None:
        """Whatever stands together: accents, quotes, hidden characters, leaders, brackets, any script."""
        assert fold(text) == _whole(text)

    def test_what_is_left_out_of_the_runs_does_not_change(self) -> None:
        """No decomposition, no mark, nothing hidden, and never the second part of a composed character."""
        second = {
            chr(int(part, 16))
            for character in map(chr, range(0x110000))
            if (found := unicodedata.decomposition(character)) and not found.startswith("<")
            for part in found.split()[1:]
        }
        left_out = [c for c in map(chr, range(0x80, 0x110000)) if re.match(f"[{UNCHANGED}]", c)]
        assert len(left_out) > 30_000
        for character in left_out:
            assert unicodedata.normalize("NFKC", character) == character
            assert unicodedata.combining(character) == 0
            assert character not in second
            assert character not in COMBINING
            assert character not in SUPERSCRIPT_DIGITS
            assert not is_hidden(character)
