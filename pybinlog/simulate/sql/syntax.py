"""Statements that move rows, as the parser reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from pybinlog.record import Record
from pybinlog.schema.cursor import Path
from pybinlog.schema.expression import Expression, Name, walk
from pybinlog.schema.statement import CreateTable, Definition, DropTable


class Joined(Record):
    """A table of a FROM clause: its path, its alias, and the condition that joins it to those before it."""

    path: Path
    alias: str
    on: Expression | None = None


class Order(Record):
    """A key of ORDER BY."""

    expression: Expression
    descending: bool = False


class Item(Record):
    """A part of a select list: an expression and its alias, or with no expression `*`, perhaps of one table."""

    expression: Expression | None
    name: str
    table: str = ""


class Assignment(Record):
    """column = expression."""

    column: str
    table: str
    value: Expression


class Rows(Record):
    """The rows that a SELECT, UPDATE or DELETE is about."""

    tables: tuple[Joined, ...] = ()
    where: Expression | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None


class Select(Record):
    """A query on tables."""

    items: tuple[Item, ...]
    rows: Rows


class Insert(Record):
    """INSERT and REPLACE: rows of VALUES or SET, or a query. `columns` is None if the statement names none.

    `delayed`: it says DELAYED, which changes nothing.
    """

    path: Path
    columns: tuple[str, ...] | None = None
    value_rows: tuple[tuple[Expression, ...], ...] = ()
    query: Select | None = None
    updates: tuple[Assignment, ...] = ()
    replaces: bool = False
    delayed: bool = False


class Update(Record):
    """UPDATE of one table or several."""

    assignments: tuple[Assignment, ...]
    rows: Rows


class Delete(Record):
    """DELETE; `targets` are the names of those of several tables whose rows go, none for a single table."""

    targets: tuple[str, ...]
    rows: Rows


class CreateSelect(Definition):
    """CREATE TABLE ... SELECT."""

    create: CreateTable
    query: Select


class CreateTrigger(Definition):
    """CREATE TRIGGER, whose body is one statement. `text` is that of the body, `rest` that from the word TRIGGER on.

    `time` is BEFORE or AFTER, `event` INSERT, UPDATE or DELETE. A table keeps its triggers in this form.
    """

    path: Path
    time: str
    event: str
    table: Path
    body: Insert | Update | Delete
    text: str
    rest: str
    if_not_exists: bool = False


class DropTrigger(Definition):
    """DROP TRIGGER."""

    path: Path
    if_exists: bool = False


class Constant(Expression):
    """A value: what NEW.column or OLD.column stands for while a trigger runs."""

    value: Any


_Part = TypeVar("_Part")


def bound(body: _Part, value: Callable[[Name], Any]) -> _Part:
    """Return a statement, or a part of one, with `value` in the place of each NEW.column and OLD.column."""
    if isinstance(body, Name):
        return value(body) if body.table.upper() in ("NEW", "OLD") else body
    if isinstance(body, tuple):
        return tuple(bound(part, value) for part in body)  # type: ignore[return-value]
    if isinstance(body, Record):
        return body.replace(**{name: bound(getattr(body, name), value) for name in body.value_names})
    return body


def row_names(body: Node) -> list[Name]:
    """Return the NEW.column and OLD.column of a statement."""
    found: list[Name] = []
    bound(body, found.append)
    return found


class Setting(Record):
    """One assignment of SET.

    `scope` is USER for a user variable, else SESSION, GLOBAL or PERSIST. SET NAMES has the name "names" and the names
    of the character set and the collation in `words`.
    """

    scope: str
    name: str
    value: Expression | None = None
    words: tuple[str, str] = ("", "")


class SetVariables(Record):
    """SET."""

    settings: tuple[Setting, ...]


Node = Insert | Update | Delete | Select | SetVariables | Definition


class Statement(Record):
    """A statement: its text as it was sent, and what was read of it."""

    text: bytes
    node: Node

    @property
    def is_dml(self) -> bool:
        """Return True if it changes rows."""
        return isinstance(self.node, (Insert, Update, Delete))

    @property
    def is_temporary(self) -> bool:
        """Return True if it only creates or drops temporary tables, which commits nothing."""
        node = self.node.create if isinstance(self.node, CreateSelect) else self.node
        return isinstance(node, (CreateTable, DropTable)) and node.temporary

    @property
    def is_ddl(self) -> bool:
        """Return True if it defines something, and so commits the open transaction."""
        return isinstance(self.node, Definition)


def query_of(node: Node) -> Select | None:
    """Return the query in a statement: of SELECT, INSERT ... SELECT and CREATE TABLE ... SELECT."""
    if isinstance(node, Select):
        return node
    return node.query if isinstance(node, (Insert, CreateSelect)) else None


def rows_of(node: Node) -> Rows | None:
    """Return the rows that a statement or its query is about."""
    query = query_of(node)
    if query is not None:
        return query.rows
    return node.rows if isinstance(node, (Update, Delete)) else None


def expressions_of(node: Node) -> Iterator[Expression]:
    """All expressions of a statement, with those within them."""
    return _expressions(query_of(node) if isinstance(node, Definition) else node)


def _expressions(part: object) -> Iterator[Expression]:
    if isinstance(part, Expression):
        yield from walk(part)
    elif isinstance(part, (Record, tuple)):
        for inner in part if isinstance(part, tuple) else part.values():
            yield from _expressions(inner)
