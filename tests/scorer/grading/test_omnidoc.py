"""Grading files: the reference's configurations, names of predictions, and what is refused."""

import json
from pathlib import Path

import pytest

from scorer.grading.omnidoc import (
    GradingError,
    end_to_end,
    grade_config,
    grade_folder,
    load_pages,
    prediction_of,
    write_files,
)
from scorer.suites.omnidoc.config import ConfigError, read_config
from scorer.suites.omnidoc.detection import Detected
from scorer.suites.omnidoc.evaluation import Evaluation
from scorer.suites.omnidoc.versions import UnsupportedVersionError, version
from tests.scorer.suites.omnidoc.pages import LONG, block, data


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """Return an annotation file of one page."""
    path = tmp_path / "gold.json"
    blocks = [block("text_block", at + 1, at, text=text, attribute={"language": "en"}) for at, text in enumerate(LONG)]
    path.write_text(json.dumps([data(*blocks)]), encoding="utf-8")
    return path


def _predict(folder: Path, name: str = "small.md") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("\n\n".join(LONG), encoding="utf-8")
    return folder


class TestFolder:
    @pytest.mark.parametrize("name", ["small.md", "small.mmd", "small.jpg.md"])
    def test_names(self, gold: Path, tmp_path: Path, name: str) -> None:
        """A prediction is found under each name the reference looks for, and a perfect one is at distance 0."""
        graded = grade_folder(gold, _predict(tmp_path / "md", name))
        assert isinstance(graded.result, Evaluation)
        assert graded.result.text_block.edit.page_average == 0.0
        assert graded.result.reading_order.edit.page_average == 0.0

    def test_pdf_is_dropped(self, tmp_path: Path) -> None:
        """A page of a PDF is found without the PDF's ending."""
        _predict(tmp_path / "md", "a_3.md")
        assert prediction_of("a.pdf_3.jpg", tmp_path / "md") == tmp_path / "md" / "a_3.md"

    def test_workers(self, gold: Path, tmp_path: Path) -> None:
        """Two processes give what one gives."""
        folder = _predict(tmp_path / "md")
        assert grade_folder(gold, folder, workers=2).files == grade_folder(gold, folder).files

    def test_no_prediction(self, gold: Path, tmp_path: Path) -> None:
        """A folder without any prediction is refused, with the names that were looked for."""
        with pytest.raises(GradingError, match=r"no prediction for any of 1 page; looked for small\.md, small\.mmd"):
            grade_folder(gold, tmp_path)
        with pytest.raises(GradingError, match=r"absent: no prediction .*; there is no such folder"):
            grade_folder(gold, tmp_path / "absent")

    def test_bad_gold(self, tmp_path: Path) -> None:
        """An annotation file that is no JSON is refused by name."""
        path = tmp_path / "gold.json"
        path.write_text("{", encoding="utf-8")
        with pytest.raises(GradingError, match=r"gold\.json"):
            load_pages(path)

    def test_files(self, gold: Path, tmp_path: Path) -> None:
        """Result files bear the reference's names and hold its fields."""
        folder = _predict(tmp_path / "md")
        write_files(end_to_end(gold, folder), grade_folder(gold, folder).files, tmp_path / "out")
        result = json.loads((tmp_path / "out" / "md_quick_match_metric_result.json").read_text(encoding="utf-8"))
        assert result["text_block"]["all"]["Edit_dist"]["ALL_page_avg"] == 0.0
        assert result["table"]["all"] == {"TEDS": {}, "TEDS_structure_only": {}, "Edit_dist": {"ALL_page_avg": "NaN"}}
        assert (tmp_path / "out" / "md_quick_match_text_block_per_page_edit.json").is_file()


class TestConfig:
    def _write(self, path: Path, *, match: str = "quick_match", metric: str = "Edit_dist") -> Path:
        path.write_text(
            f"""end2end_eval:
  metrics:
    text_block: {{metric: [{metric}]}}
  dataset:
    dataset_name: end2end_dataset
    ground_truth: {{data_path: ./gold.json}}
    prediction: {{data_path: ./md}}
    match_method: {match}
    filter: {{language: english}}
""",
            encoding="utf-8",
        )
        return path

    def test_end_to_end(self, gold: Path, tmp_path: Path) -> None:
        """A configuration runs on the paths it names, filter included."""
        _predict(tmp_path / "md")
        [graded] = grade_config(self._write(gold.parent / "c.yaml"), root=tmp_path)
        assert isinstance(graded.result, Evaluation)
        assert graded.result.text_block.edit.whole == 0.0

    def test_markdown(self, tmp_path: Path) -> None:
        """Markdown against itself is at distance 0."""
        _predict(tmp_path / "gold_md")
        _predict(tmp_path / "md")
        config = {
            "end2end_eval": {
                "metrics": {"text_block": {"metric": ["Edit_dist"]}},
                "dataset": {
                    "dataset_name": "md2md_dataset",
                    "ground_truth": {"data_path": "gold_md"},
                    "prediction": {"data_path": "md"},
                },
            }
        }
        (tmp_path / "c.yaml").write_text(json.dumps(config), encoding="utf-8")
        [graded] = grade_config(tmp_path / "c.yaml", root=tmp_path)
        assert isinstance(graded.result, Evaluation)
        assert graded.result.text_block.edit.page_average == 0.0

    def test_cdm_needs_a_renderer(self, gold: Path, tmp_path: Path) -> None:
        """Asking for CDM without a renderer is refused, never scored 0."""
        _predict(tmp_path / "md")
        path = self._write(gold.parent / "c.yaml")
        path.write_text(
            path.read_text(encoding="utf-8").replace("text_block", "display_formula").replace("Edit_dist", "CDM")
        )
        with pytest.raises(GradingError, match="CDM, which needs LaTeX"):
            grade_config(path, root=tmp_path)

    @pytest.mark.parametrize(
        ("match", "metric", "message"),
        [
            ("no_split", "Edit_dist", "use quick_match"),
            ("quick_match", "METEOR", "WordNet"),
            ("quick_match", "X", "found metric 'X'"),
        ],
    )
    def test_refused(self, tmp_path: Path, match: str, metric: str, message: str) -> None:
        """What cannot be run is refused with the field and what to do."""
        with pytest.raises(GradingError, match=message):
            grade_config(self._write(tmp_path / "c.yaml", match=match, metric=metric), root=tmp_path)

    def test_unknown_task(self) -> None:
        """A task that is not known is refused with those that are."""
        entry = {"dataset": {"dataset_name": "x", "ground_truth": {"data_path": "a"}, "prediction": {}}}
        with pytest.raises(ConfigError, match="expected end2end_eval with"):
            read_config({"end2end_eval": entry})

    def test_detection_of_itself(self, gold: Path, tmp_path: Path) -> None:
        """Annotations taken as predictions have a mAP of 1."""
        config = {
            "detection_eval": {
                "dataset": {
                    "dataset_name": "detection_dataset",
                    "ground_truth": {"data_path": gold.name},
                    "prediction": {"data_path": gold.name},
                },
                "categories": {
                    "eval_cat": {"block_level": ["text"]},
                    "gt_cat_mapping": {"text_block": "text"},
                    "pred_cat_mapping": {"text_block": "text"},
                },
            }
        }
        (tmp_path / "c.yaml").write_text(json.dumps(config), encoding="utf-8")
        [graded] = grade_config(tmp_path / "c.yaml", root=tmp_path)
        assert isinstance(graded.result, Detected)
        assert float(graded.result.figures()["bbox_mAP"][0]) == pytest.approx(1.0)


class TestVersion:
    def test_refused(self) -> None:
        """v1.6 is refused with the reason, an unknown version with the one to use."""
        with pytest.raises(UnsupportedVersionError, match="no recorded answers"):
            version("v1.6")
        with pytest.raises(UnsupportedVersionError, match="not known"):
            version("v9")
        assert version("v1.5").name == "v1.5"
