"""Share: a part of a table's rows, by their keys, so that several machines hold one table together."""

from zlib import crc32

from pybinlog.asof.deeds import RowChange
from pybinlog.asof.image import RowKey
from pybinlog.record import Record


class IndivisibleError(Exception):
    """A row moved to another key, and the logs lack values of it: the shares must be read as one."""


class Share(Record):
    """The share `number`, from 0, of `count` shares of a table's rows. Without any, it is that of no row."""

    number: int = 0
    count: int = 0

    def has(self, key: RowKey) -> bool:
        """Return True if the share has the row with that key; the answer is the same in every process."""
        return crc32(repr(key).encode("utf-8", "surrogatepass")) % self.count == self.number

    def part(self, change: RowChange) -> RowChange | None:
        """Return what the share has of a change: all, a deletion or an insertion, or None.

        Raise IndivisibleError if a row that moves to another key has an image that lacks values.
        """
        before, after = change.before, change.after
        if self.count == 0:
            return None
        if before is None or after is None or before.key == after.key:
            image = after if before is None else before
            return change if image is not None and self.has(image.key) else None
        if any(len(image.values) < len(change.table.names) for image in (before, after)):
            raise IndivisibleError
        if self.has(before.key):
            return change if self.has(after.key) else change._replace(after=None)
        return change._replace(before=None) if self.has(after.key) else None
