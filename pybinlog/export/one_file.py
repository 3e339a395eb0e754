"""OneFile: all rows of an export in one file, whose name says its format and its compression."""

from __future__ import annotations

import os
from dataclasses import dataclass

from pybinlog.export.file import open_output
from pybinlog.source.remote import is_url

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Compressor(Protocol):
        def compress(self, data: Any, /) -> bytes: ...
        def flush(self) -> bytes: ...


FORMATS = ("parquet", "csv", "jsonl")


def gzip() -> Compressor:
    import zlib

    return zlib.compressobj(wbits=31)


def bzip2() -> Compressor:
    import bz2

    return bz2.BZ2Compressor()


def xz() -> Compressor:
    import lzma

    return lzma.LZMACompressor()


def zstd() -> Compressor:
    import zstandard

    return zstandard.ZstdCompressor(write_checksum=True).compressobj()


COMPRESSORS = {"gz": gzip, "bz2": bzip2, "xz": xz, "zst": zstd}


@dataclass(frozen=True)
class FileName:
    """The meaning of an output file's name: `rows.csv`, `rows.jsonl.zst`; `compression` is "" for none."""

    path: str
    format: str
    compression: str = ""

    @classmethod
    def of(cls, path: str) -> FileName | None:
        """Return what the name says; None for a folder: one that is there, ends with / or has no ending of a format."""
        base, _, ending = os.path.basename(path).rpartition(".")
        compression = ending.lower() if ending.lower() in COMPRESSORS else ""
        if compression:
            base, _, ending = base.rpartition(".")
        if not base or ending.lower() not in FORMATS or (not is_url(path) and os.path.isdir(path)):
            return None
        return cls(path, ending.lower(), compression)


class OneFile:
    """A file that is whole or not there, compressed as its name says. `commit()` gives it its name.

    Raise BinlogError, naming the file, if it cannot be written.
    """

    def __init__(self, name: FileName):
        self._name = name.path
        self._compressor = COMPRESSORS[name.compression]() if name.compression else None
        self._file = open_output(name.path)

    def write(self, data: Any) -> None:
        self._file.write(memoryview(self._compressor.compress(data)) if self._compressor is not None else data)

    def commit(self) -> None:
        if self._compressor is not None:
            self._file.write(memoryview(self._compressor.flush()))
        self._file.commit()

    def __enter__(self) -> OneFile:
        self._file.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._file.__exit__(*exception)
