"""PacketSplitter against packets that are put together in Python, cut anywhere, and damaged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.kernel.scan import packets
from pybinlog.kernel.scan.packets import PacketSplitter

LARGEST = 0xFFFFFF
QUERY, ROTATE, FORMAT, HEARTBEAT = 2, 4, 15, 27
END = b"\xfe\x00\x00\x02\x00"


def event(kind: int, body: bytes, start: int, *, end: int | None = None, timestamp: int = 1, flags: int = 0) -> bytes:
    size = 19 + len(body)
    fields = ((timestamp, 4), (kind, 1), (1, 4), (size, 4), (start + size if end is None else end, 4), (flags, 2))
    return b"".join(number.to_bytes(length, "little") for number, length in fields) + body


def log(bodies: list[bytes], start: int = 4) -> list[bytes]:
    """Events that follow each other from a position on."""
    events = []
    for body in bodies:
        events.append(event(QUERY, body, start))
        start += len(events[-1])
    return events


def packed(payload: bytes, sequence: int) -> bytes:
    """One payload as packets."""
    data = b""
    while True:
        part, payload = payload[:LARGEST], payload[LARGEST:]
        data += len(part).to_bytes(3, "little") + bytes([sequence & 255]) + part
        sequence += 1
        if len(part) < LARGEST:
            return data


def stream(payloads: list[bytes], sequence: int = 1) -> bytes:
    data = b""
    for payload in payloads:
        data += packed(payload, sequence)
        sequence += 1 + len(payload) // LARGEST
    return data


def split(splitter: PacketSplitter, data: bytes, cuts: list[int]) -> tuple[bytes, int]:
    """Return the bytes to keep, if the data come in pieces that end at `cuts`; and the last status."""
    kept, held, last = b"", b"", 0
    for cut in [*sorted(cut for cut in cuts if cut < len(data)), len(data)]:
        buffer = bytearray(held + data[last:cut])
        last = cut
        splitter.split(buffer, 0, len(buffer))
        kept += buffer[: splitter.kept]
        held = bytes(buffer[splitter.taken :])
        if splitter.status != packets.PACKETS_MORE:
            break
    return kept, splitter.status


bodies = st.lists(st.binary(max_size=300), max_size=12)
cuts = st.lists(st.integers(0, 4000), max_size=30)


@given(bodies, cuts)
def test_events_come_out_as_they_were_packed_wherever_the_bytes_are_cut(bodies: list[bytes], cuts: list[int]) -> None:
    events = log(bodies)
    data = stream([*(b"\0" + one for one in events), END])
    splitter = PacketSplitter()
    assert split(splitter, data, cuts) == (b"".join(events), packets.PACKETS_END)
    assert splitter.position == 4 + sum(map(len, events))


@given(bodies.filter(len), cuts, st.data())
def test_a_changed_byte_of_a_packets_head_never_passes(
    bodies: list[bytes], cuts: list[int], data: st.DataObject
) -> None:
    events = log(bodies)
    payloads = [*(b"\0" + one for one in events), END]
    victim = data.draw(st.integers(0, len(events) - 1))
    at = len(stream(payloads[:victim])) + data.draw(st.integers(0, 4))
    good = stream(payloads)
    garbled = bytearray(good)
    garbled[at] ^= data.draw(st.integers(1, 255))
    kept, status = split(PacketSplitter(), bytes(garbled), cuts)
    assert b"".join(events).startswith(kept)
    assert status != packets.PACKETS_END


@given(bodies.filter(len), cuts, st.data(), st.booleans())
def test_a_packet_that_is_missing_or_comes_twice_is_found(
    bodies: list[bytes], cuts: list[int], data: st.DataObject, again: bool
) -> None:
    events = log(bodies)
    payloads = [*(b"\0" + one for one in events), END]
    pieces = [packed(payload, number) for number, payload in enumerate(payloads, 1)]
    victim = data.draw(st.integers(0, len(events) - 1))
    if again:
        pieces.insert(victim, pieces[victim])
    else:
        del pieces[victim]
    splitter = PacketSplitter()
    kept, status = split(splitter, b"".join(pieces), cuts)
    assert status == packets.PACKETS_BAD_SEQUENCE
    assert kept == b"".join(events[: victim + again])
    assert splitter.position == 4 + len(kept)


@given(bodies.filter(lambda bodies: len(bodies) > 1), cuts, st.data())
def test_an_event_that_is_missing_is_found_though_its_packets_are_numbered_well(
    bodies: list[bytes], cuts: list[int], data: st.DataObject
) -> None:
    events = log(bodies)
    victim = data.draw(st.integers(0, len(events) - 2))
    without = [one for number, one in enumerate(events) if number != victim]
    kept, status = split(PacketSplitter(), stream([*(b"\0" + one for one in without), END]), cuts)
    assert (kept, status) == (b"".join(events[:victim]), packets.PACKETS_BAD_POSITION)


def test_with_gaps_allowed_an_event_may_be_missing_but_not_come_twice() -> None:
    events = log([b"a", b"b", b"c"])
    splitter = PacketSplitter()
    splitter.gaps = True
    kept, status = split(splitter, stream([b"\0" + events[0], b"\0" + events[2], END]), [])
    assert (kept, status) == (events[0] + events[2], packets.PACKETS_END)
    splitter = PacketSplitter()
    splitter.gaps = True
    assert split(splitter, stream([b"\0" + events[0], b"\0" + events[0], END]), [])[1] == packets.PACKETS_BAD_POSITION


@pytest.mark.parametrize("size", [LARGEST - 2, LARGEST - 1, LARGEST, 2 * LARGEST - 1, 2 * LARGEST + 5])
def test_a_large_event_continues_in_the_next_packet(size: int) -> None:
    events = log([b"a", bytes(size - 19), b"b"])
    data = stream([*(b"\0" + one for one in events), END])
    kept, status = split(PacketSplitter(), data, [40, 50, LARGEST, LARGEST + 70, 2 * LARGEST])
    assert status == packets.PACKETS_END
    assert kept == b"".join(events)


def test_a_continuation_that_does_not_fill_the_event_is_refused() -> None:
    (large,) = log([bytes(LARGEST + 50)])
    data = stream([b"\0" + large])
    short = data[: LARGEST + 4] + (10).to_bytes(3, "little") + data[LARGEST + 7 :]
    assert split(PacketSplitter(), short, [])[1] == packets.PACKETS_BAD_LENGTH


def test_positions_wrap_at_4_gib() -> None:
    start = (1 << 32) - 30
    events = [event(QUERY, b"abc", start, end=(start + 22) & 0xFFFFFFFF)]
    events.append(event(QUERY, b"abc", start + 22, end=(start + 44) & 0xFFFFFFFF))
    splitter = PacketSplitter()
    splitter.begin_log(start)
    assert split(splitter, stream([*(b"\0" + one for one in events), END]), [])[1] == packets.PACKETS_END
    assert splitter.position == (1 << 32) + 14


def test_a_fake_rotate_waits_for_a_word_and_heartbeats_are_passed_over() -> None:
    rotate = event(ROTATE, bytes(8) + b"binlog.000002", 0, end=0, timestamp=0, flags=0x20)
    beat = event(HEARTBEAT, b"binlog.000002", 0, end=500, timestamp=0)
    (query,) = log([b"x"])
    data = stream([b"\0" + rotate, b"\0" + beat, b"\0" + query, END])
    for drops in (True, False):
        buffer = bytearray(data)
        splitter = PacketSplitter()
        splitter.split(buffer, 0, len(buffer))
        assert (splitter.status, splitter.kept, splitter.taken) == (packets.PACKETS_ROTATE, 0, 0)
        splitter.drop() if drops else splitter.keep()
        splitter.split(buffer, 0, len(buffer))
        assert splitter.status == packets.PACKETS_END
        assert buffer[: splitter.kept] == (query if drops else rotate + query)


def test_an_error_packet_and_one_of_no_kind() -> None:
    assert split(PacketSplitter(), stream([b"\xff\xd4\x04#HY000No"]), [6, 9])[1] == packets.PACKETS_ERROR
    assert split(PacketSplitter(), stream([b"\x07nothing"]), [])[1] == packets.PACKETS_BAD_KIND
    assert split(PacketSplitter(), b"\0\0\0\x01", [])[1] == packets.PACKETS_BAD_LENGTH


def test_offsets_beyond_the_buffer_are_refused() -> None:
    with pytest.raises(ValueError, match="beyond"):
        PacketSplitter().split(bytearray(5), 0, 6)
    with pytest.raises(BufferError):
        PacketSplitter().split(b"read only", 0, 6)


@given(st.binary(max_size=400), cuts)
def test_any_bytes_end_in_a_status(data: bytes, cuts: list[int]) -> None:
    kept, status = split(PacketSplitter(), data, cuts)
    assert len(kept) <= len(data)
    assert status in range(packets.PACKETS_BAD_POSITION + 1)


SEMI_SYNC = [b"\xef\0", b"\xef\1"]


@given(
    st.lists(st.tuples(st.binary(max_size=40), st.booleans()), max_size=9), st.lists(st.integers(0, 800), max_size=5)
)
def test_two_bytes_before_each_event_of_a_server_that_waits_for_answers_go(
    bodies: list[tuple[bytes, bool]], cuts: list[int]
) -> None:
    """After an event that wants an answer, the server numbers its packets from 1 again."""
    fake = event(ROTATE, bytes(8) + b"binlog.000001", 0, end=0, timestamp=0, flags=0x20)
    events = log([body for body, _ in bodies])
    data, sequence, wanted, position = packed(b"\0" + SEMI_SYNC[0] + fake, 1), 2, 0, 4
    for one, (_, asks) in zip(events, bodies, strict=True):
        data += packed(b"\0" + SEMI_SYNC[asks] + one, sequence)
        sequence = 1 if asks else sequence + 1
        position += len(one)
        wanted = position if asks else wanted
    splitter = PacketSplitter()
    splitter.expect_semi_sync()
    splitter.drop()
    kept, status = split(splitter, data, cuts)
    assert (kept, status, splitter.semi_sync) == (b"".join(events), packets.PACKETS_MORE, True)
    assert splitter.answer == wanted


def test_a_server_that_does_not_wait_for_answers_sends_events_as_always() -> None:
    fake = event(ROTATE, bytes(8) + b"binlog.000001", 0, end=0, timestamp=0, flags=0x20)
    events = log([b"a", b"bc"])
    splitter = PacketSplitter()
    splitter.expect_semi_sync()
    splitter.drop()
    assert split(splitter, stream([b"\0" + one for one in [fake, *events]]), [])[0] == b"".join(events)
    assert (splitter.semi_sync, splitter.answer) == (False, 0)


def test_what_a_server_says_of_encryption_before_a_later_part_is_left_out() -> None:
    """MariaDB sends Start_encryption, which stands at the log's beginning, with a position of 0."""
    start_encryption = event(164, bytes(21), 0, end=0, flags=0x80)
    events = log([b"a", b"bc"], start=1000)
    splitter = PacketSplitter()
    splitter.begin_log(1000)
    assert split(splitter, stream([b"\0" + one for one in [start_encryption, *events]]), [])[0] == b"".join(events)


@pytest.mark.parametrize(
    ("gap", "gaps", "status"),
    [
        (0, False, packets.PACKETS_END),
        (1, False, packets.PACKETS_BAD_POSITION),
        (1, True, packets.PACKETS_END),
        ((1 << 31) - 1, True, packets.PACKETS_END),
        (1 << 31, True, packets.PACKETS_BAD_POSITION),
        ((1 << 32) - 1, True, packets.PACKETS_BAD_POSITION),
    ],
)
def test_a_gap_is_less_than_half_of_all_positions(gap: int, gaps: bool, status: int) -> None:
    """A larger one is an event that comes twice."""
    splitter = PacketSplitter()
    splitter.gaps = gaps
    one = event(QUERY, b"a", 4, end=(24 + gap) & 0xFFFFFFFF)
    assert split(splitter, stream([b"\0" + one, END]), []) == (one if status == packets.PACKETS_END else b"", status)
    assert splitter.position == (24 + gap if status == packets.PACKETS_END else 4)


@pytest.mark.parametrize(
    ("payload", "status"),
    [
        (b"\xfe" + bytes(7), packets.PACKETS_END),
        (b"\xfe" + bytes(8), packets.PACKETS_BAD_KIND),
        (b"\xff" + bytes((1 << 16) - 1), packets.PACKETS_ERROR),
        (b"\xff" + bytes(1 << 16), packets.PACKETS_BAD_LENGTH),
        (b"\x01", packets.PACKETS_BAD_KIND),
        (b"\0" + event(QUERY, b"", 4)[:18], packets.PACKETS_BAD_LENGTH),
        (b"\0" + event(QUERY, b"", 4), packets.PACKETS_MORE),
        (b"\0" + event(QUERY, b"a", 4)[:-1], packets.PACKETS_BAD_LENGTH),
        (b"\0" + event(QUERY, b"a", 4) + b"b", packets.PACKETS_BAD_LENGTH),
        (b"\0" + event(ROTATE, bytes(7), 4, timestamp=0, flags=0x20), packets.PACKETS_BAD_LENGTH),
        (b"\0" + event(ROTATE, bytes(8), 4, timestamp=0, flags=0x20), packets.PACKETS_ROTATE),
        (b"\0" + event(ROTATE, bytes((1 << 16) - 19), 4, timestamp=0, flags=0x20), packets.PACKETS_ROTATE),
        (b"\0" + event(ROTATE, bytes((1 << 16) - 18), 4, timestamp=0, flags=0x20), packets.PACKETS_BAD_LENGTH),
        (b"\0" + event(ROTATE, bytes(8), 4, timestamp=1, flags=0x20), packets.PACKETS_MORE),
        (b"\0" + event(ROTATE, bytes(8), 4, timestamp=0), packets.PACKETS_MORE),
        (b"\0" + event(FORMAT, bytes((1 << 16) - 19), 4), packets.PACKETS_MORE),
        (b"\0" + event(FORMAT, bytes((1 << 16) - 18), 4), packets.PACKETS_BAD_LENGTH),
    ],
)
def test_a_packet_has_what_its_first_bytes_say(payload: bytes, status: int) -> None:
    splitter = PacketSplitter()
    kept, found = split(splitter, stream([payload]), [])
    assert (kept, found) == (payload[1:] if status == packets.PACKETS_MORE else b"", status)


def test_a_format_description_begins_a_log_and_one_without_a_position_does_not() -> None:
    """The server sends the log's own Format_description before a later part of it."""
    splitter = PacketSplitter()
    splitter.begin_log(1000)
    opening, (query,) = event(FORMAT, b"a", 4, end=0), log([b"b"], start=1000)
    assert split(splitter, stream([b"\0" + opening, b"\0" + query, END]), []) == (opening + query, packets.PACKETS_END)
    splitter = PacketSplitter()
    splitter.begin_log(1000)
    opening, (query,) = event(FORMAT, b"a", 4), log([b"b"], start=24)
    assert split(splitter, stream([b"\0" + opening, b"\0" + query, END]), []) == (opening + query, packets.PACKETS_END)


def test_an_event_without_a_position_ends_where_its_size_says_and_an_artificial_one_nowhere() -> None:
    nowhere, artificial = event(QUERY, b"a", 4, end=0), event(QUERY, b"bc", 4, end=9999, flags=0x20)
    (last,) = log([b"d"], start=24)
    splitter = PacketSplitter()
    payloads = [b"\0" + one for one in (nowhere, artificial, last)]
    assert split(splitter, stream([*payloads, END]), []) == (nowhere + artificial + last, packets.PACKETS_END)
    assert splitter.position == 44
