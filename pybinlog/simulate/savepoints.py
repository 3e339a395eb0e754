"""Savepoints: places in the transaction, in the tables' changes as well as in the trx-cache."""

from __future__ import annotations

from pybinlog.schema import SqlError, quoted
from pybinlog.simulate.connection import Connection
from pybinlog.simulate.layers.caching import begin
from pybinlog.simulate.layers.commit import drop_or_flush
from pybinlog.simulate.query_event import query
from pybinlog.simulate.transaction_state import Savepoint, XaState
from pybinlog.simulate.xa import wrong_state


def position_of(connection: Connection, name: str) -> int:
    """Return the place of a savepoint in the connection's list. Raise errors 1305 and 1399."""
    for at, savepoint in enumerate(connection.savepoints):
        if savepoint.name.lower() == name.lower():
            if connection.xa.state not in (XaState.NONE, XaState.ACTIVE):
                raise wrong_state(connection.xa.state)
            return at
    raise SqlError(1305, f"SAVEPOINT {name} does not exist")


def set_savepoint(connection: Connection, name: str) -> None:
    """SAVEPOINT: written into the trx-cache, so that a later ROLLBACK TO has something to go back to.

    Outside of a transaction it does nothing. As long as nothing was logged or delayed, there is nothing to write.
    """
    if not connection.in_transaction:
        return
    connection.savepoints = [other for other in connection.savepoints if other.name.lower() != name.lower()]
    cached = None
    if connection.binlog_takes_part:
        begin(connection, connection.trx_cache)
        connection.trx_cache.add(query(connection, f"SAVEPOINT {quoted(name)}".encode(), content=False))
        connection.trx_cache.keep_statement()
        cached = len(connection.trx_cache.events)
    undo = connection.session.transaction.mark()
    connection.savepoints.append(Savepoint(name, undo, cached, connection.engine_takes_part))


def roll_back_to_savepoint(connection: Connection, name: str) -> None:
    """ROLLBACK TO: cut the trx-cache there; where it holds what cannot be taken back, write the statement into it."""
    at = position_of(connection, name)
    savepoint = connection.savepoints[at]
    del connection.savepoints[at + 1 :]
    if savepoint.cached is None:
        if connection.binlog_takes_part:
            drop_or_flush(connection)
            connection.binlog_takes_part = False
    elif connection.trx_cache.cannot_roll_back:
        connection.warn_not_rolled_back()
        connection.trx_cache.add(query(connection, f"ROLLBACK TO {quoted(name)}".encode(), content=False))
    else:
        connection.trx_cache.truncate(savepoint.cached)
    connection.session.transaction.roll_back_to(savepoint.undo)
    if not savepoint.engine_took_part:
        connection.engine_takes_part = connection.engine_changed = False


def release_savepoint(connection: Connection, name: str) -> None:
    """RELEASE SAVEPOINT: it and later ones are forgotten; nothing is logged."""
    del connection.savepoints[position_of(connection, name) :]
