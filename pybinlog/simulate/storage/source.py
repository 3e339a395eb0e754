"""FROM clauses: the tables and subqueries that they name, and the combinations of their rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from pybinlog.errors import UnsupportedStatement
from pybinlog.layout import ColumnType

from .convert import store
from .environment import Environment, Frame, Source
from .error import error
from .operators import compare
from .predicate import COMPARISONS
from .table import Table, comparable
from .transaction import Row
from .value import to_float

if TYPE_CHECKING:
    from .execution import Execution
    from .expression import Evaluator

__all__ = ["Points", "combinations", "conjuncts", "found_by_index", "points", "read_rows", "sources_of"]


def read_rows(execution: Execution, table: Table, *, locking: bool) -> list[tuple[int, Row]]:
    """The rows of a table that the statement sees.

    A statement that writes reads the newest rows and locks them all; a mere SELECT reads what is committed, and what
    its own transaction has changed.
    """
    if locking:
        execution.lock(table, "S")
    others = [other for other in execution.session.storage.active if other is not execution.session.transaction]
    if locking or table.temporary or not any(other.changes for other in others):
        return table.scan()
    rows = table.slots()
    for other in others:
        for change in reversed(other.changes):
            if change.table is not table:
                continue
            if change.before is None:
                rows.pop(change.slot, None)
            else:
                rows[change.slot] = change.before
    return table.ordered(rows)


def conjuncts(condition: Any) -> list[Any]:
    """The conditions that AND joins."""
    if condition is None:
        return []
    if isinstance(condition, exp.And):
        return conjuncts(condition.this) + conjuncts(condition.expression)
    return conjuncts(condition.this) if isinstance(condition, exp.Paren) else [condition]


@dataclass
class Points:
    """The rows that a condition names by the whole of a unique key: their slots, and what names them for locks."""

    slots: set[int]
    keys: list[tuple[Any, ...]]


def _constants(source: Source, condition: Any) -> dict[str, list[Any]]:
    """The columns that a condition compares with constants for equality, and these constants."""
    found: dict[str, list[Any]] = {}
    for part in conjuncts(condition):
        column, values = part.this, None
        if isinstance(part, exp.EQ):
            values = [part.expression]
            if not isinstance(column, exp.Column):
                column, values = part.expression, [part.this]
        elif isinstance(part, exp.In) and part.expressions and not part.args.get("query"):
            values = part.expressions
        if values is None or not isinstance(column, exp.Column) or any(value.find(exp.Column) for value in values):
            continue
        if column.table and column.table.lower() != source.alias.lower():
            continue
        if column.name.lower() in source.places:
            found.setdefault(column.name.lower(), values)
    return found


def points(evaluator: Evaluator, source: Source, condition: Any, *, single: bool = False) -> Points | None:
    """The rows that a condition names by a unique key; None where it does not. `single`: at most one row."""
    table = source.table
    if table is None:
        return None
    wanted = _constants(source, condition)
    for key in table.unique_keys:
        if not all(part.column.lower() in wanted and part.prefix is None for part in key.parts):
            continue
        choices: list[list[Any]] = []
        for part in key.parts:
            column = table.column(part.column)
            storing = evaluator.execution.storing(table, ignore=True)
            values = [evaluator.evaluate(node) for node in wanted[part.column.lower()]]
            choices.append([comparable(store(value, column, storing), column) for value in values])
        keys = [(key.name, *values) for values in product(*choices) if None not in values]
        if single and len(keys) > 1:
            continue
        slots = {table.found(key.name, named[1:]) for named in keys}
        return Points({slot for slot in slots if slot is not None}, keys)
    return None


def found_by_index(source: Source, condition: Any) -> bool:
    """Whether a condition compares the first column of a key with a constant, so that the key finds the rows."""
    if source.table is None:
        return False
    first = {key.parts[0].column.lower() for key in source.table.keys}
    for part in conjuncts(condition):
        if not isinstance(part, (exp.EQ, exp.In, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.Is)):
            continue
        sides = [part.this, part.args.get("expression")]
        columns = [side for side in sides if isinstance(side, exp.Column)]
        if len(columns) == 1 and columns[0].name.lower() in first:
            return True
    return False


def _table_source(evaluator: Evaluator, node: Any, condition: Any, *, locking: bool) -> Source:
    """The source of a table's name; of a common table expression where there is one of that name."""
    execution = evaluator.execution
    name = node.name
    if not node.db and name.lower() in execution.common_tables:
        columns, rows = execution.common_tables[name.lower()]
        return Source(node.alias or name, None, columns, rows=list(enumerate(rows)))
    table = execution.table(name, node.db or None)
    execution.use(table, read=True)
    hidden = frozenset(index for index, column in enumerate(table.columns) if not column.visible)
    source = Source(node.alias or name, table.database, [c.name for c in table.columns], table, hidden=hidden)
    named = points(evaluator, source, condition) if locking and table.transactional else None
    if named is not None:
        for key in named.keys:
            execution.lock(table, "S", key)
        source.rows = table.chosen(named.slots)
    else:
        source.rows = read_rows(execution, table, locking=locking)
    return source


def _source(evaluator: Evaluator, node: Any, outer: Environment | None, locking: bool, condition: Any) -> Source:
    if isinstance(node, exp.Table):
        return _table_source(evaluator, node, condition, locking=locking)
    if isinstance(node, exp.Subquery):
        from .select import select

        result = select(node.this, evaluator, outer=outer)
        names = node.args["alias"].columns if node.args.get("alias") else []
        columns = [column.name for column in names] or result.columns
        return Source(node.alias, None, columns, rows=list(enumerate(result.rows)))
    raise UnsupportedStatement(f"{type(node).__name__} in a FROM clause is not in the model", missing="FROM")


def joined_tables(first: Any, joins: list[Any]) -> list[tuple[Any, Any]]:
    """The tables of a FROM clause with the join that brings each (None for the first), nested ones in their order."""
    found: list[tuple[Any, Any]] = [(first, None)]
    for join in first.args.get("joins") or []:
        found += [(join.this, join)]
    for join in joins:
        nested = joined_tables(join.this, [])
        found += [(nested[0][0], join), *nested[1:]]
    return found


def sources_of(
    evaluator: Evaluator,
    first: Any,
    joins: list[Any],
    condition: Any = None,
    *,
    outer: Environment | None = None,
    locking: bool = False,
) -> tuple[Frame, list[Any]]:
    """The sources of a FROM clause and the join of each; `condition` is that of WHERE. Raises SqlError."""
    sources: list[Source] = []
    kept: list[Any] = []
    for node, join in joined_tables(first, joins):
        if join is not None and join.args.get("side") == "RIGHT":
            raise UnsupportedStatement("RIGHT JOIN is not in the model", missing="RIGHT JOIN")
        # What stands in ON holds for WHERE, too, but for an outer join, whose other rows stay.
        own = condition if join is None or not join.args.get("side") else None
        source = _source(evaluator, node, outer, locking, own)
        if any(other.alias.lower() == source.alias.lower() and other.database == source.database for other in sources):
            raise error("NONUNIQ_TABLE", source.alias)
        shared = _shared_columns(sources, source, join)
        if shared:
            source.hidden |= frozenset(source.places[name] for name in shared)
        sources.append(source)
        kept.append((join, shared))
    return Frame(sources), kept


def _shared_columns(sources: list[Source], source: Source, join: Any) -> list[str]:
    """The columns that USING or NATURAL joins by."""
    if join is None:
        return []
    if join.args.get("method") == "NATURAL":
        return [name for name in source.places if any(name in other.places for other in sources)]
    return [identifier.name.lower() for identifier in join.args.get("using") or []]


def combinations(
    evaluator: Evaluator, frame: Frame, joins: list[Any], condition: Any, outer: Environment | None = None
) -> Iterator[Environment]:
    """The combinations of rows for which the joins' conditions and that of WHERE hold, in the order of nested loops.

    The conditions are looked at as soon as the rows that they name are there.
    """
    _check_constants(evaluator, frame, condition)
    pending = [(part, _needs(frame, part)) for part in conjuncts(condition)]
    yield from _extended(evaluator, frame, joins, pending, [], [], outer)


def _check_constants(evaluator: Evaluator, frame: Frame, condition: Any) -> None:
    """Text that a numeric column is compared with is made a number once, before any row is looked at. Raises 1292."""
    for node in condition.find_all(*COMPARISONS, exp.NullSafeEQ) if condition is not None else ():
        for column, constant in ((node.this, node.expression), (node.expression, node.this)):
            if not isinstance(column, exp.Column) or not isinstance(constant, exp.Literal) or not constant.is_string:
                continue
            place = frame.find(column.name, column.table, column.db)
            table = frame.sources[place[0]].table if place is not None else None
            if place is not None and table is not None and table.columns[place[1]].is_numeric:
                exact = table.columns[place[1]].type == ColumnType.NEWDECIMAL
                to_float(evaluator.text_of(constant), "DECIMAL" if exact else "DOUBLE")


def _needs(frame: Frame, condition: Any) -> int:
    """How many sources must have their rows before a condition can be looked at."""
    if condition.find(exp.Subquery, exp.Select, exp.Anonymous, exp.Parameter):
        return len(frame.sources)
    places = [frame.find(column.name, column.table, column.db) for column in condition.find_all(exp.Column)]
    return max((place[0] + 1 for place in places if place is not None), default=len(frame.sources))


def _extended(
    evaluator: Evaluator,
    frame: Frame,
    joins: list[Any],
    pending: list[tuple[Any, int]],
    rows: list[Row | None],
    slots: list[int | None],
    outer: Environment | None,
) -> Iterator[Environment]:
    depth = len(rows)
    zone = evaluator.session.time_zone
    if depth == len(frame.sources):
        yield Environment(frame, list(rows), zone, outer, list(slots))
        return
    source = frame.sources[depth]
    join, shared = joins[depth]
    on = join.args.get("on") if join is not None else None
    is_outer = join is not None and join.args.get("side") == "LEFT"
    found = False
    candidates: list[tuple[int | None, Row | None]] = list(source.rows)
    for slot, row in candidates:
        env = Environment(frame, [*rows, row, *[None] * (len(frame.sources) - depth - 1)], zone, outer)
        if on is not None and not evaluator.condition(on, env):
            continue
        if shared and not _same(evaluator, env, frame, depth, shared):
            continue
        found = True
        if all(evaluator.condition(part, env) for part, needed in pending if needed == depth + 1):
            yield from _extended(evaluator, frame, joins, pending, [*rows, row], [*slots, slot], outer)
    if is_outer and not found:
        env = Environment(frame, [*rows, None, *[None] * (len(frame.sources) - depth - 1)], zone, outer)
        if all(evaluator.condition(part, env) for part, needed in pending if needed == depth + 1):
            yield from _extended(evaluator, frame, joins, pending, [*rows, None], [*slots, None], outer)


def _same(evaluator: Evaluator, env: Environment, frame: Frame, depth: int, names: list[str]) -> bool:
    source = frame.sources[depth]
    for name in names:
        own = source.value(env.rows[depth], source.places[name], env.time_zone)
        place = next(index for index in range(depth) if name in frame.sources[index].places)
        other = frame.sources[place]
        if compare(other.value(env.rows[place], other.places[name], env.time_zone), own, evaluator.connection) != 0:
            return False
    return True
