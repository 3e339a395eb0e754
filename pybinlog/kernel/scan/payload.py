"""The events inside a Transaction_payload, as they would stand in the log; compiled, it copies every byte of them."""

import cython
from cython.cimports.pybinlog.kernel.base import fields
from cython.cimports.pybinlog.kernel.base.checksum import crc32
from cython.cimports.pybinlog.kernel.base.event import COMMON_HEADER_LENGTH, FORMAT_DESCRIPTION, INSIDE_PAYLOAD, MARKS
from cython.cimports.pybinlog.kernel.base.event import NOT_REFUSED, PAYLOAD_BEGIN, PAYLOAD_END, TRANSACTION_PAYLOAD
from cython.cimports.pybinlog.kernel.base.little_endian import LENENC_NULL, read_lenenc, read_u16, read_u32, read_u64
from cython.cimports.pybinlog.kernel.base.memory import memcpy

LARGEST = cython.declare(uint32_t, 1024 * 1024 * 1024)
# Uncompressed bytes of an ordinary payload.
ORDINARY = cython.declare(uint64_t, 1 << 18)
# Uncompressed bytes of all payloads of a batch that may lie in memory at once.
MOST_UNFOLDED = cython.declare(uint64_t, 12 << 20)
FRAME = cython.declare(uint32_t, 0xFD2FB528)
UNKNOWN_SIZE = cython.declare(uint64_t, 0xFFFFFFFFFFFFFFFF)


def put_event(text: p_Text, data: octets, size: uint32_t, checksum: cython.bint):
    """Append the event's bytes; with `checksum` four more, its CRC32, which its size field counts then."""
    put_memory(text, data, size)
    if checksum and not text.failed:
        event: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), text.data + text.length - size)
        grown: uint32_t = size + 4
        memcpy(event + 9, cython.address(grown), 4)
        sum: uint32_t = crc32(event, size)
        put_memory(text, cython.address(sum), 4)


def log_events(data: bytes, start: cython.size_t, checksums: cython.bint, limit: cython.size_t) -> tuple:
    """Return (events, offset after the last, why it ended) of the uncompressed payload, from offset `start` on.

    Whole events are taken until they have `limit` bytes or more. With `checksums` each grows by its CRC32, and its
    size field counts that. Why it ended is one of PAYLOAD_*.
    """
    source: cython.p_const_char = data
    base: octets = cython.cast(octets, source)
    length: cython.size_t = len(data)
    at: cython.size_t = start
    error_code: cython.int = PAYLOAD_NEED_MORE
    text: OwnText = OwnText()
    while at <= length and length - at >= COMMON_HEADER_LENGTH and text.text.length < limit:
        size: uint32_t = fields.event_size_of(base + at)
        if size < COMMON_HEADER_LENGTH or size > LARGEST:
            error_code = PAYLOAD_BAD_SIZE
            break
        if size > length - at:
            break
        if base[at + 4] == TRANSACTION_PAYLOAD:
            error_code = PAYLOAD_NESTED
            break
        put_event(cython.address(text.text), base + at, size, checksums)
        at += size
    return text_take(cython.address(text.text)), at, error_code


# ---- ordinary payloads


def room_for(size: cython.size_t) -> cython.size_t:
    """Return the most bytes of `size` bytes of events with a checksum each: an event has 19 bytes or more."""
    return size + size // 4


def read_number(at: cython.pointer(octets), end: octets, value: cython.pointer(uint64_t)) -> cython.bint:
    """Read as read_lenenc does, but without the marks that are not numbers."""
    return at[0] < end and at[0][0] != LENENC_NULL and at[0][0] != 255 and read_lenenc(at, end, value)


def payload_fields(body: bytes) -> tuple | None:
    """Return the offset of the payload in the event's body, its size, its compression type and what it inflates to.

    None if a length reaches beyond the body.
    """
    fields: PayloadFields
    source: cython.p_const_char = body
    start: octets = cython.cast(octets, source)
    if not payload_parse(cython.address(fields), start, len(body)):
        return None
    return fields.data - start, fields.size, fields.compression_type, fields.uncompressed_size


def payload_parse(fields: cython.pointer(PayloadFields), body: octets, left: cython.size_t) -> cython.bint:
    """Fill `fields` from the event's bytes after its header; False if a length reaches beyond them."""
    field: uint64_t = 0
    length: uint64_t = 0
    value: uint64_t = 0
    size: uint64_t = 0
    at: octets = body
    end: octets = body + left
    fields.compression_type = COMPRESSION_NONE
    fields.uncompressed_size = 0
    while True:
        if not read_number(cython.address(at), end, cython.address(field)):
            return False
        if field == PAYLOAD_END_MARK:
            break
        if not read_number(cython.address(at), end, cython.address(length)):
            return False
        if length > cython.cast(cython.size_t, end - at):
            return False
        inside: octets = at
        at += length
        if not read_number(cython.address(inside), at, cython.address(value)):
            return False
        if field == PAYLOAD_PAYLOAD_SIZE:
            size = value
        elif field == PAYLOAD_COMPRESSION_TYPE:
            fields.compression_type = value
        elif field == PAYLOAD_UNCOMPRESSED_SIZE:
            fields.uncompressed_size = value
    if size > cython.cast(cython.size_t, end - at):
        return False
    fields.data = at
    fields.size = size
    return True


def frame_content_size(frame: octets, size: cython.size_t) -> uint64_t:
    """Return the content size of a zstd frame (RFC 8878, 3.1.1.1); UNKNOWN_SIZE if the frame does not contain it, 0 if
    it is not a frame, or needs a dictionary.
    """
    if size < 6 or read_u32(frame) != FRAME:
        return 0
    descriptor: uint8_t = frame[4]
    single: cython.bint = descriptor & 0x20
    width: cython.size_t = (1 if single else 0) if descriptor < 0x40 else 1 << (descriptor >> 6)
    at: cython.size_t = 5 if single else 6  # a window's size stands before it
    if descriptor & 3 or size < at + width:
        return 0
    if width == 0:
        return UNKNOWN_SIZE
    if width == 1:
        return frame[at]
    if width == 2:
        return read_u16(frame + at) + cython.cast(uint64_t, 256)
    return read_u32(frame + at) if width == 4 else read_u64(frame + at)


@cython.final
@cython.cclass
class PayloadReader:
    """The events of ordinary payloads, with memory that is used again for each.

    Ordinary is what servers write, except large transactions: one zstd frame that inflates to as much as the event
    says, and whole events in it. Of any other payload `pybinlog.log.payload` makes the events, or says what is wrong;
    so it does where an option looks at the events one by one (--recover, --rewrite-db, --base64-output=never). Tests
    hold the two together (tests/dump/test_payload.py). The decompressor must not be shared between threads.
    """

    def __cinit__(self, force_read: cython.bint = False, statement_bits: cython.bint = False):
        self.scanner = Scanner()
        self.scanner.force_read = force_read
        self.scanner.statement_bits = statement_bits
        self.batch = EventBatch()
        self.compressed = Buffer()
        self.compressed.read_only = True
        self.memory = OwnText()

    def inflate(self) -> bytes:
        """Return the uncompressed bytes of the payload that `fields` describe; return None if they are not as their
        header says.
        """
        content_size: uint64_t = frame_content_size(self.fields.data, self.fields.size)
        if content_size != self.fields.uncompressed_size and content_size != UNKNOWN_SIZE:
            return None
        if self.decompressor is None:
            import zstandard

            self.decompressor = zstandard.ZstdDecompressor()
        self.compressed.data = cython.cast(cython.pointer(uint8_t), self.fields.data)  # for the time of one call
        self.compressed.size = self.fields.size
        try:
            if content_size == UNKNOWN_SIZE:
                plain: bytes = self.decompressor.decompress(self.compressed, self.fields.uncompressed_size)
            else:
                plain = self.decompressor.decompress(self.compressed)
        except Exception:  # the second look says what is wrong
            return None
        finally:
            self.compressed.data = cython.NULL
            self.compressed.size = 0
        return plain if cython.cast(uint64_t, len(plain)) == self.fields.uncompressed_size else None

    def find(self, e: p_const_Event) -> cython.bint:
        """Fill `fields` from a Transaction_payload; False if it is not ordinary, as far as its own fields tell."""
        return (
            e.body_end >= COMMON_HEADER_LENGTH
            and payload_parse(
                cython.address(self.fields), e.data + COMMON_HEADER_LENGTH, e.body_end - COMMON_HEADER_LENGTH
            )
            and self.fields.compression_type == COMPRESSION_ZSTD
            and 0 < self.fields.uncompressed_size <= ORDINARY
        )

    def scan(
        self,
        batch: EventBatch,
        outer: EventBatch,
        text: p_Text,
        data: octets,
        length: cython.size_t,
        checksums: cython.bint,
    ) -> cython.bint:
        """Let `batch` be the events of inflated bytes. Return False if they are not ordinary.

        With `checksums` each event is copied to `text`, with its CRC32. `text` must have `room_for` them: events lie in
        it, so it may not be moved.
        """
        at: cython.size_t = 0
        begin: cython.size_t = text.length
        batch.count = 0
        while at < length:
            if length - at < COMMON_HEADER_LENGTH:
                return False
            size: uint32_t = fields.event_size_of(data + at)
            if (
                size < COMMON_HEADER_LENGTH
                or size > length - at
                or data[at + 4] == TRANSACTION_PAYLOAD
                or data[at + 4] == FORMAT_DESCRIPTION
            ):
                return False
            if checksums:
                put_event(text, data + at, size, True)
            at += size
        if checksums:
            data = cython.cast(octets, text.data) + begin
            length = text.length - begin
        self.scanner.enter_payload(cython.address(outer.format), checksums)
        self.scanner.consumed = 0
        status: cython.int = self.scanner.add_events(batch, data, length)
        return status == SCAN_NEED_MORE and self.scanner.consumed == length and not text.failed

    def events(self, outer: EventBatch, index: cython.Py_ssize_t, checksums: cython.bint) -> EventBatch:
        """Return the events inside the Transaction_payload that is number `index` of a batch; None if it is not
        ordinary.

        As `Scanner.begin_payload` and `scan` give them. With `checksums` each is followed by its CRC32, as in the log,
        where that has checksums. They hold until the next call.
        """
        batch: EventBatch = self.batch
        text: p_Text = cython.address(self.memory.text)
        batch.count = 0  # its bytes go
        text.length = 0
        if not self.find(outer.at(index)):
            return None
        plain: bytes = self.inflate()
        if plain is None:
            return None
        source: cython.p_const_char = plain
        data: octets = cython.cast(octets, source)
        length: cython.size_t = len(plain)
        grow: cython.bint = checksums and outer.format.checksum_length != 0
        if not text_grow(text, room_for(length)):
            return None
        batch.owner = self.memory if grow else plain
        batch.refusals = 0
        batch.side.clear()
        batch.file = outer.file
        if not self.scan(batch, outer, text, data, length, grow):
            batch.count = 0
            return None
        return batch

    def inflate_all(self, outer: EventBatch) -> object:
        """Return the uncompressed bytes of all payloads of a batch that the filter keeps.

        None if there are none, or one is not ordinary, or if all inflate to more than MOST_UNFOLDED bytes. They are
        inflated in one call, which leaves the GIL to other threads.
        """
        i: cython.Py_ssize_t
        segment: uint64_t[2]
        inflated: uint64_t = 0
        segments: OwnText = OwnText()
        sizes: OwnText = OwnText()
        for i in range(outer.count):
            e: p_Event = outer.events + i
            if e.type != TRANSACTION_PAYLOAD or e.bits & MARKS:
                continue
            if not self.find(e):
                return None
            content_size: uint64_t = frame_content_size(self.fields.data, self.fields.size)
            if content_size != self.fields.uncompressed_size and content_size != UNKNOWN_SIZE:
                return None
            inflated += self.fields.uncompressed_size
            segment[0] = self.fields.data - outer.events[0].data
            segment[1] = self.fields.size
            put_memory(cython.address(segments.text), segment, 16)
            put_memory(cython.address(sizes.text), cython.address(self.fields.uncompressed_size), 8)
        if not 0 < inflated <= MOST_UNFOLDED:
            return None
        import zstandard

        if self.decompressor is None:
            self.decompressor = zstandard.ZstdDecompressor()
        frames = zstandard.BufferWithSegments(outer.stored, text_take(cython.address(segments.text)))
        try:
            return self.decompressor.multi_decompress_to_buffer(frames, text_take(cython.address(sizes.text)))
        except zstandard.ZstdError:  # the second look says what is wrong
            return None

    def unfolded(self, outer: EventBatch) -> EventBatch:
        """Return the batch with the events inside each payload after it, to be printed without a call for each payload.

        They have the payload's end_log_pos as their position, and keep the batch that they came from. None if no
        payload is kept, or one is not ordinary, or if all inflate to more than MOST_UNFOLDED bytes.
        """
        plain: Plain
        total: cython.size_t = 0
        inflated = self.inflate_all(outer)
        if inflated is None:
            return None
        plains: OwnText = OwnText()
        for segment in inflated:
            plain.data = bytes_of(segment)
            plain.size = len(segment)
            total += plain.size
            put_memory(cython.address(plains.text), cython.address(plain), cython.sizeof(Plain))
        memory: OwnText = OwnText()
        batch: EventBatch = EventBatch()
        batch.reuse_spare()
        batch.format = outer.format
        batch.file = outer.file
        batch.refusals = outer.refusals
        batch.owner = outer
        batch.side.append(inflated if outer.format.checksum_length == 0 else memory)
        if plains.text.failed or not text_grow(cython.address(memory.text), room_for(total)):
            return None
        with cython.nogil:
            whole: cython.bint = self.unfold(
                batch,
                self.batch,
                outer,
                cython.cast(cython.pointer(Plain), plains.text.data),
                cython.address(memory.text),
            )
        return batch if whole else None

    def unfold(
        self,
        batch: EventBatch,
        inner: EventBatch,
        outer: EventBatch,
        plain: cython.pointer(cython.const[Plain]),
        text: p_Text,
    ) -> cython.bint:
        """Fill `batch` from `outer` and the inflated bytes of its payloads. Return False if one is not ordinary."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        for i in range(outer.count):
            e: p_Event = outer.events + i
            to: p_Event = batch.add()
            if to == cython.NULL:
                return False
            to[0] = e[0]
            if e.type != TRANSACTION_PAYLOAD or e.bits & MARKS:
                continue
            to.bits |= PAYLOAD_BEGIN
            if not self.scan(inner, outer, text, plain.data, plain.size, outer.format.checksum_length != 0):
                return False
            plain += 1
            for j in range(inner.count):
                to = batch.add()
                if to == cython.NULL:
                    return False
                to[0] = inner.events[j]
                to.position = e.end_log_pos
                to.end_log_pos = e.end_log_pos
                to.bits |= INSIDE_PAYLOAD
                to.lent = e.lent
            to = batch.add()
            if to == cython.NULL:
                return False
            to[0] = e[0]
            to.bits |= PAYLOAD_END
            to.refused_from = NOT_REFUSED
        return True
