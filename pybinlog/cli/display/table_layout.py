"""Layout: rows as the lines of a table, within the width of a terminal."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pybinlog.export.text_format import Value
from pybinlog.visible import visible

Row = Sequence[Value]

GAP = 2
LEAST_TEXT = 12
"""Characters that a text keeps if there is room for the others only."""
CUT = "..."
DROPPED_FIRST = (
    *("TBM", "thread_id", "Server_id", "End_log_pos", "end", "position", "gtid", "ended", "bytes", "seconds"),
    *("decided_position", "decided_log", "decided_time", "prepared_position", "prepared_log"),
    *("log", "time", "tables", "Log_name", "Info"),
)
"""Columns that a terminal has room for last; then others go, from the right."""
FILES = ("file", "log", "Log_name", "prepared_log", "decided_log")
WHOLE = ("command",)
GTID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{8}([0-9a-f]{4}:(?:\w+:)?\d+(?:[-:]\d+)*)")
"""The GTID of a transaction, or a set of some of one server."""


@dataclass(frozen=True)
class TableColumn:
    """A column: its name; whether it holds numbers; whether it is shown if --columns is not given.

    `shown_to_people` says so of a table and tsv, in the place of `shown`. `is_extra`: --columns=all does not show it.
    `unit`: the column has times since 1970 UTC, as numbers of which so many are a second.
    """

    name: str
    is_number: bool = False
    shown: bool = True
    shown_to_people: bool = True
    is_extra: bool = False
    unit: int = 0


class Layout:
    """How wide columns are: as their names and rows need it, within the width of a terminal; None: nothing is cut.

    If there is no room, GTIDs and paths are shortened, then texts, and then columns are `dropped` but those in `kept`.
    Numbers, times and commands are whole: a line is longer than the terminal rather than that.
    """

    def __init__(self, columns: Sequence[TableColumn], width: int | None, kept: Collection[str] = ()):
        self._columns = list(columns)
        self._width = width
        self._kept = kept
        self._shown: list[int] = []
        self._wanted = [0] * len(columns)
        self._least = [0] * len(columns)
        self._widths: list[int] = []

    @property
    def dropped(self) -> list[str]:
        """The names of the columns that the lines lack."""
        return [column.name for place, column in enumerate(self._columns) if place not in self._shown]

    def lines(self, *rows: Row) -> list[str]:
        """Return the rows as lines. The first call decides which columns there are; a later one may need wider ones."""
        from rich.cells import cell_len

        texts = [list(map(self._text, self._columns, row)) for row in rows]
        for place, column in enumerate(self._columns):
            cells = [row[place] for row in texts]
            self._wanted[place] = max(self._wanted[place], *map(cell_len, cells))
            self._least[place] = max(self._least[place], *(self._least_width(column, cell) for cell in cells))
        if not self._widths:
            self._choose()
        self._widths = self._fitted()
        return [self._joined(row) for row in texts]

    def _text(self, column: TableColumn, value: Value) -> str:
        """Return the text of a cell; a text has no more characters than any terminal line."""
        text = plain(value)
        return visible(
            text[: max(self._width, LEAST_TEXT) + 1] if self._width is not None and self._is_text(column) else text
        )

    def _choose(self) -> None:
        """Drop columns until the rest has room."""
        self._shown = list(range(len(self._columns)))
        names = [column.name for column in self._columns]
        rest = [name for name in names[:0:-1] if name not in DROPPED_FIRST and name not in WHOLE]
        order = [*(name for name in DROPPED_FIRST if name in names), *rest]
        for name in order:
            if self._width is None or self._room(self._least) >= 0 or len(self._shown) == 1:
                return
            if name not in self._kept:
                self._shown.remove(names.index(name))

    def _room(self, widths: Sequence[int]) -> int:
        """Return the characters that a line of these widths leaves."""
        assert self._width is not None
        return self._width - sum(widths[place] for place in self._shown) - GAP * (len(self._shown) - 1)

    def _fitted(self) -> list[int]:
        """Return the widths of all columns: GTIDs and paths are whole or shortened, texts take the rest."""
        if self._width is None:
            return list(self._wanted)
        widths = list(self._least)
        for place in sorted(self._shown, key=self._turn):
            more = self._wanted[place] - widths[place]
            if more <= self._room(widths):
                widths[place] += more
            elif self._is_text(self._columns[place]):
                widths[place] += max(self._room(widths), 0)
        return widths

    def _turn(self, place: int) -> tuple[bool, bool, int]:
        """Return when a column gets its share of the room: short texts before long ones."""
        column = self._columns[place]
        return self._is_text(column), column.name == "gtid", self._wanted[place] if self._is_text(column) else 0

    @staticmethod
    def _is_text(column: TableColumn) -> bool:
        """Return True if cells may be cut anywhere."""
        return not (
            column.is_number or column.unit or column.name in WHOLE or column.name in FILES or column.name == "gtid"
        )

    @staticmethod
    def _shorter(column: TableColumn, text: str) -> str:
        """Return a GTID or a path in its short form, anything else as it is."""
        if column.name == "gtid" and (found := GTID.fullmatch(text)):
            return f"{CUT}{found[1]}"
        return f"{CUT}{text.rpartition('/')[2]}" if column.name in FILES and "/" in text else text

    def _least_width(self, column: TableColumn, text: str) -> int:
        from rich.cells import cell_len

        shorter = self._shorter(column, text)
        width = cell_len(shorter)
        may_cut = self._is_text(column) or (column.name == "gtid" and shorter is text)
        return min(width, LEAST_TEXT) if may_cut else width

    def _joined(self, texts: Sequence[str]) -> str:
        from rich.cells import cell_len, set_cell_size

        cells = []
        for place in self._shown:
            text, width, column = texts[place], self._widths[place], self._columns[place]
            if cell_len(text) > width:
                shorter = self._shorter(column, text)
                text = set_cell_size(text, width - len(CUT)) + CUT if shorter is text else shorter
            room = width - cell_len(text)
            cells.append(" " * room + text if column.is_number else text + " " * room)
        return (" " * GAP).join(cells).rstrip(" ")


def without_room(names: Sequence[str]) -> str:
    """Return the sentence about columns that a terminal has no room for."""
    return f"Columns without room here: {', '.join(names)}; --columns=NAMES shows them."


def plain(value: Value) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    return "NULL" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
