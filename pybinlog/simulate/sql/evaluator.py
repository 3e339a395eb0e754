"""Evaluator: the values of expressions on rows."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeAlias

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema import character_set, error
from pybinlog.schema.charset import bytes_per_character, named_character_set, named_collation
from pybinlog.schema.expression import (
    Between,
    Binary,
    Call,
    Collate,
    Expression,
    Hex,
    In,
    Introduced,
    Is,
    Name,
    Null,
    Number,
    String,
    Subquery,
    SystemVariable,
    Truth,
    Unary,
    Variable,
)
from pybinlog.schema.text import compare_key, decode_text, encode_text, well_formed
from pybinlog.simulate.sql.environment import Environment, Frame
from pybinlog.simulate.sql.execution import Execution
from pybinlog.simulate.sql.functions import AGGREGATES, FUNCTIONS, aggregate
from pybinlog.simulate.sql.syntax import Select
from pybinlog.values import value as values
from pybinlog.values.operators import arithmetic, compare, like_pattern, negated
from pybinlog.values.temporal import temporal_of
from pybinlog.values.value import Temporal, Text, Unsigned, Value, is_true, to_bytes, to_text

COMPARISONS: dict[str, Callable[[int], bool]] = {
    "=": lambda order: order == 0,
    "<>": lambda order: order != 0,
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}
_ARITHMETIC = frozenset({"+", "-", "*", "/", "DIV", "%"})
_MAX_DIGITS = 65
_MAX_SIGNED = (1 << 63) - 1

Rows: TypeAlias = list[tuple[Value, ...]]


class Evaluator:
    """Evaluates the expressions of one statement; `queries` gives the rows of the queries in them."""

    def __init__(self, execution: Execution, queries: Callable[[Select, Evaluator, Environment], Rows]) -> None:
        self.execution = execution
        self.session = execution.session
        self.queries = queries
        self.connection = self.session.collation_connection
        self.empty = Environment(Frame([]), [], self.session.time_zone)
        self.clause = "field list"
        """Where the statement names what is evaluated, for messages."""
        self.inserted: Callable[[str], Value] | None = None
        """The values that VALUES() of ON DUPLICATE KEY UPDATE gives."""

    def evaluate(self, node: Expression, env: Environment | None = None) -> Value:
        """The value of an expression. Raises SqlError and UnsupportedStatement."""
        env = env if env is not None else self.empty
        method = _METHODS.get(type(node))
        if method is None:
            raise UnsupportedStatement(f"{type(node).__name__.upper()} here is not in the model", missing="expression")
        return method(self, node, env)

    def condition(self, node: Expression, env: Environment) -> bool:
        """Whether the condition of a WHERE clause holds; NULL does not."""
        outer, self.clause = self.clause, "where clause"
        try:
            return bool(is_true(self.evaluate(node, env)))
        finally:
            self.clause = outer

    def _number(self, node: Number, env: Environment) -> Value:
        text = node.text
        if "e" in text.lower():
            return values.to_float(text)
        if sum(character.isdigit() for character in text) > _MAX_DIGITS:
            raise UnsupportedStatement(
                f"a number with more than {_MAX_DIGITS} digits is not in the model", missing="number"
            )
        if not text.isdigit() or int(text) >= 1 << 64:
            return Decimal(text)
        return Unsigned(text) if int(text) > _MAX_SIGNED else int(text)

    def _introduced(self, node: Introduced, env: Environment) -> Value:
        """_charset'text' and _charset X'...': the bytes of the literal, taken as text of that character set."""
        value = self.evaluate(node.literal, env)
        if node.charset.lower() == "binary":
            return to_bytes(value, self.connection)
        collation = named_character_set(node.charset, self.session.storage.version)
        data = value if isinstance(value, bytes) else encode_text(value, self.session.character_set_client)
        text = decode_text(data, collation)
        if (bad := well_formed(text)) < len(text) and bytes_per_character(collation) > 1:
            shown = data[len(encode_text(text[:bad], collation)) :][:6].hex().upper()
            raise error("INVALID_CHARACTER_STRING", character_set(collation), shown)
        return Text(text, collation)

    def _system_variable(self, node: SystemVariable, env: Environment) -> Value:
        value = vars(self.session).get(node.name)
        if node.scope in ("", "session", "local") and isinstance(value, (int, str)):
            return int(value) if isinstance(value, bool) else value
        raise UnsupportedStatement(f"the system variable @@{node.name} has no value in the model", missing=node.name)

    def _unary(self, node: Unary, env: Environment) -> Value:
        value = self.evaluate(node.operand, env)
        if node.operator == "-":
            return negated(value)
        if node.operator != "NOT":
            raise UnsupportedStatement(f"the operator {node.operator} is not in the model", missing=node.operator)
        truth = is_true(value)
        return None if truth is None else int(not truth)

    def _binary(self, node: Binary, env: Environment) -> Value:
        operator, left = node.operator, self.evaluate(node.left, env)
        if operator in ("AND", "OR"):
            decided = operator == "OR"
            sides = [is_true(left)]
            if sides[0] is not decided:
                sides.append(is_true(self.evaluate(node.right, env)))
            return int(decided) if decided in sides else None if None in sides else int(not decided)
        right = self.evaluate(node.right, env)
        if operator in COMPARISONS:
            order = compare(left, right, self.connection)
            return None if order is None else int(COMPARISONS[operator](order))
        if operator == "<=>":
            return (
                int(left is right) if left is None or right is None else int(compare(left, right, self.connection) == 0)
            )
        if operator in _ARITHMETIC:
            return arithmetic(operator, left, right, self.execution.strict_division)
        if operator == "LIKE":
            return self._like(left, right)
        raise UnsupportedStatement(f"the operator {operator} is not in the model", missing=operator)

    def _like(self, value: Value, pattern: Value) -> Value:
        if value is None or pattern is None:
            return None
        if isinstance(value, bytes) or isinstance(pattern, bytes):
            texts = [to_bytes(side, self.connection).decode("latin-1") for side in (value, pattern)]
        else:
            collation = value.collation if isinstance(value, Text) else self.connection
            # Trailing spaces count for LIKE, unlike for =.
            texts = [compare_key(to_text(side) + "\0", collation)[:-1] for side in (value, pattern)]
        return int(like_pattern(texts[1]).fullmatch(texts[0]) is not None)

    def _is(self, node: Is, env: Environment) -> Value:
        value = self.evaluate(node.operand, env)
        holds = value is None if node.truth is None else is_true(value) is node.truth
        return int(holds != node.negated)

    def _in(self, node: In, env: Environment) -> Value:
        value = self.evaluate(node.operand, env)
        if node.query is not None:
            candidates = [row[0] for row in self.queries(node.query, self, env)]
        else:
            candidates = [self.evaluate(item, env) for item in node.items]
        orders = [compare(value, candidate, self.connection) for candidate in candidates]
        found = True if 0 in orders else None if None in orders else False
        return None if found is None else int(found != node.negated)

    def _between(self, node: Between, env: Environment) -> Value:
        value = self.evaluate(node.operand, env)
        low = compare(value, self.evaluate(node.low, env), self.connection)
        high = compare(value, self.evaluate(node.high, env), self.connection)
        if (low is not None and low < 0) or (high is not None and high > 0):
            return int(node.negated)
        return None if low is None or high is None else int(not node.negated)

    def _collate(self, node: Collate, env: Environment) -> Value:
        value, collation = self.evaluate(node.operand, env), named_collation(node.collation)
        return None if value is None else Text(to_text(value, collation), collation)

    def _subquery(self, node: Subquery, env: Environment) -> Value:
        rows = self.queries(node.query, self, env)
        if node.exists:
            return int(bool(rows))
        if len(rows) > 1:
            raise error("SUBQUERY_NO_1_ROW")
        return rows[0][0] if rows else None

    def _call(self, node: Call, env: Environment) -> Value:
        name = node.name
        if name in AGGREGATES:
            return self._aggregate(node, env)
        if name == "VALUES" and self.inserted is not None and isinstance(node.arguments[0], Name):
            return self.inserted(node.arguments[0].column)
        if name.endswith("_LITERAL"):
            return self._temporal_literal(name.removesuffix("_LITERAL"), self.evaluate(node.arguments[0], env))
        if name not in FUNCTIONS or (name == "RAND" and node.arguments):
            shown = f"{name}({'...' if node.arguments else ''})" if name in FUNCTIONS else f"{name}()"
            raise UnsupportedStatement(f"the function {shown} is not in the model", missing=shown)
        least, most, native = FUNCTIONS[name]
        if not least <= len(node.arguments) <= most:
            raise error("WRONG_PARAMCOUNT_TO_NATIVE_FCT", name)
        return native(self.execution, [self.evaluate(argument, env) for argument in node.arguments])

    def _aggregate(self, node: Call, env: Environment) -> Value:
        if env.group is None:
            raise error("INVALID_GROUP_FUNC_USE")
        if node.distinct:
            raise UnsupportedStatement(f"{node.name}(DISTINCT ...) is not in the model", missing="DISTINCT")
        if node.star and node.name == "COUNT":
            return len(env.group)
        if len(node.arguments) != 1:
            raise error("WRONG_PARAMCOUNT_TO_NATIVE_FCT", node.name)
        return aggregate(node.name, [self.evaluate(node.arguments[0], row) for row in env.group], self.connection)

    def _temporal_literal(self, kind: str, text: Value) -> Value:
        kind = "DATETIME" if kind == "TIMESTAMP" else kind
        temporal = temporal_of(text, kind)
        if temporal is None:
            raise error("WRONG_VALUE", kind, text)
        return Temporal(kind, temporal.value, temporal.decimals)


Method = Callable[[Evaluator, Any, Environment], Value]
_METHODS: dict[type, Method] = {
    Null: lambda self, node, env: None,
    Truth: lambda self, node, env: int(node.value),
    Number: Evaluator._number,
    String: lambda self, node, env: Text(node.text, self.connection),
    Hex: lambda self, node, env: values.Hex(node.data),
    Introduced: Evaluator._introduced,
    Name: lambda self, node, env: env.value(node.column, node.table, node.database, self.clause),
    Variable: lambda self, node, env: self.execution.user_variable(node.name),
    SystemVariable: Evaluator._system_variable,
    Unary: Evaluator._unary,
    Binary: Evaluator._binary,
    Is: Evaluator._is,
    In: Evaluator._in,
    Between: Evaluator._between,
    Collate: Evaluator._collate,
    Subquery: Evaluator._subquery,
    Call: Evaluator._call,
}
