"""CertainCatalog: a Catalog of logs whose statements were read before, so that a dump gives names only where it may.

A dump does not say when it was made. Taken as of the logs' beginning, the statements lead on from it; as of their end,
they are undone. Where both say the same of a table, or the statements contradict one of the two, its columns have
names. What the statements of the log define by themselves is certain.
"""

from __future__ import annotations

from pybinlog.catalog.answers import logged_table, metadata_of
from pybinlog.catalog.catalog import Catalog
from pybinlog.catalog.contradiction import contradiction
from pybinlog.catalog.definitions import Definitions
from pybinlog.catalog.session import place
from pybinlog.catalog.tables import Known
from pybinlog.catalog.timeline import Cursor, Timeline, backward, forward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from pybinlog.catalog.answers import LoggedTable
    from pybinlog.catalog.tables import Key
    from pybinlog.catalog.timeline import Found, Place, Statement

__all__ = ["CertainCatalog", "certain_catalog"]

AMBIGUOUS = (
    "taken as of the beginning of the logs the dump says one thing of it, as of their end another; --schema-of=start "
    "or --schema-of=end tells which it is"
)
CONTRADICTED = "statements in the logs contradict the dump"


class CertainCatalog(Catalog):
    """The tables by two timelines: `start` leads on from the logs' beginning, `end` is of a dump made later.

    `either`: the dump is in both, and only one of them is right. `files` are the logs' names with their numbers.
    """

    def __init__(
        self,
        start: Timeline,
        end: Timeline | None,
        files: Mapping[bytes, int],
        *,
        either: bool,
        warn: Callable[[str], object] | None = None,
    ):
        super().__init__(warn)
        self._start = Cursor(start)
        self._end = None if end is None else Cursor(end)
        self._files = files
        self._either = either
        self._nameless: set[Key] = set()

    def copy(self, warn: Callable[[str], object] | None = None) -> Catalog:
        end = None if self._end is None else self._end.timeline
        return CertainCatalog(self._start.timeline, end, self._files, either=self._either, warn=warn)

    def __len__(self) -> int:
        return len(self._start.timeline.first) or (len(self._end.timeline.first) if self._end else 0)

    def run(self, *_: Any, **__: Any) -> None:
        """Nothing: what the statements of the logs define is known."""

    def metadata(self, table_map: bytes, file: bytes = b"", position: int = 0, mariadb: bool = False) -> bytes:
        logged = logged_table(table_map)
        if logged is None:
            return b""
        at = self._files.get(file, 0), position
        self._start.move_to(at)
        if self._end is not None:
            self._end.move_to(at)
        answer, reason = self._answer(logged, mariadb)
        if reason:
            self._tell_nameless(logged.key, reason, place(file, position))
        elif logged.key in self._nameless:
            self._nameless.discard(logged.key)
            self._tell(f"{place(file, position)}: the columns of {named(logged.key)} have names again from here on")
        return answer

    def _answer(self, logged: LoggedTable, mariadb: bool) -> tuple[bytes, str]:
        """The metadata, and why there is none; neither of a table that nobody knows."""
        start = self._start.get(logged.key)
        if self._end is None or (isinstance(start, Known) and start.origin is None):
            return answer_of(start, logged, mariadb=mariadb)
        end = self._end.get(logged.key)
        if not self._either:
            return answer_of(end if end is not None else start, logged, mariadb=mariadb, timeline=self._end.timeline)
        if start is None and end is None:
            return b"", ""
        as_start = answer_of(start, logged, mariadb=mariadb, timeline=self._start.timeline)
        as_end = answer_of(end, logged, mariadb=mariadb, timeline=self._end.timeline)
        origins = {found.origin for found in (start, end) if found is not None}
        start_is_out = not origins.isdisjoint(self._start.timeline.wrong) or (
            isinstance(start, Known) and not as_start[0]
        )
        end_is_out = not origins.isdisjoint(self._end.timeline.wrong) or (isinstance(end, Known) and not as_end[0])
        if start_is_out and end_is_out:
            return b"", CONTRADICTED
        if start_is_out:
            return as_end
        if end_is_out:
            return as_start
        if as_start[0] == as_end[0]:
            return as_start
        return b"", as_start[1] or as_end[1] or AMBIGUOUS

    def _tell_nameless(self, key: Key, reason: str, where: str) -> None:
        if key not in self._nameless:
            self._nameless.add(key)
            self._tell(f"{where}: the columns of {named(key)} have no names from here on: {reason}")

    def _tell(self, sentence: str) -> None:
        if self.warn is not None:
            self.warn(sentence)


def named(key: Key) -> str:
    return f"{key[0]}.{key[1]}"


def answer_of(
    found: Found, logged: LoggedTable, *, mariadb: bool, timeline: Timeline | None = None
) -> tuple[bytes, str]:
    """The metadata of a Table_map by what its table is said to be, and why there is none."""
    if isinstance(found, Known):
        if timeline is not None and not timeline.holds(found):
            return b"", CONTRADICTED
        problem = contradiction(found.columns, logged.columns)
        if problem:
            return b"", f"its definition is another one: {problem}"
        return metadata_of(found, logged, mariadb=mariadb), ""
    return b"", "" if found is None else f"{found.reason} ({found.where})"


def certain_catalog(
    known: Catalog, statements: Sequence[Statement], files: Mapping[bytes, int], at: Place | None
) -> CertainCatalog:
    """What is certain of the tables where the logs have these statements; `files` are the logs' numbers.

    `at`: the place in these logs that the dumps are of, where they say it.
    """
    dump = known.definitions
    at_end = known.schema_of == "end"
    of_log, journal = forward(Definitions(), statements)
    if at is None and not at_end:
        start, _ = forward(dump, statements)
        return CertainCatalog(start, backward(dump, statements, journal), files, either=True)
    before = [one for one in statements if at_end or at is None or one.place < at]
    end = backward(dump, before, journal[: len(before)])
    after, _ = forward(dump, statements[len(before) :])
    end = Timeline(end.first, [*end.changes, *after.changes], end.wrong | after.wrong)
    return CertainCatalog(of_log, end, files, either=False)
