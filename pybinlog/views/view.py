"""View: a table that logs are shown as, with its columns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pybinlog.views.kind import MOST_DIGITS, Kind, Layout

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
        for column in (*self.columns, *self.hidden, *self.extra):
            if column.name.lower() == name.lower():
                return column
        raise KeyError(name)

    def compared_by(self, filter: Filter) -> Column | None:
        """Return the column that a filter is a condition on; None if the view has none."""
        return next((column for column in self.columns if column.filter is filter), None)

    def needs(self, need: Need) -> bool:
        return any(column.need is need for column in self.columns)


CORRUPT = Column(
    CORRUPT_RECORD, Kind.STRING, "Only if a query names it: the part that could not be read; null for all other rows."
)
