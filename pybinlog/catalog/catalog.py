"""Catalog: the tables that dumps and statements define, for logs that do not name the columns.

    catalog = Catalog(warn=print)
    catalog.read("shop.sql", dump)                       # what mysqldump --no-data prints
    catalog.run(b"ALTER TABLE t ADD c INT", b"shop")     # what the log has
    catalog.metadata(table_map)                          # what its Table_map omits

Names are never guessed: what is not understood, and what the log contradicts, is not known from there on.
"""

from __future__ import annotations

from pybinlog.catalog.coordinates import Coordinates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pybinlog.catalog.definitions import Definitions
    from pybinlog.catalog.relations import Relations
    from pybinlog.catalog.tables import Known, Unknown

_MOST_WAITING = 1 << 20
"""Bytes of statements that wait until their definitions are needed."""


class Catalog:
    """Definitions by database and table. A log whose Table_maps say all never asks, and costs no import.

    `warn` gets one sentence for each table whose definition is lost before its rows. `keys_only`: the caller reads only
    its foreign keys.
    """

    def __init__(self, warn: Callable[[str], object] | None = None, *, keys_only: bool = False) -> None:
        self.warn = warn
        self.schema_of: str | None = None
        """The end of the logs that the dumps describe: "start", "end", or None if the user did not say."""
        self.coordinates = Coordinates()
        """The place in the logs that the dumps describe; empty if they contain no coordinates."""
        self.keys_only = keys_only
        self.may_reach_others = False
        """A statement may have made a foreign key that changes rows, a trigger, a view or a function."""
        self._definitions: Definitions | None = None
        self._waiting: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
        """Statements of the log that are not read yet, as arguments of `run`."""
        self._waiting_bytes = 0

    def copy(self, warn: Callable[[str], object] | None = None) -> Catalog:
        """Return another one that knows the same. Statements are read first, so that no copy has to read them again."""
        made = Catalog(warn, keys_only=self.keys_only)
        if self._definitions is not None or self._waiting:
            made._definitions = self._known().copy()
        made.schema_of, made.coordinates, made.may_reach_others = (
            self.schema_of,
            self.coordinates,
            self.may_reach_others,
        )
        return made

    def __len__(self) -> int:
        """How many tables it has heard of."""
        return len(self._known())

    def read(self, name: str, text: str, dump: str | None = None) -> int:
        """Take the statements of a file of a dump, which has a name of its own if it is a folder. How many of them
        make tables.

        Raise BinlogError if a table has no database.
        """
        found = self._known().read(name, text, dump)
        self.may_reach_others = self.may_reach_others or self.relations.reach_others
        return found

    def run(self, text: bytes, database: bytes, *session: Any, **named: Any) -> None:
        """Take a statement of a log, given by the values of a LoggedStatement."""
        self.may_reach_others = self.may_reach_others or self.reaches_others(text)
        self._waiting.append(((text, database, *session), named))
        self._waiting_bytes += len(text) + len(database)
        if self._waiting_bytes > _MOST_WAITING:
            if self.keys_only and not self.may_reach_others:
                self._waiting, self._waiting_bytes = [], 0
            else:
                self._known()

    @staticmethod
    def reaches_others(text: bytes) -> bool:
        """Return True if a statement may make what changes rows of other tables; it need not be read for that."""
        words = text.upper()
        if b"REFERENCES" in words and (b"CASCADE" in words or b"SET" in words):
            return True
        return b"VIEW" in words or b"TRIGGER" in words or b"FUNCTION" in words

    def metadata(self, table_map: bytes, file: bytes = b"", position: int = 0, mariadb: bool = False) -> bytes:
        """Return the optional metadata of a Table_map with what it lacks added; nothing if the table is not known.

        `table_map` is its body from the database's name on, and lacks the names of columns; `mariadb` says whose log
        it is in.
        """
        if self._definitions is None and not self._waiting:
            return b""
        from pybinlog.statement import place

        return self._known().metadata(table_map, place(file, position), mariadb)

    def definition(
        self, table_map: bytes, file: bytes = b"", position: int = 0, mariadb: bool = False
    ) -> Known | Unknown | None:
        """Return the definition of the table of a Table_map, given as for `metadata`; None if nothing defines it."""
        if self._definitions is None and not self._waiting:
            return None
        from pybinlog.catalog.answers import logged_table
        from pybinlog.statement import place

        logged = logged_table(table_map)
        return None if logged is None else self._known().definition(logged, place(file, position), mariadb)

    @property
    def relations(self) -> Relations:
        """The foreign keys, triggers and unique keys after all statements so far."""
        return self._known().relations

    @property
    def needs_statements(self) -> bool:
        """Return True if the statements of the logs decide when the dumps hold: read them before any row."""
        return self.schema_of != "start" and self._definitions is not None

    @property
    def definitions(self) -> Definitions:
        """The definitions from the dumps and from all statements so far."""
        return self._known()

    @definitions.setter
    def definitions(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._waiting, self._waiting_bytes = [], 0
        self.may_reach_others = definitions.relations.reach_others

    def _known(self) -> Definitions:
        """Return the definitions of all statements so far."""
        from pybinlog.catalog.definitions import Definitions
        from pybinlog.statement import LoggedStatement

        if self._definitions is None:
            self._definitions = Definitions()
        waiting, self._waiting, self._waiting_bytes = self._waiting, [], 0
        for statement, named in waiting:
            self._definitions.run_logged(LoggedStatement(*statement, **named))
        self._definitions.warn = self.warn
        return self._definitions
