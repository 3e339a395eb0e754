"""Script: the statements of an undo or redo, spooled as they are found, and written once all is judged."""

from __future__ import annotations

from pybinlog.kernel.undo.records import TRANSACTION, BackwardText
from pybinlog.undo.spool import Spool
from pybinlog.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from pybinlog.undo.change import Change
    from pybinlog.undo.request import UndoRequest

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
        self._dropped: set[int] = set()
        self._titled: int | None = None

    def begin(self, change: Change, transaction: int) -> None:
        """Begin a row event of the transaction with that number."""
        if self._redo:
            if self._titled != transaction:
                self._titled = transaction
                start = change.cells["transaction_position"]
                self._title(title(change.cells, start, None), transaction)
            self.records.append(event_title(change))

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
        self._dropped.add(transaction)

    def pieces(self) -> Iterator[bytes]:
        """Yield the text of all statements, some at a time."""
        if not self._redo:
            text = BackwardText(self._dropped, PIECE)
            for data, begin, end in self._spool.backward():
                yield from text.of(data, begin, end)
            return
        waiting: list[bytes] = []
        size = 0
        skips = False
        for record in self._spool.forward():
            text_of = record
            if record.startswith(bytes([TRANSACTION])):
                skips = int.from_bytes(record[1 : 1 + NUMBER], "little") in self._dropped
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
