"""When one thread prints a log that several could print."""

import io
from typing import Any

import pytest

from pybinlog.dump import DumpOptions
from pybinlog.dump.threads_worth import LARGE_EVENT, PART, ThreadsWorth, size_of
from pybinlog.log.reader import READ_SIZE, Reader
from pybinlog.source.log_object import LogObject
from tests.layout.log_builder import MYSQL_9_7, LogBuilder


def flows_after(event: int, options: dict[str, Any]) -> tuple[bool, int]:
    """Return whether a log of events of so many bytes is still worth threads, and the size of its parts."""
    log = LogBuilder(MYSQL_9_7)
    for _ in range(20):
        log.query("x" * event)
    with LogObject(io.BytesIO(log.data), "log").open() as source:
        reader = Reader(source)
        (batch,) = list(reader)
        assert size_of(batch) == len(log.data) - 4
        source.size = len(log.data)
        reader.flows = True
        worth = ThreadsWorth(DumpOptions(**options))
        worth.begin(reader)
        worth.judge(batch, reader)
    return reader.flows, reader.part


@pytest.mark.parametrize(
    ("event", "options", "worth"),
    [
        (100, {}, (True, PART)),
        (2 * LARGE_EVENT, {}, (False, READ_SIZE)),
        (2 * LARGE_EVENT, {"verbose": 1}, (True, PART)),
    ],
)
def test_large_events_in_base64_are_worth_one_thread(
    event: int, options: dict[str, Any], worth: tuple[bool, int]
) -> None:
    assert flows_after(event, options) == worth
