"""DefinitionChanges: the statements of the logs that change tables, by the tables that they change."""

from __future__ import annotations

from typing import NamedTuple

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema.error import SqlError
from pybinlog.schema.parser import parse
from pybinlog.schema.statement import (
    AlterTable,
    CreateTable,
    DropDatabase,
    DropTable,
    RenameTable,
    TruncateTable,
)
from pybinlog.undo.statement_words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pybinlog.undo.problem import Place

    Key = tuple[str, str | None]
    """A database and a table; None stands for all its tables."""


class Definer(NamedTuple):
    """A statement that changes a table: its place among all changes, its place in the logs, its text."""

    order: int
    place: Place
    text: str

    @property
    def shown(self) -> str:
        return shown(self.text)


class DefinitionChanges:
    """The last statement about each table."""

    def __init__(self) -> None:
        self._last: dict[Key, Definer] = {}
        self._unclear: Definer | None = None
        """The last statement of which it is not known what it changes."""

    def add(self, order: int, place: Place, text: str, database: str) -> None:
        definer = Definer(order, place, text)
        try:
            keys = list(changed_tables(text, database))
        except (UnsupportedStatement, SqlError, RecursionError):
            self._unclear = definer
            return
        for key in keys:
            self._last[key] = definer

    def since(self, database: str, table: str, order: int) -> Definer | None:
        """Return a statement after that place that changes the table; None if there is none."""
        found = [self._last.get((database, table)), self._last.get((database, None))]
        if self._unclear is not None and table.lower() in self._unclear.text.lower():
            found.append(self._unclear)
        return next((one for one in found if one is not None and one.order > order), None)


def changed_tables(text: str, database: str) -> Iterator[Key]:
    """Yield the tables that a statement changes, or makes of others; raise what the parser raises."""
    statement = parse(text, mariadb=True)
    if isinstance(statement, AlterTable):
        if not statement.index:
            yield statement.path[0] or database, statement.path[1]
    elif isinstance(statement, RenameTable):
        for pair in statement.pairs:
            for path in pair:
                yield path[0] or database, path[1]
    elif isinstance(statement, TruncateTable):
        yield statement.path[0] or database, statement.path[1]
    elif isinstance(statement, CreateTable):
        if not statement.temporary and not statement.if_not_exists:
            yield statement.path[0] or database, statement.path[1]
    elif isinstance(statement, DropTable):
        if not statement.temporary:
            for path in statement.paths:
                yield path[0] or database, path[1]
    elif isinstance(statement, DropDatabase):
        yield statement.name, None
