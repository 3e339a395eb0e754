"""Log: binary logs, as the library gives them: their events, their transactions or the rows that they change."""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import closing, contextmanager
from io import BytesIO, TextIOBase

from pybinlog import errors
from pybinlog.boundary.parser import BoundaryType, ParserState, Refusal
from pybinlog.boundary.stream import continues
from pybinlog.catalog.dump_files import read_catalog
from pybinlog.kernel.base.event import FORMAT_DESCRIPTION, MAGIC_LENGTH, MARIA_START_ENCRYPTION, NOT_REFUSED
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.event import Event, FormatDescription, TableMaps
from pybinlog.log.reader import Reader
from pybinlog.source import SERVER, LogObject, open_source
from pybinlog.source.keyed_log import KeyedLog
from pybinlog.source.location import locate, read_once
from pybinlog.source.log_object import READ_ALREADY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from datetime import datetime
    from typing import Any, BinaryIO, Literal, TypeAlias, TypeVar

    from pybinlog.asof.moment import Moment
    from pybinlog.feed.span import Span
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.log.gap_watch import GapWatch
    from pybinlog.source import Source
    from pybinlog.views.batch import ViewBatch
    from pybinlog.views.frame import Frame
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.reader import ViewReader

    T = TypeVar("T")
    Place: TypeAlias = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO
    """The types that a log can be given as."""

IN_PYTHON = errors.Face(
    {
        "--allow-gaps": "allow_gaps=True",
        "--base-at": "base_at=",
        "--columns": "columns=",
        "--event-type": "the events whose type_name is ",
        "--include-gtids": "gtids=",
        "--invalid-text": "invalid_text=",
        "--force-read": "force_read=True",
        "--keyring": "keyring=",
        "--keyring-password-file": "keyring_password_file=",
        "--operation": "operation=",
        "--schema": "schema=",
        "--schema-of": "schema_of=",
        "--skip-verify-binlog-checksum": "verify_checksum=False",
        "--start-datetime": "start=",
        "--stop-datetime": "stop=",
        "--table": "table=",
        "--time-zone": "time_zone=",
        "--where": "where=",
        "--zero-dates": "zero_dates=",
        "-p": "password=",
    }
)


class Log:
    """One or more binary or relay logs that are open for reading: `pybinlog.open` makes it.

    Iterate over it for its events; `batches()` gives events by the thousand. `events()`, `transactions()`, `rows()` and
    `table()` give the tables of `pybinlog export`, each as a Frame. Each comes as it arrives, so that a pipe can be
    read. Each begins anew with the first log, and several may be under way at once, in several threads, too; one
    iterator is for one thread. A pipe, such as standard input, can be read only once, which SourceError says.

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
            warnings.warn(sentence, errors.BinlogWarning, stacklevel=3)
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

    def transactions(
        self,
        table: str | None = None,
        *,
        columns: Iterable[str] | None = None,
        start: datetime | None = None,
        stop: datetime | None = None,
        gtids: str | None = None,
    ) -> Frame:
        """Return the transactions of the logs; each comes when its last event does.

        The columns are those of the view `transactions` (docs/views.md). `table` is as in `rows`: transactions with an
        event of these tables. A transaction matches the times by its `commit_time`.
        """
        return self._frame("transactions", columns, table, start, stop, gtids)

    def events(
        self,
        table: str | None = None,
        *,
        columns: Iterable[str] | None = None,
        start: datetime | None = None,
        stop: datetime | None = None,
        gtids: str | None = None,
    ) -> Frame:
        """Return the events as a table, with the columns of the view `events` (docs/views.md).

        Iterate over the log itself for `Event` objects, which have an event's bytes and its fields.
        """
        return self._frame("events", columns, table, start, stop, gtids)

    def rows(
        self,
        table: str | None = None,
        *,
        where: str | None = None,
        where_unknown: Literal["keep", "drop"] = "keep",
        time_zone: str = "UTC",
        columns: Iterable[str] | None = None,
        start: datetime | None = None,
        stop: datetime | None = None,
        gtids: str | None = None,
        operation: str | Iterable[str] | None = None,
    ) -> Frame:
        """Return the rows that row events change.

        The columns are those of the view `rows` (docs/views.md). In dictionaries, `before` and `after` are
        dictionaries: column (or "@1", "@2" ...) to value, as in `Event.rows`; in frames they are JSON. Columns have the
        names that the log has, else those of the schema and of the statements in the logs. `table` is `orders` or
        `shop.orders`, or several with commas between; a name with a dot or a comma stands in backticks. ValueError
        where it is none. A wrong checksum is an error. A BinlogWarning names a table whose definition is lost; another
        one counts the statements that changed rows which the logs do not contain.

        `columns` are the columns wanted, in order. `start` is the first time wanted, `stop` the first one not wanted;
        both are datetimes with a time zone. `gtids` is a GTID set, `operation` is insert, update, delete or several.

        `where` is a condition on the values of a row, such as "id = 5 AND status = 'paid'" (docs/filters.md); it names
        TIMESTAMPs in `time_zone`. Raise WhereError if it is not one, does not fit a table, or no table has its columns.
        Rows that cannot be judged are kept, or dropped with `where_unknown="drop"`; a BinlogWarning counts them.
        """
        more = row_filters(where, where_unknown, time_zone, operation)
        return self._frame("rows", columns, table, start, stop, gtids, **more)

    def table(
        self,
        table: str,
        *,
        where: str | None = None,
        where_unknown: Literal["keep", "drop"] = "keep",
        time_zone: str = "UTC",
        columns: Iterable[str] | None = None,
        start: datetime | None = None,
        stop: datetime | None = None,
        gtids: str | None = None,
        operation: str | Iterable[str] | None = None,
        zero_dates: Literal["null", "error"] = "null",
        invalid_text: Literal["null", "error"] = "error",
    ) -> Frame:
        """Return the changed rows of one table, with the table's own columns and types.

        The columns are those of the view `table` (docs/views.md): the values after a change, for a DELETE those before
        it, and `_op`, `_commit_time`, `_before` and others. The logs are read once before, to know the columns.
        `zero_dates` and `invalid_text` say if a date that does not exist, or bytes that are invalid in the column's
        character set, are null or an error. All others are as in `rows`. Raise BinlogError if the logs have no rows of
        the table, and SourceError if they can be read only once.
        """
        from pybinlog.views.options import Unfit, tables

        if len(tables(table)) != 1:
            raise ValueError(f"{table!r} is not one table")
        if any(map(read_once, self.names)):
            raise errors.SourceError(
                "a pipe cannot be read twice, and the columns of a table are read first", file=table
            )
        return self._frame(
            "table",
            columns,
            table,
            start,
            stop,
            gtids,
            **row_filters(where, where_unknown, time_zone, operation),
            zero_dates=Unfit(zero_dates),
            invalid_text=Unfit(invalid_text),
        )

    def rows_as_of(
        self,
        table: str,
        moment: datetime | str,
        *,
        where: str | None = None,
        time_zone: str = "UTC",
        base: str | os.PathLike[str] | None = None,
        base_at: datetime | str | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows of one table as they were at a moment, as far as the logs tell (docs/asof.md).

        `moment` is a datetime with a time zone, a GTID or `log:position`. A dictionary has the values of the columns
        that are known, as JSON has them, and `_state` (present, deleted or unknown), `_missing`, `_gtid`,
        `_commit_time` (microseconds since 1970 UTC), `_file` and `_position`. `where` and `time_zone` are as in `rows`,
        asked of the row as it was then. A BinlogWarning says what makes rows uncertain.

        `base` is a file with all rows of the table at another moment: a dump, or an earlier `--as-of --format=sql`. The
        answer then has all rows. `base_at` is that moment, if the file does not say it.

        Raise ValueError if `table` is not one `database.table`, or `moment` or `base_at` is none of these. Raise
        BinlogError if the logs do not reach the moment, or do not tell the rows of the table apart, or if the base
        cannot be read.
        """
        from pybinlog.asof.answer import RowsAsOf, dictionary
        from pybinlog.asof.reading import Logs
        from pybinlog.views.definitions import CatalogsAlong
        from pybinlog.views.options import tables
        from pybinlog.where import Condition

        ((database, name), *others) = tables(table)
        if database is None or others:
            raise ValueError(f"{table!r} is not one table; write database.table")
        if base_at is not None and base is None:
            raise ValueError("base_at is the moment of a base; give base, too")
        asked = moment_of("moment", moment)
        asked_of_base = None if base_at is None else moment_of("base_at", base_at)
        condition = None if where is None else Condition(where, time_zone)
        self._check_open()

        def warn(sentence: str) -> None:
            warnings.warn(sentence, errors.BinlogWarning, stacklevel=2)

        with IN_PYTHON:
            spans = self._spans()
            logs = Logs(self.names, spans, lambda: CatalogsAlong(self._tables, spans), warn)
            if base is not None:
                from pybinlog.asof.dump_rows import dump_base

                known = dump_base(os.fspath(base), (database, name), asked_of_base, self._tables, self.names)
                for remark in known.remarks:
                    warn(remark)
                found = self._tables if len(self._tables) else known.catalog
                logs = Logs(self.names, spans, lambda: CatalogsAlong(found, spans), warn, known)
            yield from map(dictionary, RowsAsOf(logs, (database, name), asked, condition).rows())

    def _frame(
        self,
        view_name: str,
        columns: Iterable[str] | None,
        table: str | None,
        start: datetime | None,
        stop: datetime | None,
        gtids: str | None,
        **more: Any,
    ) -> Frame:
        from pybinlog.views.frame import Frame, microseconds, named
        from pybinlog.views.options import ViewOptions, tables
        from pybinlog.views.schema import ALL_VIEWS

        view = ALL_VIEWS[view_name]
        wanted = None if columns is None else list(columns)
        options = ViewOptions(
            view=view.name,
            columns=None if view.of_one_table else named(wanted, view),
            tables=None if table is None else tables(table),
            start_time=microseconds("start", start),
            stop_time=microseconds("stop", stop),
            include_gtids=gtids,
            first_position=self._start_position,
            **more,
        )
        options.scope("events")  # ValueError comes early

        def with_shape() -> ViewOptions:
            from pybinlog.views.definitions import CatalogsAlong
            from pybinlog.views.table_survey import table_shape

            with IN_PYTHON:
                spans = self._spans()
                known = CatalogsAlong(self._tables, spans, opens=self._opened)
                shape = table_shape(options, spans, wanted, None, known, self._opened)
                return options.replace(table=shape, columns=named(wanted, shape.view))

        def python_rows(options: ViewOptions) -> Generator[dict[str, Any], None, None]:
            from pybinlog.views.typed_rows import read_dictionaries, typed_rows

            if view.name == "rows":
                return self._read(options, lambda reader, span: typed_rows(reader.feed, options, span))
            return self._read(options, read_dictionaries)

        def batches(options: ViewOptions) -> Generator[ViewBatch, None, None]:
            return self._read(options, lambda reader, span: reader.batches(span))

        return Frame(with_shape if view.of_one_table else lambda: options, batches, python_rows)

    def _read(
        self, options: ViewOptions, made: Callable[[ViewReader, Span], Generator[T, None, None]]
    ) -> Generator[T, None, None]:
        """Yield what `made` makes of each span of the logs."""
        from pybinlog.views.definitions import CatalogsAlong
        from pybinlog.views.reader import ViewReader
        from pybinlog.views.remarks import report

        lost: list[str] = []

        def warn(sentence: str) -> None:
            lost.append(IN_PYTHON.words(sentence))

        with IN_PYTHON:
            spans = self._spans()
            known: CatalogsAlong | None = None
            if options.needs_names:
                again = None if any(map(read_once, self.names)) else spans
                known = CatalogsAlong(self._tables, again, warn=warn, opens=self._opened)
            reader = ViewReader(
                options, opens=self._opened, as_it_comes=True, force_read=self._force_read, gaps=self._gap_watch()
            )
            for span in spans:
                if known is not None:
                    reader.feed.catalog = known(span)
                    reader.feed.catalog.warn = warn
                with closing(made(reader, span)) as found:
                    for one in found:
                        while lost:
                            warnings.warn(lost.pop(0), errors.BinlogWarning, stacklevel=2)
                        yield one
                        del one
                        self._check_open()
            report(
                reader.feed.remarks,
                lambda sentence: warnings.warn(IN_PYTHON.words(sentence), errors.BinlogWarning, stacklevel=4),
            )

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
                            raise errors.EncryptedError(errors.EVENTS_ENCRYPTED, **where, hint=errors.KEYRING_HINT)

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
        gaps = self._gap_watch()
        with IN_PYTHON:
            for span in self._spans():
                scanner = Scanner(force_read=self._force_read)
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
            warnings.warn(sentence, errors.BinlogWarning, stacklevel=2)

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
        except errors.BinlogError:
            self._check_open()  # its file was closed: that is why it cannot be read
            raise
        finally:
            self._being_read.pop(id(source), None)

    def _next_source(self, name: str) -> Source:
        """Return the log from its first byte on. Raise SourceError if it can be read only once and was read already."""
        if name in self._begun and read_once(name):
            raise errors.SourceError(READ_ALREADY, file=name)
        self._begun.add(name)
        try:
            return self._unread.pop() if name == self.names[0] else source_of(name)
        except IndexError:
            return source_of(name)

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError("the log is closed")


def moment_of(argument: str, moment: datetime | str) -> Moment:
    """Return the moment that an argument gives. Raise ValueError if it gives none."""
    from pybinlog.asof.moment import Moment
    from pybinlog.views.frame import microseconds

    if isinstance(moment, str):
        return Moment.of_text(moment, no_time)
    return Moment(str(moment), time=microseconds(argument, moment))


def no_time(text: str) -> int:
    """Raise ValueError: a time is given as a datetime."""
    raise ValueError(f"{text!r} is not a GTID or log:position; give a time as a datetime")


def row_filters(
    where: str | None, where_unknown: str, time_zone: str, operation: str | Iterable[str] | None
) -> dict[str, Any]:
    """Return the filters of rows as ViewOptions has them. Raise ValueError if one is malformed."""
    from pybinlog.views.frame import operations

    found: dict[str, Any] = {"operations": operations(operation)}
    if where is not None:
        from pybinlog.where import Condition

        if where_unknown not in ("keep", "drop"):
            raise ValueError(f"where_unknown is 'keep' or 'drop', not {where_unknown!r}")
        found["where"] = Condition(where, time_zone, where_unknown == "drop")
        found["where"].check()
    return found


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

    opened = Keyring(paths, password_path)
    return tuple(name if name.startswith(SERVER) else KeyedLog(name, opened) for name in names)


def source_of(name: str) -> Source:
    return open_source(name, sys.stdin.buffer if name == "-" else None)
