"""Text as bytes of a character set, and how it compares by a collation."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache

from pybinlog.kernel.base.charset import decoded_start, encoded
from pybinlog.kernel.base.collation import COLLATION_BINARY
from pybinlog.schema.charset import bytes_per_character, character_set, collation_id, collation_name

_UNITS = {"ucs2": 2, "utf16": 2, "utf16le": 2, "utf32": 4}
"""The fewest bytes of a character if that is more than one: a binary string is filled up on the left to be text."""
_SHOWN = 6
_UTF8 = collation_id("utf8mb4_bin")
"""The collation of binary strings in statements, which may contain anything."""


def encode_text(text: str, collation: int) -> bytes:
    """Text as bytes of a collation's character set, "?" for what that does not have."""
    number = _UTF8 if collation == COLLATION_BINARY else collation
    whole = encoded(text, number)
    return whole if whole is not None else b"".join(_encode_character(character, number) for character in text)


def _encode_character(character: str, collation: int) -> bytes:
    found = encoded(character, collation)
    if found is None and "\udc80" <= character <= "\udcff" and character_set(collation) not in _UNITS:
        return bytes((ord(character) - 0xDC00,))
    return found or encoded("?", collation)


def decode_text(data: bytes, collation: int) -> str:
    """Text of a collation's character set; bytes that are none become surrogates, which `encode_text` restores.

    Surrogates are U+DC80 to U+DCFF.
    """
    unit = _UNITS.get(character_set(collation), 1)
    return "".join(
        part if isinstance(part, str) else "".join(chr(0xDC00 + byte if byte > 0x7F else byte) for byte in part)
        for part in _parts(data.rjust(-(-len(data) // unit) * unit, b"\0"), collation)
    )


def _parts(data: bytes, collation: int) -> Iterator[str | bytes]:
    """Text, and between it the bytes that do not decode."""
    unit = _UNITS.get(character_set(collation), 1)
    at = 0
    while at < len(data):
        text, size = decoded_start(memoryview(data)[at:], _UTF8 if collation == COLLATION_BINARY else collation)
        at += size
        yield text
        if at < len(data):
            yield data[at : at + unit]
            at += unit


def cut_text(data: bytes, limit: int, collation: int) -> str:
    """Return encoded text as far as its whole characters take no more than `limit` bytes."""
    if len(data) <= limit or bytes_per_character(collation) == 1:
        return decode_text(data[:limit], collation)
    return "".join(part for part in _parts(data[:limit], collation) if isinstance(part, str))


def printable(text: str, collation: int) -> str:
    """Return the first bytes of a text as the server's messages show them: six, those that are not ASCII as \\xFF."""
    data = encode_text(text, collation)
    narrow = character_set(collation) not in _UNITS
    shown = (chr(byte) if narrow and 0x20 <= byte < 0x7F else f"\\x{byte:02X}" for byte in data[:_SHOWN])
    return "".join(shown) + ("..." if len(data) > _SHOWN else "")


@cache
def _rules(collation: int) -> tuple[bool, bool, bool]:
    """Return True if a collation ignores case, ignores accents, and pads with spaces."""
    name = collation_name(collation)
    if name.endswith("_bin") or collation == COLLATION_BINARY:
        return False, False, "0900" not in name and collation != COLLATION_BINARY
    ignores_case = name.endswith("_ci")
    modern = "_0900_" in name
    ignores_accents = "_ai_" in name or (ignores_case and not modern)
    return ignores_case, ignores_accents, not modern


def compare_key(text: str, collation: int) -> str:
    """Return a key that orders text as the collation does, as far as case, accents and trailing spaces go."""
    ignores_case, ignores_accents, pads = _rules(collation)
    if pads:
        text = text.rstrip(" ")
    if text.isascii():
        return text.casefold() if ignores_case else text
    if ignores_accents:
        parts = unicodedata.normalize("NFD", text)
        text = "".join(character for character in parts if not unicodedata.combining(character))
    return text.casefold() if ignores_case else text
