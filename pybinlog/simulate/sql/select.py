"""SELECT: the tables of a query, the combinations of their rows, and the rows of values that come of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any

from pybinlog.layout import ColumnType
from pybinlog.schema import error
from pybinlog.schema.expression import (
    Between,
    Binary,
    Call,
    Expression,
    In,
    Is,
    Name,
    Number,
    String,
    Subquery,
    Variable,
    walk,
)
from pybinlog.simulate.sql.environment import Environment, Frame, Source
from pybinlog.simulate.sql.evaluator import COMPARISONS, Evaluator, Rows
from pybinlog.simulate.sql.execution import Execution
from pybinlog.simulate.sql.functions import AGGREGATES
from pybinlog.simulate.sql.syntax import Joined, Order, Select
from pybinlog.simulate.tables.table import Row, Table, comparable
from pybinlog.values.convert import store
from pybinlog.values.operators import sort_key
from pybinlog.values.value import to_float


@dataclass
class Result:
    """The names of a query's columns, their expressions, its rows, and the tables that it reads."""

    columns: list[str]
    nodes: list[Expression]
    rows: Rows
    frame: Frame


def evaluator_of(execution: Execution) -> Evaluator:
    """An evaluator for a statement, which knows queries."""
    return Evaluator(execution, lambda query, evaluator, env: select(query, evaluator, env).rows)


def select(query: Select, evaluator: Evaluator, outer: Environment | None = None, *, locking: bool = False) -> Result:
    """The rows of a query; `locking`: a statement writes them. Raises SqlError and UnsupportedStatement."""
    frame = sources_of(evaluator, query.tables, query.where, locking=locking)
    columns, nodes = _columns(query, frame)
    aggregates = any(isinstance(part, Call) and part.name in AGGREGATES for node in nodes for part in walk(node))
    if query.tables:
        found = combinations(evaluator, frame, query.tables, query.where, outer)
        enough = None if query.order or query.offset or aggregates else query.limit
        rows = list(islice(found, enough))
    else:
        env = Environment(frame, [], evaluator.session.time_zone, outer)
        rows = [env] if query.where is None or evaluator.condition(query.where, env) else []
    if aggregates:
        first: list[Row | None] = rows[0].rows if rows else [None] * len(frame.sources)
        rows = [Environment(frame, first, evaluator.session.time_zone, outer, group=rows)]
    outputs = []
    for env in rows:
        values = tuple(evaluator.evaluate(node, env) for node in nodes)
        env.aliases = {column.lower(): value for column, value in zip(columns, values, strict=True)}
        outputs.append((env, values))
    for order in reversed(query.order):
        place = _output_column(order, columns)
        outputs.sort(
            key=lambda output: sort_key(
                output[1][place] if place is not None else evaluator.evaluate(order.expression, output[0]),
                evaluator.connection,
            ),
            reverse=order.descending,
        )
    kept = outputs[query.offset :][: query.limit]
    return Result(columns, nodes, [values for _, values in kept], frame)


def _output_column(order: Order, columns: list[str]) -> int | None:
    """The column of the result that ORDER BY names by its number."""
    node = order.expression
    if isinstance(node, Number) and node.text.isdigit() and 0 < int(node.text) <= len(columns):
        return int(node.text) - 1
    return None


def _columns(query: Select, frame: Frame) -> tuple[list[str], list[Expression]]:
    """The names of the result's columns and their expressions, * in its parts."""
    columns: list[str] = []
    nodes: list[Expression] = []
    for item in query.items:
        if item.expression is not None:
            columns.append(item.name)
            nodes.append(item.expression)
            continue
        for source in frame.sources:
            if item.table and source.alias.lower() != item.table.lower():
                continue
            visible = [column.name for column in source.table.columns if column.visible]
            columns += visible
            nodes += [Name(name, source.alias) for name in visible]
    return columns, nodes


def chosen(
    evaluator: Evaluator, rows: list[Environment], order: Sequence[Order], limit: int | None
) -> list[Environment]:
    """The rows of UPDATE and DELETE that ORDER BY and LIMIT choose."""
    for part in reversed(order):
        rows.sort(
            key=lambda env: sort_key(evaluator.evaluate(part.expression, env), evaluator.connection),
            reverse=part.descending,
        )
    return rows[:limit]


def read_rows(execution: Execution, table: Table, *, locking: bool) -> list[tuple[int, Row]]:
    """The rows of a table that the statement sees.

    A statement that writes reads the newest rows and locks them all; a mere SELECT reads what is committed, and what
    its own transaction has changed.
    """
    transaction = execution.session.transaction
    if locking:
        transaction.lock(table, "S")
    rows = table.slots()
    for other in execution.session.storage.active if not locking else ():
        for change in reversed(other.changes if other is not transaction else []):
            if change.table is table and change.before is None:
                rows.pop(change.slot, None)
            elif change.table is table and change.before is not None:
                rows[change.slot] = change.before
    return table.ordered(rows)


def conjuncts(condition: Expression | None) -> list[Expression]:
    """The conditions that AND joins."""
    if isinstance(condition, Binary) and condition.operator == "AND":
        return conjuncts(condition.left) + conjuncts(condition.right)
    return [] if condition is None else [condition]


@dataclass
class Points:
    """The rows that a condition names by the whole of a unique key: their slots, and what names them for locks."""

    slots: set[int]
    keys: list[tuple[Any, ...]]


def _constants(source: Source, condition: Expression | None) -> dict[str, tuple[Expression, ...]]:
    """The columns that a condition compares with constants for equality, and these constants."""
    found: dict[str, tuple[Expression, ...]] = {}
    for part in conjuncts(condition):
        column, values = part, tuple[Expression, ...]()
        if isinstance(part, Binary) and part.operator == "=":
            column, values = (part.left, (part.right,)) if isinstance(part.left, Name) else (part.right, (part.left,))
        elif isinstance(part, In) and part.query is None and not part.negated:
            column, values = part.operand, part.items
        constant = all(not isinstance(node, (Name, Subquery, In)) for value in values for node in walk(value))
        if not isinstance(column, Name) or not values or not constant:
            continue
        if column.table.lower() in ("", source.alias.lower()) and source.table.position(column.column) is not None:
            found.setdefault(column.column.lower(), values)
    return found


def points(
    evaluator: Evaluator, source: Source, condition: Expression | None, *, single: bool = False
) -> Points | None:
    """The rows that a condition names by a unique key; None where it does not. `single`: at most one row."""
    table, wanted = source.table, _constants(source, condition)
    for key in table.unique_keys:
        if not all(part.column.lower() in wanted and part.prefix is None for part in key.parts):
            continue
        choices: list[list[Any]] = []
        for part in key.parts:
            column = table.column(part.column)
            storing = replace(evaluator.execution.storing(table), strict=False, warnings=[])
            values = [evaluator.evaluate(node) for node in wanted[part.column.lower()]]
            choices.append([comparable(store(value, column, storing), column) for value in values])
        keys = [(key.name, *values) for values in product(*choices) if None not in values]
        if single and len(keys) > 1:
            continue
        slots = {table.found(key.name, named[1:]) for named in keys}
        return Points({slot for slot in slots if slot is not None}, keys)
    return None


def found_by_index(source: Source, condition: Expression | None) -> bool:
    """Whether a condition compares the first column of a key with a constant, so that the key finds the rows."""
    first = {key.parts[0].column.lower() for key in source.table.definition.keys}
    for part in conjuncts(condition):
        sides: list[Expression] = []
        if isinstance(part, Binary) and part.operator in COMPARISONS and part.operator != "<>":
            sides = [part.left, part.right]
        elif isinstance(part, (In, Between, Is)):
            sides = [part.operand]
        columns = [side.column.lower() for side in sides if isinstance(side, Name)]
        if len(columns) == 1 and columns[0] in first:
            return True
    return False


def sources_of(
    evaluator: Evaluator, tables: Sequence[Joined], condition: Expression | None = None, *, locking: bool = False
) -> Frame:
    """The sources of a FROM clause, whose tables are noted as read; `condition` is that of WHERE. Raises SqlError."""
    execution = evaluator.execution
    sources: list[Source] = []
    for joined in tables:
        table = execution.table(joined.path)
        if any(other.alias.lower() == joined.alias.lower() for other in sources):
            raise error("NONUNIQ_TABLE", joined.alias)
        execution.effect.use(table, read=True)
        source = Source(joined.alias, table)
        # What stands in WHERE does not hold for an outer join, whose other rows stay.
        named = None
        if locking and table.transactional and not joined.left:
            named = points(evaluator, source, condition)
        if named is None:
            source.rows = read_rows(execution, table, locking=locking)
        else:
            for key in named.keys:
                execution.session.transaction.lock(table, "S", key)
            source.rows = table.chosen(named.slots)
        sources.append(source)
    return Frame(sources)


def combinations(
    evaluator: Evaluator,
    frame: Frame,
    tables: Sequence[Joined],
    condition: Expression | None,
    outer: Environment | None = None,
) -> Iterator[Environment]:
    """The combinations of rows for which the joins' conditions and that of WHERE hold, in the order of nested loops.

    The conditions are looked at as soon as the rows that they name are there.
    """
    _check_constants(frame, condition)
    pending = [(part, _needs(frame, part)) for part in conjuncts(condition)]
    empty = Environment(frame, [None] * len(frame.sources), evaluator.session.time_zone, outer, [None] * len(tables))
    yield from _extended(evaluator, tables, pending, empty, 0)


def _check_constants(frame: Frame, condition: Expression | None) -> None:
    """Text that a numeric column is compared with is made a number once, before any row is looked at. Raises 1292."""
    for node in walk(condition) if condition is not None else ():
        if not isinstance(node, Binary) or node.operator not in COMPARISONS:
            continue
        for column, constant in ((node.left, node.right), (node.right, node.left)):
            if isinstance(column, Name) and isinstance(constant, String):
                place = frame.find(column.column, column.table, column.database)
                found = frame.sources[place[0]].table.columns[place[1]] if place is not None else None
                if found is not None and found.is_numeric:
                    to_float(constant.text, "DECIMAL" if found.type == ColumnType.NEWDECIMAL else "DOUBLE")


def _needs(frame: Frame, condition: Expression) -> int:
    """How many sources must have their rows before a condition can be looked at."""
    parts = list(walk(condition))
    if any(isinstance(part, (Subquery, Call, Variable)) or (isinstance(part, In) and part.query) for part in parts):
        return len(frame.sources)
    names = [part for part in parts if isinstance(part, Name)]
    places = [frame.find(name.column, name.table, name.database) for name in names]
    return max((place[0] + 1 for place in places if place is not None), default=len(frame.sources))


def _extended(
    evaluator: Evaluator,
    tables: Sequence[Joined],
    pending: list[tuple[Expression, int]],
    before: Environment,
    depth: int,
) -> Iterator[Environment]:
    """The combinations that go on from one of the first `depth` sources' rows."""
    if depth == len(tables):
        yield before
        return
    on, found = tables[depth].on, False

    def extended(slot: int | None, row: Row | None) -> Environment:
        rows, slots = list(before.rows), list(before.slots)
        rows[depth], slots[depth] = row, slot
        return replace(before, rows=rows, slots=slots, aliases={})

    def holds(env: Environment) -> bool:
        return all(evaluator.condition(part, env) for part, needed in pending if needed == depth + 1)

    for slot, row in before.frame.sources[depth].rows:
        env = extended(slot, row)
        if on is not None and not evaluator.condition(on, env):
            continue
        found = True
        if holds(env):
            yield from _extended(evaluator, tables, pending, env, depth + 1)
    if tables[depth].left and not found and holds(env := extended(None, None)):
        yield from _extended(evaluator, tables, pending, env, depth + 1)
