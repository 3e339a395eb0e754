"""UniqueKeys: the unique keys of tables other than the primary, by the statements that dumps and logs contain."""

from __future__ import annotations

import re

from pybinlog.catalog.session import NoDatabase
from pybinlog.errors import UnsupportedStatement
from pybinlog.schema.error import SqlError
from pybinlog.schema.parser import parse
from pybinlog.schema.statement import (
    AddColumn,
    AddKey,
    AlterTable,
    CreateTable,
    DropKey,
    ModifyColumn,
    RenameColumn,
    RenameTable,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from pybinlog.catalog.session import Session
    from pybinlog.catalog.tables import Key as TableKey
    from pybinlog.schema.key import Key
    from pybinlog.schema.statement import Action

_CHANGES = re.compile(r"\bUNIQUE\b|\bTABLE\b.*\bLIKE\b|\bDROP\b.*\b(?:INDEX|KEY)\b|\bRENAME\b|\bCHANGE\b", re.I | re.S)


class UniqueKeys:
    """Unique keys by table, each by its name in lower case. A table that was dropped keeps its own."""

    def __init__(self) -> None:
        self._keys: dict[TableKey, dict[str, Key]] = {}

    def of(self, table: TableKey) -> list[Key]:
        """Return a table's unique keys."""
        return list(self._keys.get(table, {}).values())

    def copy(self) -> UniqueKeys:
        made = UniqueKeys()
        made._keys = {table: dict(keys) for table, keys in self._keys.items()}
        return made

    def update(self, other: UniqueKeys) -> None:
        """Add those of another."""
        for table, keys in other._keys.items():
            self._keys.setdefault(table, {}).update(keys)

    def read(self, text: str, session: Session) -> None:
        """Follow a statement; nothing of one that is not understood."""
        if _CHANGES.search(text) is None:
            return
        try:
            self._follow(text, session)
        except (UnsupportedStatement, SqlError, NoDatabase, RecursionError):
            return

    def _follow(self, text: str, session: Session) -> None:
        statement = parse(text, session.settings.sql_mode, mariadb=True)
        if isinstance(statement, CreateTable) and not statement.temporary:
            keys = {name_of(key): key for key in statement.keys if is_wanted(key)}
            if statement.like is not None:
                keys = dict(self._keys.get(session.key(statement.like), {}))
            table = session.key(statement.path)
            self._keys[table] = (self._keys.get(table, {}) if statement.if_not_exists else {}) | keys
        elif isinstance(statement, AlterTable):
            table = session.key(statement.path)
            self._alter(self._keys.setdefault(table, {}), statement.actions)
            if statement.rename is not None:
                self._keys[session.key(statement.rename)] = self._keys.pop(table)
        elif isinstance(statement, RenameTable):
            for old, new in statement.pairs:
                self._keys[session.key(new)] = self._keys.pop(session.key(old), {})

    def _alter(self, keys: dict[str, Key], actions: Iterable[Action]) -> None:
        for action in actions:
            if isinstance(action, DropKey):
                keys.pop(action.name.lower(), None)
            elif isinstance(action, AddKey) and is_wanted(action.key):
                keys[name_of(action.key)] = action.key
            elif isinstance(action, AddColumn | ModifyColumn):
                keys.update({name_of(key): key for key in action.keys if is_wanted(key)})
            if isinstance(action, RenameColumn):
                rename(keys, action.old, action.new)
            elif isinstance(action, ModifyColumn):
                rename(keys, action.name, action.declaration.name)


def is_wanted(key: Key) -> bool:
    return key.unique and not key.primary


def name_of(key: Key) -> str:
    return (key.name or key.parts[0].column).lower()


def rename(keys: dict[str, Key], old: str, new: str) -> None:
    """Give a column of keys another name."""
    from dataclasses import replace

    for name, key in keys.items():
        if key.has(old):
            parts = (replace(part, column=new) if part.column.lower() == old.lower() else part for part in key.parts)
            keys[name] = replace(key, parts=tuple(parts))
