"""Names: names of databases, tables, columns and others become d1, t1, c1 ... of the same length, everywhere alike."""

import re
from collections.abc import Iterator
from hashlib import blake2b
from itertools import count, product

from pybinlog.kernel.mask.row_mask import RowMask
from pybinlog.redact.refusal import RefusedEvent
from pybinlog.redact.words import words_of_sql

UTF8 = 46
"""The collation of names in events: utf8mb4_bin."""
_FIRST = "abcdefghijklmnopqrstuvwxyz_$0123456789"
_SHORT = 3
"""Bytes of names of which there are few enough to try them all."""
_PART = re.compile(rb"[0-9A-Za-z_$\x80-\xff]+")


class Names:
    """The masks of the names that were met so far, for all logs of a run.

    A name has one mask, whatever it names: a statement does not tell the column `orders` from the table. An upper-case
    letter gets an upper-case mask. Words of SQL are kept everywhere, as are all signs but letters and digits.
    """

    def __init__(self, mask: RowMask, key: bytes):
        self._mask = mask
        self._key = key
        self._masks: dict[bytes, str] = {}
        self._taken: set[str] = set()
        self._candidates: dict[tuple[str, int], Iterator[str]] = {}
        self.words: set[str] = set()
        """Names that are words of SQL, and stay."""
        self.has_foreign = False
        """A statement that is not in UTF-8 has names beyond ASCII."""

    def masked(self, name: bytes, kind: str, collation: int = UTF8, *, is_utf8: bool = True) -> bytes:
        """Return the mask of a name, of as many bytes; `kind` is the letter that a new one begins with."""

        def part(found: re.Match[bytes]) -> bytes:
            text = found[0]
            if text.isascii():
                return self._ascii(text.decode(), kind).encode()
            self.has_foreign = self.has_foreign or not is_utf8
            return self._mask.text(text, UTF8 if is_utf8 else collation)

        return _PART.sub(part, name)

    def text(self, name: str, kind: str) -> str:
        """Return the mask of a name that an event holds as text."""
        return self.masked(name.encode("utf-8", "surrogateescape"), kind).decode("utf-8", "surrogateescape")

    def uuid(self, uuid: bytes) -> bytes:
        """Return another 16 bytes, by the key; zeros stay.

        So does the highest bit of each byte, by which a Gtid_tagged is longer.
        """
        if not any(uuid):
            return uuid
        new = blake2b(uuid, key=self._key, digest_size=len(uuid)).digest()
        return bytes(old & 0x80 | byte & 0x7F for old, byte in zip(uuid, new, strict=True))

    def uuid_text(self, text: str) -> str:
        """Return the mask of the text of a UUID; of another text, that of a name."""
        digits = text.replace("-", "")
        if len(text) != 36 or re.fullmatch("[0-9a-fA-F]{32}", digits) is None:
            return self.text(text, "n")
        new = self.uuid(bytes.fromhex(digits)).hex()
        return "-".join((new[:8], new[8:12], new[12:16], new[16:20], new[20:]))

    def _ascii(self, name: str, kind: str) -> str:
        upper = name.upper()
        if upper in words_of_sql():
            self.words.add(upper)
            return name
        known = self._masks.get(upper.encode())
        if known is None:
            known = self._masks[upper.encode()] = self._new(kind, len(name))
        if name.islower():
            return known
        return "".join(new.upper() if old.isupper() else new for old, new in zip(name, known, strict=True))

    def _new(self, kind: str, size: int) -> str:
        candidates = self._candidates.get((kind, size))
        if candidates is None:
            candidates = self._candidates[kind, size] = names_like(kind, size)
        for candidate in candidates:
            if candidate not in self._taken and candidate.upper() not in words_of_sql():
                self._taken.add(candidate)
                return candidate
        raise RefusedEvent(f"the logs have more names of {size} bytes than there are masks")


def names_like(kind: str, size: int) -> Iterator[str]:
    """Yield t1, t2 ... in so many bytes; then, if they are few, all names."""
    for number in count(1):
        name = f"{kind}{number}"
        if len(name) > size:
            break
        yield name.ljust(size, "x")
    if size <= _SHORT:
        for letters in product(_FIRST, repeat=size):
            yield "".join(letters)
    else:
        for letters in product(_FIRST, repeat=_SHORT):
            yield kind + "".join(letters).ljust(size - 1, "x")
