"""Event: one event of a log, its body parsed at the first access."""

from __future__ import annotations

from collections import deque
from functools import cached_property
from typing import Any, NamedTuple

from pybinlog.boundary.bits import EndBits, StartBits
from pybinlog.boundary.parser import BoundaryType, Refusal
from pybinlog.errors import BinlogError, CorruptEventError
from pybinlog.event_header import EventHeader
from pybinlog.event_types import ROW_TYPES, EventFlag, EventType, printed_name, type_in_log
from pybinlog.kernel.scan.statement_bits import BITS_INFERRED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pybinlog.layout import Format


class Row(NamedTuple):
    """One row: its columns before the change and after it, each by name (or "@1", "@2" ...).

    `before` is None for an insert, `after` for a delete. Columns that the image omits (binlog_row_image) are not
    in the dictionary; None is NULL.
    """

    before: dict[str, Any] | None
    after: dict[str, Any] | None


class FormatDescription:
    """The Format_description in force for some events, parsed once when one of them needs it."""

    def __init__(self, data: bytes | None, *, checksums: bool = True):
        self.data = data
        self.checksums = checksums
        """True if the events have the checksums that it says."""

    @cached_property
    def format(self) -> Format:
        from pybinlog.layout import Format

        return Format.default() if self.data is None else Format.from_event(self.data)

    @cached_property
    def inside_payload(self) -> FormatDescription:
        """The same for the events inside a Transaction_payload, which carry no checksum."""
        inner = FormatDescription(self.data, checksums=False)
        inner.format = self.format.without_checksum()
        return inner


class Event:
    """One event of a binary log.

    `file` is the log's name as it was given; `position` the event's offset in the uncompressed stream, in bytes (that
    of the payload for an event inside one); `timestamp` seconds since 1970 UTC; `size` and `end_log_pos` as in its
    header, in bytes; `boundary` its marker, or the type worked out if it has none (`inferred`); `starts` and `ends`
    come from its statement bits; `refused` is what the boundary parser objected to, None if it did not; `data` all
    its bytes, from its header to its checksum; `gtid` the GTID of its transaction as text (`uuid:number`,
    `uuid:tag:number`, of MariaDB `domain-server-number`), None outside transactions and in those without one. `bits` is
    as `EventBatch.bits` has it.
    """

    def __init__(
        self,
        file: str,
        header: EventHeader,
        data: bytes,
        format_description: FormatDescription,
        *,
        refused: Refusal | None = None,
        table_map: Event | None = None,
        bits: int = 0,
        gtid: str | None = None,
    ):
        self.file = file
        self.position = header.position
        self.timestamp = header.timestamp
        self.type_code = data[4]
        self._type = header.type
        self.server_id = header.server_id
        self.size = header.event_size
        self.end_log_pos = header.end_log_pos
        self.flags = EventFlag(header.flags)
        self.boundary = BoundaryType(header.boundary)
        self.inferred = header.inferred
        self.gtid = gtid
        self._bits = bits
        self.refused = refused
        self.data = data
        self._format_description = format_description
        self.table_map = table_map
        """The Table_map event that a row event's table id names; None for other events, and where it did not come."""

    @property
    def starts(self) -> StartBits:
        """How the event begins: whether a statement or a transaction does."""
        return StartBits(self._bits >> 2 & 3)

    @property
    def ends(self) -> EndBits:
        """How the event ends: whether a statement does, or a transaction, and how.

        Of a Transaction_payload without a marker the last event inside says it, so that it is opened.
        """
        if self._type == EventType.TRANSACTION_PAYLOAD and self.bits_inferred:
            last = deque(self.events(), maxlen=1)
            return last[0].ends if last else EndBits.TRANSACTION_COMMIT
        return EndBits(self._bits & 3)

    @property
    def bits_inferred(self) -> bool:
        """Return True if `starts` and `ends` were worked out; a log that is marked with them has them in its events."""
        return bool(self._bits & BITS_INFERRED)

    @property
    def type(self) -> EventType | int:
        """Return the meaning of the event's type code in this log; IGNORABLE for one that its server ignores (WL#4033).

        The plain number of a code that the log's server does not know.
        """
        return EventType(self._type) if self._type else self.type_code

    @property
    def type_name(self) -> str:
        """The type as mysqlbinlog prints it, for example "Write_rows"."""
        return printed_name(self._type)

    @property
    def format(self) -> Format:
        """Return the Format_description in force; `layout.parse_event` takes it."""
        return self._format_description.format

    @cached_property
    def _parsed(self) -> Any:
        from pybinlog.layout import parse_event

        try:
            return parse_event(self.data, self.format, self._type)
        except BinlogError as error:
            raise error.at(self.file, self.position) from None

    @property
    def body(self) -> Any:
        """The event's fields, as MySQL's manual names them (construct Container).

        Raise CorruptEventError if they lie.
        """
        return self._parsed.body

    @property
    def checksum(self) -> int | None:
        """The CRC32 at the event's end as it was read, None if the log has none."""
        checksum: int | None = self._parsed.checksum
        return checksum

    @cached_property
    def rows(self) -> list[Row]:
        """The rows of a row event: (before, after), each a dict of column name (or "@1", "@2" ...) to value.

        TypeError for an event of another type; raise CorruptEventError if the Table_map did not come or a length lies.
        """
        if self._type not in ROW_TYPES:
            raise TypeError(f"a {self.type_name} event has no rows")
        if self.table_map is None:
            raise CorruptEventError(
                "the row event's table is not known: no Table_map came for it",
                file=self.file,
                position=self.position,
                hint="Read the log from the beginning of the transaction",
            )
        from pybinlog.kernel.rows.row_values import event_rows
        from pybinlog.log.large_event import inflate

        form = self._format_description
        try:
            rows = event_rows(self.table_map.data, self.data, form.data, form.checksums, inflate)
        except BinlogError as error:
            raise error.at(self.file, self.position) from None
        if rows is None:
            what = f"the {self.type_name} event is corrupt: a length in it reaches beyond its end"
            raise CorruptEventError(what, file=self.file, position=self.position)
        if rows and rows[-1] == (None, None):
            what = f"row {len(rows)} of the {self.type_name} event cannot be read"
            raise CorruptEventError(what, file=self.file, position=self.position)
        return list(map(Row._make, rows))

    def events(self) -> Iterator[Event]:
        """Yield the events inside a Transaction_payload; none for an event of another type.

        They stand at the payload's position, and their boundaries are those after its GTID event (WL#4162, F3).
        """
        if self._type != EventType.TRANSACTION_PAYLOAD:
            return
        from pybinlog.boundary.classifier import BoundaryClassifier, GroupState
        from pybinlog.log.payload import Payload

        outer = BoundaryClassifier(self._format_description.data)
        outer.restore(GroupState.OPEN, True)
        classifier = outer.enter_payload()
        tables = TableMaps()
        try:
            start, end = self.format.header_length, len(self.data) - self.format.checksum_length
            for data in Payload(self.data[start:end]).events():
                boundary, inferred = classifier.boundary_of(data)
                bits, bits_inferred = classifier.bits
                header = EventHeader(
                    self.position,
                    int.from_bytes(data[0:4], "little"),
                    type_in_log(data[4], int.from_bytes(data[17:19], "little"), self.format.mariadb),
                    int.from_bytes(data[5:9], "little"),
                    len(data),
                    int.from_bytes(data[13:17], "little"),
                    int.from_bytes(data[17:19], "little"),
                    int(boundary),
                    inferred,
                )
                number = bits.number | (BITS_INFERRED if bits_inferred else 0)
                event = Event(
                    self.file, header, data, self._format_description.inside_payload, bits=number, gtid=self.gtid
                )
                tables.see(event)
                yield event
        except BinlogError as error:
            raise error.at(self.file, self.position) from None

    def __repr__(self) -> str:
        inferred = ", inferred" if self.inferred else ""
        return f"<Event {self.type_name} at {self.position}, {self.boundary.printed_name}{inferred}>"


class TableMaps:
    """The Table_map events that row events to come may name, by table id."""

    def __init__(self) -> None:
        self._events: dict[int, Event] = {}

    def see(self, event: Event) -> None:
        """Note a Table_map; give a row event the one it names."""
        if event.type != EventType.TABLE_MAP and event.type not in ROW_TYPES:
            return
        start = event.format.header_length
        length = 4 if event.format.post_header_length(event.type_code) == 6 else 6
        table_id = int.from_bytes(event.data[start : start + length], "little")
        if event.type == EventType.TABLE_MAP:
            self._events[table_id] = event
            return
        event.table_map = self._events.get(table_id)
        from pybinlog.kernel.base.event import STMT_END_F

        flags = int.from_bytes(event.data[start + length : start + length + 2], "little")
        if flags & STMT_END_F:
            self._events.clear()
