"""Running one statement, and the assignments of SET."""

from collections.abc import Iterable, Iterator, Sequence

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema import SqlError, error
from pybinlog.schema.expression import Default, Expression, Name, Subquery
from pybinlog.schema.statement import Definition
from pybinlog.simulate.sql import syntax
from pybinlog.simulate.sql.definition import run_definition
from pybinlog.simulate.sql.evaluator import Evaluator, check_expressions
from pybinlog.simulate.sql.execution import Execution
from pybinlog.simulate.sql.row_writer import RowWriter, insert
from pybinlog.simulate.sql.select import chosen, combinations, joined_tables, lock, scalar, select
from pybinlog.simulate.sql.session import Effect, Environment, Frame, Session, Source, UserVariable
from pybinlog.simulate.tables.table import Table
from pybinlog.values.convert import Storing
from pybinlog.values.value import CONTEXT, Context, Value, collation_of


def _single(evaluator: Evaluator, rows: syntax.Rows) -> tuple[Source, list[Environment]]:
    """Return the table of a statement on one table, and the rows that WHERE, ORDER BY and LIMIT choose, locked."""
    execution, (joined,) = evaluator.execution, rows.tables
    table = execution.table(joined.path)
    execution.effect.use(table, read=True, written=True)
    source = Source(joined.alias, table)
    lock(evaluator, source, rows.where, "X")
    return source, chosen(evaluator, combinations(evaluator, Frame([source]), rows), rows.order, rows.limit)


def update(execution: Execution, node: syntax.Update) -> None:
    """Run an UPDATE. Raise SqlError and UnsupportedStatement."""
    evaluator = Evaluator(execution)
    if len(node.rows.tables) > 1:
        _update_several(evaluator, node)
        return
    source, rows = _single(evaluator, node.rows)
    storage = execution.session.storage
    execution.effect.table_map_for_update = int(storage.modern and not storage.mariadb)
    read = {name.column.lower() for name in _names(node)}
    if rows and not _compares(execution, node.assignments, source.table, read):
        execution.effect.engine_written |= source.table.in_engine
    writer = RowWriter(evaluator, source.table)
    # Messages count the rows that are read, or after ORDER BY those that are chosen.
    places = {slot: number for number, (slot, _) in enumerate(source.rows, 1)}
    for number, env in enumerate(rows, 1):
        _write(writer, env, 0, node.assignments, number if node.rows.order else places[env.slots[0]])


def _names(node: syntax.Update) -> Iterator[Name]:
    """Yield the columns that an UPDATE reads."""
    return (part for part in syntax.expressions_of(node) if isinstance(part, Name))


def _compares(execution: Execution, assigned: Iterable[syntax.Assignment], table: Table, read: set[str]) -> bool:
    """Return True if the server itself sees that a row stays as it was, and asks the engine for nothing.

    It can if it has read all columns that it assigns. The engine gives those that the statement and its triggers use,
    and the key that the rows are stored by; for rows in the log, all.
    """
    for trigger in table.triggers:
        if trigger.event == "UPDATE":
            read |= {name.column.lower() for name in syntax.row_names(trigger.body)}
    stored_by = next((key for key in table.definition.keys if key.primary), None)
    read |= {part.column.lower() for part in stored_by.parts} if stored_by is not None else set()
    return execution.row_format or all(assignment.column.lower() in read for assignment in assigned)


def _write(
    writer: RowWriter, env: Environment, place: int, assignments: Sequence[syntax.Assignment], number: int
) -> None:
    """Change the row of one source. Raise error 1062."""
    writer.write(env.slots[place], env.rows[place], writer.assigned(env, place, assignments, number))


def _update_several(evaluator: Evaluator, node: syntax.Update) -> None:
    """UPDATE of a join: the first table that is joined is changed as its rows are found, the others afterwards."""
    execution = evaluator.execution
    frame, rows, order, given = joined_tables(evaluator, node.rows)
    targets: dict[int, list[syntax.Assignment]] = {}
    for assignment in node.assignments:
        targets.setdefault(frame.find(Name(assignment.column, assignment.table))[0], []).append(assignment)
    for place in sorted(targets):
        execution.effect.use(frame.sources[place].table, written=True)
    execution.effect.table_map_for_update = sum(1 << place for place in targets)
    for place in sorted(targets, key=order.index):
        table = frame.sources[place].table
        lock(evaluator, frame.sources[place], node.rows.where, "X")
        read = {name.column.lower() for name in _names(node) if frame.find(name)[0] == place}
        constant = place in order[:given]  # read as a whole before anything else
        if rows and not constant and not _compares(execution, targets[place], table, read):
            execution.effect.engine_written |= table.in_engine
        writer = RowWriter(evaluator, table)
        done: set[int] = set()
        for number, env in enumerate(rows, 1):
            slot = env.slots[place]
            old = table.row(slot)
            if old is not None and slot not in done:
                done.add(slot)
                _write(writer, env.with_row(place, old), place, targets[place], number)


def delete(execution: Execution, node: syntax.Delete) -> None:
    """Run a DELETE. Raise SqlError and UnsupportedStatement."""
    evaluator = Evaluator(execution)
    if node.targets:
        _delete_several(evaluator, node)
        return
    source, rows = _single(evaluator, node.rows)
    writer = RowWriter(evaluator, source.table)
    for env in rows:
        writer.delete(env.slots[0], env.rows[0])


def _delete_several(evaluator: Evaluator, node: syntax.Delete) -> None:
    """DELETE from some of the tables of a join.

    They go in the order of the join; 8.0 and later begin with the first that is read row by row.
    """
    execution = evaluator.execution
    frame, rows, order, given = joined_tables(evaluator, node.rows)
    aliases = [source.alias.lower() for source in frame.sources]
    for name in node.targets:
        if name.lower() not in aliases:
            raise error("UNKNOWN_TABLE", name, "MULTI DELETE")
    places = {aliases.index(name.lower()) for name in node.targets}
    if execution.session.storage.modern and given < len(order):
        order = order[given:] + order[:given]
    for place in sorted(places, key=order.index):
        table = frame.sources[place].table
        execution.effect.use(table, written=True)
        lock(evaluator, frame.sources[place], node.rows.where, "X")
        writer = RowWriter(evaluator, table)
        for slot in dict.fromkeys(env.slots[place] for env in rows):
            old = table.row(slot)
            if old is not None:
                writer.delete(slot, old)


def execute(statement: syntax.Statement, session: Session, *, row_format: bool = False) -> Effect:
    """Run a statement; what it did. `row_format`: its changes are logged as rows.

    It commits nothing. After an error the changes to transactional tables are undone; `effect.changes` still lists
    them, and those to other tables, which stay. Raise UnsupportedStatement for what is not in the model, with the
    tables as they were.
    """
    execution = Execution(session, statement, row_format, _run)
    effect, transaction = execution.effect, session.transaction
    mark = len(transaction.changes)
    context = Context()
    token = CONTEXT.set(context)
    try:
        _run(execution)
    except SqlError as problem:
        effect.error = problem
        transaction.roll_back_to(mark)
    except UnsupportedStatement:
        for change in reversed(effect.changes):
            change.undo()
        del transaction.changes[mark:]
        raise
    finally:
        CONTEXT.reset(token)
    # From 8.0.19 on, a date in text may name its time zone.
    reads_zones = session.storage.version >= (8, 0, 19)
    effect.time_zone_used = context.time_zone_used or (context.date_parsed and reads_zones)
    effect.microseconds_used = context.microseconds_used or effect.created_now
    if statement.is_dml:
        effect.databases = [use.table.database for use in effect.tables]
        session.insert_id = None
    effect.databases = sorted(set(effect.databases), key=str.encode, reverse=True)
    if effect.error is None and execution.first_insert_id is not None:
        session.last_insert_id = execution.first_insert_id
    return effect


def _run_subqueries(execution: Execution) -> None:
    node = execution.statement.node
    calls_functions = isinstance(node, (syntax.Insert, syntax.Update, syntax.Select)) and not execution.in_use
    check_expressions(node, execution.session if calls_functions else None)
    for part in syntax.expressions_of(execution.statement.node):
        if isinstance(part, Subquery):
            execution.subqueries[part] = scalar(part.query, Evaluator(execution))


def _run(execution: Execution) -> None:
    """Run one statement, which may be the body of a trigger."""
    _run_subqueries(execution)
    node = execution.statement.node
    if isinstance(node, syntax.Insert):
        insert(execution, node)
    elif isinstance(node, syntax.Update):
        update(execution, node)
    elif isinstance(node, syntax.Delete):
        delete(execution, node)
    elif isinstance(node, Definition):
        run_definition(execution, node)
    elif isinstance(node, syntax.Select):
        execution.effect.rows = select(node, Evaluator(execution)).rows


def values_of(
    arguments: Sequence[Expression], statement: syntax.Statement, session: Session
) -> tuple[list[Value], Storing]:
    """Return the values of the arguments of CALL, and how they are stored. Raise SqlError, UnsupportedStatement."""
    execution = Execution(session, statement)
    _run_subqueries(execution)
    return [Evaluator(execution).evaluate(argument) for argument in arguments], execution.storing()


def value_of(setting: syntax.Setting, statement: syntax.Statement, session: Session) -> Value:
    """Return the value that SET gives to a variable.

    A user variable is set at once. Raise SqlError, UnsupportedStatement.
    """
    if setting.value is None or isinstance(setting.value, Default):
        return None
    execution = Execution(session, statement)
    _run_subqueries(execution)
    value = Evaluator(execution).evaluate(setting.value)
    if setting.scope == "USER":
        value = bytes(value) if isinstance(value, bytes) else value
        variable = UserVariable(setting.name, value, collation_of(value, session.collation_connection))
        session.user_variables[setting.name.lower()] = variable
    return value
