"""The classes of characters: a mask has a character of the same class, of as many bytes, in the same case.

Unicode's are those of version 3.2, which every Python has, so that a key masks alike everywhere.
"""

from array import array
from functools import cache
from unicodedata import ucd_3_2_0

from pybinlog.kernel.base.charset import encoded
from pybinlog.kernel.base.collation import collation_names
from pybinlog.redact.folded import SETS, folded

Tables = tuple[bytes, ...]
"""The four arrays of a CharTable (kernel/mask/text_mask.pxd), and of a character set the code of each character."""

CODES = 1 << 17
ASCII_END = 0x80
SURROGATES = range(0xD800, 0xE000)
IDEOGRAPHS = (range(0x3400, 0xA000), range(0xAC00, 0xD7A4))
"""Blocks that are one class: ideographs, and the syllables of Hangul."""


@cache
def tables(character_set: str) -> Tables:
    """Return the classes of a character set's characters; "": of Unicode's.

    The name of a set of weights gives Unicode's under such a collation.
    """
    if character_set in SETS:
        return folded(character_set)
    widths: dict[str, tuple[int, ...]] = {}
    codes = array("I", range(ASCII_END))
    codes.extend(array("I", bytes(4 * (CODES - ASCII_END))))
    for code in range(ASCII_END, 0x10000):
        char = chr(code)
        if code in SURROGATES:
            continue
        if not character_set:
            widths[char] = (len(char.encode()),)
        elif (found := encoded(char, _collation_of(character_set), True)) is not None:
            codes[code] = int.from_bytes(found, "big")
            widths[char] = (len(char.encode()), len(found))
    packed = _packed(_classes(widths, blocks=not character_set))
    return (*packed, codes.tobytes()) if character_set else packed


@cache
def _collation_of(character_set: str) -> int:
    return next(number for number, names in sorted(collation_names(True).items()) if names[0] == character_set)


def _classes(widths: dict[str, tuple[int, ...]], *, blocks: bool) -> dict[tuple[object, ...], list[tuple[int, int]]]:
    """Return the codes of each class: a pair of cases of the same widths once, others by their category."""
    classes: dict[tuple[object, ...], list[tuple[int, int]]] = {}
    for char, width in widths.items():
        code, other = ord(char), _other_case(char)
        group = (*width, _block(code) if blocks else 0)
        if other is None or widths.get(other) != width:
            classes.setdefault((*group, ucd_3_2_0.category(char)[0]), []).append((code, code))
        elif char.upper() != char:
            classes.setdefault((*group, "pairs"), []).append((code, ord(other)))
    return classes


def _block(code: int) -> int:
    return next((block.start for block in IDEOGRAPHS if code in block), code >> 8)


def _other_case(char: str) -> str | None:
    """Return the character's partner in the other case, if each is the other's only one in Unicode 3.2."""
    if ucd_3_2_0.category(char) == "Cn":
        return None
    for other in (char.lower(), char.upper()):
        is_known = len(other) == 1 and ord(other) >= ASCII_END and ucd_3_2_0.category(other) != "Cn"
        if is_known and other != char and char in (other.lower(), other.upper()):
            return other
    return None


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
