"""The outline of a simulated log: a line for each event, with the connection whose change it is."""

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from pybinlog.event_types import EventType
from pybinlog.kernel.base.charset import text_or_bytes
from pybinlog.layout import GtidField, gtid_field
from pybinlog.layout.statement import UserVarFlag, UserVarType
from pybinlog.library import Log
from pybinlog.log.event import Event, Row
from pybinlog.simulate.log.event import Trace
from pybinlog.simulate.log.mariadb import V1

LEGEND = """\
kind of statement: T, N or M    F format: S statement, R rows    E unsafe: W warned of, E refused, I neither
C cache: S stmt-cache, T trx-cache, I none    F flush: D with the statement, C at COMMIT, R at ROLLBACK, I never\
"""
WIDTH = 60


def explain(files: Mapping[str, bytes], traces: Sequence[Trace]) -> Iterator[str]:
    """Yield a line for each statement, with the letters of WL#2687's tables, and its events below it."""
    lines = {
        (name, event.position): f"{event.type_name:<{NAME_WIDTH}} {details(event)}".rstrip()
        for name, data in files.items()
        for event in Log(data)
    }
    yield from LEGEND.splitlines()
    for trace in traces:
        if not trace.line and not trace.events:
            continue
        owner = f"{trace.connection}: " if trace.connection else ""
        text = " ".join(trace.text.decode("utf-8", "replace").split())
        yield f"{owner}{text}" + (f"    (error {trace.error})" if trace.error else "")
        if trace.kind:
            cached = "".join(sorted(trace.cached)) or "I"
            yield f"    {trace.kind}   F - {trace.format}   E - {trace.unsafe}   C - {cached}   F - {trace.flush}"
        yield from (f"    {line}" for line in answered(trace))
        for name, position in trace.events:
            if (name, position) in lines:
                yield f"    {name}:{position:<8} {lines[name, position]}"


def answered(trace: Trace) -> Iterable[str]:
    """Return the rows of an answer, each as a line."""
    return () if trace.answer is None else trace.answer or ("no rows",)


ROWS = (*V1, *V1.values())
INTVARS = {1: "LAST_INSERT_ID", 2: "INSERT_ID"}
NAME_WIDTH = 15


def outline(
    files: Mapping[str, bytes], statements: Mapping[tuple[str, int], int], traces: Sequence[Trace]
) -> Iterator[str]:
    """Yield the lines for logs by name; `statements` are the numbers of `traces` by log and position.

    The rows of an answer stand where the log ended when it was given.
    """
    asked = [trace for trace in traces if trace.answer is not None]
    width = max((len(trace.connection) + 2 for trace in traces if trace.connection), default=0)
    for file, data in files.items():
        yield file
        for event in Log(data):
            yield from _answers(asked, (file, event.position), width)
            number = statements.get((file, event.position))
            name = traces[number].connection if number is not None else ""
            owner = f"{name}: " if name else ""
            yield f"  {owner:<{width}}{event.type_name:<{NAME_WIDTH}} {details(event)}".rstrip()
        yield from _answers(asked, (file, len(data)), width, later=True)


def _answers(asked: Sequence[Trace], place: tuple[str, int], width: int, *, later: bool = False) -> Iterator[str]:
    """Yield the lines of the answers at a place; `later`: also those after it, in a part of the log that is lost."""
    for trace in asked:
        file, position = trace.place or ("", 0)
        if file == place[0] and (position == place[1] or (later and position > place[1])):
            for line in answered(trace):
                yield f"  {trace.connection + ': ':<{width}}{'XA RECOVER':<{NAME_WIDTH}} {line}"


def details(event: Event) -> str:
    kind, body = event.type, event.body
    if kind in (EventType.QUERY, EventType.ROWS_QUERY, EventType.MARIA_ANNOTATE_ROWS):
        return " ".join(bytes(body.query).decode("utf-8", "replace").split())
    if kind == EventType.TABLE_MAP:
        return f"{body.db}.{body.table}"
    if kind in ROWS:
        assert event.table_map is not None
        table = event.table_map.body
        return f"{table.db}.{table.table} {', '.join(map(changed, event.rows))}"
    if kind == EventType.MARIA_GTID:
        return f"{body.domain_id}-{event.server_id}-{body.seq_no}"
    if kind == EventType.MARIA_GTID_LIST:
        return ",".join(f"{gtid.domain_id}-{gtid.server_id}-{gtid.seq_no}" for gtid in body.list)
    if kind == EventType.MARIA_BINLOG_CHECKPOINT:
        return str(body.filename)
    if kind == EventType.GTID:
        return f"{UUID(bytes=bytes(body.sid))}:{body.gno}"
    if kind == EventType.GTID_TAGGED:
        uuid, tag, number = (gtid_field(body, field) for field in (GtidField.SID, GtidField.TAG, GtidField.GNO))
        return f"{UUID(bytes=bytes(uuid))}:{tag}:{number}"
    if kind == EventType.XID:
        return f"{body.xid}"
    if kind == EventType.INTVAR:
        return f"{INTVARS[int(body.type)]}={body.value}"
    if kind == EventType.RAND:
        return f"{body.seed1}, {body.seed2}"
    if kind == EventType.USER_VAR:
        return f"@{body.name}={value(variable(body))}"
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


def variable(body: Any) -> Any:
    """Return the value of a User_var."""
    if body.is_null or body.type == UserVarType.STRING:
        return None if body.is_null else text_or_bytes(body.value, body.charset)
    if body.type == UserVarType.REAL:
        return struct.unpack("<d", body.value)[0]
    return int.from_bytes(body.value, "little", signed=not body.flags & UserVarFlag.UNSIGNED)


def value(found: Any) -> str:
    if found is None:
        return "NULL"
    return repr(found) if isinstance(found, (str, bytes)) else str(found)
