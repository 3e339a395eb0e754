"""The login path file of mysql_config_editor, `~/.mylogin.cnf`: an option file that is not to be read at a glance.

Four bytes without a meaning, twenty bytes that a key is made of, and for each line its length as int32 and as many
bytes of AES-128-ECB, filled up as in PKCS#7. The key lies beside what it opens, so only the rights of the file protect
it (MySQL manual, "mysql_config_editor").
"""

from __future__ import annotations

import os
import stat

from pybinlog.distribution import how_to_install
from pybinlog.errors import SourceError

LOGIN_FILE = "~/.mylogin.cnf"
UNUSED, KEY_SOURCE, KEY, LENGTH, BLOCK = 4, 20, 16, 4, 16
LARGEST = 1 << 20
"""Bytes of a file: some lines of text."""
FOR_OTHERS = stat.S_IXUSR | stat.S_IRWXG | stat.S_IRWXO


def login_lines(path: str) -> list[str]:
    """Return the lines of the option file that it holds. Raise SourceError if it is damaged, or others than its owner
    may use it.

    No error says what stands in it. Raise OSError if it cannot be read.
    """
    with open(path, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise SourceError("the login path file is not a regular file", file=path)
        if status.st_mode & FOR_OTHERS:
            raise SourceError(
                "the login path file has passwords, and others than its owner may read or write it",
                file=path,
                hint=f"Run chmod 600 {path}, or give --no-login-paths",
            )
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise damaged(path)
    return decrypted(data, path).decode("utf-8", "surrogateescape").split("\n")


def decrypted(data: bytes, path: str) -> bytes:
    """Return the file's contents. Raise SourceError if it is damaged, or the package cryptography is not there."""
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher, modes
        from cryptography.hazmat.primitives.ciphers.algorithms import AES
    except ImportError:
        raise SourceError(
            "to read a login path file needs the package cryptography, which is not installed",
            file=path,
            hint=f"{how_to_install('server')}; or give --no-login-paths",
        ) from None
    at = UNUSED + KEY_SOURCE
    if len(data) < at:
        raise damaged(path)
    key = bytearray(KEY)
    for index, byte in enumerate(data[UNUSED:at]):
        key[index % KEY] ^= byte
    text = b""
    while at < len(data):
        length = int.from_bytes(data[at : at + LENGTH], "little", signed=True)
        at += LENGTH
        if length <= 0 or length % BLOCK or length > len(data) - at:
            raise damaged(path)
        decryptor = Cipher(AES(bytes(key)), modes.ECB()).decryptor()
        line = decryptor.update(data[at : at + length]) + decryptor.finalize()
        filled = line[-1]
        if not 0 < filled <= BLOCK or line[-filled:] != bytes([filled]) * filled:
            raise damaged(path)
        text += line[:-filled]
        at += length
    return text


def damaged(path: str) -> SourceError:
    return SourceError(
        "the login path file is damaged, or none",
        file=path,
        hint="Create one with mysql_config_editor, or give --no-login-paths",
    )
