"""Findings as commands that GitHub Actions shows as annotations."""

from pybinlog.check.checker import LogResult, Totals
from pybinlog.check.finding import Severity
from pybinlog.check.report import Report
from pybinlog.check.report.text import summary
from pybinlog.check.rules import RULES
from pybinlog.visible import visible_lines

COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


class GithubReport(Report):
    """`::error file=...,title=...::message`; the position stands in the message, as a log has no lines."""

    def log(self, result: LogResult) -> None:
        for finding in result.findings:
            event = f"{finding.event_type} " if finding.event_type else ""
            self._command(
                COMMANDS[finding.severity],
                finding.file,
                f"{finding.code} {RULES[finding.code].name}",
                f"{event}at {finding.position} of {finding.file}: {finding.message} {finding.advice}",
            )
        if result.failure is not None:
            self._command("error", result.file, "not checked", f"{result.failure}.")

    def _command(self, command: str, file: str, title: str, message: str) -> None:
        self._write(f"::{command} file={property_text(file)},title={property_text(title)}::{data_text(message)}\n")

    def end(self, totals: Totals) -> None:
        self._write(summary(totals) + "\n")


def data_text(text: str) -> str:
    return visible_lines(text).replace("%", "%25").replace("\n", "%0A")


def property_text(text: str) -> str:
    return data_text(text).replace(":", "%3A").replace(",", "%2C")
