"""Events about the log itself: Format_description, Rotate, Stop, Heartbeat ..., and those of group replication."""

from enum import IntEnum
from typing import Any

import construct as cs

from pybinlog.event_types import EventType
from pybinlog.layout.envelope import knows_checksums
from pybinlog.layout.integer import LengthEncodedInteger
from pybinlog.layout.primitive import (
    Bounded,
    Coded,
    PrefixedText,
    Tagged,
    Times,
    UntilEnd,
    Utf8,
    When,
    declare,
    encoded_length,
    remaining,
)


class WithoutPadding(Utf8):
    """A text in a fixed width, filled up with NUL bytes."""

    def _decode(self, obj: bytes, context: Any, path: str) -> str:
        return super()._decode(obj.rstrip(b"\0"), context, path)


SERVER_VERSION = WithoutPadding(cs.FixedSized(50, cs.GreedyBytes))
"""The server's version in 50 bytes."""


def _aware(context: Any) -> bool:
    return knows_checksums(context.server_version.split("\0")[0])


def _table_length(context: Any) -> int:
    return remaining(context._io) - (1 if _aware(context) else 0)


FORMAT_DESCRIPTION = declare(
    EventType.FORMAT_DESCRIPTION,
    "binlog_version" / cs.Int16ul,
    "server_version" / SERVER_VERSION,
    "create_timestamp" / cs.Int32ul,
    "header_length" / cs.Int8ul,
    "post_header_lengths"
    / cs.Bytes(lambda context: _table_length(context) if context._parsing else len(context.post_header_lengths)),
    "checksum_algorithm" / When(_aware, cs.Int8ul),
)
"""`checksum_algorithm` is None if the server is older than checksums; else the event ends with a CRC32."""


START_V3 = declare(
    EventType.START_V3,
    "binlog_version" / cs.Int16ul,
    "server_version" / SERVER_VERSION,
    "create_timestamp" / cs.Int32ul,
)
"""The first event of a log before v4."""

STOP = declare(EventType.STOP)
"""The server shut down; no body."""


def _has_position(context: Any) -> bool:
    return context._params.format.post_header_length(context._params.event_type) > 0


ROTATE = declare(EventType.ROTATE, "position" / When(_has_position, cs.Int64ul), "new_log_ident" / Utf8(cs.GreedyBytes))
"""The next log and the position of its first event; without post-header `position` is None and stands for 4."""

SLAVE = declare(
    EventType.SLAVE,
    "master_pos" / cs.Int64ul,
    "master_port" / cs.Int16ul,
    "master_host" / Utf8(cs.NullTerminated(cs.GreedyBytes)),
    "master_log" / Utf8(cs.GreedyBytes),
)
"""The position of a replica (servers before 5.0)."""


class Incident(IntEnum):
    """The incidents that an Incident event reports."""

    NONE = 0
    LOST_EVENTS = 1


INCIDENT = declare(EventType.INCIDENT, "incident" / Coded(cs.Int16ul, Incident), "message" / PrefixedText(cs.Int8ul))
"""Something out of the ordinary befell the source: the log may lack changes."""

IGNORABLE = declare(EventType.IGNORABLE, "data" / cs.GreedyBytes)
"""An event that a reader may skip (WL#4033); MySQL writes no body."""

HEARTBEAT = declare(EventType.HEARTBEAT, "log_ident" / Utf8(cs.GreedyBytes))
"""Sent to a replica in place of events; the log's name, and the position in the common header."""


class HeartbeatField(IntEnum):
    """The typed fields of a version 2 Heartbeat."""

    END_MARK = 0
    LOG_FILENAME = 1
    LOG_POSITION = 2


_HEARTBEAT_FIELD = Tagged(
    "type" / Coded(LengthEncodedInteger(), HeartbeatField),
    {HeartbeatField.LOG_FILENAME: Utf8(cs.GreedyBytes), HeartbeatField.LOG_POSITION: LengthEncodedInteger()},
    lambda value: When(cs.this.type != HeartbeatField.END_MARK, Bounded(LengthEncodedInteger(), value)),
)

HEARTBEAT_V2 = declare(EventType.HEARTBEAT_V2, "fields" / UntilEnd(_HEARTBEAT_FIELD))
"""A Heartbeat with 64-bit positions (8.0.26): typed fields up to an end mark."""


TRANSACTION_CONTEXT = declare(
    EventType.TRANSACTION_CONTEXT,
    "server_uuid_length" / cs.Rebuild(cs.Int8ul, lambda context: encoded_length(context.server_uuid)),
    "thread_id" / cs.Int32ul,
    "gtid_specified" / cs.Int8ul,
    "snapshot_version_length" / cs.Rebuild(cs.Int32ul, cs.len_(cs.this.snapshot_version)),
    "write_set_count" / cs.Rebuild(cs.Int32ul, cs.len_(cs.this.write_set)),
    "read_set_count" / cs.Rebuild(cs.Int32ul, cs.len_(cs.this.read_set)),
    "server_uuid" / Utf8(cs.Bytes(cs.this.server_uuid_length)),
    "snapshot_version" / cs.Bytes(cs.this.snapshot_version_length),
    "write_set" / Times(cs.this.write_set_count, cs.Prefixed(cs.Int16ul, cs.GreedyBytes)),
    "read_set" / Times(cs.this.read_set_count, cs.Prefixed(cs.Int16ul, cs.GreedyBytes)),
)
"""The rows that a transaction read and wrote, for the certification; `snapshot_version` is an encoded GTID set."""

VIEW_CHANGE = declare(
    EventType.VIEW_CHANGE,
    "view_id" / WithoutPadding(cs.FixedSized(40, cs.GreedyBytes)),
    "sequence_number" / cs.Int64ul,
    "certification_info_count" / cs.Rebuild(cs.Int32ul, cs.len_(cs.this.certification_info)),
    "certification_info"
    / Times(
        cs.this.certification_info_count,
        cs.Struct("key" / PrefixedText(cs.Int16ul), "value" / cs.Prefixed(cs.Int32ul, cs.GreedyBytes)),
    ),
)
"""The group's members changed; `certification_info` maps write set items to encoded GTID sets."""
