"""The tree of a condition on rows: operands, and the tests on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import TypeAlias


@dataclass(frozen=True)
class Column:
    """A column: by its name, or by its number from 1 on. `image` is "before" or "after"; "": each in turn."""

    name: str
    number: int = 0
    image: str = ""

    def __str__(self) -> str:
        return f"{self.image}.{self.name}" if self.image else self.name


@dataclass(frozen=True)
class Json:
    """column->>'$.path': a key or the number of a cell for each leg."""

    column: Column
    legs: tuple[str | int, ...]


@dataclass(frozen=True)
class Bytes:
    """BINARY operand: compared by its bytes."""

    operand: Column | str


@dataclass(frozen=True)
class Moment:
    """DATE'...', TIME'...' or TIMESTAMP'...'."""

    kind: str
    text: str


Value: TypeAlias = int | Decimal | float | str | bytes | Moment | None
Operand: TypeAlias = Column | Json | Bytes | Value


@dataclass(frozen=True)
class Node:
    """Something that is true, false, NULL or unknown."""


@dataclass(frozen=True)
class Known(Node):
    """TRUE, FALSE, or NULL, which is None."""

    truth: bool | None


@dataclass(frozen=True)
class Not(Node):
    operand: Node


@dataclass(frozen=True)
class And(Node):
    left: Node
    right: Node


@dataclass(frozen=True)
class Or(Node):
    left: Node
    right: Node


@dataclass(frozen=True)
class IsTruth(Node):
    """condition IS TRUE, IS FALSE, or IS NULL, which is None."""

    operand: Node
    truth: bool | None


@dataclass(frozen=True)
class IsNull(Node):
    operand: Column | Json


@dataclass(frozen=True)
class Compare(Node):
    """`operator` is =, <>, <, <=, >, >= or <=>. A constant stands on the right."""

    operator: str
    left: Operand
    right: Operand


@dataclass(frozen=True)
class Like(Node):
    operand: Operand
    pattern: str


@dataclass(frozen=True)
class Changed(Node):
    column: Column


@dataclass(frozen=True)
class Holds(Node):
    """A column alone: a number that is not 0."""

    column: Column


def columns_of(node: object) -> Iterator[Column]:
    """Yield the columns that a tree asks for."""
    if isinstance(node, Column):
        yield node
    elif isinstance(node, (Node, Json, Bytes)):
        for field in fields(node):
            yield from columns_of(getattr(node, field.name))
