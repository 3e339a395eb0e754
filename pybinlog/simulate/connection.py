"""Connection: one client's session, its transaction, and its two caches.

A ServerState is what the connections share: tables, clock, GTIDs, prepared XA transactions and the log.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from pybinlog.event_types import EventFlag, EventType
from pybinlog.layout import StatusVar
from pybinlog.simulate import transaction_state as states
from pybinlog.simulate.layers.caches import StmtCache, TrxCache
from pybinlog.simulate.log.event import LoggedEvent, Trace
from pybinlog.simulate.log.gtid import Gtid, Gtids
from pybinlog.simulate.log.log_file import BinaryLog
from pybinlog.simulate.options import ServerOptions
from pybinlog.simulate.sql.session import Effect, Session
from pybinlog.simulate.tables.table import Storage

MICROSECONDS = 1_000_000


class ServerState:
    """A server's state. `time` is in microseconds; `warnings` are (line of the scenario, text)."""

    def __init__(self, options: ServerOptions, base_name: str) -> None:
        self.options = options
        self.storage = Storage(version=options.numbers, mariadb=options.mariadb)
        self.time = options.time
        self.log = BinaryLog(options, base_name, Gtids(options), self.now[0])
        self.xa = states.PreparedTransactions()
        self.groups: list[list[LoggedEvent]] = []
        """The groups of all logs, in their order."""
        self.traces: list[Trace] = []
        """The statements of the run."""
        self.query_id = options.first_query_id - 1
        """The number of the statement that runs."""
        self.globals: dict[str, Any] = {}
        """The values that SET GLOBAL gave to variables, for connections that come later."""
        self.persisted: dict[str, Any] = {}
        """Those of SET PERSIST, which a restart keeps."""
        self.warnings: list[tuple[int, str]] = []
        self.line = 0

    @property
    def now(self) -> tuple[int, int]:
        """The time, in seconds since 1970 and microseconds."""
        return divmod(self.time, MICROSECONDS)

    def restart(self) -> None:
        """Start again: what is in memory only is gone, and a prepared XA transaction that has changed nothing.

        The log that was written is closed, and another one begins.
        """
        self.query_id = self.options.first_query_id - 1
        self.globals = dict(self.persisted)
        self.log.sync_binlog = int(self.globals.get("sync_binlog", self.options.sync_binlog))
        self.log.gtids.owned.clear()
        lost = self.log.start(self.now[0])
        del self.groups[len(self.groups) - lost :]
        for xid, prepared in list(self.xa.prepared.items()):
            if not prepared.transaction.changes:
                del self.xa.prepared[xid]
                prepared.transaction.roll_back()
        self.xa.in_use.clear()
        self.xa.kept.clear()
        for database in self.storage.databases.values():
            for table in database.tables.values():
                if table.definition.engine == "MEMORY":
                    table.lose_rows()

    def write_group(
        self, events: Sequence[LoggedEvent], gtid: Gtid | None, flush: str, *, transactional: bool = False
    ) -> None:
        """Write the events of one group into the log; `flush` is the letter of WL#2687's table.

        `transactional` is as in `BinaryLog.write_group`.
        """
        for event in events:
            self.traces[event.statement].flushed.add(flush)
        self.groups.append(list(events))
        self.log.write_group(events, gtid, self.now, transactional=transactional, committed=flush == "C")

    def warn(self, text: str) -> None:
        """Warn about the line that runs."""
        self.warnings.append((self.line, text))


SQL_MODE_9_7 = frozenset(
    "ONLY_FULL_GROUP_BY STRICT_TRANS_TABLES NO_ZERO_IN_DATE NO_ZERO_DATE ERROR_FOR_DIVISION_BY_ZERO "
    "NO_ENGINE_SUBSTITUTION".split()
)
SQL_MODE_11_8 = frozenset(
    {"STRICT_TRANS_TABLES", "ERROR_FOR_DIVISION_BY_ZERO", "NO_AUTO_CREATE_USER", "NO_ENGINE_SUBSTITUTION"}
)
SQL_MODE_5_6 = frozenset({"NO_ENGINE_SUBSTITUTION"})


class Connection:
    """The server's state of a connection; `statement.py` and `control.py` say what its statements do to it.

    `session` holds the variables that the tables need, too. `explicit`: BEGIN (or XA START) was said.
    """

    def __init__(self, state: ServerState, name: str, number: int):
        options = state.options
        self.state = state
        self.name = name
        self.id = number
        self.session = Session(state.storage, connection_id=number)
        self.session.time_zone = options.time_zone
        modern = SQL_MODE_11_8 if options.mariadb else SQL_MODE_9_7
        self.session.sql_mode = modern if options.modern else SQL_MODE_5_6
        self.binlog_format = options.format
        self.rows_query = bool(options.rows_query)
        self.row_image = options.row_image
        self.direct = options.direct
        self.timestamp: tuple[int, int] | None = None
        """SET TIMESTAMP: the time of each statement from then on."""

        self.stmt_cache = StmtCache()
        self.trx_cache = TrxCache()
        self.autocommit = True
        self.explicit = False
        self.savepoints: list[states.Savepoint] = []
        self.xa = states.XaTransaction()
        self.gtid_next = states.GtidNext()
        self.effect = Effect()
        """The effect of the running statement, as far as it is logged: the data of its Query events, framing ones
        included.
        """
        self.uses_temporary = False
        """True if the running statement names a temporary table."""
        self.procedure: states.ProcedureRun | None = None
        """The procedure that runs."""
        self.known_unsafe: dict[Hashable, list[str]] = {}
        """The reasons why statements of procedures were unsafe when they ran before."""
        self.query_id = 0
        self.statement = 0
        self.transaction_number: int | None = None
        """The number of the statement that made a transaction of it: the Xid event's."""
        self.changed_n = False
        """True if a statement of the transaction has changed an N-table."""
        self.begun = False
        """True if DDL of temporary tables has begun a transaction, in which nothing need take part."""
        self.binlog_takes_part = False
        self.engine_takes_part = False
        self.engine_changed = False

    @property
    def in_transaction(self) -> bool:
        """Return True if a statement does not commit by itself."""
        return self.explicit or not self.autocommit

    @property
    def transaction_is_active(self) -> bool:
        """Return True if a transaction has begun, not merely would with the next statement."""
        return self.explicit or (not self.autocommit and (self.begun or self.transaction_number is not None))

    @property
    def repeatable(self) -> bool:
        """Return True if the isolation level is REPEATABLE READ or SERIALIZABLE."""
        return self.session.transaction_isolation in ("REPEATABLE-READ", "SERIALIZABLE")

    def begin_statement(self, line: int, text: bytes, now: tuple[int, int] | None = None) -> None:
        """Begin a statement, or one within a procedure, which has a number of its own."""
        self.state.query_id += 1
        self.state.traces.append(Trace(line, self.name, text))
        self.query_id = self.state.query_id
        self.statement = len(self.state.traces) - 1
        self.effect = Effect()
        self.session.now = self.timestamp or now or self.state.now
        self.session.one_group = self.gtid_next.kind is states.GtidKind.ASSIGNED

    def event(
        self,
        event_type: EventType,
        body: Mapping[str, Any],
        flags: int = 0,
        *,
        content: bool = True,
        immediate: bool = False,
        source: Any = None,
    ) -> LoggedEvent:
        """Make an event of the statement that runs."""
        return LoggedEvent(event_type, body, self.session.now[0], flags, content, immediate, self.statement, source)

    @property
    def trace(self) -> Trace:
        """Return the decisions about the running statement."""
        return self.state.traces[self.statement]

    def number_transaction(self) -> None:
        """Number the transaction when a storage engine, or the binary log, first takes part."""
        if self.transaction_number is None:
            self.transaction_number = self.query_id

    def engine_begins(self) -> None:
        """Note that a T-table was opened."""
        self.engine_takes_part = True
        self.number_transaction()

    def log_begins(self) -> None:
        """Note that the binary log takes part in the transaction: an event goes into a cache."""
        self.binlog_takes_part = True
        self.number_transaction()

    def write_group(self, events: Sequence[LoggedEvent], flush: str = "D", *, transactional: bool = False) -> None:
        """Write the events of one group into the log, as `ServerState.write_group`."""
        following = self.gtid_next
        if following.kind in (states.GtidKind.ASSIGNED, states.GtidKind.ANONYMOUS):
            gtid = following.gtid
        else:
            gtid = self.state.log.gtids.automatic(following.tag)
        self.state.write_group(events, gtid, flush, transactional=transactional)
        self.gtid_is_over()

    def gtid_is_over(self) -> None:
        """End the group of the connection's own GTID: it is written, or rolled back."""
        following = self.gtid_next
        if following.gtid is not None and following.owned:
            self.state.log.gtids.owned.discard(following.gtid)
        kind = states.GtidKind.UNDEFINED if following.kind is states.GtidKind.ASSIGNED else following.kind
        self.gtid_next = following.replace(kind=kind, owned=False)

    def transaction_is_over(self) -> None:
        """Forget the transaction."""
        if self.xa.state is states.XaState.NONE:
            self.explicit = False
        self.savepoints = []
        self.transaction_number = None
        self.changed_n = self.begun = self.binlog_takes_part = self.engine_takes_part = self.engine_changed = False

    def warn_not_rolled_back(self) -> None:
        """Give warning 1196, for changes to N-tables that a ROLLBACK leaves."""
        self.state.warn("Some non-transactional changed tables couldn't be rolled back")


MAX_DATABASES = 16
TOO_MANY_DATABASES = 254
NO_FOREIGN_KEY_CHECKS = 1 << 26
RELAXED_UNIQUE_CHECKS = 1 << 27
EXPLICIT_DEFAULTS_FOR_TIMESTAMP = 1 << 24
"""Of MariaDB."""
OF_MARIADB = (
    StatusVar.FLAGS2,
    StatusVar.SQL_MODE,
    StatusVar.CATALOG_NZ,
    StatusVar.AUTO_INCREMENT,
    StatusVar.CHARSET,
    StatusVar.TIME_ZONE,
    StatusVar.TABLE_MAP_FOR_UPDATE,
)
"""The status variables that MariaDB writes as MySQL does; its own follow."""
SQL_MODES = {
    mode: bit
    for bit, mode in enumerate(
        "REAL_AS_FLOAT PIPES_AS_CONCAT ANSI_QUOTES IGNORE_SPACE . ONLY_FULL_GROUP_BY NO_UNSIGNED_SUBTRACTION "
        "NO_DIR_IN_CREATE . . . . . . . . . . . NO_AUTO_VALUE_ON_ZERO NO_BACKSLASH_ESCAPES STRICT_TRANS_TABLES "
        "STRICT_ALL_TABLES NO_ZERO_IN_DATE NO_ZERO_DATE ALLOW_INVALID_DATES ERROR_FOR_DIVISION_BY_ZERO . "
        "NO_AUTO_CREATE_USER HIGH_NOT_PRECEDENCE NO_ENGINE_SUBSTITUTION PAD_CHAR_TO_FULL_LENGTH "
        "TIME_TRUNCATE_FRACTIONAL".split()
    )
    if mode != "."
}
"""sql_mode -> its bit in Q_SQL_MODE."""


def query(
    connection: Connection,
    text: bytes,
    *,
    content: bool = True,
    immediate: bool = False,
    database: str | None = None,
    suppress_use: bool = False,
    more: Mapping[StatusVar, Any] | None = None,
    flags: int = 0,
    source: Any = None,
) -> LoggedEvent:
    """Return a Query event of a connection, with the session variables that its statement runs under.

    `database` is the connection's where it is not given; `more` are the variables that only DDL has. `source` is the
    statement, as it was read.
    """
    current = connection.session.database if database is None else database
    failed = connection.effect.error if not (immediate and connection.state.options.mariadb) else None
    return connection.event(
        EventType.QUERY,
        {
            "thread_id": connection.id,
            "exec_time": 0,
            "error_code": failed.number if content and failed is not None else 0,
            "status_vars": _status_vars(connection, more or {}),
            "db": current or "",
            "query": text,
        },
        flags
        | (EventFlag.SUPPRESS_USE if suppress_use or not content else 0)
        | (EventFlag.THREAD_SPECIFIC if connection.uses_temporary else 0),
        content=content,
        immediate=immediate,
        source=source,
    )


def _status_vars(connection: Connection, more: Mapping[StatusVar, Any]) -> list[dict[str, Any]]:
    """Return the status variables, in the order in which servers write them."""
    session, effect = connection.session, connection.effect
    flags2 = (0 if session.foreign_key_checks else NO_FOREIGN_KEY_CHECKS) | (
        0 if session.unique_checks else RELAXED_UNIQUE_CHECKS
    )
    increments = {"increment": session.auto_increment_increment, "offset": session.auto_increment_offset}
    databases: dict[str, Any] | None = {"names": effect.databases} if effect.databases else None
    if len(effect.databases) > MAX_DATABASES:
        databases = {"count": TOO_MANY_DATABASES, "names": None}
    values: dict[StatusVar, Any] = {
        StatusVar.FLAGS2: flags2,
        StatusVar.SQL_MODE: sum(1 << SQL_MODES[mode] for mode in session.sql_mode),
        StatusVar.CATALOG_NZ: "std",
        StatusVar.AUTO_INCREMENT: increments if set(increments.values()) != {1} else None,
        StatusVar.CHARSET: {
            "character_set_client": session.character_set_client,
            "collation_connection": session.collation_connection,
            "collation_server": session.storage.default_collation,
        },
        StatusVar.TIME_ZONE: session.time_zone if effect.time_zone_used else None,
        StatusVar.TABLE_MAP_FOR_UPDATE: effect.table_map_for_update or None,
        StatusVar.INVOKER: {"user": "root", "host": "localhost"} if effect.invoker else None,
        StatusVar.UPDATED_DB_NAMES: databases,
        StatusVar.MICROSECONDS: (session.now[1] if effect.microseconds_used else 0) or None,
    }
    if connection.state.options.mariadb:
        values = {code: values[code] for code in OF_MARIADB}
        values[StatusVar.FLAGS2] = flags2 | EXPLICIT_DEFAULTS_FOR_TIMESTAMP
        charset = values[StatusVar.CHARSET].items()
        values[StatusVar.CHARSET] = {name: session.storage.logged_collation(number) for name, number in charset}
        values[StatusVar.MARIA_HRNOW] = session.now[1] if effect.microseconds_used else None
        values[StatusVar.MARIA_XID] = more.get(StatusVar.MARIA_XID)
    elif connection.state.options.modern:
        later = {StatusVar.DEFAULT_COLLATION_FOR_UTF8MB4: session.default_collation_for_utf8mb4, **more}
        values.update(sorted(later.items()))
    return [{"code": code, "value": value} for code, value in values.items() if value is not None]


def xid(connection: Connection, number: int) -> LoggedEvent:
    """Return the Xid event that commits a transaction of the storage engine."""
    return connection.event(EventType.XID, {"xid": number}, content=False)


def xa_prepare(connection: Connection, name: states.Xid, *, one_phase: bool) -> LoggedEvent:
    """Return the XA_prepare event that ends an XA transaction's first group (WL#6860)."""
    body = {
        "one_phase": int(one_phase),
        "format_id": name.format_id & 0xFFFFFFFF,
        "gtrid": name.gtrid,
        "bqual": name.bqual,
    }
    return connection.event(EventType.XA_PREPARE, body, content=False)
