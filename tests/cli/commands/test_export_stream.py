"""`pybinlog export -o -`: rows on standard output, as they come."""

import csv
import io
import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.conftest import Result, real, without_remark
from tests.corpus import PROJECT, scenarios
from tests.views.expected import view

BASIC = next(found for found in scenarios() if found.name == "mysql-9.7/row-basic").logs[0]
SERIES = [str(log) for log in next(found for found in scenarios() if found.name == "mysql-9.7/multi-file").logs]
DAMAGED = next(found for found in scenarios() if found.name == "mysql-9.7/damaged-body").logs[0]
PLENTY = 20
"""Seconds after which a line does not come any more."""


def export(*arguments: str | Path, is_terminal: bool = False) -> Result:
    return real("export", *map(str, arguments), is_terminal=is_terminal)


def objects(text: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_json_lines_are_the_form_of_a_stream() -> None:
    result = export("--columns=position,file", "-o", "-", BASIC)
    rows = [{"position": row["position"], "file": row["file"]} for row in view([BASIC], "events")]
    assert (result.status, result.err) == (0, f"{len(rows)} rows of 1 log.\n")
    assert objects(result.out) == rows


def test_several_logs_are_one_stream_in_their_order() -> None:
    result = export("--columns=position,file", "-o", "-", *SERIES)
    rows = [{"position": row["position"], "file": row["file"]} for row in view(list(map(Path, SERIES)), "events")]
    assert without_remark(result.err) == f"{len(rows)} rows of {len(SERIES)} logs.\n"
    assert objects(result.out) == rows


def test_csv_has_its_names_once() -> None:
    lines = export("--columns=file", "--format=csv", "-o", "-", *SERIES).out.decode().splitlines()
    assert lines[0] == '"file"'
    assert lines.count('"file"') == 1
    assert {row[0] for row in csv.reader(lines[1:])} == set(SERIES)


def test_parquet_is_one_file_of_all_logs() -> None:
    pytest.importorskip("pyarrow")
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(io.BytesIO(export("--format=parquet", "-o", "-", *SERIES).out))
    assert table.column("file").to_pylist() == [row["file"] for row in view(list(map(Path, SERIES)), "events")]


def test_what_is_wrong_with_a_log_is_said_and_the_next_follows() -> None:
    result = export("--view=rows", "--columns=file", "-o", "-", DAMAGED, "/nowhere", BASIC)
    files = [row["file"] for row in objects(result.out)]
    assert result.status == 1
    assert files == [str(DAMAGED)] * files.count(str(DAMAGED)) + [str(BASIC)] * 23
    damage, missing, told = result.err.splitlines()
    assert "the checksum of the event" in damage
    assert missing == "ERROR: /nowhere: cannot be opened: no such file or directory."
    assert told == f"{len(files)} rows of 3 logs."


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--spark=local[1]", "x"],
            "--spark cannot be used with standard output: its executors write files; name a folder with -o",
        ),
        (["--csv-safe", "x"], "--csv-safe requires --format=csv."),
    ],
)
def test_what_a_stream_cannot_have_is_named(arguments: list[str], sentence: str) -> None:
    result = export("-o", "-", *arguments)
    assert (result.status, result.out) == (2, b"")
    assert sentence in result.err


def test_parquet_is_not_for_a_terminal() -> None:
    result = export("-o", "-", "--format=parquet", BASIC, is_terminal=True)
    assert (result.status, result.out) == (2, b"")
    assert "Parquet is not for a terminal; lead it into a file or a pipe" in result.err


def test_a_terminal_shows_no_control_characters(tmp_path: Path) -> None:
    log = tmp_path / "binlog\x9b31m.000001"
    log.write_bytes(BASIC.read_bytes())
    for shown, text in ((True, "\\x9b31m"), (False, "\x9b31m")):
        assert text in export("-o", "-", "--columns=file", "--format=csv", log, is_terminal=shown).out.decode()


def test_a_stream_that_is_an_input_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    log.write_bytes(BASIC.read_bytes())
    with log.open("ab") as file:
        done = subprocess.run(
            command("-o", "-", str(log)), cwd=PROJECT, stdout=file, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert b"standard output would overwrite the log" in done.stderr
    assert log.read_bytes() == BASIC.read_bytes()


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pybinlog", "export", *arguments]


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        command(*arguments), cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def arrived(process: subprocess.Popen[bytes], lines: int) -> bytes:
    """Return the bytes up to so many lines."""
    assert process.stdout is not None
    text = b""
    while text.count(b"\n") < lines:
        ready, _, _ = select.select([process.stdout], [], [], PLENTY)
        assert ready, f"{text.count(10)} lines of {lines} have come"
        text += os.read(process.stdout.fileno(), 1 << 16)
    return text


@pytest.mark.parametrize("options", [[], ["--recover"]], ids=["plain", "recover"])
@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_a_line_comes_as_soon_as_its_event_is_there(format: str, options: list[str]) -> None:
    """Even if the next event has arrived in part: each write ends in the middle of one."""
    log = BASIC.read_bytes()
    ends = [row["end_position"] for row in view([BASIC], "events")]
    with running(f"--format={format}", "--columns=position", *options, "-o", "-", "-") as process:
        assert process.stdin is not None
        written, text = 0, b""
        for number, end in enumerate(ends):
            upto = min(end + 11, len(log))
            process.stdin.write(log[written:upto])
            process.stdin.flush()
            written = upto
            if number == 0 and format == "csv":
                text += arrived(process, 1)  # the names
            text += arrived(process, number + 1 + (format == "csv") - text.count(b"\n"))
        process.stdin.close()
        assert process.wait(PLENTY) == 0
    assert text.count(b"\n") == len(ends) + (format == "csv")


def test_rows_come_when_their_row_event_does() -> None:
    log = BASIC.read_bytes()
    rows = view([BASIC], "rows")
    at = rows[0]["position"]
    end = next(row["end_position"] for row in view([BASIC], "events") if row["position"] == at)
    with running("--view=rows", "--columns=position", "-o", "-", "-") as process:
        assert process.stdin is not None
        process.stdin.write(log[:end])
        process.stdin.flush()
        assert objects(arrived(process, 1)) == [{"position": at}]


def test_a_reader_that_has_seen_enough_ends_it_quietly() -> None:
    with running("-o", "-", "--allow-gaps", *[str(BASIC)] * 40) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        gap = b"WARNING: %s: this log is the same as the log before it, binlog.000001.\n" % str(BASIC).encode()
        assert (process.wait(PLENTY), process.stderr.read().replace(gap, b"")) == (0, b"")
