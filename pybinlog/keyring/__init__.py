"""Keyrings: the keys of encrypted binary logs, read from the files that servers keep them in.

keyring = open_keyring(["component_keyring_file"], None)
with open_source(KeyedLog("binlog.000001", keyring)) as source:
    ...
"""

from __future__ import annotations

from pybinlog.keyring.keyring import Keyring, open_keyring

__all__ = ["Keyring", "open_keyring"]
