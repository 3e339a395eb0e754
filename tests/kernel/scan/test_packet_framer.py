"""The packets of a dump thread: the splitter of the client's half takes out what the framer has put in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.event_types import EventType
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.checksum import checksum
from pybinlog.kernel.scan import packet_framer, packets
from pybinlog.kernel.scan.gtid_fields import GtidFilter
from pybinlog.kernel.scan.mark import Marker
from pybinlog.kernel.scan.packet_framer import PacketFramer
from pybinlog.kernel.scan.packets import PacketSplitter
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.layout.envelope import Format, new_event
from tests.corpus import TESTDATA

MYSQL = TESTDATA / "corpus/mysql-9.7"
MARIADB = TESTDATA / "corpus/mariadb-11.8"
NO_LIMIT = (1 << 64) - 1


def batches(data: bytes) -> list[EventBatch]:
    scanner = Scanner()
    scanner.verify_checksum = True
    scanner.new_log(4)
    found, at = [], 4
    while at < len(data):
        batch = scanner.scan(data, at, len(data), "log")
        at += scanner.consumed
        assert batch.count, scanner.error_code
        found.append(batch)
    return found


def framed(framer: PacketFramer, data: bytes, room: int = 1 << 16) -> tuple[int, bytes]:
    """Return the last status, and all packets."""
    buffer = bytearray(room)
    out = bytearray()
    status = packet_framer.FRAMES_ALL
    for batch in batches(data):
        framer.begin(batch)
        status = packet_framer.FRAMES_FULL
        while status == packet_framer.FRAMES_FULL:
            status, size = framer.fill(buffer)
            out += buffer[:size]
        if status != packet_framer.FRAMES_ALL:
            break
    return status, bytes(out)


def events_in(stream: bytes, *, gaps: bool = False) -> bytes:
    """Return the events that a client takes out of packets."""
    splitter = PacketSplitter()
    splitter.gaps = gaps
    splitter.begin_log(4)
    buffer = bytearray(stream)
    splitter.split(buffer, 0, len(buffer))
    assert splitter.status == packets.PACKETS_MORE, splitter.status
    assert splitter.taken == len(stream)
    return bytes(buffer[: splitter.kept])


def kinds_in(events: bytes) -> list[int]:
    found, at = [], 0
    while at < len(events):
        found.append(events[at + 4])
        at += int.from_bytes(events[at + 9 : at + 13], "little")
    return found


@pytest.mark.parametrize("log", ["mysql-9.7/row-basic/binlog.000001", "mysql-9.7/large-rows/binlog.000001"])
@given(room=st.integers(64, 5000))
def test_packets_of_any_size_of_buffer_hold_the_log(log: str, room: int) -> None:
    data = (TESTDATA / "corpus" / log).read_bytes()
    status, stream = framed(PacketFramer(), data, room)
    assert status == packet_framer.FRAMES_ALL
    assert events_in(stream) == data[4:]


@pytest.mark.parametrize("more", [-24, -23, -22, -1, 0, 1, (1 << 24) - 30])
def test_an_event_larger_than_a_packet_continues_in_the_next(more: int) -> None:
    opening = (MYSQL / "row-basic/binlog.000001").read_bytes()[:127]
    assert opening[4 + 4] == EventType.FORMAT_DESCRIPTION
    format = Format.from_event(opening[4 : 4 + int.from_bytes(opening[13:17], "little")])
    opening = opening[: 4 + int.from_bytes(opening[13:17], "little")]
    body = b"x" * (0xFFFFFF + more)
    event = new_event(EventType.ROWS_QUERY, body, format, position=len(opening), flags=0x80)
    status, stream = framed(PacketFramer(), opening + event)
    assert status == packet_framer.FRAMES_ALL
    assert events_in(stream) == opening[4:] + event


def test_the_numbers_of_packets_continue_from_the_given_one() -> None:
    framer = PacketFramer(sequence=254)
    _, stream = framed(framer, (MYSQL / "row-basic/binlog.000001").read_bytes())
    at, numbers = 0, []
    while at < len(stream):
        numbers.append(stream[at + 3])
        at += 4 + int.from_bytes(stream[at : at + 3], "little")
    assert numbers[:4] == [254, 255, 0, 1]
    assert framer.sequence == (numbers[-1] + 1) % 256


def test_transactions_that_the_receiver_has_are_omitted_whole() -> None:
    data = (MYSQL / "row-basic/binlog.000001").read_bytes()
    uuid = next(
        batch.body(at) for batch in batches(data) for at in range(batch.count) if batch.type(at) == EventType.GTID
    )[1:17]
    framer = PacketFramer(GtidFilter([(uuid, b"", 1, 5)]), GtidFilter([(uuid, b"", 7, 8)]))
    status, stream = framed(framer, data)
    assert status == packet_framer.FRAMES_ALL
    events = events_in(stream, gaps=True)
    numbers, at = [], 0
    while at < len(events):
        if events[at + 4] == EventType.GTID:
            numbers.append(int.from_bytes(events[at + 36 : at + 44], "little"))
        at += int.from_bytes(events[at + 9 : at + 13], "little")
    assert numbers == [5, 6, *range(8, 18)]
    assert framer.transactions == 12
    assert len(events) < len(data)


def test_nothing_is_sent_from_the_stop_position_on() -> None:
    data = (MYSQL / "row-basic/binlog.000001").read_bytes()
    (batch,) = batches(data)
    position = batch.header(7).position
    framer = PacketFramer()
    framer.begin_log([], position)
    status, stream = framed(framer, data)
    assert status == packet_framer.FRAMES_END
    assert events_in(stream) == data[4:position]
    assert framer.handled == position


def test_a_transaction_with_the_receivers_own_id_ends_the_stream_before_it() -> None:
    data = (MYSQL / "row-basic/binlog.000001").read_bytes()
    framer = PacketFramer()
    framer.drop_own(1)
    status, stream = framed(framer, data)
    assert status == packet_framer.FRAMES_OWN_ID
    assert kinds_in(events_in(stream)) == [EventType.FORMAT_DESCRIPTION, EventType.PREVIOUS_GTIDS]
    assert data[framer.position + 4] == EventType.GTID


def test_a_rewritten_id_is_in_each_event_of_a_transaction_and_its_checksum_is_right() -> None:
    data = (MYSQL / "row-basic/binlog.000001").read_bytes()
    framer = PacketFramer()
    framer.rewrite_own(1, 4_000_000_000)
    for room in 64, 1 << 16:
        _, stream = framed(framer, data, room)
        framer.sequence = 1
        events, at, ids = events_in(stream), 0, set()
        assert len(events) == len(data) - 4
        while at < len(events):
            size = int.from_bytes(events[at + 9 : at + 13], "little")
            event = events[at : at + size]
            assert checksum(event[:-4]) == int.from_bytes(event[-4:], "little")
            if event[4] not in (EventType.FORMAT_DESCRIPTION, EventType.PREVIOUS_GTIDS, EventType.ROTATE):
                ids.add(int.from_bytes(event[5:9], "little"))
            at += size
        assert ids == {4_000_000_000}


def test_marked_events_are_those_that_tag_writes(tmp_path: object) -> None:
    import io

    from pybinlog.source.file import ObjectSource
    from pybinlog.tag import Tagger

    data = (MYSQL / "row-basic/binlog.000001").read_bytes()
    marked = bytearray()
    Tagger().log(ObjectSource("binlog.000001", io.BytesIO(data)), marked.extend)
    _, stream = framed(PacketFramer(marker=Marker()), data)
    assert events_in(stream) == marked[4:] != data[4:]


def test_annotations_are_sent_only_if_they_are_wanted() -> None:
    log = next(
        log
        for log in sorted(MARIADB.glob("*/*.000001"))
        if EventType.MARIA_ANNOTATE_ROWS in kinds_in(log.read_bytes()[4:])
    )
    data = log.read_bytes()
    framer = PacketFramer()
    _, stream = framed(framer, data)
    assert EventType.MARIA_ANNOTATE_ROWS not in kinds_in(events_in(stream, gaps=True))
    framer = PacketFramer()
    framer.annotates = True
    _, stream = framed(framer, data)
    assert events_in(stream) == data[4:]


def test_a_buffer_must_have_room_for_a_header() -> None:
    with pytest.raises(ValueError, match="too small"):
        PacketFramer().fill(bytearray(63))
