"""The events of group replication: Transaction_context and View_change."""

from __future__ import annotations

from construct import (
    Bytes,
    FixedSized,
    GreedyBytes,
    Int8ul,
    Int16ul,
    Int32ul,
    Int64ul,
    Prefixed,
    Rebuild,
    Struct,
    len_,
    this,
)

from pybinlog.event_types import EventType
from pybinlog.layout.control.format_description import WithoutPadding
from pybinlog.layout.declaration import declare
from pybinlog.layout.primitive import PrefixedText, Times, Utf8, encoded_length

TRANSACTION_CONTEXT = declare(
    EventType.TRANSACTION_CONTEXT,
    "server_uuid_length" / Rebuild(Int8ul, lambda context: encoded_length(context.server_uuid)),
    "thread_id" / Int32ul,
    "gtid_specified" / Int8ul,
    "snapshot_version_length" / Rebuild(Int32ul, len_(this.snapshot_version)),
    "write_set_count" / Rebuild(Int32ul, len_(this.write_set)),
    "read_set_count" / Rebuild(Int32ul, len_(this.read_set)),
    "server_uuid" / Utf8(Bytes(this.server_uuid_length)),
    "snapshot_version" / Bytes(this.snapshot_version_length),
    "write_set" / Times(this.write_set_count, Prefixed(Int16ul, GreedyBytes)),
    "read_set" / Times(this.read_set_count, Prefixed(Int16ul, GreedyBytes)),
)
"""The rows that a transaction read and wrote, for the certification; `snapshot_version` is an encoded GTID set."""

VIEW_CHANGE = declare(
    EventType.VIEW_CHANGE,
    "view_id" / WithoutPadding(FixedSized(40, GreedyBytes)),
    "sequence_number" / Int64ul,
    "certification_info_count" / Rebuild(Int32ul, len_(this.certification_info)),
    "certification_info"
    / Times(
        this.certification_info_count, Struct("key" / PrefixedText(Int16ul), "value" / Prefixed(Int32ul, GreedyBytes))
    ),
)
"""The group's members changed; `certification_info` maps write set items to encoded GTID sets."""
