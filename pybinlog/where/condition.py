"""Condition: what `--where` asks of rows, as plain values that can be pickled."""

from functools import cached_property

from pybinlog.kernel.condition.row_condition import RowCondition
from pybinlog.record import Record
from pybinlog.where import tree
from pybinlog.where.binding import Binder
from pybinlog.where.parser import parse
from pybinlog.where.tree import WhereError
from pybinlog.where.zone import zone_of

__all__ = ["Condition", "WhereError"]


class Condition(Record):
    """A condition in text, the time zone of its TIMESTAMPs, and whether rows that cannot be judged are dropped."""

    text: str
    time_zone: str = "UTC"
    drops_unknown: bool = False

    @cached_property
    def tree(self) -> tree.Node:
        """Return the tree of the text. Raise WhereError if it is not a condition."""
        zone_of(self.time_zone)
        return parse(self.text)

    def check(self) -> None:
        """Raise WhereError if the text is not a condition, or the time zone is not known."""
        assert self.tree is not None

    def binder(self) -> Binder:
        """Return what binds it to tables, and remembers which ones. Raise as `check` does."""
        return Binder(self.tree, zone_of(self.time_zone))

    def of_rows(self) -> RowCondition:
        """Return the condition on rows, bound to no table so far. Raise as `check` does."""

        return RowCondition(self.binder(), self.drops_unknown)
