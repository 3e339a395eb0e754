"""Partitions: rows in folders named after their values, as Hive has them."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta

from pybinlog.export.sheet import Sheet
from pybinlog.feed.log_read import LogRead
from pybinlog.kernel.views.column_runs import RUNS_OF_DAYS, RUNS_OF_STRINGS, run_starts
from pybinlog.output.replacement_batch import ReplacementBatch
from pybinlog.views.batch import LineBatch, ViewBatch
from pybinlog.views.view import Filter, Form, View

NULL = "__HIVE_DEFAULT_PARTITION__"
ESCAPED = frozenset("\"#%'*/:=?\\{[]^\x7f") | {chr(code) for code in range(32)}
"""Characters that Hive and Spark write as %XX."""
KEYS = {"database": Filter.DATABASES, "table": Filter.TABLES, "date": Filter.TIME}
"""Key -> the filter that compares the same column; of a time it is the day."""
MOST_OPEN = 200
"""Files that are written at once, each with a descriptor until it has its name."""
MOST_REMOTE = 16
"""The same at a URL: each holds some MiB back."""
DAY = 86400 * 1_000_000
EPOCH = date(1970, 1, 1)


def escaped(value: str | None) -> str:
    """Return a value as a part of a folder's name; Hive has no empty ones."""
    if not value:
        return NULL
    if value == NULL:
        return f"%5F{NULL[1:]}"
    return "".join(f"%{ord(character):02X}" if character in ESCAPED else character for character in value)


def column_of(key: str, view: View) -> str | None:
    """Return the column of a view that a key is of; None if there is none."""
    column = view.compared_by(KEYS[key])
    return None if column is None else column.name


def date_of(days: int | None) -> str | None:
    """Return a day, of those since 1970."""
    return None if days is None else str(EPOCH + timedelta(days=days))


class Partitions:
    """A sheet for each partition of a span's rows. `keys` are pairs: the name in folders, and the column it is of.

    `limit` are bytes of rows that all of them hold back together. `logs` is the growing list of the logs that were
    read. `opened` makes a sheet in a folder, of a number: with more than `most` partitions the one that has waited
    longest is finished and takes its name before the others, and rows that still come for it go to a further sheet.
    """

    def __init__(
        self,
        keys: Sequence[tuple[str, str]],
        limit: int,
        most: int,
        logs: Sequence[LogRead],
        opened: Callable[[str, int], Sheet],
    ):
        self._keys = keys
        self._most = most
        self._limit = limit
        self._opened = opened
        self._sheets: dict[tuple[str | None, ...], Sheet] = {}
        self._numbers: dict[tuple[str | None, ...], int] = {}
        self._logs = logs

    def write(self, batch: ViewBatch) -> None:
        """Write the rows of each partition, in their order."""
        of_batch = self._line_ranges(batch) if isinstance(batch, LineBatch) else self._ranges(batch)
        for key, ranges in of_batch.items():
            self._sheet(key).writer.write(batch, ranges)
            while sum(sheet.writer.held for sheet in self._sheets.values()) >= self._limit:
                max(self._sheets.values(), key=lambda sheet: sheet.writer.held).writer.flush()

    def finish(self, logs: Sequence[LogRead]) -> None:
        for sheet in self._sheets.values():
            sheet.finish(logs)

    def commit(self, batch: ReplacementBatch | None) -> None:
        for sheet in self._sheets.values():
            sheet.commit(batch)

    def discard(self) -> None:
        for sheet in self._sheets.values():
            sheet.discard()

    def _ranges(self, batch: ViewBatch) -> dict[tuple[str | None, ...], list[tuple[int, int]]]:
        """Return the partitions of a batch's rows, with the ranges of their rows."""
        columns = [batch.columns[batch.names.index(column)] for _, column in self._keys]
        kinds = [RUNS_OF_DAYS if column.kind.form is Form.TIMESTAMP else RUNS_OF_STRINGS for column in columns]
        starts = run_starts([(kind, batch.taken[column]) for kind, (_, column) in zip(kinds, self._keys, strict=True)])
        found: dict[tuple[str | None, ...], list[tuple[int, int]]] = {}
        for first, last in zip(starts, [*starts[1:], batch.count], strict=True):
            values = [column.values(first, first + 1)[0] for column in columns]
            key = tuple(
                date_of(value // DAY) if kind == RUNS_OF_DAYS and value is not None else value
                for kind, value in zip(kinds, values, strict=True)
            )
            found.setdefault(key, []).append((first, last))
        return found

    def _line_ranges(self, batch: LineBatch) -> dict[tuple[str | None, ...], list[tuple[int, int]]]:
        """Return the same of lines, with the ranges of their bytes."""
        found: dict[tuple[str | None, ...], list[tuple[int, int]]] = {}
        ends = [*(begin for begin, _ in batch.runs[1:]), len(batch.lines)]
        for (begin, values), end in zip(batch.runs, ends, strict=True):
            if begin < end:
                key = tuple(
                    value.decode("utf-8", "replace") if isinstance(value, bytes) else date_of(value) for value in values
                )
                found.setdefault(key, []).append((begin, end))
        return found

    def _sheet(self, key: tuple[str | None, ...]) -> Sheet:
        sheet = self._sheets.pop(key, None)
        if sheet is None:
            if len(self._sheets) >= self._most:
                oldest = self._sheets.pop(next(iter(self._sheets)))
                try:
                    oldest.finish(self._logs)
                    oldest.commit(None)
                finally:
                    oldest.discard()
            number = self._numbers[key] = self._numbers.get(key, -1) + 1
            folder = "/".join(f"{name}={escaped(value)}" for (name, _), value in zip(self._keys, key, strict=True))
            sheet = self._opened(folder, number)
        self._sheets[key] = sheet
        return sheet
