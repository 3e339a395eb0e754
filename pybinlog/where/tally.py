"""Tally: what became of the rows that a condition was asked of, to be added up over logs and machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from types import MappingProxyType

from pybinlog.kernel.condition.row_condition import RowCondition
from pybinlog.record import Record
from pybinlog.where import tree
from pybinlog.where.binding import missing_everywhere
from pybinlog.where.tree import WhereError


class Tally(Record):
    """Rows that were kept, dropped, and among them could not be judged, with the reasons by column.

    `bound` are the tables that have the condition's columns, `without` those that lack one, with the names of theirs.
    """

    condition: tree.Node
    kept: int = 0
    dropped: int = 0
    unknown: int = 0
    lacking: Mapping[str, int] = MappingProxyType({})
    unclear: Mapping[str, int] = MappingProxyType({})
    bound: Set[str] = frozenset()
    without: Mapping[str, tuple[str, ...]] = MappingProxyType({})

    @classmethod
    def of(cls, condition: RowCondition) -> Tally:
        """Return what the kernel counted."""
        binder = condition.bind
        lacking, unclear = condition.reasons()
        kept, dropped, unknown = condition.counts()
        return cls(
            binder.condition, kept, dropped, unknown, lacking, unclear, frozenset(binder.bound), dict(binder.lacking)
        )

    def plus(self, other: Tally | None) -> Tally:
        """Return both as one."""
        if other is None:
            return self
        return Tally(
            self.condition,
            self.kept + other.kept,
            self.dropped + other.dropped,
            self.unknown + other.unknown,
            Counter(self.lacking) + Counter(other.lacking),
            Counter(self.unclear) + Counter(other.unclear),
            self.bound | other.bound,
            {**self.without, **other.without},
        )

    def error(self) -> WhereError | None:
        """Return the error for a condition whose columns no table had; None if one had them, or no rows were read."""
        return missing_everywhere(self.condition, self.without) if self.without and not self.bound else None

    def sentences(self) -> Iterator[str]:
        """Yield what a user should know of the result."""
        for reasons, why in (
            (self.lacking, "their images lack {}"),
            (self.unclear, "the order of {} is not known here (its collation, its members or its sign)"),
        ):
            names = " and ".join(f"`{name}`" for name in reasons)
            if names:
                count = min(self.unknown, sum(reasons.values()))
                yield f"{rows(count)} could not be judged: {why.format(names)}"
        if not self.bound:
            return  # `error` says it
        tables = sorted(self.without.keys() - self.bound)
        if tables:
            said = "1 table was" if len(tables) == 1 else f"{len(tables)} tables were"
            yield f"{said} skipped, without a column of the condition: {shown(tables)}"
        tables = sorted(self.without.keys() & self.bound)
        if tables:
            yield f"rows of definitions without a column of the condition were skipped: {shown(tables)}"


def shown(tables: list[str]) -> str:
    """Return the first of many tables."""
    return ", ".join(tables[:3]) + (" ..." if len(tables) > 3 else "")


def rows(count: int) -> str:
    """Return how many rows, in words."""
    return "1 row" if count == 1 else f"{count} rows"
