"""Character sets and collations by number and by name; text as bytes of one, and how it compares by a collation."""

import unicodedata
from collections.abc import Iterator
from functools import cache

from pybinlog.kernel.base.charset import decoded_start, encoded
from pybinlog.kernel.base.collation import COLLATION_BINARY, TABLE, collation_names
from pybinlog.schema.error import error

UNKNOWN = 0
"""Stands for the collation of text in an unknown one."""
_FIRST_IS_NOT_DEFAULT = {"cp1251": 51, "cp1257": 59, "latin1": 8, "latin2": 9, "latin7": 41, "utf8mb4": 255}
"""The default collations that are not the first of their character set's line; those of 8.0 and later."""
_UTF8MB4_BEFORE_8 = 45
_UCA_FIRST = 2048
_UCA_CHARACTER_SETS = ("utf8mb3", "utf8mb4", "ucs2", "utf16", "utf32")
_MARIADB_BLOCKS = {18: "utf8mb3", 19: "utf8mb4", 20: "ucs2", 21: "utf16", 23: "utf32"}
"""MariaDB's own collations from 576 on, 32 numbers for each character set."""
_OF_MARIADB = 512
"""The collations that MariaDB alone has have this number or a higher one."""
_ALIASES = {"utf8": "utf8mb3"}


@cache
def _tables() -> tuple[dict[int, tuple[str, str]], dict[str, int], dict[str, int], dict[str, int]]:
    """Return collations by number as (character set, name), and by name; defaults and widths by character set."""
    by_number: dict[int, tuple[str, str]] = {}
    defaults: dict[str, int] = {}
    widths: dict[str, int] = {}
    name = ""
    for line in TABLE.strip("\n").split("\n"):
        words = line.split()
        if not line.startswith(" "):
            name, widths[words[0]] = words[0], int(words[1])
            words = words[2:]
        for word in words:
            number, _, suffix = word.partition(":")
            by_number[int(number)] = name, f"{name}_{suffix}" if suffix else name
            defaults.setdefault(name, int(number))
    defaults |= _FIRST_IS_NOT_DEFAULT
    by_name = {full: number for number, (_, full) in by_number.items()}
    by_number |= {number: found for number, found in collation_names(True).items() if number >= _OF_MARIADB}
    return by_number, by_name, defaults, widths


@cache
def _of_mariadb() -> dict[str, int]:
    """Return by name the collations that MariaDB alone has."""
    return {name: number for number, (_, name) in _tables()[0].items() if number >= _OF_MARIADB}


def collation_id(name: str) -> int:
    """Return the number of a collation of MySQL. Raise KeyError if there is none of that name."""
    name = name.lower()
    if name.startswith("utf8_"):
        name = f"utf8mb3_{name[5:]}"
    return _tables()[1][name]


def collation_name(number: int) -> str:
    """Return the name of a collation. Raise KeyError."""
    return _tables()[0][number][1]


def character_set(number: int) -> str:
    """Return the character set of a collation, by name. Raise KeyError."""
    return _tables()[0][number][0]


def default_collation(name: str, version: tuple[int, ...] = (9, 7)) -> int:
    """Return the number of a character set's default collation in a server's version. Raise KeyError."""
    name = name.lower()
    name = _ALIASES.get(name, name)
    if name == "utf8mb4" and version < (8,):
        return _UTF8MB4_BEFORE_8
    return _tables()[2][name]


def named_collation(name: str) -> int:
    """`collation_id` of a name that a statement has. Raise error 1273."""
    try:
        return collation_id(name)
    except KeyError as problem:
        raise error("UNKNOWN_COLLATION", name) from problem


def named_character_set(name: str, version: tuple[int, ...]) -> int:
    """`default_collation` of a name that a statement has. Raise error 1115."""
    try:
        return default_collation(name, version)
    except KeyError as problem:
        raise error("UNKNOWN_CHARACTER_SET", name) from problem


def collation_like(name: str, default: int) -> int:
    """Return the number of a collation of either server, or of another one of its character set if it has none here.

    MariaDB omits the character set in the name of one for several: it is that of `default`. Raise error 1273.
    """
    try:
        return collation_id(name)
    except KeyError:
        name = name.lower()
        charset = name.partition("_")[0]
    if charset == "uca1400":
        charset = character_set(default) if default != UNKNOWN else ""
        return _of_mariadb().get(f"{charset}_{name}", default)
    if charset == "utf8":
        name = f"utf8mb3_{name[5:]}"
    if name in _of_mariadb():
        return _of_mariadb()[name]
    try:
        return default_collation(charset, ())
    except KeyError as problem:
        raise error("UNKNOWN_COLLATION", name) from problem


def collation_of_number(number: int) -> int:
    """Return a collation, or if it has no name here one of the same character set; UNKNOWN without any.

    Source: MariaDB's ctype.h; the collations without padding have 1024 more than those with, UCA 14.0.0 256 numbers for
    each of five character sets.
    """
    if number in _tables()[0]:
        return number
    if 1024 <= number < _UCA_FIRST:
        return collation_of_number(number - 1024)
    names = _MARIADB_BLOCKS.get(number // 32) or ""
    place = (number - _UCA_FIRST) // 256
    if 0 <= place < len(_UCA_CHARACTER_SETS):
        names = _UCA_CHARACTER_SETS[place]
    return default_collation(names) if names else UNKNOWN


def bytes_per_character(number: int) -> int:
    """Return the most bytes that a character takes; 1 of UNKNOWN."""
    if number == UNKNOWN:
        return 1
    return _tables()[3][character_set(number)]


_UNITS = {"ucs2": 2, "utf16": 2, "utf16le": 2, "utf32": 4}
"""The fewest bytes of a character if that is more than one: a binary string is filled up on the left to be text."""
_SHOWN = 6
_UTF8 = collation_id("utf8mb4_bin")
"""The collation of binary strings in statements, which may contain anything."""


def encode_text(text: str, collation: int) -> bytes:
    """Return text as bytes of a collation's character set, "?" for what that does not have."""
    number = _UTF8 if collation == COLLATION_BINARY else collation
    whole = encoded(text, number, number >= _OF_MARIADB)
    return whole if whole is not None else b"".join(_encode_character(character, number) for character in text)


def _encode_character(character: str, collation: int) -> bytes:
    found = encoded(character, collation, collation >= _OF_MARIADB)
    if found is None and "\udc80" <= character <= "\udcff" and character_set(collation) not in _UNITS:
        return bytes((ord(character) - 0xDC00,))
    return found or encoded("?", collation, collation >= _OF_MARIADB)


def decode_text(data: bytes, collation: int) -> str:
    """Return text of a collation's character set; bytes that are none become surrogates, which `encode_text` restores.

    Surrogates are U+DC80 to U+DCFF.
    """
    unit = _UNITS.get(character_set(collation), 1)
    return "".join(
        part if isinstance(part, str) else "".join(chr(0xDC00 + byte if byte > 0x7F else byte) for byte in part)
        for part in _parts(data.rjust(-(-len(data) // unit) * unit, b"\0"), collation)
    )


def _parts(data: bytes, collation: int) -> Iterator[str | bytes]:
    """Yield text, and between it the bytes that do not decode."""
    unit = _UNITS.get(character_set(collation), 1)
    at = 0
    while at < len(data):
        number = _UTF8 if collation == COLLATION_BINARY else collation
        text, size = decoded_start(memoryview(data)[at:], number, number >= _OF_MARIADB)
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
    """Return whether a collation ignores case, ignores accents, and pads with spaces."""
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
