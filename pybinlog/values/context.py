"""Context: what holds for all values of the statement that runs, and what they have made use of."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class Context:
    """What a statement's values share.

    `strict_numbers`: text that is no number is an error where a number is wanted (in what a statement writes, in strict
    mode). The others say what was made use of, for a statement is logged with its time zone or its fraction of a second
    where that counts.
    """

    strict_numbers: bool = False
    time_zone_used: bool = False
    date_parsed: bool = False
    microseconds_used: bool = False


CONTEXT: ContextVar[Context] = ContextVar("context")
"""That of the statement that runs."""


def context() -> Context:
    """The context to look at; one that is thrown away where no statement runs."""
    return CONTEXT.get(None) or Context()
