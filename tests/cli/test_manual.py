"""The man pages that are checked in."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.cli.manual import FOLDER, pages
from tests.corpus import PROJECT


def test_the_pages_are_those_that_the_options_make() -> None:
    """Where not: `.venv/bin/python -m tests.cli.manual` writes them again."""
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.1")} == pages()


@pytest.mark.parametrize("name", pages())
def test_mandoc_finds_no_fault(name: str) -> None:
    if shutil.which("mandoc") is None:
        pytest.skip("needs mandoc")
    done = subprocess.run(["mandoc", "-Tlint", str(FOLDER / name)], capture_output=True, text=True, timeout=60)
    faults = [line for line in done.stdout.splitlines() if "referenced manual not found" not in line]
    assert faults == []


def test_man_shows_a_page() -> None:
    if shutil.which("man") is None:
        pytest.skip("needs man")
    done = subprocess.run(
        ["man", str(FOLDER / "pybinlog-check.1")],
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": "/usr/bin:/bin", "MANWIDTH": "80", "LC_ALL": "C.UTF-8"},
    )
    assert done.returncode == 0
    assert "pybinlog-check - look for what is wrong with logs" in done.stdout
    assert "--fail-on=SEVERITY" in done.stdout


def test_the_wheel_installs_them() -> None:
    assert '"share/man/man1" = ["docs/man/*.1"]' in (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
