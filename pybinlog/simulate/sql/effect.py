"""Effect: what a statement did, all that the binary log needs to know of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pybinlog.schema import SqlError
from pybinlog.simulate.sql.session import UserVariable
from pybinlog.simulate.tables.table import Table
from pybinlog.simulate.tables.transaction import RowChange


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
