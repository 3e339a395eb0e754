"""The events that a connection writes itself: Query with its status variables, Xid and XA_prepare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pybinlog.event_types import EventFlag, EventType
from pybinlog.layout import StatusVar
from pybinlog.simulate.connection import Connection
from pybinlog.simulate.log.event import LoggedEvent
from pybinlog.simulate.transaction_state import Xid

MAX_DATABASES = 16
TOO_MANY_DATABASES = 254
NO_FOREIGN_KEY_CHECKS = 1 << 26
RELAXED_UNIQUE_CHECKS = 1 << 27
SQL_MODES = {
    mode: bit
    for bit, mode in enumerate(
        "REAL_AS_FLOAT PIPES_AS_CONCAT ANSI_QUOTES IGNORE_SPACE . ONLY_FULL_GROUP_BY NO_UNSIGNED_SUBTRACTION "
        "NO_DIR_IN_CREATE . . . . . . . . . . . NO_AUTO_VALUE_ON_ZERO NO_BACKSLASH_ESCAPES STRICT_TRANS_TABLES "
        "STRICT_ALL_TABLES NO_ZERO_IN_DATE NO_ZERO_DATE ALLOW_INVALID_DATES ERROR_FOR_DIVISION_BY_ZERO . "
        "NO_AUTO_CREATE_USER HIGH_NOT_PRECEDENCE NO_ENGINE_SUBSTITUTION PAD_CHAR_TO_FULL_LENGTH "
        "TIME_TRUNCATE_FRACTIONAL".split()
    )
    if mode != "."
}
"""sql_mode -> its bit in Q_SQL_MODE."""


def query(
    connection: Connection,
    text: bytes,
    *,
    content: bool = True,
    immediate: bool = False,
    database: str | None = None,
    suppress_use: bool = False,
    more: Mapping[StatusVar, Any] | None = None,
    flags: int = 0,
) -> LoggedEvent:
    """Return a Query event of a connection, with the session variables that its statement runs under.

    `database` is the connection's where it is not given; `more` are the variables that only DDL has.
    """
    current = connection.session.database if database is None else database
    failed = connection.effect.error
    return connection.event(
        EventType.QUERY,
        {
            "thread_id": connection.id,
            "exec_time": 0,
            "error_code": failed.number if content and failed is not None else 0,
            "status_vars": _status_vars(connection, more or {}),
            "db": current or "",
            "query": text,
        },
        flags
        | (EventFlag.SUPPRESS_USE if suppress_use or not content else 0)
        | (EventFlag.THREAD_SPECIFIC if connection.uses_temporary else 0),
        content=content,
        immediate=immediate,
    )


def _status_vars(connection: Connection, more: Mapping[StatusVar, Any]) -> list[dict[str, Any]]:
    """Return the status variables, in the order in which servers write them."""
    session, effect = connection.session, connection.effect
    flags2 = (0 if session.foreign_key_checks else NO_FOREIGN_KEY_CHECKS) | (
        0 if session.unique_checks else RELAXED_UNIQUE_CHECKS
    )
    increments = {"increment": session.auto_increment_increment, "offset": session.auto_increment_offset}
    databases: dict[str, Any] | None = {"names": effect.databases} if effect.databases else None
    if len(effect.databases) > MAX_DATABASES:
        databases = {"count": TOO_MANY_DATABASES, "names": None}
    values: dict[StatusVar, Any] = {
        StatusVar.FLAGS2: flags2,
        StatusVar.SQL_MODE: sum(1 << SQL_MODES[mode] for mode in session.sql_mode),
        StatusVar.CATALOG_NZ: "std",
        StatusVar.AUTO_INCREMENT: increments if set(increments.values()) != {1} else None,
        StatusVar.CHARSET: {
            "character_set_client": session.character_set_client,
            "collation_connection": session.collation_connection,
            "collation_server": session.storage.default_collation,
        },
        StatusVar.TIME_ZONE: session.time_zone if effect.time_zone_used else None,
        StatusVar.TABLE_MAP_FOR_UPDATE: effect.table_map_for_update or None,
        StatusVar.INVOKER: {"user": "root", "host": "localhost"} if effect.invoker else None,
        StatusVar.UPDATED_DB_NAMES: databases,
        StatusVar.MICROSECONDS: (session.now[1] if effect.microseconds_used else 0) or None,
    }
    if connection.state.options.modern:
        later = {StatusVar.DEFAULT_COLLATION_FOR_UTF8MB4: session.default_collation_for_utf8mb4, **more}
        values.update(sorted(later.items()))
    return [{"code": code, "value": value} for code, value in values.items() if value is not None]


def xid(connection: Connection, number: int) -> LoggedEvent:
    """Return the Xid event that commits a transaction of the storage engine."""
    return connection.event(EventType.XID, {"xid": number}, content=False)


def xa_prepare(connection: Connection, name: Xid, *, one_phase: bool) -> LoggedEvent:
    """Return the XA_prepare event that ends an XA transaction's first group (WL#6860)."""
    body = {
        "one_phase": int(one_phase),
        "format_id": name.format_id & 0xFFFFFFFF,
        "gtrid": name.gtrid,
        "bqual": name.bqual,
    }
    return connection.event(EventType.XA_PREPARE, body, content=False)
