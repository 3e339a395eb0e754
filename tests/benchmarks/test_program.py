"""The benchmark program runs and reports; no time is judged."""

import os
import subprocess
import sys

import pytest

from tests.benchmarks.rows import ROWS
from tests.corpus import PROJECT

pytest.importorskip("pyperf", reason="needs pyperf")


def bench(*arguments: str, **environment: str) -> dict[str, list[str]]:
    """The cells of each row; the notes are those of the row "notes"."""
    command = [sys.executable, "-m", "tests.benchmarks", "--mib=1", "--runs=2", *arguments]
    done = subprocess.run(
        command, cwd=PROJECT, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    table, _, notes = done.stdout.partition("\n\n")[2].partition("\n\n")
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
    return {"notes": notes.splitlines(), **{cells[0]: cells[1:] for cells in lines}}


def test_commands_take_turns_beside_the_reference_and_beside_others() -> None:
    # any program that reads a file can take the place of the reference
    rows = bench("--only=statement", "--only=near-end", MYSQLBINLOG=f"{sys.executable} -m pybinlog")
    for row in ("statement", "near-end"):
        size, other, ours, ratio, _, its_peak, our_peak = rows[row][1:8]
        assert float(size) > 0.9
        assert float(ratio) == pytest.approx(float(other.removesuffix(" s")) / float(ours.removesuffix(" s")), abs=0.1)
        assert min(float(peak.removesuffix(" MiB")) for peak in (its_peak, our_peak)) > 5
    assert float(rows["statement"][9]) > 0  # over cat
    assert rows["near-end"][9] == ""


def test_any_command_can_be_timed_beside_pybinlog() -> None:
    rows = bench("--only=small", "--beside=cat {log}", PATH="/bin:/usr/bin", MYSQLBINLOG="", MYSQL97_ROOT="")
    assert float(rows["small"][2].removesuffix(" s")) > 0
    assert "mysqlbinlog --no-defaults is not there: its columns stay empty." in rows["notes"]


def test_a_row_whose_command_fails_is_named_with_the_error() -> None:
    rows = bench("--only=small", "--beside=cat no-such-file")
    assert "small" not in rows
    assert any(note.startswith("small: cat no-such-file: ") for note in rows["notes"])


def test_names_of_rows_are_unique() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ["server", "bulk-wide", "small-logs", "mariadb-bulk-narrow", "mariadb-small-logs"])
def test_logs_of_servers_are_timed(row: str) -> None:
    rows = bench(f"--only={row}")
    needs = [note for note in rows["notes"] if note.startswith(f"{row}: needs a real server")]
    if needs:
        pytest.skip(needs[0])
    assert float(rows[row][4]) > 0
