"""The numbers of event types and flags, and the names that are printed."""

import pytest

from pybinlog.dump.unusual import PRINTERS
from pybinlog.event_header import EventHeader
from pybinlog.event_types import (
    COMPRESSED_ROW_TYPES,
    DELETE_TYPES,
    FACTS,
    GTID_TYPES,
    IGNORED,
    NEVER,
    OPENING_TYPES,
    PRINTED_NAMES,
    ROW_TYPES,
    UPDATE_TYPES,
    WRITE_TYPES,
    EventFlag,
    EventType,
    Facts,
    Kind,
    Role,
    printed_name,
    type_in_log,
)
from pybinlog.layout.primitive import DECLARATIONS

OF_MYSQL = (
    "UNKNOWN START_V3 QUERY STOP ROTATE INTVAR LOAD SLAVE CREATE_FILE APPEND_BLOCK EXECUTE_LOAD "
    "DELETE_FILE NEW_LOAD RAND USER_VAR FORMAT_DESCRIPTION XID BEGIN_LOAD_QUERY EXECUTE_LOAD_QUERY "
    "TABLE_MAP WRITE_ROWS_V0 UPDATE_ROWS_V0 DELETE_ROWS_V0 WRITE_ROWS_V1 UPDATE_ROWS_V1 DELETE_ROWS_V1 "
    "INCIDENT HEARTBEAT IGNORABLE ROWS_QUERY WRITE_ROWS UPDATE_ROWS DELETE_ROWS GTID ANONYMOUS_GTID "
    "PREVIOUS_GTIDS TRANSACTION_CONTEXT VIEW_CHANGE XA_PREPARE PARTIAL_UPDATE_ROWS TRANSACTION_PAYLOAD "
    "HEARTBEAT_V2 GTID_TAGGED"
)
OF_MARIADB = (
    "MARIA_ANNOTATE_ROWS MARIA_BINLOG_CHECKPOINT MARIA_GTID MARIA_GTID_LIST MARIA_START_ENCRYPTION "
    "MARIA_QUERY_COMPRESSED MARIA_WRITE_ROWS_COMPRESSED_V1 MARIA_UPDATE_ROWS_COMPRESSED_V1 "
    "MARIA_DELETE_ROWS_COMPRESSED_V1 MARIA_WRITE_ROWS_COMPRESSED MARIA_UPDATE_ROWS_COMPRESSED "
    "MARIA_DELETE_ROWS_COMPRESSED MARIA_PARTIAL_ROWS"
)


def test_types_and_flags_have_the_numbers_of_the_servers_sources() -> None:
    of_servers = {
        name: number
        for first, names in ((0, OF_MYSQL), (160, OF_MARIADB))
        for number, name in enumerate(names.split(), first)
    }
    assert {name: int(EventType[name]) for name in of_servers} == of_servers
    assert {name: int(flag) for name, flag in EventFlag.__members__.items()} == {
        "BINLOG_IN_USE": 0x0001,
        "FORCED_ROTATE": 0x0002,
        "THREAD_SPECIFIC": 0x0004,
        "SUPPRESS_USE": 0x0008,
        "ARTIFICIAL": 0x0020,
        "RELAY_LOG": 0x0040,
        "IGNORABLE": 0x0080,
        "NO_FILTER": 0x0100,
        "MTS_ISOLATE": 0x0200,
        "BOUNDARY_MASK": 0x1C00,
    }


@pytest.mark.parametrize(
    ("types", "numbers"),
    [
        (WRITE_TYPES, {20, 23, 30, 166, 169}),
        (UPDATE_TYPES, {21, 24, 31, 39, 167, 170}),
        (DELETE_TYPES, {22, 25, 32, 168, 171}),
        (ROW_TYPES, {20, 21, 22, 23, 24, 25, 30, 31, 32, 39, *range(166, 172)}),
        (COMPRESSED_ROW_TYPES, {*range(166, 172)}),
        (OPENING_TYPES, {4, 15, 35, 161, 163, 164}),
        (GTID_TYPES, {33, 34, 42, 162}),
    ],
)
def test_types_by_what_they_are(types: frozenset[EventType], numbers: set[int]) -> None:
    assert types == numbers


def test_types_are_printed_as_mysqlbinlog_prints_them() -> None:
    assert PRINTED_NAMES[EventType.QUERY] == "Query"
    assert PRINTED_NAMES[EventType.MARIA_ANNOTATE_ROWS] == "Annotate_rows"
    exceptions = {
        10: "Exec_load",
        13: "RAND",
        14: "User var",
        15: "Format_desc",
        34: "Anonymous_Gtid",
        38: "XA_prepare",
        39: "Update_rows_partial",
        41: "Heartbeat",
        42: "Gtid_tagged_log_event",
    }
    assert {kind: PRINTED_NAMES[kind] for kind in exceptions} == exceptions
    assert [printed_name(number) for number in (0, 2, 254)] == ["Unknown", "Query", "Unknown"]


@pytest.mark.parametrize("kind", EventType, ids=lambda kind: kind.name)
def test_every_type_has_its_facts(kind: EventType) -> None:
    """A fact that is missing would let a filter, a check or a printer take the type for another."""
    facts = kind.facts
    of_mariadb = kind.name.startswith("MARIA_")
    assert of_mariadb == (kind >= EventType.MARIA_ANNOTATE_ROWS)
    assert (facts.mysql == NEVER) == of_mariadb
    assert not (of_mariadb and facts.mariadb >= IGNORED)
    assert facts.in_python == (kind in PRINTERS and kind is not EventType.IGNORABLE)  # that of MySQL is the kernel's
    assert (kind in DECLARATIONS) == (kind in PRINTED_NAMES) == (kind is not EventType.UNKNOWN)
    assert (facts.role == Role.CHANGES_ROWS) == (kind in ROW_TYPES)
    assert (facts.kind == Kind.ROWS) == (kind in {*ROW_TYPES, EventType.MARIA_PARTIAL_ROWS})
    if facts.role in (Role.APART, Role.OPENS_LOG, Role.OF_LOG):
        boundaries = {Kind.ALONE, Kind.IGNORED, Kind.FORMAT, Kind.ROTATE, Kind.STOP, Kind.SOURCE_PREVIOUS_GTIDS}
        assert facts.kind in boundaries


def test_a_log_has_the_types_that_its_server_knows() -> None:
    """MariaDB gave its own types numbers from 160 on; it knows none that MySQL added after 5.6 but XA_prepare."""
    mysql, mariadb = ({code for code in range(256) if type_in_log(code, 0, own) == code} for own in (False, True))
    assert mysql == {code for code in FACTS if code < 160}
    assert mariadb == {*range(29), 30, 31, 32, 38, *(code for code in FACTS if code >= 160)}
    ignored = {code for code in range(256) if type_in_log(code, 0, True) == EventType.IGNORABLE}
    assert ignored == {28, 33, 34, 35, 36, 37, 41}
    assert type_in_log(200, EventFlag.IGNORABLE, False) == type_in_log(2, EventFlag.IGNORABLE, True) == 28
    assert Facts(Role.FRAMES_GROUP, Kind.ALONE, (9, 8)).mariadb == NEVER


def test_an_event_ends_behind_its_last_byte() -> None:
    assert EventHeader(100, 0, 16, 1, 31, 0, 0, 0, False).end == 131
