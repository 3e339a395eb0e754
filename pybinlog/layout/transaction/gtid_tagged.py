"""Gtid_tagged: a GTID with a tag (8.3 and later), in the format of MySQL's serialization library.

A message is: version of the format, size of the whole message, the last field that a reader must know, and then pairs
of field id and value, each an integer of variable length unless it says otherwise.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from construct import GreedyBytes, Rebuild, Struct, Switch, this

from pybinlog.event_types import EventType
from pybinlog.layout.declaration import declare
from pybinlog.layout.integer import VarlenSigned, VarlenUnsigned
from pybinlog.layout.primitive import Coded, PrefixedText, Times, UntilEnd


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


_FIELD = Struct(
    "id" / Coded(VarlenUnsigned(), GtidField),
    "value"
    / Switch(
        this.id,
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
        default=GreedyBytes,
    ),
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
    "serialization_version" / Rebuild(VarlenUnsigned(), lambda context: context.get("serialization_version") or 1),
    "message_size" / Rebuild(VarlenUnsigned(), _message_size),
    "last_non_ignorable_field_id"
    / Rebuild(VarlenUnsigned(), lambda context: context.get("last_non_ignorable_field_id") or 0),
    "fields" / _FIELDS,
)
"""`fields` are (id, value); an original timestamp or version that equals the immediate one is not stored."""


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
