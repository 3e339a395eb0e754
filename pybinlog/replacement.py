"""Replacement: a file that takes its name only when it is whole."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress

from pybinlog.errors import BinlogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Replacement"]

NEW_MODE = 0o640
"""Of a new file, unless it is given another one: what a log holds is not for everybody."""

# What a file system without extended attributes, or one that guards some of them, says.
ATTRIBUTES_REFUSED = (errno.ENOTSUP, errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENODATA)


class Replacement:
    """A file written beside its final place, which it takes with `commit`, by a rename.

    Until then the file that has the name, if there is one, is untouched; leaving the context without `commit` removes
    what was written. A file that is replaced hands on its permissions, owner, group and extended attributes;
    a new one gets `mode`, less the umask. Symbolic links are followed, so that the link stays one.
    `commit` returns when the disk has the file and its name; `ReplacementBatch` takes its steps for many files at once.
    BinlogError, naming the file, where something fails.
    """

    def __init__(self, path: str, mode: int = NEW_MODE):
        self.path = path
        self._target = os.path.realpath(path)
        self._folder, base = os.path.split(self._target)
        self.size = 0
        """Bytes that were written so far."""
        self._replaced = status_of(self._target, path)
        self._temporary = os.path.join(self._folder, f".{base[:200]}.{secrets.token_hex(6)}.new")
        try:
            self._descriptor = os.open(
                self._temporary,
                os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC,
                0o600 if self._replaced else mode,
            )
        except OSError as error:
            raise self._error("a file beside it cannot be made", error) from error
        try:
            if self._replaced:
                self._take_over(self._replaced)
        except BaseException:
            self.discard()
            raise

    def write(self, data: bytes) -> None:
        """The next bytes of the file."""
        with memoryview(data) as view:
            written = 0
            while written < len(data):
                try:
                    written += os.write(self._descriptor, view[written:])
                except OSError as error:
                    raise self._error("it cannot be written", error) from error
            self.size += written

    def commit(self) -> None:
        """Give the file its name. BinlogError where the file that had it has changed since the beginning."""
        self.sync()
        self.take_name()
        self.sync_name()

    def sync(self) -> None:
        """The first step of `commit`: let the disk have what was written."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._error("it cannot be written", error) from error

    def take_name(self) -> None:
        """The second step: the rename."""
        try:
            if self._replaced and changed(self._replaced, os.stat(self._target)):
                raise BinlogError("another program has changed the file meanwhile", file=self.path)
            os.rename(self._temporary, self._target)
        except OSError as error:
            raise self._error("it cannot be put in place", error) from error
        self._temporary = ""
        self._close()

    def sync_name(self) -> None:
        """The last step: let the disk have the names of this file and of all others in its folder."""
        try:
            sync_folder(self._folder)
        except OSError as error:
            raise self._error("it is in place, but the disk may not have its name yet", error) from error

    def discard(self) -> None:
        """Remove what was written; after `commit` nothing is."""
        self._close()
        if self._temporary:
            with suppress(FileNotFoundError):
                os.unlink(self._temporary)
            self._temporary = ""

    def _take_over(self, replaced: os.stat_result) -> None:
        """The owner first: a change of owner takes some permissions away."""
        own = os.fstat(self._descriptor)
        if (own.st_uid, own.st_gid) != (replaced.st_uid, replaced.st_gid):
            try:
                os.fchown(self._descriptor, replaced.st_uid, replaced.st_gid)
            except OSError as error:
                raise self._error("its owner and group cannot be kept", error) from error
        copy_attributes(self._target, self._descriptor)
        os.fchmod(self._descriptor, stat.S_IMODE(replaced.st_mode))

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _error(self, what: str, error: OSError) -> BinlogError:
        return BinlogError(f"{what}: {error.strerror or error}", file=self.path)

    def __enter__(self) -> Replacement:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.discard()


def status_of(target: str, path: str) -> os.stat_result | None:
    """Of the file that is to be replaced; None where there is none. BinlogError where it is no regular file."""
    try:
        status = os.stat(target)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BinlogError(f"it cannot be replaced: {reason}", file=path) from error
    if not stat.S_ISREG(status.st_mode):
        raise BinlogError("only a regular file can be replaced", file=path)
    return status


def changed(before: os.stat_result, now: os.stat_result) -> bool:
    return (before.st_dev, before.st_ino, before.st_size, before.st_mtime_ns) != (
        now.st_dev,
        now.st_ino,
        now.st_size,
        now.st_mtime_ns,
    )


def copy_attributes(source: str, descriptor: int) -> None:
    """Access control lists, security labels and the like, as far as this user may set them."""
    try:
        names = os.listxattr(source)
    except OSError:
        return
    for name in names:
        try:
            os.setxattr(descriptor, name, os.getxattr(source, name))
        except OSError as error:
            if error.errno not in ATTRIBUTES_REFUSED:
                raise


def sync_folder(folder: str) -> None:
    """Let the disk have the new name; file systems that cannot sync a folder do it by themselves."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)
