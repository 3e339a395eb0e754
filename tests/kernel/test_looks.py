"""The kernel looks at signals within a call that takes long: a handler runs again and again before the call returns."""

import signal
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from uuid import UUID

import pytest

from pybinlog.column_types import ColumnType
from pybinlog.event_types import EventType
from pybinlog.kernel.condition.text_order import text_key
from pybinlog.kernel.scan.digests import Digests
from pybinlog.kernel.scan.statement_tables import StatementTables
from pybinlog.verbs import Operation
from tests.cli.conftest import real
from tests.layout.log_builder import MYSQL_9_7, SID, LogBuilder

SIZE = 16 << 20
INTERVAL = 0.002
"""Seconds between two signals; each of these calls takes a hundred times as long."""
ENOUGH = 2
"""A call that does not look runs a handler once, when it ends. A busy machine joins signals, so more are not sure."""
INT_AND_BLOB = [(ColumnType.LONG, None), (ColumnType.BLOB, {"length_bytes": 4})]
INT_AND_JSON = [(ColumnType.LONG, None), (ColumnType.JSON, {"length_bytes": 4})]
GTID = UUID(bytes=SID)
NUMBER = b"\0" + struct.pack("<i", 5)


class Looks:
    """Counts how often a handler ran at one place of the code, without a step of Python between."""

    def __init__(self) -> None:
        self.most = self._count = 0
        self._place: tuple[int, int] | None = None

    def handle(self, number: int, frame: FrameType | None) -> None:
        place = None if frame is None else (id(frame), frame.f_lasti)
        self._count = self._count + 1 if place == self._place else 1
        self._place = place
        self.most = max(self.most, self._count)


@pytest.fixture
def looks() -> Iterator[Looks]:
    counted = Looks()
    before = signal.signal(signal.SIGALRM, counted.handle)
    signal.setitimer(signal.ITIMER_REAL, INTERVAL, INTERVAL)
    yield counted
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def large_value(value: bytes, columns: Sequence[tuple[int, object]] = INT_AND_BLOB) -> bytes:
    """A log with one row: a number, and a value."""
    log = LogBuilder(MYSQL_9_7).gtid(1).begin().table_map(columns)
    return log.rows(EventType.WRITE_ROWS, NUMBER + struct.pack("<I", len(value)) + value, 2).commit(1).data


def rows_of_null() -> bytes:
    log = LogBuilder(MYSQL_9_7).gtid(1).begin().table_map([(ColumnType.LONG, None)])
    return log.rows(EventType.WRITE_ROWS, b"\xff" * SIZE, 1).commit(1).data


def rows_of_numbers() -> bytes:
    log = LogBuilder(MYSQL_9_7).gtid(1).begin().table_map([(ColumnType.LONG, None)])
    return log.rows(EventType.WRITE_ROWS, NUMBER * (2 * SIZE // 5), 1).commit(1).data


def large_array() -> bytes:
    """A document that is an array of whole numbers, which only SQL's expressions give again."""
    count = SIZE // 2 // 5
    document = b"\x03" + struct.pack("<II", count, 8 + 5 * count) + (b"\x06" + struct.pack("<I", 7)) * count
    return large_value(document, INT_AND_JSON)


def array_in_object() -> bytes:
    """A document with one member `a`: an array of whole numbers."""
    count = SIZE // 2 // 5
    array = struct.pack("<II", count, 8 + 5 * count) + (b"\x06" + struct.pack("<I", 7)) * count
    head = struct.pack("<IIIHBI", 1, 20 + len(array), 19, 1, 3, 20) + b"a"
    return large_value(b"\x01" + head + array, INT_AND_JSON)


def large_object() -> bytes:
    """A document of two million members."""
    count = SIZE // 8
    keys = 8 + 11 * count
    entries = b"".join(struct.pack("<IH", keys + 3 * (i % 1000), 3) for i in range(count))
    values = (b"\x05" + struct.pack("<I", 7)) * count
    names = b"".join(b"%03d" % i for i in range(1000))
    document = struct.pack("<II", count, keys + len(names)) + entries + values + names
    return large_value(b"\x01" + document, INT_AND_JSON)


def row_of_another_table() -> bytes:
    """A log with a row of one table, and after it an event of many rows of the same table, which are not taken back."""
    log = LogBuilder(MYSQL_9_7).gtid(1).begin().table_map([(ColumnType.LONG, None)])
    log.rows(EventType.WRITE_ROWS, NUMBER, 1).commit(1).gtid(2).begin().table_map([(ColumnType.LONG, None)])
    return log.rows(EventType.WRITE_ROWS, NUMBER * (2 * SIZE // 5), 1).commit(2).data


@pytest.mark.parametrize(
    ("log", "table", "words"),
    [
        (rows_of_null, "a INT", ("rows", "--where=@1 = 7")),
        (rows_of_numbers, "a INT", ("rows", "--where=NOT (NOT (@1 = 7))")),
        (rows_of_null, "a INT", ("stats", "--where=@1 = 7")),
        (rows_of_null, "a INT", ("stats", "--where=NOT (NOT (@1 = 7))")),
        (rows_of_null, "a INT", ("dump", "-v", "--base64-output=decode-rows", "--where=NOT (NOT (@1 = 7))")),
        (
            lambda: large_value(b"ab" * (SIZE // 4)),
            "a INT, b LONGTEXT CHARACTER SET latin1",
            ("rows", "--where=b LIKE '%abababababac%'"),
        ),
        (
            lambda: large_value(b"ab" * (SIZE // 2)),
            "a INT, b LONGTEXT CHARACTER SET latin1",
            ("rows", "--where=NOT (NOT (b LIKE '%abc%'))"),
        ),
        (lambda: large_value(b"a'b\n" * (SIZE // 4)), "a INT, b LONGTEXT", ("redo",)),
        (lambda: large_value(b"\0abc" * (SIZE // 2)), "a INT, b LONGBLOB", ("redo",)),
        (large_array, "a INT, b JSON", ("redo",)),
        (large_array, "a INT, b JSON", ("undo", "--no-check-state")),
        (array_in_object, "a INT, b JSON", ("rows", "--where=b->>'$.a' LIKE '%8%'")),
        (large_object, "a INT, b JSON", ("rows", "--where=" + " OR ".join(f"b->>'$.{key}' = 'a'" for key in "uvwxyz"))),
        (lambda: large_value(b"ab" * SIZE), "a INT PRIMARY KEY, b LONGTEXT, UNIQUE (b)", ("redo",)),
        (row_of_another_table, "a INT PRIMARY KEY", ("undo", f"--include-gtids={GTID}:1")),
    ],
)
def test_a_command_looks_within_a_large_event(
    log: Callable[[], bytes], table: str, words: tuple[str, ...], tmp_path: Path, looks: Looks
) -> None:
    (tmp_path / "binlog.000001").write_bytes(log())
    (tmp_path / "schema.sql").write_text(f"USE test; CREATE TABLE t ({table});")
    schema = () if words[0] in ("dump", "stats") else (f"--schema={tmp_path}/schema.sql",)
    looks.most = 0
    result = real(*words, *schema, str(tmp_path / "binlog.000001"))
    assert result.status in (0, 1), result.err
    assert looks.most >= ENOUGH


LARGE = b"a" * (8 * SIZE)


@pytest.mark.parametrize(
    "statement",
    [
        b"/*" + LARGE + b"*/ DELETE FROM t",
        b"# " + b"#\n" * (4 * SIZE) + b"DELETE FROM t",
        b"(" * (4 * SIZE) + b"DELETE FROM t",
        b"SET STATEMENT a = '" + LARGE + b"' FOR DELETE FROM t",
        b"SET STATEMENT " + b"+" * (4 * SIZE) + b" FOR DELETE FROM t",
        b"WITH a AS (" + b"1," * (4 * SIZE) + b"1) DELETE FROM t",
        LARGE + b" FROM t",
        b"DROP TABLE t /* " + b"!" * (4 * SIZE),
    ],
    ids=["comment", "comments", "brackets", "string", "signs", "query", "word", "marks"],
)
def test_the_tables_of_a_statement_are_looked_for_with_looks(statement: bytes, looks: Looks) -> None:
    nothing = Operation.OTHER_OPERATION, None, None
    looks.most = 0
    StatementTables(lambda *said: nothing).tables_of(statement)
    assert looks.most >= ENOUGH


def test_a_hash_of_a_text_looks(looks: Looks) -> None:
    looks.most = 0
    assert text_key(b"a" * (2 * SIZE), 255, False) is not None
    assert looks.most >= ENOUGH


@pytest.mark.parametrize(
    "statement",
    [
        b"INSERT INTO t VALUES " + b"(1,'a','b'),\n" * (2 * SIZE // 13),
        b"INSERT INTO t VALUES ('" + b"a" * (8 * SIZE) + b"')",
        b"INSERT INTO t VALUES (`" + b"a" * (8 * SIZE) + b"`)",
        b"/*" + b"a" * (8 * SIZE) + b"*/ SELECT 1",
        b" " * (4 * SIZE) + b"SELECT 1",
        b"SELECT " + b"a" * (4 * SIZE),
    ],
    ids=["values", "string", "quoted name", "comment", "spaces", "name"],
)
def test_a_digest_looks_within_a_statement(statement: bytes, looks: Looks) -> None:
    looks.most = 0
    Digests(lambda text, mode: "digest").number(statement)
    assert looks.most >= ENOUGH


def test_an_error_of_a_handler_ends_a_digest() -> None:
    class Came(Exception):
        pass

    def handler(number: int, frame: FrameType | None) -> None:
        raise Came

    digests = Digests("{} {}".format)
    before = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(Came):
            statement = b"SELECT '" + b"a" * (8 * SIZE) + b"'"
            signal.setitimer(signal.ITIMER_REAL, 10 * INTERVAL)
            while True:
                digests.number(statement)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not digests.texts
