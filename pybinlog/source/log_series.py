"""LogName: which series of logs a file belongs to, and its number there."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import NamedTuple

COMPRESSION_SUFFIXES = (".gz", ".xz", ".bz2", ".zst")


def log_name(path: str) -> str:
    """Return the base name without a compression suffix: the server's name for the log, also in Rotate events."""
    base = path.replace("\\", "/").rpartition("/")[2]
    if not base.endswith(COMPRESSION_SUFFIXES):
        return base
    for suffix in COMPRESSION_SUFFIXES:
        base = base.removesuffix(suffix)
    return base


LEAST_DIGITS = 6
"""Digits of a log's number."""


class LogName(NamedTuple):
    """`series` is the path up to the number; `number` is None if the name has none."""

    series: str
    number: int | None
    base: str
    """The name without its folder and without a compression suffix."""
    stem: str
    """The base name up to the number; all of it without one."""

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, path: str) -> LogName:
        base = log_name(path)
        stem, _, number = base.rpartition(".")
        if len(number) < LEAST_DIGITS or not number.isdecimal() or not stem or "\n" in stem or path == "-":
            return cls(path, None, base, base)
        folder = path[: path.rfind("/") + 1]
        if folder.endswith("//"):
            folder = os.path.join(os.path.dirname(path), "")
        return tuple.__new__(cls, (folder + stem, int(number), base, stem))

    def follows(self, before: LogName) -> bool:
        """Return True if this is the log that its server wrote after that one."""
        if self.number is None or before.number is None:
            return False
        return self.series == before.series and self.number == before.number + 1

    def numbered(self, number: int) -> str:
        """Return the base name of the log with another number."""
        return f"{self.stem}.{number:06d}"


def by_number(path: str) -> tuple[str, int, str]:
    """Order logs by series and number, as their server wrote them: binlog.999999 comes before binlog.1000000."""
    log = LogName.of(path)
    return log.series, -1 if log.number is None else log.number, path
