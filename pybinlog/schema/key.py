"""Key: a primary key, a unique key or another index of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pybinlog.schema.column import Column

PRIMARY = "PRIMARY"


@dataclass(frozen=True)
class KeyPart:
    """A column of a key; `prefix` is how many characters of it count, None for all."""

    column: str
    prefix: int | None = None
    descending: bool = False


@dataclass(frozen=True)
class Key:
    """A key; the primary key's name is PRIMARY. `kind` is FULLTEXT, SPATIAL or empty."""

    name: str
    parts: tuple[KeyPart, ...]
    unique: bool = False
    kind: str = ""

    @property
    def primary(self) -> bool:
        return self.name == PRIMARY

    def has(self, column: str) -> bool:
        """Return True if a column of that name is part of it."""
        return any(part.column.lower() == column.lower() for part in self.parts)


def key_name(key: Key, taken: set[str]) -> str:
    """Return the server's name for a key without one: its first column's, with a number if that is taken."""
    base = key.parts[0].column
    name, number = base, 2
    while name.lower() in taken or name == PRIMARY:
        name, number = f"{base}_{number}", number + 1
    return name


def in_server_order(keys: Sequence[Key], columns: Sequence[Column]) -> tuple[Key, ...]:
    """Return the order that servers keep: the primary key, unique keys without NULL, other unique keys, the rest."""
    nullable = {column.name.lower() for column in columns if column.nullable}

    def rank(key: Key) -> int:
        if key.primary:
            return 0
        if not key.unique:
            return 3
        return 1 + any(part.column.lower() in nullable for part in key.parts)

    return tuple(sorted(keys, key=rank))
