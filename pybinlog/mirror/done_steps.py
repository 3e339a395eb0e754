"""DoneSteps: what was done with the finished logs of a mirror, so that each step is done once."""

from __future__ import annotations

from typing import NamedTuple

from pybinlog.errors import BinlogError
from pybinlog.output.replacement import Replacement
from pybinlog.side_file import side_file

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
