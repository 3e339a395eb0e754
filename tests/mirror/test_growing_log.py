"""The log that a mirror is writing: where its last whole transaction ends, wherever it was cut."""

from contextlib import closing
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
from tests.dump.log_parts import events_of, joined, with_unknown_event

CORPUS = TESTDATA / "corpus"
XID = 16
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


@pytest.mark.parametrize(("tail", "largest"), [(1000, 1 << 32), (0, 1 << 32), (0, 1500)])
def test_it_is_compared_from_the_last_known_event_well_before_its_end(
    tail: int, largest: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pybinlog.mirror.growing_log.TAIL", tail)
    monkeypatch.setattr("pybinlog.mirror.growing_log.LARGEST_POSITION", largest)
    path = LOGS[0]
    copy = tmp_path / "binlog.000001"
    copy.write_bytes(MAGIC)
    growing = GrowingLog(str(copy))
    growing.begin()
    begun = [MAGIC_LENGTH]
    with open_source(str(path)) as source:
        reader = Reader(source, Scanner())
        reader.read_size = 256
        for batch in reader:
            begun.append(batch.header(0).position)
            growing.append(batch)
            wanted = min(growing.whole - tail, largest)
            assert growing.compared_from == max([start for start in begun if start <= wanted], default=MAGIC_LENGTH)
            del batch
    growing.close()
    assert growing.compared_from > MAGIC_LENGTH
    assert copy.read_bytes() == path.read_bytes()


def test_a_stream_that_the_boundary_parser_refuses_is_not_continued(tmp_path: Path) -> None:
    """A transaction without its end."""
    events = events_of(LOGS[0].read_bytes())
    end = next(number for number, event in enumerate(events) if event[4] == XID)
    log = tmp_path / "binlog.000001"
    log.write_bytes(joined(events[:end] + events[end + 1 :]))
    with closing(GrowingLog(str(log))) as growing:
        assert (growing.whole, growing.closed_by) == (MAGIC_LENGTH, None)


def test_events_of_no_known_type_are_part_of_it(tmp_path: Path) -> None:
    log = with_unknown_event(LOGS[0].read_bytes())
    copy = tmp_path / "binlog.000001"
    copy.write_bytes(log)
    with closing(GrowingLog(str(copy))) as growing:
        assert growing.whole == len(log)


def test_a_log_that_was_there_is_given_to_the_disk(tmp_path: Path) -> None:
    copy = tmp_path / "binlog.000001"
    copy.write_bytes(MAGIC)
    with closing(GrowingLog(str(copy))) as growing:
        assert growing.unsynced
        growing.sync()
        assert not growing.unsynced


def test_a_path_that_is_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BinlogError) as raised:
        GrowingLog(str(tmp_path))
    assert (type(raised.value), raised.value.file) == (BinlogError, str(tmp_path))
    assert raised.value.message == "this is a directory, not a binary log"


def test_bytes_are_read_up_to_its_end(tmp_path: Path) -> None:
    log = LOGS[0].read_bytes()
    copy = tmp_path / "binlog.000001"
    copy.write_bytes(log)
    with closing(GrowingLog(str(copy))) as growing:
        assert growing.name == "binlog.000001"
        assert growing.read_at(len(log) - 5, 9) == log[-5:]
        with pytest.raises(BinlogError) as raised:
            growing.read_at(-1, 5)
        assert str(raised.value) == f"{copy}: it cannot be read: Invalid argument"


def test_bytes_stay_until_it_begins_and_after_it_is_finished(tmp_path: Path) -> None:
    log = LOGS[0].read_bytes()
    copy = tmp_path / "binlog.000001"
    copy.write_bytes(log[:-1])
    with closing(GrowingLog(str(copy))) as growing:
        growing.cut()
        assert copy.read_bytes() == log[:-1]
        growing.begin()
        assert copy.read_bytes() == log[: growing.whole]
        growing.write(log[growing.whole : -1])
        growing.finish()
        growing.cut()
        assert copy.read_bytes() == log[:-1]
        with open_source(str(LOGS[0])) as source, pytest.raises(BinlogError, match="do not continue it"):
            growing.append(next(iter(Reader(source, Scanner()))))


def test_an_event_after_a_gap_or_before_it_begins_is_refused(tmp_path: Path) -> None:
    copy = tmp_path / "binlog.000001"
    copy.write_bytes(MAGIC)
    with closing(GrowingLog(str(copy))) as growing, open_source(str(LOGS[0])) as source:
        batch = next(iter(Reader(source, Scanner())))
        with pytest.raises(BinlogError) as raised:
            growing.append(batch)
        assert str(raised.value) == f"{copy}: events of 4 do not continue it; it has 4 bytes"
        growing.begin()
        growing.append(batch)
        with pytest.raises(BinlogError, match=f"events of 4 do not continue it; it has {growing.size} bytes"):
            growing.append(batch)
    assert copy.read_bytes() == LOGS[0].read_bytes()


def test_events_that_do_not_continue_it_are_refused(tmp_path: Path) -> None:
    copy = tmp_path / "binlog.000001"
    copy.write_bytes(LOGS[0].read_bytes()[:300])
    growing = GrowingLog(str(copy))
    growing.begin()
    with open_source(str(LOGS[0])) as source, pytest.raises(BinlogError, match="do not continue it"):
        for batch in Reader(source, Scanner()):
            growing.append(batch)
    growing.close()
