"""Start: where the stream to a client begins, and what it has already. Errors are those of servers."""

from dataclasses import dataclass, field

from pybinlog.errors import BinlogError
from pybinlog.gtid_intervals import GtidSet, set_text
from pybinlog.gtid_set import MariaGtid, parse_gtid_position
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.serve.archive import Archive, ServedLog
from pybinlog.serve.dump_command import DumpCommand, Session
from pybinlog.serve.refused import Refused

EVERYTHING_KNOWN = 4
"""The capability of a MariaDB client that knows GTIDs."""
PURGED = (
    "Cannot replicate because the source purged required binary logs: the missing transactions are '{}'. Serve the "
    "logs from an earlier one on, or set gtid_purged on a replica that has this data"
)
TOO_OLD = (
    "Could not find GTID state requested by slave in any binlog files. Probably the slave state is too old and "
    "required binlog files have been purged. The first log served, {}, begins after {}"
)
NOT_THERE = "connecting slave requested to start from GTID {}-{}-{}, which is not in the master's binlog"


@dataclass
class Start:
    """A log and a position in it. `known` are MySQL's GTIDs that are omitted; `begin` and `end` are MariaDB's: where
    each domain begins, and where it ends (`until`)."""

    log: ServedLog
    position: int = MAGIC_LENGTH
    known: GtidSet | None = None
    begin: list[MariaGtid] = field(default_factory=list)
    end: list[MariaGtid] = field(default_factory=list)
    until: bool = False
    stops_before: bool = False
    is_by_gtids: bool = False


def start_of(archive: Archive, command: DumpCommand, session: Session) -> Start:
    """Return the beginning of the stream. Raise Refused if the archive does not have what the client wants."""
    check_flavour(archive, session)
    if command.server_id == archive.server_id:
        raise Refused("the replica's server_id is that of pybinlog serve; choose another one")
    if session.replica_uuid is not None and session.replica_uuid.lower() == archive.server_uuid:
        raise Refused("the replica's server_uuid is that of pybinlog serve; remove its auto.cnf and start it again")
    if archive.is_mariadb:
        state = session.variable("slave_connect_state")
        if state is not None:
            return start_of_state(archive, session, gtids_of(state))
    elif command.known is not None:
        return start_of_set(archive, command)
    return start_at_position(archive, command)


def check_flavour(archive: Archive, session: Session) -> None:
    """Raise Refused if the client cannot read these logs."""
    if archive.is_mariadb:
        if session.is_mysql_replica:
            raise Refused("these are logs of MariaDB, which a replica of MySQL cannot apply")
        if session.mariadb_capability < EVERYTHING_KNOWN:
            raise Refused(
                "these are logs of MariaDB, and the client did not say that it knows their events (SET "
                "@mariadb_slave_capability=4)"
            )
    elif session.is_mariadb_replica:
        raise Refused("these are logs of MySQL, and this is a replica of MariaDB: let a replica of MySQL apply them")


def start_at_position(archive: Archive, command: DumpCommand) -> Start:
    log = archive.named(command.name) if command.name else archive.first
    if log is None:
        first, last = archive.first.name, archive.last.name
        raise Refused(f"Could not find first log file name in binary log index file: {first} to {last} are served")
    if command.position < MAGIC_LENGTH:
        raise Refused("Client requested source to start replication from position < 4")
    if MAGIC_LENGTH < command.position < MAGIC_LENGTH + len(log.opening):
        raise Refused(f"Client requested source to start replication from a position inside an event of {log.name}")
    if command.position > log.last_position:
        raise Refused(
            f"Client requested source to start replication from position > file size: {log.name} is served up to "
            f"{log.last_position}"
        )
    return Start(log, command.position)


def start_of_set(archive: Archive, command: DumpCommand) -> Start:
    """Begin with the last log before which there is nothing that the replica lacks (MySQL)."""
    known = command.known or GtidSet()
    if missing := archive.purged.minus(known):
        raise Refused(PURGED.format(set_text(missing)))
    found = archive.first
    for log in archive.logs:
        if log.head.previous is not None and not log.head.previous.minus(known):
            found = log
    return Start(found, known=known, is_by_gtids=True)


def gtids_of(text: str) -> list[MariaGtid]:
    """Return a state of MariaDB, which may be empty. Raise Refused if it is malformed."""
    try:
        return parse_gtid_position(text) if text.strip() else []
    except ValueError as error:
        raise Refused(f"malformed GTID position: {error}") from None


def start_of_state(archive: Archive, session: Session, state: list[MariaGtid]) -> Start:
    """Begin with the last log that lists nothing beyond the state of a replica (MariaDB's slave_connect_state)."""
    reached = {domain: (server, number) for domain, server, number in state}
    before = last_of(archive.first)
    for domain, (server, number) in before.items():
        if domain not in reached or reached[domain][1] < number:
            raise Refused(TOO_OLD.format(archive.first.name, f"{domain}-{server}-{number}"))
    try:
        there = archive.executed().gtids
    except BinlogError as error:
        raise Refused(str(error)) from None
    known_domains = {int.from_bytes(source[:4], "little") for source, _ in there}
    for domain, server, number in state:
        source = domain.to_bytes(4, "little") + server.to_bytes(4, "little") + bytes(8)
        numbers = next((found for (uuid, _), found in there.items() if uuid == source), None)
        if domain in known_domains and (numbers is None or number not in numbers):
            raise Refused(NOT_THERE.format(domain, server, number))
    found = archive.first
    for log in archive.logs:
        if all(domain in reached and reached[domain][1] >= number for domain, (_, number) in last_of(log).items()):
            found = log
    listed = set(found.head.listed)
    start = Start(found, begin=[gtid for gtid in state if gtid not in listed], is_by_gtids=True)
    until = session.variable("slave_until_gtid")
    if until is not None:
        start.until = True
        start.stops_before = session.variable("slave_gtid_until_before_gtids") == "1"
        start.end = [
            (domain, server, number)
            for domain, server, number in gtids_of(until)
            if domain not in reached or reached[domain][1] < number
        ]
    return start


def last_of(log: ServedLog) -> dict[int, tuple[int, int]]:
    """Return the highest number of each domain before a log, with its server."""
    found: dict[int, tuple[int, int]] = {}
    for domain, server, number in log.head.listed:
        if domain not in found or found[domain][1] < number:
            found[domain] = server, number
    return found
