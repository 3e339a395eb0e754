"""Evaluator: the values of expressions on rows, with the native functions that the model has."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema import SqlError, error
from pybinlog.schema import expression as tree
from pybinlog.simulate.sql import syntax
from pybinlog.simulate.sql.execution import Execution
from pybinlog.simulate.sql.routine import Routine, bound_statement, converted, function_call
from pybinlog.simulate.sql.session import Environment, Frame, Session
from pybinlog.values import value as values
from pybinlog.values.operators import arithmetic, compare, negated
from pybinlog.values.temporal import from_utc, round_to
from pybinlog.values.value import (
    Temporal,
    Text,
    Unsigned,
    Value,
    collation_of,
    context,
    is_true,
    to_bytes,
    to_integer,
    to_text,
)

AGGREGATES = frozenset({"COUNT", "SUM", "MIN", "MAX"})
UNSAFE = frozenset({"RAND"})
"""Functions that give another value on a replica (manual, "Determination of Safe and Unsafe Statements")."""
MAX_LENGTH = 64 << 20
"""max_allowed_packet: a text that would be longer is NULL."""
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
Native = Callable[[Execution, Sequence[Value]], Value]


def aggregate(name: str, values: list[Value], connection: int) -> Value:
    """COUNT, SUM, MIN and MAX of values, without those that are NULL."""
    values = [value for value in values if value is not None]
    if name == "COUNT" or not values:
        return len(values) if name == "COUNT" else None
    result = values[0]
    for value in values[1:]:
        if name == "SUM":
            result = arithmetic("+", result, value)
        elif (compare(value, result, connection) or 0) * (1 if name == "MAX" else -1) > 0:
            result = value
    return result


def joined(execution: Execution, values: Sequence[Value]) -> Value:
    connection = execution.session.collation_connection
    if any(isinstance(value, bytes) for value in values):
        return b"".join(to_bytes(value, connection) for value in values)
    collation = next((value.collation for value in values if isinstance(value, Text)), connection)
    return Text("".join(map(to_text, values)), collation)


def concat_ws(execution: Execution, values: Sequence[Value]) -> Value:
    separator, *rest = values
    if separator is None:
        return None
    parts = [part for value in rest if value is not None for part in (separator, value)]
    return joined(execution, parts[1:])


def repeat(execution: Execution, values: Sequence[Value]) -> Value:
    value, times = values[0], max(0, to_integer(values[1]))
    content = value if isinstance(value, bytes) else to_text(value)
    if len(content) * times > MAX_LENGTH:
        return None
    if isinstance(content, bytes):
        return bytes(content) * times
    return Text(content * times, collation_of(value, execution.session.collation_connection))


def upper(execution: Execution, values: Sequence[Value]) -> Value:
    value = values[0]
    if isinstance(value, bytes):
        return value
    # A character becomes one character, or stays: that of ß would be two.
    text = "".join(large if len(large := letter.upper()) == 1 else letter for letter in to_text(value))
    return Text(text, collation_of(value, execution.session.collation_connection))


def now(execution: Execution, values: Sequence[Value]) -> Value:
    """Return the time of the statement, with as many digits of a second as the argument says."""
    seconds, microseconds = execution.session.now
    decimals = max(to_integer(values[0]), 0) if values else 0
    if decimals > 6:
        raise SqlError(1426, f"Too-big precision {decimals} specified for 'now'. Maximum is 6.")
    context().microseconds_used |= decimals > 0 or execution.session.storage.mariadb
    moment = EPOCH + timedelta(seconds=seconds, microseconds=microseconds)
    return Temporal("DATETIME", round_to(from_utc(moment, execution.session.time_zone), decimals, True), decimals)


def strict(native: Native) -> Native:
    """Return a function that is NULL if one of its arguments is."""
    return lambda execution, values: None if None in values else native(execution, values)


MANY = 1 << 16
_NOW: tuple[int, int, Native] = (0, 1, strict(now))
FUNCTIONS: dict[str, tuple[int, int, Native]] = {
    "CONCAT": (1, MANY, strict(joined)),
    "CONCAT_WS": (2, MANY, concat_ws),
    "CURRENT_TIMESTAMP": _NOW,
    "LAST_INSERT_ID": (0, 0, lambda execution, _: execution.last_insert_id()),
    "NOW": _NOW,
    "RAND": (0, 0, lambda execution, _: execution.random()),
    "REPEAT": (2, 2, strict(repeat)),
    "UPPER": (1, 1, strict(upper)),
}
"""The fewest and the most arguments of each function, and what gives its value."""


COMPARISONS: dict[str, Callable[[int], bool]] = {
    "=": lambda order: order == 0,
    "<>": lambda order: order != 0,
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}
_OPERATORS = {*COMPARISONS, *"+-*/%", "AND", "OR"}
_MAX_DIGITS = 65
_MAX_SIGNED = (1 << 63) - 1


def check_expressions(node: syntax.Node, session: Session | None = None) -> None:
    """Refuse a statement with an expression that the model does not have, by name. Raise error 1582, too.

    With a session, values of columns may call its stored functions; conditions may not, for it is the optimizer's
    choice how often it calls them.
    """
    query = syntax.query_of(node)
    results = [item.expression for item in query.items] if query is not None else []
    aggregates = [part for part in results if isinstance(part, tree.Call) and part.name in AGGREGATES]
    if aggregates and len(aggregates) < len(results):
        raise UnsupportedStatement(f"{aggregates[0].name}() beside other columns is not in the model", missing="SELECT")
    rows, updates = syntax.rows_of(node), node.updates if isinstance(node, syntax.Insert) else ()
    conditions = (
        () if session is None else tuple(syntax.expressions_in((rows, updates) if rows is not None else updates))
    )
    for part in syntax.expressions_of(node):
        if (
            part in aggregates
            and isinstance(part, tree.Call)
            and len(part.arguments) + part.star == 1
            and not part.distinct
        ):
            continue
        if session is not None and isinstance(part, tree.Call) and is_stored(part, session):
            if part in conditions:
                missing = f"the function {part.name}() in a condition, or with an order or a duplicate key,"
                raise UnsupportedStatement(f"{missing} is not in the model", missing=part.name)
            continue
        missing = _missing(part)
        if missing:
            raise UnsupportedStatement(f"{missing} is not in the model", missing=missing)
        if isinstance(part, tree.Call):
            least, most, _ = FUNCTIONS[part.name]
            if not least <= len(part.arguments) <= most:
                raise error("WRONG_PARAMCOUNT_TO_NATIVE_FCT", part.name)
        if isinstance(part, tree.Subquery):
            check_expressions(part.query)


def is_stored(part: tree.Expression, session: Session) -> bool:
    """Return True if an expression calls a stored function of the session's database."""
    if not isinstance(part, tree.Call) or part.name in {*FUNCTIONS, *AGGREGATES} or part.star or part.distinct:
        return False
    return session.routine("FUNCTION", (None, part.name)) is not None


def _missing(part: tree.Expression) -> str:
    """Return the name of an expression that is not in the model; nothing for one that is."""
    if isinstance(part, tree.Call):
        if part.name.endswith("_LITERAL"):
            return f"{part.name.removesuffix('_LITERAL')}'...'"
        known = FUNCTIONS.get(part.name)
        if known is None or part.star or part.distinct:
            return f"the function {part.name}()"
        return f"the function {part.name}(...)" if part.arguments and not known[1] else ""
    if isinstance(part, (tree.Binary, tree.Unary)):
        known_operators = _OPERATORS if isinstance(part, tree.Binary) else ("-", "NOT")
        return f"the operator {part.operator}" if part.operator not in known_operators else ""
    if isinstance(part, tree.Number) and sum(map(str.isdigit, part.text)) > _MAX_DIGITS:
        return f"a number with more than {_MAX_DIGITS} digits"
    if isinstance(part, tree.Subquery) and any(
        isinstance(inner, tree.Subquery) for inner in syntax.expressions_of(part.query)
    ):
        return "a subquery in a subquery"
    if isinstance(part, tree.Introduced) and part.charset.lower() != "binary":
        return f"_{part.charset} before a literal"
    if isinstance(part, tree.SystemVariable):
        return f"the value of @@{part.name}"
    return type(part).__name__.upper() if isinstance(part, (tree.Between, tree.Collate)) else ""


class Evaluator:
    """Evaluates the expressions of one statement."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.session = execution.session
        self.connection = self.session.collation_connection
        self.empty = Environment(Frame(), self.session.time_zone)
        self.clause = "field list"
        """The clause that is evaluated, for messages."""

    def evaluate(self, node: tree.Expression, env: Environment | None = None) -> Value:
        """Return the value of an expression. Raise SqlError and UnsupportedStatement."""
        method = _METHODS.get(type(node))
        if method is None:
            raise UnsupportedStatement(f"{type(node).__name__.upper()} here is not in the model", missing="expression")
        return method(self, node, env if env is not None else self.empty)

    def condition(self, node: tree.Expression, env: Environment) -> bool:
        """Return True if the condition of a WHERE clause is true; NULL does not."""
        self.clause = "where clause"
        holds = bool(is_true(self.evaluate(node, env)))
        self.clause = "field list"
        return holds

    def _number(self, node: tree.Number, env: Environment) -> Value:
        text = node.text
        if "e" in text.lower():
            return values.nearest_float(text)
        if not text.isdigit() or int(text) >= 1 << 64:
            return Decimal(text)
        return Unsigned(text) if int(text) > _MAX_SIGNED else int(text)

    def _unary(self, node: tree.Unary, env: Environment) -> Value:
        value = self.evaluate(node.operand, env)
        if node.operator == "-":
            return negated(value)
        truth = is_true(value)
        return None if truth is None else int(not truth)

    def _binary(self, node: tree.Binary, env: Environment) -> Value:
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
        return arithmetic(operator, left, right, self.execution.strict_division)

    def _is(self, node: tree.Is, env: Environment) -> Value:
        value = self.evaluate(node.operand, env)
        holds = value is None if node.truth is None else is_true(value) is node.truth
        return int(holds != node.negated)

    def _in(self, node: tree.In, env: Environment) -> Value:
        value = self.evaluate(node.operand, env)
        orders = [compare(value, self.evaluate(item, env), self.connection) for item in node.items]
        found = True if 0 in orders else None if None in orders else False
        return None if found is None else int(found != node.negated)

    def _call(self, node: tree.Call, env: Environment) -> Value:
        arguments = [self.evaluate(argument, env) for argument in node.arguments]
        native = FUNCTIONS.get(node.name)
        return self._stored(node.name, arguments) if native is None else native[2](self.execution, arguments)

    def _stored(self, name: str, arguments: Sequence[Value]) -> Value:
        """Run a stored function. As a part of a SELECT, each call is logged by itself, if it changes rows."""
        execution, session = self.execution, self.session
        routine: Routine = session.routine("FUNCTION", (None, name))
        assert routine.returns is not None
        bind = routine.bind(arguments, execution.storing())
        is_logged = bool(routine.created.body) and execution.logs_calls
        if is_logged:
            execution.effect.take_values()
        with session.within(routine.database, routine.sql_mode):
            for part in routine.created.body:
                statement = bound_statement(part, bind)
                execution.run_part(statement.replace(text=statement.logged_text))
            assert routine.created.result is not None
            result = self.evaluate(syntax.bound(routine.created.result, bind))
            value = converted(result, routine.returns, execution.storing())
        if is_logged:
            call = tree.Call(name, tuple(bind(syntax.Argument(column.name, 0, 0)) for column in routine.parameters))
            statement = syntax.Statement(
                function_call(routine, bind), syntax.Select((syntax.Item(call, name),), syntax.Rows())
            )
            execution.effect.calls.append((statement, execution.effect.take_values()))
        return value


Method = Callable[[Evaluator, Any, Environment], Value]
_METHODS: dict[type, Method] = {
    tree.Null: lambda self, node, env: None,
    syntax.Constant: lambda self, node, env: node.value,
    tree.Truth: lambda self, node, env: int(node.value),
    tree.Number: lambda self, node, env: self._number(node, env),
    tree.String: lambda self, node, env: Text(node.text, self.connection),
    tree.Hex: lambda self, node, env: values.Hex(node.data),
    tree.Introduced: lambda self, node, env: values.to_bytes(
        self.evaluate(node.literal), self.session.character_set_client
    ),
    tree.Name: lambda self, node, env: env.value(node, self.clause),
    tree.Variable: lambda self, node, env: self.execution.user_variable(node.name),
    tree.Subquery: lambda self, node, env: self.execution.subqueries[node],
    tree.Unary: lambda self, node, env: self._unary(node, env),
    tree.Binary: lambda self, node, env: self._binary(node, env),
    tree.Is: lambda self, node, env: self._is(node, env),
    tree.In: lambda self, node, env: self._in(node, env),
    tree.Call: lambda self, node, env: self._call(node, env),
}
