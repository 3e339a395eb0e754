"""Session: what a statement finds of its connection: variables, the time, its transaction, columns by their names.

Effect: what a statement did, all that the binary log needs to know of it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from pybinlog.errors import UnsupportedStatement
from pybinlog.layout.statement import UserVarFlag, UserVarType
from pybinlog.schema import Settings, SqlError, default_collation, error
from pybinlog.schema.cursor import Path
from pybinlog.schema.expression import Name
from pybinlog.schema.text import encode_text
from pybinlog.simulate.tables.table import Row, RowChange, Storage, Table, Transaction
from pybinlog.values.convert import load
from pybinlog.values.value import Temporal, Unsigned, Value


@dataclass(frozen=True)
class UserVariable:
    """A user variable: its value and collation. Raise UnsupportedStatement for a DECIMAL, a date and a time."""

    name: str
    value: Value
    collation: int

    def __post_init__(self) -> None:
        if isinstance(self.value, (Decimal, Temporal)):
            raise UnsupportedStatement(
                f"@{self.name}: a DECIMAL, a date or a time in a user variable is not in the model", missing="SET"
            )

    def body(self) -> dict[str, Any]:
        """Return the body of its User_var event."""
        value = self.value
        if value is None:
            return {"name": self.name, "is_null": 1}
        body: dict[str, Any] = {"name": self.name, "is_null": 0, "charset": self.collation, "flags": None}
        if isinstance(value, float):
            return {**body, "type": UserVarType.REAL, "value": struct.pack("<d", value)}
        if isinstance(value, int):
            flags = UserVarFlag.UNSIGNED if isinstance(value, Unsigned) else 0
            data = value.to_bytes(8, "little", signed=not flags)
            return {**body, "type": UserVarType.INT, "value": data, "flags": flags}
        text = encode_text(value, self.collation) if isinstance(value, str) else value
        return {**body, "type": UserVarType.STRING, "value": text}


class Session:
    """One connection, as far as statements on tables see it. `simulate.variables` sets its attributes."""

    def __init__(self, storage: Storage, connection_id: int = 1) -> None:
        self.storage = storage
        self.connection_id = connection_id
        self.database: str | None = None
        self.sql_mode: frozenset[str] = frozenset()
        self.now: tuple[int, int] = (0, 0)
        self.one_group = False
        """True if the running statement must be logged as one group, as it has one GTID."""
        self.time_zone = "SYSTEM"
        utf8mb4 = storage.default_collation if storage.mariadb else default_collation("utf8mb4", storage.version)
        self.character_set_client = utf8mb4
        self.collation_connection = utf8mb4
        self.default_collation_for_utf8mb4 = utf8mb4
        self.auto_increment_increment = 1
        self.auto_increment_offset = 1
        self.insert_id: int | None = None
        self.last_insert_id = 0
        self.rand_seed1: int | None = None
        self.rand_seed2: int | None = None
        self.foreign_key_checks = True
        self.unique_checks = True
        self.explicit_defaults_for_timestamp = storage.modern
        self.transaction_isolation = "REPEATABLE-READ"
        self.user_variables: dict[str, UserVariable] = {}
        self.transaction = Transaction()
        self.temporary: dict[tuple[str, str], Table] = {}
        """The temporary tables by database and name, in the order in which they were made."""

    def find(self, path: Path) -> Table | None:
        """Return a table by path, a temporary one first, or None if there is none."""
        database = path[0] or self.database or ""
        return self.temporary.get((database, path[1])) or self.storage.find(database, path[1])

    @contextmanager
    def within(self, database: str, sql_mode: frozenset[str]) -> Iterator[None]:
        """Run a part of a stored program: with its database and its sql_mode."""
        before = self.database, self.sql_mode
        self.database, self.sql_mode = database, sql_mode
        try:
            yield
        finally:
            self.database, self.sql_mode = before

    def routine(self, kind: str, path: Path) -> Any:
        """Return the procedure or function of that name (`simulate.sql.routine` has its class), or None."""
        home = self.storage.databases.get(path[0] or self.database or "")
        return None if home is None else home.routines.get((kind, path[1].lower()))

    @property
    def settings(self) -> Settings:
        """Return the settings that definitions depend on."""
        return Settings(
            self.storage.version,
            self.sql_mode,
            self.default_collation_for_utf8mb4,
            self.explicit_defaults_for_timestamp,
        )


@dataclass
class Source:
    """A table of a FROM clause, and the rows of it that the statement sees, with their slots."""

    alias: str
    table: Table
    rows: list[tuple[int, Row]] = field(default_factory=list)


class Frame:
    """The sources of one SELECT, UPDATE or DELETE."""

    def __init__(self, sources: Sequence[Source] = ()) -> None:
        self.sources = list(sources)

    def find(self, name: Name, clause: str = "field list") -> tuple[int, int]:
        """Return the source and the column of a name, by their places. Raise errors 1052 and 1054."""
        hits = [
            (place, column)
            for place, source in enumerate(self.sources)
            if (column := source.table.position(name.column)) is not None
            and name.table.lower() in ("", source.alias.lower())
            and name.database.lower() in ("", source.table.database.lower())
        ]
        if not hits:
            raise error("BAD_FIELD", f"{name.table}.{name.column}" if name.table else name.column, clause)
        if len(hits) > 1:
            raise error("NON_UNIQ", name.column, clause)
        return hits[0]


@dataclass
class Environment:
    """One combination of rows, one of each source, with their slots; of the first ones while rows are still joined."""

    frame: Frame
    time_zone: str
    rows: tuple[Row, ...] = ()
    slots: tuple[int, ...] = ()

    def value(self, name: Name, clause: str) -> Value:
        """Return the value of a column. Raise errors 1052 and 1054."""
        place, index = self.frame.find(name, clause)
        return load(self.rows[place][index], self.frame.sources[place].table.columns[index], self.time_zone)

    def with_row(self, place: int, row: Row) -> Environment:
        """Return the same with another row of one source."""
        rows = (*self.rows[:place], row, *self.rows[place + 1 :])
        return Environment(self.frame, self.time_zone, rows, self.slots)


@dataclass
class TableUse:
    """A table that a statement opens: whether it reads it, and whether it locks it for writing."""

    table: Table
    read: bool = False
    written: bool = False


class LoggedText(NamedTuple):
    """A text that the server logs in place of the statement's own.

    `atomic`: it is atomic DDL. `thread_specific`: its event has that flag, as if it dropped temporary tables.
    """

    text: str
    atomic: bool = False
    thread_specific: bool = False


@dataclass
class Effect:
    """The effect of a statement.

    `changes` are in the order in which the rows were changed. After an error those of transactional tables are undone,
    though still listed. `log_texts` replace the statement's own text in the log, if there are any; `atomic` says that
    the statement itself is atomic DDL. `table_map_for_update` has a bit for each table that an UPDATE changes
    (a trigger clears it; `first_table_map` is its value when the first row was changed, and `first_text` the statement,
    or the body of a trigger, that changed it); `timestamp_columns` says that a definition has TIMESTAMP columns;
    `invoker` that the account is logged, `created_now` that the time is. All of these are logged with the statement.
    `logged` is False for a statement that the server omits from its log though it succeeds.
    `engine_written`: a transactional engine was asked to write, even where nothing is different in the end.
    `changed_n`: a row was changed that no rollback brings back. `temporary`: DDL has changed a temporary table.
    `calls` are the functions that a SELECT has called, each logged as a statement, with what it took from the session.
    """

    changes: list[RowChange] = field(default_factory=list)
    tables: list[TableUse] = field(default_factory=list)
    intvar_last_insert_id: int | None = None
    intvar_insert_id: int | None = None
    rand: tuple[int, int] | None = None
    user_variables: list[UserVariable] = field(default_factory=list)
    error: SqlError | None = None
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    databases: list[str] = field(default_factory=list)
    log_texts: list[LoggedText] = field(default_factory=list)
    logged: bool = True
    atomic: bool = False
    time_zone_used: bool = False
    microseconds_used: bool = False
    timestamp_columns: bool = False
    invoker: bool = False
    created_now: bool = False
    table_map_for_update: int = 0
    first_table_map: int = 0
    first_text: bytes = b""
    engine_written: bool = False
    changed_n: bool = False
    temporary: bool = False
    calls: list[tuple[Any, Effect]] = field(default_factory=list)

    def take_values(self) -> Effect:
        """Return what a statement has taken from its session since, and hold it no longer."""
        taken = Effect(
            intvar_last_insert_id=self.intvar_last_insert_id,
            intvar_insert_id=self.intvar_insert_id,
            rand=self.rand,
            user_variables=self.user_variables,
        )
        self.intvar_last_insert_id = self.intvar_insert_id = self.rand = None
        self.user_variables = []
        return taken

    def use(self, table: Table, *, read: bool = False, written: bool = False) -> None:
        """Note a table that the statement opens."""
        add_use(self.tables, table, read=read, written=written)
        if written and table.database not in self.databases:
            self.databases.append(table.database)


def add_use(uses: list[TableUse], table: Table, *, read: bool, written: bool) -> None:
    """Note in a list that a table is opened, once for each table."""
    for use in uses:
        if use.table is table:
            use.read |= read
            use.written |= written
            return
    uses.append(TableUse(table, read, written))
