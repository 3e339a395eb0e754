"""Payload: what a Transaction_payload says of itself, and the events in it."""

import struct
from random import Random

import pytest
import zstandard

from pybinlog.errors import CorruptEventError
from pybinlog.event_types import EventType
from pybinlog.log.payload import Payload, last_event, with_checksum
from pybinlog.source.inflation import LARGEST_EVENT
from tests.dump.log_parts import corpus_log, events_of

INSIDE = b"".join(events_of(corpus_log("mysql-9.7/checksum-none"))[5:9])
FORMS = {1: b"", 3: b"\xfc", 4: b"\xfd", 9: b"\xfe"}
"""The first byte of a length-encoded integer, by its number of bytes."""
END, SIZE, COMPRESSION, UNCOMPRESSED_SIZE = 0, 1, 2, 3


def number(value: int, width: int) -> bytes:
    return FORMS[width] + value.to_bytes(width - len(FORMS[width]), "little")


def payload(width: int) -> bytes:
    """One whose header has each number in that many bytes, its values in nine."""
    data = zstandard.ZstdCompressor(level=1).compress(INSIDE)
    fields = ((COMPRESSION, 0), (UNCOMPRESSED_SIZE, len(INSIDE)), (SIZE, len(data)))
    header = b"".join(number(kind, width) + number(9, width) + number(value, 9) for kind, value in fields)
    return header + number(END, width) + data


@pytest.mark.parametrize("width", FORMS)
def test_numbers_of_the_header_have_any_width(width: int) -> None:
    assert b"".join(Payload(payload(width)).pieces()) == INSIDE


@pytest.mark.parametrize("width", FORMS)
def test_a_header_that_is_cut_anywhere_is_an_error(width: int) -> None:
    whole = payload(width)
    for end in range(len(whole) - len(INSIDE)):
        with pytest.raises(CorruptEventError):
            b"".join(Payload(whole[:end]).pieces())


def event(kind: int, body: bytes, end_log_pos: int = 0) -> bytes:
    return struct.pack("<IBIIIH", 1, kind, 1, 19 + len(body), end_log_pos, 0) + body


def body_of(data: bytes, *, said: int | None = None, compression: int = 0, stored: bytes | None = None) -> bytes:
    """The body of a Transaction_payload that holds these bytes."""
    packed = zstandard.ZstdCompressor().compress(data) if stored is None else stored
    fields = ((COMPRESSION, compression), (UNCOMPRESSED_SIZE, len(data) if said is None else said), (SIZE, len(packed)))
    header = b"".join(number(kind, 1) + number(9, 1) + number(value, 9) for kind, value in fields)
    return header + number(END, 1) + packed


def refusal(body: bytes) -> str:
    with pytest.raises(CorruptEventError) as caught:
        list(Payload(body).events())
    return caught.value.message


ONE, TWO = event(EventType.QUERY, b"one", 0x01010101), event(EventType.XID, bytes(8), 0x02020202)
LARGE_EVENT = event(EventType.WRITE_ROWS, Random(3).randbytes((1 << 20) + 7))
NESTED = event(EventType.TRANSACTION_PAYLOAD, b"x")


@pytest.mark.parametrize("limit", [1, len(ONE), len(ONE) + 1, 1 << 18])
@pytest.mark.parametrize(
    "events", [[ONE], [ONE, TWO, ONE], [LARGE_EVENT], [ONE, LARGE_EVENT, TWO], [LARGE_EVENT, LARGE_EVENT], []], ids=len
)
def test_the_events_inside_come_whole_and_in_order(events: list[bytes], limit: int) -> None:
    body = body_of(b"".join(events))
    assert b"".join(map(bytes, Payload(body).log_events(False, limit))) == b"".join(events)
    assert b"".join(map(bytes, Payload(body).log_events(True, limit))) == b"".join(map(with_checksum, events))
    assert list(Payload(body).events()) == events
    assert last_event(body) == (events[-1] if events else None)


def test_a_payload_that_is_not_compressed_is_as_it_is() -> None:
    body = body_of(ONE + TWO, compression=255, stored=ONE + TWO)
    assert list(Payload(body).events()) == [ONE, TWO]
    assert last_event(body) == TWO


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (body_of(ONE, compression=1), "the payload's compression type 1 is not known"),
        (body_of(ONE, said=len(ONE) - 1), "the payload inflates to more than the 21 bytes that its header says"),
        (body_of(ONE + TWO[:-1]), "the payload ends inside an event"),
        (body_of(ONE + LARGE_EVENT[:-1]), "the payload ends inside an event"),
        (body_of(ONE + TWO[:18]), "the payload ends inside an event"),
        (body_of(TWO[:9] + b"\x12\0\0\0" + TWO[13:]), "an event inside the payload says it has 18 bytes"),
        (body_of(ONE + NESTED), "the payload holds another Transaction_payload"),
        (body_of(LARGE_EVENT[:4] + NESTED[4:5] + LARGE_EVENT[5:]), "the payload holds another Transaction_payload"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_with_a_payload_is_a_sentence(body: bytes, message: str) -> None:
    assert refusal(body) == message
    assert last_event(body) is None


def test_data_that_are_no_frame_are_corrupt() -> None:
    assert refusal(body_of(ONE, stored=b"no frame")).startswith("the payload cannot be decompressed: ")


@pytest.mark.parametrize("more", [0, 1])
def test_an_event_that_says_it_is_far_larger_than_its_payload_is_refused(more: int) -> None:
    head = event(EventType.WRITE_ROWS, b"x")
    said = LARGEST_EVENT + more
    body = body_of(head[:9] + struct.pack("<I", said) + head[13:])
    size = len(Payload(body).data)
    refused = (
        f"an event inside the payload says it has {said} bytes, far more than its {size} compressed bytes usually hold"
    )
    assert refusal(body) == (refused if more else "the payload ends inside an event")


def test_a_body_without_a_header_is_corrupt() -> None:
    with pytest.raises(CorruptEventError) as caught:
        Payload(b"\x01")
    assert caught.value.message == "a length in the header of the Transaction_payload reaches beyond the event"
    assert last_event(b"\x01") is None
