"""EventGtids: for each event of a log the GTID of its transaction, as the view events has it."""

from __future__ import annotations

from pybinlog.errors import OutOfMemory
from pybinlog.event_types import printed_name
from pybinlog.kernel.views import view_events as kernel
from pybinlog.kernel.views.event_columns import EventColumns
from pybinlog.views.column_values import Strings
from pybinlog.views.kind import Kind
from pybinlog.views.options import ViewOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.kernel.base.batch import EventBatch

ALL = (1 << 63) - 1


class EventGtids:
    """Give it every batch of the log, in order."""

    def __init__(self) -> None:
        self._columns = EventColumns({"gtid"}, ViewOptions().filter(), [printed_name(kind) for kind in range(256)])
        self._columns.permissive = True
        self._columns.most_rows = self._columns.most_bytes = ALL

    def of(self, batch: EventBatch) -> Strings:
        """A string, or null, for each event of the batch."""
        columns, at = self._columns, 0
        while at < batch.count:
            at = columns.add(batch, at)
            if columns.status == kernel.VIEW_DONE:
                break
            header = batch.header(min(at, batch.count - 1))
            if columns.status == kernel.VIEW_NO_MEMORY:
                raise OutOfMemory(
                    "there is no memory for the GTIDs of events", file=batch.file, position=header.position
                )
            if columns.status == kernel.VIEW_PAYLOAD:
                columns.enter_payload(header.position, header.end)  # its events are those of its transaction
                columns.leave_payload()
            at += 1
        return Strings(Kind.STRING, columns.take()["gtid"])
