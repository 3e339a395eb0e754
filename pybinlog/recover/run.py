"""Run: the target applies a plan as a replica of this process, and is then put in order again."""

from __future__ import annotations

import secrets
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic

from pybinlog.errors import BinlogError, ServerError, SourceError
from pybinlog.gtid_set import parse_gtid_set
from pybinlog.kernel.scan.gtid_fields import GtidFilter
from pybinlog.recover.journal import Journal
from pybinlog.recover.proof import Proof, prove
from pybinlog.recover.scheduled_events import DISABLED, ENABLED
from pybinlog.recover.target import CHANNEL, EventState, Target
from pybinlog.recover.target_rules import positions
from pybinlog.replication.login import Account
from pybinlog.replication.own_certificate import server_context
from pybinlog.serve.options import OwnServerId, ServeOptions
from pybinlog.serve.server import Server

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pybinlog.recover.plan import Plan
    from pybinlog.recover.target import TargetState
    from pybinlog.replication.options import ServerOptions

FIRST_PORT, LAST_PORT = 20000, 30000
"""Ports that no end of another connection gets by chance: after a kill, the same one is needed again."""
PAUSE, RECONNECT_PAUSE = 0.1, 0.5
PASSWORD_SIZE = 12
"""Bytes; a replica keeps at most 32 characters of a password."""
MOST_CLIENTS = 8
FAST = {"sync_binlog": "0", "innodb_flush_log_at_trx_commit": "2"}
WORKERS = {
    False: ("replica_parallel_workers", "slave_parallel_workers"),
    True: ("slave_parallel_threads",),
}
"""By whether the target is MariaDB, the setting for parallel workers under its names."""
ORDER = ("replica_preserve_commit_order", "slave_preserve_commit_order")
BROKEN = (1872, 1201)
"""The errors for a channel whose relay log, or notes about it, cannot be read."""
UNREADABLE = (13121, 1594)
"""The applier's errors for a relay log that ends in the middle of an event."""
MOST_ANEW = 20
STOPPED = 1236
"""The error with which pybinlog's own source refuses to go on, in the words of the target."""


@dataclass(frozen=True)
class RunOptions:
    """`workers` are parallel appliers at least. `is_fast`: the target does not wait for its disk. `host`: where the
    target finds this process."""

    workers: int
    is_fast: bool
    host: str
    port: int = 0


@dataclass
class Report:
    """The end of a run."""

    seconds: float = 0.0
    restarts: int = 0
    events: dict[str, str] = field(default_factory=dict)
    """By event, the state that it was given."""
    proof: Proof = field(default_factory=Proof)
    last_error: str = ""


class Run:
    """One run of a plan. `tell` receives sentences without their full stops, `progress` the position that is applied.

    Raise BinlogError if the target stops at an error; the same run then goes on.
    """

    def __init__(
        self,
        plan: Plan,
        options: ServerOptions,
        state: TargetState,
        journal: Journal | None,
        path: str,
        how: RunOptions,
        tell: Callable[[str], object],
        progress: Callable[[str, int], object],
    ):
        self._plan = plan
        self._options = options
        self._state = state
        self._how = how
        self._tell = tell
        self._progress = progress
        self._is_new = journal is None
        self._journal = journal or Journal(path, plan.request.key, str(state.executed))
        self._target: Target | None = None
        self._password = secrets.token_hex(PASSWORD_SIZE)
        self._server_id = 0
        """MariaDB: the id of the target for the run; 0 if it keeps its own."""
        self._made_anew = 0
        self.report = Report()

    @property
    def target(self) -> Target:
        """The connection to the target; a new one if it was lost."""
        if self._target is None:
            self._target = Target(self._options)
        return self._target

    # ---- from the beginning to the end

    def run(self) -> Report:
        begun = monotonic()
        if self._is_new:
            self._note()
        if not self._journal.is_applied and self._plan.contents.last_applied is not None:
            self._serve()
            self._until_done(self._begin)
            self._until_done(self._wait)
            self._journal.is_applied = True
            self._journal.write()
        self._until_done(self._settle)
        self._until_done(self._prove)
        self.report.seconds = monotonic() - begun
        if self._plan.by_gtids or self.report.proof.faults:
            self._journal.remove()
        else:
            self._journal.is_done = True
            self._journal.write()
        return self.report

    def _until_done(self, step: Callable[[], object]) -> None:
        """Run a step, again after each restart of the target."""
        said = False
        while True:
            try:
                step()
                return
            except ServerError:
                raise
            except SourceError as error:
                if self._leave():
                    self.report.restarts += 1
                if not said:
                    self._tell(f"the target is away, and pybinlog waits for it: {str(error).removesuffix('.')}")
                said = True
                threading.Event().wait(RECONNECT_PAUSE)

    def _leave(self) -> bool:
        """Close the connection to the target; return True if there was one."""
        target, self._target = self._target, None
        if target is not None:
            target.close()
        return target is not None

    def _note(self) -> None:
        """Write down what is going to be changed."""
        journal, state = self._journal, self._state
        journal.settings = {name: state.variable(name) for name in self._wanted_settings()}
        journal.own = state.variable("gtid_binlog_state")
        journal.note_events(state.events)
        journal.write()

    def _wanted_settings(self) -> dict[str, str]:
        """Return the settings of the target for the run that differ from its own."""
        state, is_mariadb = self._state, self._plan.is_mariadb
        wanted = {}
        workers = next(name for name in WORKERS[is_mariadb] if state.variable(name))
        if int(state.variable(workers)) < self._how.workers:
            wanted[workers] = str(self._how.workers)
        for name in ORDER:
            if state.variable(name) == "OFF":
                wanted[name] = "ON"
                break
        if self._how.is_fast:
            wanted |= FAST
        if is_mariadb and state.server_id in self._ids():
            wanted["server_id"] = str(self._free_id())
        return wanted

    def _ids(self) -> set[int]:
        """Return the server ids of the planned transactions (MariaDB)."""
        return {int.from_bytes(uuid[4:8], "little") for uuid, _ in self._plan.planned}

    def _free_id(self) -> int:
        taken = {*self._ids(), self._plan.archive.server_id}
        return next(number for number in range(self._plan.archive.server_id + 1, 1 << 32) if number not in taken)

    # ---- the source

    def _serve(self) -> None:
        """Serve the logs of the plan in a thread that ends with the program."""
        plan, how = self._plan, self._how
        excluded = None
        if plan.by_gtids and plan.request.without is not None:
            excluded = GtidFilter(parse_gtid_set(plan.request.without))
        for log in plan.archive.logs:
            log.omitted = sorted((one.start, one.end) for one in plan.contents.omitted if one.log == log.path)
        options = ServeOptions(
            own_server_id=OwnServerId.ERROR if plan.is_mariadb else OwnServerId.REWRITE, excluded=excluded
        )
        account = Account(CHANNEL, self._password, needs_tls=not how.host.startswith("127."))
        port = self._journal.port or how.port
        tls = server_context(None, None)
        for attempt in range(LAST_PORT - FIRST_PORT):
            chosen = port or FIRST_PORT + secrets.randbelow(LAST_PORT - FIRST_PORT)
            try:
                server = Server(
                    how.host,
                    chosen,
                    plan.archive,
                    options,
                    account,
                    tls,
                    most_clients=MOST_CLIENTS,
                    tell=lambda _: None,
                )
                break
            except BinlogError as error:
                if port or attempt == MOST_CLIENTS:
                    error.hint = "The run needs the port that it began with; end the program that uses it"
                    raise
        self._journal.port = server.port
        self._journal.write()
        threading.Thread(target=server.serve, daemon=True).start()

    # ---- the replica

    def _begin(self) -> None:
        """Set the target up, and let it connect."""
        target, journal, plan = self.target, self._journal, self._plan
        channel = target.channel()
        if channel is not None:
            target.replica("STOP")
        elif journal.is_connected and not plan.by_gtids:
            raise BinlogError(
                f"the channel {CHANNEL} of this run is gone, so the target does not know how far it has come",
                file=target.address,
                hint=f"Load the backup into the target again, then remove {journal.path}",
            )
        self._set_up()
        if channel is None:
            target.run(self._change())
            journal.is_connected = True
            journal.write()
        else:
            word = target.words[1]
            new = f"{word}_USER = '{CHANNEL}', {word}_PASSWORD = '{self._password}'"
            statement = (
                f"CHANGE MASTER '{CHANNEL}' TO {new}"
                if plan.is_mariadb
                else f"CHANGE REPLICATION SOURCE TO {new} FOR CHANNEL '{CHANNEL}'"
            )
            self._or_anew(lambda: target.run(statement))
        self._start()

    def _start(self) -> None:
        self._or_anew(lambda: self.target.replica("START"))

    def _or_anew(self, step: Callable[[], object]) -> None:
        """Run a step. If a killed target has left a relay log that it cannot read, make the channel anew.

        By GTIDs, that loses nothing.
        """
        try:
            step()
        except ServerError as error:
            if not self._plan.by_gtids or not any(f"(error {number})" in error.message for number in BROKEN):
                raise
            self._leave()  # an error ends the connection
            self._make_anew()

    def _make_anew(self) -> None:
        self._made_anew += 1
        self.target.replica("STOP")
        self.target.replica("RESET", " ALL")
        self.target.run(self._change())
        self.target.replica("START")

    def _set_up(self) -> None:
        """Give the target the settings of the run; its channel is stopped."""
        target = self.target
        for name, value in self._wanted_settings().items():
            if name == "server_id":
                self._server_id = int(value)
            if name in self._journal.settings:
                target.run(f"SET GLOBAL {name} = {value}")
        here = target.events()
        for key, event in self._journal.scheduled.items():
            if event.status == ENABLED and key in here and here[key].status == ENABLED:
                target.set_event(key, EventState(DISABLED, here[key].definer))
        if not self._plan.is_mariadb and self._plan.by_gtids:
            for one in self._plan.contents.omitted:
                target.run(f"SET gtid_next = '{one.gtid}'")
                target.run("BEGIN")
                target.run("COMMIT")
            target.run("SET gtid_next = AUTOMATIC")

    def _change(self) -> str:
        """Return the statement that makes the channel."""
        plan, how = self._plan, self._how
        is_local = how.host.startswith("127.")
        if plan.is_mariadb:
            tls = "MASTER_SSL = 0" if is_local else "MASTER_SSL = 1, MASTER_SSL_VERIFY_SERVER_CERT = 0"
            return (
                f"CHANGE MASTER '{CHANNEL}' TO MASTER_HOST = '{how.host}', MASTER_PORT = {self._journal.port}, "
                f"MASTER_USER = '{CHANNEL}', MASTER_PASSWORD = '{self._password}', {tls}, MASTER_CONNECT_RETRY = 1, "
                "MASTER_USE_GTID = slave_pos"
            )
        place = "SOURCE_AUTO_POSITION = 1"
        if not plan.by_gtids:
            place = f"SOURCE_LOG_FILE = '{plan.first.name}', SOURCE_LOG_POS = {plan.start}"
            if self._state.variable("gtid_mode") == "ON":
                place += ", ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS = LOCAL"
        return (
            f"CHANGE REPLICATION SOURCE TO SOURCE_HOST = '{how.host}', SOURCE_PORT = {self._journal.port}, "
            f"SOURCE_USER = '{CHANNEL}', SOURCE_PASSWORD = '{self._password}', SOURCE_SSL = 1, "
            f"SOURCE_CONNECT_RETRY = 1, SOURCE_RETRY_COUNT = 1000000, {place} FOR CHANNEL '{CHANNEL}'"
        )

    def _wait(self) -> None:
        """Wait until everything is applied. Raise BinlogError if the target stops."""
        pause = threading.Event()
        while not self._is_applied():
            status = self.target.channel()
            if status is None:
                raise BinlogError(
                    f"the channel {CHANNEL} was removed during the run",
                    file=self.target.address,
                    hint="Run the same command again",
                )
            self._progress(str(status["Relay_Source_Log_File"]), int(status["Exec_Source_Log_Pos"] or 0))
            self._mend(status)
            pause.wait(PAUSE)

    def _is_applied(self) -> bool:
        plan, target = self._plan, self.target
        if not plan.by_gtids:
            status = target.channel()
            place = None if status is None else (status["Relay_Source_Log_File"], int(status["Exec_Source_Log_Pos"]))
            return place == plan.end_position
        if plan.is_mariadb:
            here = positions(str(target.executed()))
            return all(here.get(domain) == place for domain, place in plan.contents.applied.items())
        return not plan.planned.minus(target.executed_set())

    def _mend(self, status: dict[str, object]) -> None:
        """Start the channel again if the target was restarted. Raise BinlogError if it stopped at an error."""
        target = self.target
        if (
            int(str(status["Last_SQL_Errno"] or 0)) in UNREADABLE
            and self._plan.by_gtids
            and self._made_anew < MOST_ANEW
        ):
            self._make_anew()
            return
        if error := target.applier_error(status):
            self._stopped(f"the target stopped: {error}")
        if self._server_id and int(target.value("@@GLOBAL.server_id")) != self._server_id:
            target.replica("STOP")  # a restart has brought the old one back
            target.run(f"SET GLOBAL server_id = {self._server_id}")
            self._start()
            return
        receiver = str(status["Last_IO_Error"] or "")
        if status["Replica_IO_Running"] == "No" and str(STOPPED) in receiver + str(status["Last_IO_Errno"]):
            self._stopped(f"the target cannot read on: {receiver}")
        if "No" in (status["Replica_IO_Running"], status["Replica_SQL_Running"]):
            self._start()

    def _stopped(self, what: str) -> None:
        with suppress(SourceError):
            self.target.replica("STOP")
        raise BinlogError(
            what,
            file=self.target.address,
            hint="The same command goes on when that is mended; --give-up puts the target's settings back instead",
        )

    # ---- afterwards

    def _settle(self) -> None:
        """Remove the channel, and give events and settings their values."""
        contents = self._plan.contents
        wanted = {key: EventState(status, "") for key, status in contents.scheduled.states.items()}
        self.report.events = put_in_order(self.target, self._journal, wanted, contents.scheduled.changed)

    def _prove(self) -> None:
        self.report.proof = prove(self._plan, self.target, self._journal, self._tell)


def put_in_order(
    target: Target,
    journal: Journal,
    events: dict[tuple[str, str], EventState],
    changed: set[tuple[str, str]] | frozenset[tuple[str, str]] = frozenset(),
) -> dict[str, str]:
    """Remove the channel, and give events and settings their values. Return the states of events that were `changed`.

    Everything may be done already.
    """
    if target.channel() is not None:
        target.replica("STOP")
        target.replica("RESET", " ALL")
    here = target.events()
    given = {}
    for key, event in events.items():
        if key in here:
            status = event.status
            if target.is_mariadb:
                status = status.replace("REPLICA_SIDE", "SLAVESIDE")
            if here[key].status != status:
                target.set_event(key, EventState(status, here[key].definer))
            if key in changed:
                given[".".join(key)] = status
    for name, value in journal.settings.items():
        target.run(f"SET GLOBAL {name} = {value}")
    return given


def give_up(target: Target, journal: Journal) -> Iterator[str]:
    """Put the target's events and settings back, and forget the run. Yield sentences about what remains."""
    put_in_order(target, journal, journal.scheduled)
    yield f"the target keeps what was applied: {target.executed()}"
    journal.remove()
