# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The events inside a Transaction_payload, as they would stand in the log; compiled, it copies every byte of them."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.payload is not built; install pybinlog with pip (it needs a C compiler)")

from cython.cimports.libc.stdint import uint8_t, uint32_t
from cython.cimports.libc.string import memcpy
from cython.cimports.pybinlog.kernel.checksum import crc32
from cython.cimports.pybinlog.kernel.event import TRANSACTION_PAYLOAD
from cython.cimports.pybinlog.kernel.format import read_u32
from cython.cimports.pybinlog.kernel.text import Text, put_bytes, text_free, text_init, text_take

LARGEST = cython.declare(uint32_t, 1024 * 1024 * 1024)

GOES_ON = 0
BAD_SIZE = 1
NESTED = 2


def log_events(data: bytes, start: cython.size_t, checksums: cython.bint, limit: cython.size_t) -> tuple:
    """(events, offset behind the last of them, why it ended) of the uncompressed payload, from offset `start` on.

    Whole events are taken until they have `limit` bytes or more. With `checksums` each grows by its CRC32, and its
    size field counts that. Ended by GOES_ON: the rest is no whole event, or the limit came; BAD_SIZE and NESTED: the
    event at the offset is impossible, or another Transaction_payload.
    """
    source: cython.p_const_char = data
    base: cython.pointer(cython.const[uint8_t]) = cython.cast(cython.pointer(cython.const[uint8_t]), source)
    length: cython.size_t = len(data)
    at: cython.size_t = start
    size: uint32_t
    grown: uint32_t
    sum: uint32_t
    event: cython.pointer(uint8_t)
    trouble: cython.int = GOES_ON
    text: Text
    text_init(cython.address(text))
    try:
        while at <= length and length - at >= 19 and text.length < limit:
            size = read_u32(base + at + 9)
            if size < 19 or size > LARGEST:
                trouble = BAD_SIZE
                break
            if size > length - at:
                break
            if base[at + 4] == TRANSACTION_PAYLOAD:
                trouble = NESTED
                break
            put_bytes(cython.address(text), source + at, size)
            if checksums and not text.failed:
                event = cython.cast(cython.pointer(uint8_t), text.data + text.length - size)
                grown = size + 4
                memcpy(event + 9, cython.address(grown), 4)
                sum = crc32(event, size)
                put_bytes(cython.address(text), cython.cast(cython.p_const_char, cython.address(sum)), 4)
            at += size
        return text_take(cython.address(text)), at, trouble
    finally:
        text_free(cython.address(text))
