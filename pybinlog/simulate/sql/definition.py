"""Statements that define databases and tables; `pybinlog.schema` says what most of them mean."""

from collections.abc import Callable
from dataclasses import replace
from types import NoneType
from typing import Any

from pybinlog.column_types import ColumnType
from pybinlog.errors import UnsupportedStatement
from pybinlog.schema import Column, TableDefinition, alter, create_text, define, error, statement
from pybinlog.schema.cursor import Path
from pybinlog.schema.expression import Hex, Name, Number, String, Truth, Unary
from pybinlog.schema.expression_parser import is_now
from pybinlog.schema.table import collation_of
from pybinlog.simulate.sql.evaluator import Evaluator
from pybinlog.simulate.sql.execution import Execution, drop_table
from pybinlog.simulate.sql.row_writer import default_of, duplicate_entry, insert_rows
from pybinlog.simulate.sql.select import Result, select_for
from pybinlog.simulate.sql.session import LoggedText
from pybinlog.simulate.sql.stored_program import create_routine, create_trigger, drop_routine, drop_trigger
from pybinlog.simulate.sql.syntax import CreateRoutine, CreateSelect, CreateTrigger, DropRoutine, DropTrigger
from pybinlog.simulate.tables.table import Database, Row, Table
from pybinlog.values.convert import STORED_TYPES, load, store
from pybinlog.values.value import Unsigned


def run_definition(execution: Execution, node: statement.Definition) -> None:
    """Run a statement that defines databases or tables. Raise SqlError and UnsupportedStatement."""
    runner = _RUNNERS.get(type(node))
    if runner is None:
        raise UnsupportedStatement("ALTER DATABASE is outside of the model", missing="ALTER DATABASE")
    runner(execution, node)


def _create_database(execution: Execution, node: statement.CreateDatabase) -> None:
    session = execution.session
    execution.effect.databases.append(node.name)
    _log_atomic(execution)
    if node.name not in session.storage.databases:
        collation = collation_of(node.charset, node.collate, session.storage.default_collation, session.settings)
        session.storage.databases[node.name] = Database(node.name, collation)
    elif not node.if_not_exists:
        raise error("DB_CREATE_EXISTS", node.name)


def _drop_database(execution: Execution, node: statement.DropDatabase) -> None:
    session = execution.session
    execution.effect.databases.append(node.name)
    database = session.storage.databases.get(node.name)
    if database is None:
        if not node.if_exists:
            raise error("DB_DROP_EXISTS", node.name)
        return
    _log_atomic(execution)
    for table in database.tables.values():
        table.locks.redefine(session.transaction)
    del session.storage.databases[node.name]


def _log_atomic(execution: Execution, *tables: Table) -> None:
    """Note that the statement is atomic DDL, if the tables are transactional: 8.0 and later log that."""
    transactional = all(table.transactional for table in tables)
    execution.effect.atomic = execution.session.storage.modern and transactional


def _table_to_redefine(execution: Execution, path: Path) -> Table:
    """Return a table whose definition changes. Raise error 1205 if another transaction uses it."""
    table = execution.table(path)
    execution.effect.temporary = table.temporary
    table.locks.redefine(execution.session.transaction)
    return table


def _put(execution: Execution, table: Table) -> None:
    """Put a table in the place of the one of its name. Of temporary tables, it then is the latest."""
    if table.temporary:
        execution.session.temporary.pop((table.database, table.name), None)
        execution.session.temporary[table.database, table.name] = table
    else:
        execution.session.storage.put(table)


def _home(execution: Execution, node: statement.CreateTable) -> Database | None:
    """Return the database of a new table; None if a table of its name exists, and the statement has IF NOT EXISTS."""
    session = execution.session
    home = session.storage.database(node.path[0] or session.database)
    name = node.path[1]
    existing = session.temporary.get((home.name, name)) if node.temporary else home.tables.get(name)
    if existing is None:
        return home
    if not node.if_not_exists:
        raise error("TABLE_EXISTS", node.path[1])
    execution.effect.use(existing)
    return None


def _checked(definition: TableDefinition) -> TableDefinition:
    """Return the definition. Raise UnsupportedStatement if it has a part that the model's tables lack."""
    for column in definition.columns:
        if column.type not in STORED_TYPES:
            raise UnsupportedStatement(
                f"the column type {column.declared} is not in the model", missing=column.declared
            )
        if column.generated is not None:
            raise UnsupportedStatement(f"{column.name}: generated columns are not in the model", missing="GENERATED")
        literal = column.default.operand if isinstance(column.default, Unary) else column.default
        if not isinstance(literal, (NoneType, Number, String, Hex, Truth)) and not is_now(literal):
            raise UnsupportedStatement(
                f"{column.name}: a default that is computed is not in the model", missing="DEFAULT"
            )
    return definition


def _create_table(execution: Execution, node: statement.CreateTable) -> None:
    session, effect = execution.session, execution.effect
    names = [(path[0] or session.database, path[1]) for path in (node.path, node.like) if path is not None]
    if len(set(names)) < len(names):
        raise error("NONUNIQ_TABLE", node.path[1])
    home = _home(execution, node)
    model = execution.table(node.like) if node.like is not None else None
    if home is None:
        effect.logged = not session.storage.mariadb
        if model is not None and model.temporary:
            _log_copy(execution, node, effect.tables[0].table.definition)
        return
    if model is not None:
        effect.use(model, read=True)
        definition = replace(model.definition, database=home.name, name=node.path[1], auto_increment=1)
    else:
        definition = define(node, home.name, home.collation, session.settings)
        effect.databases.append(home.name)
    _created(execution, Table(_checked(definition), session.storage.new_table_id(), temporary=node.temporary))
    if model is not None and model.temporary:
        _log_copy(execution, node, definition)


def _log_copy(execution: Execution, node: statement.CreateTable, definition: TableDefinition) -> None:
    """Log a table LIKE a temporary one, which replicas need not have, by its definition; with STATEMENT as it is."""
    if execution.row_format and not node.temporary:
        named = definition.named_options.replace(engine=definition.engine)
        text = _definition_text(execution, node, replace(definition, named_options=named))
        execution.effect.log_texts = [LoggedText(text.replace(" START TRANSACTION", ""), execution.effect.atomic)]


def _definition_text(execution: Execution, node: statement.CreateTable, definition: TableDefinition) -> str:
    text = create_text(definition, execution.session.settings, execution.session.database)
    return text.replace("CREATE TABLE ", "CREATE TABLE IF NOT EXISTS ", 1) if node.if_not_exists else text


def _created(execution: Execution, table: Table) -> None:
    execution.effect.timestamp_columns = any(column.type == ColumnType.TIMESTAMP2 for column in table.columns)
    _put(execution, table)
    if not table.temporary:
        _log_atomic(execution, table)


def _create_select(execution: Execution, node: CreateSelect) -> None:
    """CREATE TABLE ... SELECT; as rows, the definition is logged in the server's own words."""
    home = _home(execution, node.create)
    if home is None:
        execution.effect.logged = False
        return
    session = execution.session
    result, rows = select_for(node.query, Evaluator(execution))
    if not all(isinstance(expression, Name) for expression in result.nodes):
        result.rows = rows = list(rows)  # their values say what type a column has
    logged = execution.row_format and not node.create.temporary
    selected = [_result_column(result, place, name, logged=logged) for place, name in enumerate(result.columns)]
    definition = _checked(define(node.create, home.name, home.collation, session.settings, selected))
    execution.effect.databases.append(home.name)
    table = Table(definition, session.storage.new_table_id(), temporary=node.create.temporary)
    places = [table.position(name) for name in result.columns]
    execution.effect.use(table, written=True)
    insert_rows(execution, table, [place for place in places if place is not None], rows)
    _created(execution, table)
    if logged:
        text = _definition_text(execution, node.create, definition)
        execution.effect.log_texts = [LoggedText(text, execution.effect.atomic)]


def _result_column(result: Result, place: int, name: str, *, logged: bool) -> Column:
    """Return a column for a column of a SELECT: like the one that it comes from, or as its values need it.

    Raise UnsupportedStatement for a computed one whose definition is logged: its values do not tell all of it.
    """
    node = result.nodes[place]
    if isinstance(node, Name):
        source, index = result.frame.find(node)
        origin = result.frame.sources[source].table.columns[index]
        column = replace(origin, name=name, auto_increment=False, visible=True)
        if origin.auto_increment or (origin.type == ColumnType.BIT and not origin.nullable):
            return replace(column, default=Number("0"), has_default=True)
        if origin.type == ColumnType.BIT:
            return replace(column, default=None, has_default=True)
        return column
    sample = next((row[place] for row in result.rows if row[place] is not None), None)
    if not logged and isinstance(sample, int):
        unsigned = isinstance(sample, Unsigned)
        return Column(name, ColumnType.LONGLONG, "bigint unsigned" if unsigned else "bigint", unsigned=unsigned)
    raise UnsupportedStatement(
        f"the computed column {name} of CREATE TABLE ... SELECT is not in the model", missing="AS"
    )


def _alter_table(execution: Execution, node: statement.AlterTable) -> None:
    session, old = execution.session, _table_to_redefine(execution, node.path)
    definition, origins = alter(old.definition, node, session.settings)
    new = Table(_checked(definition), session.storage.new_table_id(), temporary=old.temporary)
    new.triggers = old.triggers
    new.next_auto_increment = max(old.next_auto_increment, definition.auto_increment)
    for row in old.rows():
        changed = _changed_row(execution, row, old, new, origins)
        clash = new.duplicate(changed)
        if clash is not None:
            raise duplicate_entry(new, clash[0], changed, session.storage.version)
        new.insert(changed)
    _put(execution, new)
    execution.effect.use(new, written=True)
    if node.rename is not None:
        _move(execution, new, node.rename)
    if not old.temporary:
        _log_atomic(execution, old, new)


def _changed_row(execution: Execution, row: Row, old: Table, new: Table, origins: list[int | None]) -> Row:
    """Return a row as the new definition has it."""
    made = []
    for column, origin in zip(new.columns, origins, strict=True):
        if origin is None and column.default is None and not column.nullable:
            raise UnsupportedStatement(
                f"{column.name}: a new column without NULL and without a default is not in the model",
                missing="NOT NULL",
            )
        if origin is None:
            made.append(default_of(Evaluator(execution), column))
        elif replace(old.columns[origin], name=column.name) == column:
            made.append(row[origin])
        else:
            value = load(row[origin], old.columns[origin], execution.session.time_zone)
            made.append(store(value, column, execution.storing(new)))
    return tuple(made)


def _move(execution: Execution, table: Table, path: Path) -> None:
    """Give a table another name, perhaps in another database. Raise errors 1049, 1050 and 1205."""
    session, storage = execution.session, execution.session.storage
    home = storage.database(path[0] or session.database)
    if (home.name, path[1]) in session.temporary if table.temporary else path[1] in home.tables:
        raise error("TABLE_EXISTS", path[1])
    table.locks.redefine(session.transaction)
    execution.effect.use(table, written=True)
    if table.temporary:
        del session.temporary[table.database, table.name]
    else:
        del storage.databases[table.database].tables[table.name]
    table.define(replace(table.definition, database=home.name, name=path[1]), storage.new_table_id())
    execution.effect.use(table, written=True)
    _put(execution, table)


def _rename_table(execution: Execution, node: statement.RenameTable) -> None:
    session = execution.session
    for old, new in node.pairs:  # RENAME TABLE does not see temporary tables
        _move(execution, session.storage.table(old[0] or session.database, old[1]), new)
    _log_atomic(execution, *(use.table for use in execution.effect.tables))


def _truncate(execution: Execution, node: statement.TruncateTable) -> None:
    table = _table_to_redefine(execution, node.path)
    definition = replace(table.definition, auto_increment=1)
    new = Table(definition, execution.session.storage.new_table_id(), temporary=table.temporary)
    new.triggers = table.triggers
    _put(execution, new)
    if table.temporary:
        execution.effect.use(new, written=True)
    _log_atomic(execution, table)


_RUNNERS: dict[type, Callable[[Execution, Any], None]] = {
    CreateSelect: _create_select,
    statement.CreateTable: _create_table,
    statement.AlterTable: _alter_table,
    statement.DropTable: drop_table,
    CreateTrigger: create_trigger,
    DropTrigger: drop_trigger,
    CreateRoutine: create_routine,
    DropRoutine: drop_routine,
    statement.RenameTable: _rename_table,
    statement.TruncateTable: _truncate,
    statement.CreateDatabase: _create_database,
    statement.DropDatabase: _drop_database,
}
