"""Whole events: header, body, checksum; from bytes and to bytes; and the Format that they have."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from construct import Bytes, Construct, ConstructError, Container, Default, Int8ul, Int16ul, Int32ul, Struct

from pybinlog.errors import CorruptEventError
from pybinlog.event_types import COMMON_HEADER_LENGTH, EventFlag, EventType, printed_name, type_in_log
from pybinlog.layout.primitive import DECLARATIONS, UNKNOWN, Coded

CHECKSUM_NONE = 0
CHECKSUM_CRC32 = 1
CHECKSUM_UNDEFINED = 255
"""The server is older than event checksums."""
CHECKSUM_LENGTH = 4


def split_version(server_version: str) -> tuple[int, int, int]:
    """("9.7.4-2") -> (9, 7, 4); what cannot be read counts as 0."""
    numbers = re.match(r"(\d+)\.(\d+)\.(\d+)", server_version)
    return (int(numbers[1]), int(numbers[2]), int(numbers[3])) if numbers else (0, 0, 0)


def knows_checksums(server_version: str) -> bool:
    """Return True if a server of that version names a checksum algorithm: MySQL from 5.6.1, MariaDB from 5.3."""
    first = (5, 3, 0) if "mariadb" in server_version.lower() else (5, 6, 1)
    return split_version(server_version) >= first


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


_FLAGS = 17
_SHORT_READ = re.compile(r"stream read less than specified amount, expected (\d+), found (\d+)")
_SERVER_VERSION = 50
_MYSQL_9_7 = bytes.fromhex("000d0008000000000400040000006300041a08000000000000020000000a0a0a2a2a001234000a280000")
_ROWS_V1_LENGTH = 8
_ALWAYS_SHORT_HEADER = frozenset({EventType.FORMAT_DESCRIPTION, EventType.ROTATE})
"""They can come before a Format_description was read, so their header has 19 bytes whatever that says."""


@dataclass(frozen=True)
class Format:
    """The Format_description in force.

    `checksum_algorithm` is 0 (none), 1 (CRC32) or 255 (the server knows no checksums); `header_length` counts bytes of
    the common header; `post_header_lengths[type - 1]` are the bytes of each event type's post-header.
    """

    server_version: str
    version: tuple[int, int, int]
    mariadb: bool
    checksum_algorithm: int
    header_length: int
    post_header_lengths: bytes

    @classmethod
    def of(
        cls,
        server_version: str,
        checksum_algorithm: int | None = None,
        post_header_lengths: bytes = _MYSQL_9_7,
        header_length: int = COMMON_HEADER_LENGTH,
    ) -> Format:
        """Return a format from its parts; `version` and `mariadb` follow from the server's version text.

        Without `checksum_algorithm` it is CRC32 if the server knows checksums.
        """
        if checksum_algorithm is None:
            checksum_algorithm = CHECKSUM_CRC32 if knows_checksums(server_version) else CHECKSUM_UNDEFINED
        return cls(
            server_version=server_version,
            version=split_version(server_version),
            mariadb="mariadb" in server_version.lower(),
            checksum_algorithm=checksum_algorithm,
            header_length=header_length,
            post_header_lengths=post_header_lengths,
        )

    @classmethod
    def default(cls) -> Format:
        """Return the format of a MySQL 9.7 server: CRC32 checksums and its table of post-header lengths."""
        return cls.of("9.7.0")

    @classmethod
    def from_event(cls, data: bytes) -> Format:
        """Return the format that the bytes of a Format_description event declare. Raise CorruptEventError."""
        event = parse_event(data, cls.default())
        if event.header.event_type != EventType.FORMAT_DESCRIPTION:
            raise CorruptEventError(f"event type {int(event.header.event_type)} is not a Format_description")
        body = event.body
        if body.header_length < COMMON_HEADER_LENGTH:
            raise CorruptEventError(f"Format_description: a common header of {body.header_length} bytes")
        return cls.of(
            body.server_version.split("\0")[0],
            CHECKSUM_UNDEFINED if body.checksum_algorithm is None else body.checksum_algorithm,
            bytes(body.post_header_lengths),
            body.header_length,
        )

    @property
    def checksum_length(self) -> int:
        """The bytes of checksum at the end of each event but the Format_description itself."""
        return 0 if self.checksum_algorithm in (CHECKSUM_NONE, CHECKSUM_UNDEFINED) else CHECKSUM_LENGTH

    def without_checksum(self) -> Format:
        """Return the format of the events inside a Transaction_payload, which carry no checksum."""
        return replace(self, checksum_algorithm=CHECKSUM_NONE) if self.checksum_length else self

    def post_header_length(self, event_type: int) -> int:
        """Return the length of an event type's post-header; 0 if the table does not reach so far.

        A server that no longer writes version 1 row events (9.x) puts 0 for them; they have 8 bytes nevertheless.
        """
        table = self.post_header_lengths
        length = table[event_type - 1] if 0 < event_type <= len(table) else 0
        if not length and EventType.WRITE_ROWS_V1 <= event_type <= EventType.DELETE_ROWS_V1:
            return _ROWS_V1_LENGTH
        return length


def _field_path(error: ConstructError) -> str:
    """Return construct's "(parsing) -> status_vars -> 2 -> value" as status_vars[2].value."""
    text = ""
    for step in (error.path or "").split(" -> ")[1:]:
        text += f"[{step}]" if step.isdigit() else f".{step}" if text else step
    return text


def _reason(error: ConstructError) -> str:
    """Return the first line of construct's message, which otherwise repeats the path."""
    lines = [line for line in str(error).splitlines() if line and not line.startswith("Error in path")]
    if not lines:
        return type(error).__name__
    short = _SHORT_READ.match(lines[0])
    return f"{short[1]} bytes are needed, {short[2]} are left" if short else lines[0]


def _header_length(event_type: int, format: Format) -> int:
    return COMMON_HEADER_LENGTH if event_type in _ALWAYS_SHORT_HEADER else format.header_length


def _checksum_length(event_type: int, body: bytes | memoryview, format: Format) -> int:
    """Return the length of an event's checksum; a Format_description always has one if its server knows checksums."""
    if event_type != EventType.FORMAT_DESCRIPTION:
        return format.checksum_length
    version = bytes(body[2 : 2 + _SERVER_VERSION]).split(b"\0")[0].decode("latin-1")
    return CHECKSUM_LENGTH if knows_checksums(version) else 0


def _declaration(event_type: int) -> Construct:
    return DECLARATIONS.get(event_type, UNKNOWN)


def _parse(construct: Construct, what: str, data: bytes, **context: Any) -> Container:
    try:
        return construct.parse(data, **context)
    except ConstructError as error:
        path = _field_path(error)
        raise CorruptEventError(f"{what}: {_reason(error)}{f' (in {path})' if path else ''}") from error


def parse_body(event_type: int, data: bytes, format: Format) -> Container:
    """Return the fields of an event's body (the bytes between common header and checksum).

    A type that is not known gives one field, `data`. Raise CorruptEventError, which names the field.
    """
    what = printed_name(event_type) if event_type in DECLARATIONS else f"event type {int(event_type)}"
    return _parse(_declaration(event_type), what, data, format=format, event_type=event_type)


def build_body(event_type: int, body: Mapping[str, Any], format: Format) -> bytes:
    """Return the bytes of a body. Raise ValueError if a field is missing or does not fit."""
    try:
        return _declaration(event_type).build(Container(body), format=format, event_type=event_type)
    except (ConstructError, KeyError, TypeError, AttributeError, struct.error) as error:
        where = _field_path(error) if isinstance(error, ConstructError) else ""
        reason = _reason(error) if isinstance(error, ConstructError) else f"{type(error).__name__} {error}"
        raise ValueError(
            f"cannot build {printed_name(event_type)}: {reason}{f' (in {where})' if where else ''}"
        ) from error


def parse_event(data: bytes, format: Format, event_type: int | None = None) -> Container:
    """Return the `header`, `body` and `checksum` (an integer, or None if there is none) of one event.

    `data` is the whole event, `format` the Format_description in force. The body is that of `event_type`; if it is not
    given, that of what the header's code means in such a log. The checksum is not verified (see `crc32`).
    Raise CorruptEventError.
    """
    if len(data) < COMMON_HEADER_LENGTH:
        raise CorruptEventError(f"an event of {len(data)} bytes: the header alone has {COMMON_HEADER_LENGTH}")
    code = data[4]
    header_length = _header_length(code, format)
    header = _parse(COMMON_HEADER, "event header", data, header_length=header_length)
    if header.event_size != len(data):
        raise CorruptEventError(f"the event says that it has {header.event_size} bytes, and has {len(data)}")
    checksum_length = _checksum_length(code, memoryview(data)[header_length:], format)
    if len(data) < header_length + checksum_length:
        raise CorruptEventError(f"an event of {len(data)} bytes has no room for its header and checksum")
    end = len(data) - checksum_length
    if event_type is None:
        event_type = type_in_log(code, header.flags, format.mariadb)
    return Container(
        header=header,
        body=parse_body(event_type, data[header_length:end], format),
        checksum=int.from_bytes(data[end:], "little") if checksum_length else None,
    )


def crc32(data: bytes) -> int:
    """Return the checksum of an event's bytes, less its checksum; that of a Format_description omits the in-use
    flag.
    """
    if data[4] == EventType.FORMAT_DESCRIPTION and data[_FLAGS] & EventFlag.BINLOG_IN_USE:
        data = data[:_FLAGS] + bytes((data[_FLAGS] & ~EventFlag.BINLOG_IN_USE,)) + data[_FLAGS + 1 :]
    return zlib.crc32(data)


def build_event(container: Mapping[str, Any], format: Format) -> bytes:
    """Return the bytes of an event; event_size is computed, and the checksum if the container has none.

    Raise ValueError.
    """
    header = Container(container["header"])
    body = build_body(type_in_log(header["event_type"], header["flags"], format.mariadb), container["body"], format)
    return _built_event(header, body, container.get("checksum"), format)


def _built_event(
    header: Container, body: bytes, checksum: int | None, format: Format, position: int | None = None
) -> bytes:
    event_type = header["event_type"]
    header_length = _header_length(event_type, format)
    checksum_length = _checksum_length(event_type, body, format)
    header["event_size"] = header_length + len(body) + checksum_length
    if position is not None:
        header["end_log_pos"] = position + header["event_size"] & 0xFFFFFFFF
    try:
        data = COMMON_HEADER.build(header, header_length=header_length) + body
    except (ConstructError, KeyError, struct.error) as error:
        raise ValueError(f"cannot build the header of {printed_name(event_type)}: {error}") from error
    if not checksum_length:
        return data
    if checksum is None:
        checksum = crc32(data)
    return data + checksum.to_bytes(CHECKSUM_LENGTH, "little")


def new_event(
    event_type: int,
    body: Mapping[str, Any] | bytes,
    format: Format,
    *,
    timestamp: int = 0,
    server_id: int = 1,
    flags: int = 0,
    end_log_pos: int | None = None,
    position: int | None = None,
) -> bytes:
    """Return the bytes of a new event, its size and checksum computed. `body` has the fields, or is built already.

    `end_log_pos` is 0 if it is not given, or follows from the event's `position` in its file. Raise ValueError.
    """
    header = Container(
        timestamp=timestamp, event_type=event_type, server_id=server_id, end_log_pos=end_log_pos or 0, flags=flags
    )
    if not isinstance(body, bytes):
        body = build_body(type_in_log(event_type, flags, format.mariadb), body, format)
    return _built_event(header, body, None, format, position if end_log_pos is None else None)
