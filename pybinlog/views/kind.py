"""Kind: the types of the views' columns, each declared once: for the kernel, text, Python, Arrow and Spark."""

from __future__ import annotations

from enum import Enum, IntEnum

MOST_DIGITS = 38
"""The digits of a decimal of 128 bits."""


class Layout(IntEnum):
    """How a column's values lie in memory (arrow.apache.org, "Columnar"); up to 32, the bytes of each value."""

    BITS = 0
    INT8 = 1
    INT16 = 2
    INT32 = 4
    INT64 = 8
    INT128 = 16
    INT256 = 32
    STRINGS = 64
    LISTS = 65


class Form(IntEnum):
    """The meaning of the values in a column's memory, which decides how they are filled in and written as text."""

    BOOLEAN = 0
    SIGNED = 1
    UNSIGNED = 2
    FLOAT = 3
    DOUBLE = 4
    DECIMAL = 5
    DATETIME = 6
    """Microseconds since 1970, in no time zone."""
    TIMESTAMP = 7
    """Microseconds since 1970 UTC."""
    DATE = 8
    """Days since 1970."""
    DURATION = 9
    """Microseconds."""
    STRING = 10
    JSON = 11
    BYTES = 12
    MEMBER = 13
    """A place in a dictionary of strings."""
    STRINGS = 14
    FLOATS = 15


class Kind(Enum):
    """The type of a column's values: its title in the documentation, its form and its layout, that of the elements of
    lists, the format of a number as `struct` has it, and the types of pyarrow and Spark by their own names.

    Spark has the next larger type where it has none of its own. A list's type of pyarrow is that of its elements.
    """

    STRING = "string", Form.STRING, Layout.STRINGS, None, "", "string", "string"
    LONG = "bigint", Form.SIGNED, Layout.INT64, None, "q", "int64", "bigint"
    INTEGER = "int", Form.SIGNED, Layout.INT32, None, "i", "int32", "int"
    BOOLEAN = "boolean", Form.BOOLEAN, Layout.BITS, None, "", "bool", "boolean"
    TIMESTAMP = "timestamp", Form.TIMESTAMP, Layout.INT64, None, "q", "timestamp[us, UTC]", "timestamp"
    STRINGS = "array<string>", Form.STRINGS, Layout.LISTS, Layout.STRINGS, "", "string", "array<string>"
    JSON = "json", Form.JSON, Layout.STRINGS, None, "", "string", "string"
    """Objects of JSON, which are strings but for JSON lines."""
    # of a table's own columns
    INT8 = "tinyint", Form.SIGNED, Layout.INT8, None, "b", "int8", "tinyint"
    INT16 = "smallint", Form.SIGNED, Layout.INT16, None, "h", "int16", "smallint"
    UINT8 = "tinyint unsigned", Form.UNSIGNED, Layout.INT8, None, "B", "uint8", "smallint"
    UINT16 = "smallint unsigned", Form.UNSIGNED, Layout.INT16, None, "H", "uint16", "int"
    UINT32 = "int unsigned", Form.UNSIGNED, Layout.INT32, None, "I", "uint32", "bigint"
    UINT64 = "bigint unsigned", Form.UNSIGNED, Layout.INT64, None, "Q", "uint64", "decimal(20,0)"
    FLOAT = "float", Form.FLOAT, Layout.INT32, None, "f", "float32", "float"
    DOUBLE = "double", Form.DOUBLE, Layout.INT64, None, "d", "float64", "double"
    DECIMAL = "decimal", Form.DECIMAL, Layout.INT128, None, "", "decimal", "decimal"
    """Of 128 bits up to MOST_DIGITS digits, else of 256."""
    DATETIME = "timestamp_ntz", Form.DATETIME, Layout.INT64, None, "q", "timestamp[us]", "timestamp_ntz"
    DATE = "date", Form.DATE, Layout.INT32, None, "i", "date32", "date"
    TIME = "interval day to second", Form.DURATION, Layout.INT64, None, "q", "duration[us]", "interval day to second"
    ENUM = "enum", Form.MEMBER, Layout.INT32, None, "", "dictionary", "string"
    FLOATS = "array<float>", Form.FLOATS, Layout.LISTS, Layout.INT32, "", "float32", "array<float>"
    BINARY = "binary", Form.BYTES, Layout.STRINGS, None, "", "binary", "binary"

    def __init__(
        self, title: str, form: Form, layout: Layout, elements: Layout | None, number: str, arrow: str, spark: str
    ):
        self.title = title
        self.form = form
        self.layout = layout
        self.elements = elements
        self.number = number
        self.arrow = arrow
        self.spark = spark
