"""Log: one binary log, as the library gives it: its events, its transactions or the rows that it changes."""

from __future__ import annotations

from pybinlog.boundary.parser import ParserState, Refusal
from pybinlog.boundary.type import BoundaryType
from pybinlog.errors import SourceError
from pybinlog.kernel.base.event import FORMAT_DESCRIPTION, MAGIC_LENGTH, NOT_REFUSED
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.event import Event, FormatDescription, TableMaps
from pybinlog.log.reader import Reader
from pybinlog.source import open_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, BinaryIO

    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.source import Source
    from pybinlog.views.span import Span


class Log:
    """A binary or relay log that is open for reading: `pybinlog.open` makes it.

    Iterate over it for its events; `transactions()` and `rows()` give the same tables as `pybinlog export`, as
    dictionaries, and `batches()` events by the thousand. Each comes as it arrives, so that a pipe can be read. The
    events (or batches) can be read once, the others again and again, unless the log is a pipe.

    A context manager: leaving it closes the file. ValueError for a start_position that is negative or has more than
    64 bits, SourceError where the file cannot be opened. Iterating raises BinlogError, with file and position, where
    the log cannot be read on; everything before has been given out then.
    """

    def __init__(
        self,
        path: str,
        *,
        start_position: int = 4,
        verify_checksum: bool = False,
        force_read: bool = False,
        schema: Iterable[str] = (),
        stdin: BinaryIO | None = None,
    ):
        if not 0 <= start_position < 1 << 64:
            raise ValueError(f"a log has no position {start_position}")
        self.path = path
        self._start_position = start_position
        self._force_read = force_read
        self._catalog = None
        if schema:
            from pybinlog.catalog import read_catalog

            self._catalog = read_catalog(schema)
        self._begun = False
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
        self._begun = True
        return iter(self._reader)

    def transactions(self) -> Iterator[dict[str, Any]]:
        """The log's transactions, each as a dictionary when its last event comes.

        Its keys are the columns of the view `transactions` (docs/export.md); times are datetimes in UTC, `tables` is a
        list. A wrong checksum is an error.
        """
        from pybinlog.views.options import ViewOptions
        from pybinlog.views.reader import ViewReader
        from pybinlog.views.typed_rows import dictionaries

        reader = ViewReader(ViewOptions(view="transactions"), as_it_comes=True, force_read=self._force_read)
        source = self._own_source()
        return self._closed_after(
            source, (row for batch in reader.batches(self._span(), source) for row in dictionaries(batch))
        )

    def rows(self, table: str | None = None) -> Iterator[dict[str, Any]]:
        """The rows that the log's row events change, each as a dictionary.

        Its keys are the columns of the view `rows` (docs/export.md); times are datetimes in UTC. `before` and `after`
        are dictionaries as in `Event.rows`: column (or "@1", "@2" ...) to value. `table` is `orders` or `shop.orders`,
        or several with commas between; a name with a dot or a comma stands in backticks. ValueError where it is none.
        A wrong checksum is an error. Where the log was opened with a schema, that and the statements in the log give
        columns their names; a warning on standard error names a table whose definition is lost.
        """
        from pybinlog.views.options import ViewOptions, tables
        from pybinlog.views.reader import to_standard_error
        from pybinlog.views.typed_rows import TypedRows

        options = ViewOptions(view="rows", tables=None if table is None else tables(table))
        source = self._own_source()
        catalog = None if self._catalog is None else self._catalog.copy(to_standard_error)
        rows = TypedRows(options, force_read=self._force_read, catalog=catalog)
        return self._closed_after(source, rows.typed(self._span(), source))

    def _closed_after(self, source: Source, rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The rows; a source of their own is closed when they are done with."""
        try:
            yield from rows
        finally:
            if source is not self._source:
                source.close()

    def _span(self) -> Span:
        from pybinlog.views.span import Span

        return Span((self.path,), max(self._start_position, MAGIC_LENGTH))

    def _own_source(self) -> Source:
        """The log from its first byte on. SourceError where it was read already, and can be read only once."""
        again = self._source.again()
        if again is None:
            if self._begun:
                raise SourceError("the log was read already, and a pipe can be read only once", file=self.path)
            again = self._source
        self._begun = True
        return again

    def __iter__(self) -> Iterator[Event]:
        from pybinlog.views.event_gtids import EventGtids  # few imports where batches are enough

        format_description = FormatDescription(None)
        tables = TableMaps()
        event_gtids = EventGtids()
        for batch in self.batches():
            gtids = event_gtids.of(batch)
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
                    gtid=gtids.value(index),
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
