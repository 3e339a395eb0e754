"""SET: the session variables that the model has, and what each of them changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pybinlog.schema import SqlError
from pybinlog.schema.charset import named_character_set, named_collation
from pybinlog.simulate.commit import implicit_commit
from pybinlog.simulate.connection import Connection, default_sql_mode
from pybinlog.simulate.errors import ScenarioError
from pybinlog.simulate.options import ROW_IMAGES, TIME_ZONE, BinlogFormat
from pybinlog.simulate.query_event import SQL_MODES
from pybinlog.simulate.sql.execute import value_of
from pybinlog.simulate.sql.session import Session
from pybinlog.simulate.sql.syntax import Setting, SetVariables, Statement

LATEST = 0xFFFFFFFF
"""The highest timestamp that an event header holds."""
NOT_FOR_CLIENTS = ("ucs2", "utf16", "utf16le", "utf32")
SWITCH = {"ON": True, "1": True, "TRUE": True, "OFF": False, "0": False, "FALSE": False}
COMBINED_MODES = ("ANSI", "TRADITIONAL")
"""SQL modes that stand for others, too."""

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
    found = SWITCH.get(str(value).upper())
    if found is None:
        raise wrong(name, value)
    return found


def whole(name: str, value: Any) -> int:
    """A whole number. Raises error 1232."""
    if not re.fullmatch(r"-?\d{1,20}", str(value), re.ASCII):
        raise SqlError(1232, f"Incorrect argument type to variable '{name}'")
    return int(value)


def small(name: str, value: Any) -> int:
    """A number from 1 to 65535; servers take the nearest one for any other."""
    return min(max(whole(name, value), 1), 65535)


def binlog_format(name: str, value: Any) -> BinlogFormat:
    return BinlogFormat(one_of(tuple(BinlogFormat.__members__))(name, value))


def one_of(values: tuple[str, ...]) -> Callable[[str, Any], str]:
    """One of some words."""

    def read(name: str, value: Any) -> str:
        if str(value).upper() not in values:
            raise wrong(name, value)
        return str(value).upper()

    return read


def set_time_zone(connection: Connection, value: Any) -> None:
    """SYSTEM or an offset; named time zones need tables that the model does not have. Raises error 1298."""
    zone = connection.state.options.time_zone if value is None else str(value)
    if not TIME_ZONE.fullmatch(zone):
        raise SqlError(1298, f"Unknown or incorrect time zone: '{zone}'")
    connection.session.time_zone = zone.upper()


def on_session(attribute: str, read: Callable[[str, Any], Any]) -> Setter:
    """A variable that is an attribute of the session; DEFAULT is what a new session has."""

    def setter(connection: Connection, value: Any) -> None:
        fresh = getattr(Session(connection.state.storage), attribute)
        setattr(connection.session, attribute, fresh if value is None else read(attribute, value))

    return setter


def on_connection(
    attribute: str, read: Callable[[str, Any], Any], name: str, *, number_inside: int | None = None
) -> Setter:
    """A variable that is an attribute of the connection; DEFAULT is what the server's options say.

    `number_inside` is the error's where it cannot change in the middle of a transaction.
    """

    def setter(connection: Connection, value: Any) -> None:
        if number_inside is not None and connection.transaction_is_active:
            raise SqlError(number_inside, f"Cannot modify @@session.{name} inside a transaction")
        option = attribute.removeprefix("binlog_")
        made = getattr(connection.state.options, option) if value is None else read(name, value)
        setattr(connection, attribute, made)

    return setter


def set_autocommit(connection: Connection, value: Any) -> None:
    on = value is None or switch("autocommit", value)
    if on and not connection.autocommit:
        implicit_commit(connection)
    connection.autocommit = on


def set_timestamp(connection: Connection, value: Any) -> None:
    """SET TIMESTAMP: seconds with a fraction; 0 and DEFAULT let the clock run again."""
    seconds, _, fraction = str(value or 0).partition(".")
    moment = whole("timestamp", seconds), whole("timestamp", fraction[:6].ljust(6, "0"))
    if not 0 <= moment[0] <= LATEST:
        raise wrong("timestamp", value)
    connection.timestamp = None if moment == (0, 0) else moment


def set_sql_mode(connection: Connection, value: Any) -> None:
    """A list of names."""
    if value is None:
        connection.session.sql_mode = default_sql_mode(connection.state.options)
        return
    modes = frozenset(filter(None, (part.strip().upper() for part in str(value).split(","))))
    for name in modes:
        if name in COMBINED_MODES:
            raise ScenarioError(f"the SQL mode {name} is not in the model", hint="Name the modes that it stands for")
        if name not in SQL_MODES:
            raise wrong("sql_mode", name)
    connection.session.sql_mode = modes


def set_names(connection: Connection, setting: Setting) -> None:
    """SET NAMES: the character set of what the client sends, and the collation of its literals."""
    session, (charset, named) = connection.session, setting.words
    charset = (charset or "utf8mb4").lower()
    if charset in NOT_FOR_CLIENTS:
        raise wrong("character_set_client", charset)
    if named:
        chosen = named_collation(named)
    elif charset == "utf8mb4" and connection.state.options.modern:
        chosen = session.default_collation_for_utf8mb4
    else:
        chosen = named_character_set(charset, connection.state.options.numbers)
    session.character_set_client = session.collation_connection = chosen


DIRECT = "binlog_direct_non_transactional_updates"
SETTERS: dict[str, Setter] = {
    "autocommit": set_autocommit,
    "auto_increment_increment": on_session("auto_increment_increment", small),
    "auto_increment_offset": on_session("auto_increment_offset", small),
    DIRECT: on_connection("direct", switch, DIRECT, number_inside=1685),
    "binlog_format": on_connection("binlog_format", binlog_format, "binlog_format", number_inside=1679),
    "binlog_row_image": on_connection("row_image", one_of(ROW_IMAGES), "binlog_row_image"),
    "binlog_rows_query_log_events": on_connection("rows_query", switch, "binlog_rows_query_log_events"),
    "collation_connection": on_session("collation_connection", lambda _, value: named_collation(str(value))),
    "foreign_key_checks": on_session("foreign_key_checks", switch),
    "insert_id": on_session("insert_id", whole),
    "sql_mode": set_sql_mode,
    "time_zone": set_time_zone,
    "timestamp": set_timestamp,
    "unique_checks": on_session("unique_checks", switch),
}
"""Variable -> what setting it does."""
