"""Control characters made visible, where a text is shown to people: in messages, reports and on a terminal."""

from __future__ import annotations

import re

CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\udc80-\udc9f"
"""C0 but for line ends and tabs, DEL, and C1, also as single bytes that are no UTF-8 (surrogate escapes)."""
IN_LINES = re.compile(f"[{CONTROLS}]")
IN_A_LINE = re.compile(f"[{CONTROLS}\t\n]")
SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def visible(text: str) -> str:
    r"""The text in one line that no name in it can end or repaint: control characters are escapes.

    Example: visible("a\n\x1b[2J") == r"a\n\x1b[2J".
    """
    return IN_A_LINE.sub(lambda match: SHORT.get(match[0]) or escape(match), text)


def visible_lines(text: str) -> str:
    """The same for a text of many lines: line ends and tabs stay what they are."""
    return IN_LINES.sub(escape, text)


def escape(match: re.Match[str]) -> str:
    return f"\\x{ord(match[0]) & 0xFF:02x}"
