"""A place in bytes that is not trusted: every read is checked against their end. And DECIMAL."""

from decimal import Decimal


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


_DIGITS = 9
_BYTES = (0, 1, 1, 2, 2, 3, 3, 4, 4, 4)
"""The bytes of a group of 0 to 9 digits."""
_MAX_PRECISION = 65


def _groups(precision: int, decimals: int) -> tuple[list[int], list[int]]:
    """Return the digits of each group before the point and after it: the short group stands farthest from the point."""
    if not 0 < precision <= _MAX_PRECISION or not 0 <= decimals <= precision:
        raise LieError(f"there is no DECIMAL({precision},{decimals})")
    whole, fraction = divmod(precision - decimals, _DIGITS), divmod(decimals, _DIGITS)
    return [*([whole[1]] if whole[1] else ()), *[_DIGITS] * whole[0]], [
        *[_DIGITS] * fraction[0],
        *([fraction[1]] if fraction[1] else ()),
    ]


def decimal_size(precision: int, decimals: int) -> int:
    """Return the bytes of a DECIMAL. Raise LieError if there is no such type."""
    before, after = _groups(precision, decimals)
    return sum(_BYTES[digits] for digits in (*before, *after))


def read_decimal(cursor: Cursor, precision: int, decimals: int) -> Decimal:
    """Return a DECIMAL: groups of digits, big-endian, the highest bit inverted and all bits if it is negative."""
    before, after = _groups(precision, decimals)
    raw = cursor.read(decimal_size(precision, decimals))
    negative = not raw[0] & 0x80
    raw = bytes((raw[0] ^ 0x80,)) + raw[1:]
    if negative:
        raw = bytes(byte ^ 0xFF for byte in raw)
    inner = Cursor(raw)
    digits: list[int] = []
    for group in (*before, *after):
        number = int.from_bytes(inner.read(_BYTES[group]), "big")
        if number >= 10**group:
            raise LieError(f"{number} is not a group of {group} decimal digits")
        digits.extend(int(digit) for digit in f"{number:0{group}d}")
    return Decimal((int(negative), tuple(digits), -decimals))
