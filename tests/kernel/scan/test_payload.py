"""Payloads that the kernel reads by itself: their events, and that anything odd is left to `pybinlog.log.payload`."""

import struct

import pytest
import zstandard

from pybinlog.errors import CorruptEventError
from pybinlog.event_types import EventType
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.scan import scan
from pybinlog.kernel.scan.payload import PayloadReader
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.payload import PIECE, Payload
from tests.check.logs import events_of, first, joined, log
from tests.check.payloads import HEADER, inside, lenenc, payload
from tests.corpus import scenarios

LOGS = [path for scenario in scenarios() for path in scenario.logs if scenario.name.startswith("mysql-9.7/compression")]
EVENTS = events_of(log("mysql-9.7/compression"))
AT = first(EVENTS, EventType.TRANSACTION_PAYLOAD)
INSIDE = inside(EVENTS[AT])
PLAIN = b"".join(INSIDE)
FRAME = zstandard.ZstdCompressor().compress(PLAIN)


def batch_of(data: bytes) -> EventBatch:
    """The events after the Format_description."""
    scanner = Scanner()
    scanner.new_log(4)
    size = int.from_bytes(data[13:17], "little")
    scanner.scan(data, 4, 4 + size, "log")
    batch = scanner.scan(data, 4 + size, len(data), "log")
    assert scanner.error_code == scan.SCAN_NEED_MORE
    return batch


def payloads(batch: EventBatch) -> list[int]:
    return [index for index in range(len(batch)) if batch.header(index).type == EventType.TRANSACTION_PAYLOAD]


def test_an_unfolded_batch_has_the_events_inside_after_each_payload() -> None:
    batch = batch_of(LOGS[0].read_bytes())
    unfolded = PayloadReader().unfolded(batch)
    wanted: list[tuple[bytes, int]] = []  # bytes, index of the payload around
    for index in range(len(batch)):
        header = batch.header(index)
        outer = len(wanted)
        wanted.append((batch.data(index), -1))
        if header.type == EventType.TRANSACTION_PAYLOAD:
            inner = PayloadReader().events(batch, index, True)
            wanted += [(inner.data(at), outer) for at in range(len(inner))]
            wanted.append((batch.data(index), -1))
    found = range(len(unfolded))
    assert [(unfolded.data(index), unfolded.payload_around(index)) for index in found] == wanted
    for index in found:
        if (around := unfolded.payload_around(index)) >= 0:
            assert unfolded.header(index).position == unfolded.header(around).end_log_pos


def test_a_batch_without_payloads_or_with_an_odd_one_is_not_unfolded() -> None:
    assert PayloadReader().unfolded(batch_of(log("mysql-9.7/row-basic"))) is None
    assert PayloadReader().unfolded(event(body(FRAME, len(PLAIN)))) is not None
    assert PayloadReader().unfolded(event(body(FRAME, len(PLAIN) - 1))) is None


def test_payloads_that_inflate_to_very_much_are_not_unfolded() -> None:
    """256 KiB each, of some hundred stored bytes."""
    large = inside_size(1 << 18)
    frame = zstandard.ZstdCompressor().compress(large)
    one = EVENTS[AT][:HEADER] + body(frame, len(large)) + bytes(4)
    one = one[:9] + len(one).to_bytes(4, "little") + one[13:]
    fits = (12 << 20) // len(large)
    for count, wanted in ((fits, True), (fits + 1, False)):
        batch = batch_of(EVENTS[0].join([b"\xfebin", b""]) + one * count)
        assert (PayloadReader().unfolded(batch) is not None) == wanted


def inside_size(size: int) -> bytes:
    """An ignorable event of that size, without a checksum."""
    return struct.pack("<IBIIIH", 0, EventType.IGNORABLE, 1, size, 0, 128) + bytes(size - 19)


def event(body: bytes) -> EventBatch:
    """A batch of one Transaction_payload of this body."""
    return batch_of(joined([EVENTS[0], EVENTS[AT][:HEADER] + body + bytes(4)]))


def fields(*values: tuple[int, int]) -> bytes:
    data = b""
    for field, value in values:
        number = lenenc(value)
        data += lenenc(field) + lenenc(len(number)) + number
    return data + b"\0"


def body(frame: bytes, said: int, compression: int = 0) -> bytes:
    return fields((2, compression), (3, said), (1, len(frame))) + frame


def looked_at(events: EventBatch) -> list[tuple[object, ...]]:
    return [(events.header(index), events.data(index)) for index in range(len(events))]


def by_the_other_way(batch: EventBatch, index: int, checksums: bool) -> list[tuple[object, ...]]:
    found = []
    for inner in Payload(batch.body(index)).batches(Scanner(), batch, checksums=checksums):
        found += looked_at(inner)
    return found


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.parent.name)
def test_the_events_are_those_that_pybinlog_payload_makes(path: object) -> None:
    batch = batch_of(path.read_bytes())  # type: ignore[attr-defined]
    reader = PayloadReader()  # one for all, so that its memory is used again
    assert payloads(batch)
    for index in payloads(batch):
        inner = reader.events(batch, index, True)
        assert inner is not None
        assert looked_at(inner) == by_the_other_way(batch, index, True)


def test_without_checksums_they_are_what_the_payload_holds() -> None:
    batch = event(body(FRAME, len(PLAIN)))
    inner = PayloadReader().events(batch, 0, False)
    assert inner is not None
    assert [inner.data(index) for index in range(len(inner))] == INSIDE
    assert inner.checksum_algorithm == 0


ORDINARY = {
    "another order of the fields": fields((1, len(FRAME)), (3, len(PLAIN)), (2, 0)) + FRAME,
    "a field that is not known": fields((77, 300), (2, 0), (3, len(PLAIN)), (1, len(FRAME))) + FRAME,
    "a field that comes again": fields((3, 5), (2, 255), (2, 0), (3, len(PLAIN)), (1, len(FRAME))) + FRAME,
    "a frame without its content size": body(
        zstandard.ZstdCompressor(write_content_size=False).compress(PLAIN), len(PLAIN)
    ),
    "a frame with a checksum": body(zstandard.ZstdCompressor(write_checksum=True).compress(PLAIN), len(PLAIN)),
    "more bytes after the payload": body(FRAME, len(PLAIN)) + b"more",
}


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_ones_in_another_form(name: str) -> None:
    batch = event(ORDINARY[name])
    inner = PayloadReader().events(batch, 0, True)
    assert inner is not None
    assert looked_at(inner) == by_the_other_way(batch, 0, True)


class NoneOrdinary:
    """A PayloadReader that leaves every payload to others."""

    def __init__(self, force_read: bool = False, statement_bits: bool = False):
        self.scanner = Scanner()
        self.scanner.force_read = force_read
        self.scanner.statement_bits = statement_bits

    def events(self, outer: EventBatch, index: int, checksums: bool) -> None:
        return None


def compressed(*events: bytes) -> bytes:
    return payload(EVENTS[AT], list(events))[HEADER:-4]


def of_type(kind: int) -> bytes:
    return INSIDE[0][:4] + bytes((kind,)) + INSIDE[0][5:]


LARGE = struct.pack("<IBIIIH", 0, EventType.ROWS_QUERY, 1, PIECE, 0, 0) + bytes(PIECE - HEADER)
OTHERS = {
    "not compressed": body(PLAIN, len(PLAIN), 255),
    "compressed in a way that is not known": body(FRAME, len(PLAIN), 1),
    "more than it says": body(FRAME, len(PLAIN) - 1),
    "less than it says": body(FRAME, len(PLAIN) + 1),
    "no size": body(FRAME, 0),
    "a size of 2^63": body(FRAME, 1 << 63),
    "less than it says, in a frame that does not say": body(
        zstandard.ZstdCompressor(write_content_size=False).compress(PLAIN), len(PLAIN) + 1
    ),
    "more than it says, in a frame that does not say": body(
        zstandard.ZstdCompressor(write_content_size=False).compress(PLAIN), len(PLAIN) - 1
    ),
    "a frame that lies": body(FRAME[:5] + struct.pack("<H", len(PLAIN) - 256 + 9) + FRAME[7:], len(PLAIN) + 9),
    "a frame that needs a dictionary": body(FRAME[:4] + bytes((FRAME[4] | 1,)) + b"\7" + FRAME[5:], len(PLAIN)),
    "a frame with reserved bits": body(FRAME[:4] + bytes((FRAME[4] | 8,)) + FRAME[5:], len(PLAIN)),
    "two frames": body(zstandard.ZstdCompressor().compress(PLAIN[:100]) * 2, 200),
    "a frame that ends early": body(FRAME[:-9], len(PLAIN)),
    "no frame": body(PLAIN, len(PLAIN)),
    "an empty one": body(b"", len(PLAIN)),
    "no payload at all": b"",
    "a field beyond the event": b"\2\xfb" + body(FRAME, len(PLAIN)),
    "a field of no bytes": b"\2\0" + body(FRAME, len(PLAIN)),
    "a payload beyond the event": fields((2, 0), (3, len(PLAIN)), (1, len(FRAME) + 1)) + FRAME,
    "a payload of 2^64 - 1 bytes": fields((2, 0), (3, len(PLAIN)), (1, (1 << 64) - 1)) + FRAME,
    "large": compressed(*INSIDE, LARGE),
    "a payload inside": compressed(*INSIDE, EVENTS[AT]),
    "a Format_description inside": compressed(EVENTS[0], *INSIDE),
    "an unknown type inside": compressed(*INSIDE, of_type(99)),
    "an event of 18 bytes": compressed(INSIDE[0][:9] + struct.pack("<I", 18) + INSIDE[0][13:], *INSIDE),
    "an event of no bytes": compressed(INSIDE[0][:9] + bytes(4) + INSIDE[0][13:], *INSIDE),
    "an event beyond the others": compressed(*INSIDE[:-1], INSIDE[-1][:-1]),
    "less than a header after the events": compressed(*INSIDE, bytes(18)),
    "an event of 4 GiB": compressed(*INSIDE, INSIDE[0][:9] + b"\xff\xff\xff\xff" + INSIDE[0][13:]),
}


@pytest.mark.parametrize("name", OTHERS)
def test_others_are_left_alone(name: str) -> None:
    reader = PayloadReader()
    assert reader.events(event(OTHERS[name]), 0, True) is None
    assert reader.events(event(body(FRAME, len(PLAIN))), 0, True) is not None  # nothing of the other is left


def test_a_header_that_is_cut_anywhere() -> None:
    whole = body(FRAME, len(PLAIN))
    for length in range(len(whole)):
        assert PayloadReader().events(event(whole[:length]), 0, True) is None
        with pytest.raises(CorruptEventError):
            Payload(whole[:length])


def test_any_type_is_let_through_where_that_is_asked_for() -> None:
    batch = event(OTHERS["an unknown type inside"])
    inner = PayloadReader(True).events(batch, 0, True)
    assert inner is not None
    assert (inner.header(len(INSIDE)).type, inner.code(len(INSIDE))) == (0, 99)


def test_an_event_that_is_not_there() -> None:
    with pytest.raises(IndexError):
        PayloadReader().events(event(body(FRAME, len(PLAIN))), 1, True)
