"""LogCopy: what a source gives, byte for byte in a file."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from pybinlog.errors import BinlogError, ChecksumError
from pybinlog.mirror.log_copy import LogCopy
from pybinlog.source import open_source
from tests.benchmarks.inflate import inflate
from tests.corpus import Scenario, scenarios
from tests.dump.log_parts import corpus_log


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
