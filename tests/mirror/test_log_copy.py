"""LogCopy: what a source gives, byte for byte in a file."""

import os
import threading
from pathlib import Path

import pytest

from pybinlog.errors import BinlogError, ChecksumError, OutputError
from pybinlog.kernel.base.event import ENCRYPTED_MAGIC, MAGIC
from pybinlog.mirror.log_copy import LogCopy, check_target
from pybinlog.source import open_source
from tests.corpus import Scenario, scenarios
from tests.dump.log_parts import corpus_log
from tests.inflate import inflate


@pytest.mark.parametrize("scenario", [s for s in scenarios() if s.intact], ids=str)
def test_copies_are_the_logs(scenario: Scenario, tmp_path: Path) -> None:
    for log in scenario.logs:
        copy = LogCopy(str(tmp_path / log.name), grows=False, force=False)
        with open_source(str(log)) as source:
            copy.copy(source)
        assert (tmp_path / log.name).read_bytes() == log.read_bytes()
        assert copy.size == log.stat().st_size


def test_a_log_that_comes_without_a_pause_is_copied_in_larger_parts(tmp_path: Path) -> None:
    log, path = tmp_path / "log", tmp_path / "copy"
    with log.open("wb") as out:
        inflate(corpus_log("mysql-9.7/row-basic"), out, 12 << 20)
    reads, writes = os.pipe()
    writer = threading.Thread(target=write_all, args=(writes, log.read_bytes()))
    writer.start()
    sizes: list[int] = []
    copy = LogCopy(str(path), grows=True, force=False)
    with open(reads, "rb") as stream:
        copy.copy(open_source("-", stream), sizes.append)
    writer.join()
    assert path.read_bytes() == log.read_bytes()
    assert sum(sizes) == copy.size == log.stat().st_size


def write_all(descriptor: int, data: bytes) -> None:
    with open(descriptor, "wb") as stream:
        stream.write(data)


def test_what_came_before_a_wrong_checksum_stays_in_a_file_that_grows(tmp_path: Path) -> None:
    data = bytearray(corpus_log("mysql-9.7/row-basic"))
    data[-10] ^= 1
    log = tmp_path / "log"
    log.write_bytes(data)
    for grows in (False, True):
        with open_source(str(log)) as source, pytest.raises(ChecksumError):
            LogCopy(str(tmp_path / "copy"), grows=grows, force=False).copy(source)
        assert (tmp_path / "copy").exists() == grows
    copied = (tmp_path / "copy").read_bytes()
    assert 1000 < len(copied) < len(data)
    assert data.startswith(copied)


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "copy"
    path.write_bytes(b"mine")
    log = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]
    with open_source(str(log)) as source, pytest.raises(BinlogError, match="the file cannot be made"):
        LogCopy(str(path), grows=True, force=False).copy(source)
    assert path.read_bytes() == b"mine"


@pytest.mark.parametrize("grows", [False, True])
def test_a_log_without_events_is_copied(grows: bool, tmp_path: Path) -> None:
    log, path = tmp_path / "log", tmp_path / "copy"
    log.write_bytes(MAGIC)
    sizes: list[int] = []
    copy = LogCopy(str(path), grows=grows, force=False)
    with open_source(str(log)) as source:
        copy.copy(source, sizes.append)
    assert (path.read_bytes(), copy.size, sizes) == (MAGIC, 4, [4])


@pytest.mark.parametrize("grows", [False, True])
def test_a_copy_that_is_forced_replaces_all_of_a_longer_one(grows: bool, tmp_path: Path) -> None:
    path = tmp_path / "copy"
    path.write_bytes(bytes(100_000))
    log = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]
    sizes: list[int] = []
    copy = LogCopy(str(path), grows=grows, force=True)
    with open_source(str(log)) as source:
        copy.copy(source, sizes.append)
    assert path.read_bytes() == log.read_bytes()
    assert sum(sizes) == copy.size == log.stat().st_size


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (MAGIC, "a binary or relay log"),
        (ENCRYPTED_MAGIC, "an encrypted log"),
        (b"", "a file that is there"),
        (b"note", "a file that is there"),
    ],
)
def test_a_copy_replaces_no_file_without_force(content: bytes, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "copy"
    path.write_bytes(content)
    with pytest.raises(OutputError) as raised:
        check_target(str(path), force=False)
    assert str(raised.value) == (f"the copy {path} would replace {kind}. Name another file, or replace it with --force")


@pytest.mark.parametrize("content", [MAGIC, MAGIC + b"x", ENCRYPTED_MAGIC, b""])
def test_a_forced_copy_replaces_logs_and_empty_files(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "copy"
    check_target(str(path), force=True)
    path.write_bytes(content)
    check_target(str(path), force=True)
    assert path.read_bytes() == content


@pytest.mark.parametrize("content", [b"note", MAGIC[:3], b"x"])
def test_a_forced_copy_replaces_no_other_file(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "copy"
    path.write_bytes(content)
    with pytest.raises(OutputError) as raised:
        check_target(str(path), force=True)
    assert str(raised.value) == (
        f"the copy {path} would replace a file that is not a log. Move it away, or name another --result-file"
    )


@pytest.mark.parametrize("force", [False, True])
def test_a_copy_replaces_no_folder_and_no_link(force: bool, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    for path, kind in ((tmp_path, "not a regular file"), (link, "a symbolic link")):
        with pytest.raises(OutputError) as raised:
            check_target(str(path), force=force)
        assert str(raised.value) == f"the copy {path} would replace what is {kind}. Name another --result-file"
