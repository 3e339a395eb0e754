"""EventGtids: for each event of a log the GTID of its transaction, as the view events has it."""

from __future__ import annotations

from pybinlog.errors import OutOfMemory
from pybinlog.kernel.views import view_events as kernel
from pybinlog.views.column_values import Strings
from pybinlog.views.kernel_views import Making, events
from pybinlog.views.kind import Kind
from pybinlog.views.options import ViewOptions
from pybinlog.views.spill import Spill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.kernel.base.batch import EventBatch

ALL = (1 << 63) - 1


class EventGtids:
    """Give it every batch of the log, in order."""

    def __init__(self) -> None:
        options = ViewOptions(columns=("gtid",))
        self._rows = events(Making(options, options.definition, options.column_names, Spill()))
        self._rows.permissive = True
        self._rows.most_rows = self._rows.most_bytes = ALL

    def of(self, batch: EventBatch) -> Strings:
        """Return a string, or null, for each event of the batch."""
        rows, at = self._rows, 0
        while at < batch.count:
            at = rows.add(batch, at)
            if rows.status == kernel.VIEW_DONE:
                break
            header = batch.header(min(at, batch.count - 1))
            if rows.status == kernel.VIEW_NO_MEMORY:
                raise OutOfMemory(
                    "there is no memory for the GTIDs of events", file=batch.file, position=header.position
                )
            if rows.status == kernel.VIEW_PAYLOAD:
                rows.events.enter_payload(header.position, header.end)  # its events are those of its transaction
                rows.leave_payload()
            at += 1
        return Strings(Kind.STRING, rows.pop()["gtid"])
