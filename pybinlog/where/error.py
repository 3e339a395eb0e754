"""WhereError: a condition that cannot be read, or does not fit a table."""

from __future__ import annotations

from pybinlog.errors import BinlogError


class WhereError(BinlogError):
    """The message says what is wrong with the condition, in a sentence without its end."""
