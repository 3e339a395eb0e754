"""UPDATE and DELETE, of one table and of several."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from .auto_is_null import auto_is_null
from .environment import Environment, Frame, Source
from .error import error
from .execution import Execution
from .expression import Evaluator
from .insert import duplicate_entry
from .row import Writer
from .select import limited, sort_rows
from .source import combinations, found_by_index, joined_tables, points, sources_of
from .transaction import Row

__all__ = ["delete", "update"]


def _single(execution: Execution, evaluator: Evaluator, tree: Any) -> tuple[Source, list[Environment]]:
    """The table of a statement on one table, and the rows that WHERE, ORDER BY and LIMIT choose, locked."""
    node = tree.this
    table = execution.table(node.name, node.db or None)
    execution.use(table, read=True, written=True)
    source = Source(node.alias or node.name, table.database, [column.name for column in table.columns], table)
    frame = Frame([source])
    where = tree.args.get("where")
    condition = auto_is_null(evaluator, where.this, frame) if where is not None else None
    named = points(evaluator, source, condition)
    if named is None:
        execution.lock(table, "X")
        source.rows = table.scan()
    else:
        for key in named.keys:
            execution.lock(table, "X", key)
        source.rows = table.chosen(named.slots)
    rows = list(combinations(evaluator, frame, [(None, [])], condition))
    sort_rows(evaluator, tree.args.get("order"), rows)
    chosen = limited(tree, evaluator, rows)
    execution.effect.engine_written |= bool(chosen) and table.transactional and found_by_index(source, condition)
    return source, chosen


def update(execution: Execution, tree: Any) -> None:
    """Runs an UPDATE. Raises SqlError and UnsupportedStatement."""
    evaluator = Evaluator(execution)
    if tree.this.args.get("joins") or tree.args.get("joins"):
        _update_several(execution, evaluator, tree)
        return
    source, rows = _single(execution, evaluator, tree)
    assert source.table is not None
    execution.effect.table_map_for_update = int(execution.session.storage.version >= (8,))
    writer = Writer(execution, source.table)
    # Messages count the rows that are read, or after ORDER BY those that are chosen.
    places = {slot: number for number, (slot, _) in enumerate(source.rows, 1)}
    for number, env in enumerate(rows, 1):
        slot, old = env.slots[0], env.rows[0]
        assert slot is not None
        assert old is not None
        place = number if tree.args.get("order") is not None else places[slot]
        _write(execution, evaluator, writer, env, slot, old, tree.expressions, place)


def _write(
    execution: Execution,
    evaluator: Evaluator,
    writer: Writer,
    env: Environment,
    slot: int,
    old: Row,
    assignments: list[Any],
    number: int,
) -> None:
    """Changes one row; one that stays as it was is not written."""
    ignore = execution.statement.ignore
    new = writer.assigned(evaluator, env, old, assignments, ignore, number)
    if new == old and not writer.has_triggers("UPDATE"):
        return
    clash = writer.table.duplicate(new, slot)
    if clash is not None:
        problem = duplicate_entry(writer.table, clash[0], new)
        if not ignore:
            raise problem
        execution.effect.warnings.append(problem)
        return
    writer.update(slot, old, new)
    execution.effect.affected_rows += 1


def _constant_first(evaluator: Evaluator, frame: Frame, condition: Any) -> list[int]:
    """The order in which the sources are joined: first those of which a unique key is given, at most one row each."""
    constant = []
    for place, source in enumerate(frame.sources):
        if points(evaluator, source, condition, single=True) is not None:
            constant.append(place)
    return constant + [place for place in range(len(frame.sources)) if place not in constant]


def _joined(
    evaluator: Evaluator, tree: Any, first: Any, joins: list[Any]
) -> tuple[Frame, list[Environment], list[int], Any]:
    """The sources of a statement on several tables, the combinations of their rows, the join's order, the condition."""
    where = tree.args.get("where")
    condition = where.this if where is not None else None
    frame, kept = sources_of(evaluator, first, joins, condition, locking=True)
    order = _constant_first(evaluator, frame, condition)
    return frame, list(combinations(evaluator, frame, kept, condition)), order, condition


def _lock_target(execution: Execution, evaluator: Evaluator, source: Source, condition: Any) -> None:
    """Locks the rows of a table that a join changes: all of them but where a unique key names some."""
    assert source.table is not None
    named = points(evaluator, source, condition)
    for key in named.keys if named is not None else [None]:
        execution.lock(source.table, "X", key)


def _update_several(execution: Execution, evaluator: Evaluator, tree: Any) -> None:
    """UPDATE of a join: the first table that is joined is changed as its rows are found, the others afterwards."""
    joins = [*(tree.args.get("joins") or [])]
    frame, rows, order, condition = _joined(evaluator, tree, tree.this, joins)
    targets: dict[int, list[Any]] = {}
    for assignment in tree.expressions:
        column = assignment.this
        found = frame.find(column.name, column.table, column.db)
        if found is None or frame.sources[found[0]].table is None:
            raise error("BAD_FIELD", column.name, "field list")
        targets.setdefault(found[0], []).append(assignment)
    for place, source in enumerate(frame.sources):
        if source.table is not None and place in targets:
            execution.use(source.table, written=True)
    execution.effect.table_map_for_update = sum(1 << place for place in targets)
    originals = [(list(env.rows), list(env.slots)) for env in rows]
    for place in sorted(targets, key=order.index):
        table = frame.sources[place].table
        assert table is not None
        _lock_target(execution, evaluator, frame.sources[place], condition)
        writer = Writer(execution, table)
        done: set[int] = set()
        for number, (images, slots) in enumerate(originals, 1):
            slot = slots[place]
            if slot is None or slot in done:
                continue
            done.add(slot)
            env = Environment(frame, list(images), evaluator.session.time_zone)
            old = table.row(slot)
            if old is None:
                continue
            env.rows[place] = old
            _write(execution, evaluator, writer, env, slot, old, targets[place], number)


def delete(execution: Execution, tree: Any) -> None:
    """Runs a DELETE. Raises SqlError and UnsupportedStatement."""
    evaluator = Evaluator(execution)
    if tree.args.get("tables") or tree.args.get("using"):
        _delete_several(execution, evaluator, tree)
        return
    source, rows = _single(execution, evaluator, tree)
    assert source.table is not None
    writer = Writer(execution, source.table)
    for env in rows:
        slot, old = env.slots[0], env.rows[0]
        assert slot is not None
        assert old is not None
        writer.delete(slot, old)
        execution.effect.affected_rows += 1


def _deletion_order(execution: Execution, frame: Frame, named: list[Any], order: list[int]) -> list[Any]:
    """The tables in the order in which their rows go: 8.0 and later begin with the first that is read row by row.

    Before, they go in the order of the join.
    """
    constant = order[: next((i for i, place in enumerate(order) if i and place < order[i - 1]), len(order))]
    if len(constant) == len(order):
        constant = []
    places = {source.alias.lower(): place for place, source in enumerate(frame.sources)}

    def rank(node: Any) -> int:
        place = places.get(node.name.lower(), 0)
        later = execution.session.storage.version >= (8,) and place in constant
        return order.index(place) + len(order) * later

    return sorted(named, key=rank)


def _delete_several(execution: Execution, evaluator: Evaluator, tree: Any) -> None:
    """DELETE from some of the tables of a join, in the order in which the statement names them."""
    using = tree.args.get("using") or []
    if using:
        named = [table for table, _ in joined_tables(tree.this, [])]
        first, joins = using[0], [exp.Join(this=table) for table in using[1:]]
    else:
        named = tree.args["tables"]
        first, joins = tree.this, list(tree.args.get("joins") or [])
    frame, rows, order, condition = _joined(evaluator, tree, first, joins)
    for node in _deletion_order(execution, frame, named, order):
        place = next((i for i, s in enumerate(frame.sources) if s.alias.lower() == node.name.lower()), None)
        table = frame.sources[place].table if place is not None else None
        if place is None or table is None:
            raise error("UNKNOWN_TABLE", node.name, "MULTI DELETE")
        execution.use(table, written=True)
        _lock_target(execution, evaluator, frame.sources[place], condition)
        writer = Writer(execution, table)
        for slot in dict.fromkeys(env.slots[place] for env in rows):
            old = table.row(slot) if slot is not None else None
            if slot is not None and old is not None:
                writer.delete(slot, old)
                execution.effect.affected_rows += 1
