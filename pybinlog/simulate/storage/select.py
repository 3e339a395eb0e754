"""SELECT: rows of values."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from pybinlog.errors import UnsupportedStatement

from .aggregate import AGGREGATES
from .auto_is_null import auto_is_null
from .environment import Environment, Frame
from .error import error
from .ordering import SortBy, distinct, row_key, sort
from .source import combinations, sources_of
from .value import Temporal, Value, to_integer, to_text

if TYPE_CHECKING:
    from .expression import Evaluator

__all__ = ["Result", "limited", "select", "sort_rows"]

_MAX_RECURSION = 1000
_Output = tuple[Environment, tuple[Value, ...]]
"""A combination of rows, and the values of the select list for it."""


@dataclass
class Result:
    """The names of the columns, the rows, and the tables' columns that those of the result are."""

    columns: list[str]
    rows: list[tuple[Value, ...]]
    nodes: list[Any]
    frame: Frame | None = None


def select(query: Any, evaluator: Evaluator, *, outer: Environment | None = None, locking: bool = False) -> Result:
    """The rows of a query; `locking`: a statement writes them. Raises SqlError and UnsupportedStatement."""
    execution = evaluator.execution
    before = dict(execution.common_tables)
    try:
        _common_tables(query, evaluator, outer, locking)
        if isinstance(query, exp.Subquery):
            return select(query.this, evaluator, outer=outer, locking=locking)
        if isinstance(query, exp.Union):
            return _union(query, evaluator, outer, locking)
        if isinstance(query, exp.Select):
            return _Select(query, evaluator, outer, locking).result()
        if isinstance(query, exp.Values):
            rows = [tuple(evaluator.evaluate(item, outer) for item in row.expressions) for row in query.expressions]
            return Result([f"column_{index}" for index in range(len(rows[0]))], rows, [])
    finally:
        execution.common_tables = before
    raise UnsupportedStatement(f"{type(query).__name__} as a query is not in the model", missing="query")


def _common_tables(query: Any, evaluator: Evaluator, outer: Environment | None, locking: bool) -> None:
    """The tables of WITH."""
    execution = evaluator.execution
    clause = query.args.get("with_") or query.args.get("with")
    if clause is None:
        return
    for item in clause.expressions:
        name = item.alias.lower()
        inner = item.this
        names = [column.name for column in item.args["alias"].columns]
        if clause.args.get("recursive") and isinstance(inner, exp.Union) and _mentions(inner.expression, name):
            first = select(inner.this, evaluator, outer=outer, locking=locking)
            columns, rows, newest = names or first.columns, list(first.rows), list(first.rows)
            for _ in range(_MAX_RECURSION + 1):
                execution.common_tables[name] = (columns, newest)
                newest = select(inner.expression, evaluator, outer=outer, locking=locking).rows
                if inner.args.get("distinct"):
                    newest = [row for row in newest if row not in rows]
                if not newest:
                    break
                rows += newest
            else:
                raise UnsupportedStatement("a recursion deeper than 1000 is not in the model", missing="WITH RECURSIVE")
            execution.common_tables[name] = (columns, rows)
        else:
            result = select(inner, evaluator, outer=outer, locking=locking)
            execution.common_tables[name] = (names or result.columns, result.rows)


def _mentions(query: Any, name: str) -> bool:
    return any(table.name.lower() == name for table in query.find_all(exp.Table))


def _union(query: Any, evaluator: Evaluator, outer: Environment | None, locking: bool) -> Result:
    left = select(query.this, evaluator, outer=outer, locking=locking)
    right = select(query.expression, evaluator, outer=outer, locking=locking)
    if type(query) is not exp.Union:
        raise UnsupportedStatement(f"{type(query).__name__} is not in the model", missing=type(query).__name__)
    rows = _alike(left.rows + right.rows)
    if query.args.get("distinct"):
        rows = distinct(rows, tuple, evaluator.connection)
    order = query.args.get("order")
    by: list[SortBy[tuple[Value, ...]]] = []
    for ordered in order.expressions if order else []:
        index = _output_column(ordered.this, left.columns)
        if index is None:
            raise error("BAD_FIELD", ordered.this.name, "order clause")
        by.append((itemgetter(index), bool(ordered.args.get("desc"))))
    sort(rows, by, evaluator.connection)
    return Result(left.columns, limited(query, evaluator, rows, outer), left.nodes, left.frame)


def _alike(rows: list[tuple[Value, ...]]) -> list[tuple[Value, ...]]:
    """The rows of a UNION, the values of each column in one type."""
    columns: list[list[Value]] = []
    for values in zip(*rows, strict=True):
        kept = [value for value in values if value is not None]
        exact = [value for value in kept if isinstance(value, Decimal)]
        if any(isinstance(value, float) for value in kept) and all(isinstance(v, (int, float, Decimal)) for v in kept):
            columns.append([value if value is None else float(value) for value in values])
        elif exact and all(isinstance(value, (int, Decimal)) for value in kept):
            unit = Decimal((0, (1,), min(int(value.as_tuple().exponent) for value in exact)))
            columns.append([value if value is None else Decimal(value).quantize(unit) for value in values])
        elif any(isinstance(value, str) for value in kept) and not all(isinstance(value, str) for value in kept):
            columns.append([to_text(v) if isinstance(v, (int, float, Decimal, Temporal)) else v for v in values])
        else:
            columns.append(list(values))
    return list(zip(*columns, strict=True)) if columns else rows


def _output_column(node: Any, columns: list[str]) -> int | None:
    """The column of the result that ORDER BY or GROUP BY names by its number or its name."""
    if isinstance(node, exp.Literal) and not node.is_string:
        number = int(node.this)
        return number - 1 if 0 < number <= len(columns) else None
    if isinstance(node, exp.Column) and not node.table:
        lowered = [column.lower() for column in columns]
        return lowered.index(node.name.lower()) if node.name.lower() in lowered else None
    return None


def limited(query: Any, evaluator: Evaluator, rows: list[Any], env: Environment | None = None) -> list[Any]:
    """The rows that LIMIT and OFFSET leave."""
    limit, offset = query.args.get("limit"), query.args.get("offset")
    start = to_integer(evaluator.evaluate(offset.expression, env)) if offset is not None else 0
    if limit is None:
        return rows[start:]
    return rows[start : start + to_integer(evaluator.evaluate(limit.expression, env))]


def sort_rows(evaluator: Evaluator, order: Any, rows: list[Environment]) -> None:
    """Sorts combinations of rows by an ORDER BY clause."""
    by: list[SortBy[Environment]] = [
        (partial(_aliased, evaluator, ordered.this), bool(ordered.args.get("desc")))
        for ordered in (order.expressions if order is not None else [])
    ]
    sort(rows, by, evaluator.connection)


def _aliased(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    if isinstance(node, exp.Column) and not node.table and node.name.lower() in env.aliases:
        return env.aliases[node.name.lower()]
    return evaluator.evaluate(node, env)


class _Select:
    """One SELECT without UNION."""

    def __init__(self, query: Any, evaluator: Evaluator, outer: Environment | None, locking: bool) -> None:
        self.query = query
        self.evaluator = evaluator
        self.outer = outer
        self.locking = locking
        if query.args.get("windows") or query.find(exp.Window):
            raise UnsupportedStatement("window functions are not in the model", missing="OVER")

    def result(self) -> Result:
        query, evaluator = self.query, self.evaluator
        clause = query.args.get("from_") or query.args.get("from")
        joins: list[Any] = []
        frame = Frame([])
        if clause is not None:
            where = query.args.get("where")
            frame, joins = sources_of(
                evaluator,
                clause.this,
                query.args.get("joins") or [],
                where.this if where is not None else None,
                outer=self.outer,
                locking=self.locking,
            )
        where = query.args.get("where")
        condition = auto_is_null(evaluator, where.this, frame) if where is not None else None
        if clause is not None:
            found = combinations(evaluator, frame, joins, condition, self.outer)
            rows = list(islice(found, self._enough()))
        else:
            rows = [Environment(frame, [], evaluator.session.time_zone, self.outer)]
            rows = [env for env in rows if condition is None or evaluator.condition(condition, env)]
        columns, nodes = self._columns(frame)
        group = query.args.get("group")
        if group is not None or any(_aggregates(node) for node in nodes) or _aggregates(query.args.get("having")):
            rows = self._grouped(rows, group, columns, nodes, frame)
        order = query.args.get("order")
        outputs = self._outputs(rows, columns, nodes)
        having = query.args.get("having")
        if having is not None:
            outputs = [pair for pair in outputs if evaluator.condition(having.this, pair[0])]
        if query.args.get("distinct") is not None:
            outputs = distinct(outputs, itemgetter(1), evaluator.connection)
        by: list[SortBy[_Output]] = []
        for ordered in order.expressions if order is not None else []:
            index = _output_column(ordered.this, columns) if not _hides(ordered.this, frame) else None
            by.append((partial(self._sorted_by, ordered.this, index), bool(ordered.args.get("desc"))))
        sort(outputs, by, evaluator.connection)
        values = limited(query, evaluator, [pair[1] for pair in outputs], self.outer)
        return Result(columns, values, nodes, frame)

    def _sorted_by(self, node: Any, index: int | None, output: _Output) -> Value:
        env, values = output
        return values[index] if index is not None else _aliased(self.evaluator, node, env)

    def _enough(self) -> int | None:
        """How many rows need to be looked at; None for all of them."""
        query = self.query
        if any(query.args.get(clause) is not None for clause in ("group", "order", "having", "distinct", "offset")):
            return None
        limit = query.args.get("limit")
        if limit is None or any(map(_aggregates, query.expressions)):
            return None
        return to_integer(self.evaluator.evaluate(limit.expression, self.outer))

    def _columns(self, frame: Frame) -> tuple[list[str], list[Any]]:
        """The names of the result's columns and their expressions, * in its parts."""
        columns: list[str] = []
        nodes: list[Any] = []
        for node in self.query.expressions:
            qualifier = node.table if isinstance(node, exp.Column) and isinstance(node.this, exp.Star) else None
            if isinstance(node, exp.Star) or qualifier:
                for source in frame.sources:
                    if qualifier and source.alias.lower() != qualifier.lower():
                        continue
                    for index, name in enumerate(source.columns):
                        if index not in source.hidden:
                            columns.append(name)
                            nodes.append(exp.column(name, table=source.alias))
                continue
            nodes.append(node.this if isinstance(node, exp.Alias) else node)
            columns.append(node.alias or (node.name if isinstance(node, exp.Column) else node.sql(dialect="mysql")))
        return columns, nodes

    def _outputs(self, rows: list[Environment], columns: list[str], nodes: list[Any]) -> list[_Output]:
        outputs: list[_Output] = []
        for env in rows:
            values = tuple(self.evaluator.evaluate(node, env) for node in nodes)
            aliases = {
                column.lower(): value
                for column, value, node in zip(columns, values, nodes, strict=True)
                if not isinstance(node, exp.Column)
            }
            env.aliases |= aliases
            outputs.append((env, values))
        return outputs

    def _grouped(
        self, rows: list[Environment], group: Any, columns: list[str], nodes: list[Any], frame: Frame
    ) -> list[Environment]:
        """One environment for each group: that of its first row, with all rows for the aggregate functions."""
        zone = self.evaluator.session.time_zone
        if group is None:
            missing: list[Any] = [None] * len(frame.sources)
            return [Environment(frame, rows[0].rows if rows else missing, zone, self.outer, group=rows)]
        groups: dict[tuple[Any, ...], list[Environment]] = {}
        for env in rows:
            keys = []
            for node in group.expressions:
                index = _output_column(node, columns) if not _hides(node, frame) else None
                keys.append(self.evaluator.evaluate(nodes[index] if index is not None else node, env))
            groups.setdefault(row_key(keys, self.evaluator.connection), []).append(env)
        return [Environment(frame, found[0].rows, zone, self.outer, group=found) for found in groups.values()]


def _hides(node: Any, frame: Frame) -> bool:
    """Whether a name is that of a table's column, which goes before an alias of the select list."""
    return isinstance(node, exp.Column) and frame.find(node.name, node.table, node.db) is not None


def _aggregates(node: Any) -> bool:
    if node is None:
        return False
    if node.find(exp.GroupConcat):
        return True
    return any(
        str(call.this).upper() in AGGREGATES and call.find_ancestor(exp.Subquery) is node.find_ancestor(exp.Subquery)
        for call in node.find_all(exp.Anonymous)
    )
