"""The expected contents of views, from the library's events and their parsed bodies: slow and plain."""

import json
import struct
import uuid
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, TypeVar

import pybinlog
from pybinlog.boundary import BoundaryType
from pybinlog.catalog import Catalog
from pybinlog.errors import CorruptEventError
from pybinlog.event_types import ROW_TYPES, EventType
from pybinlog.feed.span import Span, spans
from pybinlog.feed.unlogged import label
from pybinlog.layout.gtid import GtidField, gtid_field
from pybinlog.layout.query import StatusVar
from pybinlog.log.event import Event
from pybinlog.statement.logged_tables import read_tables
from pybinlog.views.definitions import CatalogsAlong
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
GTIDS = (EventType.GTID, EventType.ANONYMOUS_GTID, EventType.GTID_TAGGED, EventType.MARIA_GTID)
STATEMENTS = (EventType.QUERY, EventType.EXECUTE_LOAD_QUERY, EventType.MARIA_QUERY_COMPRESSED)
ALONE = (*STATEMENTS, EventType.LOAD, EventType.NEW_LOAD, EventType.EXECUTE_LOAD)
E = TypeVar("E", bound="Expected")
MEMBERS = (BoundaryType.START_TRANSACTION, BoundaryType.INSIDE_TRANSACTION, BoundaryType.END_TRANSACTION)


def view(paths: Iterable[Path | str], name: str, **options: Any) -> list[dict[str, Any]]:
    """The rows of a view of these logs."""
    reader = ViewReader(ViewOptions(view=name, **options), in_order=False)
    rows: list[dict[str, Any]] = []
    for span in spans([str(path) for path in paths]):
        rows += read(reader, span)
    return rows


def named_view(paths: Iterable[Path | str], name: str, **options: Any) -> list[dict[str, Any]]:
    """The rows of a view with the names that the statements of these logs give."""
    known = CatalogsAlong(Catalog())
    rows: list[dict[str, Any]] = []
    for span in spans([str(path) for path in paths]):
        rows += read(ViewReader(ViewOptions(view=name, **options), catalog=known(span)), span)
    return rows


def read(reader: ViewReader, span: Span) -> list[dict[str, Any]]:
    return rows_of(reader.read(span))


def rows_of(batches: Iterable[Any]) -> list[dict[str, Any]]:
    """Batches of Arrow, which must be sound."""
    rows: list[dict[str, Any]] = []
    for batch in batches:
        batch.validate(full=True)
        for row in batch.to_pylist():
            rows.append(with_objects(row))
    return rows


def with_objects(row: dict[str, Any]) -> dict[str, Any]:
    """The row with objects for the JSON of its images."""
    return {
        name: json.loads(value) if name in ("before", "after", "table_rows") and value is not None else value
        for name, value in row.items()
    }


def moment(microseconds: int) -> datetime:
    return EPOCH + timedelta(microseconds=microseconds)


def text(data: bytes | str) -> str:
    """As a column of strings has it: U+FFFD for each invalid byte."""
    if isinstance(data, str):
        return data
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        head = data[: error.start].decode()
        return head + "\ufffd" + text(data[error.start + 1 :])


@dataclass
class Transaction:
    """One that is being put together."""

    file: str
    start: int | None
    place: tuple[str, int]
    """Its first event in the current file."""
    end: int = 0
    gtid: str | None = None
    begin: int | None = None
    commit: int | None = None
    events: int = 0
    rows: int | None = 0
    bytes: int = 0
    tables: list[str] = field(default_factory=list)
    ended: str | None = None
    xid: str | None = None
    thread: int | None = None
    table_rows: dict[str, int] = field(default_factory=dict)
    logical: tuple[int | None, int | None] = (None, None)
    lag: int | None = None
    is_exact: bool = False

    @property
    def duration(self) -> tuple[int | None, int | None]:
        """The microseconds that it took at most, and by how much that may be too long."""
        if self.begin is None or self.commit is None:
            return None, None
        most = self.commit - self.begin * 1_000_000
        return (most, 1_000_000) if self.is_exact else (most + 999_999, 2_000_000)

    @property
    def row(self) -> dict[str, Any]:
        return {
            "gtid": self.gtid,
            "file": self.file,
            "start_position": self.start,
            "end_position": self.end,
            "begin_time": None if self.begin is None else moment(self.begin * 1_000_000),
            "commit_time": None if self.commit is None else moment(self.commit),
            "seconds": None if self.begin is None or self.commit is None else self.commit // 1_000_000 - self.begin,
            "events": self.events,
            "rows": self.rows,
            "bytes": self.bytes,
            "tables": self.tables,
            "ended": self.ended,
            "xa_xid": self.xid,
            "thread_id": self.thread,
            "table_rows": None if self.rows is None else self.table_rows,
            "last_committed": self.logical[0],
            "sequence_number": self.logical[1],
            "commit_lag": self.lag,
            "duration": self.duration[0],
            "duration_error": self.duration[1],
        }


@dataclass
class Expected:
    """The rows of `events`, without `info`, and `transactions` for some logs, one after the other."""

    events: list[dict[str, Any]] = field(default_factory=list)
    transactions: list[dict[str, Any]] = field(default_factory=list)
    _open: Transaction | None = None

    @classmethod
    def of(cls: type[E], paths: Iterable[Path | str]) -> E:
        expected = cls()
        for span in spans([str(path) for path in paths]):
            for name in span.names:
                with pybinlog.open(name) as log:
                    for event in log:
                        expected._event(event)
            expected._close()
        return expected

    def _close(self) -> None:
        if self._open is not None:
            self.transactions.append(self._open.row)
            self._open = None

    def _event(self, event: Event) -> None:
        alone = event.boundary is BoundaryType.SELF_CONTAINED and event.type in ALONE
        member = event.boundary in MEMBERS or alone
        ends = alone or event.boundary is BoundaryType.END_TRANSACTION
        if member:
            starts = alone or event.boundary is BoundaryType.START_TRANSACTION
            if starts:
                self._close()
            if self._open is None:
                place = (event.file, event.position)
                self._open = Transaction(event.file, event.position if starts else None, place)
            if self._open.place[0] != event.file:
                self._open.place = (event.file, event.position)
            self._open.end = event.position + event.size
            self._open.bytes += event.size
        inner = list(event.events())
        self._row(event, event, member, ends and not inner)
        for inside in inner:
            self._row(inside, event, member, inside is inner[-1])
        if member and ends:
            self._close()

    def _row(self, event: Event, outer: Event, member: bool, last: bool) -> None:
        transaction = self._open if member else None
        if transaction is not None:
            take(transaction, event, last)
        query = statement(event)
        table = event if event.type == EventType.TABLE_MAP else event.table_map
        database = None
        if event.type in STATEMENTS:
            database = text(event.body.db) or None
        elif table is not None:
            database = text(table.body.db)
        self.events.append(
            {
                "file": event.file,
                "position": outer.position,
                "end_position": outer.position + outer.size,
                "timestamp": moment(event.timestamp * 1_000_000) if event.timestamp else None,
                "event_type": event.type_name,
                "server_id": event.server_id,
                "flags": int(event.flags),
                "boundary": event.boundary.printed_name,
                "boundary_inferred": event.inferred,
                "starts": event.starts.printed_name,
                "ends": event.ends.printed_name,
                "gtid": None if transaction is None else transaction.gtid,
                "xid": event.body.xid if event.type == EventType.XID else ddl_xid(event),
                "transaction_position": None if transaction is None else transaction.place[1],
                "database": database,
                "table": None if table is None else text(table.body.table),
                "query": None if query is None else text(query),
                "size": event.size,
                "checksum_ok": checksum_ok(event) if event is outer else None,
                "in_payload": event is not outer,
                "end_log_pos": outer.end_log_pos,
            }
        )


def statement(event: Event) -> bytes | None:
    if event.type == EventType.MARIA_QUERY_COMPRESSED:
        return zlib.decompress(event.body.query.data)
    if event.type in (*STATEMENTS, EventType.ROWS_QUERY, EventType.MARIA_ANNOTATE_ROWS):
        query: bytes = event.body.query
        return query
    return None


def changed_tables(event: Event) -> list[str]:
    """The tables whose rows a statement changes, if they are known; the kernel reads common statements by itself."""
    if event.type not in STATEMENTS:
        return []
    known = {item.code: item.value for item in event.body.status_vars}
    sets = known.get(StatusVar.CHARSET)
    charset = None if sets is None else struct.pack("<3H", *(value for name, value in sets.items() if name[0] != "_"))
    database = event.body.db.encode("utf-8", "surrogateescape")
    said = read_tables(statement(event) or b"", database, charset, 0, known.get(StatusVar.SQL_MODE, 0))
    return [label(schema, name or b"") for schema, name in said[2] or ()]


def ddl_xid(event: Event) -> int | None:
    if event.type not in STATEMENTS:
        return None
    found = [item.value for item in event.body.status_vars if item.code == StatusVar.DDL_LOGGED_WITH_XID]
    return found[0] if found else None


def checksum_ok(event: Event) -> bool | None:
    if event.checksum is None or event.format.checksum_algorithm != 1:
        return None
    data = bytearray(event.data)
    if event.type == EventType.FORMAT_DESCRIPTION:
        data[17] &= 0xFE
    return zlib.crc32(data[:-4]) == event.checksum


def take(transaction: Transaction, event: Event, last: bool) -> None:
    """Apply an event to its transaction."""
    transaction.events += 1
    if event.type in GTIDS:
        transaction.gtid, commit = gtid(event)
        transaction.commit = commit or transaction.commit
        transaction.is_exact = bool(commit)
        transaction.logical, transaction.lag = clock(event, commit)
        if event.type == EventType.MARIA_GTID and event.body.xid is not None:
            transaction.xid = xa_words(event.body.xid)
    elif event.timestamp and transaction.begin is None and event.type != EventType.TRANSACTION_PAYLOAD:
        transaction.begin = event.timestamp
    if event.type == EventType.TABLE_MAP:
        name = f"{text(event.body.db)}.{text(event.body.table)}"
        if name not in transaction.tables:
            transaction.tables.append(name)
        transaction.table_rows.setdefault(name, 0)
    elif event.type_code in ROW_TYPES:
        if event.table_map is None:
            transaction.rows = None
        elif transaction.rows is not None:
            try:
                transaction.rows += len(event.rows)
                table = event.table_map.body
                transaction.table_rows[f"{text(table.db)}.{text(table.table)}"] += len(event.rows)
            except CorruptEventError:  # the values of some types have no known length
                transaction.rows = None
    for name in changed_tables(event):
        if name not in transaction.tables:
            transaction.tables.append(name)
    query = (statement(event) or b"").strip().decode("utf-8", "replace")
    begins = query == "BEGIN" or query.startswith("XA START")
    tells = event.type in STATEMENTS and (transaction.thread is None or begins)
    if tells or event.type == EventType.MARIA_GTID:
        transaction.thread = event.body.thread_id
    ended = None
    for words in ("XA START", "XA PREPARE", "XA COMMIT", "XA ROLLBACK"):
        if event.type in STATEMENTS and query.startswith(words + " "):
            transaction.xid = query.removeprefix(words + " ")
            ended = words.lower()
    if event.type == EventType.XA_PREPARE:
        transaction.ended = "xa commit" if event.body.one_phase else "xa prepare"
        transaction.xid = xa_words(event.body)
    elif event.type == EventType.XID:
        transaction.ended = "commit"
    elif last and event.type == EventType.INCIDENT:
        transaction.ended = "incident"
    elif last and event.type in STATEMENTS:
        transaction.ended = {"COMMIT": "commit", "ROLLBACK": "rollback"}.get(query.upper(), ended or "statement")
    elif last:
        transaction.ended = "statement"
    if last and transaction.commit is None and event.timestamp:
        transaction.commit = event.timestamp * 1_000_000


def xa_words(body: Any) -> str:
    return f"X'{body.gtrid.hex()}',X'{body.bqual.hex()}',{body.format_id}"


def clock(event: Event, commit: int | None) -> tuple[tuple[int | None, int | None], int | None]:
    """The logical timestamps of a GTID, and the microseconds since the commit on its first server."""
    body = event.body
    if event.type == EventType.MARIA_GTID:
        return (None, None), None
    if event.type == EventType.GTID_TAGGED:
        logical = gtid_field(body, GtidField.LAST_COMMITTED), gtid_field(body, GtidField.SEQUENCE_NUMBER)
        original = gtid_field(body, GtidField.ORIGINAL_COMMIT_TIMESTAMP)
    else:
        logical = body.last_committed, body.sequence_number
        times = body.commit_timestamps or [None]
        original = times[1] if len(times) > 1 else None
    lag = None if not commit or original == 0 else commit - (commit if original is None else original)
    return logical if logical[1] else (None, None), lag


def gtid(event: Event) -> tuple[str | None, int | None]:
    """A GTID as text, and its immediate commit timestamp."""
    body = event.body
    if event.type == EventType.MARIA_GTID:
        return f"{body.domain_id}-{event.server_id}-{body.seq_no}", None
    if event.type == EventType.GTID_TAGGED:
        source = uuid.UUID(bytes=bytes(gtid_field(body, GtidField.SID)))
        tag = gtid_field(body, GtidField.TAG)
        number = gtid_field(body, GtidField.GNO)
        name = f"{source}:{tag}:{number}" if tag else f"{source}:{number}"
        return name, gtid_field(body, GtidField.IMMEDIATE_COMMIT_TIMESTAMP)
    commit = body.commit_timestamps[0] if body.commit_timestamps else None
    if event.type == EventType.ANONYMOUS_GTID:
        return None, commit
    return f"{uuid.UUID(bytes=body.sid)}:{body.gno}", commit
