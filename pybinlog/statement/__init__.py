"""Statements: what each does to tables, of MySQL and of MariaDB.

    from pybinlog.statement import Session, read

    effect = read("SET STATEMENT max_statement_time=1 FOR DELETE FROM orders", Session("shop"))
    effect.changed                                               # (("shop", "orders"),)
    read("RENAME TABLE a TO b", Session("shop")).steps           # (Renamed(("shop", "a"), ("shop", "b")),)
    read("CALL refill()", Session("shop")).changed               # None: unknown

Catalog, relations, undo, filters and warnings ask this room; none of them looks at a statement's words.
"""

from pybinlog.statement.effect import Effect
from pybinlog.statement.reader import defines, read, read_logged, verb_of
from pybinlog.statement.session import Key, LoggedStatement, Session, place

__all__ = ["Effect", "Key", "LoggedStatement", "Session", "defines", "place", "read", "read_logged", "verb_of"]
