"""Conditions: comparison, logic, IN, LIKE, CASE."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from .charset import compare_key
from .environment import Environment
from .operators import compare, like_pattern
from .value import Text, Value, is_true, to_bytes, to_text

if TYPE_CHECKING:
    from .expression import Evaluator

__all__ = [
    "COMPARISONS",
    "and_",
    "between",
    "case",
    "comparison",
    "escape",
    "if_",
    "in_",
    "is_",
    "like",
    "not_",
    "null_safe",
    "or_",
    "regexp",
    "xor",
]

COMPARISONS: dict[type, Callable[[int], bool]] = {
    exp.EQ: lambda order: order == 0,
    exp.NEQ: lambda order: order != 0,
    exp.LT: lambda order: order < 0,
    exp.LTE: lambda order: order <= 0,
    exp.GT: lambda order: order > 0,
    exp.GTE: lambda order: order >= 0,
}


def comparison(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    quantified = node.expression
    if isinstance(quantified, (exp.Any, exp.All)):
        left = evaluator.evaluate(node.this, env)
        orders = [compare(left, row[0], evaluator.connection) for row in evaluator.rows(quantified.this, env)]
        results = [None if order is None else COMPARISONS[type(node)](order) for order in orders]
        wanted = isinstance(quantified, exp.Any)
        return int(wanted) if wanted in results else None if None in results else int(not wanted)
    left_parts, right_parts = _parts(node.this), _parts(quantified)
    if left_parts is not None and right_parts is not None and isinstance(node, (exp.EQ, exp.NEQ)):
        equal = _equal_tuples(evaluator, left_parts, right_parts, env)
        return None if equal is None else int(equal == isinstance(node, exp.EQ))
    order = compare(evaluator.evaluate(node.this, env), evaluator.evaluate(quantified, env), evaluator.connection)
    return None if order is None else int(COMPARISONS[type(node)](order))


def _parts(node: Any) -> list[Any] | None:
    if isinstance(node, exp.Tuple) or (isinstance(node, exp.Anonymous) and str(node.this).upper() == "ROW"):
        return list(node.expressions)
    return None


def _equal_tuples(evaluator: Evaluator, left: list[Any], right: list[Any], env: Environment) -> bool | None:
    orders = [
        compare(evaluator.evaluate(a, env), evaluator.evaluate(b, env), evaluator.connection)
        for a, b in zip(left, right, strict=False)
    ]
    return False if any(order for order in orders) else None if None in orders else True


def null_safe(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    left, right = evaluator.evaluate(node.this, env), evaluator.evaluate(node.expression, env)
    if left is None or right is None:
        return int(left is right)
    return int(compare(left, right, evaluator.connection) == 0)


def and_(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    left = is_true(evaluator.evaluate(node.this, env))
    if left is False:
        return 0
    right = is_true(evaluator.evaluate(node.expression, env))
    return 0 if right is False else None if left is None or right is None else 1


def or_(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    left = is_true(evaluator.evaluate(node.this, env))
    if left:
        return 1
    right = is_true(evaluator.evaluate(node.expression, env))
    return 1 if right else None if left is None or right is None else 0


def xor(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    left, right = is_true(evaluator.evaluate(node.this, env)), is_true(evaluator.evaluate(node.expression, env))
    return None if left is None or right is None else int(left != right)


def not_(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    value = is_true(evaluator.evaluate(node.this, env))
    return None if value is None else int(not value)


def is_(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    value = evaluator.evaluate(node.this, env)
    if isinstance(node.expression, exp.Null):
        return int(value is None)
    truth = is_true(value)
    return int(truth is not None and truth == bool(evaluator.evaluate(node.expression, env)))


def in_(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    query = node.args.get("query")
    parts = _parts(node.this)
    if parts is not None:
        if query is not None:
            raise evaluator.unsupported(node)
        found = [_equal_tuples(evaluator, parts, _parts(item) or [item], env) for item in node.expressions]
        return 1 if True in found else None if None in found else 0
    value = evaluator.evaluate(node.this, env)
    if query is not None:
        candidates = [row[0] for row in evaluator.rows(query.this if isinstance(query, exp.Subquery) else query, env)]
    else:
        candidates = [evaluator.evaluate(item, env) for item in node.expressions]
    orders = [compare(value, candidate, evaluator.connection) for candidate in candidates]
    return 1 if 0 in orders else None if None in orders else 0


def between(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    value = evaluator.evaluate(node.this, env)
    low = compare(value, evaluator.evaluate(node.args["low"], env), evaluator.connection)
    high = compare(value, evaluator.evaluate(node.args["high"], env), evaluator.connection)
    if (low is not None and low < 0) or (high is not None and high > 0):
        return 0
    return None if low is None or high is None else 1


def like(evaluator: Evaluator, node: Any, env: Environment, escape: str = "\\") -> Value:
    value, pattern = evaluator.evaluate(node.this, env), evaluator.evaluate(node.expression, env)
    if value is None or pattern is None:
        return None
    if isinstance(value, bytes) or isinstance(pattern, bytes):
        texts = [to_bytes(side, evaluator.connection).decode("latin-1") for side in (value, pattern)]
        return int(like_pattern(texts[1], escape).fullmatch(texts[0]) is not None)
    collation = value.collation if isinstance(value, Text) else evaluator.connection
    # Trailing spaces count for LIKE, unlike for =.
    folded = [compare_key(to_text(side) + "\0", collation)[:-1] for side in (value, pattern)]
    return int(like_pattern(folded[1], escape).fullmatch(folded[0]) is not None)


def escape(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    return like(evaluator, node.this, env, to_text(evaluator.evaluate(node.expression, env)))


def regexp(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    value, pattern = evaluator.evaluate(node.this, env), evaluator.evaluate(node.expression, env)
    if value is None or pattern is None:
        return None
    return int(re.search(to_text(pattern), to_text(value), re.I) is not None)


def case(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    subject = node.this
    value = evaluator.evaluate(subject, env) if subject is not None else None
    for branch in node.args["ifs"]:
        if subject is None:
            holds = evaluator.holds(branch.this, env)
        else:
            holds = compare(value, evaluator.evaluate(branch.this, env), evaluator.connection) == 0
        if holds:
            return evaluator.evaluate(branch.args["true"], env)
    default = node.args.get("default")
    return evaluator.evaluate(default, env) if default is not None else None


def if_(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    chosen = node.args["true"] if evaluator.holds(node.this, env) else node.args.get("false")
    return evaluator.evaluate(chosen, env) if chosen is not None else None
