"""What the orchestrator adds to a parse: ``python -m benchmarks.overhead RESULTS [--run ID]``.

The orchestrator's Started → Finished against the worker's own clock, over every document that was parsed in a run, and
what lies outside the marks (lead and tail). Prints JSON.
"""

import argparse
import json
from pathlib import Path

from scorer.store import query

_SQL = """
select p.parser, count(*) as documents,
       median(seconds - worker_seconds) * 1000 as median_ms,
       quantile_cont(seconds - worker_seconds, 0.95) * 1000 as p95_ms,
       100 * sum(seconds - worker_seconds) / sum(seconds) as percent_of_parse_time,
       median(lead_seconds) * 1000 as median_lead_ms,
       median(tail_seconds) * 1000 as median_tail_ms,
       sum(seconds) as parse_seconds,
       count(*) filter (list_contains(flags, 'clock_suspect')) as clock_suspect,
       count(*) filter (list_contains(flags, 'disturbed')) as disturbed
from parses p
where worker_seconds > 0 and not list_contains(flags, 'clock_suspect') and run_id = {run}
group by rollup (p.parser) order by p.parser nulls last
"""


def main() -> None:
    """Print one line a parser, the last over all."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("results", type=Path)
    arguments.add_argument("--run", default="")
    options = arguments.parse_args()
    run = f"'{options.run}'" if options.run.replace("_", "").isalnum() else "(select max(run_id) from runs)"
    for row in query.table(options.results, _SQL.format(run=run)).to_pylist():
        print(json.dumps({**row, "parser": row["parser"] or "all"}))


if __name__ == "__main__":
    main()
