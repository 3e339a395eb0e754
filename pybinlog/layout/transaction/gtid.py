"""Gtid and Anonymous_gtid, in every length that servers from 5.6 on write."""

from __future__ import annotations

from construct import Bytes, Int8ul, Int64sl, Int64ul, this

from pybinlog.event_types import EventType
from pybinlog.layout.declaration import declare
from pybinlog.layout.integer import FlaggedPair, LengthEncodedInteger
from pybinlog.layout.primitive import Trailing, When

FLAG_MAY_HAVE_SBR = 1
"""In the GTID flags: the transaction may hold statements (else it is rows only)."""
LOGICAL_TIMESTAMP_TYPECODE = 2

_HAS_CLOCK = this.lt_type == LOGICAL_TIMESTAMP_TYPECODE
_HAS_TIMESTAMPS = this.commit_timestamps != None
_HAS_LENGTH = this.transaction_length != None

GTID = declare(
    (EventType.GTID, EventType.ANONYMOUS_GTID),
    "gtid_flags" / Int8ul,
    "sid" / Bytes(16),
    "gno" / Int64sl,
    "lt_type" / Trailing(Int8ul),
    "last_committed" / When(_HAS_CLOCK, Int64sl),
    "sequence_number" / When(_HAS_CLOCK, Int64sl),
    "commit_timestamps" / When(_HAS_CLOCK, Trailing(FlaggedPair(7), minimum=7)),
    "transaction_length" / When(_HAS_TIMESTAMPS, Trailing(LengthEncodedInteger())),
    "server_versions" / When(_HAS_LENGTH, Trailing(FlaggedPair(4), minimum=4)),
    "commit_group_ticket" / When(this.server_versions != None, Trailing(Int64ul, minimum=8)),
)
"""A transaction begins. The logical clock came with 5.7; commit timestamps (microseconds), length, versions with 8.0.

`commit_timestamps` and `server_versions` are pairs (immediate, original): of the immediate source and of the server
if the transaction was first committed. A part that the event does not hold is None.
"""
