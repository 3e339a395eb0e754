"""Multiset: the rows of a table without a key at a moment, of a base and the changes between both.

Rows are equal if all their values are. So it does not matter in which order changes come.
"""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from pybinlog.asof.deeds import Alteration, Deed, Emptying, Origin, RowChange, RowImage
from pybinlog.asof.fold import Entry, Fold, State
from pybinlog.asof.image import RowKey


class Multiset(Fold):
    """A fold that counts equal rows. `adds`: the base is before the moment, so changes after it are added to it."""

    def __init__(self, asked: AbstractSet[str] | None, *, adds: bool):
        super().__init__(asked=asked)
        self._adds = adds
        self._counts: dict[RowKey, int] = {}
        self._images: dict[RowKey, RowImage] = {}

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
            self._count(deed.before, deed, -sign)
            self._count(deed.after, deed, sign)
        elif self._adds and isinstance(deed, Emptying):
            self._counts.clear()
        else:
            what = "its columns were changed" if isinstance(deed, Alteration) else "it was made or emptied"
            self._close(getattr(deed, "reason", what), origin)
            self.is_complete = False

    def add_current(self, change: RowChange) -> None:
        self._count(change.after, change, 1)

    def _count(self, image: RowImage | None, change: RowChange, sign: int) -> None:
        if image is None:
            return
        if change.before is not None:
            image = image._replace(values=change.before.values | image.values)
        self._name_columns(change.table)
        self._counts[image.key] = self._counts.get(image.key, 0) + sign
        self._images.setdefault(image.key, image)

    def _all(self) -> Iterator[tuple[RowKey, Entry]]:
        for key, count in self._counts.items():
            self.contradictions += count < 0
            image = self._images[key]
            for _ in range(count):
                yield key, Entry(State.PRESENT, {}, 0, dict(image.values), verdict=image.verdict)
