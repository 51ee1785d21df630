"""Signatures: everything that could change a figure, readable, and its digest.

A signature has two parts. What parsers of one table must share is its ``conditions``: figures are ranked together only
where those agree. The rest is the parser's own.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from scorer.scoring.inputs import Inputs

_LENGTH = 16
_RUN = ("timeout_seconds", "timeout_seconds_per_page", "memory_bytes", "cpus")
OF_PARSER = ("parser", "lock_digest", "adapter_digest", "weights_digest")
"""What is a parser's own, of its row of ``parsers``."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The digest that stands in every row, the digest of the conditions alone, and the content as JSON."""

    signature: str
    conditions: str
    content: str


def of_axis(
    axis: str,
    *,
    suite: str,
    inputs: Inputs,
    parser: Mapping[str, Any],
    gold_digest: str,
    embedder: str | None = None,
    renderer: str | None = None,
    task: Mapping[str, Any] = MappingProxyType({}),
) -> Signature:
    """Return the signature of an axis' figures of one parser.

    Args:
        axis: name of the axis.
        suite: name@version.
        inputs: the run.
        parser: its row of ``parsers``.
        gold_digest: of the gold as it was read.
        embedder: the embedder's own signature; needed for retrieval alone.
        renderer: the programs that drew formulas, for an axis that compares drawings.
        task: further conditions, which a suite's task has.
    """
    run = inputs.run
    scope = sorted([document.id, document.sha256, document.pages] for document in inputs.documents)
    conditions: dict[str, Any] = {
        "suite": suite,
        "axis": axis,
        "documents": len(scope),
        "scope": digest(scope),
        "gold": gold_digest,
        **{name: run[name] for name in _RUN},
        **task,
    }
    own: dict[str, Any] = {name: parser[name] for name in OF_PARSER}
    if renderer is not None:
        conditions["renderer"] = renderer
    if axis == "retrieval":
        conditions["embedder"] = json.loads(embedder) if embedder else None
        own["chunker"] = parser["chunker"]
    if axis == "speed":
        conditions |= {
            "machine": run["machine_digest"],
            "gpu": parser["gpu"],
            "mode": run["mode"],
            "exclusive": run["exclusive"],
            "transport": parser["transport"],
            "replicas": parser["replicas"],
        }
    return _signature(conditions, own)


def of_tests(
    names: Sequence[str], *, suite: str, run: Mapping[str, Any], scope: str, gold_digest: str, parser: Mapping[str, Any]
) -> dict[str, Signature]:
    """Return the signatures of families of yes/no tests and of the composite, their mean, by name.

    Args:
        names: of the families.
        suite: name@version.
        run: its row of ``runs``, or its limits alone.
        scope: digest of the pages graded.
        gold_digest: of the tests as they were read.
        parser: what is the parser's own.
    """
    return {
        name: _signature(
            {
                "suite": suite,
                "axis": name,
                "scope": scope,
                "gold": gold_digest,
                **{limit: run[limit] for limit in _RUN},
            },
            dict(parser),
        )
        for name in ("composite", *names)
    }


def of_composite(
    axes: Mapping[str, Signature], *, suite: str, weights: Mapping[str, float], parser: str, name: str = "composite"
) -> Signature:
    """Return the signature of a composite, by its name, from those of its axes."""
    conditions = {
        "suite": suite,
        "axis": name,
        "weights": dict(sorted(weights.items())),
        "axes": {axis: signature.conditions for axis, signature in sorted(axes.items())},
    }
    return _signature(
        conditions, {"parser": parser, "axes": {axis: signature.signature for axis, signature in sorted(axes.items())}}
    )


def digest(value: Sequence[Any] | Mapping[str, Any]) -> str:
    """Return the SHA-256 of a value's JSON."""
    return hashlib.sha256(_json(value).encode()).hexdigest()


def _signature(conditions: dict[str, Any], parser: dict[str, Any]) -> Signature:
    content = {"conditions": conditions, "parser": parser}
    return Signature(digest(content)[:_LENGTH], digest(conditions)[:_LENGTH], _json(content))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
