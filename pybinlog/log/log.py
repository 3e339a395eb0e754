"""Log: the events of one binary log, one after the other."""

from __future__ import annotations

from pybinlog.boundary.parser import ParserState, Refusal
from pybinlog.boundary.type import BoundaryType
from pybinlog.kernel.base.event import FORMAT_DESCRIPTION, NOT_REFUSED
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.event import Event, FormatDescription, TableMaps
from pybinlog.log.reader import Reader
from pybinlog.source import open_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from pybinlog.kernel.base.batch import EventBatch


class Log:
    """A binary or relay log that is open for reading; iterate over it once, for its events or (`batches`) batches.

    A context manager: leaving it closes the file. ValueError for a start_position that is negative or has more than
    64 bits, SourceError where the file cannot be opened. Iterating raises BinlogError, with file and position, where
    the log cannot be read on; every event before has been given out then.
    """

    def __init__(
        self,
        path: str,
        *,
        start_position: int = 4,
        verify_checksum: bool = False,
        force_read: bool = False,
        stdin: BinaryIO | None = None,
    ):
        if not 0 <= start_position < 1 << 64:
            raise ValueError(f"a log has no position {start_position}")
        self.path = path
        self._source = open_source(path, stdin)
        scanner = Scanner()
        scanner.verify_checksum = verify_checksum or self._source.sent_from is not None
        scanner.force_read = force_read
        scanner.statement_bits = True
        self._reader = Reader(self._source, scanner, start_position)

    @property
    def cut_tail(self) -> bool:
        """After the last event: whether the log is in use and ended inside an event."""
        return self._reader.cut_tail

    def batches(self) -> Iterator[EventBatch]:
        """The events some thousands at a time, without a Python object for each."""
        return iter(self._reader)

    def __iter__(self) -> Iterator[Event]:
        format_description = FormatDescription(None)
        tables = TableMaps()
        for batch in self._reader:
            for index in range(batch.count):
                header = batch.header(index)
                data = batch.data(index)
                if header.type == FORMAT_DESCRIPTION:
                    format_description = FormatDescription(data)
                refused = batch.refused_from(index)
                event = Event(
                    self.path,
                    header,
                    data,
                    format_description,
                    refused=None
                    if refused == NOT_REFUSED
                    else Refusal(ParserState(refused), BoundaryType(header.boundary)),
                    bits=batch.bits(index),
                )
                tables.see(event)
                yield event

    def close(self) -> None:
        """Close the file; twice is allowed."""
        self._source.close()

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
