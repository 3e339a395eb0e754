"""`--follow` as people use it: refusals, signals, a reader that goes away."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.conftest import parsed, real
from tests.corpus import PROJECT, scenarios

PROGRAM = [sys.executable, "-m", "pybinlog"]
BASIC = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0].read_bytes()
SERIES = next(s for s in scenarios() if s.name == "mysql-9.7/multi-file").logs
HALF = 1330
"""The end of an event."""
LONG = 30.0
"""Seconds in which even a busy machine does something."""


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log that a server has begun, in the current folder."""
    monkeypatch.chdir(tmp_path)
    path = Path("binlog.000001")
    path.write_bytes(BASIC[:HALF])
    return path


class Running:
    def __init__(self, process: subprocess.Popen[bytes]):
        self.process = process
        self.text = b""

    def read_to(self, mark: bytes) -> None:
        assert self.process.stdout is not None
        while mark not in self.text:
            assert select.select([self.process.stdout], [], [], LONG)[0], (mark, self.text)
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            assert more, self.process.stderr
            self.text += more

    def end(self) -> tuple[int, str]:
        """Return the program's status and its messages."""
        more, said = self.process.communicate(timeout=LONG)
        self.text += more
        return self.process.returncode, said.decode()


@contextmanager
def following(*arguments: str | Path) -> Iterator[Running]:
    process = subprocess.Popen(
        [*PROGRAM, "--follow", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield Running(process)
    finally:
        process.kill()
        process.communicate()


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=str
)
def test_a_signal_ends_it_quietly_after_whole_events(number: signal.Signals, status: int, log: Path) -> None:
    with following(log) as running:
        running.read_to(b"COMMIT")
        append(log, BASIC[HALF:-20])
        running.read_to(b"DROP DATABASE shop\n/*!*/;\n")
        running.process.send_signal(number)
        assert running.end() == (status, "")
        assert running.text.endswith(b"/*!*/;\n")


def test_a_reader_that_goes_away_ends_it_though_nothing_is_written(log: Path) -> None:
    with following(log) as running:
        running.read_to(b"COMMIT")
        assert running.process.stdout is not None
        running.process.stdout.close()
        assert running.process.wait(timeout=LONG) == 0
        assert running.process.stderr is not None
        assert running.process.stderr.read() == b""


def test_an_index_begins_with_its_last_log(log: Path) -> None:
    for name, other in zip(("binlog.000001", "binlog.000002"), SERIES, strict=False):
        Path(name).write_bytes(other.read_bytes())
    index = Path("binlog.index")
    index.write_text("./binlog.000001\n./binlog.000002\n")
    with following("--index", index) as running:
        running.read_to(b"Rotate to binlog.000003")
        Path("binlog.000003").write_bytes(SERIES[2].read_bytes())
        running.read_to(b"Rotate to binlog.000004")
        assert [line for line in running.text.splitlines() if line.startswith(b"# log")] == [
            b"# log binlog.000002",
            b"# log binlog.000003",
        ]


def test_the_result_file_has_what_has_come(log: Path) -> None:
    """A second log is announced by its error: there is nothing else to be told by."""
    with following(log, "-r", "text.sql") as running:
        append(log, BASIC[HALF:])
        Path("binlog.000002").write_bytes(b"no log")
        status, said = running.end()
        assert (status, said) == (
            1,
            "ERROR: binlog.000002, at 0: not a binary log. It is a text file; a binary log begins "
            "with the bytes fe 62 69 6e.\n",
        )
    assert b"Rotate to binlog.000002" in Path("text.sql").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-"], "--follow cannot be used with standard input: pybinlog prints its events as they arrive anyway."),
        (["s3://x/binlog.000001"], "--follow cannot be used with s3://x/binlog.000001, which is a URL: it waits for"),
        (
            ["--skip-force-if-open", "LOG"],
            "--follow cannot be used with --skip-force-if-open: it reads a log that is in use.",
        ),
        (["--progress", "LOG"], "--follow cannot be used with --progress: a followed log has no end."),
        (["--spark=local", "LOG"], "--follow cannot be used with --spark: it follows a log on this machine."),
        (
            ["--index=binlog.index", "LOG"],
            "--follow cannot be used with other logs than the last of one --index: to begin with another log",
        ),
        (
            ["-r", "binlog.000002", "LOG"],
            "--follow cannot be used with --result-file=binlog.000002: it may come to a log of that name.",
        ),
    ],
)
def test_what_has_no_meaning_with_it_is_a_usage_error(arguments: list[str], sentence: str, log: Path) -> None:
    Path("binlog.index").write_text("./binlog.000001\n")
    result = real("--follow", *(str(log) if argument == "LOG" else argument for argument in arguments))
    assert (result.status, result.out) == (1, b"")
    assert sentence in result.err


def test_a_pipe_is_refused_before_anything_is_written(log: Path) -> None:
    os.mkfifo("pipe")
    result = real("--follow", "pipe")
    assert (result.status, result.out) == (1, b"")
    assert result.err == (
        "ERROR: pipe: only a file can be followed. A pipe is read to its end without --follow, too.\n"
    )


def test_it_shows_no_progress(log: Path) -> None:
    assert parsed("--follow", str(log)).asked["progress"] is None
