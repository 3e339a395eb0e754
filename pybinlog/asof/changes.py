"""Changes: the changes of one table in the order in which they were committed, as deeds, out of spans of logs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import reduce
from typing import Any, NamedTuple

from pybinlog.asof.deeds import Deed, Doubt, Emptying, Key, Origin, RowChange, RowImage, StatementDeeds, origin_of
from pybinlog.asof.image import Image, KeyReader, Names, members
from pybinlog.asof.table import LoggedTable
from pybinlog.asof.where import of_image
from pybinlog.catalog import Catalog
from pybinlog.catalog.answers import logged_table
from pybinlog.catalog.relations import LOST, ReadStatement, Relations
from pybinlog.catalog.tables import Unknown
from pybinlog.errors import BinlogError, Hint
from pybinlog.kernel.base.event import NO_FOREIGN_KEY_CHECKS_F, USE_SQL_FOREIGN_KEY_F
from pybinlog.kernel.undo.change_sink import CHANGE_END, CHANGE_ROW, CHANGE_STATEMENT, ChangeSink
from pybinlog.kernel.undo.changed_images import ChangedImages
from pybinlog.schema.dialect import Dialect
from pybinlog.statement import Session, read
from pybinlog.statement.effect import Reference, Renamed
from pybinlog.statement.subjects import lower
from pybinlog.undo.engines import Engines
from pybinlog.undo.row_judge import RowJudge, TransactionEnd
from pybinlog.undo.table import UndoTable
from pybinlog.verbs import Operation
from pybinlog.where.tally import Tally
from pybinlog.where.tree import columns_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.kernel.condition.row_condition import RowCondition
    from pybinlog.views.kernel_views import Making
    from pybinlog.where import Condition

GiveDeeds = Callable[[list[tuple[Deed, Origin]], "End"], object]


class End(NamedTuple):
    """The end of a transaction: the log that it ends in, and its position there; when it was committed."""

    file: str
    position: int
    gtid: str | None
    time: int | None


ROLLED_BACK = Doubt("a part of a transaction was rolled back, and the logs do not say which")


class OtherColumnsError(Exception):
    """The condition names columns that are not of the key."""


class Enough(Exception):
    """Nothing more is wanted of the logs."""


class RowEvent(NamedTuple):
    """A row event: the columns of the view rows, its table, and whether that is the table of the question."""

    cells: dict[str, Any]
    table: LoggedTable
    is_own: bool
    cascades: tuple[Reference, ...]


@dataclass
class Question:
    """A question about the rows of a table: what each reading of logs must know, and what these have found out so far.

    `where` is a condition on its rows. `with_literals`: their values are SQL literals, not JSON texts. `takes_keyless`:
    the table may have no key. `engines` are those without transactions. `asked` are the columns of the condition, in
    lower case. `names` are those that RENAME TABLE gives the table in the logs, one after the other.
    """

    table: Key
    where: Condition | None = None
    with_literals: bool = False
    takes_keyless: bool = False
    engines: Engines = field(default_factory=Engines)
    asked: set[str] = field(default_factory=set)
    names: tuple[Key, ...] = ()
    reader: KeyReader | None = None
    """Reads keys as the logs have them. A definition may name a collation whose number only the log has."""

    def __post_init__(self) -> None:
        self.names = self.names or (self.table,)

    def note_columns(self, table: LoggedTable) -> None:
        """Note those of the condition, by a definition of the table."""
        names = [name.lower() for name in table.names]
        for column in () if self.where is None else columns_of(self.where.tree):
            name = column.name.lower()
            is_number = name not in names and 0 < column.number <= len(names)
            self.asked.add(names[column.number - 1] if is_number else name)


class Pass(Enum):
    """The rows of a reading: all, all with the verdicts of the condition, or those that the kernel keeps by it."""

    ALL = 0
    JUDGED = 1
    KEPT = 2


class Changes(RowJudge):
    """Judges what the kernel's ChangeView finds, and gives the deeds of each transaction that is committed to `give`.

    The deeds are those of the question's table, in logs or `of_base`. `ancestors` are, at the end, the tables whose
    changes may change its rows by foreign keys, though the logs do not contain that.
    """

    wanted = RowJudge.wanted | {"query"}

    def __init__(self, question: Question, give: GiveDeeds, way: Pass, *, of_base: bool = False):
        self.renames: list[tuple[str, int, Renamed]] = []
        """All renames in the logs so far, with their logs and positions."""
        self.ancestors: set[Key] = set()
        self.has_any_ancestor = False
        """Any table may be one: a foreign key is not defined."""
        self.undefined: list[Key] = []
        """At the end, the table and ancestors without a definition, if the server does not log what cascades do."""
        self.has_cascades = False
        """Foreign keys may have changed rows of the table."""
        self._question = question
        self._give = give
        self.way = way
        self._of_base = of_base
        self._lacks_definition = self._lacks_cascades = self._was_made = False
        self._conditions: list[RowCondition] = []
        self._statements = StatementDeeds((question.table,) if of_base else question.names)
        self._deeds: list[tuple[Deed, dict[str, Any]]] = []
        self._prepared: dict[str, list[tuple[Deed, dict[str, Any]]]] = {}
        """The deeds of XA transactions that are prepared, by their xid."""
        self._decided = ""
        """The decision of an XA transaction in the current group."""
        self._generated: Names | None = None

    @property
    def key(self) -> Key:
        """The table's name at this place of the logs."""
        return self._statements.key

    @property
    def tally(self) -> Tally | None:
        """Count the rows that the condition was asked of; return None without one."""
        tallies = map(Tally.of, self._conditions)
        return reduce(Tally.plus, tallies) if self._conditions else None

    # ---- what the kernel asks

    def sink(self, cells: list[tuple[str, int]], making: Making) -> ChangeSink:
        asked: tuple[RowCondition, ...] = ()
        where = self._question.where
        if where is not None and self.way is Pass.JUDGED:
            asked = of_image(where, "before"), of_image(where, "after")
            self._conditions += asked
        return ChangedImages(cells, self, self._question.with_literals, asked)

    def table(
        self, database: bytes, name: bytes, described: list[Any], body: bytes, mariadb: bool, file: bytes, position: int
    ) -> tuple[LoggedTable, list[Any], bytes, int, list[Any], bytes]:
        """Return a table by a definition of it, as ChangeSink has it."""
        assert self.catalog is not None
        known = self.catalog.definition(body, file, position, mariadb)
        relations = self.catalog.relations
        key = database.decode("utf-8", "surrogateescape"), name.decode("utf-8", "surrogateescape")
        logged = logged_table(body)
        primary_key = () if logged is None else logged.primary_key
        table = UndoTable(database, name, described, known, primary_key=primary_key, mariadb=mariadb)
        references: list[Reference] = []
        if not self._question.engines.has_any([relations.engine_of(self.key)]):
            found_there = [*self._question.engines.references_to(relations, key), *relations.lost()]
            references = [one for one in found_there if self._is_reached(relations, one)]
        found = LoggedTable(table, described, references, mariadb=mariadb)
        if key == self.key:
            self._note_own(found, file.decode(), position)
        return found, [tuple(form) for form in found.forms], b"\0", 0, [], b""

    def _is_reached(self, relations: Relations, one: Reference) -> bool:
        """Return True if a foreign key may change rows of the table, perhaps by others."""
        reached = relations.reached([one.child])
        return reached is None or lower(self.key) in set(map(lower, reached))

    def begin(self, catalog: Catalog) -> None:
        """Take the definitions as a span begins."""
        self.has_any_ancestor |= any(self._is_reached(catalog.relations, one) for one in catalog.relations.lost())

    def _note_own(self, table: LoggedTable, file: str, position: int) -> None:
        """Raise BinlogError if the rows of the table cannot be told apart."""
        if not table.is_named:
            known = table.undo.known
            why = f": {known.reason}, {known.where}" if isinstance(known, Unknown) and known.where else ""
            raise BinlogError(
                f"the log does not name the columns of {table.label}{why}",
                file=file,
                position=position,
                hint=Hint(
                    "Give its definition as the logs begin with {--schema} and {--schema-of=}start, or the log that "
                    "has its CREATE TABLE"
                ),
            )
        if table.has_row_versions:
            raise BinlogError(
                f"{table.label} keeps row versions (WITH SYSTEM VERSIONING)",
                file=file,
                position=position,
                hint="Ask the server: SELECT ... FOR SYSTEM_TIME AS OF",
            )
        if table.reader is None or (table.is_keyless and not self._question.takes_keyless):
            why = "has no primary key" if table.has_definition else "has no primary key that the log tells"
            hint = Hint("The logs do not tell its rows apart; give all its rows of a moment: {--current} or {--base}")
            raise BinlogError(
                f"{table.label} {why}",
                file=file,
                position=position,
                hint=hint if table.has_definition else Hint("Give its definition with {--schema}"),
            )
        self._generated = table.generated
        if not self._of_base:
            self._question.reader = table.reader
        if self.way is not Pass.ALL:
            self._question.note_columns(table)
        if self.way is Pass.KEPT and not self._question.asked <= {name.lower() for name in table.key_names}:
            raise OtherColumnsError

    def lacks_transactions(self, database: bytes, name: bytes) -> None:
        """Take a table that is of an engine without transactions, as its COMMIT shows."""
        assert self.catalog is not None
        self._question.engines.note(self.catalog, database, name)

    def event(self, cells: dict[str, Any], table: LoggedTable, flags: int, before: int, after: int) -> RowEvent:
        """Return what stands for a row event."""
        operation: str = cells["operation"]
        logs_cascades = bool(flags & USE_SQL_FOREIGN_KEY_F)
        cascades: tuple[Reference, ...] = ()
        if not logs_cascades and not flags & NO_FOREIGN_KEY_CHECKS_F and operation != "INSERT":
            cascades = tuple(
                one
                for one in table.references
                if (one.cascades_deletes if operation == "DELETE" else one.cascades_updates)
            )
        is_own = (cells["database"], cells["table"]) == self.key
        self._lacks_cascades |= not logs_cascades
        self._lacks_definition |= is_own and not table.has_definition
        return RowEvent(cells, table, is_own, cascades)

    def statement(self, logged: tuple[Any, ...], chosen: bool) -> ReadStatement:
        """Return what a statement does, given by the values of a LoggedStatement."""
        assert self.catalog is not None
        return self.catalog.definitions.statement(logged)

    def unwritable(self, event: RowEvent, place: int) -> None:
        """Raise BinlogError for a value that SQL cannot write, in the column at that place."""
        raise BinlogError(
            f"a row of {event.table.label} has a value in {event.table.names[place]} that SQL cannot write",
            file=event.cells["file"],
            position=event.cells["position"],
            hint="Use another format",
        )

    # ---- what the kernel found

    def add(self, found: Iterable[tuple[Any, ...]]) -> None:
        """Take rows, statements and ends of transactions."""
        for one in found:
            if one[0] == CHANGE_ROW:
                self._row(*one[1:])
            elif one[0] == CHANGE_STATEMENT:
                self._statement(*one[1:])
            elif one[0] == CHANGE_END:
                self._end(TransactionEnd(*one[1:]))

    def _row(self, event: RowEvent, before: Any, after: Any, partial: bool, verdicts: tuple[bool | None, ...]) -> None:
        old, new = (None if image is None else members(image[0].decode()) for image in (before, after))
        cascade = next((one for one in event.cascades if self._cascades(event, one, old, new)), None)
        if cascade is not None:
            what = f"a foreign key may have changed its rows with those of {event.table.label}, which the logs lack"
            if cascade.name == LOST:
                what = f"{what}; the key is dropped later, and its definition is not here"
            self._deeds.append((Doubt(what), event.cells))
            self.has_cascades = True
        if not event.is_own:
            return
        table = event.table
        was = None if old is None else self._image(table, before, old, old, verdicts[:1])
        will_be = None
        if new is not None:
            will_be = self._image(table, after, new, {**(old or {}), **new}, verdicts[1:])
            if partial:
                values = {name: value for name, value in will_be.values.items() if name not in table.documents}
                will_be = will_be._replace(values=values, verdict=None)
        self._deeds.append((RowChange(was, will_be, table, self._written(event, old, new, partial)), event.cells))

    def _cascades(
        self, event: RowEvent, one: Reference, before: dict[str, str] | None, after: dict[str, str] | None
    ) -> bool:
        """Return True if a foreign key may act on the change of a row that it refers to."""
        if before is None or after is None:
            return True
        old = {name.lower(): value for name, value in before.items()}
        new = {name.lower(): value for name, value in after.items()}
        names = one.columns or (() if event.table.reader is None else tuple(map(str.lower, event.table.reader.names)))
        if not names:
            return True
        return any(name in new and (name not in old or old[name] != new[name]) for name in names)

    def _image(
        self,
        table: LoggedTable,
        logged: Any,
        image: dict[str, str],
        whole: dict[str, str],
        verdict: Iterable[bool | None],
    ) -> RowImage:
        """Return a logged image; `whole` has the columns of the key, too."""
        reader = (self._of_base and self._question.reader) or table.reader
        assert reader is not None
        key = reader.key(whole)
        if key is None:
            raise BinlogError(f"an image of a row of {table.label} lacks a column of its primary key")
        values: Image = {**image}
        if self._question.with_literals:
            values = {name: value for name, value in zip(table.names, logged[1], strict=True) if value}
        return RowImage(values, key, logged[0].decode(), *verdict)

    def _written(
        self, event: RowEvent, before: dict[str, str] | None, after: dict[str, str] | None, partial: bool
    ) -> frozenset[str]:
        """Return the columns that a change of a row may have written."""
        table, written = event.table, set(after or ())
        if before is not None and after is not None:
            if partial:
                written |= table.documents
            if len(written) < len(table.names):
                replaces = table.mariadb and written.issuperset(table.key_names) and not self._only_updates(event)
                written |= set(table.names) if replaces else table.generated_names
        return frozenset(written)

    def _only_updates(self, event: RowEvent) -> bool:
        """Return True if the statement of an update is known not to be REPLACE.

        MariaDB logs a REPLACE as an update of the row. With a binlog_row_image other than FULL, the after image lacks
        the columns that the statement does not name, though these get their defaults.
        """
        query = event.cells["query"]
        if query is None:
            return False
        effect = read(query, Session(event.cells["database"] or "", dialect=Dialect(mariadb=True)))
        names = {name.lower() for _, name in effect.changed or ()}
        return effect.operation in (Operation.UPDATES, Operation.INSERTS) and (
            not effect.verb.startswith(("REPLACE", "LOAD")) and self.key[1].lower() in names
        )

    def _statement(self, cells: dict[str, Any], statement: ReadStatement) -> None:
        assert self.catalog is not None
        verb, text = statement.effect.verb, statement.logged.text
        if verb in ("XA COMMIT", "XA ROLLBACK"):
            self._decided = verb
            return
        if verb.startswith("ROLLBACK TO") or text == b"INCIDENT":
            self._deeds.append((ROLLED_BACK, cells))
        cells = {**cells, "query": text.decode("utf-8", "replace")}
        renames = (step for step in statement.effect.steps if isinstance(step, Renamed))
        self.renames += ((cells["file"], cells["position"], step) for step in renames)
        for deed in self._statements.of(statement, self.catalog.relations, self._generated):
            self._deeds.append((deed, cells))
            self._was_made |= isinstance(deed, Emptying) and deed.was_made

    def _end(self, end: TransactionEnd) -> None:
        """Give the deeds of a transaction that has ended."""
        deeds, self._deeds = self._deeds, []
        decided, self._decided = self._decided, ""
        cells, ended = end.cells, end.ended
        xid = cells["xa_xid"]
        if ended == "XA PREPARE" and xid is not None:
            self._prepared[xid] = deeds
            return
        if decided and xid is not None and not any(isinstance(deed, RowChange) for deed, _ in deeds):
            waiting = self._prepared.pop(xid, None)
            if decided == "XA ROLLBACK":
                return
            deeds = waiting if waiting is not None else [(Doubt(f"the logs lack the rows of XA {xid}"), cells)]
        elif ended == "INCIDENT" or (ended in ("ROLLBACK", "XA ROLLBACK") and deeds):
            deeds = [(Doubt("a transaction was rolled back, perhaps in part"), cells)]
        elif deeds and not end.known_start:
            deeds.insert(0, (Doubt("a transaction begins before these logs"), cells))
        elif deeds and not end.over:
            deeds = [(Doubt("a transaction has no end in these logs"), cells)]
        if any(deed is ROLLED_BACK for deed, _ in deeds):
            deeds = [(ROLLED_BACK, cells)]
        time, gtid = end.commit_time if end.commit_time >= 0 else None, cells["gtid"]
        self._give([(deed, origin_of(of, gtid, time)) for deed, of in deeds], End(cells["file"], end.end, gtid, time))

    def finish(self, *, lacks_keys: bool = False) -> None:
        """Note the tables whose changes may reach the table by foreign keys, as the definitions say.

        `lacks_keys`: the table's own definition, if it is not in the logs, has no foreign keys.
        """
        assert self.catalog is not None
        relations = self.catalog.relations
        waiting = [self.key]
        while waiting:
            for parent, one in relations.references_of(waiting.pop()):
                if (one.cascades_deletes or one.cascades_updates) and parent not in self.ancestors | {self.key}:
                    self.ancestors.add(parent)
                    waiting.append(parent)
        if self._lacks_cascades:
            definitions = self.catalog.definitions
            self.undefined = [self.key] * (self._lacks_definition or (lacks_keys and not self._was_made))
            self.undefined += [
                key for key in sorted(self.ancestors) if definitions.table(key) is None and not definitions.is_gone(key)
            ]
