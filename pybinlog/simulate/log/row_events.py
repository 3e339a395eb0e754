"""Changed rows as the bodies of row events."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pybinlog.column_types import ColumnType
from pybinlog.layout.rows import bitmap
from pybinlog.simulate.tables.table import Row, RowChange, Table
from pybinlog.values.row_image import row_image

MOST_BYTES = 8192
"""From here on rows go into another event, as with binlog_row_event_max_size."""


class _Encoder:
    """Row images of one table; `row_image` is binlog_row_image."""

    def __init__(self, table: Table, row_image: str, *, modern: bool) -> None:
        self.table = table
        self.row_image = row_image
        self.modern = modern

    @cached_property
    def identifying(self) -> set[int]:
        """The columns that tell a row: those of the primary key, or of a unique key without NULL; else all."""
        for key in self.table.unique_keys:
            places = [self.table.position(part.column) or 0 for part in key.parts]
            if not any(self.table.columns[place].nullable for place in places):
                return set(places)
        return set(range(len(self.table.columns)))

    def present(self, change: RowChange) -> tuple[list[bool] | None, list[bool] | None]:
        """Return the columns of the before and of the after image; None if the rule gives it all columns.

        An insert has those that the statement names, an update the changed ones as the statement names them.
        """
        if self.row_image == "FULL":
            return None, None
        count = len(self.table.columns)
        keyless = len(self.identifying) == count
        written = change.written if change.written is not None else frozenset(range(count))
        if self.row_image == "NOBLOB":
            plain = {index for index, column in enumerate(self.table.columns) if column.type != ColumnType.BLOB}
            before, after = plain | self.identifying, plain | written
        else:
            before, after = self.identifying, set(written)
        if change.before is None:
            return None, None if change.written is None else [index in after for index in range(count)]
        named = None if keyless else [index in before for index in range(count)]
        return named, [index in after for index in range(count)]

    def bits(self, present: list[bool] | None) -> bytes:
        """Return the columns of an image as bits; a full one has those set that stand for no column, too."""
        return b"\xff" * ((len(self.table.columns) + 7) // 8) if present is None else bitmap(present)

    def image(self, row: Row, present: list[bool] | None) -> bytes:
        """Return the bytes of a row."""
        return row_image(row, self.table.columns, present or [True] * len(row), filler=not self.modern)


@dataclass
class RowGroup:
    """Rows for one event: of one table, changed in one way ("write", "update", "delete"), with the same columns."""

    table: Table
    kind: str
    before: bytes
    after: bytes
    images: list[bytes] = field(default_factory=list)
    changes: list[RowChange] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The bytes of its rows."""
        return sum(map(len, self.images))

    def body(self, table_id: int, flags: int) -> dict[str, Any]:
        """Return the body of its event, for `layout.new_event`."""
        return {
            "table_id": table_id,
            "flags": flags,
            "extra_row_info": [],
            "column_count": len(self.table.columns),
            "columns_before_image": self.before if self.kind != "write" else self.after,
            "columns_after_image": self.after if self.kind == "update" else None,
            "rows": b"".join(self.images),
        }


def row_groups(
    changes: Iterable[RowChange], *, row_image: str = "FULL", modern: bool = True, max_size: int = MOST_BYTES
) -> list[RowGroup]:
    """Return changes as the rows of events, in order. Another table, kind or columns begin a new one."""
    groups: list[RowGroup] = []
    encoders: dict[Table, _Encoder] = {}
    for change in changes:
        encoder = encoders.setdefault(change.table, _Encoder(change.table, row_image, modern=modern))
        kind = "write" if change.before is None else "delete" if change.after is None else "update"
        before, after = encoder.present(change)
        image = encoder.image(change.before, before) if change.before is not None else b""
        image += encoder.image(change.after, after) if change.after is not None else b""
        bits = encoder.bits(before), encoder.bits(after)
        last = groups[-1] if groups else None
        if (
            last is None
            or (last.table, last.kind, last.before, last.after) != (change.table, kind, *bits)
            or last.size + len(image) > max_size
        ):
            last = RowGroup(change.table, kind, *bits)
            groups.append(last)
        last.images.append(image)
        last.changes.append(change)
    return groups
