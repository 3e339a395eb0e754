"""GTID sets as text: MySQL's "uuid:1-5:9:tag:1-3,uuid:7", MariaDB's "0-1-3,0-1-5:9"; and MariaDB's positions."""

import re
from collections.abc import Iterable

SET_HINT = "A GTID set looks like 3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5:7, or for MariaDB 0-1-3,0-1-5:9"
POSITION_HINT = "A position by MariaDB's GTIDs names one for each domain, such as 0-1-3,1-1-4"

Interval = tuple[bytes, bytes, int, int]
"""(uuid of 16 bytes, tag or b"", first number, number after the last); of MariaDB (domain and server, 4 bytes each in
the log's order, then 8 zero bytes, MARIADB, first number, number after the last)."""

MariaGtid = tuple[int, int, int]
"""(domain, server, sequence number)"""

MARIADB = b"\x01"
"""Stands in the tag's place, and is none."""
UUID = re.compile(r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}")
IN_BRACES = re.compile(rf"\{{{UUID.pattern}\}}")
TAG = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,31}")
EVENT_GTID = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:([a-z_][a-z0-9_]{0,31}:)?[1-9][0-9]{0,17}"
    r"|(0|[1-9][0-9]{0,8})-(0|[1-9][0-9]{0,8})-(0|[1-9][0-9]{0,17})"  # MariaDB's
)
"""A GTID of an event as views have it."""
NUMBERS = re.compile(r"(\d{1,20})(?:\s*-\s*(\d{1,20}))?")
OF_MARIADB = re.compile(r"(\d{1,10})-(\d{1,10})-(\d{1,20})(?:\s*:\s*(\d{1,20}))?", re.ASCII)
LARGEST = (1 << 63) - 2
LARGEST_ID = (1 << 32) - 1
LARGEST_SEQUENCE = (1 << 64) - 1


def parse_gtid_set(text: str) -> list[Interval]:
    """Return the intervals of a GTID set, sorted, those that touch made one.

    MySQL's and MariaDB's GTIDs may stand in one set: no event has both. ValueError, with the part that is wrong, where
    the text is no GTID set (MySQL manual, "GTID Sets"; MariaDB manual, "Global Transaction ID").
    """
    intervals: list[Interval] = []
    for part in text.split(","):
        part = part.strip()
        if not part:
            continue
        uuid_text, *rest = (piece.strip() for piece in part.split(":"))
        if uuid := UUID.fullmatch(uuid_text) or IN_BRACES.fullmatch(uuid_text):
            intervals += intervals_of_mysql(bytes.fromhex(uuid[0].strip("{}").replace("-", "")), rest)
        elif OF_MARIADB.fullmatch(part):
            intervals += interval_of_mariadb(part)
        elif uuid_text.count("-") == 2 and uuid_text.replace("-", "").isdigit():
            raise ValueError(f"{part!r} is not a GTID of MariaDB, or a range of them")
        else:
            raise ValueError(f"{uuid_text!r} is neither a server's UUID nor a GTID of MariaDB")
    return joined(intervals)


def intervals_of_mysql(uuid: bytes, pieces: list[str]) -> list[Interval]:
    intervals: list[Interval] = []
    tag = b""
    for piece in pieces:
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
    return intervals


def source_of_event(text: str) -> tuple[bytes, bytes]:
    """Return the UUID and the tag of an event's "uuid" or "uuid:tag". The tag of a damaged event may hold any bytes."""
    uuid, _, tag = text.partition(":")
    return bytes.fromhex(uuid.replace("-", "")), tag.encode("utf-8", "surrogateescape")


def interval_of_mariadb(text: str) -> list[Interval]:
    """`0-1-3`, or `0-1-3:7` for the sequence numbers from 3 to 7; an interval that ends before it begins is empty."""
    match = OF_MARIADB.fullmatch(text)
    assert match is not None
    domain, server, first = maria_gtid(match)
    last = int(match[4] or first)
    if last > LARGEST_SEQUENCE:
        raise ValueError(f"{match[4]!r} is not a sequence number")
    if first > last:
        return []
    source = domain.to_bytes(4, "little") + server.to_bytes(4, "little") + bytes(8)
    return [(source, MARIADB, min(first, LARGEST), min(last, LARGEST) + 1)]


def maria_gtid(match: re.Match[str]) -> MariaGtid:
    domain, server, number = int(match[1]), int(match[2]), int(match[3])
    if domain > LARGEST_ID or server > LARGEST_ID or number > LARGEST_SEQUENCE:
        raise ValueError(f"{match[0]!r} is not a GTID of MariaDB: a number in it is too large")
    return domain, server, number


def looks_like_position(text: str) -> bool:
    """Return True if the text is a position by MariaDB's GTIDs, not a number of bytes."""
    return "-" in text.strip()[1:]


def parse_gtid_position(text: str) -> list[MariaGtid]:
    """Return a position in MariaDB's logs, `0-1-3,1-1-4`: one GTID for each domain, in the order given.

    ValueError where it is none (MariaDB manual, mariadb-binlog, --start-position).
    """
    found: dict[int, str] = {}
    position: list[MariaGtid] = []
    for part in text.split(","):
        match = OF_MARIADB.fullmatch(part.strip())
        if match is None or match[4] is not None:
            raise ValueError(f"{part.strip()!r} is not a GTID of MariaDB")
        gtid = maria_gtid(match)
        if gtid[0] in found:
            raise ValueError(f"{found[gtid[0]]} and {match[0]} are of the same domain; give one GTID for each")
        found[gtid[0]] = match[0]
        position.append(gtid)
    return position


def joined(intervals: list[Interval]) -> list[Interval]:
    """Sort intervals, and join those that overlap or touch: a look-up then needs only the nearest one."""
    result: list[Interval] = []
    for uuid, tag, start, end in sorted(intervals):
        if result and result[-1][:2] == (uuid, tag) and start <= result[-1][3]:
            result[-1] = (uuid, tag, result[-1][2], max(end, result[-1][3]))
        else:
            result.append((uuid, tag, start, end))
    return result


def interval_text(interval: Interval) -> str:
    """Return an interval as it is printed: `uuid:1-5`, `uuid:tag:7`, of MariaDB `0-1-3` or `0-1-3:7`."""
    source, tag, start, end = interval
    if tag == MARIADB:
        gtid = f"{int.from_bytes(source[:4], 'little')}-{int.from_bytes(source[4:8], 'little')}-{start}"
        return gtid if end - start == 1 else f"{gtid}:{end - 1}"
    digits = source.hex()
    uuid = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    numbers = f"{start}" if end - start == 1 else f"{start}-{end - 1}"
    return f"{uuid}:{tag.decode('latin-1') + ':' if tag else ''}{numbers}"


def intervals_text(intervals: Iterable[Interval], most: int = 4) -> str:
    """Return intervals as they are printed; those beyond `most` are only counted."""
    found = list(intervals)
    parts = [interval_text(interval) for interval in found[:most]]
    if len(found) > most:
        more = len(found) - most
        parts.append(f"and {more} more interval{'s' if more > 1 else ''}")
    return ", ".join(parts)
