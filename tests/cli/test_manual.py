"""The man pages, as the build makes them."""

import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pybinlog.cli.program import COMMANDS, command_named
from tests.corpus import PROJECT

MANUAL: dict[str, Any] = runpy.run_path(str(PROJECT / "docs" / "manual.py"))
NAMES = list(MANUAL["pages"]())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("man")
    (made / "pybinlog-gone.1").write_text("of a command that is no more")
    assert MANUAL["write_pages"](made) == [str(made / name) for name in NAMES]
    assert {path.name for path in made.iterdir()} == set(NAMES)
    return made


def test_the_build_needs_no_kernel_for_them(tmp_path: Path) -> None:
    script = (
        "import runpy, sys\n"
        "sys.modules['pybinlog.kernel'] = None\n"  # as if it is not built
        f"runpy.run_path({str(PROJECT / 'docs' / 'manual.py')!r}, run_name='__main__')\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], cwd=PROJECT, check=True, timeout=60)
    assert {path.name for path in tmp_path.iterdir()} == set(NAMES)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_of_a_command_has_each_of_its_options(name: str, folder: Path) -> None:
    lines = (folder / f"pybinlog-{name}.1").read_text(encoding="utf-8").splitlines()
    for option in command_named(name).options:
        spelling, _ = option.help_record()
        place = lines.index(f".B {MANUAL['escaped'](spelling.strip())}")
        assert lines[place - 1] == ".TP"
        assert lines[place + 1].strip(". ")


@pytest.mark.parametrize("name", NAMES)
def test_mandoc_finds_no_fault(name: str, folder: Path) -> None:
    if shutil.which("mandoc") is None:
        pytest.skip("needs mandoc")
    done = subprocess.run(["mandoc", "-Tlint", str(folder / name)], capture_output=True, text=True, timeout=60)
    passed = ("referenced manual not found", "missing date")
    assert [line for line in done.stdout.splitlines() if not any(text in line for text in passed)] == []


def test_man_shows_a_page(folder: Path) -> None:
    if shutil.which("man") is None:
        pytest.skip("needs man")
    done = subprocess.run(
        ["man", str(folder / "pybinlog-check.1")],
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": "/usr/bin:/bin", "MANWIDTH": "80", "LC_ALL": "C.UTF-8"},
    )
    assert done.returncode == 0
    assert "pybinlog-check - report damage, gaps and broken transactions" in done.stdout
    assert "--fail-on=SEVERITY" in done.stdout
