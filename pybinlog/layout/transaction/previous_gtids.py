"""Previous_gtids: the GTIDs of all earlier logs, with tags (8.3 and later) and without."""

from __future__ import annotations

from typing import Any

from construct import (
    Adapter,
    Bytes,
    Computed,
    Container,
    FormatFieldError,
    Int64ul,
    IntegerError,
    PrefixedArray,
    Rebuild,
    Struct,
    this,
)

from pybinlog.event_types import EventType
from pybinlog.layout.declaration import declare
from pybinlog.layout.integer import VarlenUnsigned
from pybinlog.layout.primitive import PrefixedText, Times, When

TAGGED = 1


class _SetHeader(Adapter):
    """The highest of 8 bytes is the format; a tagged set repeats it in the lowest, and counts in those between."""

    def _decode(self, obj: int, context: Any, path: str) -> Container:
        form = obj >> 56
        if form == 0:
            return Container(format=0, count=obj)
        if form == TAGGED and obj & 0xFF == TAGGED:
            return Container(format=TAGGED, count=obj >> 8 & (1 << 48) - 1)
        raise FormatFieldError(f"a GTID set of unknown format {form}", path=path)

    def _encode(self, obj: Any, context: Any, path: str) -> int:
        if obj.format == 0 and obj.count < 1 << 56:
            return int(obj.count)
        if obj.format == TAGGED and obj.count < 1 << 48:
            return TAGGED << 56 | obj.count << 8 | TAGGED
        raise IntegerError(f"no GTID set of format {obj.format} with {obj.count} sources", path=path)


def _header(context: Any) -> Container:
    """Tagged if any source has a tag, or if the set was parsed as tagged."""
    tagged = context.get("tagged") or any(source.get("tag") for source in context.sources)
    return Container(format=TAGGED if tagged else 0, count=len(context.sources))


_INTERVAL = Struct("start" / Int64ul, "end" / Int64ul)

_SOURCE = Struct(
    "sid" / Bytes(16),
    "tag" / When(lambda context: context._.header.format == TAGGED, PrefixedText(VarlenUnsigned())),
    "intervals" / PrefixedArray(Int64ul, _INTERVAL),
)

PREVIOUS_GTIDS = declare(
    EventType.PREVIOUS_GTIDS,
    "header" / Rebuild(_SetHeader(Int64ul), _header),
    "tagged" / Computed(lambda context: context.header.format == TAGGED),
    "sources" / Times(this.header.count, _SOURCE),
)
"""For each source (and tag) its intervals; `end` is the number after the interval's last."""
