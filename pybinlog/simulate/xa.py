"""XA transactions.

A server since 5.7 logs them in two rounds (WL#6860): XA START, the changes, XA END and XA_prepare as one group when
they are prepared, and XA COMMIT or XA ROLLBACK as another later, by any connection. 5.6 logs the changes between BEGIN
and COMMIT when the transaction is committed, which only the connection that began it can do.
"""

from pybinlog.schema import SqlError
from pybinlog.simulate.connection import Connection, query, xa_prepare
from pybinlog.simulate.layers.commit import commit_transaction, drop_or_flush, flush_trx_cache, roll_back_transaction
from pybinlog.simulate.log.event import LoggedEvent
from pybinlog.simulate.tables.table import Transaction
from pybinlog.simulate.transaction_state import Prepared, XaState, XaTransaction, Xid


def wrong_state(state: XaState) -> SqlError:
    """XAER_RMFAIL: not now."""
    return SqlError(
        1399, f"XAER_RMFAIL: The command cannot be executed when global transaction is in the  {state.value} state"
    )


UNKNOWN_XID = SqlError(1397, "XAER_NOTA: Unknown XID")


def own(connection: Connection, xid: Xid, *states: XaState) -> XaTransaction:
    """Return the connection's XA transaction, which must be that one, and in one of the states."""
    if connection.xa.state not in states:
        raise wrong_state(connection.xa.state)
    if connection.xa.xid != xid:
        raise UNKNOWN_XID
    return connection.xa


def start(connection: Connection, xid: Xid) -> None:
    if connection.xa.state is not XaState.NONE:
        raise wrong_state(connection.xa.state)
    if connection.transaction_is_active:
        raise SqlError(1400, "XAER_OUTSIDE: Some work is done outside global transaction")
    transactions = connection.state.xa
    if xid in transactions.in_use or xid in transactions.prepared:
        raise SqlError(1440, "XAER_DUPID: The XID already exists")
    transactions.in_use.add(xid)
    connection.xa.state, connection.xa.xid = XaState.ACTIVE, xid
    connection.explicit = True


def first_round(connection: Connection, xid: Xid, *, one_phase: bool) -> None:
    """Log what XA START began, up to XA_prepare."""
    flush_trx_cache(connection, end_statement(connection, xid), xa_prepare(connection, xid, one_phase=one_phase))


def end_statement(connection: Connection, xid: Xid) -> LoggedEvent:
    return query(connection, f"XA END {xid}".encode(), content=False)


def prepare(connection: Connection, xid: Xid) -> None:
    own(connection, xid, XaState.IDLE)
    if not connection.state.options.modern:
        connection.xa.state = XaState.PREPARED
        connection.state.xa.kept[xid] = None
        return
    logged = not connection.trx_cache.empty
    if logged:
        first_round(connection, xid, one_phase=False)
    connection.state.xa.prepared[xid] = Prepared(connection.session.transaction, logged)
    connection.session.transaction = Transaction()
    leave(connection)
    connection.transaction_is_over()


def end(connection: Connection, xid: Xid) -> None:
    """Run XA END. Raise SqlError, as all of these do."""
    own(connection, xid, XaState.ACTIVE).state = XaState.IDLE


def commit_one_phase(connection: Connection, xid: Xid) -> None:
    """Run XA COMMIT ... ONE PHASE."""
    if connection.xa.xid != xid:
        finish_prepared(connection, xid, commit=True)
    else:
        own(connection, xid, XaState.IDLE)
        commit_own(connection, xid)


def finish(connection: Connection, xid: Xid, *, commit: bool) -> None:
    """Run XA COMMIT or XA ROLLBACK, for a transaction that any connection has prepared, or its own.

    Since 8.0, a connection does not keep a prepared one.
    """
    if connection.xa.xid != xid:
        finish_prepared(connection, xid, commit=commit)
    elif commit:
        own(connection, xid, XaState.PREPARED)
        commit_own(connection, xid)
    else:
        own(connection, xid, XaState.IDLE, XaState.PREPARED)
        if connection.state.options.modern and connection.trx_cache.cannot_roll_back:
            rollback = query(connection, f"XA ROLLBACK {xid}".encode(), content=False)
            flush_trx_cache(connection, end_statement(connection, xid), rollback)
        roll_back_transaction(connection)
        leave(connection)


def commit_own(connection: Connection, xid: Xid) -> None:
    if connection.state.options.modern and not connection.trx_cache.empty:
        first_round(connection, xid, one_phase=True)
    commit_transaction(connection)
    leave(connection)


def finish_prepared(connection: Connection, xid: Xid, *, commit: bool) -> None:
    """Log the second round, a group by itself."""
    if connection.state.options.modern and connection.transaction_is_active:
        raise wrong_state(connection.xa.state)
    prepared = connection.state.xa.prepared.pop(xid, None)
    if prepared is None:
        raise UNKNOWN_XID
    if not commit and not prepared.logged:
        connection.gtid_is_over()
    if prepared.logged:
        word = "COMMIT" if commit else "ROLLBACK"
        statement = query(connection, f"XA {word} {xid}".encode(), immediate=True, suppress_use=True)
        connection.write_group([statement])
    if commit:
        prepared.transaction.commit()
    else:
        prepared.transaction.roll_back()


def recover(connection: Connection, *, converts: bool) -> None:
    """Run XA RECOVER: list the prepared transactions in their order. Raise error 1064."""
    if converts and not connection.state.options.modern:
        raise SqlError(1064, "You have an error in your SQL syntax; 5.6 has no XA RECOVER CONVERT XID")
    transactions = connection.state.xa
    connection.trace.place = connection.state.log.name, connection.state.log.position
    connection.trace.answer = []
    for gtrid, bqual, format_id in (*transactions.prepared, *transactions.kept):
        name = gtrid + bqual
        data = f"0x{name.hex().upper()}" if converts else repr(name)[2:-1]
        connection.trace.answer.append(
            f"formatID={format_id} gtrid_length={len(gtrid)} bqual_length={len(bqual)} data={data}"
        )


def leave(connection: Connection) -> None:
    """End the connection's XA transaction."""
    if connection.xa.xid is not None:
        connection.state.xa.in_use.discard(connection.xa.xid)
        connection.state.xa.kept.pop(connection.xa.xid, None)
    connection.xa.state, connection.xa.xid = XaState.NONE, None
    connection.explicit = False


def abandon(connection: Connection) -> None:
    """Roll back the XA transaction of a connection that ends, also a prepared one of 5.6."""
    drop_or_flush(connection)
    leave(connection)
