"""The compiled loop by itself."""

from __future__ import annotations

from pybinlog.kernel.scan.mark import Marker
from pybinlog.kernel.scan.scan import Scanner
from tests.corpus import scenarios
from tests.tag.logs import events, expected_markers, log_of, remarked


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
