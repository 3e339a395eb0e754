"""Tagger: logs in, the same logs with markers out."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pybinlog import errors
from pybinlog.boundary.bits import BitsRefusal, StatementBits, refusal
from pybinlog.boundary.parser import BoundaryType, Refusal
from pybinlog.boundary.stream import continues
from pybinlog.event_types import EventFlag, EventType
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import MAGIC, NOT_REFUSED
from pybinlog.kernel.scan import mark
from pybinlog.kernel.scan.mark import Marker
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.closed_log import check_beginning, log_in_use
from pybinlog.log.payload import last_event
from pybinlog.log.reader import Reader
from pybinlog.log.relay_log import RelayLogSign
from pybinlog.source import Source
from pybinlog.source.foreign_form import NOT_A_LOG

CLOSING_TYPES = (EventType.ROTATE, EventType.STOP)


@dataclass
class LogTags:
    """The changes to one log.

    `changed` counts the markers written (or cleared) by type; `kept` the events left as they were, by the marker they
    carry; `changed_bits` and `kept_bits` the same where the markers are statement bits.
    `refusals` is the number of events that the boundary parser refused, `first_refusal` the first of them with its
    position. `open_relay_log`: a relay log without a Rotate or Stop at its end, which a replica may be writing.
    """

    changed: dict[BoundaryType, int] = field(default_factory=dict)
    kept: dict[BoundaryType, int] = field(default_factory=dict)
    changed_bits: dict[StatementBits, int] = field(default_factory=dict)
    kept_bits: dict[StatementBits, int] = field(default_factory=dict)
    refusals: int = 0
    first_refusal: tuple[int, Refusal | BitsRefusal] | None = None
    open_relay_log: bool = False

    @property
    def events(self) -> int:
        return self.count_changed + self.count_kept

    @property
    def count_changed(self) -> int:
        return sum(self.changed.values()) + sum(self.changed_bits.values())

    @property
    def count_kept(self) -> int:
        return sum(self.kept.values()) + sum(self.kept_bits.values())


class Tagger:
    """Writes markers into logs given one after the other, or with `clear` zeroes them, whatever their form.

    The markers are boundary types, or with `bits` statement bits; a log that carries the other form is refused.
    A log that the one before it rotated to continues its stream (docs/boundaries.md, "Streams").
    """

    def __init__(self, *, clear: bool = False, bits: bool = False):
        if clear and bits:
            raise ValueError("markers are cleared whatever their form: `clear` and `bits` exclude each other")
        self.clear = clear
        self.bits = bits
        self._scanner = Scanner(verify_checksum=True, joins_parts=False)
        self._scanner.statement_bits = self._scanner.parse_bits = bits
        self._scanner.last_in_payload = last_event
        self._rotates_to: str | None = None

    def log(
        self, source: Source, write: Callable[[bytes], object], progress: Callable[[int], None] | None = None
    ) -> LogTags:
        """Hand one log to `write`, piece by piece, with its markers; memory does not grow with the log.

        BinlogError, with file and position, where the log is in use, cut short, encrypted or damaged. What was handed
        on until then is not worth keeping.
        """
        if not continues(self._rotates_to, source.name):
            self._scanner.reset()
        self._rotates_to = None
        marker = Marker(self.clear, self.bits)
        reader = Reader(source, self._scanner)
        tags = LogTags()
        sign = RelayLogSign()
        closed = False
        try:
            for number, batch in enumerate(reader if progress is None else reader.counted(progress)):
                if number == 0:
                    check_beginning(batch, "which events have checksums")
                    write(MAGIC)
                sign.note_batch(batch)
                if self._scanner.in_use:
                    raise log_in_use(batch)
                data = marker.mark(batch)
                if data is None:
                    raise mark_error(marker, batch, self.bits)
                if batch.refusals:
                    note_refusals(tags, batch)
                last = batch.header(batch.count - 1)
                closed = last.type in CLOSING_TYPES and not last.flags & EventFlag.ARTIFICIAL
                del batch  # before the next is read: a batch may be as large as the largest event
                write(data)
        except errors.BinlogError as error:
            raise explained(error) from None
        except MemoryError as error:
            raise errors.OutOfMemory.of(error, source.name, reader.position) from None
        if not tags_of(marker, tags).events:
            raise errors.TruncatedError(
                "the log ends before its first event", file=source.name, position=reader.position
            )
        tags.open_relay_log = sign.is_relay_log and not closed
        self._rotates_to = reader.rotates_to
        return tags


def mark_error(marker: Marker, batch: EventBatch, bits: bool) -> errors.BinlogError:
    """Return the error for the event that the marker refused."""
    position = batch.header(marker.error_index).position
    if marker.error_code == mark.MARK_ENCRYPTED:
        return errors.EncryptedError(
            errors.EVENTS_ENCRYPTED, file=batch.file, position=position, hint=errors.KEYRING_HINT
        )
    if marker.error_code == mark.MARK_OTHER_FORM:
        carried, wanted = ("boundary types", "statement bits") if bits else ("statement bits", "boundary types")
        return errors.BinlogError(
            f"the log is marked with {carried} already, so {wanted} have no room",
            file=batch.file,
            position=position,
            hint="Remove its markers with `pybinlog tag --clear`",
        )
    if marker.error_code == mark.MARK_HIDDEN_CHECKSUM:
        return errors.CorruptEventError(
            "the Format_description event is damaged: by it events have no checksums, but this one has",
            file=batch.file,
            position=position,
        )
    return errors.ChecksumError(
        "the checksum of the Format_description event does not match its bytes", file=batch.file, position=position
    )


def explained(error: errors.BinlogError) -> errors.BinlogError:
    """Return the same error; the reader's hints speak of options that only the dump has."""
    if isinstance(error, errors.UnknownEventError):
        error.hint = "Its place in a transaction cannot be told"
    elif isinstance(error, errors.CorruptEventError):
        error.hint = "A damaged log is not marked"
    elif isinstance(error, errors.BadMagicError) and error.message == NOT_A_LOG:
        error.hint = "A binary log begins with the bytes fe 62 69 6e"
    return error


def note_refusals(tags: LogTags, batch: EventBatch) -> None:
    """Count the events that the boundary parser refused, and keep the first."""
    tags.refusals += batch.refusals
    if tags.first_refusal is None:
        index = next(index for index in range(batch.count) if batch.refused_from(index) != NOT_REFUSED)
        header = batch.header(index)
        tags.first_refusal = header.position, refusal(batch.refused_from(index), header.boundary, batch.bits(index))


def tags_of(marker: Marker, tags: LogTags) -> LogTags:
    tags.changed = {kind: count for kind, count in zip(BoundaryType, marker.changed, strict=True) if count}
    tags.kept = {kind: count for kind, count in zip(BoundaryType, marker.kept, strict=True) if count}
    tags.changed_bits = by_bits(marker.changed_bits)
    tags.kept_bits = by_bits(marker.kept_bits)
    return tags


def by_bits(counts: list[int]) -> dict[StatementBits, int]:
    return {StatementBits.of_number(number): count for number, count in enumerate(counts) if count}
