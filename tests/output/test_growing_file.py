"""Files that have their final names while they are being written, with a real signal in a write."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from pybinlog.errors import BinlogError, DataLossError
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


def test_lines_that_another_program_wrote_meanwhile_are_not_cut(tmp_path: Path) -> None:
    mine = LiveFile(str(tmp_path / "rows"))
    (tmp_path / "rows").write_bytes(b"a line\n")  # as a program does that knows no lock
    with pytest.raises(DataLossError, match="the file has lines already, and it has no checkpoint"):
        mine.begin(None)
    mine.close()
    assert (tmp_path / "rows").read_bytes() == b"a line\n"


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda file: file.write(b"x"), "it cannot be written: Bad file descriptor"),
        (lambda file: file.truncate(1), "it cannot be cut: Invalid argument"),
    ],
)
def test_what_the_system_refuses_is_an_error_that_names_the_file(
    act: Callable[[GrowingFile], None], message: str, tmp_path: Path
) -> None:
    (path := tmp_path / "log").write_bytes(b"12345")
    with GrowingFile(str(path), os.O_RDONLY) as file, pytest.raises(BinlogError) as caught:
        act(file)
    assert str(caught.value) == f"{path}: {message}"
    assert file.size == 5
    assert path.read_bytes() == b"12345"


def test_a_disk_that_does_not_take_it_is_an_error(tmp_path: Path) -> None:
    file = GrowingFile(str(tmp_path / "log"), os.O_RDWR | os.O_CREAT)
    read, write = os.pipe()
    os.dup2(write, file.descriptor)  # which cannot be synced
    file.sync()
    file.unsynced = True
    with pytest.raises(BinlogError) as caught:
        file.sync()
    assert str(caught.value) == f"{tmp_path}/log: the disk does not take it: Invalid argument"
    assert file.unsynced is True
    for descriptor in (read, write):
        os.close(descriptor)
    file.close()
    file.close()


def test_a_file_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    path = str(tmp_path / "none" / "log")
    for refusal in (("it is not there",), ()):
        with pytest.raises(BinlogError) as caught:
            GrowingFile(path, os.O_RDWR, *refusal)
        what = refusal[0] if refusal else "it cannot be opened"
        assert str(caught.value) == f"{path}: {what}: No such file or directory"


def test_it_is_synced_when_something_was_written_or_cut(tmp_path: Path) -> None:
    (path := tmp_path / "log").write_bytes(b"12345")
    with GrowingFile(str(path), os.O_RDWR) as file:
        assert (file.size, file.unsynced) == (5, False)
        file.write(b"67")
        assert (file.size, file.unsynced) == (7, True)
        file.sync()
        assert file.unsynced is False
        file.truncate(3)
        assert (file.size, file.unsynced) == (3, True)
        file.write(memoryview(b"x"))
    assert (file.descriptor, file.unsynced) == (-1, False)
    assert path.read_bytes() == b"123x"
    with GrowingFile(str(tmp_path / "new"), os.O_RDWR | os.O_CREAT):
        assert (tmp_path / "new").stat().st_mode & 0o007 == 0
