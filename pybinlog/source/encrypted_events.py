"""EncryptedEvents: a log whose events MariaDB encrypted (encrypt_binlog=ON), decrypted as it is read.

Such a log begins in the clear, with a Format_description and a Start_encryption that holds a nonce; then each event is
encrypted by itself (`kernel/scan/event_cipher`). The log does not name the cipher: AES-CBC and AES-CTR are tried with
each key, and the first event that comes out right decides. As a server that sends such a log does, the source sets the
ignorable flag of the Start_encryption: what follows is no longer encrypted.
"""

from __future__ import annotations

from collections.abc import Sequence

from pybinlog.errors import EncryptedError, Hint
from pybinlog.kernel.base.checksum import checksum
from pybinlog.kernel.base.event import (
    COMMON_HEADER_LENGTH,
    FORMAT_DESCRIPTION,
    IGNORABLE_FLAG,
    MAGIC,
    MAGIC_LENGTH,
    MARIA_START_ENCRYPTION,
)
from pybinlog.kernel.scan.event_cipher import EventCipher, whole_events
from pybinlog.keyring.aes import block_ciphers
from pybinlog.source.base import Source

READ_SIZE = 1 << 18
LARGEST_OPENING = 1 << 16
"""Bytes of an event of the opening; a larger one is not one that a server writes there."""
NONCE_AT, NONCE_LENGTH = COMMON_HEADER_LENGTH + 5, 12
SCHEME = 1
CHECKSUM_CRC32 = 1
LENGTH_AT, POSITION_AT, FLAGS_AT = 9, 13, 17


class EncryptedEvents(Source):
    """The bytes of `raw`, decrypted from its Start_encryption on; as they are if it has none.

    It seeks if `raw` does, to the beginning of an event: from another place on, nothing can be decrypted.
    """

    def __init__(self, raw: Source, keys: Sequence[bytes]):
        super().__init__(raw.name)
        self._raw = raw
        self._keys = keys
        self.seekable, self.status, self.size, self.live = raw.seekable, raw.status, raw.size, raw.live
        self._data = bytearray()
        """Bytes that were read but not returned; the first `_ready` bytes are plain."""
        self._ready = 0
        self._opening = True
        """Neither a Start_encryption was read nor an event that says that there is none."""
        self._plain_to = 0
        """The position after the Start_encryption."""
        self._checksums = False
        self._nonce: bytes | None = None
        self._aes: AES | None = None

    def _fill(self, view: memoryview) -> int:
        while not self._ready:
            if not self._read():
                break
        count = min(len(view), self._ready)
        view[:count] = self._data[:count]
        del self._data[:count]
        self._ready -= count
        return count

    def _read(self) -> bool:
        """Read on and decrypt what can be; False at the end, after which all bytes are given out as they are."""
        more = self._raw.read(READ_SIZE)
        self._data += more
        if not more:
            if self._nonce is not None:
                self._decrypt(last=True)
            self._ready = len(self._data)
            return False
        if self._opening:
            self._open()
        if self._nonce is not None:
            self._decrypt(last=False)
        elif not self._opening:
            self._ready = len(self._data)
        return True

    def _open(self) -> None:
        """Look at the events up to the Start_encryption, or up to the first that comes in its place."""
        at = self._ready
        if not at and self.position == 0:
            if not self._data.startswith(MAGIC):
                self._opening = len(self._data) < MAGIC_LENGTH
                return
            at = MAGIC_LENGTH
        while len(self._data) - at >= COMMON_HEADER_LENGTH:
            kind = self._data[at + 4]
            size = int.from_bytes(self._data[at + LENGTH_AT : at + LENGTH_AT + 4], "little")
            if (
                kind not in (FORMAT_DESCRIPTION, MARIA_START_ENCRYPTION)
                or not COMMON_HEADER_LENGTH <= size <= LARGEST_OPENING
            ):
                self._opening = False
                return
            if len(self._data) - at < size:
                break
            end = at + size
            if kind == FORMAT_DESCRIPTION:
                self._checksums = self._data[end - 5] == CHECKSUM_CRC32
            else:
                self._opening = False
                self._begin(at, end)
            at = end
            if not self._opening:
                break
        self._ready = at

    def _begin(self, at: int, end: int) -> None:
        """Read the Start_encryption, and give it out as a server that decrypts the log does."""
        flags = int.from_bytes(self._data[at + FLAGS_AT : at + FLAGS_AT + 2], "little")
        if flags & IGNORABLE_FLAG:
            return  # a server has decrypted what follows
        scheme, nonce = self._data[at + COMMON_HEADER_LENGTH], bytes(self._data[at + NONCE_AT : end][:NONCE_LENGTH])
        if scheme != SCHEME or len(nonce) < NONCE_LENGTH:
            raise EncryptedError(
                f"the log is encrypted by scheme {scheme}, which pybinlog does not know; it knows {SCHEME}"
                if scheme != SCHEME
                else "the Start_encryption event is too short for its nonce",
                file=self.name,
                position=self.position + at,
                hint="Read the log from its server: pybinlog -R",
            )
        self._nonce = nonce
        self.encrypted = True
        self._plain_to = self.position + end
        self._data[at + FLAGS_AT : at + FLAGS_AT + 2] = (flags | IGNORABLE_FLAG).to_bytes(2, "little")
        if self._checksums:
            self._data[end - 4 : end] = checksum(bytes(self._data[at : end - 4])).to_bytes(4, "little")

    def _decrypt(self, *, last: bool) -> None:
        """Decrypt the events that are there; if nothing more comes, the last one may be cut."""
        begin = self._ready
        end, wanted = whole_events(self._data, begin)
        if self._aes is None and begin < end:
            self._aes = self._fitting(begin, end)
        if last and len(self._data) - end >= COMMON_HEADER_LENGTH and wanted >= COMMON_HEADER_LENGTH:
            end = len(self._data)
        if begin == end or self._aes is None:
            return
        self._aes.open(self._data, begin, end, self.position + begin)
        self._ready = end

    def _fitting(self, begin: int, end: int) -> AES:
        """Return the cipher that makes sense of an event between two offsets. Raise EncryptedError if none does."""
        assert self._nonce is not None
        candidates = [AES(key, self._nonce, counts) for key in self._keys for counts in (False, True)]
        start = begin
        while start < end and start - begin < READ_SIZE:
            size = int.from_bytes(self._data[start + LENGTH_AT : start + LENGTH_AT + 4], "little")
            position = self.position + start
            for aes in candidates:
                event = self._data[start : min(start + size, end)]
                aes.open(event, 0, len(event), position)
                if self._makes_sense(event, position):
                    return aes
            start += size
        raise EncryptedError(
            "the log is encrypted, and no key 1 of the keyring decrypts it: it is another server's key, or the log is "
            "damaged",
            file=self.name,
            position=self.position + begin,
            hint=Hint("Use the key file of the server that wrote the log; {--keyring} may be given again"),
        )

    def _makes_sense(self, event: bytearray, position: int) -> bool:
        """Return True if a decrypted event has the right checksum, or without checksums the right end_log_pos."""
        if self._checksums:
            return checksum(bytes(event[:-4])) == int.from_bytes(event[-4:], "little")
        end = (position + len(event)) & 0xFFFFFFFF
        return int.from_bytes(event[POSITION_AT : POSITION_AT + 4], "little") == end

    def ready(self, seconds: float) -> bool:
        return bool(self._pending or self._ready) or self._raw.ready(seconds)

    def skip_to(self, position: int) -> int:
        if not self.seekable:
            return super().skip_to(position)
        if position < self.position:
            self._restart(0)
            self._opening, self._nonce, self._aes = True, None, None
        while self._opening or (self._nonce is not None and self._aes is None):
            if not self._read():
                break
        if position < self._plain_to:
            return super().skip_to(position)
        self._restart(position)
        return self.position

    def _restart(self, position: int) -> None:
        """Continue at a position of `raw`."""
        self.position = self._raw.skip_to(position)
        self._pending = b""
        self._data.clear()
        self._ready = 0

    def again(self) -> Source | None:
        raw = self._raw.again()
        return None if raw is None else EncryptedEvents(raw, self._keys)

    def allow(self, begin: int, there: int, size: int) -> None:
        self._raw.allow(begin, there, size)

    def close(self) -> None:
        self._raw.close()


class AES:
    """One of the two ciphers with one key."""

    def __init__(self, key: bytes, nonce: bytes, counts: bool):
        self._encrypt, self._decrypt = block_ciphers(key)
        self._events = EventCipher(nonce, counts)

    def open(self, data: bytearray, begin: int, end: int, position: int) -> None:
        """Decrypt the events between two offsets in place; the first one stands at `position`."""
        stored, masks = self._events.collect(data, begin, end, position)
        self._events.restore(data, begin, end, position, stored, self._decrypt(stored), self._encrypt(masks))
