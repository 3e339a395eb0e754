"""The classes of characters under a collation that takes accented letters for plain ones: both have one place.

The mask of an accented letter is one of the mask of its plain letter, with as many bytes. If that letter has none, a
code that no text has stands for it: so texts that differ under the collation get masks that differ under it.
"""

from __future__ import annotations

from array import array
from unicodedata import ucd_3_2_0

from pybinlog.kernel.base.collation import collation_names
from pybinlog.kernel.condition.text_order import weights_of

CODES = 1 << 17
SETS = ("general_ci", "unicode_ci", "0900_ai_ci", "uca1400_ai_ci")
"""The collations of UTF-8 whose weights are known."""
UNFOLDED, UNKNOWN = "", "?"
_ASCII = (b"abcdefghijklmnopqrstuvwxyz", b"0123456789", b"!#&()*+-./:;<=>?@[]^{|}~")
"""Classes of the kernel (text_mask.py), in its order."""
_SPARE_OF_TWO_BYTES = (
    *(0x378, 0x379, 0x380, 0x381, 0x382, 0x383, 0x38B, 0x38D, 0x3A2, 0x530, 0x557, 0x558, 0x590),
    *(*range(0x5C8, 0x5D0), *range(0x5F5, 0x600), *range(0x7B2, 0x7C0)),
)
_SPARE_OF_THREE_BYTES = range(0xEA00, 0xF000)
_SURROGATES = range(0xD800, 0xE000)
_IDEOGRAPHS = (range(0x3400, 0xA000), range(0xAC00, 0xD7A4))


def fold_of(collation: int, mariadb: bool) -> str:
    """Return the set of weights by which a collation folds characters beyond ASCII.

    UNFOLDED: it folds case alone. UNKNOWN: pybinlog does not know.
    """
    character_set, name = collation_names(mariadb).get(collation, ("", ""))
    kind = name.removeprefix(character_set + "_").replace("_nopad", "").replace("nopad_", "")
    if not name or kind in ("", "bin", "binary") or kind.endswith("_bin") or "as" in kind.split("_"):
        return UNFOLDED
    return kind if character_set in ("utf8mb4", "utf8mb3", "utf8") and kind in SETS else UNKNOWN


def width_of(code: int) -> int:
    return 2 if code < 0x800 else 3


def folded(name: str) -> tuple[bytes, bytes, bytes, bytes]:
    """Return the four arrays of a CharTable (kernel/mask/text_mask.pxd) for a set of weights."""
    weights = weights_of(name)
    groups: dict[object, list[int]] = {}
    for code in range(0x80, 0x10000):
        if code not in _SURROGATES:
            known = weights[code] if code < len(weights) else None
            groups.setdefault(code if known is None else known, []).append(code)
    classes: dict[tuple[object, ...], list[list[int]]] = {}
    """Of each class the groups in the order of their places."""
    for number, letters in enumerate(_ASCII):
        classes[number,] = [groups.pop(weights[letter], []) for letter in letters]
    stays = groups.pop(b"", [])  # the collation ignores them
    stays += [code for letter in range(0x80) for code in groups.pop(weights[letter], [])]
    for members in groups.values():
        first = members[0]
        block = next((block.start for block in _IDEOGRAPHS if first in block), first >> 8)
        category = ucd_3_2_0.category(chr(first))[0]
        is_known = first < len(weights) and weights[first] is not None
        classes.setdefault((width_of(first), block, category, is_known), []).append(members)
    return _packed(classes, stays)


def _packed(classes: dict[tuple[object, ...], list[list[int]]], stays: list[int]) -> tuple[bytes, bytes, bytes, bytes]:
    entries, starts, lowers, uppers = array("I", bytes(4 * CODES)), array("I"), array("I"), array("I")
    spare = {2: iter(_SPARE_OF_TWO_BYTES), 3: iter(_SPARE_OF_THREE_BYTES)}
    left = {2: len(_SPARE_OF_TWO_BYTES), 3: len(_SPARE_OF_THREE_BYTES)}
    spares = {*_SPARE_OF_TWO_BYTES, *_SPARE_OF_THREE_BYTES}
    for groups in classes.values():
        for width in (2, 3):
            of_width = [[code for code in group if width_of(code) == width and code not in spares] for group in groups]
            if not any(of_width):
                continue
            missing = sum(not members for members in of_width)
            if missing > left[width]:
                stays += [code for members in of_width for code in members]
                continue
            left[width] -= missing
            number = len(starts) + 1
            starts.append(len(lowers))
            for place, members in enumerate(of_width):
                members = members or [next(spare[width])]
                for code in members:
                    entries[code] = number << 17 | place << 1 | _is_upper(code)
                lowers.append(next((code for code in members if not _is_upper(code)), members[0]))
                uppers.append(next((code for code in members if _is_upper(code)), members[0]))
    for code in (*stays, *(code for code in spares if not entries[code])):
        entries[code] = (len(starts) + 1) << 17
        starts.append(len(lowers))
        lowers.append(code)
        uppers.append(code)
    starts.append(len(lowers))
    return entries.tobytes(), starts.tobytes(), lowers.tobytes(), uppers.tobytes()


def _is_upper(code: int) -> bool:
    return ucd_3_2_0.category(chr(code)) == "Lu"
