"""History: what is remembered from log to log of one series."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from pybinlog.check.gtids import GtidHistory
from pybinlog.check.xa import XaHistory
from pybinlog.kernel.check.check_scan import CheckScan
from pybinlog.kernel.scan.scan import Scanner


class SeriesFlags(NamedTuple):
    """The knowledge about the logs of a series."""

    complete: bool = False
    """Every transaction since the server's first is in the logs given, none skipped."""
    pieces_missing: bool = False
    """Logs were omitted, or parts of them skipped, since the last Previous_gtids."""
    out_of_order: bool = False
    """The logs are not in their order, so the next Previous_gtids does not count."""


@dataclass
class History:
    """One series of logs (`binlog.000001`, `binlog.000002` ...): all that crosses from one to the next."""

    scanner: Scanner = field(default_factory=Scanner)
    scan: CheckScan = field(default_factory=CheckScan)
    xa: XaHistory = field(default_factory=XaHistory)
    fresh: bool = True
    """No log of the series was read yet."""
    rotates_to: str | None = None
    """The log that the last event of the log before, a Rotate, names."""
    series: SeriesFlags = field(default_factory=SeriesFlags)
    """Return the knowledge about the given logs of the series."""

    def note(self, **flags: bool) -> None:
        """Something is known of the series from here on: SeriesFlags by name."""
        self.series = self.series._replace(**flags)

    def __post_init__(self) -> None:
        self.gtids = GtidHistory(self.scan.runs)
        self.scanner.force_read = True
        self.scanner.verify_checksum = True
