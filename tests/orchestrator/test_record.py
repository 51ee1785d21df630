"""The results folder before a run."""

import resource
from pathlib import Path

import pytest

from orchestrator import record


def test_a_folder_that_cannot_hold_a_byte_is_named_and_left_as_it_was(tmp_path: Path) -> None:
    """Files may not grow, as if the disk were full: the probe leaves nothing behind."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        with pytest.raises(record.FolderError, match=f"the results folder {tmp_path} cannot be written"):
            record.check_folder(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []
