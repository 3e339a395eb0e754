"""Judge: reads the changes of logs once, in order, and says what keeps them from being taken back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pybinlog.catalog.answers import logged_table
from pybinlog.catalog.relations import ReadStatement, Relations
from pybinlog.kernel.undo.change_sink import CHANGE_LATER, CHANGE_ROW, CHANGE_ROWS, CHANGE_SKIPPED, CHANGE_STATEMENT
from pybinlog.kernel.undo.change_view import ChangedRows
from pybinlog.kernel.undo.key_set import KeySet, seed_of
from pybinlog.kernel.undo.turned_rows import TurnedRows
from pybinlog.statement.logged_tables import encoded
from pybinlog.statement.subjects import Subject, lower
from pybinlog.undo.change import ONE_TABLE, Change, Finding, cascade_finding, event_findings
from pybinlog.undo.engines import Engines, TableEngine
from pybinlog.undo.grouping import GroupColumn, Grouping, ValuesForm, columns_of_groups
from pybinlog.undo.head import Touched, UndoTally
from pybinlog.undo.later import CascadedRows, LaterChanges
from pybinlog.undo.problem import Place, Problems, UndoRequest
from pybinlog.undo.row_judge import RowJudge, TransactionEnd
from pybinlog.undo.script import Script
from pybinlog.undo.skipped import SkippedRows
from pybinlog.undo.statement import Statements
from pybinlog.undo.table import UndoTable, name_of
from pybinlog.undo.table_keys import KeyPart, TableKeys, bits_without_documents
from pybinlog.undo.transactions import Definer, Transactions
from pybinlog.visible import counted, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.kernel.undo.change_sink import ChangeSink
    from pybinlog.views.kernel_views import Making

Keys = tuple[bytes, list[list[KeyPart]], bytes]
"""The bytes that stand for a table's key, its keys if these are more than one column, and the compared columns."""
Of = tuple[UndoTable, int, Keys]
"""A table, its number, and its keys."""

WAY_OUT = "Take back what comes after it; for what comes before it, restore a backup"
MOST_REMOVALS = 3


class Judge(RowJudge):
    """Judges changes in order: the kernel calls `table` and `event`, and `add` takes what it found.

    Changes that can be taken back go to the `script`. With `finds_later_changes`, later changes of the same rows are
    noted. `after` is the judge that read the same logs before: this one skips the rows that were changed again.
    `left_out` are tables whose rows are left alone. `relations` are those at the end of the logs, if they are known
    before; `engines` has what judges before found. `statements` writes what goes to the script.
    """

    def __init__(
        self,
        request: UndoRequest,
        script: Script,
        *,
        finds_later_changes: bool = False,
        after: Judge | None = None,
        left_out: frozenset[str] = frozenset(),
        relations: Relations | None = None,
        engines: Engines | None = None,
        statements: type[Statements] = Statements,
    ):
        self.request = request
        self.script = script
        self.keys: KeySet | None = KeySet() if finds_later_changes else None
        """Those of the rows that are taken back."""
        if after is not None:
            self.keys = after.keys
        self.skips = after is not None
        self._left_out = left_out
        self.skipped_rows = SkippedRows()
        """The first of them."""
        self.later = LaterChanges(left_out)
        self.problems = Problems()
        self.tally = UndoTally()
        self.transactions = Transactions(request, script, self.problems, self.tally)
        self._relations = relations
        self.relations_at_end: Relations | None = None
        """The foreign keys with which the logs end, if they are others: judge once more with these."""
        self.sequences: dict[str, None] = {}
        """The labels of MariaDB's sequences, whose rows are left alone."""
        self.engines = Engines() if engines is None else engines
        self._cascades_to: set[TableEngine] = set()
        """The tables that cascades may change."""
        self._spellings: dict[Subject, set[Subject]] = {}
        """The names in Table_maps, by names in lower case."""
        self.not_compared: dict[str, list[str]] = {}
        """By table, the unique keys whose values cannot be compared."""
        self.unlogged_cascades = False
        """The logs of some tables do not hold what cascades change."""
        self._class_of_statements = statements
        self._statements: dict[int, Statements] = {}
        self._tables: list[UndoTable] = []
        self._keys: dict[str, Keys] = {}
        """By table with rows that are taken back, the keys of its first definition."""
        self._sound: set[tuple[int, str, int, int, int]] = set()
        """Kinds of row events, by table, operation, flags and columns, in which nothing is wrong."""
        self._change: Change | None = None
        self._lost_keys: set[tuple[str, str]] = set()
        """Tables that had foreign keys when rows changed, of which only a later statement that drops them tells."""
        self._cascaded = CascadedRows()
        self._form = ValuesForm.SELECTS
        self._group_columns: dict[int, list[GroupColumn] | None] = {}
        """By a table's number; None if its rows stay single."""
        self._plans: dict[tuple[int, str, bool, int, int], Grouping] = {}
        self._has_cascades = False
        """The current statement has rows that a foreign key may have changed."""
        self._order = 0
        self._last: Place | None = None
        """The last row event as it is, so far."""

    # ---- what the kernel asks

    def sink(self, cells: list[tuple[str, int]], making: Making) -> ChangeSink:
        if self.request.as_events:
            turned = TurnedRows(cells, self)
            of = making.options
            turned.limit(of.first_position, of.stop_position, of.start_time, of.stop_time)
            sink: ChangeSink = turned
        else:
            sink = ChangedRows(cells, self)
        sink.keys, sink.skips = self.keys, self.skips
        return sink

    def table(
        self, database: bytes, name: bytes, described: list[Any], body: bytes, mariadb: bool, file: bytes, position: int
    ) -> tuple[Of, list[Any], bytes, int, list[list[KeyPart]], bytes]:
        """Return a table by a definition of it: see `ChangeSink`."""
        assert self.catalog is not None
        known = self.catalog.definition(body, file, position, mariadb)
        relations = self.catalog.relations
        key = database.decode("utf-8", "surrogateescape"), name.decode("utf-8", "surrogateescape")
        references = self.engines.references_to(relations, key)
        logged = logged_table(body)
        table = UndoTable(
            database,
            name,
            described,
            known,
            primary_key=() if logged is None else logged.primary_key,
            mariadb=mariadb,
            ignored=self.request.ignored_columns,
            references=references,
            referring=references if self._relations is None else self.engines.references_to(self._relations, key),
        )
        self._cascades_to.update(
            relations.engine_of(one.child) for one in references if one.cascades_deletes or one.cascades_updates
        )
        self._lost_keys.update(one.child for one in relations.lost())
        self._spellings.setdefault(lower(key), set()).add(key)
        if table.is_sequence:
            self.sequences[table.label] = None
        number = len(self._tables)
        self._tables.append(table)
        self._statements[number] = self._class_of_statements(
            table, checked=self.request.checks_state, guarded=not self.request.redo
        )
        whole_row = not table.key
        bits = bits_without_documents(table.stored, described) if whole_row else table.key_bits
        size = (len(described) + 7) // 8
        columns = bytes([whole_row]) + bits.to_bytes(size, "little")
        compared = b""
        if table.compared_bits and not self.request.as_events:
            compared = table.compared_bits.to_bytes(size, "little")
        found = TableKeys(table, described, relations.unique_keys.of(key))
        keys = self._keys.get(table.label, (columns, found.keys, compared))
        if found.not_compared:
            self.not_compared[table.label] = found.not_compared
        return (table, number, keys), [tuple(form) for form in table.forms], keys[0], seed_of(table.path), *keys[1:]

    def lacks_transactions(self, database: bytes, name: bytes) -> None:
        """Take a table that is of an engine without transactions, as its COMMIT shows."""
        assert self.catalog is not None
        self.engines.note(self.catalog, database, name)

    @property
    def knows_more_engines(self) -> bool:
        """Return True if a cascade is a problem, and the end of the logs shows that its table has no foreign keys."""
        has_cascades = any(problem.kind == "cascade" for problem in self.problems)
        return has_cascades and self.engines.has_any(self._cascades_to)

    def statement(self, logged: tuple[Any, ...], chosen: bool) -> tuple[ReadStatement, bool]:
        """Return what a statement does, and whether all filters choose it. `chosen`: all but names do."""
        assert self.catalog is not None
        statement = self.catalog.definitions.statement(logged)
        return statement, chosen and self.transactions.matches(statement, self.catalog.relations)

    def takes_back(self, of: Of) -> bool:
        """Return True if rows of the table are taken back, so that their later changes matter."""
        return of[0].label in self._keys

    def event(self, cells: dict[str, Any], of: Of, flags: int, before: int, after: int) -> Change:
        """Judge a row event by its images."""
        table, number, keys = of
        change = Change(cells, table, number, flags, before, after, redo=self.request.redo)
        if self.leaves_out(change):
            change.is_sound = True
            return change
        self._keys.setdefault(table.label, keys)
        self.unlogged_cascades |= not change.cascades_are_logged
        kind = number, change.operation, flags, before, after
        if kind not in self._sound:
            findings = list(event_findings(change, self.request))
            for finding in findings:
                self._problem(change, finding)
            if not findings:
                self._sound.add(kind)
        change.is_sound = kind in self._sound
        change.plan = self._plan(change, before, after)
        return change

    def _plan(self, change: Change, before: int, after: int) -> Grouping | None:
        """Return how rows of an event share statements; None if each is judged by itself."""
        self._has_cascades |= change.is_cascade
        shares = change.is_sound and not self._has_cascades and change.possible_cascade() is None
        if change.ends_statement:
            self._has_cascades = False
        if self.request.rows_per_statement < 2 or self.request.as_events or not shares:
            return None
        number, table = change.number, change.table
        if number not in self._group_columns:
            assert self.catalog is not None
            relations = self.catalog.relations
            some = self._relations or relations
            has_triggers = relations.triggers_of(table.names) or some.triggers_of(table.names)
            keys = relations.unique_keys.of(table.names)
            self._group_columns[number] = None if has_triggers else columns_of_groups(table, keys)
        columns = self._group_columns[number]
        deletes = change.operation == "INSERT" and not self.request.redo
        if columns is None or (deletes and any(one.reference.cascades_deletes for one in table.guards)):
            return None
        kind = number, change.operation, change.is_unchecked, before, after
        if kind not in self._plans:
            self._plans[kind] = Grouping(
                table,
                columns,
                self._form,
                change.operation,
                before,
                after,
                redo=self.request.redo,
                checked=self.request.checks_state,
                unchecked_keys=change.is_unchecked and not self.request.redo,
                most_rows=self.request.rows_per_statement,
            )
        return self._plans[kind]

    @property
    def column_names(self) -> set[str]:
        """The names of the columns of all tables with rows that are taken back, in lower case."""
        tables = [touched.table for touched in self.tally.tables.values()]
        return {name_of(column).lower() for table in tables for column in table.columns}

    def leaves_out(self, change: Change) -> bool:
        return change.table.label in self._left_out or change.table.label in self.sequences

    @property
    def stopped(self) -> bool:
        """True if nothing will be written."""
        return len(self.problems) > 0

    def label_of_file(self, name: bytes) -> bytes:
        """Return a log's name as it stands in comments."""
        return visible(name.decode()).encode("utf-8", "backslashreplace")

    def begin_events(self, change: Change) -> None:
        """Note that row events of a kind come as they are; `change` is one of them."""
        self._order += 1
        self.tally.begin(change, self._order)
        self.tally.add([(change, 0)])

    def rows_of(self, change: Change, count: int) -> None:
        """Count rows of the current transaction, which come as events."""
        self.tally.rows(change, count)

    def counted(
        self,
        rows: list[tuple[Change, int]],
        transactions: int,
        first_time: int,
        last_time: int,
        file: bytes | None,
        position: int,
    ) -> None:
        """Count rows of transactions that the kernel has seen whole; the last event with some is at `position`."""
        self.tally.add(rows, transactions, first_time, last_time)
        if file is not None:
            self._last = Place(file.decode(), position)

    def format_description(self, data: bytes) -> None:
        """Take the Format_description of the events that follow."""
        form = ValuesForm.of(data)
        if form is not self._form:
            self._form = form
            self._plans.clear()
        if not self.request.as_events:
            return
        before = self.script.format_description
        if self._last is not None and form_of_events(before) != form_of_events(data):
            what = "the logs after it are of another server version, or have other checksums"
            way_out = "Take those back first, and then the ones before them"
            self.problems.add("format", None, self._last, what, way_out)
        self.script.format_description = data

    def unwritable(self, change: Change, place: int) -> None:
        """Note a value that SQL cannot write, in the column at that place."""
        if change.table.columns:
            column = change.table.columns[place].name.decode("utf-8", "surrogateescape")
            what = (
                f"a row of {change.table.label} has a value in {column} that SQL cannot write: one that is "
                "damaged, or a JSON document with a BLOB's value"
            )
            self._problem(change, Finding("json", what, "Use --format=binlog"))

    def _problem(self, change: Change, finding: Finding) -> None:
        self.problems.add(finding.kind, change.table.label, change.place, finding.what, finding.way_out)

    # ---- what the kernel found

    def add(self, found: Iterable[tuple[Any, ...]]) -> None:
        """Take rows, statements and ends of transactions."""
        for one in found:
            self._order += 1
            if one[0] == CHANGE_LATER:
                _, cells, (table, *_), count = one
                self.later.add(table.label, Place.of(cells), count)
            elif one[0] == CHANGE_ROW:
                _, change, before, after = one
                if self.leaves_out(change):
                    continue
                if change is not self._change:
                    self._begin(change)
                self._row(change, before, after)
            elif one[0] == CHANGE_SKIPPED:
                _, change, before, after = one
                if not self.leaves_out(change):
                    self.skipped_rows.add(self.tally.transaction, change, before, after)
            elif one[0] == CHANGE_ROWS:
                self._rows(*one[1:])
            elif one[0] == CHANGE_STATEMENT:
                _, cells, (statement, chosen) = one
                self.transactions.statement(self._order, cells, statement, chosen)
            else:
                self._leave()
                self.transactions.end(TransactionEnd(*one[1:]))

    def _begin(self, change: Change) -> None:
        """Note that the rows of another row event come."""
        self._leave()
        self._change = change
        self.tally.begin(change, self._order)
        self.script.begin(change, self.tally.transaction)

    def _leave(self) -> None:
        """Note that the rows of the current row event are through."""
        if self._change is not None:
            self.script.leave(self._change)
            if self._change.ends_statement:
                self._cascaded.end_statement()
            self._change = None

    def _row(self, change: Change, before: Any, after: Any) -> None:
        self.tally.rows(change, 1)
        cascade = change.cascade(before, after)
        if cascade is not None:
            other = self._respelled(cascade.child)
            self._problem(change, cascade_finding(change, cascade, "" if other is None else other.shown))
        if len(self.problems):
            return  # nothing will be written
        if before is not None:
            before = self._cascaded.row(change, before, after)
        if after is not None and self.request.redo and b"" in after:
            what = f"the UPDATE of {change.table.label} has only what changed in a JSON document"
            self._problem(change, Finding("json", what, "Its session had binlog_row_value_options=PARTIAL_JSON"))
            return
        self.script.row(change, change.text(self._statements[change.number], before, after))

    def _rows(self, changes: list[Change], count: int, text: bytes) -> None:
        """Take many rows of some row events, with their SQL; nothing if they need none."""
        self._leave()
        for change in changes:
            self.tally.begin(change, self._order)
        self.tally.rows(changes[0], count)
        if text and not len(self.problems):
            self.script.rows(changes, self.tally.transaction, text)

    def finish(self, *, skips_changed: bool = False) -> None:
        """Judge what only the end of all logs shows."""
        self._leave()
        self.transactions.finish()
        if self.keys is not None:
            for xid in list(self.keys.waiting):  # they may still be committed
                for cells, (table, *_), count in self.keys.decide(xid, True):
                    self.later.add(table.label, Place.of(cells), count)
        if not skips_changed and not self.request.overwrites_later_changes:
            self.later.add_to(self.problems, self.tally, self.request)
        for touched in self.tally.tables.values():
            self._judge_end(touched)

    def _judge_end(self, touched: Touched) -> None:
        """Note what became of a table after its rows were changed."""
        assert self.catalog is not None
        table, relations = touched.table, self.catalog.relations
        any_case = not relations.distinguishes_case and len(self._spellings[lower(table.names)]) == 1
        found = self.transactions.definers.since(*table.names, touched.first, any_case=any_case)
        if found is not None:
            definer, named = found
            self.problems.add("definer", table.label, definer.place, definition_changed(table, definer, named), WAY_OUT)
        checks_keys = not self.request.redo and not self.request.as_events
        for child in dict.fromkeys(guard.reference.child for guard in table.guards) if checks_keys else ():
            if (other := self._respelled(child)) is not None:
                what = (
                    f"a statement may rename, drop or alter {'.'.join(child)}, which refers to {table.label}: "
                    f"{other.shown} ({ONE_TABLE})"
                )
                self.problems.add("child", table.label, other.place, what, WAY_OUT)
        referring = self.engines.references_to(relations, table.names)
        if self._relations is None and checks_keys and table.referring != referring:
            self.relations_at_end = relations

    def _respelled(self, child: tuple[str, str]) -> Definer | None:
        """Return the last statement about a child in another spelling, if that may have changed its definition."""
        assert self.catalog is not None
        return self.transactions.definers.respelled(child) if self.catalog.relations.is_respelled(child) else None

    def notes(self) -> Iterator[str]:
        """Yield what the logs and the definitions leave open, for the head."""
        assert self.catalog is not None
        relations = self.catalog.relations
        if self.skipped:
            changes = counted(self.skipped, "change")
            yield f"left out because they were changed again: {changes} of rows (--skip-changed)"
        for touched in self.tally.tables.values():
            label = touched.table.label
            if self.keys is not None and label in self.not_compared:
                names = ", ".join(self.not_compared[label])
                yield f"{label}: whether a later row took a value of the unique key {names} was not looked for"
            if self.keys is not None and not touched.table.columns:
                what = "whether a later row took a value of a unique key was not looked for"
                yield f"{label} has no definition here: {what}"
            triggers = relations.triggers_of(touched.table.names)
            if triggers and not self.request.as_events:
                words = ", ".join(f"{name} on {' and '.join(of)}" for name, of in sorted(triggers.items()))
                yield f"{label} has triggers ({words}), which these statements run again: drop them first"
        if self.sequences:
            yield f"left out because they are sequences, which only move on: {', '.join(sorted(self.sequences))}"
        for removal in self.transactions.removals[:MOST_REMOVALS]:
            yield f"not taken back, for the log does not hold the rows: {removal.shown}, at {removal.place}"
        if (more := len(self.transactions.removals) - MOST_REMOVALS) > 0:
            yield f"and {more} more statements of this kind"
        touched_tables = [touched.table.names for touched in self.tally.tables.values()]
        if self.unlogged_cascades:
            yield from unlogged_cascades(relations, touched_tables)
            for child in sorted(self._lost_keys):
                yield (
                    f"{'.'.join(child)} had a foreign key that a later statement drops, so that other changes of its "
                    "rows may be missing here: give its definition with --schema and --schema-of=start"
                )
        options = self.request.options
        if not touched_tables and not self.transactions.cascades_are_logged and options.has_names:
            children = [key for key in relations.children() if options.keep_names(*map(encoded, key))]
            yield from unlogged_cascades(relations, children) if children else ()
        if (unclear := self.transactions.unclear) is not None:
            yield f"a later statement may have changed the same rows, and the log does not say which: {unclear}"


def unlogged_cascades(relations: Relations, tables: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the changes of rows that the log lacks, because the server's engine made them."""
    found = False
    for table in tables:
        for parent, one in relations.references_of(table):
            actions = [f"ON DELETE {one.on_delete}"] * one.cascades_deletes
            actions += [f"ON UPDATE {one.on_update}"] * one.cascades_updates
            if actions:
                found = True
                what = f"may have changed rows of {'.'.join(table)} ({', '.join(actions)})"
                yield f"changes of {'.'.join(parent)} {what}, which the log lacks"
    if not found:
        yield "the log lacks what ON DELETE and ON UPDATE of foreign keys change; no known definition has one"


def definition_changed(table: UndoTable, definer: Definer, named: tuple[str, str | None]) -> str:
    """Return the sentence that a statement changes a table, which it may spell otherwise."""
    what = f"a statement changes the definition of {table.label}, whose rows are to be taken back: {definer.shown}"
    if named[0] == table.names[0] and named[1] in (None, table.names[1]):
        return what
    return what.replace("changes", "may change", 1) + " (by lower_case_table_names, both names may be one table)"


def form_of_events(format_description: bytes) -> bytes:
    """Return the part of a Format_description that is about the events after it."""
    return format_description[19:71] + format_description[75:-4]
