"""The benchmark program runs and reports; no time is judged."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pybinlog.views.schema import VIEWS
from tests.benchmarks.stopwatch import CommandFailed, measure
from tests.benchmarks.views import KINDS
from tests.corpus import PROJECT


def bench(*arguments: str, **environment: str) -> str:
    command = [sys.executable, "-m", "tests.benchmarks", "--mib=1", "--runs=1", *arguments]
    done = subprocess.run(
        command, cwd=PROJECT, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_race_and_a_cost_are_reported() -> None:
    # any program that reads a file can take the place of the reference
    text = bench("--only=statement", "--only=zstd", "--markdown", MYSQLBINLOG=f"{sys.executable} -m pybinlog")
    rows = {
        cells[1].strip(): [c.strip() for c in cells] for line in text.splitlines() if (cells := line.split("|"))[1:]
    }
    assert float(rows["statement"][4].removesuffix(" s")) > 0
    assert float(rows["statement"][6]) > 0
    assert float(rows["zstd"][6]) > 0


def test_without_the_reference_its_columns_are_empty() -> None:
    text = bench("--only=small", PATH="/nonexistent", MYSQLBINLOG="")
    assert "its columns stay empty" in text


def test_the_peak_is_that_of_the_command_not_of_its_parent() -> None:
    ballast = bytearray(b"x") * (200 << 20)
    assert measure([sys.executable, "-c", "pass"]).mebibytes < 100
    assert measure([sys.executable, "-c", "x = bytearray(b'x') * (100 << 20)"]).mebibytes > 100
    del ballast


def test_a_command_that_fails_is_not_timed() -> None:
    with pytest.raises(CommandFailed, match="no such thing"):
        measure([sys.executable, "-c", "raise SystemExit('no such thing')"])


@pytest.mark.parametrize(
    ("chosen", "timed"),
    [
        ("--only=events", [(kind, "events") for kind in KINDS]),
        ("--log=statement", [("statement", view) for view in VIEWS]),
    ],
    ids=["logs", "views"],
)
def test_views_are_timed_on_kinds_of_logs(chosen: str, timed: list[tuple[str, str]]) -> None:
    pytest.importorskip("pyarrow")
    command = [sys.executable, "-m", "tests.benchmarks.views", "--mib=1", "--runs=1", "--markdown", chosen]
    text = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False).stdout
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    assert [tuple(cell.strip() for cell in line.split("|")[1:3]) for line in lines[1:]] == timed


def test_a_live_server_is_read_beside_the_reference() -> None:
    command = [sys.executable, "-m", "tests.benchmarks.server", "--mib=1", "--runs=1", "--memory=0", "--markdown"]
    text = subprocess.run([*command, "--only=text"], cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    if text.startswith("skipped: "):
        pytest.skip(text.removeprefix("skipped: "))
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if " TLS |" in line]
    assert [row[0] for row in rows] == ["text", "text, --no-tbm"]
    assert all(float(cell.removesuffix(" s")) > 0 for row in rows for cell in row[2:5])
