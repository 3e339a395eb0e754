"""CertainCatalog: a Catalog of logs whose statements were read before, so that a dump gives names only where it may.

Definitions that are certain: those by statements of the logs, and those of a dump that leave no doubt (`of_dump`).
"""

from collections.abc import Callable, Mapping, Sequence

from pybinlog.catalog.answers import LoggedTable, contradiction, logged_table, metadata_of
from pybinlog.catalog.catalog import Catalog
from pybinlog.catalog.definitions import Definitions
from pybinlog.catalog.of_dump import of_dump
from pybinlog.catalog.tables import NO_NAMES, Known, Unknown
from pybinlog.catalog.timeline import Cursor, Place, Statement, Timeline, of_log
from pybinlog.errors import Hint
from pybinlog.statement import Key, LoggedStatement, place


class StatementsAfterDump(Definitions):
    """Definitions by statements of the logs, for what these do to the tables of a dump. `files` are as below."""

    def __init__(self, of_dump: Timeline, files: Mapping[bytes, int]):
        super().__init__()
        self.relations = of_dump.relations.copy()
        self._of_dump = Cursor(of_dump)
        self._files = files

    def run_logged(self, statement: LoggedStatement) -> None:
        self._of_dump.move_to((self._files.get(statement.file, 0), statement.position + 1))  # as the statement left it
        super().run_logged(statement)

    def table(self, key: Key) -> Known | Unknown | None:
        found = super().table(key)
        return found if isinstance(found, Known) else self._of_dump.get(key) or found


class CertainCatalog(Catalog):
    """The tables by two timelines, of the logs' own statements and of a dump. `files` are the logs' names with their
    numbers. Statements that it runs change its relations alone."""

    def __init__(
        self,
        of_log: Timeline,
        of_dump: Timeline,
        files: Mapping[bytes, int],
        warn: Callable[[str], object] | None = None,
    ):
        super().__init__(warn)
        self._definitions = StatementsAfterDump(of_dump, files)
        self.may_reach_others = of_dump.relations.reach_others
        self._of_log = Cursor(of_log)
        self._of_dump = Cursor(of_dump)
        self._files = files
        self._nameless: set[Key] = set()

    def copy(self, warn: Callable[[str], object] | None = None) -> Catalog:
        return CertainCatalog(self._of_log.timeline, self._of_dump.timeline, self._files, warn)

    def __len__(self) -> int:
        return len(self._of_dump.timeline.first)

    def metadata(self, table_map: bytes, file: bytes = b"", position: int = 0, mariadb: bool = False) -> bytes:
        logged = logged_table(table_map)
        if logged is None:
            return b""
        found = self._found(logged, file, position, mariadb)
        answer = metadata_of(found, logged, mariadb=mariadb) if isinstance(found, Known) else b""
        reason = ""
        if isinstance(found, Unknown):
            reason = Hint("{reason} ({where})", **vars(found)) if found.where else found.reason
        name = f"{logged.key[0]}.{logged.key[1]}"
        where = place(file, position)
        if reason and logged.key not in self._nameless:
            self._nameless.add(logged.key)
            self._tell(Hint(NO_NAMES, where=where, table=name, reason=reason))
        elif not reason and logged.key in self._nameless:
            self._nameless.discard(logged.key)
            self._tell(f"{where}: the columns of {name} have names again from here on")
        return answer

    def definition(
        self, table_map: bytes, file: bytes = b"", position: int = 0, mariadb: bool = False
    ) -> Known | Unknown | None:
        logged = logged_table(table_map)
        return None if logged is None else self._found(logged, file, position, mariadb)

    def _found(self, logged: LoggedTable, file: bytes, position: int, mariadb: bool) -> Known | Unknown | None:
        at = self._files.get(file, 0), position
        self._of_log.move_to(at)
        self._of_dump.move_to(at)
        found = self._of_log.get(logged.key)
        if not isinstance(found, Known):
            found = self._of_dump.get(logged.key) or found
        if isinstance(found, Known):
            problem = contradiction(found.columns, logged.columns, mariadb=mariadb)
            if problem:
                return Unknown(f"its definition is another one: {problem}", "")
        return found

    def _tell(self, sentence: str) -> None:
        if self.warn is not None:
            self.warn(sentence)


def certain_catalog(
    known: Catalog, statements: Sequence[Statement], files: Mapping[bytes, int], at: Place | None
) -> CertainCatalog:
    """Return a catalog that answers only what the statements of the logs leave certain.

    `files` numbers the logs by name. `at` is the place that the dumps describe, or None if they do not say.
    """
    certain, steps = of_log(statements)
    dump = known.definitions
    is_at_end = known.schema_of == "end"
    told = of_dump(dump.tables.items(), dump.sources, steps, at, at_end=is_at_end)
    told.relations = dump.relations.copy()
    for of_step, step in reversed(certain.followed):
        if is_at_end or (at is not None and of_step < at):
            told.relations.go_back(step)
    return CertainCatalog(certain, told, files)
