"""TableOutput: rows on standard output, as a table for people or as tsv, csv, json or jsonl for programs.

`show` takes tuples with a value for each column. `show_view` takes batches of a view, whose text the kernel makes.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from itertools import chain, islice
from typing import Any

import click

from pybinlog.cli.display.row_sentence import Sentences
from pybinlog.cli.display.table_layout import Layout, Row, TableColumn, without_room
from pybinlog.cli.environment import Environment, Output
from pybinlog.cli.options.option import missing
from pybinlog.errors import BinlogError
from pybinlog.export.text_format import TEXT_FORMATS, Value
from pybinlog.views.batch import LineForm, ViewBatch
from pybinlog.views.column_values import ColumnValues, moment
from pybinlog.views.view import Form, View
from pybinlog.visible import local_time, to_second

Batches = Callable[[tuple[str, ...], LineForm | None], Iterable[ViewBatch]]

__all__ = ["MICROSECONDS", "TableColumn", "TableOutput", "columns_of_view"]

MICROSECONDS = 1_000_000
"""A second of a time in a view."""
MOST_ON_TERMINAL = 10_000
"""Rows that a terminal is shown, unless --limit says otherwise."""
PORTION = 1000
"""Rows that are laid out and written at once."""
FOR_PEOPLE = ("table", "tsv")
BOLD, RESET = "\x1b[1m", "\x1b[0m"


class TableOutput:
    """Shows rows that have a value for each of the columns, by the options `TABLE`, whose `values` these are.

    `measure` names the column that --top takes without --sort, `ties` the one by which rows are sorted that have the
    same value in it, downwards with --top; `format` is that of a pipe without --format. Raises
    click.UsageError if an option names a column that there is not.
    """

    def __init__(
        self,
        environment: Environment,
        columns: Sequence[TableColumn],
        values: dict[str, Any],
        *,
        measure: str | None = None,
        ties: str | None = None,
        format: str = "tsv",
    ):
        self._environment = environment
        self._columns = columns
        self.format = self.format_of(environment, values, format)
        self.chosen = self._named(values["columns"])
        """The places of the columns to show, in their order."""
        sort = values["sort"] or (measure if values["top"] else None)
        if values["top"] and sort is None:
            raise missing("top", "sort")
        self._downwards = bool(values["top"]) or (sort or "").startswith("-")
        self._sort = None if sort is None else self._place("--sort", sort.removeprefix("-"))
        self._ties = None if ties is None or self._sort is None else self._place("", ties)
        limit: tuple[int, int | None] = values["limit"] or (0, values["top"])
        self._offset, self._count = limit
        self._exactly = values["columns"] is not None
        """Times in tables have microseconds."""
        self._is_cut = environment.is_terminal and values["limit"] is None and values["top"] is None

    @staticmethod
    def format_of(environment: Environment, values: dict[str, Any], otherwise: str = "tsv") -> str:
        """Return the format that --format says, else a table on a terminal."""
        return values["format"] or ("table" if environment.is_terminal else otherwise)

    def _named(self, text: str | None) -> list[int]:
        if text is None:
            to_people = self.format in FOR_PEOPLE
            return [
                place
                for place, column in enumerate(self._columns)
                if column.shown and (column.shown_to_people or not to_people)
            ]
        if text.strip().lower() == "all":
            return [place for place, column in enumerate(self._columns) if not column.is_extra]
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

    def wanted(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Return the rows that the options choose, in their order. Take no more than these, unless they are sorted."""
        if self._sort is None:
            return islice(iter(rows), self._offset, self._end)
        place = self._sort
        ties = place if self._ties is None else self._ties
        return self._sorted([((row[place], row[ties]), row)] for row in rows)

    def show(self, output: Output, rows: Iterable[Row]) -> None:
        """Write the rows to `output`, which is standard output. Take no more of them than are shown, but one."""
        wanted = self.wanted(rows)
        shown = islice(wanted, MOST_ON_TERMINAL) if self._is_cut else wanted
        columns = [(place, self._columns[place].unit) for place in self.chosen]
        chosen = (
            tuple(self._time(row[place], unit) if unit else row[place] for place, unit in columns) for row in shown
        )
        if self.format == "table":
            self._show_table(output, chosen)
        else:
            with self._for_programs(output) as output:
                lines = TEXT_FORMATS[self.format].lines([self._columns[place].name for place in self.chosen], chosen)
                while text := b"".join(islice(lines, PORTION)):
                    output.write(text)
        if self._is_cut and next(wanted, None) is not None:
            self._say_cut()

    def _time(self, time: Value, unit: int) -> str | None:
        """Return the text of a time: local for people, in UTC for programs."""
        if not isinstance(time, int):
            return None
        if self.format == "table":
            return local_time(time, unit, exactly=self._exactly and unit > 1)
        return to_second(time) if unit == 1 else moment(time)

    def show_view(self, output: Output, view: View, batches: Batches, sentences: Sentences | None = None) -> None:
        """Write rows of a view, whose columns are this table's, to `output`.

        `batches` is given the columns that are needed, and the form of lines if whole batches are written as lines.
        csv, json and jsonl are what export writes. With `sentences`, a table has a line for each row instead of
        columns.
        """
        names = tuple(self._columns[place].name for place in self.chosen)
        sort = tuple(self._columns[place].name for place in (self._sort, self._ties) if place is not None)
        wanted = tuple(dict.fromkeys((*names, *sort)))
        if self.format == "table":
            rows: Iterator[Row]
            if sentences is not None:
                names = sentences.columns
                wanted = tuple(dict.fromkeys((*names, *sort)))
            if not sort:
                parts = self._ranges(batches(wanted, None))
                rows = chain.from_iterable(self._cells(batch, names, range(*part)) for batch, part in parts)
            else:
                rows = self._sorted_rows(batches(wanted, None), sort, lambda batch, at: self._cells(batch, names, at))
            if sentences is None:
                self._show_table(output, rows)
            else:
                self._show_lines(output, map(sentences.of, rows))
            return
        from pybinlog.export.file import CountedFile
        from pybinlog.export.writers import TextWriter

        format = TEXT_FORMATS[self.format]
        with self._for_programs(output) as output, CountedFile(output) as stream:
            writer = TextWriter(stream, view, names, format)
            if sort:
                writer.write_lines(self._sorted_rows(batches(wanted, None), sort, writer.lines))
            elif self._offset or self._most is not None or not view.has_lines:
                for batch, part in self._ranges(batches(names, None)):
                    writer.write(batch, [part])
            else:
                for batch in batches(names, format.line_form(names)):
                    writer.write(batch)
            writer.close()

    @property
    def _end(self) -> int | None:
        """The number of rows after which nothing is shown."""
        return None if self._count is None else self._offset + self._count

    @property
    def _most(self) -> int | None:
        return self._offset + MOST_ON_TERMINAL if self._is_cut else self._end

    def _for_programs(self, output: Output) -> AbstractContextManager[Output]:
        """Return the output, whose control characters are made visible on a terminal."""
        if not self._environment.is_terminal:
            return nullcontext(output)
        from pybinlog.cli.display.color import TerminalOutput

        return TerminalOutput(output)

    def _say_cut(self) -> None:
        self._environment.warn(
            f"only the first {MOST_ON_TERMINAL} rows are shown; --limit=N shows more, --limit=0 all."
        )

    def _ranges(self, batches: Iterable[ViewBatch]) -> Iterator[tuple[ViewBatch, tuple[int, int]]]:
        """Yield the rows of each batch that --limit and the terminal leave: the first, and the one after the last."""
        at, most = 0, self._most
        if most is not None and most <= self._offset:
            return
        for batch in batches:
            first = max(0, self._offset - at)
            last = batch.count if most is None else min(batch.count, most - at)
            at += batch.count
            if first < last:
                yield batch, (first, last)
            if most is not None and (at > most if self._is_cut else at >= most):
                if self._is_cut:
                    self._say_cut()
                return

    def _sorted_rows(
        self, batches: Iterable[ViewBatch], sort: tuple[str, ...], made: Callable[[ViewBatch, Sequence[int]], list[Any]]
    ) -> Iterator[Any]:
        """Yield rows in the order of some columns, as `made` makes them of a batch; it makes only those to be shown."""

        def found() -> Iterator[list[tuple[Any, Any]]]:
            for batch in batches:
                keys = list(zip(*(c.values(0, batch.count) for c in batch.only(sort).columns), strict=True))
                places: Sequence[int] = range(batch.count)
                if self._end is not None and self._end < batch.count:
                    places = sorted(self._first(places, [ranked(key) for key in keys].__getitem__))
                yield list(zip([keys[place] for place in places], made(batch, places), strict=True))

        wanted = self._sorted(found())
        yield from islice(wanted, MOST_ON_TERMINAL) if self._is_cut else wanted
        if self._is_cut and next(wanted, None) is not None:
            self._say_cut()

    def _sorted(self, parts: Iterable[list[tuple[Any, Any]]]) -> Iterator[Any]:
        """Yield rows by their keys, without those that --limit omits. Only as many as it needs are in memory."""
        found = self._first(chain.from_iterable(parts), lambda row: ranked(row[0]))
        return (row for _, row in islice(found, self._offset, None))

    def _first(self, rows: Iterable[Any], key: Callable[[Any], Any]) -> list[Any]:
        """Return the first rows in the order of --sort, up to the last that --limit shows."""
        if self._end is None:
            return sorted(rows, key=key, reverse=self._downwards)
        from heapq import nlargest, nsmallest

        return (nlargest if self._downwards else nsmallest)(self._end, rows, key=key)

    # ---- for people

    def _cells(self, batch: ViewBatch, names: tuple[str, ...], rows: Sequence[int]) -> list[Row]:
        """Return rows of a batch as a table shows them."""
        return list(zip(*(self._cells_of(column, rows) for column in batch.only(names).columns), strict=True))

    def _cells_of(self, column: ColumnValues, rows: Sequence[int]) -> list[Any]:
        values = column.values(0, rows[-1] + 1) if rows else []
        if column.kind.form is Form.TIMESTAMP:
            return [self._time(values[row], MICROSECONDS) for row in rows]
        return [values[row] for row in rows]

    def _show_table(self, output: Output, rows: Iterator[Row]) -> None:
        from pybinlog.cli.display.pager import screen_size

        columns = [self._columns[place] for place in self.chosen]
        width = screen_size(self._environment)[0] if self._environment.is_terminal else None
        kept = [] if self._sort is None else [self._columns[self._sort].name]
        layout = Layout(columns, width, [column.name for column in columns] if self._exactly else kept)

        def lines() -> Iterator[str]:
            header, *first = layout.lines([column.name for column in columns], *islice(rows, PORTION))
            yield f"{BOLD}{header}{RESET}" if self._environment.wants_color(self._environment.color) else header
            yield from first
            while portion := list(islice(rows, PORTION)):
                yield from layout.lines(*portion)

        self._show_lines(output, lines())
        if layout.dropped:
            self._environment.print_line(without_room(layout.dropped))

    def _show_lines(self, output: Output, lines: Iterator[str]) -> None:
        """Write lines, through the pager if the screen of a terminal has no room for them and a prompt."""
        from pybinlog.cli.display.pager import Pager, screen_size

        height = screen_size(self._environment)[1]
        with ExitStack() as stack:
            portion = list(islice(lines, PORTION))
            if len(portion) + 1 > height and self._environment.is_terminal:
                output = stack.enter_context(Pager(self._environment, output))
            while portion:
                output.write("".join(f"{line}\n" for line in portion).encode("utf-8", "surrogateescape"))
                portion = list(islice(lines, PORTION))


class UntilError:
    """Rows up to an error, which stays in `error`: what came before it is shown. `count` counts the rows."""

    def __init__(self, rows: Iterable[Row]):
        self._rows = rows
        self.error: BinlogError | None = None
        self.count = 0

    def __iter__(self) -> Iterator[Row]:
        try:
            for row in self._rows:
                self.count += 1
                yield row
        except BinlogError as error:
            self.error = error


def columns_of_view(view: View, shown: Collection[str] | None = None) -> list[TableColumn]:
    """Return the columns of a view; a table and tsv have those in `shown` unless --columns names others."""
    return [
        TableColumn(
            column.name,
            column.kind.form is Form.SIGNED,
            shown=column not in view.extra,
            shown_to_people=column.name in shown if shown is not None else True,
            is_extra=column in view.extra,
            unit=MICROSECONDS if column.kind.form is Form.TIMESTAMP else 0,
        )
        for column in (*view.columns, *view.extra)
    ]


def ranked(keys: tuple[Any, ...]) -> list[tuple[bool, Any]]:
    """Return the sort key: nulls come before all other values."""
    return [(key is not None, key) for key in keys]
