"""Transactions: judges statements and the ends of transactions."""

from __future__ import annotations

import re
from typing import NamedTuple

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema.error import SqlError
from pybinlog.schema.parser import parse
from pybinlog.schema.statement import AlterTable, CreateTable, DropDatabase, DropTable, RenameTable, TruncateTable
from pybinlog.undo.problem import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Key = tuple[str, str | None]
    "A database and a table; None stands for all its tables."
    from typing import Any

    from pybinlog.undo.head import UndoTally
    from pybinlog.undo.problem import Problems, UndoRequest
    from pybinlog.undo.script import Script

LONGEST = 60
"""Characters of a statement that a message shows."""
HARMLESS = re.compile(
    r"(?:\s|\(|/\*(?!M?!).*?\*/)*(?:SAVEPOINT|RELEASE|ROLLBACK|XA|SET|FLUSH|ANALYZE|OPTIMIZE|REPAIR|CHECK|CHECKSUM|GRANT|"
    r"REVOKE|BEGIN|COMMIT|START|USE|LOCK|UNLOCK|INSTALL|UNINSTALL|KILL|RESET|CHANGE|PURGE|BINLOG)\b",
    re.IGNORECASE | re.DOTALL,
)
"""Statements that change no rows of tables."""
ROLLBACK = re.compile(r"\s*ROLLBACK\b", re.IGNORECASE)
XA_DECISION = re.compile(r"\s*XA\s+(COMMIT|ROLLBACK)\b", re.IGNORECASE)


def changes_rows(text: str) -> bool:
    """Return True if a statement that defines nothing may change rows."""
    return HARMLESS.match(text) is None


def rolls_back(text: str) -> bool:
    """Return True for ROLLBACK, also to a savepoint."""
    return ROLLBACK.match(text) is not None


def decision_of(text: str) -> str:
    """Return COMMIT or ROLLBACK for a statement that decides a prepared XA transaction; "" for any other."""
    found = XA_DECISION.match(text)
    return "" if found is None else found[1].upper()


def shown(text: str) -> str:
    """Return the beginning of a statement, in one line."""
    words = " ".join(text.split())
    return words if len(words) <= LONGEST else words[: LONGEST - 3] + "..."


class Definer(NamedTuple):
    """A statement that changes a table: its place among all changes, its place in the logs, its text."""

    order: int
    place: Place
    text: str

    @property
    def shown(self) -> str:
        return shown(self.text)


class DefinitionChanges:
    """The last statement about each table."""

    def __init__(self) -> None:
        self._last: dict[Key, Definer] = {}
        self._unclear: Definer | None = None
        """The last statement of which it is not known what it changes."""

    def add(self, order: int, place: Place, text: str, database: str) -> None:
        definer = Definer(order, place, text)
        try:
            keys = list(changed_tables(text, database))
        except (UnsupportedStatement, SqlError, RecursionError):
            self._unclear = definer
            return
        for key in keys:
            self._last[key] = definer

    def since(self, database: str, table: str, order: int) -> Definer | None:
        """Return a statement after that place that changes the table; None if there is none."""
        found = [self._last.get((database, table)), self._last.get((database, None))]
        if self._unclear is not None and table.lower() in self._unclear.text.lower():
            found.append(self._unclear)
        return next((one for one in found if one is not None and one.order > order), None)


def changed_tables(text: str, database: str) -> Iterator[Key]:
    """Yield the tables that a statement changes, or makes of others; raise what the parser raises."""
    statement = parse(text, mariadb=True)
    if isinstance(statement, AlterTable):
        if not statement.index:
            yield statement.path[0] or database, statement.path[1]
    elif isinstance(statement, RenameTable):
        for pair in statement.pairs:
            for path in pair:
                yield path[0] or database, path[1]
    elif isinstance(statement, TruncateTable):
        yield statement.path[0] or database, statement.path[1]
    elif isinstance(statement, CreateTable):
        if not statement.temporary and not statement.if_not_exists:
            yield statement.path[0] or database, statement.path[1]
    elif isinstance(statement, DropTable):
        if not statement.temporary:
            for path in statement.paths:
                yield path[0] or database, path[1]
    elif isinstance(statement, DropDatabase):
        yield statement.name, None


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
            what = f"a statement changes rows, and the log does not say which: {shown(words)}"
            way_out = "Only row events can be taken back (binlog_format=ROW). " + self._leave_out(place)
            self._problems.add("statement", None, place, what, way_out)

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
                what = f"the range cuts the transaction, which is at {start} to {end}"
                way_out = "Choose positions or times between two transactions, or name its GTID"
                self._problems.add("cut", None, place, what, way_out)
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
            what = f"the XA transaction {xid} is prepared, and the logs do not say what became of it"
            self._problems.add("xa", None, place, what, "Give the later logs, or decide it on the server")
