"""Layer 3 of WL#2687, flushing: what becomes of the caches when a statement or a transaction ends.

The worklog's COMMIT(all) and ROLLBACK(all) are four functions here: of a statement (`all` is false) and of a
transaction. A statement outside of a transaction is one by itself, so that both end.
"""

from pybinlog.simulate.connection import Connection, query, xid
from pybinlog.simulate.log.event import LoggedEvent
from pybinlog.simulate.options import BinlogFormat


def commit_statement(connection: Connection) -> None:
    """Log a successful statement's changes to N-tables.

    MariaDB makes one group of both caches if the transaction ends as well.
    """
    trx_cache, stmt_cache = connection.trx_cache, connection.stmt_cache
    joins = connection.state.options.mariadb and not connection.in_transaction
    if joins and not trx_cache.empty and not stmt_cache.empty:
        trx_cache.events = [*stmt_cache.pop(), *trx_cache.pop()[1:]]
    flush_stmt_cache(connection)
    connection.trx_cache.keep_statement()
    if not connection.in_transaction:
        commit_transaction(connection)


def roll_back_statement(connection: Connection, *, stays: bool) -> None:
    """Roll back a statement that failed. `stays`: log it as a statement nevertheless, because it changed an N-table."""
    flush_stmt_cache(connection)
    if stays:
        connection.trx_cache.keep_statement()
    else:
        connection.trx_cache.drop_statement()
    if not connection.in_transaction:
        roll_back_transaction(connection)


def commit_transaction(connection: Connection) -> None:
    """COMMIT, or what implies it: the delayed changes go into the log."""
    if not connection.trx_cache.empty:
        flush_trx_cache(connection, end_of_commit(connection))
    connection.session.transaction.commit()
    connection.transaction_is_over()


def implicit_commit(connection: Connection) -> None:
    """Commit what is open, as DDL and the like do first."""
    commit_transaction(connection)
    connection.explicit = False


def roll_back_transaction(connection: Connection) -> None:
    """ROLLBACK: the delayed changes are gone, unless an N-table's is among them (the worklog's STMT, "R")."""
    drop_or_flush(connection)
    connection.session.transaction.roll_back()
    connection.transaction_is_over()
    connection.gtid_is_over()


def cannot_roll_back(connection: Connection) -> bool:
    """Return True if a rollback must be logged: something in the trx-cache cannot be taken back.

    MariaDB with STATEMENT: also if it is in the log already.
    """
    if connection.trx_cache.cannot_roll_back:
        return True
    keeps = connection.state.options.mariadb and connection.binlog_format is BinlogFormat.STATEMENT
    return keeps and connection.changed_n and not connection.trx_cache.empty


def drop_or_flush(connection: Connection) -> None:
    """Leave the trx-cache empty: by way of the log where something in it cannot be taken back."""
    if cannot_roll_back(connection):
        flush_trx_cache(connection, query(connection, b"ROLLBACK", content=False))
    else:
        connection.trx_cache.pop()


def end_of_commit(connection: Connection) -> LoggedEvent:
    """Return an Xid if the storage engine has something to commit, otherwise a COMMIT statement."""
    if connection.engine_changed and connection.transaction_number is not None and connection.xa.xid is None:
        return xid(connection, connection.transaction_number)
    return query(connection, b"COMMIT", content=False)


def flush_stmt_cache(connection: Connection) -> None:
    """Do the worklog's flush_with_boundaries(stmt-cache, COMMIT): N-changes remain, even after an error."""
    if not connection.stmt_cache.empty:
        connection.stmt_cache.add(query(connection, b"COMMIT", content=False))
        connection.write_group(connection.stmt_cache.pop())


def flush_trx_cache(connection: Connection, *ends: LoggedEvent) -> None:
    """Do the worklog's flush_with_boundaries(trx-cache, ...)."""
    for end in ends:
        connection.trx_cache.add(end)
    changed_n = connection.changed_n and connection.in_transaction and not connection.direct
    transactional = not (connection.trx_cache.cannot_roll_back or changed_n)
    flush = "R" if ends[-1].body.get("query") == b"ROLLBACK" else "C"
    connection.write_group(connection.trx_cache.pop(), flush, transactional=transactional)
