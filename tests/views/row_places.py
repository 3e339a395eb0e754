"""The place and the source of each row of the view `rows`, from the library's events."""

import re
from dataclasses import dataclass, field
from typing import Any

from pybinlog.event_types import ROW_TYPES, EventType, RowsFlag
from pybinlog.log.event import Event
from pybinlog.source.log_series import LogName
from tests.views.expected import GTIDS, STATEMENTS, Expected, gtid, moment, statement, text

DDL = re.compile(
    r"(?:[\s(]|#.*\n|--\s.*\n|/\*(?!M?!)(?s:.*?)\*/|/\*M?!\d*)*(CREATE|ALTER|DROP|RENAME|TRUNCATE)[\s/*#]",
    re.IGNORECASE,
)
PLACES = (
    "gtid",
    "file",
    "position",
    "end_position",
    "transaction_position",
    "event",
    "row",
    "timestamp",
    "commit_time",
    "server_id",
    "thread_id",
    "xa_xid",
    "database",
    "table",
    "operation",
    "query",
)
"""The columns that are worked out here."""


@dataclass
class RowPlaces(Expected):
    """The rows of some logs, those of DDL among them, without what they hold."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    _number: int = 0
    _thread: int | None = None
    _commit: int | None = None
    _query: bytes | None = None

    def _row(self, event: Event, outer: Event, member: bool, last: bool) -> None:
        super()._row(event, outer, member, last)
        transaction = self._open if member else None
        if transaction is None:
            return
        if transaction.events == 1:
            self._number, self._thread, self._commit, self._query = 0, None, None, None
        if event.type in GTIDS:
            self._commit = gtid(event)[1] or event.timestamp * 1_000_000
            self._thread = event.body.thread_id if event.type == EventType.MARIA_GTID else None
        if event.type in STATEMENTS:
            words = text(statement(event) or b"")
            thread = event.body.thread_id
            if words == "BEGIN" or words.startswith("XA START"):
                self._thread = thread
            self._query = None
            if DDL.match(words):
                self._add(event, outer, "DDL", thread, text(event.body.db) or None, None, words)
        elif event.type in (EventType.ROWS_QUERY, EventType.MARIA_ANNOTATE_ROWS):
            self._query = statement(event)
        elif event.type_code in ROW_TYPES:
            table = event.table_map
            assert table is not None or not event.rows
            for before, after in event.rows:
                assert table is not None
                operation = "INSERT" if before is None else "DELETE" if after is None else "UPDATE"
                query = None if self._query is None else text(self._query)
                names = text(table.body.db), text(table.body.table)
                self._add(event, outer, operation, self._thread, *names, query)
            if event.body.flags & RowsFlag.STMT_END:
                self._query = None

    def _add(
        self,
        event: Event,
        outer: Event,
        operation: str,
        thread: int | None,
        database: str | None,
        table: str | None,
        query: str | None,
    ) -> None:
        transaction = self._open
        assert transaction is not None
        self._number += 1
        self.rows.append(
            {
                "gtid": transaction.gtid,
                "file": event.file,
                "position": outer.position,
                "end_position": outer.position + outer.size,
                "transaction_position": transaction.place[1],
                "event": transaction.events,
                "row": self._number,
                "timestamp": moment(event.timestamp * 1_000_000) if event.timestamp else None,
                "commit_time": moment(self._commit) if self._commit else None,
                "server_id": event.server_id,
                "thread_id": thread,
                # (an XA_prepare comes after the rows)
                "xa_xid": transaction.xid,
                "database": database,
                "table": table,
                "operation": operation,
                "query": query,
            }
        )


def place(row: dict[str, Any]) -> tuple[int, int, int]:
    return LogName.of(row["file"]).number or 0, row["transaction_position"], row["row"]


def in_order(rows: list[dict[str, Any]]) -> None:
    """Each row of a series is after the one before it, and none has the place of another."""
    places = [place(row) for row in rows]
    assert places == sorted(set(places))
    events = [(*found[:2], row["event"]) for found, row in zip(places, rows, strict=True)]
    assert events == sorted(events)
