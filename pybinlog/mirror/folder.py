"""MirrorFolder: a mirror's logs, their server, and the lock against other writers."""

from __future__ import annotations

import json
import os
import re
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass

from pybinlog.errors import BinlogError, DataLossError
from pybinlog.kernel.base.event import MAGIC
from pybinlog.output.lock_file import HeldError, LockFile
from pybinlog.output.modes import NEW_FOLDER_MODE, NEW_MODE
from pybinlog.output.replacement import Replacement
from pybinlog.side_file import side_file
from pybinlog.visible import MOST_OF_OTHERS, shortened

LOCK = "mirror.lock"
STATE = "mirror.json"
"""Files of a mirror beside its logs and their index."""
LOG = re.compile(
    r"(?P<base>[^-./\0-\x1f\x7f-\x9f\u2028\u2029][^/\0-\x1f\x7f-\x9f\u2028\u2029]{,199})\.(?P<number>[0-9]{6,10})"
)
"""The name of a server's log: no hidden file, no option, no character that could end a line of an index file."""
SERVER = re.compile(r"server_(uuid|id) [0-9A-Za-z-]{1,64}")
UUID = re.compile(r"[0-9A-Za-z-]{1,64}")
LARGEST_STATE, LARGEST_INDEX = 1 << 16, 64 << 20
"""Bytes of these files."""
LARGEST_ID = 0xFFFFFFFF
SUFFIX = ".zst"
"""Of finished logs that were compressed."""


@dataclass(frozen=True)
class Identity:
    """Whose logs a folder has, and who the mirror is for that server.

    `server` is what the server calls itself, for as long as it lives: `server_uuid ...` (MySQL), `server_id ...`
    (MariaDB). `base` is what its logs are called before the number. `replica_uuid` and `replica_id` are the mirror's
    own as a replica.
    """

    server: str
    base: str
    replica_uuid: str
    replica_id: int


class MirrorFolder:
    """The logs of one server, as its index lists them. A context manager, which holds the folder's lock.

    The folder is made if it is not there. Logs and index may be asked for and changed by several threads. Raise
    BinlogError if another mirror is at work there, where the folder is no mirror's, and where it cannot be read or
    written.
    """

    def __init__(self, path: str):
        self.path = path
        self._guard = threading.Lock()
        self._lock: LockFile | None = None
        self._names: list[str] = []
        self._was_begun = False
        self._made: list[str] = []
        """Paths that this run has made, if the folder was not a mirror's before."""
        self.identity: Identity | None = None
        """None in a folder that has no log yet."""

    def __enter__(self) -> MirrorFolder:
        try:
            os.mkdir(self.path, NEW_FOLDER_MODE)
            self._made.append(self.path)
        except FileExistsError:
            pass
        except OSError as error:
            raise self._error("the folder cannot be made", error) from None
        try:
            self._take_lock()
            self.read()
            self._was_begun = self.identity is not None
        except BaseException:
            self.__exit__()
            raise
        return self

    def _take_lock(self) -> None:
        path = self.file(LOCK)
        self._notes_new(path)
        try:
            self._lock = LockFile(path, "another mirror{} is at work in this folder", file=self.path, stays=True)
        except HeldError:
            self._made.clear()  # all that is here is another's
            raise

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.release()

    def read(self) -> None:
        """Read whose logs these are, and which; another mirror may be at work."""
        self.identity = self._read_identity()
        self._names = [] if self.identity is None else self._read_index()

    def remove_new(self) -> None:
        """Remove what this run has made, after a first run that was refused; a mirror that was there before stays."""
        for path in reversed(self._made):
            with suppress(OSError):
                (os.rmdir if path == self.path else os.unlink)(path)

    def _notes_new(self, path: str) -> None:
        """Note a file that this run is about to make, if there is no mirror."""
        if not os.path.lexists(path) and not self._was_begun:
            self._made.append(path)

    def file(self, name: str) -> str:
        """Return the path of a file in it."""
        return os.path.join(self.path, name)

    @property
    def index(self) -> str:
        """The path of the index, which every command takes with --index."""
        assert self.identity is not None
        return self.file(f"{self.identity.base}.index")

    def logs(self) -> list[str]:
        """Return the names of the files in the server's order; the last one is being written.

        `.zst` ends a compressed one.
        """
        with self._guard:
            return list(self._names)

    # ---- changes

    def begin(self, identity: Identity) -> None:
        """Let an empty folder be the mirror of that server."""
        if os.path.lexists(self.file(f"{identity.base}.index")):
            raise BinlogError(
                "an index file is in a folder that is not a mirror's yet",
                file=self.file(f"{identity.base}.index"),
                hint="Mirror into a folder of its own",
            )
        self._notes_new(self.file(STATE))
        self._write(STATE, json.dumps(asdict(identity), indent=2) + "\n")
        self.identity = identity

    def add(self, name: str) -> str:
        """Return a new log, the last one from now on, with its magic bytes and nothing else; its path.

        What a run that was ended in between left of it is taken over; any other file of that name is an error.
        """
        path = self.file(name)
        self._check_name(name)
        self._notes_new(path)
        self._notes_new(self.index)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, NEW_MODE)
            try:
                if not MAGIC.startswith(os.pread(descriptor, len(MAGIC) + 1, 0)):
                    raise BinlogError(
                        "a file of this name is there, which the mirror has not made",
                        file=path,
                        hint="Move it away, or mirror into another folder",
                    )
                os.pwrite(descriptor, MAGIC, 0)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise BinlogError(f"the log cannot be made: {error.strerror or error}", file=path) from None
        with self._guard:
            self._write_index([*self._names, name])
        return path

    def replaced(self, old: str, new: str) -> None:
        """Note that another file contains a log now. Raise ValueError if the old one is not listed."""
        with self._guard:
            names = list(self._names)
            names[names.index(old)] = new
            self._write_index(names)

    def removed(self, name: str) -> None:
        """Remove a log from the list. Raise ValueError if it is not listed."""
        with self._guard:
            names = list(self._names)
            names.remove(name)
            self._write_index(names)

    def _write_index(self, names: list[str]) -> None:
        assert self.identity is not None
        self._write(f"{self.identity.base}.index", "".join(f"./{name}\n" for name in names))
        self._names = names

    def _write(self, name: str, text: str) -> None:
        with Replacement(self.file(name)) as replacement:
            replacement.write(os.fsencode(text))
            replacement.commit()

    # ---- what a run before has left

    def _read_identity(self) -> Identity | None:
        path = self.file(STATE)
        try:
            return identity_of(json.loads(side_file(path, LARGEST_STATE)))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BinlogError(f"it cannot be read: {error.strerror or error}", file=path) from None
        except (ValueError, RecursionError) as error:
            why = error if isinstance(error, UnlikeIdentity) else "it is no JSON"
            raise BinlogError(
                f"it does not say whose logs these are: {why}",
                file=path,
                hint="Restore the file that the mirror wrote, or mirror into another folder",
            ) from None

    def _read_index(self) -> list[str]:
        try:
            text = side_file(self.index, LARGEST_INDEX).decode("utf-8", "surrogateescape")
        except FileNotFoundError:
            return []  # the run that began the mirror was ended before it had a log
        except OSError as error:
            raise BinlogError(f"it cannot be read: {error.strerror or error}", file=self.index) from None
        names = [line.removeprefix("./") for line in text.splitlines()]
        for name in names:
            self._check_name(name.removesuffix(SUFFIX), self.index)
        if names and not os.path.isfile(self.file(names[-1])):
            raise DataLossError(
                "the mirror's last log is gone",
                file=self.file(names[-1]),
                hint="Restore it, or remove its line from the index to copy it again",
            )
        return names

    def _check_name(self, name: str, file: str | None = None) -> None:
        """Raise BinlogError if it is not a name of this server's logs: names of files come from a server."""
        assert self.identity is not None
        match = LOG.fullmatch(name)
        if match is None or match["base"] != self.identity.base:
            raise BinlogError(
                f"{quoted(name)} is not a name of a log of the series {self.identity.base!r}", file=file or self.path
            )

    def _error(self, what: str, error: OSError) -> BinlogError:
        return BinlogError(f"{what}: {error.strerror or error}", file=self.path)


class UnlikeIdentity(ValueError):
    """The fields are not those of an Identity; says which."""


def identity_of(fields: object) -> Identity:
    """Return the Identity of these fields. UnlikeIdentity if they are others, or cannot be what they stand for."""
    if not isinstance(fields, dict) or fields.keys() != Identity.__dataclass_fields__.keys():
        raise UnlikeIdentity(f"it has not just the fields {', '.join(Identity.__dataclass_fields__)}")
    server, base, replica_uuid, replica_id = (fields[name] for name in Identity.__dataclass_fields__)
    if not isinstance(server, str) or SERVER.fullmatch(server) is None:
        raise UnlikeIdentity("server is not a server_uuid or server_id")
    if not isinstance(base, str) or LOG.fullmatch(f"{base}.000001") is None:
        raise UnlikeIdentity("base is not a name of a series of logs")
    if not isinstance(replica_uuid, str) or UUID.fullmatch(replica_uuid) is None:
        raise UnlikeIdentity("replica_uuid is not a uuid")
    if type(replica_id) is not int or not 0 < replica_id <= LARGEST_ID:
        raise UnlikeIdentity(f"replica_id is not a number from 1 to {LARGEST_ID}")
    return Identity(server, base, replica_uuid, replica_id)


def parts_of(name: str) -> re.Match[str]:
    """Return the base and the number in the name of a log. Raise BinlogError if it has none."""
    match = LOG.fullmatch(name)
    if match is None:
        raise BinlogError(f"{quoted(name)} is not a name of a numbered log")
    return match


def number_of(name: str) -> int:
    return int(parts_of(name)["number"])


def base_of(name: str) -> str:
    return parts_of(name)["base"]


def check_following(address: str, before: str, name: str) -> None:
    """Raise BinlogError if a server continues with something else than the next log of the series."""
    if LOG.fullmatch(name) is None or base_of(name) != base_of(before) or number_of(name) != number_of(before) + 1:
        raise BinlogError(
            f"the server continues with {quoted(name)} after {before}, which is not the next log of the series",
            file=address,
        )


def quoted(name: str) -> str:
    """Return a name that a server says, in quotes and not too long."""
    return repr(shortened(name, MOST_OF_OTHERS))
