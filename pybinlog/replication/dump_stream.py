"""DumpStream: the events that a dump thread sends, log after log, straight into the reader's buffer."""

from time import monotonic
from typing import Any

from pybinlog.errors import ServerError, SourceError
from pybinlog.kernel.base.event import COMMON_HEADER_LENGTH, MAGIC_LENGTH, ROTATE
from pybinlog.kernel.scan import packets
from pybinlog.kernel.scan.packets import PacketSplitter
from pybinlog.replication.connection import Connection, check_name, said_by_server
from pybinlog.replication.server_log import DumpRequest

PACKET_HEADER = 4
SEMI_SYNC_ANSWER = 0xEF
LEAST = 1 << 12
"""Bytes that are worth asking the system for."""
SCRATCH = 2 * LEAST
CHECKSUM = 4


class DumpStream:
    """One answer of a dump thread. `readinto` gives the events of the current log, 0 at its end.

    `log` is the current log, and `position` that of its next event, or of one that is not all there.
    `next_log()` begins what follows. With `shows_rotates`, the fake Rotates that announce a log are among its events.
    SourceError, with log and position, where packets are missing or came twice or are no events, if the server says
    an error, and where the connection is lost.
    """

    def __init__(self, connection: Connection, request: DumpRequest, address: str, *, shows_rotates: bool = False):
        self._connection = connection
        self._request = request
        self._address = address
        self._shows_rotates = shows_rotates
        self._splitter = PacketSplitter()
        self._splitter.gaps = request.excluded is not None
        self._splitter.numbered = not connection.is_compressed
        if request.semi_sync:
            self._splitter.expect_semi_sync()
        self._answered = 0
        """Up to where in the current log."""
        self._splitter.begin_log(request.position)
        self._held = b""
        """Bytes of packets that were received and are not taken apart yet."""
        self._looked_at = True
        """More bytes are needed to get on with these."""
        self._announced: str | None = None
        """The log that the server has named last."""
        self._at_end = False
        self.log = request.log
        self.following: str | None = None
        """After the end of a log: the one that the server continues with; None if it has sent everything."""
        self._stays = request.stays
        self._progress = monotonic()
        self._rotations = 0
        self._has_events = False
        """An event of the current log came."""
        request.send(connection)
        if not request.stays:
            connection.wait_at_most(connection.read_timeout)
        if request.semi_sync:
            connection.begin_answers()

    @property
    def position(self) -> int:
        return self._splitter.position

    def readinto(self, view: memoryview) -> int:
        """Read events into a view of at least LEAST bytes more than `waiting`."""
        splitter = self._splitter
        while not self._at_end:
            end = len(self._held)
            view[:end] = self._held
            if self._looked_at:
                end += self._receive(view[end:])
            splitter.split(view, 0, end)
            self._held = bytes(view[splitter.taken : end])
            self._looked_at = splitter.status == packets.PACKETS_MORE
            kept = splitter.kept
            if kept:
                self._note_progress(view, kept)
            elif not self._stays and monotonic() - self._progress > QUIET:
                raise self._lost(f"the server has sent no event for {QUIET // 60} minutes")
            if splitter.status == packets.PACKETS_ROTATE:
                self._rotate()
            elif splitter.status == packets.PACKETS_END:
                self._end_log()
            elif splitter.status != packets.PACKETS_MORE and not kept:  # else all before is given out first
                raise self._refused()
            if kept:
                return kept
        return 0

    @property
    def waiting(self) -> int:
        """Bytes that the view has to have room for besides."""
        return len(self._held)

    def next_log(self) -> bool:
        """Begin the log that follows; False if there is none."""
        if self.following is None:
            return False
        self.log, self.following = self.following, None
        self._at_end = False
        self._begin_log(MAGIC_LENGTH)
        return True

    @property
    def answer_wanted(self) -> int | None:
        """The end of the event that the server waits to be told of (semi-synchronous replication); None for none."""
        answer = self._splitter.answer
        return answer if answer > self._answered else None

    def answer(self, position: int) -> None:
        """Tell the server that all events of the current log up to there are kept. SourceError as in reading."""
        self._answered = position
        self._connection.send(
            SEMI_SYNC_ANSWER, position.to_bytes(8, "little") + self.log.encode("utf-8", "surrogateescape")
        )

    def ready(self, seconds: float) -> bool:
        return not self._looked_at or self._at_end or self._connection.ready(seconds)

    def close(self) -> None:
        self._connection.close()

    # ---- the server's own events

    def _begin_log(self, position: int) -> None:
        self._splitter.begin_log(position)
        self._answered = 0
        self._has_events = False
        if self._shows_rotates:
            self._splitter.keep()
        else:
            self._splitter.drop()

    def _rotate(self) -> None:
        """Handle a fake Rotate: the server begins with the requested log, or with the one after the current."""
        name = self._rotates_to()
        check_name(name, self._address)
        self._rotations += 1
        if self._rotations > MOST_ROTATIONS and not self._stays:
            raise self._error(f"the server announced {MOST_ROTATIONS} logs without an event between them", DAMAGED)
        first, self._announced = self._announced is None, name
        if first and name != self._request.log:
            raise self._error(
                f"the server sends the log {name}, not the requested one",
                "Name the log as SHOW BINARY LOGS does, without a folder",
            )
        if first or name == self.log:
            self._begin_log(self._request.position)
        else:
            self._end_log()
            self.following = name

    def _end_log(self) -> None:
        """End the current log, of which the server has sent everything: at least its Format_description."""
        if self._announced is None or not self._has_events:
            raise self._error("the server sent nothing of this log", "Look whether SHOW BINARY LOGS lists it")
        self._at_end = True

    def _note_progress(self, view: memoryview, kept: int) -> None:
        """Note that events came; a fake Rotate, which is among them if they are shown, is none of the log."""
        if view[4] != ROTATE or kept > int.from_bytes(view[9:13], "little"):
            self._progress = monotonic()
            self._rotations = 0
            self._has_events = True

    def _rotates_to(self) -> str:
        start = PACKET_HEADER + self._splitter.head
        event = self._held[start : start + self._splitter.event_size]
        end = len(event) - (CHECKSUM if self._splitter.checksums else 0)
        return event[COMMON_HEADER_LENGTH + 8 : end].decode("utf-8", "surrogateescape")

    # ---- what can go wrong

    def _receive(self, view: memoryview) -> int:
        failure: SourceError
        try:
            count = self._connection.recv_into(view)
            if count:
                return count
            failure = self._lost("the connection to the server was lost")
        except OSError as error:
            from pybinlog.replication.compression import CompressionError

            if isinstance(error, CompressionError):
                failure = self._error(str(error), DAMAGED)
            else:
                failure = self._lost(f"the connection to the server was lost: {error.strerror or error}")
        raise failure

    def _refused(self) -> SourceError:
        """Return the error for the packet that comes next."""
        splitter = self._splitter
        if splitter.status == packets.PACKETS_ERROR:
            return self._said(self._held[5 : 4 + splitter.length])
        if splitter.status == packets.PACKETS_BAD_SEQUENCE:
            what = f"packets from the server are missing or came twice: number {splitter.sequence} is out of order"
        elif splitter.status == packets.PACKETS_BAD_POSITION:
            what = (
                f"events from the server are missing or came twice: the next one (type {splitter.kind}, "
                f"{splitter.event_size} bytes) says that it ends at {splitter.end_log_pos}"
            )
        elif splitter.status == packets.PACKETS_BAD_KIND:
            what = f"the server sent a packet that begins with {splitter.kind:02x} and is not an event"
        else:
            what = f"the server sent a packet of {splitter.length} bytes that its event does not fit"
        return self._error(what, DAMAGED)

    def _said(self, packet: bytes) -> SourceError:
        """Return an error packet: number, perhaps a state, and a sentence."""
        number = int.from_bytes(packet[:2], "little")
        text = packet[2:]
        if text[:1] == b"#":
            text = text[6:]
        return said_by_server(number, text.decode("utf-8", "replace"), **self._place)

    def _error(self, text: str, hint: str | None) -> ServerError:
        return ServerError(text, hint=hint, **self._place)

    def _lost(self, text: str) -> SourceError:
        return SourceError(text, hint=LOST, **self._place)

    @property
    def _place(self) -> dict[str, Any]:
        return {"file": f"{self._address}/{self.log}", "position": self.position}


QUIET = 600
"""Seconds without an event after which a server is given up that shall not wait; it may look for a GTID in its logs."""
MOST_ROTATIONS = 1000
DAMAGED = "Read the log again; if that ends here, too, look at what is between you and it"
LOST = "The bytes before it have been read; start again from this position"
