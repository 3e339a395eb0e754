"""Transactions: judges statements and the ends of transactions."""

from __future__ import annotations

from pybinlog.undo.definers import DefinitionChanges
from pybinlog.undo.problem import Place
from pybinlog.undo.statement_words import changes_rows, decision_of, rolls_back, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pybinlog.undo.problem import Problems
    from pybinlog.undo.request import UndoRequest
    from pybinlog.undo.script import Script
    from pybinlog.undo.tally import UndoTally


class Transactions:
    """Notes what statements and ends of transactions mean for the rows that are taken back."""

    def __init__(self, request: UndoRequest, script: Script, problems: Problems, tally: UndoTally):
        self._request = request
        self._script = script
        self._problems = problems
        self._tally = tally
        self._undecided: dict[str, Place] = {}
        """The prepared XA transactions so far whose rows are taken back, by their xid."""
        self.definers = DefinitionChanges()
        self.unclear: Place | None = None
        """The first statement after the rows that may change them again: the log does not say which rows it changes."""

    def statement(self, order: int, cells: dict[str, Any], text: bytes, defines: bool, chosen: bool) -> None:
        """Judge a statement; `order` is its place among all changes."""
        place = Place.of(cells)
        words = text.decode("utf-8", "replace")
        decision = decision_of(words)
        if decision:
            self._decide(cells["xa_xid"], decision, place)
        elif defines:
            self.definers.add(order, place, words, cells["database"] or "")
        elif not chosen:
            if self.unclear is None and self._tally.tables and changes_rows(words):
                self.unclear = place
        elif rolls_back(words) and self._tally.transaction_rows:
            self._problems.add(
                "rollback", None, place, "a part of the transaction was rolled back", self._leave_out(place)
            )
        elif changes_rows(words):
            self._problems.add(
                "statement",
                None,
                place,
                f"a statement changes rows, and the log does not say which: {shown(words)}",
                "Only row events can be taken back (binlog_format=ROW). " + self._leave_out(place),
            )

    def _leave_out(self, place: Place) -> str:
        if place.gtid:
            return f"Leave it out with --exclude-gtids={place.gtid}"
        return "Leave it out with --start-position or --stop-position"

    def _decide(self, xid: str | None, decision: str, place: Place) -> None:
        """Note what became of a prepared XA transaction."""
        if xid is None or self._undecided.pop(xid, None) is None:
            return
        transaction = self._tally.forget(xid) if decision == "ROLLBACK" else None
        if transaction is not None:
            self._script.drop(transaction)

    def end(
        self,
        cells: dict[str, Any],
        start: int,
        end: int,
        ended: str,
        known_start: bool,
        over: bool,
        begin_time: int,
        commit_time: int,
    ) -> None:
        """Judge the end of a transaction."""
        rows = self._tally.transaction_rows
        place = Place(cells["file"], start, cells["gtid"])
        if rows:
            if not known_start or not over:
                what = "begins before the logs that are read" if not known_start else "has no end in the logs"
                self._problems.add(
                    "cut", None, place, f"the transaction {what}", "Give the logs that have all of it, or end before it"
                )
            elif self._cuts(start, end, begin_time, commit_time):
                self._problems.add(
                    "cut",
                    None,
                    place,
                    f"the range cuts the transaction, which is at {start} to {end}",
                    "Choose positions or times between two transactions, or name its GTID",
                )
            elif ended in ("ROLLBACK", "INCIDENT"):
                self._problems.add(
                    "rollback", None, place, "the transaction was rolled back, perhaps in part", self._leave_out(place)
                )
            if ended == "XA PREPARE":
                self._undecided[cells["xa_xid"]] = place
                self._tally.keep(cells["xa_xid"])
            self._script.end(cells, start, end, self._tally.transaction)
        self._tally.end()

    def _cuts(self, start: int, end: int, begin_time: int, commit_time: int) -> bool:
        options = self._request.options
        return bool(
            (options.first_position and start < options.first_position)
            or (options.stop_position and end > options.stop_position)
            or (options.start_time is not None and 0 <= begin_time < options.start_time)
            or (options.stop_time is not None and commit_time >= options.stop_time)
        )

    def finish(self) -> None:
        """Note the XA transactions that are not decided."""
        for xid, place in self._undecided.items():
            self._problems.add(
                "xa",
                None,
                place,
                f"the XA transaction {xid} is prepared, and the logs do not say what became of it",
                "Give the later logs, or decide it on the server",
            )
