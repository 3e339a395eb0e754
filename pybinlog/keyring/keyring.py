"""Keyring: the keys of one or several keyring files, of MySQL and of MariaDB.

Sources: MySQL manual, "Using the component_keyring_file File-Based Keyring Component", and a 9.7's file; MariaDB
manual, "File Key Management Encryption Plugin": lines `ID;HEX`, which `openssl enc` may have encrypted.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from itertools import cycle
from typing import Any

from pybinlog.errors import Hint, SourceError
from pybinlog.keyring.aes import BLOCK, KEY_SIZES, cbc_decrypted
from pybinlog.side_file import side_file

SYSTEM_KEY = 1
"""The id of the key for system data, which binary logs are."""
LINE = re.compile(rb"\s*([0-9]{1,10})\s*;\s*([0-9a-fA-F]*)\s*(?:#.*)?")
SALTED = b"Salted__"
SALT_SIZE = 8
DIGESTS = ("sha1", "sha256", "sha512", "sha224", "sha384")
"""The digests that derive an encrypted file's key from its password: all servers up to 11.8 use sha1."""
ITERATIONS = 10_000
"""Of PBKDF2, as `openssl enc -pbkdf2` has it."""


def is_encrypted(data: bytes) -> bool:
    """Return True if `openssl enc` wrote the file."""
    return data.startswith(SALTED)


def system_key(data: bytes, path: str, password: bytes | None) -> bytes:
    """Return key 1 of a key file.

    Raise SourceError if it is not a key file, lacks the key, or if the password does not open it.
    """
    if is_encrypted(data):
        if password is None:
            raise SourceError(
                "the key file is encrypted",
                file=path,
                hint=Hint("Name the file with its password: {--keyring-password-file}"),
            )
        data = decrypted(data, path, password)
    found = parsed(data)
    if found is None:
        raise SourceError(
            "not a keyring: neither the file of component_keyring_file or keyring_file (MySQL), nor lines ID;KEY of "
            "file_key_management (MariaDB)",
            file=path,
        )
    key = found.get(SYSTEM_KEY)
    if key is None or len(key) not in KEY_SIZES:
        raise SourceError(
            f"the key file holds no key {SYSTEM_KEY} of 16, 24 or 32 bytes, which encrypts binary logs", file=path
        )
    return key


def parsed(data: bytes) -> dict[int, bytes] | None:
    """Return the keys by id; None if a line is neither `ID;HEX`, a comment nor empty."""
    found: dict[int, bytes] = {}
    for line in data.splitlines():
        if not line.strip() or line.lstrip().startswith(b"#"):
            continue
        match = LINE.fullmatch(line)
        if match is None or len(match[2]) % 2:
            return None
        found[int(match[1])] = bytes.fromhex(match[2].decode())
    return found or None


def decrypted(data: bytes, path: str, password: bytes) -> bytes:
    """Return the text of an encrypted key file. Raise SourceError if the password opens it by no known derivation."""
    salt = data[len(SALTED) : len(SALTED) + SALT_SIZE]
    body = data[len(SALTED) + SALT_SIZE :]
    if body and not len(body) % BLOCK:
        for secret in derived(password, salt):
            text = cbc_decrypted(secret[:32], secret[32:48], body)
            padding = text[-1]
            if 1 <= padding <= BLOCK and text.endswith(bytes([padding]) * padding):
                text = text[:-padding]
                if parsed(text) is not None:
                    return text
    raise SourceError(
        "the key file cannot be decrypted: the password is wrong, or the file is damaged",
        file=path,
        hint="Use the password that file_key_management_filekey names",
    )


def derived(password: bytes, salt: bytes) -> list[bytes]:
    """Return what openssl may have derived from a password: a key of 32 bytes and an IV of 16, for AES-256-CBC."""
    found = []
    for digest in DIGESTS:
        piece = secret = b""
        while len(secret) < 48:
            piece = hashlib.new(digest, piece + password + salt).digest()
            secret += piece
        found.append(secret[:48])
    return found + [hashlib.pbkdf2_hmac(digest, password, salt, ITERATIONS, 48) for digest in DIGESTS]


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
        if record > len(data) - at or LENGTHS + sum(fields) > record:
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
        if password is not None and not any(is_encrypted(data) for _, data in contents):
            raise SourceError(
                "this password is for an encrypted key file of MariaDB, and no keyring is one",
                file=password_path,
                hint=Hint("Leave {--keyring-password-file} out"),
            )

    def _add(self, path: str, data: bytes, password: bytes | None) -> None:
        if data.startswith(PLUGIN_MAGIC):
            self._mysql.update(plugin_keys(data, path))
        elif data.lstrip().startswith(b"{"):
            self._mysql.update(component_keys(data, path))
        else:
            key = system_key(data, path, password)
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
