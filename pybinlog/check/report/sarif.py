"""Findings as SARIF 2.1.0, the exchange format of static analysis (OASIS)."""

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pybinlog.check.checker import LogResult, Totals
from pybinlog.check.finding import Finding, Severity
from pybinlog.check.report import Report
from pybinlog.check.rules import RULES

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


class SarifReport(Report):
    """One run with its rules and results; positions are byte offsets in the uncompressed log."""

    def __init__(self, *values: Any, **named: Any):
        super().__init__(*values, **named)
        self._codes = [code for code in RULES if self._options.wants(code)]

    def begin(self) -> None:
        from pybinlog import __version__

        rules = [
            {
                "id": code,
                "name": RULES[code].name,
                "shortDescription": {"text": RULES[code].title},
                "help": {"text": RULES[code].advice},
                "defaultConfiguration": {"level": LEVELS[RULES[code].severity]},
                "properties": {"tags": [RULES[code].area]},
            }
            for code in self._codes
        ]
        driver = {"name": "pybinlog", "version": __version__, "rules": rules}
        self._write(
            f'{{"$schema": "{SCHEMA}", "version": "2.1.0", "runs": [{{"tool": {{"driver": {json.dumps(driver)}}},\n'
            '"results": ['
        )

    def log(self, result: LogResult) -> None:
        for finding in result.findings:
            self._add(self._result(finding))

    def _result(self, finding: Finding) -> dict[str, Any]:
        event = f"{finding.event_type} at" if finding.event_type else "At"
        return {
            "ruleId": finding.code,
            "ruleIndex": self._codes.index(finding.code),
            "level": LEVELS[finding.severity],
            "message": {"text": f"{event} {finding.position}: {finding.message} {finding.advice}"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": uri(finding.file)},
                        # GitHub takes no result without a line, which a binary log does not have.
                        "region": {"startLine": 1, "byteOffset": finding.position},
                    }
                }
            ],
            "partialFingerprints": {"place/v1": ":".join(map(str, finding.fingerprint))},
            "properties": {"eventType": finding.event_type, "position": finding.position},
        }

    def end(self, totals: Totals) -> None:
        invocation = {
            "executionSuccessful": not totals.failures,
            "toolExecutionNotifications": [
                {
                    "level": "error",
                    "message": {"text": str(failure)},
                    "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(failure.file or "-")}}}],
                }
                for failure in totals.failures
            ],
        }
        self._write(f'\n], "invocations": [{json.dumps(invocation)}]}}]}}\n')


def uri(path: str) -> str:
    """Return a file's name as a URI reference, absolute if the name is."""
    if path == "-":
        return "stdin:"
    if os.path.isabs(path):
        return Path(path).as_uri()
    reference = quote(os.fsencode(path))
    # "a:b" would be a scheme, and "//a" a host.
    return reference if not reference.startswith("/") and "%3A" not in reference.partition("/")[0] else f"./{reference}"
