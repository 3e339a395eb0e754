# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""CRC32 of an event, compiled because with --verify-binlog-checksum it runs over every byte of a log."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.checksum is not built; install pybinlog with pip (it needs a C compiler)")

from cython.cimports.libc.stdint import uint8_t, uint32_t
from cython.cimports.libc.string import memcpy

# Table k takes a byte that k more bytes follow: eight look-ups fold eight bytes at once ("slicing by 8").
TABLES = cython.declare(uint32_t[256][8])


@cython.cfunc
def fill_tables() -> cython.void:
    value: uint32_t
    i: cython.int
    k: cython.int
    for i in range(256):
        value = i
        for k in range(8):
            value = (value >> 1) ^ (0xEDB88320 if value & 1 else 0)
        TABLES[0][i] = value
    for k in range(1, 8):
        for i in range(256):
            value = TABLES[k - 1][i]
            TABLES[k][i] = (value >> 8) ^ TABLES[0][value & 255]


fill_tables()


def crc32(data, size):
    """The CRC32 (polynomial 0xEDB88320, as zlib) of `size` bytes."""
    crc: uint32_t = 0xFFFFFFFF
    low: uint32_t
    high: uint32_t
    while size >= 8:
        memcpy(cython.address(low), data, 4)
        memcpy(cython.address(high), data + 4, 4)
        low ^= crc
        crc = (
            TABLES[7][low & 255]
            ^ TABLES[6][(low >> 8) & 255]
            ^ TABLES[5][(low >> 16) & 255]
            ^ TABLES[4][low >> 24]
            ^ TABLES[3][high & 255]
            ^ TABLES[2][(high >> 8) & 255]
            ^ TABLES[1][(high >> 16) & 255]
            ^ TABLES[0][high >> 24]
        )
        data += 8
        size -= 8
    while size:
        crc = (crc >> 8) ^ TABLES[0][(crc ^ data[0]) & 255]
        data += 1
        size -= 1
    return ~crc


def checksum(data: bytes) -> int:
    """The CRC32 of a Python bytes object: the same function, for tests and tools."""
    view: cython.p_const_char = data
    return crc32(cython.cast(cython.pointer(cython.const[uint8_t]), view), len(data))
