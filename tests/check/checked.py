"""All that a check tells."""

from typing import Any

from pybinlog.check import Checker, Finding

Checked = tuple[list[tuple[str, list[Finding], int, int, str]], Any]


def checked(checker: Checker) -> Checked:
    """All that a check tells: its results log by log, and the totals."""
    results = [
        (result.file, result.findings, result.events, result.bytes, str(result.failure)) for result in checker.results()
    ]
    totals = checker.totals
    return results, (
        totals.findings,
        totals.not_shown,
        totals.known,
        [str(failure) for failure in totals.failures],
        totals.files,
        totals.events,
        totals.bytes,
        checker.found,
    )
