"""The state of transactions beside their changes: savepoints, their GTIDs, and the states of XA transactions."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from pybinlog.record import Record
from pybinlog.simulate.log.gtid import Gtid
from pybinlog.simulate.tables.table import Transaction


class Savepoint(NamedTuple):
    """`undo` is its place among the changes of T-tables, `cached` in the trx-cache; None: the log had no part yet.

    `engine_took_part`: T-tables had been opened.
    """

    name: str
    undo: int
    cached: int | None
    engine_took_part: bool


class GtidKind(Enum):
    """Who names the GTID of a connection's next group."""

    AUTOMATIC = "the server"
    ANONYMOUS = "there is none"
    ASSIGNED = "the connection"
    UNDEFINED = "the connection, which has to name another: the group of the last one is over"


class GtidNext(Record):
    """The value of gtid_next. `tag` is that of AUTOMATIC:TAG, `gtid` the one that is, or was last, assigned.

    `owned`: from SET to the end of the group. A GTID that is assigned and not owned is in the log already.
    """

    kind: GtidKind = GtidKind.AUTOMATIC
    tag: bytes = b""
    gtid: Gtid | None = None
    owned: bool = False


class Xid(NamedTuple):
    """Global part, branch and format of an XA transaction's name."""

    gtrid: bytes
    bqual: bytes = b""
    format_id: int = 1

    def __str__(self) -> str:
        """As the server writes it in a statement."""
        return f"X'{self.gtrid.hex()}',X'{self.bqual.hex()}',{self.format_id}"


class XaState(Enum):
    """The states of a connection's XA transaction, with the names that error messages give them."""

    NONE = "NON-EXISTING"
    ACTIVE = "ACTIVE"
    IDLE = "IDLE"
    PREPARED = "PREPARED"


@dataclass
class ProcedureRun:
    """A CALL of a procedure. `key`: which statement of which procedure runs. `is_row`: one was logged as rows, and so
    are all after it in the same CALL, with MIXED.
    """

    key: Hashable
    is_row: bool = False


@dataclass
class XaTransaction:
    """The XA transaction of a connection: none, or one in some state."""

    state: XaState = XaState.NONE
    xid: Xid | None = None


@dataclass
class Prepared:
    """A transaction that XA PREPARE has taken from its connection. `logged`: it had something to log."""

    transaction: Transaction
    logged: bool


@dataclass
class PreparedTransactions:
    """The server's prepared XA transactions, and the names that connections use at present.

    `kept` are the prepared ones that are still their connections': those of 5.6.
    """

    prepared: dict[Xid, Prepared] = field(default_factory=dict)
    kept: dict[Xid, None] = field(default_factory=dict)
    in_use: set[Xid] = field(default_factory=set)
