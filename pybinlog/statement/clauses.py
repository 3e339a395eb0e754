"""The clauses of CREATE TABLE and ALTER TABLE that say nothing of columns: foreign keys, and partitions that lose rows.

They are found among the tokens, also in a statement with something that the parser does not know.
"""

from collections.abc import Callable, Iterator
from functools import partial

from pybinlog.schema.cursor import Cursor, Path
from pybinlog.schema.lexer import TokenKind
from pybinlog.schema.passed_over import references
from pybinlog.statement import effect
from pybinlog.statement.session import Key

_WORDS = frozenset({"REFERENCES", "FOREIGN", "CONSTRAINT", "PARTITION", "TABLESPACE", "TABLE"})
"""Without one of these after its table's name, a statement has no such clause."""
_BEFORE_COLUMNS = ("ADD", "MODIFY", "CHANGE", "COLUMN", "IF", "NOT", "EXISTS")
"""Words that an ALTER TABLE has before the definition of a column."""


def clauses(cursor: Cursor, table: Key, key_of: Callable[[Path], Key], *, alters: bool) -> Iterator[effect.Step]:
    """Yield what the rest of a statement does, from the name of its table on."""
    if _WORDS.isdisjoint(token.word for token in cursor.tokens[cursor.place :]):
        return iter(())
    return _Clauses(cursor, table, key_of, alters=alters).steps()


class _Clauses:
    """Reads the parts of a definition, which commas separate."""

    def __init__(self, cursor: Cursor, table: Key, key_of: Callable[[Path], Key], *, alters: bool):
        self._cursor = cursor
        self._table = table
        self._key_of = key_of
        self._alters = alters
        self._depth = self._level = 0
        self._column = self._name = self._index = ""
        self._child_columns: tuple[str, ...] = ()

    def steps(self) -> Iterator[effect.Step]:
        cursor = self._cursor
        starts = True
        while not cursor.at_end:
            if starts:
                yield from self._start()
            token = cursor.read()
            starts = False
            if token.kind is TokenKind.SIGN:
                self._depth += (token.text == "(") - (token.text == ")")
                starts = token.text == "," and self._depth <= self._level
            elif token.word == "CONSTRAINT":  # of a column
                name = cursor.name() if cursor.at_name else ""
                self._name = name if cursor.at_words("REFERENCES") else ""
            elif token.word == "FOREIGN":
                self._read_key()
            elif token.word == "REFERENCES":
                yield from self._reference()

    def _start(self) -> Iterator[effect.Step]:
        """Begin a part: a column, a key, or another change of the table."""
        cursor = self._cursor
        if self._alters:
            yield from self._change()
        words = set(iter(partial(cursor.accept_one, *_BEFORE_COLUMNS), "")) if self._alters else set()
        if "CHANGE" in words:
            cursor.name()
        self._depth += cursor.accept_sign("(")
        self._level = self._depth
        self._name = self._index = ""
        if cursor.accept("CONSTRAINT"):
            self._name = cursor.name() if cursor.at_name else ""
        self._column = cursor.peek().text if cursor.at_name else ""

    def _change(self) -> Iterator[effect.Step]:
        """Yield what a change does to other tables, to rows or to foreign keys."""
        cursor = self._cursor
        if cursor.accept("DROP", "FOREIGN", "KEY"):
            cursor.accept("IF", "EXISTS")
            yield effect.ForeignKeyDropped(self._table, cursor.name(), self._has_unique_names)
        elif cursor.accept("DROP", "CONSTRAINT"):
            cursor.accept("IF", "EXISTS")
            yield effect.ForeignKeyDropped(self._table, cursor.name())
        elif cursor.at_words("EXCHANGE", "PARTITION"):
            self._pass_to("TABLE")
            yield effect.Exchanged(self._table, self._key_of(cursor.path()))
        elif cursor.at_words("CONVERT", "PARTITION"):
            self._pass_to("TABLE")
            other = self._key_of(cursor.path())
            yield effect.Made(other, like=self._table)
            yield effect.Exchanged(self._table, other)
        elif cursor.accept("CONVERT", "TABLE"):
            other = self._key_of(cursor.path())
            yield effect.Exchanged(self._table, other)
            yield effect.Dropped(other)
        elif cursor.peek().word in ("TRUNCATE", "DISCARD", "IMPORT") or cursor.at_words("DROP", "PARTITION"):
            yield effect.Emptied(self._table)

    @property
    def _has_unique_names(self) -> bool:
        """True if a database has only one foreign key of a name. From MariaDB 12.1 on, each table may have one."""
        server = self._cursor.dialect
        return bool(server.version) and not (server.mariadb and server.version >= 120_100)

    def _pass_to(self, word: str) -> None:
        cursor = self._cursor
        while not cursor.at_end and cursor.read().word != word:
            pass

    def _read_key(self) -> None:
        """Read the columns of a foreign key, and the name of its index."""
        cursor = self._cursor
        cursor.accept("KEY")
        cursor.accept("IF", "NOT", "EXISTS")
        self._index = cursor.name() if cursor.at_name else ""
        while not cursor.at_sign("(") and not cursor.at_end:
            cursor.read()
        self._child_columns = cursor.names()

    def _reference(self) -> Iterator[effect.Step]:
        (database, name), columns, actions = references(self._cursor)
        child, of_column = self._child_columns, not self._child_columns
        if of_column and self._column:
            child = (self._column,)
        self._child_columns = ()
        server = self._cursor.dialect
        if of_column and server.version and server.version < (100_500 if server.mariadb else 90_000):
            return  # ignored
        key_name, is_certain = self._name, bool(server.version) or not (of_column or self._index)
        if self._index and not key_name and (server.mariadb or 0 < server.version < 80_016):
            key_name = self._index
        reference = effect.Reference(
            self._table,
            child,
            tuple(column.lower() for column in columns),
            actions["DELETE"],
            actions["UPDATE"],
            key_name,
        )
        yield effect.ForeignKeyMade((database or self._table[0], name), reference, is_certain)
