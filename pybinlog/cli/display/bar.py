"""Bars beside the rows of a table, on a terminal."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from pybinlog.cli.display.table_layout import GAP, Row, TableColumn, plain
from pybinlog.visible import local_time

BAR = "\N{FULL BLOCK}"
LEAST, MOST = 6, 60
"""Characters of the longest bar."""


def bar(value: int, most: int, room: int) -> str:
    """Return the bar of a value among others, of which one is `most`; "" if the room is too small."""
    if room < LEAST or not value:
        return ""
    return BAR * max(1, round(value / most * min(room, MOST)))


def with_bars(
    columns: Sequence[TableColumn],
    rows: Sequence[Row],
    sort: str | None,
    width: int,
    omitted: Sequence[Collection[str]],
) -> tuple[list[TableColumn], list[Row]]:
    """Return the columns and rows with bars, within `width` characters.

    They show the column of --sort, else transactions, or bytes without any. While they have no room, columns are
    `omitted`: all of the first collection, then those of the next.
    """
    names = [column.name for column in columns]
    wanted = (sort or "").removeprefix("-").lower()
    shown = wanted if wanted in names and columns[names.index(wanted)].is_number else "transactions"
    values = numbers(rows, names.index(shown))
    if not any(values):
        values = numbers(rows, names.index("bytes"))
    found = list(columns)
    for names_of in omitted:
        if width - taken(found, rows) < LEAST:
            found = [replace(one, shown=one.shown and one.name not in names_of) for one in found]
    most, room = max(values, default=0), width - taken(found, rows)
    if room < LEAST or not most:
        return list(columns), list(rows)
    bars = (bar(value, most, room) for value in values)
    return [*found, TableColumn("")], [(*row, one) for row, one in zip(rows, bars, strict=True)]


def numbers(rows: Sequence[Row], place: int) -> list[int]:
    """Return the numbers of a column, 0 for null."""
    return [value if isinstance(value, int) else 0 for value in (row[place] for row in rows)]


def taken(columns: Sequence[TableColumn], rows: Sequence[Row]) -> int:
    """Return the characters of a line of the columns, with a gap at its end."""
    found = 0
    for place, column in enumerate(columns):
        if column.shown:
            values = [row[place] for row in rows]
            cells = (local_time(one) if column.unit and isinstance(one, int) else plain(one) for one in values)
            found += max(map(len, (column.name, *cells))) + GAP
    return found
