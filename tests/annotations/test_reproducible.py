import io
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from annotations.generator import __main__ as command
from annotations.generator import probes
from tests.annotations import readers

_PROBES = Path(__file__).parents[2] / "services" / "runtime" / "probes"
_MOST_BYTES = 5_000_000


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class TestReproducible:
    def test_the_sample_is_what_the_generator_writes(self, tmp_path: Path) -> None:
        """The committed sample is, file by file and byte by byte, what the command writes."""
        assert command.main([str(tmp_path / "sample")]) == 0
        written, committed = _files(tmp_path / "sample"), _files(readers.SAMPLE)
        assert sorted(written) == sorted(committed)
        assert [name for name in written if written[name] != committed[name]] == []

    def test_the_probes_are_what_the_generator_writes(self, tmp_path: Path) -> None:
        """The committed probes are, byte by byte, what their module writes; of the image the pixels are the same."""
        probes.write(tmp_path)
        written = _files(tmp_path)
        committed = {name: data for name, data in _files(_PROBES).items() if name.startswith("probe.")}
        drawn, kept = (Image.open(io.BytesIO(found.pop("probe.png"))).convert("L") for found in (written, committed))
        assert (drawn.size, drawn.tobytes()) == (kept.size, kept.tobytes())
        assert written == committed

    def test_no_stream_is_deflated(self) -> None:
        """No document's bytes depend on a zlib: office parts are stored, PDF streams are plain."""
        for document in readers.DOCUMENTS.values():
            if document.format == "pdf":
                assert b"FlateDecode" not in document.path.read_bytes()
            elif document.format in ("docx", "pptx"):
                with zipfile.ZipFile(document.path) as archive:
                    assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}
                    assert {entry.date_time[0] for entry in archive.infolist()} == {1980}


class TestCommand:
    def test_a_folder_with_files_is_left_alone(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """Writing over other files is refused, and the message names the folder."""
        (tmp_path / "mine.txt").write_text("keep")
        assert command.main([str(tmp_path)]) == 2
        assert str(tmp_path) in capsys.readouterr().err
        assert _files(tmp_path) == {"mine.txt": b"keep"}

    def test_a_call_without_folder_is_refused(self, capsys: pytest.CaptureFixture[str]) -> None:
        """The output folder must be named."""
        assert command.main([]) == 2
        assert "usage" in capsys.readouterr().err


class TestSize:
    def test_the_sample_is_small(self) -> None:
        """Sixteen documents with all four annotations take less than 5 MB."""
        assert sum(len(data) for data in _files(readers.SAMPLE).values()) <= _MOST_BYTES
        assert len(readers.DOCUMENTS) == 16
        for document in readers.DOCUMENTS.values():
            assert sorted(document.annotations) == ["content", "hierarchy", "qa", "tables"]
