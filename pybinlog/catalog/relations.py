"""Relations: foreign keys, triggers and unique keys of tables, by all statements that dumps and logs contain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

from pybinlog.catalog.tables import Key as TableKey
from pybinlog.catalog.tables import NoDatabase, Session
from pybinlog.errors import UnsupportedStatement
from pybinlog.schema.column import Key
from pybinlog.schema.cursor import Cursor
from pybinlog.schema.error import SqlError
from pybinlog.schema.lexer import TokenKind
from pybinlog.schema.passed_over import references
from pybinlog.schema.statement import (
    Action,
    AddColumn,
    AddKey,
    AlterTable,
    CreateTable,
    Definition,
    DropKey,
    ModifyColumn,
    RenameColumn,
    RenameTable,
)

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

    def follow(self, statement: Definition | None, text: str, session: Session) -> None:
        """Follow a statement, if it is about unique keys or names. Raise NoDatabase."""
        if _CHANGES.search(text) is None:
            return
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


_NAME = r"(?:`(?:[^`]|``)+`|[\w$]+)"
_TRIGGER = re.compile(
    rf"\bTRIGGER\s+(?:IF\s+NOT\s+EXISTS\s+)?{_NAME}(?:\s*\.\s*{_NAME})?\s+(?:BEFORE|AFTER)\s+"
    rf"(INSERT|UPDATE|DELETE)\s+(?:OR\s+\w+\s+)*ON\s+(?:({_NAME})\s*\.\s*)?({_NAME})",
    re.IGNORECASE,
)
_RELATES = re.compile(r"\b(?:REFERENCES|TRIGGER)\b", re.IGNORECASE)
_BEFORE_COLUMNS = ("ADD", "MODIFY", "CHANGE", "COLUMN", "IF", "NOT", "EXISTS")
"""Words that an ALTER TABLE has before the definition of a column."""
_CHANGES_CHILDREN = ("CASCADE", "SET NULL", "SET DEFAULT")


class Reference(NamedTuple):
    """A foreign key: the table that refers, its columns, those that it refers to (in lower case), and its actions."""

    child: TableKey
    child_columns: tuple[str, ...]
    columns: tuple[str, ...]
    on_delete: str
    on_update: str

    @property
    def cascades_deletes(self) -> bool:
        return self.on_delete in _CHANGES_CHILDREN

    @property
    def cascades_updates(self) -> bool:
        return self.on_update in _CHANGES_CHILDREN


class Relations:
    """Foreign keys by the table that they refer to, and triggers by their table.

    It keeps all that were ever defined: a reader that must not miss one asks.
    """

    def __init__(self) -> None:
        self._references: dict[TableKey, set[Reference]] = {}
        self._triggers: dict[TableKey, set[str]] = {}
        self.unique_keys = UniqueKeys()

    def copy(self) -> Relations:
        made = Relations()
        made._references = {key: set(found) for key, found in self._references.items()}
        made._triggers = {key: set(found) for key, found in self._triggers.items()}
        made.unique_keys = self.unique_keys.copy()
        return made

    def update(self, other: Relations) -> None:
        """Add those of another."""
        for key, found in other._references.items():
            self._references.setdefault(key, set()).update(found)
        for key, operations in other._triggers.items():
            self._triggers.setdefault(key, set()).update(operations)
        self.unique_keys.update(other.unique_keys)

    def references_to(self, key: TableKey) -> list[Reference]:
        """Return the foreign keys that refer to a table, in a fixed order."""
        return sorted(self._references.get(key, ()))

    def triggers_of(self, key: TableKey) -> list[str]:
        """Return the operations that run a table's triggers: INSERT, UPDATE, DELETE."""
        return sorted(self._triggers.get(key, ()))

    def read(self, text: str, session: Session) -> None:
        """Take the foreign keys and triggers of a statement; nothing of one that is not understood."""
        if _RELATES.search(text) is None:
            return
        trigger = _TRIGGER.search(text.replace("*/", " ").replace("/*!50003", " "))
        try:
            if trigger is not None:
                path = (None if trigger[2] is None else _plain(trigger[2])), _plain(trigger[3])
                self._triggers.setdefault(session.key(path), set()).add(trigger[1].upper())
                return
            for parent, reference in _references(text, session):
                self._references.setdefault(parent, set()).add(reference)
        except (UnsupportedStatement, SqlError, NoDatabase, RecursionError):
            return


def _plain(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name


def _references(text: str, session: Session) -> Iterator[tuple[TableKey, Reference]]:
    cursor = Cursor(text, session.settings.sql_mode, mariadb=True)
    if cursor.peek().word not in ("CREATE", "ALTER"):
        return
    alters = cursor.peek().word == "ALTER"
    while not cursor.accept("TABLE"):
        if cursor.at_end:
            return
        cursor.read()
    while cursor.accept_one("IF", "NOT", "EXISTS"):
        pass
    child = session.key(cursor.path())
    child_columns: tuple[str, ...] = ()
    column = ""
    depth = level = 0
    starts = True
    while not cursor.at_end:
        if starts:  # a column, a key or another part of the definition comes
            starts = False
            words = set(iter(partial(cursor.accept_one, *_BEFORE_COLUMNS), "")) if alters else set()
            if "CHANGE" in words:
                cursor.name()
            depth += cursor.accept_sign("(")
            level = depth
            column = cursor.peek().text if cursor.at_name else ""
        token = cursor.read()
        word = token.word
        if token.kind is TokenKind.SIGN:
            depth += (token.text == "(") - (token.text == ")")
            starts = token.text == "," and depth <= level
            continue
        if word == "FOREIGN":
            while not cursor.at_sign("(") and not cursor.at_end:
                cursor.read()
            child_columns = cursor.names()
            continue
        if word != "REFERENCES":
            continue
        (database, name), columns, actions = references(cursor)
        parent = (database or child[0], name)
        columns = tuple(column.lower() for column in columns)
        own = child_columns or ((column,) if column else ())
        yield parent, Reference(child, own, columns, actions["DELETE"], actions["UPDATE"])
        child_columns = ()
