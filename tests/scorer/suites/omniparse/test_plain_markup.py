import random

import pytest

from benchmarks.omniparse.reader import mutated
from scorer.suites.omniparse.cells import soup_tables
from scorer.suites.omniparse.plain_markup import plain_tables


class TestAgainstBs4:
    def test_what_the_fast_reader_takes_bs4_reads_alike(self) -> None:
        """Of seeded mutated tables, those taken are read the same, and many are taken."""
        generator = random.Random(11)
        taken = 0
        for _ in range(1_500):
            html = mutated(generator)
            plain = plain_tables(html)
            if plain is not None:
                taken += 1
                assert plain == soup_tables(html), html
        assert taken > 500

    @pytest.mark.parametrize(
        "html",
        [
            "<table><tr><td>a",
            "<table><tr><td>P < 0.05 &eacute;&#39;&#x2014; <=",
            "<table><tr><td>a</b></td><td/>b</tr></table>",
            "<TABLE><THEAD><TR><TD colspan=2 ROWSPAN='0'>a<br>b</TD></TR></THEAD></TABLE>",
            "<table><tr><td> \n <b> </b>x &nbsp; &amp; y & z</td></tr></table>",
            '<table><tr><td><img src=a alt="![b](c)"><input checked type=checkbox></td></tr></table>',
            "<table><tr><td><table><tr><th>in</th></tr></table>out</td></tr></table>",
            "</table><td>a</td><table><td>b</td><tr>c<td>d</td></tr>",
        ],
    )
    def test_by_hand(self, html: str) -> None:
        """Unclosed, nested, upper-case and empty elements are taken and read as bs4 reads them."""
        assert plain_tables(html) is not None
        assert plain_tables(html) == soup_tables(html)

    @pytest.mark.parametrize(
        "html",
        [
            "<table><!-- x --></table>",
            "<table><tr><td>&bogus;</td></tr></table>",
            "<table><tr><td>&#130;</td></tr></table>",
            "<table><tr><td>x&",
            "<table><tr><td><script>x</script></td></tr></table>",
            "<table><tr><td><pre> </pre></td></tr></table>",
            '<table><tr><td title="a > b">x</td></tr></table>'.replace("> b", "&gt; b"),
            "<table><tr><td a=b/>x</td></tr></table>",
            "<table><tr><td class=''>x</td></tr></table>",
            "<table><tr><td>a <- b</td></tr></table>",
            "<table>" + "<b>" * 200,
        ],
    )
    def test_what_is_not_plain_is_left_to_bs4(self, html: str) -> None:
        """Comments, rare references, special elements and strange attributes are refused."""
        assert plain_tables(html) is None
