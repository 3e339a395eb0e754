"""The key file of MariaDB's plugin file_key_management: lines `ID;HEX`, which `openssl enc` may have encrypted.

Source: MariaDB manual, "File Key Management Encryption Plugin".
"""

from __future__ import annotations

import hashlib
import re

from pybinlog.errors import SourceError
from pybinlog.keyring.aes import BLOCK, KEY_SIZES, cbc_decrypted

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
                hint="Name the file with its password: --keyring-password-file",
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
