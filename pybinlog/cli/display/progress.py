"""A command's progress on standard error: at once with --progress, else if the command takes long."""

from __future__ import annotations

from contextlib import suppress
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pybinlog.cli.display.progress_display import ProgressDisplay
    from pybinlog.cli.environment import Environment

PATIENCE = 2.0
"""Seconds after which a terminal shows progress."""


class Progress:
    """`advance(bytes)` says that so much is done; `warn` and `fail` write above the bar. A context manager.

    What shows it is imported with the bar: most commands are done before.
    """

    def __init__(self, environment: Environment, names: Sequence[str], what: str, *, at_once: bool):
        self._environment = environment
        self._names = names
        self._what = what
        self._shows_at = monotonic() + (0 if at_once else PATIENCE)
        self._done = 0
        self._display: ProgressDisplay | None = None
        if at_once:
            self._show()

    def _show(self) -> None:
        from pybinlog.cli.display.progress_display import ProgressDisplay

        self._display = ProgressDisplay(self._environment, self._names, self._what)
        self._display.advance(self._done)

    def advance(self, count: int) -> None:
        """`count` more bytes of the uncompressed streams are done."""
        if self._display is not None:
            self._display.advance(count)
            return
        self._done += count
        if monotonic() >= self._shows_at:
            self._show()

    def warn(self, text: str) -> None:
        if self._display is not None:
            self._display.print_line("WARNING", "yellow", text)
        else:
            self._environment.warn(text)

    def fail(self, text: str) -> None:
        if self._display is not None:
            self._display.print_line("ERROR", "bold red", text)
        else:
            self._environment.fail(text)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._display is not None:
            with suppress(OSError):
                self._display.stop()
            self._display = None
