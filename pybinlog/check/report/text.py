"""Findings as text for people."""

from pybinlog.check.checker import LogResult, Totals
from pybinlog.check.finding import Severity
from pybinlog.check.report import Report
from pybinlog.visible import counted, visible

RESET = "\x1b[0m"
BOLD = "\x1b[1m"
DIM = "\x1b[2m"
COLORS = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m", Severity.INFO: "\x1b[1;36m"}


class TextReport(Report):
    """`file:position: severity code event: what is wrong`, the advice below it, and a summary.

    Why a log could not be checked stands on standard error.
    """

    def log(self, result: LogResult) -> None:
        lines = []
        for finding in result.findings:
            place = self._painted(f"{visible(finding.file)}:{finding.position}:", BOLD)
            word = self._painted(finding.severity.word, COLORS[finding.severity])
            event = f" {finding.event_type}:" if finding.event_type else ":"
            lines.append(f"{place} {word} {finding.code}{event} {visible(finding.message)}")
            lines.append(self._painted(f"    {visible(finding.advice)}", DIM))
        if lines:
            self._write("\n".join(lines) + "\n")

    def end(self, totals: Totals) -> None:
        self._write(summary(totals) + "\n")

    def _painted(self, text: str, color: str) -> str:
        return f"{color}{text}{RESET}" if self._color else text


def summary(totals: Totals) -> str:
    """Return one line: what was found in how many logs and events."""
    counts = [
        f"{count} {severity.word}{'s' if count != 1 and severity is not Severity.INFO else ''}"
        for severity, count in sorted(totals.findings.items(), reverse=True)
        if count
    ]
    text = f"{', '.join(counts) or 'no findings'} in {counted(totals.files, 'log')}, {totals.events} events"
    if totals.not_shown:
        text += f"; {totals.not_shown} findings are not shown (--limit)"
    if totals.known:
        text += f"; {totals.known} more are in the baseline"
    if totals.failures:
        text += f"; {len(totals.failures)} of the logs could not be checked"
    return f"{text[:1].upper()}{text[1:]}."
