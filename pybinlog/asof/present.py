"""The rows that were there at a moment, in full: for SQL, and as a log for the view `table`."""

from collections.abc import Callable, Iterable

from pybinlog.asof.answer import AsOfRow, RowsAsOf
from pybinlog.asof.base_log import BaseLog
from pybinlog.asof.literals import value_of_literal
from pybinlog.asof.table import LoggedTable
from pybinlog.catalog.tables import Known
from pybinlog.errors import BinlogError, Hint
from pybinlog.source import LogObject
from pybinlog.visible import counted


def present_rows(
    answer: RowsAsOf, rows: Iterable[AsOfRow], warn: Callable[[str], object]
) -> tuple[LoggedTable | None, list[AsOfRow], int]:
    """Return the table, the rows that were there, and how many are unknown.

    Raise BinlogError if it is not known how the table is defined.
    """
    present: list[AsOfRow] = []
    unknown = 0
    for row in rows:
        if row.state == "present":
            present.append(row)
        else:
            unknown += row.state == "unknown"
    if unknown:
        warn(f"rows that are unknown at that moment are left out: {unknown}")
    table = answer.table
    if present and table is not None:
        check_definition(answer, table)
    return table, present, unknown


def check_definition(answer: RowsAsOf, table: LoggedTable) -> None:
    """Raise BinlogError if the definition is not that of the rows."""
    if not table.undo.columns:
        raise BinlogError(
            f"{table.label} has no definition here: the log does not say which columns are generated",
            hint=Hint("Give also the log that has its CREATE TABLE, or its definition with {--schema=}FILE"),
        )
    if table.names != tuple(answer.names):
        raise BinlogError(f"ALTER TABLE changed {table.label} before that moment, and no row of it came until then")


def log_of_rows(
    answer: RowsAsOf, rows: Iterable[AsOfRow], warn: Callable[[str], object], name: str
) -> LogObject | None:
    """Return a log by that name that inserts the rows that were there; None if the logs do not tell of the table.

    The answer is one with literals. A value that the logs do not tell is null. Raise BinlogError as `present_rows`.
    """
    table, present, _ = present_rows(answer, rows, warn)
    if table is None or not isinstance(table.undo.known, Known):
        return None
    check_definition(answer, table)
    log = BaseLog(table.undo.known.table, mariadb=table.mariadb)
    for row in present:
        of = (row.values.get(name, b"NULL") for name in table.names)
        pairs = zip(of, table.undo.known.columns, strict=True)
        log.add(
            [value_of_literal(literal, column) for literal, column in pairs if isinstance(literal, bytes)], row.missing
        )
    if lacking := sum(bool(row.missing) for row in present):
        warn(f"values that the logs do not tell are null, in {counted(lacking, 'row')}")
    return log.finish(name)
