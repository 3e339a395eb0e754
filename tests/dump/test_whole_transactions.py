"""The beginning of the transaction around the start of a dump."""

import struct
from itertools import accumulate
from pathlib import Path

import pytest

from pybinlog.dump.whole_transactions import Beginning, starting_with, transaction_around
from pybinlog.errors import SourceError
from pybinlog.event_types import EventFlag, EventType
from pybinlog.replication.options import ServerOptions, SslMode
from pybinlog.replication.server_log import LARGEST_POSITION, DumpRequest, ServerLog
from tests.check.logs import changed, events_of, joined
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.layout.log_builder import INT_AND_TEXT, MYSQL_9_7, START, LogBuilder, row
from tests.mirror.scripted_server import ScriptedServer

BUILDER = (
    LogBuilder(MYSQL_9_7)
    .previous_gtids()
    .gtid(1)
    .begin()
    .table_map(INT_AND_TEXT)
    .rows(EventType.WRITE_ROWS, row(1, "one"), 2)
    .commit(7)
    .gtid(2)
    .query("CREATE TABLE t (a INT)")
    .rotate()
)
PLACES = [0, *accumulate(map(len, events_of(BUILDER.data)), initial=4)]
"""The positions of the events, from number 1 on, and the end."""
FORMAT, PREVIOUS, GTID, BEGIN, MAP, ROWS, XID, NEXT_GTID, TABLE, ROTATE, END = PLACES[1:]


@pytest.fixture
def log(tmp_path: Path) -> str:
    (path := tmp_path / "binlog.000001").write_bytes(BUILDER.data)
    return str(path)


@pytest.mark.parametrize(
    ("position", "begins"),
    [
        (FORMAT, None),
        (PREVIOUS, None),
        (GTID, None),
        (GTID + 1, GTID),
        (BEGIN, GTID),
        (XID - 1, GTID),
        (XID, GTID),
        (XID + 1, None),
        (NEXT_GTID, None),
        (TABLE, NEXT_GTID),
        (TABLE + 1, None),
        (END, None),
    ],
)
def test_the_transaction_around_a_position(log: str, position: int, begins: int | None) -> None:
    assert transaction_around([log], position) == (None if begins is None else (0, log, begins))


@pytest.mark.parametrize(
    ("seconds", "begins"),
    [(0, None), (2, None), (3, GTID), (6, GTID), (7, None), (8, NEXT_GTID), (9, None), (10, None)],
)
def test_the_transaction_around_a_time(log: str, seconds: int, begins: int | None) -> None:
    assert transaction_around([log], 4, START + seconds) == (None if begins is None else (0, log, begins))


def test_the_position_counts_in_the_first_log_alone(log: str, tmp_path: Path) -> None:
    (second := tmp_path / "binlog.000002").write_bytes(BUILDER.data)
    assert transaction_around([log, str(second)], END) is None
    later = LogBuilder(MYSQL_9_7)
    later.time = START + 100
    later.gtid(3).begin().commit(8)
    second.write_bytes(later.data)
    third = len(later.data) - len(events_of(later.data)[-1])
    assert transaction_around([log, str(second)], third, START + 102) == (
        1,
        str(second),
        len(LogBuilder(MYSQL_9_7).data),
    )


@pytest.mark.parametrize("flags", [0, EventFlag.RELAY_LOG])
def test_only_a_relay_log_continues_a_transaction(flags: int, tmp_path: Path) -> None:
    def written(name: str, log: LogBuilder) -> str:
        head, *rest = events_of(log.data)
        (tmp_path / name).write_bytes(joined([changed(head, 17, struct.pack("<H", flags)), *rest]))
        return str(tmp_path / name)

    cut = written("relay.000001", LogBuilder(MYSQL_9_7).gtid(1).begin().table_map(INT_AND_TEXT))
    last = written("relay.000002", LogBuilder(MYSQL_9_7).commit(7).gtid(2).begin().commit(8))
    end = Path(cut).stat().st_size
    head = len(LogBuilder(MYSQL_9_7).data)
    assert transaction_around([cut, last], end) == ((0, cut, head) if flags else None)
    later = START + 3
    assert transaction_around([cut, last], end, later) == (1, last, head + len(events_of(Path(last).read_bytes())[1]))


def test_a_start_that_no_log_comes_to_is_in_no_transaction() -> None:
    log = TESTDATA / "corpus" / "mysql-9.7" / "truncated-body" / "binlog.000001"
    assert transaction_around([str(log)], 1 << 40) is None


# ---- a server's logs

SECOND = LogBuilder(MYSQL_9_7)
SECOND.time = START + 100
SECOND.previous_gtids().gtid(3).begin().table_map(INT_AND_TEXT)
SECOND_BEGINS = len(LogBuilder(MYSQL_9_7).previous_gtids().data)
SECOND.rows(EventType.WRITE_ROWS, row(2, "two"), 2).commit(8)
SENT = {"binlog.000001": BUILDER.data, "binlog.000002": SECOND.data}


def sent(port: int, position: int, *, stays: bool = False, to_last: bool = False) -> ServerLog:
    options = ServerOptions(host="127.0.0.1", port=port, user="u", ssl_mode=SslMode.DISABLED)
    return ServerLog(options, DumpRequest("binlog.000001", position, stays=stays), to_last=to_last)


@pytest.mark.parametrize("stays", [False, True])
def test_a_server_sends_its_log_from_the_beginning(stays: bool) -> None:
    pytest.importorskip("pymysql", reason="needs PyMySQL")
    with ScriptedServer(dict(SENT)) as server:
        log = sent(server.port, XID, stays=stays)
        begins = transaction_around([log], XID)
        assert begins == Beginning(0, log, GTID)
        from_there = starting_with(log, begins)
        assert from_there == log
        assert isinstance(from_there, ServerLog)
        assert (from_there.request.position, from_there.request.stays) == (GTID, stays)
        assert transaction_around([sent(server.port, NEXT_GTID)], NEXT_GTID) is None


def test_the_transaction_may_be_in_a_log_that_the_server_sends_later() -> None:
    pytest.importorskip("pymysql", reason="needs PyMySQL")
    with ScriptedServer(dict(SENT)) as server:
        log = sent(server.port, 4, to_last=True)
        since = START + 104
        begins = transaction_around([log], 4, since)
        assert begins is not None
        later = str(log).replace("000001", "000002")
        assert begins == Beginning(0, later, SECOND_BEGINS)
        from_there = starting_with(log, begins)
        assert from_there == later
        assert isinstance(from_there, ServerLog)
        assert (from_there.request.position, from_there.to_last) == (SECOND_BEGINS, True)
        assert transaction_around([sent(server.port, 4)], 4, since) is None


def test_a_server_cannot_be_asked_for_a_position_above_4_gib() -> None:
    log = sent(3306, 4)
    with pytest.raises(SourceError, match="a server sends logs from positions up to 4294967295"):
        starting_with(log, Beginning(0, log, LARGEST_POSITION + 1))
    assert starting_with("a.000001", Beginning(0, "a.000001", 9)) == "a.000001"


def test_a_dump_of_a_servers_log_names_the_beginning_and_begins_there() -> None:
    pytest.importorskip("pymysql", reason="needs PyMySQL")
    with ScriptedServer(dict(SENT)) as server:
        where = ["-R", "--no-defaults", "-h127.0.0.1", f"-P{server.port}", "-uu", "--ssl-mode=DISABLED"]
        cut = real("dump", *where, f"-j{ROWS}", "binlog.000001")
        assert f"begins at {GTID}: use --start-position={GTID} or --whole-transactions." in cut.err
        whole = real("dump", *where, f"-j{ROWS}", "--whole-transactions", "binlog.000001")
        from_there = real("dump", *where, f"-j{GTID}", "binlog.000001")
    assert (whole.status, whole.err) == (0, "")
    assert whole.out == from_there.out
