"""InflatedEvent: the event that a compressed one of MariaDB (--log-bin-compress) stands for; compiled, because there
are many.

Compressed data are a byte (algorithm in bits 4 to 6, the size of the next field in bits 0 to 2), the inflated length
with the highest byte first, and zlib's stream. Layout: MariaDB's documentation, "Query_compressed_event" and
"Rows_compressed_event".
"""

import cython
from cython.cimports.pybinlog.kernel.base.checksum import crc32
from cython.cimports.pybinlog.kernel.base.memory import memcpy
from cython.cimports.pybinlog.kernel.scan.classify import TEXT_ENOUGH, query_compressed


@cython.final
@cython.cclass
class InflatedEvent:
    """The ordinary event that one compressed event after the other stands for, in memory that is used again.

    Ordinary is what servers write, except large events. What any other stands for, or what is wrong with it, says
    `pybinlog.log.large_event`. Tests hold the two together (tests/kernel/scan/test_inflated_event.py).
    """

    def __cinit__(self):
        if not text_grow(cython.address(self.text), 1):  # a text without bytes has a place, too
            raise MemoryError("no memory for an inflated event")

    def __dealloc__(self):
        text_free(cython.address(self.text))
        if self.begun:
            inflateEnd(cython.address(self.stream))

    def inflate_into(self, data: octets, size: cython.size_t, most: cython.size_t) -> cython.int:
        """Append at most `most` inflated bytes to `text`. Return zlib's status; Z_BUF_ERROR if there is no memory."""
        stream: cython.pointer(z_stream) = cython.address(self.stream)
        status: cython.int = inflateReset(stream) if self.begun else inflateInit(stream)
        if status != Z_OK:
            return Z_BUF_ERROR
        self.begun = True
        if not text_grow(cython.address(self.text), most + 1):
            return Z_BUF_ERROR
        stream.next_in = data
        stream.avail_in = cython.cast(uint32_t, size)
        stream.next_out = cython.cast(cython.pointer(uint8_t), self.text.data + self.text.length)
        stream.avail_out = cython.cast(uint32_t, most)
        status = inflate(stream, Z_FINISH)
        self.text.length += most - stream.avail_out
        return status

    def read(
        self, e: p_const_Event, data_at: cython.size_t, format: p_const_Format, checksum: cython.bint
    ) -> cython.bint:
        text: p_Text = cython.address(self.text)
        event: p_Event = cython.address(self.event)
        at: octets = e.data + data_at
        size: cython.size_t = e.body_end - data_at
        digits: cython.size_t = at[0] & 7 if size else 0
        length: cython.size_t = 0
        i: cython.size_t
        kind: uint8_t = inflated_type(e.type)
        # the same post-header, or its bytes would mean something else
        if format.post_header_length[kind] != format.post_header_length[e.type] and kind != e.type:
            return False
        if not 1 <= digits <= 4 or at[0] >> 4 & 7 or size <= digits + 1:
            return False
        for i in range(digits):
            length = length << 8 | at[1 + i]
        if length > ORDINARY_EVENT:
            return False
        text.length = 0
        put_memory(text, e.data, data_at)
        if self.inflate_into(at + 1 + digits, size - 1 - digits, length) != Z_STREAM_END:
            return False
        event[0] = e[0]
        event.type = kind
        event.body_end = event.event_size = cython.cast(uint32_t, data_at + length)
        if text.length != event.body_end or not text_grow(text, 4):
            return False
        event.data = cython.cast(octets, text.data)
        if checksum:
            event.event_size += 4
        text.data[4] = cython.cast(cython.char, kind)
        memcpy(text.data + 9, cython.address(event.event_size), 4)
        if checksum:
            sum: uint32_t = crc32(event.data, event.body_end)
            memcpy(text.data + event.body_end, cython.address(sum), 4)
        return True

    def read_statement(self, event: octets, size: cython.size_t, format: p_const_Format) -> cython.bint:
        data: octets = cython.NULL
        length: cython.size_t = 0
        self.text.length = 0
        if not query_compressed(format, event, size, cython.address(data), cython.address(length)):
            return False
        status: cython.int = self.inflate_into(data, length, TEXT_ENOUGH)
        if status != Z_STREAM_END and status != Z_OK and status != Z_BUF_ERROR:
            self.text.length = 0
        return True
