"""ScheduledEvents: the state that the logs give to each event of the scheduler. On a replica, they arrive disabled."""

from collections.abc import Mapping

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema.cursor import Cursor
from pybinlog.schema.error import SqlError
from pybinlog.schema.lexer import TokenKind

Key = tuple[str, str]

ENABLED, DISABLED, ON_REPLICA = "ENABLED", "DISABLED", "REPLICA_SIDE_DISABLED"
NAMES = (TokenKind.WORD, TokenKind.QUOTED_NAME, TokenKind.STRING)
VERBS = ("CREATE EVENT", "ALTER EVENT", "DROP EVENT")


class ScheduledEvents:
    """Follows statements, from the states in which the backup left the events. `unclear` is the first statement that is
    not understood; "" for none."""

    def __init__(self, before: Mapping[Key, str]):
        self.states: dict[Key, str] = dict(before)
        self.changed: set[Key] = set()
        """Those that the statements created or altered."""
        self.unclear = ""

    def follow(self, verb: str, text: str, database: str) -> None:
        """Take a statement: CREATE, ALTER or DROP EVENT."""
        try:
            self._follow(verb, Cursor(text), database)
        except (UnsupportedStatement, SqlError, RecursionError):
            self.unclear = self.unclear or text

    def drop_database(self, name: str) -> None:
        for key in [key for key in self.states if key[0] == name]:
            del self.states[key]

    def _follow(self, verb: str, cursor: Cursor, database: str) -> None:
        while not cursor.accept("EVENT"):
            if cursor.at_end:
                raise cursor.unknown()
            cursor.read()
        keeps = cursor.accept("IF", "NOT", "EXISTS")
        cursor.accept("IF", "EXISTS")
        key = name_of(cursor, database)
        if verb == "DROP EVENT":
            self.states.pop(key, None)
            return
        if keeps and key in self.states:
            return
        found, new = ENABLED if verb == "CREATE EVENT" else self.states.get(key, ENABLED), key
        while not cursor.at_end and not cursor.at_words("DO"):
            if cursor.accept("RENAME", "TO"):
                new = name_of(cursor, database)
            elif cursor.accept("ENABLE"):
                found = ENABLED
            elif cursor.accept("DISABLE", "ON"):
                found = ON_REPLICA
            elif cursor.accept("DISABLE"):
                found = DISABLED
            else:
                cursor.read()
        self.states.pop(key, None)
        self.states[new] = found
        self.changed.add(new)


def name_of(cursor: Cursor, database: str) -> Key:
    """Return the database and the name that come next."""
    first = cursor.read()
    if first.kind not in NAMES:
        raise cursor.unknown()
    if not cursor.at_sign("."):
        return database, first.text
    cursor.read()
    return first.text, cursor.read().text
