"""CRC32 of an event, compiled because with --verify-binlog-checksum it runs over every byte of a log."""

import cython
from cython.cimports.pybinlog.kernel.base.carryless import crc32_fold, crc32_folds
from cython.cimports.pybinlog.kernel.base.little_endian import read_u32
from cython.cimports.pybinlog.kernel.base.memory import memcpy

# crc32_fold takes no fewer bytes.
LEAST_TO_FOLD = cython.declare(cython.size_t, 32)

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


def crc32_from(crc: uint32_t, data: octets, size: cython.size_t) -> uint32_t:
    """Return the register after `size` more bytes, from what it was before them."""
    low: uint32_t
    high: uint32_t
    if size >= LEAST_TO_FOLD and crc32_folds():
        return crc32_fold(crc, data, size)
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
    return crc


def crc32(data: octets, size: cython.size_t) -> uint32_t:
    """Return the CRC32 (polynomial 0xEDB88320, as zlib) of `size` bytes."""
    return ~crc32_from(0xFFFFFFFF, data, size)


def checksum_matches(data: octets, size: cython.size_t) -> cython.bint:
    """Return True if the CRC32 at an event's end matches its bytes, at least 23.

    A server sums up a Format_description with the in-use flag off, and sets that later (log_event.cc).
    """
    flags: uint8_t = data[17]
    if data[4] == FORMAT_DESCRIPTION:
        flags &= ~BINLOG_IN_USE
    if flags == data[17]:
        crc: uint32_t = crc32(data, size - 4)
    else:
        crc = crc32_from(0xFFFFFFFF, data, 17)
        crc = crc32_from(crc, cython.address(flags), 1)
        crc = ~crc32_from(crc, data + 18, size - 22)
    return crc == read_u32(data + size - 4)


def checksum(data: bytes) -> int:
    """Return the CRC32 of a Python bytes object: the same function, for tests and tools."""
    view: cython.p_const_char = data
    return crc32(cython.cast(octets, view), len(data))
