"""The search for the next event of a damaged log, at the bounds of what an event may be."""

import struct

import pytest

from pybinlog.event_types import EventType
from pybinlog.kernel.scan.resync import Resync
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.layout import Format
from tests.check.logs import changed, events_of, log, signed
from tests.layout.log_builder import MARIADB_10_11, MYSQL_9_7, LogBuilder

EVENTS = events_of(log("mysql-9.7/row-basic"))
LARGEST = 1_074_790_400  # 1 GiB, which max_allowed_packet allows, and 1 MiB


@pytest.mark.parametrize(("size", "is_event"), [(LARGEST, True), (LARGEST + 1, False), (23, True), (22, False)])
def test_an_event_may_be_as_large_as_servers_write_it_and_not_smaller_than_its_header(
    size: int, is_event: bool
) -> None:
    """More bytes are wanted than the header that is there, or the search passes it."""
    scanner = Scanner()
    scanner.new_log(4)
    start = b"\xfebin" + EVENTS[0]
    scanner.scan(start, 4, len(start), "log")
    search = Resync(scanner, True, 0)
    header = EVENTS[1][:9] + struct.pack("<II", size, size + len(start)) + EVENTS[1][17:19]
    assert search.find(header, 0, len(header), len(start), False) == (0 if is_event else 1, False)
    assert search.wanted == (size if is_event else 19)


PLAIN = MYSQL_9_7.without_checksum()
MORE = 2


def log_after(format: Format, check_positions: bool = True, base: int = 0) -> tuple[Resync, bytes, list[int]]:
    """Return a search, and a log of seven statements with the offset of each, and of the end."""
    builder = LogBuilder(format)
    scanner = Scanner()
    scanner.new_log(4)
    scanner.scan(builder.data, 4, len(builder.data), "log")
    places = [len(builder.data)]
    for number in range(7):
        places.append(len(builder.query(f"DO {number}").data))
    return Resync(scanner, check_positions, base), builder.data, places


@pytest.mark.parametrize(
    ("format", "check_positions", "needed", "at_the_end"),
    [(MYSQL_9_7, True, 1, 1), (MYSQL_9_7, False, 2, 1), (PLAIN, True, 2, 1), (PLAIN, False, 5, 2)],
    ids=["position and checksum", "checksum", "position", "neither"],
)
def test_as_many_events_are_needed_as_speak_for_each(
    format: Format, check_positions: bool, needed: int, at_the_end: int
) -> None:
    search, data, places = log_after(format, check_positions)
    start, size = places[0], places[1] - places[0]
    for count in range(7):
        fits = search.fits(data, start, places[count], start, False)
        assert (fits, search.wanted) == ((1, 19) if count >= needed else (MORE, size * count + 19)), count
        assert search.fits(data, start, places[count], start, True) == (count >= at_the_end), count
        assert search.fits(data, start, places[count] + 18, start, True) == (count >= (5 if needed == 5 else 1)), count


@pytest.mark.parametrize(
    ("format", "flags", "is_event"),
    [
        *((MYSQL_9_7, 1 << bit, bit < 13) for bit in range(16)),
        *((MARIADB_10_11, 1 << bit, bit != 13) for bit in range(16)),
    ],
)
def test_an_event_has_no_flags_that_its_servers_do_not_write(format: Format, flags: int, is_event: bool) -> None:
    search, data, (start, end, *_) = log_after(format)
    event = signed(changed(data[start:end], 17, flags.to_bytes(2, "little")))
    assert search.fits(event, 0, len(event), start, False) == is_event


@pytest.mark.parametrize(
    ("format", "length", "is_event"), [(PLAIN, 18, 0), (PLAIN, 19, MORE), (MYSQL_9_7, 22, 0), (MYSQL_9_7, 23, MORE)]
)
def test_an_event_has_a_header_and_its_checksum(format: Format, length: int, is_event: int) -> None:
    search, data, (start, *_) = log_after(format)
    event = changed(data[start : start + 19], 9, struct.pack("<II", length, start + length))
    assert search.fits(event, 0, 19, start, False) == is_event
    assert search.find(event, 0, 19, start, False) == (0 if is_event else 1, False)


@pytest.mark.parametrize("off", [0, 1, 100, -1, -100])
def test_events_behind_lost_bytes_are_as_far_off_as_each_other(off: int) -> None:
    """One alone is none, unless it is the last; the search passes what stands before them."""
    search, data, places = log_after(PLAIN)
    start, second, third, *_ = places
    at = start + off
    assert search.fits(data, start, third, at, False) == (1 if off == 0 else MORE)
    assert search.wanted == (19 if off == 0 else third - start + 19)
    assert search.fits(data, start, third + 19, at, False) == 1
    assert search.fits(data, start, second, at, True) == (1 if off == 0 else 0)
    broken = changed(data, second + 13, b"\0\0\0\0")
    assert search.fits(broken, start, third + 19, at, False) == 0


@pytest.mark.parametrize(("cut", "is_cut"), [(1, True), (18, True), (19, True), (20, True), (66, True), (67, False)])
def test_an_event_is_cut_if_the_log_ends_in_it(cut: int, is_cut: bool) -> None:
    search, data, (start, *_) = log_after(PLAIN)
    assert search.cut(data, start, start + cut, start) == is_cut


def test_bytes_that_are_no_header_are_not_a_cut_event() -> None:
    search, data, (start, *_) = log_after(PLAIN)
    other = changed(data, start + 9, b"\0\0\0\0")
    assert not search.cut(other, start, start + 19, start)
    assert search.cut(other, start, start + 18, start)


@pytest.mark.parametrize(
    ("size", "has_checksums"), [(22, False), (23, True), (24, True)], ids=["no room for one", "smallest", "larger"]
)
def test_an_event_tells_whether_a_log_that_lost_its_beginning_has_checksums(size: int, has_checksums: bool) -> None:
    scanner = Scanner()
    scanner.new_log(4)
    search = Resync(scanner, True, 0)
    event = struct.pack("<IBIIIH", 0, EventType.STOP, 1, size, 1000 + size, 0) + bytes(size - 19)
    event = signed(event) if has_checksums else event
    search.infer_format(event + b"\0", 0, len(event) + 1)
    assert search.fits(event, 0, size, 1000, False) == (1 if has_checksums else MORE)
    wrong = event[:-1] + bytes((event[-1] ^ 1,))
    assert search.fits(wrong, 0, size, 1000, False) == (0 if has_checksums else MORE)


def test_a_format_that_is_known_is_not_inferred() -> None:
    search, data, (start, end, *_) = log_after(PLAIN)
    event = signed(data[start:end])
    search.infer_format(event, 0, len(event))
    assert search.fits(event, 0, len(event), start, False) == MORE


@pytest.mark.parametrize(("end", "fits"), [(70, MORE), (71, 1)])
def test_only_a_whole_event_tells_of_checksums(end: int, fits: int) -> None:
    search, data, (start, *_) = log_after(MYSQL_9_7)
    scanner = Scanner()
    scanner.new_log(4)
    search = Resync(scanner, True, 0)
    search.infer_format(data, start, start + end)
    assert search.fits(data, start, start + 71, start, False) == fits
