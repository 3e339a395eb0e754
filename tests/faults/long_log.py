"""A log of any length."""

from collections.abc import Iterator
from pathlib import Path

from tests.corpus import TESTDATA

LOG = TESTDATA / "corpus" / "mysql-9.7" / "row-basic" / "binlog.000001"


def long_log(folder: Path, copies: int, log: Path = LOG) -> Path:
    """Write a log of MySQL 9.7 into a folder, with its transactions so many times; return its path."""
    source = log.read_bytes()
    begins = next(at for at, type_code in events(source) if type_code in (33, 34))
    ends = [at for at, type_code in events(source) if type_code in (3, 4)] or [len(source)]
    path = folder / log.name
    path.write_bytes(source[:begins] + source[begins : ends[-1]] * copies)
    return path


def events(log: bytes) -> Iterator[tuple[int, int]]:
    """(position, type code) of each."""
    at = 4
    while at + 19 <= len(log):
        yield at, log[at + 4]
        at += int.from_bytes(log[at + 9 : at + 13], "little")
