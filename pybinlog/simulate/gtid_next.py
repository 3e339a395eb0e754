"""SET GTID_NEXT: a connection names the GTID of its next group, and ends that group before it names another.

Source: the manual, "System Variables Used with Global Transaction IDs", and what MySQL 9.7 does.
"""

import re
from collections.abc import Sequence
from enum import Flag, auto
from typing import Any
from uuid import UUID

from pybinlog.gtid_set import LARGEST, TAG
from pybinlog.schema import SqlError
from pybinlog.schema.table import ENGINES
from pybinlog.simulate.connection import Connection, query
from pybinlog.simulate.errors import ScenarioError
from pybinlog.simulate.layers.caching import Decision, writes_n, writes_t
from pybinlog.simulate.log.gtid import ANONYMOUS, Gtid
from pybinlog.simulate.sql.session import TableUse
from pybinlog.simulate.sql.syntax import CreateSelect, Statement
from pybinlog.simulate.transaction_state import GtidKind, GtidNext


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


RELEASE_NOTHING = (1046, 1064, 1065, 1786)
"""Errors of statements that a server refuses before it opens the tables."""

AUTOMATIC = re.compile(rf"\s*AUTOMATIC\s*(?::\s*(?P<tag>{TAG.pattern})\s*)?", re.IGNORECASE)
ASSIGNED = re.compile(
    r"\s*(?P<uuid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\s*:"
    rf"\s*(?:(?P<tag>{TAG.pattern})\s*:)?\s*(?P<number>[1-9]\d{{0,18}})\s*",
    re.IGNORECASE | re.ASCII,
)


class GtidRole(Flag):
    """The part of a statement in the group that gtid_next names."""

    NONE = 0
    IN_GROUP = auto()
    """It is a part of the group."""
    COMMITS_FIRST = auto()
    """It commits what was open before it."""
    ENDS_GROUP = auto()


def admits(connection: Connection, role: GtidRole) -> bool:
    """Return False if gtid_next has a statement skipped, as its group is in the log. Raise errors 1778 and 1837."""
    following = connection.gtid_next
    if role & GtidRole.IN_GROUP and following.kind is GtidKind.UNDEFINED:
        raise SqlError(
            1837,
            "When @@SESSION.GTID_NEXT is set to a GTID, you must explicitly set it to a different value after a COMMIT "
            "or ROLLBACK. Please check GTID_NEXT variable manual page for detailed explanation. Current "
            f"@@SESSION.GTID_NEXT is '{following.gtid}'.",
        )
    assigned = following.kind is GtidKind.ASSIGNED
    if assigned and role & GtidRole.COMMITS_FIRST and connection.transaction_is_active:
        raise SqlError(
            1778,
            "Cannot execute statements with implicit commit inside a transaction when @@SESSION.GTID_NEXT == "
            "'UUID:NUMBER'.",
        )
    return following.owned or not assigned or not role & GtidRole.IN_GROUP


def end_group(connection: Connection) -> None:
    """End the group that gtid_next names. One without changes is logged as it is, so that its GTID is in the log."""
    if connection.gtid_next.kind is GtidKind.ASSIGNED and connection.gtid_next.owned:
        connection.write_group([query(connection, word, content=False) for word in (b"BEGIN", b"COMMIT")])
    connection.gtid_is_over()


def release_after(connection: Connection, error: SqlError) -> None:
    """Release the group of a statement that failed, if no transaction is open."""
    if not connection.transaction_is_active and error.number not in RELEASE_NOTHING:
        connection.gtid_is_over()


def set_gtid_next(connection: Connection, value: Any) -> None:
    """SET GTID_NEXT. Raise SqlError, and ScenarioError if the connection would wait for another."""
    gtids, options = connection.state.log.gtids, connection.state.options
    if not options.modern:
        raise ScenarioError("SET GTID_NEXT of 5.6 is not in the model")
    if connection.transaction_is_active:
        raise SqlError(1766, "The system variable gtid_next cannot be set when there is an ongoing transaction.")
    following = GtidNext() if value is None else read_gtid_next(value)
    if connection.gtid_next.owned:
        raise SqlError(
            1790,
            "@@SESSION.GTID_NEXT cannot be changed by a client that owns a GTID. The client owns "
            f"{connection.gtid_next.gtid}. Ownership is released on COMMIT or ROLLBACK.",
        )
    if refused := _wrong_mode(following, gtid_mode=options.gtid):
        raise refused
    if following.kind is GtidKind.ASSIGNED and following.gtid in gtids.owned:
        raise ScenarioError(
            f"another connection owns the GTID {following.gtid}",
            hint="A server waits until that one commits or rolls back; here no connection waits",
        )
    owned = following.gtid is not None and not gtids.has(following.gtid)
    if following.gtid is not None and owned:
        gtids.owned.add(following.gtid)
    connection.gtid_next = following.replace(owned=owned)


def _wrong_mode(following: GtidNext, *, gtid_mode: bool | None) -> SqlError | None:
    """Return the error of a value that gtid_mode does not allow."""
    if gtid_mode and following.kind is GtidKind.ANONYMOUS:
        number, name, modes = 1782, "ANONYMOUS", "ON."
    elif gtid_mode or following == GtidNext() or following.kind is GtidKind.ANONYMOUS:
        return None
    elif following.gtid is None:
        number, name, modes = 6039, "AUTOMATIC:<TAG>", "OFF or OFF_PERMISSIVE"
    elif following.gtid.tag:
        number, name, modes = 6040, "UUID:TAG:NUMBER", "OFF."
    else:
        number, name, modes = 1781, "UUID:NUMBER", "OFF."
    return SqlError(number, f"@@SESSION.GTID_NEXT cannot be set to {name} when @@GLOBAL.GTID_MODE = {modes}")


def read_gtid_next(value: Any) -> GtidNext:
    """Read AUTOMATIC, AUTOMATIC:TAG, ANONYMOUS, UUID:NUMBER or UUID:TAG:NUMBER. Raise errors 1232 and 1774."""
    if not isinstance(value, (str, bytes)):
        raise SqlError(1232, "Incorrect argument type to variable 'gtid_next'")
    text = value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")
    if match := ASSIGNED.fullmatch(text):
        gtid = Gtid(UUID(match["uuid"]).bytes, (match["tag"] or "").lower().encode(), int(match["number"]))
        if gtid.number <= LARGEST:
            return GtidNext(GtidKind.ASSIGNED, gtid=gtid)
    elif match := AUTOMATIC.fullmatch(text):
        return GtidNext(tag=(match["tag"] or "").lower().encode())
    elif text.strip().upper() == "ANONYMOUS":
        return GtidNext(GtidKind.ANONYMOUS, gtid=ANONYMOUS)
    raise SqlError(1774, f"Malformed GTID specification '{text}'.")
