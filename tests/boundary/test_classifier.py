"""pybinlog.boundary.classifier: the table of docs/boundaries.md row by row, and what makes a stream always-GTID."""

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.boundary import BoundaryClassifier, BoundaryType, GroupState, is_fake_rotate
from pybinlog.errors import CorruptEventError
from pybinlog.event_types import EventType
from tests.boundary.event import INTACT, event, format_description, maria_gtid, query, rotate, scenario_events
from tests.corpus import Scenario

RELAY, ARTIFICIAL, IGNORABLE = 0x40, 0x20, 0x80


def kinds(*types: EventType, flags: int = 0) -> dict[str, bytes]:
    return {t.name + (f"-{flags:#x}" if flags else ""): event(t, bytes(40), flags=flags) for t in types}


# Cells: type and next group state, from NONE, NONE of an always-GTID stream, OPEN, EXPLICIT.
# S self, s start, i inside, e end, - ignore; n NONE, o OPEN, x EXPLICIT.
ROWS: list[tuple[str, dict[str, bytes]]] = [
    ("so so so so", kinds(EventType.GTID, EventType.ANONYMOUS_GTID, EventType.GTID_TAGGED)),
    ("sx sx sx sx", {"maria": maria_gtid(standalone=False)}),
    ("so so so so", {"maria-standalone": maria_gtid(standalone=True)}),
    (
        "sx ix ix sx",
        {
            "begin": query(b"BEGIN"),
            "begin-case-space": query(b" \t\r\nbEgIn\n "),
            "begin-variables": query(b"BEGIN", variables=bytes(300), db=b""),
            "begin-compressed": query(b"BEGIN", event_type=165),
            "xa-start": query(b"XA START X'6162',X'',1"),
            "xa-start-case": query(b"  xa Start 'a'"),
        },
    ),
    (
        "en en en en",
        {
            "commit": query(b"COMMIT"),
            "commit-case": query(b" Commit "),
            "rollback": query(b"ROLLBACK"),
            "rollback-compressed": query(b"\nrollback", event_type=165),
            "xa-rollback": query(b"XA ROLLBACK X'61',X'',1"),
        },
    ),
    (
        "Sn en en ix",
        {
            text: query(text.encode())
            for text in (
                "CREATE TABLE t (a INT)",
                "INSERT INTO t VALUES (1)",
                "XA COMMIT X'61',X'',1",
                "XA END X'61',X'',1",
                "XA STARTED",
                "XA ROLLBACKS",
                "SAVEPOINT a",
                "ROLLBACK TO a",
                "ROLLBACK TO SAVEPOINT `begin`",
                "BEGIN WORK",
                "BEGINS",
                "COMMITS",
                "/* BEGIN */",
                "",
            )
        }
        | {"compressed": query(b"INSERT INTO t VALUES (" + b"1" * 200 + b")", event_type=165)}
        | kinds(
            EventType.EXECUTE_LOAD_QUERY,
            EventType.DELETE_FILE,
            EventType.LOAD,
            EventType.NEW_LOAD,
            EventType.EXECUTE_LOAD,
        ),
    ),
    (
        "so io io ix",
        kinds(
            EventType.INTVAR,
            EventType.RAND,
            EventType.USER_VAR,
            EventType.BEGIN_LOAD_QUERY,
            EventType.APPEND_BLOCK,
            EventType.CREATE_FILE,
        ),
    ),
    ("en en en en", kinds(EventType.XID, EventType.XA_PREPARE, EventType.TRANSACTION_PAYLOAD)),
    (
        "in in io ix",
        kinds(
            EventType.TABLE_MAP,
            EventType.WRITE_ROWS_V0,
            EventType.UPDATE_ROWS_V0,
            EventType.DELETE_ROWS_V0,
            EventType.WRITE_ROWS_V1,
            EventType.UPDATE_ROWS_V1,
            EventType.DELETE_ROWS_V1,
            EventType.WRITE_ROWS,
            EventType.UPDATE_ROWS,
            EventType.DELETE_ROWS,
            EventType.PARTIAL_UPDATE_ROWS,
            EventType.ROWS_QUERY,
            EventType.MARIA_ANNOTATE_ROWS,
            EventType.MARIA_WRITE_ROWS_COMPRESSED_V1,
            EventType.MARIA_UPDATE_ROWS_COMPRESSED_V1,
            EventType.MARIA_DELETE_ROWS_COMPRESSED_V1,
            EventType.MARIA_WRITE_ROWS_COMPRESSED,
            EventType.MARIA_UPDATE_ROWS_COMPRESSED,
            EventType.MARIA_DELETE_ROWS_COMPRESSED,
            EventType.MARIA_PARTIAL_ROWS,
        )
        | kinds(EventType.ROWS_QUERY, flags=IGNORABLE),
    ),
    ("Sn Sn en ix", kinds(EventType.INCIDENT)),
    ("Sn Sn io ix", kinds(EventType.VIEW_CHANGE, EventType.TRANSACTION_CONTEXT)),
    (
        "-n -n -o -x",
        kinds(EventType.IGNORABLE)
        | kinds(EventType.ROTATE, EventType.STOP, EventType.PREVIOUS_GTIDS, flags=RELAY)
        | {
            "previous-gtids-relay-ignorable": event(35, bytes(8), flags=RELAY | IGNORABLE),
            "fake-rotate-flag": rotate(b"binlog.000001", flags=ARTIFICIAL),
            "fake-rotate-time": rotate(b"binlog.000001", timestamp=0),
            "unknown-ignorable": event(200, flags=IGNORABLE),
            "replicas-format": format_description(b"9.7.0", flags=RELAY),
        },
    ),
    (
        "Sn Sn So Sx",
        kinds(
            EventType.ROTATE,
            EventType.STOP,
            EventType.HEARTBEAT,
            EventType.HEARTBEAT_V2,
            EventType.START_V3,
            EventType.SLAVE,
            EventType.UNKNOWN,
            EventType.MARIA_GTID_LIST,
            EventType.MARIA_BINLOG_CHECKPOINT,
            EventType.MARIA_START_ENCRYPTION,
        )
        | {"unknown": event(200, bytes(8))},
    ),
    ("Sn Sn So Sx", kinds(EventType.PREVIOUS_GTIDS) | kinds(EventType.PREVIOUS_GTIDS, flags=IGNORABLE)),
    (
        "-n -n -o -x",
        {v.decode(): format_description(v) for v in (b"5.0.96", b"5.6.51-log", b"9.7.0", b"10.11.6-MariaDB")},
    ),
]
TYPES = {
    "S": BoundaryType.SELF_CONTAINED,
    "s": BoundaryType.START_TRANSACTION,
    "i": BoundaryType.INSIDE_TRANSACTION,
    "e": BoundaryType.END_TRANSACTION,
    "-": BoundaryType.IGNORE_BOUNDARY,
}
GROUPS = {"n": GroupState.NONE, "o": GroupState.OPEN, "x": GroupState.EXPLICIT}


@pytest.mark.parametrize(
    ("cells", "raw"), [pytest.param(cells, raw, id=name) for cells, row in ROWS for name, raw in row.items()]
)
@pytest.mark.parametrize("marker", [0, 4, 7])
def test_table(cells: str, raw: bytes, marker: int) -> None:
    if raw[4] == EventType.FORMAT_DESCRIPTION and marker == 4:
        marker = 1  # 4 would say that the log has statement bits
    raw = raw[:17] + struct.pack("<H", BoundaryType(marker).to_flags(struct.unpack_from("<H", raw, 17)[0])) + raw[19:]
    none, none_always, open_, explicit = cells.split()
    for group, always, cell in (
        (GroupState.NONE, False, none),
        (GroupState.NONE, True, none_always),
        (GroupState.OPEN, False, open_),
        (GroupState.OPEN, True, open_),
        (GroupState.EXPLICIT, False, explicit),
        (GroupState.EXPLICIT, True, explicit),
    ):
        classifier = BoundaryClassifier()
        classifier.restore(group, always)
        assert classifier.classify(raw) is TYPES[cell[0]]
        assert classifier.group is GROUPS[cell[1]]

        # A marked event moves the classifier on as an unmarked one of its kind does.
        classifier.restore(group, always)
        found = classifier.boundary_of(raw)
        assert found == ((marker, False) if marker else (TYPES[cell[0]], True))
        assert classifier.group is GROUPS[cell[1]]


@pytest.mark.parametrize(
    ("version", "always"),
    [
        (b"5.0.96-log", False),
        (b"5.5.62", False),
        (b"5.6.51", False),
        (b"5.7.5-m15", False),
        (b"5.7.6-m16", True),
        (b"8.0.39", True),
        (b"9.7.4-2", True),
        (b"5.5.68-MariaDB", False),
        (b"10.0.38-MariaDB", True),
        (b"5.5.5-10.4.34-MariaDB-log", True),
        (b"11.8.2-MariaDB", True),
    ],
)
def test_always_gtid_by_the_sources_version(version: bytes, always: bool) -> None:
    for before in (False, True):
        classifier = BoundaryClassifier()
        classifier.restore(GroupState.NONE, before)
        classifier.classify(format_description(version))
        assert classifier.always_gtid is always
        classifier.classify(format_description(b"5.0.96" if always else b"9.7.4", flags=RELAY))
        assert classifier.always_gtid is always


@pytest.mark.parametrize(
    ("raw", "always"),
    [
        (event(33, bytes(40)), True),
        (event(34, bytes(40)), True),
        (event(42, bytes(40)), True),
        (maria_gtid(standalone=True), True),
        (maria_gtid(standalone=False), True),
        (event(35, bytes(8), flags=IGNORABLE), True),
        (event(35, bytes(8), flags=IGNORABLE | RELAY), False),
        (query(b"BEGIN"), False),
        (event(163, bytes(8)), False),
    ],
)
def test_always_gtid_by_an_event(raw: bytes, always: bool) -> None:
    version = b"5.5.60-MariaDB" if raw[4] >= EventType.MARIA_ANNOTATE_ROWS else b"5.6.51"
    classifier = BoundaryClassifier(format_description(version))
    classifier.classify(raw)
    assert classifier.always_gtid is always
    classifier.classify(query(b"COMMIT"))
    classifier.classify(query(b"BEGIN"))
    assert classifier.always_gtid is always
    classifier.reset()
    assert (classifier.group, classifier.always_gtid) == (GroupState.NONE, False)


def test_a_rotate_is_fake_by_its_flag_or_its_time() -> None:
    assert is_fake_rotate(rotate(b"b.1", flags=ARTIFICIAL))
    assert is_fake_rotate(rotate(b"b.1", timestamp=0))
    assert not is_fake_rotate(rotate(b"b.1"))
    assert not is_fake_rotate(event(15, flags=ARTIFICIAL, timestamp=0))
    assert not is_fake_rotate(b"")


def test_rotate_name() -> None:
    classifier = BoundaryClassifier(format_description(b"9.7.4"))
    assert classifier.rotate_name(rotate(b"/var/lib/mysql/binlog.000002")) == "binlog.000002"
    assert classifier.rotate_name(rotate(b"binlog.000002", timestamp=0)) is None
    assert classifier.rotate_name(query(b"BEGIN")) is None
    assert classifier.rotate_name(event(4, b"1234567")) is None


def test_checksums_are_no_part_of_a_statement() -> None:
    classifier = BoundaryClassifier(format_description(b"5.6.51", checksum=True))
    assert classifier.checksum_length == 4
    assert classifier.classify(query(b"BEGIN") + b"abcd") is BoundaryType.START_TRANSACTION
    assert classifier.classify(query(b"COMMIT") + b"    ") is BoundaryType.END_TRANSACTION
    without = BoundaryClassifier(format_description(b"5.6.51"))
    assert without.classify(query(b"BEGIN") + b"abcd") is BoundaryType.SELF_CONTAINED


def test_events_may_be_views() -> None:
    classifier = BoundaryClassifier(memoryview(format_description(b"5.6.51")))
    assert classifier.classify(memoryview(query(b"BEGIN"))) is BoundaryType.START_TRANSACTION
    assert classifier.classify(bytearray(event(16, bytes(8)))) is BoundaryType.END_TRANSACTION


def test_lying_lengths_make_an_ordinary_statement() -> None:
    short = struct.pack("<IIBHH", 7, 0, 255, 0, 0) + b"db\0BEGIN"
    long_variables = struct.pack("<IIBHH", 7, 0, 2, 0, 65535) + b"db\0BEGIN"
    for body in (short, long_variables, b"", bytes(12)):
        assert BoundaryClassifier().classify(event(2, body)) is BoundaryType.SELF_CONTAINED
        assert BoundaryClassifier().classify(event(165, body)) is BoundaryType.SELF_CONTAINED
    head = struct.pack("<IIBHH", 7, 0, 0, 0, 0) + b"\0"
    for packed in (b"", b"\x81", b"\x80\x05" + zlib.compress(b"BEGIN"), b"\x81\x05garbage", b"\x91\x05x", b"\x87\x05"):
        assert BoundaryClassifier().classify(event(165, head + packed)) is BoundaryType.SELF_CONTAINED


def test_a_compressed_bomb_is_not_inflated() -> None:
    text = b" " * 50_000_000 + b"BEGIN"
    body = struct.pack("<IIBHH", 7, 0, 0, 0, 0) + b"\0" + b"\x84" + struct.pack(">I", len(text)) + zlib.compress(text)
    assert BoundaryClassifier().classify(event(165, body)) is BoundaryType.SELF_CONTAINED


def test_events_that_cannot_be_read_are_errors() -> None:
    for raw in (b"", bytes(18), event(15, b"too short"), format_description(b"9.7.4")[:75]):
        with pytest.raises(CorruptEventError):
            BoundaryClassifier().classify(raw)


@given(raw=st.binary(min_size=19, max_size=120))
def test_any_bytes_get_a_type(raw: bytes) -> None:
    classifier = BoundaryClassifier(format_description(b"8.0.39", checksum=True))
    try:
        boundary = classifier.classify(raw)
    except CorruptEventError:
        assert raw[4] == 15
    else:
        assert BoundaryType.IGNORE_BOUNDARY <= boundary <= BoundaryType.END_TRANSACTION


@given(text=st.binary(max_size=40), space=st.text(" \t\n\r\v\f", max_size=3))
def test_text_is_compared_as_a_whole(text: bytes, space: str) -> None:
    classifier = BoundaryClassifier()
    found = classifier.classify(query(space.encode() + text + space.encode()))
    word = text.strip(b" \t\n\r\v\f").upper()
    if word == b"BEGIN" or (word[:8] == b"XA START" and (word[8:9] in b" \t\n\r\v\f'\"")):
        assert found is BoundaryType.START_TRANSACTION
    elif word in (b"COMMIT", b"ROLLBACK"):
        assert found is BoundaryType.END_TRANSACTION
    else:
        assert found is BoundaryType.SELF_CONTAINED


def payload_events(raw: bytes) -> list[bytes]:
    """The events inside a Transaction_payload without checksum: fields of (type, length, value), then the data."""
    zstandard = pytest.importorskip("zstandard")
    at = 19
    compression = 255

    def number() -> int:
        nonlocal at
        first = raw[at]
        width = {252: 2, 253: 3, 254: 8}.get(first, 0)
        value = int.from_bytes(raw[at + 1 : at + 1 + width], "little") if width else first
        at += 1 + width
        return value

    while (field := number()) != 0:
        length = number()
        if field == 2:
            here, end = at, at + length
            compression = number()
            at = here
            assert end <= len(raw)
        at += length
    data = raw[at:] if compression == 255 else zstandard.ZstdDecompressor().decompressobj().decompress(raw[at:])
    events = []
    while data:
        (size,) = struct.unpack_from("<I", data, 9)
        events.append(data[:size])
        data = data[size:]
    return events


def test_events_inside_a_payload_follow_the_gtid_directly() -> None:
    seen = 0
    for scenario in INTACT:
        classifier = BoundaryClassifier()
        for _, _, raw in scenario_events(scenario):
            before = (classifier.group, classifier.always_gtid)
            if raw[4] == 40:
                inner = classifier.enter_payload()
                types = [inner.classify(one) for one in payload_events(raw[: len(raw) - classifier.checksum_length])]
                assert types[-1] is BoundaryType.END_TRANSACTION
                assert set(types[:-1]) == {BoundaryType.INSIDE_TRANSACTION}
                assert inner.group is GroupState.NONE
                assert (classifier.group, classifier.always_gtid) == before == (GroupState.OPEN, True)
                seen += 1
            classifier.classify(raw)
    if not seen:
        pytest.skip("no scenario with a Transaction_payload here")


@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_no_server_marks_its_events(scenario: Scenario) -> None:
    classifier = BoundaryClassifier()
    for _, _, raw in scenario_events(scenario):
        boundary, inferred = classifier.boundary_of(raw)
        assert inferred
        assert BoundaryType.IGNORE_BOUNDARY <= boundary <= BoundaryType.END_TRANSACTION
