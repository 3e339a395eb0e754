"""The journal of a log's statements: what each does to the tables of a server, to be gone over backwards."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.catalog.tables import Key, Unknown
    from pybinlog.schema.column import Settings
    from pybinlog.schema.statement import AlterTable


@dataclass(frozen=True)
class Made:
    """CREATE TABLE. With `keeps` (IF NOT EXISTS) the table may have been there, with `replaces` another one."""

    key: Key
    keeps: bool = False
    replaces: bool = False


@dataclass(frozen=True)
class Dropped:
    """DROP TABLE."""

    key: Key


@dataclass(frozen=True)
class Altered:
    """ALTER TABLE, without the new name that it may give."""

    key: Key
    statement: AlterTable
    settings: Settings


@dataclass(frozen=True)
class Renamed:
    """A table has another name from here on."""

    old: Key
    new: Key


@dataclass(frozen=True)
class Lost:
    """A statement that the parser does not know: it may have changed the table (None: any table) in any way."""

    key: Key | None
    unknown: Unknown


@dataclass(frozen=True)
class DatabaseMade:
    """CREATE DATABASE."""

    name: str


@dataclass(frozen=True)
class DatabaseDropped:
    """DROP DATABASE."""

    name: str


Entry = Made | Dropped | Altered | Renamed | Lost | DatabaseMade | DatabaseDropped
