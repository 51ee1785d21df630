import pytest

from scorer.suites.omniparse import to_html


class TestRepairs:
    @pytest.mark.parametrize(
        ("markdown", "html"),
        [
            ("29. Item", "<p>29. Item</p>\n"),
            ("- dash", "<p>- dash</p>\n"),
            ("```markdown\n# T\n", "<h1>T</h1>\n"),
            ("---\nlanguage: en\n---\ntext", "<p>text</p>\n"),
            ("$\\{x\\}$", "<p>$\\{x\\}$</p>\n"),
            ("<name@host.org>", "<p>&lt;name@host.org&gt;</p>\n"),
            ("[1]: http://x", "<p>[1]: http://x</p>\n"),
            ("~~gone~~", "<p><s>gone</s></p>\n"),
        ],
    )
    def test_by_hand(self, markdown: str, html: str) -> None:
        """What a plain conversion would lose stays."""
        assert to_html(markdown) == html

    def test_dollars_in_a_row_are_cells(self) -> None:
        """Two amounts in a row are two cells; a formula with a bar is one."""
        assert to_html("| $2.5 | ($27.8) |\n|---|---|\n| $a_{|S}$ | b |").count("<td>") == 2
