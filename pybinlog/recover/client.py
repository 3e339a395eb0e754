"""Client: the text of a plan's logs over one connection, for a target that cannot be a replica."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import NamedTuple

from pybinlog.dump import DumpOptions
from pybinlog.dump import run as dump
from pybinlog.errors import BinlogError, ServerError
from pybinlog.filters import NameRules
from pybinlog.log.executed import Executed
from pybinlog.recover.client_rules import resumes
from pybinlog.recover.contents import transactions_of
from pybinlog.recover.planning import knower
from pybinlog.recover.proof import gtids_of
from pybinlog.recover.renaming import Renaming
from pybinlog.recover.settings import set_up
from pybinlog.recover.statements import Statements
from pybinlog.recover.target_rules import positions
from pybinlog.replication.connection import Connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pybinlog.recover.journal import Journal
    from pybinlog.recover.plan import Plan
    from pybinlog.recover.reached import Reached
    from pybinlog.recover.target import Target, TargetState
    from pybinlog.replication.options import ServerOptions

LOCK = "pybinlog_recover"
"""A lock of the server that the session has: another one waits until it has ended, with all that it does."""
LOCK_SECONDS = 1
MOST_SECONDS = 10.0**8
"""How long one statement may take."""
CONNECT_SECONDS = 60.0
OVERHEAD = 1024


class Stretch(NamedTuple):
    """Transactions that are applied one after the other: from a position of a log, by its number in the part, to a
    position of another. `leaves`: the session ends after it, for it has prepared an XA transaction."""

    first: int
    start: int
    last: int
    end: int
    leaves: bool


class Client:
    """The way of a run by a client. Raise BinlogError if the target refuses a statement; the same run then goes on."""

    def __init__(
        self,
        plan: Plan,
        state: TargetState,
        journal: Journal,
        settings: Mapping[str, str],
        reached: Reached,
        progress: Callable[[str, int], object],
    ):
        self._plan = plan
        self._journal = journal
        self._settings = settings
        self._reached = reached
        self._progress = progress
        self._detaches = state.variable("xa_detach_on_prepare") == "ON"
        self._resumes = resumes(plan, state)
        self._renaming = None if plan.request.rewrite is None else Renaming(*plan.request.rewrite)

    def apply(self) -> None:
        """Run the text of what the target does not have yet, and begin again after each restart of the target."""
        self._reached.until_done(self._apply)

    def _apply(self) -> None:
        plan, journal, target = self._plan, self._journal, self._reached.target
        if journal.is_connected and not self._resumes:
            raise BinlogError(
                "the run was interrupted, and the target does not tell how far it has come",
                file=target.address,
                hint="End the run with --give-up, and load the backup again",
            )
        if journal.is_connected and plan.contents.makes_temporary:
            raise BinlogError(
                "the run was interrupted, and its session had temporary tables of the logs",
                file=target.address,
                hint="End the run with --give-up, and load the backup again",
            )
        set_up(target, plan, journal, self._settings)
        session: ApplySession | None = None
        try:
            session = self._session(target)
            journal.is_connected = True
            journal.write()
            for stretch in self._stretches(target):
                session = session or self._session(target)
                self._run(session, stretch)
                if stretch.leaves:
                    session.close()
                    session = None
        finally:
            if session is not None:
                session.close()
        if plan.is_mariadb and self._renaming is None:
            there = positions(str(plan.known)) | plan.contents.applied
            text = ",".join(f"{domain}-{server}-{number}" for domain, (server, number) in sorted(there.items()))
            target.run(f"SET GLOBAL gtid_slave_pos = '{text}'")

    def _session(self, target: Target) -> ApplySession:
        return ApplySession(self._reached.options, logs=self._renaming is None, address=target.address)

    def _stretches(self, target: Target) -> Iterator[Stretch]:
        """Yield what the target does not have, in order."""
        part = self._plan.part
        assert part is not None
        done = self._done(target)
        first: tuple[int, int] | None = None
        last = (0, 0)
        for found, ended in transactions_of(part, lambda _: None):
            skips = found.gtid is not None and (part.knows(found.gtid) or done(found.gtid))
            if skips or part.omits(found):
                if first is not None:
                    yield Stretch(*first, *last, leaves=False)
                first = None
                continue
            first = first or found.order
            last = found.order[0], found.end
            if ended == "xa prepare" and not self._detaches:
                yield Stretch(*first, *last, leaves=True)
                first = None
        if first is not None:
            yield Stretch(*first, *last, leaves=False)

    def _done(self, target: Target) -> Callable[[str], bool]:
        """Return whether an interrupted run has applied a transaction, as the target's GTIDs say."""
        plan = self._plan
        if not self._resumes:
            return lambda _: False
        if plan.is_mariadb:
            logged = {(domain, server): number for domain, server, number in gtids_of(target.binlog_state())}

            def is_logged(gtid: str) -> bool:
                domain, server, number = map(int, gtid.split("-"))
                return number <= logged.get((domain, server), 0)

            return is_logged
        return knower(Executed(target.executed_set()), is_mariadb=False)

    def _run(self, session: ApplySession, stretch: Stretch) -> None:
        """Run the text of a stretch."""
        plan, part, renaming = self._plan, self._plan.part, self._renaming
        assert part is not None
        logs = part.logs[stretch.first : stretch.last + 1]
        error: BinlogError | None = None

        def execute(statement: bytes, number: int, position: int) -> None:
            log = logs[min(number, len(logs) - 1)]
            self._progress(log.name, position)
            try:
                session.run(statement if renaming is None else renaming.of_statement(statement))
            except ServerError as found:
                raise BinlogError(
                    f"the target stopped at {log.name}, position {position}: {found.message}",
                    file=session.address,
                    hint="The same command goes on when that is mended; --give-up puts the target's settings back",
                ) from None

        statements = Statements(execute)

        class Sink:
            def write(self, piece: bytes) -> None:
                nonlocal error
                if error is not None:
                    return  # what closes the text
                try:
                    statements.write(piece)
                except BinlogError as found:
                    error = found
                    raise

        options = DumpOptions(
            start_position=stretch.start,
            stop_position=stretch.end,
            skip_gtids=not plan.by_gtids or renaming is not None,
            rewrite_db=() if renaming is None else (renaming.names,),
            names=None if renaming is None else NameRules(databases=renaming.names),
        )
        dump([log.path for log in logs], options, Sink(), lambda _: None)
        statements.close()


class ApplySession:
    """The session that runs the text. `logs`: the target's own logs get what it does.

    Raise SourceError if the connection is lost, ServerError if the server refuses.
    """

    def __init__(self, options: ServerOptions, *, logs: bool, address: str):
        self.address = address
        self._connection = Connection(replace(options, connect_timeout=CONNECT_SECONDS, read_timeout=MOST_SECONDS))
        while self._connection.query(f"SELECT GET_LOCK('{LOCK}', {LOCK_SECONDS})") != [(1,)]:
            threading.Event().wait(LOCK_SECONDS)
        ((largest,),) = self._connection.query("SELECT @@max_allowed_packet")
        self._largest = int(largest) - OVERHEAD
        if not logs:
            self._connection.query("SET sql_log_bin = 0")

    def run(self, statement: bytes) -> None:
        if len(statement) > self._largest:
            raise ServerError(
                f"the statement has {len(statement)} bytes, and the target has max_allowed_packet={self._largest}. SET "
                "GLOBAL max_allowed_packet to more"
            )
        self._connection.query(statement)

    def close(self) -> None:
        self._connection.close()
