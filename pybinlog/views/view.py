"""View: a table that logs are shown as, with its columns.

A Kind is the type of a column, declared once: for the kernel, text, Python, Arrow and Spark.
"""

from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import cached_property

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


CORRUPT_RECORD = "_corrupt_record"
"""The column for what could not be read; it exists only if a query names it."""


class Filter(Enum):
    """The column's value that a filter of ViewOptions compares."""

    TYPES = "types"
    DATABASES = "databases"
    TABLES = "tables"
    GTIDS = "gtids"
    TIME = "time"
    POSITION = "position"
    OPERATIONS = "operations"


class Need(Enum):
    """The data that a column needs from the reader."""

    BITS = "the statement bits of events"
    CHECKSUMS = "that a wrong checksum does not end the reading"
    NAMES = "what is known of the tables' columns"


@dataclass(frozen=True)
class Column:
    """`about` is the column's meaning, and when it is null, as docs/views.md has it.

    `source` is the kernel's name of it, where that is another one. `filter` is what is compared with it, `need` what it
    asks for. The last are of a table's own columns: the digits of a DECIMAL, the digits after the point of it or of a
    second, and the members of an ENUM.
    """

    name: str
    kind: Kind
    about: str = ""
    source: str = ""
    filter: Filter | None = None
    need: Need | None = None
    precision: int = 0
    scale: int | None = None
    members: tuple[str, ...] = ()

    @property
    def source_name(self) -> str:
        """The name of it among what the kernel's columns give."""
        return self.source or self.name

    @property
    def layout(self) -> Layout:
        return Layout.INT256 if self.precision > MOST_DIGITS else self.kind.layout


@dataclass(frozen=True)
class View:
    """A view's name, what it is for the help text, and its columns in order.

    `options` are those that only some views have, by their names on the command line. The columns of a view of one
    table are those of its TableShape, and then these. `has_lines`: rows as text are made without columns (LineBatch).
    What fills the columns stands in `kernel_views`.
    """

    name: str
    about: str
    columns: tuple[Column, ...]
    options: frozenset[str] = frozenset()
    of_one_table: bool = False
    has_lines: bool = False
    hidden: tuple[Column, ...] = ()
    """Columns for the program's own use."""
    extra: tuple[Column, ...] = ()
    """Columns that a query gets only if it names them."""
    as_server: bool = False
    """Logs have their names without folders, and values are those of SHOW BINLOG EVENTS."""

    @property
    def all_columns(self) -> tuple[Column, ...]:
        """The columns by the kernel's numbers of them."""
        return (*self.columns, CORRUPT, *self.hidden, *self.extra)

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """Return the column of that name, in whatever case, or the one for corrupt records. KeyError for any other."""
        if name == CORRUPT_RECORD:
            return CORRUPT
        if (column := self._by_name.get(name.lower())) is None:
            raise KeyError(name)
        return column

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        """The columns by their names in lower case; the first of those that differ in case only."""
        return {column.name.lower(): column for column in reversed((*self.columns, *self.hidden, *self.extra))}

    def compared_by(self, filter: Filter) -> Column | None:
        """Return the column that a filter is a condition on; None if the view has none."""
        return next((column for column in self.columns if column.filter is filter), None)

    def needs(self, need: Need) -> bool:
        return any(column.need is need for column in self.columns)


CORRUPT = Column(
    CORRUPT_RECORD, Kind.STRING, "Only if a query names it: the part that could not be read; null for all other rows."
)
