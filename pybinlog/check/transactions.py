"""TransactionRules: whether a stream is made of whole transactions (rules B001 to B007)."""

import re
from typing import NamedTuple

from pybinlog.boundary.bits import StatementBits
from pybinlog.boundary.parser import BoundaryType
from pybinlog.check.finding import ReportFinding, Severity
from pybinlog.check.history import History
from pybinlog.event_types import printed_name
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import CREATED_AT
from pybinlog.kernel.check import event_body
from pybinlog.visible import visible

BEFORE_RELEASE = re.compile(r"5\.1\.[12]?\d(?!\d)|5\.2\.")
"""Versions of MySQL 5.1 before its release (5.1.30), and of 5.2: those wrote rows and Xid events without BEGIN."""


class Run(NamedTuple):
    """Consecutive refusals: one finding, reported when they are over."""

    code: str
    position: int
    event_type: int
    message: str
    severity: Severity | None = None


class TransactionRules:
    """Fed with the notes of one log's events."""

    def __init__(self, history: History, report: ReportFinding):
        self._scan = history.scan
        self._report = report
        self._run: Run | None = None
        self._given_up = False

    def on_event(self, batch: EventBatch, index: int, notes: int) -> None:
        header = batch.header(index)
        if notes & event_body.NOTE_IN_STEP:
            self.finish_run(header.position)
        if notes & event_body.NOTE_RESERVED and not notes & event_body.NOTE_REFUSED:
            self._report("B007", header.position, header.type, self._reserved(header.flags, header.boundary))
        if notes & event_body.NOTE_CONTRADICTION:
            if self._scan.marked_bits:
                marked = StatementBits.from_flags(header.flags).printed_name
                content = StatementBits.of_number(self._scan.content_bits).printed_name
            else:
                marked = BoundaryType(header.boundary).printed_name
                content = BoundaryType(self._scan.content_type).printed_name
            message = f"The event is marked {marked}; by its content it is {content}."
            self._report("B006", header.position, header.type, message)
        if notes & event_body.NOTE_REFUSED:
            self._begin_run(batch, index, notes)
        elif notes & event_body.NOTE_GTID_ALONE:
            self._report(
                "B004",
                self._scan.bare_position,
                self._scan.bare_type,
                alone(f"{printed_name(header.type)} at {header.position}"),
            )

    def _begin_run(self, batch: EventBatch, index: int, notes: int) -> None:
        header = batch.header(index)
        name = printed_name(header.type)
        new = BoundaryType(header.boundary).printed_name
        if notes & event_body.NOTE_RESERVED:
            self._run = Run("B007", header.position, header.type, self._reserved(header.flags, header.boundary))
        elif notes & event_body.NOTE_GTID_ALONE:
            self._run = Run(
                "B004", self._scan.bare_position, self._scan.bare_type, alone(f"{name} at {header.position}")
            )
        elif notes & event_body.NOTE_STARTS_INSIDE:
            self._run = Run(
                "B002", header.position, header.type, f"The stream starts with {name} ({new}) inside a transaction."
            )
        else:
            old = BoundaryType(batch.refused_from(index)).printed_name
            message = f"The boundary parser cannot go from {old} to {new}: {meaning(old, new)}."
            severity = None
            version = batch.server_version
            if BEFORE_RELEASE.match(version) and "MariaDB" not in version:
                message += f" MySQL {visible(version)} wrote transactions without BEGIN."
                severity = Severity.INFO
            self._run = Run("B001", header.position, header.type, message, severity)

    def _reserved(self, flags: int, boundary: int) -> str:
        if self._scan.marked_bits:
            ends = StatementBits.from_flags(flags).end.printed_name
            return f"The event carries the end bits {ends} without start bits, so it counts as not marked."
        return f"The event carries the reserved transaction boundary marker {boundary}."

    def finish_run(self, in_step: int | None) -> None:
        """End the run of refusals, at the position where the stream is in step again, or with the log."""
        run, self._run = self._run, None
        if run is None:
            return
        count = self._scan.refusals
        events = "This event is" if count == 1 else f"{count} events in a row are"
        where = "up to the end of the log" if in_step is None else f"and the stream is in step again at {in_step}"
        self._report(run.code, run.position, run.event_type, f"{run.message} {events} refused, {where}.", run.severity)

    def stream_changes(self) -> None:
        """Handle a fake Rotate: the replica connected to its source again."""
        self.finish_run(None)
        self._given_up = self._scan.given_up

    def format_description(self, position: int, data: bytes, own: bool) -> None:
        """Handle a Format_description: with a creation time it says that its server was started."""
        given_up, self._given_up = self._given_up, False
        if own or data[CREATED_AT : CREATED_AT + 4] == bytes(4):
            return
        if self._scan.group_before:
            message = "The Format_description says that the server was started, in the middle of a transaction."
            self._report("B005", position, data[4], message)
            self._scan.excuse_refusals()
        elif given_up:
            message = (
                "The replica connected anew in the middle of a transaction, to a log that its source began at its "
                "start; the transaction comes again, or was never committed."
            )
            self._report("B005", position, data[4], message, Severity.INFO)

    def end(self, position: int, rotates_to: str | None, is_relay_log: bool) -> None:
        """End the log, which the next one does not continue; `rotates_to` is the name in its last Rotate."""
        inside = self._scan.inside_transaction
        place = "inside a transaction" + (", in the middle of a statement" if self._scan.inside_statement else "")
        self.finish_run(None)
        if not inside:
            return
        if self._scan.gtid_is_alone and not is_relay_log:
            self._report("B004", self._scan.bare_position, self._scan.bare_type, alone("the end of the log"))
        elif rotates_to is not None:
            message = f"The relay log ends inside a transaction, which continues in {rotates_to}."
            self._report("B003", position, None, message, Severity.INFO)
        elif is_relay_log:
            message = f"The relay log ends {place}: its rest was not received, or not yet."
            self._report("B003", position, None, message, Severity.WARNING)
        else:
            self._report("B003", position, None, f"The log ends {place}.")


def alone(following: str) -> str:
    return f"No statement follows the GTID: the next thing is {following}."


def meaning(old: str, new: str) -> str:
    """Report a refused transition in terms of transactions."""
    if old in ("Start Transaction", "Inside Transaction"):
        return "a transaction has no end"
    if new == "End Transaction":
        return "the end of a transaction comes without its start"
    return "a part of a transaction comes without its start"
