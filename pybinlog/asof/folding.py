"""Folding: one reading of logs into a fold, with the rows of a base at their place among the deeds."""

from __future__ import annotations

import sys
from typing import TypeAlias

from pybinlog.asof.changes import Enough
from pybinlog.asof.fold import Fold
from pybinlog.asof.multiset import Multiset
from pybinlog.errors import BinlogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pybinlog.asof.base import Base
    from pybinlog.asof.changes import End
    from pybinlog.asof.deeds import Deed, Origin, RowChange
    from pybinlog.asof.reading import Logs

Place: TypeAlias = tuple[int, int]
"The number of a log, and a position in it."
END = sys.maxsize, 0
"""The place of the end of the logs."""


class Folding:
    """Takes the deeds of all logs by `add`, then `finish`: those up to `place` and those after it, which is `time`.

    `base_place` is that of the base, whose rows `read_base` gives. `asked` is as in Fold.
    """

    def __init__(
        self,
        logs: Logs,
        place: Place,
        base_place: Place,
        read_base: Callable[[Base, Callable[[RowChange], object]], None],
        *,
        time: int | None = None,
        asked: set[str] | None = None,
    ):
        self._base = logs.base
        self._base_place = base_place
        self._is_before = logs.base is not None and base_place <= place
        is_keyless = logs.base is not None and logs.base.is_keyless
        self.fold = Multiset(asked, adds=self._is_before) if is_keyless else Fold(logs.share, asked)
        self._numbers = {str(name): number for number, name in enumerate(logs.names)}
        self._place = place
        self._time = time
        self._read_base = read_base
        self._has_base = logs.base is None

    def add(self, deeds: Sequence[tuple[Deed, Origin]], end: End) -> None:
        """Add those of a transaction. Raise Enough if nothing more can be concluded."""
        fold, base = self.fold, self._base
        at = self._numbers[end.file], end.position
        if base is not None and at <= self._base_place:
            if deeds:
                base.note(end.gtid)
            if self._is_before:
                return
        elif base is not None and not self._is_before:
            raise Enough
        self._add_base()
        if not fold.is_after and at > self._place:
            fold.begin_after()
        if deeds and self._time is not None and end.time is not None and at[0] != self._place[0]:
            # (the search for the place says so of transactions in its own log)
            fold.misplaced += fold.is_after != (end.time >= self._time)
        for deed, origin in deeds:
            fold.add(deed, origin)
        if fold.is_closed:
            raise Enough

    def finish(self) -> Fold:
        """Return the fold after all deeds. Raise BinlogError if the rows of the base tell nothing of the moment."""
        self._add_base(at_end=True)
        if self._base is not None and self._is_before and isinstance(self.fold, Multiset) and self.fold.doubts:
            raise not_followed(self.fold, "from", self._base)
        return self.fold

    def _add_base(self, *, at_end: bool = False) -> None:
        """Give the rows of the base to the fold, once: before the first deed after it, or at the end."""
        base, fold = self._base, self.fold
        if base is None or self._has_base or not (self._is_before or at_end):
            return
        self._has_base = True
        base.check()
        if self._is_before:
            fold.begin_with_base()
            self._read_base(base, lambda change: fold.add(change, None))
            return
        fold.begin_after()
        if not fold.is_closed:
            self._read_base(base, fold.add_current)
            fold.end_current()
        elif not fold.is_complete:
            raise not_followed(fold, "back from", base)


def not_followed(fold: Fold, way: str, base: Base) -> BinlogError:
    """Return the error for a doubt between the base and the moment, after which its rows tell nothing."""
    reason, origin = fold.doubts[-1]
    return BinlogError(
        f"the rows cannot be followed {way} {base.name}: {reason}" + ("" if origin is None else f" ({origin})"),
        hint="Without a base, pybinlog shows the rows that the logs tell",
    )
