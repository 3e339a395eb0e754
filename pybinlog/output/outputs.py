"""Outputs: what a run writes, compared with what it reads before anything is opened for writing."""

import os
import stat
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from pybinlog.errors import OutputError, SourceError
from pybinlog.kernel.base.event import ENCRYPTED_MAGIC, MAGIC, MAGIC_LENGTH
from pybinlog.source import Source
from pybinlog.source.compressed import CompressedSource, inflated
from pybinlog.source.file import ObjectSource, open_file

LOGS = {MAGIC: "a binary or relay log", ENCRYPTED_MAGIC: "an encrypted log"}
ANOTHER = "Name another file"
OWN_FILE = "Each needs a file of its own"
HEAD = 4096
"""Bytes of a file that tell whether it is an index file, and those that are read of a remote file."""


class Outputs:
    """The rule that every command keeps which writes: nothing that a run reads is written by it.

    Name all that is read (`reads`), then all that will be written (`writes`, `writes_into`, `writes_to`). Raise
    OutputError if an output is an input (the same file by device and inode, or by file system and path if it is
    remote), where two outputs are one file, and, unless `force` is true, if a log or an index file is there already.
    Errors name --force, unless `force` is None: the command lacks it.

    Pipes, terminals and devices hold nothing that could be lost, and are let pass. Files that are only ever made new
    (O_EXCL), such as those of LOAD DATA statements, need no rule. docs/reliability.md has all of it for users.
    """

    def __init__(self, *, force: bool | None = False):
        self._force = force
        self._named: list[tuple[str, str, str]] = []
        self._inputs: dict[Hashable, tuple[str, str]] = {}
        self._outputs: dict[Hashable, str] = {}
        self._messages: Hashable | None = None

    def reads(self, names: Iterable[str], what: str = "the log", way_out: str = ANOTHER) -> None:
        """Declare the files that are read; `-` is skipped, see `reads_from`."""
        self._named += [(name, what, way_out) for name in names if name != "-"]

    def reads_from(self, stream: object) -> None:
        """Declare that standard input is read."""
        key = stream_key(stream)
        if key is not None:
            self._inputs.setdefault(key, ("the file on standard input", ANOTHER))

    def says_to(self, stream: object) -> None:
        """Declare the stream of messages: no named file may be its file. A stream beside it may, as with `2>&1`."""
        self._messages = stream_key(stream)

    def writes(self, path: str, what: str) -> None:
        """Declare a file to write; `what` is the user's name for it, as in `--output=x`."""
        if is_remote(path):
            self._remote([path])
            return
        key, status = local_key(path)
        if key is None:
            return
        if key == self._messages and descriptor_named(path) is None:
            raise OutputError(f"{what} and standard error are one file", hint=OWN_FILE)
        self._claim(key, what)
        if status is not None and not self._force and descriptor_named(path) is None:
            self._refuse_kept(what, kept_file(path))

    def writes_into(self, folder: str, names: Sequence[str]) -> None:
        """Declare files of these names to write into a folder, or below a URL."""
        paths = [f"{folder.rstrip('/')}/{name}" for name in names]
        if is_remote(folder):
            self._remote(paths)
            return
        for path in paths:
            self.writes(path, f"the new file {path}")

    def writes_to(self, stream: object, what: str = "standard output") -> None:
        """Declare a stream to write. Its old contents remain, so any file that is not read will do."""
        key = stream_key(stream)
        if key is not None:
            self._claim(key, what)

    def reads_file_of(self, stream: object) -> bool:
        """Return True if a stream leads into a file that is read."""
        key = stream_key(stream)
        return key is not None and key in self._read()

    def _read(self) -> dict[Hashable, tuple[str, str]]:
        """Return the inputs, by their keys. Inputs are looked at only where there is an output to compare them with."""
        for name, what, way_out in self._named:
            key = remote_key(name) if is_remote(name) else local_key(name)[0]
            if key is not None:
                self._inputs.setdefault(key, (f"{what} {name}", way_out))
        self._named.clear()
        return self._inputs

    def _claim(self, key: Hashable, what: str) -> None:
        inputs = self._read()
        if key in inputs:
            read, way_out = inputs[key]
            raise OutputError(f"{what} would overwrite {read}, which this run reads", hint=way_out)
        if key in self._outputs:
            raise OutputError(f"{self._outputs[key]} and {what} are one file", hint=OWN_FILE)
        self._outputs[key] = what

    def _refuse_kept(self, what: str, kind: str | None) -> None:
        if kind is not None:
            hint = ANOTHER if self._force is None else f"{ANOTHER}, or replace it with --force"
            raise OutputError(f"{what} would replace {kind}", hint=hint)

    def _remote(self, urls: Sequence[str]) -> None:
        """Declare files of one folder as `writes` does: ask the store once, not for each."""
        for url in urls:
            self._claim(remote_key(url), f"the new file {url}")
        if self._force or not urls:
            return
        for url, head in remote_heads(urls):
            self._refuse_kept(f"the new file {url}", kept(ObjectSource(url, head)))


def local_key(path: str) -> tuple[Hashable | None, os.stat_result | None]:
    """Return the identity of a regular file, even before it exists; None for anything else."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return os.path.realpath(path), None
    except (OSError, ValueError):
        return None, None  # opening it says what is wrong
    return ((status.st_dev, status.st_ino), status) if stat.S_ISREG(status.st_mode) else (None, None)


def stream_key(stream: object) -> Hashable | None:
    descriptor = descriptor_of(stream)
    if descriptor is None:
        return None
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def descriptor_of(stream: object) -> int | None:
    """Return the descriptor of a file object; None if it has none, or is closed."""
    try:
        descriptor: int = stream.fileno()  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return None
    return descriptor


def is_remote(path: str) -> bool:
    """Return True if it is a URL; what fsspec needs is imported for these only."""
    if "://" not in path:
        return False
    from pybinlog.source.remote import is_url

    return is_url(path)


def descriptor_named(path: str) -> int | None:
    """Return the descriptor of this process that a path names, by way of symbolic links or not; None if none."""
    for _ in range(8):
        folder, base = os.path.split(os.path.abspath(path))
        if base.isdecimal() and os.path.realpath(folder) in ("/dev/fd", f"/proc/{os.getpid()}/fd"):
            return int(base)
        try:
            path = os.path.join(folder, os.readlink(path))
        except (OSError, ValueError):
            return None
    return None


def remote_key(url: str) -> Hashable:
    """File system and path: one account or host, whatever the spelling of its URL. A `file://` URL is a local file."""
    from pybinlog.source.remote import file_system

    system, path = file_system(url)
    if is_local(system):
        return local_key(path)[0]
    return system, path.rstrip("/")


def is_local(system: Any) -> bool:
    protocol = system.protocol
    return "file" in ((protocol,) if isinstance(protocol, str) else protocol)


def remote_heads(urls: Sequence[str]) -> list[tuple[str, Any]]:
    """Return the beginnings of those files that are there already, which lie in one folder."""
    import io

    from pybinlog.source.remote import file_system, message_of

    places = {file_system(url)[1].rstrip("/"): url for url in urls}
    system = file_system(urls[0])[0]
    folder = next(iter(places)).rpartition("/")[0]
    try:
        files = [entry["name"] for entry in system.ls(folder, detail=True) if entry["type"] == "file"]
        there = [path for path in files if path in places]
        heads = system.cat_ranges(there, [0] * len(there), [HEAD] * len(there)) if there else []
    except FileNotFoundError:
        return []
    except Exception as error:
        raise OutputError(f"it cannot be told what is there already: {message_of(error)}", file=urls[0]) from error
    return [(places[path], io.BytesIO(head)) for path, head in zip(there, heads, strict=True)]


def kept_file(path: str) -> str | None:
    """Return the same as `kept`, for a local file."""
    try:
        with open_file(path) as source:
            return kept(source)
    except SourceError:
        return "a file that cannot be read, and so may be a log"


def kept(source: Source) -> str | None:
    """Return the kind of a file that only --force replaces (any log, or an index); else None."""
    try:
        plain = inflated(source)
        magic = plain.read_up_to(MAGIC_LENGTH)
    except SourceError:
        return "a compressed file that cannot be read, and so may be a log"
    if magic in LOGS:
        return f"a log compressed by {plain.form}" if isinstance(plain, CompressedSource) else LOGS[magic]
    if plain is source and lists_logs(magic + source.read_up_to(HEAD)):
        return "an index file of binary logs"
    return None


def lists_logs(head: bytes) -> bool:
    """Return True if a file that begins so is an index file: each line is the name of a log."""
    from pybinlog.source.log_series import LogName

    lines = head.splitlines()
    if len(head) >= HEAD:
        lines.pop()  # it may be cut
    named = [os.fsdecode(line) for line in lines if line.strip()]
    return b"\0" not in head and bool(named) and all(LogName.of(line).number is not None for line in named)
