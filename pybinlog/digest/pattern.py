"""The tokens that a digest and a redaction of a statement read alike: names, numbers, strings, by MySQL's rules."""

import re

ANSI_QUOTES = 4
NO_BACKSLASH_ESCAPES = 1 << 20
"""The bits of sql_mode that change what quotes mean."""
NAME = rb"[0-9A-Za-z_$\x80-\xff]"
_LITERALS = rb"""(?P<HEX>[xX]'[0-9a-fA-F]*'|0x[0-9a-fA-F]+(?!NAME))
    |(?P<BITS>[bB]'[01]*'|0b[01]+(?!NAME))
    |(?P<NUMBER>(?:\d+(?:\.\d*)?|\.\d+)[eE][+-]?\d+(?!NAME)|\d+\.\d*|(?<!NAME)\.\d+|\d+(?!NAME))
    |(?P<STRING>STRINGS)
    |(?P<QUOTED>NAMES)"""


def token_pattern(text: bytes, sql_mode: int, *, cut: bool, **parts: bytes) -> re.Pattern[bytes]:
    """Return the pattern of a token: a verbose text in which LITERALS, NAME, QUOTE and the `parts` stand for others.

    With `cut`, a string or a name without an end reaches to the end of the text. Without it, neither is a token.
    """
    plain = rb"Q[^Q]*(?:QQ[^Q]*)*" + (rb"(?:Q|\Z)" if cut else b"Q")
    escaped = rb"Q[^Q\\]*(?:(?:\\.|QQ)[^Q\\]*)*" + (rb"(?:Q|\\?\Z)" if cut else b"Q")
    string = plain if sql_mode & NO_BACKSLASH_ESCAPES else escaped
    strings, names, quotes = rb"[nN]?" + string.replace(b"Q", b"'"), plain.replace(b"Q", b"`"), b"'"
    if sql_mode & ANSI_QUOTES:
        names += b"|" + plain.replace(b"Q", b'"')
    else:
        strings += b"|" + string.replace(b"Q", b'"')
        quotes = b"['\"]"
    known = {b"STRINGS": strings, b"NAMES": names, b"QUOTE": quotes, b"NAME": NAME, b"LITERALS": _LITERALS}
    known |= {name.encode(): part for name, part in parts.items()}
    for _ in range(2):  # what stands for LITERALS has others in it
        text = re.sub(rb"\b(%s)\b" % b"|".join(known), lambda found: known[found[0]], text)
    return re.compile(text, re.VERBOSE | re.DOTALL)
