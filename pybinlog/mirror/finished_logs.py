"""FinishedLogs: what becomes of a mirror's logs once their server has begun the next one.

A log is compressed with zstd for good: it is whole, on the disk and read back before the log itself is removed. A
Retention says how many finished logs stay, or for how long.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from pybinlog.errors import BinlogError, SourceError
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader
from pybinlog.mirror import verification
from pybinlog.mirror.folder import SUFFIX, MirrorFolder
from pybinlog.output.replacement import Replacement, sync_folder
from pybinlog.source import open_source

FIRST_WAIT, LONGEST_WAIT = 60.0, 3600.0
"""Seconds until what has failed is tried again; the wait doubles each time."""
LOOKS_AGAIN = 3600.0
"""Seconds after which logs that have become too old are looked for, if no log is finished meanwhile."""

LOOKS_AT_SIGNALS = 0.5
"""Seconds after which an interrupt is seen at the latest, while the thread has work."""


class FinishedLogs:
    """Records, tags, checks, compresses, hands on and in the end removes finished logs, in order, in its own thread.

    The record of a log, for `verification`, is the size and checksum of the server's bytes. `tag` writes boundary
    markers into the log of a path; it returns why the log cannot have them, or None. `check` says what is wrong with
    the log of a path, or None. `command` is a program with its arguments, which gets the path as one argument more.
    The steps that are not asked for are omitted. Of each log the steps are done once, though a run that is killed may
    leave one to be done again: what was done stands in a file, so a log is also taken up by the first run that asks for
    a step. What fails is told to `report`, with the log's name, and tried again after a while, and by the next run.

    A context manager: when it is left by an error or an interrupt, only the log whose turn it is gets its steps. The
    folder's lock has to be held. Raise BinlogError if the state cannot be read.
    """

    def __init__(
        self,
        folder: MirrorFolder,
        *,
        compress: bool = False,
        tag: Callable[[str], str | None] | None = None,
        check: Callable[[str], str | None] | None = None,
        command: Sequence[str] = (),
        keep: Retention | None = None,
        report: Callable[[str], None],
    ):
        self._folder = folder
        self._compress = compress
        self._tag = tag
        self._check = check
        self._command = command
        self._keep = keep
        self._began = time.time(), time.monotonic()
        self._report = report
        self._done = verification.DoneSteps(os.path.join(folder.path, verification.DONE))
        self._queue: SimpleQueue[str | None] = SimpleQueue()
        self._queued: set[str] = set()
        self.stopping = threading.Event()
        self._again: dict[str, Wait] = {}
        self._error: BaseException | None = None
        self._found = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Take up what earlier runs have left. Before that nothing in the folder is touched."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="finished logs", daemon=True)
            for name in self._folder.logs()[:-1]:
                self.log_finished(os.path.join(self._folder.path, name))
            self._thread.start()

    @property
    def failed(self) -> bool:
        """Return True if a check found something in this run, or a step of a log has failed and not been done since."""
        return self._found or bool(self._again)

    def log_finished(self, path: str) -> None:
        """Add a log that has its last byte. A log whose steps are done, or wait, may be added again."""
        name = verification.plain(os.path.basename(path))
        if name not in self._queued:
            self._queued.add(name)
            self._queue.put(name)

    def close(self) -> None:
        """Return when each log that was named has had its turn. Raise faults of pybinlog itself here."""
        if self._thread is None:
            return
        self._queue.put(None)
        while self._thread.is_alive():
            # a signal that comes just before a wait without an end would be seen only when the wait is over
            self._thread.join(LOOKS_AT_SIGNALS)
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Close as `close`, but only finish the current log; the next run does the others."""
        self.stopping.set()
        self.close()

    def __enter__(self) -> FinishedLogs:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self.stop()
            return
        try:
            self.close()
        except KeyboardInterrupt:
            self.stop()
            raise

    # ---- the thread

    def _run(self) -> None:
        try:
            self._remove_replaced()
            self._remove_old()
            while not self.stopping.is_set():
                try:
                    name = self._queue.get(timeout=self._patience())
                except Empty:
                    for name in [name for name, wait in self._again.items() if wait.due <= time.monotonic()]:
                        self._log(name)
                else:
                    if name is None:
                        return
                    self._log(name)
                    self._queued.discard(name)
                self._remove_old()
        except BaseException as error:
            self._error = error

    def _patience(self) -> float | None:
        """Return the seconds until there is something to do without a new log; None if nothing will be."""
        if self._again:
            return max(min(wait.due for wait in self._again.values()) - time.monotonic(), 0)
        return LOOKS_AGAIN if self._keep is not None and self._keep.seconds is not None else None

    def _log(self, name: str) -> None:
        """Do all steps of a log that are not done yet."""
        path = self._path(name)
        if path is None or self.stopping.is_set():
            return
        try:
            if self._done.recorded(name) is None:
                self._done.record(name, verification.content_of(path))
            self._mark(name, path)
            self._look_at(name, path)
            if self._compress and not path.endswith(SUFFIX) and not self._done.has(name, verification.PLAIN):
                path = self._compressed(name, path)
            if self._command and not self._done.has(name, verification.TOLD):
                self._tell(name, path)
        except (BinlogError, MemoryError) as error:
            wait = self._again[name] = Wait.after(self._again.get(name))
            text = str(error) if isinstance(error, BinlogError) else f"{path}: there is not enough memory"
            self._report(f"{text.removesuffix('.')}; this is tried again in {wait.seconds:.0f} s.")
        else:
            self._again.pop(name, None)

    def _path(self, name: str) -> str | None:
        """Return the present path of the finished log; None if the mirror has it no longer."""
        for found in self._folder.logs()[:-1]:
            if verification.plain(found) == name:
                return os.path.abspath(os.path.join(self._folder.path, found))
        return None

    def _mark(self, name: str, path: str) -> None:
        """Tag the log, which is recorded: a kill between the two steps leaves what `verification` knows."""
        if self._tag is None or self._done.has(name, verification.TAGGED, verification.UNTAGGED):
            return
        reason = "it is compressed already" if path.endswith(SUFFIX) else self._tag(path)
        if reason is not None:
            self._report(f"{path}: it stays without markers: {reason}.")
        self._done.add(name, verification.TAGGED if reason is None else verification.UNTAGGED)

    def _look_at(self, name: str, path: str) -> None:
        if self._check is None or self._done.has(name, verification.CHECKED, verification.FOUND):
            return
        found = self._check(path)
        if found is not None:
            self._found = True
            self._report(f"{path}: {found}.")
        self._done.add(name, verification.CHECKED if found is None else verification.FOUND)

    def _compressed(self, name: str, path: str) -> str:
        """Replace the plain log by the compressed one: first in the index, so that a kill in between loses none."""
        compressed = compress(path)
        if compressed is None:
            self._report(
                f"{path}: it stays uncompressed, for it has a large event of which next to nothing would be left."
            )
            self._done.add(name, verification.PLAIN)
            return path
        self._folder.replaced(os.path.basename(path), os.path.basename(compressed))
        self._remove(path)
        return compressed

    def _tell(self, name: str, path: str) -> None:
        check = (
            "failed"
            if self._done.has(name, verification.FOUND)
            else "passed"
            if self._done.has(name, verification.CHECKED)
            else ""
        )
        environment = {**os.environ, "PYBINLOG_LOG": path, "PYBINLOG_NAME": name, "PYBINLOG_CHECK": check}
        program = self._command[0]
        try:
            status = subprocess.run(
                [*self._command, path],
                check=False,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=2,
                start_new_session=True,  # an interrupt on the terminal ends the mirror, not what it waits for
            ).returncode
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise BinlogError(f"the command {program} cannot be run: {reason}", file=path) from error
        if status:
            how = f"with status {status}" if status > 0 else f"by signal {-status}"
            raise BinlogError(f"the command {program} has ended {how}", file=path)
        self._done.add(name, verification.TOLD)

    # ---- what goes

    def _remove_old(self) -> None:
        """Remove the logs that --keep does not keep, the oldest first, up to one that must remain: a mirror has no
        gaps.
        """
        if self._keep is None:
            return
        names = self._folder.logs()[:-1]
        now = self._now()
        try:
            ages = [now - os.stat(os.path.join(self._folder.path, name)).st_mtime for name in names]
            for name in names[: self._keep.surplus(ages)]:
                if self._has_to_stay(verification.plain(name)):
                    return
                self._done.forget(verification.plain(name))  # first: what is recorded and gone was removed by others
                self._folder.removed(name)
                self._remove(os.path.join(self._folder.path, name))
        except OSError as error:
            self._report(f"{self._folder.path}: old logs cannot be removed: {error.strerror or error}.")
        except BinlogError as error:
            self._report(f"{error}.")

    def _now(self) -> float:
        """Return the time. A jump ahead of the system's clock during this run makes no log older."""
        clock, steady = self._began
        return min(time.time(), clock + time.monotonic() - steady)

    def _has_to_stay(self, name: str) -> bool:
        """Return True if a step of it is still to be done, such as a command that has failed."""
        told = not self._command or self._done.has(name, verification.TOLD)
        looked_at = self._check is None or self._done.has(name, verification.CHECKED, verification.FOUND)
        return not (told and looked_at)

    def _remove_replaced(self) -> None:
        """Remove plain logs that compressed ones replace: a kill came before that."""
        for name in self._folder.logs():
            path = os.path.join(self._folder.path, verification.plain(name))
            if name.endswith(SUFFIX) and os.path.exists(path):
                try:
                    if is_same_log(path, path + SUFFIX):
                        self._remove(path)
                    else:
                        self._report(f"{path}: the compressed log beside it is listed, and is another one.")
                except BinlogError as error:
                    self._report(f"{error}.")

    def _remove(self, path: str) -> None:
        try:
            with suppress(FileNotFoundError):
                os.unlink(path)
            sync_folder(self._folder.path)
        except OSError as error:
            raise BinlogError(f"it cannot be removed: {error.strerror or error}", file=path) from error


class Wait:
    """Until something is tried again. `due` is a time of `time.monotonic`."""

    def __init__(self, seconds: float):
        self.seconds = seconds
        self.due = time.monotonic() + seconds

    @classmethod
    def after(cls, before: Wait | None) -> Wait:
        """Return the first wait, or one twice as long as the one before."""
        return cls(FIRST_WAIT if before is None else min(2 * before.seconds, LONGEST_WAIT))


# ---- how many stay

UNITS = {"h": 3600, "d": 86400, "w": 7 * 86400}
FORM = re.compile(r"([1-9][0-9]{0,8})([hdw]?)")


@dataclass(frozen=True)
class Retention:
    """Exactly one of the two is not None. `count` is in finished logs, `seconds` since a log's last byte."""

    count: int | None = None
    seconds: int | None = None

    @classmethod
    def of(cls, text: str) -> Retention:
        """Return the rule for `100`, `12h`, `30d` or `4w`. Raise ValueError for anything else."""
        match = FORM.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is neither a number of logs nor a time such as 12h, 30d or 4w")
        number, unit = int(match[1]), match[2]
        return cls(seconds=number * UNITS[unit]) if unit else cls(count=number)

    def surplus(self, ages: list[float]) -> int:
        """Return how many of the oldest logs may go; `ages` are seconds since each one's last byte, oldest first."""
        if self.count is not None:
            return max(len(ages) - self.count, 0)
        assert self.seconds is not None
        return next((number for number, age in enumerate(ages) if age <= self.seconds), len(ages))


# ---- compression

LEVEL = 3
"""zstd's own default: rows become 3 to 5 times smaller, faster than a disk writes them."""
PIECE = 1 << 20


def compress(path: str) -> str | None:
    """Write the log compressed beside itself, and compare the two; the path of the new file. The log stays.

    The file appears whole or not at all, with the log's permissions and time, and is then read from the disk again.
    Return None, and write no file, if an event became so small that a reader would refuse it as a bomb.
    BinlogError, naming the file, where it cannot be written or is not the same log.
    """
    import zstandard

    target = path + SUFFIX
    try:
        with open(path, "rb") as log:
            status = os.fstat(log.fileno())
            compressor = zstandard.ZstdCompressor(LEVEL, write_checksum=True).compressobj(size=status.st_size)
            with Replacement(target, stat.S_IMODE(status.st_mode)) as replacement:
                while data := log.read(PIECE):
                    replacement.write(compressor.compress(data))
                replacement.write(compressor.flush())
                replacement.commit()
        os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
    except (OSError, zstandard.ZstdError) as error:
        raise BinlogError(f"it cannot be compressed: {getattr(error, 'strerror', None) or error}", file=path) from error
    forget_pages(target)
    if not is_same_log(path, target):
        with suppress(OSError):
            os.unlink(target)
        raise BinlogError(
            "its compressed copy is another log when it is read back, and was removed",
            file=path,
            hint="Check this machine's disk and memory",
        )
    if is_refused(target):
        with suppress(OSError):
            os.unlink(target)
        return None
    return target


def is_refused(path: str) -> bool:
    """Return True if a log that is in order can be read in no way but uncompressed first (docs/reliability.md)."""
    scanner = Scanner(force_read=True)
    with open_source(path) as source:
        try:
            for batch in Reader(source, scanner):
                del batch
        except SourceError:
            return True
        except BinlogError:
            return False  # damaged, as the log itself is
    return False


def is_same_log(path: str, compressed: str) -> bool:
    """Return True if the second file, inflated, is the first one, byte for byte.

    Raise BinlogError if one cannot be read.
    """
    try:
        with open_source(compressed) as source, open(path, "rb") as log:
            while data := source.read(PIECE):
                if log.read(len(data)) != data:
                    return False
            return not log.read(1)
    except OSError as error:
        raise BinlogError(f"it cannot be read: {error.strerror or error}", file=path) from error
    except BinlogError:
        if os.path.exists(path):
            return False
        raise


def forget_pages(path: str) -> None:
    """Let the next read come from the disk, if the system can: it is the disk's copy that counts."""
    if hasattr(os, "posix_fadvise"):
        with suppress(OSError), open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
