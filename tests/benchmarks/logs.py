"""Logs: the files that are timed, made from real ones."""

from __future__ import annotations

import lzma
import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from tests.benchmarks.inflate import inflate
from tests.corpus import TESTDATA, WHOLE

__all__ = ["Log", "Logs", "LogMissing"]

MEBIBYTE = 1 << 20
SMALL = 1 << 12
SOURCES = {
    "large": ("mysql-9.7/large", "mysql-9.7/row-basic"),
    "large-rows": ("mysql-9.7/large-rows",),
    "statement": ("mysql-9.7/statement",),
    "compressed": ("mysql-9.7/compression",),
    "mariadb": ("mariadb-11.8/large", "mariadb-11.8/row"),
    "mariadb-statement": ("mariadb-11.8/statement",),
    "mariadb-compressed": ("mariadb-11.8/large-compressed", "mariadb-11.8/compressed"),
    "mariadb-undo": ("mariadb-11.8/large", "mariadb-11.8/row"),
    "small": ("mysql-9.7/row-basic",),
}
"""The scenarios of the corpus a log is made from, the first that is there: small OLTP transactions that change rows,
row events of 8 KiB and more, statements, transactions in zstd payloads; of MariaDB the same small transactions,
statements, and single events that are compressed (--log-bin-compress); and a log to be read as it is."""


ONLY_ROWS = {"mariadb-undo"}
"""Logs without the statements that define tables: they cannot be undone."""


class LogMissing(Exception):
    """Neither testdata nor the corpus beside the project holds what the log is made from."""


@dataclass(frozen=True)
class Log:
    """One file to be read: made from `scenario`, with its last transaction at `last_transaction`."""

    path: Path
    scenario: str
    last_transaction: int
    size: int
    name: str = ""

    @cached_property
    def before(self) -> Path:
        """A small log with rows of the same tables. The log is beside it, as the next of its series."""
        path = self.path.with_name(self.path.name + ".scan.000001")
        with path.open("wb") as small:
            inflate(source(self.name)[1], small, SMALL, only_committed=self.name in ONLY_ROWS)
        os.link(self.path, path.with_suffix(".000002"))
        return path

    @cached_property
    def zstd(self) -> Path:
        """The log compressed with zstd, beside it."""
        import zstandard

        path = self.path.with_name(self.path.name + ".zst")
        with self.path.open("rb") as plain, path.open("wb") as compressed:
            zstandard.ZstdCompressor(level=3).copy_stream(plain, compressed)
        return path


class Logs:
    """The logs of one run by name and size, each made at its first use."""

    def __init__(self, folder: Path, mebibytes: float):
        self.folder = folder
        self.size = int(mebibytes * MEBIBYTE)
        self._made: dict[tuple[str, int], Log] = {}

    def get(self, name: str, times: int = 1) -> Log:
        """The log `name` of `times` the usual size. Raise LogMissing if its source does not exist."""
        if (name, times) not in self._made:
            self._made[name, times] = self._make(name, times)
        return self._made[name, times]

    def forget(self, keep: str) -> None:
        """Delete all files but those of the log `keep`: they would only fill the page cache."""
        for (name, times), log in list(self._made.items()):
            if name != keep:
                for path in self.folder.glob(log.path.name + "*"):
                    path.unlink()
                del self._made[name, times]

    def _make(self, name: str, times: int) -> Log:
        scenario, data = source(name)
        path = self.folder / f"{name}-{times}.000001"
        if name == "small":
            path.write_bytes(data)
            return Log(path, scenario, 4, len(data))
        with path.open("wb") as out:
            last_transaction = inflate(data, out, self.size * times, only_committed=name in ONLY_ROWS)
            settle(out)
            return Log(path, scenario, last_transaction, out.tell(), name)


def source(name: str) -> tuple[str, bytes]:
    """The scenario that stands for `name`, and its first log's bytes."""
    for scenario in SOURCES[name]:
        for root in (WHOLE, TESTDATA / "corpus"):
            for path in sorted((root / scenario).glob("*bin*.000*")):
                data = path.read_bytes()
                return scenario, lzma.decompress(data) if path.suffix == ".xz" else data
    raise LogMissing(f"{' and '.join(SOURCES[name])} not found in testdata/corpus or ../shared/corpus")


def text_of(command: list[str], path: Path) -> int:
    """Put what the command prints into a file, and return its size."""
    with path.open("wb") as out:
        subprocess.run(command, stdout=out, stderr=subprocess.DEVNULL, check=True)
        settle(out)
    return path.stat().st_size


def settle(out: BinaryIO) -> None:
    """Have the file on the disk now: it must not be written there while something is timed."""
    out.flush()
    os.fsync(out.fileno())


def has(program: str) -> bool:
    return shutil.which(program) is not None
