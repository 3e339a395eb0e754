"""Statements that move rows, as the parser reads them."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from pybinlog.record import Record
from pybinlog.schema.cursor import Path
from pybinlog.schema.declaration import Declaration
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


class BodyStatement(Record):
    """A statement in the body of a stored program, and its text."""

    text: str
    node: Insert | Update | Delete


class CreateTrigger(Definition):
    """CREATE TRIGGER. `rest` is its text from the word TRIGGER on.

    `time` is BEFORE or AFTER, `event` INSERT, UPDATE or DELETE. A table keeps its triggers in this form, with the
    sql_mode under which they run.
    """

    path: Path
    time: str
    event: str
    table: Path
    body: tuple[BodyStatement, ...]
    rest: str
    if_not_exists: bool = False
    sql_mode: frozenset[str] = frozenset()


class DropTrigger(Definition):
    """DROP TRIGGER."""

    path: Path
    if_exists: bool = False


class CreateRoutine(Definition):
    """CREATE PROCEDURE and CREATE FUNCTION; `kind` is the word for it.

    `returns` and `result` are the type of a function and the expression of its RETURN. `listed` is the text of the
    parameters, `text` that of the body; `characteristics` have the server's words.
    """

    kind: str
    path: Path
    parameters: tuple[Declaration, ...]
    returns: Declaration | None
    body: tuple[BodyStatement, ...]
    result: Expression | None
    listed: str
    characteristics: tuple[str, ...]
    text: str
    if_not_exists: bool = False


class DropRoutine(Definition):
    """DROP PROCEDURE and DROP FUNCTION."""

    kind: str
    path: Path
    if_exists: bool = False


class CallProcedure(Record):
    """CALL."""

    path: Path
    arguments: tuple[Expression, ...]


class Argument(Expression):
    """A parameter in the body of a routine, and its place in the text of its statement."""

    name: str
    start: int
    end: int


class Constant(Expression):
    """A value: what a parameter, NEW.column or OLD.column stands for while a stored program runs."""

    value: Any


_Part = TypeVar("_Part")


def bound(body: _Part, value: Callable[[Name | Argument], Any]) -> _Part:
    """Return a statement, or a part of one, with `value` in the place of each parameter, NEW.column and OLD.column."""
    if isinstance(body, Argument) or (isinstance(body, Name) and body.table.upper() in ("NEW", "OLD")):
        return value(body)
    if isinstance(body, tuple):
        return tuple(bound(part, value) for part in body)  # type: ignore[return-value]
    if isinstance(body, Record):
        return body.replace(**{name: bound(getattr(body, name), value) for name in body.value_names})
    return body


def row_names(body: object) -> list[Name]:
    """Return the NEW.column and OLD.column of a statement, or of several."""
    found: list[Name | Argument] = []
    bound(body, found.append)
    return [name for name in found if isinstance(name, Name)]


def arguments_in(body: object) -> list[Argument]:
    """Return the parameters in a statement of a routine's body."""
    found: list[Name | Argument] = []
    bound(body, found.append)
    return [argument for argument in found if isinstance(argument, Argument)]


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


Node = Insert | Update | Delete | Select | SetVariables | CallProcedure | Definition


class Statement(Record):
    """A statement: its text as it was sent, and what was read of it.

    `logged_text`: how it is logged as a statement, if that is another text: one in a routine, with its parameters.
    """

    text: bytes
    node: Node
    logged_text: bytes = b""

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
    """Return all expressions of a statement, with those within them."""
    return expressions_in(query_of(node) if isinstance(node, Definition) else node)


def expressions_in(part: object) -> Iterator[Expression]:
    """Yield all expressions of a part of a statement, with those within them."""
    if isinstance(part, Expression):
        yield from walk(part)
    elif isinstance(part, (Record, tuple)):
        for inner in part if isinstance(part, tuple) else part.values():
            yield from expressions_in(inner)
