"""A place in bytes that is not trusted: every read is checked against their end."""

from __future__ import annotations


class LieError(Exception):
    """The bytes are invalid; the reader, which knows the field, raises CorruptEventError for it."""


class Cursor:
    """Reads bytes from front to back. Every method raises LieError where fewer are left than it needs."""

    __slots__ = ("data", "end", "position")

    def __init__(self, data: bytes, position: int = 0) -> None:
        self.data = data
        self.position = position
        self.end = len(data)

    @property
    def left(self) -> int:
        """How many bytes are left."""
        return self.end - self.position

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        if size > self.left:
            raise LieError(f"{size} bytes are needed, {self.left} are left")
        self.position += size
        return self.data[self.position - size : self.position]

    def unsigned(self, size: int) -> int:
        """Return a little-endian integer."""
        return int.from_bytes(self.read(size), "little")

    def signed(self, size: int) -> int:
        """Return a little-endian integer in two's complement."""
        return int.from_bytes(self.read(size), "little", signed=True)

    def lenenc(self) -> int:
        """Return a length-encoded integer."""
        first = self.unsigned(1)
        if first < 251:
            return first
        if first == 252:
            return self.unsigned(2)
        if first == 253:
            return self.unsigned(3)
        if first == 254:
            return self.unsigned(8)
        raise LieError(f"{first} does not begin a length-encoded integer")

    def prefixed(self, length_bytes: int) -> bytes:
        """Bytes after their length."""
        return self.read(self.unsigned(length_bytes))
