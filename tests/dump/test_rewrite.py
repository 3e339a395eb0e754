"""--rewrite-db: the text is that of a log whose databases have the other names from the beginning."""

import io
import struct
from pathlib import Path

import pytest

from pybinlog.dump.rewrite import DatabaseRewrite, RenamedLog
from pybinlog.errors import BinlogError, CorruptEventError
from pybinlog.event_types import EventType
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.layout import Format
from pybinlog.log.reader import Reader
from pybinlog.source import open_source
from tests.check.logs import MAGIC, events_of
from tests.corpus import TESTDATA
from tests.dump.one_log import dumped
from tests.layout.log_builder import (
    INT_AND_TEXT,
    MARIADB_10_11,
    MYSQL_5_0,
    MYSQL_5_1_EARLY,
    MYSQL_5_5,
    MYSQL_5_6,
    MYSQL_9_7,
    LogBuilder,
    row,
)

FORMATS = {
    "5.0": MYSQL_5_0,
    "5.1.15": MYSQL_5_1_EARLY,
    "5.5": MYSQL_5_5,
    "5.6": MYSQL_5_6,
    "5.6 without checksums": MYSQL_5_6.without_checksum(),
    "9.7": MYSQL_9_7,
    "9.7 without checksums": MYSQL_9_7.without_checksum(),
    "MariaDB": MARIADB_10_11,
    "MariaDB without checksums": MARIADB_10_11.without_checksum(),
}
ROWS = {"9.7": EventType.WRITE_ROWS, "5.6": EventType.WRITE_ROWS, "5.5": EventType.WRITE_ROWS_V1}


def log_of(format: Format, name: str, rows: EventType | None) -> bytes:
    """A statement in a database, and rows of the database `test`."""
    builder = LogBuilder(format).query("CREATE TABLE u (a INT)", db="shop" if name == "test" else name)
    if rows is not None:
        builder.query("BEGIN").table_map(INT_AND_TEXT)
        builder.rows(rows, row(1, "one"), 2).commit(7)
    return builder.data


@pytest.mark.parametrize("name", FORMATS)
def test_statements_are_in_the_other_database(name: str, tmp_path: Path) -> None:
    format = FORMATS[name]
    wanted = dumped(log_of(format, "elsewhere", None), tmp_path)
    found = dumped(log_of(format, "shop", None), tmp_path, rewrite_db=(("shop", "elsewhere"),))
    assert (wanted.error, found.error, found.warnings) == (None, None, wanted.warnings)
    assert found.events[-1].replace(b"end_log_pos", b"") == wanted.events[-1].replace(b"end_log_pos", b"")
    assert b"use `elsewhere`" in found.text
    assert b"CREATE TABLE u (a INT)\n" in found.text


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_of_the_other_database(name: str, tmp_path: Path) -> None:
    log = log_of(FORMATS[name], "test", ROWS[name])
    plain = dumped(log, tmp_path, verbose=1)
    found = dumped(log, tmp_path, verbose=1, rewrite_db=(("test", "x"),))
    assert (plain.error, found.error) == (None, None)
    rows = [line for line in found.text.splitlines() if line.startswith(b"###")]
    assert rows == [line.replace(b"`test`", b"`x`") for line in plain.text.splitlines() if line.startswith(b"###")]
    assert rows[0] == b"### INSERT INTO `x`.`t`"


RULES = (("test", "test"), ("shop", "longer"), ("shop", "never"), ("", "one"), ("s" * 255, "x"), ("t" * 255, "t" * 254))


@pytest.mark.parametrize("format", [MYSQL_5_0, MYSQL_5_6, MYSQL_5_6.without_checksum(), MYSQL_9_7], ids=str)
@pytest.mark.parametrize(
    ("old", "new"), [("shop", "longer"), ("Shop", None), ("", "one"), ("s" * 255, "x"), ("t" * 255, "t" * 254)]
)
def test_an_event_gets_the_new_name_its_size_and_its_checksum(format: Format, old: str, new: str | None) -> None:
    plain, renamed = (
        LogBuilder(format).query("SELECT 1", db=name).table_map(INT_AND_TEXT).query("SELECT 2", db="other").data
        for name in (old, old if new is None else new)
    )
    head = len(LogBuilder(format).data)
    assert renamed_log(plain, *RULES)[head - 4 :] == renamed[head:]


def renamed_log(log: bytes, *rules: tuple[str, str]) -> bytes:
    """The log without its magic bytes."""
    renamed = RenamedLog(rules)
    with open_source("-", io.BytesIO(log)) as source:
        return b"".join(renamed.bytes_of(batch) for batch in Reader(source, Scanner()))


LENGTHS = bytes((0, *MYSQL_5_5.post_header_lengths))
EVENTS = {"Table_map": LogBuilder(MYSQL_5_5).table_map(INT_AND_TEXT), "Query": LogBuilder(MYSQL_5_5).query("SELECT 1")}


@pytest.mark.parametrize("kind", EVENTS)
def test_a_name_that_is_not_whole_in_its_event_is_corrupt(kind: str) -> None:
    event = EVENTS[kind].data[len(LogBuilder(MYSQL_5_5).data) :]
    end = event.index(b"test") + len("test")
    renamed = DatabaseRewrite([("test", "it")]).event(event[:end], LENGTHS)
    assert renamed is not None
    assert renamed.endswith(b"it")
    assert int.from_bytes(renamed[9:13], "little") == len(renamed) == end - 2
    for size in range(27, end):
        with pytest.raises(CorruptEventError) as caught:
            DatabaseRewrite([("test", "it")]).event(event[:size], LENGTHS)
        assert caught.value.message == "the database's name reaches beyond the event"


@pytest.mark.parametrize(("post_header", "variables"), [(11, 0), (12, 0), (13, 0), (13, 3), (13, 255), (13, 259)])
def test_a_query_has_status_variables_if_its_post_header_tells_their_length(post_header: int, variables: int) -> None:
    """Servers before 5.0 wrote none: their post-header has 11 bytes."""

    def event(name: bytes) -> bytes:
        fields = bytes(8) + bytes((len(name),)) + bytes(2) + struct.pack("<H", variables)
        body = fields[:post_header] + b"v" * variables + name + b"\0SELECT"
        return bytes(4) + bytes((EventType.QUERY,)) + bytes(4) + struct.pack("<I", 19 + len(body)) + bytes(6) + body

    lengths = bytes((0, 0, post_header))
    assert DatabaseRewrite([("db", "new")]).event(event(b"db"), lengths) == event(b"new")
    assert DatabaseRewrite([("d", "new")]).event(event(b"db"), lengths) is None


def test_an_event_that_stays_in_its_place_keeps_a_wrong_checksum() -> None:
    log = bytearray(LogBuilder(MYSQL_9_7).query("SELECT 1").query("SELECT 2").data)
    log[-1] ^= 1
    assert renamed_log(bytes(log), ("elsewhere", "x")) == log[4:]


def test_a_query_without_a_post_header_is_corrupt_up_to_the_names_length() -> None:
    event = bytes(4) + bytes((EventType.QUERY,)) + bytes(14) + b"database"
    with pytest.raises(CorruptEventError):
        DatabaseRewrite([("", "new")]).event(event, bytes(3))
    assert DatabaseRewrite([("", "new")]).event(event + b"\0", bytes(3)) is not None


def test_a_raw_copy_under_other_names_keeps_positions_that_are_not_told() -> None:
    builder = LogBuilder(MARIADB_10_11)
    builder.query("SELECT 1").add(EventType.XID, {"xid": 7}, end_log_pos=0).query("SELECT 2")
    copy = renamed_log(builder.data, ("test", "longer"))
    positions = [int.from_bytes(event[13:17], "little") for event in events_of(MAGIC + copy)]
    assert positions == [len(LogBuilder(MARIADB_10_11).data), positions[1], 0, len(copy) + 4]
    assert positions[1] == 4 + sum(map(len, events_of(MAGIC + copy)[:2]))


def test_a_compressed_transaction_of_a_raw_copy_is_refused() -> None:
    log = TESTDATA / "corpus" / "mysql-9.7" / "compression" / "binlog.000001"
    with pytest.raises(BinlogError) as caught:
        renamed_log(log.read_bytes(), ("test", "longer"))
    assert str(caught.value) == (
        "-, at 643: --rewrite-db does not reach into a compressed transaction of a raw copy. "
        "Leave out one of --raw and --rewrite-db"
    )
