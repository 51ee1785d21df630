"""OmniParseBench's files: datasets, predictions, run folders, published verdicts, and what is made of them.

The measures are in `scorer.suites.omniparse` and read no file; here is what brings them their data and carries
their verdicts on: `read_dataset`, `grade_predictions`, `write_run` and `read_run`, `read_published`, `leaderboard`,
`verdict_rows`, and the steps of the tutorial.
"""

from scorer.omniparse.dataset import Dataset, DatasetError, DatasetPage, read_dataset
from scorer.omniparse.grading import Graded, grade_predictions
from scorer.omniparse.leaderboard import Entry, card_differences, leaderboard
from scorer.omniparse.published import Published, PublishedError, read_published
from scorer.omniparse.rows import verdict_rows
from scorer.omniparse.runs import RunError, StoredRun, read_run, write_run

__all__ = [
    "Dataset",
    "DatasetError",
    "DatasetPage",
    "Entry",
    "Graded",
    "Published",
    "PublishedError",
    "RunError",
    "StoredRun",
    "card_differences",
    "grade_predictions",
    "leaderboard",
    "read_dataset",
    "read_published",
    "read_run",
    "verdict_rows",
    "write_run",
]
