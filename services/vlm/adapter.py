"""A vision model behind an Ollama server, asked page by page for the page's markdown.

Its version is that of Ollama's client. The prompt and the models' names are in this file, so its digest stands for
them; a name may stand for other weights tomorrow, so the model's digest is what the server says it is. The server is
found as Ollama's own programs find it, by ``OLLAMA_HOST``.
"""

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import ollama
import pypdfium2

from services.runtime import markdown
from services.runtime.form import Collected, Encrypted, Parsed, RequirementMissing, WeightsUnavailable
from services.vlm import tables

MODELS = {"": "qwen2.5vl:7b", "qwen3-vl-8b": "qwen3-vl:8b"}

PROMPT = """\
Transcribe this page as markdown, completely and in reading order.
Text stays as it is written, in its own language; headings are markdown headings.
Mathematics is LaTeX: $...$ inside a line, $$...$$ on lines of its own.
Tables are HTML tables with rowspan and colspan where cells are merged.
Pictures and figures are left out. Say nothing of your own and put no code fence around your answer."""
"""Of the kind that the OmniDocBench article gives to vision models: text, LaTeX formulas, HTML tables, no figures."""

DOTS_PER_INCH = 144

_POINTS_PER_INCH = 72

CONTEXT = 16_384
"""Tokens for a page's image and its text; with the server's own few thousand, a full page is cut off in silence."""

_ASK_SECONDS = 20.0
"""How long the server may take to list its models."""

_SHOWN = 120
"""Code points of what a server said that are told."""

_REMEDY = "start one with ollama serve, or name another in OLLAMA_HOST"


class Adapter:
    """The model gives text alone; headings and tables are those of its markdown, page by page."""

    def __init__(self, setting: str) -> None:
        self._model = MODELS[setting]
        self.weights_digest = _digest(self._model)
        self._client = ollama.Client()

    def parse(self, path: Path, format: str) -> Parsed:
        """Ask for every page."""
        images = _drawn(path) if format == "pdf" else [path.read_bytes()]
        pages = [self._ask(image, number) for number, image in enumerate(images, start=1)]
        return Parsed("\n\n".join(pages), "markdown", pages)

    def collect(self, parsed: Parsed) -> Collected:
        """Read every page's markdown."""
        numbered = list(enumerate(parsed.native, start=1))
        return Collected(
            pages=len(numbered),
            headings=[
                replace(heading, page=number) for number, text in numbered for heading in markdown.headings(text)
            ],
            tables=[table for number, text in numbered for table in tables.tables(text, page=number)],
        )

    def _ask(self, image: bytes, page: int) -> str:
        answer = self._client.chat(
            model=self._model,
            messages=[{"role": "user", "content": PROMPT, "images": [image]}],
            options={"temperature": 0, "seed": 0, "num_ctx": CONTEXT},
        )
        if answer.done_reason == "length":
            raise AnswerCutOff(f"the answer for page {page} did not end within the model's context of {CONTEXT} tokens")
        return answer.message.content or ""


class AnswerCutOff(Exception):
    """A model said the same again and again, or had more to say than fits: its text must not pass for the page's."""


def _digest(model: str) -> str:
    """Ask the server for a model; return the SHA-256 it gives.

    Raises:
        RequirementMissing: no server answers.
        WeightsUnavailable: it does not have the model.
    """
    client = ollama.Client(timeout=_ASK_SECONDS, event_hooks={"response": [_check]})
    try:
        there = {entry.model: entry.digest for entry in client.list().models}
    except (OSError, ValueError, httpx.HTTPError, ollama.ResponseError) as error:
        raise RequirementMissing(
            f"an Ollama server is needed and does not answer ({_shown(str(error))}): {_REMEDY}"
        ) from error
    if model not in there:
        raise WeightsUnavailable(
            f"the server has no model {model} (several GB, from Ollama's library): ollama pull {model}"
        )
    return (there[model] or "").removeprefix("sha256:")


def _check(answer: httpx.Response) -> None:
    """Refuse what no Ollama server answers when it is asked for its models; its own errors are its client's to read.

    Raises:
        RequirementMissing: something else answers.
    """
    kind = answer.headers.get("content-type", "no type of content")
    if answer.is_redirect or ("json" in kind and _is_ollamas(answer)):
        return
    raise RequirementMissing(
        f"an Ollama server is needed, and what answers at {answer.url.netloc.decode()} is none (status "
        f"{answer.status_code}, {_shown(kind)}): {_REMEDY}"
    )


def _is_ollamas(answer: httpx.Response) -> bool:
    """Whether an answer in JSON has what Ollama's have: the models, or the words of an error."""
    answer.read()
    try:
        said = answer.json()
    except ValueError:
        return False
    return isinstance(said, dict) and ("error" if answer.is_error else "models") in said


def _shown(text: str) -> str:
    """Return the beginning of what a server said, fit for one line of a terminal."""
    return "".join(mark if mark.isprintable() else "?" for mark in text[:_SHOWN])


def _drawn(path: Path) -> Iterator[bytes]:
    """Yield every page of a PDF as a PNG image.

    Raises:
        Encrypted: the PDF needs a password.
    """
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise Encrypted("the document needs a password") from None
        raise
    with document:
        for page in document:
            target = io.BytesIO()
            page.render(scale=DOTS_PER_INCH / _POINTS_PER_INCH).to_pil().save(target, "png")
            yield target.getvalue()
