"""Findings as a Code Quality report, which GitLab shows in merge requests (manual: Code Quality report format)."""

import hashlib
import os
from collections import Counter
from typing import Any

from pybinlog.check.checker import LogResult, Totals
from pybinlog.check.finding import Severity
from pybinlog.check.report import Report
from pybinlog.check.rules import RULES

SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.INFO: "info"}


class GitlabReport(Report):
    """An array of objects; the position is in the description, because a log has no lines."""

    def __init__(self, *values: Any, **named: Any):
        super().__init__(*values, **named)
        self._seen: Counter[str] = Counter()

    def begin(self) -> None:
        self._write("[")

    def log(self, result: LogResult) -> None:
        for finding in result.findings:
            event = f"{finding.event_type} at" if finding.event_type else "At"
            self._entry(
                f"{event} {finding.position}: {finding.message} {finding.advice}",
                f"{finding.code} {RULES[finding.code].name}",
                SEVERITIES[finding.severity],
                finding.file,
                ":".join(map(str, finding.fingerprint)),
            )
        if result.failure is not None:
            self._entry(f"{result.failure}.", "not checked", "blocker", result.file, f"failure:{result.file}")

    def _entry(self, description: str, name: str, severity: str, file: str, place: str) -> None:
        self._seen[place] += 1  # a fingerprint must come once only
        mark = f"{place}:{self._seen[place]}".encode("utf-8", "surrogateescape")
        self._add(
            {
                "description": description,
                "check_name": name,
                "fingerprint": hashlib.sha256(mark).hexdigest(),
                "severity": severity,
                "location": {"path": path_of(file), "lines": {"begin": 1}},
            }
        )

    def end(self, totals: Totals) -> None:
        self._write("\n]\n")


def path_of(file: str) -> str:
    """Return the path from the current folder, which is the repository's in a job of GitLab, without `./`."""
    if file == "-":
        return "stdin"
    path = os.path.relpath(file) if os.path.isabs(file) else os.path.normpath(file)
    return file if path.startswith("..") else path
