"""An evaluation in the form of the reference's result files, for tools that read them (v1.5).

Source: OmniDocBench v1.5, evaluation tasks and metrics, what each writes and where it says `NaN` or `""` for nothing.
Named quirk: LAST_FORMULA_KEPT.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scorer.suites.omnidoc.bleu import bleu
from scorer.suites.omnidoc.cdm import formula_inputs
from scorer.suites.omnidoc.evaluation import ElementScores, Evaluation
from scorer.suites.omnidoc.metrics import EditSummary, per_page_edit
from scorer.suites.omnidoc.sample import OrderSample, Sample

__all__ = ["element_result", "end_to_end_files", "recognition_files", "sample_record"]

Json = dict[str, object]


def end_to_end_files(evaluation: Evaluation, metrics: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """Return every file of an end-to-end or markdown run: what `metrics` asks for, element by element.

    Names lack the run's save name (`config.save_name`), which the reference puts before them.
    """
    files: dict[str, object] = {}
    results: Json = {}
    for element, wanted in metrics.items():
        scores = _asked(evaluation.elements()[element], wanted)
        results[element] = element_result(scores, wanted)
        files |= _metric_files(scores, wanted, f"{element}_")
        files[f"{element}_result.json"] = [
            sample_record(sample, cdm_number=number if "CDM" in wanted else None)
            for number, sample in enumerate(scores.samples)
        ]
    files["metric_result.json"] = results
    return files


def _asked(scores: ElementScores, metrics: Sequence[str]) -> ElementScores:
    """Leave CDM out of the rows unless it is asked for: an evaluation has it wherever formulas can be drawn."""
    if "CDM" in metrics:
        return scores
    return replace(scores, samples=tuple(map(_without_cdm, scores.samples)))


def _without_cdm(sample: Sample | OrderSample) -> Sample | OrderSample:
    if isinstance(sample, OrderSample):
        return sample
    return replace(sample, metric={name: value for name, value in sample.metric.items() if name != "CDM"})


def recognition_files(scores: ElementScores, metrics: Sequence[str]) -> dict[str, object]:
    """Return every file of a recognition run, named as in `end_to_end_files`."""
    files = _metric_files(scores, metrics, "")
    if "CDM" in metrics:
        files["result.json"] = [
            sample_record(sample, cdm_number=number) for number, sample in enumerate(scores.samples)
        ]
    files["metric_result.json"] = element_result(scores, metrics)
    return files


def element_result(scores: ElementScores, metrics: Sequence[str]) -> Json:
    """Return an element's `all`, `group` and `page` means."""
    overall: Json = {}
    for metric in metrics:
        if metric == "Edit_dist":
            overall["Edit_dist"] = _edit(scores.edit)
        elif metric == "TEDS":
            overall |= {name: _mean(scores, name) for name in ("TEDS", "TEDS_structure_only")}
        elif metric == "CDM":
            overall["CDM"] = _mean(scores, "CDM")
        elif metric == "BLEU":
            pairs = [sample.compared for sample in scores.samples if isinstance(sample, Sample)]
            overall["BLEU"] = {"all": bleu([gold for gold, _ in pairs], [predicted for _, predicted in pairs])}
    kept = {*metrics, *(("TEDS_structure_only",) if "TEDS" in metrics else ()), "sample_count"}
    return {
        "all": overall,
        "group": {name: dict(values) for name, values in scores.attributes.items() if name in kept},
        "page": {name: dict(values) for name, values in scores.pages.items() if name in kept},
    }


def _edit(summary: EditSummary) -> Json:
    if summary.page_average is None:
        return {"ALL_page_avg": "NaN"}
    return {
        "ALL_page_avg": summary.page_average,
        "edit_whole": summary.whole,
        "edit_sample_avg": summary.sample_average,
    }


def _mean(scores: ElementScores, name: str) -> Json:
    return {"all": scores.means[name]} if name in scores.means else {}


def _metric_files(scores: ElementScores, metrics: Sequence[str], prefix: str) -> dict[str, object]:
    files: dict[str, object] = {}
    samples = [sample for sample in scores.samples if isinstance(sample, Sample)]
    if "TEDS" in metrics:
        files[f"{prefix}per_table_TEDS.json"] = {
            f"{sample.image}_{_indices(sample.gold_index) if sample.gold_index else number}": {
                name: sample.metric[name] for name in ("TEDS", "TEDS_structure_only")
            }
            for number, sample in enumerate(samples)
        }
    if "CDM" in metrics:
        # in a recognition run, where nothing is indexed, all of a page's formulas share one name and the last stays
        files[f"{prefix}per_sample_CDM.json"] = {
            f"{sample.image}_{_indices(sample.gold_index) if sample.gold_index else 0}": sample.metric["CDM"]
            for sample in samples
        }
    if "CDM_plain" in metrics:
        files[f"{prefix}formula.json"] = [
            {**sample_record(sample), "img_id": str(number)} for number, sample in enumerate(samples)
        ]
    if "Edit_dist" in metrics and scores.samples:
        files[f"{prefix}per_page_edit.json"] = per_page_edit(scores.samples)
    return files


def _indices(index: Sequence[int]) -> str:
    return str(list(index))


def sample_record(sample: Sample | OrderSample, *, cdm_number: int | None = None) -> Json:
    """Return a row as the reference writes it; with a `cdm_number` the texts are as CDM strips them."""
    if isinstance(sample, OrderSample):
        return {
            "gt": list(sample.gold),
            "pred": list(sample.predicted),
            "img_id": sample.image,
            "edit": sample.edit,
            "image_name": sample.image,
            "upper_len": sample.longest,
            "metric": {"Edit_dist": sample.edit},
            "Edit_num": sample.edits,
        }
    gold, predicted = sample.gold, sample.predicted
    if cdm_number is not None:
        gold, predicted = formula_inputs(gold, predicted)
    record: Json = {"gt": gold, "pred": predicted, "norm_gt": sample.norm_gold, "norm_pred": sample.norm_predicted}
    if sample.gold_index:
        positions: list[object] = ["" if position is None else position for position in sample.gold_position]
        pieces: list[object] = [*sample.piece_index] or [""]
        record |= {
            "gt_idx": list(sample.gold_index),
            "pred_idx": "" if sample.blanked else pieces,
            "edit": sample.edit,
            "gt_category_type": sample.gold_category,
            "pred_category_type": "" if sample.blanked else sample.piece_category,
            "gt_position": positions,
            "pred_position": "" if sample.blanked or sample.piece_position is None else sample.piece_position,
        }
    record |= {"gt_attribute": [dict(attribute) for attribute in sample.attributes], "img_id": sample.image}
    record |= {"image_name": sample.image, "upper_len": sample.longest}
    if sample.metric:
        record["metric"] = dict(sample.metric)
    if sample.edits is not None:
        record["Edit_num"] = sample.edits
    return record if cdm_number is None else {**record, "img_id_cdm": str(cdm_number)}
