"""The search for the next event of a damaged log, at the bounds of what an event may be."""

from __future__ import annotations

import struct

import pytest

from pybinlog.kernel.scan.resync import Resync
from pybinlog.kernel.scan.scan import Scanner
from tests.check.logs import events_of, log

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
