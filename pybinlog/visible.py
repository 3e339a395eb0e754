"""Texts as people are shown them: controls made visible, and not too long; times and numbers of things."""

import re
from time import localtime

BIDIRECTIONAL = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Controls of the order in which a line is shown (Unicode, UAX #9): they let it look like another one."""
CONTROLS = f"\x00-\x08\x0b-\x1f\x7f-\x9f\udc80-\udc9f{BIDIRECTIONAL}"
"""C0 but for line ends and tabs, DEL, and C1, also as single bytes that are no UTF-8 (surrogate escapes)."""
IN_LINES = f"[{CONTROLS}]"
IN_A_LINE = f"[{CONTROLS}\t\n]"
MOST = 10_000
"""Characters of a message: room for two paths, which may have 4,096."""
MOST_OF_OTHERS = 500
"""Characters of what a server, or another program, says."""
SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def visible(text: str) -> str:
    r"""Return the text in one line that no name in it can end or repaint: control characters are escapes.

    Example: visible("a\n\x1b[2J") == r"a\n\x1b[2J".
    """
    if text.isprintable():
        return text
    return re.sub(IN_A_LINE, lambda match: SHORT.get(match[0]) or escape(match), text)


def message(text: str) -> str:
    """Return the text of a message as `visible` gives it, and of bounded length."""
    return visible(shortened(text, MOST))


def shortened(text: str, most: int) -> str:
    """Return the text without its middle if it has more than `most` characters: a message ends with the way out."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}... ({len(text) - 2 * half} characters are left out) ...{text[-half:]}"


def visible_lines(text: str) -> str:
    """Return the same for a text of many lines: line ends and tabs stay what they are."""
    return text if text.isprintable() else re.sub(IN_LINES, escape, text)


def argument(file: str) -> str:
    """Return a file's name as a shell takes it, for a command that is shown: no name is an option of the command.

    Example: argument("-rf.000001") == "./-rf.000001".
    """
    import shlex

    return shlex.quote(f"./{file}" if file.startswith("-") and file != "-" else file)


def to_second(time: int | None, unit: int = 1) -> str | None:
    """Return a time since 1970 UTC, of which `unit` are a second, to the second; None for None."""
    from datetime import datetime, timezone

    return None if time is None else f"{datetime.fromtimestamp(time // unit, timezone.utc):%Y-%m-%dT%H:%M:%SZ}"


def local_time(time: int, unit: int = 1, *, exactly: bool = False) -> str:
    """Return a time since 1970 UTC, of which `unit` are a second, in the local time zone, with the zone's offset.

    It is to the second, and `exactly` with microseconds. Options read this form: 2026-11-21 02:22:50+01:00.
    """
    seconds, rest = divmod(time, unit)
    clock = localtime(seconds)
    fraction = f".{rest * 1_000_000 // unit:06d}" if exactly else ""
    sign, ahead = ("-" if clock.tm_gmtoff < 0 else "+"), abs(clock.tm_gmtoff) // 60
    zone = f"{sign}{ahead // 60:02d}:{ahead % 60:02d}" if ahead else "Z"
    return (
        f"{clock.tm_year:04d}-{clock.tm_mon:02d}-{clock.tm_mday:02d} "
        f"{clock.tm_hour:02d}:{clock.tm_min:02d}:{clock.tm_sec:02d}{fraction}{zone}"
    )


def server_name(version: str) -> str:
    """Return the name of a server by its version in a log.

    Example: server_name("11.8.2-MariaDB-log") == "MariaDB 11.8.2".
    """
    numbers = re.match(r"(?:5\.5\.5-(?=1\d\.))?([\d.]*)", version)
    number = "" if numbers is None else numbers[1]
    return f"{'MariaDB' if 'mariadb' in version.lower() else 'MySQL'} {number or version}"


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if 0xFF < code < 0xD800 else f"\\x{code & 0xFF:02x}"
