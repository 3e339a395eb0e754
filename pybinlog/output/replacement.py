"""Replacement: a file that takes its name only when it is whole."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
from contextlib import suppress

from pybinlog.errors import BinlogError
from pybinlog.output.modes import NEW_MODE, unfinished

# The errors of a file system without extended attributes, or with protected ones.
ATTRIBUTES_REFUSED = (errno.ENOTSUP, errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENODATA)

LONGEST_BASE = 200
"""Bytes of the name that its temporary one keeps: no name may have more than 255."""
TEMPORARY = re.compile(r"\..+\.[0-9a-f]{12}\.pybinlog\.new", re.DOTALL)
TRIES = 100
UNNAMED: int = getattr(os, "O_TMPFILE", 0)
"""Linux's flag for a file without a name."""
DESCRIPTORS = "/proc/self/fd/{}"

swept: set[str] = set()
"""Folders that this process has looked through for what others left."""


class Replacement:
    """A file written beside its final place, which it takes with `commit`, by a rename.

    Until then the file that has the name, if there is one, is untouched; leaving the context without `commit` removes
    what was written. A file that is replaced passes on its permissions, owner, group and extended attributes;
    a new one gets `mode`, less the umask. Symbolic links are followed, so that the link stays one.
    `commit` returns when the disk has the file and its name; `ReplacementBatch` takes its steps for many files at once.
    `expected` is the status of the file to replace, if it was looked at before: no other is replaced.
    BinlogError, naming the file, where something fails.

    On Linux the file has no name while it is written: it goes with its process, even a killed one. On file systems that
    cannot do this it has a temporary name, and is locked. If a killed process leaves it, the next Replacement in its
    folder removes it.
    """

    def __init__(self, path: str, mode: int = NEW_MODE, expected: os.stat_result | None = None):
        self.path = path
        self._target = os.path.realpath(path)
        self._folder, self._base = os.path.split(self._target)
        self._temporary = ""
        self._descriptor = -1
        self._failed: BinlogError | None = None
        self.size = 0
        """Bytes that were written so far."""
        self._replaced = status_of(self._target, path)
        if expected is not None and (self._replaced is None or changed(expected, self._replaced)):
            raise self._changed()
        remove_left_over(self._folder)
        mode = 0o600 if self._replaced else mode
        try:
            self._descriptor = open_unnamed(self._folder, mode)
            if self._descriptor < 0:
                self._create(mode)
            if self._replaced:
                self._take_over(self._replaced)
        except BaseException:
            self.discard()
            raise

    def _create(self, mode: int) -> None:
        """Make the file with a temporary name, and lock it."""
        for _ in range(TRIES):
            self._choose_temporary()
            try:
                self._descriptor = os.open(self._temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
                if lock(self._descriptor) and os.fstat(self._descriptor).st_nlink:
                    return
            except OSError as error:
                raise self._error("a file beside it cannot be made", error) from error
            self.discard()  # it was taken for a left-over before it was locked
        raise BinlogError("a file beside it cannot be made: others remove it", file=self.path)

    def _choose_temporary(self) -> None:
        base = os.fsdecode(os.fsencode(self._base)[:LONGEST_BASE])
        self._temporary = os.path.join(self._folder, f".{base}.{os.urandom(6).hex()}.pybinlog.new")
        unfinished.add(self._temporary)

    @property
    def folder(self) -> str:
        """The folder that it is in."""
        return self._folder

    def write(self, data: bytes | memoryview) -> None:
        """Write the next bytes of the file."""
        with memoryview(data) as view:
            written = 0
            while written < len(data):
                try:
                    written += os.write(self._descriptor, view[written:])
                except OSError as error:
                    self._failed = self._error("it cannot be written", error)
                    raise self._failed from error
            self.size += written

    def commit(self) -> None:
        """Give the file its name. Raise BinlogError if the file that had it has changed since the beginning.

        What could not be written whole gets no name: the error of the write is raised once more.
        """
        self.sync()
        self.put_in_place()
        self.sync_name()

    def sync(self) -> None:
        """Do the first step of `commit`: let the disk have the written bytes."""
        if self._failed is not None:
            raise self._failed
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._error("it cannot be written", error) from error

    def put_in_place(self) -> None:
        """Do the second step: the link or the rename."""
        try:
            if self._replaced and changed(self._replaced, os.stat(self._target)):
                raise self._changed()
            if self._temporary or not self._link():
                os.rename(self._temporary, self._target)
        except OSError as error:
            raise self._error("it cannot be put in place", error) from error
        self._forget_temporary()
        self._close()

    def _link(self) -> bool:
        """Give the unnamed file its name; or a temporary one, and return False, if another file has that name."""
        if not self._replaced:
            with suppress(FileExistsError):
                link(self._descriptor, self._target)
                return True
        self._choose_temporary()
        lock(self._descriptor)
        link(self._descriptor, self._temporary)
        return False

    def sync_name(self) -> None:
        """Do the last step: let the disk have the names of this file and of all others in its folder."""
        try:
            sync_folder(self._folder)
        except OSError as error:
            raise self._error("it is in place, but the disk may not have its name yet", error) from error

    def discard(self) -> None:
        """Remove what was written; after `commit` nothing is."""
        if self._temporary:
            try:
                os.unlink(self._temporary)
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.EROFS):  # neither leaves a file of this run
                    raise
            self._forget_temporary()
        self._close()

    def _take_over(self, replaced: os.stat_result) -> None:
        """Copy the owner first: a change of owner removes some permissions."""
        own = os.fstat(self._descriptor)
        if (own.st_uid, own.st_gid) != (replaced.st_uid, replaced.st_gid):
            try:
                os.fchown(self._descriptor, replaced.st_uid, replaced.st_gid)
            except OSError as error:
                raise self._error("its owner and group cannot be kept", error) from error
        try:
            copy_attributes(self._target, self._descriptor)
            os.fchmod(self._descriptor, stat.S_IMODE(replaced.st_mode))
        except OSError as error:
            raise self._error("its permissions and attributes cannot be kept", error) from error

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _forget_temporary(self) -> None:
        unfinished.discard(self._temporary)
        self._temporary = ""

    def _changed(self) -> BinlogError:
        return BinlogError("another program has changed the file meanwhile", file=self.path)

    def _error(self, what: str, error: OSError) -> BinlogError:
        return BinlogError(f"{what}: {error.strerror or error}", file=self.path)

    def __enter__(self) -> Replacement:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()


def remove_left_over(folder: str) -> None:
    """Remove the temporary files without a lock in a folder, once in a process: killed processes have left them."""
    if folder in swept:
        return
    swept.add(folder)
    try:
        with os.scandir(folder) as entries:
            names = [entry.path for entry in entries if TEMPORARY.fullmatch(entry.name)]
    except OSError:
        return  # what it means will show when the file is made
    for name in names:
        with suppress(OSError):
            remove_if_left(name)


def remove_if_left(name: str) -> None:
    """Remove a temporary file without a lock. Raise OSError if that is not known, or it is not allowed."""
    flags = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(name, os.O_RDWR | flags)  # to lock a file, some file systems want it writable
    except PermissionError:
        descriptor = os.open(name, os.O_RDONLY | flags)
    try:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(name)
    finally:
        os.close(descriptor)


def open_unnamed(folder: str, mode: int) -> int:
    """Return the descriptor of a new file without a name, for `link`; -1 if the system cannot make one here."""
    if UNNAMED:
        with suppress(OSError):  # if it means more than that, the file with a name fails as well
            descriptor = os.open(folder, os.O_WRONLY | UNNAMED | os.O_CLOEXEC, mode)
            if os.path.lexists(DESCRIPTORS.format(descriptor)):
                return descriptor
            os.close(descriptor)
    return -1


def link(descriptor: int, path: str) -> None:
    """Give a file of `open_unnamed` a name, by its full path. Raise FileExistsError if another file has it."""
    # only with a folder's descriptor, which a full path does not need, does Python follow the symbolic link
    os.link(DESCRIPTORS.format(descriptor), path, src_dir_fd=descriptor, follow_symlinks=True)


def lock(descriptor: int) -> bool:
    """Lock a file until it is closed; False if another process has.

    Without locks in the file system, none can be removed.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def status_of(target: str, path: str) -> os.stat_result | None:
    """Return the status of the file to replace; None if there is none.

    Raise BinlogError if it is not a regular file.
    """
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
