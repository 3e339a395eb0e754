"""Keyrings: the keys of encrypted binary logs, read from the files that servers keep them in.

with open_source(KeyedLog("binlog.000001", Keyring(["component_keyring_file"]))) as source:
    ...
"""

from pybinlog.keyring.keyring import Keyring

__all__ = ["Keyring"]
