# InflatedEvent: what a compressed event of MariaDB stands for.
from libc.stdint cimport uint32_t, uint8_t
from pybinlog.kernel.base.event cimport Event, inflated_type, octets, p_const_Event, p_const_Format, p_Event
from pybinlog.kernel.base.text cimport p_Text, put_memory, Text, text_free, text_grow


cdef extern from "<zlib.h>" nogil:
    ctypedef struct z_stream:
        octets next_in
        unsigned int avail_in
        uint8_t* next_out
        unsigned int avail_out
    int inflateInit(z_stream* stream)
    int inflateReset(z_stream* stream)
    int inflate(z_stream* stream, int flush)
    int inflateEnd(z_stream* stream)
    enum:
        Z_OK
        Z_STREAM_END
        Z_BUF_ERROR
        Z_FINISH

cdef enum:
    ORDINARY_EVENT = 262144          # inflated bytes of an ordinary event, at most

cdef class InflatedEvent:
    cdef z_stream stream
    cdef bint begun                  # `stream` is zlib's
    cdef Text text
    cdef Event event                 # as the compressed one, but for type, bytes and sizes

    cdef int inflate_into(self, octets data, size_t size, size_t most) noexcept nogil
    # Inflate an event whose compressed data begins at offset `data_at`; True if it is ordinary. With `checksum` the
    # event has a CRC32. Both hold until the next call.
    cdef bint read(self, p_const_Event e, size_t data_at, p_const_Format format, bint checksum) noexcept nogil
    # Inflate the first bytes of a Query_compressed's statement to `text`, which tell what it is: TEXT_ENOUGH at most, none
    # of data that is broken before. False if its lengths lie, or it is another event.
    cdef bint read_statement(self, octets event, size_t size, p_const_Format format) noexcept nogil
