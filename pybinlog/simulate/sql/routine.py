"""Routine: a stored procedure or function, and what its parameters stand for in a call."""

from collections.abc import Callable, Sequence

from pybinlog.column_types import INTEGER_BYTES
from pybinlog.errors import UnsupportedStatement
from pybinlog.record import Record
from pybinlog.schema import Column, character_set, collation_name, error
from pybinlog.schema.expression import Name
from pybinlog.simulate.sql import syntax
from pybinlog.values.convert import Storing, load, store
from pybinlog.values.value import Text, Value

Bind = Callable[[Name | syntax.Argument], syntax.Constant]
"""Returns what stands for a name in the body of a stored program."""
CHARACTER_SET = "utf8mb4"
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", '"': '\\"', "\n": "\\n", "\r": "\\r", "\0": "\\0", "\x1a": "\\Z"})


class Routine(Record):
    """A routine of a database: what made it, its parameters and its value as columns, the sql_mode of its body."""

    created: syntax.CreateRoutine
    database: str
    parameters: tuple[Column, ...]
    returns: Column | None
    sql_mode: frozenset[str]

    @property
    def name(self) -> str:
        return f"{self.database}.{self.created.path[1]}"

    def bind(self, arguments: Sequence[Value], storing: Storing) -> Bind:
        """Return what the parameters stand for. Raise error 1318, and those of values that do not fit."""
        if len(arguments) != len(self.parameters):
            kind, expected = self.created.kind, len(self.parameters)
            raise error("SP_WRONG_NO_OF_ARGS", kind, self.name, expected, len(arguments))
        values = {
            column.name.lower(): syntax.Constant(converted(argument, column, storing))
            for column, argument in zip(self.parameters, arguments, strict=True)
        }
        return lambda node: values[node.name.lower()] if isinstance(node, syntax.Argument) else syntax.Constant(None)


def converted(value: Value, column: Column, storing: Storing) -> Value:
    """Return a value as a parameter, or a function's value, of that type has it. Raise SqlError."""
    return load(store(value, column, storing), column, storing.time_zone)


def check_type(column: Column) -> Column:
    """Return the column of a parameter. Raise UnsupportedStatement if the model cannot log a value of that type."""
    is_text = column.is_text and not column.members and character_set(column.charset) == CHARACTER_SET
    if column.type not in INTEGER_BYTES and not is_text:
        raise UnsupportedStatement(
            f"a routine's parameter or value of the type {column.declared} is not in the model, which has those of "
            f"integers and of text in {CHARACTER_SET}",
            missing=column.declared,
        )
    return column


def bound_statement(part: syntax.BodyStatement, bind: Bind) -> syntax.Statement:
    """Return a statement of a body with its parameters' values; as a statement, it is logged with them."""
    text = part.text
    for argument in sorted(syntax.arguments_in(part.node), key=lambda argument: -argument.start):
        constant = f" NAME_CONST('{argument.name}',{literal(bind(argument).value)})"
        text = text[: argument.start] + constant + text[argument.end :]
    node = syntax.bound(part.node, bind)
    return syntax.Statement(_encoded(part.text), node, logged_text=_encoded(text))


def function_call(routine: Routine, bind: Bind) -> bytes:
    """Return the text that a SELECT of a function is logged as."""
    values = (bind(syntax.Argument(column.name, 0, 0)).value for column in routine.parameters)
    name = f"`{routine.database}`.`{routine.created.path[1]}`"
    return _encoded(f"SELECT {name}({','.join(map(literal, values))})")


def literal(value: Value) -> str:
    """Return a value as the server writes it into a statement."""
    if not isinstance(value, str):
        return "NULL" if value is None else str(value)
    assert isinstance(value, Text)
    return f"_{CHARACTER_SET}'{value.translate(_ESCAPES)}' COLLATE '{collation_name(value.collation)}'"


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
