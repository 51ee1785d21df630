"""Runs in the published package's environment: grades pages of JSON lines from standard input.

Prints one JSON object: each page's verdicts, or the error its gold or grading raised, and the seconds it took.
"""

import json
import sys
import time
from typing import Any


def grade(page: dict[str, Any]) -> dict[str, Any]:
    """Return one page's verdicts and seconds."""
    from omni_parse_bench.scorers import unit_tests
    from omni_parse_bench.scorers.unit_tests import tests as gold

    tests, refused = [], {}
    for test in page["tests"]:
        try:
            tests.append(gold.test(page["page_id"], test))
        except gold.GoldError as error:
            refused[test["id"]] = str(error)
    verdicts, seconds = {}, 0.0
    started = time.process_time()
    try:
        verdicts = {v.id: [v.result, v.why] for v in unit_tests.score(page["prediction"], tests)}
        seconds = time.process_time() - started
    except Exception as error:
        return {"page_id": page["page_id"], "crash": repr(error)[:200], "refused": refused}
    return {"page_id": page["page_id"], "verdicts": verdicts, "seconds": seconds, "refused": refused}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(grade(json.loads(line))), flush=True)
