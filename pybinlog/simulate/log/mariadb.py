"""MariaDB's events in the place of MySQL's: its own GTIDs, rows of version 1, Annotate_rows.

Source: the MariaDB knowledge base, "Replication", and logs of MariaDB 11.8.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from pybinlog.event_types import EventFlag, EventType
from pybinlog.layout.mariadb import MariaGtidExtraFlag, MariaGtidFlag
from pybinlog.layout.rows import bitmap
from pybinlog.simulate.log.event import LoggedEvent

HEADER_LENGTHS = b"".join(
    (
        bytes.fromhex("380d000800120004040404120000e400041a08000000080808020000000a0a0a0000000000000a0a0a"),
        bytes(119),
        bytes.fromhex("041304000d0808080a0a0a"),
    )
)
"""The lengths of post-headers in its Format_description, to event type 171."""
V1 = {
    EventType.WRITE_ROWS: EventType.WRITE_ROWS_V1,
    EventType.UPDATE_ROWS: EventType.UPDATE_ROWS_V1,
    EventType.DELETE_ROWS: EventType.DELETE_ROWS_V1,
}
DOMAIN = 0
NO_ENGINE = 255
"""In the place of the number of engines: none has something to commit."""


def in_mariadb(
    events: Sequence[LoggedEvent], number: int, *, transactional: bool, committed: bool
) -> list[LoggedEvent]:
    """Return the events of a group as MariaDB writes them, after their Gtid, which stands for BEGIN.

    `number` is the GTID's. A group is transactional if a replica can roll all of it back; `committed`: COMMIT wrote it.
    """
    is_ddl = events[-1].immediate
    flags = MariaGtidFlag.ALLOW_PARALLEL
    extra, engines = MariaGtidExtraFlag.THREAD_ID, None
    if is_ddl:
        flags |= MariaGtidFlag.STANDALONE | MariaGtidFlag.DDL
    elif transactional:
        flags |= MariaGtidFlag.TRANSACTIONAL
    if committed and events[-1].event_type == EventType.QUERY:
        extra, engines = extra | MariaGtidExtraFlag.MULTI_ENGINE, NO_ENGINE
    body: dict[str, Any] = {
        "seq_no": number,
        "domain_id": DOMAIN,
        "flags2": int(flags),
        "commit_id": None,
        "xid": None,
        "flags_extra": int(extra),
        "extra_engines": engines,
        "sa_seq_no": None,
        "thread_id": next(event.body["thread_id"] for event in events if event.event_type == EventType.QUERY),
    }
    last = events[-1]
    gtid = LoggedEvent(EventType.MARIA_GTID, body, last.timestamp, EventFlag.SUPPRESS_USE, statement=last.statement)
    return [gtid, *_translated(events if is_ddl else events[1:])]


def _translated(events: Sequence[LoggedEvent]) -> Iterator[LoggedEvent]:
    for event in events:
        if event.event_type in V1:
            columns = bitmap([True] * event.body["column_count"])
            after = None if event.body["columns_after_image"] is None else columns
            images = {"columns_before_image": columns, "columns_after_image": after}
            body = {**event.body, "extra_row_info": None, **images}
            yield replace(event, event_type=V1[event.event_type], body=body)
        elif event.event_type == EventType.ROWS_QUERY:
            text = {"query": event.body["query"]}
            yield replace(event, event_type=EventType.MARIA_ANNOTATE_ROWS, body=text, flags=0)
        else:
            yield event


def opening(name: str, last: int, server_id: int, now: int) -> Iterator[LoggedEvent]:
    """Yield what follows the Format_description: the last GTID of the logs before, and from where recovery reads."""
    listed = [{"domain_id": DOMAIN, "server_id": server_id, "seq_no": last}] if last else []
    yield LoggedEvent(EventType.MARIA_GTID_LIST, {"list": listed}, now)
    yield LoggedEvent(EventType.MARIA_BINLOG_CHECKPOINT, {"filename": name}, now)
