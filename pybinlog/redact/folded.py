"""The classes of characters under a collation that takes accented letters for plain ones: both have one place.

The mask of an accented letter is one of the mask of its plain letter, with as many bytes. If that letter has none, a
code that no text has stands for it, as for a character that is equal to several letters (\u00e6 and ae). So texts that
differ under the collation get masks that differ under it, but for characters whose weights are not known.
"""

from array import array
from unicodedata import ucd_3_2_0

from pybinlog.kernel.base.collation import collation_names
from pybinlog.kernel.condition.text_order import weights_of

CODES = 1 << 17
SETS = ("general_ci", "unicode_ci", "0900_ai_ci", "uca1400_ai_ci")
"""The collations of Unicode whose weights are known."""
UNICODE = ("utf8mb4", "utf8mb3", "utf8", "ucs2", "utf16", "utf16le", "utf32")
UNFOLDED, UNKNOWN = "", "?"
_ASCII = (b"abcdefghijklmnopqrstuvwxyz", b"0123456789", b"!#&()*+-./:;<=>?@[]^{|}~")
"""Classes of the kernel (text_mask.py), in its order."""
_SPARE_OF_TWO_BYTES = (
    *(0x378, 0x379, 0x380, 0x381, 0x382, 0x383, 0x38B, 0x38D, 0x3A2, 0x530, 0x557, 0x558, 0x590),
    *(*range(0x5C8, 0x5D0), *range(0x5F5, 0x600), *range(0x7B2, 0x7C0)),
)
_SPARE_OF_THREE_BYTES = range(0xEA00, 0xF000)
_FEW = 2
"""Codes beyond ASCII that are equal to signs: for so few, no spare codes stand for all other signs."""
_SPARES = {*_SPARE_OF_TWO_BYTES, *_SPARE_OF_THREE_BYTES}
_IMPLICIT = 0xFB00
"""From here on, a weight is the first of two by which a collation orders a character that it does not know."""
UNCERTAIN = 1 << 31
"""In an entry: the mask of the character may be equal to that of another one."""
_SURROGATES = range(0xD800, 0xE000)
_IDEOGRAPHS = (range(0x3400, 0xA000), range(0xAC00, 0xD7A4))


def fold_of(collation: int, mariadb: bool) -> str:
    """Return the set of weights by which a collation folds characters beyond ASCII.

    UNFOLDED: it folds case alone. UNKNOWN: pybinlog does not know.
    """
    character_set, name = collation_names(mariadb).get(collation, ("", ""))
    kind = name.removeprefix(character_set + "_").replace("_nopad", "").replace("nopad_", "")
    if not name or kind in ("", "bin", "binary") or kind.endswith("_bin"):
        return UNFOLDED
    return kind if character_set in UNICODE and kind in SETS else UNKNOWN


def width_of(code: int) -> int:
    return 2 if code < 0x800 else 3


def folded(name: str) -> tuple[bytes, bytes, bytes, bytes]:
    """Return the four arrays of a CharTable (kernel/mask/text_mask.pxd) for a set of weights."""
    weights = weights_of(name)
    groups: dict[object, list[int]] = {}
    for code in range(0x80, 0x10000):
        if code not in _SURROGATES and code not in _SPARES:
            known = weights[code]
            groups.setdefault(code if known is None else known, []).append(code)
    table = _Table()
    for letters in _ASCII:
        of_class = [groups.pop(weights[letter], []) for letter in letters]
        table.add_of_ascii(of_class, apart=letters.isdigit())
    ignored = groups.pop(b"", [])
    for letter in range(0x80):
        ignored += groups.pop(weights[letter], [])
    table.add([[code] for code in ignored], alone=True)
    classes: dict[tuple[object, ...], list[list[int]]] = {}
    for key, members in groups.items():
        widths = frozenset(map(width_of, members))
        if isinstance(key, bytes) and _units(key) > 1 and members[0] not in _IDEOGRAPHS[1]:
            for width in widths:
                table.expansions[width].append([code for code in members if width_of(code) == width])
            continue
        block = 0 if len(widths) > 1 else next((of.start for of in _IDEOGRAPHS if members[0] in of), members[0] >> 8)
        category = ucd_3_2_0.category(chr(members[0]))[0]
        classes.setdefault((widths, isinstance(key, bytes), block, category), []).append(members)
    single: dict[object, list[list[int]]] = {}
    for (*kind, _, _), of_class in classes.items():
        if len(of_class) > 1:
            table.add(of_class)
        else:
            single.setdefault(tuple(kind), []).extend(of_class)
    for of_class in single.values():
        table.add(of_class)
    table.add_expansions()
    unknown = {code for code, known in enumerate(weights) if known is None}
    return table.packed(unknown | _beyond(name) | {*ignored})


def _units(weights: bytes) -> int:
    """Return for how many letters the weights stand; those of a character that the collation does not know are two."""
    units = [weights[at] | weights[at + 1] << 8 for at in range(0, len(weights), 2)]
    return len(units) - sum(unit >= _IMPLICIT for unit in units)


def _beyond(name: str) -> set[int]:
    """Return the characters of four bytes whose masks may be equal; pictures have weights of their own in some sets."""
    return {*range(0x10000, CODES)} - {*(() if name in SETS[:2] else range(0x1F300, 0x1FA00))}


class _Table:
    """The arrays of a CharTable, while they grow. A group of codes that are equal has one place in its class."""

    def __init__(self) -> None:
        self._entries, self._starts = array("I", bytes(4 * CODES)), array("I")
        self._lowers, self._uppers = array("I"), array("I")
        self._spare = {2: iter(_SPARE_OF_TWO_BYTES), 3: iter(_SPARE_OF_THREE_BYTES)}
        self.expansions: dict[int, list[list[int]]] = {2: [], 3: []}
        """By their width, the groups that are equal to several letters, or to a digit or a sign."""

    def add_of_ascii(self, groups: list[list[int]], *, apart: bool) -> None:
        """Add codes that are equal to ASCII's; a spare one stands for a letter without any of that width.

        Digits are `apart`: whole numbers in ASCII have masks of their own.
        """
        for width in (2, 3):
            of_width = [[code for code in group if width_of(code) == width] for group in groups]
            if sum(map(bool, of_width)) > _FEW and not apart:
                self._add_class(of_width, [group or [next(self._spare[width])] for group in of_width])
            else:
                self.expansions[width] += filter(None, of_width)

    def add(self, groups: list[list[int]], *, alone: bool = False) -> None:
        """Add a class, for each width that its groups have, or with `alone` a class for each group."""
        for of_class in [[group] for group in groups] if alone else [groups]:
            for width in sorted(set(map(width_of, of_class[0]))):
                of_width = [[code for code in group if width_of(code) == width] for group in of_class]
                self._add_class(of_width, of_width)

    def add_expansions(self) -> None:
        """Add those that are equal to several letters: their masks are spare codes, which are equal to none."""
        for width, groups in self.expansions.items():
            if groups:
                self._add_class(groups, [[next(self._spare[width])] for _ in groups])

    def _add_class(self, groups: list[list[int]], masks: list[list[int]]) -> None:
        self._starts.append(len(self._lowers))
        for place, (group, of_place) in enumerate(zip(groups, masks, strict=True)):
            for code in group:
                self._entries[code] = len(self._starts) << 17 | place << 1 | _is_upper(code)
            self._lowers.append(next((code for code in of_place if not _is_upper(code)), of_place[0]))
            self._uppers.append(next((code for code in of_place if _is_upper(code)), of_place[0]))

    def packed(self, uncertain: set[int]) -> tuple[bytes, bytes, bytes, bytes]:
        """Return the arrays; these codes, too, may get a mask that is equal to another one."""
        self.add([[code] for code in sorted(_SPARES)], alone=True)
        self._starts.append(len(self._lowers))
        for code in _SPARES | uncertain:
            self._entries[code] |= UNCERTAIN
        return self._entries.tobytes(), self._starts.tobytes(), self._lowers.tobytes(), self._uppers.tobytes()


def _is_upper(code: int) -> bool:
    return ucd_3_2_0.category(chr(code)) == "Lu"
