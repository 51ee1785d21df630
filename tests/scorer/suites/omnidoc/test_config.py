"""Configurations that cannot be run are refused by field."""

import pytest

from scorer.suites.omnidoc.config import ConfigError, read_config, save_name
from tests.scorer.suites.omnidoc.pages import WRONG, spoiled

METRICS = {"text_block": {"metric": ["Edit_dist"]}, "table": {"metric": ["TEDS"]}}
WHOLE = {
    "end2end_eval": {
        "metrics": METRICS,
        "dataset": {
            "dataset_name": "md2md_dataset",
            "ground_truth": {"data_path": "gold", "page_info": "pages.json"},
            "prediction": {"data_path": "md"},
            "match_method": "quick_match",
            "filter": {"language": "english"},
        },
    },
    "recogition_eval": {
        "metrics": ["Edit_dist"],
        "dataset": {
            "dataset_name": "omnidocbench_single_module_dataset",
            "ground_truth": {"data_path": "blocks.json", "data_key": "text", "category_filter": ["title"]},
            "prediction": {"data_key": "pred"},
            "category_type": "text",
        },
    },
    "detection_eval": {
        "metrics": ["COCODet"],
        "dataset": {
            "dataset_name": "detection_dataset",
            "ground_truth": {"data_path": "pages.json"},
            "prediction": {"data_path": "boxes.json"},
        },
        "categories": {
            "eval_cat": {"block_level": ["text"], "span_level": ["inline"]},
            "gt_cat_mapping": {"title": "text"},
            "pred_cat_mapping": {"title": "text"},
        },
    },
}


class TestFaults:
    @pytest.mark.parametrize("wrong", WRONG, ids=repr)
    def test_anything_anywhere(self, wrong: object) -> None:
        """Whatever stands in a field, the file is read, or refused by its place; nothing else happens."""
        for copy in spoiled(WHOLE, wrong):
            try:
                names = [save_name(task) for task in read_config(copy)]
            except ConfigError as fault:
                assert ":" in str(fault)
            else:
                assert names

    @pytest.mark.parametrize(
        ("place", "wrong", "message"),
        [
            ("ground_truth", {"data_path": ["a"]}, r"ground_truth\.data_path: expected a text, found \['a'\]"),
            ("ground_truth", {}, r"end2end_eval\.dataset\.ground_truth: expected the field 'data_path', found nothing"),
            (
                "prediction",
                None,
                r"end2end_eval\.dataset: the field 'prediction' is there and empty; give it its value",
            ),
            ("prediction", {"data_path": None}, r"dataset\.prediction: the field 'data_path' is there and empty"),
            ("dataset_name", "other", "found dataset_name 'other', expected end2end_eval with"),
            ("match_method", "no_split", "use quick_match"),
        ],
    )
    def test_field(self, place: str, wrong: object, message: str) -> None:
        """The message names the field, what was found and what to do."""
        entry = WHOLE["end2end_eval"]
        spoiled_entry = {**entry, "dataset": {**entry["dataset"], place: wrong}}  # type: ignore[dict-item]
        with pytest.raises(ConfigError, match=message):
            read_config({"end2end_eval": spoiled_entry})

    def test_no_task(self) -> None:
        """A file without a task is refused, and says what to start from."""
        with pytest.raises(ConfigError, match="expected a task, found none"):
            read_config({})
