"""ServerRows: rows of a live server as they happen, over as many connections as that takes."""

import uuid
from collections.abc import Callable
from contextlib import closing

from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.live.checkpoint import KEPT
from pybinlog.live.live_run import LiveRun, Place
from pybinlog.live.read_gtids import continues
from pybinlog.log.reader import Reader
from pybinlog.mirror import continuation
from pybinlog.mirror.folder import Identity, base_of
from pybinlog.mirror.reconnecting import CONNECTION_LOST, OtherServerError, Reconnecting
from pybinlog.source.base import Source

HINT = "Name another checkpoint (and output) to begin anew; pybinlog rows -R without one begins at the server's end"


class ServerRows:
    """Reads a server's logs into a LiveRun: from its checkpoint, else from the log `first_log`, else from the end.

    `run` ends with an exception: DataLossError if the server does not continue the checkpoint, BinlogError if the first
    connection cannot be made. A connection that is lost is made again, and if another server answers, as after a
    failover: its logs have other places for the same GTIDs.
    """

    def __init__(
        self, server: continuation.MirroredServer, run: LiveRun, *, first_log: str | None, warn: Callable[[str], object]
    ):
        self._server = server
        self._run = run
        self._first_log = first_log
        self._warn = warn
        self._who: str | None = None
        self._torn_at: tuple[str, int] | None = None
        """The end of what the server could send of a torn log."""
        self._replica = (str(uuid.uuid4()), continuation.random_id())
        self._reconnecting = Reconnecting(server.address, self._connection, lambda: self._reached, warn)

    def run(self) -> None:
        self._reconnecting.run()

    @property
    def _reached(self) -> tuple[str, int] | None:
        place = self._run.place
        return None if place is None else (place.name, place.whole)

    def _connection(self) -> bool:
        run = self._run
        with closing(self._server.connect()) as connection:
            there = self._server.logs(connection)
            who = (
                there.server if there.server.startswith("server_uuid") else f"{there.server} at {self._server.address}"
            )
            if not self._reconnecting.has_continued:
                run.begin(who)
                self._who = who
            elif who != self._who:
                sentence = f"what was read is of the server with {self._who}, and this one has {who}"
                raise OtherServerError(sentence, file=self._server.address, hint=HINT)
            place = run.place or self._first(there)
            keeper = "the checkpoint" if run.checkpoint is not None else "what was read"
            if self._torn_at is not None and self._torn_at == self._reached:
                place = self._after_torn(there, place, keeper)
            elif place.name not in there.sizes:
                place = self._after_purge(there, place, keeper)
            continuation.check_server(self._server, there, place, keeper=keeper, most=len(place.opening), hint=HINT)
            run.start(place)
            identity = Identity(there.server, base_of(place.name), *self._replica)
            source = self._server.log_from(connection, identity, place.name, place.whole)
            self._reconnecting.has_continued = True
            run.lines.reset()
            try:
                self._read(source, place.whole)
            except CONNECTION_LOST as error:
                if continuation.TORN in error.message:
                    self._torn_at = self._reached
                run.save()  # it may be long until another one can be made
                raise
        return False

    def _first(self, there: continuation.ServerLogs) -> Place:
        """Return where to begin without a checkpoint."""
        if self._first_log is None:
            size = there.sizes[there.last]
            opening = self._server.beginning_of(there.last, min(size, KEPT))
            return Place(there.last, size, opening)
        there.check(self._first_log, self._server.address, "Leave the log out to begin at the server's end")
        return Place(self._first_log)

    def _after_purge(self, there: continuation.ServerLogs, place: Place, keeper: str) -> Place:
        """Return the beginning of the server's first log if all before it was read. Raise DataLossError if not."""
        head = self._server.head_of(there.first)
        file = f"{self._server.address}/{place.name}"
        if continues(self._run.lines.gtids, head, keeper, file=file, position=place.whole, hint=HINT):
            return Place(there.first)
        return place

    def _after_torn(self, there: continuation.ServerLogs, place: Place, keeper: str) -> Place:
        """Return the beginning of the log after one that the server cannot send to its end."""
        following = continuation.after_torn(place, there)
        if following is None:
            return place
        gtids = self._run.lines.gtids
        known = gtids.executed.gtids if gtids.executed is not None and gtids.are_places else None
        head = self._server.head_of(following)
        self._warn(continuation.check_behind_torn(self._server.address, place, known, head, keeper=keeper, hint=HINT))
        return Place(following)

    def _read(self, source: Source, start: int) -> None:
        """Log after log, to the end of the connection."""
        run = self._run
        scanner = Scanner(verify_checksum=True)
        is_known = start > MAGIC_LENGTH
        """The first event is the Format_description once more."""
        following: Source | None = source
        while following is not None:
            source, place = following, run.place
            name = source.name.rpartition("/")[2]
            run.lines.begin_log(source.name)
            reader = Reader(source, scanner)
            for batch in reader:
                assert place is not None
                if name != place.name:
                    continuation.check_follows(self._server.address, place, name, batch, hint=HINT)
                    if place.closed_by is None:
                        run.lines.reset()
                        run.lines.begin_log(source.name)
                    place = Place(name)
                    run.begin_log(place)
                if is_known:
                    is_known = False
                    for _ in run.lines.add(batch):
                        pass
                    continue
                if batch.count:
                    run.add(batch)
                    place.closed_by = (reader.rotates_to or "") if reader.closes(relay_log=False) else None
                del batch
                if not source.ready(0):
                    run.save()
            run.save()
            following = source.following()
            if following is not None and place is not None and place.closed_by is None:
                scanner.reset()  # the server was killed here, and what it had begun has no end
