"""Column: one column of a table, with what its declaration says; Key: an index of a table; and Settings."""

from collections.abc import Sequence
from dataclasses import dataclass

from pybinlog.column_types import INTEGER_BYTES, ColumnType
from pybinlog.kernel.base.collation import COLLATION_BINARY
from pybinlog.schema.expression import Expression
from pybinlog.schema.text import (
    bytes_per_character,
    collation_like,
    default_collation,
    named_character_set,
    named_collation,
)

STRING_TYPES = frozenset({ColumnType.VARCHAR, ColumnType.STRING, ColumnType.BLOB})
ROW_BOUNDS = ("ROW START", "ROW END")
"""The texts of the generated columns that bound a row version in MariaDB."""
BLOB_SIZES = {"tiny": 1, "": 2, "medium": 3, "long": 4}
"""The bytes of a BLOB's or TEXT's length by the word before its type."""


@dataclass(frozen=True)
class Generated:
    """The expression of a generated column; `text` as the statement writes it."""

    expression: Expression
    text: str
    stored: bool = False


@dataclass(frozen=True)
class Column:
    """One column.

    `type` is the real type of a Table_map (ENUM, SET, BLOB for all BLOB and TEXT, TIMESTAMP2 ...); `declared` the type
    as SHOW CREATE TABLE words it. `length` counts characters of text, bytes of a binary string, bits of a BIT and
    dimensions; `collation` is None for what is neither text nor binary string, ENUM or SET. `default` is
    None if there is none and, if `has_default`, if it is NULL.
    """

    name: str
    type: ColumnType
    declared: str
    nullable: bool = True
    unsigned: bool = False
    length: int = 0
    precision: int = 0
    decimals: int = 0
    length_bytes: int = 0
    collation: int | None = None
    members: tuple[str, ...] = ()
    default: Expression | None = None
    has_default: bool = False
    on_update_now: bool = False
    auto_increment: bool = False
    generated: Generated | None = None
    visible: bool = True
    geometry_type: int = 0
    zerofill: bool = False
    comment: str = ""

    @property
    def charset(self) -> int:
        """The collation, that of binary strings if there is none."""
        return self.collation if self.collation is not None else COLLATION_BINARY

    @property
    def is_text(self) -> bool:
        """Return True if it holds text, and no binary string."""
        return self.type in STRING_TYPES and self.collation != COLLATION_BINARY

    @property
    def byte_length(self) -> int:
        """The most bytes that a CHAR, VARCHAR, BINARY or VARBINARY takes."""
        return self.length * bytes_per_character(self.charset)

    @property
    def integer_range(self) -> tuple[int, int]:
        """The lowest and the highest number of an integer type."""
        bits = 8 * INTEGER_BYTES[self.type]
        return (0, (1 << bits) - 1) if self.unsigned else (-(1 << bits - 1), (1 << bits - 1) - 1)


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


@dataclass(frozen=True)
class Settings:
    """The version, such as (9, 7), and the session variables of the same names.

    `default_collation_for_utf8mb4` is a collation's number, 0 for the version's own default. `lenient`: a collation
    that is not known stands for any of its character set.
    """

    version: tuple[int, ...] = (9, 7)
    sql_mode: frozenset[str] = frozenset()
    default_collation_for_utf8mb4: int = 0
    explicit_defaults_for_timestamp: bool = True
    default_storage_engine: str = "InnoDB"
    lenient: bool = False

    @property
    def modern(self) -> bool:
        """Return True if the server is of 8.0 or later."""
        return self.version >= (8,)

    def shows_width(self, zerofill: bool) -> bool:
        """Return True if the server words an integer with its display width: up to 8.0.18, and with ZEROFILL."""
        return zerofill or self.version < (8, 0, 19)

    def charset(self, name: str) -> int:
        """Return the collation that a character set's name stands for. Raise error 1115."""
        if name.lower() == "utf8mb4" and self.modern:
            return self.default_collation_for_utf8mb4 or default_collation("utf8mb4", self.version)
        return named_character_set(name, self.version)

    def collation(self, name: str, default: int) -> int:
        """Return the number of a collation; `default` is the one that holds without it. Raise error 1273."""
        return collation_like(name, default) if self.lenient else named_collation(name)
