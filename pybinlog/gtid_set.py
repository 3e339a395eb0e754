"""GTID sets as text: "uuid:1-5:9:tag:1-3,uuid:7"."""

from __future__ import annotations

import re

__all__ = ["Interval", "parse_gtid_set"]

Interval = tuple[bytes, bytes, int, int]
"""(uuid of 16 bytes, tag or b"", first number, number behind the last)"""

UUID = re.compile(r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}")
TAG = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,31}")
NUMBERS = re.compile(r"(\d{1,20})(?:\s*-\s*(\d{1,20}))?")
LARGEST = (1 << 63) - 2


def parse_gtid_set(text: str) -> list[Interval]:
    """The intervals of a GTID set, sorted, those that touch made one.

    ValueError, with the part that is wrong, where the text is no GTID set (MySQL manual, "GTID Sets").
    """
    intervals: list[Interval] = []
    for part in text.split(","):
        part = part.strip()
        if not part:
            continue
        uuid_text, *rest = (piece.strip() for piece in part.split(":"))
        if not UUID.fullmatch(uuid_text):
            raise ValueError(f"{uuid_text!r} is not a server's UUID")
        uuid = bytes.fromhex(uuid_text.replace("-", ""))
        tag = b""
        for piece in rest:
            numbers = NUMBERS.fullmatch(piece)
            if numbers:
                first = int(numbers[1])
                last = int(numbers[2] or numbers[1])
                if first < 1 or last > LARGEST:
                    raise ValueError(f"{piece!r} is not an interval of transaction numbers")
                if first <= last:
                    intervals.append((uuid, tag, first, last + 1))
            elif TAG.fullmatch(piece):
                tag = piece.lower().encode()
            else:
                raise ValueError(f"{piece!r} is neither an interval of transaction numbers nor a tag")
    return joined(intervals)


def joined(intervals: list[Interval]) -> list[Interval]:
    """Sorted, with none that overlap or touch: a look-up then needs the nearest one only."""
    result: list[Interval] = []
    for uuid, tag, start, end in sorted(intervals):
        if result and result[-1][:2] == (uuid, tag) and start <= result[-1][3]:
            result[-1] = (uuid, tag, result[-1][2], max(end, result[-1][3]))
        else:
            result.append((uuid, tag, start, end))
    return result
