"""How far a dump is, on standard error."""

from __future__ import annotations

import os

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from pybinlog.errors import SourceError
from pybinlog.source import open_source
from pybinlog.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pybinlog.cli.environment import Environment

__all__ = ["ProgressDisplay"]


class ProgressDisplay:
    """A bar that `advance(bytes)` moves on; `warn` writes above it. A context manager: it shows while inside."""

    def __init__(self, environment: Environment, names: Sequence[str]):
        self._console = Console(file=environment.stderr, stderr=environment.stderr is None, markup=False)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(binary_units=True),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._progress.add_task("dump", total=total_size(names))

    def advance(self, count: int) -> None:
        """`count` more bytes of the uncompressed streams are done."""
        self._progress.advance(self._task, count)

    def warn(self, text: str) -> None:
        self._console.print(f"WARNING: {visible(text)}", markup=False, highlight=False, soft_wrap=True)

    def __enter__(self) -> ProgressDisplay:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()


def total_size(names: Sequence[str]) -> int | None:
    """Bytes of all logs together; None where one is a pipe or compressed, whose size is known only at its end."""
    total = 0
    for name in names:
        if not os.path.isfile(name):  # a pipe must not be opened twice
            return None
        try:
            with open_source(name) as source:
                if source.size is None:
                    return None
                total += source.size
        except SourceError:
            return None
    return total
