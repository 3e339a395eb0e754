"""The rules of enforce_gtid_consistency: it refuses statements that do not fit into one transaction with one GTID."""

from __future__ import annotations

from collections.abc import Sequence

from pybinlog.schema import SqlError
from pybinlog.schema.table import ENGINES
from pybinlog.simulate.connection import Connection
from pybinlog.simulate.layers.decision import Decision, writes_n, writes_t
from pybinlog.simulate.sql.effect import TableUse
from pybinlog.simulate.sql.syntax import CreateSelect, Statement


def check_gtid_consistency(connection: Connection, tables: Sequence[TableUse], decision: Decision) -> None:
    """Raise error 1785: with enforce_gtid_consistency, N-tables are not changed together with T-tables."""
    if not connection.state.options.enforce_gtid_consistency:
        return
    logged = [use for use in tables if not (decision.row and use.table.temporary)]
    if writes_n(logged) and (writes_t(logged) or not connection.trx_cache.empty):
        raise SqlError(
            1785,
            "Statement violates GTID consistency: Updates to non-transactional tables can only be done in either "
            "autocommitted statements or single-statement transactions, and never in the same statement as updates "
            "to transactional tables.",
        )


def check_create_select(connection: Connection, statement: Statement) -> None:
    """Raise error 1786: with enforce_gtid_consistency, CREATE TABLE ... SELECT has to be one transaction."""
    node, options = statement.node, connection.state.options
    if isinstance(node, CreateSelect) and options.enforce_gtid_consistency:
        engine = (node.create.options.engine or "InnoDB").lower()
        if not options.modern or not ENGINES.get(engine, ("", True))[1]:
            raise SqlError(1786, "Statement violates GTID consistency: CREATE TABLE ... SELECT.")


def check_temporary_in_transaction(connection: Connection) -> None:
    """Raise error 3748 (5.6: 1787) for a temporary table that is created or dropped, and logged, in a transaction."""
    options = connection.state.options
    if connection.in_transaction and options.enforce_gtid_consistency:
        raise SqlError(
            3748 if options.modern else 1787,
            "Statement violates GTID consistency: CREATE TEMPORARY TABLE and DROP TEMPORARY TABLE are not allowed "
            "inside a transaction or inside a procedure in a transactional context when "
            "@@session.binlog_format=STATEMENT.",
        )
