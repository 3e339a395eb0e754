"""Rules B001 to B007."""

import struct

import pytest

from pybinlog.check import Severity
from pybinlog.check.transactions import meaning
from pybinlog.event_types import EventFlag, EventType
from pybinlog.layout import Format
from tests.check.logs import Folder, changed, edited, events_of, first, joined, log, marked, without
from tests.layout.log_builder import INT_AND_TEXT, MYSQL_5_5, LogBuilder, row

BASIC = "mysql-9.7/row-basic"


def test_a_transaction_without_its_end_is_refused_once(folder: Folder) -> None:
    events = events_of(log(BASIC))
    lost = first(events, EventType.XID)
    data = joined(without(events, lost))
    finding = folder.check(data).one("B001")
    at = len(joined(events[:lost]))
    assert (finding.position, finding.event_type, finding.severity) == (at, "Gtid", Severity.ERROR)
    assert "from Inside Transaction to Start Transaction: a transaction has no end" in finding.message
    following = first(events, EventType.GTID, [e[4] for e in events[:lost]].count(EventType.GTID) + 1)
    again = len(joined(without(events, lost)[: following - 1]))
    assert finding.message.endswith(f"refused, and the stream is in step again at {again}.")


@pytest.mark.parametrize(
    ("version", "serious"),
    [("5.1.23-rc-debug-log", []), ("5.1.9-beta", []), ("5.2.2-a_drop6p13", []), ("5.1.30-log", ["B001"])],
)
def test_a_log_of_5_1_before_its_release_needs_no_begin(folder: Folder, version: str, serious: list[str]) -> None:
    builder = LogBuilder(Format.of(version, post_header_lengths=MYSQL_5_5.post_header_lengths))
    builder.query("CREATE TABLE t (a INT, b VARCHAR(20))")
    builder.table_map(INT_AND_TEXT)
    builder.rows(EventType.WRITE_ROWS_V1, row(1, "one"), 2)
    builder.query("CREATE TABLE u (a INT)")
    found = folder.check(builder.data)
    assert found.serious == serious
    assert (f"MySQL {version} wrote transactions without BEGIN." in found.one("B001").message) == (not serious)


def test_a_lost_start_in_the_middle_is_one_finding(folder: Folder) -> None:
    data = edited(BASIC, lambda events: without(events, first(events, EventType.GTID, 3)))
    found = folder.check(data)
    assert found.serious == ["B001"]
    assert "comes without its start" in found[0].message


def test_an_end_without_a_start_is_named_as_an_end(folder: Folder) -> None:
    builder = LogBuilder(MYSQL_5_5)
    builder.query("CREATE TABLE t (a INT, b VARCHAR(20))")
    builder.commit(7)
    assert "the end of a transaction comes without its start" in folder.check(builder.data).one("B001").message


def test_a_stream_that_starts_inside_a_transaction(folder: Folder) -> None:
    finding = folder.check(edited(BASIC, lambda events: without(events, first(events, EventType.GTID)))).one("B002")
    assert finding.position == 158


def test_a_log_that_ends_inside_a_transaction(folder: Folder) -> None:
    data = edited(BASIC, lambda events: events[: first(events, EventType.XID)])
    found = folder.check(data)
    assert found.serious == ["B003"]
    assert found[0].position == len(data)


def test_a_gtid_that_a_gtid_follows(folder: Folder) -> None:
    def edit(events: list[bytes]) -> list[bytes]:
        start, end = first(events, EventType.GTID, 2), first(events, EventType.GTID, 3)
        return without(events, *range(start + 1, end))

    found = folder.check(edited(BASIC, edit))
    assert found.serious == ["B004"]
    assert found[0].event_type == "Gtid"
    assert "the next thing is Gtid at" in found[0].message


def test_a_gtid_at_the_end_of_the_log(folder: Folder) -> None:
    data = edited(BASIC, lambda events: events[: first(events, EventType.GTID, 4) + 1])
    found = folder.check(data)
    assert found.serious == ["B004"]
    assert found[0].message.endswith("the next thing is the end of the log.")


def test_a_server_start_inside_a_transaction(folder: Folder) -> None:
    def edit(events: list[bytes]) -> list[bytes]:
        started = changed(events[0], 19 + 2 + 50, struct.pack("<I", 1795224000))
        at = first(events, EventType.XID)
        return [*events[:at], started, *events[first(events, EventType.GTID, 8) :]]

    found = folder.check(edited(BASIC, edit))
    assert found.serious == ["B005"]
    assert found.one("B005").event_type == "Format_desc"


def test_another_reserved_marker_does_not_end_the_run_of_refusals(folder: Folder) -> None:
    events = events_of(log(BASIC))
    at = first(events, EventType.TABLE_MAP)
    data = joined([*events[:at], marked(events[at], 6), marked(events[at + 1], 7), *events[at + 2 :]])
    findings = [finding for finding in folder.check(data) if finding.code == "B007"]
    assert [finding.message for finding in findings] == [
        "The event carries the reserved transaction boundary marker 6. "
        "3 events in a row are refused, and the stream is in step again at 1330.",
        "The event carries the reserved transaction boundary marker 7.",
    ]


def test_a_marker_that_contradicts_the_content(folder: Folder) -> None:
    data = edited(BASIC, lambda events: [marked(events[0], 2), *events[1:]])
    found = folder.check(data)
    assert found.serious == ["B006"]
    assert (found[0].severity, found[0].position) == (Severity.WARNING, 4)
    assert found[0].message == "The event is marked Self Contained; by its content it is Ignore Boundary."


@pytest.mark.parametrize("marker", [6, 7])
def test_a_reserved_marker(folder: Folder, marker: int) -> None:
    def edit(events: list[bytes]) -> list[bytes]:
        at = first(events, EventType.TABLE_MAP)
        return [*events[:at], marked(events[at], marker), *events[at + 1 :]]

    found = folder.check(edited(BASIC, edit))
    assert found.serious == ["B007"]
    assert found.one("B007").severity is Severity.WARNING
    assert f"marker {marker}." in found[0].message


def test_right_markers_are_no_finding(folder: Folder) -> None:
    import io

    from pybinlog.source.file import ObjectSource
    from pybinlog.tag import Tagger

    pieces: list[bytes] = []
    Tagger(clear=False).log(
        ObjectSource("binlog.000001", io.BytesIO(log(BASIC))), lambda data: pieces.append(bytes(data))
    )
    data = b"".join(pieces)
    assert data != log(BASIC)
    assert folder.check(data).serious == []


def relay_logs() -> list[bytes]:
    return [log("mysql-9.7/relay", number) for number in range(9)]


def test_a_relay_log_that_ends_inside_a_transaction_and_continues_in_the_next_is_no_finding(folder: Folder) -> None:
    data = log("mysql-9.7/relay", 1)
    events = events_of(data)
    inside = first(events, EventType.XID) if EventType.XID in [e[4] for e in events] else -1
    assert inside > 0
    cut = joined_relay(events[:inside])
    found = folder.check(cut)
    assert found.one("B003").severity is Severity.WARNING
    name = b"binlog.000002"
    rotate = bytearray(events[-1])
    body = struct.pack("<IBIIIH", 1795224000, EventType.ROTATE, 1, 0, 0, EventFlag.RELAY_LOG)
    rotate = bytearray(body + struct.pack("<Q", 4) + name + bytes(4))
    continues = joined_relay([*events[:inside], bytes(rotate)])
    finding = folder.check(continues).one("B003")
    assert finding.severity is Severity.INFO
    assert "continues in binlog.000002" in finding.message


def joined_relay(events: list[bytes]) -> bytes:
    """As `joined`, with the positions that the source gave the events."""
    from tests.check.logs import MAGIC, signed

    data = MAGIC
    for event in events:
        whole = bytearray(event)
        struct.pack_into("<I", whole, 9, len(whole))
        data += signed(whole)
    return data


def table() -> LogBuilder:
    return LogBuilder(MYSQL_5_5).query("CREATE TABLE t (a INT, b VARCHAR(20))")


CANNOT = "The boundary parser cannot go from"
NO_START = "Self Contained to End Transaction: the end of a transaction comes without its start."


@pytest.mark.parametrize(
    ("builder", "code", "position", "message"),
    [
        pytest.param(
            table().commit(7),
            "B001",
            207,
            f"{CANNOT} {NO_START} This event is refused, up to the end of the log.",
            id="an end",
        ),
        pytest.param(
            table().commit(7).commit(8).query("SELECT 1"),
            "B001",
            207,
            f"{CANNOT} {NO_START} 2 events in a row are refused, and the stream is in step again at 261.",
            id="two ends",
        ),
        pytest.param(
            table().table_map(INT_AND_TEXT),
            "B001",
            207,
            f"{CANNOT} Self Contained to Inside Transaction: a part of a transaction comes without its start. "
            "This event is refused, up to the end of the log.",
            id="a part",
        ),
        pytest.param(
            table().begin().begin(),
            "B001",
            275,
            f"{CANNOT} Start Transaction to Start Transaction: a transaction has no end. "
            "This event is refused, up to the end of the log.",
            id="a start after a start",
        ),
        pytest.param(
            LogBuilder(MYSQL_5_5).commit(7),
            "B002",
            107,
            "The stream starts with Xid (End Transaction) inside a transaction. "
            "This event is refused, up to the end of the log.",
            id="an end at the beginning",
        ),
        pytest.param(table().begin(), "B003", 275, "The log ends inside a transaction.", id="no end"),
        pytest.param(
            table().begin().table_map(INT_AND_TEXT),
            "B003",
            318,
            "The log ends inside a transaction, in the middle of a statement.",
            id="no end of a statement",
        ),
    ],
)
def test_a_place_in_no_transaction_is_told_in_a_sentence(
    folder: Folder, builder: LogBuilder, code: str, position: int, message: str
) -> None:
    finding = folder.check(builder.data).one(code)
    assert (finding.severity, finding.position, finding.message) == (Severity.ERROR, position, message)


@pytest.mark.parametrize("old", ["Ignore Boundary", "Self Contained", "Start Transaction", "Inside Transaction"])
@pytest.mark.parametrize("new", ["Start Transaction", "Inside Transaction", "End Transaction"])
def test_a_refused_step_in_terms_of_transactions(old: str, new: str) -> None:
    expected = {
        "Start Transaction": "a part of a transaction comes without its start",
        "Inside Transaction": "a part of a transaction comes without its start",
        "End Transaction": "the end of a transaction comes without its start",
    }
    ended = old in ("Ignore Boundary", "Self Contained")
    assert meaning(old, new) == (expected[new] if ended else "a transaction has no end")


def test_a_gtid_that_an_end_follows(folder: Folder) -> None:
    def edit(events: list[bytes]) -> list[bytes]:
        start, end = first(events, EventType.GTID, 2), first(events, EventType.GTID, 3)
        return [*events[: start + 1], changed(events[first(events, EventType.XID)], 19, b"\x77"), *events[end:]]

    finding = folder.check(edited(BASIC, edit)).one("B004")
    assert (finding.position, finding.event_type) == (667, "Gtid")
    assert finding.message == "No statement follows the GTID: the next thing is Xid at 746."


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (
            first(events_of(log(BASIC)), EventType.TABLE_MAP),
            "3 events in a row are refused, and the stream is in step again at 1330.",
        ),
        (None, "This event is refused, and the stream is in step again at 1361."),
    ],
)
def test_events_with_a_reserved_marker_are_refused_up_to_the_next_step(
    folder: Folder, place: int | None, message: str
) -> None:
    events = events_of(log(BASIC))
    end = first(events, EventType.XID)
    at, new = (place, place + 1) if place is not None else (end + 1, end + 1)
    data = joined([*events[:at], marked(events[place or end], 6), *events[new:]])
    finding = folder.check(data).one("B007")
    assert finding.message == f"The event carries the reserved transaction boundary marker 6. {message}"
