"""--require-row-format: the first event that does what row format does not."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from pybinlog.dump.row_format import RowFormatCheck
from pybinlog.event_types import EventType
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader
from pybinlog.source import open_source
from tests.dump.one_log import dumped
from tests.layout.log_builder import INT_AND_TEXT, MYSQL_9_7, LogBuilder, row

Add = Callable[[LogBuilder], LogBuilder]


def query(text: str) -> Add:
    return lambda builder: builder.query(text)


def add(kind: EventType, **body: object) -> Add:
    return lambda builder: builder.add(kind, body)


GTID: Add = lambda builder: builder.gtid(1)  # noqa: E731
MAP: Add = lambda builder: builder.table_map(INT_AND_TEXT)  # noqa: E731
ROWS: Add = lambda builder: builder.rows(EventType.WRITE_ROWS, row(1, "a"), 2)  # noqa: E731
XID: Add = lambda builder: builder.commit(7)  # noqa: E731
BEGIN, COMMIT, DDL = query("BEGIN"), query("COMMIT"), query("CREATE TABLE t (a INT)")
START = query("XA START 'a'")
INSERT = query("INSERT INTO t VALUES (1)")
INTVAR = add(EventType.INTVAR, type=2, value=5)
RAND = add(EventType.RAND, seed1=1, seed2=2)
USER_VAR = add(EventType.USER_VAR, name="a", is_null=1, value=None)
LENGTHS = dict.fromkeys(("one_phase", "format_id", "gtrid_length", "bqual_length"), 0)
PREPARE = add(EventType.XA_PREPARE, **LENGTHS, gtrid=b"", bqual=b"")
LOAD = add(EventType.BEGIN_LOAD_QUERY, file_id=1, block_data=b"x")
DELETE = add(EventType.DELETE_FILE, file_id=1)
CASES: list[tuple[str, list[Add], int | None]] = [
    ("rows", [GTID, BEGIN, MAP, ROWS, XID, GTID, DDL], None),
    ("a statement", [GTID, BEGIN, INSERT, COMMIT], 2),
    ("a statement by itself", [INSERT], None),
    ("a definition in a transaction", [BEGIN, DDL, XID], None),
    ("a savepoint", [BEGIN, query("savepoint a"), query("ROLLBACK TO a"), COMMIT], 2),
    ("the end of an XA transaction", [START, MAP, ROWS, query("XA END 'a'"), query("XA PREPARE 'a'")], None),
    ("after XA PREPARE", [START, PREPARE, INSERT], None),
    ("after ROLLBACK", [BEGIN, query("rollback"), INSERT], None),
    ("after XA ROLLBACK", [BEGIN, query("xa rollback 'a'"), INSERT], None),
    ("after ROLLBACK TO", [BEGIN, query("rollback to x"), INSERT], 1),
    ("after COMMIT", [BEGIN, COMMIT, INSERT], None),
    ("after a lower commit", [BEGIN, query("commit")], 1),
    ("after an Xid", [BEGIN, XID, INSERT], None),
    ("after another Gtid", [BEGIN, GTID, INSERT], None),
    ("a temporary table", [query("create temporary table t (a int)")], 0),
    ("a temporary table that goes", [GTID, query("DROP TEMPORARY TABLE t")], 1),
    ("sixteen characters", [query("CREATE TEMPORARY")], None),
    ("seventeen characters", [query("CREATE TEMPORARY ")], 0),
    ("a temporary table in a transaction", [BEGIN, query("CREATE TEMPORARY TABLE t (a int)")], 1),
    ("an Intvar", [INTVAR], 0),
    ("a Rand", [GTID, RAND], 1),
    ("a variable of a definition", [GTID, USER_VAR, DDL], None),
    ("a variable", [USER_VAR], None),
    ("a variable in a transaction", [BEGIN, USER_VAR], 1),
    ("a file", [LOAD], 0),
    ("the end of a file", [DELETE], 0),
    ("rows outside", [MAP, ROWS], None),
    ("an Intvar after rows", [BEGIN, MAP, ROWS, INTVAR], 3),
]


@pytest.mark.parametrize(("events", "violation"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_first_event_that_is_not_row_format(events: list[Add], violation: int | None) -> None:
    builder = LogBuilder(MYSQL_9_7)
    for one in events:
        one(builder)
    scanner = Scanner()
    with open_source("-", io.BytesIO(builder.data)) as source:
        found = [RowFormatCheck(scanner).first_violation(batch) for batch in Reader(source, scanner)]
    assert found == [None if violation is None else violation + 1]


def test_a_dump_ends_before_the_first_violation(tmp_path: Path) -> None:
    builder = LogBuilder(MYSQL_9_7).gtid(1).begin()
    position = len(builder.data)
    dump = dumped(builder.query("INSERT INTO t VALUES (1)").commit(7).data, tmp_path, require_row_format=True)
    assert str(dump.error) == (
        f"{tmp_path}/binlog.000001, at {position}: the event changes data by a statement: Event being written violates "
        "the --require-row-format parameter constraints"
    )
    assert len(dump.events) == 3
    assert b"INSERT" not in dump.text
