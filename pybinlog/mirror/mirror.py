"""Mirror: identical copies of a server's logs, for as long as it runs, over as many connections as that takes.

The worklog's I/O thread (WL#4162), with a folder as its relay log: each connection resets the boundary parser, which is
fed with every event; only whole transactions stay in the folder at a new connection, so that the parser meets a start.
A refusal is then not an accident of the connection, and ends the mirror.
"""

import uuid
from collections.abc import Callable
from contextlib import closing
from enum import Enum

from pybinlog.boundary.bits import refusal
from pybinlog.errors import BinlogError, ServerError
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import MAGIC_LENGTH, NOT_REFUSED
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader
from pybinlog.mirror import continuation
from pybinlog.mirror.folder import Identity, MirrorFolder, base_of, number_of
from pybinlog.mirror.growing_log import GrowingLog
from pybinlog.mirror.reconnecting import OtherServerError, Reconnecting
from pybinlog.source.base import Source
from pybinlog.source.server import ServerSource


class Fsync(Enum):
    """When the disk has to have what was received."""

    TRANSACTION = "transaction"  # as soon as nothing more has arrived
    LOG = "log"  # at the end of each log
    NEVER = "never"  # when the system likes


class Mirror:
    """Copies a server's logs to a folder, whose lock is held.

    `first_log` is where an empty folder begins, None: with the server's first log. With `once` it ends at the server's
    end; the server is then to be one that does not stay. `continued` is called once, when the server has turned out to
    continue the folder's logs, `log_finished` with the path of each log that has got its last byte. `warn` is told in a
    sentence what is tried again; `progress` after each step what the log is, how long, and the time of its last event
    (seconds since 1970; 0 if all has come that there is). It returns 0, or the seconds after which it wants to be
    told again if nothing comes.

    `run` raises DataLossError, with the folder as it was, if the server does not continue what is in it;
    Raise BinlogError if the first connection cannot be made, if the boundary parser refuses an event, and where the
    folder cannot be written.
    """

    def __init__(
        self,
        folder: MirrorFolder,
        server: continuation.MirroredServer,
        *,
        fsync: Fsync = Fsync.TRANSACTION,
        once: bool = False,
        first_log: str | None = None,
        continued: Callable[[], object] | None = None,
        log_finished: Callable[[str], object] | None = None,
        warn: Callable[[str], object],
        progress: Callable[[str, int, int], float] | None = None,
    ):
        self._folder = folder
        self._server = server
        self._fsync = fsync
        self._once = once
        self._first_log = first_log
        self._continued = continued
        self._log_finished = log_finished
        self._warn = warn
        self._progress = progress
        self._log: GrowingLog | None = None
        self._source: ServerSource | None = None
        self._torn_at: tuple[str, int] | None = None
        """The end of what the server could send of a torn log."""
        self._reconnecting = Reconnecting(server.address, self._connection, lambda: self._reached, warn, once=once)

    def run(self) -> None:
        """Run; return at the server's end with `once`, otherwise only an exception or an interrupt ends it.

        Whatever ends it, the folder's last log ends with a whole transaction then, and the disk has it. A first run
        that the server has refused leaves nothing behind.
        """
        try:
            self._reconnecting.run()
        finally:
            if self._log is not None:
                try:
                    self._log.cut()
                    if self._fsync is not Fsync.NEVER:
                        self._log.sync()
                finally:
                    self._log.close()
            if not self._reconnecting.has_continued:
                self._folder.remove_new()

    @property
    def _reached(self) -> tuple[str, int] | None:
        """The end of the last whole transaction: its log, and where that ends."""
        return None if self._log is None else (self._log.name, self._log.whole)

    # ---- one connection

    def _connection(self) -> bool:
        """Return True if it came to the server's end, and is to end there; otherwise the server has ended it."""
        with closing(self._server.connect()) as connection:
            there = self._server.logs(connection)
            log = self._log_to_continue(there)
            continuation.check_server(self._server, there, log)
            identity = self._folder.identity
            assert identity is not None
            self._source = self._server.log_from(connection, identity, log.name, log.compared_from)
            continuation.continue_log(self._source, log)
            if not self._reconnecting.has_continued and there.encrypted:
                self._warn(
                    "The server encrypts its logs and sends them decrypted: the mirror's copies are plain. Protect "
                    "the folder, or encrypt its disk."
                )
            if not self._reconnecting.has_continued and self._continued is not None:
                self._continued()
            self._reconnecting.has_continued = True
            log.begin()
            self._answer()
            try:
                self._copy_all(self._source)
            except ServerError as error:
                if continuation.TORN in error.message:
                    self._torn_at = self._reached
                raise
        assert self._log is not None
        at_end = (number_of(self._log.name), self._log.size) >= (number_of(there.last), there.sizes[there.last])
        return self._once and at_end

    def _log_to_continue(self, there: continuation.ServerLogs) -> GrowingLog:
        """Return the log that is being written.

        In an empty folder, and where the server has purged it, another is begun.
        """
        identity = self._folder.identity
        if identity is not None and identity.server != there.server:
            raise OtherServerError(
                f"the mirror in {self._folder.path} is of the server with {identity.server}, and this one has "
                f"{there.server}",
                file=self._server.address,
                hint="Mirror each server into a folder of its own",
            )
        if self._log is None:
            names = self._folder.logs()
            if not names:
                return self._begin(self._first(there), there)
            self._log = GrowingLog(self._folder.file(names[-1]))
        if self._torn_at is not None and self._torn_at == self._reached:
            self._leave_torn(self._log, there)
        following = continuation.next_after(self._log)
        if self._log.name not in there.sizes and following is not None and following in there.sizes:
            self._finish(following)
        return self._log

    def _leave_torn(self, log: GrowingLog, there: continuation.ServerLogs) -> None:
        """Continue with the log after one that the server cannot send to its end, if no transaction is missing."""
        following = continuation.after_torn(log, there)
        if following is None:
            return
        log.cut()
        head = self._server.head_of(following)
        self._warn(continuation.check_behind_torn(self._server.address, log, log.known_gtids(), head))
        self._finish(following)

    def _first(self, there: continuation.ServerLogs) -> str:
        first = self._first_log or there.first
        there.check(first, self._server.address, "Leave the log out to begin with the first one")
        return first

    def _begin(self, name: str, there: continuation.ServerLogs) -> GrowingLog:
        """Return the first log of an empty folder."""
        if self._folder.identity is None:
            self._folder.begin(Identity(there.server, base_of(name), str(uuid.uuid4()), continuation.random_id()))
        self._log = GrowingLog(self._folder.add(name))
        return self._log

    def _finish(self, following: str) -> None:
        """End the log that is being written; the next one begins."""
        log = self._log
        assert log is not None
        if self._fsync is not Fsync.NEVER:
            log.sync()
        log.finish()
        self._log = GrowingLog(self._folder.add(following))
        self._log.begin()
        log.close()
        if self._log_finished is not None:
            self._log_finished(log.path)

    # ---- events

    def _copy_all(self, source: Source) -> None:
        """Log after log, to the end of the connection."""
        # what is of no known type is copied like the rest
        scanner = Scanner(verify_checksum=True, force_read=True, joins_parts=False)
        name = self._log_now.name
        is_known = (source.sent_from or 0) > MAGIC_LENGTH
        """The first event is the Format_description, which the log has already."""
        while True:
            reader = Reader(source, scanner)
            for batch in reader:
                if not is_known:
                    if name != self._log_now.name:
                        continuation.check_follows(self._server.address, self._log_now, name, batch)
                        self._finish(name)
                    self._append(batch)
                    self._log_now.closed_by = (reader.rotates_to or "") if reader.closes(relay_log=False) else None
                    self._pause(source, batch)
                is_known = False
                del batch
            following = source.following()
            if following is None:
                return
            if self._log_now.closed_by is None:
                scanner.reset()  # the server was killed here, and what it had begun has no end
            source, name = following, following.name.rpartition("/")[2]

    @property
    def _log_now(self) -> GrowingLog:
        assert self._log is not None
        return self._log

    def _append(self, batch: EventBatch) -> None:
        """Raise BinlogError if the boundary parser refuses an event; those before it are written."""
        refused: BinlogError | None = None
        if batch.refusals:
            index = next(index for index in range(batch.count) if batch.refused_from(index) != NOT_REFUSED)
            header = batch.header(index)
            what = refusal(batch.refused_from(index), header.boundary, batch.bits(index))
            refused = BinlogError(
                f"{what.message} The server sent an invalid stream; the mirror has the whole transactions before it",
                file=f"{self._server.address}/{self._log_now.name}",
                position=header.position,
                hint="See what pybinlog check -R says of this log",
            )
            batch.truncate(index)
        if batch.count:
            self._log_now.append(batch)
        if refused is not None:
            raise refused

    def _pause(self, source: Source, batch: EventBatch) -> None:
        """Do, after each batch, what comes before the next wait for the server."""
        log = self._log_now
        self._answer()
        drained = not source.ready(0)
        if drained and self._fsync is Fsync.TRANSACTION:
            log.sync()
        if self._progress is not None:
            last = 0 if drained else batch.header(batch.count - 1).timestamp
            while (seconds := self._progress(log.name, log.size, last)) and drained and not source.ready(seconds):
                pass

    def _answer(self) -> None:
        """Tell a semi-synchronous server what the disk has, if it waits for that."""
        assert self._source is not None
        stream = self._source.stream
        wanted = stream.answer_wanted
        if wanted is not None and wanted <= self._log_now.size:
            self._log_now.sync()
            stream.answer(wanted)
