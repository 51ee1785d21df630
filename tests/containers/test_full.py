"""docker compose --profile full: parsers that need model weights, with none, and with what the service leaves."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scorer.store import query
from tests.containers import engine
from tests.containers.engine import Compose, docker

pytestmark = pytest.mark.docker

MODELS = ("det.onnx", "rec.onnx", "order.onnx", "meta.json")
WHOLE = {".onnx": r"printf '\010\007'", ".json": "echo {}"}
"""What writes the shortest file of a format that does not end too early."""


@pytest.fixture(scope="module", name="compose")
def _compose(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compose]:
    """The two small parsers of the profile, and an Ollama that has no model."""
    engine.build("indra_ocr", "vlm")
    folder = engine.ROOT / "tests" / "containers" / "ollama"
    vlm = ("--build-arg", f"IMAGE={engine.image('vlm')}")
    docker("build", "-q", "-t", "docassay/ollama-stand-in:1", *vlm, str(folder))
    results = tmp_path_factory.mktemp("full")
    compose = Compose(
        "docassay-full",
        corpus=engine.ROOT / "annotations" / "sample",
        results=results,
        files=("tests/containers/full.yaml",),
    )
    try:
        yield compose
    finally:
        compose.down()


@pytest.fixture(scope="module", name="without")
def _without(compose: Compose) -> str:
    """A run of the whole profile without any weights; what it printed."""
    return compose.done("--profile", "full", "up", "--no-color", "--exit-code-from", "orchestrator", timeout=900)


def stands(results: Path) -> dict[str, tuple[str, str]]:
    """Return every parser's state and reason in the newest run."""
    rows: list[dict[str, Any]] = query.table(
        results, "select name, state, reason from parsers where run_id = (select max(run_id) from runs)"
    ).to_pylist()
    return {row["name"]: (row["state"], row["reason"]) for row in rows}


class TestWithoutWeights:
    def test_every_parser_that_lacks_them_says_so_and_the_run_goes_on(self, compose: Compose, without: str) -> None:
        """What is missing, and the one command that fetches it; the others are parsed with and ranked."""
        found = stands(compose.results)
        for name, words in (("indra_ocr", "about 76 MB"), ("vlm", "qwen2.5vl:7b")):
            state, reason = found.pop(name)
            assert state == "weights_unavailable", reason
            assert words in reason
            assert reason.endswith("docker compose run --rm weights")
        assert {name: state for name, (state, _) in found.items()} == {"markitdown": "ready"}
        assert "composite" in without

    def test_everything_ends_with_the_run(self, compose: Compose, without: str) -> None:
        """Also the server of models, which nobody can tell to end."""
        assert compose.done("ps", "-q").split() == []
        words = ("--profile", "full", "up", "--no-color", "scorer", "ollama")
        with (compose.results / "log").open("wb") as sink:
            up = compose.start(*words, to=sink)
            try:
                until_healthy(compose, "scorer")
                compose.done("kill", "-s", "SIGTERM", "scorer")
                assert up.wait(timeout=60) == 0, (compose.results / "log").read_text()
            finally:
                compose("kill")


class TestTheWeightsService:
    def test_what_cannot_be_fetched_is_named_with_its_command(self, compose: Compose) -> None:
        """What Ollama serves is fetched by the same command; a failure of one parser's ends with 1."""
        done = compose("run", "--rm", "weights", "indra_ocr", timeout=300)
        assert done.returncode == 1, done.stdout
        assert "indra_ocr@1.1.2: models of 1.1: exit code" in done.stdout
        command = "hf download datalab-to/indra-ocr --revision v1.1.0 --exclude 'math*' --local-dir"
        assert f"{command} /weights/indra_ocr/v1.1.0" in done.stdout
        assert "Traceback (most recent call last)" not in done.stdout.partition("docassay: ")[2]
        logs = compose.done("logs", "--no-color", "ollama_weights")
        assert "pulled nomic-embed-text" in logs
        assert "pulled qwen2.5vl:7b" in logs

    def test_what_it_leaves_is_what_the_parser_sees(self, compose: Compose, without: str) -> None:
        """Files in the volume are read, and not written, by a parser: these are no models, so it is unhealthy now."""
        leave = " && ".join(f"{WHOLE[Path(name).suffix]} >/weights/indra_ocr/v1.1.0/{name}" for name in MODELS)
        seed = ("run", "--rm", "--no-deps", "--entrypoint", "sh", "weights", "-c")
        compose.done(*seed, f"mkdir -p /weights/indra_ocr/v1.1.0 && {leave}")
        done = compose.done("run", "--rm", "--no-deps", "weights", "indra_ocr")
        assert "indra_ocr@1.1.2: nothing is missing in /weights/indra_ocr" in done
        words = ("run", "--rm", "orchestrator", "parse", "--parsers", "indra_ocr", "--limit", "1")
        assert compose("--profile", "full", *words, timeout=300).returncode == 1
        state, reason = stands(compose.results)["indra_ocr"]
        assert state == "unhealthy", reason
        [row] = query.table(compose.results, "select weights_digest from parsers order by run_id desc").to_pylist()[:1]
        assert len(row["weights_digest"]) == 64


def until_healthy(compose: Compose, service: str) -> None:
    for _ in range(100):
        if compose("exec", service, "health").returncode == 0:
            return
    raise AssertionError(compose("logs", service).stdout)
