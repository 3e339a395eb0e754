"""Column: one column of a table, with what its declaration says."""

from __future__ import annotations

from dataclasses import dataclass

from pybinlog.kernel.base.collation import COLLATION_BINARY
from pybinlog.layout import ColumnType
from pybinlog.layout.column import INTEGER_BYTES
from pybinlog.schema.charset import bytes_per_character
from pybinlog.schema.expression import Expression

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
