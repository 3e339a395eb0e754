"""Statements that move rows, as the parser reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pybinlog.schema.cursor import Path
from pybinlog.schema.expression import Expression, In, Subquery, walk
from pybinlog.schema.statement import CreateTable, Definition


@dataclass(frozen=True)
class Joined:
    """A table of a FROM clause: its path, its alias, and how it is joined to those before it."""

    path: Path
    alias: str
    on: Expression | None = None
    left: bool = False


@dataclass(frozen=True)
class Order:
    """What ORDER BY sorts by."""

    expression: Expression
    descending: bool = False


@dataclass(frozen=True)
class Item:
    """A part of a select list: an expression and its alias, or with no expression `*`, perhaps of one table."""

    expression: Expression | None
    name: str
    table: str = ""


@dataclass(frozen=True)
class Select:
    """A query on tables; the clauses that all statements share have the same names everywhere."""

    items: tuple[Item, ...] = ()
    tables: tuple[Joined, ...] = ()
    where: Expression | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0


@dataclass(frozen=True)
class Assignment:
    """column = expression."""

    column: str
    table: str
    value: Expression


@dataclass(frozen=True)
class Insert:
    """INSERT and REPLACE: rows of VALUES or SET, or a query. `columns` is None where the statement names none."""

    table: Joined
    columns: tuple[str, ...] | None = None
    rows: tuple[tuple[Expression, ...], ...] = ()
    query: Select | None = None
    updates: tuple[Assignment, ...] = ()
    replace: bool = False
    ignore: bool = False


@dataclass(frozen=True)
class Update:
    """UPDATE of one table or several."""

    tables: tuple[Joined, ...]
    assignments: tuple[Assignment, ...]
    where: Expression | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    ignore: bool = False


@dataclass(frozen=True)
class Delete:
    """DELETE; `targets` are the names of those of several tables whose rows go, none for a single table."""

    tables: tuple[Joined, ...]
    targets: tuple[str, ...] = ()
    where: Expression | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    ignore: bool = False


@dataclass(frozen=True)
class CreateSelect(Definition):
    """CREATE TABLE ... SELECT."""

    create: CreateTable
    query: Select


@dataclass(frozen=True)
class Setting:
    """One assignment of SET.

    `scope` is USER for a user variable, else SESSION, GLOBAL or PERSIST. SET NAMES has the name "names" and the names
    of the character set and the collation in `words`.
    """

    scope: str
    name: str
    value: Expression | None = None
    words: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class SetVariables:
    """SET."""

    settings: tuple[Setting, ...]


Node = Insert | Update | Delete | Select | SetVariables | Definition


@dataclass(frozen=True)
class Statement:
    """A statement: its text as it was sent, and what was read of it."""

    text: bytes
    node: Node

    @property
    def is_dml(self) -> bool:
        """Whether it changes rows."""
        return isinstance(self.node, (Insert, Update, Delete))

    @property
    def is_ddl(self) -> bool:
        """Whether it defines something, and so commits what was open."""
        return isinstance(self.node, Definition)


def _own(node: Node) -> Iterator[Expression | None]:
    """The expressions of a statement as they stand in its clauses."""
    if isinstance(node, CreateSelect):
        node = node.query
    if isinstance(node, Insert):
        yield from (value for row in node.rows for value in row)
        yield from (update.value for update in node.updates)
    elif isinstance(node, (Select, Update, Delete)):
        if isinstance(node, Select):
            yield from (item.expression for item in node.items)
        if isinstance(node, Update):
            yield from (assignment.value for assignment in node.assignments)
        yield from (table.on for table in node.tables)
        yield node.where
        yield from (order.expression for order in node.order)


def queries_of(node: Node) -> Iterator[Select]:
    """The queries in a statement, those within others, too."""
    direct = [node.query] if isinstance(node, (Insert, CreateSelect)) and node.query is not None else []
    for expression in filter(None, _own(node)):
        direct += [part.query for part in walk(expression) if isinstance(part, (Subquery, In)) and part.query]
    for query in direct:
        yield query
        yield from queries_of(query)


def expressions_of(node: Node) -> Iterator[Expression]:
    """All expressions of a statement, with those within them and within its queries."""
    for part in (node, *queries_of(node)):
        for expression in filter(None, _own(part)):
            yield from walk(expression)
