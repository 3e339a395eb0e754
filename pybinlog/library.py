"""Log: binary logs, as the library gives them: their events, their transactions or the rows that they change."""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import closing, contextmanager
from io import BytesIO, TextIOBase

from pybinlog.boundary.parser import BoundaryType, ParserState, Refusal
from pybinlog.catalog import read_catalog
from pybinlog.errors import (
    EVENTS_ENCRYPTED,
    KEYRING_HINT,
    BinlogError,
    BinlogWarning,
    EncryptedError,
    Face,
    SourceError,
)
from pybinlog.kernel.base.event import FORMAT_DESCRIPTION, MAGIC_LENGTH, MARIA_START_ENCRYPTION, NOT_REFUSED
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.event import Event, FormatDescription, TableMaps
from pybinlog.log.reader import Reader
from pybinlog.source import SERVER, LogObject, open_source
from pybinlog.source.location import locate, read_once
from pybinlog.source.log_object import READ_ALREADY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from typing import Any, BinaryIO, Literal, TypeAlias

    from pybinlog.feed.span import Span
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.log.gap_watch import GapWatch
    from pybinlog.source import Source
    from pybinlog.views.options import ViewOptions

    Place: TypeAlias = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO
    """The types that a log can be given as."""

IN_PYTHON = Face(
    {
        "--allow-gaps": "allow_gaps=True",
        "--event-type": "the events whose type_name is ",
        "--force-read": "force_read=True",
        "--keyring": "keyring=",
        "--keyring-password-file": "keyring_password_file=",
        "--schema": "schema=",
        "--schema-of": "schema_of=",
        "--skip-verify-binlog-checksum": "verify_checksum=False",
        "--table": "table=",
        "--time-zone": "time_zone=",
        "--where": "where=",
        "-p": "password=",
    }
)


class Log:
    """One or more binary or relay logs that are open for reading: `pybinlog.open` makes it.

    Iterate over it for its events; `transactions()` and `rows()` give the same tables as `pybinlog export`, as
    dictionaries, and `batches()` events by the thousand. Each comes as it arrives, so that a pipe can be read. Each
    begins anew with the first log, and several may be under way at once, in several threads, too; one iterator is for
    one thread. A pipe, such as standard input, can be read only once, which SourceError says.

    A context manager: leaving it closes the files. A file is closed as soon as it is read to its end, too, and when
    nothing refers to the log or its iterator any more. `names` are the logs, in order.

    Iterating raises BinlogError, with file and position, where a log cannot be read on; everything before has been
    given out then. It raises ValueError once the log is closed.
    """

    def __init__(
        self,
        log: Place | Iterable[Place],
        *,
        start_position: int = 4,
        verify_checksum: bool = False,
        force_read: bool = False,
        schema: Iterable[str] = (),
        schema_of: str | None = None,
        password: str | None = None,
        keyring: Sequence[str] = (),
        keyring_password_file: str | None = None,
        allow_gaps: bool = False,
    ):
        if not 0 <= start_position < 1 << 64:
            raise ValueError(f"a log has no position {start_position}")
        if schema_of not in (None, "start", "end"):
            raise ValueError(f"schema_of is 'start' or 'end', not {schema_of!r}")
        left_out: list[str] = []
        with IN_PYTHON:
            self.names = names_of(log, left_out.append, password)
            if len(self.names) > 1 and start_position > MAGIC_LENGTH:
                raise ValueError(f"start_position is about one log, and these are {len(self.names)}; open one")
            if keyring or keyring_password_file is not None:
                self.names = with_keyring(self.names, keyring, keyring_password_file)
            self._tables = read_catalog(schema, schema_of)
            first = source_of(self.names[0])
        for sentence in left_out:
            warnings.warn(sentence, BinlogWarning, stacklevel=3)
        self._start_position = start_position
        self._verify_checksum = verify_checksum
        self._force_read = force_read
        self._allow_gaps = allow_gaps
        self._unread = [first]
        """The first log, until the first reader takes it."""
        self._begun: set[str] = set()
        self._being_read: dict[int, Source] = {}
        self._closed = False
        self.cut_tail = False
        """After the last event or batch: whether the log is in use and ended inside an event."""

    def batches(self) -> Iterator[EventBatch]:
        """Yield the events some thousands at a time, without a Python object for each."""
        with closing(self._batches()) as batches:
            for _, batch in batches:
                yield batch
                del batch

    def transactions(self) -> Iterator[dict[str, Any]]:
        """Yield the transactions of the logs, each as a dictionary when its last event comes.

        Its keys are the columns of the view `transactions` (docs/views.md); times are datetimes in UTC, `tables` is a
        list and `table_rows` a dictionary. A wrong checksum is an error. A BinlogWarning counts the statements that
        changed rows which the logs do not contain.
        """
        from pybinlog.views.options import ViewOptions
        from pybinlog.views.reader import ViewReader
        from pybinlog.views.remarks import report
        from pybinlog.views.typed_rows import dictionaries

        options = ViewOptions(view="transactions", first_position=self._start_position)
        reader = ViewReader(
            options, opens=self._opened, as_it_comes=True, force_read=self._force_read, gaps=self._gap_watch()
        )
        with IN_PYTHON:
            for span in self._spans():
                with closing(reader.batches(span)) as batches:
                    for batch in batches:
                        for transaction in dictionaries(batch):
                            yield transaction
                            self._check_open()
            report(
                reader.feed.remarks,
                lambda sentence: warnings.warn(IN_PYTHON.words(sentence), BinlogWarning, stacklevel=4),
            )

    def rows(
        self,
        table: str | None = None,
        *,
        where: str | None = None,
        where_unknown: Literal["keep", "drop"] = "keep",
        time_zone: str = "UTC",
    ) -> Iterator[dict[str, Any]]:
        """Return the rows that row events change, each as a dictionary.

        Its keys are the columns of the view `rows` (docs/views.md); times are datetimes in UTC. `before` and `after`
        are dictionaries: column (or "@1", "@2" ...) to value, as in `Event.rows`. Columns have the names that the log
        has, else those of the schema and of the statements in the logs. `table` is `orders` or `shop.orders`, or
        several with commas between; a name with a dot or a comma stands in backticks. ValueError where it is none. A
        wrong checksum is an error. A BinlogWarning names a table whose definition is lost; another one counts the
        statements that changed rows which the logs do not contain.

        `where` is a condition on the values of a row, such as "id = 5 AND status = 'paid'" (docs/filters.md); it names
        TIMESTAMPs in `time_zone`. Raise WhereError if it is not one, does not fit a table, or no table has its columns.
        Rows that cannot be judged are kept, or dropped with `where_unknown="drop"`; a BinlogWarning counts them.
        """
        from pybinlog.views.options import ViewOptions, tables

        wanted = None if table is None else tables(table)
        condition = None
        if where is not None:
            from pybinlog.where import Condition

            if where_unknown not in ("keep", "drop"):
                raise ValueError(f"where_unknown is 'keep' or 'drop', not {where_unknown!r}")
            condition = Condition(where, time_zone, where_unknown == "drop")
            condition.check()
        return self._rows(ViewOptions(view="rows", tables=wanted, first_position=self._start_position, where=condition))

    def _rows(self, options: ViewOptions) -> Iterator[dict[str, Any]]:
        from pybinlog.feed.feed import Feed
        from pybinlog.views.definitions import CatalogsAlong
        from pybinlog.views.remarks import report
        from pybinlog.views.typed_rows import typed_rows

        lost: list[str] = []

        def warn(sentence: str) -> None:
            lost.append(IN_PYTHON.words(sentence))

        with IN_PYTHON:
            spans = self._spans()
            again = None if any(map(read_once, self.names)) else spans
            known = CatalogsAlong(self._tables, again, warn=warn, opens=self._opened)
            feed = Feed(
                options, opens=self._opened, as_it_comes=True, force_read=self._force_read, gaps=self._gap_watch()
            )
            for span in spans:
                feed.catalog = known(span)
                feed.catalog.warn = warn
                with closing(typed_rows(feed, options, span)) as found:
                    for row in found:
                        while lost:
                            warnings.warn(lost.pop(0), BinlogWarning, stacklevel=2)
                        yield row
                        self._check_open()
            report(feed.remarks, lambda sentence: warnings.warn(IN_PYTHON.words(sentence), BinlogWarning, stacklevel=4))

    def __iter__(self) -> Iterator[Event]:
        from pybinlog.views.typed_rows import EventGtids  # few imports where batches are enough

        of_span: Span | None = None
        with closing(self._batches()) as batches:
            for span, batch in batches:
                if span is not of_span:
                    of_span = span
                    format_description = FormatDescription(None)
                    tables = TableMaps()
                    event_gtids = EventGtids()
                gtids = event_gtids.of(batch)
                for index in range(batch.count):
                    header = batch.header(index)
                    data = batch.data(index)
                    if header.type == FORMAT_DESCRIPTION:
                        format_description = FormatDescription(data)
                    refused = batch.refused_from(index)
                    event = Event(
                        batch.file,
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
                    self._check_open()
                    if header.type == MARIA_START_ENCRYPTION:  # a keyring has made another type of it
                        with IN_PYTHON:
                            where = {"file": batch.file, "position": header.position}
                            raise EncryptedError(EVENTS_ENCRYPTED, **where, hint=KEYRING_HINT)

    def close(self) -> None:
        """Close the files; twice is allowed. Iterators raise ValueError then."""
        self._closed = True
        while self._unread:
            self._unread.pop().close()
        while self._being_read:
            self._being_read.popitem()[1].close()

    @property
    def closed(self) -> bool:
        return self._closed

    def __enter__(self) -> Log:
        self._check_open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        several = f"{len(self.names)} logs, {self.names[0]} to {self.names[-1]}" if len(self.names) > 1 else ""
        return f"<Log {several or self.names[0]}{', closed' if self._closed else ''}>"

    # ---- reading

    def _batches(self) -> Generator[tuple[Span, EventBatch], None, None]:
        """Yield each batch with the logs that are one stream with its own."""
        from pybinlog.boundary.stream import continues

        gaps = self._gap_watch()
        with IN_PYTHON:
            for span in self._spans():
                scanner = Scanner()
                scanner.force_read = self._force_read
                scanner.statement_bits = True
                rotates_to: str | None = None
                for name in span.names:
                    if not continues(rotates_to, name):
                        scanner.reset()
                    with self._opened(name) as source:
                        scanner.verify_checksum = self._verify_checksum or source.sent_from is not None
                        reader = Reader(source, scanner, self._start_position)
                        for batch in gaps.batches(reader, reader):
                            yield span, batch
                            del batch
                            self._check_open()
                        self.cut_tail = reader.cut_tail
                    rotates_to = reader.rotates_to

    def _gap_watch(self) -> GapWatch:
        """Return what looks for missing logs."""
        from pybinlog.log.gap_watch import GapWatch

        def warn(sentence: str) -> None:
            warnings.warn(sentence, BinlogWarning, stacklevel=2)

        return GapWatch(warn, allows=self._allow_gaps)

    def _spans(self) -> list[Span]:
        from pybinlog.feed.span import Span, spans

        if len(self.names) > 1:
            return spans(self.names)
        return [Span(self.names)]

    @contextmanager
    def _opened(self, name: str) -> Iterator[Source]:
        """Return one of the logs, open until it is read, or until this Log is closed."""
        self._check_open()
        source = self._next_source(name)
        self._being_read[id(source)] = source
        try:
            with source:
                yield source
        except BinlogError:
            self._check_open()  # its file was closed: that is why it cannot be read
            raise
        finally:
            self._being_read.pop(id(source), None)

    def _next_source(self, name: str) -> Source:
        """Return the log from its first byte on. Raise SourceError if it can be read only once and was read already."""
        if name in self._begun and read_once(name):
            raise SourceError(READ_ALREADY, file=name)
        self._begun.add(name)
        try:
            return self._unread.pop() if name == self.names[0] else source_of(name)
        except IndexError:
            return source_of(name)

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError("the log is closed")


def names_of(
    log: Place | Iterable[Place], warn: Callable[[str], object], password: str | None = None
) -> tuple[str, ...]:
    """Return the logs at a place, or at several, by names that `open_source` takes.

    Raise ValueError if there is none.
    """
    if isinstance(log, (str, os.PathLike)):
        name = os.fsdecode(log)
        if password is None:
            return tuple(locate([name], warn=warn))
        from pybinlog.replication.options import ServerOptions
        from pybinlog.replication.server_log import server_log

        if not name.startswith(SERVER):
            raise ValueError(f"a password is for the logs of a server (mysql://user@host/binlog.000007), not {name}")
        return (server_log(name, ServerOptions(password=password)),)
    if isinstance(log, (bytes, bytearray, memoryview)):
        return (LogObject(BytesIO(log), "<bytes>"),)
    if isinstance(log, TextIOBase):
        raise TypeError("a log is bytes: open its file in binary mode, 'rb'")
    if hasattr(log, "read"):
        return (LogObject(log),)  # type: ignore[arg-type]
    try:
        places = list(log)
    except TypeError:
        kind = type(log).__name__
        raise TypeError(f"a log is a path, a file object, bytes, or a list of these, not {kind}") from None
    names = tuple(name for place in places for name in names_of(place, warn, password))
    if not names:
        raise ValueError("no log is given")
    return names


def with_keyring(names: Iterable[str], paths: Sequence[str], password_path: str | None) -> tuple[str, ...]:
    """Return the logs as names that have the keyring of these files. Raise SourceError if a file is not a keyring."""
    from pybinlog.keyring import Keyring
    from pybinlog.source.keyed_log import KeyedLog

    opened = Keyring(paths, password_path)
    return tuple(name if name.startswith(SERVER) else KeyedLog(name, opened) for name in names)


def source_of(name: str) -> Source:
    return open_source(name, sys.stdin.buffer if name == "-" else None)
