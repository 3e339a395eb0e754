"""The fields of MariaDB's events that few logs hold many of: Gtid_list, Binlog_checkpoint and Start_encryption.

Each function is given an event's bytes after the header and before the checksum, and raises CorruptEventError where a
length in them reaches beyond their end.
"""

from __future__ import annotations

from pybinlog.log.compressed_event import beyond, integer

NONCE = 12


def gtid_list(body: bytes) -> list[tuple[int, int, int]]:
    """(domain, server, sequence number) of each GTID, in the event's order."""
    from pybinlog.kernel.scan.gtid_fields import maria_gtid_list

    listed: list[tuple[int, int, int]] | None = maria_gtid_list(body)
    if listed is None:
        raise beyond()
    return listed


def binlog_checkpoint(body: bytes) -> bytes:
    """The name of the oldest log that a recovery would read."""
    length = integer(body, 0, 4)
    if length > len(body) - 4:
        raise beyond()
    return body[4 : 4 + length]


def start_encryption(body: bytes) -> tuple[int, int, bytes]:
    """(scheme, version of the key, nonce)."""
    scheme, version, nonce = integer(body, 0, 1), integer(body, 1, 4), body[5 : 5 + NONCE]
    if len(nonce) < NONCE:
        raise beyond()
    return scheme, version, nonce
