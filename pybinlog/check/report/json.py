"""Findings as one JSON document, or as JSON lines."""

import json
from typing import Any

from pybinlog.check.checker import LogResult, Totals
from pybinlog.check.finding import Finding
from pybinlog.check.report import Report
from pybinlog.check.rules import RULES
from pybinlog.errors import SourceError


class JsonReport(Report):
    """`{"version": 1, "findings": [...], "failures": [...], "summary": {...}}`."""

    def begin(self) -> None:
        self._write('{"version": 1, "findings": [')

    def log(self, result: LogResult) -> None:
        for finding in result.findings:
            self._add(fields(finding))

    def end(self, totals: Totals) -> None:
        failures = json.dumps([failure_fields(failure) for failure in totals.failures])
        self._write(f'\n], "failures": {failures}, "summary": {json.dumps(summary_fields(totals))}}}\n')


class JsonlReport(Report):
    """An object a line: `"type"` is finding, failure or, in the last line, summary."""

    def log(self, result: LogResult) -> None:
        for finding in result.findings:
            self._write(json.dumps({"type": "finding", **fields(finding)}) + "\n")
        if result.failure is not None:
            self._write(json.dumps({"type": "failure", **failure_fields(result.failure)}) + "\n")

    def end(self, totals: Totals) -> None:
        self._write(json.dumps({"type": "summary", **summary_fields(totals)}) + "\n")


def fields(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "rule": RULES[finding.code].name,
        "severity": finding.severity.word,
        "file": finding.file,
        "position": finding.position,
        "event_type": finding.event_type or None,
        "message": finding.message,
        "advice": finding.advice,
    }


def failure_fields(failure: SourceError) -> dict[str, Any]:
    return {"file": failure.file, "message": failure.message, "advice": failure.hint}


def summary_fields(totals: Totals) -> dict[str, Any]:
    return {
        **{severity.word: count for severity, count in totals.findings.items()},
        "not_shown": totals.not_shown,
        "in_baseline": totals.known,
        "files": totals.files,
        "events": totals.events,
        "bytes": totals.bytes,
    }
