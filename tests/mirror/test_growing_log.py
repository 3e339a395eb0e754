"""The log that a mirror is writing: where its last whole transaction ends, wherever it was cut."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.boundary import BoundaryStream, BoundaryType
from pybinlog.errors import BinlogError
from pybinlog.kernel.base.event import MAGIC, MAGIC_LENGTH
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader
from pybinlog.mirror.growing_log import GrowingLog
from pybinlog.source import open_source
from tests.corpus import TESTDATA

CORPUS = TESTDATA / "corpus"
LOGS = [
    CORPUS / "mysql-9.7" / "row-basic" / "binlog.000001",
    CORPUS / "mysql-9.7" / "compression" / "binlog.000001",
    CORPUS / "mysql-9.7" / "xa" / "binlog.000001",
    CORPUS / "mysql-9.7" / "mixed-engines-statement" / "binlog.000001",
    CORPUS / "mysql-5.6" / "row-v1" / "mysql-bin.000001",
    CORPUS / "mariadb-10.11" / "xa" / "mariadb-bin.000001",
    CORPUS / "mariadb-11.8" / "mixed" / "binlog.000001",
]
LOGS = [log if log.exists() else next(log.parent.glob("*bin*.000001")) for log in LOGS]


def ends(log: bytes) -> list[int]:
    """Return the ends of transactions and of events outside of them, by the classifier for Python."""
    stream = BoundaryStream()
    found = [MAGIC_LENGTH]
    at = MAGIC_LENGTH
    while at < len(log):
        size = int.from_bytes(log[at + 9 : at + 13], "little")
        verdict = stream.feed(log[at : at + size])
        at += size
        if verdict.type in (BoundaryType.SELF_CONTAINED, BoundaryType.END_TRANSACTION):
            found.append(at)
    return found


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.parent.name}-{path.parent.name}")
def test_a_log_that_was_cut_anywhere_is_whole_up_to_a_transactions_end(path: Path, tmp_path: Path) -> None:
    log = path.read_bytes()
    whole = ends(log)
    copy = tmp_path / path.name

    @given(st.integers(0, len(log)))
    def check(size: int) -> None:
        copy.write_bytes(log[:size])
        growing = GrowingLog(str(copy))
        assert growing.whole == max(end for end in whole if end <= max(size, MAGIC_LENGTH))
        assert copy.read_bytes() == log[:size], "nothing is written before it begins"
        growing.begin()
        growing.close()
        assert copy.read_bytes() == (log[:size] if size >= MAGIC_LENGTH else MAGIC)[: growing.whole]

    check()


@given(at=st.integers(200, 3000), bit=st.integers(0, 7))
def test_damage_ends_it(tmp_path_factory: pytest.TempPathFactory, at: int, bit: int) -> None:
    """Checksums find it, so what a crash of the machine leaves in the file is never continued."""
    log = bytearray(LOGS[0].read_bytes())
    at = min(at, len(log) - 1)
    log[at] ^= 1 << bit
    copy = tmp_path_factory.mktemp("damaged") / "binlog.000001"
    copy.write_bytes(log)
    growing = GrowingLog(str(copy))
    growing.close()
    assert growing.whole == max(end for end in ends(LOGS[0].read_bytes()) if end <= at)


def test_it_knows_what_closed_it() -> None:
    found = [GrowingLog(str(path)).closed_by for path in sorted((CORPUS / "mysql-9.7" / "multi-file").glob("b*.0*"))]
    assert found[:3] == ["binlog.000002", "binlog.000003", "binlog.000004"]
    assert GrowingLog(str(CORPUS / "mysql-9.7" / "stopped" / "binlog.000001")).closed_by == ""
    assert GrowingLog(str(CORPUS / "mysql-9.7" / "killed" / "binlog.000001")).closed_by is None


def test_it_is_compared_from_the_start_of_an_event_some_way_before_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pybinlog.mirror.growing_log.TAIL", 1000)
    path = LOGS[0]
    copy = tmp_path / "binlog.000001"
    copy.write_bytes(MAGIC)
    growing = GrowingLog(str(copy))
    growing.begin()
    with open_source(str(path)) as source:
        reader = Reader(source, Scanner())
        reader.read_size = 256
        for batch in reader:
            growing.append(batch)
            assert growing.compared_from == MAGIC_LENGTH or growing.whole - growing.compared_from >= 1000
            del batch
    growing.close()
    assert growing.compared_from > MAGIC_LENGTH
    assert copy.read_bytes() == path.read_bytes()


def test_events_that_do_not_continue_it_are_refused(tmp_path: Path) -> None:
    copy = tmp_path / "binlog.000001"
    copy.write_bytes(LOGS[0].read_bytes()[:300])
    growing = GrowingLog(str(copy))
    growing.begin()
    with open_source(str(LOGS[0])) as source, pytest.raises(BinlogError, match="do not continue it"):
        for batch in Reader(source, Scanner()):
            growing.append(batch)
    growing.close()
