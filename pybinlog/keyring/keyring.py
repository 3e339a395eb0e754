"""Keyring: the keys of one or several keyring files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pybinlog.errors import SourceError
from pybinlog.keyring import mariadb_file
from pybinlog.keyring.mysql_files import PLUGIN_MAGIC, component_keys, plugin_keys
from pybinlog.side_file import side_file

LARGEST = 16 << 20
"""Bytes of a keyring file: some hundred thousand keys."""
LARGEST_PASSWORD = 1 << 10


class Keyring:
    """The keys that the files of one or several servers hold, by how their logs name them.

    `paths` are files of MySQL's component_keyring_file and keyring_file, and of MariaDB's file_key_management;
    `password_path` names the file with the password of MariaDB's encrypted key files. A keyring shows no key in its
    representation, and pickles as the names of its files, which are read again.
    """

    def __init__(self, paths: Sequence[str], password_path: str | None = None):
        """Read the files. SourceError with the file's name if one is not a keyring, or its password is wrong."""
        self.paths = tuple(paths)
        self.password_path = password_path
        self._mysql: dict[str, bytes] = {}
        self._mariadb: list[bytes] = []
        contents = [(path, bounded(path, LARGEST)) for path in self.paths]
        password = None if password_path is None else read_password(password_path)
        for path, data in contents:
            self._add(path, data, password)
        if password is not None and not any(mariadb_file.is_encrypted(data) for _, data in contents):
            raise SourceError(
                "this password is for an encrypted key file of MariaDB, and no keyring is one",
                file=password_path,
                hint="Leave --keyring-password-file out",
            )

    def _add(self, path: str, data: bytes, password: bytes | None) -> None:
        if data.startswith(PLUGIN_MAGIC):
            self._mysql.update(plugin_keys(data, path))
        elif data.lstrip().startswith(b"{"):
            self._mysql.update(component_keys(data, path))
        else:
            key = mariadb_file.system_key(data, path, password)
            if key not in self._mariadb:
                self._mariadb.append(key)

    def mysql_key(self, key_id: str) -> bytes | None:
        """Return the replication master key of that id, as a log's header names it; None if no file holds it."""
        return self._mysql.get(key_id)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it was read from, the password's with them."""
        return self.paths if self.password_path is None else (*self.paths, self.password_path)

    @property
    def mysql_ids(self) -> list[str]:
        """The ids of MySQL's keys for logs, sorted."""
        return sorted(self._mysql)

    @property
    def mariadb_keys(self) -> tuple[bytes, ...]:
        """MariaDB's keys 1 (system data, which includes binary logs), one of each file, in the files' order."""
        return tuple(self._mariadb)

    def __repr__(self) -> str:
        return f"Keyring({', '.join(map(repr, self.paths))})"

    def __reduce__(self) -> Any:
        return Keyring, (self.paths, self.password_path)


def read_password(path: str) -> bytes:
    """Read a password: the file's first line, as MariaDB's FILE: and openssl's `-pass file:` take it."""
    return bounded(path, LARGEST_PASSWORD).split(b"\n", 1)[0].rstrip(b"\r")


def bounded(path: str, most: int) -> bytes:
    """Read a file of at most `most` bytes. Raise SourceError if it cannot be opened, is not regular, or is larger."""
    try:
        return side_file(path, most)
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", file=path) from None
