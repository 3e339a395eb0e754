"""Find event starts near a position: for the sentence about a start position that is inside an event."""

from collections.abc import Iterable

from pybinlog.errors import BinlogError, StartPositionError
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.source import Source

MASK = 0xFFFFFFFF
MOST_SUMMED = 64 << 20
"""Bytes of an event up to which its checksum is worth the look."""


def is_sound(batch: EventBatch, index: int) -> bool:
    """Return True if an event's checksum is right; if it has none, or is very large, if its end_log_pos may be."""
    from pybinlog.kernel.base.checksum import checksum

    header = batch.header(index)
    if batch.checksum_algorithm == 1 and header.event_size <= MOST_SUMMED:
        data = batch.data(index)
        return checksum(data[:-4]) == int.from_bytes(data[-4:], "little")
    # a relay log has its source's positions; MariaDB leaves some out
    return header.end_log_pos in (0, header.end & MASK) or bool(batch.is_relay_log)


def misplaced(source: Source, batches: Iterable[EventBatch], start: int) -> StartPositionError | None:
    """Return the error for a start position that is inside an event; None if an event starts there.

    `source` is the log from its first byte, `batches` are its events. None, too, if it cannot be read up to the
    position, and where the event around that is damaged itself.
    """
    try:
        around = starts_around(batches, start)
    except BinlogError:
        return None  # damage before the position: nothing is known for sure
    if around is None:
        return None
    before, after = around
    near, hint = f"events start at {before} and {after}", "Start at one of these"
    if source.size is not None and after >= source.size:
        near, hint = f"the last event starts at {before}", "Start at that or an earlier one"
    return StartPositionError(f"{start} is not the start of an event: {near}", file=source.name, hint=hint)


def starts_around(batches: Iterable[EventBatch], position: int) -> tuple[int, int] | None:
    """Return the start of the event around a position, and its end; None if an event starts there."""
    for batch in batches:
        if batch.header(len(batch) - 1).end <= position:
            continue
        for index in range(len(batch)):
            header = batch.header(index)
            if header.position == position:
                return None
            if header.position < position < header.end:
                return (header.position, header.end) if is_sound(batch, index) else None
    return None


def perhaps_misplaced(error: BinlogError, start: int) -> BinlogError:
    """Return the error at a start position of a log that cannot be read again, so that its cause is unknown."""
    return StartPositionError(
        f"{start} is not the start of an event, as far as can be told, or the log is damaged there: {error.message}",
        file=error.file,
        hint="pybinlog does not inspect earlier data of the pipe. Give the log's file by its name to be told which "
        "events are near",
    )
