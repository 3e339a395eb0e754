"""The verbs of statements: what the first words of a statement say that it may change.

Sources: the manuals of MySQL ("SQL Statements") and of MariaDB ("SQL Statements and Structure").
"""

from enum import IntFlag


class Operation(IntFlag):
    """The operation of a statement, by its verb. As bits, so that a set of operations is a number."""

    INSERTS = 1
    UPDATES = 2
    DELETES = 4
    OTHER_OPERATION = 8
    """Unknown: it may change rows of any table, as CALL or a SELECT of a function."""
    DEFINES = 16
    CHANGES_NOTHING = 32
    """It changes neither rows nor definitions of tables."""

    @property
    def may_change_rows(self) -> bool:
        return bool(self & (CHANGES_ROWS | Operation.OTHER_OPERATION))


CHANGES_ROWS = Operation.INSERTS | Operation.UPDATES | Operation.DELETES

VERBS: dict[str, Operation] = {
    **dict.fromkeys(("INSERT", "REPLACE", "LOAD"), Operation.INSERTS),
    "UPDATE": Operation.UPDATES,
    "DELETE": Operation.DELETES,
    **dict.fromkeys(("CREATE", "ALTER", "DROP", "RENAME", "TRUNCATE"), Operation.DEFINES),
    **dict.fromkeys(("ANALYZE TABLE", "ANALYZE LOCAL", "ANALYZE NO_WRITE_TO_BINLOG"), Operation.CHANGES_NOTHING),
    "LOAD INDEX": Operation.CHANGES_NOTHING,
    **dict.fromkeys(
        "BACKUP BEGIN CACHE CHANGE CHECK CHECKSUM COMMIT DEALLOCATE DESC DESCRIBE FLUSH GET GRANT HANDLER HELP INSTALL "
        "KILL LOCK OPTIMIZE PURGE RELEASE REPAIR RESET RESIGNAL RESTART REVOKE ROLLBACK SAVEPOINT SET SHOW SHUTDOWN "
        "SIGNAL START STOP UNINSTALL UNLOCK USE XA".split(),
        Operation.CHANGES_NOTHING,
    ),
    **dict.fromkeys(("BEGIN NOT", "ANALYZE", "CALL", "DO", "EXECUTE", "EXPLAIN", "SELECT"), Operation.OTHER_OPERATION),
}
"""First words -> Operation; the longest that a statement begins with counts. Any other statement is OTHER_OPERATION.

Words before the verb are skipped first: comments, brackets, SET STATEMENT ... FOR, and the queries of WITH.
"""


def operation_of(first: str, second: str = "") -> Operation:
    """Return the operation of a statement by its first two words, in upper case."""
    return VERBS.get(f"{first} {second}", VERBS.get(first, Operation.OTHER_OPERATION))
