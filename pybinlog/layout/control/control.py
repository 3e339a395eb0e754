"""Events about the log itself: Start_v3, Stop, Rotate, Slave, Incident, Ignorable, Heartbeat."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from construct import GreedyBytes, Int8ul, Int16ul, Int32ul, Int64ul, NullTerminated, Struct, Switch, this

from pybinlog.event_types import EventType
from pybinlog.layout.control.format_description import SERVER_VERSION
from pybinlog.layout.declaration import declare
from pybinlog.layout.integer import LengthEncodedInteger
from pybinlog.layout.primitive import Bounded, Coded, PrefixedText, UntilEnd, Utf8, When

START_V3 = declare(
    EventType.START_V3,
    "binlog_version" / Int16ul,
    "server_version" / SERVER_VERSION,
    "create_timestamp" / Int32ul,
)
"""The first event of a log before v4."""

STOP = declare(EventType.STOP)
"""The server shut down; no body."""


def _has_position(context: Any) -> bool:
    return context._params.format.post_header_length(context._params.event_type) > 0


ROTATE = declare(
    EventType.ROTATE,
    "position" / When(_has_position, Int64ul),
    "new_log_ident" / Utf8(GreedyBytes),
)
"""The next log and the position of its first event; without post-header `position` is None and stands for 4."""

SLAVE = declare(
    EventType.SLAVE,
    "master_pos" / Int64ul,
    "master_port" / Int16ul,
    "master_host" / Utf8(NullTerminated(GreedyBytes)),
    "master_log" / Utf8(GreedyBytes),
)
"""The position of a replica (servers before 5.0)."""


class Incident(IntEnum):
    """The incidents that an Incident event reports."""

    NONE = 0
    LOST_EVENTS = 1


INCIDENT = declare(
    EventType.INCIDENT,
    "incident" / Coded(Int16ul, Incident),
    "message" / PrefixedText(Int8ul),
)
"""Something out of the ordinary befell the source: the log may lack changes."""

IGNORABLE = declare(EventType.IGNORABLE, "data" / GreedyBytes)
"""An event that a reader may skip (WL#4033); MySQL writes no body."""

HEARTBEAT = declare(EventType.HEARTBEAT, "log_ident" / Utf8(GreedyBytes))
"""Sent to a replica in place of events; the log's name, and the position in the common header."""


class HeartbeatField(IntEnum):
    """The typed fields of a version 2 Heartbeat."""

    END_MARK = 0
    LOG_FILENAME = 1
    LOG_POSITION = 2


_HEARTBEAT_FIELD = Struct(
    "type" / Coded(LengthEncodedInteger(), HeartbeatField),
    "value"
    / When(
        this.type != HeartbeatField.END_MARK,
        Bounded(
            LengthEncodedInteger(),
            Switch(
                this.type,
                {HeartbeatField.LOG_FILENAME: Utf8(GreedyBytes), HeartbeatField.LOG_POSITION: LengthEncodedInteger()},
                default=GreedyBytes,
            ),
        ),
    ),
)

HEARTBEAT_V2 = declare(EventType.HEARTBEAT_V2, "fields" / UntilEnd(_HEARTBEAT_FIELD))
"""A Heartbeat with 64-bit positions (8.0.26): typed fields up to an end mark."""
