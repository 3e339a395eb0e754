"""Verification: whether the finished logs of a mirror are what they were when they were finished.

DoneSteps is what was done with them, so that each step is done once.
"""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from pybinlog.errors import BinlogError
from pybinlog.mirror.folder import SUFFIX, MirrorFolder
from pybinlog.output.replacement import Replacement
from pybinlog.side_file import side_file
from pybinlog.source import Source, open_source

Clears = Callable[[Source, Callable[[bytes], object]], object]

DONE = "mirror.done"
"""The file in the folder that says what was done: a log on each line, then the steps, with tabs between."""
CHECKED, FOUND, PLAIN, TOLD = "checked", "found", "plain", "told"
"""Steps: the check found nothing; it found something; the log stays uncompressed; the command took it."""
TAGGED, UNTAGGED = "tagged", "untagged"
"""Steps: the log has boundary markers; it cannot have them."""
LARGEST_DONE = 256 << 20
"""Bytes of that file: a million logs have 120 MiB."""
RECORDED = "sha256:"
"""How the step begins that says what a log was when it was finished."""


class Content(NamedTuple):
    """The bytes of a log, uncompressed."""

    size: int
    sha256: str

    def __str__(self) -> str:
        return f"{self.size} bytes with SHA-256 {self.sha256[:16]}..."


class DoneSteps:
    """Which steps of which logs were done, on the disk whenever a method returns. Raise BinlogError if that fails."""

    def __init__(self, path: str):
        self._path = path
        self._steps: dict[str, set[str]] = {}
        try:
            for line in side_file(path, LARGEST_DONE).decode("utf-8", "surrogateescape").split("\n"):
                if line:
                    name, *steps = line.split("\t")
                    self._steps[name] = set(steps)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise BinlogError(f"it cannot be read: {error.strerror or error}", file=path) from error

    def has(self, name: str, *steps: str) -> bool:
        """Return True if one of these steps was done."""
        return not self._steps.get(name, set()).isdisjoint(steps)

    @property
    def names(self) -> list[str]:
        """The logs of which a step was done."""
        return list(self._steps)

    def recorded(self, name: str) -> Content | None:
        """Return what a log was when it was finished, or None if that is not recorded."""
        for step in self._steps.get(name, ()):
            if step.startswith(RECORDED):
                checksum, _, size = step.removeprefix(RECORDED).partition(":")
                if size.isascii() and size.isdigit() and len(size) < 20:
                    return Content(int(size), checksum)
        return None

    def record(self, name: str, content: Content) -> None:
        self.add(name, f"{RECORDED}{content.sha256}:{content.size}")

    def add(self, name: str, step: str) -> None:
        self._steps.setdefault(name, set()).add(step)
        self._write()

    def forget(self, name: str) -> None:
        if self._steps.pop(name, None) is not None:
            self._write()

    def _write(self) -> None:
        lines = ["\t".join([name, *sorted(steps)]) + "\n" for name, steps in self._steps.items()]
        with Replacement(self._path) as replacement:
            replacement.write("".join(lines).encode("utf-8", "surrogateescape"))
            replacement.commit()


PIECE = 1 << 20


@dataclass
class Verification:
    """`unchanged` and `unrecorded` are names of logs, `changed` an error for each log that was changed or is gone.

    `growing` is the log that is being written, None in a folder without logs. It is not compared.
    """

    unchanged: list[str] = field(default_factory=list)
    unrecorded: list[str] = field(default_factory=list)
    changed: list[BinlogError] = field(default_factory=list)
    growing: str | None = None


def verify(path: str, clears: Clears) -> Verification:
    """Compare the finished logs in a folder with their records. A mirror may be at work there, and nothing is written.

    `clears` hands on a log without its boundary markers: what is recorded are the server's bytes. Raise BinlogError if
    the folder is not a mirror's or cannot be read.
    """
    folder = MirrorFolder(path)
    found = Verification()
    names = logs_in(folder)
    if names:
        found.growing = names[-1]
    done = steps_in(folder)
    listed = dict.fromkeys(map(plain, names[:-1]))
    recorded = [name for name in done.names if done.recorded(name) is not None]
    for name in dict.fromkeys([*listed, *recorded]):
        if name == found.growing:
            continue
        verdict = compared(folder, name, clears)
        if isinstance(verdict, BinlogError):
            found.changed.append(verdict)
        elif verdict is not None:
            (found.unchanged if verdict else found.unrecorded).append(name)
    return found


def compared(folder: MirrorFolder, name: str, clears: Clears) -> BinlogError | bool | None:
    """Return an error, or whether a log has a record; None if the mirror has removed it."""
    recorded = steps_in(folder).recorded(name)
    for _ in range(2):  # the mirror may replace the log by its compressed copy meanwhile, or remove it
        file = next((file for file in logs_in(folder) if plain(file) == name), None)
        if file is None and steps_in(folder).recorded(name) is None:
            return None
        path = folder.file(file or name)
        try:
            content = content_of(path)
        except BinlogError as error:
            failure = error
            continue
        if recorded is None:
            return False
        if file is None:
            return BinlogError("the index does not list this finished log any more", file=path)
        if content == recorded or cleared_content(path, clears) == recorded:
            return True
        return BinlogError(
            f"the log was changed after it was finished: it had {recorded}, and has {content}",
            file=path,
            hint="Take it from the server, if it still has it, or from another copy",
        )
    return failure


def logs_in(folder: MirrorFolder) -> list[str]:
    folder.read()
    if folder.identity is None:
        raise BinlogError("this is not the folder of a mirror", file=folder.path, hint="It has no mirror.json")
    return folder.logs()


def steps_in(folder: MirrorFolder) -> DoneSteps:
    return DoneSteps(os.path.join(folder.path, DONE))


def pieces(source: Source, take: Callable[[bytes], object]) -> None:
    """Hand on a log as it is."""
    while data := source.read(PIECE):
        take(data)


def content_of(path: str, hand_on: Clears = pieces) -> Content:
    """Read a log, compressed or not. Raise BinlogError if it cannot be read."""
    checksum = hashlib.sha256()
    size = 0

    def add(data: bytes) -> None:
        nonlocal size
        checksum.update(data)
        size += len(data)

    with open_source(path) as source:
        hand_on(source, add)
    return Content(size, checksum.hexdigest())


def cleared_content(path: str, clears: Clears) -> Content | None:
    """Read a log as its server wrote it, without markers; return None if the folder lacks it."""
    try:
        return content_of(path, clears)
    except BinlogError:
        return None


def plain(name: str) -> str:
    """Return the name as the server has it."""
    return name.removesuffix(SUFFIX)
