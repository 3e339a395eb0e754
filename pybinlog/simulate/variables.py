"""SET: the session variables that the model has, and what each of them changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pybinlog.schema import SqlError, collation_id
from pybinlog.schema.charset import named_character_set, named_collation
from pybinlog.simulate.commit import implicit_commit
from pybinlog.simulate.connection import Connection, default_sql_mode
from pybinlog.simulate.errors import ScenarioError
from pybinlog.simulate.options import BinlogFormat
from pybinlog.simulate.query_event import SQL_MODES
from pybinlog.simulate.sql.execute import value_of
from pybinlog.simulate.sql.session import Session
from pybinlog.simulate.sql.syntax import Setting, SetVariables, Statement

__all__ = ["SETTERS", "set_variables"]

LATEST = 0xFFFFFFFF
"""The highest timestamp that an event header holds."""
TIME_ZONE = re.compile(r"SYSTEM|[+-](?:0\d|1[0-4]):[0-5]\d", re.IGNORECASE)
NOT_FOR_CLIENTS = ("ucs2", "utf16", "utf16le", "utf32")
LEVELS = ("READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE")

Setter = Callable[[Connection, Any], None]
"""What sets a variable to a value; None stands for DEFAULT."""


def set_variables(connection: Connection, statement: Statement, node: SetVariables) -> None:
    """Run a SET statement. Raises ScenarioError for a variable that the model does not have."""
    for setting in node.settings:
        if setting.name == "names" and setting.scope == "SESSION":
            set_names(connection, setting)
            continue
        value = value_of(setting, statement, connection.session)
        if setting.scope != "USER":
            setter_of(setting)(connection, value)


def setter_of(setting: Setting) -> Setter:
    """What sets a variable. Raises ScenarioError for one that the model does not have."""
    setter = SETTERS.get(setting.name)
    if setter is None:
        known = ", ".join(sorted([*SETTERS, "names"]))
        raise ScenarioError(f"the model has no variable {setting.name}", hint=f"It has {known}")
    if setting.scope != "SESSION":
        raise ScenarioError(
            f"the model has no global variables, so {setting.name} can be set for the session only",
            hint="What holds for all connections stands in the `-- server:` line",
        )
    return setter


def wrong(name: str, value: Any) -> SqlError:
    return SqlError(1231, f"Variable '{name}' can't be set to the value of '{value}'")


def switch(name: str, value: Any) -> bool:
    """ON or OFF, 1 or 0."""
    found = {"ON": True, "1": True, "TRUE": True, "OFF": False, "0": False, "FALSE": False}.get(str(value).upper())
    if found is None:
        raise wrong(name, value)
    return found


def whole(name: str, value: Any) -> int:
    try:
        return int(str(value))
    except ValueError:
        raise SqlError(1232, f"Incorrect argument type to variable '{name}'") from None


def small(name: str, value: Any) -> int:
    """A number from 1 to 65535; servers take the nearest one for any other."""
    return min(max(whole(name, value), 1), 65535)


def outside_of_a_transaction(connection: Connection, number: int, name: str) -> None:
    """Some variables cannot change in the middle of a transaction."""
    if connection.transaction_is_active:
        raise SqlError(number, f"Cannot modify @@session.{name} inside a transaction")


def set_autocommit(connection: Connection, value: Any) -> None:
    on = True if value is None else switch("autocommit", value)
    if on and not connection.autocommit:
        implicit_commit(connection)
    connection.autocommit = on


def set_binlog_format(connection: Connection, value: Any) -> None:
    outside_of_a_transaction(connection, 1679, "binlog_format")
    if value is None:
        connection.binlog_format = connection.state.options.format
        return
    try:
        connection.binlog_format = BinlogFormat(str(value).upper())
    except ValueError:
        raise wrong("binlog_format", value) from None


def set_direct(connection: Connection, value: Any) -> None:
    outside_of_a_transaction(connection, 1685, "binlog_direct_non_transactional_updates")
    connection.direct = (
        connection.state.options.direct if value is None else switch("binlog_direct_non_transactional_updates", value)
    )


def set_rows_query(connection: Connection, value: Any) -> None:
    connection.rows_query = (
        connection.state.options.rows_query if value is None else switch("binlog_rows_query_log_events", value)
    )


def set_row_image(connection: Connection, value: Any) -> None:
    image = connection.state.options.row_image if value is None else str(value).upper()
    if image not in ("FULL", "MINIMAL", "NOBLOB"):
        raise wrong("binlog_row_image", value)
    connection.row_image = image


def set_timestamp(connection: Connection, value: Any) -> None:
    """SET TIMESTAMP: seconds with a fraction; 0 and DEFAULT let the clock run again."""
    if value is None:
        connection.timestamp = None
        return
    seconds, _, fraction = str(value).partition(".")
    moment = whole("timestamp", seconds), whole("timestamp", fraction[:6].ljust(6, "0"))
    if not 0 <= moment[0] <= LATEST:
        raise wrong("timestamp", value)
    connection.timestamp = None if moment == (0, 0) else moment


def set_sql_mode(connection: Connection, value: Any) -> None:
    """A list of names; ANSI and TRADITIONAL stand for others, too."""
    session = connection.session
    if value is None:
        session.sql_mode = default_sql_mode(connection.state.options)
        return
    modes: set[str] = set()
    for name in filter(None, (part.strip().upper() for part in str(value).split(","))):
        if name not in SQL_MODES:
            raise wrong("sql_mode", name)
        modes |= COMBINED.get(name, frozenset()) | {name}
        if name == "TRADITIONAL" and not connection.state.options.modern:
            modes.add("NO_AUTO_CREATE_USER")
    session.sql_mode = frozenset(modes)


COMBINED = {
    "ANSI": frozenset({"REAL_AS_FLOAT", "PIPES_AS_CONCAT", "ANSI_QUOTES", "IGNORE_SPACE", "ONLY_FULL_GROUP_BY"}),
    "TRADITIONAL": frozenset(
        {
            "STRICT_TRANS_TABLES",
            "STRICT_ALL_TABLES",
            "NO_ZERO_IN_DATE",
            "NO_ZERO_DATE",
            "ERROR_FOR_DIVISION_BY_ZERO",
            "NO_ENGINE_SUBSTITUTION",
        }
    ),
}


def set_names(connection: Connection, setting: Setting) -> None:
    """SET NAMES: the character set of what the client sends, and the collation of its literals."""
    charset, collation = setting.words
    chosen = client_collation(connection, charset or "utf8mb4")
    connection.session.character_set_client = connection.session.collation_connection = chosen
    if collation:
        connection.session.collation_connection = connection.session.character_set_client = named_collation(collation)


def charset_collation(connection: Connection, character_set: str) -> int:
    """The default collation of a character set, as default_collation_for_utf8mb4 would have it."""
    if character_set.lower() == "utf8mb4" and connection.state.options.modern:
        return connection.session.default_collation_for_utf8mb4
    return named_character_set(character_set, connection.state.options.numbers)


def client_collation(connection: Connection, character_set: str) -> int:
    """The same for what a client speaks: not with more than one byte for ASCII."""
    if character_set.lower() in NOT_FOR_CLIENTS:
        raise wrong("character_set_client", character_set)
    return charset_collation(connection, character_set)


def set_collation(attribute: str) -> Setter:
    def setter(connection: Connection, value: Any) -> None:
        fresh = getattr(Session(connection.state.storage), attribute)
        setattr(connection.session, attribute, fresh if value is None else named_collation(str(value)))

    return setter


def set_character_set(attribute: str) -> Setter:
    def setter(connection: Connection, value: Any) -> None:
        character_set = "utf8mb4" if value is None else str(value)
        find = client_collation if attribute == "character_set_client" else charset_collation
        setattr(connection.session, attribute, find(connection, character_set))

    return setter


def set_default_collation(connection: Connection, value: Any) -> None:
    name = "utf8mb4_0900_ai_ci" if value is None else str(value)
    if name not in ("utf8mb4_0900_ai_ci", "utf8mb4_general_ci"):
        raise SqlError(3721, f"Invalid default collation {name}: utf8mb4_0900_ai_ci or utf8mb4_general_ci expected")
    connection.session.default_collation_for_utf8mb4 = collation_id(name)


def set_isolation(connection: Connection, value: Any) -> None:
    level = "REPEATABLE-READ" if value is None else str(value).upper()
    if level not in LEVELS:
        raise wrong("transaction_isolation", value)
    connection.session.transaction_isolation = level


def set_time_zone(connection: Connection, value: Any) -> None:
    """SYSTEM or an offset; named time zones need tables that the model does not have."""
    name = connection.state.options.time_zone if value is None else str(value)
    if not TIME_ZONE.fullmatch(name):
        raise SqlError(1298, f"Unknown or incorrect time zone: '{name}'")
    connection.session.time_zone = "SYSTEM" if name.upper() == "SYSTEM" else name


def on_session(attribute: str, default: Any, read: Callable[[str, Any], Any]) -> Setter:
    """A variable that is an attribute of the session as it is."""

    def setter(connection: Connection, value: Any) -> None:
        setattr(connection.session, attribute, default if value is None else read(attribute, value))

    return setter


def ignore(connection: Connection, value: Any) -> None:
    """A variable that changes nothing in the model: what clients get to see, for instance."""


SETTERS: dict[str, Setter] = {
    "autocommit": set_autocommit,
    "auto_increment_increment": on_session("auto_increment_increment", 1, small),
    "auto_increment_offset": on_session("auto_increment_offset", 1, small),
    "binlog_direct_non_transactional_updates": set_direct,
    "binlog_format": set_binlog_format,
    "binlog_row_image": set_row_image,
    "binlog_rows_query_log_events": set_rows_query,
    "character_set_client": set_character_set("character_set_client"),
    "character_set_connection": set_character_set("collation_connection"),
    "character_set_results": ignore,
    "character_set_server": set_character_set("collation_server"),
    "collation_connection": set_collation("collation_connection"),
    "collation_server": set_collation("collation_server"),
    "default_collation_for_utf8mb4": set_default_collation,
    "foreign_key_checks": on_session("foreign_key_checks", True, switch),
    "insert_id": on_session("insert_id", None, whole),
    "last_insert_id": on_session("last_insert_id", 0, whole),
    "rand_seed1": on_session("rand_seed1", None, whole),
    "rand_seed2": on_session("rand_seed2", None, whole),
    "sql_mode": set_sql_mode,
    "time_zone": set_time_zone,
    "timestamp": set_timestamp,
    "transaction_isolation": set_isolation,
    "tx_isolation": set_isolation,
    "unique_checks": on_session("unique_checks", True, switch),
}
"""Variable -> what setting it does."""
