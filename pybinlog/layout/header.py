"""The common header that begins every event (manual: "Binary Log Event Header Fields")."""

from __future__ import annotations

from construct import Bytes, Default, Int8ul, Int16ul, Int32ul, Struct

from pybinlog.event_types import COMMON_HEADER_LENGTH, EventType
from pybinlog.layout.primitive import Coded

COMMON_HEADER = Struct(
    "timestamp" / Int32ul,
    "event_type" / Coded(Int8ul, EventType),
    "server_id" / Int32ul,
    "event_size" / Int32ul,
    "end_log_pos" / Int32ul,
    "flags" / Int16ul,
    "extra_headers" / Default(Bytes(lambda context: max(0, context._params.header_length - COMMON_HEADER_LENGTH)), b""),
)
"""19 bytes, and `extra_headers` if the Format_description declares a longer header (no server does)."""
