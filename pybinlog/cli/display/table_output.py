"""TableOutput: rows on standard output, as a table for people or as tsv, csv, json or jsonl for programs."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from heapq import nlargest, nsmallest
from itertools import chain, islice

import click

from pybinlog.cli.options.option import missing
from pybinlog.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from pybinlog.cli.environment import Environment, Output

    Value = str | int | float | bool | None
    Row = Sequence[Value]

__all__ = ["TableColumn", "TableOutput"]

MOST_ON_TERMINAL = 10_000
"""Rows that a terminal is shown, unless --limit says otherwise."""
PORTION = 1000
"""Rows that are laid out and written at once."""
GAP = 2
NARROWEST = 4
"""Characters that a column keeps where the terminal is too narrow for all."""
BOLD, RESET = "\x1b[1m", "\x1b[0m"
TSV_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\0": "\\0"})
"""As `mysql --batch` has them."""


@dataclass(frozen=True)
class TableColumn:
    """A column: its name; whether it holds numbers; whether it is shown if --columns is not given."""

    name: str
    is_number: bool = False
    shown: bool = True


class TableOutput:
    """Shows rows that have a value for each of the columns, by the options `TABLE`, whose `values` these are.

    `measure` names the column that --top takes without --sort. Raises click.UsageError if an option names a column
    that there is not.
    """

    def __init__(
        self,
        environment: Environment,
        columns: Sequence[TableColumn],
        values: dict[str, Any],
        *,
        measure: str | None = None,
    ):
        self._environment = environment
        self._columns = columns
        self.format: str = values["format"] or ("table" if environment.is_terminal else "tsv")
        self.chosen = self._named(values["columns"])
        """The places of the columns to show, in their order."""
        sort = values["sort"] or (measure if values["top"] else None)
        if values["top"] and sort is None:
            raise missing("top", "sort")
        self._downwards = bool(values["top"]) or (sort or "").startswith("-")
        self._sort = None if sort is None else self._place("--sort", sort.removeprefix("-"))
        limit: tuple[int, int | None] = values["limit"] or (0, values["top"])
        self._offset, self._count = limit
        self._is_cut = environment.is_terminal and values["limit"] is None and values["top"] is None

    def _named(self, text: str | None) -> list[int]:
        if text is None:
            return [place for place, column in enumerate(self._columns) if column.shown]
        if text.strip().lower() == "all":
            return list(range(len(self._columns)))
        places = [self._place("--columns", name.strip()) for name in text.split(",")]
        if len(set(places)) != len(places):
            raise click.UsageError("--columns names a column twice.")
        return places

    def _place(self, option: str, name: str) -> int:
        names = [column.name for column in self._columns]
        for place, known in enumerate(names):
            if known.lower() == name.lower():
                return place
        raise click.UsageError(f"{option}: unknown column {name!r}; the columns are {', '.join(names)}.")

    def show(self, output: Output, rows: Iterable[Row]) -> None:
        """Write the rows to `output`, which is standard output. Take no more of them than are shown, but one."""
        wanted = self._selected(rows)
        shown = islice(wanted, MOST_ON_TERMINAL) if self._is_cut else wanted
        chosen = (tuple(row[place] for place in self.chosen) for row in shown)
        if self.format == "table":
            self._show_table(output, chosen)
        else:
            with ExitStack() as stack:
                if self._environment.is_terminal:
                    from pybinlog.cli.display.terminal import TerminalOutput

                    output = stack.enter_context(TerminalOutput(output))
                lines = self._lines(chosen)
                while text := "".join(islice(lines, PORTION)):
                    output.write(text.encode("utf-8", ERRORS.get(self.format, "surrogateescape")))
        if self._is_cut and next(wanted, None) is not None:
            self._environment.warn(
                f"only the first {MOST_ON_TERMINAL} rows are shown; --limit=N shows more, --limit=0 all."
            )

    def _selected(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows in their order, without those that --limit leaves out."""
        end = None if self._count is None else self._offset + self._count
        if self._sort is None:
            return islice(iter(rows), self._offset, end)
        place = self._sort

        def key(row: Row) -> tuple[bool, Any]:
            return row[place] is not None, row[place]

        if end is None:
            found = sorted(rows, key=key, reverse=self._downwards)
        else:
            found = (nlargest if self._downwards else nsmallest)(end, rows, key=key)
        return islice(found, self._offset, None)

    # ---- for programs

    def _lines(self, rows: Iterator[Row]) -> Iterator[str]:
        names = [self._columns[place].name for place in self.chosen]
        if self.format == "tsv":
            return ("\t".join(map(tsv_cell, row)) + "\n" for row in chain([names], rows))
        if self.format == "csv":
            return (",".join(map(csv_cell, row)) + "\n" for row in chain([names], rows))
        from json import JSONEncoder

        encode = JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
        objects = (encode(dict(zip(names, row, strict=True))) for row in rows)
        if self.format == "jsonl":
            return (f"{text}\n" for text in objects)
        return json_array(objects)

    # ---- for people

    def _show_table(self, output: Output, rows: Iterator[Row]) -> None:
        from pybinlog.cli.display.pager import Pager, screen_size

        width, height = screen_size(self._environment)
        with ExitStack() as stack:
            columns = [self._columns[place] for place in self.chosen]
            layout = Layout(columns, width)
            header, *lines = layout.lines([column.name for column in columns], *islice(rows, PORTION))
            if len(lines) + 2 > height and self._environment.is_terminal:
                output = stack.enter_context(Pager(self._environment, output))
            if self._environment.wants_color(self._environment.color):
                header = f"{BOLD}{header}{RESET}"
            lines.insert(0, header)
            while lines:
                output.write("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
                portion = list(islice(rows, PORTION))
                lines = layout.lines(*portion) if portion else []


ERRORS = {"json": "backslashreplace", "jsonl": "backslashreplace"}
"""What becomes of bytes that are no UTF-8: the escape of JSON for what stands for them."""


class Layout:
    """How wide columns are: as their names and rows need it, within a width in characters."""

    def __init__(self, columns: Sequence[TableColumn], width: int):
        self._columns = columns
        self._width = width
        self._wanted = [0] * len(columns)
        self._widths: list[int] = []

    def lines(self, *rows: Row) -> list[str]:
        """The rows as lines. A later call may need wider columns, and makes none narrower."""
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


def json_array(objects: Iterator[str]) -> Iterator[str]:
    before = "[\n"
    for text in objects:
        yield before + text
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def plain(value: Value) -> str:
    return "NULL" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def tsv_cell(value: Value) -> str:
    return value.translate(TSV_ESCAPES) if isinstance(value, str) else plain(value)


def csv_cell(value: Value) -> str:
    """As export writes it: null is nothing, text has quotes."""
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"'
    return "" if value is None else plain(value)
