"""Reader: batches in order from any source, from a start position on, and what ends them."""

import io
import struct
import tracemalloc
from pathlib import Path

import pytest

from pybinlog.errors import (
    KEYRING_HINT,
    BadMagicError,
    BinlogError,
    ChecksumError,
    CorruptEventError,
    EmptyFileError,
    EncryptedError,
    OldFormatError,
    TruncatedError,
    UnknownEventError,
)
from pybinlog.event_header import EventHeader
from pybinlog.event_types import EventType
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader, wrong_checksum
from pybinlog.source import SERVER, Source, open_source
from tests.corpus import scenarios
from tests.dump.log_parts import RELAY_LOG, corpus_log, events_of, joined, positions_of, rotate, with_checksum
from tests.layout.log_builder import MYSQL_9_7, LogBuilder

LOG = corpus_log("mysql-9.7/row-basic")
EVENTS = events_of(LOG)
POSITIONS = positions_of(EVENTS)
INTACT = [log for scenario in scenarios() if scenario.intact for log in scenario.logs]


class Pieces(Source):
    """Bytes that come a few at a time."""

    def __init__(self, data: bytes, size: int):
        super().__init__("pieces")
        self._data = data
        self._size = size

    def _fill(self, view: memoryview) -> int:
        count = min(self._size, len(view), len(self._data))
        view[:count] = self._data[:count]
        self._data = self._data[count:]
        return count


def source_of(data: bytes) -> Source:
    return open_source("-", io.BytesIO(data))


def headers(reader: Reader) -> list[EventHeader]:
    """(position, timestamp, type, server id, size, end_log_pos, flags, boundary, inferred) of each event."""
    return [batch.header(index) for batch in reader for index in range(len(batch))]


def read(data: bytes, **attributes: bool) -> tuple[list[EventHeader], BinlogError | None]:
    """The headers of the events that were given out, and the error that came then."""
    scanner = Scanner()
    for name, value in attributes.items():
        setattr(scanner, name, value)
    found: list[EventHeader] = []
    try:
        for batch in Reader(source_of(data), scanner):
            found += [batch.header(index) for index in range(len(batch))]
    except BinlogError as error:
        return found, error
    return found, None


# ---- every event, in order


@pytest.mark.parametrize("log", INTACT, ids=lambda log: f"{log.parent.name}-{log.name}")
def test_each_event_of_an_intact_log_is_given_out_once(log: Path) -> None:
    data = log.read_bytes()
    wanted, position = [], 4
    while position < len(data):
        fields = struct.unpack_from("<IBIIIH", data, position)
        wanted.append((position, *fields))
        position += fields[3]
    with open_source(str(log)) as source:
        assert [header[:7] for header in headers(Reader(source))] == wanted


@pytest.mark.parametrize("size", [1, 2, 3, 18, 19, 20, 100, 1000, 5000])
def test_it_does_not_matter_in_which_pieces_the_bytes_come(size: int) -> None:
    assert headers(Reader(Pieces(LOG, size))) == headers(Reader(source_of(LOG)))


def test_an_event_is_given_out_as_soon_as_its_last_byte_is_there() -> None:
    asked = 0
    for batch in (reader := Reader(Pieces(LOG, 1))):
        assert len(batch) == 1
        assert reader.source.position == POSITIONS[asked + 1] == reader.position
        asked += 1
    assert asked == len(EVENTS)


def test_the_bytes_of_a_batch_outlive_the_reading() -> None:
    long_log = joined([EVENTS[0], *(event for _ in range(200) for event in EVENTS[1:])])  # several buffers of bytes
    batches = list(Reader(source_of(long_log)))
    assert len(batches) > 2
    data = [batch.data(index) for batch in batches for index in range(len(batch))]
    assert data == events_of(long_log)


def test_an_event_larger_than_the_buffer_is_whole() -> None:
    (query,) = [event for event in EVENTS if event[4] == EventType.QUERY and b"CREATE DATABASE" in event]
    grown = bytearray(query[:-4] + b" " * 1_500_000 + b"\0\0\0\0")
    struct.pack_into("<I", grown, 9, len(grown))
    log = joined([*EVENTS[:3], with_checksum(bytes(grown)), *EVENTS[4:]])
    for source in (source_of(log), Pieces(log, 70_000)):
        batches = list(Reader(source))
        assert [batch.data(i) for batch in batches for i in range(len(batch))] == events_of(log)


def test_the_format_description_in_force_stands_at_the_head_of_its_batch() -> None:
    scenario = next(s for s in scenarios() if s.name == "mysql-9.7/relay")
    for log in scenario.logs:
        with open_source(str(log)) as source:
            for batch in Reader(source):
                kinds = [batch.header(index).type for index in range(len(batch))]
                assert EventType.FORMAT_DESCRIPTION not in kinds[1:]


# ---- from a start position on


@pytest.mark.parametrize("start", POSITIONS[:-1])
def test_a_start_position_gives_the_format_description_and_the_events_from_there(start: int) -> None:
    found = headers(Reader(source_of(LOG), start_position=start))
    wanted = [position for position in POSITIONS[:-1] if position >= start]
    if start > 4:
        assert found[0][2] == EventType.FORMAT_DESCRIPTION
        found = found[1:]
    assert [header.position for header in found] == wanted


@pytest.mark.parametrize("start", [len(LOG), len(LOG) + 1, 1 << 40, (1 << 63)])
def test_a_start_behind_the_end_gives_the_format_description_only(start: int) -> None:
    for source in (source_of(LOG), Pieces(LOG, 100)):
        assert [header.type for header in headers(Reader(source, start_position=start))] == [15]


def test_the_opening_events_before_the_start_are_classified_but_not_fed() -> None:
    xid = next(index for index, event in enumerate(EVENTS) if event[4] == EventType.XID)
    (opening, rest) = list(Reader(source_of(LOG), start_position=POSITIONS[xid]))
    assert (len(opening), opening.refused_from(0)) == (1, 255)
    not_defined = 0
    assert rest.refused_from(0) == not_defined


@pytest.mark.parametrize("size", [0, 18, 100_000, (1 << 31) - 1])
@pytest.mark.parametrize("start", [POSITIONS[2] + 1, POSITIONS[-2], len(LOG) * 2])
def test_the_first_event_behind_the_opening_ones_must_be_whole(start: int, size: int) -> None:
    broken = changed(POSITIONS[2] + 9, struct.pack("<I", size))
    for source in (source_of(broken), Pieces(broken, 100)):
        reader = Reader(source, start_position=start)
        with pytest.raises(BinlogError) as caught:
            headers(reader)
        assert caught.value.position == POSITIONS[2]


# ---- what ends it


def test_a_rotate_at_the_end_names_the_next_log() -> None:
    cases = {
        "binlog.000002": EVENTS,
        "relay.000009": [*EVENTS[:-1], rotate("relay.000009", flags=RELAY_LOG)],
        None: [*EVENTS[:-1], rotate("binlog.000009", fake=True)],
    }
    for name, events in cases.items():
        reader = Reader(source_of(joined(events)))
        headers(reader)
        assert reader.rotates_to == name
    reader = Reader(source_of(joined([*EVENTS, EVENTS[1]])))
    headers(reader)
    assert reader.rotates_to is None


@pytest.mark.parametrize("end", [POSITIONS[5] + 1, POSITIONS[5] + 18, POSITIONS[5] + 19, POSITIONS[6] - 1])
def test_a_cut_log_gives_what_is_whole_and_then_an_error(end: int) -> None:
    found, error = read(LOG[:end])
    assert [header.position for header in found] == POSITIONS[:5]
    assert isinstance(error, TruncatedError)
    assert (error.file, error.position) == ("-", POSITIONS[5])


def test_a_cut_log_in_use_has_a_cut_tail() -> None:
    log = bytearray(LOG[: POSITIONS[5] + 7])
    log[21] |= 1
    reader = Reader(source_of(bytes(log)))
    assert len(headers(reader)) == 5
    assert reader.cut_tail
    assert reader.position == POSITIONS[5]
    whole = Reader(source_of(bytes(log[: POSITIONS[5]])))
    headers(whole)
    assert not whole.cut_tail


def changed(offset: int, data: bytes) -> bytes:
    log = bytearray(LOG)
    log[offset : offset + len(data)] = data
    return bytes(log)


@pytest.mark.parametrize(
    ("data", "attributes", "kind"),
    [
        (changed(POSITIONS[7] + 9, struct.pack("<I", 0)), {}, CorruptEventError),
        (changed(POSITIONS[7] + 9, struct.pack("<I", 18)), {}, CorruptEventError),
        (changed(POSITIONS[7] + 9, struct.pack("<I", 0xFFFFFFFF)), {}, CorruptEventError),
        (changed(POSITIONS[7] + 9, struct.pack("<I", 1 << 30)), {}, TruncatedError),
        (changed(POSITIONS[7] + 4, b"\xc8"), {}, UnknownEventError),
        (changed(POSITIONS[7] + 30, b"?"), {"verify_checksum": True}, ChecksumError),
    ],
    ids=["size 0", "size 18", "size 4 GiB", "size 1 GiB", "unknown type", "checksum"],
)
def test_an_error_names_the_event_behind_the_last_good_one(
    data: bytes, attributes: dict[str, bool], kind: type[BinlogError]
) -> None:
    found, error = read(data, **attributes)
    assert [header.position for header in found] == POSITIONS[:7]
    assert type(error) is kind
    assert (error.file, error.position) == ("-", POSITIONS[7])


def test_force_read_passes_over_what_is_not_known() -> None:
    found, error = read(changed(POSITIONS[7] + 4, b"\xc8"), force_read=True)
    assert error is None
    assert found[7].type == EventType.UNKNOWN
    assert len(found) == len(EVENTS)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", EmptyFileError),
        (b"\xfeb", EmptyFileError),
        (b"\xfdbin" + bytes(508), EncryptedError),
        (b"\x7fELF" + bytes(99), BadMagicError),
    ],
)
def test_what_is_no_log_is_recognized_by_its_first_bytes(data: bytes, kind: type[BinlogError]) -> None:
    found, error = read(data)
    assert (found, type(error)) == ([], kind)
    assert error is not None
    assert (error.file, error.position) == ("-", 0)


def test_a_length_that_lies_costs_no_memory() -> None:
    lying = changed(POSITIONS[-2] + 9, struct.pack("<I", (1 << 30) - 1))
    tracemalloc.start()
    try:
        _, error = read(lying)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(error, TruncatedError)
    assert peak < 4 << 20


def test_progress_adds_up_to_the_bytes_of_the_log() -> None:
    told: list[int] = []
    for _ in Reader(Pieces(LOG, 1000)).counted(told.append):
        pass
    assert (len(told) > 2, min(told) >= 0, sum(told)) == (True, True, len(LOG))


# ---- several logs in one stream


def test_logs_one_after_the_other_are_read_where_that_is_allowed() -> None:
    found, error = read(LOG + LOG, many_logs=True)
    assert error is None
    assert [header.position for header in found] == [
        *POSITIONS[:-1],
        *(len(LOG) + position - (0 if index else 4) for index, position in enumerate(POSITIONS[:-1])),
    ]
    _, error = read(LOG + LOG)
    assert isinstance(error, BinlogError)
    assert error.position == len(LOG)


# ---- to the letter

HEX = "A binary log begins with the bytes fe 62 69 6e"
AT = POSITIONS[5]


def old_start(size: int, version: int = 3, server: bytes = b"4.1.22-log") -> bytes:
    """The first event of a log before v4."""
    head = struct.pack("<IBII", 1, EventType.START_V3, 1, size)
    return LOG[:4] + head.ljust(size - 56, b"\0") + struct.pack("<H", version) + server.ljust(54, b"\0")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "-, at 0: ends after 0 bytes: a binary log begins with four magic bytes. Copy it again, or leave it out"),
        (
            b"abc",
            "-, at 0: ends after 3 bytes: a binary log begins with four magic bytes. Copy it again, or leave it out",
        ),
        (b"\xfdbin", f"-, at 0: the log is encrypted (binlog_encryption=ON). {KEYRING_HINT}"),
        (b"\x00\x01\x02\x03\x04", f"-, at 0: not a binary log. {HEX}"),
        (
            b"./binlog.000001\n./binlog.000002\n",
            "-, at 0: not a binary log. This looks like an index file: read the logs that it lists, with --index=-",
        ),
        (b"a b.000001\n", f"-, at 0: not a binary log. It is a text file; {HEX[0].lower()}{HEX[1:]}"),
        (b"x.y\n\tz\r\n", f"-, at 0: not a binary log. It is a text file; {HEX[0].lower()}{HEX[1:]}"),
        (b"abcd\x07", f"-, at 0: not a binary log. {HEX}"),
        (b"abcd\xff", f"-, at 0: not a binary log. {HEX}"),
        (
            old_start(75),
            "-, at 4: written by MySQL 4.1.22-log, binlog version 3: not read. Use mysqlbinlog of MySQL 5.7 for it",
        ),
        (
            old_start(69, 1, b"3.23.58\0x"),
            "-, at 4: written by MySQL 3.23.58, binlog version 1: not read. Use mysqlbinlog of MySQL 5.7 for it",
        ),
        (
            changed(AT + 9, struct.pack("<I", 18)),
            f"-, at {AT}: the event (type {LOG[AT + 4]}) says it has 18 bytes, fewer than a header has",
        ),
        (
            changed(AT + 9, struct.pack("<I", 1 << 31)),
            f"-, at {AT}: the event (type {LOG[AT + 4]}) says it has 2147483648 bytes, more than any server writes",
        ),
        (
            changed(4 + 19, b"\3\0"),
            "-, at 4: the Format_description event cannot be read, or is not of binlog version 4",
        ),
        (
            changed(AT + 4, b"\x63"),
            f"-, at {AT}: the event's type 99 is not known. A newer server may have written it; `pybinlog dump "
            "--force-read` skips it",
        ),
        (
            LOG[: AT + 18],
            f"-, at {AT}: the log ends inside an event: 18 bytes of its header are there. "
            "The file is incomplete; if the server was writing it, copy it again",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_what_is_wrong_is_a_sentence(data: bytes, message: str) -> None:
    assert str(read(data)[1]) == message


@pytest.mark.parametrize("size", [68, 70, 74, 76])
def test_only_two_sizes_are_those_of_old_logs(size: int) -> None:
    error = read(old_start(size))[1]
    assert not isinstance(error, OldFormatError)


@pytest.mark.parametrize(
    ("file", "hint"),
    [
        ("binlog.000001", "The log is damaged here; `pybinlog dump --skip-verify-binlog-checksum` reads it anyway"),
        (f"{SERVER}x", "Read it again; if that ends here, too, the server's own log is damaged"),
    ],
)
def test_a_wrong_checksum_of_a_server_is_its_own(file: str, hint: str) -> None:
    error = wrong_checksum(2, 77, file=file, position=5)
    assert str(error) == f"{file}, at 5: the checksum of the event (type 2, 77 bytes) does not match its bytes. {hint}"


@pytest.mark.parametrize(
    ("timestamp", "flags", "closes"),
    [(1, 0, (True, False)), (1, 0x40, (False, True)), (0, 0, (False, False)), (1, 0x20, (False, False))],
)
def test_a_rotate_of_its_own_closes_a_log(timestamp: int, flags: int, closes: tuple[bool, bool]) -> None:
    builder = LogBuilder(MYSQL_9_7)
    rotate = {"position": 4, "new_log_ident": "binlog.000002"}
    builder.add(EventType.ROTATE, rotate, flags, timestamp=timestamp)
    reader = Reader(source_of(builder.data))
    assert len(headers(reader)) == 2
    assert (reader.closes(False), reader.closes(True)) == closes
    assert reader.rotates_to == ("binlog.000002" if any(closes) else None)


def test_a_stop_closes_a_log() -> None:
    reader = Reader(source_of(LogBuilder(MYSQL_9_7).add(EventType.STOP, {}).data))
    assert len(headers(reader)) == 2
    assert (reader.closes(False), reader.closes(True), reader.rotates_to) == (True, True, None)
