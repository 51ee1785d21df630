import os

import pytest

from tests.containers import engine


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs an engine where none answers; never in CI, which starts one."""
    if item.get_closest_marker("docker") and (why := engine.missing()):
        if os.environ.get("DOCASSAY_CI") == "1":
            pytest.fail(why)
        pytest.skip(why)
