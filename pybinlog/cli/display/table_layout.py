"""Layout: rows as the lines of a table, within the width of a terminal."""

from __future__ import annotations

from dataclasses import dataclass

from pybinlog.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pybinlog.export.text_format import Value

    Row = Sequence[Value]

GAP = 2
NARROWEST = 4
"""Characters that a column keeps if the terminal is too narrow for all."""


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
    """How wide columns are: as their names and rows need it, within a width in characters."""

    def __init__(self, columns: Sequence[TableColumn], width: int):
        self._columns = columns
        self._width = width
        self._wanted = [0] * len(columns)
        self._widths: list[int] = []

    def lines(self, *rows: Row) -> list[str]:
        """Return the rows as lines. A later call may need wider columns, and makes none narrower."""
        from rich.cells import cell_len

        texts = [[visible(plain(value)[: self._width + 1]) for value in row] for row in rows]
        needed = [max(map(cell_len, column)) for column in zip(*texts, strict=True)]
        self._wanted = list(map(max, self._wanted, needed))
        self._widths = widths = list(self._wanted)
        room = max(self._width - GAP * (len(widths) - 1), NARROWEST * len(widths))
        while sum(widths) > room:
            widths[widths.index(max(widths))] -= 1
        return list(map(self._joined, texts))

    def _joined(self, texts: Sequence[str]) -> str:
        from rich.cells import cell_len, set_cell_size

        cells = []
        for text, width, column in zip(texts, self._widths, self._columns, strict=True):
            room = width - cell_len(text)
            if room < 0:
                cells.append(set_cell_size(text, width - 1) + "…")
            else:
                cells.append(" " * room + text if column.is_number else text + " " * room)
        return (" " * GAP).join(cells).rstrip(" ")


def plain(value: Value) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    return "NULL" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
