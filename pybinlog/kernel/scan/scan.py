"""Scanner: where each event begins and ends, and its place in a transaction; compiled, it runs over every event."""

import cython
from cython.cimports.pybinlog.kernel.base import facts, fields
from cython.cimports.pybinlog.kernel.base.checksum import checksum_matches
from cython.cimports.pybinlog.kernel.base.event import BINLOG_IN_USE, COMMON_HEADER_LENGTH, FORMAT_DESCRIPTION
from cython.cimports.pybinlog.kernel.base.event import MARIA_PARTIAL_ROWS, MARIA_QUERY_COMPRESSED, NOT_REFUSED, QUERY
from cython.cimports.pybinlog.kernel.base.event import ROTATE, TRANSACTION_PAYLOAD, UNKNOWN, format_default
from cython.cimports.pybinlog.kernel.base.little_endian import read_u32
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize
from cython.cimports.pybinlog.kernel.base.text import text_take
from cython.cimports.pybinlog.kernel.scan import classify
from cython.cimports.pybinlog.kernel.scan.statement_bits import BITS_INFERRED, BITS_REFUSED, bits_by_kind, bits_feed

MANY = cython.declare(cython.Py_ssize_t, 512)  # events of a batch; fewer do not burden the allocator
MAXIMUM_EVENTS = cython.declare(cython.Py_ssize_t, 16384)


@cython.final
@cython.cclass
class Scanner:
    """Cuts a stream into EventBatches and works out each event's boundary.

    `scan(buffer, start, end, file)` takes the events that lie whole between the two offsets; `consumed`, `error_code`,
    `wanted` and `position` say afterwards how far it came and why it ended. The state (Format_description,
    classifier, parser) continues from call to call; `reset()` begins a new stream.
    """

    def __cinit__(
        self, *, verify_checksum: cython.bint = False, force_read: cython.bint = False, joins_parts: cython.bint = True
    ):
        format_default(cython.address(self.format))
        classify.boundary_reset(cython.address(self.boundary))
        classify.boundary_tables(cython.address(self.tables))
        self.feed_parser = True
        self.inflated = InflatedEvent()
        self.parts = PartialRows()
        self.verify_checksum = verify_checksum
        self.force_read = force_read
        self.joins_parts = joins_parts

    def new_log(self, position: cython.ulonglong) -> None:
        """Begin another log: a new Format_description will come. Classifier and parser are left as they are."""
        format_default(cython.address(self.format))
        self.position = position

    def reset(self) -> None:
        """Return classifier and parser to the start of a stream."""
        classify.boundary_reset(cython.address(self.boundary))

    @property
    def in_use(self) -> bool:
        """Return True if the Format_description in force has the in-use flag."""
        return bool(self.format.flags & BINLOG_IN_USE)

    @property
    def checksums(self) -> bool:
        """Return True if events have a CRC32, by the Format_description in force."""
        return self.format.checksum_algorithm == 1

    def judge_by_text(self, event: p_Event):
        """Classify an event by its text, if its type does not suffice."""
        text: cython.p_const_char = cython.NULL
        length: cython.size_t = 0
        inferred: cython.bint = False
        if event.type == MARIA_QUERY_COMPRESSED and self.inflated.read_statement(
            event.data, event.body_end, cython.address(self.format)
        ):
            text = self.inflated.text.data
            length = self.inflated.text.length
        event.boundary = classify.boundary_of(
            cython.address(self.boundary),
            cython.address(self.format),
            event.data,
            event.body_end,
            text,
            length,
            cython.address(inferred),
        )
        event.inferred = inferred

    def next_event(self, batch: EventBatch, data: octets, left: cython.size_t) -> cython.int:
        """Add the event at `data` to the batch; SCAN_NEED_MORE when it is not all there, -1 when it was added."""
        self.wanted = 0
        magic: cython.size_t = 0
        if left < COMMON_HEADER_LENGTH:
            return 0
        if self.many_logs and read_u32(data) == MAGIC_NUMBER:
            magic = 4
            if left < 23:
                return 0
            if batch.count:
                return 1
            classify.boundary_reset(cython.address(self.boundary))
            format_default(cython.address(self.format))
            data += 4
            left -= 4
        size: uint32_t = fields.event_size_of(data)
        code: uint8_t = data[4]
        self.error_type = code
        self.error_size = size
        self.error_at = 0
        if size < COMMON_HEADER_LENGTH:
            return 2
        if size > MAXIMUM_SIZE:
            return 3
        if size > left:
            self.wanted = size + magic
            return 0

        stored: uint64_t = size
        if code == MARIA_PARTIAL_ROWS and self.joins_parts:
            status: cython.int = self.join_parts(batch, cython.address(data), left)
            if status != -1:
                self.wanted += magic if self.wanted else 0
                return status
            stored = size if data[4] == MARIA_PARTIAL_ROWS else self.parts.stored
            size = fields.event_size_of(data)
            code = data[4]
        flags: cython.int = fields.flags_of(data)
        trailer: uint32_t = self.format.checksum_length
        has_checksum: cython.bint = trailer != 0
        if code == FORMAT_DESCRIPTION:
            if batch.count:
                return 1
            format: Format
            if format_parse(cython.address(format), data, size) != 0:
                return 4
            self.format = format
            trailer = 0 if format.checksum_algorithm == 255 else 4
            has_checksum = format.checksum_algorithm == 1
            batch.format = format
        elif batch.count == 0:
            batch.format = self.format
        if size < COMMON_HEADER_LENGTH + trailer:
            return 2
        if has_checksum and self.verify_checksum and not checksum_matches(data, size):
            return 5
        kind: uint8_t = facts.type_of_code(cython.address(self.format), code, flags)
        if kind == UNKNOWN and not self.force_read:
            return 5 if has_checksum and self.checksums_follow and not checksum_matches(data, size) else 6

        if batch.count < batch.capacity:
            event: p_Event = batch.events + batch.count
            batch.count += 1
        else:
            event = batch.add()
            if event == cython.NULL:
                return SCAN_NO_MEMORY
        event.data = data
        event.position = self.position
        event.event_size = size
        event.body_end = size - trailer
        event.timestamp = fields.timestamp_of(data)
        event.type = kind
        event.server_id = fields.server_id_of(data)
        event.end_log_pos = fields.end_log_pos_of(data)
        event.flags = flags
        event.has_checksum = has_checksum
        event.checksum = read_u32(data + size - 4) if has_checksum else 0
        if kind == ROTATE and classify.is_fake_rotate(data, event.body_end):
            classify.boundary_reset(cython.address(self.boundary))
        if facts.KIND_OF_TYPE[kind] < facts.KIND_BY_TEXT:
            worked_out: uint8_t = classify.boundary_by_kind(
                cython.address(self.boundary), self.tables.cells, facts.KIND_OF_TYPE[kind]
            )
            event.boundary = worked_out
            event.inferred = True
            if flags & classify.MARKER_MASK:
                self.read_marker(event)
        else:
            self.judge_by_text(event)
            worked_out = self.boundary.type
        event.refused_from = NOT_REFUSED
        event.bits = 0
        event.lent = 0
        event.part_headers = cython.cast(uint32_t, stored - size)
        if not self.usual:
            if self.unusual_event(event, worked_out):
                batch.refusals += 1
        else:
            state: uint8_t = self.tables.parser[self.boundary.parser * 8 + event.boundary]
            if state == classify.PARSER_ERROR:
                event.refused_from = self.boundary.parser
                batch.refusals += 1
                state = classify.NOT_DEFINED
            self.boundary.parser = state
        self.position += stored + magic
        self.consumed += stored + magic
        return -1

    def join_parts(self, batch: EventBatch, data: cython.pointer(octets), left: cython.size_t) -> cython.int:
        """Let `data` be the row event whose first part is there, -1; or return why it cannot be.

        The log's server may not know such events: then they are as they are.
        """
        format: p_const_Format = cython.address(self.format)
        if facts.type_of_code(format, data[0][4], fields.flags_of(data[0])) != MARIA_PARTIAL_ROWS:
            return -1
        found: cython.int = self.parts.look(data[0], left, self.position, format)
        if found == PARTS_MISSING:
            self.wanted = self.parts.wanted
            return SCAN_NEED_MORE
        if found == PARTS_BAD:
            self.error_at = self.parts.at
            self.error_size = self.parts.extent(data[0], left)
            return SCAN_BAD_PARTS
        verify: cython.bint = self.verify_checksum or self.checksums_follow
        if self.format.checksum_length and verify and not self.parts.checksums_match(data[0]):
            self.error_at = self.parts.at
            self.error_size = self.parts.extent(data[0], left)
            return SCAN_BAD_CHECKSUM
        with cython.gil:
            try:
                joined: bytes = self.parts.join(data[0], format)
            except MemoryError:
                return SCAN_NO_MEMORY
            batch.side.append(joined)
            start: cython.p_const_char = joined
        data[0] = cython.cast(octets, start)
        return -1

    def read_marker(self, event: p_Event):
        """Let the event's marker say its boundary, not the rules."""
        marker: uint8_t = classify.marker_of(cython.address(self.format), event.data, event.flags)
        if marker != classify.NOT_DEFINED:
            event.boundary = marker
            event.inferred = False

    def payload_kind(self, event: p_Event) -> uint8_t:
        """Return how the transaction inside a payload ends: as its last event says."""
        body: bytes = PyBytes_FromStringAndSize(
            event.data + COMMON_HEADER_LENGTH, event.body_end - COMMON_HEADER_LENGTH
        )
        last: bytes = self.last_in_payload(body)
        if last is None:
            return facts.KIND_TRANSACTION_END
        kind: uint8_t = classify.kind_of_event(
            cython.address(self.format),
            cython.cast(octets, cython.cast(cython.p_const_char, last)),
            len(last),
            cython.NULL,
            0,
        )
        return kind if kind == facts.KIND_PREPARED or kind == facts.KIND_ROLLBACK else facts.KIND_TRANSACTION_END

    def unusual_event(self, event: p_Event, worked_out: uint8_t) -> cython.bint:
        """Return the event's bits if they are on, and feed the parsers if they are fed; note if one refused it."""
        old: uint8_t = 0
        kind: uint8_t = facts.KIND_OF_TYPE[event.type]
        refused: cython.bint = False
        if self.statement_bits:
            if event.type == TRANSACTION_PAYLOAD and self.last_in_payload is not None:
                with cython.gil:
                    kind = self.payload_kind(event)
            event.bits = BITS_INFERRED | bits_by_kind(
                cython.address(self.boundary),
                cython.address(self.format),
                event.data,
                event.body_end,
                kind if kind < facts.KIND_BY_TEXT else self.boundary.kind,
                worked_out,
            )
            if classify.marks_bits(cython.address(self.format)) and not event.inferred:
                event.bits = event.flags >> 10 & 15
        if not self.feed_parser:
            return False
        if (
            not classify.parser_feed(cython.address(self.boundary), event.boundary, cython.address(old))
            and not self.parse_bits
        ):
            event.refused_from = old
            refused = True
        if self.statement_bits and self.parse_bits:
            if not bits_feed(cython.address(self.boundary), event.boundary, event.bits & 15, cython.address(old)):
                event.refused_from = BITS_REFUSED + old
                refused = True
        return refused

    def add_events(self, batch: EventBatch, data: octets, size: cython.size_t) -> cython.int:
        """Add events to the batch until something ends it; what did so."""
        status: cython.int = -1
        self.usual = self.feed_parser and not self.statement_bits
        # after the last event group that is complete
        count: cython.Py_ssize_t = 0
        consumed: cython.size_t = 0
        position: cython.ulonglong = 0
        boundary: classify.Boundary = self.boundary
        while status == -1:
            if batch.count == MAXIMUM_EVENTS:
                status = 1
                break
            status = self.next_event(batch, data + self.consumed, size - self.consumed)
            if self.whole_groups and status == -1 and self.boundary.group == classify.GROUP_NONE:
                count = batch.count
                consumed = self.consumed
                position = self.position
                boundary = self.boundary
        if self.whole_groups and 0 < count < batch.count and status <= 1:
            batch.cut(count)
            self.consumed = consumed
            self.position = position
            self.boundary = boundary
        return status

    def scan(self, buffer: object, start: cython.size_t, end: cython.size_t, file: object) -> EventBatch:
        batch: EventBatch = EventBatch()
        batch.file = file
        batch.owner = buffer
        # `owner` keeps the memory; a Buffer cannot be resized
        data: octets = bytes_between(buffer, start, end)
        self.consumed = 0
        if self.last_count > MANY:
            batch.reuse_spare()
        with cython.nogil:
            self.error_code = self.add_events(batch, data, end - start)
        self.last_count = batch.count
        if self.error_code == SCAN_NO_MEMORY:
            raise MemoryError("no memory for a batch of events")
        return batch

    def statement(self, batch: EventBatch, index: cython.Py_ssize_t) -> bytes:
        """Return the text of a Query or Query_compressed event, b"" where it has none or its lengths lie; at most 4
        KiB.
        """
        e: p_Event = batch.at(index)
        parts: classify.QueryParts
        if e.type == MARIA_QUERY_COMPRESSED:
            if self.inflated.read_statement(e.data, e.body_end, cython.address(batch.format)):
                return text_take(cython.address(self.inflated.text))
        elif e.type == QUERY and not classify.query_parts(
            cython.address(parts), cython.address(batch.format), e.data, e.body_end
        ):
            return parts.text[: min(parts.length, 4096)]
        return b""

    def begin_payload(self, outer: EventBatch, checksums: cython.bint) -> None:
        """Scan from here on the events inside a Transaction_payload of that batch (WL#4162, F3).

        Their boundaries are worked out as if they followed the GTID event; the parser is not fed with them. With
        `checksums` they have those that the log's events have.
        """
        self.enter_payload(cython.address(outer.format), checksums)

    def enter_payload(self, format: p_const_Format, checksums: cython.bint):
        classify.boundary_enter_payload(cython.address(self.boundary), cython.address(self.boundary))
        self.format = format[0]
        if not checksums:
            self.format.checksum_length = 0
            self.format.checksum_algorithm = 0
        self.position = 0
        self.feed_parser = False


def whole_until(batch: EventBatch) -> int:
    """Return the end of the last event of the batch that is Self Contained or ends a transaction, or 0 if there is
    none.
    """
    i: cython.Py_ssize_t
    for i in range(batch.count - 1, -1, -1):
        boundary: uint8_t = batch.events[i].boundary
        if boundary == classify.SELF_CONTAINED or boundary == classify.END_TRANSACTION:
            return stored_end(cython.address(batch.events[i]))
    return 0
