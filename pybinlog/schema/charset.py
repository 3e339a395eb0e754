"""Character sets and collations by number and by name."""

from __future__ import annotations

from functools import cache

from pybinlog.kernel.base.collation import TABLE
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
_ALIASES = {"utf8": "utf8mb3"}


@cache
def _tables() -> tuple[dict[int, tuple[str, str]], dict[str, int], dict[str, int], dict[str, int]]:
    """Collations by number as (character set, name), by name; defaults and character widths by character set."""
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
    return by_number, {full: number for number, (_, full) in by_number.items()}, defaults, widths


def collation_id(name: str) -> int:
    """Return the number of a collation. Raise KeyError if there is none of that name."""
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
    """Return the number of a collation, or of another one of its character set if it has none here.

    MariaDB omits the character set in the name of one for several: it is that of `default`. Raise error 1273.
    """
    try:
        return collation_id(name)
    except KeyError:
        charset = name.lower().partition("_")[0]
    if charset == "uca1400":
        return default
    return named_character_set(charset, ())


def collation_of_number(number: int) -> int:
    """Return a collation of the same character set that has a name here; UNKNOWN if the number is not known.

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
