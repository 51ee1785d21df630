"""One line of an error that a person can act on, whatever a tool raises."""

import subprocess
import sys
from pathlib import Path

import pytest

from services.runtime import reasons

LOG = """server failed
--- last logs ---
Traceback (most recent call last):
  File "/opt/tool/server.py", line 1, in <module>
    main()
OSError: model.safetensors is no model
shutting down
"""


class ToolError(Exception):
    """As a tool defines it."""


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ToolError("the page is bad"), "ToolError: the page is bad"),
        (ToolError("two\n  lines\t\tof it"), "ToolError: two lines of it"),
        (ToolError(), "ToolError"),
        (
            ToolError(LOG),
            "ToolError: server failed --- last logs --- OSError: model.safetensors is no model",
        ),
        (ToolError("Traceback (most recent call last):\n  lost"), "ToolError: lost"),
        (ToolError("keys [/'A', /b'MS', b\"x\"]"), "ToolError: keys [/'A', /'MS', \"x\"]"),
        (ToolError("rob's and bob's"), "ToolError: rob's and bob's"),
        (FileNotFoundError(2, "No such file", "a.bin"), "FileNotFoundError: [Errno 2] No such file: 'a.bin'"),
    ],
)
def test_a_line(error: Exception, line: str) -> None:
    """White space is one blank, another process's traceback what was raised there, bytes are text."""
    assert reasons.of(error) == line


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("echo 'Error: no pages' >&2; exit 3", "sh: exit code 3: Error: no pages"),
        ("echo 'Error: on the other stream'; exit 1", "sh: exit code 1: Error: on the other stream"),
        ("exit 1", "sh: exit code 1: it said nothing"),
        (
            "echo 'java.io.IOException: no trailer' >&2; echo '\tat org.pdf.Reader' >&2; exit 1",
            "sh: exit code 1: java.io.IOException: no trailer",
        ),
        ("kill -9 $$", "sh: was ended by signal 9: it said nothing"),
    ],
)
@pytest.mark.parametrize("text", [True, False])
def test_a_program_that_failed(script: str, line: str, text: bool) -> None:
    """Which, how, and its last words; not the command, which would fill the line."""
    with pytest.raises(subprocess.CalledProcessError) as caught:
        subprocess.run(["/bin/sh", "-c", script], check=True, capture_output=True, text=text)
    assert reasons.of(caught.value) == f"CalledProcessError: {line}"


def test_an_error_of_pythons_has_its_place_in_the_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``'text'`` alone says nothing: the place is for the tool's author, so it is not that of a library below."""
    package = tmp_path / "site-packages" / "tool"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "pages.py").write_text("import library\n\ndef read(page):\n    return library.text_of(page)\n")
    (package.parent / "library.py").write_text(
        "def text_of(page):\n    try:\n        return page['text']\n    except KeyError as error:\n"
        "        raise KeyError('text') from error\n"  # said once, though it was raised twice
    )
    monkeypatch.syspath_prepend(package.parent)
    from tool import pages  # type: ignore[import-not-found]

    adapter = compile("read({})", "/opt/lib/site-packages/services/tool/adapter.py", "exec")
    with pytest.raises(KeyError) as caught:
        exec(adapter, {"read": pages.read})
    assert reasons.of(caught.value) == "KeyError: 'text' (tool/pages.py, line 4)"
    assert len(reasons.of(KeyError("x" * 1_000))) == reasons.LENGTH
    del sys.modules["tool"], sys.modules["tool.pages"], sys.modules["library"]


def test_the_cause_is_told() -> None:
    """A tool that wraps what went wrong says nothing itself; what it caught on the way and mended is not the cause."""
    with pytest.raises(ToolError) as caught:
        try:
            try:
                raise OSError("the part is missing")
            except OSError as error:
                raise ToolError("reading failed") from error
        except ToolError as error:
            raise ToolError("the pipeline failed") from error
    assert reasons.of(caught.value) == "ToolError: the pipeline failed: OSError: the part is missing"
    with pytest.raises(ToolError) as caught:
        try:
            raise OSError("the part is missing")
        except OSError:
            raise ToolError("no pages") from None
    assert reasons.of(caught.value) == "ToolError: no pages"
    circle = ToolError("round")
    circle.__cause__ = circle
    assert reasons.of(circle) == "ToolError: round"


def test_a_huge_message_is_cut() -> None:
    """One line of a few hundred characters, of the beginning."""
    assert reasons.of(ToolError("long " * 4_000_000)) == ("ToolError: " + "long " * 80)[: reasons.LENGTH]


def test_a_temporary_folder_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same fault has the same reason in every run; other folders may matter."""
    monkeypatch.setenv("TMPDIR", "/tmp/docassay-a/tool@1")
    told = reasons.of(ToolError("/tmp/docassay-a/tool@1/tmpb1/in.pdf: no trailer, '/tmp/docassay-a/tool@1/x' /opt/a/b"))
    assert told == "ToolError: in.pdf: no trailer, 'x' /opt/a/b"
    monkeypatch.setenv("TMPDIR", "/")
    assert reasons.of(ToolError("/opt/a/b is bad")) == "ToolError: /opt/a/b is bad"


def test_the_document_is_not_named(tmp_path: Path) -> None:
    """It has another name for the parser than for people."""
    path = tmp_path / "26fd407c.pdf"
    assert reasons.of_document(f"ToolError: {path} is bad, 26fd407c.pdf is", path) == (
        "ToolError: the document is bad, the document is"
    )
