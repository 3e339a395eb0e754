"""MySQL's keyring files: that of component_keyring_file, JSON with hexadecimal keys, and the old one of keyring_file.

Source: MySQL manual, "Using the component_keyring_file File-Based Keyring Component"; learned from a 9.7's file.
"""

from __future__ import annotations

import json
from itertools import cycle

from pybinlog.errors import SourceError

KEY_PREFIX = "MySQLReplicationKey_"
"""The prefix of the ids of keys for logs; the server's UUID and a number follow."""
KEY_SIZE = 32
"""Bytes of such a key, for AES-256."""


def component_keys(data: bytes, path: str) -> dict[str, bytes]:
    """Return the keys for logs by id. Raise SourceError if the file is not such a keyring, or holds no key for logs."""
    try:
        elements = json.loads(data)["elements"]
        found = {element["data_id"]: bytes.fromhex(element["data"]) for element in elements}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise SourceError(
            "not a keyring: the JSON lacks a list `elements` with `data_id` and `data` in hexadecimal digits",
            file=path,
            hint="Name the file that `path` in component_keyring_file.cnf names",
        ) from None
    return log_keys(found, path)


def log_keys(found: dict[str, bytes], path: str) -> dict[str, bytes]:
    """Return those of a MySQL server's keys that are for logs. Raise SourceError if there are none."""
    chosen = {key_id: key for key_id, key in found.items() if key_id.startswith(KEY_PREFIX) and len(key) == KEY_SIZE}
    if not chosen:
        raise SourceError(
            f"the keyring holds no key for binary logs: none of its {len(found)} ids begins with {KEY_PREFIX}",
            file=path,
            hint="Use the keyring of the server that wrote the logs",
        )
    return chosen


PLUGIN_MAGIC = b"Keyring file version:"
HEAD = len(PLUGIN_MAGIC) + 3
"""Bytes before the first record: the magic and a version such as 2.0."""
END = b"EOF"
LENGTHS = 5 * 8
OBFUSCATION = b"*305=Ljt0*!@$Hnm(*-9-w;:"
"""The bytes that each key is XORed with, repeatedly."""


def plugin_keys(data: bytes, path: str) -> dict[str, bytes]:
    """Return the keys for logs by id. Raise SourceError if a record is cut or its lengths contradict each other.

    The file of the old plugin keyring_file (up to 8.4): after the magic come records of five u64, little-endian (bytes
    of the record, of key id, type, user and key), then the four fields, padded with zeros to a multiple of 8; then
    `EOF`, and in version 2.0 a SHA-256 digest. Learned from the keyrings of MySQL's own test suite.
    """
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
