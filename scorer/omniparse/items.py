"""Score lines as items of the statistics: one a test, its components the families, its documents the dataset's."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from scorer.stats import Items
from scorer.suites.omniparse.vocabulary import FAMILIES, FAMILY_ORDER

_VALUES = {"pass": 1.0, "fail": 0.0, "unsupported": np.nan}


def items_of(lines: Mapping[str, Iterable[Mapping[str, Any]]]) -> Items:
    """Return the score lines of several systems as items: 1 passed, 0 failed, NaN unsupported or without a line.

    Args:
        lines: By system. A test is the same one in each.
    """
    tests: dict[str, tuple[str, str]] = {}
    results = []
    for mine in lines.values():
        of_test = {}
        for line in mine:
            tests.setdefault(line["test_id"], (line["document"], FAMILIES[line["test_type"]]))
            of_test[line["test_id"]] = _VALUES[line["result"]]
        results.append(of_test)
    documents = {name: index for index, name in enumerate(dict.fromkeys(document for document, _ in tests.values()))}
    present = {family for _, family in tests.values()}
    components = tuple(family for family in FAMILY_ORDER if family in present)
    values = np.array([[of_test.get(test, np.nan) for test in tests] for of_test in results], dtype=np.float64)
    return Items(
        systems=tuple(lines),
        documents=tuple(documents),
        components=components,
        values=values.reshape(len(results), len(tests)),
        document=np.array([documents[document] for document, _ in tests.values()], dtype=np.int64),
        component=np.array([components.index(family) for _, family in tests.values()], dtype=np.int64),
        weights=np.ones(len(components)),
    )
