"""The facts of a binary log, without those that differ from run to run: times, thread ids, table ids."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from construct import Container

from pybinlog.event_types import EventType
from pybinlog.layout import Format, GtidField, StatusVar, gtid_field, parse_event
from tests.layout.row_oracle import decode_rows

Fact = tuple[Any, ...]
FRAME = (EventType.FORMAT_DESCRIPTION, EventType.PREVIOUS_GTIDS, EventType.ROTATE, EventType.STOP)
ROWS = (EventType.WRITE_ROWS, EventType.UPDATE_ROWS, EventType.DELETE_ROWS)
UNNAMED = 21
"""A status variable of 9.x without a name here."""


def events(data: bytes) -> Iterator[Container]:
    """The events of a log, parsed."""
    position, form = 4, None
    while position < len(data):
        size = int.from_bytes(data[position + 9 : position + 13], "little")
        event = data[position : position + size]
        if event[4] == EventType.FORMAT_DESCRIPTION:
            form = Format.from_event(event)
        assert form is not None
        yield parse_event(event, form)
        position += size
    assert position == len(data)


def facts(data: bytes) -> list[Fact]:
    """Each event of a log as a tuple that begins with its type's name."""
    return list(each_fact(data))


def each_fact(data: bytes) -> Iterator[Fact]:
    maps: dict[int, Container] = {}
    for event in events(data):
        kind, body = event.header.event_type, event.body
        if kind == EventType.TABLE_MAP:
            maps[body.table_id] = body
        yield (kind.name, *details(kind, body, maps), event.header.flags)


def details(kind: EventType, body: Container, maps: dict[int, Container]) -> Fact:
    if kind == EventType.QUERY:
        variables = {StatusVar(var.code).name: plain(var.value) for var in body.status_vars if int(var.code) != UNNAMED}
        return body.db, bytes(body.query), body.error_code, variables
    if kind == EventType.TABLE_MAP:
        columns = plain(body.column_types), plain(body.column_metadata), body.null_bits
        return body.db, body.table, body.flags, *columns, plain(body.optional_metadata)
    if kind in ROWS:
        table = maps[body.table_id]
        return f"{table.db}.{table.table}", body.flags, plain(decode_rows(body, table))
    if kind in (EventType.GTID, EventType.ANONYMOUS_GTID):
        return body.gtid_flags, gtid_text(body.sid, "", body.gno)
    if kind == EventType.GTID_TAGGED:
        names = (GtidField.GTID_FLAGS, GtidField.SID, GtidField.TAG, GtidField.GNO)
        flags, uuid, tag, number = (gtid_field(body, name) for name in names)
        return flags, gtid_text(uuid, tag, number)
    if kind == EventType.PREVIOUS_GTIDS:
        return tuple(
            f"{gtid_text(source.sid, source.tag or '', interval.start)}-{interval.end - 1}"
            for source in body.sources
            for interval in source.intervals
        )
    if kind in (EventType.XID, EventType.ROTATE):
        return (body.get("xid"),)
    if kind in (EventType.FORMAT_DESCRIPTION, EventType.STOP):
        return ()
    return (plain(body),)


def gtid_text(uuid: Any, tag: str, number: int) -> str:
    return f"{UUID(bytes=bytes(uuid))}:{tag + ':' if tag else ''}{number}"


def plain(value: Any) -> Any:
    """Parsed containers as plain lists, dictionaries and values, which compare and print well."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items() if not str(key).startswith("_")}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return value


def without_frame(found: list[Fact]) -> list[Fact]:
    """The groups alone: without the events about the log itself."""
    names = {kind.name for kind in FRAME}
    return [fact for fact in found if fact[0] not in names]
