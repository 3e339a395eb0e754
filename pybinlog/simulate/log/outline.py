"""The outline of a simulated log: a line for each event, with the connection whose change it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from construct import Container

from pybinlog.event_types import EventType, printed_name
from pybinlog.layout import Format, Row, decode_rows, parse_event, user_var_value

FIRST_POSITION = 4
SIZE = slice(9, 13)
ROWS = (EventType.WRITE_ROWS, EventType.UPDATE_ROWS, EventType.DELETE_ROWS)
INTVARS = {1: "LAST_INSERT_ID", 2: "INSERT_ID"}
NAME_WIDTH = 16


def outline(
    files: Mapping[str, bytes], owners: Mapping[tuple[str, int], int], names: Mapping[int, str]
) -> Iterator[str]:
    """The lines for logs by name; `owners` are the ids of connections by log and position, `names` their names."""
    width = max((len(name) + 2 for name in names.values() if name), default=0)
    for file, data in files.items():
        yield file
        maps: dict[int, Container] = {}
        position, form = FIRST_POSITION, Format.default()
        while position < len(data):
            event = data[position : position + int.from_bytes(data[position:][SIZE], "little")]
            if event[4] == EventType.FORMAT_DESCRIPTION:
                form = Format.from_event(event)
            name = names.get(owners.get((file, position), 0))
            owner = f"{name}: " if name else ""
            yield f"  {owner:<{width}}{line(parse_event(event, form), maps)}".rstrip()
            position += len(event)


def line(event: Container, maps: dict[int, Container]) -> str:
    """An event's name and what it says."""
    kind, body = event.header.event_type, event.body
    if kind == EventType.TABLE_MAP:
        maps[body.table_id] = body
    return f"{printed_name(kind):<{NAME_WIDTH}}{details(kind, body, maps)}"


def details(kind: EventType, body: Any, maps: dict[int, Container]) -> str:
    if kind in (EventType.QUERY, EventType.ROWS_QUERY):
        return " ".join(bytes(body.query).decode("utf-8", "replace").split())
    if kind == EventType.TABLE_MAP:
        return f"{body.db}.{body.table}"
    if kind in ROWS:
        table = maps[body.table_id]
        return f"{table.db}.{table.table} {', '.join(map(changed, decode_rows(body, table)))}"
    if kind == EventType.GTID:
        return f"{UUID(bytes=bytes(body.sid))}:{body.gno}"
    if kind == EventType.XID:
        return f"{body.xid}"
    if kind == EventType.INTVAR:
        return f"{INTVARS[int(body.type)]}={body.value}"
    if kind == EventType.RAND:
        return f"{body.seed1}, {body.seed2}"
    if kind == EventType.USER_VAR:
        return f"@{body.name}={value(user_var_value(body))}"
    if kind == EventType.XA_PREPARE:
        xid = f"X'{body.gtrid.hex()}',X'{body.bqual.hex()}',{body.format_id}"
        return f"XA COMMIT {xid} ONE PHASE" if body.one_phase else f"XA PREPARE {xid}"
    if kind == EventType.ROTATE:
        return str(body.new_log_ident)
    return ""


def changed(row: Row) -> str:
    """+(new), -(old) or (old)->(new)."""
    if row.before is None:
        return f"+{values(row.after or {})}"
    if row.after is None:
        return f"-{values(row.before)}"
    return f"{values(row.before)}->{values(row.after)}"


def values(image: Mapping[str, Any]) -> str:
    return f"({', '.join(map(value, image.values()))})"


def value(found: Any) -> str:
    if found is None:
        return "NULL"
    return repr(found) if isinstance(found, (str, bytes)) else str(found)
