"""Files as writers of views need them: local ones, which are whole or not there, and those at URLs.

OneFile: all rows of an export in one file, whose name says its format and its compression.
"""

from __future__ import annotations

import io
import os
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, BinaryIO, Protocol

from pybinlog.errors import BinlogError
from pybinlog.export.text_format import FILE_FORMATS
from pybinlog.output.modes import make_folders
from pybinlog.output.replacement import Replacement
from pybinlog.source.remote import file_system, is_url, message_of


class Output(Protocol):
    """An output for bytes; `write` takes all of them or raises OSError or BinlogError."""

    def write(self, data: Any, /) -> object: ...


class Compressor(Protocol):
    def compress(self, data: Any, /) -> bytes: ...
    def flush(self) -> bytes: ...


OBJECT_STORES = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "memory"})


def open_output(path: str) -> Replacement | RemoteFile:
    """Return a file that has its name after `commit`. Raise BinlogError if it cannot be made."""
    return RemoteFile(path) if is_url(path) else Replacement(path)


def make_folder(folder: str) -> None:
    """Make a folder where it is not there. Raise BinlogError if that is not possible."""
    if is_url(folder):
        system, path = file_system(folder)
        try:
            system.makedirs(path, exist_ok=True)
        except Exception as error:
            raise BinlogError(f"the folder cannot be made: {message_of(error)}", file=folder) from error
        return
    try:
        make_folders(folder)
    except OSError as error:
        raise BinlogError(f"the folder cannot be made: {error.strerror}", file=folder) from error


class CountedFile(io.RawIOBase):
    """A file for pyarrow's writers, over one that has only `write`.

    A writer that was given up writes once more when it is collected: after the context, or `let_go`, that goes nowhere.
    """

    def __init__(self, file: Output):
        super().__init__()
        self._file: Output | None = file
        self._position = 0

    def __exit__(self, *_: object) -> None:
        self.let_go()

    def let_go(self) -> None:
        """Write nothing any more."""
        self._file = None

    def lead_to(self, file: Output) -> None:
        """Write what comes from now on to another file."""
        self._file = file

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        if self._file is not None:
            self._file.write(view)
        self._position += len(view)
        return len(view)

    def tell(self) -> int:
        return self._position


class RemoteFile:
    """A file on the file system of a URL, which has its name after `commit`.

    An object store has an object when it is closed; on other file systems the file has another name until then.
    """

    def __init__(self, url: str):
        self._url = url
        self._system, self._path = file_system(url)
        protocols = self._system.protocol
        whole = OBJECT_STORES.isdisjoint((protocols,) if isinstance(protocols, str) else protocols)
        self._written = f"{self._path}.{uuid.uuid4().hex[:12]}.part" if whole else self._path
        self._file: BinaryIO | None = None
        self._failed: BinlogError | None = None
        try:
            self._file = self._system.open(self._written, "wb")
        except Exception as error:
            raise self._error(error) from error

    def write(self, data: Any) -> None:
        assert self._file is not None
        try:
            self._file.write(bytes(data))
        except Exception as error:
            self._failed = self._error(error)
            raise self._failed from error

    def commit(self) -> None:
        """Give it its name. An incomplete file gets no name: raise the error again."""
        assert self._file is not None
        if self._failed is not None:
            raise self._failed
        try:
            self._file.close()
            if self._written != self._path:
                self._system.mv(self._written, self._path)
        except Exception as error:
            raise self._error(error) from error
        self._file = None

    def _error(self, error: Exception) -> BinlogError:
        return BinlogError(f"cannot be written: {message_of(error)}", file=self._url)

    def __enter__(self) -> RemoteFile:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is None:
            return
        if self._written == self._path:
            discard = getattr(self._file, "discard", None)
            if discard is not None:
                discard()
            return
        with suppress(Exception):
            self._file.close()
        with suppress(Exception):
            self._system.rm(self._written)


COMPRESSORS: dict[str, Callable[[], Compressor]] = {
    "gz": lambda: import_module("zlib").compressobj(wbits=31),
    "bz2": lambda: import_module("bz2").BZ2Compressor(),
    "xz": lambda: import_module("lzma").LZMACompressor(),
    "zst": lambda: import_module("zstandard").ZstdCompressor(write_checksum=True).compressobj(),
}


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
        if not base or ending.lower() not in FILE_FORMATS or (not is_url(path) and os.path.isdir(path)):
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
