"""BoundColumn: a column of a table that a condition is bound to."""

from __future__ import annotations

import struct
from enum import Enum, auto
from itertools import accumulate

from pybinlog.column_types import ColumnType
from pybinlog.kernel.base.collation import COLLATION_BINARY
from pybinlog.record import Record


class Kind(Enum):
    """How the values of a column compare."""

    INTEGER = auto()
    REAL = auto()
    DECIMAL = auto()
    MOMENT = auto()
    TEXT = auto()
    MEMBERS = auto()
    OTHER = auto()


_MOMENTS = {
    "DATE": "DATE",
    "NEWDATE": "DATE",
    "DATETIME": "DATETIME",
    "DATETIME2": "DATETIME",
    "TIMESTAMP": "TIMESTAMP",
    "TIMESTAMP2": "TIMESTAMP",
    "TIME": "TIME",
    "TIME2": "TIME",
}
_KINDS = {
    **dict.fromkeys(("TINY", "SHORT", "INT24", "LONG", "LONGLONG", "YEAR", "BIT"), Kind.INTEGER),
    **dict.fromkeys(("FLOAT", "DOUBLE"), Kind.REAL),
    "NEWDECIMAL": Kind.DECIMAL,
    **dict.fromkeys(_MOMENTS, Kind.MOMENT),
    **dict.fromkeys(("VARCHAR", "STRING", "BLOB", "VAR_STRING", "TINY_BLOB", "MEDIUM_BLOB", "LONG_BLOB"), Kind.TEXT),
    **dict.fromkeys(("ENUM", "SET"), Kind.MEMBERS),
}


class BoundColumn(Record):
    """`place` counts from 0; `name` is "@1" and so on if the log has none. The rest is as the kernel describes it.

    `members` are the bytes of all members of an ENUM or SET, `ends` where each ends, in 32 bits; None: not known.
    `fixed` is how many bytes a BINARY has.
    """

    place: int
    name: str
    type: int
    metadata: int
    decimals: int
    signedness: int
    collation: int
    members: bytes | None
    ends: bytes
    fixed: int
    mariadb: bool
    kind: Kind
    moment: str

    @classmethod
    def of(
        cls,
        place: int,
        name: bytes | None,
        type: int,
        metadata: int,
        decimals: int,
        signedness: int,
        collation: int,
        members: list[bytes] | None,
        length: int,
        *,
        mariadb: bool,
    ) -> BoundColumn:
        """Return the column that the kernel describes."""
        ends = list(accumulate(map(len, members or ())))
        word = ColumnType(type).name if type in ColumnType._value2member_map_ else ""
        is_address = word == "STRING" and _is_address(collation)
        kind = Kind.OTHER if is_address else _KINDS.get(word, Kind.OTHER)
        return cls(
            place,
            column_name(place, name),
            type,
            metadata,
            decimals,
            signedness,
            collation,
            None if members is None else b"".join(members),
            struct.pack(f"<{len(ends)}I", *ends),
            length if word == "STRING" and collation == COLLATION_BINARY else 0,
            mariadb,
            kind,
            _MOMENTS.get(word, ""),
        )

    @property
    def description(self) -> str:
        """Return its type in words, for an error."""
        if self.kind is Kind.OTHER:
            word = ColumnType(self.type).name if self.type in ColumnType._value2member_map_ else "of an unknown type"
            return word.replace("MARIA_", "")
        if self.kind is Kind.MOMENT:
            return f"a {self.moment}"
        return {Kind.TEXT: "text", Kind.MEMBERS: "an ENUM or SET"}.get(self.kind, "a number")


def column_name(place: int, name: bytes | None) -> str:
    """Return the name of a column, or its number as a name if the log has none."""
    return f"@{place + 1}" if name is None else name.decode("utf-8", "surrogateescape")


def _is_address(collation: int) -> bool:
    from pybinlog.kernel.rows.row_values import ADDRESSES

    return collation in ADDRESSES


class Side(Record):
    """One side of a comparison: a column and its slot, in an image, perhaps a path in it, or its bytes (BINARY)."""

    column: BoundColumn
    slot: int
    image: str
    path: bytes = b""
    binary: bool = False
