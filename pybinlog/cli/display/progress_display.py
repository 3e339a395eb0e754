"""The bar that shows how far a command is."""

import os
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.text import Text

from pybinlog.cli.environment import Environment
from pybinlog.errors import SourceError
from pybinlog.source import open_source
from pybinlog.visible import message


class ProgressDisplay:
    """A bar on standard error, from now on until `stop`, that `advance(bytes)` moves on."""

    def __init__(self, environment: Environment, names: Sequence[str], what: str):
        self._console = Console(
            file=environment.stderr, stderr=environment.stderr is None, markup=False, no_color=environment.wants_plain
        )
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
        self._task = self._progress.add_task(what, total=total_size(names))
        self._progress.start()

    def advance(self, count: int) -> None:
        self._progress.advance(self._task, count)

    def print_line(self, word: str, style: str, text: str) -> None:
        """Print a line above the bar."""
        line = Text(f"{word}: {message(text)}")
        line.stylize(style, 0, len(word) + 1)
        self._console.print(line, soft_wrap=True)

    def stop(self) -> None:
        self._progress.stop()


def total_size(names: Sequence[str]) -> int | None:
    """Return the bytes of all logs; None if one is a pipe or compressed: its size is unknown before its end."""
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
