"""The file of MySQL's old plugin keyring_file (up to 8.4): records of binary fields, each key obfuscated.

After the magic come records: five u64, little-endian (bytes of the record, of key id, type, user and key), then the
four fields, padded with zeros to a multiple of 8; then `EOF`, and in version 2.0 a SHA-256 digest. Learned from the
keyrings of MySQL's own test suite.
"""

from __future__ import annotations

from itertools import cycle

from pybinlog.errors import SourceError
from pybinlog.keyring.component_file import log_keys

MAGIC = b"Keyring file version:"
HEAD = len(MAGIC) + 3
"""Bytes before the first record: the magic and a version such as 2.0."""
END = b"EOF"
LENGTHS = 5 * 8
OBFUSCATION = b"*305=Ljt0*!@$Hnm(*-9-w;:"
"""The bytes that each key is XORed with, repeatedly."""


def keys(data: bytes, path: str) -> dict[str, bytes]:
    """Return the keys for logs by id. Raise SourceError if a record is cut or its lengths contradict each other."""
    found: dict[str, bytes] = {}
    at = HEAD
    while not data.startswith(END, at):
        lengths = [int.from_bytes(data[at + 8 * i : at + 8 * i + 8], "little") for i in range(5)]
        record, *fields = lengths
        if at + LENGTHS > len(data) or record > len(data) - at or LENGTHS + sum(fields) > record:
            raise SourceError(
                "the keyring is damaged or cut: a record reaches beyond its end",
                file=path,
                position=at,
                hint="Copy it again from its server",
            )
        begin = at + LENGTHS
        key_id = data[begin : begin + fields[0]].decode("utf-8", "surrogateescape")
        begin += fields[0] + fields[1] + fields[2]
        found[key_id] = bytes(a ^ b for a, b in zip(data[begin : begin + fields[3]], cycle(OBFUSCATION), strict=False))
        at += record
    return log_keys(found, path)
