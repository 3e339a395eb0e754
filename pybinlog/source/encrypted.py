"""EncryptedSource: a log that MySQL encrypted (binlog_encryption=ON), decrypted as it is read.

The file begins with a header of 512 bytes: magic, version 1, then fields, padded with zeros: the id of the key in the
server's keyring, the log's own password, encrypted with that key (AES-256-CBC), and the IV for this. The log's bytes
follow, in AES-256-CTR with a key and a nonce that are halves of the password's SHA-512, so any position can be
decrypted by itself. Learned from logs of MySQL 8.0 and 9.7.
"""

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from pybinlog.errors import EncryptedError, Hint
from pybinlog.kernel.base.event import ENCRYPTION_HEADER as HEADER
from pybinlog.kernel.base.event import MAGIC, MAGIC_LENGTH
from pybinlog.keyring import Keyring
from pybinlog.keyring.aes import BLOCK, cbc_decrypted, ctr_decryptor
from pybinlog.source.base import Source
from pybinlog.source.followed import clear_in_use

VERSION = 1
KEY_ID, PASSWORD, IV = 1, 2, 3
PASSWORD_SIZE, IV_SIZE = 32, 16
KEY_SIZE, NONCE_SIZE = 32, 8


class Header(NamedTuple):
    """The fields of an encrypted log's header."""

    key_id: str
    password: bytes
    """Encrypted with the key of that id."""
    iv: bytes


class EncryptedSource(Source):
    """The decrypted bytes of `raw`, an encrypted log. Positions are those of the log as its server knows it.

    It seeks, and gives bytes to several threads, if `raw` does. Of a `live` log it clears the in-use flag.
    """

    stored_at = HEADER
    encrypted = True

    def __init__(self, raw: Source, password: bytes):
        super().__init__(raw.name)
        self._raw = raw
        self._password = password
        secret = hashlib.sha512(password).digest()
        self._key, self._nonce = secret[:KEY_SIZE], secret[KEY_SIZE : KEY_SIZE + NONCE_SIZE]
        self._decrypt = self._decryptor_at(0)
        self.seekable, self.reads_at, self.status = raw.seekable, raw.reads_at, raw.status
        self.live = raw.live
        self.size = None if raw.size is None else max(raw.size - HEADER, 0)

    def _decryptor_at(self, position: int) -> Callable[[memoryview | bytes], bytes]:
        """Return what decrypts the bytes from `position` on."""
        decrypt = ctr_decryptor(self._key, self._nonce + (position // BLOCK).to_bytes(BLOCK - NONCE_SIZE, "big"))
        decrypt(bytes(position % BLOCK))
        return decrypt

    def _fill(self, view: memoryview) -> int:
        count = self._raw.readinto(view)
        view[:count] = self._decrypt(view[:count])
        if self.live:
            clear_in_use(view[:count], self.position)
        return count

    def read_at(self, position: int, view: memoryview) -> int:
        count = self._raw.read_at(HEADER + position, view)
        view[:count] = self._decryptor_at(position)(view[:count])
        if self.live:
            clear_in_use(view[:count], position)
        return count

    def ready(self, seconds: float) -> bool:
        return bool(self._pending) or self._raw.ready(seconds)

    def skip_to(self, position: int) -> int:
        if not self.seekable:
            return super().skip_to(position)
        self.position = max(self._raw.skip_to(HEADER + position) - HEADER, 0)
        self.size = None if self._raw.size is None else max(self._raw.size - HEADER, 0)
        self._pending = b""
        self._decrypt = self._decryptor_at(self.position)
        return self.position

    def again(self) -> Source | None:
        raw = self._raw.again()
        if raw is None:
            return None
        raw.skip_to(HEADER)
        return EncryptedSource(raw, self._password)

    def allow(self, begin: int, there: int, size: int) -> None:
        self._raw.allow(HEADER + begin, there, size)

    def close(self) -> None:
        self._raw.close()


def decrypted_log(raw: Source, keyring: Keyring) -> Source:
    """Return the decrypted bytes of an encrypted log, which stands behind its magic; EncryptedError if that cannot be.

    The keyring lacks the key, or has another one of that id, or the header is cut or damaged.
    """
    header = read_header(raw)
    key = keyring.mysql_key(header.key_id)
    if key is None:
        known = ", ".join(keyring.mysql_ids) or "no key of MySQL's"
        raise EncryptedError(
            f"the log is encrypted with the key {header.key_id}, which the keyring lacks: it holds {known}",
            file=raw.name,
            position=0,
            hint=Hint(
                "Add the keyring of the server from that time, with another {--keyring}. A rotation of the master key "
                "drops old keys, and changes only the headers of the server's own logs"
            ),
        )
    source = EncryptedSource(raw, cbc_decrypted(key, header.iv, header.password))
    magic = source.read_up_to(MAGIC_LENGTH)
    if not MAGIC.startswith(magic):
        raise EncryptedError(
            f"the log does not decrypt with the keyring's key {header.key_id}: this key is another one of the same "
            "id, or the log's header is damaged",
            file=raw.name,
            position=0,
            hint="Use a keyring of the server that wrote the log",
        )
    source.unread(magic)
    return source


def read_header(raw: Source) -> Header:
    """Read the header of an encrypted log, up to its end. Raise EncryptedError if it is cut or damaged."""
    data = raw.read_up_to(HEADER)
    if len(data) < HEADER:
        raise EncryptedError(
            f"the log is encrypted, and ends inside the header of {HEADER} bytes that says how: {len(data)} are there",
            file=raw.name,
            position=0,
            hint="The file is incomplete; copy it again",
        )
    if data[MAGIC_LENGTH] != VERSION:
        raise EncryptedError(
            f"the log is encrypted in version {data[MAGIC_LENGTH]}, which pybinlog does not know; it knows {VERSION}",
            file=raw.name,
            position=0,
            hint="Read it from its server: pybinlog -R",
        )
    fields: dict[int, bytes] = {}
    at = MAGIC_LENGTH + 1
    while at < HEADER and data[at] in (KEY_ID, PASSWORD, IV):
        kind, at = data[at], at + 1
        size = PASSWORD_SIZE if kind == PASSWORD else IV_SIZE
        if kind == KEY_ID and at < HEADER:
            size, at = data[at], at + 1
        fields[kind] = data[at : at + size]
        at += size
    if at > HEADER or fields.keys() != {KEY_ID, PASSWORD, IV}:
        raise EncryptedError(
            "the log is encrypted, and its header is damaged: it lacks the key's id, the password or its IV",
            file=raw.name,
            position=0,
            hint="Copy the log again",
        )
    return Header(fields[KEY_ID].decode("utf-8", "replace"), fields[PASSWORD], fields[IV])
