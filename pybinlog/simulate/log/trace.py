"""Trace: a statement of a run, and what the layers of WL#2687 decided about it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Trace:
    """A statement, or the end of a connection, with the letters of WL#2687's definition tables.

    `kind`: T, N or M, by the tables that it names; empty for a statement that moves no rows. `format`: statement (S) or
    rows (R). `unsafe`: warned of (W), refused (E) or neither (I). `cached`: stmt-cache (S), trx-cache (T). `flushed`:
    when the statement ended (D), when the transaction was committed (C) or rolled back (R). `events` are the places of
    its events: log and position.
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

    @property
    def flush(self) -> str:
        """The letters of the last layer. A statement that is in no log was ignored (I)."""
        letters = {"D"} & self.flushed if "S" in self.cached else set()
        if "T" in self.cached:
            letters |= (self.flushed - {"D"}) or {"I"}
        return "".join(sorted(letters, key="DCRI".index)) or "I"
