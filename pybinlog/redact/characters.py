"""The classes of characters: a mask has a character of the same class, of as many bytes, in the same case.

Unicode's are those of version 3.2, which every Python has, so that a key masks alike everywhere.
"""

from array import array
from collections.abc import Callable
from functools import cache
from unicodedata import ucd_3_2_0

from pybinlog.kernel.base.charset import decoded
from pybinlog.kernel.base.collation import collation_names
from pybinlog.redact.folded import SETS, folded

Tables = tuple[bytes, bytes, bytes, bytes]
"""The four arrays of a CharTable (kernel/mask/text_mask.pxd)."""

CODES = 1 << 17
ASCII_END = 0x80
SURROGATES = range(0xD800, 0xE000)
FIRST_OF_THREE_BYTES = 0x800
IDEOGRAPHS = (range(0x3400, 0xA000), range(0xAC00, 0xD7A4))
"""Blocks that are one class: ideographs, and the syllables of Hangul."""
THREE_BYTES = 0x8F
"""The first byte of the characters of three bytes in ujis and eucjpms."""


@cache
def tables(character_set: str) -> Tables:
    """Return the classes of a character set's characters by their codes; "": of Unicode's by their numbers.

    The name of a set of weights gives Unicode's under such a collation.
    """
    if character_set in SETS:
        return folded(character_set)
    return _unicode() if not character_set else _of_charset(character_set)


def _unicode() -> Tables:
    classes: dict[tuple[object, ...], list[tuple[int, int]]] = {}
    for code in range(ASCII_END, 0x10000):
        if code not in SURROGATES:
            width = 2 if code < FIRST_OF_THREE_BYTES else 3
            _add(classes, code, chr(code), _other_case_of_width, (width, _block(code)))
    return _packed(classes)


def _block(code: int) -> int:
    return next((block.start for block in IDEOGRAPHS if code in block), code >> 8)


def _other_case_of_width(char: str) -> str | None:
    other = _other_case(char)
    if other is None or (ord(other) < FIRST_OF_THREE_BYTES) != (ord(char) < FIRST_OF_THREE_BYTES):
        return None
    return other


def _other_case(char: str) -> str | None:
    """Return the character's partner in the other case, if each is the other's only one in Unicode 3.2."""
    if ucd_3_2_0.category(char) == "Cn":
        return None
    for other in (char.lower(), char.upper()):
        is_known = len(other) == 1 and ord(other) >= ASCII_END and ucd_3_2_0.category(other) != "Cn"
        if is_known and other != char and char in (other.lower(), other.upper()):
            return other
    return None


def _add(
    classes: dict[tuple[object, ...], list[tuple[int, int]]],
    code: int,
    char: str,
    other_case: Callable[[str], str | None],
    group: tuple[object, ...],
    code_of: dict[str, int] | None = None,
) -> None:
    """Put a character into its class: a pair of cases once, with both codes; others by their category."""
    other = other_case(char)
    if other is not None and code_of is not None and other not in code_of:
        other = None
    if other is None:
        classes.setdefault((*group, ucd_3_2_0.category(char)[0]), []).append((code, code))
    elif char.upper() != char:
        upper = code_of[other] if code_of is not None else ord(other)
        classes.setdefault((*group, "pairs"), []).append((code, upper))


def _of_charset(character_set: str) -> Tables:
    collation = next(number for number, names in sorted(collation_names(True).items()) if names[0] == character_set)
    code_of: dict[str, int] = {}
    chars: list[tuple[int, int, str]] = []
    leads = []
    for first in range(ASCII_END, 0x100):
        char = decoded(bytes((first,)), collation, True)
        if char is not None and len(char) == 1:
            chars.append((first, 1, char))
        else:
            leads.append(first)
    for first in leads:
        for second in range(0x100):
            char = decoded(bytes((first, second)), collation, True)
            if char is not None and len(char) == 1:
                chars.append((first << 8 | second, 2, char))
    if THREE_BYTES in leads:
        for last in range(0x10000):
            char = decoded(bytes((THREE_BYTES, last >> 8, last & 255)), collation, True)
            if char is not None and len(char) == 1:
                chars.append((0x10000 | last, 3, char))
    for code, width, char in chars:
        if width == 1:  # of pairs in wider ones, the partner may have another width
            code_of.setdefault(char, code)
    classes: dict[tuple[object, ...], list[tuple[int, int]]] = {}
    for code, width, char in chars:
        pair = code_of if width == 1 and code_of[char] == code else {}
        _add(classes, code, char, _other_case, (width,), pair)
    return _packed(classes)


def _packed(classes: dict[tuple[object, ...], list[tuple[int, int]]]) -> Tables:
    entries, starts, members, uppers = array("I", bytes(4 * CODES)), array("I"), array("I"), array("I")
    for number, pairs in enumerate(classes.values()):
        starts.append(len(members))
        for place, (lower, upper) in enumerate(pairs):
            entries[upper] = (number + 1) << 17 | place << 1 | 1
            entries[lower] = (number + 1) << 17 | place << 1
            members.append(lower)
            uppers.append(upper)
    starts.append(len(members))
    return entries.tobytes(), starts.tobytes(), members.tobytes(), uppers.tobytes()
