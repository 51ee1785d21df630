"""OmniParseBench: yes/no tests on single pages, graded against a parser's HTML and layout blocks.

Reproduces the verdicts, reasons and summaries of omni-parse-bench 1.0.0rc1 (`omniparse@rc1`, the one behind
the published leaderboard) and 1.0.0 (`omniparse@1.0.0`). The method, and the reading of tables that it takes
from olmOCR-bench, are theirs (both Apache-2.0); see docs/method/omniparse.md.
"""

from scorer.suites.omniparse.blocks import Block, MalformedOutputError
from scorer.suites.omniparse.gold import GoldError, Test, parse_gold
from scorer.suites.omniparse.markdown import to_html
from scorer.suites.omniparse.verdicts import Verdict, grade
from scorer.suites.omniparse.versions import RC1, V1_0_0, VERSIONS, Version

__all__ = [
    "RC1",
    "V1_0_0",
    "VERSIONS",
    "Block",
    "GoldError",
    "MalformedOutputError",
    "Test",
    "Verdict",
    "Version",
    "grade",
    "parse_gold",
    "to_html",
]
