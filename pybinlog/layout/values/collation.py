"""The Python codec for the character set of a collation, by the collation's number in MySQL and MariaDB."""

from __future__ import annotations

BINARY = 63
NOPAD = 1024
"""From here on MariaDB numbers those that compare with NO PAD, by the collation that they are made of."""

_RANGES: tuple[tuple[str, tuple[int | range, ...]], ...] = (
    ("utf-8", (33, 45, 46, 76, 83, range(192, 248), range(255, 512), range(576, 612), range(2048, 2560))),
    ("cp1252", (5, 8, 15, 31, 47, 48, 49, 94)),
    ("ascii", (11, 65)),
    ("big5", (1, 84)),
    ("iso8859-2", (2, 9, 21, 27, 77)),
    ("cp850", (4, 80)),
    ("hp-roman8", (6, 72)),
    ("koi8-r", (7, 74)),
    ("euc_jp", (12, 91)),
    ("euc_jis_2004", (97, 98)),
    ("shift_jis", (13, 88)),
    ("cp932", (95, 96)),
    ("cp1251", (14, 23, 50, 51, 52)),
    ("iso8859-8", (16, 71)),
    ("tis-620", (18, 89)),
    ("euc_kr", (19, 85)),
    ("iso8859-13", (20, 41, 42, 79)),
    ("koi8-u", (22, 75)),
    ("gb2312", (24, 86)),
    ("iso8859-7", (25, 70)),
    ("cp1250", (26, 34, 44, 66, 99)),
    ("gbk", (28, 87)),
    ("cp1257", (29, 58, 59)),
    ("iso8859-9", (30, 78)),
    ("utf-16-be", (35, 54, 55, 90, range(101, 125), range(128, 152), 159, range(640, 675), range(2560, 3072))),
    ("utf-16-le", (56, 62)),
    ("utf-32-be", (60, 61, range(160, 184), range(736, 739), range(3072, 3328))),
    ("cp866", (36, 68)),
    ("mac_latin2", (38, 43)),
    ("mac_roman", (39, 53)),
    ("cp852", (40, 81)),
    ("cp1256", (57, 67)),
    ("gb18030", (248, 249, 250)),
)
_CODECS: dict[int, str] = {
    number: name
    for name, parts in _RANGES
    for part in parts
    for number in (part if isinstance(part, range) else (part,))
}


def codec(collation: int | None) -> str | None:
    """The codec's name; None for binary strings, for an unknown collation and for a set that Python does not have."""
    if collation is None:
        return None
    if NOPAD <= collation < NOPAD + 256:
        collation -= NOPAD
    return _CODECS.get(collation)
