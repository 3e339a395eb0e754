"""Definitions: what statements and dumps say of tables, taken in their order."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from pybinlog.catalog.answers import LoggedTable, contradiction, logged_table, metadata_of
from pybinlog.catalog.for_table_maps import for_table_maps
from pybinlog.catalog.relations import ReadStatement, Relations
from pybinlog.catalog.script import UnclosedQuote, statements_of
from pybinlog.catalog.tables import GONE, NO_NAMES, SEQUENCE_COLUMNS, Known, Tables, Unknown
from pybinlog.errors import BinlogError, Hint, UnsupportedStatement
from pybinlog.schema.alteration import alter
from pybinlog.schema.column import Settings
from pybinlog.schema.error import SURROGATE, SqlError
from pybinlog.schema.parser import parse
from pybinlog.schema.statement import AlterDatabase, AlterTable, CreateDatabase, CreateTable
from pybinlog.schema.table import TableDefinition, collation_of, define
from pybinlog.schema.text import UNKNOWN
from pybinlog.statement import Key, LoggedStatement, Session, defines, read, read_logged
from pybinlog.statement import effect as steps
from pybinlog.verbs import Operation

_OfTable = TypeVar("_OfTable", CreateTable, AlterTable)
_MOST_ANSWERS = 4096
_MOST_TEMPORARY = 4096
_WITHOUT_FOREIGN_KEYS = frozenset({"myisam", "aria", "memory", "heap", "csv", "archive", "merge", "mrg_myisam"})
_NOT_KEPT = "", ""
"""A temporary table, whose definition is not kept."""
_MOST_DROPPED = 4096
_SEQUENCE_TYPES = {"cache_size": "BIGINT UNSIGNED", "cycle_option": "TINYINT UNSIGNED"}
_SEQUENCE = ", ".join(f"{name} {_SEQUENCE_TYPES.get(name, 'BIGINT')} NOT NULL" for name in SEQUENCE_COLUMNS)


class Definitions:
    """Definitions by database and table.

    `warn` gets one sentence for each table whose definition is lost before its rows.
    """

    def __init__(self) -> None:
        self.warn: Callable[[str], object] | None = None
        self._tables = Tables()
        self._temporary: dict[tuple[int, Key], None] = {}
        self._server_start = 0
        self._last: tuple[tuple[str, str], tuple[steps.Step, ...]] = ("", ""), ()
        """The last statement and its place, and its steps but those about temporary tables."""
        self._collations: dict[str, int] = {}
        self._whole: set[str] = set()  # databases that were created here, so that all their tables are known of
        self._dropped: dict[str, None] = {}  # databases, the last of them
        self._answers: dict[tuple[bytes, bool], tuple[Key, Known | Unknown | None, bytes]] = {}
        """Each with the table it is about, as that was defined."""
        self._told: set[Key] = set()
        self.journal: list[steps.Step] | None = None
        """The steps of the log's statements, in order; None: not needed."""
        self.sources: dict[Key, str] = {}
        """The dump that each table comes from."""
        self.relations = Relations()
        self._ran = 0

    def copy(self) -> Definitions:
        """Return another one that knows the same."""
        made = Definitions()
        made._tables = self._tables.copy()
        made._collations = dict(self._collations)
        made._whole = set(self._whole)
        made._dropped = dict(self._dropped)
        made.sources = dict(self.sources)
        made.relations = self.relations.copy()
        return made

    @property
    def tables(self) -> Tables:
        return self._tables

    def __len__(self) -> int:
        """How many tables it has heard of."""
        return len(self._tables)

    # ---- for a later run

    @property
    def changes(self) -> int:
        """A number that grows with each change."""
        return self._ran + self._tables.changes

    def others(self) -> dict[str, Any]:
        """Return what statements rely on beside the tables, for JSON."""
        return {
            "absent": self._tables.absent,
            "temporary": [[thread, *key] for thread, key in self._temporary],
            "collations": self._collations,
            "whole": sorted(self._whole),
            "dropped": list(self._dropped),
            "server_start": self._server_start,
        }

    def restore_others(self, content: dict[str, Any]) -> None:
        """Take what `others` gave."""
        for database, name in content["absent"]:
            self._tables.drop((database, name))
        self._temporary.update({(thread, (database, name)): None for thread, database, name in content["temporary"]})
        self._collations.update(content["collations"])
        self._whole.update(content["whole"])
        self._dropped.update(dict.fromkeys(content["dropped"]))
        self._server_start = int(content.get("server_start", 0))

    # ---- what defines tables

    def read(self, name: str, text: str, dump: str | None = None) -> int:
        """Take the statements of a file of a dump, which has a name of its own if it is a folder. How many of them
        make tables.

        Raise BinlogError if a table has no database.
        """
        try:
            return self._read(name, text, dump)
        except UnclosedQuote as problem:
            raise problem.in_file(name) from None

    def _read(self, name: str, text: str, dump: str | None) -> int:
        database = ""
        found = 0
        for line, statement in statements_of(text):
            if statement.database is not None:
                database = statement.database
                continue
            if not defines(statement.text):
                continue
            session = Session(database, f"{name}, line {line}", of_dump=True)
            for step in self.run(statement.text, session):
                found += isinstance(step, steps.Lost) or (isinstance(step, steps.Made) and not step.temporary)
                nameless = [key for key in steps.tables_of(step) if not key[0]]
                if nameless and not isinstance(step, steps.Lost):
                    raise BinlogError(
                        f"line {line}: the table {nameless[0][1]} has no database",
                        file=name,
                        hint="Write USE and the name of its database before it, as mysqldump --databases does",
                    )
        for key in self._tables:
            self.sources.setdefault(key, dump or name)
        return found

    def run_logged(self, statement: LoggedStatement) -> None:
        """Run a statement of a log. A server that starts has no temporary table."""
        if statement.server_start and statement.server_start != self._server_start:
            self._server_start = statement.server_start
            self._temporary.clear()
        self.run(statement.decoded, statement.session)

    def run(self, text: str, session: Session) -> tuple[steps.Step, ...]:
        """Run a statement in its session, and return its steps. Tables without a database are left alone."""
        self._ran += 1
        effect = read(text, session)
        lasting = []
        for step in effect.steps:
            if self._is_temporary(step, session, effect.verb):
                continue
            lasting.append(step)
            if all(key[0] for key in steps.tables_of(step)):
                if isinstance(step, steps.Made) and step.like and (session.thread, step.like) in self._temporary:
                    step = step.replace(like=_NOT_KEPT)
                self._take(step, session)
        self._last = (text, session.where), tuple(lasting)
        return effect.steps

    def statement(self, values: tuple[Any, ...]) -> ReadStatement:
        """Return what a statement does, given by the values of a LoggedStatement, but not to temporary tables.

        If it defines tables, it is the last one that was run.
        """
        logged = LoggedStatement(*values)
        effect = read_logged(logged)
        if effect.operation is Operation.DEFINES and self._last[0] == (logged.decoded, logged.where):
            effect = effect.replace(steps=self._last[1])
        if effect.changed and self._temporary:
            lasting = (key for key in effect.changed if (logged.thread, key) not in self._temporary)
            effect = effect.replace(changed=tuple(lasting))
        reached = None if effect.changed is None else self.relations.reached(effect.changed, logged.decoded)
        return ReadStatement(logged, effect, reached)

    def _take(self, step: steps.Step, session: Session) -> None:
        """Take what a step does; the tables of one that is not understood are lost."""
        if not self._ignores(step, session):
            self.relations.follow(step)
        try:
            self._apply(step, session)
        except (UnsupportedStatement, SqlError, RecursionError) as problem:
            for key in steps.tables_of(step):
                self._apply(steps.Lost(key, str(problem)), session)

    def _ignores(self, step: steps.Step, session: Session) -> bool:
        """Return True for a foreign key of a table whose engine ignores it. MySQL may have put another engine there."""
        if not isinstance(step, steps.ForeignKeyMade) or not session.dialect.mariadb:
            return False
        child = self.table(step.reference.child)
        return isinstance(child, Known) and (child.engine or "").lower() in _WITHOUT_FOREIGN_KEYS

    def table(self, key: Key) -> Known | Unknown | None:
        """Return a table as the statements so far leave it; None if they do not define it."""
        return self._tables.get(key)

    # ---- steps

    def _is_temporary(self, step: steps.Step, session: Session, verb: str) -> bool:
        """Return True if a step is about a temporary table, which it follows.

        RENAME TABLE of MySQL renames the other table of the name.
        """
        if verb == "RENAME TABLE" and not session.dialect.mariadb:
            return False
        if isinstance(step, steps.Made) and step.temporary:
            self._temporary[session.thread, step.key] = None
            if len(self._temporary) > _MOST_TEMPORARY:
                del self._temporary[next(iter(self._temporary))]
            return True
        if isinstance(step, steps.Dropped | steps.Altered | steps.Renamed | steps.Emptied):
            key = step.old if isinstance(step, steps.Renamed) else step.key
            if (session.thread, key) in self._temporary:
                if not isinstance(step, steps.Altered | steps.Emptied):
                    del self._temporary[session.thread, key]
                if isinstance(step, steps.Renamed):
                    self._temporary[session.thread, step.new] = None
                return True
        return isinstance(step, steps.Dropped) and step.temporary

    def _apply(self, step: steps.Step, session: Session) -> None:
        if isinstance(step, steps.Made):
            self._make(step, session)
        elif isinstance(step, steps.Altered):
            self._alter(step, session)
        elif isinstance(step, steps.Renamed):
            self._rename(step.old, step.new, session)
        elif isinstance(step, steps.Dropped):
            self._tables.other_spelling(step.key, session.where)
            self._tables.drop(step.key)
            self._note(step, session)
        elif isinstance(step, steps.Lost):
            self._lose(step, session)
        elif isinstance(step, steps.DatabaseMade):
            self._create_database(step, session)
        elif isinstance(step, steps.DatabaseAltered):
            if step.definition.charset or step.definition.collate:
                default = self._collations.get(step.name, UNKNOWN)
                self._collations[step.name] = self._collation(step.definition, default, session)
        elif isinstance(step, steps.DatabaseDropped):
            self._tables.other_database(step.name, session.where)
            self._drop_database(step.name)
            self._dropped[step.name] = None
            if len(self._dropped) > _MOST_DROPPED:
                del self._dropped[next(iter(self._dropped))]
            self._note(step, session)

    def _lose(self, step: steps.Lost, session: Session) -> None:
        """Forget the table that a statement is about; all if it does not say which."""
        unknown = Unknown(f"a statement was not understood ({step.reason.rstrip('.')})", session.where)
        if step.key is None:
            self._tables.lose_all(unknown)
            self._whole.clear()
        else:
            self._tables.put(step.key, unknown)
        self._note(step, session)

    def _create_database(self, step: steps.DatabaseMade, session: Session) -> None:
        name, statement = step.name, step.definition
        if statement.if_not_exists and name not in self._dropped and not session.of_dump:
            return
        if not session.of_dump:
            if not statement.if_not_exists:
                self._note(step, session)
            self._drop_database(name)
            self._whole.add(name)
        self._dropped.pop(name, None)
        self._collations[name] = self._collation(statement, session.server_collation, session)

    def _collation(self, statement: CreateDatabase | AlterDatabase, default: int, session: Session) -> int:
        return collation_of(statement.charset, statement.collate, default, session.settings)

    def _drop_database(self, name: str) -> None:
        for key in [key for key in self._tables if key[0] == name]:
            self._tables.forget(key)
        self._collations.pop(name, None)
        self._whole.discard(name)

    def _make(self, step: steps.Made, session: Session) -> None:
        key, statement = step.key, step.definition
        if not self._makes(step, session):
            return
        if step.replaces:
            self._tables.other_spelling(key, session.where)
        if step.like is not None:
            like = self._tables.get(step.like)
            if isinstance(like, Known):
                self._tables.put(key, replace(like, table=replace(like.table, database=key[0], name=key[1])))
            else:
                self._tables.put(key, Unknown("it was made like a table that is not known", session.where))
        elif statement is None:
            made = parse(f"CREATE TABLE s ({_SEQUENCE})")
            assert isinstance(made, CreateTable)
            self._tables.put(key, Known(define(made, key[0], UNKNOWN, session.settings)))
        elif statement.selects:
            self._tables.put(key, Unknown("it was made of a query, whose columns are not known", session.where))
        else:
            default = self._collations.get(key[0], UNKNOWN)
            if session.database_collation != UNKNOWN and key[0] == session.database:
                default = session.database_collation
            statement = for_table_maps(statement)
            engine = statement.options.engine
            defined = define(_without_engine(statement), key[0], default, session.settings)
            self._tables.put(key, Known(_checked(defined), statement.versioned, engine))

    def _note(self, step: steps.Step, session: Session) -> None:
        if self.journal is not None and not session.of_dump:
            self.journal.append(step)

    def _makes(self, step: steps.Made, session: Session) -> bool:
        """Return True if a CREATE of that name made it. With IF NOT EXISTS it may have found another table there."""
        key = step.key
        self._note(step, session)
        if not step.keeps or session.of_dump:
            return True
        if key in self._tables:
            return False
        if self._tables.is_absent(key) or key[0] in self._whole:
            return True
        self._tables.put(
            key, Unknown("CREATE ... IF NOT EXISTS does not say whether there was another of that name", session.where)
        )
        return False

    def _alter(self, step: steps.Altered, session: Session) -> None:
        key, statement = step.key, for_table_maps(step.statement)
        if statement.index and not statement.actions:
            return
        self._tables.other_spelling(key, session.where)
        self._note(steps.Altered(key, statement), session)
        known = self._tables.get(key)
        if isinstance(known, Known):
            self._tables.put(key, altered(known, statement, session.settings))

    def _rename(self, old: Key, new: Key, session: Session) -> None:
        self._tables.other_spelling(old, session.where)
        self._note(steps.Renamed(old, new), session)
        found = self._tables.get(old)
        was_known = self._tables.was_known(new)
        self._tables.drop(old)
        self._tables.forget(new)
        if isinstance(found, Known):
            self._tables.put(new, replace(found, table=replace(found.table, database=new[0], name=new[1])))
        elif found is not None:
            self._tables.put(new, found)
        elif was_known:
            reason = f"a statement gave its name to {'.'.join(old)}, which is not known and may be a temporary table"
            self._tables.put(new, Unknown(reason, session.where))

    # ---- Table_maps

    def metadata(self, table_map: bytes, where: str, mariadb: bool) -> bytes:
        """Return the same as Catalog; `where` is a part of a sentence."""
        kept = self._answers.get((table_map, mariadb))
        if kept is not None:
            key, known, answer = kept
            if self._tables.get(key) == known:
                return answer
        logged = logged_table(table_map)
        if logged is None:
            return b""
        if len(self._answers) >= _MOST_ANSWERS:
            self._answers.clear()
        answer = self._metadata(logged, where, mariadb)
        self._answers[table_map, mariadb] = logged.key, self._tables.get(logged.key), answer
        return answer

    def definition(self, logged: LoggedTable, where: str, mariadb: bool = False) -> Known | Unknown | None:
        """Return the definition of a table in a log; one that contradicts the log is lost.

        `where` is a part of a sentence.
        """
        known = self._tables.get(logged.key)
        if isinstance(known, Known):
            problem = contradiction(known.columns, logged.columns, mariadb=mariadb)
            if problem:
                known = Unknown(f"its definition is another one: {problem}", where)
                self._tables.put(logged.key, known)
        elif known is None and (other := self._tables.spelled_otherwise(logged.key)) is not None:
            known = Unknown(f"a statement made the table {other[1]}, which may be this one", where)
            self._tables.put(logged.key, known)
        elif known is None and self.is_gone(logged.key):
            known = Unknown(GONE, where)
            self._tables.put(logged.key, known)
        return known

    def is_gone(self, key: Key) -> bool:
        """Return True if statements say that a table is not there."""
        return key not in self._tables and (self._tables.is_absent(key) or key[0] in self._whole)

    def _metadata(self, logged: LoggedTable, where: str, mariadb: bool) -> bytes:
        key = logged.key
        known = self.definition(logged, where, mariadb)
        if isinstance(known, Known):
            return metadata_of(known, logged, mariadb=mariadb)
        if isinstance(known, Unknown) and self.warn is not None and key not in self._told:
            self._told.add(key)
            self.warn(Hint(NO_NAMES, where=known.where, table=f"{key[0]}.{key[1]}", reason=known.reason))
        return b""


def altered(known: Known, statement: AlterTable, settings: Settings) -> Known:
    """Return the table after ALTER TABLE, under its old name. Raise SqlError and UnsupportedStatement."""
    table, _ = alter(known.table, _without_engine(statement), settings)
    versioned = known.versioned if statement.versioned is None else statement.versioned
    return Known(_checked(table), versioned, statement.options.engine or known.engine)


def _without_engine(statement: _OfTable) -> _OfTable:
    """Return the statement without its engine, which the model may not know."""
    return statement.replace(options=statement.options.replace(engine=None))


def _checked(table: TableDefinition) -> TableDefinition:
    """Return the table. Raise UnsupportedStatement if a name or a member is not valid text."""
    for column in table.columns:
        if any(re.search(SURROGATE, name) for name in (column.name, *column.members)):
            raise UnsupportedStatement("names that are not valid in their character set", missing="name")
    return table
