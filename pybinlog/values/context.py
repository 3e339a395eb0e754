"""Context: what the values of the statement that runs have made use of."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class Context:
    """The used parts of the context: the log has the statement's time zone or fraction of a second if it counts."""

    time_zone_used: bool = False
    date_parsed: bool = False
    microseconds_used: bool = False


CONTEXT: ContextVar[Context] = ContextVar("context")
"""That of the statement that runs."""


def context() -> Context:
    """Return the context to look at; one that is thrown away if no statement runs."""
    return CONTEXT.get(None) or Context()
