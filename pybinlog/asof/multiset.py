"""Multiset: the rows of a table without a key at a moment, of a base and the changes between both.

Rows are equal if all their values are. So it does not matter in which order changes come.
"""

from collections.abc import Iterator

from pybinlog.asof.deeds import Alteration, Deed, Emptying, Origin, RowChange
from pybinlog.asof.fold import Entry, Fold, State
from pybinlog.asof.image import Image, RowKey


class Multiset(Fold):
    """A fold that counts equal rows. `adds`: the base is before the moment, so changes after it are added to it."""

    def __init__(self, *, adds: bool):
        super().__init__()
        self._adds = adds
        self._counts: dict[RowKey, int] = {}
        self._images: dict[RowKey, tuple[Image, int | None]] = {}

    def begin_after(self) -> None:
        super().begin_after()
        self.is_closed = self.is_closed or self._adds

    def begin_with_base(self) -> None:
        self._counts.clear()
        self.is_complete = True

    def end_current(self) -> None:
        self.is_complete = True

    def add(self, deed: Deed, origin: Origin | None) -> None:
        if self.is_after == self._adds:
            return
        if isinstance(deed, RowChange):
            sign = 1 if self._adds else -1
            self._count(deed, 0, -sign)
            self._count(deed, 1, sign)
        elif self._adds and isinstance(deed, Emptying):
            self._counts.clear()
        else:
            what = "its columns were changed" if isinstance(deed, Alteration) else "it was made or emptied"
            self._close(getattr(deed, "reason", what), origin)
            self.is_complete = False

    def add_current(self, change: RowChange) -> None:
        self._count(change, 1, 1)

    def _count(self, change: RowChange, side: int, sign: int) -> None:
        key = (change.key_before, change.key_after)[side]
        if key is None:
            return
        image = change.before or {}
        if side and change.after is not None:
            image = image | change.after
        self._name_columns(change.table)
        self._counts[key] = self._counts.get(key, 0) + sign
        self._images.setdefault(key, (image, change.digests[side]))

    def rows(self) -> Iterator[tuple[RowKey, Entry]]:
        for key, count in self._counts.items():
            self.contradictions += count < 0
            image, digest = self._images[key]
            for _ in range(count):
                entry = Entry(State.PRESENT, {}, 0, dict(image))
                entry.digest = digest
                yield key, entry
