"""Environment: what the program sees of the world, so that it can be run in another one."""

from __future__ import annotations

import os
import sys
from typing import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO, TextIO

    from pybinlog.cli.exit_status import ExitStatus
    from pybinlog.cli.signals import EndSignals
    from pybinlog.output.outputs import Outputs


class Output(Protocol):
    """An output for bytes; `write` takes all of them or raises OSError."""

    def write(self, data: bytes | memoryview, /) -> object: ...


class Answer(Output, Protocol):
    """The file of --output: `pybinlog.cli.output_file.Answer`."""

    path: str

    def open(self, outputs: Outputs) -> None: ...

    def finish(self, status: ExitStatus | None) -> None: ...


YELLOW, RED, RESET = "\x1b[33m", "\x1b[1;31m", "\x1b[0m"

MUCH = 1 << 15
"""Bytes written at once from which on a pipe is widened."""
PIPE_SIZE = 1 << 18
"""Bytes; with more, what is read has left the processor's cache."""


class DescriptorOutput:
    """Writes straight to a descriptor: nothing is held back, and nothing is left to be flushed at the end."""

    def __init__(self, descriptor: int):
        self.descriptor = descriptor
        self._widened = False

    def fileno(self) -> int:
        return self.descriptor

    def write(self, data: bytes | memoryview) -> int:
        size = len(data)
        if size >= MUCH and not self._widened:
            self._widened = True
            from pybinlog.source.file import widen_pipe

            widen_pipe(self.descriptor, PIPE_SIZE)
        written = 0
        with memoryview(data) as view:
            while written < size:  # a pipe or a signal may cut a write
                try:
                    written += os.write(self.descriptor, view[written:])
                except BlockingIOError:  # another program has made the terminal or pipe non-blocking
                    import select

                    select.select([], [self.descriptor], [])
        return size


class Environment:
    """Standard streams and environment variables.

    `stdin` and `stdout` carry bytes, `stderr` text; stdin and stdout are None if they are closed. `is_terminal`
    says whether the command's answer goes to one.
    """

    def __init__(
        self,
        *,
        stdin: BinaryIO | None,
        stdout: Output | None,
        stderr: TextIO | None,
        is_terminal: bool = False,
        environ: Mapping[str, str] | None = None,
        signals: EndSignals | None = None,
    ):
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.is_terminal = is_terminal
        self.environ = {} if environ is None else environ
        self._signals = signals
        self.color = "auto"
        """The value of --color."""
        self.answer: Answer | None = None
        """The file that the command's answer goes to, instead of standard output."""

    @classmethod
    def of_process(cls, signals: EndSignals | None = None) -> Environment:
        """Return the environment of this process, which these signals end."""
        return cls(
            stdin=None if sys.stdin is None else sys.stdin.buffer,
            stdout=None if sys.stdout is None else DescriptorOutput(sys.stdout.fileno()),
            stderr=sys.stderr,
            is_terminal=sys.stdout is not None and sys.stdout.isatty(),
            environ=os.environ,
            signals=signals,
        )

    def wants_color(self, when: str, *, to_stdout: bool = True) -> bool:
        """Return True if --color=WHEN means colours here, for a text that goes to standard output or elsewhere."""
        if when != "auto":
            return when == "always"
        return self.is_terminal and to_stdout and not self.wants_plain

    @property
    def wants_plain(self) -> bool:
        """True if environment variables disable colours."""
        return bool(self.environ.get("NO_COLOR")) or self.environ.get("TERM") == "dumb"

    def show(self, text: str) -> None:
        """Print a text on standard output, if that is open."""
        if self.stdout is not None:
            self.stdout.write(text.encode("utf-8", "surrogateescape"))

    def print_line(self, text: str, *, as_is: bool = False) -> None:
        """Print one line on standard error, whatever names are in it, if that is open.

        A text of pybinlog's own is written `as_is`, with all its lines.
        """
        from pybinlog.visible import message

        self._write(text if as_is else message(text) + "\n")

    def warn(self, text: str) -> None:
        self._mark("WARNING:", YELLOW, text)

    def remark(self, sentence: str) -> None:
        """Warn in a sentence that lacks its full stop."""
        self.warn(f"{sentence}.")

    @property
    def ended(self) -> ExitStatus | None:
        """The status with which a signal ends the program; None without a signal."""
        return None if self._signals is None else self._signals.ended

    def settle(self) -> None:
        """Mark the signal as handled: the run then ends as without one."""
        if self._signals is not None:
            self._signals.settle()

    def fail(self, text: str) -> None:
        """Print an error on standard error, unless a signal caused it."""
        if self.ended is not None:
            return
        self._mark("ERROR:", RED, text)

    def _mark(self, word: str, color: str, text: str) -> None:
        from pybinlog.visible import message

        if self.colors_messages:
            word = f"{color}{word}{RESET}"
        self._write(f"{word} {message(text)}\n")

    @property
    def colors_messages(self) -> bool:
        """True if warnings and errors are coloured: on a terminal, unless colours are disabled."""
        return self.color != "never" and self.stderr_is_terminal and not self.wants_plain

    @property
    def stderr_is_terminal(self) -> bool:
        """True if standard error is a terminal."""
        return self.stderr is not None and not self.stderr.closed and self.stderr.isatty()

    def _write(self, text: str) -> None:
        if self.stderr is not None:
            try:
                self.stderr.write(text)
                self.stderr.flush()
            except OSError:
                self.stderr = None
