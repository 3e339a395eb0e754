"""RowJudge: answers what the kernel asks about changes."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any


class RowJudge(ABC):
    """Judges changes in the order of the log: see the kernel's ChangeSink, which calls it."""

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
