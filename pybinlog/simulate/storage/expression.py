"""Expressions: sqlglot's trees evaluated on rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from sqlglot import exp

from pybinlog.errors import UnsupportedStatement

from . import predicate, special
from .aggregate import AGGREGATES, aggregate
from .cast import cast, collated, introduced
from .environment import Environment, Frame
from .error import error
from .execution import Execution
from .functions import FUNCTIONS, Call
from .operators import arithmetic, bitwise, negated
from .predicate import COMPARISONS, comparison
from .value import Hex, Text, Truth, Unsigned, Value, is_true

__all__ = ["Evaluator"]

_ARITHMETIC = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.IntDiv: "DIV", exp.Mod: "%"}
_BITWISE = {
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
    exp.BitwiseLeftShift: "<<",
    exp.BitwiseRightShift: ">>",
}
_MAX_SIGNED = (1 << 63) - 1
_GONE = frozenset({"MD5", "SHA", "SHA1"})
"""Functions that 9.7 has no longer."""


class Evaluator:
    """Evaluates the expressions of one statement."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.session = execution.session
        self.connection = self.session.collation_connection
        self.empty = Environment(Frame([]), [], self.session.time_zone)
        self.clause = "field list"
        """Where the statement names what is evaluated, for messages."""
        self.inserted: Callable[[str], Value] | None = None
        """The values that VALUES() of ON DUPLICATE KEY UPDATE gives."""

    def text_of(self, node: Any) -> str:
        """The string that a literal of the tree stands for."""
        return self.execution.statement.scanned.literal(node.this)

    def evaluate(self, node: Any, env: Environment | None = None) -> Value:
        """The value of an expression. Raises SqlError and UnsupportedStatement."""
        env = env if env is not None else self.empty
        kind = type(node)
        method = _METHODS.get(kind)
        if method is not None:
            return method(self, node, env)
        if kind in _ARITHMETIC:
            return self._arithmetic(node, env)
        if kind in _BITWISE:
            return bitwise(_BITWISE[kind], self.evaluate(node.this, env), self.evaluate(node.expression, env))
        if kind in COMPARISONS:
            return comparison(self, node, env)
        raise self.unsupported(node)

    def unsupported(self, node: Any) -> UnsupportedStatement:
        try:
            text = node.sql(dialect="mysql")
        except (ValueError, AttributeError):
            text = type(node).__name__
        text = re.sub(r"'\ue000(\d+)'", "'...'", text)
        return UnsupportedStatement(f"the expression {text[:80]} is not in the model", missing=type(node).__name__)

    def condition(self, node: Any, env: Environment) -> bool:
        """Whether the condition of a WHERE clause holds; NULL does not."""
        outer, self.clause = self.clause, "where clause"
        try:
            return self.holds(node, env)
        finally:
            self.clause = outer

    def holds(self, node: Any, env: Environment) -> bool:
        """Whether a condition holds; NULL does not."""
        return bool(is_true(self.evaluate(node, env)))

    def _literal(self, node: Any, env: Environment) -> Value:
        if node.is_string:
            return Text(self.text_of(node), self.connection)
        text = str(node.this)
        if re.fullmatch(r"\d+", text):
            number = int(text)
            if number > (1 << 64) - 1:
                return Decimal(number)
            return Unsigned(number) if number > _MAX_SIGNED else number
        return float(text) if "e" in text.lower() else Decimal(text)

    def _column(self, node: Any, env: Environment) -> Value:
        table, database = node.table, node.db
        name = node.name
        if isinstance(node.this, exp.Star):
            raise self.unsupported(node)
        if not table and name.lower() in self.execution.locals:
            return self.execution.locals[name.lower()]
        if table and f"{table}.{name}".lower() in self.execution.locals:
            return self.execution.locals[f"{table}.{name}".lower()]
        return env.value(name, table, database, self.clause)

    def _arithmetic(self, node: Any, env: Environment) -> Value:
        operator = _ARITHMETIC[type(node)]
        for side, other, sign in ((node.expression, node.this, 1), (node.this, node.expression, -1)):
            if isinstance(side, exp.Interval) and operator in ("+", "-"):
                if operator == "-" and sign < 0:
                    break
                name = "DATE_ADD" if operator == "+" else "DATE_SUB"
                return self.call(name, [other, side], env, node)
        mode = self.session.sql_mode
        strict = self.execution.writes and "ERROR_FOR_DIVISION_BY_ZERO" in mode and self.execution.storing().strict
        return arithmetic(operator, self.evaluate(node.this, env), self.evaluate(node.expression, env), strict)

    def _parameter(self, node: Any, env: Environment) -> Value:
        return self.execution.user_variable(self.execution.statement.scanned.variable(node.this.name))

    def _session_parameter(self, node: Any, env: Environment) -> Value:
        name = node.this.name.lower()
        attribute = getattr(self.session, name, None)
        if name in self.session.variables:
            return self.session.variables[name]
        if isinstance(attribute, (int, str)):
            return int(attribute) if isinstance(attribute, bool) else attribute
        raise UnsupportedStatement(f"the system variable @@{name} has no value in the model", missing=f"@@{name}")

    def _assignment(self, node: Any, env: Environment) -> Value:
        if not isinstance(node.this, exp.Parameter):
            raise self.unsupported(node)
        from .session import UserVariable

        name = self.execution.statement.scanned.variable(node.this.this.name)
        value = self.evaluate(node.expression, env)
        self.session.user_variables[name.lower()] = UserVariable.of(name, value, self.connection)
        return value

    def rows(self, query: Any, env: Environment) -> list[tuple[Value, ...]]:
        """The rows of a subquery."""
        from .select import select

        return select(query, self, outer=env).rows

    def _subquery(self, node: Any, env: Environment) -> Value:
        rows = self.rows(node.this if isinstance(node, exp.Subquery) else node, env)
        if len(rows) > 1:
            raise error("SUBQUERY_NO_1_ROW")
        return rows[0][0] if rows else None

    def _exists(self, node: Any, env: Environment) -> Value:
        return int(bool(self.rows(node.this, env)))

    def _anonymous(self, node: Any, env: Environment) -> Value:
        return self.call(str(node.this), list(node.expressions), env, node)

    def _dot(self, node: Any, env: Environment) -> Value:
        if not isinstance(node.expression, exp.Anonymous):
            raise self.unsupported(node)
        from .routine import call_function

        function = node.expression
        values = [self.evaluate(argument, env) for argument in function.expressions]
        return call_function(self.execution, node.this.name, str(function.this), values)

    def call(self, name: str, arguments: list[Any], env: Environment, node: Any) -> Value:
        """The value of a function: a native one, an aggregate, or a stored one."""
        upper = name.upper()
        if upper in AGGREGATES:
            return aggregate(self, upper, arguments, env)
        if upper == "VALUES" and self.inserted is not None:
            return self.inserted(arguments[0].name)
        native = FUNCTIONS.get(upper)
        if native is not None and not (upper in _GONE and self.session.storage.version >= (9,)):
            return native(Call(self, upper, arguments, env))
        from .routine import call_function, find_function

        if find_function(self.session, None, name) is None and upper not in _GONE:
            missing = f"{upper}()"
            raise UnsupportedStatement(f"the function {missing} is not in the model", missing=missing)
        return call_function(self.execution, None, name, [self.evaluate(argument, env) for argument in arguments])


def _named(name: str) -> Callable[[Evaluator, Any, Environment], Value]:
    """A function that sqlglot knows by a type of its own: called by MySQL's name, with the arguments in order."""

    def method(self: Evaluator, node: Any, env: Environment) -> Value:
        arguments = [node.this, node.args.get("expression"), *node.args.get("expressions", [])]
        return self.call(name, [argument for argument in arguments if isinstance(argument, exp.Expression)], env, node)

    return method


_METHODS: dict[type, Callable[[Evaluator, Any, Environment], Value]] = {
    exp.Literal: Evaluator._literal,
    exp.Column: Evaluator._column,
    exp.Null: lambda self, node, env: None,
    exp.Boolean: lambda self, node, env: Truth(node.this),
    exp.Paren: lambda self, node, env: self.evaluate(node.this, env),
    exp.Alias: lambda self, node, env: self.evaluate(node.this, env),
    exp.HexString: lambda self, node, env: Hex(
        bytes.fromhex(node.this if len(node.this) % 2 == 0 else f"0{node.this}")
    ),
    exp.BitString: lambda self, node, env: Hex(int(node.this or "0", 2).to_bytes((len(node.this) + 7) // 8, "big")),
    exp.Neg: lambda self, node, env: negated(self.evaluate(node.this, env)),
    exp.BitwiseNot: lambda self, node, env: bitwise("^", self.evaluate(node.this, env), Unsigned((1 << 64) - 1)),
    exp.And: predicate.and_,
    exp.Or: predicate.or_,
    exp.Xor: predicate.xor,
    exp.Not: predicate.not_,
    exp.Is: predicate.is_,
    exp.In: predicate.in_,
    exp.Between: predicate.between,
    exp.Like: predicate.like,
    exp.Escape: predicate.escape,
    exp.RegexpLike: predicate.regexp,
    exp.NullSafeEQ: predicate.null_safe,
    exp.Case: predicate.case,
    exp.If: predicate.if_,
    exp.Parameter: Evaluator._parameter,
    exp.SessionParameter: Evaluator._session_parameter,
    exp.PropertyEQ: Evaluator._assignment,
    exp.Subquery: Evaluator._subquery,
    exp.Select: Evaluator._subquery,
    exp.Exists: Evaluator._exists,
    exp.Anonymous: Evaluator._anonymous,
    exp.Dot: Evaluator._dot,
    exp.Cast: cast,
    exp.Collate: collated,
    exp.Introducer: introduced,
    exp.National: lambda self, node, env: Text(self.text_of(node), 33),
    exp.DPipe: _named("CONCAT"),
    exp.Floor: _named("FLOOR"),
    exp.Ceil: _named("CEIL"),
    exp.CurrentTimestamp: _named("NOW"),
    exp.CurrentDate: _named("CURDATE"),
    exp.CurrentTime: _named("CURTIME"),
    exp.CurrentUser: _named("CURRENT_USER"),
    exp.Localtime: _named("NOW"),
    exp.Localtimestamp: _named("NOW"),
    exp.UtcTimestamp: _named("UTC_TIMESTAMP"),
    exp.UtcDate: _named("UTC_DATE"),
    exp.UtcTime: _named("UTC_TIME"),
    exp.Trim: special.trim,
    exp.Substring: special.substring,
    exp.JSONObject: special.json_object,
    exp.Extract: special.extract,
    exp.Chr: special.char,
    exp.StrPosition: lambda self, node, env: self.call("INSTR", [node.this, node.args["substr"]], env, node),
    exp.GroupConcat: lambda self, node, env: aggregate(self, "GROUP_CONCAT", [node], env),
    exp.JSONExtract: lambda self, node, env: self.call("JSON_EXTRACT", [node.this, node.expression], env, node),
}
