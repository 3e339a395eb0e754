"""The properties of the events after a Format_description: server, checksums, lengths of the headers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pybinlog.errors import CorruptEventError
from pybinlog.event_types import COMMON_HEADER_LENGTH, EventType
from pybinlog.layout.envelope import (
    CHECKSUM_CRC32,
    CHECKSUM_LENGTH,
    CHECKSUM_NONE,
    CHECKSUM_UNDEFINED,
    knows_checksums,
    parse_event,
    split_version,
)

_MYSQL_9_7 = bytes.fromhex("000d0008000000000400040000006300041a08000000000000020000000a0a0a2a2a001234000a280000")
_ROWS_V1_LENGTH = 8


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
