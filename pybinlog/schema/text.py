"""Text as bytes of a character set, and how it compares by a collation."""

from __future__ import annotations

import codecs
import re
import unicodedata
from functools import cache

from pybinlog.errors import UnsupportedStatement
from pybinlog.layout.values.collation import codec
from pybinlog.schema.charset import BINARY, bytes_per_character, character_set, collation_name

_UNITS = {"ucs2": 2, "utf16": 2, "utf16le": 2, "utf32": 4}
"""The fewest bytes of a character where that is more than one: a binary string is filled up on the left to be text."""
_SHOWN = 6
_NOT_IN_THE_BASIC_PLANE = re.compile("[\U00010000-\U0010ffff]")
_BASIC_PLANE_ONLY = frozenset({"utf8mb3", "ucs2"})
_RAW = "pybinlog.raw"
"""The codecs' error handler of this module: bytes that are no text become surrogates U+DC80 to U+DCFF, and back."""


def _raw(problem: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(problem, UnicodeDecodeError):
        bad = problem.object[problem.start : problem.end]
        return "".join(chr(0xDC00 + byte if byte > 0x7F else byte) for byte in bad), problem.end
    assert isinstance(problem, UnicodeEncodeError)
    wide = {"utf-16-be": 2, "utf-16-le": 2, "utf-32-be": 4}.get(problem.encoding, 1)
    if wide > 1:  # such a codec takes whole units only
        return "?" * (problem.end - problem.start), problem.end
    text = problem.object[problem.start : problem.end]
    return bytes(ord(char) - 0xDC00 if "\udc80" <= char <= "\udcff" else 0x3F for char in text), problem.end


def _raw_latin1(problem: UnicodeError) -> tuple[str | bytes, int]:
    """The server's latin1 has all 256: five that cp1252 does not are the control characters of that number."""
    if isinstance(problem, UnicodeDecodeError):
        return problem.object[problem.start : problem.end].decode("latin-1"), problem.end
    assert isinstance(problem, UnicodeEncodeError)
    char = problem.object[problem.start]
    own = char in "\x81\x8d\x8f\x90\x9d" or "\udc80" <= char <= "\udcff"
    return bytes((ord(char) & 0xFF if own else 0x3F,)), problem.start + 1


codecs.register_error(_RAW, _raw)
codecs.register_error(f"{_RAW}.latin1", _raw_latin1)


def _codec(number: int) -> tuple[str, str]:
    """The codec of a collation and its error handler. Raises UnsupportedStatement."""
    name = codec(number) or ("utf-8" if number == BINARY else None)
    if name is None:
        charset = character_set(number)
        raise UnsupportedStatement(f"text of character set {charset} is not in the model", missing=charset)
    return name, f"{_RAW}.latin1" if name == "cp1252" else _RAW


def encode_text(text: str, collation: int) -> bytes:
    """Text as bytes of a collation's character set, "?" for what that does not have.

    Raises UnsupportedStatement for a character set that the model does not have.
    """
    if character_set(collation) in _BASIC_PLANE_ONLY:
        text = _NOT_IN_THE_BASIC_PLANE.sub("?", text)
    return text.encode(*_codec(collation))


def decode_text(data: bytes, collation: int) -> str:
    """Text of a collation's character set; bytes that are none become surrogates, which `encode_text` restores.

    Raises UnsupportedStatement for a character set that the model does not have.
    """
    unit = _UNITS.get(character_set(collation), 1)
    return data.rjust(-(-len(data) // unit) * unit, b"\0").decode(*_codec(collation))


def cut_text(data: bytes, limit: int, collation: int) -> str:
    """Encoded text as far as its whole characters take no more than `limit` bytes."""
    if len(data) <= limit or bytes_per_character(collation) == 1:
        return decode_text(data[:limit], collation)
    return data[:limit].decode(_codec(collation)[0], "ignore")


def printable(text: str, collation: int) -> str:
    """The first bytes of a text as the server's messages show them: six, those that are not ASCII as \\xFF."""
    data = encode_text(text, collation)
    narrow = character_set(collation) not in _UNITS
    shown = (chr(byte) if narrow and 0x20 <= byte < 0x7F else f"\\x{byte:02X}" for byte in data[:_SHOWN])
    return "".join(shown) + ("..." if len(data) > _SHOWN else "")


@cache
def _rules(collation: int) -> tuple[bool, bool, bool]:
    """Whether a collation ignores case, ignores accents, and pads with spaces."""
    name = collation_name(collation)
    if name.endswith("_bin") or collation == BINARY:
        return False, False, "0900" not in name and collation != BINARY
    ignores_case = name.endswith("_ci")
    modern = "_0900_" in name
    ignores_accents = "_ai_" in name or (ignores_case and not modern)
    return ignores_case, ignores_accents, not modern


def compare_key(text: str, collation: int) -> str:
    """A key that orders text as the collation does, as far as case, accents and trailing spaces go."""
    ignores_case, ignores_accents, pads = _rules(collation)
    if pads:
        text = text.rstrip(" ")
    if text.isascii():
        return text.casefold() if ignores_case else text
    if ignores_accents:
        parts = unicodedata.normalize("NFD", text)
        text = "".join(character for character in parts if not unicodedata.combining(character))
    return text.casefold() if ignores_case else text
