"""The state of a server: the rows of its tables, and the definitions of everything beside them."""

import re
from typing import Any

from tests.undo.session import Session

OWN = "('mysql', 'sys', 'performance_schema', 'information_schema')"
QUERIES = {
    "events": "SELECT event_schema, event_name, status, definer, event_definition, interval_value, interval_field, "
    "on_completion, event_comment, sql_mode, time_zone, starts FROM information_schema.events",
    "triggers": "SELECT trigger_schema, trigger_name, action_timing, event_manipulation, event_object_table, "
    f"action_statement, definer, sql_mode FROM information_schema.triggers WHERE trigger_schema NOT IN {OWN}",
    "routines": "SELECT routine_schema, routine_name, routine_type, routine_definition, definer, sql_mode FROM "
    f"information_schema.routines WHERE routine_schema NOT IN {OWN}",
    "views": "SELECT table_schema, table_name, view_definition, definer FROM information_schema.views WHERE "
    f"table_schema NOT IN {OWN}",
    "databases": f"SELECT schema_name FROM information_schema.schemata WHERE schema_name NOT IN {OWN}",
}
TABLES = (
    "SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema "
    f"NOT IN {OWN}"
)
Snapshot = dict[str, Any]


def snapshot(session: Session) -> Snapshot:
    """Return what the server has: by table its checksum and definition; events, triggers, routines and views."""
    found: Snapshot = {name: sorted(session.select(query), key=str) for name, query in QUERIES.items()}
    for schema, table in sorted(session.select(TABLES), key=str):
        name = f"`{schema}`.`{table}`"
        definition = str(session.select(f"SHOW CREATE TABLE {name}")[0][1])
        checksum = session.select(f"CHECKSUM TABLE {name}")[0][1]
        found[f"{schema}.{table}"] = checksum, re.sub(r" AUTO_INCREMENT=\d+", "", definition)
    return found


def differences(expected: Snapshot, found: Snapshot) -> list[str]:
    return [
        f"{name}: expected {expected.get(name)}, found {found.get(name)}"
        for name in sorted({*expected, *found})
        if expected.get(name) != found.get(name)
    ]


def clean(session: Session) -> None:
    """Remove all databases, and decide all prepared XA transactions."""
    for row in session.select("XA RECOVER"):
        session.attempt(f"XA ROLLBACK '{row[3]}'")
    for (name,) in session.select(QUERIES["databases"]):
        session.run(f"DROP DATABASE `{name}`")
