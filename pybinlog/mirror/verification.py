"""Verification: whether the finished logs of a mirror are what they were when they were finished."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field

from pybinlog.errors import BinlogError
from pybinlog.mirror.done_steps import DONE, Content, DoneSteps
from pybinlog.mirror.folder import SUFFIX, MirrorFolder
from pybinlog.source import open_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pybinlog.source import Source

    Clears = Callable[[Source, Callable[[bytes], object]], object]

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
    """Return True if a log is as recorded, False if it has no record, None if the mirror has removed it."""
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


def content_of(path: str) -> Content:
    """Read a log, compressed or not. Raise BinlogError if it cannot be read."""
    checksum = hashlib.sha256()
    size = 0
    with open_source(path) as source:
        while data := source.read(PIECE):
            checksum.update(data)
            size += len(data)
    return Content(size, checksum.hexdigest())


def cleared_content(path: str, clears: Clears) -> Content | None:
    """Read a log as its server wrote it, without markers. None if there is no such log."""
    checksum = hashlib.sha256()
    size = 0

    def add(data: bytes) -> None:
        nonlocal size
        checksum.update(data)
        size += len(data)

    try:
        with open_source(path) as source:
            clears(source, add)
    except BinlogError:
        return None
    return Content(size, checksum.hexdigest())


def plain(name: str) -> str:
    """Return the name as the server has it."""
    return name.removesuffix(SUFFIX)
