"""Expressions: what defaults, generated columns and queries compute values with, as trees."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from pybinlog.record import Record


class Expression(Record):
    """A node of the tree. Nodes are compared by what they hold."""

    def children(self) -> Iterator[Expression]:
        """Yield the nodes right below; those of a subquery are not among them."""
        for value in self.values():
            if isinstance(value, Expression):
                yield value
            elif isinstance(value, tuple):
                yield from (item for item in value if isinstance(item, Expression))

    @cached_property
    def depth(self) -> int:
        """How many levels the tree has."""
        return 1 + max((child.depth for child in self.children()), default=0)


def walk(node: Expression) -> Iterator[Expression]:
    """Yield a node and all below it, subqueries as one."""
    yield node
    for child in node.children():
        yield from walk(child)


class Null(Expression):
    """NULL."""


class Default(Expression):
    """The word DEFAULT in the place of a value."""


class Truth(Expression):
    """TRUE or FALSE."""

    value: bool


class Number(Expression):
    """A number without sign, as the statement writes it."""

    text: str


class String(Expression):
    """A quoted string."""

    text: str


class Hex(Expression):
    """X'...', 0x..., b'...' and 0b...: bytes, which count as a number if one is wanted."""

    data: bytes


class Introduced(Expression):
    """A string or bytes whose character set is named: _latin1'...', _utf16 X'...'."""

    charset: str
    literal: String | Hex


class Name(Expression):
    """A column, perhaps with its table and database."""

    column: str
    table: str = ""
    database: str = ""

    def __str__(self) -> str:
        return ".".join(filter(None, (self.database, self.table, self.column)))


class Variable(Expression):
    """A user variable, @name."""

    name: str


class SystemVariable(Expression):
    """@@name, or @@scope.name; the scope is in lower case."""

    name: str
    scope: str = ""


class Unary(Expression):
    """-x, ~x or NOT x."""

    operator: str
    operand: Expression


class Binary(Expression):
    """Two operands and what stands between, a sign or a word in upper case."""

    operator: str
    left: Expression
    right: Expression


class Is(Expression):
    """x IS [NOT] NULL, TRUE or FALSE; `truth` is None for NULL."""

    operand: Expression
    truth: bool | None
    negated: bool = False


class In(Expression):
    """x [NOT] IN (...)."""

    operand: Expression
    items: tuple[Expression, ...]
    negated: bool = False


class Between(Expression):
    """x [NOT] BETWEEN low AND high."""

    operand: Expression
    low: Expression
    high: Expression
    negated: bool = False


class Collate(Expression):
    """x COLLATE collation."""

    operand: Expression
    collation: str


class Call(Expression):
    """A function's name in upper case and its arguments; `star` for COUNT(*)."""

    name: str
    arguments: tuple[Expression, ...] = ()
    star: bool = False
    distinct: bool = False


class Subquery(Expression):
    """A query that gives one value."""

    query: Any
