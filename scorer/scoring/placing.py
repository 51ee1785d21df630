"""Where the gold of a run lies: where the run recorded it, or in the folder that is named for it.

A run made in containers recorded a path of theirs, and a corpus may have been moved since.
"""

import json
from pathlib import Path
from typing import Any

from scorer.counting import listed
from scorer.gold import GoldError
from scorer.scoring.inputs import Inputs

MANIFEST = "documents.json"


def corpus_of(given: Inputs, named: Path | None) -> Path:
    """Return where the gold of a run is to be read.

    Args:
        given: the run.
        named: where the corpus is said to lie now; None for where the run recorded it.

    Raises:
        GoldError: it is not there, or is not the corpus of the run; the message names the run's own by its digest.
    """
    recorded = str(given.run["corpus_path"])
    if named is None:
        if "://" not in recorded and not Path(recorded).exists():
            raise GoldError(
                f"{recorded} is not here, where {_described(given)} lay when it was parsed: "
                "say with --corpus where it lies now"
            )
        return Path(recorded)
    if not named.exists():
        raise GoldError(f"{named} does not exist: say with --corpus where {_described(given)} lies now")
    if given.run["suite"].partition("@")[0] == "bizdoc":
        _check(given, named)
    return named


def _check(given: Inputs, folder: Path) -> None:
    """Hold the documents that a manifest lists against those that were parsed; their gold may have been corrected."""
    known = _listed(folder / MANIFEST)
    strangers = [document.id for document in given.documents if known.get(document.id) != document.sha256]
    if strangers:
        raise GoldError(
            f"{folder} is not {_described(given)}: its {MANIFEST} does not list {listed(strangers, 3)} "
            "with the SHA-256 that was parsed; name the folder of that corpus with --corpus"
        )


def _listed(path: Path) -> dict[str, str]:
    """Return the SHA-256 of every document of a manifest, by its id."""
    try:
        content: dict[str, Any] = json.loads(path.read_bytes())
        return {entry["id"]: entry["sha256"] for entry in content["documents"]}
    except OSError as error:
        raise GoldError(f"{path}: {error.strerror}; name the folder of a corpus with --corpus") from error
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise GoldError(f"{path} is no manifest ({error}): run `docassay corpus check {path.parent}`") from error


def _described(given: Inputs) -> str:
    run = given.run
    corpus = f"{run['corpus_name']} {run['corpus_version']}, digest {run['corpus_digest']}"
    return f"the corpus of run {run['run_id']} ({corpus})"
