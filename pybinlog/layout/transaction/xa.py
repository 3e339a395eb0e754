"""The ends of transactions: Xid and XA_prepare."""

from __future__ import annotations

from construct import Bytes, Int8ul, Int32ul, Int64ul, this

from pybinlog.event_types import EventType
from pybinlog.layout.declaration import declare
from pybinlog.layout.primitive import XidPartLength

XID = declare(EventType.XID, "xid" / Int64ul)
"""The commit of a transaction."""

XA_PREPARE = declare(
    EventType.XA_PREPARE,
    "one_phase" / Int8ul,
    "format_id" / Int32ul,
    "gtrid_length" / XidPartLength(Int32ul, "gtrid"),
    "bqual_length" / XidPartLength(Int32ul, "bqual"),
    "gtrid" / Bytes(this.gtrid_length),
    "bqual" / Bytes(this.bqual_length),
)
"""XA PREPARE, or XA COMMIT ... ONE PHASE where `one_phase` is not 0 (WL#6860)."""
