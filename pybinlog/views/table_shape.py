"""TableShape: the columns that one table has in a view, over all its definitions in some logs."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from pybinlog.errors import BinlogError, Hint
from pybinlog.kernel.base.charset import decoded
from pybinlog.views.schema import TABLE
from pybinlog.views.view import CORRUPT_RECORD, Column, Form, Kind, View
from pybinlog.visible import visible

Described = tuple[bytes | None, str, int, int, bool, int, tuple[bytes, ...] | None]
"""A column as kernel/rows/table_description.py has it."""
Description = tuple[tuple[Described, ...], tuple[int, ...] | None, bool]
Definition = tuple[bytes, bytes, Description, str, int]
"""Database, table, description, file and position of a Table_map."""

RANGES = {
    kind: (0, (1 << 8 * kind.layout) - 1)
    if kind.form is Form.UNSIGNED
    else (-(1 << 8 * kind.layout - 1), (1 << 8 * kind.layout - 1) - 1)
    for kind in sorted(Kind, key=lambda kind: kind.layout)
    if kind.form in (Form.SIGNED, Form.UNSIGNED)
}
"""Integers, the narrow ones first -> the least and the largest of them."""
MOST_PRECISION = 76
"""Digits that 256 bits hold."""
BINARY_COLLATION = 63
RESERVED = {column.name.lower() for column in TABLE.columns} | {CORRUPT_RECORD}

_INTEGERS = {
    8: (Kind.INT8, Kind.UINT8),
    16: (Kind.INT16, Kind.UINT16),
    24: (Kind.INTEGER, Kind.UINT32),
    32: (Kind.INTEGER, Kind.UINT32),
    64: (Kind.LONG, Kind.UINT64),
}
"""Bits -> what holds them with a sign, and without."""
_OTHERS = {
    "year": Kind.INT16,
    "bit": Kind.UINT64,
    "float": Kind.FLOAT,
    "double": Kind.DOUBLE,
    "date": Kind.DATE,
    "json": Kind.JSON,
    "floats": Kind.FLOATS,
    "opaque": Kind.BINARY,
    "address": Kind.STRING,
}
_TIMES = {"datetime": Kind.DATETIME, "timestamp": Kind.TIMESTAMP, "time": Kind.TIME}


def members_of(described: Described, mariadb: bool) -> tuple[str, ...] | None:
    """Return the members of an ENUM or a SET as text; None if they are not known."""
    members, collation = described[6], described[5]
    if members is None:
        return None
    try:
        texts = [decoded(member, collation, mariadb) for member in members]
    except LookupError:
        return None
    return None if None in texts else tuple(texts)


def column_name(described: Described, number: int) -> str:
    """Return the name of column `number`, from 0, as the log has it; `@1` and so on if it has none."""
    name = described[0]
    return f"@{number + 1}" if name is None else name.decode("utf-8", "replace")


def column_of(described: Described, number: int, mariadb: bool) -> Column | None:
    """Return the column that holds every value of a table's column, in the view; None of those that are not shown."""
    _, kind, size, scale, unsigned, collation, _ = described
    name = column_name(described, number)
    if name.startswith("_") and f"_{name.lstrip('_')}".lower() in RESERVED:
        name = f"_{name}"  # and __op is ___op, so that no two are the same
    if kind == "integer":
        return Column(name, _INTEGERS[size][unsigned])
    if kind in _OTHERS:
        return Column(name, _OTHERS[kind])
    if kind in _TIMES:
        return Column(name, _TIMES[kind], scale=scale)
    if kind == "decimal":
        return Column(name, Kind.DECIMAL, precision=size, scale=scale)
    if kind in ("enum", "set"):
        members = members_of(described, mariadb)
        if members is None:
            return Column(name, Kind.UINT16 if kind == "enum" else Kind.UINT64)
        # the number 0 of an ENUM is the empty string
        return Column(name, Kind.ENUM, members=unique(members, ("",))) if kind == "enum" else Column(name, Kind.STRINGS)
    if kind == "bytes":
        return Column(name, Kind.STRING if has_characters(collation, mariadb) else Kind.BINARY)
    return None


def has_characters(collation: int, mariadb: bool) -> bool:
    """Return True if strings of the collation are of a character set that is known."""
    if collation in (0, BINARY_COLLATION):
        return False
    try:
        decoded(b"", collation, mariadb)
    except LookupError:
        return False
    return True


def unique(*lists: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for values in lists for value in values))


def accepts(column: Column, other: Column) -> bool:
    """Return True if the column can hold every value that the other one can."""
    kind, source = column.kind, other.kind
    if kind in RANGES:
        if source not in RANGES:
            return False
        (low, high), (least, most) = RANGES[kind], RANGES[source]
        return low <= least and most <= high
    if kind is Kind.DECIMAL:
        room = column.precision - (column.scale or 0)
        if source in RANGES:
            return len(str(RANGES[source][1])) <= room
        return (
            source is Kind.DECIMAL
            and (other.scale or 0) <= (column.scale or 0)
            and other.precision - (other.scale or 0) <= room
        )
    if kind is Kind.DOUBLE:
        return source in (Kind.DOUBLE, Kind.FLOAT) or (source in RANGES and RANGES[source][1] < 1 << 53)
    if kind is Kind.DATETIME:
        return source in (Kind.DATETIME, Kind.DATE)
    if kind is Kind.STRING:
        return source in (Kind.STRING, Kind.ENUM, Kind.JSON)
    if kind is Kind.ENUM:
        return source is Kind.ENUM and set(other.members) <= set(column.members)
    return kind is source


def widened(column: Column, other: Column) -> Column | None:
    """Return a column that holds the values of both, under the first one's name; None if their types contradict."""
    if column.kind is Kind.ENUM and other.kind is Kind.ENUM:
        return replace(column, members=unique(column.members, other.members))
    scale = max(column.scale or 0, other.scale or 0)
    if Kind.DECIMAL in (column.kind, other.kind):
        digits = max(whole_digits(column), whole_digits(other)) + scale
        wide = Column(column.name, Kind.DECIMAL, precision=digits, scale=scale)
        return wide if digits <= MOST_PRECISION and accepts(wide, column) and accepts(wide, other) else None
    candidates = [column, replace(other, name=column.name)]
    if column.kind in RANGES and other.kind in RANGES:
        candidates += [Column(column.name, kind) for kind in RANGES]
        candidates.append(Column(column.name, Kind.DECIMAL, precision=20, scale=0))
    candidates.append(Column(column.name, Kind.DOUBLE))
    for wide in candidates:
        if accepts(wide, column) and accepts(wide, other):
            with_digits = wide.kind in (Kind.DATETIME, Kind.TIMESTAMP, Kind.TIME)
            return replace(wide, scale=scale) if with_digits else wide
    return None


def whole_digits(column: Column) -> int:
    """Return the digits before the point."""
    if column.kind in RANGES:
        return len(str(RANGES[column.kind][1]))
    return column.precision - (column.scale or 0)


@dataclass(frozen=True)
class TableShape:
    """The view's columns of `database`.`table`; `places` has the file and position of each one's type.

    `whole`: it has all columns that the table ever had in the logs that were looked at. Otherwise it has those that
    the request names, and others are omitted.
    """

    database: str
    table: str
    columns: tuple[Column, ...]
    places: tuple[tuple[str, int], ...] = ()
    whole: bool = True

    @property
    def name(self) -> str:
        return f"{self.database}.{self.table}" if self.database else self.table

    @cached_property
    def view(self) -> View:
        taken = [replace(column, source=f"column.{number}") for number, column in enumerate(self.columns)]
        return replace(TABLE, columns=(*taken, *TABLE.columns))

    def number_of(self, name: str) -> int | None:
        """Return the place of a column among the table's, by its name in whatever case; None if there is none."""
        return self._numbers.get(name.lower())

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The first place of each name, in lower case."""
        places = enumerate(self.columns)
        return {column.name.lower(): number for number, column in reversed(list(places))}


def contradiction(
    table: str, column: Column, place: tuple[str, int] | None, other: Column, file: str, position: int
) -> BinlogError:
    """Return the error for a column whose types have no common one; the place of the first may be unknown."""
    before = "" if place is None else f" at {place[0]}:{place[1]}"
    return BinlogError(
        f"the column {visible(column.name)} of {visible(table)} is {type_name(column)}{before} and "
        f"{type_name(other)} at {file}:{position}, which one column cannot hold",
        hint=Hint(
            "[Export what comes before and after that apart ({--stop-position}, {--start-position}), or ]leave the "
            "column out with {--columns}"
        ),
    )


def type_name(column: Column) -> str:
    """Return the column's type, for people."""
    if column.kind is Kind.DECIMAL:
        return f"decimal({column.precision},{column.scale})"
    return column.kind.title


def shape_of(definitions: Iterable[Definition], wanted: Iterable[str] | None = None) -> TableShape | None:
    """Return the union of a table's definitions, in the order in which they came; None if there is none.

    `wanted`: the names that matter, None for all; another column whose types contradict each other is omitted.
    BinlogError where the definitions are of several tables, where types of a column contradict each other, or where
    the columns cannot be told apart.
    """
    names = None if wanted is None else {name.lower() for name in wanted}
    shape: TableShape | None = None
    nameless: tuple[object, str, int] | None = None
    named: tuple[str, int] | None = None
    union: dict[str, tuple[Column, tuple[str, int]]] = {}
    given_up: set[str] = set()
    for database, table, (columns, _, mariadb), file, position in definitions:
        database_name, table_name = (name.decode("utf-8", "replace") for name in (database, table))
        if shape is None:
            shape = TableShape(database_name, table_name, (), whole=names is None)
        elif (database_name, table_name) != (shape.database, shape.table):
            raise BinlogError(
                f"{visible(shape.name)} and {visible(database_name)}.{visible(table_name)} are two tables",
                hint="Name one, as database.table",
            )
        if columns and columns[0][0] is not None:
            named = named or (file, position)
        elif columns:
            types = tuple(column[1:5] for column in columns)
            if nameless is None:
                nameless = types, file, position
            elif nameless[0] != types:
                raise BinlogError(
                    f"the columns of {visible(shape.name)} changed between {nameless[1]}:{nameless[2]} and "
                    f"{file}:{position}, and the log has no names of them: it does not say which is which",
                    hint=Hint("Give the names with {--schema}, or export the two parts apart"),
                )
        if named is not None and nameless is not None:
            raise BinlogError(
                f"the columns of {visible(shape.name)} have names at {named[0]}:{named[1]} and none at "
                f"{nameless[1]}:{nameless[2]}: one file cannot hold both",
                hint=Hint("Give the names with {--schema}, or export the two parts apart"),
            )
        for number, described in enumerate(columns):
            column = column_of(described, number, mariadb)
            if column is None or (name := column.name.lower()) in given_up:
                continue
            if name not in union:
                union[name] = column, (file, position)
                continue
            before, place = union[name]
            wide = widened(before, column)
            if wide is None and (names is None or name in names):
                raise contradiction(shape.name, before, place, column, file, position)
            if wide is None:
                given_up.add(name)
                del union[name]
            elif wide != before:
                union[name] = wide, (file, position)
    if shape is None:
        return None
    return replace(shape, columns=tuple(one for one, _ in union.values()), places=tuple(at for _, at in union.values()))
