"""What holds for all tests."""

import os

import pytest
from hypothesis import settings

from tests.containers import engine

# Machines are noisy and busy: no test asserts on seconds, examples neither. In CI the examples are the same each time,
# so that a change is judged by what it changed; new ones are looked for wherever else the tests run.
settings.register_profile("docassay", deadline=None, derandomize=os.environ.get("DOCASSAY_CI") == "1")
settings.load_profile("docassay")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs an engine where none answers; never in CI, which starts one."""
    if item.get_closest_marker("docker") and (why := engine.missing()):
        if os.environ.get("DOCASSAY_CI") == "1":
            pytest.fail(why)
        pytest.skip(why)
