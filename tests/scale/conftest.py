"""The marker of the tests in this folder, and the sizes they work with."""

import os
from pathlib import Path

import pytest

FOLDER = str(Path(__file__).parent)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "scale: works on a large input (PYBINLOG_SCALE_MIB sets the size)")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if str(item.path).startswith(FOLDER):
            item.add_marker(pytest.mark.scale)


@pytest.fixture(scope="session")
def mebibytes() -> int:
    """The size of the larger inputs: 48 MiB, or what PYBINLOG_SCALE_MIB says."""
    return int(os.environ.get("PYBINLOG_SCALE_MIB", "48"))
