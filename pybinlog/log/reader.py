"""Reader: one log as a stream of EventBatches."""

from __future__ import annotations

from time import monotonic

from pybinlog import errors
from pybinlog.kernel.base import event
from pybinlog.kernel.base.buffer import BufferPool
from pybinlog.kernel.base.checksum import checksum
from pybinlog.kernel.scan import partial_rows, scan
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.source.base import SERVER
from pybinlog.source.foreign_form import HEAD, NOT_A_LOG, foreign_form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.kernel.scan.boundary_state import ScannerState
    from pybinlog.kernel.scan.partial_rows import PartialRows
    from pybinlog.log.read_ahead import ReadAhead
    from pybinlog.source import Source

READ_SIZE = 1 << 18
"""Bytes read at once: small enough to stay in a core's cache until they are printed."""
FLOW = 4 << 20
"""Bytes without a pause from which on a log flows: it is worth the start of threads."""
PAUSE = 0.01
"""Seconds of waiting for bytes that are a pause."""
PATIENCE = 0.05
"""Seconds in which a part has to come; else what is there is given out."""
NO_BYTES = memoryview(b"")
START_SIZES = (69, 75)
"""Sizes of the event that opens a log of binlog version 1 (MySQL 3.23), whose headers have 13 bytes, and 3 (4.0 and
4.1).
"""
START_BODY = 56


class Reader:
    """The events of one log, from `start_position` on, batch by batch as they arrive.

    `start_position` and `position` are offsets in the uncompressed stream, in bytes. Iterating raises BinlogError,
    with file and position, where the log cannot be read on; every event before has been given out then. The
    scanner's classifier and parser continue from what it read before: call its `reset()` for a new stream.

    `resume` is the state of a scanner in the middle of this log: the reader continues from there, and reads nothing
    before it. A start position is not for such a reader.

    `on_start_note` is called with a sentence if no event starts at the start position, though the log can be read:
    before any event from there on is given out, or refused.

    `cut_tail` says after the end that the log is in use and ended inside an event, which is no error.
    """

    def __init__(
        self,
        source: Source,
        scanner: Scanner | None = None,
        start_position: int = 4,
        *,
        resume: ScannerState | None = None,
        on_start_note: Callable[[str], object] | None = None,
    ):
        self.source = source
        self.scanner = scanner or Scanner()
        self.start_position = start_position
        self.cut_tail = False
        self._resume = resume
        self._on_start_note = on_start_note
        self._start_is_unsure = False
        """It is unknown yet if an event starts at the start position."""
        self._is_first = False
        """The next event is that at the start position."""
        self.rotates_to: str | None = None
        """The log that the last event, a Rotate, names; None if it was no Rotate."""
        self._last_type = 0
        self._rotate_flags = 0
        self.part = 0
        """Bytes that a batch is to hold while the log comes without a pause, so that each is worth a thread of its own;
        0: every batch is given out as it is. May be set before the first batch is taken."""
        self.flows = False
        """True if the current batch came so: then it ends after an event group, if it can."""
        self.whole_groups = False
        """True if every batch ends so."""
        self.tells_pauses = False
        """True if a batch without events comes before the reader waits for bytes. May be set before the first one."""
        self.read_size = READ_SIZE
        """Bytes read at once if the log does not flow."""
        self._streak = 0  # bytes since the last pause
        self._pool = BufferPool()
        self._buffer = NO_BYTES
        self._claimed = 0
        self._offered: list[ReadAhead] = []
        self._begin = 0  # of the bytes that are not scanned yet
        self._end = 0

    @property
    def position(self) -> int:
        """The position of the next event."""
        return self.scanner.position

    def __iter__(self) -> Iterator[EventBatch]:
        self._begin_log()
        if self.source.sent_from is not None and self.start_position <= event.MAGIC_LENGTH:
            yield from self._sent_opening(self.source.sent_from)
        elif self.start_position > event.MAGIC_LENGTH:
            yield from self._opening()
            self._check_size()
        if self.part and (self.source.size or 0) >= FLOW:
            self.flows = True
        while True:
            self.scanner.whole_groups = self.flows or self.whole_groups
            batch = self.scanner.scan(self._buffer, self._begin, self._end, self.source.name)
            self._begin += self.scanner.consumed
            if batch.count:
                if self._is_first:
                    self._check_first(batch)
                self._note_rotate(batch)
                yield batch
            elif self._pauses():
                yield batch
            if self.scanner.error_code == scan.SCAN_NEED_MORE:
                del batch
                if self._fill():
                    continue
                if self.scanner.whole_groups and self._begin < self._end:
                    self.flows = self.whole_groups = False  # the rest is not a whole event group
                    continue
                self._check_end()
                return
            elif self.scanner.error_code != scan.SCAN_RESCAN:
                raise self._explained(self._scan_error())

    def _pauses(self) -> bool:
        """Return True if the caller wants to know that there are no bytes at the moment."""
        return self.tells_pauses and not self.source.ready(0)

    def counted(self, progress: Callable[[int], None]) -> Iterator[EventBatch]:
        """Yield the same batches, with a word of progress after each: the bytes of the uncompressed stream since the
        last.
        """
        done = 0
        batches = iter(self)
        while (batch := next(batches, None)) is not None:
            yield batch
            del batch  # its bytes go before the next are read
            progress(self.source.position - done)
            done = self.source.position

    def stop_flow(self, size: int) -> None:
        """Let the log not flow before `size` more bytes have come without a pause."""
        self.flows = False
        self._streak = FLOW - size

    # ---- bytes

    def claim(self) -> ReadAhead | None:
        """Return the next bytes that no thread has claimed, to be read ahead and then offered; None if there are none.

        They may be claimed while another thread takes a batch.
        """
        if not self.flows or self._offered or not self.source.reads_at:
            return None
        start = max(self._claimed, self.source.position)
        if start >= (self.source.size or 0):
            return None
        part = self.part  # which another thread may change
        self._claimed = start + part
        from pybinlog.log.read_ahead import ReadAhead  # most logs are too small for it

        return ReadAhead(self.source, start, self.new_buffer(2 * part), part)

    def offer(self, ahead: ReadAhead) -> None:
        """Take bytes for the next batches; they are read again if they do not fit."""
        self._offered.append(ahead)

    def use(self, ahead: ReadAhead) -> bool:
        """Return True if it has the bytes that come next; they are then the next to be scanned."""
        at = self.source.position - ahead.start
        waiting = self._end - self._begin
        if not 0 <= at < ahead.count or waiting > ahead.room or self.scanner.wanted > waiting + ahead.count - at:
            return False
        begin = ahead.room + at - waiting
        ahead.buffer[begin : begin + waiting] = self._buffer[self._begin : self._end]
        self._buffer, self._begin, self._end = ahead.buffer, begin, ahead.room + ahead.count
        self.source.skip_to(ahead.start + ahead.count)
        return True

    def _fill(self) -> bool:
        """Read on; False at the end of the stream."""
        while self._offered:
            if self.use(self._offered.pop(0)):
                return True
        if self._end == len(self._buffer):
            # Batches hold on to the buffer, so it only changes after what they know of. An event larger than
            # it gets room for the bytes that its file has, or as they arrive: a length that lies costs no memory. In
            # few steps: the C library may keep the memory of the smaller buffers.
            waiting = self._end - self._begin
            wanted = self.scanner.wanted
            least = self.part if self.flows else min(self.read_size, self._rest() + 1)
            there = waiting + self._rest() if self.source.size is not None else 0
            size = max(least, min(wanted, max(4 * waiting, there)) if wanted > waiting else 2 * waiting)
            self.source.allow(self.position, waiting, size)
            buffer = self.new_buffer(size)
            buffer[:waiting] = self._buffer[self._begin : self._end]
            self._buffer, self._begin, self._end = buffer, 0, waiting
        with memoryview(self._buffer) as view:
            if self.flows:
                return self._fill_part(view)
            began = monotonic() if self.part else 0
            count = self.source.readinto(view[self._end :])
        self._end += count
        if self.part and count:
            self._streak = self._streak + count if monotonic() - began < PAUSE else 0
            self.flows = self._streak >= FLOW
        return count > 0

    def _fill_part(self, view: memoryview) -> bool:
        """Read until the buffer is full, which what is read already does not wait long for; False at the end."""
        deadline = monotonic() + PATIENCE
        while self._end < len(view):
            if not self.source.ready(max(0, deadline - monotonic())):
                self.flows = False
                self._streak = 0
                return True
            count = self.source.readinto(view[self._end :])
            self._end += count
            if not count:
                return False
        return True

    def _rest(self) -> int:
        """Return the bytes that the source will give, as far as it says: no buffer need be larger by more than one."""
        size = self.source.size
        return self.read_size if size is None else max(size - self.source.position, event.COMMON_HEADER_LENGTH)

    def new_buffer(self, size: int) -> memoryview:
        """Return a buffer whose bytes nothing else can see: each view of it, such as a batch's, holds it."""
        try:
            return memoryview(self._pool.allocate(size, size in (2 * self.part, max(self.part, READ_SIZE))))
        except MemoryError:
            what = f"the event needs {size} bytes of memory to be read into, which cannot be had"
            raise errors.OutOfMemory(what, file=self.source.name, position=self.position) from None

    def _have(self, count: int) -> bool:
        """Return True if so many bytes wait to be scanned, reading on for them if need be."""
        while self._end - self._begin < count:
            if not self._fill():
                return False
        return True

    def _begin_log(self) -> None:
        """Go to the first byte to scan: after the magic bytes, or if the reader resumes."""
        if self._resume is None:
            self._read_magic()
            return
        from pybinlog.kernel.scan.boundary_state import restore_scanner

        restore_scanner(self.scanner, self._resume)
        self.source.skip_to(self.position)

    def _read_magic(self) -> None:
        if self.source.continues:
            self.scanner.position = 0
        else:
            self.scanner.new_log(0)
        if not self._have(event.MAGIC_LENGTH):
            raise errors.EmptyFileError(
                f"ends after {self._end} bytes: a binary log begins with four magic bytes",
                file=self.source.name,
                position=0,
                hint="Copy it again, or leave it out",
            )
        magic = bytes(self._buffer[:4])
        if magic == event.ENCRYPTED_MAGIC:
            raise errors.EncryptedError(
                "the log is encrypted (binlog_encryption=ON)",
                file=self.source.name,
                position=0,
                hint=errors.KEYRING_HINT,
            )
        if magic != event.MAGIC:
            self._have(HEAD)
            head = bytes(self._buffer[: min(self._end, HEAD)])
            what, hint = foreign_form(head, self.source.name) or (NOT_A_LOG, self._hint(head[:64]))
            raise errors.BadMagicError(what, file=self.source.name, position=0, hint=hint)
        if not self.tells_pauses:
            self._have(event.MAGIC_LENGTH + START_SIZES[-1])
        if self._end > event.MAGIC_LENGTH + 4 and self._buffer[event.MAGIC_LENGTH + 4] == event.START_V3:
            self._refuse_old_format(
                bytes(self._buffer[event.MAGIC_LENGTH : min(self._end, event.MAGIC_LENGTH + START_SIZES[-1])])
            )
        self._begin = event.MAGIC_LENGTH
        if self.source.continues:
            self.scanner.position = event.MAGIC_LENGTH
        else:
            self.scanner.new_log(event.MAGIC_LENGTH)

    def _hint(self, head: bytes) -> str:
        """Return a hint on the file's actual form."""
        line = head.partition(b"\n")[0]
        if head.isascii() and b"." in line and b" " not in line and line.rpartition(b".")[2].strip().isdigit():
            template = "This looks like an index file: read the logs that it lists[, with {--index=}{name}]"
            return errors.Hint(template, name=self.source.name)
        if head.isascii() and head.replace(b"\r", b"").replace(b"\n", b"").replace(b"\t", b"").decode().isprintable():
            return "It is a text file; a binary log begins with the bytes fe 62 69 6e"
        return "A binary log begins with the bytes fe 62 69 6e"

    # ---- before --start-position

    def _sent_opening(self, start: int) -> Iterator[EventBatch]:
        """Yield the events that a server sends before the requested ones: as in the reference, all are at the start
        position.

        A Format_description that begins the log itself counts.
        """
        scanner = self.scanner
        kind = event.ROTATE
        while kind == event.ROTATE:
            scanner.position = start
            if not self._have(event.COMMON_HEADER_LENGTH):
                return
            kind = self._buffer[self._begin + 4]
            fake = kind == event.ROTATE and not any(self._buffer[self._begin : self._begin + 4])
            if not fake and (kind != event.FORMAT_DESCRIPTION or start == event.MAGIC_LENGTH):
                return
            size = int.from_bytes(self._buffer[self._begin + 9 : self._begin + 13], "little")
            self._have(size)
            batch = scanner.scan(self._buffer, self._begin, min(self._begin + size, self._end), self.source.name)
            if not batch.count:
                return  # the reader says what is wrong
            self._begin += scanner.consumed
            yield batch
            del batch
        scanner.position = start

    def _opening(self) -> Iterator[EventBatch]:
        """Read the control events that a log opens with, and continue to the start position.

        They are classified but not fed to the parser. The last Format_description is given out, at the position where
        the reference prints it: that of the last event it looked at.
        """
        scanner = self.scanner
        many_logs, scanner.many_logs = scanner.many_logs, False  # the reference does not look for a second log here
        verify = scanner.verify_checksum
        scanner.verify_checksum = verify or scanner.checksums_follow  # most of these events are not given out
        scanner.feed_parser = False
        shown: EventBatch | None = None
        last = scanner.position
        try:
            while scanner.position < self.start_position:
                last = scanner.position
                if not self._have(event.COMMON_HEADER_LENGTH):
                    if self._end - self._begin:
                        raise self._truncated()
                    break
                kind = self._buffer[self._begin + 4]
                size = int.from_bytes(self._buffer[self._begin + 9 : self._begin + 13], "little")
                if kind not in (event.FORMAT_DESCRIPTION, event.PREVIOUS_GTIDS, event.ROTATE):
                    self._pass_over(size)
                    break
                self._have(size)
                batch = scanner.scan(self._buffer, self._begin, min(self._begin + size, self._end), self.source.name)
                self._begin += self.scanner.consumed
                if self.scanner.error_code not in (scan.SCAN_NEED_MORE, scan.SCAN_RESCAN):
                    raise self._scan_error()
                if not batch.count:
                    raise self._truncated()
                if kind == event.FORMAT_DESCRIPTION:
                    shown = batch
        finally:
            scanner.feed_parser = True
            scanner.many_logs = many_logs
            scanner.verify_checksum = verify
        if shown is not None:
            shown.place(0, last)
            flows, self.flows = self.flows, False  # what is said of the start position comes after it
            yield shown
            self.flows = flows
        start = self.start_position
        if scanner.position < start:
            reached = self._skip_to(start)
            scanner.position = start
            self._start_is_unsure = self._is_first = True
            if reached < start:
                self._note_start(f"The start position {start} is after the log's end at {reached}")
        elif scanner.position > start:
            self._note_start(
                f"The start position {start} is not the start of an event: events start at {last} and "
                f"{scanner.position}, and the log is read from {scanner.position}"
            )

    def _note_start(self, note: str) -> None:
        if self._on_start_note is not None:
            self._on_start_note(f"{note}. [{self.source.name}]")

    def _check_size(self) -> None:
        """Look at what the first event says of its size before so much is read."""
        if not self._is_first or not self._have(event.COMMON_HEADER_LENGTH):
            return
        size = int.from_bytes(self._buffer[self._begin + 9 : self._begin + 13], "little")
        there = self.source.size
        if size < event.COMMON_HEADER_LENGTH or (there is not None and self.start_position + size > there):
            self._check_start()

    def _check_first(self, batch: EventBatch) -> None:
        """Look at the first event, for by luck the middle of one may look like another."""
        from pybinlog.log.event_starts import is_sound

        self._is_first = False
        if not is_sound(batch, 0):
            self._check_start()

    def _check_start(self) -> None:
        """Raise StartPositionError if it is certain that the start position is inside an event."""
        if not self._start_is_unsure:
            return
        again = self.source.again()
        if again is None:
            return
        from pybinlog.log.event_starts import misplaced

        with again:
            scanner = Scanner(force_read=True)
            error = misplaced(again, Reader(again, scanner), self.start_position)
        if error is not None:
            raise error
        self._start_is_unsure = False

    def _explained(self, error: errors.BinlogError) -> errors.BinlogError:
        """Return the error if the log cannot be read on, or that a start position inside an event is the cause."""
        try:
            self._check_start()
        except errors.StartPositionError as cause:
            return cause
        if self._start_is_unsure and self.position == self.start_position:
            from pybinlog.log.event_starts import perhaps_misplaced

            return perhaps_misplaced(error, self.start_position)
        return error

    def _pass_over(self, size: int) -> None:
        """Continue after the current event. As the reference, take only one that is all there."""
        scanner = self.scanner
        if size != event.COMMON_HEADER_LENGTH:
            scanner.scan(self._buffer, self._begin, self._begin + event.COMMON_HEADER_LENGTH, self.source.name)
            if scanner.error_code != scan.SCAN_NEED_MORE:
                raise self._scan_error()
            if scanner.verify_checksum and scanner.checksums and self._have(size):
                data = bytes(self._buffer[self._begin : self._begin + size])
                if checksum(data[:-4]) != int.from_bytes(data[-4:], "little"):
                    raise wrong_checksum(data[4], size, file=self.source.name, position=self.position)
        reached = self._skip_to(scanner.position + size)
        if reached < scanner.position + size:
            raise self._truncated(reached - scanner.position)
        scanner.position = reached

    def _skip_to(self, position: int) -> int:
        """Let the bytes from a position on be the next to be scanned; the end of the stream if that comes first."""
        waiting = self._end - self._begin
        if position - self.scanner.position <= waiting:
            self._begin += position - self.scanner.position
            return position
        self._begin = self._end = 0
        self._buffer = NO_BYTES
        return self.source.skip_to(position)

    # ---- the end

    def _note_rotate(self, batch: EventBatch) -> None:
        self.rotates_to = None
        self._last_type = batch.type(batch.count - 1)
        if self._last_type != event.ROTATE:
            return
        data = batch.data(batch.count - 1)
        timestamp, flags = int.from_bytes(data[:4], "little"), int.from_bytes(data[17:19], "little")
        if (
            timestamp and not flags & event.ARTIFICIAL
        ):  # (header() would import a class for the last event of most logs)
            self._rotate_flags = flags
            end = len(data) - (4 if batch.checksum_algorithm == 1 else 0)
            self.rotates_to = data[event.COMMON_HEADER_LENGTH + 8 : end].decode("utf-8", "surrogateescape")

    def closes(self, relay_log: bool) -> bool:
        """Return True if the last event is one with which a server closes a log: a Stop, or a Rotate of its own.

        In a relay log those of the source have no flag RELAY_LOG, and more comes after them.
        """
        rotates = self.rotates_to is not None and bool(self._rotate_flags & event.RELAY_LOG) == relay_log
        return rotates or self._last_type == event.STOP

    def _check_end(self) -> None:
        if self._end == self._begin:
            return
        if self.scanner.in_use or self.source.live:
            self._check_start()
            self.cut_tail = True
            return
        raise self._explained(self._truncated())

    def _truncated(self, waiting: int | None = None) -> errors.BinlogError:
        if waiting is None:
            waiting = self._end - self._begin
        wanted = self.scanner.wanted
        there = f"{waiting} of its {wanted} bytes are there" if wanted else f"{waiting} bytes of its header are there"
        return errors.TruncatedError(
            f"the log ends inside an event: {there}",
            file=self.source.name,
            position=self.position,
            hint="The file is incomplete; if the server was writing it, copy it again",
        )

    def _refuse_old_format(self, first: bytes) -> None:
        """Raise OldFormatError if the log's first event is that of a server before MySQL 5.0."""
        size = int.from_bytes(first[9:13], "little")
        if len(first) < size or size not in START_SIZES:
            return
        body = first[size - START_BODY :]
        version = int.from_bytes(body[:2], "little")
        server = body[2:52].split(b"\0")[0].decode("latin-1")
        raise errors.OldFormatError(
            f"written by MySQL {server}, binlog version {version}: not read",
            file=self.source.name,
            position=event.MAGIC_LENGTH,
            hint="Use mysqlbinlog of MySQL 5.7 for it",
        )

    def _scan_error(self) -> errors.BinlogError:
        """Return the error that the scanner met in the event at `position`."""
        kind, size = self.scanner.error_type, self.scanner.error_size
        at = self.scanner.error_at
        where: dict[str, Any] = {"file": self.source.name, "position": self.position + at}
        if self.scanner.error_code == scan.SCAN_BAD_PARTS:
            return errors.CorruptEventError(wrong_parts(self.scanner.parts), **where)
        if self.scanner.error_code in (scan.SCAN_BAD_SIZE, scan.SCAN_TOO_BIG):
            small = self.scanner.error_code == scan.SCAN_BAD_SIZE
            why = "fewer than a header has" if small else "more than any server writes"
            return errors.CorruptEventError(f"the event (type {kind}) says it has {size} bytes, {why}", **where)
        if self.scanner.error_code == scan.SCAN_BAD_FORMAT_DESCRIPTION:
            return errors.CorruptEventError(
                "the Format_description event cannot be read, or is not of binlog version 4", **where
            )
        if self.scanner.error_code == scan.SCAN_BAD_CHECKSUM:
            if at:
                size = int.from_bytes(self._buffer[self._begin + at + 9 : self._begin + at + 13], "little")
            return wrong_checksum(kind, size, **where)
        hint = errors.Hint("A newer server may have written it[; `{pybinlog dump --force-read}` skips it]")
        return errors.UnknownEventError(f"the event's type {kind} is not known", hint=hint, **where)


def wrong_parts(parts: PartialRows) -> str:
    """Return what is wrong with the parts of a row event, as a part of a sentence."""
    this = f"part {parts.number} of {parts.total} of a row event"
    due = f"part {parts.due} of {parts.due_total} of a row event"
    match parts.problem:
        case partial_rows.PARTS_MALFORMED:
            return "the part of a row event (type 172) is too short, or its numbers are impossible"
        case partial_rows.PARTS_BEGIN_LATE:
            return f"this is {this}, and part 1 is not before it"
        case partial_rows.PARTS_INTERRUPTED:
            return f"an event of type {parts.other_type} stands where {due} has to be"
        case partial_rows.PARTS_OUT_OF_ORDER | partial_rows.PARTS_OF_ANOTHER:
            return f"this is {this}, where {due} has to be"
        case partial_rows.PARTS_OF_OTHER_SIZE:
            return (
                f"the {parts.due_total} parts of a row event have {parts.held} bytes of it, but the first says that it "
                f"has {parts.whole}, or its header says another size"
            )
        case partial_rows.PARTS_TOO_LARGE:
            return (
                f"the first of {parts.due_total} parts says that their row event has {parts.whole} bytes; pybinlog "
                "reads row events of up to 2 GiB, in parts of 1 kB or more"
            )
    return "the parts of a row event hold another event"


def wrong_checksum(kind: int, size: int, *, file: str, position: int) -> errors.ChecksumError:
    """Return the error for an event of that type and size, in bytes, at that place."""
    of_server = file.startswith(SERVER)
    return errors.ChecksumError(
        f"the checksum of the event (type {kind}, {size} bytes) does not match its bytes",
        hint="Read it again; if that ends here, too, the server's own log is damaged"
        if of_server
        else errors.Hint("The log is damaged here[; `{pybinlog dump --skip-verify-binlog-checksum}` reads it anyway]"),
        file=file,
        position=position,
    )
