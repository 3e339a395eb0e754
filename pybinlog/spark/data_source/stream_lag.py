"""StreamLag: what a folder of logs holds beyond the end of a micro-batch."""

from __future__ import annotations

import time
from typing import NamedTuple

from pybinlog.errors import BinlogError
from pybinlog.jobs.packs import stored_size
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.source import open_source
from pybinlog.source.log_series import LogName

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pybinlog.spark.data_source.stream_offset import Offset


class StreamLag(NamedTuple):
    """The end of the newest log, and what is left before it; Spark shows it in the progress of a query."""

    file: str
    position: int
    lag_logs: int
    """Logs with something left."""
    lag_bytes: int
    """As they are stored."""
    lag_seconds: int
    """The age of the first event that is left, by this machine's clock."""

    @classmethod
    def of(cls, logs: list[str], end: Offset | None) -> StreamLag:
        """Return the lag of a micro-batch that ends there; with None, of one that ends with the last transaction."""
        left = [] if end is None else list(left_after(end, logs))
        begun = event_time(*left[0][:2]) if left else None
        return cls(
            LogName.of(logs[-1]).base,
            stored_size(logs[-1]),
            len(left),
            sum(size for _, _, size in left),
            0 if begun is None else max(int(time.time()) - begun, 0),
        )


def left_after(end: Offset, logs: list[str]) -> Iterator[tuple[str, int, int]]:
    """Yield logs with something left after a place: the log, the position, and the bytes from there on."""
    for name in logs:
        log = LogName.of(name)
        if (log.number or 0) >= end.order[0]:
            position = end.position if log.base == end.file else MAGIC_LENGTH
            size = stored_size(name) - (position if position > MAGIC_LENGTH else 0)
            if size > 0:
                yield name, position, size


def event_time(name: str, position: int) -> int | None:
    """Return the time of the event at a position, in seconds since 1970; None if it is not known without reading on."""
    data = bytearray(4)
    try:
        with open_source(name) as source:
            if source.reads_at and source.read_at(position, memoryview(data)) == len(data):
                return int.from_bytes(data, "little") or None
    except BinlogError:
        pass  # reading it says so
    return None
