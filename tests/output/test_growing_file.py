"""Files that have their final names while they are being written, with a real signal in a write."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from pybinlog.errors import DataLossError
from pybinlog.kernel.base.event import MAGIC
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.live.live_run import LiveFile
from pybinlog.log.reader import Reader
from pybinlog.mirror.growing_log import GrowingLog
from pybinlog.output.growing_file import GrowingFile
from pybinlog.source import open_source
from tests.corpus import TESTDATA

LOG = TESTDATA / "corpus" / "mysql-9.7" / "row-basic" / "binlog.000001"


def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the next write be done, and a signal come before it returns."""
    write = os.pwrite

    def and_interrupt(*arguments: int | bytes) -> int:
        monkeypatch.setattr(os, "pwrite", write)
        written = write(*arguments)  # type: ignore[arg-type]
        signal.raise_signal(signal.SIGINT)
        return written

    monkeypatch.setattr(os, "pwrite", and_interrupt)


def test_a_size_that_a_signal_kept_from_it_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with GrowingFile(str(tmp_path / "file"), os.O_RDWR | os.O_CREAT) as file:
        file.write(b"abc")
        interrupted(monkeypatch)
        with pytest.raises(KeyboardInterrupt):
            file.write(b"def")
        file.measure()
        assert file.size == 6


def test_a_mirrored_log_ends_with_a_whole_transaction_whatever_ends_a_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "binlog.000001"
    copy.write_bytes(MAGIC)
    growing = GrowingLog(str(copy))
    growing.begin()
    with open_source(str(LOG)) as source, pytest.raises(KeyboardInterrupt):
        reader = Reader(source, Scanner())
        reader.read_size = 256
        for number, batch in enumerate(reader):
            if number and growing.size == growing.whole:  # the next events are a part of a transaction
                interrupted(monkeypatch)
            growing.append(batch)
            del batch
    growing.cut()
    growing.close()
    assert 4 < growing.whole == copy.stat().st_size < LOG.stat().st_size


def test_lines_that_another_run_wrote_meanwhile_are_not_cut(tmp_path: Path) -> None:
    mine, other = LiveFile(str(tmp_path / "rows")), LiveFile(str(tmp_path / "rows"))
    other.begin(None)
    other.write(b"a line\n")
    with pytest.raises(DataLossError, match="the file has lines already, and it has no checkpoint"):
        mine.begin(None)
    mine.close()
    other.close()
    assert (tmp_path / "rows").read_bytes() == b"a line\n"
