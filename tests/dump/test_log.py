"""Why a text ends, to the letter."""

import struct
from pathlib import Path
from typing import Any

import pytest

from pybinlog.dump import Base64Output
from pybinlog.event_types import EventType
from tests.check.logs import changed, edited, events_of, first, joined, log
from tests.dump.one_log import dumped
from tests.layout.log_builder import INT_AND_TEXT, MYSQL_5_5, MYSQL_9_7, LogBuilder, row

BASIC = "mysql-9.7/row-basic"
ROWS = LogBuilder(MYSQL_9_7).gtid(1).begin().table_map(INT_AND_TEXT)
TABLE_MAP = len(LogBuilder(MYSQL_9_7).gtid(1).begin().data)
WHOLE = LogBuilder(MYSQL_9_7).gtid(1).begin().table_map(INT_AND_TEXT)
WHOLE.rows(EventType.WRITE_ROWS, row(1, "one"), 2).commit(7)
WRITE_ROWS = len(ROWS.data)
IN_USE = joined([changed(events_of(WHOLE.data)[0], 17, b"\1\0"), *events_of(WHOLE.data)[1:]])
RELAYED = edited(BASIC, lambda events: [changed(events[0], 17, b"\x40\x00"), *events[1:]])
WRONG_SUM = changed(WHOLE.data, WRITE_ROWS + 30, b"\xaa")


def lying(events: list[bytes]) -> list[bytes]:
    at = first(events, EventType.WRITE_ROWS)
    return [*events[:at], changed(events[at], 19 + 8, b"\xff\xff"), *events[at + 1 :]]


@pytest.mark.parametrize(
    ("data", "options", "position", "message"),
    [
        (
            WHOLE.data,
            {"base64_output": Base64Output.NEVER},
            WRITE_ROWS,
            "a Write_rows event can be printed only in base64, which --base64-output=never forbids. "
            "Use --base64-output=decode-rows -v to see the rows",
        ),
        (
            RELAYED,
            {},
            1230,
            "a Write_rows event came before any Format_description event, so its BINLOG statement could not be run. "
            "Start at the log's beginning, or use --base64-output=decode-rows -v",
        ),
        (
            IN_USE,
            {"force_if_open": False},
            4,
            "the log was not closed properly: its server is writing it, or crashed. --force-if-open prints it anyway",
        ),
        (edited(BASIC, lying), {}, 1230, "the Write_rows event is corrupt: a length in it reaches beyond its end"),
        (
            WRONG_SUM,
            {"verify_binlog_checksum": True},
            WRITE_ROWS,
            f"the checksum of the event (type 30, {len(WHOLE.data) - WRITE_ROWS - 31} bytes) does not match its bytes. "
            "The log is damaged here; `pybinlog dump --skip-verify-binlog-checksum` reads it anyway",
        ),
        (
            WHOLE.data[:-3],
            {},
            len(WHOLE.data) - 31,
            "the log ends inside an event: 28 of its 31 bytes are there. "
            "The file is incomplete; if the server was writing it, copy it again",
        ),
    ],
)
def test_the_event_that_cannot_be_printed_is_named(
    data: bytes, options: dict[str, Any], position: int, message: str, tmp_path: Path
) -> None:
    assert str(dumped(data, tmp_path, **options).error) == f"{tmp_path}/binlog.000001, at {position}: {message}"


STATEMENT = LogBuilder(MYSQL_5_5).begin()
VARIABLE = len(STATEMENT.data)
STATEMENT.add(EventType.INTVAR, {"type": 2, "value": 5})
QUERY = len(STATEMENT.data)
STATEMENT.query("INSERT INTO t VALUES (1)").commit(7)
BOTH = LogBuilder(MYSQL_9_7).gtid(1).begin().table_map(INT_AND_TEXT).add(EventType.INTVAR, {"type": 2, "value": 5})
LOST_STATEMENT = (
    "The printed events end with an Intvar, Rand or User_var event whose statement did not come: it is left out. The "
    "log may be cut, or --stop-position or --stop-datetime fall inside a statement."
)
LOST_ROWS = (
    "The printed events end inside a statement, before the row event that has STMT_END_F: its rows are not printed. "
    "The log may be incomplete, or --stop-position or --stop-datetime fall inside a statement."
)


@pytest.mark.parametrize(
    ("data", "options", "warnings"),
    [
        (STATEMENT.data, {"stop_position": VARIABLE}, []),
        (STATEMENT.data, {"stop_position": VARIABLE + 1}, [LOST_STATEMENT]),
        (STATEMENT.data, {"stop_position": QUERY}, [LOST_STATEMENT]),
        (STATEMENT.data, {"stop_position": QUERY + 1}, []),
        (WHOLE.data, {"stop_position": TABLE_MAP}, []),
        (WHOLE.data, {"stop_position": TABLE_MAP + 1}, [LOST_ROWS]),
        (WHOLE.data, {"stop_position": WRITE_ROWS + 1}, []),
        (BOTH.data, {}, [LOST_STATEMENT, LOST_ROWS]),
    ],
)
def test_what_a_text_that_stops_leaves_out_is_said(
    data: bytes, options: dict[str, Any], warnings: list[str], tmp_path: Path
) -> None:
    found = dumped(data, tmp_path, **options)
    assert (found.error, found.warnings) == (None, warnings)


@pytest.mark.parametrize("cut", [1, 20])
def test_the_tail_of_a_log_in_use_is_a_warning(cut: int, tmp_path: Path) -> None:
    found = dumped(IN_USE[:-cut], tmp_path)
    assert (found.error, found.warnings) == (
        None,
        [
            "The log ends inside an event; it is in use or was not closed. "
            f"[{tmp_path}/binlog.000001, at {len(IN_USE) - 31}]"
        ],
    )


def test_a_corrupt_event_before_a_statement_is_an_error_where_it_stands(tmp_path: Path) -> None:
    builder = LogBuilder(MYSQL_9_7).begin()
    position = len(builder.data)
    builder.add(EventType.INTVAR, {"type": 2, "value": 5})
    events = events_of(builder.query("INSERT INTO t VALUES (1)").commit(7).data)
    at = first(events, EventType.INTVAR)
    data = joined([*events[:at], events[at][:26] + bytes(4), *events[at + 1 :]])
    assert str(dumped(data, tmp_path).error) == (
        f"{tmp_path}/binlog.000001, at {position}: the Intvar event is corrupt: a length in it reaches beyond its end"
    )


MARIA = log("mariadb-10.11/gtid-domains")
STARTS = "Give the logs from that position on; a start position names a GTID of each domain in the Gtid_list"


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"start_gtids": "0-1-1"}, "it begins after 0-1-5, and so lacks transactions of domain 0"),
        ({"start_gtids": "1-1-1"}, "it begins after 0-1-5, and the start position names no GTID of domain 0"),
        ({"stop_gtids": "0-1-4"}, "it begins after 0-1-5, and so after the stop position"),
    ],
)
def test_a_log_that_begins_after_the_position_is_an_error(options: dict[str, Any], found: str, tmp_path: Path) -> None:
    events = events_of(MARIA)
    at = first(events, EventType.MARIA_GTID_LIST)
    body = struct.pack("<IIIQ", 1, 0, 1, 5)
    data = joined([*events[:at], events[at][:19] + body + bytes(4), *events[at + 1 :]])
    assert str(dumped(data, tmp_path, **options).error) == (
        f"{tmp_path}/binlog.000001, at 256: the log does not match the requested position: {found}. {STARTS}"
    )
