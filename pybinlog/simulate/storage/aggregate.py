"""Aggregate functions over the rows of a group."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from .error import SqlError
from .operators import arithmetic, compare, sort_key
from .ordering import SortBy, sort
from .value import Json, Text, Unsigned, Value, to_float, to_integer, to_number, to_text

if TYPE_CHECKING:
    from .environment import Environment
    from .expression import Evaluator

__all__ = ["AGGREGATES", "aggregate"]

AGGREGATES = frozenset(
    "COUNT SUM AVG MIN MAX GROUP_CONCAT BIT_AND BIT_OR BIT_XOR STD STDDEV STDDEV_POP VAR_POP VARIANCE "
    "JSON_ARRAYAGG JSON_OBJECTAGG ANY_VALUE".split()
)
_GROUP_CONCAT_MAX = 1024


def aggregate(evaluator: Evaluator, name: str, arguments: list[Any], env: Environment) -> Value:
    """The value of an aggregate function. Raises SqlError 1111 outside a query with groups."""
    if env.group is None:
        raise SqlError(1111, "ER_INVALID_GROUP_FUNC_USE", "Invalid use of group function")
    if name == "GROUP_CONCAT":
        return _group_concat(evaluator, arguments[0], env.group)
    argument = arguments[0] if arguments else exp.Star()
    if name == "COUNT" and isinstance(argument, exp.Star):
        return len(env.group)
    distinct = isinstance(argument, exp.Distinct)
    parts = argument.expressions if distinct else [argument]
    values = [evaluator.evaluate(parts[0], row) for row in env.group]
    if name == "JSON_ARRAYAGG":
        from .functions.json import json_value

        return Json([json_value(value) for value in values]) if values else None
    if name == "JSON_OBJECTAGG":
        from .functions.json import json_value

        pairs = {
            to_text(evaluator.evaluate(arguments[0], row)): json_value(evaluator.evaluate(arguments[1], row))
            for row in env.group
        }
        return Json(pairs) if pairs else None
    if name == "ANY_VALUE":
        return values[0] if values else None
    values = [value for value in values if value is not None]
    if distinct:
        values = list({sort_key(value, evaluator.connection): value for value in values}.values())
    return _of_values(name, values, evaluator.connection)


def _of_values(name: str, values: list[Value], connection: int) -> Value:
    if name == "COUNT":
        return len(values)
    if name in ("BIT_AND", "BIT_OR", "BIT_XOR"):
        result = (1 << 64) - 1 if name == "BIT_AND" else 0
        for value in values:
            number = to_integer(value) & (1 << 64) - 1
            result = result & number if name == "BIT_AND" else result | number if name == "BIT_OR" else result ^ number
        return Unsigned(result)
    if not values:
        return None
    if name in ("MIN", "MAX"):
        best = values[0]
        for value in values[1:]:
            order = compare(value, best, connection) or 0
            if order < 0 if name == "MIN" else order > 0:
                best = value
        return best
    if name in ("SUM", "AVG"):
        total: Any = Decimal(0) if all(isinstance(to_number(value), (int, Decimal)) for value in values) else 0.0
        for value in values:
            total = arithmetic("+", total, value)
        return total if name == "SUM" else arithmetic("/", total, len(values))
    numbers = [to_float(value) for value in values]
    mean = math.fsum(numbers) / len(numbers)
    variance = math.fsum((number - mean) ** 2 for number in numbers) / len(numbers)
    return variance if name in ("VAR_POP", "VARIANCE") else math.sqrt(variance)


def _group_concat(evaluator: Evaluator, node: Any, group: list[Environment]) -> Value:
    """GROUP_CONCAT([DISTINCT] x [ORDER BY y] [SEPARATOR z])."""
    inner, rows = node.this, list(group)
    if isinstance(inner, exp.Order):
        by: list[SortBy[Environment]] = [
            (partial(evaluator.evaluate, ordered.this), bool(ordered.args.get("desc"))) for ordered in inner.expressions
        ]
        sort(rows, by, evaluator.connection)
        inner = inner.this
    distinct = isinstance(inner, exp.Distinct)
    parts = inner.expressions if distinct else [inner]
    texts = []
    for row in rows:
        values = [evaluator.evaluate(part, row) for part in parts]
        if None not in values:
            texts.append("".join(map(to_text, values)))
    if not texts:
        return None
    separator = node.args.get("separator")
    glue = evaluator.text_of(separator) if separator is not None else ","
    return Text(glue.join(dict.fromkeys(texts) if distinct else texts)[:_GROUP_CONCAT_MAX], evaluator.connection)
