"""Execution: one statement while it runs: its session, its effect so far, and what its expressions share.

DROP TABLE is here: the server logs it in its own words, a text for each kind of tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from pybinlog.schema import SqlError, error, quoted
from pybinlog.schema.expression import Expression, Name
from pybinlog.schema.statement import DropTable
from pybinlog.simulate.sql import syntax
from pybinlog.simulate.sql.session import Effect, LoggedText, Session, UserVariable
from pybinlog.simulate.tables.table import Row, RowChange, Table
from pybinlog.values.convert import Storing, load
from pybinlog.values.value import Value

_RAND_MAX = 0x3FFFFFFF


@dataclass
class Execution:
    """The state of one running statement. `first_insert_id` is the first value that it generated, None before it."""

    session: Session
    statement: syntax.Statement
    row_format: bool = False
    run: Callable[[Execution], None] = lambda execution: None
    """Runs a statement within this one: the body of a trigger."""
    in_use: frozenset[Table] = frozenset()
    """The tables of the statements that this one runs within."""
    effect: Effect = field(default_factory=Effect)
    first_insert_id: int | None = None
    subqueries: dict[Expression, Value] = field(default_factory=dict)
    """The values of the subqueries, which are run first."""

    @property
    def logs_calls(self) -> bool:
        """Return True if the functions that it calls are logged, in the place of the statement itself."""
        return isinstance(self.statement.node, syntax.Select) and not self.row_format

    @property
    def strict_division(self) -> bool:
        """Return True if a division by zero is an error."""
        writes = self.statement.is_dml or self.statement.is_ddl
        return writes and "ERROR_FOR_DIVISION_BY_ZERO" in self.session.sql_mode and self.storing().strict

    def storing(self, table: Table | None = None, *, row: int = 1) -> Storing:
        """Return how values are stored into a table: strictly where sql_mode says so."""
        mode = self.session.sql_mode
        # An INSERT that cannot be undone any more continues with the nearest values.
        late = self.effect.changed_n and not isinstance(self.statement.node, syntax.Update)
        strict = "STRICT_ALL_TABLES" in mode or (
            "STRICT_TRANS_TABLES" in mode and (table is None or table.transactional or not late)
        )
        return Storing(
            strict=strict,
            time_zone=self.session.time_zone,
            sql_mode=mode,
            collation=self.session.collation_connection,
            row=row,
        )

    def table(self, path: tuple[str | None, str]) -> Table:
        """Return a table by path, a temporary one first. Raise errors 1046, 1049 and 1146."""
        found = self.session.find(path)
        return found if found is not None else self.session.storage.table(path[0] or self.session.database, path[1])

    def lock_row(self, table: Table, row: Row, slot: int, mode: str = "X") -> None:
        """Lock a row, exclusively or shared ("S"). Raise error 1205."""
        for key in table.lock_keys(row, slot):
            self.session.transaction.lock(table, mode, key)

    def change(
        self, table: Table, before: Row | None, after: Row | None, slot: int, written: frozenset[int] | None = None
    ) -> None:
        """Note a changed row."""
        change = RowChange(table, before, after, slot, written)
        if not self.effect.changes:
            self.effect.first_table_map = self.effect.table_map_for_update
            self.effect.first_text = self.statement.text
        self.effect.engine_written |= table.in_engine
        self.effect.changed_n |= not table.transactional
        if table.transactional:
            self.session.transaction.changes.append(change)
        self.effect.changes.append(change)

    def fire(self, table: Table, time: str, event: str, old: Row | None = None, new: Row | None = None) -> None:
        """Run the triggers of a table for one row. Raise the error of a body, and 1442 if its table is in use."""
        for trigger in table.triggers:
            if (trigger.time, trigger.event) == (time, event):
                self._run_trigger(trigger, table, {"OLD": old, "NEW": new})

    def _run_trigger(self, trigger: syntax.CreateTrigger, table: Table, rows: dict[str, Row | None]) -> None:
        def value(name: Name | syntax.Argument) -> syntax.Constant:
            assert isinstance(name, Name)
            row, place = rows[name.table.upper()], table.position(name.column)
            assert row is not None
            assert place is not None
            return syntax.Constant(load(row[place], table.columns[place], self.session.time_zone))

        with self.session.within(table.database, trigger.sql_mode):
            for part in trigger.body:
                self.run_part(
                    syntax.Statement(part.text.encode("utf-8", "surrogateescape"), syntax.bound(part.node, value))
                )

    def run_part(self, statement: syntax.Statement) -> None:
        """Run a statement in the body of a trigger or function. Raise its error, and 1442 if its table is in use."""
        effect, node = self.effect, statement.node
        in_use = self.in_use | {use.table for use in effect.tables}
        used = list(effect.tables)
        assert isinstance(node, (syntax.Insert, syntax.Update, syntax.Delete))
        try:
            for path in (
                [node.path] if isinstance(node, syntax.Insert) else [joined.path for joined in node.rows.tables]
            ):
                if self.session.find(path) in in_use:
                    raise in_use_error(path[1])
            self.run(Execution(self.session, statement, self.row_format, self.run, in_use, effect))
        finally:
            effect.tables = used
        effect.table_map_for_update = 0

    def user_variable(self, name: str) -> Value:
        """Return the value of a user variable, noted as read."""
        unset = UserVariable(name, None, self.session.collation_connection)
        variable = self.session.user_variables.get(name.lower(), unset)
        if all(read.name.lower() != name.lower() for read in self.effect.user_variables):
            self.effect.user_variables.append(replace(variable, name=name))
        return variable.value

    def last_insert_id(self) -> int:
        """LAST_INSERT_ID(): that of the statements before, noted as used."""
        self.effect.intvar_last_insert_id = self.session.last_insert_id
        return self.session.last_insert_id

    def random(self) -> float:
        """Return the next number of the session's sequence; the seeds before the statement's first are noted."""
        session = self.session
        seed1, seed2 = session.rand_seed1, session.rand_seed2
        if seed1 is None or seed2 is None:
            seconds, microseconds = session.now
            start = seconds * 65537 + microseconds + session.connection_id * 55555557
            seed1, seed2 = start % _RAND_MAX, (start * 3 + 7) % _RAND_MAX
        if self.effect.rand is None:
            self.effect.rand = (seed1, seed2)
        session.rand_seed1 = (seed1 * 3 + seed2) % _RAND_MAX
        session.rand_seed2 = (session.rand_seed1 + seed2 + 33) % _RAND_MAX
        return session.rand_seed1 / _RAND_MAX


def in_use_error(table: str) -> SqlError:
    """Return error 1442: a function or trigger changes a table of the statement that it is a part of."""
    return SqlError(
        1442,
        f"Can't update table '{table}' in stored function/trigger because it is already used by statement which "
        "invoked this stored function/trigger.",
    )


_GENERATED = "/* generated by server */"
_Names = list[tuple[str, str]]


def drop_table(execution: Execution, node: DropTable) -> None:
    """Run DROP TABLE. Raise error 1051 before anything is dropped (5.6: after the tables that exist are dropped)."""
    session, effect = execution.session, execution.effect
    tables: list[Table] = []
    missing: _Names = []
    for path in node.paths:
        database = path[0] or session.database
        if database is None:
            raise error("NO_DB")
        table = session.find(path)
        if table is None or (node.temporary and not table.temporary):
            missing.append((database, path[1]))
        else:
            table.locks.redefine(session.transaction)
            tables.append(table)
    texts = list(_texts(execution, node, tables, [] if node.temporary else missing))
    if session.one_group and len(texts) > 1:
        raise SqlError(
            1884,
            "Cannot execute statement because it needs to be written to the binary log as multiple statements, and "
            "this is not allowed when @@SESSION.GTID_NEXT == 'UUID:NUMBER'.",
        )
    unknown = error("BAD_TABLE", ",".join(f"{database}.{name}" for database, name in missing))
    refused = bool(missing) and not node.if_exists
    if refused and ((session.storage.modern and not session.storage.mariadb) or not tables):
        raise unknown
    for table in tables:
        effect.use(table, written=True)
        if table.temporary:
            del session.temporary[table.database, table.name]
        else:
            del session.storage.databases[table.database].tables[table.name]
    effect.log_texts, effect.logged = texts, bool(texts)
    if not node.temporary:
        effect.databases += [database for database, _ in missing if database not in effect.databases]
    if refused:
        raise unknown


def _texts(execution: Execution, node: DropTable, tables: list[Table], missing: _Names) -> Iterator[LoggedText]:
    """Yield the texts that the server logs, in its order.

    Since 8.0 each N-table comes by itself, then the T-tables and the missing names together; these are marked as if
    the tables were temporary. 5.6 writes one text, and so does a later server for one group. Temporary tables are in
    the log if statements are: those of N-tables first, and in 5.6 before all others.
    """
    modern, current = execution.session.storage.modern, execution.session.database
    base = [table for table in tables if not table.temporary]

    def text(names: _Names, word: str = "TABLE", *, atomic: bool = False, thread_specific: bool = False) -> LoggedText:
        listed = ",".join(quoted(name) if home == current else f"{quoted(home)}.{quoted(name)}" for home, name in names)
        if_exists = "IF EXISTS " if node.if_exists else ""
        return LoggedText(f"DROP {word} {if_exists}{listed} {_GENERATED}", atomic, thread_specific)

    temporary = [
        text([_name(table) for table in found], "TEMPORARY TABLE", thread_specific=True)
        for transactional in (False, True)
        if not execution.row_format
        and (found := [table for table in tables if table.temporary and table.transactional == transactional])
    ]
    if not modern or execution.session.storage.mariadb:
        yield from temporary
        if base or missing:
            yield text([*map(_name, base), *missing], thread_specific=modern)
        return
    alone = [_name(table) for table in base if not table.transactional]
    atomic = [_name(table) for table in base if table.transactional]
    if execution.session.one_group and alone:
        yield text(alone + atomic + missing, atomic=bool(atomic))
    else:
        yield from (text([name]) for name in alone)
        if atomic or missing:
            yield text(atomic + missing, atomic=bool(atomic), thread_specific=True)
    yield from temporary


def _name(table: Table) -> tuple[str, str]:
    return table.database, table.name
