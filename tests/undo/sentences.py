"""The sentences by which an undo is refused."""

import re

from tests.undo.trial import Unequal

CHANGED_AGAIN = re.compile(r"\d+ of \d+ rows? of u\.(.+?) (?:was|were) changed again")
COUNTED = re.compile(r"(\d+) of (\d+) rows? of u\..+? (?:was|were) changed again")
FIRST = re.compile(r"changed again, here first by \S*?(\d+)\b(?![-:])")


def must_be_listed(message: str, tables: set[str], others: set[str] | None = None) -> None:
    """The message must name the tables whose rows were changed again, and besides them only `others`."""
    found = set(CHANGED_AGAIN.findall(message))
    if not tables <= found <= tables | (others or set()):
        raise Unequal(f"rows changed again in {tables}, not {found}: {message[:1000]}")


def must_be_refused(status: int, out: bytes, err: str) -> None:
    if status == 0 or out:
        raise Unequal(f"not refused: status {status}, {len(out)} bytes of text; {err[:500]}")
    if not err.startswith("ERROR: "):
        raise Unequal(f"refused without a sentence: {err[:500]!r}")


def first_named(message: str) -> int:
    """Return the number of the GTID that first changed a row again."""
    return int(FIRST.findall(message)[0])
