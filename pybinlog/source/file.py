"""Sources that read a descriptor or a binary file object as it is, without buffering."""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import BinaryIO

from pybinlog.errors import SourceError
from pybinlog.source.base import Source

MUCH = 1 << 20
"""Bytes from which on a pipe is widened."""
PIPE_SIZE = 1 << 20
MOST_AT_ONCE = 16 << 20
"""Bytes of a file that are read at once: between two reads, signals are handled."""


class DescriptorSource(Source):
    """A regular file, a pipe or a device, by its descriptor. Only a regular file opened by name can seek.

    An `owned` descriptor is closed with the source, and at the latest when the source is collected.
    """

    _descriptor = -1
    _owned = False

    def __init__(self, name: str, descriptor: int, *, owned: bool = True):
        super().__init__(name)
        self._owned = owned
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise SourceError("this is a directory, not a binary log", file=name)
        self._descriptor = descriptor
        self._widened = False
        self._pauses = not stat.S_ISREG(status.st_mode)
        if owned and stat.S_ISREG(status.st_mode):
            self.seekable = self.reads_at = True
            self.size = status.st_size
            self.status = status

    def _fill(self, view: memoryview) -> int:
        if self.position >= MUCH and self._pauses and not self._widened:
            self._widened = True
            widen_pipe(self._descriptor, PIPE_SIZE)
        if self.seekable:
            return self.read_at(self.position, view)
        try:
            return os.readv(self._descriptor, [view])
        except OSError as error:
            raise SourceError(f"cannot be read: {reason(error)}", file=self.name, position=self.position) from error

    def read_at(self, position: int, view: memoryview) -> int:
        try:
            return os.preadv(self._descriptor, [view[:MOST_AT_ONCE]], position)
        except OSError as error:
            raise SourceError(f"cannot be read: {reason(error)}", file=self.name, position=position) from error

    def ready(self, seconds: float) -> bool:
        if self._pending or not self._pauses:
            return True
        import select

        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def skip_to(self, position: int) -> int:
        if not self.seekable:
            return super().skip_to(position)
        # A log in use may have grown since it was opened.
        self.size = os.fstat(self._descriptor).st_size
        self.position = min(position, self.size)
        self._pending = b""
        return self.position

    def hole_end(self) -> int:
        if not self.seekable or self._pending:
            return self.position
        try:
            return os.lseek(self._descriptor, self.position, os.SEEK_DATA)
        except OSError as error:
            if error.errno != errno.ENXIO:  # there is no data up to the end of the file
                return self.position
            return max(self.position, os.fstat(self._descriptor).st_size)

    def again(self) -> Source | None:
        return DescriptorSource(self.name, os.dup(self._descriptor)) if self.seekable else None

    def close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if self._owned and descriptor >= 0:
            os.close(descriptor)

    def __del__(self) -> None:
        self.close()


class ObjectSource(Source):
    """A binary file object, such as io.BytesIO, that is read as it comes. It stays open: its maker closes it."""

    def __init__(self, name: str, stream: BinaryIO):
        super().__init__(name)
        # read1 returns the available bytes; read would wait for the full size.
        self._read = getattr(stream, "read1", stream.read)

    def _fill(self, view: memoryview) -> int:
        try:
            data = self._read(len(view))
        except (OSError, EOFError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            raise SourceError(f"cannot be read: {why}", file=self.name, position=self.position) from error
        view[: len(data)] = data
        return len(data)


def open_descriptor(name: str) -> int:
    """Return the descriptor of the file of that name. SourceError when it cannot be opened."""
    try:
        return os.open(name, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise SourceError(f"cannot be opened: {reason(error)}", file=name) from error
    except ValueError as error:
        raise SourceError("a file name cannot hold a zero byte", file=name.replace("\0", "\\0")) from error


def may_be_opened(name: str) -> bool:
    """Return True for a file that can be read, and for a pipe or a device, which must be opened only once."""
    try:
        mode = os.stat(name).st_mode
    except (OSError, ValueError):
        return False
    if stat.S_ISREG(mode):
        return os.access(name, os.R_OK, effective_ids=os.access in os.supports_effective_ids)
    return not stat.S_ISDIR(mode)


def unsure_names(names: Sequence[str]) -> Iterator[str]:
    """Yield the names that are not those of files which can be read, pipes or devices."""
    from pybinlog.kernel.base.buffer import readable_until  # setup.py imports this before that is built

    number = readable_until(names, 0)
    while number < len(names):
        if not may_be_opened(names[number]):
            yield names[number]
        number = readable_until(names, number + 1)


def open_file(name: str) -> Source:
    """Return the file of that name, from its first byte. SourceError when it cannot be opened or is a directory."""
    descriptor = open_descriptor(name)
    try:
        return DescriptorSource(name, descriptor)
    except SourceError:
        os.close(descriptor)
        raise


def open_stdin(stream: BinaryIO | None) -> Source:
    """Return standard input, which is never closed and never seeks, not even if it is a file."""
    if stream is None or stream.closed:
        raise SourceError("standard input is closed", file="-")
    try:
        descriptor = stream.fileno()
    except OSError:
        return ObjectSource("-", stream)
    return DescriptorSource("-", descriptor, owned=False)


def reason(error: OSError) -> str:
    """Return the operating system's message, as a part of a sentence."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def widen_pipe(descriptor: int, size: int) -> None:
    """Let a pipe hold so many bytes, not the 64 KiB it has at first: its ends wait for each other less often.

    Leave other files as they are, and a pipe if the system cannot enlarge it or allows no more.
    """
    import fcntl

    if stat.S_ISFIFO(os.fstat(descriptor).st_mode) and hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, size)
