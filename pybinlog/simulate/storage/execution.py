"""One statement while it runs: its session, its effect so far, and what its expressions share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .convert import Storing
from .effect import Effect, TableUse
from .error import error
from .session import Session, UserVariable
from .statement import Kind, Statement
from .table import Table
from .transaction import Row, RowChange
from .value import Value

__all__ = ["Execution"]

_RAND_MAX = 0x3FFFFFFF


@dataclass
class Execution:
    """The state of one running statement; the statements of a trigger or stored function share that of the outer one.

    `locals` are the parameters and variables of a stored function, `old_new` the rows that a trigger names.
    """

    session: Session
    statement: Statement
    effect: Effect = field(default_factory=Effect)
    row_format: bool = False
    depth: int = 0
    locals: dict[str, Value] = field(default_factory=dict)
    common_tables: dict[str, Any] = field(default_factory=dict)
    writes: bool = False
    last_insert_id_before: int = 0
    first_insert_id: int | None = None
    updated_insert_id: int | None = None
    selected: Any = None
    """The rows of CREATE TABLE ... SELECT."""
    random_state: dict[int, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.last_insert_id_before = self.session.last_insert_id

    def storing(self, table: Table | None = None, *, row: int = 1, ignore: bool = False) -> Storing:
        """How values are stored into a table: strictly where sql_mode says so."""
        mode = self.session.sql_mode
        # An INSERT that cannot be undone any more goes on with the nearest values.
        late = self.effect.changed_non_transactional and self.statement.kind is not Kind.UPDATE
        strict = "STRICT_ALL_TABLES" in mode or (
            "STRICT_TRANS_TABLES" in mode and (table is None or table.transactional or not late)
        )
        return Storing(
            strict=strict and not ignore,
            time_zone=self.session.time_zone,
            sql_mode=mode,
            collation=self.session.collation_connection,
            row=row,
            warnings=self.effect.warnings,
        )

    def table(self, name: str, database: str | None = None) -> Table:
        """A table by name, temporary ones first. Raises errors 1046, 1049 and 1146."""
        session = self.session
        database = database or session.database
        if database is None:
            raise error("NO_DB")
        temporary = session.temporary_tables.get((database, name))
        if temporary is not None:
            return temporary
        table = session.storage.database(database).tables.get(name)
        if table is None:
            raise error("NO_SUCH_TABLE", f"{database}.{name}")
        return table

    def use(self, table: Table, *, read: bool = False, written: bool = False) -> None:
        """Notes that the statement opens a table."""
        for use in self.effect.tables:
            if use.table is table:
                use.read |= read
                use.written |= written
                break
        else:
            self.effect.tables.append(TableUse(table, read, written))
        if written and table.database not in self.effect.databases:
            self.effect.databases.append(table.database)

    def lock_row(self, table: Table, row: Row, slot: int) -> None:
        """Locks a row exclusively. Raises error 1205."""
        for key in table.lock_keys(row, slot):
            self.lock(table, "X", key)

    def lock(self, table: Table, mode: str, row: Any = None) -> None:
        """Locks a table or a row of it for the transaction, where its engine does that. Raises error 1205."""
        if table.temporary:
            return
        transaction = self.session.transaction
        if table.transactional:
            table.locks.take(transaction, mode, row)
        else:
            table.locks.use(transaction)
        transaction.locked.add(table)
        self.session.storage.active.add(transaction)

    def change(
        self, table: Table, before: Row | None, after: Row | None, slot: int, written: frozenset[int] | None = None
    ) -> RowChange:
        """Notes a change of a row that was made."""
        change = RowChange(table, before, after, slot, written)
        self.effect.engine_written |= table.transactional
        self.effect.changed_non_transactional |= not table.transactional and not table.temporary
        if table.transactional:
            self.session.transaction.add(change)
        self.effect.changes.append(change)
        return change

    def user_variable(self, name: str) -> Value:
        """The value of a user variable, noted as read."""
        variable = self.session.user_variables.get(name.lower())
        if variable is None:
            variable = UserVariable(name, None, self.session.collation_connection)
        if all(read.name.lower() != name.lower() for read in self.effect.user_variables):
            self.effect.user_variables.append(
                UserVariable(name, variable.value, variable.collation, variable.precision)
            )
        return variable.value

    def last_insert_id(self) -> int:
        """LAST_INSERT_ID(): that of the statements before, noted as used."""
        if self.effect.intvar_last_insert_id is None:
            self.effect.intvar_last_insert_id = self.last_insert_id_before
        return self.last_insert_id_before

    def random(self) -> float:
        """The next number of the session's sequence; the seeds before the statement's first are noted."""
        session = self.session
        if session.rand_seed1 is None or session.rand_seed2 is None:
            seconds, microseconds = session.now
            start = seconds * 65537 + microseconds + session.connection_id * 55555557
            session.rand_seed1, session.rand_seed2 = start % _RAND_MAX, (start * 3 + 7) % _RAND_MAX
        if self.effect.rand is None:
            self.effect.rand = (session.rand_seed1, session.rand_seed2)
        number, session.rand_seed1, session.rand_seed2 = next_random(session.rand_seed1, session.rand_seed2)
        return number


def next_random(seed1: int, seed2: int) -> tuple[float, int, int]:
    """The number that follows two seeds, and the seeds after it."""
    seed1 = (seed1 * 3 + seed2) % _RAND_MAX
    seed2 = (seed1 + seed2 + 33) % _RAND_MAX
    return seed1 / _RAND_MAX, seed1, seed2
