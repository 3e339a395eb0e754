"""TypedRows: rows of views as dictionaries of Python values."""

from __future__ import annotations

from collections import deque
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import chain

from pybinlog.catalog import Catalog
from pybinlog.event_types import ROW_TYPES, EventType
from pybinlog.log.event import Event, FormatDescription, TableMaps, lend_metadata
from pybinlog.views.reader import ViewReader
from pybinlog.views.schema import Kind
from pybinlog.views.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from typing import Any

    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.kernel.views.view_columns import ViewColumns
    from pybinlog.views.batch import ViewBatch
    from pybinlog.views.options import ViewOptions

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
IMAGES = ("before", "after")
NOTED_TYPES = ROW_TYPES | {EventType.TABLE_MAP, EventType.TRANSACTION_PAYLOAD}


def dictionaries(batch: ViewBatch) -> Iterator[dict[str, Any]]:
    """The rows of a batch by the names of its columns; times are datetimes in UTC."""
    columns = []
    for column in batch.columns:
        values = column.values(0, batch.count)
        if column.kind is Kind.TIMESTAMP:
            values = [None if value is None else EPOCH + timedelta(microseconds=value) for value in values]
        columns.append(values)
    for row in zip(*columns, strict=True):
        yield dict(zip(batch.names, row, strict=True))


class NotedCatalog(Catalog):
    """A catalog that remembers from where on it gave which names, for rows that are decoded after their batch."""

    def __init__(self, catalog: Catalog):
        super().__init__()
        self._catalog = catalog
        self._noted: dict[tuple[str, str], list[tuple[tuple[int, int], bytes]]] = {}
        self.numbers: dict[str, int] = {}
        """Of the logs, in the order in which they are read."""

    def run(self, *statement: Any, **session: Any) -> None:
        self._catalog.run(*statement, **session)

    def metadata(self, table_map: bytes, file: bytes = b"", position: int = 0, mariadb: bool = False) -> bytes:
        answer = self._catalog.metadata(table_map, file, position, mariadb)
        end = 1 + table_map[0]
        database, table = table_map[1:end], table_map[end + 2 : end + 2 + table_map[end + 1]]
        key = database.decode("utf-8", "surrogateescape"), table.decode("utf-8", "surrogateescape")
        place = self.numbers.get(file.decode("utf-8", "surrogateescape"), 0), position
        self._noted.setdefault(key, []).append((place, answer))
        return answer

    def metadata_at(self, database: str, table: str, file: str, position: int) -> bytes:
        """The optional metadata with names for a Table_map there; places are asked for in ascending order."""
        noted = self._noted.get((database, table), [])
        place = self.numbers.get(file, 0), position
        while len(noted) > 1 and noted[1][0] <= place:
            del noted[0]
        return noted[0][1] if noted and noted[0][0] <= place else b""


class TypedRows(ViewReader):
    """Reads the view rows; `before` and `after` are dictionaries with the values that `Event.rows` has.

    The kernel says which rows there are, and all of them but their images; `layout` decodes the images of the same row
    events, in the same order.
    """

    def __init__(self, options: ViewOptions, *, catalog: Catalog, **more: Any):
        view = options.definition
        names = tuple(name for name in view.column_names if name not in IMAGES)
        self._noted = NotedCatalog(catalog)
        super().__init__(replace(options, columns=names), as_it_comes=True, catalog=self._noted, **more)
        self._order = view.column_names
        self._wanted_tables = options.tables
        self._format = FormatDescription(None)
        self._events: deque[Event | deque[Event]] = deque()
        """Row events whose rows have not come yet; those of a payload in a queue of their own, in its place."""
        self._tables = TableMaps()
        self._payload_events: dict[int, deque[Event]] = {}
        self._inside: deque[Event] | None = None
        """Those of the payload that is being read."""
        self._payload_at = 0

    def typed(self, span: Span) -> Generator[dict[str, Any], None, None]:
        """The rows of a span, in the order of the view's columns."""
        images: deque[Any] = deque()
        with closing(self.batches(span)) as batches:
            for row in chain.from_iterable(map(dictionaries, batches)):
                while not images:
                    images.extend(self._rows_of(self._next_event()))
                row["before"], row["after"] = images.popleft()
                yield {name: row[name] for name in self._order}

    def _rows_of(self, event: Event) -> list[Any]:
        """Its rows, with names of columns from the catalog where the log has none."""
        if event.table_map is not None:
            body = event.table_map.body
            answer = self._noted.metadata_at(body.db, body.table, event.table_map.file, event.table_map.position)
            lend_metadata(event.table_map, answer)
        return event.rows

    def _next_event(self) -> Event:
        while True:
            first = self._events[0]
            if isinstance(first, Event):
                self._events.popleft()
                return first
            if first:
                return first.popleft()
            self._events.popleft()

    def _add(self, columns: ViewColumns, batch: EventBatch) -> Iterator[ViewBatch]:
        self._see(batch, max(columns.hide_before, self._options.first_position or 0))
        yield from super()._add(columns, batch)

    def _payload(self, columns: ViewColumns, batch: EventBatch, index: int) -> Iterator[ViewBatch]:
        self._payload_at = batch.header(index).position
        self._inside = self._payload_events.pop(self._payload_at, deque())
        outside, self._tables = self._tables, TableMaps()
        try:
            yield from super()._payload(columns, batch, index)
        finally:
            self._inside, self._tables = None, outside

    def _see(self, batch: EventBatch, hide_before: int) -> None:
        """Note the row events among those that the view is going to look at."""
        self._noted.numbers.setdefault(batch.file, len(self._noted.numbers))
        for index in range(batch.count):
            kind = batch.type(index)
            if kind == EventType.FORMAT_DESCRIPTION:
                self._format = FormatDescription(batch.data(index))
            if kind not in NOTED_TYPES:
                continue
            header = batch.header(index)
            if self._inside is not None:
                header = header._replace(position=self._payload_at)
            hidden = self._inside is None and header.position < hide_before
            if kind == EventType.TRANSACTION_PAYLOAD:
                if not hidden:
                    self._payload_events[header.position] = events = deque[Event]()
                    self._events.append(events)
                continue
            event = Event(
                batch.file, header, batch.data(index), self._format
            )  # a payload's have room for a checksum, too
            self._tables.see(event)
            if kind in ROW_TYPES and not hidden and self._is_wanted(event):
                (self._events if self._inside is None else self._inside).append(event)

    def _is_wanted(self, event: Event) -> bool:
        """Whether the view has the rows of the event's table."""
        if self._wanted_tables is None or event.table_map is None:
            return self._wanted_tables is None
        body = event.table_map.body
        return not self._wanted_tables.isdisjoint({(None, body.table), (body.db, body.table)})
