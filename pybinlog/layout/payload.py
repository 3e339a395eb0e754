"""Transaction_payload: the events of a whole transaction, compressed (8.0.20 and later)."""

from __future__ import annotations

from enum import IntEnum

from construct import GreedyBytes, RepeatUntil, Struct, Switch, this

from pybinlog.event_types import EventType
from pybinlog.layout.integer import LengthEncodedInteger
from pybinlog.layout.primitive import Bounded, Coded, When, declare


class PayloadField(IntEnum):
    """The typed fields of a Transaction_payload."""

    END_MARK = 0
    PAYLOAD_SIZE = 1
    COMPRESSION_TYPE = 2
    UNCOMPRESSED_SIZE = 3


class CompressionType(IntEnum):
    """How the payload is compressed."""

    ZSTD = 0
    NONE = 255


_LENENC = LengthEncodedInteger()
_FIELD = Struct(
    "type" / Coded(_LENENC, PayloadField),
    "value"
    / When(
        this.type != PayloadField.END_MARK,
        Bounded(
            _LENENC,
            Switch(
                this.type,
                {
                    PayloadField.PAYLOAD_SIZE: _LENENC,
                    PayloadField.COMPRESSION_TYPE: Coded(_LENENC, CompressionType),
                    PayloadField.UNCOMPRESSED_SIZE: _LENENC,
                },
                default=GreedyBytes,
            ),
        ),
    ),
)

TRANSACTION_PAYLOAD = declare(
    EventType.TRANSACTION_PAYLOAD,
    "fields" / RepeatUntil(lambda field, _items, _context: field["type"] == PayloadField.END_MARK, _FIELD),
    "payload" / GreedyBytes,
)
"""Typed fields up to an end mark, then the events of the transaction without their checksums."""
