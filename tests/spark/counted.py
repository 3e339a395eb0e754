"""A file system of fsspec that counts the bytes read from it, by driver or executors."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

PREFIX = "counted://"
READ: Counter[str] = Counter()
_where = ["driver"]


class CountedFileSystem(LocalFileSystem):
    """The local one under another name."""

    protocol = ("counted",)

    @classmethod
    def _strip_protocol(cls, path: Any) -> str:
        return str(path).removeprefix(PREFIX)

    def unstrip_protocol(self, name: str) -> str:
        return PREFIX + self._strip_protocol(name)

    def _open(self, path: str, mode: str = "rb", block_size: int | None = None, **more: Any) -> Any:
        file = super()._open(path, mode=mode, block_size=block_size, **more)
        return CountedFile(file) if mode == "rb" else file


class CountedFile:
    """A file whose reads are counted."""

    def __init__(self, file: Any):
        self._file = file

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._file.read(size)
        READ[_where[-1]] += len(data)
        return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@contextmanager
def on_an_executor() -> Iterator[None]:
    """Count what is read as read by an executor."""
    _where.append("executors")
    try:
        yield
    finally:
        _where.pop()


fsspec.register_implementation("counted", CountedFileSystem)
