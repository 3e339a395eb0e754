"""Relations: foreign keys, triggers and unique keys of tables, by all statements that dumps and logs contain."""

from __future__ import annotations

import re
from functools import partial
from typing import NamedTuple

from pybinlog.catalog.session import NoDatabase
from pybinlog.catalog.unique_keys import UniqueKeys
from pybinlog.errors import UnsupportedStatement
from pybinlog.schema.cursor import Cursor
from pybinlog.schema.error import SqlError
from pybinlog.schema.lexer import TokenKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pybinlog.catalog.session import Session
    from pybinlog.catalog.tables import Key

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

    child: Key
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
        self._references: dict[Key, set[Reference]] = {}
        self._triggers: dict[Key, set[str]] = {}
        self.unique_keys = UniqueKeys()

    def copy(self) -> Relations:
        made = Relations()
        made._references = {key: set(found) for key, found in self._references.items()}
        made._triggers = {key: set(found) for key, found in self._triggers.items()}
        made.unique_keys = self.unique_keys.copy()
        return made

    def update(self, other: Relations) -> None:
        """Add those of another."""
        for key, references in other._references.items():
            self._references.setdefault(key, set()).update(references)
        for key, operations in other._triggers.items():
            self._triggers.setdefault(key, set()).update(operations)
        self.unique_keys.update(other.unique_keys)

    def references_to(self, key: Key) -> list[Reference]:
        """Return the foreign keys that refer to a table, in a fixed order."""
        return sorted(self._references.get(key, ()))

    def triggers_of(self, key: Key) -> list[str]:
        """Return the operations that run a table's triggers: INSERT, UPDATE, DELETE."""
        return sorted(self._triggers.get(key, ()))

    def read(self, text: str, session: Session) -> None:
        """Take the foreign keys, triggers and unique keys of a statement; nothing of one that is not understood."""
        self.unique_keys.read(text, session)
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


def _references(text: str, session: Session) -> Iterator[tuple[Key, Reference]]:
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
        database, name = cursor.path()
        parent = (database or child[0], name)
        columns = tuple(column.lower() for column in cursor.names()) if cursor.at_sign("(") else ()
        actions = {"DELETE": "", "UPDATE": ""}
        while cursor.peek().word in ("MATCH", "ON"):
            if cursor.read().word == "MATCH":
                cursor.read()
                continue
            operation = cursor.read().word
            action = cursor.read().word
            if action in ("SET", "NO"):
                action += f" {cursor.read().word}"
            actions[operation] = action
        own = child_columns or ((column,) if column else ())
        yield parent, Reference(child, own, columns, actions["DELETE"], actions["UPDATE"])
        child_columns = ()
