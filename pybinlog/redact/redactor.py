"""Redactor: logs in, the same logs with masked values out: each event has its type, flags, and if it can its size."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from pybinlog.errors import BinlogError, CorruptEventError, OutOfMemory, TruncatedError
from pybinlog.event_types import COMMON_HEADER_LENGTH, COMPRESSED_ROW_TYPES, EventType, printed_name
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.mask import row_mask
from pybinlog.kernel.mask.row_mask import RowMask
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.layout.envelope import Format
from pybinlog.log.closed_log import check_beginning, log_in_use
from pybinlog.log.new_log import MYSQL_GTIDS, NewLog, checksum_length, with_body
from pybinlog.log.reader import Reader
from pybinlog.redact.characters import tables
from pybinlog.redact.events import PACKED, EventMask, Remarks
from pybinlog.redact.folded import fold_of
from pybinlog.redact.kept import LISTS, Kept
from pybinlog.redact.names import Names
from pybinlog.redact.packed import RowParts, masked_compressed_rows, masked_payload
from pybinlog.redact.refusal import RefusedEvent, refusal
from pybinlog.source import Source

T = TypeVar("T")
ROWS_REASONS = {
    row_mask.ROWS_WRONG: "its rows cannot be read",
    row_mask.ROWS_WITHOUT_TABLE: "the Table_map that its rows need is not in the log",
    row_mask.ROWS_OF_UNKNOWN_TYPE: "a column has a type whose values cannot be masked",
    row_mask.ROWS_WITH_UNKNOWN_PART: "its extra row information has an unknown part",
    row_mask.EVENT_WRONG: "a length in it reaches beyond its end",
}


@dataclass
class Redaction:
    """The result for a log: its events by type, and the remarks of its report."""

    events: dict[int, int] = field(default_factory=dict)
    rows: int = 0
    values: int = 0
    size: int = 0
    remarks: Remarks = field(default_factory=Remarks)
    value_remarks: int = 0
    was_encrypted: bool = False
    has_moved: bool = False
    """Events have other positions than in the log."""
    names: Names | None = None
    """The masks of names, if names are masked."""
    tags: bool = False
    """Tags of GTIDs are masked."""
    transactions: tuple[int, int] | None = None
    """How many are kept, and how many the log has; None: all."""


class Redactor:
    """Masks logs given one after the other under one key; with `names` also names, with `tags` tags of GTIDs."""

    def __init__(self, key: bytes, *, keep_json_keys: bool = False, names: bool = False, tags: bool = False):
        self._mask = RowMask(key, tables, fold_of)
        self._names = Names(self._mask, key) if names else None
        self._tags = tags
        self._mask.keep_json_keys = keep_json_keys
        self._mask.keeps_names = not names
        self._scanner = Scanner(verify_checksum=True, joins_parts=False)

    def log(
        self,
        source: Source,
        write: Callable[[bytes | memoryview], object],
        progress: Callable[[int], None] | None = None,
        kept: Kept | None = None,
    ) -> Redaction:
        """Hand one log to `write`, piece by piece, masked, or only its kept transactions.

        Memory does not grow with the log.
        Raise BinlogError, with file and position, if the log is in use, cut short or damaged, or has an event that
        cannot be masked. What was handed on until then is not worth keeping.
        """
        self._scanner.reset()
        self._mask.begin_log()
        rows, values, statements = self._mask.rows, self._mask.values, self._mask.statements
        self._mask.remarks = 0
        reader = Reader(source, self._scanner)
        masking: LogMasking | None = None
        try:
            for batch in reader if progress is None else reader.counted(progress):
                if masking is None:
                    check_beginning(batch, "how its events are read")
                    masking = LogMasking(self._mask, EventMask(self._mask, self._names, tags=self._tags), write, kept)
                if self._scanner.in_use:
                    raise log_in_use(batch)
                masking.batch(batch)
                del batch
            if masking is not None:
                masking.end()
        except BinlogError as error:
            error.hint = error.hint if not isinstance(error, CorruptEventError) else "A damaged log is not masked"
            raise error.at(source.name) from None
        except MemoryError as error:
            raise OutOfMemory.of(error, source.name, reader.position) from None
        if masking is None:
            raise TruncatedError("the log ends before its first event", file=source.name, position=reader.position)
        done = masking.done
        done.rows, done.values = self._mask.rows - rows, self._mask.values - values
        done.remarks.statements_with_values += self._mask.statements - statements
        done.value_remarks = self._mask.remarks
        done.was_encrypted = source.encrypted
        done.names, done.tags = self._names, self._tags
        done.transactions = None if kept is None else (len(kept.starts), kept.count)
        return done


class LogMasking:
    """The masking of one log: its batches in, its masked events out, moved if some have other sizes."""

    def __init__(
        self, mask: RowMask, state: EventMask, write: Callable[[bytes | memoryview], object], kept: Kept | None
    ):
        self._mask = mask
        self._kept = kept
        self._state = state
        self._log = NewLog(write)
        self._parts = RowParts()
        self._format = Format.default()
        self.done = Redaction(remarks=self._state.remarks)

    def batch(self, batch: EventBatch) -> None:
        """Mask the events of a batch, and write them."""
        first = 0
        events = self.done.events
        counts = self._mask.type_counts(batch)
        if self._kept is None and not PACKED & counts.keys():
            for kind, count in counts.items():
                events[kind] = events.get(kind, 0) + count
            self._plain_run(batch, 0, batch.count)
            return
        for index in range(batch.count):
            kind = batch.type(index)
            is_kept = self._kept is None or self._kept.keeps(batch.header(index).position, kind)
            if is_kept:
                events[kind] = events.get(kind, 0) + 1
                if kind not in PACKED and (self._kept is None or kind not in LISTS):
                    continue
            self._plain_run(batch, first, index)
            first = index + 1
            if is_kept:
                self._one(batch, index, EventType(kind))
        self._plain_run(batch, first, batch.count)

    def end(self) -> None:
        """Write what waits. Raise CorruptEventError if parts of a row event are missing."""
        if self._parts.events:
            raise CorruptEventError("the log ends before the last part of a row event")
        self._log.end()
        self.done.size, self.done.has_moved = self._log.size, self._log.has_moved

    def _plain_run(self, batch: EventBatch, first: int, last: int) -> None:
        """Write events that keep their sizes."""
        if first == last:
            return
        out = memoryview(self._masked(batch, first, last))
        index, start = first, 0
        held = len(batch.data(last - 1)) if batch.type(last - 1) in MYSQL_GTIDS else 0
        while start < len(out):
            position = batch.header(index).position
            if start < len(out) - held and self._log.copies(position):
                self._log.copy(out[start : len(out) - held])
                index, start = last - 1, len(out) - held
            else:
                size = int.from_bytes(out[start + 9 : start + 13], "little")
                self._log.add(bytes(out[start : start + size]), position + size, size, self._format)
                index, start = index + 1, start + size

    def _masked(self, batch: EventBatch, first: int, last: int) -> bytearray:
        """Return events that keep their sizes, masked."""
        try:
            masked = self._mask.mask(batch, first, last, self._masked_event)
        except (RefusedEvent, CorruptEventError) as error:
            raise placed(error, batch, self._mask.error_index) from error
        if masked is None:
            raise rows_refusal(self._mask, batch, self._mask.error_index)
        return masked

    def _masked_event(self, number: int, event: bytes) -> bytes:
        """Return one whole event with its body masked, and its checksum made again. A Format_description is noted."""
        kind = EventType(number)
        if kind is EventType.FORMAT_DESCRIPTION:
            self._format = Format.from_event(event)
        format = self._format
        start = COMMON_HEADER_LENGTH
        if kind not in (EventType.FORMAT_DESCRIPTION, EventType.ROTATE):
            start = format.header_length
        end = len(event) - checksum_length(event, format)
        if end < start:
            raise CorruptEventError(f"{printed_name(kind)}: {len(event)} bytes are too few")
        body = event[start:end]
        masked = self._state.body(body, kind, format)
        extra = bytes(start - COMMON_HEADER_LENGTH)
        if masked == body and not extra:
            return event
        return with_body(event[:COMMON_HEADER_LENGTH] + extra + event[start:], masked, start, format)

    def _one(self, batch: EventBatch, index: int, kind: EventType) -> None:
        """Write an event that may get another size."""
        event, format = batch.data(index), self._format
        end = batch.header(index).position + len(event)
        try:
            if kind == EventType.MARIA_PARTIAL_ROWS:
                if self._parts.add(event, end, format):
                    for part in self._accepted(self._parts.masked(batch, self._mask, format), batch, index):
                        self._log.add(*part, format)
                return
            if kind == EventType.TRANSACTION_PAYLOAD:
                new = masked_payload(event, batch, format, self._masked_inside)
            elif kind in COMPRESSED_ROW_TYPES:
                new = self._accepted(masked_compressed_rows(event, batch, self._mask, format), batch, index)
            else:
                new = self._masked_event(kind, self._with_list(event, kind, format))
        except (RefusedEvent, CorruptEventError) as error:
            raise placed(error, batch, index) from error
        self._log.add(new, end, len(event), format)

    def _with_list(self, event: bytes, kind: EventType, format: Format) -> bytes:
        """Return an event that says which transactions came before, with those that are dropped."""
        if self._kept is None or kind not in LISTS:
            return event
        start, end = format.header_length, len(event) - format.checksum_length
        return with_body(event, self._kept.list_of(event[start:end], kind, format), start, format)

    def _accepted(self, masked: T | None, batch: EventBatch, index: int) -> T:
        """Return masked rows. Raise BinlogError if the kernel refused them."""
        if masked is None:
            raise rows_refusal(self._mask, batch, index)
        return masked

    def _masked_inside(self, batch: EventBatch, format: Format) -> bytearray:
        """Return the masked events of a batch inside a payload."""
        for index in range(batch.count):
            kind = batch.type(index)
            self.done.events[kind] = self.done.events.get(kind, 0) + 1
            if kind in PACKED or kind == EventType.FORMAT_DESCRIPTION:
                raise RefusedEvent(f"it holds the event {printed_name(kind)}")
        outside, self._format = self._format, format
        masked = self._masked(batch, 0, batch.count)
        self._format = outside
        return masked


def placed(error: RefusedEvent | CorruptEventError, batch: EventBatch, index: int) -> BinlogError:
    """Return the error with the event's place."""
    position = batch.header(index).position
    if isinstance(error, CorruptEventError):
        return error.at(batch.file, position)
    return refusal(error, batch.type(index), batch.file, position)


def rows_refusal(mask: RowMask, batch: EventBatch, index: int) -> BinlogError:
    """Return the error for an event that the kernel refused."""
    return refusal(
        RefusedEvent(ROWS_REASONS[mask.error_code]), batch.type(index), batch.file, batch.header(index).position
    )
