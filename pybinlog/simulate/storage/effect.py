"""What a statement did: the rows it changed, and all that the binary log needs to know of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from .error import SqlError
from .session import UserVariable
from .table import Table
from .transaction import RowChange

__all__ = ["Effect", "TableUse", "Unsafe"]


class Unsafe(Enum):
    """Why a statement may do something else on a replica when it is logged as a statement.

    The values are the server's explanations (manual, "Determination of Safe and Unsafe Statements").
    """

    LIMIT = "a LIMIT clause: which rows it takes cannot be foretold"
    SYSTEM_TABLE = "a log or performance_schema table, which may differ on the replica"
    AUTOINC_COLUMNS = "a trigger or stored function that inserts into an AUTO_INCREMENT column"
    UDF = "a loadable function, which may return another value on the replica"
    SYSTEM_VARIABLE = "a system variable that may have another value on the replica"
    SYSTEM_FUNCTION = "a system function that may return another value on the replica"
    INSERT_IGNORE_SELECT = "INSERT IGNORE ... SELECT: the order of the rows decides which of them are ignored"
    INSERT_SELECT_UPDATE = "INSERT ... SELECT ... ON DUPLICATE KEY UPDATE: the order of the rows decides the updates"
    WRITE_AUTOINC_SELECT = "rows of another table written to a table with an AUTO_INCREMENT column: their order counts"
    REPLACE_SELECT = "REPLACE ... SELECT: the order of the rows decides which of them are replaced"
    CREATE_IGNORE_SELECT = "CREATE ... IGNORE SELECT: the order of the rows decides which of them are ignored"
    CREATE_REPLACE_SELECT = "CREATE ... REPLACE SELECT: the order of the rows decides which of them are replaced"
    CREATE_SELECT_AUTOINC = "CREATE ... SELECT on a table with an AUTO_INCREMENT column: the order of the rows counts"
    UPDATE_IGNORE = "UPDATE IGNORE: the order of the rows decides which of them are ignored"
    INSERT_TWO_KEYS = "INSERT ... ON DUPLICATE KEY UPDATE on a table with more than one unique key"
    AUTOINC_NOT_FIRST = "an AUTO_INCREMENT column that is not the first of its key"
    FULLTEXT_PLUGIN = "a full-text parser plugin, which may return another value on the replica"
    DEFAULT_EXPRESSION_IN_SUBSTATEMENT = "a default expression that is not deterministic"

    @property
    def message(self) -> str:
        return self.value


@dataclass
class TableUse:
    """A table that a statement opens: whether it reads it, and whether it locks it for writing."""

    table: Table
    read: bool = False
    written: bool = False

    @property
    def temporary(self) -> bool:
        return self.table.temporary


@dataclass
class Effect:
    """What a statement did.

    `changes` are in the order in which the rows were changed. After an error those of transactional tables are undone,
    though still listed. `log_text` is what the server logs in place of the statement's own text, where it does that,
    and `more_log_texts` what follows it, each with whether it is atomic. `needs_log` is False for a statement that
    leaves no trace in a log of statements. `table_map_for_update` has a bit for each table that an UPDATE changes;
    `timestamp_columns` says that a definition has TIMESTAMP columns; both are logged with the statement.
    `engine_written`: a transactional engine was asked to write, even where nothing is different in the end.
    `changed_non_transactional`: a row was changed that no rollback brings back.
    """

    changes: list[RowChange] = field(default_factory=list)
    tables: list[TableUse] = field(default_factory=list)
    unsafe: list[Unsafe] = field(default_factory=list)
    intvar_last_insert_id: int | None = None
    intvar_insert_id: int | None = None
    rand: tuple[int, int] | None = None
    user_variables: list[UserVariable] = field(default_factory=list)
    error: SqlError | None = None
    warnings: list[SqlError] = field(default_factory=list)
    affected_rows: int = 0
    columns: list[str] = field(default_factory=list)
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    databases: list[str] = field(default_factory=list)
    log_text: str | None = None
    more_log_texts: list[tuple[str, bool]] = field(default_factory=list)
    needs_log: bool = True
    atomic_ddl: bool = False
    time_zone_used: bool = False
    microseconds_used: bool = False
    timestamp_columns: bool = False
    table_map_for_update: int = 0
    engine_written: bool = False
    changed_non_transactional: bool = False
