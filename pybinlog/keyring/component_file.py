"""The file of MySQL's component_keyring_file: JSON with a list of elements, the key in hexadecimal digits.

Source: MySQL manual, "Using the component_keyring_file File-Based Keyring Component"; learned from a 9.7's file.
"""

from __future__ import annotations

import json

from pybinlog.errors import SourceError

KEY_PREFIX = "MySQLReplicationKey_"
"""The prefix of the ids of keys for logs; the server's UUID and a number follow."""
KEY_SIZE = 32
"""Bytes of such a key, for AES-256."""


def keys(data: bytes, path: str) -> dict[str, bytes]:
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
