"""ColumnType: the types of tables' columns, each declared once, for the kernel and for Python.

The build makes C of it, before there is a kernel (setup.py).
"""

from __future__ import annotations

from enum import Enum, IntEnum


class Stored(Enum):
    """The metadata of a column in a Table_map: how the kernel reads it as a number, and the names of its fields."""

    NOTHING = "nothing", ()
    LENGTH_BYTES = "byte", ("length_bytes",)
    PACK_LENGTH = "byte", ("pack_length",)
    DECIMALS = "byte", ("decimals",)
    MAX_LENGTH = "word", ("max_length",)
    BITS = "word", ("bits", "bytes")
    PRECISION = "pair", ("precision", "decimals")
    """A pair is a number whose high byte comes first."""
    REAL_TYPE = "pair", ("real_type", "length")
    ELEMENT = "element", ("element_type", "element_metadata")

    def __init__(self, number: str, fields: tuple[str, ...]):
        self.number = number
        self.fields = fields


class Group(Enum):
    """The columns that a list of a Table_map's optional metadata is about (WL#4618)."""

    NUMBERS = "sign"
    CHARACTERS = "collation"


class ColumnType(IntEnum):
    """A type as a Table_map stores it (the server's enum_field_types); 140 and 141 are MariaDB's compressed columns.

    `stored` is its metadata, `group` the list that is about it. `reading` is how the kernel reads values that have
    always the same `size`, in bytes; `content` what a value is that a length of four bytes comes before (a KIND_ and a
    VALUE_ of kernel/rows). `title` is its name in the comments of -vv, `sql` in those of --print-table-metadata, both
    where nothing but a number of `dimensions` follows.
    """

    def __new__(
        cls,
        code: int,
        stored: Stored = Stored.NOTHING,
        group: Group | None = None,
        size: int = 0,
        reading: str = "",
        title: str = "",
        sql: str = "",
        content: str = "",
        dimensions: bool = False,
    ) -> ColumnType:
        member = int.__new__(cls, code)
        member._value_ = code
        member.stored = stored
        member.group = group
        member.size = size
        member.reading = reading
        member.title = title
        member.sql = sql
        member.content = content
        member.dimensions = dimensions
        return member

    stored: Stored
    group: Group | None
    size: int
    reading: str
    title: str
    sql: str
    content: str
    dimensions: bool

    DECIMAL = 0
    TINY = 1, Stored.NOTHING, Group.NUMBERS, 1, "INT8", "TINYINT", "TINYINT"
    SHORT = 2, Stored.NOTHING, Group.NUMBERS, 2, "INT16", "SHORTINT", "SMALLINT"
    LONG = 3, Stored.NOTHING, Group.NUMBERS, 4, "INT32", "INT", "INT"
    FLOAT = 4, Stored.PACK_LENGTH, Group.NUMBERS, 4, "FLOAT", "FLOAT", "FLOAT"
    DOUBLE = 5, Stored.PACK_LENGTH, Group.NUMBERS, 8, "DOUBLE", "DOUBLE", "DOUBLE"
    NULL = 6
    TIMESTAMP = 7, Stored.NOTHING, None, 4, "TIMESTAMP", "TIMESTAMP"
    LONGLONG = 8, Stored.NOTHING, Group.NUMBERS, 8, "INT64", "LONGINT", "BIGINT"
    INT24 = 9, Stored.NOTHING, Group.NUMBERS, 3, "INT24", "MEDIUMINT", "MEDIUMINT"
    DATE = 10, Stored.NOTHING, None, 3, "DATE", "DATE", "DATE"
    TIME = 11, Stored.NOTHING, None, 3, "TIME", "TIME"
    DATETIME = 12, Stored.NOTHING, None, 8, "DATETIME", "DATETIME"
    YEAR = 13, Stored.NOTHING, Group.NUMBERS, 1, "YEAR", "YEAR", "YEAR"
    NEWDATE = 14, Stored.NOTHING, None, 3, "DATE", "DATE", "DATE"
    VARCHAR = 15, Stored.MAX_LENGTH, Group.CHARACTERS
    BIT = 16, Stored.BITS
    TIMESTAMP2 = 17, Stored.DECIMALS
    DATETIME2 = 18, Stored.DECIMALS
    TIME2 = 19, Stored.DECIMALS
    TYPED_ARRAY = 20, Stored.ELEMENT
    MARIA_BLOB_COMPRESSED = 140, Stored.LENGTH_BYTES
    MARIA_VARCHAR_COMPRESSED = 141, Stored.MAX_LENGTH
    VECTOR = 242, Stored.LENGTH_BYTES, Group.CHARACTERS, 0, "", "VECTOR", "VECTOR", "FLOATS", True
    JSON = 245, Stored.LENGTH_BYTES, None, 0, "", "JSON", "JSON", "JSON"
    NEWDECIMAL = 246, Stored.PRECISION, Group.NUMBERS
    ENUM = 247, Stored.REAL_TYPE
    SET = 248, Stored.REAL_TYPE
    TINY_BLOB = 249, Stored.LENGTH_BYTES
    MEDIUM_BLOB = 250, Stored.LENGTH_BYTES
    LONG_BLOB = 251, Stored.LENGTH_BYTES
    BLOB = 252, Stored.LENGTH_BYTES, Group.CHARACTERS
    VAR_STRING = 253, Stored.MAX_LENGTH, Group.CHARACTERS
    STRING = 254, Stored.REAL_TYPE, Group.CHARACTERS
    GEOMETRY = 255, Stored.LENGTH_BYTES


INTEGER_BYTES: dict[int, int] = {kind: kind.size for kind in ColumnType if kind.reading.startswith("INT")}

NUMERIC_TYPES = frozenset(kind for kind in ColumnType if kind.group is Group.NUMBERS)
"""The columns that the signedness speaks of, in order."""

CHARACTER_TYPES = frozenset(kind for kind in ColumnType if kind.group is Group.CHARACTERS)
"""The columns that the character sets speak of, in order."""

LOGGED_AS: dict[ColumnType, tuple[ColumnType, ...]] = {
    ColumnType.DATE: (ColumnType.NEWDATE,),
    ColumnType.TIME2: (ColumnType.TIME,),
    ColumnType.DATETIME2: (ColumnType.DATETIME,),
    ColumnType.TIMESTAMP2: (ColumnType.TIMESTAMP,),
    ColumnType.NEWDECIMAL: (ColumnType.DECIMAL,),
    ColumnType.VARCHAR: (ColumnType.VAR_STRING, ColumnType.MARIA_VARCHAR_COMPRESSED),
    ColumnType.BLOB: (ColumnType.MARIA_BLOB_COMPRESSED,),
    ColumnType.JSON: (ColumnType.BLOB,),
    ColumnType.VECTOR: (ColumnType.VARCHAR,),
}
"""The other types that servers log for a column of that type: of old formats, and MariaDB's."""


class MetadataType(IntEnum):
    """The types of the optional metadata fields of a Table_map (WL#4618)."""

    SIGNEDNESS = 1
    DEFAULT_CHARSET = 2
    COLUMN_CHARSET = 3
    COLUMN_NAME = 4
    SET_STR_VALUE = 5
    ENUM_STR_VALUE = 6
    GEOMETRY_TYPE = 7
    SIMPLE_PRIMARY_KEY = 8
    PRIMARY_KEY_WITH_PREFIX = 9
    ENUM_AND_SET_DEFAULT_CHARSET = 10
    ENUM_AND_SET_COLUMN_CHARSET = 11
    COLUMN_VISIBILITY = 12
    VECTOR_DIMENSIONALITY = 13
