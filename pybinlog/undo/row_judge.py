"""RowJudge: answers what the kernel asks about changes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, NamedTuple

from pybinlog.catalog import Catalog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.kernel.undo.change_sink import ChangeSink
    from pybinlog.views.kernel_views import Making


class TransactionEnd(NamedTuple):
    """The end of a transaction that has changes, as ChangeSink has it.

    `cells` are columns of the view rows, `start` and `end` its positions, `ended` says how it ended. `known_start`: its
    start was read. `over`: its end was. Times are in microseconds since 1970 UTC; -1: not known.
    """

    cells: dict[str, Any]
    start: int
    end: int
    ended: str
    known_start: bool
    over: bool
    begin_time: int
    commit_time: int


class RowJudge(ABC):
    """Judges changes in the order of the log: see the kernel's ChangeSink, which calls it.

    `wanted` are the columns of the view rows that it needs and that cost something, `catalog` the current definitions.
    """

    wanted: frozenset[str] = frozenset({"position", "thread_id"})
    catalog: Catalog | None = None
    skipped = 0
    """Rows that were omitted so far."""

    @abstractmethod
    def sink(self, cells: list[tuple[str, int]], making: Making) -> ChangeSink:
        """Return what takes the rows; `cells` are the columns of the view rows, with their forms."""

    @abstractmethod
    def table(
        self, database: bytes, name: bytes, described: list[Any], body: bytes, mariadb: bool, file: bytes, position: int
    ) -> tuple[Any, list[Any], bytes, int, Any, bytes]:
        """Return a table by a definition of it, in the form that ChangeSink states."""

    @abstractmethod
    def event(self, cells: dict[str, Any], table: Any, flags: int, before: int, after: int) -> object:
        """Return what stands for a row event. Its images have the columns whose bits are in `before` and `after`."""

    @abstractmethod
    def statement(self, logged: tuple[Any, ...], chosen: bool) -> object:
        """Return what stands for a statement, given by the values of a LoggedStatement.

        The definitions are those that it leaves. `chosen`: all filters but those of names choose it.
        """

    @abstractmethod
    def unwritable(self, event: Any, place: int) -> None:
        """Take a value that SQL cannot write, in the column at that place."""

    @abstractmethod
    def add(self, found: Iterable[tuple[Any, ...]]) -> None:
        """Take rows, statements and ends of transactions."""

    def format_description(self, data: bytes) -> None:  # noqa: B027 (most judges do not need it)
        """Take the Format_description of the events that follow, unless it does not matter."""

    def lacks_transactions(self, database: bytes, name: bytes) -> None:  # noqa: B027 (nor this)
        """Take a table that is of an engine without transactions, as its COMMIT shows, unless it does not matter."""
