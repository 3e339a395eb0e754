"""RemoteSource: a log on an object store or another file system, through fsspec."""

from typing import Any

from pybinlog.errors import SourceError
from pybinlog.source.base import Source
from pybinlog.source.file import reason

BLOCK = 8 << 20
"""Bytes of one request: a request to an object store costs some 50 ms, whatever its size."""
HEAD_BLOCK = 64 << 10
"""The same for a reader of a log's first events."""
PACKAGES = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "hdfs": "pyarrow",
    "abfs": "adlfs",
    "abfss": "adlfs",
    "az": "adlfs",
    "http": "aiohttp",
    "https": "aiohttp",
    "sftp": "paramiko",
    "ssh": "paramiko",
    "smb": "smbprotocol",
}
"""The package, as pip names it, that fsspec needs for a scheme."""


def is_url(name: str) -> bool:
    """Return True if this names a file by a URL, not by a path."""
    scheme, separator, _ = name.partition("://")
    return bool(separator) and len(scheme) > 1 and scheme.replace("+", "").replace("-", "").isalnum()


def file_system(url: str) -> tuple[Any, str]:
    """Return the fsspec file system that a URL belongs to, and the path there.

    Raise SourceError if a package is missing.
    """
    scheme = url.partition("://")[0]
    try:
        import fsspec
    except ImportError as error:
        raise SourceError(
            f"{scheme}:// needs the package fsspec, which is not installed",
            file=url,
            hint=f"Install it with: pip install fsspec{also(scheme)}",
        ) from error
    try:
        system, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        package = PACKAGES.get(scheme)
        raise SourceError(
            f"{scheme}:// needs the package {package or 'that fsspec has for it'}, which is not installed",
            file=url,
            hint=f"Install it with: pip install {package}" if package else f"fsspec says: {error}",
        ) from error
    except Exception as error:  # each file system has its own errors, for a URL, an account or a host
        raise SourceError(f"cannot be opened: {message_of(error)}", file=url) from error
    return system, path


def open_remote(url: str, *, head: bool = False) -> Source:
    """Return the file of that URL, from its first byte; with `head`, only its beginning is wanted.

    Raise SourceError if it cannot be opened.
    """
    system, path = file_system(url)
    try:
        stream = system.open(path, "rb", block_size=HEAD_BLOCK if head else BLOCK, cache_type="readahead")
    except Exception as error:
        raise SourceError(f"cannot be opened: {message_of(error)}", file=url) from error
    return RemoteSource(url, stream)


class RemoteSource(Source):
    """A file object of fsspec. It can seek, which forgets what was read ahead."""

    seekable = True

    def __init__(self, url: str, stream: Any):
        super().__init__(url)
        self._stream = stream
        self.size = getattr(stream, "size", None)

    def _fill(self, view: memoryview) -> int:
        try:
            data = self._stream.read(len(view))
        except Exception as error:
            raise SourceError(f"cannot be read: {message_of(error)}", file=self.name, position=self.position) from error
        view[: len(data)] = data
        return len(data)

    def skip_to(self, position: int) -> int:
        try:
            self.position = self._stream.seek(position if self.size is None else min(position, self.size))
        except Exception as error:
            raise SourceError(f"cannot be read: {message_of(error)}", file=self.name, position=self.position) from error
        self._pending = b""
        return self.position

    def again(self) -> Source | None:
        return open_remote(self.name)

    def close(self) -> None:
        self._stream.close()


def message_of(error: Exception) -> str:
    """Return a file system's message, as a part of a sentence."""
    if isinstance(error, FileNotFoundError):
        return "no such file or directory"
    if isinstance(error, OSError) and error.strerror:
        return reason(error)
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def also(scheme: str) -> str:
    package = PACKAGES.get(scheme)
    return f" {package}" if package else ""
