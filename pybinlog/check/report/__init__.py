"""Reports: the findings of a check in the forms that people and other programs read."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from pybinlog.check.checker import LogResult, Totals
    from pybinlog.check.options import CheckOptions

    class Report(Protocol):
        """One report; what it has is written as soon as it is there."""

        def begin(self) -> None: ...
        def log(self, result: LogResult) -> None:
            """The next log is done; a log may come again, with findings that only the end of all logs gives."""

        def end(self, totals: Totals) -> None: ...


__all__ = ["FORMATS", "make_report"]

FORMATS = ("text", "json", "jsonl", "junit", "sarif", "github", "gitlab")


def make_report(format: str, write: Callable[[str], object], options: CheckOptions, *, color: bool = False) -> Report:
    """Return the report of that format, one of FORMATS; only `text` has colours."""
    if format == "text":
        from pybinlog.check.report.text import TextReport

        return TextReport(write, color)
    name = "json" if format == "jsonl" else format
    module = import_module(f"pybinlog.check.report.{name}")
    report: Report = module.REPORTS[format](write, options)
    return report
