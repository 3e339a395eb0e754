"""Script: the statements of an undo or redo, spooled as they are found, and written once all is judged."""

import os
from collections.abc import Callable, Iterator, Mapping
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from pybinlog.kernel.undo.records import TRANSACTION, BackwardText, Records, first_whole, length_before
from pybinlog.undo.change import Change
from pybinlog.undo.problem import UndoRequest
from pybinlog.visible import visible

LARGEST_PIECE = 16 << 20
"""Bytes that are written or read at once: between two of them, signals are handled."""
LENGTH = 8
"""Bytes of a record's length, which stands before the record and after it."""


class Spool:
    """Add to `records`, then read them, forward or backward. Raise OSError if its file cannot be written."""

    def __init__(self) -> None:
        self.records = Records(self._write)
        self._file: BinaryIO | None = None

    def _write(self, data: memoryview) -> None:
        if self._file is None:
            self._file = TemporaryFile(buffering=0)  # noqa: SIM115 (close() closes it)
        written = 0
        while written < len(data):
            with data[written : written + LARGEST_PIECE] as rest:
                written += os.write(self._file.fileno(), rest)

    def _read(self, begin: int, size: int) -> bytes:
        """Return bytes of the file; fewer only at its end."""
        if self._file is None:
            return b""
        pieces = []
        while size and (piece := os.pread(self._file.fileno(), min(size, LARGEST_PIECE), begin)):
            pieces.append(piece)
            begin += len(piece)
            size -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def forward(self) -> Iterator[bytes]:
        """Yield the records from the first to the last."""
        self.records.flush()
        data, at, begin = b"", 0, 0
        while True:
            if len(data) - at < LENGTH:
                more = self._read(begin, PIECE)
                data, at, begin = data[at:] + more, 0, begin + len(more)
                if not data:
                    return
            length = int.from_bytes(data[at : at + LENGTH], "little")
            end = at + length + 2 * LENGTH
            if end > len(data):
                more = self._read(begin, max(PIECE, end - len(data)))
                data, end, at, begin = data[at:] + more, end - at, 0, begin + len(more)
            yield data[at + LENGTH : end - LENGTH]
            at = end

    def backward(self) -> Iterator[tuple[bytes, int, int]]:
        """Yield data with whole records, and where the first of them begins and the last ends; the last come first."""
        self.records.flush()
        start = self.records.size
        data, end = b"", 0
        while start or end:
            begin = first_whole(data, end)
            if begin < end:
                yield data, begin, end
                end = begin
                continue
            # what is left ends a record that begins before it
            lacking = PIECE if end < LENGTH else max(PIECE, length_before(data, end) - end)
            before = max(0, start - lacking)
            data = self._read(before, start - before) + data[:end]
            start, end = before, len(data)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


PIECE = 1 << 18
"""Bytes of text that are written at once."""
NUMBER = 8


class Script:
    """Spools a record for each statement, row event and transaction; `pieces` gives the text.

    The title of a transaction, and of a row event, stands where it is read first: an undo reads from the end.
    """

    def __init__(self, request: UndoRequest):
        self._spool = Spool()
        self.records = self._spool.records
        self._redo = request.redo
        self._as_events = request.as_events
        self.format_description = b""
        """That of the events, for BINLOG statements."""
        self.dropped: set[int] = set()
        """The numbers of the transactions that are left out."""
        self._titled: int | None = None

    def begin(self, change: Change, transaction: int) -> None:
        """Begin a row event of the transaction with that number."""
        if self._redo:
            self._begin_transaction(change, transaction)
            self.records.append(event_title(change))

    def _begin_transaction(self, change: Change, transaction: int) -> None:
        if self._titled != transaction:
            self._titled = transaction
            start = change.cells["transaction_position"]
            self._title(title(change.cells, start, None), transaction)

    def rows(self, changes: list[Change], transaction: int, text: bytes) -> None:
        """Add the text of many rows, of some row events."""
        first, last = changes[0], changes[-1]
        place = first.place.position
        to = "" if last.place.position == place else f" to {last.place.position}"
        heading = comment(f"{first.operation} of {first.table.label} at {place}{to}, many rows")
        if self._redo:
            self._begin_transaction(first, transaction)
        for record in (heading, text) if self._redo else (text, heading):
            self.records.append(record)

    def row(self, change: Change, text: bytes) -> None:
        if text:
            self.records.append(text)

    def leave(self, change: Change) -> None:
        """End a row event."""
        if not self._redo and not self._as_events:
            self.records.append(event_title(change))

    def end(self, cells: Mapping[str, Any], start: int, end: int, transaction: int) -> None:
        """End a transaction with rows."""
        if not self._redo:
            self._title(title(cells, start, end), transaction)

    def _title(self, text: bytes, transaction: int) -> None:
        self.records.append(bytes([TRANSACTION]) + transaction.to_bytes(NUMBER, "little") + text)

    def drop(self, transaction: int) -> None:
        """Leave a transaction out."""
        self.dropped.add(transaction)

    def pieces(self) -> Iterator[bytes]:
        """Yield the text of all statements, some at a time."""
        if not self._redo:
            text = BackwardText(self.dropped, PIECE)
            for data, begin, end in self._spool.backward():
                yield from text.of(data, begin, end)
            return
        waiting: list[bytes] = []
        size = 0
        skips = False
        for record in self._spool.forward():
            text_of = record
            if record.startswith(bytes([TRANSACTION])):
                skips = int.from_bytes(record[1 : 1 + NUMBER], "little") in self.dropped
                text_of = record[1 + NUMBER :]
            if skips:
                continue
            waiting.append(text_of)
            size += len(text_of)
            if size >= PIECE:
                yield b"".join(waiting)
                waiting, size = [], 0
        yield b"".join(waiting)

    def write(self, write: Callable[[bytes], object]) -> None:
        for piece in self.pieces():
            write(piece)

    def close(self) -> None:
        self._spool.close()


def comment(text: str) -> bytes:
    return f"-- {visible(text)}".rstrip().encode("utf-8", "backslashreplace") + b"\n"


def event_title(change: Change) -> bytes:
    place = change.place
    return comment(f"{change.operation} of {change.table.label} at {place.position}")


def title(cells: Mapping[str, Any], start: int | None, end: int | None) -> bytes:
    gtid = cells["gtid"] or "a transaction"
    where = f"{cells['file']}, at {start}" + ("" if end is None else f" to {end}")
    time = cells["timestamp"]
    when = "" if time is None else f", {time:%Y-%m-%d %H:%M:%S} UTC"
    thread = cells["thread_id"]
    return b"\n" + comment(f"{gtid} ({where}{when}{'' if thread is None else f', connection {thread}'})")
