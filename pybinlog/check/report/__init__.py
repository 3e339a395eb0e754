"""Reports: the findings of a check in the forms that people and other programs read."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from pybinlog.check.checker import LogResult, Totals
from pybinlog.check.options import CheckOptions


class Report:
    """One report; what it has is written as soon as it is there. Only `text` has colours."""

    def __init__(self, write: Callable[[str], object], options: CheckOptions, *, color: bool):
        self._write = write
        self._options = options
        self._color = color
        self._separator = "\n  "

    def begin(self) -> None:
        """Write what comes before the first log."""

    def log(self, result: LogResult) -> None:
        """Report a log. It may come again, with findings that only the end of all logs gives."""
        raise NotImplementedError

    def end(self, totals: Totals) -> None:
        raise NotImplementedError

    def _add(self, element: dict[str, Any]) -> None:
        """Write the next element of an array of JSON."""
        from json import dumps

        self._write(self._separator + dumps(element))
        self._separator = ",\n  "


def make_report(format: str, write: Callable[[str], object], options: CheckOptions, *, color: bool = False) -> Report:
    """Return the report of that format, by its name on the command line."""
    module = import_module(f"pybinlog.check.report.{'json' if format == 'jsonl' else format}")
    report: Report = getattr(module, f"{format.capitalize()}Report")(write, options, color=color)
    return report
