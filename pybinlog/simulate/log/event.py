"""LoggedEvent: an event as the server's code makes it, before it has a place in a log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pybinlog.event_types import EventType


@dataclass(frozen=True)
class LoggedEvent:
    """An event's type, body (as `pybinlog.layout` builds it), header flags and timestamp in seconds.

    `content` is false for the events that only frame a group or a part of one: BEGIN, COMMIT, SAVEPOINT and the like.
    `statement` is the number of the statement that it comes of, in the order of the run.
    `source` is what the body was made of: the changes of a row event, the variable of a User_var.
    `immediate` tells a Query that is a group by itself (DDL, XA COMMIT) from one between BEGIN and COMMIT.
    """

    event_type: EventType
    body: Mapping[str, Any]
    timestamp: int
    flags: int = 0
    content: bool = True
    immediate: bool = False
    statement: int = 0
    source: Any = None
