"""Score lines summarised: the headline, the families, and (1.0.0rc1) every breakdown of the reference.

A score line is one test's verdict beside what its page and test are: `page_id`, `suite`, `document`,
`test_id`, `test_type`, `output_type`, `derivation`, `tags`, `result` and `why`.

Source: OmniParseBench 1.0.0rc1 and 1.0.0, summaries.
"""

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from scorer.suites.omniparse.vocabulary import DERIVATIONS, FAMILIES, FAMILY_ORDER, OUTPUT_TYPES, READS

Line = Mapping[str, Any]


def summarize_rc1(lines: Iterable[Line]) -> dict[str, Any]:
    """Return the summary of 1.0.0rc1: unsupported tests are counted and left out of every score.

    The headline is None when any family present has no scored test: a mean over fewer families is another number.
    """
    every = list(lines)
    scored = [line for line in every if line["result"] != "unsupported"]
    summary = _families_rc1(every, scored)
    for output in OUTPUT_TYPES:
        mine = [line for line in every if line["output_type"] == output]
        if mine:
            summary[output] = _output(mine)
    suites: dict[str, list[Line]] = {}
    for line in every:
        suites.setdefault(line["suite"], []).append(line)
    summary["per_suite"] = {suite: _suite(suites[suite]) for suite in sorted(suites)}
    summary["per_derivation"] = _rates(scored, lambda line: line["derivation"], DERIVATIONS)
    return summary


def summarize_v1_0_0(lines: Iterable[Line]) -> dict[str, Any]:
    """Return the summary of 1.0.0: headline and families, in the order text, tables, layout."""
    families: dict[str, list[Line]] = {}
    for line in lines:
        families.setdefault(FAMILIES[line["test_type"]], []).append(line)
    scores = {
        family: {
            "score": sum(map(_passed, mine)) / len(mine),
            "tests": len(mine),
            "documents": _documents(mine),
        }
        for family in FAMILY_ORDER
        if (mine := families.get(family))
    }
    headline = statistics.fmean(score["score"] for score in scores.values()) if scores else None
    return {"headline": headline, "families": scores}


def _families_rc1(every: Sequence[Line], scored: Sequence[Line]) -> dict[str, Any]:
    sizes = Counter(FAMILIES[line["test_type"]] for line in every)
    families: dict[str, dict[str, Any]] = {}
    for family, _ in sorted(sizes.items(), key=lambda item: -item[1]):
        mine = [line for line in scored if FAMILIES[line["test_type"]] == family]
        families[family] = {"score": _rate(mine), "tests": len(mine), "documents": _documents(mine)}
    scores = [score for mine in families.values() if (score := mine["score"]) is not None]
    complete = bool(scores) and len(scores) == len(families)
    return {
        "headline": statistics.mean(scores) if complete else None,
        "families": families,
        "documents": _documents(scored),
    }


def _output(every: Sequence[Line]) -> dict[str, Any]:
    scored = [line for line in every if line["result"] != "unsupported"]
    tagged: dict[str, list[Line]] = {}
    for line in scored:
        for tag in line["tags"]:
            tagged.setdefault(tag, []).append(line)
    return {
        "score": _rate(scored),
        "tests": len(scored),
        "unsupported": len(every) - len(scored),
        "documents": _documents(scored),
        "per_test_type": _rates(scored, lambda line: line["test_type"], tuple(READS)),
        "per_tag": {
            tag: {
                "score": _rate(mine),
                "tests": len(mine),
                "pages": len({line["page_id"] for line in mine}),
                "documents": _documents(mine),
            }
            for tag, mine in sorted(tagged.items(), key=lambda item: (-len(item[1]), item[0]))
        },
    }


def _suite(every: Sequence[Line]) -> dict[str, Any]:
    scored = [line for line in every if line["result"] != "unsupported"]
    return {"headline": _families_rc1(every, scored)["headline"], "score": _rate(scored)}


def _rates(lines: Sequence[Line], key: Callable[[Line], str], order: Sequence[str]) -> dict[str, float | None]:
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(key(line), []).append(line)
    return {name: _rate(groups[name]) for name in order if name in groups}


def _rate(lines: Sequence[Line]) -> float | None:
    return sum(map(_passed, lines)) / len(lines) if lines else None


def _passed(line: Line) -> bool:
    return bool(line["result"] == "pass")


def _documents(lines: Sequence[Line]) -> int:
    return len({line["document"] for line in lines})
