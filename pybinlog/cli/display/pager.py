"""Pager: what shows a text that is longer than the screen, page by page."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from types import TracebackType

from pybinlog.cli.environment import Environment, Output
from pybinlog.output.outputs import descriptor_of

DEFAULT = "less"
HABITS = {"LESS": "FRX", "LV": "-c"}
"""How less and lv show text as git lets them: in colours, and without a screen of their own."""


def screen_size(environment: Environment) -> tuple[int, int]:
    """Return the columns and lines of the terminal that standard output is."""
    descriptor = None if environment.answer is not None else descriptor_of(environment.stdout)
    try:
        size = os.get_terminal_size(descriptor) if descriptor is not None else os.terminal_size((80, 24))
    except OSError:
        size = os.terminal_size((80, 24))
    given = [environment.environ.get(name, "") for name in ("COLUMNS", "LINES")]
    columns, lines = (
        int(text) if text.isascii() and text.isdigit() and int(text) else there
        for text, there in zip(given, size, strict=True)
    )
    return columns or 80, lines or 24


class Pager:
    """A context manager: an Output that `$PAGER` shows (default: less), and `output` itself if there is none.

    An empty PAGER, or cat, is none. Leaving the context waits until whoever reads it has seen enough.
    """

    def __init__(self, environment: Environment, output: Output):
        self._environment = environment
        self._output = output
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Pager:
        environment = self._environment
        command = environment.environ.get("PAGER", DEFAULT)
        descriptor = descriptor_of(self._output)
        if command.strip() in ("", "cat") or descriptor is None:
            return self
        try:
            words = shlex.split(command)
            if "PAGER" in environment.environ or shutil.which(words[0]):
                self._process = subprocess.Popen(
                    words, stdin=subprocess.PIPE, stdout=descriptor, env={**HABITS, **environment.environ}
                )
        except (OSError, ValueError) as error:
            environment.warn(f"PAGER={command} cannot be run ({error}); the table is written without it.")
        return self

    def write(self, data: bytes | memoryview) -> None:
        if self._process is None:
            self._output.write(data)
            return
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is None:
            return
        self._environment.settle()  # it ends when its reader wants that, whatever signal has come
        try:
            assert self._process.stdin is not None
            self._process.stdin.close()
        except BrokenPipeError:
            pass
        self._process.wait()
