"""Expressions: sqlglot's trees evaluated on rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from sqlglot import exp

from pybinlog.errors import UnsupportedStatement

from .aggregate import AGGREGATES, aggregate
from .cast import cast, collated, introduced
from .charset import compare_key
from .environment import Environment, Frame
from .error import error
from .execution import Execution
from .functions import FUNCTIONS, Call
from .operators import arithmetic, bitwise, compare, like_pattern, negated
from .value import Hex, Text, Unsigned, Value, is_true, to_bytes, to_number, to_text

__all__ = ["Evaluator"]

_ARITHMETIC = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.IntDiv: "DIV", exp.Mod: "%"}
_BITWISE = {
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
    exp.BitwiseLeftShift: "<<",
    exp.BitwiseRightShift: ">>",
}
_COMPARISONS: dict[type, Callable[[int], bool]] = {
    exp.EQ: lambda order: order == 0,
    exp.NEQ: lambda order: order != 0,
    exp.LT: lambda order: order < 0,
    exp.LTE: lambda order: order <= 0,
    exp.GT: lambda order: order > 0,
    exp.GTE: lambda order: order >= 0,
}
_MAX_SIGNED = (1 << 63) - 1


class Evaluator:
    """Evaluates the expressions of one statement."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.session = execution.session
        self.connection = self.session.collation_connection
        self.empty = Environment(Frame([]), [], self.session.time_zone)
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
        if kind in _COMPARISONS:
            return self._comparison(node, env)
        raise self.unsupported(node)

    def unsupported(self, node: Any) -> UnsupportedStatement:
        try:
            text = node.sql(dialect="mysql")
        except (ValueError, AttributeError):
            text = type(node).__name__
        text = re.sub(r"'\ue000(\d+)'", "'...'", text)
        return UnsupportedStatement(f"the expression {text[:80]} is not in the model", missing=type(node).__name__)

    def condition(self, node: Any, env: Environment) -> bool:
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
        return env.value(name, table, database)

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

    def _comparison(self, node: Any, env: Environment) -> Value:
        quantified = node.expression
        if isinstance(quantified, (exp.Any, exp.All)):
            left = self.evaluate(node.this, env)
            orders = [compare(left, row[0], self.connection) for row in self.rows(quantified.this, env)]
            results = [None if order is None else _COMPARISONS[type(node)](order) for order in orders]
            wanted = isinstance(quantified, exp.Any)
            return int(wanted) if wanted in results else None if None in results else int(not wanted)
        left_parts, right_parts = self._parts(node.this), self._parts(quantified)
        if left_parts is not None and right_parts is not None and isinstance(node, (exp.EQ, exp.NEQ)):
            equal = self._equal_tuples(left_parts, right_parts, env)
            return None if equal is None else int(equal == isinstance(node, exp.EQ))
        order = compare(self.evaluate(node.this, env), self.evaluate(quantified, env), self.connection)
        return None if order is None else int(_COMPARISONS[type(node)](order))

    def _parts(self, node: Any) -> list[Any] | None:
        if isinstance(node, exp.Tuple) or (isinstance(node, exp.Anonymous) and str(node.this).upper() == "ROW"):
            return list(node.expressions)
        return None

    def _equal_tuples(self, left: list[Any], right: list[Any], env: Environment) -> bool | None:
        orders = [
            compare(self.evaluate(a, env), self.evaluate(b, env), self.connection)
            for a, b in zip(left, right, strict=False)
        ]
        return False if any(order for order in orders) else None if None in orders else True

    def _null_safe(self, node: Any, env: Environment) -> Value:
        left, right = self.evaluate(node.this, env), self.evaluate(node.expression, env)
        if left is None or right is None:
            return int(left is right)
        return int(compare(left, right, self.connection) == 0)

    def _and(self, node: Any, env: Environment) -> Value:
        left = is_true(self.evaluate(node.this, env))
        if left is False:
            return 0
        right = is_true(self.evaluate(node.expression, env))
        return 0 if right is False else None if left is None or right is None else 1

    def _or(self, node: Any, env: Environment) -> Value:
        left = is_true(self.evaluate(node.this, env))
        if left:
            return 1
        right = is_true(self.evaluate(node.expression, env))
        return 1 if right else None if left is None or right is None else 0

    def _xor(self, node: Any, env: Environment) -> Value:
        left, right = is_true(self.evaluate(node.this, env)), is_true(self.evaluate(node.expression, env))
        return None if left is None or right is None else int(left != right)

    def _not(self, node: Any, env: Environment) -> Value:
        value = is_true(self.evaluate(node.this, env))
        return None if value is None else int(not value)

    def _is(self, node: Any, env: Environment) -> Value:
        value = self.evaluate(node.this, env)
        if isinstance(node.expression, exp.Null):
            return int(value is None)
        truth = is_true(value)
        return int(truth is not None and truth == bool(self.evaluate(node.expression, env)))

    def _in(self, node: Any, env: Environment) -> Value:
        query = node.args.get("query")
        parts = self._parts(node.this)
        if parts is not None:
            if query is not None:
                raise self.unsupported(node)
            found = [self._equal_tuples(parts, self._parts(item) or [item], env) for item in node.expressions]
            return 1 if True in found else None if None in found else 0
        value = self.evaluate(node.this, env)
        if query is not None:
            candidates = [row[0] for row in self.rows(query.this if isinstance(query, exp.Subquery) else query, env)]
        else:
            candidates = [self.evaluate(item, env) for item in node.expressions]
        orders = [compare(value, candidate, self.connection) for candidate in candidates]
        return 1 if 0 in orders else None if None in orders else 0

    def _between(self, node: Any, env: Environment) -> Value:
        value = self.evaluate(node.this, env)
        low = compare(value, self.evaluate(node.args["low"], env), self.connection)
        high = compare(value, self.evaluate(node.args["high"], env), self.connection)
        if (low is not None and low < 0) or (high is not None and high > 0):
            return 0
        return None if low is None or high is None else 1

    def _like(self, node: Any, env: Environment, escape: str = "\\") -> Value:
        value, pattern = self.evaluate(node.this, env), self.evaluate(node.expression, env)
        if value is None or pattern is None:
            return None
        if isinstance(value, bytes) or isinstance(pattern, bytes):
            texts = [to_bytes(side, self.connection).decode("latin-1") for side in (value, pattern)]
            return int(like_pattern(texts[1], escape).fullmatch(texts[0]) is not None)
        collation = value.collation if isinstance(value, Text) else self.connection
        # Trailing spaces count for LIKE, unlike for =.
        folded = [compare_key(to_text(side) + "\0", collation)[:-1] for side in (value, pattern)]
        return int(like_pattern(folded[1], escape).fullmatch(folded[0]) is not None)

    def _escape(self, node: Any, env: Environment) -> Value:
        return self._like(node.this, env, to_text(self.evaluate(node.expression, env)))

    def _regexp(self, node: Any, env: Environment) -> Value:
        value, pattern = self.evaluate(node.this, env), self.evaluate(node.expression, env)
        if value is None or pattern is None:
            return None
        return int(re.search(to_text(pattern), to_text(value), re.I) is not None)

    def _case(self, node: Any, env: Environment) -> Value:
        subject = node.this
        value = self.evaluate(subject, env) if subject is not None else None
        for branch in node.args["ifs"]:
            if subject is None:
                holds = self.condition(branch.this, env)
            else:
                holds = compare(value, self.evaluate(branch.this, env), self.connection) == 0
            if holds:
                return self.evaluate(branch.args["true"], env)
        default = node.args.get("default")
        return self.evaluate(default, env) if default is not None else None

    def _if(self, node: Any, env: Environment) -> Value:
        chosen = node.args["true"] if self.condition(node.this, env) else node.args.get("false")
        return self.evaluate(chosen, env) if chosen is not None else None

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
        if native is not None:
            return native(Call(self, upper, arguments, env))
        from .routine import call_function, find_function

        if find_function(self.session, None, name) is None:
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
    exp.Boolean: lambda self, node, env: int(node.this),
    exp.Paren: lambda self, node, env: self.evaluate(node.this, env),
    exp.Alias: lambda self, node, env: self.evaluate(node.this, env),
    exp.HexString: lambda self, node, env: Hex(
        bytes.fromhex(node.this if len(node.this) % 2 == 0 else f"0{node.this}")
    ),
    exp.BitString: lambda self, node, env: Hex(int(node.this or "0", 2).to_bytes((len(node.this) + 7) // 8, "big")),
    exp.Neg: lambda self, node, env: negated(self.evaluate(node.this, env)),
    exp.BitwiseNot: lambda self, node, env: bitwise("^", self.evaluate(node.this, env), Unsigned((1 << 64) - 1)),
    exp.And: Evaluator._and,
    exp.Or: Evaluator._or,
    exp.Xor: Evaluator._xor,
    exp.Not: Evaluator._not,
    exp.Is: Evaluator._is,
    exp.In: Evaluator._in,
    exp.Between: Evaluator._between,
    exp.Like: Evaluator._like,
    exp.Escape: Evaluator._escape,
    exp.RegexpLike: Evaluator._regexp,
    exp.NullSafeEQ: Evaluator._null_safe,
    exp.Case: Evaluator._case,
    exp.If: Evaluator._if,
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
    exp.CurrentTimestamp: _named("NOW"),
    exp.CurrentDate: _named("CURDATE"),
    exp.CurrentTime: _named("CURTIME"),
    exp.CurrentUser: _named("CURRENT_USER"),
    exp.Localtime: _named("NOW"),
    exp.Localtimestamp: _named("NOW"),
    exp.UtcTimestamp: _named("UTC_TIMESTAMP"),
    exp.UtcDate: _named("UTC_DATE"),
    exp.UtcTime: _named("UTC_TIME"),
}


def _trim(self: Evaluator, node: Any, env: Environment) -> Value:
    value = self.evaluate(node.this, env)
    what = node.args.get("expression")
    removed = self.evaluate(what, env) if what is not None else " "
    if value is None or removed is None:
        return None
    text, part = to_text(value), to_text(removed)
    position = (node.args.get("position") or "BOTH").upper()
    while part and position in ("BOTH", "LEADING") and text.startswith(part):
        text = text[len(part) :]
    while part and position in ("BOTH", "TRAILING") and text.endswith(part):
        text = text[: -len(part)]
    return Text(text, value.collation) if isinstance(value, Text) else text


def _substring(self: Evaluator, node: Any, env: Environment) -> Value:
    arguments = [node.this, node.args.get("start"), node.args.get("length")]
    return self.call("SUBSTRING", [argument for argument in arguments if argument is not None], env, node)


def _json_object(self: Evaluator, node: Any, env: Environment) -> Value:
    arguments = [part for pair in node.expressions for part in (pair.this, pair.expression)]
    return self.call("JSON_OBJECT", arguments, env, node)


def _extract(self: Evaluator, node: Any, env: Environment) -> Value:
    return self.call(str(node.this.name).upper(), [node.expression], env, node)


def _char(self: Evaluator, node: Any, env: Environment) -> Value:
    numbers = [to_number(self.evaluate(argument, env)) for argument in node.expressions]
    data = b"".join(int(number).to_bytes(max(1, (int(number).bit_length() + 7) // 8), "big") for number in numbers)
    charset = node.args.get("charset")
    return data if charset is None else data.decode("utf-8" if "utf8" in charset.name else "latin-1")


_METHODS |= {
    exp.Trim: _trim,
    exp.Substring: _substring,
    exp.JSONObject: _json_object,
    exp.Extract: _extract,
    exp.Chr: _char,
    exp.StrPosition: lambda self, node, env: self.call("INSTR", [node.this, node.args["substr"]], env, node),
    exp.GroupConcat: lambda self, node, env: aggregate(self, "GROUP_CONCAT", [node], env),
    exp.JSONExtract: lambda self, node, env: self.call("JSON_EXTRACT", [node.this, node.expression], env, node),
}
