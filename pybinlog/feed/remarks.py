"""Remarks: what a run says of the logs that it read, once, at its end; to be added up over logs and machines."""

from __future__ import annotations

from pybinlog.errors import Hint
from pybinlog.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pybinlog.feed.unlogged import Unlogged
    from pybinlog.kernel.views.view import View as KernelView
    from pybinlog.where.tally import Tally
    from pybinlog.where.tree import WhereError


class Remarks(Record):
    """`tally` has the rows that a condition was asked of, `unlogged` statements whose rows the logs do not contain."""

    tally: Tally | None = None
    unlogged: Unlogged | None = None

    @classmethod
    def of(cls, view: KernelView) -> Remarks:
        """Return what the view has counted."""
        tally, unlogged = None, None
        condition = getattr(view, "condition", None)  # only views of rows have any
        if condition is not None:
            from pybinlog.where.tally import Tally

            tally = Tally.of(condition)
        if view.events.unlogged is not None and view.events.unlogged.has_any:
            from pybinlog.feed.unlogged import Unlogged

            unlogged = Unlogged.of(view.events.unlogged)
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

    def report(self, warn: Callable[[str], object], *, of_all: bool = True) -> None:
        """Warn of all that there is to say. Raise WhereError if no table has the columns of the condition."""
        for sentence in self.sentences(of_all=of_all):
            warn(sentence)
        if (error := self.error()) is not None:
            raise error

    def error(self) -> WhereError | None:
        """Return the error for a condition whose columns no table has."""
        return None if self.tally is None else self.tally.error()
