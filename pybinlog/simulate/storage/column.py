"""The columns of a table, with what their declarations say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pybinlog.layout import ColumnType
from pybinlog.layout.values.column import INTEGER_BYTES

from .charset import BINARY, bytes_per_character

__all__ = ["BLOB_SIZES", "STRING_TYPES", "Column"]

STRING_TYPES = frozenset({ColumnType.VARCHAR, ColumnType.STRING, ColumnType.BLOB})
BLOB_SIZES = {"TINY": 1, "": 2, "MEDIUM": 3, "LONG": 4}


@dataclass(frozen=True)
class Column:
    """One column.

    `type` is the real type of a Table_map (ENUM, SET, BLOB for all BLOB and TEXT, TIMESTAMP2 ...); `declared` the type
    as SHOW CREATE TABLE words it. `length` counts characters of text, bytes of a binary string, bits of a BIT and
    dimensions of a VECTOR; `collation` is None for what is neither text nor binary string, ENUM or SET. `default` and
    `generated` are parsed expressions; a column without default has None and, if `has_default`, the default NULL.
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
    default: Any = None
    has_default: bool = False
    on_update_now: bool = False
    auto_increment: bool = False
    generated: Any = None
    stored: bool = True
    visible: bool = True
    geometry_type: int = 0
    zerofill: bool = False
    comment: str | None = None

    @property
    def is_text(self) -> bool:
        """Whether it holds text, and no binary string."""
        return self.type in STRING_TYPES and self.collation != BINARY

    @property
    def is_numeric(self) -> bool:
        return self.type in INTEGER_BYTES or self.type in (
            ColumnType.NEWDECIMAL,
            ColumnType.FLOAT,
            ColumnType.DOUBLE,
            ColumnType.YEAR,
            ColumnType.BIT,
        )

    @property
    def byte_length(self) -> int:
        """The most bytes that a CHAR, VARCHAR, BINARY or VARBINARY takes."""
        return self.length * bytes_per_character(self.collation if self.collation is not None else BINARY)

    @property
    def integer_range(self) -> tuple[int, int]:
        bits = 8 * INTEGER_BYTES[self.type]
        return (0, (1 << bits) - 1) if self.unsigned else (-(1 << bits - 1), (1 << bits - 1) - 1)
