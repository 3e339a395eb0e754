"""Client: the text of a plan's logs over one connection, for a target that cannot be a replica."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from pybinlog.dump import DumpOptions
from pybinlog.dump import run as dump
from pybinlog.errors import BinlogError, ServerError
from pybinlog.filters import NameRules
from pybinlog.log.executed import Executed, wanted_set
from pybinlog.recover.contents import transactions_of
from pybinlog.recover.renaming import Renaming
from pybinlog.recover.run import Run
from pybinlog.recover.settings import set_up
from pybinlog.recover.statements import Statements
from pybinlog.recover.target import Target
from pybinlog.recover.target_rules import resumes
from pybinlog.replication.connection import Connection
from pybinlog.replication.options import ServerOptions

LOCK = "pybinlog_recover"
"""A lock of the server that the session has: another one waits until it has ended, with all that it does."""
LOCK_SECONDS = 1
UNTOLD = "the target does not tell how far it has come"
LOCKED = "(error 1205)"
LOCK_WAIT_SECONDS, MOST_WAITS = 10, 8
"""How long a statement waits for rows, and how often its transaction begins again. The server may choose another index
by then, when it has counted a table's rows; or it rolls back what a kill has interrupted."""
HINT_LOCKED = "Another session has the rows, which SHOW PROCESSLIST lists, or a prepared XA transaction (XA RECOVER). "
"""The way out of a lock wait that was too long."""
MOST_SECONDS = 10.0**8
"""How long one statement may take."""
CONNECT_SECONDS = 60.0
OVERHEAD = 1024
XA_ENDS = ("xa prepare", "xa commit", "xa rollback")
DECISIONS = (b"XA COMMIT ", b"XA ROLLBACK ")
NOTHING_CHANGED = "(error 1402)"
"""A MariaDB's answer when an XA transaction is decided that changed nothing, and whose session has ended."""


class LockedError(BinlogError):
    """A statement has waited too long for rows that another session has."""


class Stretch(NamedTuple):
    """Transactions that are applied one after the other: from a position of a log, by its number in the part, to a
    position of another. `leaves`: the session ends after it, for it has prepared or decided an XA
    transaction."""

    first: int
    start: int
    last: int
    end: int
    leaves: bool


class Client(Run):
    """A run by a client."""

    @cached_property
    def _resumes(self) -> bool:
        return resumes(self._plan, self._state)

    @property
    def _begins_again(self) -> bool:
        """Return True if an error rolls back one transaction, and loses nothing else."""
        return self._resumes and not self._plan.fragile and not self._plan.contents.makes_temporary

    @cached_property
    def _renaming(self) -> Renaming | None:
        rewrite = self._plan.request.rewrite
        return None if rewrite is None else Renaming(*rewrite)

    def apply(self) -> None:
        """Run the text of what the target does not have yet; begin again after a restart of it, or a long lock."""
        for waits in range(MOST_WAITS + 1):
            try:
                self._reached.until_done(self._apply)
                break
            except LockedError:
                if not self._begins_again or waits == MOST_WAITS:
                    raise

    def _apply(self) -> None:
        plan, journal, target = self._plan, self._journal, self._reached.target
        if journal.is_connected and (not self._resumes or plan.contents.makes_temporary):
            raise BinlogError(
                "the run was interrupted, and "
                + ("its session had temporary tables of the logs" if self._resumes else UNTOLD),
                file=target.address,
                hint="End the run with --give-up, and load the backup again",
            )
        set_up(target, plan, journal, self._settings)
        if journal.is_connected and plan.is_mariadb:
            self._mend_xa(target)
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
            target.run(f"SET GLOBAL gtid_slave_pos = '{plan.position}'")

    def _session(self, target: Target) -> ApplySession:
        session = ApplySession(self._reached.options, logs=self._renaming is None, address=target.address)
        if self._begins_again:
            session.run(b"SET SESSION innodb_lock_wait_timeout = %d" % LOCK_WAIT_SECONDS)
        return session

    def _mend_xa(self, target: Target) -> None:
        """Let the target have the XA transactions that its own logs say are prepared.

        A MariaDB that is killed between its logs and its engine has others, or lacks some.
        """
        part = self._plan.part
        assert part is not None
        done = self._done(target)
        wanted: dict[str, Stretch] = {}
        commits = set()
        for found, ended, xid in transactions_of(part, lambda _: None):
            if xid is None or found.gtid is None or not done(found.gtid):
                continue
            if ended == "xa prepare":
                wanted[xid] = Stretch(*found.order, found.order[0], found.end, leaves=True)
                commits.discard(xid)
            elif wanted.pop(xid, None) is not None and ended == "xa commit":
                commits.add(xid)
        here = target.prepared() & self._plan.contents.preparations.keys()
        for xid in here - wanted.keys():
            target.run(f"XA {'COMMIT' if xid in commits else 'ROLLBACK'} {xid}")
        for xid in wanted.keys() - here:
            session = ApplySession(self._reached.options, logs=False, address=target.address)
            try:
                self._run(session, wanted[xid])
            finally:
                session.close()

    def _stretches(self, target: Target) -> Iterator[Stretch]:
        """Yield what the target does not have, in order."""
        part = self._plan.part
        assert part is not None
        done = self._done(target)
        first: tuple[int, int] | None = None
        last = (0, 0)
        detaches = self._state.variable("xa_detach_on_prepare") == "ON"
        prepares = False
        for found, ended, _ in transactions_of(part, lambda _: None):
            prepares = prepares or (ended == "xa prepare" and not detaches)
            skips = found.gtid is not None and (part.knows(found.gtid) or done(found.gtid))
            if skips or part.omits(found):
                if first is not None:
                    yield Stretch(*first, *last, leaves=False)
                first = None
                continue
            first = first or found.order
            last = found.order[0], found.end
            if prepares and ended in XA_ENDS:
                yield Stretch(*first, *last, leaves=True)
                first = None
        if first is not None:
            yield Stretch(*first, *last, leaves=False)

    def _done(self, target: Target) -> Callable[[str], bool]:
        """Return whether an interrupted run has applied a transaction, as the target's GTIDs say."""
        plan = self._plan
        if not self._resumes:
            return lambda _: False
        done = Executed.of_state(target.binlog_state()) if plan.is_mariadb else Executed(target.executed_set())
        return lambda gtid: done.has(wanted_set(gtid))

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
                kind = LockedError if LOCKED in found.message else BinlogError
                raise kind(
                    f"the target stopped at {log.name}, position {position}: {found.message}",
                    file=session.address,
                    hint=(HINT_LOCKED if LOCKED in found.message else "")
                    + "The same command goes on when that is mended; --give-up puts the target's settings back",
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
        self._is_over = False
        """The last statement of a stretch has ended the session; only what closes the text follows."""
        self._connection = Connection(replace(options, connect_timeout=CONNECT_SECONDS, read_timeout=MOST_SECONDS))
        while self._connection.query(f"SELECT GET_LOCK('{LOCK}', {LOCK_SECONDS})") != [(1,)]:
            threading.Event().wait(LOCK_SECONDS)
        ((largest,),) = self._connection.query("SELECT @@max_allowed_packet")
        self._largest = int(largest) - OVERHEAD
        if not logs:
            self._connection.query("SET sql_log_bin = 0")

    def run(self, statement: bytes) -> None:
        if self._is_over:
            return
        if len(statement) > self._largest:
            raise ServerError(
                f"the statement has {len(statement)} bytes, and the target has max_allowed_packet={self._largest}. SET "
                "GLOBAL max_allowed_packet to more"
            )
        try:
            self._connection.query(statement)
        except ServerError as error:  # which closes the connection
            self._is_over = NOTHING_CHANGED in error.message and statement.startswith(DECISIONS)
            if not self._is_over:
                raise

    def close(self) -> None:
        self._connection.close()
