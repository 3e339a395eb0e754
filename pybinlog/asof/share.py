"""Share: a part of a table's rows, by their keys, so that several machines hold one table together."""

from dataclasses import replace
from zlib import crc32

from pybinlog.asof.deeds import RowChange
from pybinlog.asof.image import Image, RowKey
from pybinlog.record import Record


class IndivisibleError(Exception):
    """A row moved to another key, and the logs lack values of it: the shares must be read as one."""


class Share(Record):
    """The share `number`, from 0, of `count` shares of a table's rows. Without any, it is that of no row."""

    number: int = 0
    count: int = 0

    def has(self, key: RowKey | None) -> bool:
        """Return True if the share has the row with that key; the answer is the same in every process."""
        if key is None or self.count == 0:
            return False
        return crc32(repr(key).encode("utf-8", "surrogatepass")) % self.count == self.number

    def part(self, change: RowChange) -> RowChange | None:
        """Return what the share has of a change: all, a deletion or an insertion, or None.

        Raise IndivisibleError if a row that moves to another key has an image that lacks values.
        """
        before, after = change.key_before, change.key_after
        if self.count == 0:
            return None
        if before is None or after is None or before == after:
            return change if self.has(after if before is None else before) else None
        if not (self._is_whole(change, change.before) and self._is_whole(change, change.after)):
            raise IndivisibleError
        if self.has(before) and self.has(after):
            return change
        if self.has(before):
            return replace(change, after=None, key_after=None)
        return replace(change, before=None, key_before=None) if self.has(after) else None

    def _is_whole(self, change: RowChange, image: Image | None) -> bool:
        return image is not None and len(image) == len(change.table.names)
