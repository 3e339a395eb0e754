"""Every command keeps to 4 times the largest event and 128 MiB, and refuses what inflates to more than data do."""

import gzip
import json
import resource
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from random import Random

import pytest

from tests.cli.conftest import real
from tests.corpus import PROJECT, TESTDATA
from tests.dump.log_parts import events_of, joined
from tests.faults.bombs import row
from tests.faults.file_bombs import FORMS, compressors, large_event, write_bombs
from tests.stopwatch import Measured, measure

MIB = 1 << 20
PROGRAM = [sys.executable, "-m", "pybinlog"]
FORMATS = ("parquet", "csv", "jsonl")


def measured(log: Path, *options: str) -> Measured:
    return measure([*PROGRAM, *options, str(log)], folder=str(PROJECT), may_fail=True)


def peak(log: Path, *options: str) -> float:
    """MiB."""
    return measured(log, *options).mebibytes


def said(log: Path, *options: str) -> tuple[int, str]:
    """Status and standard error."""
    done = real(*options, str(log))
    return done.status, done.err


@pytest.fixture(scope="module")
def bombs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Each inflates to more than the memory that a command may take."""
    return write_bombs(tmp_path_factory.mktemp("bombs"), 128, 500)


COMMANDS = {
    "dump": ([], 1),
    "rows": (["-vv"], 1),
    "recover": (["--recover"], 1),
    "check": (["check"], 2),
    "tag": (["tag", "--dry-run"], 1),
    "export": (["export", "-o", "{folder}"], 1),
}


@pytest.mark.parametrize(
    ("form", "command"), [("zst", c) for c in COMMANDS] + [(form, c) for form in FORMS[:-1] for c in ("dump", "check")]
)
def test_a_file_that_inflates_to_an_event_without_end_is_refused(
    form: str, command: str, bombs: dict[str, Path], tmp_path: Path
) -> None:
    options, status = COMMANDS[command]
    options = [option.format(folder=tmp_path) for option in options]
    run = measured(bombs[form], *options)
    assert (run.status, run.mebibytes < 128) == (status, True)
    assert f"{bombs[form]}, at 127: " in run.errors
    assert "more than 100 times as many" in run.errors
    assert "decompress it first" in run.errors


@pytest.mark.parametrize("options", [["check"], ["--recover"]], ids=" ".join)
def test_damage_that_inflates_without_end_is_not_searched(options: list[str], bombs: dict[str, Path]) -> None:
    run = measured(bombs["zeros"], *options)
    assert (run.status, run.mebibytes < 128) == (2 if options == ["check"] else 1, True)
    assert f"{bombs['zeros']}, at 4: " in run.errors
    assert "without the end of an event" in run.errors


@pytest.mark.parametrize("form", FORMS)
def test_a_large_event_compressed_as_data_are_is_read(form: str, tmp_path: Path) -> None:
    log = tmp_path / f"binlog.{form}"
    log.write_bytes(compressors()[form](large_event(20_000, 20)))
    assert said(log, "dump") == (0, "")


def test_a_large_event_beyond_the_ratio_is_read_from_a_plain_log(tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    log.write_bytes(b"".join(large_event(1, 40)))
    assert said(log, "dump") == (0, "")
    compressed = tmp_path / "binlog.000001.zst"
    compressed.write_bytes(compressors()["zst"](large_event(1, 40)))
    status, errors = said(compressed, "dump")
    assert status == 1
    assert "zstd -dc" in errors


VIEWS = [(format, view, size) for format in FORMATS for view, size in (("events", 64), ("rows", 40))]


@pytest.mark.parametrize(("format", "view", "size"), [*VIEWS, ("parquet", "transactions", 64)])
def test_export_of_a_payload_that_inflates_to_one_value(format: str, view: str, size: int, tmp_path: Path) -> None:
    """The view `events` holds the statement, in its column `info`: four times the 64 MiB of the event at most."""
    log = TESTDATA / "bombs" / f"bomb{size}.bin"
    most = 4 * 64 if view == "events" else 128
    most += 32 if format == "parquet" else 0  # numpy, if pyarrow finds it
    assert peak(log, "export", f"--view={view}", f"--format={format}", "-o", str(tmp_path)) < most


@pytest.mark.parametrize(
    ("size", "options"),
    [
        *((71, options) for options in ([], ["-vv"], ["--hexdump"], ["check"], ["tag", "--dry-run"])),
        (64, ["check"]),
        (64, []),
        (40, ["check"]),
    ],
)
def test_a_payload_that_inflates_to_one_value(size: int, options: list[str]) -> None:
    assert peak(TESTDATA / "bombs" / f"bomb{size}.bin", *options) < 128


VALUE = 8
"""MiB."""
VALUES = {
    "zeros": bytes(VALUE * MIB),
    "bytes": Random(1).randbytes(VALUE * MIB),
    "text": "a \"quoted\" 'wörd' € 😀,\n".encode() * (VALUE * MIB // 32),
}


@pytest.mark.parametrize("value", VALUES)
def test_export_of_a_large_value(value: str, tmp_path: Path) -> None:
    """All forms keep to the bound and hold the value."""
    pytest.importorskip("pyarrow")
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    log = tmp_path / "binlog.000001"
    log.write_bytes(row(VALUES[value], compressed=False))
    for format in FORMATS:
        options = ["export", "--view=rows", f"--format={format}", "-o", str(tmp_path)]
        assert peak(log, *options) < 4 * VALUE + 128
    table = pyarrow.parquet.read_table(f"{log}.parquet")
    lines = [json.loads(line) for line in Path(f"{log}.jsonl").read_bytes().splitlines()]
    options_of_csv = pyarrow.csv.ParseOptions(newlines_in_values=True)
    read = pyarrow.csv.ReadOptions(block_size=Path(f"{log}.csv").stat().st_size)
    texts = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(("before", "after"), pyarrow.string()))
    in_csv = pyarrow.csv.read_csv(f"{log}.csv", read_options=read, parse_options=options_of_csv, convert_options=texts)
    rows = [line["after"] for line in lines]
    texts_of_rows = table.column("after").to_pylist()
    assert [None if text is None else json.loads(text) for text in texts_of_rows] == rows
    assert [text or None for text in in_csv.column("after").to_pylist()] == texts_of_rows
    for name in table.column_names:
        if name not in ("before", "after", "timestamp", "commit_time"):
            assert [line[name] for line in lines] == table.column(name).to_pylist()
    data = VALUES[value]
    values = [next(iter(found.values())) for found in rows if found is not None]
    assert {"base64": b64encode(data).decode()} in values or data.decode("utf-8", "replace") in values


def test_a_batch_may_have_rows_before_and_behind_a_large_one(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow.parquet

    log = tmp_path / "binlog.000001"
    log.write_bytes(row(bytes(5 * MIB), compressed=False))
    both = tmp_path / "both"
    for format in FORMATS:
        assert said(log, "export", "--view=rows", f"--format={format}", "-o", str(both))[0] == 0
    table = pyarrow.parquet.read_table(f"{both}/{log.name}.parquet")
    assert table.num_rows > 2
    lengths = [len(after or "") for after in table.column("after").to_pylist()]
    assert [length > MIB for length in lengths].count(True) == 1
    assert lengths[-1] < MIB


@pytest.mark.parametrize("options", [["--hexdump"], ["--hexdump", "--jobs=1"]], ids=" ".join)
def test_the_hexdump_of_a_large_event_does_not_wait_for_its_end(options: list[str], tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    log.write_bytes(row(bytes(24 * MIB), compressed=False))
    assert peak(log, *options) < 4 * 24 + 64


@pytest.fixture(scope="module")
def large_statement(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log with a statement of 64 MiB, compressed: nothing says beforehand how large it is."""
    events = events_of((TESTDATA / "statement-format" / "binlog.000001").read_bytes())
    place = next(at for at, event in enumerate(events) if b"UPDATE" in event)
    old = events[place]
    text = b"CREATE TABLE z (i INT) COMMENT '" + Random(1).randbytes(32 * MIB).hex().encode() + b"'"
    event = bytearray(old[: old.index(b"UPDATE")] + text + b"\0\0\0\0")
    event[9:13] = len(event).to_bytes(4, "little")
    log = tmp_path_factory.mktemp("statement") / "binlog.000001.gz"
    log.write_bytes(gzip.compress(joined([*events[:place], bytes(event), *events[place + 1 :]]), 1))
    return log


@pytest.mark.parametrize(
    "command",
    [["summary"], ["stats", "--by=statement"], ["transactions"], ["rows", "--ddl"], ["report", "-o", "-"], ["xa"]],
    ids=" ".join,
)
def test_a_large_statement_takes_four_times_its_size(command: list[str], large_statement: Path) -> None:
    found = measured(large_statement, *command)
    assert found.status == 0, found.errors
    assert found.mebibytes < 4 * 64 + 128


LIMITED = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
sys.argv[1:] = sys.argv[2:]
runpy.run_module("pybinlog", run_name="__main__")
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_AS"), reason="the system does not bound a process's memory")
@pytest.mark.parametrize(
    ("options", "status"),
    [([], 1), (["-vv", "--jobs=1"], 1), (["check"], 2), (["tag", "--dry-run"], 1)],
    ids=["dump", "rows", "check", "tag"],
)
def test_a_failed_allocation_says_what_needed_how_much(options: list[str], status: int, tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    with log.open("wb") as file:
        pieces = large_event(0, 128)
        file.write(next(pieces) + next(pieces))
        file.truncate(file.tell() + 128 * MIB + 4)
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(120 * MIB), *options, str(log)],
        cwd=PROJECT,
        capture_output=True,
        check=False,
    )
    assert done.returncode == status
    (sentence,) = [line for line in done.stderr.decode().splitlines() if line.startswith("ERROR")]
    assert f"{log}, at 127: the event needs " in sentence
    assert sentence.endswith(" bytes of memory to be read into, which cannot be had.")
