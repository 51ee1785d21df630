"""What MinerU's types of blocks stand for, in both majors."""

from services.runtime.form import Label

LABELS: dict[str, Label] = {
    "title": "heading",
    "doc_title": "heading",
    "paragraph_title": "heading",
    "header": "page_furniture",
    "footer": "page_furniture",
    "page_number": "page_furniture",
    "list": "list",
    "index": "list",
    "image_caption": "caption",
    "table_caption": "caption",
    "chart_caption": "caption",
    "code_caption": "caption",
    "page_footnote": "footnote",
    "image_footnote": "footnote",
    "table_footnote": "footnote",
    "chart_footnote": "footnote",
    "code_footnote": "footnote",
    "equation": "equation",
    "interline_equation": "equation",
    "code": "code",
    "algorithm": "code",
    "table": "table",
    "image": "figure",
    "chart": "figure",
    "seal": "figure",
}
"""Everything else is text."""
