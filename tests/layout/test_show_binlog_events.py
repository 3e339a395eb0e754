"""Fields of the events against what SHOW BINLOG EVENTS said of them on the server that wrote them."""

import re
import uuid
from typing import Any

import pytest

from pybinlog.event_types import DELETE_TYPES, UPDATE_TYPES, WRITE_TYPES, EventFlag, EventType, printed_name
from pybinlog.layout import Format, GtidField, StatusVar, gtid_field, status_var
from pybinlog.layout.gtid import CompressionType, PayloadField
from pybinlog.layout.statement import IntvarType, UserVarType
from tests.layout.compression import payload_events, payload_field, uncompress
from tests.layout.user_variables import user_var_value

from ..corpus import Scenario, scenarios
from .logs import events_of

ROWS = WRITE_TYPES | UPDATE_TYPES | DELETE_TYPES
_MARIADB_SETTINGS = re.compile("; set [a-z_]+=[^;]*; ")
_INNER = Format.default().without_checksum()
_UNESCAPED = {"t": "\t", "n": "\n", "\\": "\\", "0": "\0"}


def _unescape(text: str) -> str:
    parts = iter(text)
    return "".join(_UNESCAPED[next(parts)] if char == "\\" else char for char in parts)


def _gtid_text(event: Any) -> str:
    body = event.body
    if event.header.event_type == EventType.ANONYMOUS_GTID:
        return "ANONYMOUS"
    if event.header.event_type == EventType.GTID:
        return f"{uuid.UUID(bytes=body.sid)}:{body.gno}"
    sid = uuid.UUID(bytes=bytes(gtid_field(body, GtidField.SID)))
    return f"{sid}:{gtid_field(body, GtidField.TAG)}:{gtid_field(body, GtidField.GNO)}"


def _gtid_set_text(body: Any) -> str:
    lines: list[str] = []
    last = None
    for source in body.sources:
        intervals = ":".join(
            f"{part.start}" if part.end == part.start + 1 else f"{part.start}-{part.end - 1}"
            for part in source.intervals
        )
        text = f"{source.tag}:{intervals}" if source.tag else intervals
        if source.sid == last:
            lines[-1] += f":{text}"
        else:
            lines.append(f"{uuid.UUID(bytes=source.sid)}:{text}")
        last = source.sid
    return ",\n".join(lines)


def _query_info(event: Any, query: bytes) -> str:
    body = event.body
    xid = status_var(body, StatusVar.DDL_LOGGED_WITH_XID)
    use = f"use `{body.db.replace('`', '``')}`; " if body.db and not event.header.flags & EventFlag.SUPPRESS_USE else ""
    return use + query.decode("utf-8", "replace") + (f" /* xid={xid} */" if xid is not None else "")


def _xid_text(xid: Any) -> str:
    return f"X'{xid.gtrid.hex()}',X'{xid.bqual.hex()}',{xid.format_id}"


def _info(event: Any) -> str | None:
    """The Info column; None for an event whose Info this does not form."""
    kind, body = event.header.event_type, event.body
    if kind == EventType.FORMAT_DESCRIPTION:
        return f"Server ver: {body.server_version}, Binlog ver: {body.binlog_version}"
    if kind in (EventType.GTID, EventType.ANONYMOUS_GTID, EventType.GTID_TAGGED):
        return f"SET @@SESSION.GTID_NEXT= '{_gtid_text(event)}'"
    if kind == EventType.PREVIOUS_GTIDS:
        return _gtid_set_text(body)
    if kind == EventType.ROTATE:
        return f"{body.new_log_ident};pos={body.position}"
    if kind == EventType.XID:
        return f"COMMIT /* xid={body.xid} */"
    if kind == EventType.XA_PREPARE:
        return f"XA COMMIT {_xid_text(body)} ONE PHASE" if body.one_phase else f"XA PREPARE {_xid_text(body)}"
    if kind == EventType.INTVAR:
        return f"{IntvarType(body.type).name}={body.value}"
    if kind == EventType.RAND:
        return f"rand_seed1={body.seed1},rand_seed2={body.seed2}"
    if kind in (EventType.BEGIN_LOAD_QUERY, EventType.APPEND_BLOCK):
        return f";file_id={body.file_id};block_len={len(body.block_data)}"
    if kind == EventType.QUERY:
        return _query_info(event, body.query)
    if kind == EventType.MARIA_QUERY_COMPRESSED:
        return _query_info(event, uncompress(body.query))
    if kind == EventType.EXECUTE_LOAD_QUERY:
        return f"{_query_info(event, body.query)} ;file_id={body.file_id}"
    if kind == EventType.TABLE_MAP:
        return f"table_id: {body.table_id} ({body.db}.{body.table})"
    if kind in ROWS:
        flags = [name for bit, name in ((1, "STMT_END_F"), (16, "USE_SQL_FOREIGN_KEY_F")) if body.flags & bit]
        return f"table_id: {body.table_id}" + (f" flags: {' '.join(flags)}" if flags else "")
    if kind == EventType.TRANSACTION_PAYLOAD:
        name = CompressionType(payload_field(body, PayloadField.COMPRESSION_TYPE)).name
        size = sum(part.header.event_size for part in payload_events(body, _INNER))
        assert size == payload_field(body, PayloadField.UNCOMPRESSED_SIZE)
        return f"compression='{name}', decompressed_size={size} bytes"
    if kind == EventType.USER_VAR and (body.is_null or body.type in (UserVarType.INT, UserVarType.DECIMAL)):
        value = (
            "NULL" if body.is_null else format(user_var_value(body), "f" if body.type == UserVarType.DECIMAL else "d")
        )
        return f"@`{body.name.replace('`', '``')}`={value}"
    return _mariadb_info(event)


def _mariadb_info(event: Any) -> str | None:
    kind, body = event.header.event_type, event.body
    if kind == EventType.MARIA_BINLOG_CHECKPOINT:
        return str(body.filename)
    if kind == EventType.MARIA_GTID_LIST:
        parts = sorted(body.list, key=lambda part: (part.domain_id, part.server_id))
        return "[" + ",".join(f"{part.domain_id}-{part.server_id}-{part.seq_no}" for part in parts) + "]"
    if kind == EventType.MARIA_ANNOTATE_ROWS:
        return body.query.decode("utf-8", "replace")
    return None


def _rows(scenario: Scenario) -> dict[tuple[str, int, str], list[str]]:
    """The rows by log, position and name of the type: events inside a payload have the position of its end."""
    lines = (scenario.folder / "show-binlog-events.tsv").read_text("utf-8", errors="replace").split("\n")
    rows: dict[tuple[str, int, str], list[str]] = {}
    for line in lines[1:]:
        columns = line.split("\t")
        if len(columns) == 6:
            rows.setdefault((columns[0], int(columns[1]), columns[2].lower()), columns)
    return rows


CASES = [
    scenario
    for scenario in scenarios()
    if scenario.intact and (scenario.folder / "show-binlog-events.tsv").exists() and scenario.folder.name != "large"
]


@pytest.mark.parametrize("scenario", CASES, ids=lambda scenario: scenario.name)
def test_fields_are_those_that_show_binlog_events_showed(scenario: Scenario) -> None:
    rows = _rows(scenario)
    compared = 0
    for log in scenario.logs:
        for position, event, _format in events_of(log):
            row = rows.get((log.name, position, printed_name(event.header.event_type).lower()))
            if row is None:
                continue
            assert (int(row[3]), int(row[4])) == (event.header.server_id, event.header.end_log_pos)
            info = _info(event)
            if info is not None and info.isascii():
                assert info == _MARIADB_SETTINGS.sub("; ", _unescape(row[5])), f"{log.name} at {position}"
                compared += 1
    assert compared > len(rows) // 2
