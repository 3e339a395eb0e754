"""Change: one row event whose rows are taken back or made again, judged by its images; and the rules that refuse it."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pybinlog.catalog.tables import Known, Unknown
from pybinlog.kernel.base.event import NO_FOREIGN_KEY_CHECKS_F, STMT_END_F, USE_SQL_FOREIGN_KEY_F
from pybinlog.statement.effect import Reference
from pybinlog.undo.grouping import Grouping
from pybinlog.undo.problem import Place, UndoRequest
from pybinlog.undo.statement import Statements, overlaid, without_foreign_keys
from pybinlog.undo.table import Literals, UndoTable

INSERT, UPDATE, DELETE = "INSERT", "UPDATE", "DELETE"
MOST_NAMED = 3


class Change:
    """A row event. `cells` are the columns of the view rows; `before` and `after` have a bit for each column of its
    images. `text` makes the statement of one of its rows; `number` is its table's among all."""

    def __init__(
        self,
        cells: Mapping[str, Any],
        table: UndoTable,
        number: int,
        flags: int,
        before: int,
        after: int,
        *,
        redo: bool,
    ):
        self.cells = cells
        self.plan: Grouping | None = None
        """How its rows share statements; None if they stay single."""
        self.is_sound = False
        """Nothing is wrong in row events of its kind."""
        self.cascades_are_logged = bool(flags & USE_SQL_FOREIGN_KEY_F)
        """The server runs the cascades of foreign keys as statements of its own, whose rows are in the log."""
        self.table = table
        self.is_unchecked = bool(flags & NO_FOREIGN_KEY_CHECKS_F)
        self.is_cascade = self.cascades_are_logged and self.is_unchecked
        """It may be what a foreign key did; a session that does not check them has such events, too."""
        self.ends_statement = bool(flags & STMT_END_F)
        self.number = number
        self.operation: str = cells["operation"]
        self.redo = redo
        self._before = before if self.operation != INSERT else 0
        self._after = after if self.operation != DELETE else 0

    def possible_cascade(self) -> Reference | None:
        """Return the foreign key by which a row of the event may have changed rows that are not in the log."""
        if self.cascades_are_logged or self.is_unchecked or self.operation == INSERT:
            return None
        if self.operation == DELETE:
            return self.table.cascades_deletes
        return next(iter(self.table.cascades_updates.values()), None)

    def cascade(self, before: Literals | None, after: Literals | None) -> Reference | None:
        """Return the foreign key by which a row's change may have changed other rows that are not in the log."""
        table = self.table
        if self.cascades_are_logged or self.is_unchecked or before is None:
            return None
        if after is None:
            return table.cascades_deletes
        for place, reference in table.cascades_updates.items():
            if after[place] is not None and after[place] != before[place]:
                return reference
        return None

    @property
    def place(self) -> Place:
        return Place.of(self.cells)

    @property
    def event(self) -> str:
        """The words for it in an error of the server."""
        return f"{self.operation} at {self.place.position}"

    @property
    def transaction(self) -> tuple[str, int | None]:
        return self.cells["file"], self.cells["transaction_position"]

    @property
    def exceeds_table(self) -> bool:
        """True if its images have columns that its Table_map does not."""
        return (self._before | self._after) >> len(self.table.forms) != 0

    def lacking(self) -> int:
        """Return the columns, as bits, that the images lack and that are needed."""
        table = self.table
        identified = table.key_bits or table.stored
        if self.redo:
            return 0 if self.operation == INSERT else identified & ~self._before
        if self.operation == INSERT:
            return identified & ~self._after
        if self.operation == DELETE:
            return table.stored & ~self._before
        return (self._after & table.stored | identified) & ~self._before

    def lacking_names(self) -> str:
        names = list(self.table.lacking(self.lacking()))
        return ", ".join(names[:MOST_NAMED]) + (" ..." if len(names) > MOST_NAMED else "")

    def text(self, statements: Statements, before: Literals | None, after: Literals | None) -> bytes:
        """Return the statement as of `_text`, with the checks of foreign keys that its session had."""
        statement = self._text(statements, before, after)
        return without_foreign_keys(statement) if self.is_unchecked and not self.redo else statement

    def _text(self, statements: Statements, before: Literals | None, after: Literals | None) -> bytes:
        """Return the statement that takes a row's change back, or makes it again; nothing if it changes no value."""
        if before is None:
            assert after is not None
            return statements.insert(after, self.event) if self.redo else statements.delete(after, self.event)
        if after is None:
            again = self.is_cascade and self.table.may_be_deleted_twice(before)
            if self.redo:
                return statements.delete(before, self.event, again=again)
            return statements.insert(before, self.event, again=again)
        if self.redo:
            return statements.update(before, after, self.event)
        statement = statements.update(overlaid(before, after), before, self.event)
        if any(after[place] not in (None, before[place]) for place in self.table.cascades_updates):
            return without_foreign_keys(statement)  # the rows that it would cascade to have statements of their own
        return statement


SCHEMA_NEEDED = (
    "Give also the log that has its CREATE TABLE, or its definition with --schema=FILE (mysqldump --no-data), or use"
    " --format=binlog, which needs no names"
)


class Finding(NamedTuple):
    """A rule that a row event breaks: its kind, what is wrong, and the way out."""

    kind: str
    what: str
    way_out: str


def event_findings(change: Change, request: UndoRequest) -> Iterator[Finding]:
    """Yield what is wrong with a row event, by its table and by the columns of its images."""
    table = change.table
    if not table.columns and not request.as_events:
        why = "the log does not say which columns are generated"
        if isinstance(table.known, Unknown):
            why = f"its definition is lost: {table.known.reason}"
        elif isinstance(table.known, Known):
            why = "the log does not name its columns"
        yield Finding("definition", f"{table.label} has no definition here: {why}", SCHEMA_NEEDED)
    elif table.has_row_versions:
        yield Finding(
            "versions",
            f"{table.label} keeps row versions (WITH SYSTEM VERSIONING), which a statement cannot set",
            "Read the old rows with SELECT ... FOR SYSTEM_TIME",
        )
    elif not table.is_transactional and not request.allows_non_transactional:
        yield Finding(
            "engine",
            f"{table.label} is a {table.engine} table: if a statement fails, those before it are not rolled back",
            "--allow-non-transactional takes the risk",
        )
    if change.exceeds_table:
        yield Finding(
            "columns",
            f"the {change.operation} of {table.label} has more columns than its Table_map",
            "The log is damaged; use the server's own copy",
        )
    lacking = change.lacking_names()
    if lacking and (table.columns or request.as_events):  # without a definition, the column may be a generated one
        way_out = "The session had a binlog_row_image other than FULL; such rows are in a backup only"
        if not table.columns:
            way_out = "The column is generated, or " + way_out[0].lower() + way_out[1:]
        yield Finding(
            "images", f"the {change.operation} of {table.label} has no value of {lacking} in its row images", way_out
        )
    if request.as_events:
        reference = change.possible_cascade()
        if reference is not None:
            yield cascade_finding(change, reference)


ONE_TABLE = "by lower_case_table_names, both names may be one table"


def cascade_finding(change: Change, reference: Reference, respelled: str = "") -> Finding:
    """Return the finding that a foreign key may have changed rows that the log lacks.

    `respelled` is a statement about the child in another spelling of its name, if the logs have one.
    """
    child = ".".join(reference.child)
    action = reference.on_delete if change.operation == "DELETE" else reference.on_update
    unless = ""
    if reference.dropped_as:
        dropped = f"ALTER TABLE {reference.dropped_as} DROP FOREIGN KEY {reference.name}"
        unless = f", unless {dropped} was about {child} ({ONE_TABLE})"
    elif respelled:
        unless = f"; {respelled} may rename, drop or alter {child} ({ONE_TABLE})"
    return Finding(
        "cascade",
        f"the {change.operation} of {change.table.label} may have changed rows of {child} (ON {change.operation} "
        f"{action}), which the log lacks{unless}",
        f"Restore {child} from a backup, or leave {change.table.label} out with --ignore-table",
    )
