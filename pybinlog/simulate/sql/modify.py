"""UPDATE and DELETE, of one table and of several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pybinlog.schema import error
from pybinlog.schema.expression import Name
from pybinlog.simulate.sql.environment import Environment, Frame, Source
from pybinlog.simulate.sql.evaluator import Evaluator
from pybinlog.simulate.sql.execution import Execution
from pybinlog.simulate.sql.row_writer import RowWriter
from pybinlog.simulate.sql.select import chosen, combinations, joined_tables, lock
from pybinlog.simulate.sql.syntax import Assignment, Delete, Rows, Update, expressions_of, row_names
from pybinlog.simulate.tables.table import Table


def _single(evaluator: Evaluator, rows: Rows) -> tuple[Source, list[Environment]]:
    """Return the table of a statement on one table, and the rows that WHERE, ORDER BY and LIMIT choose, locked."""
    execution, (joined,) = evaluator.execution, rows.tables
    table = execution.table(joined.path)
    execution.effect.use(table, read=True, written=True)
    source = Source(joined.alias, table)
    lock(evaluator, source, rows.where, "X")
    return source, chosen(evaluator, combinations(evaluator, Frame([source]), rows), rows.order, rows.limit)


def update(execution: Execution, node: Update) -> None:
    """Run an UPDATE. Raise SqlError and UnsupportedStatement."""
    evaluator = Evaluator(execution)
    if len(node.rows.tables) > 1:
        _update_several(evaluator, node)
        return
    source, rows = _single(evaluator, node.rows)
    execution.effect.table_map_for_update = int(execution.session.storage.modern)
    read = {name.column.lower() for name in _names(node)}
    if rows and not _compares(execution, node.assignments, source.table, read):
        execution.effect.engine_written |= source.table.in_engine
    writer = RowWriter(evaluator, source.table)
    # Messages count the rows that are read, or after ORDER BY those that are chosen.
    places = {slot: number for number, (slot, _) in enumerate(source.rows, 1)}
    for number, env in enumerate(rows, 1):
        _write(writer, env, 0, node.assignments, number if node.rows.order else places[env.slots[0]])


def _names(node: Update) -> Iterator[Name]:
    """Yield the columns that an UPDATE reads."""
    return (part for part in expressions_of(node) if isinstance(part, Name))


def _compares(execution: Execution, assigned: Iterable[Assignment], table: Table, read: set[str]) -> bool:
    """Return True if the server itself sees that a row stays as it was, and asks the engine for nothing.

    It can if it has read all columns that it assigns. The engine gives those that the statement and its triggers use,
    and the key that the rows are stored by; for rows in the log, all.
    """
    for trigger in table.triggers:
        if trigger.event == "UPDATE":
            read |= {name.column.lower() for name in row_names(trigger.body)}
    stored_by = next((key for key in table.definition.keys if key.primary), None)
    read |= {part.column.lower() for part in stored_by.parts} if stored_by is not None else set()
    return execution.row_format or all(assignment.column.lower() in read for assignment in assigned)


def _write(writer: RowWriter, env: Environment, place: int, assignments: Sequence[Assignment], number: int) -> None:
    """Change the row of one source. Raise error 1062."""
    writer.write(env.slots[place], env.rows[place], writer.assigned(env, place, assignments, number))


def _update_several(evaluator: Evaluator, node: Update) -> None:
    """UPDATE of a join: the first table that is joined is changed as its rows are found, the others afterwards."""
    execution = evaluator.execution
    frame, rows, order, given = joined_tables(evaluator, node.rows)
    targets: dict[int, list[Assignment]] = {}
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


def delete(execution: Execution, node: Delete) -> None:
    """Run a DELETE. Raise SqlError and UnsupportedStatement."""
    evaluator = Evaluator(execution)
    if node.targets:
        _delete_several(evaluator, node)
        return
    source, rows = _single(evaluator, node.rows)
    writer = RowWriter(evaluator, source.table)
    for env in rows:
        writer.delete(env.slots[0], env.rows[0])


def _delete_several(evaluator: Evaluator, node: Delete) -> None:
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
