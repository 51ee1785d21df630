"""The closed vocabularies of OmniParseBench: test types, output types, families, derivations, tags and block labels.

Source: OmniParseBench (omni-parse-bench 1.0.0rc1), its gold format.
"""

from typing import NamedTuple


class _TestType(NamedTuple):
    reads: str
    family: str


# In the order in which summaries list the types, and with them the outputs and the families.
_TEST_TYPES = {
    "present": _TestType(reads="html", family="text"),
    "order": _TestType(reads="html", family="text"),
    "repeat": _TestType(reads="html", family="text"),
    "table_cell": _TestType(reads="html", family="tables"),
    "layout_kind": _TestType(reads="blocks", family="layout"),
}

#: Test type to the output it reads.
READS = {name: test_type.reads for name, test_type in _TEST_TYPES.items()}

#: Test type to the capability it measures; the headline is the mean over these families.
FAMILIES = {name: test_type.family for name, test_type in _TEST_TYPES.items()}

OUTPUT_TYPES = tuple(dict.fromkeys(READS.values()))
FAMILY_ORDER = tuple(dict.fromkeys(FAMILIES.values()))

# The gold's own order, in which refusals and summaries list them.
DERIVATIONS = (
    *("text_layer", "upstream_olmocr", "authored", "publisher_markup", "model_panel"),
    *("extractor_agreement", "human_review", "model_review", "upstream_frbench", "source_transcription"),
)
ROLES = ("heading", "caption", "footnote", "list", "code", "figure", "header_footer")
PROPERTIES = ("table", "math", "form", "multi_column", "tiny", "rotated", "handwriting", "degraded")
LABELS = (
    *("text", "heading", "page_furniture", "list", "caption", "footnote"),
    *("equation", "code", "table", "form", "figure"),
)

_LANGUAGE_LETTERS, _SCRIPT_LETTERS = 3, 4  # ISO 639-3, ISO 15924


def is_tag(tag: str) -> bool:
    """Tell whether a tag is a role, a property, a language code or a script code."""
    return tag in ROLES or tag in PROPERTIES or is_language(tag) or is_script(tag)


def is_language(tag: str) -> bool:
    """Tell whether a tag has the shape of a language code, three small letters."""
    return _is_ascii_word(tag) and len(tag) == _LANGUAGE_LETTERS and tag.islower()


def is_script(tag: str) -> bool:
    """Tell whether a tag has the shape of a script code, a capital and three small letters."""
    return _is_ascii_word(tag) and len(tag) == _SCRIPT_LETTERS and tag == tag.capitalize()


def _is_ascii_word(tag: str) -> bool:
    return tag.isascii() and tag.isalpha()
