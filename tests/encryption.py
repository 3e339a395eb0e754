"""Encrypted logs for tests: what servers do to a plain log, and the keyrings that open it."""

import hashlib
import json
from itertools import cycle
from pathlib import Path

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.corpus import TESTDATA

ENCRYPTED = TESTDATA / "encrypted"
"""Logs of real servers, with their keyrings, and in `plain` what the servers send of them (`--raw`)."""
KEY_ID = "MySQLReplicationKey_1f9b7ff2-e80b-11f1-bcd6-02fc00000001_7"
BLOCK = 16


def mysql_log(plain: bytes, key: bytes, *, key_id: str = KEY_ID, password: bytes = bytes(range(32))) -> bytes:
    """A log as MySQL encrypts it with binlog_encryption=ON."""
    iv = bytes(range(100, 116))
    stored = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor().update(password)
    header = b"\xfdbin\x01\x01" + bytes([len(key_id)]) + key_id.encode() + b"\x02" + stored + b"\x03" + iv
    secret = hashlib.sha512(password).digest()
    cipher = Cipher(algorithms.AES(secret[:32]), modes.CTR(secret[32:40] + bytes(8))).encryptor()
    return header.ljust(512, b"\0") + cipher.update(plain)


def mariadb_log(plain: bytes, key: bytes, *, counts: bool) -> bytes:
    """A log as MariaDB encrypts it with encrypt_binlog=ON, of one as a server sends it: it has a Start_encryption.

    `counts` says AES-CTR. The checksum of the Start_encryption is left as it is.
    """
    data = bytearray(plain)
    at, nonce = 4, b""
    while at < len(data):
        size = int.from_bytes(data[at + 9 : at + 13], "little")
        if nonce:
            data[at : at + size] = mariadb_event(
                bytes(data[at : at + size]), key, nonce + at.to_bytes(4, "little"), counts
            )
        elif data[at + 4] == 164:
            nonce = bytes(data[at + 24 : at + 36])
            data[at + 17] &= 0x7F
        at += size
    return bytes(data)


def mariadb_event(event: bytes, key: bytes, iv: bytes, counts: bool) -> bytes:
    length = event[9:13]
    text = event[4:9] + event[:4] + event[13:]
    if counts:
        text = Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor().update(text)
    else:
        whole = len(text) // BLOCK * BLOCK
        mask = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(iv)
        rest = bytes(a ^ b for a, b in zip(text[whole:], mask, strict=False))
        text = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor().update(text[:whole]) + rest
    return text[5:9] + text[:5] + length + text[9:]


def component_keyring(keys: dict[str, bytes]) -> bytes:
    """The file of component_keyring_file."""
    elements = [
        {"user": "", "data_id": name, "data_type": "AES", "data": key.hex().upper(), "extension": []}
        for name, key in keys.items()
    ]
    return json.dumps({"version": "1.0", "elements": elements}).encode()


def plugin_keyring(keys: dict[str, bytes]) -> bytes:
    """The file of the old plugin keyring_file."""
    data = b"Keyring file version:2.0"
    for name, key in keys.items():
        fields = [
            name.encode(),
            b"AES",
            b"",
            bytes(a ^ b for a, b in zip(key, cycle(b"*305=Ljt0*!@$Hnm(*-9-w;:"), strict=False)),
        ]
        record = b"".join(len(field).to_bytes(8, "little") for field in fields) + b"".join(fields)
        record += bytes(-len(record) % 8)
        data += (len(record) + 8).to_bytes(8, "little") + record
    return data + b"EOF" + hashlib.sha256(data).digest()


def plain_logs() -> list[tuple[Path, list[Path], Path]]:
    """Each encrypted log of a real server, the keyrings that open it, and what the server sends of it."""
    found = []
    for folder in sorted(ENCRYPTED.iterdir()):
        keyrings = sorted(folder.glob("key*"))
        for plain in sorted((folder / "plain").iterdir()):
            found.append((folder / plain.name, [k for k in keyrings if not k.name.endswith("encrypted")], plain))
    return found
