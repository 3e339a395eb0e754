"""BodyRules: what an event holds can be read, and its names can be printed without harm (rules S008, S010)."""

from pybinlog.check.finding import ReportFinding
from pybinlog.errors import CorruptEventError
from pybinlog.event_types import COMMON_HEADER_LENGTH, EventType, printed_name
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import type_when_inflated
from pybinlog.kernel.check import event_body
from pybinlog.kernel.check.check_scan import CheckScan
from pybinlog.kernel.check.event_body import has_control_character
from pybinlog.log.large_event import COMPRESSED, inflate, inflated_start
from pybinlog.log.rare_event import read_rare

ENOUGH = 4096
"""Bytes of what a compressed event holds that its own fields may be read from."""
NAMES = {
    event_body.NAME_DATABASE: "database's name",
    event_body.NAME_TABLE: "table's name",
    event_body.NAME_TIME_ZONE: "session's time zone",
    event_body.NAME_TAG: "GTID's tag",
    event_body.NAME_CHECKPOINT: "checkpoint's file name",
}


class BodyRules:
    """Fed with the notes of one log's events, and of those inside its payloads."""

    def __init__(self, report: ReportFinding):
        self._report = report

    def on_event(self, scan: CheckScan, batch: EventBatch, index: int, place: int) -> None:
        """`place` is the position to report: that of the payload for an event inside one.

        Raise CorruptEventError if a dump could not print the event.
        """
        notes = scan.notes
        kind = batch.header(index).type
        raise_if_unreadable(notes)
        if notes & event_body.NOTE_NO_FORMAT:
            message = f"The {printed_name(kind)} event comes before any Format_description of the server that wrote it."
            self._report("S008", place, kind, message)
        if notes & event_body.NOTE_NAME:
            self._suspicious_name(scan, place, kind)
        if notes & event_body.NOTE_RARE:
            self._rare(scan, batch, index, place)

    def name(self, name: bytes, what: str, place: int, kind: int) -> None:
        """Check a name that the text has in a comment; `what` it names, as a part of a sentence."""
        if has_control_character(name):
            self._report("S010", place, kind, f"The {what} holds a control character: {shown(name)}.")

    def _suspicious_name(self, scan: CheckScan, place: int, kind: int) -> None:
        name, what = scan.body.name, NAMES[scan.body.name_kind]
        if has_control_character(name):
            self.name(name, what, place, kind)
        else:
            self._report("S010", place, kind, f"The {what} holds a quote or a backslash: {shown(name)}.")

    def _rare(self, scan: CheckScan, batch: EventBatch, index: int, place: int) -> None:
        """Check an event with the dump's Python functions."""
        kind, body = batch.header(index).type, batch.body(index)
        if kind in COMPRESSED:
            start = scan.body.data_at
            plain = bytearray(batch.data(index)[:COMMON_HEADER_LENGTH])
            plain += body[:start]
            rows = None
            if kind == EventType.MARIA_QUERY_COMPRESSED:
                plain += inflated_start(body, start, ENOUGH)
            else:
                rows = inflate(body, start)
            plain[4] = type_when_inflated(kind)
            notes = scan.stands_for(batch, index, bytes(plain), rows)
            raise_if_unreadable(notes)
            if notes & event_body.NOTE_NAME:
                self._suspicious_name(scan, place, kind)
        else:
            read_rare(batch, index)


def raise_if_unreadable(notes: int) -> None:
    """Raise the error of an event with these notes, if a command could not read it."""
    if notes & event_body.NOTE_CORRUPT:
        raise CorruptEventError("a length in it reaches beyond its end")
    if notes & event_body.NOTE_UNREADABLE:
        raise CorruptEventError("a row in it cannot be read")
    if notes & event_body.NOTE_NO_MEMORY:
        raise MemoryError


def shown(name: bytes) -> str:
    """Return a name within a sentence: nothing in it can end the line."""
    return ascii(name.decode("utf-8", "backslashreplace"))
