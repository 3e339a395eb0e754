"""Transactions: judges statements and the ends of transactions."""

from typing import Any, NamedTuple

from pybinlog.catalog.relations import ReadStatement, Relations
from pybinlog.kernel.undo.change_view import BY_QUERY
from pybinlog.statement import Effect
from pybinlog.statement.logged_tables import encoded
from pybinlog.statement.subjects import Subject, lower, redefined, removes_rows
from pybinlog.undo.head import UndoTally
from pybinlog.undo.problem import Place, Problems, UndoRequest
from pybinlog.undo.row_judge import TransactionEnd
from pybinlog.undo.script import Script
from pybinlog.verbs import Operation

Reached = set[tuple[str, str]]
"Databases and tables whose rows a statement may change."

LOGS_CASCADES = 90_600
"""The first MySQL that logs what cascades of foreign keys change."""
LONGEST = 60
"""Characters of a statement that a message shows."""


def shown(text: str) -> str:
    """Return the beginning of a statement, in one line."""
    words = " ".join(text.split(maxsplit=LONGEST)[:LONGEST])  # a statement may be very large
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
        self._last: dict[Subject, Definer] = {}
        self._spellings: dict[Subject, set[Subject]] = {}
        """By names in lower case."""
        self._unclear: Definer | None = None
        """The last statement of which it is not known what it changes."""

    def add(self, definer: Definer, effect: Effect) -> None:
        if effect.tables is None:
            self._unclear = definer
        for key in redefined(effect):
            self._last[key] = definer
            self._spellings.setdefault(lower(key), set()).add(key)

    def since(self, database: str, table: str, order: int, *, any_case: bool) -> tuple[Definer, Subject] | None:
        """Return a statement after that place that changes the table, and the table that it names; None if there is
        none. `any_case`: names that differ in case alone may be one table.
        """
        for key in ((database, table), (database, None)):
            spellings = self._spellings.get(lower(key), set()) if any_case else set()
            for other in [key, *sorted(spellings - {key}, key=str)]:
                definer = self._last.get(other)
                if definer is not None and definer.order > order:
                    return definer, other
        unclear = self._unclear
        if unclear is not None and unclear.order > order and table.lower() in unclear.text.lower():
            return unclear, (database, table)
        return None

    def respelled(self, key: Subject) -> Definer | None:
        """Return the last statement that names a table in another spelling, or its database; None if there is none."""
        keys: tuple[Subject, ...] = key, (key[0], None)
        spellings = ((one, other) for one in keys for other in self._spellings.get(lower(one), ()) if other != one)
        return max((self._last[other] for _, other in spellings), default=None, key=lambda definer: definer.order)


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
        self.removals: list[Definer] = []
        """The statements of the range that take rows out of tables."""
        self._is_rolled_back = False
        """Rows of the current transaction were rolled back: then MariaDB ends it with COMMIT, whatever its engines."""
        self.cascades_are_logged = False
        """The server of the last statement logs what cascades of foreign keys change."""

    def statement(self, order: int, cells: dict[str, Any], read: ReadStatement, chosen: bool) -> None:
        """Judge a statement; `order` is its place among all changes. `chosen`: by all filters."""
        statement, effect, reached = read
        self.cascades_are_logged = not statement.mariadb and statement.server_version >= LOGS_CASCADES
        definer = Definer(order, Place.of(cells), statement.text.decode("utf-8", "replace"))
        verb, changes_rows = effect.verb, effect.changed != ()
        if verb in ("XA COMMIT", "XA ROLLBACK"):
            self._decide(cells["xa_xid"], verb)
            return
        if effect.operation is Operation.DEFINES:
            self.definers.add(definer, effect)
            if chosen and removes_rows(effect):
                self.removals.append(definer)
        if verb.startswith("ROLLBACK") and self._tally.transaction_rows:  # whatever filters of names say of it
            self._is_rolled_back = True
            self._problems.add(
                "rollback",
                None,
                definer.place,
                "a part of the transaction was rolled back",
                self._leave_out(definer.place),
            )
        elif not chosen:
            if changes_rows and self.unclear is None and self._concerns(reached):
                self.unclear = definer.place
        elif changes_rows and (effect.operation is not Operation.DEFINES or effect.changed):
            what = f"a statement changes rows, and the log does not say which: {definer.shown}"
            if effect.changed and reached is None:
                what += " (a view, a trigger or a function may change other tables with it)"
            way_out = "Only row events can be taken back (binlog_format=ROW). " + self._leave_out(definer.place)
            self._problems.add("statement", None, definer.place, what, way_out)

    def matches(self, read: ReadStatement, relations: Relations) -> bool:
        """Return True if the filters of names match the tables that a statement changes or is about.

        If its tables are unknown, its default database counts; without one it may change any table. The filters do not
        matter to a statement that changes nothing.
        """
        statement, effect, reached = read
        if effect.operation is Operation.CHANGES_NOTHING:
            return True
        options = self._request.options
        if effect.changed and reached is None:
            return True
        tables = None if effect.tables is None else (*effect.tables, *(reached or ()))
        if tables:
            spelled = (spelling for key in tables for spelling in relations.spellings(key))
            return any(options.keep_names(encoded(database), encoded(table)) for database, table in spelled)
        return not statement.database or options.keep_names(statement.database, None)

    def _concerns(self, reached: Reached | None) -> bool:
        """Return True if a statement may change rows of a table whose rows are taken back."""
        names = {lower(touched.table.names) for touched in self._tally.tables.values()}
        return bool(names) and (reached is None or not names.isdisjoint(map(lower, reached)))

    def _leave_out(self, place: Place) -> str:
        if place.gtid:
            return f"Leave it out with --exclude-gtids={place.gtid}"
        return "Leave it out with --start-position or --stop-position"

    def _decide(self, xid: str | None, verb: str) -> None:
        """Note what became of a prepared XA transaction."""
        if xid is None or self._undecided.pop(xid, None) is None:
            return
        transaction = self._tally.forget(xid) if verb == "XA ROLLBACK" else None
        if transaction is not None:
            self._script.drop(transaction)

    def end(self, end: TransactionEnd) -> None:
        """Judge the end of a transaction."""
        rows = self._tally.transaction_rows
        cells, ended = end.cells, end.ended
        place = Place(cells["file"], end.start, cells["gtid"])
        if rows:
            if not end.known_start or not end.over:
                what = "begins before the logs that are read" if not end.known_start else "has no end in the logs"
                self._problems.add(
                    "cut", None, place, f"the transaction {what}", "Give the logs that have all of it, or end before it"
                )
            elif self._cuts(end):
                what = f"the range cuts the transaction, which is at {end.start} to {end.end}"
                way_out = "Choose positions or times between two transactions, or name its GTID"
                self._problems.add("cut", None, place, what, way_out)
            elif ended in ("ROLLBACK", "INCIDENT"):
                self._problems.add(
                    "rollback", None, place, "the transaction was rolled back, perhaps in part", self._leave_out(place)
                )
            if ended == BY_QUERY and not (self._request.allows_non_transactional or self._is_rolled_back):
                self._note_engines(place)
            if ended == "XA PREPARE":
                self._undecided[cells["xa_xid"]] = place
                self._tally.keep(cells["xa_xid"])
            self._script.end(cells, end.start, end.end, self._tally.transaction)
        self._is_rolled_back = False
        self._tally.end()

    def _note_engines(self, place: Place) -> None:
        """Note the tables of a transaction that ends as those of engines without transactions do."""
        for label in self._tally.transaction_tables:
            if not self._tally.tables[label].table.engine:
                what = f"{label} has no transactions (COMMIT ends them, not Xid): a failed statement rolls nothing back"
                self._problems.add("engine", label, place, what, "--allow-non-transactional takes the risk")

    def _cuts(self, end: TransactionEnd) -> bool:
        options = self._request.options
        return bool(
            (options.first_position and end.start < options.first_position)
            or (options.stop_position and end.end > options.stop_position)
            or (options.start_time is not None and 0 <= end.begin_time < options.start_time)
            or (options.stop_time is not None and end.commit_time >= options.stop_time)
        )

    def finish(self) -> None:
        """Note the XA transactions that are not decided."""
        for xid, place in self._undecided.items():
            what = f"the XA transaction {xid} is prepared, and the logs do not say what became of it"
            self._problems.add("xa", None, place, what, "Give the later logs, or decide it on the server")
