"""The tree of a condition on rows: operands, and the tests on them; and the error of one that is wrong."""

from collections.abc import Iterator
from decimal import Decimal
from typing import TypeAlias

from pybinlog.errors import BinlogError
from pybinlog.record import Record


class Column(Record):
    """A column: by its name, or by its number from 1 on. `image` is "before" or "after"; "": each in turn."""

    name: str
    number: int = 0
    image: str = ""

    def __str__(self) -> str:
        return f"{self.image}.{self.name}" if self.image else self.name


class Json(Record):
    """column->>'$.path': a key or the number of a cell for each leg."""

    column: Column
    legs: tuple[str | int, ...]


class Bytes(Record):
    """BINARY operand: compared by its bytes."""

    operand: Column | str


class Moment(Record):
    """DATE'...', TIME'...' or TIMESTAMP'...'."""

    kind: str
    text: str


Value: TypeAlias = int | Decimal | float | str | bytes | Moment | None
Operand: TypeAlias = Column | Json | Bytes | Value


class Node(Record):
    """Something that is true, false, NULL or unknown."""


class Logic(Node):
    """Conditions that an `operation` of the kernel joins; one that it turns; or a constant, which is its `number`."""

    operation: int
    operands: tuple[Node, ...] = ()
    number: int = 0


class IsNull(Node):
    operand: Column | Json


class Compare(Node):
    """`operator` is =, <>, <, <=, >, >= or <=>. A constant stands on the right."""

    operator: str
    left: Operand
    right: Operand


class Like(Node):
    operand: Operand
    pattern: str


class Changed(Node):
    column: Column


class Holds(Node):
    """A column alone: a number that is not 0."""

    column: Column


def columns_of(node: object) -> Iterator[Column]:
    """Yield the columns that a tree asks for."""
    if isinstance(node, Column):
        yield node
    elif isinstance(node, (Node, Json, Bytes, tuple)):
        for value in node if isinstance(node, tuple) else node.values():
            yield from columns_of(value)


class WhereError(BinlogError):
    """The message says what is wrong with the condition, in a sentence without its end."""
