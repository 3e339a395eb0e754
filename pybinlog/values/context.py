"""Context: what the values of the statement that runs have made use of."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class Context:
    """What was made use of: a statement is logged with its time zone or its fraction of a second where that counts."""

    time_zone_used: bool = False
    date_parsed: bool = False
    microseconds_used: bool = False


CONTEXT: ContextVar[Context] = ContextVar("context")
"""That of the statement that runs."""


def context() -> Context:
    """The context to look at; one that is thrown away where no statement runs."""
    return CONTEXT.get(None) or Context()
