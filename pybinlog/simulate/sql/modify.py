"""UPDATE and DELETE, of one table and of several."""

from __future__ import annotations

from pybinlog.schema import error
from pybinlog.schema.expression import Expression
from pybinlog.simulate.sql.environment import Environment, Frame, Source
from pybinlog.simulate.sql.evaluator import Evaluator
from pybinlog.simulate.sql.execution import Execution
from pybinlog.simulate.sql.row_writer import RowWriter
from pybinlog.simulate.sql.select import chosen, combinations, evaluator_of, found_by_index, points, sources_of
from pybinlog.simulate.sql.syntax import Assignment, Delete, Joined, Update
from pybinlog.simulate.tables.table import Row


def _single(evaluator: Evaluator, node: Update | Delete) -> tuple[Source, list[Environment]]:
    """The table of a statement on one table, and the rows that WHERE, ORDER BY and LIMIT choose, locked."""
    execution, joined = evaluator.execution, node.tables[0]
    table = execution.table(joined.path)
    execution.effect.use(table, read=True, written=True)
    source = Source(joined.alias, table)
    named = points(evaluator, source, node.where)
    for key in named.keys if named is not None else [None]:
        execution.session.transaction.lock(table, "X", key)
    source.rows = table.ordered(table.slots()) if named is None else table.chosen(named.slots)
    rows = list(combinations(evaluator, Frame([source]), [Joined(joined.path, joined.alias)], node.where))
    rows = chosen(evaluator, rows, node.order, node.limit)
    execution.effect.engine_written |= bool(rows) and table.transactional and found_by_index(source, node.where)
    return source, rows


def update(execution: Execution, node: Update) -> None:
    """Run an UPDATE. Raises SqlError and UnsupportedStatement."""
    evaluator = evaluator_of(execution)
    if len(node.tables) > 1:
        _update_several(evaluator, node)
        return
    source, rows = _single(evaluator, node)
    execution.effect.table_map_for_update = int(execution.session.storage.modern)
    writer = RowWriter(evaluator, source.table)
    # Messages count the rows that are read, or after ORDER BY those that are chosen.
    places = {slot: number for number, (slot, _) in enumerate(source.rows, 1)}
    for number, env in enumerate(rows, 1):
        slot, old = env.slots[0], env.rows[0]
        assert slot is not None
        assert old is not None
        _write(writer, env, 0, slot, old, list(node.assignments), number if node.order else places[slot])


def _write(
    writer: RowWriter, env: Environment, place: int, slot: int, old: Row, assignments: list[Assignment], number: int
) -> None:
    """Change one row; one that stays as it was is not written."""
    execution = writer.execution
    new = writer.assigned(env, place, old, assignments, number)
    if new == old:
        return
    clash = writer.clash(new, slot)
    if clash is None:
        writer.update(slot, old, new)
    elif not execution.ignore:
        raise clash
    else:
        execution.effect.warnings.append(clash)


def _joined(evaluator: Evaluator, node: Update | Delete) -> tuple[Frame, list[Environment], list[int], int]:
    """The sources of a statement on several tables, the combinations of their rows, and the join's order.

    First come the sources of which a unique key is given, at most one row each; the last number is how many.
    """
    frame = sources_of(evaluator, node.tables, node.where, locking=True)
    given = [
        place
        for place, source in enumerate(frame.sources)
        if points(evaluator, source, node.where, single=True) is not None
    ]
    order = given + [place for place in range(len(frame.sources)) if place not in given]
    return frame, list(combinations(evaluator, frame, node.tables, node.where)), order, len(given)


def _lock_target(evaluator: Evaluator, source: Source, condition: Expression | None) -> None:
    """Lock the rows of a table that a join changes: all of them but where a unique key names some."""
    named = points(evaluator, source, condition)
    for key in named.keys if named is not None else [None]:
        evaluator.session.transaction.lock(source.table, "X", key)


def _update_several(evaluator: Evaluator, node: Update) -> None:
    """UPDATE of a join: the first table that is joined is changed as its rows are found, the others afterwards."""
    execution = evaluator.execution
    frame, rows, order, _ = _joined(evaluator, node)
    targets: dict[int, list[Assignment]] = {}
    for assignment in node.assignments:
        found = frame.find(assignment.column, assignment.table)
        if found is None:
            raise error("BAD_FIELD", assignment.column, "field list")
        targets.setdefault(found[0], []).append(assignment)
    for place in sorted(targets):
        execution.effect.use(frame.sources[place].table, written=True)
    execution.effect.table_map_for_update = sum(1 << place for place in targets)
    originals = [(list(env.rows), list(env.slots)) for env in rows]
    for place in sorted(targets, key=order.index):
        table = frame.sources[place].table
        _lock_target(evaluator, frame.sources[place], node.where)
        writer = RowWriter(evaluator, table)
        done: set[int] = set()
        for number, (images, slots) in enumerate(originals, 1):
            slot = slots[place]
            old = table.row(slot) if slot is not None else None
            if slot is None or old is None or slot in done:
                continue
            done.add(slot)
            env = Environment(frame, list(images), evaluator.session.time_zone)
            env.rows[place] = old
            _write(writer, env, place, slot, old, targets[place], number)


def delete(execution: Execution, node: Delete) -> None:
    """Run a DELETE. Raises SqlError and UnsupportedStatement."""
    evaluator = evaluator_of(execution)
    if node.targets:
        _delete_several(evaluator, node)
        return
    source, rows = _single(evaluator, node)
    writer = RowWriter(evaluator, source.table)
    for env in rows:
        slot, old = env.slots[0], env.rows[0]
        assert slot is not None
        assert old is not None
        writer.delete(slot, old)


def _delete_several(evaluator: Evaluator, node: Delete) -> None:
    """DELETE from some of the tables of a join.

    They go in the order of the join; 8.0 and later begin with the first that is read row by row.
    """
    execution = evaluator.execution
    frame, rows, order, given = _joined(evaluator, node)
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
        _lock_target(evaluator, frame.sources[place], node.where)
        writer = RowWriter(evaluator, table)
        for slot in dict.fromkeys(env.slots[place] for env in rows):
            old = table.row(slot) if slot is not None else None
            if slot is not None and old is not None:
                writer.delete(slot, old)
