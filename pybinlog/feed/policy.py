"""Policy: how to handle damage, logs that cannot be read and logs that are missing."""

from collections.abc import Callable
from enum import Enum

from pybinlog import errors
from pybinlog.log.gap import Range
from pybinlog.log.gap_watch import GapWatch
from pybinlog.record import Record

UNKNOWN_TYPE = errors.Hint("A newer server may have written it; {--recover} skips it")


class Mode(Enum):
    """How to handle damage, by the names of Spark's own file sources."""

    FAILFAST = "FAILFAST"  # the first damage ends the reading
    PERMISSIVE = "PERMISSIVE"  # it gives a row with its place, and reading continues after it
    DROPMALFORMED = "DROPMALFORMED"  # the same, without the row


class Policy(Record):
    """See Mode; it can be pickled."""

    mode: Mode = Mode.FAILFAST
    allow_gaps: bool = False
    """Read on if a log is missing between two."""
    ignore_corrupt_files: bool = False
    ignore_missing_files: bool = False
    way_out: str = ""
    """The hint of an error about damage."""

    @property
    def range(self) -> Range:
        """The part of the logs that the filters keep. Raise ValueError if a GTID set is malformed."""
        return Range()

    def gap_watch(self, warn: Callable[[str], object], *, orders: bool = True) -> GapWatch:
        """Return what looks for missing logs while they are read; `orders` is as in GapWatch."""
        return GapWatch(warn, allows=self.allow_gaps, orders=orders, range=self.range)

    @property
    def has_filters(self) -> bool:
        """Return True if filters may drop everything in the logs."""
        return False

    def keeps_rows(self, table: tuple[str, str], operation: str) -> bool:
        """Return True if the filters may keep rows of a table that a DELETE or an UPDATE changes."""
        return True

    def let_pass(self, error: errors.BinlogError, warn: Callable[[str], object]) -> None:
        """Raise an error that ends a log, with the way out; or warn, if the other logs are read nevertheless."""
        if self.way_out and isinstance(
            error, (errors.ChecksumError, errors.UnknownEventError, errors.CorruptEventError, errors.TruncatedError)
        ):
            error.hint = UNKNOWN_TYPE if isinstance(error, errors.UnknownEventError) else self.way_out
        missing = isinstance(error, errors.SourceError) and isinstance(error.__cause__, FileNotFoundError)
        passed = self.ignore_corrupt_files or (missing and self.ignore_missing_files)
        if isinstance(error, errors.DataLossError) or not passed:
            raise error
        warn(f"{without_hint(error)}; the rest of the file is skipped")


def without_hint(error: errors.BinlogError) -> str:
    hint, error.hint = error.hint, None
    try:
        return str(error)
    finally:
        error.hint = hint
