"""LogStream: the answer to a dump command: log after log, as the dump thread of a server sends them."""

from time import monotonic

from pybinlog.errors import BinlogError, DataLossError, SourceError
from pybinlog.gtid_intervals import GtidSet
from pybinlog.kernel.base.event import FORMAT_DESCRIPTION, MAGIC_LENGTH
from pybinlog.kernel.scan import packet_framer
from pybinlog.kernel.scan.gtid_fields import GtidFilter
from pybinlog.kernel.scan.mark import Marker
from pybinlog.kernel.scan.packet_framer import PacketFramer
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader
from pybinlog.replication.client_channel import CLOSED, ClientChannel, ClientGone
from pybinlog.replication.server_log import ANNOTATE_ROWS
from pybinlog.serve.archive import NO_LIMIT, Archive
from pybinlog.serve.checked_logs import CheckedLogs
from pybinlog.serve.dump_command import HEARTBEATS_OF_64_BITS, DumpCommand, Session
from pybinlog.serve.made_events import MadeEvents
from pybinlog.serve.options import OwnServerId, ServeOptions
from pybinlog.serve.refused import Refused
from pybinlog.serve.start import Start
from pybinlog.source import open_source

ROOM = 1 << 18
"""Bytes of packets that are sent at once."""
NO_CHECKSUM = (
    "Replica can not handle replication events with the checksum that source is configured to log: it did not SET "
    "@source_binlog_checksum = @@global.binlog_checksum (MariaDB: @master_binlog_checksum)"
)
LOOKS = 0.1
"""Seconds after which a stream that waits looks for more."""


class LogStream:
    """Sends the logs of an archive from a start. `position` and `log` say how far it came."""

    def __init__(
        self,
        channel: ClientChannel,
        archive: Archive,
        start: Start,
        command: DumpCommand,
        session: Session,
        options: ServeOptions,
    ):
        self._channel = channel
        self._archive = archive
        self._start = start
        self._command = command
        self._session = session
        self._options = options
        self._is_over = False
        self._made = MadeEvents(archive.server_id, is_marked=options.marks)
        self._buffer = memoryview(bytearray(ROOM))
        self._framer = self._new_framer()
        self._spoke = monotonic()
        self.log = start.log
        self.position = start.position

    def _new_framer(self) -> PacketFramer:
        start, options = self._start, self._options
        framer = PacketFramer(
            None if start.known is None else filter_of(start.known),
            options.excluded,
            Marker() if options.marks else None,
            self._channel.sequence,
        )
        framer.annotates = bool(self._command.flags & ANNOTATE_ROWS) and self._session.mariadb_capability > 0
        framer.strict = self._session.variable("slave_gtid_strict_mode") == "1"
        framer.until, framer.stops_before = start.until, start.stops_before
        for gtid in start.begin:
            framer.begin_domain(*gtid)
        for gtid in start.end:
            framer.end_domain(*gtid)
        if self._session.is_replica and options.own_server_id is OwnServerId.ERROR:
            framer.drop_own(self._command.server_id)
        elif self._session.is_replica and options.own_server_id is OwnServerId.REWRITE:
            framer.rewrite_own(self._command.server_id, self._archive.server_id)
        return framer

    @property
    def transactions(self) -> int:
        """Those with a GTID that were sent."""
        return int(self._framer.transactions)

    @property
    def events(self) -> int:
        return int(self._framer.events)

    # ---- log after log

    def send(self) -> None:
        """Send everything, then wait for more; a non-blocking dump ends. Return if the stream has ended.

        Raise Refused if it must not go on, ClientGone if the client has gone.
        """
        try:
            self._send_logs()
        except DataLossError as error:
            raise Refused(str(error)) from None
        finally:
            self._channel.sequence = self._framer.sequence

    def _send_logs(self) -> None:
        log, position, checksum = self._start.log, self._start.position, self._session.checksum
        if checksum is None and log.format.checksum_length:
            raise Refused(NO_CHECKSUM)
        # The first one is as the client asked; those that follow are as the log is.
        has_checksum = (checksum or "").upper() == "CRC32"
        while True:
            self.log = log
            self._send(self._made.rotate(log.name, position, log.format, checksum=has_checksum))
            if self._start.until and not self._start.end:
                self._end_until()
            else:
                self._send_log(position)
            following = self._archive.after(log)
            if self._is_over or following is None:
                return
            log, position, has_checksum = following, MAGIC_LENGTH, bool(log.format.checksum_length)

    def _send_log(self, position: int) -> None:
        """Send the current log from a position on, up to its end, when there is a next one, or the stream has ended."""
        log = self.log
        self._send(self._made.format_description(log.opening, log.format, is_first=position == MAGIC_LENGTH))
        self.position = max(position, MAGIC_LENGTH + len(log.opening))
        is_read = False
        checks = self._options.checks
        while checks is not None and not self._is_checked(checks):
            self._wait()
        while not self._is_over:
            following = self._archive.after(log)
            if self.position < log.end and not is_read:
                self._send_part()
                is_read = log.end == NO_LIMIT
            elif log.damage is not None:
                raise Refused(f"the log is damaged after the last transaction that was sent: {log.damage}")
            elif following is not None:
                return
            elif self._command.is_non_blocking:
                self._end()
            else:
                self._wait()

    def _is_checked(self, checks: CheckedLogs) -> bool:
        try:
            return checks.is_ready(self.log)
        except BinlogError as error:
            raise Refused(f"the log cannot be checked: {error}") from None

    def _wait(self) -> None:
        """Wait for more, with a heartbeat now and then. Raise ClientGone if the client has closed the connection."""
        period = self._session.heartbeat
        left = LOOKS if period is None else self._spoke + period - monotonic()
        if left <= 0:
            self._heartbeat()
        elif self._channel.is_gone(min(left, LOOKS)):
            raise ClientGone(CLOSED)

    def _send_part(self) -> None:
        """Send what the current log has, up to its present end."""
        log, framer, begun = self.log, self._framer, self.position
        end = log.end
        framer.begin_log(log.omitted, end)
        # with checks, these have verified what is there
        scanner = Scanner(verify_checksum=self._options.checks is None, joins_parts=False)
        try:
            with open_source(log.path) as source:
                reader = Reader(source, scanner, begun, on_start_note=refuse)
                for batch in reader:
                    if batch.type(0) == FORMAT_DESCRIPTION and batch.count == 1:
                        continue  # it was sent
                    framer.begin(batch)
                    del batch
                    if not self._send_batch() or self.position >= end:
                        break
        except BinlogError as error:
            if self.position == begun and log.was_compressed():
                self._send_part()
                return
            raise Refused(f"the log cannot be sent on: {error}") from None
        if self.position == begun and end != NO_LIMIT and not self._is_over:
            raise Refused(f"{log.name} ends at {begun}, and was to be sent up to {end}: it was cut meanwhile")
        if framer.omitted and not self._archive.is_mariadb:
            self._heartbeat()

    def _send_batch(self) -> bool:
        """Send the batch that the framer has. Return False if nothing more is to be sent now."""
        framer = self._framer
        status = packet_framer.FRAMES_FULL
        while status == packet_framer.FRAMES_FULL:
            status, size = framer.fill(self._buffer)
            if size:
                self._channel.write_framed(self._buffer[:size])
                self._spoke = monotonic()
        if framer.handled:
            self.position = int(framer.handled)
        if status == packet_framer.FRAMES_ALL:
            period = self._session.heartbeat
            if framer.omitted and period is not None and monotonic() - self._spoke >= period:
                self._heartbeat()
            return True
        if status == packet_framer.FRAMES_UNTIL:
            self._end_until()
        elif status != packet_framer.FRAMES_END:
            raise self._refused(status)
        return False

    def _refused(self, status: int) -> Refused:
        framer = self._framer
        place = f"{self.log.name}, at {framer.position}"
        if status == packet_framer.FRAMES_HOLE:
            domain, server, number = framer.hole
            return Refused(
                f"{place}: the requested GTID {domain}-{server}-{number} is not in the log, which continues after it"
            )
        own = self._command.server_id
        ways = "" if self._archive.is_mariadb else ", or serve with --own-server-id=rewrite"
        return Refused(
            f"{place}: this transaction carries server id {own}, the replica's own, which the replica would drop "
            f"without a word. SET GLOBAL server_id to another number and start the replica again{ways} (or "
            "--own-server-id=skip, if the replica has these transactions)"
        )

    def _end_until(self) -> None:
        """End the stream to a replica of MariaDB that has all that it wanted."""
        last = {gtid[0]: gtid for gtid in self._start.begin}
        last.update({gtid[0]: gtid for gtid in self._framer.last_gtids})
        self._send(self._made.until_reached(last.values(), self.log.format, self.position))
        self._end()

    def _end(self) -> None:
        self._is_over = True
        self._channel.sequence = self._framer.sequence
        self._channel.eof()

    # ---- events of its own

    def _heartbeat(self) -> None:
        """Say the stream's position: in the next log, if this one has ended with a Rotate to it."""
        log, name, position = self.log, self.log.name, self.position
        if log.rotates_to and position >= log.last_position:
            name, position = log.rotates_to, MAGIC_LENGTH
        is_wide = bool(self._command.flags & HEARTBEATS_OF_64_BITS) and not self._archive.is_mariadb
        self._send(self._made.heartbeat(name, position, log.format, is_wide=is_wide))

    def _send(self, event: bytes) -> None:
        """Send an event that stands in no log."""
        self._channel.sequence = self._framer.sequence
        self._channel.write(b"\0" + event)
        self._framer.sequence = self._channel.sequence
        self._spoke = monotonic()


def refuse(note: str) -> None:
    """Raise the error for a position at which no event begins."""
    raise SourceError(note)


def filter_of(known: GtidSet) -> GtidFilter:
    """Return the set in the form in which the framer looks GTIDs up."""
    return GtidFilter(
        [(uuid, tag or b"", start, end) for (uuid, tag), numbers in known.items() for start, end in numbers]
    )
