"""The hints of errors about missing packages."""

import re
from importlib.metadata import PackageNotFoundError, requires

import pytest

from pybinlog.distribution import DISTRIBUTION, how_to_install

BROUGHT = {
    "export": ["pyarrow"],
    "remote": ["fsspec"],
    "server": ["pymysql", "cryptography"],
    "spark": ["pyspark", "pyarrow", "fsspec"],
}


@pytest.mark.parametrize("extra", BROUGHT)
def test_what_an_extra_brings_is_named(extra: str) -> None:
    try:
        requires(DISTRIBUTION)
    except PackageNotFoundError:
        pytest.skip("pybinlog is not installed as a package")
    command = how_to_install(extra)
    assert command.startswith("Install it with: pip install '")
    assert re.findall(r"'([a-z]+)", command) == BROUGHT[extra]


def test_an_extra_that_is_not_declared_is_named_itself() -> None:
    assert how_to_install("nothing") == "Install pybinlog with its extra 'nothing'"


def test_without_a_package_an_extra_is_named_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pybinlog.distribution.DISTRIBUTION", "pybinlog-that-is-not-installed")
    assert how_to_install("export") == "Install pybinlog with its extra 'export'"
