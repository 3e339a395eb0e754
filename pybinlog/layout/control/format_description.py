"""Format_description: the first event of every binary log."""

from __future__ import annotations

from typing import Any

from construct import Bytes, FixedSized, GreedyBytes, Int8ul, Int16ul, Int32ul

from pybinlog.event_types import EventType
from pybinlog.layout.declaration import declare
from pybinlog.layout.primitive import Utf8, When, remaining
from pybinlog.layout.version import knows_checksums


class WithoutPadding(Utf8):
    """A text in a fixed width, filled up with NUL bytes."""

    def _decode(self, obj: bytes, context: Any, path: str) -> str:
        return super()._decode(obj.rstrip(b"\0"), context, path)


SERVER_VERSION = WithoutPadding(FixedSized(50, GreedyBytes))
"""The server's version in 50 bytes."""


def _aware(context: Any) -> bool:
    return knows_checksums(context.server_version.split("\0")[0])


def _table_length(context: Any) -> int:
    return remaining(context._io) - (1 if _aware(context) else 0)


FORMAT_DESCRIPTION = declare(
    EventType.FORMAT_DESCRIPTION,
    "binlog_version" / Int16ul,
    "server_version" / SERVER_VERSION,
    "create_timestamp" / Int32ul,
    "header_length" / Int8ul,
    "post_header_lengths"
    / Bytes(lambda context: _table_length(context) if context._parsing else len(context.post_header_lengths)),
    "checksum_algorithm" / When(_aware, Int8ul),
)
"""`checksum_algorithm` is None if the server is older than checksums; else the event ends with a CRC32."""
