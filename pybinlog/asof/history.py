"""The history of rows: all changes of those that a condition on their key chooses."""

from __future__ import annotations

from typing import NamedTuple

from pybinlog.asof.changes import OtherColumnsError, Pass, Question
from pybinlog.asof.deeds import Alteration, Doubt, RowChange
from pybinlog.asof.reading import Reading
from pybinlog.errors import BinlogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pybinlog.asof.deeds import Deed, Key, Origin
    from pybinlog.asof.reading import Logs
    from pybinlog.where import Condition


class HistoryLine(NamedTuple):
    """A change in the life of rows. `operation` is INSERT, UPDATE, DELETE, or what a statement does to all rows."""

    operation: str
    before: str | None
    after: str | None
    statement: str | None
    origin: Origin


def history(logs: Logs, table: Key, where: Condition) -> Iterator[HistoryLine]:
    """Yield the changes of the rows, in the order in which they were committed.

    Raise BinlogError if the condition is not about the key alone.
    """
    lines: list[HistoryLine] = []
    reading = Reading(logs, Question(table, where))
    try:
        reading.read(lambda deeds, _: lines.extend(history_line(*one) for one in deeds), {table}, Pass.KEPT)
    except OtherColumnsError:
        raise BinlogError("--history follows rows by their key: --where must be about its columns alone") from None
    if reading.skips_definitions:
        reading.look({table})  # raises if columns have no names
        logs.warn(f"{'.'.join(table)} lacks a column of the condition for a time: its changes then are left out")
    yield from lines


def history_line(deed: Deed, origin: Origin) -> HistoryLine:
    if isinstance(deed, RowChange):
        before, after = (None if image is None else image.text for image in (deed.before, deed.after))
        operation = "INSERT" if before is None else "DELETE" if after is None else "UPDATE"
        return HistoryLine(operation, before, after, origin.query, origin)
    if isinstance(deed, Doubt):
        return HistoryLine("UNKNOWN", None, None, deed.reason, origin)
    operation = "ALTER" if isinstance(deed, Alteration) else "CREATE" if deed.was_made else "TRUNCATE"
    return HistoryLine(operation, None, None, origin.query, origin)
