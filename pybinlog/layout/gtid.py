"""Transactions: their GTIDs in every form, Previous_gtids, Xid, XA_prepare, and Transaction_payload."""

from enum import IntEnum
from typing import Any

import construct as cs

from pybinlog.event_types import EventType
from pybinlog.layout.integer import FlaggedPair, LengthEncodedInteger, VarlenSigned, VarlenUnsigned
from pybinlog.layout.primitive import (
    Bounded,
    Coded,
    PrefixedText,
    Tagged,
    Times,
    Trailing,
    UntilEnd,
    When,
    XidPartLength,
    declare,
)

FLAG_MAY_HAVE_SBR = 1
"""In the GTID flags: the transaction may hold statements (else it is rows only)."""
LOGICAL_TIMESTAMP_TYPECODE = 2

_HAS_CLOCK = cs.this.lt_type == LOGICAL_TIMESTAMP_TYPECODE
_HAS_TIMESTAMPS = cs.this.commit_timestamps != None
_HAS_LENGTH = cs.this.transaction_length != None

GTID = declare(
    (EventType.GTID, EventType.ANONYMOUS_GTID),
    "gtid_flags" / cs.Int8ul,
    "sid" / cs.Bytes(16),
    "gno" / cs.Int64sl,
    "lt_type" / Trailing(cs.Int8ul),
    "last_committed" / When(_HAS_CLOCK, cs.Int64sl),
    "sequence_number" / When(_HAS_CLOCK, cs.Int64sl),
    "commit_timestamps" / When(_HAS_CLOCK, Trailing(FlaggedPair(7), minimum=7)),
    "transaction_length" / When(_HAS_TIMESTAMPS, Trailing(LengthEncodedInteger())),
    "server_versions" / When(_HAS_LENGTH, Trailing(FlaggedPair(4), minimum=4)),
    "commit_group_ticket" / When(cs.this.server_versions != None, Trailing(cs.Int64ul, minimum=8)),
)
"""A transaction begins. The logical clock came with 5.7; commit timestamps (microseconds), length, versions with 8.0.

`commit_timestamps` and `server_versions` are pairs (immediate, original): of the immediate source and of the server
if the transaction was first committed. A part that the event does not hold is None.
"""


XID = declare(EventType.XID, "xid" / cs.Int64ul)
"""The commit of a transaction."""

XA_PREPARE = declare(
    EventType.XA_PREPARE,
    "one_phase" / cs.Int8ul,
    "format_id" / cs.Int32ul,
    "gtrid_length" / XidPartLength(cs.Int32ul, "gtrid"),
    "bqual_length" / XidPartLength(cs.Int32ul, "bqual"),
    "gtrid" / cs.Bytes(cs.this.gtrid_length),
    "bqual" / cs.Bytes(cs.this.bqual_length),
)
"""XA PREPARE, or XA COMMIT ... ONE PHASE where `one_phase` is not 0 (WL#6860)."""


TAGGED = 1


class _SetHeader(cs.Adapter):
    """The highest of 8 bytes is the format; a tagged set repeats it in the lowest, and counts in those between."""

    def _decode(self, obj: int, context: Any, path: str) -> cs.Container:
        form = obj >> 56
        if form == 0:
            return cs.Container(format=0, count=obj)
        if form == TAGGED and obj & 0xFF == TAGGED:
            return cs.Container(format=TAGGED, count=obj >> 8 & (1 << 48) - 1)
        raise cs.FormatFieldError(f"a GTID set of unknown format {form}", path=path)

    def _encode(self, obj: Any, context: Any, path: str) -> int:
        count = int(obj.count)
        return TAGGED << 56 | count << 8 | TAGGED if obj.format == TAGGED else count


def _header(context: Any) -> cs.Container:
    """Return a tagged header if any source has a tag, or if the set was parsed as tagged."""
    tagged = context.get("tagged") or any(source.get("tag") for source in context.sources)
    return cs.Container(format=TAGGED if tagged else 0, count=len(context.sources))


_INTERVAL = cs.Struct("start" / cs.Int64ul, "end" / cs.Int64ul)

_SOURCE = cs.Struct(
    "sid" / cs.Bytes(16),
    "tag" / When(lambda context: context._.header.format == TAGGED, PrefixedText(VarlenUnsigned())),
    "intervals" / cs.PrefixedArray(cs.Int64ul, _INTERVAL),
)

PREVIOUS_GTIDS = declare(
    EventType.PREVIOUS_GTIDS,
    "header" / cs.Rebuild(_SetHeader(cs.Int64ul), _header),
    "tagged" / cs.Computed(lambda context: context.header.format == TAGGED),
    "sources" / Times(cs.this.header.count, _SOURCE),
)
"""For each source (and tag) its intervals; `end` is the number after the interval's last."""


class GtidField(IntEnum):
    """The fields of a Gtid_tagged."""

    GTID_FLAGS = 0
    SID = 1
    GNO = 2
    TAG = 3
    LAST_COMMITTED = 4
    SEQUENCE_NUMBER = 5
    IMMEDIATE_COMMIT_TIMESTAMP = 6
    ORIGINAL_COMMIT_TIMESTAMP = 7
    TRANSACTION_LENGTH = 8
    IMMEDIATE_SERVER_VERSION = 9
    ORIGINAL_SERVER_VERSION = 10
    COMMIT_GROUP_TICKET = 11


_FIELD = Tagged(
    "id" / Coded(VarlenUnsigned(), GtidField),
    {
        GtidField.GTID_FLAGS: VarlenUnsigned(),
        GtidField.SID: Times(16, VarlenUnsigned()),
        GtidField.GNO: VarlenSigned(),
        GtidField.TAG: PrefixedText(VarlenUnsigned()),
        GtidField.LAST_COMMITTED: VarlenSigned(),
        GtidField.SEQUENCE_NUMBER: VarlenSigned(),
        GtidField.IMMEDIATE_COMMIT_TIMESTAMP: VarlenUnsigned(),
        GtidField.ORIGINAL_COMMIT_TIMESTAMP: VarlenUnsigned(),
        GtidField.TRANSACTION_LENGTH: VarlenUnsigned(),
        GtidField.IMMEDIATE_SERVER_VERSION: VarlenUnsigned(),
        GtidField.ORIGINAL_SERVER_VERSION: VarlenUnsigned(),
        GtidField.COMMIT_GROUP_TICKET: VarlenUnsigned(),
    },
)
_FIELDS = UntilEnd(_FIELD)


def _message_size(context: Any) -> int:
    """Return the message's size, which counts its own bytes."""
    rest = sum(
        len(construct.build(value))
        for construct, value in (
            (VarlenUnsigned(), context.get("serialization_version") or 1),
            (VarlenUnsigned(), context.get("last_non_ignorable_field_id") or 0),
            (_FIELDS, context.fields),
        )
    )
    size = rest + 1
    while (whole := rest + VarlenUnsigned.width(size)) != size:
        size = whole
    return size


GTID_TAGGED = declare(
    EventType.GTID_TAGGED,
    "serialization_version" / cs.Rebuild(VarlenUnsigned(), lambda context: context.get("serialization_version") or 1),
    "message_size" / cs.Rebuild(VarlenUnsigned(), _message_size),
    "last_non_ignorable_field_id"
    / cs.Rebuild(VarlenUnsigned(), lambda context: context.get("last_non_ignorable_field_id") or 0),
    "fields" / _FIELDS,
)
"""A message of MySQL's serialization library: version of the format, size of the whole message, the last field that a
reader must know, and pairs of field id and value, each an integer of variable length unless it says otherwise.

`fields` are (id, value); an original timestamp or version that equals the immediate one is not stored."""


def gtid_field(body: Any, field: GtidField) -> Any:
    """Return the value of one field of a Gtid_tagged; the immediate one's if an original is not stored, else None."""
    values = {item.id: item.value for item in body.fields}
    if field in values:
        return values[field]
    if field == GtidField.ORIGINAL_COMMIT_TIMESTAMP:
        return values.get(GtidField.IMMEDIATE_COMMIT_TIMESTAMP)
    if field == GtidField.ORIGINAL_SERVER_VERSION:
        return values.get(GtidField.IMMEDIATE_SERVER_VERSION)
    return None


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
_PAYLOAD_FIELD = Tagged(
    "type" / Coded(_LENENC, PayloadField),
    {
        PayloadField.PAYLOAD_SIZE: _LENENC,
        PayloadField.COMPRESSION_TYPE: Coded(_LENENC, CompressionType),
        PayloadField.UNCOMPRESSED_SIZE: _LENENC,
    },
    lambda value: When(cs.this.type != PayloadField.END_MARK, Bounded(_LENENC, value)),
)

TRANSACTION_PAYLOAD = declare(
    EventType.TRANSACTION_PAYLOAD,
    "fields" / cs.RepeatUntil(lambda field, _items, _context: field["type"] == PayloadField.END_MARK, _PAYLOAD_FIELD),
    "payload" / cs.GreedyBytes,
)
"""Typed fields up to an end mark, then the events of the transaction without their checksums."""
