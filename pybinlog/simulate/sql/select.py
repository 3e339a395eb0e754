"""SELECT: the tables of a statement, the combinations of their rows, and the rows of values that come of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from typing import Any

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema import SqlError, error
from pybinlog.schema.expression import Binary, Call, Expression, In, Name, Number, walk
from pybinlog.simulate.sql.evaluator import AGGREGATES, Evaluator, aggregate
from pybinlog.simulate.sql.session import Environment, Frame, Source
from pybinlog.simulate.sql.syntax import Order, Rows, Select
from pybinlog.simulate.tables.table import Table, comparable
from pybinlog.values.convert import store
from pybinlog.values.operators import sort_key
from pybinlog.values.value import Value


@dataclass
class Result:
    """The names of a query's columns, their expressions, its rows, and the tables that it reads."""

    columns: list[str]
    nodes: list[Expression]
    rows: list[tuple[Value, ...]]
    frame: Frame


def select_for(
    query: Select, evaluator: Evaluator, target: Table | None = None
) -> tuple[Result, Iterable[tuple[Value, ...]]]:
    """Return the result of a query that a statement writes, and its rows. Raise SqlError and UnsupportedStatement.

    The server writes each row of one table, other than `target`, before it reads, and locks, the next one. It reads all
    of them first where it has to sort them.
    """
    rows = query.rows
    if len(rows.tables) == 1 and rows.limit is None:
        frame = sources_of(evaluator, rows)
        columns, nodes = _columns(query, frame)
        source = frame.sources[0]
        aggregates = isinstance(nodes[0], Call) and nodes[0].name in AGGREGATES
        if source.table is not target and not aggregates and _sorted_already(rows.order, source.table):
            return Result(columns, nodes, [], frame), _read_one_by_one(evaluator, query, frame, nodes)
    result = select(query, evaluator, locking=True)
    return result, result.rows


def _sorted_already(order: Sequence[Order], table: Table) -> bool:
    """Return True if the rows lie in that order: by the key that the engine keeps them by."""
    if not order:
        return True
    node, key = order[0].expression, table.stored_by
    return (
        len(order) == 1
        and key is not None
        and len(key.parts) == 1
        and isinstance(node, Name)
        and node.column.lower() == key.parts[0].column.lower()
        and not order[0].descending
    )


def _read_one_by_one(
    evaluator: Evaluator, query: Select, frame: Frame, nodes: list[Expression]
) -> Iterator[tuple[Value, ...]]:
    """Lock and yield row after row."""
    (source,) = frame.sources
    table, transaction = source.table, evaluator.session.transaction
    named = points(evaluator, source, query.rows.where)
    missing = [] if named is None else sorted(named.missing)
    for slot, row in table.chosen(None if named is None else named.slots):
        keys = table.lock_keys(row, slot)
        while missing and missing[0] < keys[0]:
            lock_missing(evaluator, table, missing.pop(0), "S")
        for key in keys:
            transaction.lock(table, "S", key)
        source.rows = [(slot, row)]
        for env in combinations(evaluator, frame, query.rows):
            yield tuple(evaluator.evaluate(node, env) for node in nodes)
    if named is None:
        transaction.lock(table, "S")
    for key in missing:
        lock_missing(evaluator, table, key, "S")


def select(query: Select, evaluator: Evaluator, *, locking: bool = False) -> Result:
    """Return the rows of a query; `locking`: a statement writes them. Raise SqlError and UnsupportedStatement."""
    frame = sources_of(evaluator, query.rows, locking=locking)
    columns, nodes = _columns(query, frame)
    order = [part.replace(expression=_sorted_by(part, columns, nodes)) for part in query.rows.order]
    found = combinations(evaluator, frame, query.rows)
    if isinstance(nodes[0], Call) and nodes[0].name in AGGREGATES:
        aggregates = tuple(_aggregate(evaluator, node, found) for node in nodes)
        return Result(columns, nodes, [aggregates][: query.rows.limit], frame)
    found = chosen(evaluator, found, order, query.rows.limit)
    rows = [tuple(evaluator.evaluate(node, env) for node in nodes) for env in found]
    return Result(columns, nodes, rows, frame)


def _aggregate(evaluator: Evaluator, node: Expression, rows: list[Environment]) -> Value:
    assert isinstance(node, Call)
    if node.star:
        return len(rows)
    return aggregate(node.name, [evaluator.evaluate(node.arguments[0], env) for env in rows], evaluator.connection)


def scalar(query: Select, evaluator: Evaluator) -> Value:
    """Return the value of a subquery. Raise error 1242."""
    try:
        rows = select(query, evaluator, locking=True).rows
    except SqlError as problem:
        if problem.number != error("BAD_FIELD", "", "").number:
            raise
        raise UnsupportedStatement(
            "a subquery that names a column of the statement around it is not in the model", missing="subquery"
        ) from problem
    if len(rows) > 1:
        raise error("SUBQUERY_NO_1_ROW")
    return rows[0][0] if rows else None


def _sorted_by(order: Order, columns: list[str], nodes: list[Expression]) -> Expression:
    """Return the expression to sort by; a column of the result that ORDER BY names by name or number, in its place."""
    node = order.expression
    if isinstance(node, Number) and node.text.isdigit() and 0 < int(node.text) <= len(columns):
        return nodes[int(node.text) - 1]
    lowered = [column.lower() for column in columns]
    if isinstance(node, Name) and not node.table and node.column.lower() in lowered:
        return nodes[lowered.index(node.column.lower())]
    return node


def _columns(query: Select, frame: Frame) -> tuple[list[str], list[Expression]]:
    """Return the names of the result's columns and their expressions, * in its parts."""
    columns: list[str] = []
    nodes: list[Expression] = []
    for item in query.items:
        if item.expression is not None:
            columns.append(item.name)
            nodes.append(item.expression)
            continue
        for source in frame.sources:
            if item.table.lower() in ("", source.alias.lower()):
                visible = [column.name for column in source.table.columns if column.visible]
                columns += visible
                nodes += [Name(name, source.alias) for name in visible]
    return columns, nodes


def chosen(
    evaluator: Evaluator, rows: list[Environment], order: Sequence[Order], limit: int | None
) -> list[Environment]:
    """Return the rows that ORDER BY and LIMIT choose."""
    for part in reversed(order):
        rows.sort(
            key=lambda env: sort_key(evaluator.evaluate(part.expression, env), evaluator.connection),
            reverse=part.descending,
        )
    return rows[:limit]


def conjuncts(condition: Expression | None) -> list[Expression]:
    """Return the conditions that AND joins."""
    if isinstance(condition, Binary) and condition.operator == "AND":
        return conjuncts(condition.left) + conjuncts(condition.right)
    return [] if condition is None else [condition]


@dataclass
class Points:
    """The rows that a condition names by the whole of a unique key: their slots, by what names them for locks, and what
    would name those that are not there."""

    found: dict[tuple[Any, ...], int]
    missing: list[tuple[Any, ...]]

    @property
    def slots(self) -> set[int]:
        return set(self.found.values())


def _constants(source: Source, condition: Expression | None) -> dict[str, tuple[Expression, ...]]:
    """Return the columns that a condition compares with constants for equality, and these constants."""
    found: dict[str, tuple[Expression, ...]] = {}
    for part in conjuncts(condition):
        column, values = part, tuple[Expression, ...]()
        if isinstance(part, Binary) and part.operator == "=":
            column, values = (part.left, (part.right,)) if isinstance(part.left, Name) else (part.right, (part.left,))
        elif isinstance(part, In) and not part.negated:
            column, values = part.operand, part.items
        constant = all(not isinstance(node, Name) for value in values for node in walk(value))
        if not isinstance(column, Name) or not values or not constant:
            continue
        if column.table.lower() in ("", source.alias.lower()) and source.table.position(column.column) is not None:
            found.setdefault(column.column.lower(), values)
    return found


def points(
    evaluator: Evaluator, source: Source, condition: Expression | None, *, single: bool = False
) -> Points | None:
    """Return the rows that a condition names by a unique key; None if it does not. `single`: at most one row."""
    table, wanted = source.table, _constants(source, condition)
    storing = replace(evaluator.execution.storing(table), strict=False)
    for key in table.unique_keys:
        if not all(part.column.lower() in wanted and part.prefix is None for part in key.parts):
            continue
        choices: list[list[Any]] = []
        for part in key.parts:
            column = table.column(part.column)
            values = [evaluator.evaluate(node) for node in wanted[part.column.lower()]]
            choices.append([comparable(store(value, column, storing), column) for value in values])
        keys = [(key.name, *values) for values in product(*choices) if None not in values]
        if single and len(keys) > 1:
            continue
        slots = {named: table.found(key.name, named[1:]) for named in keys}
        found = {named: slot for named, slot in slots.items() if slot is not None}
        return Points(found, [named for named in slots if named not in found])
    return None


def lock(evaluator: Evaluator, source: Source, condition: Expression | None, mode: str) -> None:
    """Lock the rows of a source that a unique key names, else its table, and take those rows. Raise error 1205."""
    named = points(evaluator, source, condition)
    for key in named.found if named is not None else [None]:
        evaluator.session.transaction.lock(source.table, mode, key)
    for key in named.missing if named is not None else []:
        lock_missing(evaluator, source.table, key, mode)
    source.rows = source.table.chosen(named.slots if named is not None else None)


def lock_missing(evaluator: Evaluator, table: Table, key: tuple[Any, ...], mode: str) -> None:
    """Lock the gap in which a row would be that was looked for and is not there. Raise error 1205."""
    evaluator.session.transaction.lock(table, mode, key, table.gap(key))


def sources_of(evaluator: Evaluator, rows: Rows, *, locking: bool = False) -> Frame:
    """Return the sources of a statement, whose tables are noted as read. Raise SqlError.

    A statement that writes locks what it reads. A SELECT by itself leaves nothing in the log, so it reads what is
    there, be it committed or not.
    """
    execution = evaluator.execution
    sources: list[Source] = []
    for joined in rows.tables:
        table = execution.table(joined.path)
        if any(other.alias.lower() == joined.alias.lower() for other in sources):
            raise error("NONUNIQ_TABLE", joined.alias)
        execution.effect.use(table, read=True)
        sources.append(Source(joined.alias, table))
        if locking:
            lock(evaluator, sources[-1], rows.where, "S")
        else:
            sources[-1].rows = table.chosen()
    return Frame(sources)


def combinations(evaluator: Evaluator, frame: Frame, rows: Rows) -> list[Environment]:
    """Return the combinations of rows for which the joins' conditions and that of WHERE hold, in the order of nested
    loops.

    A condition is looked at as soon as the rows that it names are there.
    """
    conditions = [part for table in rows.tables for part in conjuncts(table.on)] + conjuncts(rows.where)
    due: dict[int, list[Expression]] = {}
    for part in conditions:
        due.setdefault(_needs(frame, part), []).append(part)

    def holds(env: Environment) -> bool:
        return all(evaluator.condition(part, env) for part in due.get(len(env.rows), ()))

    found = list(filter(holds, [Environment(frame, evaluator.session.time_zone)]))
    for source in frame.sources:
        longer = (
            replace(env, rows=(*env.rows, row), slots=(*env.slots, slot)) for env in found for slot, row in source.rows
        )
        found = list(filter(holds, longer))
    return found


def _needs(frame: Frame, condition: Expression) -> int:
    """Return how many sources must have their rows before a condition can be looked at. Raise error 1054."""
    parts = list(walk(condition))
    if any(isinstance(part, Call) for part in parts):
        return len(frame.sources)
    return max((frame.find(part, "where clause")[0] + 1 for part in parts if isinstance(part, Name)), default=0)


def _with_equals(frame: Frame, rows: Rows) -> Expression | None:
    """Return the conditions of a join with the constants that follow: of a = b AND b = 1, also a = 1."""
    conditions = [part for table in rows.tables for part in conjuncts(table.on)] + conjuncts(rows.where)
    equal = [part for part in conditions if isinstance(part, Binary) and part.operator == "="]
    known: dict[tuple[int, int], Expression] = {}
    for _ in equal:
        for part in equal:
            for one, other in ((part.left, part.right), (part.right, part.left)):
                if isinstance(one, Name):
                    value = known.get(frame.find(other)) if isinstance(other, Name) else other
                    if value is not None and not any(isinstance(node, Name) for node in walk(value)):
                        known.setdefault(frame.find(one), value)
    for (place, column), value in known.items():
        source = frame.sources[place]
        conditions.append(Binary("=", Name(source.table.columns[column].name, source.alias), value))
    return reduce(lambda left, right: Binary("AND", left, right), conditions) if conditions else None


def joined_tables(evaluator: Evaluator, rows: Rows) -> tuple[Frame, list[Environment], list[int], int]:
    """Return the sources of a statement on several tables, the combinations of their rows, and the join's order.

    First come the sources of which a unique key is given, at most one row each; the last number is how many.
    """
    frame = sources_of(evaluator, rows, locking=True)
    places = range(len(frame.sources))
    where = _with_equals(frame, rows)
    given = [at for at in places if points(evaluator, frame.sources[at], where, single=True) is not None]
    order = given + [at for at in places if at not in given]
    return frame, combinations(evaluator, frame, rows), order, len(given)
