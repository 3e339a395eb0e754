"""Target: the server that is recovered: what it is, what it has, and what it does with the events of a source.

All statements run with sql_log_bin=0: a GTID of their own would stand among those of the logs.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pybinlog.errors import BinlogError, ServerError
from pybinlog.gtid_intervals import GtidSet
from pybinlog.log.executed import Executed, wanted_set
from pybinlog.replication.connection import Connection
from pybinlog.replication.definitions import definitions
from pybinlog.replication.options import ServerOptions

CHANNEL = "pybinlog_recover"
"""The name of the target's channel (MariaDB: connection) for the run; it tells the run's own from all others."""
SUPPORTED = {"MySQL": (8, 0, 23), "MariaDB": (10, 6, 0)}
EVENTS = "SELECT EVENT_SCHEMA, EVENT_NAME, STATUS, DEFINER FROM information_schema.EVENTS ORDER BY 1, 2"
TABLES = (
    "SELECT TABLE_SCHEMA, TABLE_NAME, ENGINE FROM information_schema.TABLES WHERE TABLE_TYPE = 'BASE TABLE' AND "
    "TABLE_SCHEMA NOT IN ('mysql', 'sys', 'performance_schema', 'information_schema')"
)
MODES = (
    "SELECT COLUMN_TYPE FROM information_schema.COLUMNS WHERE COLUMN_NAME = 'sql_mode' AND COLUMN_TYPE LIKE 'set(%' "
    "AND (TABLE_SCHEMA, TABLE_NAME) IN (('information_schema', 'ROUTINES'), ('mysql', 'proc'))"
)
"""A query for the names of all bits of sql_mode (MySQL, MariaDB)."""
PLUGINS = "SELECT PLUGIN_NAME FROM information_schema.PLUGINS WHERE PLUGIN_STATUS = 'ACTIVE'"
SKIPPED = {
    "MySQL": ("SELECT FILTER_NAME, FILTER_RULE FROM performance_schema.replication_applier_global_filters"),
    "MariaDB": "SHOW GLOBAL VARIABLES WHERE Variable_name LIKE 'replicate\\_%\\_%' AND Value <> '' AND "
    "(Variable_name LIKE '%do%' OR Variable_name LIKE '%ignore%' OR Variable_name LIKE '%rewrite%')",
}
"""Queries for the filters that drop or rename what a source sends."""

DUPLICATE_XID = 1440
NOT_READY = re.compile(r"Table 'mysql\.(slave|gtid)_\w+' doesn't exist")


@dataclass(frozen=True)
class EventState:
    """An event of the scheduler: its STATUS in information_schema, and its definer."""

    status: str
    definer: str


@dataclass(frozen=True)
class TargetState:
    """The state of the target at one moment. `executed` is gtid_executed, or gtid_slave_pos of MariaDB."""

    address: str
    identity: str
    version: str
    is_mariadb: bool
    server_id: int
    variables: Mapping[str, str]
    executed: Executed
    channel: Mapping[str, Any] | None
    """The status of the run's own channel, if there is one."""
    others: tuple[str, ...] = ()
    """Sentences about its other channels."""
    filters: tuple[str, ...] = ()
    prepared: frozenset[str] = frozenset()
    """The XA transactions that are prepared there, as the logs write them."""
    engines: frozenset[str] = frozenset()
    unsafe_engines: frozenset[str] = frozenset()
    """Those without transactions."""
    fragile: Mapping[str, str] = field(default_factory=dict)
    """The tables of such engines, with the engine."""
    plugins: frozenset[str] = frozenset()
    """The active ones, in lower case."""
    sql_modes: tuple[str, ...] = ()
    """The names of the bits of sql_mode; empty if the target does not tell them."""
    started: int = 0
    databases: frozenset[str] = frozenset()
    users: frozenset[str] = frozenset()
    events: Mapping[tuple[str, str], EventState] = field(default_factory=dict)

    @property
    def flavour(self) -> str:
        return "MariaDB" if self.is_mariadb else "MySQL"

    @property
    def numbers(self) -> tuple[int, ...]:
        """Its version."""
        return version_numbers(self.version)

    def variable(self, name: str) -> str:
        """Return a global variable; "" if the server has none of that name."""
        return self.variables.get(name, "")


def is_not_ready(error: str) -> bool:
    """Return True for an error of a server that starts or ends: it does not have its tables of replication then."""
    return NOT_READY.search(error) is not None


def version_numbers(version: str) -> tuple[int, ...]:
    """Return a version's three numbers; MariaDB's may begin with 5.5.5-."""
    found = re.match(r"(?:5\.5\.5-)?(\d+)\.(\d+)\.(\d+)", version)
    return tuple(map(int, found.groups())) if found else (0, 0, 0)


class Target:
    """One connection to the target. Raise SourceError if it is lost, ServerError if the server refuses."""

    def __init__(self, options: ServerOptions):
        self._options = options
        self._connection = self._connect()
        self.is_mariadb = self._connection.is_mariadb
        self.address = self._connection.address

    def _connect(self) -> Connection:
        connection = Connection(self._options)
        try:
            connection.query("SET sql_log_bin = 0")
            connection.query("SET lock_wait_timeout = 60")
        except ServerError as error:
            raise BinlogError(
                f"{error.message}: pybinlog must keep its own statements out of the target's logs",
                file=connection.address,
                hint="Use an account that may SET sql_log_bin, as root may",
            ) from None
        return connection

    def run(self, statement: str) -> None:
        self._connection.query(statement)

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        return self._connection.query(statement)

    def value(self, expression: str) -> str:
        ((found,),) = self._connection.query(f"SELECT {expression}")
        return "" if found is None else str(found)

    def close(self) -> None:
        self._connection.close()

    # ---- the channel

    @property
    def words(self) -> tuple[str, str]:
        """How its statements call a replica, and how a source."""
        return ("SLAVE", "MASTER") if self.is_mariadb else ("REPLICA", "SOURCE")

    def replica(self, verb: str, more: str = "") -> None:
        """Run `START REPLICA` and its like for the run's channel."""
        word = self.words[0]
        if self.is_mariadb:
            self.run(f"{verb} {word} '{CHANNEL}'{more}")
        else:
            self.run(f"{verb} {word}{more} FOR CHANNEL '{CHANNEL}'")

    def channels(self) -> dict[str, dict[str, Any]]:
        """Return the status of each channel by its name, with the column names of MySQL 8.0.22 and later."""
        statement = "SHOW ALL SLAVES STATUS" if self.is_mariadb else "SHOW REPLICA STATUS"
        found = {}
        for row in self._connection.table(statement):
            status = {name.replace("Master", "Source").replace("Slave", "Replica"): row[name] for name in row}
            found[str(status.get("Connection_name", status.get("Channel_Name", "")))] = status
        return found

    def channel(self) -> dict[str, Any] | None:
        return self.channels().get(CHANNEL)

    def applier_error(self, status: Mapping[str, Any]) -> str:
        """Return the error that stopped the applier; "" for none. Of MySQL's workers, the first has the cause."""
        if not int(status["Last_SQL_Errno"] or 0):
            return ""
        if not self.is_mariadb:
            workers = self.rows(
                "SELECT LAST_ERROR_MESSAGE FROM performance_schema.replication_applier_status_by_worker WHERE "
                f"CHANNEL_NAME = '{CHANNEL}' AND LAST_ERROR_NUMBER <> 0 ORDER BY LAST_ERROR_TIMESTAMP LIMIT 1"
            )
            if workers:
                return str(workers[0][0])
        return str(status["Last_SQL_Error"])

    def definitions(self, renamed: tuple[str, str] | None = None) -> str:
        """Return the CREATE TABLE statements of its tables; of `renamed`, those of the new name under the old one."""
        return definitions(self._connection, renamed)

    # ---- what it is

    def state(self) -> TargetState:
        """Ask for everything that the plan needs."""
        variables = {
            str(name).lower(): str(value) for name, value in self.rows("SHOW GLOBAL VARIABLES") if value is not None
        }
        channels = self.channels()
        own = channels.pop(CHANNEL, None)
        others = [
            f"the channel '{name}' replicates from {status.get('Source_Host')}, port {status.get('Source_Port')}"
            for name, status in channels.items()
            if status.get("Source_Host")
        ]
        flavour = "MariaDB" if self.is_mariadb else "MySQL"
        place = [variables.get(name, "") for name in ("hostname", "datadir", "port", "socket")]
        identity = variables.get("server_uuid") or hashlib.sha256("\0".join(place).encode()).hexdigest()[:32]
        engines = {
            str(row[0]).upper(): str(row[3]).upper()
            for row in self.rows("SHOW ENGINES")
            if str(row[1]).upper() in ("YES", "DEFAULT")
        }
        unsafe = frozenset(name for name, transactions in engines.items() if transactions != "YES")
        return TargetState(
            address=self.address,
            identity=identity,
            version=variables["version"],
            is_mariadb=self.is_mariadb,
            server_id=int(variables["server_id"]),
            variables=variables,
            executed=self.executed(),
            channel=own,
            others=tuple(others),
            filters=tuple(f"{name}={rule}" for name, rule in self.rows(SKIPPED[flavour]) if rule),
            prepared=self.prepared(),
            engines=frozenset(engines),
            unsafe_engines=unsafe,
            fragile={
                f"{schema}.{name}": str(engine)
                for schema, name, engine in self.rows(TABLES)
                if str(engine).upper() in unsafe
            },
            plugins=frozenset(str(name).lower() for (name,) in self.rows(PLUGINS)),
            sql_modes=tuple(name for (names,) in self.rows(MODES) for name in re.findall("'([^']*)'", str(names))),
            started=self.started(),
            databases=frozenset(str(name) for (name,) in self.rows("SHOW DATABASES")),
            users=frozenset(
                f"{user}@{host}" for user, host in self.rows("SELECT User, Host FROM mysql.user") if user is not None
            ),
            events=self.events(),
        )

    def binlog_state(self) -> str:
        """Return the last GTIDs of its own logs (MariaDB)."""
        return self.value("@@GLOBAL.gtid_binlog_state")

    def started(self) -> int:
        """Return when the server was started, in seconds since 1970 UTC, to within two."""
        ((_, uptime),) = self.rows("SHOW GLOBAL STATUS LIKE 'Uptime'")
        return int(self.value("UNIX_TIMESTAMP()")) - int(uptime)

    def executed(self) -> Executed:
        """Return gtid_executed, or gtid_slave_pos of MariaDB."""
        if self.is_mariadb:
            text = self.value("@@GLOBAL.gtid_slave_pos")
            return Executed.of_text(text) if text else Executed()
        return Executed(self.executed_set())

    def executed_set(self) -> GtidSet:
        return wanted_set(self.value("@@GLOBAL.gtid_executed"))

    def events(self) -> dict[tuple[str, str], EventState]:
        return {
            (str(schema), str(name)): EventState(str(status), str(definer))
            for schema, name, status, definer in self.rows(EVENTS)
        }

    def set_event(self, key: tuple[str, str], event: EventState) -> None:
        """Give an event a state, and keep its definer."""
        word = self.words[0]
        states = {"ENABLED": "ENABLE", "DISABLED": "DISABLE"}
        user, _, host = event.definer.rpartition("@")
        name = ".".join(map(quoted, key))
        state = states.get(event.status, f"DISABLE ON {word}")
        self.run(f"ALTER DEFINER = {quoted(user)}@{quoted(host)} EVENT {name} {state}")

    def has_xid(self, xid: str) -> bool:
        """Return True if a session, or what remains of one, has an XA transaction of this name (MariaDB).

        XA RECOVER lists only what is prepared.
        """
        try:
            self.run(f"XA START {xid}")
        except ServerError as error:
            if f"(error {DUPLICATE_XID})" in error.message:
                self._connection.close()
                self._connection = self._connect()
                return True
            raise
        self.run(f"XA END {xid}")
        self.run(f"XA ROLLBACK {xid}")
        return False

    def prepared(self) -> frozenset[str]:
        """Return the prepared XA transactions as `X'6731',X'',1`."""
        if self.is_mariadb:
            return frozenset(xid_of(*row) for row in self.rows("XA RECOVER FORMAT='SQL'"))
        found = set()
        for number, global_length, _, data in self.rows("XA RECOVER CONVERT XID"):
            digits, cut = str(data).removeprefix("0x").lower(), 2 * int(global_length)
            found.add(f"X'{digits[:cut]}',X'{digits[cut:]}',{number}")
        return frozenset(found)


def xid_of(number: int, first: int, second: int, text: str) -> str:
    """Return a row of MariaDB's XA RECOVER FORMAT='SQL' as `X'6731',X'',1`: there, parts that can be printed are."""
    is_hex = text.startswith("X")
    size = 2 if is_hex else 1
    begin = len("X'") if is_hex else len("'")
    middle = begin + size * first + (len("',X'") if is_hex else len("','"))
    parts = text[begin : begin + size * first], text[middle : middle + size * second]
    digits = [part.lower() if is_hex else part.encode().hex() for part in parts]
    return f"X'{digits[0]}',X'{digits[1]}',{number}"


def quoted(name: str) -> str:
    """Return a name in backticks."""
    return "`" + name.replace("`", "``") + "`"
