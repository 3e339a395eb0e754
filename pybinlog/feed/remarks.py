"""Remarks: what a run has to say of the logs that it read, to be added up over logs and machines."""

from __future__ import annotations

from pybinlog.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.feed.policy import Policy
    from pybinlog.feed.unlogged import Unlogged
    from pybinlog.filters import AskedNames
    from pybinlog.kernel.views.view import View as KernelView
    from pybinlog.where.tally import Tally
    from pybinlog.where.tree import WhereError


class Filtered(Record):
    """Logs that were read with the filters of a policy, and whether these kept anything, or may have."""

    policy: Policy
    names: tuple[str, ...]
    found: bool

    def plus(self, other: Filtered | None) -> Filtered:
        """Return both as one; their filters are the same."""
        if other is None:
            return self
        return Filtered(self.policy, self.names + other.names, self.found or other.found)


class Remarks(Record):
    """`tally` has the rows that a condition was asked of, `unlogged` statements whose rows the logs do not contain.

    `filtered` has the logs that filters were applied to, `asked` the names of these filters.
    """

    tally: Tally | None = None
    unlogged: Unlogged | None = None
    filtered: Filtered | None = None
    asked: AskedNames | None = None

    @classmethod
    def of(cls, view: KernelView, filtered: Filtered | None = None, asked: AskedNames | None = None) -> Remarks:
        """Return what the view has counted, of the logs in `filtered`."""
        tally, unlogged = None, None
        condition = getattr(view, "condition", None)  # only views of rows have any
        if condition is not None:
            from pybinlog.where.tally import Tally

            tally = Tally.of(condition)
        if view.events.unlogged is not None and view.events.unlogged.has_any:
            from pybinlog.feed.unlogged import Unlogged

            unlogged = Unlogged.of(view.events.unlogged)
        return cls(tally, unlogged, filtered, asked)

    def plus(self, other: Remarks) -> Remarks:
        """Return both as one."""
        pairs = zip(self.values(), other.values(), strict=True)
        return Remarks(*(two if one is None else one.plus(two) for one, two in pairs))

    def error(self) -> WhereError | None:
        """Return the error for a condition whose columns no table has."""
        return None if self.tally is None else self.tally.error()
