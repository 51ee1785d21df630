"""The format of recorded omniparse answers, kind by kind, as JSON schemas.

A line's kind is told by one field that no other kind has. Everything else must be as the format has it, no field
missing and none unknown: what is left out or misspelt would not be compared, and nobody would notice.
"""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError

from scorer.conformance import ConformanceError, written
from scorer.suites.omniparse.versions import RC1
from scorer.suites.omniparse.vocabulary import OUTPUT_TYPES

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NAME: Schema = {"type": "string", "minLength": 1}
_TRUTH: Schema = {"type": "boolean"}
_COUNT: Schema = {"type": "integer", "minimum": 0}


def _object(optional: Mapping[str, Schema] | None = None, /, **required: Schema) -> Schema:
    properties = {**required, **(optional or {})}
    return {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}


def _unit(**required: Schema) -> Schema:
    return _object({"name": _NAME}, **required)


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _or_null(schema: Schema) -> Schema:
    return schema | {"type": [schema["type"], "null"]}


def _pair(first: Schema, second: Schema) -> Schema:
    return {"type": "array", "prefixItems": [first, second], "minItems": 2, "maxItems": 2}


def _verdicts(*results: str) -> Schema:
    return {"type": "object", "additionalProperties": _object(result={"enum": results}, why=_TEXT)}


_CELL = _pair(_COUNT, _COUNT)
_NEIGHBOURS = _list(_pair(_CELL, _list(_CELL)))
_GRID = _object(
    text=_list(_pair(_CELL, _TEXT)),
    headings=_list(_CELL),
    grid=_list(_list(_or_null(_CELL))),
    labels={"type": "object", "additionalProperties": _CELL},
    up=_NEIGHBOURS,
    down=_NEIGHBOURS,
    left=_NEIGHBOURS,
    right=_NEIGHBOURS,
)
_OF_NEWER = _object({"expected": _verdicts("pass", "fail")}, summary={"type": "object"})

KINDS: Mapping[str, Schema] = {
    "tests": _object(
        {"expected_1_0_0": _OF_NEWER},
        name=_NAME,
        version={"const": RC1.release},
        page=_object(page_id=_TEXT, document=_TEXT, suite=_TEXT),
        tests={"type": "array", "minItems": 1},  # the rules of gold say what a test is
        prediction={"type": "object"},
        unsupported=_list({"enum": OUTPUT_TYPES}) | {"uniqueItems": True},
        expected=_verdicts("pass", "fail", "unsupported"),
        expected_summary={"type": "object"},
    ),
    "fold": _unit(input=_TEXT, fold=_TEXT, squeeze=_TEXT),
    "seen": _unit(html=_TEXT, text=_TEXT, seen=_TEXT),
    "token": _unit(token=_TEXT, parsed=_or_null(_object(core=_TEXT, negative=_TRUTH, percent=_TRUTH))),
    "symbols": _unit(tex=_TEXT, display=_TRUTH, symbols=_or_null(_list(_TEXT))),
    "spans": _unit(html=_TEXT, spans=_list(_pair(_TEXT, _TRUTH))),
    "plain": _unit(tex=_TEXT, plain=_TRUTH),
    "tables": _unit(html=_TEXT, tables=_list(_GRID)),
    "markdown": _unit(markdown=_TEXT, html=_TEXT),
    "gold": _unit(gold={}, error=_or_null(_TEXT)),
    "selected": _unit(
        pages=_list(_pair(_TEXT, _TEXT)),
        sample=_COUNT,
        limit=_COUNT,
        suites=_or_null(_list(_TEXT)),
        selected=_list(_TEXT),
    ),
    "lines": _unit(lines={"type": "array"}, summary={"type": "object"}),  # runs.line_fault says what a line is
}
"""By the field that tells it: cases, then units of folding, text views, numbers, equations, spans of equations, plain
equations, grids, markdown, gold checks, sampling and summaries."""

# JSON Schema takes 1.0 for a whole number; a count is none.
_TYPES = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
_Validator = validators.extend(Draft202012Validator, type_checker=_TYPES)  # type: ignore[no-untyped-call]
_VALIDATORS = {telling: _Validator(schema) for telling, schema in KINDS.items()}
_WORDS = {
    "string": "a string",
    "array": "a list",
    "object": "an object",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
}


def kind_of(record: Mapping[str, Any], place: str) -> str:
    """Return which kind of recorded answer a line is: the field that tells it.

    Args:
        record: the line.
        place: FILE, line N.

    Raises:
        ConformanceError: it is none, or not in that kind's format; names the place, the field and what was found.
    """
    telling = next((field for field in KINDS if field in record), None)
    if telling is None:
        raise ConformanceError(
            f"{place}: no recorded answer: it has the fields {', '.join(map(written, record)) or 'none'}, and none of "
            f"those that tell what was recorded: {', '.join(KINDS)}"
        )
    faults = sorted(_VALIDATORS[telling].iter_errors(record), key=lambda fault: len(fault.absolute_path))
    if faults:
        raise ConformanceError(f"{place}: {_told(faults[0])}")
    return telling


def _told(fault: ValidationError) -> str:
    field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in fault.absolute_path).lstrip(".")
    within = f"{field}: " if field else ""
    rule: Any = fault.validator_value
    instance: Any = fault.instance
    match fault.validator:
        case "required":
            missing = next(name for name in rule if name not in instance)
            return f"{within}the field {missing} is missing; found {', '.join(map(written, instance)) or 'none'}"
        case "additionalProperties" if rule is False:
            schema: Any = fault.schema
            unknown = next(name for name in instance if name not in schema["properties"])
            return f"{within}unknown field {written(unknown)}; expected {', '.join(schema['properties'])}"
        case "type":
            expected = " or ".join(_WORDS[name] for name in ([rule] if isinstance(rule, str) else rule))
        case "const":
            expected = written(rule)
        case "enum":
            expected = "one of " + ", ".join(map(written, rule))
        case "uniqueItems":
            expected = "each once"
        case "minItems" | "maxItems":
            expected = f"a list of {'at least' if fault.validator == 'minItems' else 'at most'} {rule}"
        case _:  # minLength, minimum
            expected = "a string that is not empty" if fault.validator == "minLength" else f"{rule} or more"
    return f"{within}found {written(instance)}, expected {expected}"
