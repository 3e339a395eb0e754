"""The tables whose rows INSERT, REPLACE, LOAD, UPDATE and DELETE change.

Sources: the manuals of MySQL ("Data Manipulation Statements") and of MariaDB ("Changing & Deleting Data").
"""

from collections.abc import Iterator

from pybinlog.schema.cursor import Cursor, Path
from pybinlog.schema.lexer import TokenKind
from pybinlog.verbs import Operation

_MODIFIERS = ("LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED", "QUICK", "IGNORE", "INTO", "HISTORY")
_QUERIES = ("SELECT", "WITH", "VALUES", "TABLE")
_NOT_ALIASES = ("SET", "OFFSET", "RETURNING", "FULL", "LATERAL")


def changed_tables(cursor: Cursor, operation: Operation, hidden: frozenset[str] = frozenset()) -> tuple[Path, ...]:
    """Return the tables that a statement changes, from its verb on; each once.

    `hidden` are names that stand for queries: those of WITH. Raise UnsupportedStatement for what is not understood.
    """
    verb = cursor.read().word
    if verb == "LOAD":
        while not cursor.at_words("INTO", "TABLE"):
            if cursor.at_end:
                raise cursor.unknown()
            cursor.read()
        cursor.place += 2
        return (cursor.path(),)
    while cursor.accept_one(*_MODIFIERS):
        pass
    if operation is Operation.INSERTS:
        return (cursor.path(),)
    found = _Tables(cursor, hidden)
    return tuple(dict.fromkeys(found.updated() if operation is Operation.UPDATES else found.deleted()))


class _Tables:
    """The tables of an UPDATE or DELETE, by their aliases."""

    def __init__(self, cursor: Cursor, hidden: frozenset[str]):
        self._cursor = cursor
        self._hidden = hidden
        self._aliases: dict[str, Path] = {}
        self._paths: list[Path] = []

    def updated(self) -> Iterator[Path]:
        """Yield those that have an assignment; all that may have it if its column names no table."""
        cursor = self._cursor
        self._read_references("SET")
        cursor.expect("SET")
        while True:
            names = [cursor.name()]
            while cursor.accept_sign("."):
                names.append(cursor.name())
            if len(names) == 1 or len(self._paths) == 1:
                yield from self._paths
            else:
                yield self._meant((names[-3] if len(names) == 3 else None, names[-2]))
            if not (cursor.at_sign("=") or cursor.at_sign(":=")):
                raise cursor.unknown()
            while not cursor.at_end and not cursor.at_sign(",") and cursor.peek().word not in ("WHERE", "ORDER"):
                self._pass_one()
            if not cursor.accept_sign(","):
                return

    def deleted(self) -> Iterator[Path]:
        """Yield those that the statement names before FROM or USING, or its only table."""
        cursor = self._cursor
        if not cursor.at_words("FROM"):
            targets = cursor.listed(self._target)
            cursor.expect("FROM")
        else:
            cursor.read()
            start = cursor.place
            targets = cursor.listed(self._target)
            if not cursor.accept("USING"):
                cursor.place = start
                self._read_references("WHERE")
                if len(self._paths) != 1:
                    raise cursor.unknown()
                yield self._paths[0]
                return
        self._read_references("WHERE")
        yield from map(self._meant, targets)

    def _target(self) -> Path:
        """Return a table's name, perhaps with .* behind it."""
        cursor = self._cursor
        first, second = cursor.name(), ""
        while cursor.accept_sign("."):
            if not cursor.accept_sign("*"):
                second = cursor.name()
        return (first, second) if second else (None, first)

    def _meant(self, path: Path) -> Path:
        """Return the table that a name stands for, perhaps an alias."""
        if path[0] is None:
            if path[1].lower() in self._aliases:
                return self._aliases[path[1].lower()]
            return next((one for one in self._paths if one[1] == path[1]), path)
        return path

    def _pass_one(self) -> None:
        if self._cursor.at_sign("("):
            self._cursor.pass_parentheses()
        else:
            self._cursor.read()

    def _read_references(self, end: str) -> None:
        """Read the tables that are joined, up to a word."""
        cursor = self._cursor
        depth, expects = 0, True
        while not cursor.at_end and (depth or not cursor.at_words(end)):
            if expects and cursor.at_sign("(") and cursor.peek(1).word not in _QUERIES:
                cursor.read()
                depth += 1
            elif expects and cursor.accept_sign("{"):
                cursor.read()  # { OJ ... }
            elif expects:
                expects = False
                self._read_one()
            elif cursor.accept_sign(")"):
                depth -= 1
            elif cursor.accept_sign(",") or cursor.accept_one("JOIN", "STRAIGHT_JOIN"):
                expects = True
            else:
                self._pass_one()

    def _read_one(self) -> None:
        """Read a table or a query, and its alias."""
        cursor = self._cursor
        path: Path | None = None
        cursor.accept("LATERAL")
        if cursor.at_sign("("):
            cursor.pass_parentheses()
        else:
            path = cursor.path()
            if cursor.at_sign("("):  # a function, such as JSON_TABLE
                cursor.pass_parentheses()
                path = None
        if cursor.accept("PARTITION"):
            cursor.pass_parentheses()
        is_alias = cursor.accept("AS") or (cursor.at_name and cursor.peek().word not in _NOT_ALIASES)
        if path is not None and path[0] is None and path[1].lower() in self._hidden:
            path = None
        if path is not None:
            self._paths.append(path)
        if is_alias and cursor.peek().kind is not TokenKind.END:
            alias = cursor.read().text.lower()
            if path is not None:
                self._aliases[alias] = path
