"""Remarks: what a run says of the logs that it read, once, at its end; to be added up over logs and machines."""

from __future__ import annotations

from pybinlog.errors import Hint
from pybinlog.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pybinlog.kernel.views.view import View as KernelView
    from pybinlog.views.unlogged import Unlogged
    from pybinlog.where.tally import Tally
    from pybinlog.where.tree import WhereError


class Remarks(Record):
    """`tally` has the rows that a condition was asked of, `unlogged` statements whose rows the logs do not contain."""

    tally: Tally | None = None
    unlogged: Unlogged | None = None

    @classmethod
    def of(cls, rows: KernelView, *, has_condition: bool) -> Remarks:
        """Return what the kernel counted."""
        tally, unlogged = None, None
        if has_condition:
            from pybinlog.where.tally import Tally

            tally = Tally.of(rows.condition)
        if rows.events.unlogged is not None and rows.events.unlogged.has_any:
            from pybinlog.views.unlogged import Unlogged

            unlogged = Unlogged.of(rows.events.unlogged)
        return cls(tally, unlogged)

    def plus(self, other: Remarks) -> Remarks:
        """Return both as one."""
        tally = other.tally if self.tally is None else self.tally.plus(other.tally)
        unlogged = other.unlogged if self.unlogged is None else self.unlogged.plus(other.unlogged)
        return Remarks(tally, unlogged)

    def sentences(self, *, of_all: bool = True) -> Iterator[str]:
        """Yield what a user should know, in sentences that lack their full stops; `of_all`: no other logs are read."""
        if self.unlogged is not None:
            yield self.unlogged.sentence
        if self.tally is None:
            return
        yield from self.tally.sentences()
        if of_all and self.tally.dropped and not self.tally.kept and self.tally.error() is None:
            sentence = "{--where} matches none of the rows that the other filters keep, of which there are {dropped:,}"
            yield Hint(sentence, dropped=self.tally.dropped)

    def error(self) -> WhereError | None:
        """Return the error for a condition whose columns no table has."""
        return None if self.tally is None else self.tally.error()
