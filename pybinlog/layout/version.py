"""The checksums of a server's events, by its version."""

from __future__ import annotations

import re

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
