"""Replica: the target as a replica of this process, which serves it the logs of a plan."""

import secrets
import threading
from collections.abc import Callable
from contextlib import suppress

from pybinlog.errors import BinlogError, ServerError, SourceError
from pybinlog.gtid_set import parse_gtid_set
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.kernel.scan.gtid_fields import GtidFilter
from pybinlog.recover.contents import transactions_of
from pybinlog.recover.planning import knower
from pybinlog.recover.run import Run
from pybinlog.recover.settings import ids_of, set_up
from pybinlog.recover.target import CHANNEL, Target, is_not_ready
from pybinlog.replication.login import Account
from pybinlog.replication.own_certificate import server_context
from pybinlog.serve.options import OwnServerId, ServeOptions
from pybinlog.serve.server import Server

FIRST_PORT, LAST_PORT = 20000, 30000
"""Ports that no end of another connection gets by chance: after a kill, the same one is needed again."""
PAUSE = 0.1
PASSWORD_SIZE = 12
"""Bytes; a replica keeps at most 32 characters of a password."""
MOST_CLIENTS = 8
BROKEN = (1872, 1201)
"""The errors for a channel whose relay log, or notes about it, cannot be read."""
UNREADABLE = (13121, 1594)
"""The applier's errors for a relay log that ends in the middle of an event."""
MOST_ANEW = 20
MOST_REFUSALS = 20
"""How often the receiver, which tries by itself to connect again, may stop at an error."""
STOPPED = 1236
"""The error with which pybinlog's own source refuses to go on, in the words of the target."""


class Replica(Run):
    """A run by replication."""

    _password = ""
    _restarts = _refusals = _made_anew = 0

    @property
    def _target(self) -> Target:
        return self._reached.target

    def apply(self) -> None:
        self._password = secrets.token_hex(PASSWORD_SIZE)
        self._serve()
        self._reached.until_done(self._begin)
        self._reached.until_done(self._wait)

    def _serve(self) -> None:
        """Serve the logs of the plan in a thread that ends with the program."""
        plan, how = self._plan, self._how
        excluded = None
        if plan.by_gtids and plan.request.without is not None:
            excluded = GtidFilter(parse_gtid_set(plan.request.without))
        for log in plan.archive.logs:
            log.omitted = sorted((one.start, one.end) for one in plan.contents.omitted if one.log == log.path)
        if not plan.by_gtids:  # a target that was killed may ask for more than it was told to
            logs = plan.archive.logs
            plan.archive.forget_missing({log.name: log.path for log in logs[logs.index(plan.first) :]})
            if plan.start > MAGIC_LENGTH:
                plan.first.omitted.insert(0, (MAGIC_LENGTH, plan.start))
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

    def _begin(self) -> None:
        """Set the target up, and let it connect."""
        target, journal, plan = self._target, self._journal, self._plan
        channel = target.channel()
        if channel is not None:
            target.replica("STOP")
            if plan.by_gtids:  # its relay log may have events with an id that a restart has given back to the target
                target.replica("RESET", " ALL")
                channel = None
        elif journal.is_connected and not plan.by_gtids:
            raise BinlogError(
                f"the channel {CHANNEL} of this run is gone, so the target does not know how far it has come",
                file=target.address,
                hint=f"Load the backup into the target again, then remove {journal.path}",
            )
        set_up(target, plan, journal, self._settings)
        if channel is None:
            self._make()
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
        self._or_anew(lambda: self._target.replica("START"))

    def _or_anew(self, step: Callable[[], object]) -> None:
        """Run a step. If a killed target has left a relay log that it cannot read, make the channel anew.

        By GTIDs, that loses nothing.
        """
        try:
            step()
        except ServerError as error:
            if not self._plan.by_gtids or not any(f"(error {number})" in error.message for number in BROKEN):
                raise
            self._reached.leave()  # an error ends the connection
            self._make_anew()

    def _make_anew(self) -> None:
        self._made_anew += 1
        self._target.replica("STOP")
        self._target.replica("RESET", " ALL")
        self._make()
        self._target.replica("START")

    def _make(self) -> None:
        """Make the channel.

        MariaDB's optimistic workers wait without end for the locks of a later XA transaction that is prepared.
        """
        self._target.run(self._change())
        if self._plan.is_mariadb and self._plan.contents.preparations:
            self._target.run(f"SET GLOBAL {CHANNEL}.slave_parallel_mode = 'conservative'")

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
            status = self._target.channel()
            if status is None:
                raise BinlogError(
                    f"the channel {CHANNEL} was removed during the run",
                    file=self._target.address,
                    hint="Run the same command again",
                )
            self._progress(str(status["Relay_Source_Log_File"]), int(status["Exec_Source_Log_Pos"] or 0))
            self._mend(status)
            pause.wait(PAUSE)

    def _is_applied(self) -> bool:
        plan, target = self._plan, self._target
        if not plan.by_gtids:
            status = target.channel()
            place = None if status is None else (status["Relay_Source_Log_File"], int(status["Exec_Source_Log_Pos"]))
            return place == plan.end_position
        if plan.is_mariadb:
            here = target.executed().positions
            return all(here.get(domain) == place for domain, place in plan.contents.applied.items())
        return not plan.planned.minus(target.executed_set())

    def _mend(self, status: dict[str, object]) -> None:
        """Start the channel again if the target was restarted. Raise BinlogError if it stopped at an error."""
        target = self._target
        if (
            int(str(status["Last_SQL_Errno"] or 0)) in UNREADABLE
            and self._plan.by_gtids
            and self._made_anew < MOST_ANEW
        ):
            self._make_anew()
            return
        error = target.applier_error(status)
        if is_not_ready(error):
            self._start()
            raise ServerError(error, file=target.address)
        if error:
            self._stopped(f"the target stopped: {error}", self._way_over())
        if self._was_restarted():
            target.replica("STOP")
            set_up(target, self._plan, self._journal, self._settings)
            if self._plan.by_gtids:
                self._make_anew()
            else:
                self._start()
            return
        receiver = str(status["Last_IO_Error"] or "")
        number = int(str(status["Last_IO_Errno"] or 0))
        if status["Replica_IO_Running"] == "No" and number:
            self._refusals += 1
            if self._refusals > MOST_REFUSALS or str(STOPPED) in f"{receiver}{number}":
                self._stopped(f"the target cannot read on: {receiver}")
        if "No" in (status["Replica_IO_Running"], status["Replica_SQL_Running"]):
            self._start()

    def _was_restarted(self) -> bool:
        """Return True if a restart has brought back the target's own settings."""
        restarts, self._restarts = self._restarts, self._reached.restarts
        if restarts != self._restarts:
            return True
        return self._plan.is_mariadb and int(self._target.value("@@GLOBAL.server_id")) in ids_of(self._plan)

    def _way_over(self) -> str:
        """Return the way out if a killed MariaDB may have run a statement without noting its GTID; else ""."""
        if not self._plan.is_mariadb or (self._is_new and not self._reached.restarts):
            return ""
        knows = knower(self._target.executed(), is_mariadb=True)
        assert self._plan.part is not None
        places = transactions_of(self._plan.part, lambda _: None)
        found = next((one for one, *_ in places if one.gtid is not None and not knows(one.gtid)), None)
        if found is None or len(self._plan.contents.applied) > 1:
            return ""
        return (
            f"If the target was killed, it may have run the statement of {found} before, without noting its GTID. If "
            f"you see its result there, SET GLOBAL gtid_slave_pos = '{found.gtid}'. "
        )

    def _stopped(self, what: str, way_out: str = "") -> None:
        with suppress(SourceError):
            self._target.replica("STOP")
        raise BinlogError(
            what,
            file=self._target.address,
            hint=way_out
            + "The same command goes on when that is mended; --give-up puts the target's settings back instead",
        )
