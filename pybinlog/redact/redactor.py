"""Redactor: logs in, the same logs with masked values out: each event has its position, size, type and flags."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from pybinlog.errors import BinlogError, CorruptEventError, OutOfMemory, TruncatedError
from pybinlog.event_types import COMMON_HEADER_LENGTH, EventType, printed_name
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import MAGIC
from pybinlog.kernel.mask import row_mask
from pybinlog.kernel.mask.row_mask import RowMask
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.layout.envelope import CHECKSUM_LENGTH, Format, crc32
from pybinlog.log.closed_log import check_beginning, log_in_use
from pybinlog.log.reader import Reader
from pybinlog.redact.characters import tables
from pybinlog.redact.events import EventMask, RefusedEvent, Remarks, refusal
from pybinlog.source import Source

ROWS_REASONS = {
    row_mask.ROWS_WRONG: "its rows cannot be read",
    row_mask.ROWS_WITHOUT_TABLE: "the Table_map that its rows need is not in the log",
    row_mask.ROWS_OF_UNKNOWN_TYPE: "a column has a type whose values cannot be masked",
    row_mask.ROWS_WITH_UNKNOWN_PART: "its extra row information has an unknown part",
}
_FLAGS = struct.Struct("<H")
_FLAGS_AT = 17


@dataclass
class Redaction:
    """The result for a log: its events by type, and the remarks of its report."""

    events: dict[str, int] = field(default_factory=dict)
    rows: int = 0
    values: int = 0
    size: int = 0
    remarks: Remarks = field(default_factory=Remarks)
    value_remarks: int = 0
    was_encrypted: bool = False


class Redactor:
    """Masks logs given one after the other under one key."""

    def __init__(self, key: bytes, *, keep_json_keys: bool = False):
        self._mask = RowMask(key, tables)
        self._mask.keep_json_keys = keep_json_keys
        self._scanner = Scanner()
        self._scanner.verify_checksum = True
        self._scanner.joins_parts = False

    def log(
        self,
        source: Source,
        write: Callable[[bytes | memoryview], object],
        progress: Callable[[int], None] | None = None,
    ) -> Redaction:
        """Hand one log to `write`, piece by piece, masked; memory does not grow with the log.

        Raise BinlogError, with file and position, if the log is in use, cut short or damaged, or has an event that
        cannot be masked. What was handed on until then is not worth keeping.
        """
        self._scanner.reset()
        self._mask.begin_log()
        state, done = EventMask(self._mask), Redaction()
        rows, values = self._mask.rows, self._mask.values
        self._mask.remarks = 0
        reader = Reader(source, self._scanner)
        format: Format | None = None
        try:
            for batch in reader if progress is None else reader.counted(progress):
                if format is None:
                    check_beginning(batch, "how its events are read")
                    write(MAGIC)
                    done.size += len(MAGIC)
                if self._scanner.in_use:
                    raise log_in_use(batch)
                masked = self._mask.mask(batch)
                if masked is None:
                    raise rows_refusal(self._mask, batch)
                out, rest = masked
                format = self._mask_rest(state, batch, out, rest, format)
                count(done, batch)
                del batch, masked
                write(memoryview(out))
                done.size += len(out)
        except BinlogError as error:
            error.hint = error.hint if not isinstance(error, CorruptEventError) else "A damaged log is not masked"
            raise
        except MemoryError as error:
            raise OutOfMemory.of(error, source.name, reader.position) from None
        if format is None:
            raise TruncatedError("the log ends before its first event", file=source.name, position=reader.position)
        done.rows, done.values = self._mask.rows - rows, self._mask.values - values
        done.remarks, done.value_remarks = state.remarks, self._mask.remarks
        done.was_encrypted = source.encrypted
        return done

    def _mask_rest(
        self,
        state: EventMask,
        batch: EventBatch,
        out: bytearray,
        rest: list[tuple[int, int]],
        format: Format | None,
    ) -> Format:
        """Mask the events that are not row events, in the copy of the batch."""
        for index, start in rest:
            kind = batch.type(index)
            size = int.from_bytes(out[start + 9 : start + 13], "little")
            event = bytes(out[start : start + size])
            if kind == EventType.FORMAT_DESCRIPTION:
                format = Format.from_event(event)
            assert format is not None
            try:
                out[start : start + size] = masked_event(state, event, EventType(kind), format)
            except RefusedEvent as error:
                raise refusal(error, kind, batch.file, batch.header(index).position) from error
            except CorruptEventError as error:
                raise error.at(batch.file, batch.header(index).position) from error
        assert format is not None
        return format


def masked_event(state: EventMask, event: bytes, kind: EventType, format: Format) -> bytes:
    """Return one whole event with its body masked, and its checksum made again."""
    header = COMMON_HEADER_LENGTH
    if kind not in (EventType.FORMAT_DESCRIPTION, EventType.ROTATE):
        header = format.header_length
    end = len(event) - format.checksum_length
    if kind == EventType.FORMAT_DESCRIPTION and format.checksum_algorithm in (0, 1):
        end = len(event) - CHECKSUM_LENGTH
    if end < header:
        raise CorruptEventError(f"{printed_name(kind)}: {len(event)} bytes are too few")
    body = event[header:end]
    masked = state.body(body, kind, format)
    extra = bytes(header - COMMON_HEADER_LENGTH)
    if masked == body and not extra:
        return event
    data = event[:COMMON_HEADER_LENGTH] + extra + masked
    return data + (crc32(data).to_bytes(CHECKSUM_LENGTH, "little") if end < len(event) else b"")


def count(done: Redaction, batch: EventBatch) -> None:
    for index in range(batch.count):
        name = printed_name(batch.type(index))
        done.events[name] = done.events.get(name, 0) + 1


def rows_refusal(mask: RowMask, batch: EventBatch) -> BinlogError:
    """Return the error for the row event that the kernel refused."""
    index = mask.error_index
    error = RefusedEvent(ROWS_REASONS[mask.error_code])
    return refusal(error, batch.type(index), batch.file, batch.header(index).position)
