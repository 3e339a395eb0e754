"""Tables with a database `d` and a connection, for tests."""

from typing import Any

from pybinlog.simulate.sql.execute import execute
from pybinlog.simulate.sql.parser import parse
from pybinlog.simulate.sql.session import Effect, Session
from pybinlog.simulate.sql.syntax import Statement
from pybinlog.simulate.tables.table import Storage, Table

STRICT = frozenset(
    "ONLY_FULL_GROUP_BY STRICT_TRANS_TABLES NO_ZERO_IN_DATE NO_ZERO_DATE ERROR_FOR_DIVISION_BY_ZERO "
    "NO_ENGINE_SUBSTITUTION".split()
)


class World:
    """A server of a version with an empty database `d`, and sessions in it."""

    def __init__(self, version: tuple[int, ...] = (9, 7), *, now: tuple[int, int] = (1700000000, 0)) -> None:
        self.storage = Storage(version)
        self.now = now
        self.session = self.connect()
        self.run("CREATE DATABASE d")
        self.session.database = "d"

    def connect(self) -> Session:
        """Another connection."""
        session = Session(self.storage, connection_id=8)
        session.sql_mode, session.now, session.time_zone, session.database = STRICT, self.now, "+00:00", "d"
        return session

    def parse(self, statement: str | bytes, session: Session | None = None) -> Statement:
        """A statement as a connection of this character set sends it."""
        session = session or self.session
        text = statement.encode("utf-8", "surrogateescape") if isinstance(statement, str) else statement
        return parse(text, session.character_set_client, session.sql_mode)

    def effect(self, statement: str | bytes, session: Session | None = None, **options: Any) -> Effect:
        """Return the effect of a statement; it commits nothing and may have failed."""
        session = session or self.session
        return execute(self.parse(statement, session), session, **options)

    def run(self, statement: str | bytes, session: Session | None = None, **options: Any) -> Effect:
        """Return the effect of an autocommitted statement. Raises its SqlError."""
        effect = self.effect(statement, session, **options)
        (session or self.session).transaction.commit()
        if effect.error is not None:
            raise effect.error
        return effect

    def table(self, name: str) -> Table:
        return self.storage.databases["d"].tables[name]

    def rows(self, name: str) -> list[tuple[Any, ...]]:
        """The rows that a table holds."""
        return self.table(name).rows()
