"""The compiled loop by itself."""

import struct

import pytest

from pybinlog.errors import CorruptEventError
from pybinlog.event_types import EventType
from pybinlog.kernel.scan.mark import Marker
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.layout import crc32
from tests.corpus import scenarios
from tests.tag.logs import events, expected_markers, log_of, remarked, tagged


def test_a_format_description_is_summed_without_its_in_use_flag() -> None:
    # The tagger refuses such a log; if you use the loop on a live stream, you get the server's checksum.
    data = next(s for s in scenarios() if s.name == "mysql-9.7/killed").logs[0].read_bytes()
    scanner = Scanner()
    scanner.verify_checksum = True
    scanner.new_log(4)
    batch = scanner.scan(data, 4, len(data), "log")
    assert scanner.in_use
    marked = data[:4] + Marker().mark(batch)
    assert marked == remarked(data, expected_markers(data))
    assert marked[4 + 17] & 1
    scanner.reset()
    scanner.new_log(4)
    assert scanner.scan(marked, 4, len(marked), "log").count == batch.count


def test_the_batch_is_left_as_it_was() -> None:
    data = log_of("mysql-9.7/row-basic").read_bytes()
    scanner = Scanner()
    scanner.new_log(4)
    batch = scanner.scan(data, 4, len(data), "log")
    marker = Marker()
    once, again = marker.mark(batch), marker.mark(batch)
    assert once == again
    assert [batch.data(i) for i in range(len(batch))] == [event for _, event in events(data)]
    assert sum(marker.changed) == 2 * len(batch)
    assert marker.kept == [0] * 8


def test_an_empty_batch_gives_nothing() -> None:
    assert Marker().mark(Scanner().scan(b"", 0, 0, "log")) == b""


@pytest.mark.parametrize(("size", "refused"), [(22, False), (23, True), (24, True)])
def test_the_smallest_event_with_a_checksum_shows_that_the_log_has_them(size: int, refused: bool) -> None:
    """A damaged version tells of a server before 5.6; four bytes that fit by chance leave less than a header."""
    log = log_of("mysql-9.7/row-basic").read_bytes()
    begin = log[:25] + b"4" + log[26:127]
    rest = struct.pack("<BIIIB", EventType.STOP, 1, size, len(begin) + size, 0)
    for time in range(5000):
        body = (struct.pack("<I", time) + rest + bytes(8))[: size - 4]
        event = body + crc32(body).to_bytes(4, "little")
        if event[18] & 0x3F == 0:  # the flags, of which a marker takes some
            break
    if refused:
        with pytest.raises(CorruptEventError) as error:
            tagged(begin + event)
        assert error.value.position == len(begin)
        assert "events have no checksums, but this one has" in str(error.value)
    else:
        assert sum(tagged(begin + event)[1].changed.values()) == 2
