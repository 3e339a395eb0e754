"""LoggedEvent: an event as the server's code makes it, before it has a place in a log."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pybinlog.event_types import EventType


@dataclass
class Trace:
    """A statement, or the end of a connection, with the letters of WL#2687's definition tables.

    `kind`: T, N or M, by the tables that it names; empty for a statement that moves no rows. `format`: statement (S) or
    rows (R). `unsafe`: warned of (W), refused (E) or neither (I). `cached`: stmt-cache (S), trx-cache (T). `flushed`:
    when the statement ended (D), when the transaction was committed (C) or rolled back (R). `events` are the places of
    its events: log and position. `answer` has a line for each row of an answer that is shown, `place` where the log
    then ended.
    """

    line: int
    connection: str
    text: bytes
    kind: str = ""
    format: str = ""
    unsafe: str = "I"
    cached: set[str] = field(default_factory=set)
    flushed: set[str] = field(default_factory=set)
    events: list[tuple[str, int]] = field(default_factory=list)
    error: int | None = None
    answer: list[str] | None = None
    place: tuple[str, int] | None = None

    @property
    def flush(self) -> str:
        """The letters of the last layer. A statement that is in no log was ignored (I)."""
        letters = {"D"} & self.flushed if "S" in self.cached else set()
        if "T" in self.cached:
            letters |= (self.flushed - {"D"}) or {"I"}
        return "".join(sorted(letters, key="DCRI".index)) or "I"


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
