"""SET: the session variables that the model has, and what each of them changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pybinlog.simulate.connection import default_sql_mode
from pybinlog.simulate.errors import ScenarioError, StatementError
from pybinlog.simulate.events import SQL_MODES
from pybinlog.simulate.options import BinlogFormat
from pybinlog.simulate.storage import DEFAULT, assign, collation_id, default_collation

if TYPE_CHECKING:
    from pybinlog.simulate.connection import Connection

__all__ = ["set_variables"]

LOCALES = {"en_US": 0, "en_GB": 1, "ja_JP": 2, "sv_SE": 3, "de_DE": 4, "fr_FR": 5}
LATEST = 0xFFFFFFFF
"""The highest timestamp that an event header holds."""
TIME_ZONE = re.compile(r"SYSTEM|[+-](?:0\d|1[0-4]):[0-5]\d", re.IGNORECASE)
NOT_FOR_CLIENTS = ("ucs2", "utf16", "utf16le", "utf32")


def set_variables(connection: Connection, text: bytes) -> None:
    """Run a SET statement. Raises ScenarioError for a variable that the model does not have."""
    for assignment in assign(text, connection.session):
        name = assignment.name.lower()
        setter = SETTERS.get(name)
        if setter is None:
            raise ScenarioError(f"the model has no variable {name}", hint=f"It has {', '.join(sorted(SETTERS))}")
        if assignment.scope.upper() != "SESSION":
            raise ScenarioError(
                f"the model has no global variables, so {name} can be set for the session only",
                hint="What holds for all connections stands in the `-- server:` line",
            )
        setter(connection, assignment.value)


def wrong(name: str, value: Any) -> StatementError:
    return StatementError(1231, f"Variable '{name}' can't be set to the value of '{value}'")


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
        raise StatementError(1232, f"Incorrect argument type to variable '{name}'") from None


def small(name: str, value: Any) -> int:
    """A number from 1 to 65535; servers take the nearest one for any other."""
    return min(max(whole(name, value), 1), 65535)


def outside_of_a_transaction(connection: Connection, number: int, name: str) -> None:
    """Some variables cannot change in the middle of a transaction."""
    if connection.transaction_is_active:
        raise StatementError(number, f"Cannot modify @@session.{name} inside a transaction")


def set_autocommit(connection: Connection, value: Any) -> None:
    on = True if value is DEFAULT else switch("autocommit", value)
    if on and not connection.autocommit:
        connection.implicit_commit()
    connection.autocommit = on


def set_binlog_format(connection: Connection, value: Any) -> None:
    outside_of_a_transaction(connection, 1679, "binlog_format")
    if value is DEFAULT:
        connection.binlog_format = connection.server.options.format
        return
    try:
        connection.binlog_format = BinlogFormat(str(value).upper())
    except ValueError:
        raise wrong("binlog_format", value) from None


def set_direct(connection: Connection, value: Any) -> None:
    outside_of_a_transaction(connection, 1685, "binlog_direct_non_transactional_updates")
    connection.direct = (
        connection.server.options.direct
        if value is DEFAULT
        else switch("binlog_direct_non_transactional_updates", value)
    )


def set_rows_query(connection: Connection, value: Any) -> None:
    connection.rows_query = (
        connection.server.options.rows_query if value is DEFAULT else switch("binlog_rows_query_log_events", value)
    )


def set_row_image(connection: Connection, value: Any) -> None:
    image = connection.server.options.row_image if value is DEFAULT else str(value).upper()
    if image not in ("FULL", "MINIMAL", "NOBLOB"):
        raise wrong("binlog_row_image", value)
    connection.row_image = image


def set_timestamp(connection: Connection, value: Any) -> None:
    """SET TIMESTAMP: seconds with a fraction; 0 and DEFAULT let the clock run again."""
    if value is DEFAULT:
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
    if value is DEFAULT:
        session.sql_mode = default_sql_mode(connection.server.options)
        return
    modes: set[str] = set()
    for name in filter(None, (part.strip().upper() for part in str(value).split(","))):
        if name not in SQL_MODES:
            raise wrong("sql_mode", name)
        modes |= COMBINED.get(name, frozenset()) | {name}
        if name == "TRADITIONAL" and not connection.server.options.modern:
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


def set_names(connection: Connection, value: Any) -> None:
    session = connection.session
    character_set, collation = ("DEFAULT", None) if value is DEFAULT else value
    if str(character_set).upper() == "DEFAULT":
        character_set = "utf8mb4"
    chosen = client_collation(connection, str(character_set)) if collation is None else known_collation(str(collation))
    session.character_set_client = session.collation_connection = chosen


def charset_collation(connection: Connection, character_set: str) -> int:
    """The default collation of a character set, as default_collation_for_utf8mb4 would have it."""
    if character_set.lower() == "utf8mb4" and connection.server.options.modern:
        return connection.session.default_collation_for_utf8mb4
    try:
        return default_collation(character_set.lower(), connection.server.options.numbers)
    except KeyError:
        raise StatementError(1115, f"Unknown character set: '{character_set}'") from None


def client_collation(connection: Connection, character_set: str) -> int:
    """The same for what a client speaks: not with more than one byte for ASCII."""
    if character_set.lower() in NOT_FOR_CLIENTS:
        raise wrong("character_set_client", character_set)
    return charset_collation(connection, character_set)


def known_collation(name: str) -> int:
    try:
        return collation_id(name.lower())
    except KeyError:
        raise StatementError(1273, f"Unknown collation: '{name}'") from None


def set_collation(attribute: str) -> Callable[[Connection, Any], None]:
    def setter(connection: Connection, value: Any) -> None:
        session = connection.session
        if value is DEFAULT:
            fresh = type(session)(connection.server.storage, connection_id=connection.id)
            setattr(session, attribute, getattr(fresh, attribute))
        else:
            setattr(session, attribute, known_collation(str(value)))

    return setter


def set_character_set(attribute: str) -> Callable[[Connection, Any], None]:
    def setter(connection: Connection, value: Any) -> None:
        character_set = "utf8mb4" if value is DEFAULT else str(value)
        find = client_collation if attribute == "character_set_client" else charset_collation
        setattr(connection.session, attribute, find(connection, character_set))

    return setter


def set_default_collation(connection: Connection, value: Any) -> None:
    name = "utf8mb4_0900_ai_ci" if value is DEFAULT else str(value)
    if name not in ("utf8mb4_0900_ai_ci", "utf8mb4_general_ci"):
        raise StatementError(
            3721, f"Invalid default collation {name}: utf8mb4_0900_ai_ci or utf8mb4_general_ci expected"
        )
    connection.session.default_collation_for_utf8mb4 = collation_id(name)


def set_explicit_defaults(connection: Connection, value: Any) -> None:
    on = connection.server.options.modern if value is DEFAULT else switch("explicit_defaults_for_timestamp", value)
    connection.session.explicit_defaults_for_timestamp = on


def set_locale(connection: Connection, value: Any) -> None:
    name = "en_US" if value is DEFAULT else str(value)
    if name not in LOCALES:
        raise ScenarioError(f"the model has no locale {name}", hint=f"It has {', '.join(LOCALES)}")
    connection.lc_time_names = LOCALES[name]
    connection.session.lc_time_names = name


def set_isolation(connection: Connection, value: Any) -> None:
    level = "REPEATABLE-READ" if value is DEFAULT else str(value).upper()
    if level not in ("READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"):
        raise wrong("transaction_isolation", value)
    connection.session.transaction_isolation = level


def set_time_zone(connection: Connection, value: Any) -> None:
    """SYSTEM or an offset; named time zones need tables that the model does not have."""
    name = connection.server.options.time_zone if value is DEFAULT else str(value)
    if not TIME_ZONE.fullmatch(name):
        raise StatementError(1298, f"Unknown or incorrect time zone: '{name}'")
    connection.session.time_zone = "SYSTEM" if name.upper() == "SYSTEM" else name


def on_session(attribute: str, default: Any, read: Callable[[str, Any], Any]) -> Callable[[Connection, Any], None]:
    """A variable that is an attribute of the session as it is."""

    def setter(connection: Connection, value: Any) -> None:
        setattr(connection.session, attribute, default if value is DEFAULT else read(attribute, value))

    return setter


def on_connection(attribute: str, default: Any, read: Callable[[str, Any], Any]) -> Callable[[Connection, Any], None]:
    """A variable that is an attribute of the connection as it is."""

    def setter(connection: Connection, value: Any) -> None:
        setattr(connection, attribute, default if value is DEFAULT else read(attribute, value))

    return setter


def ignore(connection: Connection, value: Any) -> None:
    """A variable that changes nothing in the model: what clients get to see, for instance."""


def text(name: str, value: Any) -> str:
    return str(value)


SETTERS: dict[str, Callable[[Connection, Any], None]] = {
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
    "default_storage_engine": on_session("default_storage_engine", "InnoDB", text),
    "default_table_encryption": ignore,
    "explicit_defaults_for_timestamp": set_explicit_defaults,
    "foreign_key_checks": on_session("foreign_key_checks", True, switch),
    "innodb_lock_wait_timeout": ignore,
    "insert_id": on_session("insert_id", None, whole),
    "last_insert_id": on_session("last_insert_id", 0, whole),
    "lc_time_names": set_locale,
    "names": set_names,
    "rand_seed1": on_session("rand_seed1", None, whole),
    "rand_seed2": on_session("rand_seed2", None, whole),
    "sql_auto_is_null": on_session("sql_auto_is_null", False, switch),
    "sql_generate_invisible_primary_key": on_session("sql_generate_invisible_primary_key", False, switch),
    "sql_mode": set_sql_mode,
    "sql_require_primary_key": on_connection("sql_require_primary_key", False, switch),
    "time_zone": set_time_zone,
    "timestamp": set_timestamp,
    "transaction_isolation": set_isolation,
    "tx_isolation": set_isolation,
    "unique_checks": on_session("unique_checks", True, switch),
}
"""Variable -> what setting it does."""
