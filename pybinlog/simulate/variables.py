"""SET: the session variables that the model has, and what each of them changes."""

import re
from collections.abc import Callable
from typing import Any

from pybinlog.schema import SqlError
from pybinlog.schema.text import named_character_set, named_collation
from pybinlog.simulate.connection import SQL_MODES, Connection, ServerState
from pybinlog.simulate.errors import ScenarioError
from pybinlog.simulate.gtid_next import set_gtid_next
from pybinlog.simulate.layers.commit import implicit_commit
from pybinlog.simulate.options import ROW_IMAGES, TIME_ZONE, BinlogFormat
from pybinlog.simulate.sql.execute import value_of
from pybinlog.simulate.sql.syntax import Setting, SetVariables, Statement
from pybinlog.simulate.transaction_state import XaState
from pybinlog.simulate.xa import wrong_state

LATEST = (1 << 31) - 1
"""The highest timestamp that can be set, in seconds."""
NOT_FOR_CLIENTS = ("ucs2", "utf16", "utf16le", "utf32")
SWITCH = {"ON": True, "1": True, "TRUE": True, "OFF": False, "0": False, "FALSE": False}
COMBINED_MODES = ("ANSI", "TRADITIONAL")
"""SQL modes that stand for others, too."""

Setter = Callable[[Connection, Any], None]
"""Sets a variable to a value; None stands for DEFAULT."""


def set_variables(connection: Connection, statement: Statement, node: SetVariables) -> None:
    """Run a SET statement. Raise ScenarioError for a variable that the model does not have."""
    for setting in node.settings:
        if setting.name == "names" and setting.scope == "SESSION":
            set_names(connection, setting)
            continue
        value = value_of(setting, statement, connection.session)
        if setting.scope == "SESSION":
            setter_of(setting)(connection, value)
        elif setting.scope != "USER":
            set_global(connection, setting, value)


def setter_of(setting: Setting) -> Setter:
    """Return the function that sets a variable. Raise ScenarioError for one that the model does not have."""
    setter = SETTERS.get(setting.name)
    if setting.name == SYNC_BINLOG:
        raise SqlError(1229, f"Variable '{SYNC_BINLOG}' is a GLOBAL variable and should be set with SET GLOBAL")
    if setter is None:
        known = ", ".join(sorted([*SETTERS, SYNC_BINLOG, "names"]))
        raise ScenarioError(f"the model has no variable {setting.name}", hint=f"It has {known}")
    return setter


def set_global(connection: Connection, setting: Setting, value: Any) -> None:
    """SET GLOBAL and SET PERSIST: the value that connections have which come later.

    Raise SqlError for a value that is wrong, and 1228; ScenarioError for what the model does not have.
    """
    state, name = connection.state, setting.name
    if name in OF_SESSIONS:
        raise SqlError(1228, f"Variable '{name}' is a SESSION variable and can't be used with SET GLOBAL")
    persists = setting.scope == "PERSIST" and state.options.modern
    if name in OF_CLIENTS or not (setting.scope == "GLOBAL" or persists):
        raise ScenarioError(f"SET {setting.scope} {name} is not in the model")
    if value is None and name in BUILT_IN:
        value = BUILT_IN[name][state.options.modern]
    if name == SYNC_BINLOG:
        state.log.sync_binlog = min(max(whole(name, value), 0), 0xFFFFFFFF)
    else:
        setter_of(setting)(new_connection(state), value)  # see that the value is right
    for values in (state.globals, state.persisted) if persists else (state.globals,):
        values.pop(name, None)
        if value is not None:
            values[name] = value


def new_connection(state: ServerState, name: str = "", number: int = 0) -> Connection:
    """Return a connection whose variables have the global values."""
    connection = Connection(state, name, number)
    for variable_name, value in state.globals.items():
        if variable_name != SYNC_BINLOG:
            SETTERS[variable_name](connection, value)
    return connection


def wrong(name: str, value: Any) -> SqlError:
    return SqlError(1231, f"Variable '{name}' can't be set to the value of '{value}'")


def switch(name: str, value: Any) -> bool:
    """ON or OFF, 1 or 0."""
    found = SWITCH.get(str(value).upper())
    if found is None:
        raise wrong(name, value)
    return found


def whole(name: str, value: Any) -> int:
    """Return a whole number. Raise error 1232."""
    if not re.fullmatch(r"-?\d{1,20}", str(value), re.ASCII):
        raise SqlError(1232, f"Incorrect argument type to variable '{name}'")
    return int(value)


def small(name: str, value: Any) -> int:
    """Return a number from 1 to 65535; servers take the nearest one for any other."""
    return min(max(whole(name, value), 1), 65535)


def binlog_format(name: str, value: Any) -> BinlogFormat:
    return BinlogFormat(one_of(tuple(BinlogFormat.__members__))(name, value))


def set_binlog_format(connection: Connection, value: Any) -> None:
    """Set binlog_format. Raise error 3745 (since 8.0) while there are temporary tables."""
    if connection.session.temporary and connection.state.options.modern:
        raise SqlError(
            3745,
            "Changing @@session.binlog_format is disallowed when the session has open temporary table(s). You could "
            "wait until these temporary table(s) are dropped and try again.",
        )
    variable("binlog_format", binlog_format, "binlog_format", number_inside=1679)(connection, value)


def one_of(values: tuple[str, ...]) -> Callable[[str, Any], str]:
    """Return a parser of one of some words."""

    def read(name: str, value: Any) -> str:
        if str(value).upper() not in values:
            raise wrong(name, value)
        return str(value).upper()

    return read


def time_zone(name: str, value: Any) -> str:
    """SYSTEM or an offset; named time zones need tables that the model does not have. Raise error 1298."""
    if not TIME_ZONE.fullmatch(str(value)):
        raise SqlError(1298, f"Unknown or incorrect time zone: '{value}'")
    return str(value).upper()


def sql_mode(name: str, value: Any) -> frozenset[str]:
    """Return a list of names."""
    modes = frozenset(filter(None, (part.strip().upper() for part in str(value).split(","))))
    for mode in modes:
        if mode in COMBINED_MODES:
            raise ScenarioError(f"the SQL mode {mode} is not in the model", hint="Name the modes that it stands for")
        if mode not in SQL_MODES:
            raise wrong("sql_mode", mode)
    return modes


def variable(name: str, read: Callable[[str, Any], Any], attribute: str, *, number_inside: int | None = None) -> Setter:
    """Return a variable that is an attribute of the connection, or of its session; DEFAULT is what a new connection
    has.

    `number_inside` is the error's where it cannot change in the middle of a transaction.
    """
    path, _, attribute = attribute.rpartition(".")

    def setter(connection: Connection, value: Any) -> None:
        if number_inside is not None and connection.transaction_is_active:
            raise SqlError(number_inside, f"Cannot modify @@session.{name} inside a transaction")
        owner = getattr(connection, path) if path else connection
        if value is not None:
            setattr(owner, attribute, read(name, value))
        else:
            new = new_connection(connection.state)
            setattr(owner, attribute, getattr(getattr(new, path) if path else new, attribute))

    return setter


def set_autocommit(connection: Connection, value: Any) -> None:
    on = new_connection(connection.state).autocommit if value is None else switch("autocommit", value)
    if on and not connection.autocommit:
        if connection.xa.state is not XaState.NONE:
            raise wrong_state(connection.xa.state)
        connection.autocommit = connection.state.options.mariadb  # which sets it first, and then commits
        implicit_commit(connection)
    connection.autocommit = on


def set_timestamp(connection: Connection, value: Any) -> None:
    """SET TIMESTAMP: seconds with a fraction; 0, what is less, and DEFAULT let the clock run again."""
    seconds, _, fraction = str(value or 0).partition(".")
    moment = whole("timestamp", seconds), whole("timestamp", fraction[:6].ljust(6, "0"))
    if moment > (LATEST, 0) or (0, 0) < moment < (1, 0):
        raise wrong("timestamp", value)
    connection.timestamp = moment if moment > (0, 0) else None


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
ROWS_QUERY = "binlog_rows_query_log_events"
SYNC_BINLOG = "sync_binlog"
BUILT_IN = {
    "binlog_format": ("STATEMENT", "ROW"),
    "binlog_row_image": ("FULL", "FULL"),
    DIRECT: ("OFF", "OFF"),
    ROWS_QUERY: ("OFF", "OFF"),
    SYNC_BINLOG: ("0", "1"),
    "time_zone": ("SYSTEM", "SYSTEM"),
}
"""DEFAULT for the global variables that a `-- server:` line sets: of 5.6, and later."""
OF_SESSIONS = ("gtid_next", "insert_id", "timestamp")
"""Variables that no server has as global ones."""
OF_CLIENTS = ("collation_connection",)
"""Variables that a client sets when it connects."""
NOT_SET_IN_MARIADB = ("gtid_next", "collation_connection", "binlog_row_image", ROWS_QUERY)
"""Variables that the model has for MySQL only."""
ISOLATION_LEVELS = ("READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE")
SETTERS: dict[str, Setter] = {
    "autocommit": set_autocommit,
    DIRECT: variable(DIRECT, switch, "direct", number_inside=1685),
    "binlog_format": set_binlog_format,
    "gtid_next": set_gtid_next,
    "binlog_row_image": variable("binlog_row_image", one_of(ROW_IMAGES), "row_image"),
    ROWS_QUERY: variable(ROWS_QUERY, switch, "rows_query"),
    "timestamp": set_timestamp,
    **{
        name: variable(name, read, f"session.{name}")
        for name, read in {
            "auto_increment_increment": small,
            "auto_increment_offset": small,
            "collation_connection": lambda _, value: named_collation(str(value)),
            "foreign_key_checks": switch,
            "insert_id": whole,
            "sql_mode": sql_mode,
            "time_zone": time_zone,
            "transaction_isolation": one_of(ISOLATION_LEVELS),
            "unique_checks": switch,
        }.items()
    },
}
"""Variable -> what setting it does."""
